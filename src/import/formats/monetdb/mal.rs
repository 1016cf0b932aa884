//! Recognises instructions of MonetDB's plans, by which files without other evidence are detected.

/// Whether a text can be an instruction: a call of a function of a module, an assignment to a variable (`X_1`), or a word
/// that begins or ends a block.
pub fn looks_like_mal(text: &str) -> bool {
    text.contains(';') && begins_like_mal(text)
}

/// Whether a text, which may be cut off, begins like an instruction.
pub fn begins_like_mal(text: &str) -> bool {
    let text = text.trim_start();
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let is_call = |name: &str| {
        let parts = name.split_once('.');
        parts.is_some_and(|(module, name)| is_word(module) && !name.contains([' ', ';', ',', '"', '\t', '/']))
    };
    let is_variable = |left: &str| {
        let name = left.trim_start_matches('(').split([' ', '=', ':', ',', ';', ')']).next().unwrap_or("");
        is_word(name) && name.contains('_') && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    let keyword = ["barrier ", "exit ", "redo ", "leave ", "return ", "end ", "function "];
    text.split_once('(').is_some_and(|(name, _)| is_call(name))
        || text.split_once(" := ").is_some_and(|(left, _)| is_variable(left))
        || keyword.iter().any(|word| {
            text.strip_prefix(word)
                .is_some_and(|rest| is_variable(rest) || is_call(rest.trim_end_matches(';')))
        })
}

/// Whether a text contains a complete instruction, up to the semicolon outside of strings.
pub fn is_ended(text: &str) -> bool {
    let (mut in_string, mut is_escaped) = (false, false);
    text.bytes().any(|byte| {
        let escaped = std::mem::replace(&mut is_escaped, false);
        match byte {
            _ if escaped => {}
            b'\\' => is_escaped = in_string,
            b'"' => in_string = !in_string,
            b';' => return !in_string,
            _ => {}
        }
        false
    })
}

#[cfg(test)]
mod tests {
    use super::{is_ended, looks_like_mal};

    #[test]
    fn instructions_end_with_a_semicolon_outside_of_strings() {
        for (text, expected) in [
            (r#"X_1 := querylog.define("select 1;":str);"#, true),
            (r#"X_1 := querylog.define("select 1;":str"#, false),
            (r#"X_1 := querylog.define("a \\";", "b"#, true),
            (r#"X_1 := querylog.define("a \";", "b"#, false),
            ("exit X_1;", true),
            ("sql.mvc()", false),
        ] {
            assert_eq!(is_ended(text), expected, "{text}");
        }
    }

    #[test]
    fn instructions_are_told_from_other_texts() {
        for text in [
            "    X_1=0@0:void := querylog.define(\"a\":str);",
            "(X_1=[2]:bat[:oid], C_2) := algebra.join(X_3);",
            "sql.exportOperation();",
            "calc.==(X_1, 2);",
            "barrier X_5=false:bit := language.dataflow();",
            "exit X_5;",
            "end user.main;",
        ] {
            assert!(looks_like_mal(text), "{text}");
        }
        for text in [
            "44;47;stage/sql/starting;init_net_server_extension.cc:111;(1)",
            "SELECT @a := 5;",
            "select count(*) from t.u;",
            "end of line;",
            "",
        ] {
            assert!(!looks_like_mal(text), "{text}");
        }
    }
}
