//! Reads the object around the records of a file member by member; any member may be an array of records.

use super::splitter::{RecordHandler, RecordSplitter, line_ends};
use crate::import::text::lines::Place;

/// Receives the records of a file, and the members of the object around them.
pub trait EnvelopeHandler: RecordHandler {
    /// Returns the use of a member whose value begins with the byte `first` at `place`.
    fn member(&mut self, key: &str, first: u8, place: Place) -> MemberUse;
    /// Receives the value of a member for which [`MemberUse::Text`] was returned.
    fn text(&mut self, _key: &str, _value: &str, _place: Place) {}
    /// Called if text follows the end of the object; `first` is its first byte. Returns whether the text is another
    /// such object.
    fn after_end(&mut self, first: u8, place: Place) -> bool;
}

/// How the value of a member is used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MemberUse {
    /// Skip the value.
    Nothing,
    /// Pass the value as written, up to [`MAX_TEXT`] bytes.
    Text,
    /// Read the objects of its array as records. Only for a value that begins with `[`.
    Records,
}

/// Maximum number of bytes of a value that is passed on; a longer one is truncated.
pub const MAX_TEXT: usize = 1 << 20;
/// Maximum number of bytes kept of a key.
const KEY: usize = 64;

/// Reader state between two slices of one file.
pub struct EnvelopeReader {
    place: Place,
    part: EnvelopePart,
    /// Whether there is no object around the records.
    bare: bool,
}

enum EnvelopePart {
    Records(RecordSplitter),
    Members(EnvelopeMembers),
    /// The object has ended.
    After {
        /// Whether [`EnvelopeHandler::after_end`] was called for the text after the object.
        is_reported: bool,
    },
}

/// Reads the members of the outer object, byte by byte, because nearly nothing in them is kept.
#[derive(Default)]
struct EnvelopeMembers {
    depth: u32,
    in_text: bool,
    escaped: bool,
    /// The most recent string of the outer object: a key if a colon follows.
    latest: Vec<u8>,
    /// Key of the current member; `fresh` is whether its value has not begun.
    key: String,
    fresh: bool,
    /// Value that is being collected, and its start.
    value: Option<(Vec<u8>, Place)>,
}

/// Meaning of the next byte of the outer object.
#[derive(PartialEq, Eq)]
enum EnvelopeStep {
    On,
    /// The byte is the first of a member's value.
    Begins,
    /// The byte follows a member's value.
    Ends,
    /// The byte ends the object.
    Closes,
}

impl EnvelopeReader {
    /// Creates a reader for records without an enclosing object; an array around them is allowed.
    pub fn bare() -> Self {
        Self { place: START, part: EnvelopePart::Records(RecordSplitter::default()), bare: true }
    }

    /// Creates a reader for records somewhere in a text with an unexpected start.
    pub fn searching() -> Self {
        Self { place: START, part: EnvelopePart::Records(RecordSplitter::searching()), bare: true }
    }

    /// Creates a reader for records inside an object.
    pub fn object() -> Self {
        Self { place: START, part: EnvelopePart::Members(EnvelopeMembers::default()), bare: false }
    }

    /// Reads the next slice of text.
    pub fn push(&mut self, mut text: &str, handler: &mut dyn EnvelopeHandler) {
        while !text.is_empty() {
            text = match &mut self.part {
                EnvelopePart::Records(splitter) => {
                    let rest = splitter.push(text, handler);
                    if splitter.has_ended() {
                        self.place = splitter.end();
                        self.part =
                            EnvelopePart::Members(EnvelopeMembers { depth: 1, ..EnvelopeMembers::default() });
                    }
                    &text[text.len() - rest..]
                }
                EnvelopePart::Members(_) => self.members(text, handler),
                EnvelopePart::After { is_reported } => {
                    let rest = text.trim_start();
                    let blank = &text.as_bytes()[..text.len() - rest.len()];
                    self.place.offset += blank.len() as u64;
                    self.place.line += line_ends(blank);
                    match rest.bytes().next() {
                        Some(first) if !*is_reported && handler.after_end(first, self.place) => {
                            self.part = EnvelopePart::Members(EnvelopeMembers::default());
                            rest
                        }
                        more => {
                            *is_reported |= more.is_some();
                            ""
                        }
                    }
                }
            };
        }
    }

    /// Finishes the file. Returns the position of its end if the object is not closed.
    pub fn finish(&mut self, handler: &mut dyn EnvelopeHandler) -> Option<Place> {
        match &mut self.part {
            // A bare array need not be closed: some writers omit the bracket so that they can always append.
            EnvelopePart::Records(splitter) => {
                (splitter.finish(handler) && !self.bare).then(|| splitter.end())
            }
            EnvelopePart::Members(members) => (members.depth > 0).then_some(self.place),
            EnvelopePart::After { .. } => None,
        }
    }

    /// Reads the outer object until records begin or the object ends; returns the text from there on.
    fn members<'a>(&mut self, text: &'a str, handler: &mut dyn EnvelopeHandler) -> &'a str {
        let EnvelopePart::Members(members) = &mut self.part else { return text };
        for (at, byte) in text.bytes().enumerate() {
            let step = members.step(byte);
            if matches!(step, EnvelopeStep::Ends | EnvelopeStep::Closes) {
                members.hand_on(handler);
            }
            if step == EnvelopeStep::Begins {
                match handler.member(&members.key, byte, self.place) {
                    MemberUse::Nothing => {}
                    MemberUse::Text => members.value = Some((Vec::new(), self.place)),
                    MemberUse::Records => {
                        self.part = EnvelopePart::Records(RecordSplitter::within(self.place));
                        return &text[at..];
                    }
                }
            }
            members.enter(byte);
            self.place.offset += 1;
            self.place.line += u64::from(byte == b'\n');
            if step == EnvelopeStep::Closes {
                self.part = EnvelopePart::After { is_reported: false };
                return &text[at + 1..];
            }
        }
        ""
    }
}

const START: Place = Place { offset: 0, line: 1 };

impl EnvelopeMembers {
    fn step(&mut self, byte: u8) -> EnvelopeStep {
        if self.in_text {
            return EnvelopeStep::On;
        }
        if self.fresh && !byte.is_ascii_whitespace() {
            self.fresh = false;
            return EnvelopeStep::Begins;
        }
        match byte {
            b',' if self.depth == 1 => EnvelopeStep::Ends,
            b'}' | b']' if self.depth <= 1 => EnvelopeStep::Closes,
            _ => EnvelopeStep::On,
        }
    }

    /// Processes a byte.
    fn enter(&mut self, byte: u8) {
        if let Some((value, _)) = &mut self.value
            && value.len() < MAX_TEXT
        {
            value.push(byte);
        }
        if self.in_text {
            return self.text(byte);
        }
        match byte {
            b'"' => {
                self.in_text = true;
                self.latest.clear();
            }
            b':' if self.depth == 1 => {
                self.key = String::from_utf8_lossy(&std::mem::take(&mut self.latest)).into_owned();
                self.fresh = true;
            }
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }

    fn text(&mut self, byte: u8) {
        match byte {
            _ if std::mem::take(&mut self.escaped) => {}
            b'\\' => self.escaped = true,
            b'"' => self.in_text = false,
            _ if self.depth == 1 && self.latest.len() < KEY => self.latest.push(byte),
            _ => {}
        }
    }

    fn hand_on(&mut self, handler: &mut dyn EnvelopeHandler) {
        if let Some((value, place)) = self.value.take() {
            handler.text(&self.key, String::from_utf8_lossy(&value).trim_end(), place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen(Vec<String>);

    impl RecordHandler for Seen {
        fn try_read(&mut self, _: &str, _: Place) -> Option<(usize, u64)> {
            None
        }
        fn record(&mut self, text: &str, place: Place) {
            self.0.push(format!("record {} {text}", place.offset));
        }
        fn broken(&mut self, text: &str, place: Place) {
            self.0.push(format!("broken {} {text}", place.offset));
        }
        fn cut_off(&mut self, text: &str, place: Place) {
            self.0.push(format!("cut off {} {text}", place.offset));
        }
        fn stray(&mut self, text: &str, place: Place) {
            self.0.push(format!("stray {} {text}", place.offset));
        }
    }

    impl EnvelopeHandler for Seen {
        fn member(&mut self, key: &str, first: u8, _: Place) -> MemberUse {
            match key {
                "rows" if first == b'[' => MemberUse::Records,
                "skipped" => MemberUse::Nothing,
                _ => MemberUse::Text,
            }
        }
        fn text(&mut self, key: &str, value: &str, place: Place) {
            self.0.push(format!("{key} {} {value}", place.offset));
        }
        fn after_end(&mut self, first: u8, place: Place) -> bool {
            self.0.push(format!("after {}", place.offset));
            first == b'{'
        }
    }

    fn check(text: &str, expected: &[&str], end: Option<u64>) {
        for size in 1..=text.len() {
            let (mut reader, mut seen) = (EnvelopeReader::object(), Seen::default());
            for part in text.as_bytes().chunks(size) {
                reader.push(std::str::from_utf8(part).expect("ASCII"), &mut seen);
            }
            let found = reader.finish(&mut seen).map(|place| place.offset);
            assert_eq!(
                (seen.0.as_slice(), found),
                (&expected.iter().map(|s| (*s).to_owned()).collect::<Vec<_>>()[..], end),
                "{size}"
            );
        }
    }

    #[test]
    fn members_and_records() {
        let text =
            r#"{"a" : "x,}" ,"b":[1,{"c":","}],"rows":[{"d":1},{"e":2}],"skipped":{"rows":[{}]},"f":-1 }"#;
        let expected = [
            r#"a 7 "x,}""#,
            r#"b 18 [1,{"c":","}]"#,
            r#"record 40 {"d":1}"#,
            r#"record 48 {"e":2}"#,
            "f 85 -1",
        ];
        check(text, &expected, None);
        check(&format!("{text} {{}}"), &[&expected[..], &["after 90"]].concat(), None);
        check(
            r#"{"rows":[{"d":1}]} {"rows":[{"e":2}]} ["#,
            &[r#"record 9 {"d":1}"#, "after 19", r#"record 28 {"e":2}"#, "after 38"],
            None,
        );
        check(r#"{"rows":[{"d":1},{"#, &[r#"record 9 {"d":1}"#, "cut off 17 {"], None);
        check(r#"{"rows":[{"d":1}"#, &[r#"record 9 {"d":1}"#], Some(16));
        check(r#"{"rows":[{"d":1}],"a":1"#, &[r#"record 9 {"d":1}"#], Some(23));
        check(r#"{"rows":1}"#, &["rows 8 1"], None);
    }
}
