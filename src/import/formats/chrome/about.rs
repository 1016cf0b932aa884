//! What a file says of the whole trace: sections beside the events (`metadata`, `otherData`, and whatever else stands
//! there), and metadata events that name nothing in the picture. It has no time: it stands beside the run.

use crate::base::text::{counted, shortened};
use crate::import::attributes::args::decoded;
use crate::import::json::{Cursor, Scanner, Value};

/// Sayings that are kept; the others are counted.
const MAX_SAYINGS: usize = 40;
/// Characters of one that are kept.
const MAX_LENGTH: usize = 100;

/// Sections whose names add nothing to those of their members.
const PLAIN: [&str; 2] = ["metadata", "otherData"];

/// What a file says of itself.
#[derive(Default)]
pub struct TraceMetadata {
    sayings: Vec<String>,
    more: usize,
}

impl TraceMetadata {
    /// Takes a value as it stands in the file. Whether it says anything.
    pub fn take(&mut self, key: &str, value: &str, scanner: &mut Scanner) -> bool {
        let value = value.trim();
        let before = self.sayings.len() + self.more;
        if value.starts_with('{') {
            self.members(if PLAIN.contains(&key) { "" } else { key }, value, scanner);
        } else {
            let text = crate::import::json::string_value(value);
            self.add(key, text.as_deref().unwrap_or(value));
        }
        self.sayings.len() + self.more > before
    }

    /// Each member of a section says something; an object in it, of which some are long tables, is one saying.
    fn members(&mut self, above: &str, object: &str, scanner: &mut Scanner) {
        // Of a broken section, what can be read of it.
        Cursor::new(object).each(scanner, |key, value| {
            let key = decoded(key);
            let key = if above.is_empty() { key.into_owned() } else { format!("{above}.{key}") };
            match value {
                Value::Text(text) => self.add(&key, &decoded(text)),
                Value::Word(text) | Value::Nested(text) => self.add(&key, text),
            }
        });
    }

    fn add(&mut self, key: &str, value: &str) {
        if matches!(value, "" | "null" | "[]" | "{}") {
            return;
        }
        let saying = shortened(
            &format!("{key}: {}", value.split_whitespace().collect::<Vec<_>>().join(" ")),
            MAX_LENGTH,
        );
        if self.sayings.contains(&saying) {
            return;
        }
        if self.sayings.len() < MAX_SAYINGS { self.sayings.push(saying) } else { self.more += 1 }
    }

    /// All of it, in the order of the file; `None` if it says nothing.
    pub fn text(&self) -> Option<String> {
        let more =
            (self.more > 0).then(|| counted(self.more as u64, "more entry", "more entries") + " not shown");
        let all: Vec<&str> = self.sayings.iter().map(String::as_str).chain(more.as_deref()).collect();
        (!all.is_empty()).then(|| all.join(" · "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sayings_are_members_in_their_order() {
        let mut about = TraceMetadata::default();
        let scanner = &mut Scanner::default();
        assert_eq!(about.text(), None);
        assert!(!about.take("otherData", "{}", scanner));
        assert!(about.take(
            "metadata",
            r#"{"a":1,"b":{"c":"x\ny","d":{"e":{"f":2}}},"g":[],"h":null}"#,
            scanner
        ));
        assert!(about.take("displayTimeUnit", "\"ns\"", scanner));
        assert!(about.take("num_cpus", r#"{"number":8}"#, scanner));
        assert!(!about.take("num_cpus", r#"{"number":8}"#, scanner), "said before");
        let expected =
            r#"a: 1 · b: {"c":"x\ny","d":{"e":{"f":2}}} · displayTimeUnit: ns · num_cpus.number: 8"#;
        assert_eq!(about.text().as_deref(), Some(expected));
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let mut about = TraceMetadata::default();
        for at in 0..MAX_SAYINGS + 3 {
            assert!(about.take(&format!("k{at}"), &"v".repeat(500), &mut Scanner::default()));
        }
        let text = about.text().expect("it says much");
        assert!(text.ends_with(" · 3 more entries not shown") && text.contains('…'), "{text}");
        // A broken section says what can be read of it.
        assert!(TraceMetadata::default().take("x", "{\"a\":1,", &mut Scanner::default()));
    }
}
