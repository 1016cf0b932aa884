//! Arguments of events: any number of named values of any type, stored in columns. Events from the same place of a
//! program have the same keys, which are stored once per shape.

use super::int_overflow::{IntOverflow, is_large};
use super::problems::{LARGE, MANY_ARGS, ROUNDED, SHORTENED};
use super::written::WrittenArguments;
use crate::base::FxHashMap;
use crate::base::columns::{BlockColumn, NumberColumn};
use crate::base::interner::{Interner, StrId};
use crate::import::contract::{BuildReport, ProblemKind};
use crate::import::json::{Cursor, Scanner, Text, Value};
use crate::import::scalars::decimal::Decimal;
use crate::import::scalars::number::exact_i64;
use crate::import::scalars::values::{Cell, Slot as ValueSlot, Values};

/// Type of an argument.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArgType {
    /// A whole number, also if it is written as a string.
    Whole,
    /// A number with decimals, in millionths.
    Millionths,
    /// Anything else.
    Text,
}

/// Key and value type of an argument.
pub type ArgSlot = (StrId, ArgType);

/// Handle of the arguments of one event, which are stored in [`Args`].
#[derive(Clone, Copy, Debug)]
pub struct ArgsId {
    nums: u32,
    texts: u32,
    shape: u16,
}

impl ArgsId {
    /// Handle of arguments that are stored as attributes of the event's record.
    pub const REPORTED: ArgsId = ArgsId { nums: 0, texts: 0, shape: u16::MAX };

    /// Whether both handles refer to the same event's arguments.
    pub fn is(self, other: Self) -> bool {
        (self.nums, self.texts, self.shape) == (other.nums, other.texts, other.shape)
    }

    /// Creates the handle of the arguments with this [shape](Self::shape) and [row](Self::row).
    pub fn new((nums, texts): (u32, u32), shape: u16) -> Self {
        Self { nums, texts, shape }
    }

    /// Returns the positions of the event's first number and first text, among the numbers and texts of all events.
    pub fn row(self) -> (u32, u32) {
        (self.nums, self.texts)
    }

    /// Returns the number of the shape, which determines the keys.
    pub fn shape(self) -> u16 {
        self.shape
    }
}

/// Value of one argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A whole number.
    Whole(i64),
    /// A number with decimals, in millionths.
    Millionths(i64),
    /// A text.
    Text(StrId),
}

impl Arg {
    /// Returns the type of the value.
    pub fn sort(self) -> ArgType {
        match self {
            Arg::Whole(_) => ArgType::Whole,
            Arg::Millionths(_) => ArgType::Millionths,
            Arg::Text(_) => ArgType::Text,
        }
    }
}

/// Problems of an event's arguments: usually none.
#[derive(Clone, Copy, Default)]
pub struct Remarks {
    shortened: bool,
    many: bool,
    rounded: bool,
    large: bool,
}

impl Remarks {
    /// Returns the kinds of the problems.
    pub fn kinds(self) -> impl Iterator<Item = ProblemKind> {
        let all = [
            (self.shortened, SHORTENED),
            (self.many, MANY_ARGS),
            (self.rounded, ROUNDED),
            (self.large, LARGE),
        ];
        all.into_iter().filter_map(|(is, kind)| is.then_some(kind))
    }

    /// Whether there are any problems.
    #[inline]
    pub fn any(self) -> bool {
        self.shortened || self.many || self.rounded || self.large
    }
}

/// An argument of the current event as plain fields: reading an enum as a whole right after its parts were written
/// stalls the processor. The value of a text is its handle.
#[derive(Clone, Copy)]
struct Next {
    slot: ArgSlot,
    value: i64,
}

/// Stores the arguments of all events. The arguments of the current event are collected first, then stored together by
/// [`finish`](Self::finish).
#[derive(Default)]
pub struct Args {
    shapes: Vec<Vec<ArgSlot>>,
    shape_ids: FxHashMap<Vec<ArgSlot>, u16>,
    nums: NumberColumn,
    texts: BlockColumn<StrId>,
    /// Per key: whether some of its numbers have decimals.
    keys: FxHashMap<StrId, bool>,
    /// Combined keys of nested members, such as "data" and "frame" to "data.frame".
    paths: FxHashMap<(StrId, StrId), StrId>,
    /// Arguments of the current event.
    next: Vec<Next>,
    /// Keys and types of the previous event's arguments; `shape` is the number of its shape.
    slots: Vec<ArgSlot>,
    shape: u16,
    /// The most recent key at each position, as written and interned.
    known: Vec<(String, StrId)>,
    /// Problems of the current event.
    remarks: Remarks,
    /// Whole numbers that may be too large for millionths.
    pub int_overflow: IntOverflow,
    /// Arguments of the current event as written in the file, if they are needed.
    pub written: WrittenArguments,
}

/// Key of an event's category. The leading NUL distinguishes it from the name of any argument.
pub const CATEGORY: &str = "\0category";
/// Maximum number of distinct keys, and of distinct shapes.
const MAX_SORTS: usize = 4096;
/// Maximum number of separate arguments per event.
const MAX_ARGS: usize = 64;
/// Maximum number of characters that are kept of a text; longer texts are shortened.
const MAX_TEXT: usize = 200;
/// Maximum depth of objects whose members become separate arguments: `args.data.stackTrace` is still one.
pub const MAX_LEVEL: u8 = 3;
/// Maximum number of combinations of value types remembered per learned shape.
const MAX_MEMO: usize = 16;

impl Args {
    /// Adds a text to the current event.
    pub fn text(&mut self, key: StrId, value: StrId) {
        self.put(key, ArgType::Text, i64::from(value.0));
    }

    /// Adds a whole number to the current event.
    pub fn whole(&mut self, key: StrId, value: i64) {
        self.put(key, ArgType::Whole, value);
    }

    /// Returns the type of the current event's argument with this key, if it has one.
    pub fn sort_of(&self, key: StrId) -> Option<ArgType> {
        self.next.iter().find(|next| next.slot.0 == key).map(|next| next.slot.1)
    }

    /// Adds a value to the current event. The members of an object become separate arguments, down to [`MAX_LEVEL`];
    /// `level` is the depth of the value.
    pub fn value(
        &mut self,
        key: StrId,
        value: Value,
        level: u8,
        scanner: &mut Scanner,
        strings: &mut Interner,
    ) {
        self.written.note_value(key, value, level);
        match value {
            Value::Text(text) => self.string(key, &text.content(), strings),
            Value::Word(word) => match exact_whole(word) {
                Some(number) => self.whole(key, number),
                None => match Decimal::parse(word).and_then(|decimal| self.rounded(decimal)) {
                    Some((sort, value)) => self.put(key, sort, value),
                    None => {
                        self.remarks.large |= word.bytes().all(|byte| b"+-.0123456789eE".contains(&byte));
                        self.string(key, word, strings);
                    }
                },
            },
            Value::Nested(text) if text.starts_with('{') && level < MAX_LEVEL => {
                self.members(Some(key), text, level + 1, scanner, strings);
            }
            Value::Nested(text) => self.string(key, text, strings),
        }
    }

    /// Adds the members of an object. `above` is the key of the object itself.
    pub fn members(
        &mut self,
        above: Option<StrId>,
        text: &str,
        level: u8,
        scanner: &mut Scanner,
        strings: &mut Interner,
    ) {
        let mut cursor = Cursor::new(text);
        while let Ok((key, value)) = cursor.next(scanner) {
            let key = self.key(key, strings);
            let key = above.map_or(key, |above| self.path(above, key, strings));
            // A member `b` of `a` and a key `a.b` are different arguments. Of a repeated key, the last value is kept.
            let key = if strings.get(key).contains('.') { self.apart(key, strings) } else { key };
            self.value(key, value, level, scanner, strings);
        }
    }

    /// Returns the key, or a numbered variant if the current event already has an argument with this key.
    pub fn apart(&self, key: StrId, strings: &mut Interner) -> StrId {
        let mut found = key;
        let mut number = 1;
        while self.next.iter().any(|next| next.slot.0 == found) {
            number += 1;
            found = strings.intern(&format!("{} ({number})", strings.get(key)));
        }
        found
    }

    /// Stores the added arguments; returns their handle and their problems.
    pub fn finish(&mut self) -> (ArgsId, Remarks) {
        let shape = self.shape();
        (self.keep(shape), self.remarks())
    }

    /// Adds the arguments of an event with a learned shape, whose text is `source`. Returns the shape of all added arguments.
    #[inline]
    pub fn learned(
        &mut self,
        event: &mut LearnedShape,
        values: &Values,
        source: &str,
        strings: &mut Interner,
    ) -> u16 {
        let mut large = false;
        for &(slot, key) in &event.args {
            let (sort, value) = self.found(values.get(slot), values.text(source, slot), strings);
            large |= sort == ArgType::Whole && is_large(value);
            self.next.push(Next { slot: (key, sort), value });
        }
        let sorts = self.next.iter().fold(1, |sorts, next| sorts << 2 | next.slot.1 as u128);
        if let Some(&(_, shape)) = event.sorts.iter().find(|(known, _)| *known == sorts) {
            if large {
                self.add_large();
            }
            return shape;
        }
        for Next { slot: (key, sort), value } in std::mem::take(&mut self.next) {
            self.put(key, sort, value);
        }
        let shape = self.shape();
        if event.sorts.len() < MAX_MEMO && !self.remarks.many {
            event.sorts.push((sorts, shape));
        }
        shape
    }

    /// Converts a value of an event with a learned shape to an argument: its type, and the number or text id. `text`
    /// is the value's text, if it is a string.
    #[inline]
    fn found(&mut self, cell: Cell, text: Option<&str>, strings: &mut Interner) -> (ArgType, i64) {
        match cell {
            Cell::Int(number, ..) => return (ArgType::Whole, number),
            Cell::Decimal(mantissa, scale, ..) => {
                if let Some(found) = self.rounded(Decimal { mantissa, scale }) {
                    return found;
                }
            }
            _ => {}
        }
        self.quoted(text.unwrap_or("null"), strings)
    }

    /// Converts a number with decimals to millionths, or to a whole number if it is too large for millionths. `None`
    /// if it exceeds 64 bits.
    #[inline]
    fn rounded(&mut self, decimal: Decimal) -> Option<(ArgType, i64)> {
        let (sort, (value, exact)) = match decimal.to_millionths() {
            Some(found) => (ArgType::Millionths, found),
            None => (ArgType::Whole, decimal.to_whole()?),
        };
        self.remarks.rounded |= !exact;
        Some((sort, value))
    }

    #[cold]
    fn add_large(&mut self) {
        for Next { slot: (key, sort), value } in &self.next {
            if *sort == ArgType::Whole && is_large(*value) {
                self.int_overflow.add(*key);
            }
        }
    }

    /// Reports whole numbers of keys with decimals that are too large to be stored as millionths.
    pub fn report_overflow(&self, outcome: &mut BuildReport, strings: &Interner) {
        self.int_overflow.report(outcome, strings, |key| self.has_decimals(key));
    }

    /// Stores the added arguments, which have this shape.
    pub fn keep(&mut self, shape: u16) -> ArgsId {
        let id = ArgsId { nums: self.nums.len() as u32, texts: self.texts.len() as u32, shape };
        for Next { slot: (_, sort), value } in &self.next {
            match sort {
                ArgType::Whole | ArgType::Millionths => self.nums.push(*value),
                ArgType::Text => self.texts.push(StrId(*value as u32)),
            }
        }
        self.next.clear();
        id
    }

    /// Passes the added arguments to `to`, numbers and texts separately, and clears them.
    #[inline]
    pub fn report(
        &mut self,
        to: impl FnOnce(&mut dyn Iterator<Item = i64>, &mut dyn Iterator<Item = StrId>),
    ) {
        let of = |text: bool| self.next.iter().filter(move |next| (next.slot.1 == ArgType::Text) == text);
        to(&mut of(false).map(|next| next.value), &mut of(true).map(|next| StrId(next.value as u32)));
        self.next.clear();
    }

    /// Returns and clears the problems of the current event.
    #[inline]
    pub fn remarks(&mut self) -> Remarks {
        std::mem::take(&mut self.remarks)
    }

    /// Returns keys and types of a shape.
    pub fn slots(&self, shape: u16) -> &[ArgSlot] {
        &self.shapes[usize::from(shape)]
    }

    /// Returns the arguments of an event, in order.
    pub fn of(&self, id: ArgsId) -> impl Iterator<Item = (StrId, Arg)> + '_ {
        let (mut num, mut text) = (id.nums as usize, id.texts as usize);
        self.slots(id.shape).iter().map(move |&(key, sort)| {
            let at = if sort == ArgType::Text { &mut text } else { &mut num };
            *at += 1;
            let arg = match sort {
                ArgType::Whole => Arg::Whole(self.nums.get(*at - 1)),
                ArgType::Millionths => Arg::Millionths(self.nums.get(*at - 1)),
                ArgType::Text => Arg::Text(self.texts.get(*at - 1)),
            };
            (key, arg)
        })
    }

    /// Returns the number at a position.
    #[inline]
    pub fn num_at(&self, row: u32) -> i64 {
        self.nums.get(row as usize)
    }

    /// Returns the text at a position.
    #[inline]
    pub fn text_at(&self, row: u32) -> StrId {
        self.texts.get(row as usize)
    }

    /// Whether some numbers of a key have decimals; all its numbers are then stored as millionths.
    pub fn has_decimals(&self, key: StrId) -> bool {
        self.keys.get(&key).copied().unwrap_or(false)
    }

    fn put(&mut self, key: StrId, sort: ArgType, value: i64) {
        if self.next.len() >= MAX_ARGS || self.keys.len() >= MAX_SORTS && !self.keys.contains_key(&key) {
            self.remarks.many = true;
            return;
        }
        if sort == ArgType::Whole && is_large(value) {
            self.int_overflow.add(key);
        }
        // The previous event had the same key and type at this position, so both are known.
        if self.slots.get(self.next.len()) != Some(&(key, sort)) {
            *self.keys.entry(key).or_default() |= sort == ArgType::Millionths;
        }
        // Of a repeated key, the last value is kept.
        if self.next.iter().any(|next| next.slot.0 == key) {
            self.next.retain(|next| next.slot.0 != key);
        }
        self.next.push(Next { slot: (key, sort), value });
    }

    /// Interns the key of an argument. Consecutive events nearly always have equal keys.
    fn key(&mut self, key: Text, strings: &mut Interner) -> StrId {
        let place = self.next.len().min(MAX_ARGS);
        if let Some((known, id)) = self.known.get(place)
            && known == key.raw()
        {
            return *id;
        }
        let id = strings.intern(&key.content());
        if self.known.len() <= place {
            self.known.resize(place + 1, (String::new(), StrId::EMPTY));
        }
        self.known[place] = (key.raw().to_owned(), id);
        id
    }

    fn string(&mut self, key: StrId, text: &str, strings: &mut Interner) {
        let (sort, value) = self.quoted(text, strings);
        self.put(key, sort, value);
    }

    /// Returns type and value of the argument for a string.
    #[inline]
    fn quoted(&mut self, text: &str, strings: &mut Interner) -> (ArgType, i64) {
        if text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
            && let Some(number) = self.plain_number(text)
        {
            return number;
        }
        // A text has at most as many characters as bytes.
        let end = if text.len() <= MAX_TEXT { None } else { text.char_indices().nth(MAX_TEXT) };
        let text = match end {
            None => strings.intern(text),
            Some((end, _)) => {
                self.remarks.shortened = true;
                strings.intern(&format!("{}…", &text[..end]))
            }
        };
        (ArgType::Text, i64::from(text.0))
    }

    /// Parses a string that is clearly a number; `None` for strings such as 007, +1, .5 and 1e5, which remain texts.
    fn plain_number(&mut self, text: &str) -> Option<(ArgType, i64)> {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.len() > 18 {
            return None;
        }
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, "0"));
        let is_plain = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let leads = whole != "0" && whole.starts_with('0') || text == "-0";
        if leads || !is_plain(whole) || !is_plain(fraction) {
            return None;
        }
        let decimal = Decimal::parse(text)?;
        if whole == digits { Some((ArgType::Whole, decimal.mantissa)) } else { self.rounded(decimal) }
    }

    fn path(&mut self, above: StrId, key: StrId, strings: &mut Interner) -> StrId {
        *self.paths.entry((above, key)).or_insert_with(|| {
            let path = format!("{}.{}", strings.get(above), strings.get(key));
            strings.intern(&path)
        })
    }

    /// Returns the shape of the added arguments. If there are too many shapes, the last arguments are dropped until a
    /// known shape is found.
    pub fn shape(&mut self) -> u16 {
        let mut slots = std::mem::take(&mut self.slots);
        let same = !self.shapes.is_empty() && self.next.iter().map(|next| &next.slot).eq(&slots);
        if same {
            self.slots = slots;
            return self.shape;
        }
        slots.clear();
        slots.extend(self.next.iter().map(|next| next.slot));
        let shape = loop {
            if let Some(&shape) = self.shape_ids.get(&slots) {
                break shape;
            }
            if self.shapes.len() < MAX_SORTS || slots.is_empty() {
                break self.add_shape(slots.clone());
            }
            slots.pop();
            self.remarks.many = true;
        };
        self.next.truncate(slots.len());
        (self.slots, self.shape) = (slots, shape);
        shape
    }

    fn add_shape(&mut self, slots: Vec<ArgSlot>) -> u16 {
        let shape = self.shapes.len() as u16;
        self.shapes.push(slots.clone());
        self.shape_ids.insert(slots, shape);
        shape
    }
}

/// Parses a word as a whole number; 1.0 is a number with decimals. The minimum of `i64` represents a missing value, so
/// it is not accepted.
fn exact_whole(word: &str) -> Option<i64> {
    exact_i64(word).filter(|number| *number != i64::MIN && !word.contains('.'))
}

/// An argument of all events of a shape: position of its value, and its key.
pub type LearnedArgument = (ValueSlot, StrId);

/// Properties shared by all events of a learned shape.
#[derive(Default)]
pub struct LearnedShape {
    /// The arguments, in the order of the record.
    pub args: Vec<LearnedArgument>,
    /// Combinations of value types seen so far (two bits per value), each with the shape of arguments of these types.
    pub sorts: Vec<(u128, u16)>,
}
