//! Arguments: any number of named values of any type, kept in columns. Events of one place of a program share their keys, which
//! are kept once for all of them.

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

/// What an argument is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArgType {
    /// A whole number, or a string that is one.
    Whole,
    /// A number with decimals, in millionths.
    Millionths,
    /// Anything else.
    Text,
}

/// A key, and what its value is.
pub type ArgSlot = (StrId, ArgType);

/// The handle of an event's arguments.
#[derive(Clone, Copy, Debug)]
pub struct ArgsId {
    nums: u32,
    texts: u32,
    shape: u16,
}

impl ArgsId {
    /// The arguments are what the record of the event reports.
    pub const REPORTED: ArgsId = ArgsId { nums: 0, texts: 0, shape: u16::MAX };

    /// Whether both are of one event.
    pub fn is(self, other: Self) -> bool {
        (self.nums, self.texts, self.shape) == (other.nums, other.texts, other.shape)
    }

    /// The arguments of a [shape](Self::shape) and a [row](Self::row).
    pub fn new((nums, texts): (u32, u32), shape: u16) -> Self {
        Self { nums, texts, shape }
    }

    /// Where the numbers and the texts begin.
    pub fn row(self) -> (u32, u32) {
        (self.nums, self.texts)
    }

    /// Which keys they have: the number of their shape.
    pub fn shape(self) -> u16 {
        self.shape
    }
}

/// One argument.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arg {
    /// A whole number.
    Whole(i64),
    /// A number of millionths.
    Millionths(i64),
    /// A text.
    Text(StrId),
}

impl Arg {
    /// What it is.
    pub fn sort(self) -> ArgType {
        match self {
            Arg::Whole(_) => ArgType::Whole,
            Arg::Millionths(_) => ArgType::Millionths,
            Arg::Text(_) => ArgType::Text,
        }
    }
}

/// Problems of the arguments of an event: nearly always none.
#[derive(Clone, Copy, Default)]
pub struct Remarks {
    shortened: bool,
    many: bool,
    rounded: bool,
    large: bool,
}

impl Remarks {
    /// The problems one after the other.
    pub fn kinds(self) -> impl Iterator<Item = ProblemKind> {
        let all = [
            (self.shortened, SHORTENED),
            (self.many, MANY_ARGS),
            (self.rounded, ROUNDED),
            (self.large, LARGE),
        ];
        all.into_iter().filter_map(|(is, kind)| is.then_some(kind))
    }

    /// Whether there are any.
    #[inline]
    pub fn any(self) -> bool {
        self.shortened || self.many || self.rounded || self.large
    }
}

/// An argument of the event that is being read, in plain numbers: a sort and its payload in one enum are written in parts and
/// read as a whole, for which a processor waits. The value of a text is its handle.
#[derive(Clone, Copy)]
struct Next {
    slot: ArgSlot,
    value: i64,
}

/// The arguments of all events.
#[derive(Default)]
pub struct Args {
    shapes: Vec<Vec<ArgSlot>>,
    shape_ids: FxHashMap<Vec<ArgSlot>, u16>,
    nums: NumberColumn,
    texts: BlockColumn<StrId>,
    /// All keys, and whether some of their numbers have decimals.
    keys: FxHashMap<StrId, bool>,
    /// "data" and "frame" to "data.frame".
    paths: FxHashMap<(StrId, StrId), StrId>,
    /// The arguments of the event that is being read.
    next: Vec<Next>,
    /// The keys of the event before, and its shape.
    slots: Vec<ArgSlot>,
    shape: u16,
    /// The last key in each place, as it was written.
    known: Vec<(String, StrId)>,
    /// Problems of the event that is being read.
    remarks: Remarks,
    /// Whole numbers that may be too large for their key.
    pub int_overflow: IntOverflow,
    /// The arguments of the event that is being read as they are written, where that is wanted.
    pub written: WrittenArguments,
}

/// Key of an event's category. The leading NUL distinguishes it from the name of any argument.
pub const CATEGORY: &str = "\0category";
/// Keys, and sorts of events by their keys, that are kept apart.
const MAX_SORTS: usize = 4096;
/// Arguments of one event that are kept apart.
const MAX_ARGS: usize = 64;
/// Characters of a text that are kept.
const MAX_TEXT: usize = 200;
/// Objects in objects whose members are arguments of their own: `args.data.stackTrace` is still one.
pub const MAX_LEVEL: u8 = 3;
/// Sorts of values that are remembered for events of one learned shape.
const MAX_MEMO: usize = 16;

impl Args {
    /// Adds a text to the event that is being read.
    pub fn text(&mut self, key: StrId, value: StrId) {
        self.put(key, ArgType::Text, i64::from(value.0));
    }

    /// Adds a whole number to the event that is being read.
    pub fn whole(&mut self, key: StrId, value: i64) {
        self.put(key, ArgType::Whole, value);
    }

    /// What the argument of the event that is being read is that has a key, if it carries one.
    pub fn sort_of(&self, key: StrId) -> Option<ArgType> {
        self.next.iter().find(|next| next.slot.0 == key).map(|next| next.slot.1)
    }

    /// Adds a value, or the members of an object one by one.
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
            // The b of an a, and what is called `a.b`, are two. Of a repeated key the last value counts.
            let key = if strings.get(key).contains('.') { self.apart(key, strings) } else { key };
            self.value(key, value, level, scanner, strings);
        }
    }

    /// The key itself, unless an argument of the event that is being read has it: then one that none has.
    pub fn apart(&self, key: StrId, strings: &mut Interner) -> StrId {
        let mut found = key;
        let mut number = 1;
        while self.next.iter().any(|next| next.slot.0 == found) {
            number += 1;
            found = strings.intern(&format!("{} ({number})", strings.get(key)));
        }
        found
    }

    /// The handle of the arguments that were added, and their problems.
    pub fn finish(&mut self) -> (ArgsId, Remarks) {
        let shape = self.shape();
        (self.keep(shape), self.remarks())
    }

    /// Adds the arguments of an event of a learned shape, whose text is `source`. The shape of all that were added.
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

    /// The argument that a value of a learned shape is.
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

    /// A number with decimals in millionths, or as a whole one where it is too large for that.
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

    /// Reports whole numbers that are too large for their keys.
    pub fn report_overflow(&self, outcome: &mut BuildReport, strings: &Interner) {
        self.int_overflow.report(outcome, strings, |key| self.has_decimals(key));
    }

    /// Keeps the arguments that were added, and are of this shape.
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

    /// Hands the arguments that were added over, numbers apart from texts, and forgets them.
    #[inline]
    pub fn report(
        &mut self,
        to: impl FnOnce(&mut dyn Iterator<Item = i64>, &mut dyn Iterator<Item = StrId>),
    ) {
        let of = |text: bool| self.next.iter().filter(move |next| (next.slot.1 == ArgType::Text) == text);
        to(&mut of(false).map(|next| next.value), &mut of(true).map(|next| StrId(next.value as u32)));
        self.next.clear();
    }

    /// Takes the problems of the event that was read.
    #[inline]
    pub fn remarks(&mut self) -> Remarks {
        std::mem::take(&mut self.remarks)
    }

    /// The keys of a shape.
    pub fn slots(&self, shape: u16) -> &[ArgSlot] {
        &self.shapes[usize::from(shape)]
    }

    /// The arguments of an event, in their order.
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

    /// The number in a row.
    #[inline]
    pub fn num_at(&self, row: u32) -> i64 {
        self.nums.get(row as usize)
    }

    /// The text in a row.
    #[inline]
    pub fn text_at(&self, row: u32) -> StrId {
        self.texts.get(row as usize)
    }

    /// Whether some numbers of a key have decimals: then all of them are kept in millionths.
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
        // The event before had this key and type in this place: both are known.
        if self.slots.get(self.next.len()) != Some(&(key, sort)) {
            *self.keys.entry(key).or_default() |= sort == ArgType::Millionths;
        }
        // A key that stands twice counts as it stands last.
        if self.next.iter().any(|next| next.slot.0 == key) {
            self.next.retain(|next| next.slot.0 != key);
        }
        self.next.push(Next { slot: (key, sort), value });
    }

    /// The key of an argument. Events that follow each other nearly always have equal keys.
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

    /// The argument that a string is.
    #[inline]
    fn quoted(&mut self, text: &str, strings: &mut Interner) -> (ArgType, i64) {
        if text.starts_with(|c: char| c == '-' || c.is_ascii_digit())
            && let Some(number) = self.plain_number(text)
        {
            return number;
        }
        // As many bytes are never more characters.
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

    /// The number that a string is, if nothing else could be meant: 007, +1, .5 and 1e5 stay texts.
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

    /// The shape of the arguments that were added; where there are too many shapes, without as many of the last ones
    /// as it takes to find one that is known.
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

/// A whole number that a word is, if it is written as one: 1.0 is a number with decimals. The least of 64 bits stands for
/// what is missing.
fn exact_whole(word: &str) -> Option<i64> {
    exact_i64(word).filter(|number| *number != i64::MIN && !word.contains('.'))
}

/// An argument of all events of one shape: where its value is, and its key.
pub type LearnedArgument = (ValueSlot, StrId);

/// What events of one shape have in common.
#[derive(Default)]
pub struct LearnedShape {
    /// Their arguments, in the order in which they stand.
    pub args: Vec<LearnedArgument>,
    /// The sorts of values that they had, two bits each, and the shape of such arguments.
    pub sorts: Vec<(u128, u16)>,
}
