//! Extraction of string literals from code, and the list of words that texts for users must not contain.

/// Words and phrases that texts must not contain, in lower case, each with a suggested replacement.
const BANNED: &[(&str, &str)] = &[
    ("whoever", "the person or program that is meant"),
    ("whatever", "the noun that is meant"),
    ("alike", "duplicate, identical"),
    ("told", "reported, shown"),
    ("tells", "reports, shows"),
    ("nobody", "no thread, no user, no record"),
    ("somebody", "a thread, a user"),
    ("of which", "whose"),
    ("there after", "after, later"),
    ("picture", "chart, view, timeline, image"),
    ("behind", "after"),
    ("beside", "next to, compared with"),
];

/// A string literal in the code.
#[derive(Debug, PartialEq)]
pub struct Literal {
    /// Line number of the literal's beginning, from 1.
    pub line: usize,
    /// Content without quotes. Lines joined by a backslash are joined, and other line breaks are spaces.
    pub text: String,
    /// Code between the previous literal and this literal, with single spaces and none at the end.
    pub before: String,
    /// First character of code after the literal.
    pub next: Option<char>,
}

/// Returns the string literals of the code, except those in comments.
pub fn literals(program: &str) -> Vec<Literal> {
    let mut found = Vec::new();
    let (mut rest, mut before) = (program, String::new());
    while let Some(c) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if c == '\'' {
            character(rest)
        } else if let Some((text, length)) = quoted(rest, &before) {
            let line = program[..program.len() - rest.len()].matches('\n').count() + 1;
            let next = rest[length..].trim_start().chars().next();
            let words: Vec<&str> = before.split_whitespace().collect();
            found.push(Literal { line, text, before: words.join(" "), next });
            before.clear();
            length
        } else {
            before.push(c);
            c.len_utf8()
        };
        rest = &rest[length..];
    }
    found
}

/// Returns the code without its test modules.
pub fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\n#[cfg(test)]\nmod ") {
        let (before, module) = rest.split_at(at);
        let opening = module.lines().nth(2).unwrap_or_default();
        // A formatted module is `mod name;`, or ends on its first line, or ends at the first closing brace at the start
        // of a line.
        let end = match opening.as_bytes().last() {
            Some(b'{') => module.find("\n}").map(|end| end + "\n}".len()),
            Some(b'}') => Some("\n#[cfg(test)]\n".len() + opening.len()),
            _ => None,
        };
        kept += before;
        let skipped = end.unwrap_or("\n#[cfg(test)]\n".len());
        rest = &module[skipped..];
    }
    kept + rest
}

/// Length of the character literal or lifetime tick at the start of the code.
fn character(code: &str) -> usize {
    let inside = &code[1..];
    let length = match inside.strip_prefix('\\') {
        Some(escaped) => escaped.char_indices().skip(1).find(|(_, c)| *c == '\'').map(|(at, _)| at + 1),
        None => inside.chars().next().map(char::len_utf8),
    };
    length.filter(|&length| inside[length..].starts_with('\'')).map_or(1, |length| length + 2)
}

/// Returns content and length of the plain or raw string at the start of `code`. `before` is the code in front of it.
fn quoted(code: &str, before: &str) -> Option<(String, usize)> {
    let is_in_a_word = before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    if let Some(raw) = code.strip_prefix('r').filter(|_| !is_in_a_word) {
        let hashes = raw.len() - raw.trim_start_matches('#').len();
        let inner = raw[hashes..].strip_prefix('"')?;
        let close = format!("\"{}", "#".repeat(hashes));
        let end = inner.find(&close)?;
        return Some((inner[..end].to_owned(), 1 + hashes + 1 + end + close.len()));
    }
    let inner = code.strip_prefix('"')?;
    let mut is_escaped = false;
    let end = inner.find(|c| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    })?;
    Some((joined(&inner[..end]), end + 2))
}

/// Joins the lines that a backslash continues, and replaces other line breaks by spaces.
fn joined(literal: &str) -> String {
    let mut lines = literal.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| text + line.trim_start()).replace("\\n", " ")
}

/// Returns the banned words that a text contains as whole words, each with a suggested replacement.
pub fn banned_in(text: &str) -> Vec<(&'static str, &'static str)> {
    let separated = |c: char| if c.is_alphanumeric() { c } else { ' ' };
    let plain: String = text.to_lowercase().chars().map(separated).collect();
    let plain = format!(" {} ", plain.split_whitespace().collect::<Vec<_>>().join(" "));
    BANNED.iter().copied().filter(|(word, _)| plain.contains(&format!(" {word} "))).collect()
}

#[test]
fn these_checks_can_fail() {
    let words = |text| banned_in(text).into_iter().map(|(word, _)| word).collect::<Vec<_>>();
    assert_eq!(words("Nobody waits; a PNG picture, of\u{20}which"), ["nobody", "of which", "picture"]);
    assert_eq!(words("As it was Told, and of\nwhich: nobody_else"), ["told", "nobody", "of which"]);
    assert!(words("pictures, besides, behindhand, retold, the one of whichever kind").is_empty());
    let texts = |text| literals(text).into_iter().map(|literal| literal.text).collect::<Vec<_>>();
    let text = "let a = \"one \\\n    two\"; // \"no\"\nlet b = ('\"', 'x', '\\'', '\\u{e4}'); let c: &'a str = r#\"th\"ree\"#;\nb\"\\\"four\\\\\"";
    assert_eq!(texts(text), ["one two", "th\"ree", "\\\"four\\\\"]);
    assert_eq!(texts("r\"a\\\", \"b\", r##\"c\"#\"##"), ["a\\", "b", "c\"#"]);
    let text = "a\n#[cfg(test)]\nmod laws;\nb\n#[cfg(test)]\nmod tests {\n    c\n}\nd";
    assert_eq!(without_tests(text), "a\nmod laws;\nb\nd".replace("a\n", "a"));
    assert_eq!(literals("a(\n\"b\")")[0].line, 2);
    assert_eq!(
        literals("if x { \"b\" }").first().map(|of| (of.before.as_str(), of.next)),
        Some(("if x {", Some('}')))
    );
}
