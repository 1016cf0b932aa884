//! Source executions: their times, rows and outcomes.

use super::{DatasourceSum, NAME, bits, is_source_call};
use crate::analysis::percentile::percentile;
use crate::analysis::{FilteredItems, Queries, Sum, is_whole, passes};
use crate::base::{sort, text};
use crate::protocol::{
    ShapeTimes, SourceExecutionColumn, SourceExecutionList, SourceExecutionRow, SourceRow,
};
use crate::trace::{AttributeReader, Item, SpanId, Trace, key, overlaps};

/// The data from which the times, rows and outcomes of source executions are computed.
pub struct SourceExecutions<'a> {
    trace: &'a Trace,
    queries: &'a Queries,
    range: Option<(i64, i64)>,
    filter: Option<&'a FilteredItems>,
    reader: AttributeReader<'a, 3>,
}

impl<'a> SourceExecutions<'a> {
    pub fn new(
        trace: &'a Trace,
        queries: &'a Queries,
        range: Option<(i64, i64)>,
        filter: Option<&'a FilteredItems>,
    ) -> Self {
        let keys = [key::ROWS_READ, key::ROWS_RETURNED, key::READ_TIME];
        Self { trace, queries, range, filter, reader: AttributeReader::new(trace, keys) }
    }

    /// Whether an execution overlaps the range and passes the filter.
    fn is_inside(&self, id: SpanId) -> bool {
        let (start, end) = self.trace.spans.bounds(id);
        self.range.is_none_or(|range| overlaps(start, end, range))
            && passes(self.filter, self.trace, Item::Span(id))
    }

    /// Duration in nanoseconds, clipped to the range.
    fn duration(&self, id: SpanId) -> i64 {
        self.range.map_or_else(|| self.trace.duration(id), |range| self.trace.duration_in(id, range))
    }

    /// Row of the query of an execution; `None` without a query.
    fn query(&self, id: SpanId) -> Option<u32> {
        self.queries.row_of(self.trace, Item::Span(id))
    }

    fn has_ended(&self, id: SpanId) -> bool {
        is_source_call(self.trace.spans.kind_and_flags(id))
    }

    fn is_failed(&self, id: SpanId, query: Option<u32>) -> bool {
        self.queries.is_failed(self.trace, id, query)
    }

    /// Sums and percentiles of a group. `times` is scratch space.
    pub fn count(&self, group: u32, members: &[SpanId], times: &mut Vec<i64>) -> SourceRow {
        let mut row = SourceRow { group, ..SourceRow::default() };
        let (mut rows, mut total) = (DatasourceSum::default(), Sum::default());
        // Of the executions that report a reading time, and of those that report rows read.
        let (mut reading, mut of_reading) = (Sum::default(), Sum::default());
        let (mut read, mut of_read) = (Sum::default(), Sum::default());
        let mut longest = (false, i64::MIN);
        times.clear();
        for &id in members.iter().filter(|id| self.is_inside(**id)) {
            let ended = self.has_ended(id);
            let duration = self.duration(id);
            if (ended, duration) > longest {
                longest = (ended, duration);
                row.longest = Item::Span(id).code();
            }
            if !ended {
                row.unfinished += 1;
                continue;
            }
            let query = self.query(id);
            let [rows_read, rows_returned, read_time] = self.reader.of(Item::Span(id));
            rows.executions += 1;
            row.failed += u32::from(self.is_failed(id, query));
            rows.rows_read.add(rows_read);
            rows.rows_returned.add(rows_returned);
            if is_whole(self.trace.spans.flags(id)) {
                let whole = self.trace.duration(id);
                total.add(Some(duration));
                times.push(duration);
                reading.add(read_time);
                of_reading.add(read_time.map(|_| whole));
                read.add(rows_read);
                of_read.add(rows_read.map(|_| whole));
            }
        }
        row.executions = u32::try_from(rows.executions).unwrap_or(u32::MAX);
        row.total = total.or_zero();
        row.times = shape_times(times, total);
        (row.rows_read, row.rows_returned) = (rows.rows_read.total(), rows.rows_returned.total());
        row.over_fetch = rows.over_fetch();
        // Both sums are of the same executions, so their averages have the same ratio.
        row.reading = ratio(reading.average(), of_reading.average());
        row.row_rate = ratio(read.average(), of_read.average()).map(|rows_per_ns| rows_per_ns * 1e9);
        row
    }

    /// The executions of a group that overlap the range, in the order of the list. Those without a value are last.
    pub fn ordered(&self, members: &[SpanId], list: &SourceExecutionList) -> Vec<SpanId> {
        let is_listed =
            |id: &SpanId| !list.failed || self.has_ended(*id) && self.is_failed(*id, self.query(*id));
        let inside = members.iter().copied().filter(|id| self.is_inside(*id)).filter(is_listed);
        let keyed = inside.map(|id| (self.measure(id, list.sort), id));
        let (mut known, unknown): (Vec<_>, Vec<_>) = keyed.partition(|(value, _)| value.is_some());
        let is_by_start = list.sort == SourceExecutionColumn::Start;
        sort::by_key(&mut known, |(value, id)| {
            let value = value.unwrap_or(0);
            (if is_by_start { value } else { !value }, u64::from(id.0))
        });
        if list.reversed {
            known.reverse();
        }
        known.into_iter().chain(unknown).map(|(_, id)| id).collect()
    }

    fn measure(&self, id: SpanId, column: SourceExecutionColumn) -> Option<i64> {
        let [rows_read, rows_returned, read_time] = self.reader.of(Item::Span(id));
        match column {
            SourceExecutionColumn::Start => Some(self.trace.spans.bounds(id).0),
            SourceExecutionColumn::Duration => Some(self.duration(id)),
            SourceExecutionColumn::Reading => self.reading(id, read_time).map(bits),
            SourceExecutionColumn::RowsRead => rows_read,
            SourceExecutionColumn::RowsReturned => rows_returned,
            SourceExecutionColumn::OverFetch => over_fetch(rows_read, rows_returned).map(bits),
        }
    }

    fn reading(&self, id: SpanId, read_time: Option<i64>) -> Option<f64> {
        let whole = is_whole(self.trace.spans.flags(id)).then(|| self.trace.duration(id) as f64);
        ratio(read_time.map(|ns| ns as f64), whole)
    }

    pub fn row(&self, id: SpanId) -> SourceExecutionRow {
        let (trace, item) = (self.trace, Item::Span(id));
        let [rows_read, rows_returned, read_time] = self.reader.of(item);
        let query = self.query(id);
        let command = trace.text(item, key::COMMAND).unwrap_or(trace.spans.name(id));
        let sql = query.and_then(|row| trace.text(Item::Span(self.queries.span(row)), key::SQL));
        let run = query.and_then(|row| trace.runs.get(self.queries.run(row).0 as usize));
        SourceExecutionRow {
            item: item.code(),
            title: text::shortened(trace.str(command), NAME),
            query: sql.map_or_else(String::new, |sql| text::shortened(trace.str(sql), NAME)),
            run: run.map_or_else(String::new, |run| trace.str(run.name).to_owned()),
            start: trace.spans.bounds(id).0,
            duration: self.duration(id),
            is_complete: is_whole(trace.spans.flags(id)),
            is_failed: self.is_failed(id, query),
            reading: self.reading(id, read_time),
            rows_read,
            rows_returned,
            over_fetch: over_fetch(rows_read, rows_returned),
        }
    }
}

/// Quotient of two numbers; `None` if either is unknown or the divisor is not positive.
fn ratio(part: Option<f64>, whole: Option<f64>) -> Option<f64> {
    let (part, whole) = part.zip(whole)?;
    (whole > 0.0).then(|| part / whole)
}

fn over_fetch(rows_read: Option<i64>, rows_returned: Option<i64>) -> Option<f64> {
    ratio(rows_read.map(|rows| rows as f64), rows_returned.map(|rows| rows as f64))
}

/// Mean, percentiles and maximum of durations; `None` if there are none.
fn shape_times(times: &[i64], total: Sum) -> Option<ShapeTimes> {
    let (low, high) = times.iter().min().copied().zip(times.iter().max().copied())?;
    let mut few = Vec::new();
    let mut at = |percent| percentile(times, (low, high), percent, &mut few);
    let mean = total.average()?.round() as i64;
    Some(ShapeTimes { min: low, mean, p50: at(50)?, p95: at(95)?, p99: at(99)?, max: high })
}
