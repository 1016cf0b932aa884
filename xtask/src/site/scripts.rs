//! Scripts as they are delivered.

/// Removes indentation, empty lines and comments from a script; comments must be on lines of their own.
pub fn stripped(script: &str) -> String {
    let mut text = String::with_capacity(script.len());
    let mut is_comment = false;
    for line in script.lines().map(str::trim) {
        let begins = line.starts_with("/*");
        if !(is_comment || begins || line.is_empty() || line.starts_with("//")) {
            text.push_str(line);
            text.push('\n');
        }
        is_comment = (is_comment || begins) && !line.ends_with("*/");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_indentation_are_left_out() {
        for (script, expected) in [
            ("// head\na();\n\n  b(); // kept\n", "a();\nb(); // kept\n"),
            ("/** one */\na();\n/**\n * two\n * lines\n */\nb();\n", "a();\nb();\n"),
            ("const glob = \"/*\";\n", "const glob = \"/*\";\n"),
            (
                "a;\n  /**\n   * b\n   */\n  c; // d\n\n  // e\n  /** f */\n  g /* h */;\n",
                "a;\nc; // d\ng /* h */;\n",
            ),
        ] {
            assert_eq!(stripped(script), expected);
        }
    }
}
