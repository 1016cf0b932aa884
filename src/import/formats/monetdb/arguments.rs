//! Reads the arguments of an instruction from `args`, or from `ret` and `arg`: a list of flat objects, which are compared
//! with the shapes of earlier objects.

use std::borrow::Cow;

use super::keys::argument::{CONST, COUNT, NAME, RET, SIZE, TYPE, VALUE, known};
use super::object::number;
use super::statement::MalOperand;
use super::words::content;
use crate::base::interner::Interner;
use crate::import::json::{Known, RecordReader, Schema, Text};
use crate::import::scalars::values::{Cell, Slot};

/// Arguments of one event. The value is reused for all events.
pub struct MonetDbArguments {
    all: Vec<ArgumentSpans>,
    /// Decoded form of the texts that contain escapes in the event, each in quotes, one after the other.
    decoded: String,
    record: RecordReader<MonetDbArgumentSchema>,
}

impl Default for MonetDbArguments {
    fn default() -> Self {
        let record = RecordReader::new(MonetDbArgumentSchema);
        Self { all: Vec::new(), decoded: String::new(), record }
    }
}

/// Schema of the members of arguments.
struct MonetDbArgumentSchema;

impl Schema for MonetDbArgumentSchema {
    fn field(&self, key: &str) -> Known {
        known(key)
    }

    fn content<'t>(&self, text: Text<'t>) -> Cow<'t, str> {
        content(text)
    }
}

/// An argument with the positions of its texts.
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

/// Range of a text in the event or, if `decoded`, in the decoded texts.
#[derive(Clone, Copy, Default)]
struct TextSpan {
    from: u32,
    to: u32,
    decoded: bool,
    /// Whether the text is in quotes.
    quoted: bool,
}

impl MonetDbArguments {
    pub fn clear(&mut self) {
        self.all.clear();
        self.decoded.clear();
    }

    /// Reads the list of arguments at `at` if all its objects have known shapes; `made` is whether they are results.
    /// Returns the position after the list; `None` if the list must be parsed.
    #[inline]
    pub fn recall(&mut self, text: &str, mut at: usize, made: bool) -> Option<usize> {
        let begin = at;
        loop {
            let opened = at == begin;
            // As in all files, a brace in the first column begins a record.
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

    /// Reads a list of arguments that begins at `start` of the event, and learns the shapes of its objects; `made` is
    /// whether they are results.
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

    /// Stores the argument that was read from `text`, which begins at `start` of the event; `made` is whether its list
    /// contains results.
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

    /// Iterates over all arguments with their texts; `text` is the text of the event.
    pub fn of<'a>(
        &'a self,
        text: &'a str,
    ) -> impl ExactSizeIterator<Item = MonetDbArgument<'a>> + Clone + 'a {
        self.all.iter().map(move |found| MonetDbArgument { found, text, decoded: &self.decoded })
    }
}

/// Position of the next byte that is not white space.
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

/// An argument of an instruction, with access to its texts.
#[derive(Clone, Copy)]
pub struct MonetDbArgument<'a> {
    found: &'a ArgumentSpans,
    text: &'a str,
    decoded: &'a str,
}

impl<'a> MonetDbArgument<'a> {
    /// Whether the argument is a result.
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

    /// Value as a MAL literal: Sep2022 and later omit the quotes of texts.
    fn value(&self) -> &'a str {
        let ArgumentSpans { value, constant, .. } = *self.found;
        let bare = self.at(value, 0);
        let is_text = constant && value.quoted && self.sort() == "str";
        if is_text && !bare.starts_with('"') && bare != "nil" { self.at(value, 1) } else { bare }
    }

    /// Value of a text argument, as it is written; `None` for results and other types.
    pub fn literal(&self) -> Option<&'a str> {
        (!self.found.made && self.sort() == "str").then(|| self.at(self.found.value, 0))
    }

    /// Operand for the instruction; `None` for the result of a function without results.
    pub fn operand(&self) -> Option<MalOperand<'a>> {
        let ArgumentSpans { made, constant, name, rows, bytes, .. } = *self.found;
        let sort = self.sort();
        let name = if constant { "" } else { self.at(name, 0) };
        (!made || sort != "void").then(|| MalOperand { name, value: self.value(), sort, rows, bytes })
    }
}
