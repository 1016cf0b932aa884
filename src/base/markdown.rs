//! Texts of a trace inside Markdown.

use std::borrow::Cow;
use std::fmt::Write;

/// Text of a trace as code. Every character that could have a meaning in Markdown is a character reference, because a
/// backslash before a pipe that is in the text would end the cell.
pub fn code(text: &str) -> String {
    let mut out = "<code>".to_owned();
    for c in text.chars().map(super::text::in_line) {
        match c {
            '&' | '<' | '>' | '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' | '!' | '{' | '}'
            | '@' | '$' | '^' | ':' | '"' => {
                // Writing to a string cannot fail.
                let _ = write!(out, "&#{};", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    // Some readers of Markdown make a link of it.
    out.replace("www.", "www&#46;") + "</code>"
}

/// Cell of a table: as it is if no character could have a meaning in Markdown, else as [`code`].
pub fn cell(text: &str) -> Cow<'_, str> {
    let is_plain = |c: char| c.is_alphanumeric() || " .,()%/×–−-".contains(c);
    match text.chars().all(is_plain) && !text.contains("www.") {
        true => Cow::Borrowed(text),
        false => Cow::Owned(code(text)),
    }
}

#[cfg(test)]
mod tests {
    use super::{cell, code};

    #[test]
    fn texts_have_no_markdown() {
        for (text, expected) in [
            ("SELECT a || b", "SELECT a &#124;&#124; b"),
            ("a\\|b\n\u{1b}[0m", "a&#92;&#124;b \u{241b}&#91;0m"),
            ("</code><img src=x>`*_", "&#60;/code&#62;&#60;img src=x&#62;&#96;&#42;&#95;"),
            ("https://www.a.org @b &amp;", "https&#58;//www&#46;a.org &#64;b &#38;amp;"),
        ] {
            assert_eq!(code(text), format!("<code>{expected}</code>"));
        }
    }

    #[test]
    fn plain_texts_are_no_code() {
        for (text, expected) in [
            ("Busy (ns)", "Busy (ns)"),
            ("-1.5", "-1.5"),
            ("", ""),
            ("a|b", "<code>a&#124;b</code>"),
            ("www.a.org", "<code>www&#46;a.org</code>"),
        ] {
            assert_eq!(cell(text), expected);
        }
    }
}
