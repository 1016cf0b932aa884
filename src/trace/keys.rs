//! What the numbers and texts of spans and events are called: [`Keys`], and [`Shapes`]: which of them a
//! span carries, stored once for all spans that look alike.

use crate::strings::{StrId, Strings};

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
    /// As people read it: "rows read".
    pub name: StrId,
    /// What it counts.
    pub unit: Unit,
}

/// The keys that every trace knows, in the order of [`Keys::default`]; formats add their own behind them.
pub mod key {
    use super::Key;
    /// A statement, as it was submitted.
    pub const SQL: Key = Key(0);
    /// The connector that reached a source.
    pub const CONNECTOR: Key = Key(1);
    /// The data source behind the connector.
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
    (super::words::EVENT_ID, Unit::Count),
    (super::words::TIMER_WAIT, Unit::Picos),
];

/// The table of keys.
#[derive(Clone, Default)]
pub struct Keys {
    infos: Vec<KeyInfo>,
}

impl Keys {
    /// The keys of [`key`], their names interned in `strings`.
    pub fn new(strings: &mut Strings) -> Self {
        let info = |(name, unit): (&str, Unit)| KeyInfo { name: strings.intern(name), unit };
        Self { infos: KNOWN.map(info).to_vec() }
    }

    /// The key called `name`, added if it is new: a known one keeps its unit, unless it counts by the million.
    /// At most 65,535 keys are kept apart; later ones share the last.
    pub fn add(&mut self, name: StrId, unit: Unit) -> Key {
        let parts = |unit| unit == Unit::Millionths;
        let same = |info: &KeyInfo| info.name == name && parts(info.unit) == parts(unit);
        let found = self.infos.iter().position(same);
        let at = found.unwrap_or_else(|| {
            if self.infos.len() < usize::from(u16::MAX) {
                self.infos.push(KeyInfo { name, unit });
            }
            self.infos.len() - 1
        });
        Key(at as u16)
    }

    /// The key called `name`, of whatever unit it was first.
    pub fn find(&self, name: StrId) -> Option<Key> {
        self.infos.iter().position(|info| info.name == name).map(|at| Key(at as u16))
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
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Shape {
    /// Keys of the numbers.
    pub nums: Vec<Key>,
    /// Keys of the texts.
    pub texts: Vec<Key>,
}

/// The table of shapes: a handful, whatever the size of the trace.
#[derive(Clone, Default)]
pub struct Shapes {
    shapes: Vec<Shape>,
}

impl Shapes {
    /// The handle of `shape`, added if it is new.
    pub fn add(&mut self, shape: Shape) -> ShapeId {
        let at = self.shapes.iter().position(|s| *s == shape).unwrap_or_else(|| {
            self.shapes.push(shape);
            self.shapes.len() - 1
        });
        ShapeId(at as u16)
    }

    /// The keys of all shapes; one may come several times.
    pub fn keys(&self) -> impl Iterator<Item = Key> + '_ {
        self.shapes.iter().flat_map(|shape| shape.nums.iter().chain(&shape.texts).copied())
    }

    /// All shapes, by their handles.
    pub fn iter(&self) -> impl Iterator<Item = &Shape> {
        self.shapes.iter()
    }

    /// The shape behind a handle.
    pub fn get(&self, id: ShapeId) -> &Shape {
        &self.shapes[usize::from(id.0)]
    }
}
