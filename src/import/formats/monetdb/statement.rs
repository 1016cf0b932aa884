//! Parser for an instruction of a MAL plan: its name, results and arguments.
//!
//! ```text
//! barrier (X_29=<tmp_1113>[2]:bat[:oid], X_30:bat[:int]) := algebra.join(X_6=<tmp_25>[2]:bat[:int], nil:BAT, "a":str); # hash
//! keyword  results: name, value, rows, type                 function      arguments: the same, or a literal           rest
//! ```

/// A parsed instruction, with its parts as they are written.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct MalStatement<'a> {
    /// `barrier`, `redo`, `function`, …; empty for most.
    pub keyword: &'a str,
    /// Qualified name of the function, such as `algebra.join`; empty for a plain assignment.
    pub function: &'a str,
    pub results: Vec<MalOperand<'a>>,
    pub arguments: Vec<MalOperand<'a>>,
    /// Text after the semicolon, which names the chosen algorithm.
    pub rest: &'a str,
}

/// A variable or a literal.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct MalOperand<'a> {
    /// Name of the variable; empty for a literal.
    pub name: &'a str,
    /// Value as written: `"a"`, `12`; empty if it is not reported.
    pub value: &'a str,
    /// Type: `bat[:int]`, `str`, …
    pub sort: &'a str,
    /// Number of rows of a column.
    pub rows: Option<i64>,
    /// Size of a column in bytes.
    pub bytes: Option<i64>,
}

const KEYWORDS: [&str; 13] = [
    "barrier", "redo", "leave", "exit", "return", "catch", "raise", "yield", "function", "end", "factory",
    "pattern", "command",
];
/// Maximum number of characters that are written of a literal.
const LITERAL: usize = 40;
/// Maximum number of operands that are written; `mat.pack` may have thousands.
const SHOWN: usize = 32;
/// Placeholder for a variable in [`MalStatement::step`].
pub const VARIABLE: char = '\u{1}';

impl<'a> MalStatement<'a> {
    /// Parses the text of an instruction. Never fails.
    pub fn parse(text: &'a str) -> Self {
        let text = text.trim();
        let end = top_level(text, |rest| rest.starts_with(';')).unwrap_or(text.len());
        let (body, rest) = (text[..end].trim_end(), text.get(end + 1..).unwrap_or("").trim());
        let word = body.split([' ', '(']).next().unwrap_or("");
        let keyword = if KEYWORDS.contains(&word) { word } else { "" };
        let body = body[keyword.len()..].trim_start();
        if matches!(keyword, "function" | "factory" | "end") {
            let name = body.split(['(', ';', ' ', '[']).next().unwrap_or("");
            return Self { keyword, function: name, rest, ..Self::default() };
        }
        let (left, right) = match top_level(body, |rest| rest.starts_with(":=")) {
            Some(at) => (body[..at].trim(), body[at + 2..].trim()),
            None if body.ends_with(')') || keyword.is_empty() => ("", body),
            None => (body, ""),
        };
        let (function, arguments) = call(right);
        let results = operands(in_brackets(left).unwrap_or(left));
        Self { keyword, function, results, arguments: operands(arguments), rest }
    }

    /// Name in tables: the function, else the keyword, else `:=`.
    pub fn name(&self) -> &'a str {
        match (self.function, self.keyword) {
            ("", "") => ":=",
            ("", keyword) => keyword,
            (function, _) => function,
        }
    }

    /// Writes the instruction without the values of its variables. The text is equal for equal plans.
    pub fn short<'t>(&self, text: &'t mut String) -> &'t str {
        self.begin(text);
        if matches!(self.keyword, "function" | "end") {
            text.push_str(self.function);
        } else {
            match &*self.results {
                [] => {}
                [one] => one.write(text),
                several => {
                    text.push('(');
                    write(several, text);
                    text.push(')');
                }
            }
            let has_right_side = !self.function.is_empty() || !self.arguments.is_empty();
            if has_right_side && !self.results.is_empty() {
                text.push_str(" := ");
            }
            if self.function.is_empty() {
                write(&self.arguments, text);
            } else {
                text.push_str(self.function);
                text.push('(');
                write(&self.arguments, text);
                text.push(')');
            }
        }
        text.trim_end()
    }

    /// Clears the text and writes the keyword.
    fn begin(&self, text: &mut String) {
        text.clear();
        if !self.keyword.is_empty() {
            text.push_str(self.keyword);
            text.push(' ');
        }
    }
}

impl MalStatement<'_> {
    /// Chosen algorithm: from Sep2022 on, the comment after the instruction.
    pub fn algorithm(&self) -> Option<&str> {
        self.rest.strip_prefix("# ").map(str::trim)
    }

    /// Writes the instruction with [`VARIABLE`] for each of its variables and without the part of a table: the copies that the
    /// optimizer makes of an instruction for the parts of a table (mitosis) have the same text.
    pub fn step<'t>(&self, text: &'t mut String) -> &'t str {
        text.clear();
        if self.function.is_empty() {
            text.push_str(self.name());
            return text;
        }
        // `sql.tid(_, "sys", "lineitem", 3, 10)`, `sql.bind(_, "sys", "lineitem", "l_tax", 0, 3, 10)`
        let part = match self.function {
            "sql.tid" => 3,
            "sql.bind" | "sql.bind_idxbat" => 5,
            // The number of arguments depends on the number of parts.
            "mat.pack" | "mat.packIncrement" => {
                text.extend([self.function, "(", VARIABLE.encode_utf8(&mut [0; 4]), ")"]);
                return text;
            }
            _ => SHOWN,
        };
        let part = if self.arguments.len() >= part + 2 { part } else { SHOWN };
        self.begin(text);
        text.push_str(self.function);
        text.push('(');
        for (at, of) in self.arguments.iter().take(SHOWN).enumerate() {
            text.push_str(if at == 0 { "" } else { ", " });
            match at.checked_sub(part) {
                Some(0) => text.push_str("part"),
                Some(1) => text.push_str("of"),
                _ if of.name.is_empty() => of.write(text),
                _ => text.push(VARIABLE),
            }
        }
        text.push(')');
        text
    }
}

/// Appends operands, up to the maximum number.
fn write(operands: &[MalOperand], text: &mut String) {
    for (at, operand) in operands.iter().take(SHOWN).enumerate() {
        text.push_str(if at == 0 { "" } else { ", " });
        operand.write(text);
    }
    text.push_str(if operands.len() > SHOWN { ", …" } else { "" });
}

impl MalOperand<'_> {
    /// Appends the name of a variable, or a literal of limited length.
    fn write(&self, text: &mut String) {
        if !self.name.is_empty() {
            return text.push_str(self.name);
        }
        let value = if self.value.is_empty() { self.sort } else { self.value };
        // A text has no more characters than bytes.
        let end = if value.len() <= LITERAL { None } else { value.char_indices().nth(LITERAL) };
        text.push_str(&value[..end.map_or(value.len(), |(end, _)| end)]);
        if end.is_some() {
            text.push_str(if value.starts_with('"') { "…\"" } else { "…" });
        }
    }
}

/// Position at which `found` first returns true outside of strings and brackets.
fn top_level(text: &str, found: impl Fn(&str) -> bool) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if depth == 0 && text.get(at..).is_some_and(&found) {
            return Some(at);
        }
        match byte {
            b'"' => at = string_end(bytes, at + 1),
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    None
}

/// Position of the quote that ends a string, or of the last byte.
fn string_end(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn in_brackets(text: &str) -> Option<&str> {
    text.strip_prefix('(')?.strip_suffix(')')
}

/// Splits a call into its function and the text of its arguments; a text that is not a call is returned as arguments.
fn call(text: &str) -> (&str, &str) {
    let Some(at) = text.find('(') else { return ("", text) };
    let function = &text[..at];
    // Functions may be named like operators: `calc.==(…)`.
    if !function
        .split_once('.')
        .is_some_and(|(module, name)| is_word(module) && !name.contains([' ', '"', ',']))
    {
        return ("", text);
    }
    let inner = &text[at + 1..];
    let end = top_level(inner, |rest| rest.starts_with(')')).unwrap_or(inner.len());
    (function, &inner[..end])
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn operands(mut text: &str) -> Vec<MalOperand<'_>> {
    let mut all = Vec::new();
    while !text.trim().is_empty() {
        let end = top_level(text, |rest| rest.starts_with(',')).unwrap_or(text.len());
        all.push(operand(text[..end].trim()));
        text = text.get(end + 1..).unwrap_or("");
    }
    all
}

/// Parses an operand: `X_6=<tmp_25>[2]:bat[:int]`, `X_4=0:int`, `X_8:bat[:int]`, `"a":str`, `nil:BAT`, `X_1`.
fn operand(text: &str) -> MalOperand<'_> {
    let word = text.bytes().take_while(|b| b.is_ascii_alphanumeric() || *b == b'_').count();
    let is_name = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && !matches!(&text[..word], "nil" | "true" | "false")
        && matches!(text.as_bytes().get(word), None | Some(b'=' | b':'));
    let (name, rest) = if is_name { text.split_at(word) } else { ("", text) };
    let rest = rest.strip_prefix('=').unwrap_or(rest);
    let colon = if rest.starts_with('"') {
        let end = string_end(rest.as_bytes(), 1);
        rest.get(end..).and_then(|tail| tail.find(':')).map(|at| end + at)
    } else {
        rest.find(':')
    };
    let (value, sort) = match colon {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, ""),
    };
    let rows = value.strip_suffix(']').and_then(|value| value.rsplit_once('[')?.1.parse().ok());
    MalOperand { name, value, sort, rows, bytes: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, name: &str, short: &str, rows: &[Option<i64>]) {
        let (found, mut room) = (MalStatement::parse(text), String::from("room"));
        let all = found.results.iter().chain(&found.arguments);
        let told: Vec<_> = all.map(|operand| operand.rows).collect();
        assert_eq!((found.name(), found.short(&mut room), told.as_slice()), (name, short, rows), "{text}");
    }

    #[test]
    fn instructions_are_read_in_every_spelling() {
        check(
            "    (X_29=<tmp_1113>[2]:bat[:oid], X_30:bat[:int]) := algebra.join(X_6=[4]:bat[:int], nil:BAT, \"a,);\\\"\":str); # hash",
            "algebra.join",
            "(X_29, X_30) := algebra.join(X_6, nil, \"a,);\\\"\")",
            &[Some(2), None, Some(4), None, None],
        );
        check("function user.s0_2():void;", "user.s0_2", "function user.s0_2", &[]);
        check("end user.s0_2;", "user.s0_2", "end user.s0_2", &[]);
        check(
            "barrier X_263=false:bit := language.dataflow();",
            "language.dataflow",
            "barrier X_263 := language.dataflow()",
            &[None],
        );
        check("exit X_263=false:bit;", "exit", "exit X_263", &[None]);
        check("X_1=3:int := X_2=3:int;", ":=", "X_1 := X_2", &[None, None]);
        check("return X_1=3:int := X_2;", "return", "return X_1 := X_2", &[None, None]);
        check("X_1=true:bit := calc.==(X_2=1:int, 1:int);", "calc.==", "X_1 := calc.==(X_2, 1)", &[None; 3]);
        check("sql.exportOperation();", "sql.exportOperation", "sql.exportOperation()", &[]);
        check(
            "X_9=<tmp_5>[7]:bat[:int] := sql.bind(X_4=0:int, \"sys\":str); #[41] (0) mvc_bind_wrap 187 <- 12",
            "sql.bind",
            "X_9 := sql.bind(X_4, \"sys\")",
            &[Some(7), None, None],
        );
    }

    #[test]
    fn parts_of_a_table_are_one_step() {
        let cases = [
            (
                r#"C_1=[4]:bat[:oid] := sql.tid(X_4=0:int, "sys":str, "t":str, 3:int, 10:int);"#,
                r#"sql.tid(@, "sys", "t", part, of)"#,
            ),
            (
                r#"X_2 := sql.bind(X_4=0:int, "sys":str, "t":str, "c":str, 0:int, 7:int, 10:int);"#,
                r#"sql.bind(@, "sys", "t", "c", 0, part, of)"#,
            ),
            (
                r#"X_2 := sql.bind(X_4=0:int, "sys":str, "t":str, "c":str, 0:int);"#,
                r#"sql.bind(@, "sys", "t", "c", 0)"#,
            ),
            (
                "C_5 := algebra.thetaselect(X_2, C_1, 24:int, \"<\":str);",
                "algebra.thetaselect(@, @, 24, \"<\")",
            ),
            ("X_9 := mat.pack(X_1, X_2, X_3);", "mat.pack(@)"),
            ("barrier X_5=false:bit := language.dataflow();", "barrier language.dataflow()"),
            ("X_9 := mat.packIncrement(X_8, X_3);", "mat.packIncrement(@)"),
            ("X_9 := mat.pack();", "mat.pack(@)"),
            ("return X_9 := mat.pack(X_1, 3:int);", "mat.pack(@)"),
            ("X_1 := X_2;", ":="),
            ("exit X_1;", "exit"),
        ];
        let mut room = String::from("room");
        for (text, expected) in cases {
            assert_eq!(MalStatement::parse(text).step(&mut room).replace(VARIABLE, "@"), expected, "{text}");
        }
    }

    #[test]
    fn no_text_is_too_odd() {
        for text in ["", ";", ":=", "(", "\"", "a.b(", "(,) := ,", "barrier", "x=[:", "\\", "ä.ö(ü=[1]);"]
        {
            MalStatement::parse(text).short(&mut String::new());
            MalStatement::parse(text).step(&mut String::new());
        }
        let long = format!("a.b({});", "x,".repeat(100_000));
        assert_eq!(MalStatement::parse(&long).arguments.len(), 100_000);
    }
}
