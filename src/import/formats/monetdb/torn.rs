//! Recovers the complete members of damaged records.
//!
//! Servers cut a record after 8 KiB, threads write into each other's records, and Jul2017 has a typing error in its output: at
//! the counter of swaps, an `s` and the first letter of the next line are outside of all quotes.

use std::borrow::Cow;

use super::keys::MonetDbKey;
use super::object::MonetDbObject;
use crate::import::json::{Cursor, Scanner, Value, offset_in};

/// Text that Jul2017 writes between `"nswap":3` and the next key. The line end stays, the letters are replaced by blanks.
const SLIP: [u8; 5] = *b",s\nn\"";

/// Blanks out the stray letters that Jul2017 writes after the counter `nswap`, so that the text is valid JSON with
/// unchanged byte offsets. Also returns their positions.
pub fn without_slips(text: &str) -> (Cow<'_, str>, Vec<usize>) {
    let slips: Vec<usize> = memchr::memmem::find_iter(text.as_bytes(), &SLIP).collect();
    if slips.is_empty() {
        return (Cow::Borrowed(text), slips);
    }
    let mut clean = String::with_capacity(text.len());
    let mut from = 0;
    for at in &slips {
        clean.push_str(&text[from..=*at]);
        clean.push_str(" \n ");
        from = at + SLIP.len() - 1;
    }
    clean.push_str(&text[from..]);
    (Cow::Owned(clean), slips)
}

/// Number of bytes at the end of a text that may be the first bytes of a slip (see `SLIP`).
pub fn begun(text: &str) -> usize {
    (1..SLIP.len()).rev().find(|&length| text.as_bytes().ends_with(&SLIP[..length])).unwrap_or(0)
}

/// Returns the complete members of a truncated object as an object of their own.
pub fn whole_members(text: &str) -> Option<String> {
    let mut cursor = Cursor::new(text);
    let mut scanner = Scanner::default();
    let mut end = 0;
    while let Ok((_, value)) = cursor.next(&mut scanner) {
        end = match value {
            Value::Text(string) => offset_in(string.raw(), text) + string.raw().len() + 1,
            Value::Word(part) | Value::Nested(part) => offset_in(part, text) + part.len(),
        };
    }
    // A number or word at the very end may be incomplete.
    let is_ended =
        text.get(end..)?.trim_start().starts_with([',', '}', '\n']) || text[..end].ends_with(['"', ']', '}']);
    (end > 0 && is_ended).then(|| [&text[..end], "}"].concat())
}

/// Whether an event has enough members to be shown: a duration with pc or phase, or the load of the cores.
pub fn is_enough(object: &MonetDbObject) -> bool {
    object.has(MonetDbKey::Cpuload)
        || object.has(MonetDbKey::Usec) && (object.has(MonetDbKey::Pc) || object.has(MonetDbKey::Phase))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_become_blanks() {
        let text = "\"nswap\":3,s\nn\"stmt\":\"a,s\\nn\",\n\"x\":1,s\nn\"y\"";
        let (clean, slips) = without_slips(text);
        assert_eq!(clean, "\"nswap\":3, \n \"stmt\":\"a,s\\nn\",\n\"x\":1, \n \"y\"");
        assert_eq!((clean.len(), slips), (text.len(), vec![9, 35]));
        assert!(matches!(without_slips("a,s\nb"), (Cow::Borrowed(_), _)));
        for (text, length) in [("a", 0), ("a,", 1), ("a,s", 2), ("a,s\n", 3), ("a,s\nn", 4), ("a,s\nn\"", 0)]
        {
            assert_eq!(begun(text), length, "{text}");
        }
    }

    #[test]
    fn what_is_whole_is_kept() {
        let cases = [
            (r#"{"a":1,"b":"x","c":[1,2"#, Some(r#"{"a":1,"b":"x"}"#)),
            (r#"{"a":1,"b":"x"#, Some(r#"{"a":1}"#)),
            (r#"{"a":1,"b":"x","#, Some(r#"{"a":1,"b":"x"}"#)),
            // A number at the end may continue after the cut.
            (r#"{"a":1,"b":2"#, Some(r#"{"a":1}"#)),
            (r#"{"a""#, None),
            ("{", None),
        ];
        for (text, expected) in cases {
            assert_eq!(whole_members(text).as_deref(), expected, "{text}");
        }
    }
}
