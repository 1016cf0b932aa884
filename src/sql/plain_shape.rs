//! The shape of plain SQL, in one pass over its bytes. A tokenizer of all dialects takes nearly twenty times as long, which
//! matters where a trace has a hundred thousand different statements.

/// Appends the [`shape`](super::shape) of `sql` to `shape`, but keeps its trailing blanks and semicolons. Returns
/// `false` if `sql` contains something that only the tokenizer supports, such as a comment, a backslash or the prefix
/// of a string; `shape` may then end with a part of the text.
pub(super) fn append(sql: &str, shape: &mut String) -> bool {
    let bytes = sql.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let end = match byte {
            b' ' | b'\t' | b'\n' | b'\r' => {
                if !shape.is_empty() && !shape.ends_with(' ') {
                    shape.push(' ');
                }
                at += 1;
                continue;
            }
            b'A'..=b'Z' | b'a'..=b'z' | b'_' => word_end(bytes, at),
            b'0'..=b'9' => number_end(bytes, at),
            b'\'' | b'"' | b'`' => quoted_end(bytes, at),
            b'.' if matches!(bytes.get(at + 1), Some(b'0'..=b'9' | b'_')) => None,
            b'-' | b'/' if matches!(bytes.get(at + 1), Some(b'-' | b'*' | b'/')) => None,
            b'(' | b')' | b',' | b'.' | b';' | b'=' | b'<' | b'>' | b'*' | b'+' | b'-' | b'/' | b'|' => {
                Some(at + 1)
            }
            _ => None,
        };
        let Some(end) = end else { return false };
        match byte {
            b'0'..=b'9' | b'\'' => shape.push('?'),
            _ => shape.push_str(&sql[at..end]),
        }
        at = end;
    }
    true
}

/// End of a word that begins at `at`; `None` if it continues with something that is not plain, or may be the prefix of a
/// string.
fn word_end(bytes: &[u8], at: usize) -> Option<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let end = at + bytes[at..].iter().take_while(|byte| is_part(byte)).count();
    let is_prefix = matches!(bytes.get(end), Some(b'\'' | b'"' | b'`'));
    (!is_prefix).then_some(end)
}

/// End of a number that begins at `at`, such as `12` or `1.50`; `None` if it has another form.
fn number_end(bytes: &[u8], at: usize) -> Option<usize> {
    let digits = |at: usize| at + bytes[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let mut end = digits(at);
    if bytes.get(end) == Some(&b'.') {
        end = digits(end + 1);
    }
    let ends = bytes.get(end).is_none_or(|next| b" \t\r\n(),;=<>*+-/|".contains(next));
    ends.then_some(end)
}

/// End of a quoted text that begins at `at`, in which a doubled quote stands for one; `None` if it has no end or contains a
/// backslash.
fn quoted_end(bytes: &[u8], at: usize) -> Option<usize> {
    let quote = bytes[at];
    let mut end = at + 1;
    loop {
        end += memchr::memchr2(quote, b'\\', &bytes[end..])?;
        if bytes[end] == b'\\' {
            return None;
        }
        if bytes.get(end + 1) != Some(&quote) {
            return Some(end + 1);
        }
        end += 2;
    }
}
