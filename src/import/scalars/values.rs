//! The values of one record, by the slots that a format gives its fields. Texts are not copied: they are places in the
//! record's own text; only texts with escapes are copied.

use crate::base::interner::{Interner, StrId};

/// The number that a format gives a field, below [`SLOTS`].
pub type Slot = u8;

/// The fields that a format can have.
pub const SLOTS: usize = 64;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Not reported.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number, and where it stands in the record's text.
    Int(i64, u32, u32),
    /// A number with decimals: all its digits, how many of them stand after the point, and where it stands in the record's
    /// text.
    Decimal(i64, u8, u32, u32),
    /// Where a text stands in the record's text.
    Text(u32, u32),
    /// Where a text stands among the [decoded](Values::decode) ones.
    Decoded(u32, u32),
    /// A text that was interned when the shape of the record was learned.
    Word(StrId),
    /// Where any other value stands in the record's text: an array, an object, a number that is written in another way.
    Raw(u32, u32),
}

impl Cell {
    #[inline]
    fn plain(self) -> Plain {
        let of = |sort, number, from, to| Plain { sort, number, scale: 0, from, to };
        match self {
            Cell::Null => Plain::NULL,
            Cell::Bool(truth) => Plain::truth(truth),
            Cell::Int(number, from, to) => of(CellType::Int, number, from, to),
            Cell::Decimal(number, scale, from, to) => {
                Plain { scale, ..of(CellType::Decimal, number, from, to) }
            }
            Cell::Text(from, to) => Plain::text(from, to),
            Cell::Decoded(from, to) => of(CellType::Decoded, 0, from, to),
            Cell::Word(word) => of(CellType::Word, i64::from(word.0), 0, 0),
            Cell::Raw(from, to) => Plain::raw(from, to),
        }
    }
}

/// Which [`Cell`] a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CellType {
    Null,
    Bool,
    Int,
    Decimal,
    Text,
    Decoded,
    Word,
    Raw,
}

/// A [`Cell`] in numbers that are written and read one by one: an enum is copied as a whole, and for what was just written in
/// parts a processor waits then.
#[derive(Clone, Copy)]
pub struct Plain {
    pub sort: CellType,
    /// Digits after the point.
    pub scale: u8,
    /// Where it stands.
    pub from: u32,
    pub to: u32,
    /// The number, 1 for what is true, the handle of a word.
    pub number: i64,
}

impl Plain {
    /// Not reported.
    pub const NULL: Self = Self { sort: CellType::Null, scale: 0, from: 0, to: 0, number: 0 };

    /// Of `true` and `false`.
    #[inline]
    pub const fn truth(truth: bool) -> Self {
        Self { sort: CellType::Bool, number: truth as i64, ..Self::NULL }
    }

    /// A text that stands there.
    #[inline]
    pub const fn text(from: u32, to: u32) -> Self {
        Self { sort: CellType::Text, from, to, ..Self::NULL }
    }

    /// A value of any other type that stands there.
    #[inline]
    pub const fn raw(from: u32, to: u32) -> Self {
        Self { sort: CellType::Raw, from, to, ..Self::NULL }
    }

    #[inline]
    fn cell(&self) -> Cell {
        match self.sort {
            CellType::Null => Cell::Null,
            CellType::Bool => Cell::Bool(self.number != 0),
            CellType::Int => Cell::Int(self.number, self.from, self.to),
            CellType::Decimal => Cell::Decimal(self.number, self.scale, self.from, self.to),
            CellType::Text => Cell::Text(self.from, self.to),
            CellType::Decoded => Cell::Decoded(self.from, self.to),
            CellType::Word => Cell::Word(StrId(self.number as u32)),
            CellType::Raw => Cell::Raw(self.from, self.to),
        }
    }
}

/// What a field holds; any field may be not reported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Text with few different values in a file: a type, the name of a connector.
    Word,
    /// Text. A number under its key is taken as it stands.
    Text,
    /// Whole numbers.
    Number,
    /// `true` or `false`.
    Truth,
    /// Numbers, whole or not. Neither a text nor null.
    Decimal,
    /// Anything but an object: an array is its text.
    Any,
}

/// The values of one record. Made once and filled again and again.
pub struct Values {
    cells: [Plain; SLOTS],
    seen: u64,
    decoded: String,
    /// Whether there was a key that the format does not know.
    pub unknown: bool,
}

impl Default for Values {
    fn default() -> Self {
        Self { cells: [Plain::NULL; SLOTS], seen: 0, decoded: String::new(), unknown: false }
    }
}

impl Values {
    /// Ready for the next record.
    #[inline]
    pub fn clear(&mut self) {
        self.seen = 0;
        self.unknown = false;
        self.decoded.clear();
    }

    /// The value in a slot.
    #[inline]
    pub fn get(&self, slot: Slot) -> Cell {
        self.plain(slot).map_or(Cell::Null, Plain::cell)
    }

    #[inline]
    fn plain(&self, slot: Slot) -> Option<&Plain> {
        self.has(slot).then(|| &self.cells[usize::from(slot)])
    }

    /// Whether the record has the field, reported or not.
    #[inline]
    pub fn has(&self, slot: Slot) -> bool {
        self.seen >> (usize::from(slot) % SLOTS) & 1 == 1
    }

    /// Puts a value into a slot below [`SLOTS`].
    #[inline]
    pub fn set(&mut self, slot: Slot, cell: Cell) {
        self.put(slot, cell.plain());
    }

    /// Sets the value of a slot, from its plain form.
    #[inline]
    pub fn put(&mut self, slot: Slot, value: Plain) {
        self.cells[usize::from(slot)] = value;
        self.seen |= 1 << (usize::from(slot) % SLOTS);
    }

    /// Keeps a text that does not stand in the record as it is.
    pub fn decode(&mut self, text: &str) -> Cell {
        let start = self.decoded.len() as u32;
        self.decoded.push_str(text);
        Cell::Decoded(start, self.decoded.len() as u32)
    }

    /// The text in a slot, interned; `source` is the record's.
    #[inline]
    pub fn intern(&self, source: &str, slot: Slot, strings: &mut Interner) -> StrId {
        if let Cell::Word(word) = self.get(slot) {
            return word;
        }
        self.text(source, slot).map_or(StrId::NONE, |text| strings.intern(text))
    }

    /// The text in a slot, or a value of another type as it stands, unless it is a word; `source` is the record's.
    #[inline]
    pub fn text<'a>(&'a self, source: &'a str, slot: Slot) -> Option<&'a str> {
        match self.get(slot) {
            Cell::Text(from, to)
            | Cell::Int(_, from, to)
            | Cell::Decimal(_, _, from, to)
            | Cell::Raw(from, to) => source.get(from as usize..to as usize),
            Cell::Decoded(from, to) => self.decoded.get(from as usize..to as usize),
            Cell::Bool(truth) => Some(if truth { "true" } else { "false" }),
            Cell::Null | Cell::Word(_) => None,
        }
    }

    /// A text that was [decoded](Self::decode).
    pub fn decoded(&self, slot: Slot) -> Option<&str> {
        match self.get(slot) {
            Cell::Decoded(from, to) => self.decoded.get(from as usize..to as usize),
            _ => None,
        }
    }

    /// Whether there is a text in a slot.
    #[inline]
    pub fn has_text(&self, slot: Slot) -> bool {
        !matches!(self.get(slot), Cell::Null | Cell::Bool(_))
    }

    /// The number in a slot.
    #[inline]
    pub fn int(&self, slot: Slot) -> Option<i64> {
        match self.get(slot) {
            Cell::Int(number, ..) => Some(number),
            _ => None,
        }
    }

    /// The truth in a slot.
    pub fn truth(&self, slot: Slot) -> Option<bool> {
        match self.get(slot) {
            Cell::Bool(truth) => Some(truth),
            _ => None,
        }
    }
}
