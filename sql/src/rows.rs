//! [`TraceRows`]: the rows of a trace's tables as record batches of bounded size, only of the columns that are asked for.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{RecordBatch, RecordBatchOptions};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::arrow::error::ArrowError;
use queryscope::internal::rows::{SideColumn, TableReader, TableRef, TraceTables};
use queryscope::session::Session;
use queryscope::trace::Trace;

use crate::arrays;
use crate::identity::{TraceIdentity, engine_of};
use crate::schema::{self, TABLES};

/// Number of items per batch of rows. A batch of attributes contains all attributes of this number of items.
const ITEMS: usize = 1 << 14;

/// A trace with its tables and its identity, from which record batches are made.
pub struct TraceRows {
    pub trace: Trace,
    pub tables: TraceTables,
    pub identity: TraceIdentity,
}

impl fmt::Debug for TraceRows {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "TraceRows({})", self.tables.name)
    }
}

impl TraceRows {
    /// Takes the trace of a session, which must be built. `name` and `day` identify it.
    pub fn new(session: Session, name: &str, day: Option<String>) -> Self {
        let files = session.report();
        let formats = files.iter().filter(|file| file.recognised).map(|file| file.format.as_str());
        let identity = TraceIdentity::new(name, engine_of(formats), day);
        let trace = session.into_trace();
        Self { tables: TraceTables::new(&trace, name, files), trace, identity }
    }

    /// All tables of the trace with their names.
    pub fn table_names(&self) -> Vec<(String, TableRef)> {
        let side = self.tables.side_tables.iter().map(|table| table.name.as_str());
        let names = TABLES.iter().map(|table| table.name).chain(side);
        names.filter_map(|name| Some((name.to_owned(), self.reader().table(name)?))).collect()
    }

    /// Schema of a table, without the columns that name folders. Columns of a side table that have no values have Arrow's type `Null`,
    /// until [`schema::settled`] replaces it.
    pub fn schema(&self, table: TableRef) -> SchemaRef {
        match table {
            TableRef::Known(table) => schema::known_schema(table),
            TableRef::Side(at) => {
                let field = |SideColumn { name, source, kind }: &SideColumn| {
                    schema::side_field(name, self.trace.str(*source), *kind)
                };
                schema::side_table_schema(self.tables.side_tables[at].columns.iter().map(field))
            }
        }
    }

    /// Ranges of items of a table; [`Self::batch`] makes one batch of each.
    pub fn parts(&self, table: TableRef) -> Vec<Range<usize>> {
        let len = self.reader().n_items(table);
        (0..len).step_by(ITEMS).map(|start| start..(start + ITEMS).min(len)).collect()
    }

    /// The rows of a range of items that [`Self::parts`] returned. `wanted` has the columns to read. Those that are neither in the table's
    /// [`Self::schema`] nor name folders have no values. Values of another type than the wanted one are converted.
    ///
    /// # Errors
    /// Only if the columns cannot be converted, which is a bug.
    pub fn batch(
        &self,
        table: TableRef,
        part: Range<usize>,
        wanted: &SchemaRef,
    ) -> Result<RecordBatch, ArrowError> {
        let names = wanted.fields().iter().map(|field| field.name().as_str());
        let read: Vec<&str> = names.filter(|name| self.identity.constant(name).is_none()).collect();
        let (rows, values) = self.reader().read(table, part, &read);
        let mut values = values.into_iter();
        let arrays = wanted.fields().iter().map(|field| match self.identity.constant(field.name()) {
            Some(value) => Ok(arrays::constant(value, rows)),
            None => {
                let array = values.next().map_or_else(|| Err(missing(field.name())), arrays::array)?;
                cast(&array, field.data_type())
            }
        });
        let options = RecordBatchOptions::new().with_row_count(Some(rows));
        RecordBatch::try_new_with_options(wanted.clone(), arrays.collect::<Result<_, _>>()?, &options)
    }

    fn reader(&self) -> TableReader<'_> {
        TableReader { trace: &self.trace, tables: &self.tables }
    }
}

fn missing(name: &str) -> ArrowError {
    ArrowError::SchemaError(format!("no values for {name}"))
}

/// A trace that several tables of a query share.
pub type SharedTrace = Arc<TraceRows>;

/// Formats a day, given as number of days since 1970-01-01, such as `2026-03-31`. `None` if it is beyond the calendar's range.
pub fn day_of(days: i64) -> Option<String> {
    let days = i32::try_from(days).ok()?;
    chrono::NaiveDate::from_epoch_days(days).map(|day| day.to_string())
}
