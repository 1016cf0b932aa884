//! The object around the records of a file: its members one by one, whichever of them is an array of records.

use super::frames::{Frames, Sink, line_ends};
use crate::import::text::lines::Place;

/// Who is told of the members of the outer object.
pub trait Whole: Sink {
    /// What is wanted of a member whose value begins with the byte `first` at `place`.
    fn member(&mut self, key: &str, first: u8, place: Place) -> Take;
    /// The value of a member that was asked for as text.
    fn text(&mut self, _key: &str, _value: &str, _place: Place) {}
    /// There is more behind the end of the object, which begins with the byte `first`. Whether it is another object of the
    /// same kind.
    fn behind(&mut self, first: u8, place: Place) -> bool;
}

/// What is wanted of a member.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Take {
    /// Nothing.
    Nothing,
    /// Its value as it stands, up to [`MAX_TEXT`] bytes.
    Text,
    /// The objects of its array as records. Only for a value that begins with `[`.
    Records,
}

/// Bytes of a value that are gathered; a longer one is handed on as its start.
pub const MAX_TEXT: usize = 1 << 20;
/// Bytes of a key that are told apart.
const KEY: usize = 64;

/// The state between two slices of one file.
pub struct Outer {
    place: Place,
    part: OuterPart,
    /// Whether there is no object around the records.
    bare: bool,
}

enum OuterPart {
    Records(Frames),
    Members(OuterMembers),
    /// Behind the object.
    Behind {
        told: bool,
    },
}

/// The members of the outer object: found byte by byte, because nearly nothing in them is kept.
#[derive(Default)]
struct OuterMembers {
    depth: u32,
    in_text: bool,
    escaped: bool,
    /// The latest string of the outer object: a key if a colon follows.
    latest: Vec<u8>,
    /// The member whose value comes, and whether nothing of the value has come yet.
    key: String,
    fresh: bool,
    /// The value that is gathered.
    value: Option<(Vec<u8>, Place)>,
}

/// What the next byte of the outer object is.
#[derive(PartialEq, Eq)]
enum OuterStep {
    On,
    /// The value of a member begins with it.
    Begins,
    /// It is behind the value of a member.
    Ends,
    /// The object ends with it.
    Closes,
}

impl Outer {
    /// For records with nothing around them, or only an array.
    pub fn bare() -> Self {
        Self { place: START, part: OuterPart::Records(Frames::default()), bare: true }
    }

    /// For records somewhere in a text that does not begin as it should.
    pub fn searching() -> Self {
        Self { place: START, part: OuterPart::Records(Frames::searching()), bare: true }
    }

    /// For records in an object.
    pub fn object() -> Self {
        Self { place: START, part: OuterPart::Members(OuterMembers::default()), bare: false }
    }

    /// The next text.
    pub fn push(&mut self, mut text: &str, whole: &mut dyn Whole) {
        while !text.is_empty() {
            text = match &mut self.part {
                OuterPart::Records(frames) => {
                    let behind = frames.push(text, whole);
                    if frames.has_ended() {
                        self.place = frames.end();
                        self.part = OuterPart::Members(OuterMembers { depth: 1, ..OuterMembers::default() });
                    }
                    &text[text.len() - behind..]
                }
                OuterPart::Members(_) => self.members(text, whole),
                OuterPart::Behind { told } => {
                    let rest = text.trim_start();
                    let blank = &text.as_bytes()[..text.len() - rest.len()];
                    self.place.offset += blank.len() as u64;
                    self.place.line += line_ends(blank);
                    match rest.bytes().next() {
                        Some(first) if !*told && whole.behind(first, self.place) => {
                            self.part = OuterPart::Members(OuterMembers::default());
                            rest
                        }
                        more => {
                            *told |= more.is_some();
                            ""
                        }
                    }
                }
            };
        }
    }

    /// The file ends. Where, if that is before the object does.
    pub fn finish(&mut self, whole: &mut dyn Whole) -> Option<Place> {
        match &mut self.part {
            // A bare array need not be closed: writers leave that out, so that they can always append.
            OuterPart::Records(frames) => (frames.finish(whole) && !self.bare).then(|| frames.end()),
            OuterPart::Members(members) => (members.depth > 0).then_some(self.place),
            OuterPart::Behind { .. } => None,
        }
    }

    /// Goes on in the outer object; what is left belongs to the next part.
    fn members<'a>(&mut self, text: &'a str, whole: &mut dyn Whole) -> &'a str {
        let OuterPart::Members(members) = &mut self.part else { return text };
        for (at, byte) in text.bytes().enumerate() {
            let step = members.step(byte);
            if matches!(step, OuterStep::Ends | OuterStep::Closes) {
                members.hand_on(whole);
            }
            if step == OuterStep::Begins {
                match whole.member(&members.key, byte, self.place) {
                    Take::Nothing => {}
                    Take::Text => members.value = Some((Vec::new(), self.place)),
                    Take::Records => {
                        self.part = OuterPart::Records(Frames::within(self.place));
                        return &text[at..];
                    }
                }
            }
            members.enter(byte);
            self.place.offset += 1;
            self.place.line += u64::from(byte == b'\n');
            if step == OuterStep::Closes {
                self.part = OuterPart::Behind { told: false };
                return &text[at + 1..];
            }
        }
        ""
    }
}

const START: Place = Place { offset: 0, line: 1 };

impl OuterMembers {
    fn step(&mut self, byte: u8) -> OuterStep {
        if self.in_text {
            return OuterStep::On;
        }
        if self.fresh && !byte.is_ascii_whitespace() {
            self.fresh = false;
            return OuterStep::Begins;
        }
        match byte {
            b',' if self.depth == 1 => OuterStep::Ends,
            b'}' | b']' if self.depth <= 1 => OuterStep::Closes,
            _ => OuterStep::On,
        }
    }

    /// Goes past a byte.
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

    fn hand_on(&mut self, whole: &mut dyn Whole) {
        if let Some((value, place)) = self.value.take() {
            whole.text(&self.key, String::from_utf8_lossy(&value).trim_end(), place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen(Vec<String>);

    impl Sink for Seen {
        fn quick(&mut self, _: &str, _: Place) -> Option<(usize, u64)> {
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

    impl Whole for Seen {
        fn member(&mut self, key: &str, first: u8, _: Place) -> Take {
            match key {
                "rows" if first == b'[' => Take::Records,
                "skipped" => Take::Nothing,
                _ => Take::Text,
            }
        }
        fn text(&mut self, key: &str, value: &str, place: Place) {
            self.0.push(format!("{key} {} {value}", place.offset));
        }
        fn behind(&mut self, first: u8, place: Place) -> bool {
            self.0.push(format!("behind {}", place.offset));
            first == b'{'
        }
    }

    fn check(text: &str, expected: &[&str], end: Option<u64>) {
        for size in 1..=text.len() {
            let (mut outer, mut seen) = (Outer::object(), Seen::default());
            for part in text.as_bytes().chunks(size) {
                outer.push(std::str::from_utf8(part).expect("ASCII"), &mut seen);
            }
            let found = outer.finish(&mut seen).map(|place| place.offset);
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
        check(&format!("{text} {{}}"), &[&expected[..], &["behind 90"]].concat(), None);
        check(
            r#"{"rows":[{"d":1}]} {"rows":[{"e":2}]} ["#,
            &[r#"record 9 {"d":1}"#, "behind 19", r#"record 28 {"e":2}"#, "behind 38"],
            None,
        );
        check(r#"{"rows":[{"d":1},{"#, &[r#"record 9 {"d":1}"#, "cut off 17 {"], None);
        check(r#"{"rows":[{"d":1}"#, &[r#"record 9 {"d":1}"#], Some(16));
        check(r#"{"rows":[{"d":1}],"a":1"#, &[r#"record 9 {"d":1}"#], Some(23));
        check(r#"{"rows":1}"#, &["rows 8 1"], None);
    }
}
