//! Kubling's event schema: the fields, the event types and what each of them carries, and the columns that the
//! database collector writes for them.

use crate::import::scalars::values::{Class, Slot};
use crate::trace::{Key, key};

/// A text of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Text {
    /// `runId`.
    Run,
    /// `queryId`.
    Query,
    /// `vdbName`.
    Vdb,
    /// `vdbVersion`.
    VdbVersion,
    /// `type`.
    Type,
    /// `sql`.
    Sql,
    /// `error`.
    Error,
    /// `connectorName`.
    Connector,
    /// `tupleSourceId`.
    TupleSource,
    /// `datasourceName`.
    Datasource,
    /// `commandPushed`.
    Command,
    /// `sourceCommandType`.
    CommandType,
    /// `bufferEventType`.
    BufferType,
}

/// A number of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Num {
    /// `timestamp`.
    Timestamp,
    /// `rowsRead`.
    RowsRead,
    /// `rowsReturned`.
    RowsReturned,
    /// `duration` of SOURCE_END, in nanoseconds.
    Duration,
    /// `sourceReadDurationNanos`.
    ReadTime,
    /// `bytes`.
    Bytes,
    /// `elements`.
    Elements,
}

impl Text {
    /// What it is called as an argument of a span; `None` for what is shown otherwise.
    pub fn key(self) -> Option<Key> {
        match self {
            Text::Sql => Some(key::SQL),
            Text::Error => Some(key::ERROR),
            Text::Connector => Some(key::CONNECTOR),
            Text::TupleSource => Some(key::TUPLE_SOURCE),
            Text::Datasource => Some(key::DATASOURCE),
            Text::Command => Some(key::COMMAND),
            Text::CommandType => Some(key::COMMAND_TYPE),
            Text::Run | Text::Query | Text::Vdb | Text::VdbVersion | Text::Type | Text::BufferType => None,
        }
    }
}

impl Num {
    /// What it is called as an argument of a span or event.
    pub fn key(self) -> Key {
        match self {
            Num::RowsRead => key::ROWS_READ,
            Num::RowsReturned => key::ROWS_RETURNED,
            Num::Duration | Num::Timestamp => key::REPORTED_DURATION,
            Num::ReadTime => key::READ_TIME,
            Num::Bytes => key::BYTES,
            Num::Elements => key::ELEMENTS,
        }
    }
}

/// Count of [`Text`].
pub const TEXTS: usize = 13;
/// Count of [`Num`].
pub const NUMS: usize = 7;

/// A field of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Field {
    /// A text.
    Text(Text),
    /// A number.
    Num(Num),
    /// `success`.
    Success,
    /// The database's own row number, which says nothing about the event.
    RowId,
}

/// Every field, by its slot: the name in events, the names of its column in tables.
const FIELDS: [(Field, &str, &[&str]); 22] = [
    (Field::Text(Text::Run), "runId", &["RUN_ID"]),
    (Field::Text(Text::Query), "queryId", &["QUERY_ID"]),
    (Field::Text(Text::Vdb), "vdbName", &["VDB_NAME"]),
    (Field::Text(Text::VdbVersion), "vdbVersion", &["VDB_VERSION"]),
    (Field::Text(Text::Type), "type", &["TYPE"]),
    (Field::Text(Text::Sql), "sql", &["SQL_TEXT"]),
    (Field::Text(Text::Error), "error", &["ERROR"]),
    (Field::Text(Text::Connector), "connectorName", &["CONNECTOR_ID", "CONNECTOR_NAME"]),
    (Field::Text(Text::TupleSource), "tupleSourceId", &["SOURCE_EXECUTION_ID", "TUPLE_SOURCE_ID"]),
    (Field::Text(Text::Datasource), "datasourceName", &["DATASOURCE_NAME"]),
    (Field::Text(Text::Command), "commandPushed", &["COMMAND_PUSHED"]),
    (Field::Text(Text::CommandType), "sourceCommandType", &["COMMAND_TYPE", "SOURCE_COMMAND_TYPE"]),
    (Field::Text(Text::BufferType), "bufferEventType", &["EVENT_TYPE", "BUFFER_EVENT_TYPE"]),
    (Field::Num(Num::Timestamp), "timestamp", &["TS_NANOS", "TIMESTAMP"]),
    (Field::Num(Num::RowsRead), "rowsRead", &["ROWS_READ"]),
    (Field::Num(Num::RowsReturned), "rowsReturned", &["ROWS_RETURNED"]),
    (Field::Num(Num::Duration), "duration", &["DURATION_NANOS"]),
    (
        Field::Num(Num::ReadTime),
        "sourceReadDurationNanos",
        &["SOURCE_READ_DURATION_NS", "SOURCE_READ_DURATION_NANOS"],
    ),
    (Field::Num(Num::Bytes), "bytes", &["BYTES"]),
    (Field::Num(Num::Elements), "elements", &["ELEMENTS"]),
    (Field::Success, "success", &["SUCCESS"]),
    (Field::RowId, "ENTRY_ID", &["ENTRY_ID", "ID"]),
];

/// The slot of the field called `name` in an event, or of the column called `name` in whatever case.
pub fn slot_of(name: &str) -> Option<Slot> {
    let event = FIELDS.iter().position(|(_, event, _)| *event == name);
    event.or_else(|| column_of(name)).map(|at| at as Slot)
}

fn column_of(name: &str) -> Option<usize> {
    let name = name.trim();
    // `bytes` is a field of events and the column BYTES; `timestamp` in other spellings is no field of an event.
    FIELDS.iter().position(|(_, _, columns)| columns.iter().any(|c| c.eq_ignore_ascii_case(name)))
}

/// The field at a slot of [`slot_of`].
pub fn field(slot: Slot) -> Field {
    FIELDS[usize::from(slot)].0
}

/// The field called `name`, in an event or as a column.
pub fn field_of(name: &str) -> Option<Field> {
    slot_of(name).map(field)
}

/// The slot of the key `name` of an event, and what its value is.
pub fn key_of(name: &str) -> Option<(Slot, Class)> {
    let slot = slot_of(name)?;
    let class = match field(slot) {
        Field::Text(Text::Query | Text::TupleSource | Text::Sql | Text::Command | Text::Error) => Class::Text,
        Field::Text(_) => Class::Word,
        Field::Num(_) | Field::RowId => Class::Number,
        Field::Success => Class::Truth,
    };
    Some((slot, class))
}

impl Field {
    /// Where it stands in [`FIELDS`].
    pub const fn slot(self) -> Slot {
        match self {
            Field::Text(text) => text as Slot,
            Field::Num(num) => TEXTS as Slot + num as Slot,
            Field::Success => (TEXTS + NUMS) as Slot,
            Field::RowId => (TEXTS + NUMS + 1) as Slot,
        }
    }
}

/// A type of event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Type {
    // In the order in which they follow one another where nothing else tells.
    /// REQUEST_START.
    RequestStart,
    /// QUERY_START.
    QueryStart,
    /// SOURCE_START.
    SourceStart,
    /// SOURCE_EXECUTION_START.
    ExecutionStart,
    /// BUFFER_EVENT.
    Buffer,
    /// A type that this version does not know.
    Other,
    /// SOURCE_EXECUTION_END.
    ExecutionEnd,
    /// SOURCE_END.
    SourceEnd,
    /// QUERY_END.
    QueryEnd,
}

impl Type {
    /// All types, by their codes.
    pub const ALL: [Type; 9] = [
        Type::RequestStart,
        Type::QueryStart,
        Type::SourceStart,
        Type::ExecutionStart,
        Type::Buffer,
        Type::Other,
        Type::ExecutionEnd,
        Type::SourceEnd,
        Type::QueryEnd,
    ];

    /// As it stands in events; empty for [`Type::Other`].
    pub fn name(self) -> &'static str {
        match self {
            Type::RequestStart => "REQUEST_START",
            Type::QueryStart => "QUERY_START",
            Type::SourceStart => "SOURCE_START",
            Type::ExecutionStart => "SOURCE_EXECUTION_START",
            Type::Buffer => "BUFFER_EVENT",
            Type::Other => "",
            Type::ExecutionEnd => "SOURCE_EXECUTION_END",
            Type::SourceEnd => "SOURCE_END",
            Type::QueryEnd => "QUERY_END",
        }
    }

    /// The type called `name`; [`Type::Other`] for any that is not known.
    pub fn named(name: &str) -> Self {
        Self::ALL.into_iter().find(|t| t.name() == name && *t != Type::Other).unwrap_or(Type::Other)
    }

    /// The texts that are kept of it, beside those that every event has.
    pub const fn texts(self) -> &'static [Text] {
        match self {
            Type::RequestStart => &[],
            Type::QueryStart => &[Text::Sql],
            Type::QueryEnd => &[Text::Error],
            // In the order in which people read them.
            Type::SourceStart | Type::SourceEnd => &[Text::Connector, Text::TupleSource],
            Type::ExecutionStart => {
                &[Text::Connector, Text::Datasource, Text::CommandType, Text::Command, Text::TupleSource]
            }
            Type::ExecutionEnd => &[Text::Connector, Text::Datasource, Text::CommandType, Text::TupleSource],
            Type::Buffer => &[Text::BufferType],
            Type::Other => &[Text::Type],
        }
    }

    /// The place of a field among [`texts`](Self::texts) or [`nums`](Self::nums).
    #[inline]
    pub fn column(self, field: Field) -> Option<usize> {
        let column = *COLUMNS[self as usize].get(usize::from(field.slot()))?;
        (column != NOWHERE).then_some(usize::from(column))
    }

    /// The numbers that are kept of it.
    pub const fn nums(self) -> &'static [Num] {
        match self {
            Type::SourceEnd => &[Num::RowsRead, Num::RowsReturned, Num::Duration],
            Type::ExecutionEnd => &[Num::RowsRead, Num::RowsReturned, Num::ReadTime],
            Type::Buffer => &[Num::Bytes, Num::Elements],
            _ => &[],
        }
    }
}

/// Stands for "not kept".
const NOWHERE: u8 = u8::MAX;

/// Where each text and each number stands among those of each type, by their slots.
static COLUMNS: [[u8; TEXTS + NUMS]; Type::ALL.len()] = {
    let mut columns = [[NOWHERE; TEXTS + NUMS]; Type::ALL.len()];
    let mut t = 0;
    while t < Type::ALL.len() {
        let (texts, nums, mut at) = (Type::ALL[t].texts(), Type::ALL[t].nums(), 0);
        while at < texts.len() || at < nums.len() {
            if at < texts.len() {
                columns[t][Field::Text(texts[at]).slot() as usize] = at as u8;
            }
            if at < nums.len() {
                columns[t][Field::Num(nums[at]).slot() as usize] = at as u8;
            }
            at += 1;
        }
        t += 1;
    }
    columns
};

/// The type of the rows of a table, by the fields that its columns are: each table has a column that no other has.
pub fn type_of_table(has: impl Fn(Field) -> bool) -> Option<Type> {
    let distinct = [
        (Field::Text(Text::Command), Type::ExecutionStart),
        (Field::Num(Num::ReadTime), Type::ExecutionEnd),
        (Field::Num(Num::Duration), Type::SourceEnd),
        (Field::Text(Text::Connector), Type::SourceStart),
        (Field::Success, Type::QueryEnd),
        (Field::Text(Text::Sql), Type::QueryStart),
        (Field::Text(Text::BufferType), Type::Buffer),
    ];
    let envelope = [Field::Text(Text::Run), Field::Text(Text::Query), Field::Num(Num::Timestamp)];
    if !envelope.into_iter().all(&has) {
        return None;
    }
    Some(distinct.into_iter().find(|(field, _)| has(*field)).map_or(Type::RequestStart, |(_, t)| t))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_stand_at_their_codes() {
        for (at, (field, name, columns)) in FIELDS.iter().enumerate() {
            assert_eq!(usize::from(field.slot()), at);
            assert_eq!(slot_of(name), Some(at as Slot));
            for column in *columns {
                assert_eq!(slot_of(&column.to_lowercase()), Some(at as Slot), "{column}");
            }
        }
        assert_eq!(slot_of("runid"), None);
    }

    #[test]
    fn types_stand_at_their_codes() {
        for (at, t) in Type::ALL.into_iter().enumerate() {
            assert_eq!(t as usize, at);
            assert_eq!(Type::named(t.name()), t);
        }
        assert_eq!(Type::named("SOURCE_PAUSE"), Type::Other);
    }
}
