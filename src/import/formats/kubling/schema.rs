//! Kubling's event schema: fields, event types with the fields of each, and the columns that the database collector
//! writes for them.

use crate::import::scalars::values::{Class, Slot};
use crate::trace::{Key, key};

/// A text field of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum KublingTextField {
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

/// A number field of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum KublingNumberField {
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

impl KublingTextField {
    /// Attribute key of the field on a span; `None` if the field is shown in another way.
    pub fn key(self) -> Option<Key> {
        match self {
            KublingTextField::Sql => Some(key::SQL),
            KublingTextField::Error => Some(key::ERROR),
            KublingTextField::Connector => Some(key::CONNECTOR),
            KublingTextField::TupleSource => Some(key::TUPLE_SOURCE),
            KublingTextField::Datasource => Some(key::DATASOURCE),
            KublingTextField::Command => Some(key::COMMAND),
            KublingTextField::CommandType => Some(key::COMMAND_TYPE),
            KublingTextField::Run
            | KublingTextField::Query
            | KublingTextField::Vdb
            | KublingTextField::VdbVersion
            | KublingTextField::Type
            | KublingTextField::BufferType => None,
        }
    }
}

impl KublingNumberField {
    /// Attribute key of the field on a span or event.
    pub fn key(self) -> Key {
        match self {
            KublingNumberField::RowsRead => key::ROWS_READ,
            KublingNumberField::RowsReturned => key::ROWS_RETURNED,
            KublingNumberField::Duration | KublingNumberField::Timestamp => key::REPORTED_DURATION,
            KublingNumberField::ReadTime => key::READ_TIME,
            KublingNumberField::Bytes => key::BYTES,
            KublingNumberField::Elements => key::ELEMENTS,
        }
    }
}

/// Number of [`KublingTextField`] variants.
pub const TEXTS: usize = 13;
/// Number of [`KublingNumberField`] variants.
pub const NUMS: usize = 7;

/// A field of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KublingField {
    /// A text field.
    Text(KublingTextField),
    /// A number field.
    Num(KublingNumberField),
    /// `success`.
    Success,
    /// Row number of the database, which is not part of the event.
    RowId,
}

/// All fields in the order of their slots: name in events, and names of the column in tables.
const FIELDS: [(KublingField, &str, &[&str]); 22] = [
    (KublingField::Text(KublingTextField::Run), "runId", &["RUN_ID"]),
    (KublingField::Text(KublingTextField::Query), "queryId", &["QUERY_ID"]),
    (KublingField::Text(KublingTextField::Vdb), "vdbName", &["VDB_NAME"]),
    (KublingField::Text(KublingTextField::VdbVersion), "vdbVersion", &["VDB_VERSION"]),
    (KublingField::Text(KublingTextField::Type), "type", &["TYPE"]),
    (KublingField::Text(KublingTextField::Sql), "sql", &["SQL_TEXT"]),
    (KublingField::Text(KublingTextField::Error), "error", &["ERROR"]),
    (KublingField::Text(KublingTextField::Connector), "connectorName", &["CONNECTOR_ID", "CONNECTOR_NAME"]),
    (
        KublingField::Text(KublingTextField::TupleSource),
        "tupleSourceId",
        &["SOURCE_EXECUTION_ID", "TUPLE_SOURCE_ID"],
    ),
    (KublingField::Text(KublingTextField::Datasource), "datasourceName", &["DATASOURCE_NAME"]),
    (KublingField::Text(KublingTextField::Command), "commandPushed", &["COMMAND_PUSHED"]),
    (
        KublingField::Text(KublingTextField::CommandType),
        "sourceCommandType",
        &["COMMAND_TYPE", "SOURCE_COMMAND_TYPE"],
    ),
    (
        KublingField::Text(KublingTextField::BufferType),
        "bufferEventType",
        &["EVENT_TYPE", "BUFFER_EVENT_TYPE"],
    ),
    (KublingField::Num(KublingNumberField::Timestamp), "timestamp", &["TS_NANOS", "TIMESTAMP"]),
    (KublingField::Num(KublingNumberField::RowsRead), "rowsRead", &["ROWS_READ"]),
    (KublingField::Num(KublingNumberField::RowsReturned), "rowsReturned", &["ROWS_RETURNED"]),
    (KublingField::Num(KublingNumberField::Duration), "duration", &["DURATION_NANOS"]),
    (
        KublingField::Num(KublingNumberField::ReadTime),
        "sourceReadDurationNanos",
        &["SOURCE_READ_DURATION_NS", "SOURCE_READ_DURATION_NANOS"],
    ),
    (KublingField::Num(KublingNumberField::Bytes), "bytes", &["BYTES"]),
    (KublingField::Num(KublingNumberField::Elements), "elements", &["ELEMENTS"]),
    (KublingField::Success, "success", &["SUCCESS"]),
    (KublingField::RowId, "ENTRY_ID", &["ENTRY_ID", "ID"]),
];

/// Slot of the field with this name in events, or of the column with this name in any case.
pub fn slot_of(name: &str) -> Option<Slot> {
    let event = FIELDS.iter().position(|(_, event, _)| *event == name);
    event.or_else(|| column_of(name)).map(|at| at as Slot)
}

fn column_of(name: &str) -> Option<usize> {
    let name = name.trim();
    // The search ignores case, so that columns match in any spelling; fields of events are compared exactly.
    FIELDS.iter().position(|(_, _, columns)| columns.iter().any(|c| c.eq_ignore_ascii_case(name)))
}

/// Field of a slot (a position in the table of all fields).
pub fn field(slot: Slot) -> KublingField {
    FIELDS[usize::from(slot)].0
}

/// Field with this name in events or as a column.
pub fn field_of(name: &str) -> Option<KublingField> {
    slot_of(name).map(field)
}

/// Slot and value class of an event's key.
pub fn key_of(name: &str) -> Option<(Slot, Class)> {
    let slot = slot_of(name)?;
    let class = match field(slot) {
        KublingField::Text(
            KublingTextField::Query
            | KublingTextField::TupleSource
            | KublingTextField::Sql
            | KublingTextField::Command
            | KublingTextField::Error,
        ) => Class::Text,
        KublingField::Text(_) => Class::Word,
        KublingField::Num(_) | KublingField::RowId => Class::Number,
        KublingField::Success => Class::Truth,
    };
    Some((slot, class))
}

impl KublingField {
    /// Index in [`FIELDS`].
    pub const fn slot(self) -> Slot {
        match self {
            KublingField::Text(text) => text as Slot,
            KublingField::Num(num) => TEXTS as Slot + num as Slot,
            KublingField::Success => (TEXTS + NUMS) as Slot,
            KublingField::RowId => (TEXTS + NUMS + 1) as Slot,
        }
    }
}

/// Type of an event.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum KublingEventType {
    // The order is that of a query's course; it decides between events with the same time.
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

impl KublingEventType {
    /// All event types, by code.
    pub const ALL: [KublingEventType; 9] = [
        KublingEventType::RequestStart,
        KublingEventType::QueryStart,
        KublingEventType::SourceStart,
        KublingEventType::ExecutionStart,
        KublingEventType::Buffer,
        KublingEventType::Other,
        KublingEventType::ExecutionEnd,
        KublingEventType::SourceEnd,
        KublingEventType::QueryEnd,
    ];

    /// Name in events; empty for [`KublingEventType::Other`].
    pub fn name(self) -> &'static str {
        match self {
            KublingEventType::RequestStart => "REQUEST_START",
            KublingEventType::QueryStart => "QUERY_START",
            KublingEventType::SourceStart => "SOURCE_START",
            KublingEventType::ExecutionStart => "SOURCE_EXECUTION_START",
            KublingEventType::Buffer => "BUFFER_EVENT",
            KublingEventType::Other => "",
            KublingEventType::ExecutionEnd => "SOURCE_EXECUTION_END",
            KublingEventType::SourceEnd => "SOURCE_END",
            KublingEventType::QueryEnd => "QUERY_END",
        }
    }

    /// Event type with this name; [`KublingEventType::Other`] if it is unknown.
    pub fn named(name: &str) -> Self {
        Self::ALL
            .into_iter()
            .find(|t| t.name() == name && *t != KublingEventType::Other)
            .unwrap_or(KublingEventType::Other)
    }

    /// Text fields that are stored for this type of event, in addition to the text fields of every event.
    pub const fn texts(self) -> &'static [KublingTextField] {
        match self {
            KublingEventType::RequestStart => &[],
            KublingEventType::QueryStart => &[KublingTextField::Sql],
            KublingEventType::QueryEnd => &[KublingTextField::Error],
            // In reading order.
            KublingEventType::SourceStart | KublingEventType::SourceEnd => {
                &[KublingTextField::Connector, KublingTextField::TupleSource]
            }
            KublingEventType::ExecutionStart => &[
                KublingTextField::Connector,
                KublingTextField::Datasource,
                KublingTextField::CommandType,
                KublingTextField::Command,
                KublingTextField::TupleSource,
            ],
            KublingEventType::ExecutionEnd => &[
                KublingTextField::Connector,
                KublingTextField::Datasource,
                KublingTextField::CommandType,
                KublingTextField::TupleSource,
            ],
            KublingEventType::Buffer => &[KublingTextField::BufferType],
            KublingEventType::Other => &[KublingTextField::Type],
        }
    }

    /// Index of a field in [`texts`](Self::texts) or [`nums`](Self::nums); `None` if the type does not have it.
    #[inline]
    pub fn column(self, field: KublingField) -> Option<usize> {
        let column = *COLUMNS[self as usize].get(usize::from(field.slot()))?;
        (column != NOWHERE).then_some(usize::from(column))
    }

    /// Number fields that are stored for this type of event, in addition to the timestamp.
    pub const fn nums(self) -> &'static [KublingNumberField] {
        match self {
            KublingEventType::SourceEnd => &[
                KublingNumberField::RowsRead,
                KublingNumberField::RowsReturned,
                KublingNumberField::Duration,
            ],
            KublingEventType::ExecutionEnd => &[
                KublingNumberField::RowsRead,
                KublingNumberField::RowsReturned,
                KublingNumberField::ReadTime,
            ],
            KublingEventType::Buffer => &[KublingNumberField::Bytes, KublingNumberField::Elements],
            _ => &[],
        }
    }
}

/// Code for a field that an event type does not have.
const NOWHERE: u8 = u8::MAX;

/// Column of each text and number field in each event type, by slot.
static COLUMNS: [[u8; TEXTS + NUMS]; KublingEventType::ALL.len()] = {
    let mut columns = [[NOWHERE; TEXTS + NUMS]; KublingEventType::ALL.len()];
    let mut t = 0;
    while t < KublingEventType::ALL.len() {
        let texts = KublingEventType::ALL[t].texts();
        let nums = KublingEventType::ALL[t].nums();
        let mut at = 0;
        while at < texts.len() || at < nums.len() {
            if at < texts.len() {
                columns[t][KublingField::Text(texts[at]).slot() as usize] = at as u8;
            }
            if at < nums.len() {
                columns[t][KublingField::Num(nums[at]).slot() as usize] = at as u8;
            }
            at += 1;
        }
        t += 1;
    }
    columns
};

/// Event type of a table's rows, given which fields its columns hold. The fields that are typical of one type are tried
/// in a fixed order, because some of them also occur in tables that were tried before.
pub fn type_of_table(has: impl Fn(KublingField) -> bool) -> Option<KublingEventType> {
    let distinct = [
        (KublingField::Text(KublingTextField::Command), KublingEventType::ExecutionStart),
        (KublingField::Num(KublingNumberField::ReadTime), KublingEventType::ExecutionEnd),
        (KublingField::Num(KublingNumberField::Duration), KublingEventType::SourceEnd),
        (KublingField::Text(KublingTextField::Connector), KublingEventType::SourceStart),
        (KublingField::Success, KublingEventType::QueryEnd),
        (KublingField::Text(KublingTextField::Sql), KublingEventType::QueryStart),
        (KublingField::Text(KublingTextField::BufferType), KublingEventType::Buffer),
    ];
    let envelope = [
        KublingField::Text(KublingTextField::Run),
        KublingField::Text(KublingTextField::Query),
        KublingField::Num(KublingNumberField::Timestamp),
    ];
    if !envelope.into_iter().all(&has) {
        return None;
    }
    Some(
        distinct
            .into_iter()
            .find(|(field, _)| has(*field))
            .map_or(KublingEventType::RequestStart, |(_, t)| t),
    )
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
        for (at, t) in KublingEventType::ALL.into_iter().enumerate() {
            assert_eq!(t as usize, at);
            assert_eq!(KublingEventType::named(t.name()), t);
        }
        assert_eq!(KublingEventType::named("SOURCE_PAUSE"), KublingEventType::Other);
    }
}
