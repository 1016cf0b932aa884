//! Finds the records in a text of JSON objects in any framing: in an array, one per line, or one after the other;
//! compact or indented; split into slices at any position, damaged at any position.
//!
//! After a broken record, the next record begins at a `{` in the first column of a line, at a text that begins like a
//! valid record (`{"runId"`), or at a complete object with the resync key of the format. If the first record is broken,
//! the next one begins like it.

use std::borrow::Cow;

use super::object::members;
use super::scanner::{Scanner, Step};
use crate::base::bytes_eq;
use crate::import::contract::SNIPPET;
use crate::import::text::lines::Place;

/// Receives the records that a [`RecordSplitter`] finds.
pub trait RecordHandler {
    /// Reads the record at the start of `text` if it is complete, and returns its length and number of line ends.
    /// `text` continues after the record, or may end inside it.
    fn try_read(&mut self, text: &str, place: Place) -> Option<(usize, u64)>;
    /// Receives a complete record, valid except for the spelling of its values.
    fn record(&mut self, text: &str, place: Place);
    /// Receives a broken record, up to the position at which it becomes invalid.
    fn broken(&mut self, text: &str, place: Place);
    /// Receives a record that is cut off by the end of the file.
    fn cut_off(&mut self, text: &str, place: Place);
    /// Receives text between records.
    fn stray(&mut self, text: &str, place: Place);
    /// Returns a key that all records have but few nested objects. After damage, an object with this key is read as a
    /// record.
    fn resync_key(&self) -> Option<&'static str> {
        None
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
enum SplitterState {
    #[default]
    Between,
    /// In a record, whose text begins in `carry` or at the slice's `start`.
    Inside,
    /// In text that is not a record; `carry` holds its start.
    Stray,
    /// After a broken record or stray text, searching for the next record.
    Lost,
    /// After the array of records.
    Ended,
}

/// State of the splitter between two slices of one file.
#[derive(Default)]
pub struct RecordSplitter {
    state: SplitterState,
    scanner: Scanner,
    /// Text kept from previous slices: an unfinished record, stray text, or text that may begin a record.
    carry: String,
    /// Position of the record or stray text in `carry`.
    begin: LineMark,
    /// Position in the file up to which text has been read.
    end: LineMark,
    /// Starts of valid records, up to the end of the first key: most writers use only one or two.
    openings: Vec<String>,
    /// Number of open arrays around the records.
    brackets: i64,
    /// Whether the records end with their enclosing array.
    within: bool,
    /// Number of bytes that were scanned again after an error.
    rescanned: u64,
    /// Number of bytes after the array of records, in the most recent slice.
    rest: usize,
}

/// A position in the file, and whether it is the start of a line.
#[derive(Clone, Copy)]
struct LineMark {
    place: Place,
    line_start: bool,
}

impl Default for LineMark {
    fn default() -> Self {
        Self { place: Place { offset: 0, line: 1 }, line_start: true }
    }
}

/// Number of bytes that may be scanned a second time after errors, in addition to four times the bytes read so far.
/// Beyond this limit, broken records are not searched for the start of another record.
const MAX_RESCANNED: u64 = 8 << 20;
/// Maximum number of bytes kept of stray text: enough for the characters that a report quotes.
const QUOTED: usize = 4 * SNIPPET;
/// Maximum length of an object that is searched for the [resync key](RecordHandler::resync_key), in bytes.
const MAX_RESYNC_RECORD: usize = 16 << 10;
/// Maximum length of a learned opening, in bytes.
const MAX_OPENING: usize = 256;
/// Maximum number of learned openings.
const MAX_OPENINGS: usize = 16;

/// The text that is being split, and the current position in it.
struct SplitterSlice<'a> {
    text: &'a str,
    at: usize,
    /// Start of the current record, unless it is in `carry`.
    start: usize,
    /// File position of `text[counted]`.
    mark: LineMark,
    counted: usize,
}

impl SplitterSlice<'_> {
    fn byte(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &str {
        // Positions are always next to an ASCII byte, so this never uses the fallback.
        self.text.get(self.at..).unwrap_or("")
    }

    /// Returns the current position in the file. Counts line ends from the position that the previous call returned.
    #[inline]
    fn mark(&mut self) -> LineMark {
        let passed = &self.text.as_bytes()[self.counted..self.at];
        if let Some(last) = passed.last() {
            self.mark.line_start = *last == b'\n';
        }
        self.mark.place.line += line_ends(passed);
        self.mark.place.offset += passed.len() as u64;
        self.counted = self.at;
        self.mark
    }

    /// Skips a record of this length that contains `line_ends` line ends, which need not be counted again.
    #[inline]
    fn pass(&mut self, length: usize, line_ends: u64) {
        self.at += length;
        self.counted += length;
        self.mark.place.offset += length as u64;
        self.mark.place.line += line_ends;
        self.mark.line_start = false;
    }

    fn at_line_start(&self) -> bool {
        match self.text.as_bytes()[self.counted..self.at].last() {
            Some(before) => *before == b'\n',
            None => self.mark.line_start,
        }
    }
}

/// Counts line ends. Between records there is usually a byte or two, for which calling memchr costs more than it saves.
#[inline]
pub(super) fn line_ends(passed: &[u8]) -> u64 {
    if passed.len() < 16 {
        passed.iter().map(|&byte| u64::from(byte == b'\n')).sum()
    } else {
        memchr::memchr_iter(b'\n', passed).count() as u64
    }
}

impl RecordSplitter {
    /// Creates a splitter for records that begin at `place` of the file.
    pub fn starting_at(place: Place) -> Self {
        Self { end: LineMark { place, line_start: false }, ..Self::default() }
    }

    /// Creates a splitter for records somewhere in a text with an unexpected start.
    pub fn searching() -> Self {
        let end = LineMark { line_start: false, ..LineMark::default() };
        Self { state: SplitterState::Lost, end, ..Self::default() }
    }

    /// Creates a splitter for an array of records that begins at `place` of the file, without the text after it.
    pub fn within(place: Place) -> Self {
        Self { end: LineMark { place, line_start: false }, within: true, ..Self::default() }
    }

    /// Reads the next slice. Returns the number of bytes left to the caller after the array: see [`RecordSplitter::within`].
    pub fn push(&mut self, text: &str, handler: &mut dyn RecordHandler) -> usize {
        self.push_to(text, handler)
    }

    /// Like `push`, but compiled for one type of handler: faster, with more code.
    pub fn push_to<S: RecordHandler + ?Sized>(&mut self, text: &str, handler: &mut S) -> usize {
        let mut text = Cow::Borrowed(text);
        let mut at = 0;
        if self.state == SplitterState::Lost && !self.carry.is_empty() {
            text = Cow::Owned(std::mem::take(&mut self.carry) + &text);
        }
        // Runs at most twice: a record that began in an earlier slice and is broken in this one is scanned again as a whole.
        while let Some(again) = self.run(&text, at, handler) {
            text = Cow::Owned(again);
            at = 1;
        }
        std::mem::take(&mut self.rest)
    }

    /// Whether the array of records has ended.
    pub fn has_ended(&self) -> bool {
        self.state == SplitterState::Ended
    }

    /// Finishes the file. Returns whether it ends inside an array, but not inside a record.
    pub fn finish(&mut self, handler: &mut dyn RecordHandler) -> bool {
        match self.state {
            SplitterState::Inside => handler.cut_off(&self.carry, self.begin.place),
            SplitterState::Lost if !self.carry.is_empty() => handler.cut_off(&self.carry, self.end.place),
            SplitterState::Stray => {
                handler.stray(&self.carry, self.begin.place);
                return self.brackets > 0;
            }
            _ => return self.brackets > 0,
        }
        false
    }

    /// Position of the end of the text read so far.
    pub fn end(&self) -> Place {
        self.end.place
    }

    fn run<S: RecordHandler + ?Sized>(&mut self, text: &str, at: usize, handler: &mut S) -> Option<String> {
        let mut slice = SplitterSlice { text, at, start: 0, mark: self.end, counted: 0 };
        while slice.at < text.len() {
            match self.state {
                SplitterState::Between => self.between(&mut slice, handler),
                SplitterState::Inside => {
                    let again = self.inside(&mut slice, handler);
                    if again.is_some() {
                        return again;
                    }
                }
                SplitterState::Stray => self.stray(&mut slice, handler),
                SplitterState::Lost => {
                    if !self.lost(&mut slice, handler.resync_key()) {
                        return None;
                    }
                }
                SplitterState::Ended => {
                    self.rest = text.len() - slice.at;
                    break;
                }
            }
        }
        self.end = slice.mark();
        None
    }

    fn between<S: RecordHandler + ?Sized>(&mut self, slice: &mut SplitterSlice, handler: &mut S) {
        match slice.byte() {
            Some(b'{') => return self.begin(slice, handler),
            Some(b'[') => self.brackets += 1,
            Some(b']') => {
                self.brackets -= 1;
                if self.brackets <= 0 && self.within {
                    self.state = SplitterState::Ended;
                }
            }
            // Also allows the record separator of RFC 7464, and zeros of a padded file.
            Some(b',' | b' ' | b'\t' | b'\r' | b'\n' | 0x1E | 0) => {}
            _ => {
                self.begin = slice.mark();
                self.state = SplitterState::Stray;
                return;
            }
        }
        slice.at += 1;
    }

    /// Collects text that is not a record, as far as a report quotes it.
    #[inline(never)]
    fn stray<S: RecordHandler + ?Sized>(&mut self, slice: &mut SplitterSlice, handler: &mut S) {
        let rest = slice.rest();
        let end = rest.bytes().position(|byte| matches!(byte, b'\n' | b'{' | b',' | b']'));
        let part = &rest[..end.unwrap_or(rest.len())];
        self.carry.push_str(part);
        let separator = rest.as_bytes().get(part.len()).copied().filter(|end| matches!(end, b',' | b']'));
        slice.at += part.len();
        // Values other than records do not end an array.
        let is_value = separator.is_some() && is_scalar(self.carry.trim_end());
        if let Some(separator) = separator.filter(|_| !is_value) {
            self.carry.push(separator.into());
            slice.at += 1;
        }
        if is_value || end.is_some() && separator.is_none() || self.carry.len() >= QUOTED {
            handler.stray(&self.carry, self.begin.place);
            self.carry.clear();
            self.state = if is_value { SplitterState::Between } else { SplitterState::Lost };
        }
    }

    fn begin<S: RecordHandler + ?Sized>(&mut self, slice: &mut SplitterSlice, handler: &mut S) {
        let begin = slice.mark();
        if let Some((length, line_ends)) = handler.try_read(slice.rest(), begin.place) {
            self.learn_opening(&slice.rest()[..length]);
            return slice.pass(length, line_ends);
        }
        self.scanner.reset();
        self.state = SplitterState::Inside;
        self.begin = begin;
        slice.start = slice.at;
    }

    /// Continues the current record. Returns a text that must be scanned again from its second byte.
    #[inline(never)]
    fn inside<S: RecordHandler + ?Sized>(
        &mut self,
        slice: &mut SplitterSlice,
        handler: &mut S,
    ) -> Option<String> {
        match self.scanner.feed(&slice.text.as_bytes()[slice.at..]) {
            Step::More => {
                self.carry.push_str(&slice.text[slice.start..]);
                slice.at = slice.text.len();
                None
            }
            Step::End(length) => {
                slice.at += length;
                let record = self.open_record(slice);
                self.learn_opening(&record);
                handler.record(&record, self.begin.place);
                self.state = SplitterState::Between;
                None
            }
            Step::Error(length) => {
                slice.at += length;
                let record = self.open_record(slice);
                if self.openings.is_empty() {
                    self.learn_opening(&record);
                }
                handler.broken(&record, self.begin.place);
                self.state = SplitterState::Lost;
                self.rescanned += record.len() as u64;
                if self.rescanned > MAX_RESCANNED + 4 * self.begin.place.offset {
                    return None;
                }
                if let Cow::Owned(mut again) = record {
                    again.push_str(slice.rest());
                    self.end = self.begin;
                    return Some(again);
                }
                slice.at = slice.start + 1;
                None
            }
        }
    }

    /// Returns the text of the current record, up to the slice's position.
    fn open_record<'a>(&mut self, slice: &SplitterSlice<'a>) -> Cow<'a, str> {
        let part = slice.text.get(slice.start..slice.at).unwrap_or("");
        if self.carry.is_empty() {
            Cow::Borrowed(part)
        } else {
            Cow::Owned(std::mem::take(&mut self.carry) + part)
        }
    }

    #[inline]
    fn learn_opening(&mut self, record: &str) {
        let known = |opening: &String| {
            let begin = record.as_bytes().get(..opening.len());
            begin.is_some_and(|begin| bytes_eq::equal(begin, opening.as_bytes()))
        };
        if !self.openings.iter().any(known) {
            self.add_opening(record);
        }
    }

    #[cold]
    fn add_opening(&mut self, record: &str) {
        let mut quotes = memchr::memchr_iter(b'"', record.as_bytes());
        if let Some(end) = quotes.nth(1).filter(|&end| end < MAX_OPENING)
            && self.openings.len() < MAX_OPENINGS
        {
            self.openings.push(record[..=end].to_owned());
        }
    }

    /// Moves to the next text that may begin a record. Returns whether there is more to read in the slice.
    #[inline(never)]
    fn lost(&mut self, slice: &mut SplitterSlice, resync_key: Option<&str>) -> bool {
        while let Some(found) = memchr::memchr(b'{', &slice.text.as_bytes()[slice.at..]) {
            slice.at += found;
            let rest = slice.rest();
            let begins =
                slice.at_line_start() || self.openings.iter().any(|opening| rest.starts_with(opening));
            let is_record = if begins { Some(true) } else { self.has_resync_key(rest, resync_key) };
            if is_record == Some(true) {
                self.state = SplitterState::Between;
                return true;
            }
            if is_record.is_none() || self.openings.iter().any(|opening| opening.starts_with(rest)) {
                self.carry = rest.to_owned();
                self.end = slice.mark();
                return false;
            }
            slice.at += 1;
        }
        slice.at = slice.text.len();
        true
    }

    /// Whether the object at the start of `rest` has the resync key; `None` if its end is not available yet.
    fn has_resync_key(&mut self, rest: &str, resync_key: Option<&str>) -> Option<bool> {
        let Some(resync_key) =
            resync_key.filter(|_| self.rescanned <= MAX_RESCANNED + 4 * self.begin.place.offset)
        else {
            return Some(false);
        };
        self.scanner.reset();
        let (length, has_key) = match self.scanner.feed(&rest.as_bytes()[..rest.len().min(MAX_RESYNC_RECORD)])
        {
            Step::End(length) => {
                let mut members = members(&rest[..length]).into_iter().flatten();
                (length, members.any(|member| member.key == resync_key))
            }
            Step::Error(length) => (length, false),
            Step::More if rest.len() < MAX_RESYNC_RECORD => return None,
            Step::More => (MAX_RESYNC_RECORD, false),
        };
        self.rescanned += length as u64;
        Some(has_key)
    }
}

/// Whether a text is a value other than an array or object. A string is recognised by its quotes alone.
fn is_scalar(text: &str) -> bool {
    match text.as_bytes() {
        [b'"', inner @ .., b'"'] => !inner.contains(&b'"'),
        _ => matches!(text, "null" | "true" | "false") || text.parse::<f64>().is_ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Default)]
    struct Seen(Vec<String>);

    impl Seen {
        fn add(&mut self, what: &str, text: &str, place: Place) {
            self.0.push(format!("{what} {}:{} {}", place.line, place.offset, text.replace('\n', "~")));
        }
    }

    impl RecordHandler for Seen {
        fn try_read(&mut self, _: &str, _: Place) -> Option<(usize, u64)> {
            None
        }
        fn record(&mut self, text: &str, place: Place) {
            self.add("record", text, place);
        }
        fn broken(&mut self, text: &str, place: Place) {
            self.add("broken", text, place);
        }
        fn cut_off(&mut self, text: &str, place: Place) {
            self.add("cut off", text, place);
        }
        fn stray(&mut self, text: &str, place: Place) {
            self.add("stray", text, place);
        }
        fn resync_key(&self) -> Option<&'static str> {
            Some("ph")
        }
    }

    fn check(text: &str, expected: &[&str], open: bool) {
        for size in 1..=text.len().max(1) {
            let (mut splitter, mut seen) = (RecordSplitter::default(), Seen::default());
            for slice in text.as_bytes().chunks(size) {
                splitter.push(std::str::from_utf8(slice).expect("ASCII"), &mut seen);
            }
            let left_open = splitter.finish(&mut seen);
            assert_eq!((seen.0.as_slice(), left_open), (&expected.map_owned()[..], open), "slices of {size}");
        }
    }

    trait MapOwned {
        fn map_owned(&self) -> Vec<String>;
    }

    impl MapOwned for &[&str] {
        fn map_owned(&self) -> Vec<String> {
            self.iter().map(|s| (*s).to_owned()).collect()
        }
    }

    #[test]
    fn any_framing() {
        check("", &[], false);
        check("[]", &[], false);
        check(r#"[{"a":1}, {"a":2}]"#, &[r#"record 1:1 {"a":1}"#, r#"record 1:10 {"a":2}"#], false);
        check("{\"a\":1}\n{\"a\":2}\n", &[r#"record 1:0 {"a":1}"#, r#"record 2:8 {"a":2}"#], false);
        check(r#"{"a":1}{"a":2}"#, &[r#"record 1:0 {"a":1}"#, r#"record 1:7 {"a":2}"#], false);
        check("[\n  {\n \"a\": {}\n  }\n]", &["record 2:4 {~ \"a\": {}~  }"], false);
    }

    #[test]
    fn cut_off() {
        check(r#"[{"a":1}, {"a""#, &[r#"record 1:1 {"a":1}"#, r#"cut off 1:10 {"a""#], false);
        check(r#"[{"a":1},"#, &[r#"record 1:1 {"a":1}"#], true);
    }

    #[test]
    fn broken_records_lose_only_themselves() {
        let lines = "{\"a\":1}\n{\"a\":[2\n{\"a\":3}\n{\"a\":\"4\n{\"a\":5}";
        let expected = [
            r#"record 1:0 {"a":1}"#,
            r#"broken 2:8 {"a":[2~"#,
            r#"record 3:16 {"a":3}"#,
            r#"broken 4:24 {"a":"4"#,
            r#"record 5:32 {"a":5}"#,
        ];
        check(lines, &expected, false);
        let array = r#"[{"a":1},{"a":"2},{"a":3},{"a":4}]"#;
        let expected = [
            r#"record 1:1 {"a":1}"#,
            r#"broken 1:9 {"a":"2},{""#,
            r#"record 1:18 {"a":3}"#,
            r#"record 1:26 {"a":4}"#,
        ];
        check(array, &expected, false);
        // Records on one line that begin in several ways.
        check(
            r#"[{"a":1},{"b":1},{"a":[2},{"b":3},{"a":4}]"#,
            &[
                r#"record 1:1 {"a":1}"#,
                r#"record 1:9 {"b":1}"#,
                r#"broken 1:17 {"a":[2"#,
                r#"record 1:26 {"b":3}"#,
                r#"record 1:34 {"a":4}"#,
            ],
            false,
        );
        check(
            "{\"a\":1}\nnoise {1}\n{\"a\":2}",
            &["record 1:0 {\"a\":1}", "stray 2:8 noise ", "record 3:18 {\"a\":2}"],
            false,
        );
    }

    #[test]
    fn records_are_known_by_a_key_that_only_they_have() {
        // The first record is broken and the others begin in other ways; objects inside a record are not records.
        check(
            r#"[{"b:"a","ph":1},{"c":{"d":1},"ph":2},{"ph":3,"l":[{"x:1},{"x":2}]},{"l":[{"x":3}],"ph":4}]"#,
            &[
                r#"broken 1:1 {"b:""#,
                r#"record 1:17 {"c":{"d":1},"ph":2}"#,
                r#"broken 1:38 {"ph":3,"l":[{"x:1},{""#,
                r#"record 1:68 {"l":[{"x":3}],"ph":4}"#,
            ],
            false,
        );
        check(
            r#"[{"b:"a","ph":1},{"c":{"d":1},"ph"#,
            &[r#"broken 1:1 {"b:""#, r#"cut off 1:17 {"c":{"d":1},"ph"#],
            false,
        );
    }

    #[test]
    fn values_in_an_array_of_records_do_not_end_it() {
        check(
            r#"[1,{"a":1}, null ,{"b":2},"x, ]",-1e3]"#,
            &[
                "stray 1:1 1",
                r#"record 1:3 {"a":1}"#,
                "stray 1:12 null ",
                r#"record 1:18 {"b":2}"#,
                r#"stray 1:26 "x, ]""#,
                "stray 1:33 -1e3",
            ],
            false,
        );
    }

    #[test]
    fn records_are_found_in_other_text() {
        let text = r#"{"traceEvent3":[{"ph":1},{"ph":2}],"other":{"x":[{"y":1}]}}"#;
        for size in 1..text.len() {
            let (mut splitter, mut seen) = (RecordSplitter::searching(), Seen::default());
            for slice in text.as_bytes().chunks(size) {
                splitter.push(std::str::from_utf8(slice).expect("ASCII"), &mut seen);
            }
            splitter.finish(&mut seen);
            let expected = [r#"record 1:16 {"ph":1}"#, r#"record 1:25 {"ph":2}"#, r#"stray 1:35 "other":"#]
                .map(str::to_owned);
            assert_eq!(seen.0, expected, "slices of {size}");
        }
    }

    #[test]
    fn errors_within_errors_take_linear_time() {
        let nested = "{\"a\":1}\n".to_owned() + &"{\"a\":[1,".repeat(200_000) + "!";
        let (mut splitter, mut seen) = (RecordSplitter::default(), Seen::default());
        splitter.push(&nested, &mut seen);
        splitter.finish(&mut seen);
        assert!(seen.0.len() > 1);
    }
}
