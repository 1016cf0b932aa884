//! Names and units of attributes ([`Keys`]), and sets of keys that spans and events have in common ([`Shapes`]), each stored
//! once.

use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};

/// Id of an attribute name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key(pub u16);

/// Unit of an attribute; determines its format and whether it can be summed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unit {
    /// Text instead of a number.
    Text,
    /// Nanoseconds.
    Nanos,
    /// Picoseconds, for sources that measure with a finer resolution than the time axis.
    Picos,
    /// Bytes.
    Bytes,
    /// Rows of a result.
    Rows,
    /// Any other count.
    Count,
    /// Millionths, for numbers with up to six decimals.
    Millionths,
}

impl Unit {
    const NAMES: [(Self, &str); 7] = [
        (Self::Text, "text"),
        (Self::Nanos, "nanoseconds"),
        (Self::Picos, "picoseconds"),
        (Self::Bytes, "bytes"),
        (Self::Rows, "rows"),
        (Self::Count, "count"),
        (Self::Millionths, "decimal"),
    ];

    /// Name of the unit in files of the format `queryscope`.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(unit, _)| *unit == self).map_or("count", |(_, name)| name)
    }

    /// The unit with this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(unit, _)| *unit)
    }
}

/// Name and unit of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyInfo {
    /// Display name, such as "rows read".
    pub name: StrId,
    /// Unit of the values.
    pub unit: Unit,
}

/// Keys that exist in every trace, in the order of [`Keys::new`]; formats add further keys.
pub mod key {
    use super::Key;
    /// Text of a statement, as submitted.
    pub const SQL: Key = Key(0);
    /// Connector that accessed a source.
    pub const CONNECTOR: Key = Key(1);
    /// Data source that the connector reads.
    pub const DATASOURCE: Key = Key(2);
    /// Type of the pushed command: QUERY, INSERT, …
    pub const COMMAND_TYPE: Key = Key(3);
    /// Command that was pushed down to the source.
    pub const COMMAND: Key = Key(4);
    /// Id that the engine assigned to one use of a source.
    pub const TUPLE_SOURCE: Key = Key(5);
    /// Error message of a failure.
    pub const ERROR: Key = Key(6);
    /// Id that the engine assigned to a statement.
    pub const QUERY_ID: Key = Key(7);
    /// Database (and version) in which a statement ran.
    pub const DATABASE: Key = Key(8);
    /// Number of rows read at the source.
    pub const ROWS_READ: Key = Key(9);
    /// Number of rows that the source returned to the engine.
    pub const ROWS_RETURNED: Key = Key(10);
    /// Time that a source execution spent reading, in nanoseconds.
    pub const READ_TIME: Key = Key(11);
    /// Duration reported by the engine, in nanoseconds, which may differ from the two timestamps.
    pub const REPORTED_DURATION: Key = Key(12);
    /// Number of bytes moved.
    pub const BYTES: Key = Key(13);
    /// Number of elements or pages moved.
    pub const ELEMENTS: Key = Key(14);
    /// Category according to the writer of the trace; several categories are separated by commas.
    pub const CATEGORY: Key = Key(15);
    /// Time that the thread ran on a processor, in nanoseconds.
    pub const THREAD_TIME: Key = Key(16);
    /// Number of an event in its thread.
    pub const EVENT_ID: Key = Key(17);
    /// Duration reported by the source, in picoseconds.
    pub const TIMER_WAIT: Key = Key(18);
}

pub(super) const KNOWN: [(&str, Unit); 19] = [
    ("SQL", Unit::Text),
    ("connector", Unit::Text),
    ("datasource", Unit::Text),
    ("command type", Unit::Text),
    ("pushed command", Unit::Text),
    ("tuple source", Unit::Text),
    ("error", Unit::Text),
    ("query id", Unit::Text),
    ("database", Unit::Text),
    ("rows read", Unit::Rows),
    ("rows returned", Unit::Rows),
    ("reading time", Unit::Nanos),
    ("reported duration", Unit::Nanos),
    ("bytes", Unit::Bytes),
    ("elements", Unit::Count),
    ("category", Unit::Text),
    ("thread time", Unit::Nanos),
    (super::attribute_names::EVENT_ID, Unit::Count),
    (super::attribute_names::TIMER_WAIT, Unit::Picos),
];

/// Table of keys.
#[derive(Clone, Default)]
pub struct Keys {
    infos: Vec<KeyInfo>,
    /// First key of each name, and first key of each name by whether its unit is millionths.
    by_name: FxHashMap<StrId, u16>,
    by_count: FxHashMap<(StrId, bool), u16>,
}

impl Keys {
    /// Creates the table with the keys of [`key`], whose names are interned in `strings`.
    pub fn new(strings: &mut Interner) -> Self {
        let mut keys = Self::default();
        for (name, unit) in KNOWN {
            keys.push(KeyInfo { name: strings.intern(name), unit });
        }
        keys
    }

    fn push(&mut self, info: KeyInfo) -> u16 {
        let at = self.infos.len() as u16;
        self.infos.push(info);
        self.by_name.entry(info.name).or_insert(at);
        self.by_count.entry((info.name, info.unit == Unit::Millionths)).or_insert(at);
        at
    }

    /// Returns the key with this name, added if new. A known key keeps its unit, but a key in millionths is always separate.
    /// At most 65,535 keys are distinguished; all later keys share the last one.
    pub fn add(&mut self, name: StrId, unit: Unit) -> Key {
        if let Some(&known) = self.by_count.get(&(name, unit == Unit::Millionths)) {
            return Key(known);
        }
        let is_full = self.infos.len() >= usize::from(u16::MAX);
        Key(if is_full { u16::MAX - 1 } else { self.push(KeyInfo { name, unit }) })
    }

    /// The key with this name, or the first one if several keys have it; `None` if there is none.
    pub fn find(&self, name: StrId) -> Option<Key> {
        self.by_name.get(&name).map(|&at| Key(at))
    }

    /// All keys, including keys without any value in the trace (see [`Trace::keys_in_use`](super::Trace::keys_in_use)).
    pub fn iter(&self) -> impl Iterator<Item = (Key, KeyInfo)> + '_ {
        self.infos.iter().enumerate().map(|(at, &info)| (Key(at as u16), info))
    }

    /// Name and unit of `key`.
    pub fn get(&self, key: Key) -> KeyInfo {
        self.infos[usize::from(key.0)]
    }
}

/// Id of a [`Shape`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ShapeId(pub u16);

impl ShapeId {
    /// The empty shape, for items without attributes of their own; the first shape of every trace.
    pub const BARE: ShapeId = ShapeId(0);
}

/// The keys of the attributes of a span or event, in the order in which the values are stored.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shape {
    /// Keys of the numeric attributes.
    pub nums: Vec<Key>,
    /// Keys of the text attributes.
    pub texts: Vec<Key>,
}

/// Table of shapes, usually only a few.
#[derive(Clone, Default)]
pub struct Shapes {
    shapes: Vec<Shape>,
    ids: FxHashMap<Shape, ShapeId>,
}

impl Shapes {
    /// Returns the id of `shape`, added if new; `None` if it is new and the table already has 65,536 shapes.
    pub fn add(&mut self, shape: Shape) -> Option<ShapeId> {
        if let Some(&id) = self.ids.get(&shape) {
            return Some(id);
        }
        let id = ShapeId(u16::try_from(self.shapes.len()).ok()?);
        self.shapes.push(shape.clone());
        self.ids.insert(shape, id);
        Some(id)
    }

    /// Keys of all shapes, with duplicates.
    pub fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.shapes.iter().flat_map(|shape| shape.nums.iter().chain(&shape.texts).copied())
    }

    /// All shapes, ordered by their ids.
    pub fn iter(&self) -> impl Iterator<Item = &Shape> {
        self.shapes.iter()
    }

    /// The shape with this id, which must exist.
    pub fn get(&self, id: ShapeId) -> &Shape {
        &self.shapes[usize::from(id.0)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_shapes_are_found_again() {
        let mut strings = Interner::default();
        let (mut keys, mut shapes) = (Keys::new(&mut strings), Shapes::default());
        assert_eq!(keys.get(key::TIMER_WAIT).unit, Unit::Picos);
        let [bytes, own] = ["bytes", "own"].map(|name| strings.intern(name));
        // A key in millionths is separate; `find` returns the first key of a name.
        assert_eq!(keys.add(bytes, Unit::Count), key::BYTES);
        let [whole, text, parts] =
            [Unit::Count, Unit::Text, Unit::Millionths].map(|unit| keys.add(own, unit));
        assert_eq!((whole, keys.find(own)), (text, Some(whole)));
        assert_ne!(whole, parts);
        for at in 0..70_000_u32 {
            let shape = Shape { nums: vec![Key(at as u16)], texts: vec![Key((at >> 16) as u16)] };
            let id = shapes.add(shape.clone());
            assert_eq!(id, u16::try_from(at).ok().map(ShapeId), "the first 65,536 are kept apart");
            assert!(id.is_none_or(|id| *shapes.get(id) == shape));
        }
        let first = Shape { nums: vec![Key(0)], texts: vec![Key(0)] };
        assert_eq!(shapes.add(first), Some(ShapeId(0)));
    }
}
