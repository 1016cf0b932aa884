//! Lists the members of one JSON object by the strict grammar: in order, including duplicates, with their values as
//! text.

use std::borrow::Cow;

use hifijson::num::Lex as _;
use hifijson::str::{Lex as _, LexAlloc as _};
use hifijson::token::Lex as _;
use hifijson::{Error, Expect, Read as _, SliceLexer};

use super::find;
use crate::base::text::beginning;

/// Key and text of a member.
pub struct Member<'a> {
    /// The key, decoded.
    pub key: Cow<'a, str>,
    /// The value as written: `"a\n"`, `1.50`, `{"x": …}`.
    pub value: &'a str,
}

/// Returns the members of the object in `text`, or an error if it is not valid.
pub fn members(text: &str) -> Result<Vec<Member<'_>>, Error> {
    let (mut lexer, mut members) = (SliceLexer::new(text.as_bytes()), Vec::new());
    let here = |lexer: &SliceLexer| text.len() - lexer.as_slice().len();
    lexer.expect(SliceLexer::ws_peek, b'{').ok_or(Expect::Value)?;
    lexer.seq(b'}', SliceLexer::ws_peek, |next, lexer| {
        let key = key(next, lexer)?;
        let first = lexer.ws_peek().ok_or(Expect::Value)?;
        let start = here(lexer);
        skip(first, lexer)?;
        members.push(Member { key, value: &text[start..here(lexer)] });
        Ok::<_, Error>(())
    })?;
    if lexer.ws_peek().is_none() { Ok(members) } else { Err(Expect::Eof.into()) }
}

/// Returns the items of the array in `text`, as written, or an error if it is not valid.
pub fn items(text: &str) -> Result<Vec<&str>, Error> {
    let (mut lexer, mut items) = (SliceLexer::new(text.as_bytes()), Vec::new());
    let here = |lexer: &SliceLexer| text.len() - lexer.as_slice().len();
    lexer.expect(SliceLexer::ws_peek, b'[').ok_or(Expect::Value)?;
    lexer.seq(b']', SliceLexer::ws_peek, |next, lexer| {
        let start = here(lexer);
        skip(next, lexer)?;
        items.push(&text[start..here(lexer)]);
        Ok::<_, Error>(())
    })?;
    if lexer.ws_peek().is_none() { Ok(items) } else { Err(Expect::Eof.into()) }
}

/// Reads the key that begins with the byte `next`, and the colon after it.
fn key<'a>(next: u8, lexer: &mut SliceLexer<'a>) -> Result<Cow<'a, str>, Error> {
    lexer.expect(|_| Some(next), b'"').ok_or(Expect::String)?;
    let key = lexer.str_string().map_err(Error::Str)?;
    lexer.expect(SliceLexer::ws_peek, b':').ok_or(Expect::Colon)?;
    Ok(key)
}

/// Skips the value that begins with the byte `next`. Depth costs one byte per level, not a stack frame.
fn skip(mut next: u8, lexer: &mut SliceLexer) -> Result<(), Error> {
    // The closing brackets of all open arrays and objects.
    let mut open = Vec::new();
    loop {
        let mut opened = matches!(next, b'[' | b'{');
        if opened {
            lexer.take_next();
            open.push(if next == b'[' { b']' } else { b'}' });
        } else {
            scalar(next, lexer)?;
        }
        next = loop {
            let Some(&close) = open.last() else { return Ok(()) };
            match lexer.ws_peek().ok_or(Expect::CommaOrEnd)? {
                end if end == close => {
                    lexer.take_next();
                    open.pop();
                    opened = false;
                }
                first if opened => break item(first, close, lexer)?,
                b',' => {
                    let first = lexer.discarded().ws_peek().ok_or(Expect::Value)?;
                    break item(first, close, lexer)?;
                }
                _ => return Err(Expect::CommaOrEnd.into()),
            }
        };
    }
}

fn scalar(next: u8, lexer: &mut SliceLexer) -> Result<(), Error> {
    match next {
        b'"' => lexer.discarded().str_ignore().map_err(Error::Str),
        b'-' | b'0'..=b'9' => Ok(lexer.num_ignore().validate().map(|_| ())?),
        _ => Ok(lexer.null_or_bool().map(|_| ()).ok_or(Expect::Value)?),
    }
}

/// Returns the first byte of an item's value, after its key if it is in an object.
fn item(first: u8, close: u8, lexer: &mut SliceLexer) -> Result<u8, Error> {
    if close == b']' {
        return Ok(first);
    }
    key(first, lexer)?;
    Ok(lexer.ws_peek().ok_or(Expect::Value)?)
}

/// Maximum number of objects that are searched for records.
const MAX_SEARCHED: usize = 1000;
/// Number of bytes of each object that are searched.
const MAX_SEARCHED_BYTES: usize = 4 << 10;

/// Whether a text with an unexpected start contains an object with all of these keys.
pub fn has_record(text: &str, wanted: &[&str]) -> bool {
    let is_record = |at: usize| {
        let keys = keys(beginning(&text[at..], MAX_SEARCHED_BYTES));
        wanted.iter().all(|wanted| keys.iter().any(|key| key == wanted))
    };
    memchr::memchr_iter(b'{', text.as_bytes()).take(MAX_SEARCHED).any(is_record)
}

/// Returns the keys of the object at the start of `text`, which may be incomplete; keys of nested objects are not included.
pub fn keys(text: &str) -> Vec<String> {
    let (bytes, mut keys) = (text.as_bytes(), Vec::new());
    let mut at = 0;
    let mut depth = 0_usize;
    let mut key_follows = false;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' => {
                depth += 1;
                key_follows = depth == 1;
            }
            b'}' | b']' => depth -= 1,
            b',' => key_follows = depth == 1,
            b'"' => {
                let Some(end) = string_end(bytes, at) else { break };
                if std::mem::take(&mut key_follows)
                    && let Some(key) = string_value(&text[at - 1..=end])
                {
                    keys.push(key.into_owned());
                }
                at = end + 1;
            }
            _ => {}
        }
        if depth == 0 {
            break;
        }
    }
    keys
}

/// Returns the position of the quote that ends the string whose content begins at `at`.
pub(super) fn string_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at = find::special(bytes, at);
        match bytes.get(at)? {
            b'"' => return Some(at),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

/// Returns the strings in the text of an array, as written, with their positions; for an array of strings these are its items.
pub fn strings(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at + memchr::memchr(b'"', &text.as_bytes()[at..])?;
        at = string_end(text.as_bytes(), start + 1)? + 1;
        Some((start, text.get(start..at)?))
    })
}

/// Returns the content of a JSON string given with its quotes; `None` if it is invalid.
pub fn string_value(literal: &str) -> Option<Cow<'_, str>> {
    let mut lexer = SliceLexer::new(literal.strip_prefix('"')?.as_bytes());
    let text = lexer.str_string().ok()?;
    lexer.as_slice().is_empty().then_some(text)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use serde_json::value::RawValue;

    use super::*;

    #[test]
    fn members_stand_in_order_with_their_own_text() {
        let text = r#" {"a":1.50,"b\n":"x\u0041","a":{"c":[null]}} "#;
        let seen: Vec<_> = members(text).expect("valid").into_iter().map(|m| (m.key, m.value)).collect();
        let expected = [("a", "1.50"), ("b\n", r#""x\u0041""#), ("a", r#"{"c":[null]}"#)];
        assert_eq!(seen, expected.map(|(k, v)| (Cow::from(k), v)));
        assert_eq!(string_value(r#""x\u0041""#).as_deref(), Some("xA"));
        assert_eq!(string_value("12"), None);
        assert_eq!(keys(r#"{"a":{"x":1},"b":["c","d"],"e"#), ["a", "b"]);
        assert_eq!(keys(r#"{"a\"b":"c","d":1}{"e":1}"#), ["a\"b", "d"]);
        assert_eq!(keys("x{"), [""; 0]);
        assert_eq!(strings(r#"["a", "b\"",1,"c"#).collect::<Vec<_>>(), [(1, r#""a""#), (6, r#""b\"""#)]);
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(members(&deep).expect("valid").len(), 1);
        assert_eq!(
            items(r#" [1, "a,\"b", null,{"c":[]}] "#).ok(),
            Some(vec!["1", r#""a,\"b""#, "null", r#"{"c":[]}"#])
        );
        assert!(items("[]").is_ok_and(|items| items.is_empty()));
        assert!(["[1", "[1,]", "{}", "[1] 2"].iter().all(|broken| items(broken).is_err()));
        for broken in ["[]", "{} x", r#"{"a":01}"#, r#"{"a":tru}"#, r#"{"a":"\x"}"#] {
            assert!(members(broken).is_err(), "{broken}");
        }
    }

    proptest::proptest! {
        /// Compares with serde_json as the reference.
        #[test]
        fn what_is_json_is_read_and_nothing_else(
            parts in proptest::collection::vec(
                proptest::sample::select(vec![
                    "{", "}", "[", "]", ",", ":", " ", "\n", "\"a\"", "\"\\n\"", "\"\\u00e4\"", "\"\\ud834\\udd1e\"", "\"\\ud834\"", "\"\\x\"",
                    "\"\t\"", "\"", "ä", "1", "0", "-1.5e+3", "01", "1.", "-", "1e", "true", "null", "nul", "[1,2]", "{\"b\":[]}",
                ]),
                0..8,
            ),
            key in "\"[a-z]\":",
        ) {
            for text in [format!("{{{key}{}}}", parts.concat()), parts.concat()] {
                let strict = serde_json::from_str::<HashMap<String, Box<RawValue>>>(&text);
                let found = members(&text);
                proptest::prop_assert_eq!(found.is_ok(), strict.is_ok(), "{}: {:?}", text, strict);
                for Member { key, value } in found.unwrap_or_default() {
                    let last = strict.as_ref().ok().and_then(|all| all.get(&*key)).map(|value| value.get());
                    proptest::prop_assert!(last == Some(value) || text.matches(':').count() > 1, "{}", text);
                    proptest::prop_assert_eq!(string_value(value), serde_json::from_str(value).ok());
                }
            }
        }
    }
}
