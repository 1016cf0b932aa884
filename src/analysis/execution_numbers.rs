//! [`ExecutionNumbers`]: rows and bytes of an execution, the same in the list of statements and in comparisons of runs.

use super::{Queries, QueryBytes};
use crate::protocol::QueryColumn;
use crate::trace::{AttributeReader, Item, SpanId, Trace, key};

/// Numbers of rows and bytes of an execution; `None` if not reported.
#[derive(Clone, Copy, Default)]
pub struct ExecutionNumbers {
    pub rows_read: Option<i64>,
    pub rows_returned: Option<i64>,
    pub bytes: Option<i64>,
}

impl ExecutionNumbers {
    /// The numbers of the query in a row: its rows as in the query list, and the bytes of everything inside it.
    pub fn of_query(queries: &Queries, bytes: &QueryBytes, row: u32) -> Self {
        Self {
            rows_read: queries.number(row, QueryColumn::RowsRead),
            rows_returned: queries.number(row, QueryColumn::RowsReturned),
            bytes: bytes.get(row),
        }
    }

    /// The numbers that a span itself reports. `reader` is made by [`Self::reader`].
    pub fn of_span(reader: &AttributeReader<3>, id: SpanId) -> Self {
        let [rows_read, rows_returned, bytes] = reader.of(Item::Span(id));
        Self { rows_read, rows_returned, bytes }
    }

    /// Creates the reader for [`Self::of_span`].
    pub fn reader(trace: &Trace) -> AttributeReader<'_, 3> {
        AttributeReader::new(trace, [key::ROWS_READ, key::ROWS_RETURNED, key::BYTES])
    }
}
