//! The values of one record, by the slots that a format assigns to its fields. Texts are ranges of the record's text;
//! only texts with escapes are copied.

use crate::base::interner::{Interner, StrId};

/// Number that a format assigns to a field; less than [`SLOTS`].
pub type Slot = u8;

/// Maximum number of fields of a format.
pub const SLOTS: usize = 64;

/// A value of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// Not reported.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number, and its range in the record's text.
    Int(i64, u32, u32),
    /// A number with decimals: all its digits, the number of digits after the point, and its range in the record's
    /// text.
    Decimal(i64, u8, u32, u32),
    /// A text, as its range in the record's text.
    Text(u32, u32),
    /// A text with escapes, as its range in the [decoded](Values::decode) texts.
    Decoded(u32, u32),
    /// A text that was interned when the record's shape was learned.
    Word(StrId),
    /// Any other value (an array, an object, a number in unusual notation), as its range in the record's text.
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

/// The variant of a [`Cell`].
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

/// A [`Cell`] as separate fields, which are written and read individually: reading an enum as a whole right after its
/// parts were written stalls the processor.
#[derive(Clone, Copy)]
pub struct Plain {
    pub sort: CellType,
    /// Number of digits after the point.
    pub scale: u8,
    /// Start of the value's range in the text.
    pub from: u32,
    pub to: u32,
    /// The number, 1 for `true` and 0 for `false`, or the id of a word.
    pub number: i64,
}

impl Plain {
    /// A value that is not reported.
    pub const NULL: Self = Self { sort: CellType::Null, scale: 0, from: 0, to: 0, number: 0 };

    /// Creates a boolean value.
    #[inline]
    pub const fn truth(truth: bool) -> Self {
        Self { sort: CellType::Bool, number: truth as i64, ..Self::NULL }
    }

    /// Creates a text from its range.
    #[inline]
    pub const fn text(from: u32, to: u32) -> Self {
        Self { sort: CellType::Text, from, to, ..Self::NULL }
    }

    /// Creates a value of any other type from its range.
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

/// Type of a field's values; any field may also be unreported.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Class {
    /// Text with few distinct values per file, such as an event type or the name of a connector.
    Word,
    /// Text. A number is kept as text, as it is written.
    Text,
    /// Whole numbers.
    Number,
    /// `true` or `false`.
    Truth,
    /// Numbers, whole or not; neither a text nor null.
    Decimal,
    /// Anything but an object; an array is kept as text.
    Any,
}

/// The values of one record by slot. One instance is reused for all records.
pub struct Values {
    cells: [Plain; SLOTS],
    seen: u64,
    decoded: String,
    /// Whether the record has a key that is unknown to the format.
    pub unknown: bool,
}

impl Default for Values {
    fn default() -> Self {
        Self { cells: [Plain::NULL; SLOTS], seen: 0, decoded: String::new(), unknown: false }
    }
}

impl Values {
    /// Clears the values for the next record.
    #[inline]
    pub fn clear(&mut self) {
        self.seen = 0;
        self.unknown = false;
        self.decoded.clear();
    }

    /// Returns the value in a slot.
    #[inline]
    pub fn get(&self, slot: Slot) -> Cell {
        self.plain(slot).map_or(Cell::Null, Plain::cell)
    }

    #[inline]
    fn plain(&self, slot: Slot) -> Option<&Plain> {
        self.has(slot).then(|| &self.cells[usize::from(slot)])
    }

    /// Whether the record contains the field, even if its value is not reported.
    #[inline]
    pub fn has(&self, slot: Slot) -> bool {
        self.seen >> (usize::from(slot) % SLOTS) & 1 == 1
    }

    /// Sets the value of a slot below [`SLOTS`].
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

    /// Stores a text whose escapes were decoded, and returns the cell that refers to it.
    pub fn decode(&mut self, text: &str) -> Cell {
        let start = self.decoded.len() as u32;
        self.decoded.push_str(text);
        Cell::Decoded(start, self.decoded.len() as u32)
    }

    /// Returns the text in a slot, interned; `source` is the record's text.
    #[inline]
    pub fn intern(&self, source: &str, slot: Slot, strings: &mut Interner) -> StrId {
        if let Cell::Word(word) = self.get(slot) {
            return word;
        }
        self.text(source, slot).map_or(StrId::NONE, |text| strings.intern(text))
    }

    /// Returns the text in a slot, or any other value as it is written in `source`, the record's text. `None` for a
    /// word and for a value that is not reported.
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

    /// Returns the text in a slot if it was [decoded](Self::decode).
    pub fn decoded(&self, slot: Slot) -> Option<&str> {
        match self.get(slot) {
            Cell::Decoded(from, to) => self.decoded.get(from as usize..to as usize),
            _ => None,
        }
    }

    /// Whether a slot holds a value other than null and booleans, which can be used as text.
    #[inline]
    pub fn has_text(&self, slot: Slot) -> bool {
        !matches!(self.get(slot), Cell::Null | Cell::Bool(_))
    }

    /// Returns the number in a slot.
    #[inline]
    pub fn int(&self, slot: Slot) -> Option<i64> {
        match self.get(slot) {
            Cell::Int(number, ..) => Some(number),
            _ => None,
        }
    }

    /// Returns the boolean in a slot.
    pub fn truth(&self, slot: Slot) -> Option<bool> {
        match self.get(slot) {
            Cell::Bool(truth) => Some(truth),
            _ => None,
        }
    }
}
