//! Reads the values of an event from a JSON object, by its [keys](super::keys).

use std::borrow::Cow;

use super::arguments::{MonetDbArgument, MonetDbArguments};
use super::keys::{MonetDbKey, of_event};
use super::words::content;
use crate::base::interner::{Interner, StrId};
use crate::base::sort;
use crate::import::json::{Known, Match, RecordReader, Scanner, Schema, Text, array_end};
use crate::import::scalars::decimal::Decimal;
use crate::import::scalars::number::exact_i64;
use crate::import::scalars::values::{Cell, Slot, Values};

/// Reads objects, one after the other.
pub struct MonetDbObjectReader(RecordReader<MonetDbMemberSchema>);

impl Default for MonetDbObjectReader {
    fn default() -> Self {
        Self(RecordReader::new(MonetDbMemberSchema::default()))
    }
}

/// Schema of the members of events.
#[derive(Default)]
struct MonetDbMemberSchema {
    arguments: MonetDbArguments,
}

impl Schema for MonetDbMemberSchema {
    fn field(&self, key: &str) -> Known {
        of_event(key)
    }

    fn content<'t>(&self, text: Text<'t>) -> Cow<'t, str> {
        content(text)
    }

    #[inline]
    fn array(&mut self, slot: Slot, text: &str, at: usize, scanner: &mut Scanner) -> Option<usize> {
        match lists(slot) {
            Some(made) => self.arguments.recall(text, at, made),
            None => array_end(text, at, scanner),
        }
    }
}

const RET: Slot = MonetDbKey::Ret as Slot;
const ARG: Slot = MonetDbKey::Arg as Slot;
const ARGS: Slot = MonetDbKey::Args as Slot;

/// Kind of a member that is a list of arguments: `Some(true)` for results, `Some(false)` for inputs; `None` if it is
/// no list of arguments.
fn lists(slot: Slot) -> Option<bool> {
    match slot {
        RET => Some(true),
        ARG | ARGS => Some(false),
        _ => None,
    }
}

impl MonetDbObjectReader {
    /// Reads the object at the start of a text. Returns its length in bytes; `None` if it is incomplete.
    pub fn read(&mut self, text: &str, strings: &mut Interner) -> Option<usize> {
        self.recall(text).or_else(|| self.parse(text, strings)).map(|found| found.length)
    }

    /// Reads the object at the start of a text, if it has the shape of an earlier one.
    #[inline]
    pub fn recall(&mut self, text: &str) -> Option<Match> {
        self.0.shapes.schema.arguments.clear();
        self.0.recall(text)
    }

    /// Reads the object at the start of a text member by member, and learns its shape.
    #[inline(never)]
    pub fn parse(&mut self, text: &str, strings: &mut Interner) -> Option<Match> {
        let found = self.0.parse(text, |_, _, _| {})?;
        let RecordReader { shapes, values } = &mut self.0;
        let list = |slot| match values.get(slot) {
            Cell::Raw(from, to) => lists(slot).map(|made| (from, to, made)),
            _ => None,
        };
        let mut found_lists: Vec<_> = [RET, ARG, ARGS].into_iter().filter_map(list).collect();
        sort::by_key(&mut found_lists, |list| (i64::from(list.0), 0));
        let arguments = &mut shapes.schema.arguments;
        arguments.clear();
        for (from, to, made) in found_lists {
            arguments.parse(&text[from as usize..to as usize], from as usize, made, strings);
        }
        self.0.learn(&text[..found.length], strings);
        Some(found)
    }

    /// Values of the object that was read last, from `text`.
    pub fn object<'a>(&'a self, text: &'a str) -> MonetDbObject<'a> {
        MonetDbObject { text, values: &self.0.values, arguments: &self.0.shapes.schema.arguments }
    }
}

/// Values of an event.
#[derive(Clone, Copy)]
pub struct MonetDbObject<'a> {
    text: &'a str,
    values: &'a Values,
    arguments: &'a MonetDbArguments,
}

impl<'a> MonetDbObject<'a> {
    #[inline]
    pub fn has(&self, key: MonetDbKey) -> bool {
        self.values.has(key.slot())
    }

    /// Text of a member; empty if it is missing.
    pub fn text<'s>(&self, key: MonetDbKey, strings: &'s Interner) -> &'s str
    where
        'a: 's,
    {
        match self.values.get(key.slot()) {
            Cell::Word(word) => strings.get(word),
            _ => self.plain(key),
        }
    }

    /// Text of a member whose values are not interned words.
    pub fn plain(&self, key: MonetDbKey) -> &'a str {
        self.values.text(self.text, key.slot()).unwrap_or("")
    }

    /// Text of a member, interned; [`StrId::EMPTY`] if it is missing.
    pub fn intern(&self, key: MonetDbKey, strings: &mut Interner) -> StrId {
        match self.values.get(key.slot()) {
            Cell::Word(word) => word,
            Cell::Null => StrId::EMPTY,
            _ => strings.intern(self.plain(key)),
        }
    }

    /// Whole number of a member, with or without quotes.
    #[inline]
    pub fn number(&self, key: MonetDbKey) -> Option<i64> {
        number(self.values, key.slot(), self.text)
    }

    /// Clock reading of a member, in microseconds: Jul2017 writes `ctime` as seconds with a fraction.
    pub fn micros(&self, key: MonetDbKey) -> Option<i64> {
        match self.values.get(key.slot()) {
            Cell::Decimal(mantissa, scale, ..) => Decimal { mantissa, scale }.millionths(),
            _ => self.number(key),
        }
    }

    /// Arguments of the instruction, both results and inputs.
    pub fn arguments(&self) -> impl ExactSizeIterator<Item = MonetDbArgument<'a>> + Clone + 'a {
        self.arguments.of(self.text)
    }
}

/// Whole number in a slot, with or without quotes.
#[inline]
pub fn number(values: &Values, slot: Slot, text: &str) -> Option<i64> {
    match values.get(slot) {
        Cell::Int(number, ..) => Some(number),
        Cell::Null | Cell::Bool(_) => None,
        _ => exact_i64(values.text(text, slot)?),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILES: [&str; 3] = [
        include_str!("../../../../tests/traces/monetdb/sep2022.ndjson"),
        include_str!("../../../../tests/traces/monetdb/apr2019.ndjson"),
        include_str!("../../../../tests/traces/monetdb/jul2021-embedded.ndjson"),
    ];

    /// Formats all values of an object.
    fn contents(objects: &MonetDbObjectReader, text: &str, strings: &Interner) -> Vec<String> {
        let object = objects.object(text);
        let says = |name: &&str| {
            let slot = of_event(name).map(|known| known.0)?;
            let key = KEYS.into_iter().find(|key| key.slot() == slot)?;
            object.has(key).then(|| {
                let numbers = (object.number(key), object.micros(key));
                format!("{name}: {:?} {numbers:?}", object.text(key, strings))
            })
        };
        let arguments =
            object.arguments().map(|of| format!("{} {:?} {:?}", of.is_made(), of.operand(), of.literal()));
        NAMES.iter().filter_map(says).chain(arguments).collect()
    }

    const NAMES: [&str; 12] = [
        "clk",
        "ctime",
        "thread",
        "tag",
        "pc",
        "state",
        "phase",
        "sessionid",
        "module",
        "function",
        "stmt",
        "query",
    ];
    const KEYS: [MonetDbKey; 12] = [
        MonetDbKey::Clk,
        MonetDbKey::Ctime,
        MonetDbKey::Thread,
        MonetDbKey::Tag,
        MonetDbKey::Pc,
        MonetDbKey::State,
        MonetDbKey::Phase,
        MonetDbKey::SessionId,
        MonetDbKey::Module,
        MonetDbKey::Function,
        MonetDbKey::Stmt,
        MonetDbKey::Query,
    ];

    #[test]
    fn what_was_parsed_once_is_compared_and_says_the_same() {
        for line in FILES.iter().flat_map(|text| text.lines()).filter(|line| line.ends_with('}')) {
            let (mut objects, mut strings) = (MonetDbObjectReader::default(), Interner::default());
            assert_eq!(objects.recall(line), None);
            let length = |found: Option<Match>| found.map(|found| found.length);
            assert_eq!(length(objects.parse(line, &mut strings)), Some(line.len()), "{line}");
            let parsed = contents(&objects, line, &strings);
            let behind = format!("{line}\n{line}");
            assert_eq!(length(objects.recall(&behind)), Some(line.len()), "{line}");
            assert_eq!(contents(&objects, &behind[..line.len()], &strings), parsed, "{line}");
        }
    }
}
