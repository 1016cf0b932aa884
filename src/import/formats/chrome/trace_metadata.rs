//! Metadata of the whole trace: sections next to the events (`metadata`, `otherData` and others), and metadata events
//! that name no process or thread. It has no time and is shown with the run.

use crate::base::text::{counted, shortened};
use crate::import::json::{Cursor, Scanner, string_value};

/// Maximum number of entries that are kept; further entries are counted.
const MAX_SAYINGS: usize = 40;
/// Maximum length of an entry, in characters; longer entries are shortened.
const MAX_LENGTH: usize = 100;

/// Sections whose names are not shown before the names of their members.
const PLAIN: [&str; 2] = ["metadata", "otherData"];

/// Metadata of a file.
#[derive(Default)]
pub struct TraceMetadata {
    sayings: Vec<String>,
    more: usize,
}

impl TraceMetadata {
    /// Adds a value, given as JSON. Returns whether at least one entry was added.
    pub fn take(&mut self, key: &str, value: &str, scanner: &mut Scanner) -> bool {
        let value = value.trim();
        let before = self.sayings.len() + self.more;
        if value.starts_with('{') {
            self.members(if PLAIN.contains(&key) { "" } else { key }, value, scanner);
        } else {
            let text = string_value(value);
            self.add(key, text.as_deref().unwrap_or(value));
        }
        self.sayings.len() + self.more > before
    }

    /// Adds each member of a section. An object in a section is one entry, because some are long tables.
    fn members(&mut self, above: &str, object: &str, scanner: &mut Scanner) {
        // A broken section is read as far as possible.
        Cursor::new(object).each(scanner, |key, value| {
            let key = key.content();
            let key = if above.is_empty() { key.into_owned() } else { format!("{above}.{key}") };
            self.add(&key, &value.content());
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

    /// All entries in the order of the file; `None` if there are none.
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
        let mut metadata = TraceMetadata::default();
        let scanner = &mut Scanner::default();
        assert_eq!(metadata.text(), None);
        assert!(!metadata.take("otherData", "{}", scanner));
        assert!(metadata.take(
            "metadata",
            r#"{"a":1,"b":{"c":"x\ny","d":{"e":{"f":2}}},"g":[],"h":null}"#,
            scanner
        ));
        assert!(metadata.take("displayTimeUnit", "\"ns\"", scanner));
        assert!(metadata.take("num_cpus", r#"{"number":8}"#, scanner));
        assert!(!metadata.take("num_cpus", r#"{"number":8}"#, scanner), "said before");
        let expected =
            r#"a: 1 · b: {"c":"x\ny","d":{"e":{"f":2}}} · displayTimeUnit: ns · num_cpus.number: 8"#;
        assert_eq!(metadata.text().as_deref(), Some(expected));
    }

    #[test]
    fn what_is_too_much_is_counted() {
        let mut metadata = TraceMetadata::default();
        for at in 0..MAX_SAYINGS + 3 {
            assert!(metadata.take(&format!("k{at}"), &"v".repeat(500), &mut Scanner::default()));
        }
        let text = metadata.text().expect("it says much");
        assert!(text.ends_with(" · 3 more entries not shown") && text.contains('…'), "{text}");
        // A broken section is read as far as possible.
        assert!(TraceMetadata::default().take("x", "{\"a\":1,", &mut Scanner::default()));
    }
}
