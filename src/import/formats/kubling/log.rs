//! Events as YAML between the lines of an application log (the console collector with `printToLogger`).
//!
//! ```text
//! 04-11-2025 11:35:19.469 INFO  - [PERF] ---      an event begins: a line that ends in `---`, or has a key after
//! runId: "no-buffer"                              the log's own prefix
//! …
//! 04-11-2025 11:35:19.470 INFO  - [CORE] text     any line that cannot be YAML ends it; other lines are counted
//! ```
//! An event of plain `key: value` lines, which nearly all are, is read directly; any other goes to a YAML parser.

use std::borrow::Cow;

use super::KublingEventSink;
use super::record::{self, KublingValue, RecordDraft};
use super::schema::slot_of;
use crate::import::contract::{Field, Input};
use crate::import::text::lines::{Lines, Place};

/// A log file.
#[derive(Default)]
pub struct KublingLogFile {
    lines: Lines,
    block: YamlEventBlock,
}

/// An event whose lines are being collected.
#[derive(Default)]
struct YamlEventBlock {
    open: bool,
    /// Position of the first line of YAML.
    place: Place,
    text: String,
    lines: u64,
    /// Number of blank lines at the end, which belong to the event only if an indented line follows.
    blank: u64,
}

impl KublingLogFile {
    /// Reads the next part of the text.
    pub fn push(&mut self, text: &str, events: &mut KublingEventSink, input: &mut Input) {
        let block = &mut self.block;
        self.lines.push(text, |line, place| block.line(line, place, events, input));
    }

    /// Finishes reading at the end of the file.
    pub fn finish(&mut self, events: &mut KublingEventSink, input: &mut Input) {
        let block = &mut self.block;
        let mut last = None;
        self.lines.finish(|line, place| {
            block.line(line, place, events, input);
            last = Some(line.to_owned());
        });
        // A file without a final line end may have been cut inside its last value.
        let cut = last.is_some_and(|line| !is_whole(&line));
        block.end(cut, events, input);
    }
}

impl YamlEventBlock {
    fn line(&mut self, line: &str, place: Place, events: &mut KublingEventSink, input: &mut Input) {
        if self.open {
            if self.belongs(line) {
                return self.append(line, place);
            }
            self.end(false, events, input);
        }
        match opening(line) {
            Some(at) => {
                *self = Self { open: true, ..Self::default() };
                if at < line.len() {
                    self.append(&line[at..], Place { offset: place.offset + at as u64, ..place });
                }
            }
            None => *input.other_lines += 1,
        }
    }

    fn belongs(&self, line: &str) -> bool {
        if line.trim().is_empty() {
            return !self.text.is_empty();
        }
        // After a blank line, only an indented line continues the event (a block scalar); a key begins a new event.
        let indented = line.starts_with([' ', '\t']) && !self.text.is_empty();
        indented || (self.blank == 0 && key_end(line).is_some())
    }

    fn append(&mut self, line: &str, place: Place) {
        if line.trim().is_empty() {
            self.blank += 1;
            return;
        }
        if self.text.is_empty() {
            self.place = place;
        }
        for _ in 0..std::mem::take(&mut self.blank) {
            self.text.push('\n');
        }
        self.text.push_str(line);
        self.text.push('\n');
        self.lines += 1;
    }

    fn end(&mut self, cut: bool, events: &mut KublingEventSink, input: &mut Input) {
        let block = std::mem::take(self);
        if !block.open {
            return;
        }
        let text = block.text.trim_end();
        if cut {
            return input.lose(record::CUT_OFF, block.place, text);
        }
        let Ok(values) = values(text) else { return input.lose(record::BROKEN, block.place, text) };
        if !values.iter().any(|(key, _)| slot_of(key).is_some()) {
            // The YAML is not an event.
            *input.other_lines += block.lines + 1;
            return;
        }
        let draft = RecordDraft::read(values.into_iter().map(|(key, value)| (key.into(), value)));
        events.add(&draft.record(), text, block.place, input);
    }
}

/// Position of the YAML in a line that opens an event; the line's length if the YAML begins in the next line.
fn opening(line: &str) -> Option<usize> {
    let text = line.trim_end();
    if let Some(before) = text.strip_suffix("---") {
        // A rule of dashes opens no event.
        return (!before.ends_with('-')).then_some(line.len());
    }
    let keys = ["runId:", "queryId:", "vdbName:", "vdbVersion:", "timestamp:", "type:"];
    let at = keys.iter().filter_map(|key| line.find(key)).min()?;
    let before = line[..at].trim_end();
    // The key must be at the start of the line, or right after the prefix of a log line.
    (at == 0 || before.ends_with([']', '-', ':', '>'])).then_some(at)
}

/// Position of the colon after the key of a `key: value` line; `None` if the line has no key.
fn key_end(line: &str) -> Option<usize> {
    let end = line.find(':')?;
    let name = &line[..end];
    let word = name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let ends = line[end + 1..].is_empty() || line[end + 1..].starts_with([' ', '\t']);
    (word && starts && ends).then_some(end)
}

/// Whether the last line of a file without a final line end may be complete.
fn is_whole(line: &str) -> bool {
    let Some(end) = key_end(line) else { return !line.starts_with([' ', '\t']) };
    let value = line[end + 1..].trim();
    match value.as_bytes() {
        [] => false,
        [quote @ (b'"' | b'\''), .., last] => quote == last,
        [b'"' | b'\''] => false,
        _ => true,
    }
}

/// Whether the lines of a text look like an application log, with or without events.
pub fn looks_like_log(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim_end);
    lines.clone().take(64).any(has_prefix) || lines.any(|line| line.starts_with("runId:"))
}

/// Whether a line begins like `04-11-2025 11:35:19.469 INFO  - [CORE] text`.
fn has_prefix(line: &str) -> bool {
    let pattern = b"00-00-0000 00:00:00";
    let matches =
        |(wanted, found): (&u8, &u8)| if *wanted == b'0' { found.is_ascii_digit() } else { wanted == found };
    line.len() > pattern.len() && pattern.iter().zip(line.as_bytes()).all(matches) && line.contains(" - [")
}

/// Value of a scalar without quotes: null by YAML's core schema; other types follow from the event schema.
fn plain(text: Cow<'_, str>) -> KublingValue<'_> {
    let is_null = matches!(&*text, "" | "~" | "null" | "Null" | "NULL");
    if is_null { KublingValue::Null } else { KublingValue::Plain(text) }
}

/// Keys and values of an event.
type YamlMembers<'a> = Vec<(String, KublingValue<'a>)>;

/// Keys and values of an event; an error if the text is not a YAML mapping.
fn values(text: &str) -> Result<YamlMembers<'_>, String> {
    let direct: Option<Vec<_>> = text.lines().map(direct).collect();
    direct.map_or_else(|| parsed(text), Ok)
}

/// Key and value of a simple line; `None` if it needs the YAML parser.
fn direct(line: &str) -> Option<(String, KublingValue<'_>)> {
    let end = key_end(line)?;
    let value = line[end + 1..].trim();
    let quoted = |quote: char| value.strip_prefix(quote)?.strip_suffix(quote);
    let scalar = if let Some(text) = quoted('"').filter(|t| !t.contains(['"', '\\'])) {
        KublingValue::Text(text.into())
    } else if let Some(text) = quoted('\'').filter(|t| !t.contains('\'')) {
        KublingValue::Text(text.into())
    } else if value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'/'))
        || value.strip_prefix('-').is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    {
        plain(value.into())
    } else {
        return None;
    };
    // An empty value may continue on the next lines.
    (!value.is_empty()).then(|| (line[..end].to_owned(), scalar))
}

/// Parses the top level of a YAML mapping; the contents of nested values are not kept.
fn parsed(text: &str) -> Result<YamlMembers<'_>, String> {
    use saphyr_parser::{Event, Parser, ScalarStyle};
    let mut values = Vec::new();
    let mut key = None;
    let mut depth = 0_usize;
    for event in Parser::new_from_str(text) {
        let (event, _) = event.map_err(|error| error.to_string())?;
        let scalar = match event {
            Event::Scalar(text, ScalarStyle::Plain, ..) => plain(text),
            Event::Scalar(text, ..) => KublingValue::Text(text),
            Event::Alias(_) => KublingValue::Nested,
            Event::MappingStart(..) | Event::SequenceStart(..) => {
                depth += 1;
                continue;
            }
            Event::MappingEnd | Event::SequenceEnd => {
                depth -= 1;
                if depth != 1 {
                    continue;
                }
                KublingValue::Nested
            }
            _ => continue,
        };
        if depth != 1 {
            continue;
        }
        match (key.take(), scalar) {
            (Some(key), scalar) => values.push((key, scalar)),
            (None, KublingValue::Plain(name) | KublingValue::Text(name)) => key = Some(name.into_owned()),
            (None, _) => return Err("a key that is no text".to_owned()),
        }
    }
    if values.is_empty() { Err("no mapping".to_owned()) } else { Ok(values) }
}

/// Fields of an event, to show its record.
pub fn fields(text: &str) -> Vec<Field> {
    let values = values(text.trim_end()).unwrap_or_default();
    let shown = |scalar| match scalar {
        KublingValue::Null => "null".to_owned(),
        KublingValue::Text(text) | KublingValue::Plain(text) => text.into_owned(),
        KublingValue::Nested => "…".to_owned(),
    };
    values.into_iter().map(|(name, scalar)| Field { name, value: shown(scalar) }).collect()
}
