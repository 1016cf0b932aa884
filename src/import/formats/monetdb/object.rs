//! One JSON object to the values of an event, by its [keys](super::keys). It is compared with the shapes of those before
//! where it has one of them, and parsed where not; both give the same.

use super::arguments::{MonetDbArgument, MonetDbArguments};
use super::keys::{MonetDbKey, of_event};
use super::words::decoded;
use crate::base::interner::{Interner, StrId};
use crate::import::json::{Cursor, Known, LearnedShapes, Match, Scanner, Schema, Value, array_end};
use crate::import::scalars::decimal::Decimal;
use crate::import::scalars::number::exact_i64;
use crate::import::scalars::values::{Cell, Slot, Values};

/// Reads objects, one after the other.
pub struct MonetDbObjectReader {
    shapes: LearnedShapes<MonetDbMemberSchema>,
    values: Values,
    scanner: Scanner,
}

impl Default for MonetDbObjectReader {
    fn default() -> Self {
        Self {
            shapes: LearnedShapes::new(MonetDbMemberSchema::default()),
            values: Values::default(),
            scanner: Scanner::default(),
        }
    }
}

/// What is known of the members of events.
#[derive(Default)]
struct MonetDbMemberSchema {
    arguments: MonetDbArguments,
}

impl Schema for MonetDbMemberSchema {
    fn member(&mut self, path: &[&str]) -> Option<Known> {
        path.last().map(|key| of_event(key))
    }

    #[inline]
    fn array(&mut self, slot: Slot, text: &str, at: usize, scanner: &mut Scanner) -> Option<usize> {
        match lists(slot) {
            Some(made) => self.arguments.recall(text, at, made),
            None => array_end(text, at, scanner),
        }
    }
}

/// Whether a member lists arguments, and then whether they are those that are made.
fn lists(slot: Slot) -> Option<bool> {
    const RET: Slot = MonetDbKey::Ret as Slot;
    const ARG: Slot = MonetDbKey::Arg as Slot;
    const ARGS: Slot = MonetDbKey::Args as Slot;
    match slot {
        RET => Some(true),
        ARG | ARGS => Some(false),
        _ => None,
    }
}

impl MonetDbObjectReader {
    /// Reads the object at the start of a text. Its length; `None` if it is not whole.
    pub fn read(&mut self, text: &str, strings: &mut Interner) -> Option<usize> {
        self.recall(text).map(|found| found.length).or_else(|| self.parse(text, strings))
    }

    /// Reads the object at the start of a text, if it has the shape of an earlier one.
    #[inline]
    pub fn recall(&mut self, text: &str) -> Option<Match> {
        self.shapes.schema.arguments.clear();
        self.shapes.read(text, &mut self.values)
    }

    /// The same by the grammar, to know what looks like it from here on.
    #[inline(never)]
    pub fn parse(&mut self, text: &str, strings: &mut Interner) -> Option<usize> {
        let Self { shapes, values, scanner } = self;
        let text = text.get(..text.len().min(u32::MAX as usize))?;
        values.clear();
        let mut lists_found: Vec<(Slot, bool, &str)> = Vec::new();
        let length = Cursor::new(text).each(scanner, |name, value| {
            let Some((slot, _)) = of_event(name.raw()) else { return };
            put(values, slot, value, text);
            if let (Some(made), Value::Nested(list)) = (lists(slot), value) {
                lists_found.retain(|(known, ..)| *known != slot);
                lists_found.push((slot, made, list));
            }
        })?;
        let arguments = &mut shapes.schema.arguments;
        arguments.clear();
        for (_, made, list) in lists_found {
            arguments.parse(list, start_of(list, text), made, scanner, strings);
        }
        shapes.learn(&text[..length], strings);
        Some(length)
    }

    /// What was read last, from `text`.
    pub fn object<'a>(&'a self, text: &'a str) -> MonetDbObject<'a> {
        MonetDbObject { text, values: &self.values, arguments: &self.shapes.schema.arguments }
    }
}

/// Where a part of a text begins in it.
pub fn start_of(part: &str, text: &str) -> usize {
    part.as_ptr().addr().wrapping_sub(text.as_ptr().addr())
}

/// Keeps a value of `text`, as it is kept where an object is compared.
pub fn put(values: &mut Values, slot: Slot, value: Value, text: &str) {
    let place = |part: &str| {
        let start = start_of(part, text) as u32;
        (start, start + part.len() as u32)
    };
    let cell = match value {
        Value::Text(string) => match decoded(string) {
            std::borrow::Cow::Borrowed(plain) => {
                let (from, to) = place(plain);
                Cell::Text(from, to)
            }
            std::borrow::Cow::Owned(plain) => values.decode(&plain),
        },
        Value::Word("null") => Cell::Null,
        Value::Word("true") => Cell::Bool(true),
        Value::Word("false") => Cell::Bool(false),
        Value::Word(word) => {
            let (from, to) = place(word);
            match word.parse() {
                Ok(number) => Cell::Int(number, from, to),
                Err(_) => match Decimal::parse(word).filter(|_| word.contains('.')) {
                    Some(Decimal { mantissa, scale }) => Cell::Decimal(mantissa, scale, from, to),
                    None => Cell::Text(from, to),
                },
            }
        }
        Value::Nested(list) => {
            let (from, to) = place(list);
            Cell::Text(from, to)
        }
    };
    values.set(slot, cell);
}

/// The values of an event.
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

    /// The text of a member; empty where there is none.
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
        match self.values.get(key.slot()) {
            Cell::Bool(truth) => {
                if truth {
                    "true"
                } else {
                    "false"
                }
            }
            _ => self.values.text(self.text, key.slot()).unwrap_or(""),
        }
    }

    /// Text of a member, interned; [`StrId::EMPTY`] if it is missing.
    pub fn intern(&self, key: MonetDbKey, strings: &mut Interner) -> StrId {
        match self.values.get(key.slot()) {
            Cell::Word(word) => word,
            Cell::Null => StrId::EMPTY,
            _ => strings.intern(self.plain(key)),
        }
    }

    /// A whole number, in quotes or not.
    #[inline]
    pub fn number(&self, key: MonetDbKey) -> Option<i64> {
        number(self.values, key.slot(), self.text)
    }

    /// The reading of a clock in microseconds: Jul2017 writes `ctime` as seconds with a fraction.
    pub fn micros(&self, key: MonetDbKey) -> Option<i64> {
        match self.values.get(key.slot()) {
            Cell::Decimal(mantissa, scale, ..) => Decimal { mantissa, scale }.millionths(),
            _ => self.number(key),
        }
    }

    /// Its arguments, those that it makes and those that it reads.
    pub fn arguments(&self) -> impl ExactSizeIterator<Item = MonetDbArgument<'a>> + Clone + 'a {
        self.arguments.of(self.text)
    }
}

/// The whole number in a slot, in quotes or not.
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

    /// All that an object says.
    fn told(objects: &MonetDbObjectReader, text: &str, strings: &Interner) -> Vec<String> {
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
            assert_eq!(objects.parse(line, &mut strings), Some(line.len()), "{line}");
            let parsed = told(&objects, line, &strings);
            let behind = format!("{line}\n{line}");
            assert_eq!(objects.recall(&behind).map(|found| found.length), Some(line.len()), "{line}");
            assert_eq!(told(&objects, &behind[..line.len()], &strings), parsed, "{line}");
        }
    }
}
