//! Decodes texts as MonetDB writes them, with nested escapes.

use std::borrow::Cow;

use crate::base::chunked;
use crate::import::json::Text;

/// Decodes one level of escapes: `\\`, `\'`, `\"`, `\n`, `\t` and octal `\001`.
pub fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        let octal = chars.as_str().get(..3).and_then(|digits| u8::from_str_radix(digits, 8).ok());
        match chars.next() {
            Some('n') => plain.push('\n'),
            Some('t') => plain.push('\t'),
            Some('r') => plain.push('\r'),
            Some('0'..='3') if octal.is_some() => {
                plain.push(char::from(octal.unwrap_or(b'?')));
                chars.nth(1);
            }
            Some(other) => plain.push(other),
            None => plain.push('\\'),
        }
    }
    Cow::Owned(plain)
}

/// Decodes a JSON string. Escapes that are not valid JSON are read as C escapes, as the server writes them.
pub fn content(text: Text<'_>) -> Cow<'_, str> {
    text.decoded().unwrap_or_else(|| unescaped(text.raw()))
}

/// Statement that a plan was made from, read from the first argument of `querylog.define`: a MAL literal with its quotes is
/// escaped twice, a literal without quotes (Sep2022 and later) once.
pub fn statement(value: &str) -> String {
    let literal = value.strip_prefix('"').and_then(|value| value.strip_suffix('"'));
    let once = unescaped(literal.unwrap_or(value));
    let text = if literal.is_some() { unescaped(&once).into_owned() } else { once.into_owned() };
    trimmed(&text).to_owned()
}

/// Removes the terminator of a statement.
pub fn trimmed(text: &str) -> &str {
    text.trim().trim_end_matches(';').trim_end()
}

/// Removes the word `TRACE` before a statement.
pub fn untraced(sql: &str) -> &str {
    match sql.get(..6) {
        Some(word) if word.eq_ignore_ascii_case("trace ") => sql[6..].trim_start(),
        _ => sql,
    }
}

/// Replaces control characters that are invalid in JSON by spaces. The length of the text does not change, so every byte stays
/// in its place.
pub fn cleaned(text: &str) -> Cow<'_, str> {
    if !has_odd(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    let is_odd = |c: char| u8::try_from(c).is_ok_and(is_odd);
    Cow::Owned(text.chars().map(|c| if is_odd(c) { ' ' } else { c }).collect())
}

/// Whether a byte is a control character that is invalid in JSON.
fn is_odd(byte: u8) -> bool {
    byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t')
}

/// Whether any byte is a control character that is invalid in JSON.
fn has_odd(bytes: &[u8]) -> bool {
    chunked::chunks(bytes).any(part_has_odd)
}

/// Like [`has_odd`], for a part of a text. Most blocks of 64 bytes have no control characters; 8 bytes are tested at a time.
#[inline(never)]
fn part_has_odd(bytes: &[u8]) -> bool {
    let (some, rest) = bytes.as_chunks::<64>();
    let any = |bytes: &[u8]| bytes.iter().any(|byte| is_odd(*byte));
    some.iter().any(|some| has_control(some) && any(some)) || any(rest)
}

/// Whether any byte is less than a blank: subtracting a blank from it borrows from the next byte, which sets the
/// highest bit.
#[inline]
fn has_control(bytes: &[u8; 64]) -> bool {
    const HIGH: u64 = u64::from_ne_bytes([0x80; 8]);
    const BLANKS: u64 = u64::from_ne_bytes([b' '; 8]);
    let (words, _) = bytes.as_chunks::<8>();
    let words = words.iter().map(|word| u64::from_ne_bytes(*word));
    words.fold(0, |found, word| found | word.wrapping_sub(BLANKS) & !word) & HIGH != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_come_back_as_they_were_typed() {
        let sql = "select 'it''s a \"quoted\" \\ back\ttab'";
        let cases = [
            (r#"select \'it\'\'s a \"quoted\" \\ back\ttab\'"#, sql),
            (r#""select \\'it\\'\\'s a \\\"quoted\\\" \\\\ back\\ttab\\'""#, sql),
            (r"a\001b\", "a\u{1}b\\"),
            ("plain\n", "plain"),
            ("", ""),
        ];
        for (value, expected) in cases {
            assert_eq!(statement(value), expected, "{value}");
        }
    }

    #[test]
    fn cleaning_moves_nothing() {
        assert_eq!(cleaned("a\u{1}ä\n\u{1f}\t"), "a ä\n \t");
        assert!(matches!(cleaned("a\n"), Cow::Borrowed(_)));
        for at in 0..100 {
            for byte in 0..=0x7F_u8 {
                let text = format!("{}{}{}", "ä\n".repeat(at), char::from(byte), "~".repeat(100 - at));
                let is_odd = byte < 0x20 && !matches!(byte, 9 | 10 | 13);
                assert_eq!(matches!(cleaned(&text), Cow::Owned(_)), is_odd, "{byte} at {at}");
            }
        }
    }
}
