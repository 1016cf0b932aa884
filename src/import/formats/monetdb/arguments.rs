//! The arguments of an instruction, as they stand in `args`, or in `ret` and `arg`: a list of flat objects, which are
//! compared with earlier ones.

use std::borrow::Cow;

use super::keys::argument::{CONST, COUNT, NAME, RET, SIZE, TYPE, VALUE, known};
use super::object::number;
use super::statement::MalOperand;
use super::words::content;
use crate::base::interner::Interner;
use crate::import::json::{Known, RecordReader, Schema, Text};
use crate::import::scalars::values::{Cell, Slot};

/// The arguments of one event. Made once and filled again and again.
pub struct MonetDbArguments {
    all: Vec<ArgumentSpans>,
    /// Texts that do not stand in the event as they are, each in quotes.
    decoded: String,
    record: RecordReader<MonetDbArgumentSchema>,
}

impl Default for MonetDbArguments {
    fn default() -> Self {
        let record = RecordReader::new(MonetDbArgumentSchema);
        Self { all: Vec::new(), decoded: String::new(), record }
    }
}

/// What is known of the members of arguments.
struct MonetDbArgumentSchema;

impl Schema for MonetDbArgumentSchema {
    fn field(&self, key: &str) -> Known {
        known(key)
    }

    fn content<'t>(&self, text: Text<'t>) -> Cow<'t, str> {
        content(text)
    }
}

/// An argument, and where its texts are.
#[derive(Clone, Copy)]
struct ArgumentSpans {
    made: bool,
    constant: bool,
    name: TextSpan,
    value: TextSpan,
    sort: TextSpan,
    rows: Option<i64>,
    bytes: Option<i64>,
}

/// A text in the event, or among the decoded ones.
#[derive(Clone, Copy, Default)]
struct TextSpan {
    from: u32,
    to: u32,
    decoded: bool,
    /// Whether it stands between quotes.
    quoted: bool,
}

impl MonetDbArguments {
    pub fn clear(&mut self) {
        self.all.clear();
        self.decoded.clear();
    }

    /// Reads the list that begins at `at`, where all in it looks like something before: where it ends.
    #[inline]
    pub fn recall(&mut self, text: &str, mut at: usize, made: bool) -> Option<usize> {
        let begin = at;
        loop {
            let opened = at == begin;
            // As everywhere, a brace in the first column begins a record.
            at = past_blanks(text, at + 1).filter(|at| text.as_bytes()[at - 1] != b'\n')?;
            if opened && text.as_bytes()[at] == b']' {
                return Some(at + 1);
            }
            let length = self.record.recall(text.get(at..)?)?.length;
            self.keep(&text[at..at + length], at, made);
            at = past_blanks(text, at + length)?;
            match text.as_bytes()[at] {
                b',' => {}
                b']' => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// Reads a list that begins at `start` of the event, to know what looks like it from here on.
    pub fn parse(&mut self, list: &str, start: usize, made: bool, strings: &mut Interner) {
        let mut rest = list;
        while let Some(at) = rest.find('{') {
            let text = &rest[at..];
            let Some(found) = self.record.parse(text, |_, _, _| {}) else { break };
            let (argument, behind) = text.split_at(found.length);
            self.keep(argument, start + list.len() - text.len(), made);
            self.record.learn(argument, strings);
            rest = behind;
        }
    }

    /// Keeps what was read from the text of an argument, which begins at `start`.
    #[inline]
    fn keep(&mut self, text: &str, start: usize, made: bool) {
        let [name, value, sort] = [NAME, VALUE, TYPE].map(|slot| self.place(slot, text, start));
        let values = &self.record.values;
        self.all.push(ArgumentSpans {
            made: made || values.has(RET),
            constant: number(values, CONST, text) == Some(1),
            name,
            value,
            sort,
            rows: number(values, COUNT, text),
            bytes: number(values, SIZE, text),
        });
    }

    #[inline]
    fn place(&mut self, slot: Slot, text: &str, start: usize) -> TextSpan {
        let Self { record: RecordReader { values, .. }, decoded, .. } = self;
        let span = |from, to, quoted| {
            let start = start as u32;
            TextSpan { from: start + from, to: start + to, decoded: false, quoted }
        };
        match values.get(slot) {
            Cell::Text(from, to) => span(from, to, true),
            Cell::Int(_, from, to) | Cell::Decimal(_, _, from, to) | Cell::Raw(from, to) => {
                span(from, to, false)
            }
            Cell::Decoded(..) | Cell::Bool(_) => {
                let quoted = matches!(values.get(slot), Cell::Decoded(..));
                add(decoded, values.text(text, slot).unwrap_or(""), quoted)
            }
            Cell::Null if values.has(slot) => add(decoded, "null", false),
            Cell::Null | Cell::Word(_) => TextSpan::default(),
        }
    }

    /// All of them, with their texts; `text` is the event's.
    pub fn of<'a>(
        &'a self,
        text: &'a str,
    ) -> impl ExactSizeIterator<Item = MonetDbArgument<'a>> + Clone + 'a {
        self.all.iter().map(move |found| MonetDbArgument { found, text, decoded: &self.decoded })
    }
}

/// The next byte that is no white space.
#[inline]
fn past_blanks(text: &str, mut at: usize) -> Option<usize> {
    while matches!(text.as_bytes().get(at)?, b' ' | b'\t' | b'\r' | b'\n') {
        at += 1;
    }
    Some(at)
}

fn add(decoded: &mut String, text: &str, quoted: bool) -> TextSpan {
    decoded.push('"');
    let from = decoded.len() as u32;
    decoded.push_str(text);
    let to = decoded.len() as u32;
    decoded.push('"');
    TextSpan { from, to, decoded: true, quoted }
}

/// An argument with its texts.
#[derive(Clone, Copy)]
pub struct MonetDbArgument<'a> {
    found: &'a ArgumentSpans,
    text: &'a str,
    decoded: &'a str,
}

impl<'a> MonetDbArgument<'a> {
    /// Whether it is a result. That of a function that has none is of no type, and none.
    pub fn is_made(&self) -> bool {
        self.found.made
    }

    fn at(&self, place: TextSpan, margin: u32) -> &'a str {
        let source = if place.decoded { self.decoded } else { self.text };
        source.get((place.from - margin) as usize..(place.to + margin) as usize).unwrap_or("")
    }

    fn sort(&self) -> &'a str {
        self.at(self.found.sort, 0)
    }

    /// Its value as a literal of MAL: Sep2022 and later leave the quotes of texts away.
    fn value(&self) -> &'a str {
        let ArgumentSpans { value, constant, .. } = *self.found;
        let bare = self.at(value, 0);
        let is_text = constant && value.quoted && self.sort() == "str";
        if is_text && !bare.starts_with('"') && bare != "nil" { self.at(value, 1) } else { bare }
    }

    /// The text that it is, as it stands.
    pub fn literal(&self) -> Option<&'a str> {
        (!self.found.made && self.sort() == "str").then(|| self.at(self.found.value, 0))
    }

    /// What it is to the instruction; `None` for the result of a function that has none.
    pub fn operand(&self) -> Option<MalOperand<'a>> {
        let ArgumentSpans { made, constant, name, rows, bytes, .. } = *self.found;
        let sort = self.sort();
        let name = if constant { "" } else { self.at(name, 0) };
        (!made || sort != "void").then(|| MalOperand { name, value: self.value(), sort, rows, bytes })
    }
}
