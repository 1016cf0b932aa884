//! The members of one JSON object as they stand, by serde_json: in order, duplicates included, values as text.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::find;

/// A key and the text of its value.
pub struct Member<'a> {
    /// The key, decoded.
    pub key: Cow<'a, str>,
    /// The value as it stands: `"a\n"`, `1.50`, `{"x": …}`.
    pub value: &'a str,
}

/// The members of the object that `text` is, or serde_json's words for why it is none.
pub fn members(text: &str) -> Result<Vec<Member<'_>>, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let members = reader.deserialize_map(Members).map_err(|error| error.to_string())?;
    reader.end().map_err(|error| error.to_string())?;
    Ok(members)
}

/// The keys of the object at the start of `text`, which may break off; nested ones are left out.
pub fn keys(text: &str) -> Vec<String> {
    let (bytes, mut keys) = (text.as_bytes(), Vec::new());
    let (mut at, mut depth, mut key_follows) = (0, 0_usize, false);
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

/// Where the quote is that ends the string whose content begins at `at`.
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

/// The content of a JSON string that is given with its quotes; `None` if it is not one.
pub fn string_value(literal: &str) -> Option<Cow<'_, str>> {
    serde_json::from_str::<Key>(literal).ok().map(|Key(text)| text)
}

/// A string that is borrowed where it has no escapes.
#[derive(serde::Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<Member<'de>>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(Key(key)) = map.next_key()? {
            // A raw value is skipped without recursion, however deep it is.
            let value: &RawValue = map.next_value()?;
            members.push(Member { key, value: value.get() });
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
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
        let deep = format!(r#"{{"a":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
        assert_eq!(members(&deep).expect("valid").len(), 1);
        for broken in ["[]", "{} x", r#"{"a":01}"#, r#"{"a":tru}"#, r#"{"a":"\x"}"#] {
            assert!(members(broken).is_err(), "{broken}");
        }
    }
}
