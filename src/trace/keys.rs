//! The names of the numbers and texts of spans and events ([`Keys`]), and the sets of keys that spans carry ([`Shapes`]),
//! each stored once for all spans with the same keys.

use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};

/// The handle of a named number or text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key(pub u16);

/// What a number counts; decides how it is written and whether sums make sense.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unit {
    /// Not a number.
    Text,
    /// Nanoseconds.
    Nanos,
    /// Picoseconds: what a source measures more finely than the time axis is.
    Picos,
    /// Bytes.
    Bytes,
    /// Rows of a result.
    Rows,
    /// Anything else that is counted.
    Count,
    /// Millionths of something: how numbers with decimals are kept, exact up to six of them.
    Millionths,
}

/// A key's name and unit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct KeyInfo {
    /// Display name, such as "rows read".
    pub name: StrId,
    /// What it counts.
    pub unit: Unit,
}

/// The keys that every trace knows, in the order of [`Keys::default`]; formats append their own.
pub mod key {
    use super::Key;
    /// A statement, as it was submitted.
    pub const SQL: Key = Key(0);
    /// The connector that reached a source.
    pub const CONNECTOR: Key = Key(1);
    /// The data source that the connector reads.
    pub const DATASOURCE: Key = Key(2);
    /// What kind of command was pushed: QUERY, INSERT, …
    pub const COMMAND_TYPE: Key = Key(3);
    /// The command that was pushed down to the source.
    pub const COMMAND: Key = Key(4);
    /// The engine's name for one use of a source.
    pub const TUPLE_SOURCE: Key = Key(5);
    /// Why something failed.
    pub const ERROR: Key = Key(6);
    /// The engine's name for one statement.
    pub const QUERY_ID: Key = Key(7);
    /// The database (and version) that a statement ran in.
    pub const DATABASE: Key = Key(8);
    /// Rows that were read at the source.
    pub const ROWS_READ: Key = Key(9);
    /// Rows that the source handed to the engine.
    pub const ROWS_RETURNED: Key = Key(10);
    /// The part of a source execution that was spent reading.
    pub const READ_TIME: Key = Key(11);
    /// A duration that the engine reported itself, where it may differ from the two timestamps.
    pub const REPORTED_DURATION: Key = Key(12);
    /// Bytes moved.
    pub const BYTES: Key = Key(13);
    /// Elements or pages moved.
    pub const ELEMENTS: Key = Key(14);
    /// What sort of work the writer of the trace says that it is; several are separated by commas.
    pub const CATEGORY: Key = Key(15);
    /// The time that the thread was running on a processor.
    pub const THREAD_TIME: Key = Key(16);
    /// The number of an event in its thread.
    pub const EVENT_ID: Key = Key(17);
    /// How long it took, as the source says it, in picoseconds.
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

/// The table of keys.
#[derive(Clone, Default)]
pub struct Keys {
    infos: Vec<KeyInfo>,
    /// By name: the first key of that name, and the first that counts in the same way, whole or by the million.
    by_name: FxHashMap<StrId, u16>,
    by_count: FxHashMap<(StrId, bool), u16>,
}

impl Keys {
    /// The keys of [`key`], their names interned in `strings`.
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

    /// The key called `name`, added if it is new: a known one keeps its unit, unless it counts by the million.
    /// At most 65,535 keys are kept apart; later ones share the last.
    pub fn add(&mut self, name: StrId, unit: Unit) -> Key {
        if let Some(&known) = self.by_count.get(&(name, unit == Unit::Millionths)) {
            return Key(known);
        }
        let is_full = self.infos.len() >= usize::from(u16::MAX);
        Key(if is_full { u16::MAX - 1 } else { self.push(KeyInfo { name, unit }) })
    }

    /// The key called `name`; if several have that name, the one that was added first.
    pub fn find(&self, name: StrId) -> Option<Key> {
        self.by_name.get(&name).map(|&at| Key(at))
    }

    /// All keys; whether a trace has values of one its shapes say.
    pub fn iter(&self) -> impl Iterator<Item = (Key, KeyInfo)> + '_ {
        self.infos.iter().enumerate().map(|(at, &info)| (Key(at as u16), info))
    }

    /// Name and unit of `key`.
    pub fn get(&self, key: Key) -> KeyInfo {
        self.infos[usize::from(key.0)]
    }
}

/// The handle of a [`Shape`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ShapeId(pub u16);

impl ShapeId {
    /// The shape of what carries nothing of its own: the first of every trace.
    pub const BARE: ShapeId = ShapeId(0);
}

/// Which numbers and texts a span or event carries, in the order in which they are stored.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Shape {
    /// Keys of the numbers.
    pub nums: Vec<Key>,
    /// Keys of the texts.
    pub texts: Vec<Key>,
}

/// The table of shapes: a handful, as a rule.
#[derive(Clone, Default)]
pub struct Shapes {
    shapes: Vec<Shape>,
    ids: FxHashMap<Shape, ShapeId>,
}

impl Shapes {
    /// The handle of `shape`, added if it is new; `None` if it is new and there are 65,536 others.
    pub fn add(&mut self, shape: Shape) -> Option<ShapeId> {
        if let Some(&id) = self.ids.get(&shape) {
            return Some(id);
        }
        let id = ShapeId(u16::try_from(self.shapes.len()).ok()?);
        self.shapes.push(shape.clone());
        self.ids.insert(shape, id);
        Some(id)
    }

    /// The keys of all shapes; one may come several times.
    pub fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.shapes.iter().flat_map(|shape| shape.nums.iter().chain(&shape.texts).copied())
    }

    /// All shapes, by their handles.
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
        // What counts by the million is a key of its own; the first of a name is the one that is found by it.
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
