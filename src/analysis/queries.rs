//! Table of queries: one row per statement, computed once per trace, with all values that the query list sorts, filters
//! and shows.

use std::ops::Range;

use super::bits::Bits;
use super::query_rows::{QueryRows, Summed};
use super::score::ScoreMaxima;
use super::{Sum, is_source_call, is_whole, outcome};
use crate::base::sort;
use crate::base::text;
use crate::protocol::{Outcome, QueryColumn, QueryList, QueryRow};
use crate::trace::{
    AttributeReader, EventId, Flags, Item, Key, Kind, RunId, SpanId, Trace, TrackKind, duration_in, key,
    overlaps,
};

/// Row of spans that do not belong to any query.
pub const NO_QUERY: u32 = u32::MAX;

/// Maximum length of a statement in the list, in characters.
const SQL_SHOWN: usize = 400;

/// Table of all queries in the order of their spans: by run, then in track order.
#[derive(Default)]
pub struct Queries {
    rows: QueryRows,
    /// Per run: average duration of its complete queries, in nanoseconds.
    averages: Vec<Option<f64>>,
    maxima: ScoreMaxima,
}

/// Rows of a query list, filtered and sorted.
#[derive(Clone, Default, Debug)]
pub struct Order {
    /// Row indices into [`Queries`].
    pub rows: Vec<u32>,
    /// Longest duration of these queries, clipped to the time range, in nanoseconds.
    pub longest: i64,
    /// Error in the filter, if any. Then there are no rows.
    pub error: Option<String>,
}

impl Queries {
    /// Builds the table of the queries of `trace`.
    #[inline(never)]
    pub fn of(trace: &Trace) -> Self {
        let mut queries = Self::default();
        let reader = AttributeReader::new(trace, [key::ROWS_READ, key::ROWS_RETURNED]);
        for run in &trace.runs {
            queries.rows.begin_run();
            let first = queries.len();
            for id in trace.tracks.subtree_spans(run.track).map(SpanId) {
                queries.add_span(trace, &reader, id);
            }
            let average = queries.average_of(first..queries.len());
            queries.averages.push(average);
        }
        queries.add_events(trace);
        queries.maxima = ScoreMaxima::of(&queries);
        queries
    }

    /// Adds a query to the table, or a source execution to the sums of its query; ignores all other spans. Parents must
    /// be added before their children.
    fn add_span(&mut self, trace: &Trace, reader: &AttributeReader<2>, id: SpanId) {
        let look = trace.spans.kind_and_flags(id);
        match look.0 {
            Kind::Query => {
                let row = self.rows.push(id, &trace.spans.get(id), trace.duration(id));
                self.add_rows(reader, row, id);
            }
            Kind::Execution => {
                let Some(row) = self.owner(trace, id) else { return };
                self.rows.add_source(row);
                if is_source_call(look) {
                    self.add_rows(reader, row, id);
                }
            }
            _ => {}
        }
    }

    fn add_rows(&mut self, reader: &AttributeReader<2>, row: u32, id: SpanId) {
        let [read, returned] = reader.of(Item::Span(id));
        self.rows.add(row, Summed::RowsRead, read);
        self.rows.add(row, Summed::RowsReturned, returned);
    }

    fn add_events(&mut self, trace: &Trace) {
        if self.is_empty() {
            return;
        }
        let reader = AttributeReader::new(trace, [key::BYTES]);
        for id in (0..trace.events.len() as u32).map(EventId) {
            if trace.events.kind(id) != Kind::Buffer {
                continue;
            }
            let item = Item::Event(id);
            let [Some(bytes)] = reader.of(item) else { continue };
            if let Some(row) = self.row_of(trace, item) {
                self.rows.add(row, Summed::Bytes, Some(bytes));
            }
        }
    }

    fn average_of(&self, rows: Range<u32>) -> Option<f64> {
        let mut sum = Sum::default();
        let whole = rows.map(|row| self.rows.get(row)).filter(|query| query.whole);
        whole.for_each(|query| sum.add(Some(query.duration)));
        sum.average()
    }

    /// Row of the query that a span is or belongs to, found by following its parents; `None` if it belongs to no query.
    pub fn owner(&self, trace: &Trace, span: SpanId) -> Option<u32> {
        if self.is_empty() {
            return None;
        }
        let mut at = span;
        while trace.spans.kind(at) != Kind::Query {
            at = trace.spans.parent(at)?;
        }
        self.rows.find(at)
    }

    /// Columns of the list that are empty for all queries.
    pub fn empty_columns(&self) -> Vec<QueryColumn> {
        let mut empty = self.rows.empty_columns();
        if !self.maxima.is_of_several_parts() {
            empty.push(QueryColumn::Score);
        }
        empty
    }

    /// Largest values of the parts of a score.
    pub(super) fn maxima(&self) -> ScoreMaxima {
        self.maxima
    }

    /// Number of queries; rows are `0..len`.
    pub fn len(&self) -> u32 {
        self.rows.len()
    }

    /// Whether there are no queries.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Row of the query that `item` is or belongs to; `None` if it belongs to no query. Requests belong to their query.
    pub fn row_of(&self, trace: &Trace, item: Item) -> Option<u32> {
        let span = match item {
            Item::Span(id) => Some(id),
            Item::Event(id) => trace.events.parent(id),
        };
        if let Some(row) = span.and_then(|span| self.owner(trace, span)) {
            return Some(row);
        }
        let track = trace.tracks.ancestor(trace.track_of(item), TrackKind::Query)?;
        trace.tracks.spans(track).find_map(|span| self.owner(trace, SpanId(span)))
    }

    /// Whether a source execution failed, or the query in row `query` that it belongs to: sources do not report failures of
    /// their own.
    pub fn is_failed(&self, trace: &Trace, id: SpanId, query: Option<u32>) -> bool {
        trace.spans.flags(id).has(Flags::FAILED)
            || query.is_some_and(|row| self.outcome(row) == Outcome::Failed)
    }

    /// Span of the query.
    pub fn span(&self, row: u32) -> SpanId {
        self.rows.span(row)
    }

    /// Run of the query.
    pub fn run(&self, row: u32) -> RunId {
        self.rows.run(row)
    }

    /// Start and end, in nanoseconds since the run's first event.
    pub fn interval(&self, row: u32) -> (i64, i64) {
        let start = self.rows.start(row);
        (start, start.saturating_add(self.rows.length(row)))
    }

    /// Part of the query's duration inside a half-open range, in nanoseconds; the whole duration for `None`.
    pub fn duration_in(&self, row: u32, range: Option<(i64, i64)>) -> i64 {
        let Some(range) = range else { return self.duration(row) };
        duration_in(self.interval(row), self.duration(row), range)
    }

    /// Duration in nanoseconds. It is a lower bound if the query is not complete.
    pub fn duration(&self, row: u32) -> i64 {
        self.rows.duration(row)
    }

    /// Whether both the start and the end of the query are in the trace.
    pub fn is_whole(&self, row: u32) -> bool {
        is_whole(self.rows.flags(row))
    }

    /// Average duration of a run's complete queries, in nanoseconds; `None` if it has none.
    pub fn average(&self, run: RunId) -> Option<f64> {
        *self.averages.get(run.0 as usize)?
    }

    /// Duration divided by the average duration of the run's complete queries; `None` if there is no average above 0.
    pub fn ratio(&self, row: u32) -> Option<f64> {
        let query = self.rows.get(row);
        let average = self.average(query.run)?;
        (average > 0.0).then(|| query.duration as f64 / average)
    }

    /// Outcome of the query.
    pub fn outcome(&self, row: u32) -> Outcome {
        outcome(self.rows.flags(row))
    }

    /// Value of the query in a column; `None` if it was not reported, and for columns without integers.
    pub fn number(&self, row: u32, column: QueryColumn) -> Option<i64> {
        let query = self.rows.get(row);
        match column {
            QueryColumn::Start => Some(query.start),
            QueryColumn::Duration => Some(query.duration),
            QueryColumn::Sources => Some(i64::from(query.sources)),
            QueryColumn::RowsRead => query.rows_read,
            QueryColumn::RowsReturned => query.rows_returned,
            QueryColumn::BufferBytes => query.bytes,
            QueryColumn::Outcome => Some(query.outcome as i64),
            QueryColumn::Ratio | QueryColumn::Score | QueryColumn::Sql => None,
        }
    }

    /// Number of the query that conditions on a numeric attribute compare: the value in the column of the list with the
    /// attribute's name, or else the query's own attribute. `None` if neither was reported.
    pub fn compared_number(&self, trace: &Trace, row: u32, key: Key) -> Option<i64> {
        let summed = summed_column(key).and_then(|column| self.number(row, column));
        summed.or_else(|| trace.num(Item::Span(self.span(row)), key))
    }

    /// Returns the rows that `list` shows, in its order. Rows without a value are last in both directions. `passing` holds
    /// the spans that pass the filter of the list; `None` without a filter.
    #[inline(never)]
    pub fn order(&self, trace: &Trace, list: &QueryList, passing: Option<&Bits>) -> Order {
        let passes = |row: &u32| passing.is_none_or(|passing| passing.contains(self.span(*row).0));
        let in_range = |row: &u32| {
            let (start, end) = self.interval(*row);
            list.range.is_none_or(|range| overlaps(start, end, range))
        };
        let mut rows: Vec<u32> = (0..self.len()).filter(passes).filter(in_range).collect();
        self.sort(trace, list, &mut rows);
        let longest = rows.iter().map(|&row| self.duration_in(row, list.range)).max().unwrap_or(0);
        Order { rows, longest, error: None }
    }

    #[inline(never)]
    fn sort(&self, trace: &Trace, list: &QueryList, rows: &mut Vec<u32>) {
        let descending = list.descending;
        match list.sort {
            QueryColumn::Sql => {
                let mut titled: Vec<_> = rows.iter().map(|&row| (self.title(trace, row), row)).collect();
                let titles = |a: &str, b: &str| if descending { b.cmp(a) } else { a.cmp(b) };
                sort::by(&mut titled, |a, b| titles(a.0, b.0));
                rows.splice(.., titled.into_iter().map(|(_, row)| row));
            }
            QueryColumn::Ratio => {
                sort_by(rows, descending, |row| self.ratio(row).map(bits));
            }
            QueryColumn::Score => {
                sort_by(rows, descending, |row| self.score(row, list.weights).map(bits));
            }
            QueryColumn::Duration => {
                sort_by(rows, descending, |row| Some(self.duration_in(row, list.range)));
            }
            column => sort_by(rows, descending, |row| self.number(row, column)),
        }
    }

    fn title<'a>(&self, trace: &'a Trace, row: u32) -> &'a str {
        let query = self.rows.get(row);
        let text = |key| trace.text(Item::Span(query.span), key);
        trace.str(text(key::SQL).or_else(|| text(key::QUERY_ID)).unwrap_or(trace.spans.name(query.span)))
    }

    /// Row for display in a list with a time range and weights.
    pub fn row_in(&self, trace: &Trace, row: u32, list: &QueryList) -> QueryRow {
        let score = self.score(row, list.weights);
        QueryRow { in_range: self.duration_in(row, list.range), score, ..self.row(trace, row) }
    }

    /// Row for display in the list.
    #[inline(never)]
    pub fn row(&self, trace: &Trace, row: u32) -> QueryRow {
        let query = self.rows.get(row);
        let run = trace.run_name(query.run);
        let id = trace.text(Item::Span(query.span), key::QUERY_ID);
        QueryRow {
            item: Item::Span(query.span).code(),
            record: trace.anchor_record(Item::Span(query.span)).map(|record| record.0),
            run: text::shortened(run, SQL_SHOWN),
            query: id.map_or_else(String::new, |id| text::shortened(trace.str(id), SQL_SHOWN)),
            sql: text::shortened(self.title(trace, row), SQL_SHOWN),
            start: query.start,
            duration: query.duration,
            in_range: query.duration,
            ratio: self.ratio(row),
            score: None,
            sources: query.sources,
            rows_read: query.rows_read,
            rows_returned: query.rows_returned,
            buffer_bytes: query.bytes,
            outcome: query.outcome,
        }
    }
}

/// Column of the list that sums an attribute over the parts of a query; `None` for other attributes.
pub fn summed_column(key: Key) -> Option<QueryColumn> {
    match key {
        key::ROWS_READ => Some(QueryColumn::RowsRead),
        key::ROWS_RETURNED => Some(QueryColumn::RowsReturned),
        key::BYTES => Some(QueryColumn::BufferBytes),
        _ => None,
    }
}

/// Converts a ratio to an integer such that integers are ordered like their ratios; negative ratios count as 0.
fn bits(ratio: f64) -> i64 {
    ratio.max(0.0).to_bits().cast_signed()
}

/// Sorts `rows` by `value`, the largest first if `descending`; rows without a value are last in both cases. The sort is
/// stable.
fn sort_by(rows: &mut Vec<u32>, descending: bool, value: impl Fn(u32) -> Option<i64>) {
    let (mut known, mut unknown) = (Vec::with_capacity(rows.len()), Vec::new());
    for &row in rows.iter() {
        match value(row) {
            Some(value) => known.push((value, row)),
            None => unknown.push(row),
        }
    }
    // The complement reverses the order.
    sort::by_key(&mut known, |&(value, _)| (if descending { !value } else { value }, 0));
    rows.clear();
    rows.extend(known.into_iter().map(|(_, row)| row).chain(unknown));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    fn check(sort: QueryColumn, descending: bool, filter: &str, range: Option<(i64, i64)>, rows: &[u32]) {
        let trace = sample::trace();
        let list = QueryList { sort, descending, filter: filter.to_owned(), range, ..QueryList::default() };
        let order = Queries::of(&trace).order(&trace, &list, None);
        assert_eq!(order.error, None);
        assert_eq!(order.rows, rows, "{list:?}");
    }

    #[test]
    fn lists_are_sorted_with_the_unreported_at_the_end() {
        check(QueryColumn::Start, false, "", None, &[0, 1, 2]);
        check(QueryColumn::Start, true, "", None, &[2, 1, 0]);
        check(QueryColumn::Duration, false, "", None, &[2, 1, 0]);
        check(QueryColumn::Ratio, true, "", None, &[0, 1, 2]);
        check(QueryColumn::Sql, false, "", None, &[2, 1, 0]);
        check(QueryColumn::RowsRead, false, "", None, &[0, 1, 2]);
        check(QueryColumn::RowsReturned, false, "", None, &[1, 0, 2]);
        check(QueryColumn::RowsReturned, true, "", None, &[0, 1, 2]);
        check(QueryColumn::BufferBytes, true, "", None, &[2, 0, 1]);
        check(QueryColumn::Outcome, false, "", None, &[0, 1, 2]);
    }

    #[test]
    fn lists_are_cut_to_a_range() {
        check(QueryColumn::Start, false, "", Some((10_000_000, 20_000_000)), &[1]);
        check(QueryColumn::Start, false, "", Some((9_999_999, 21_000_001)), &[0, 1, 2]);
        check(QueryColumn::Start, false, "", Some((30_000_000, 40_000_000)), &[]);
    }

    #[test]
    fn rows_say_what_is_known() {
        let trace = sample::trace();
        let queries = Queries::of(&trace);
        let rows: Vec<_> = (0..queries.len()).map(|row| queries.row(&trace, row)).collect();
        assert_eq!((rows[0].rows_read, rows[0].rows_returned, rows[0].sources), (Some(1_000), Some(20), 1));
        assert_eq!((rows[1].rows_read, rows[1].outcome), (None, Outcome::Failed));
        assert_eq!((rows[2].buffer_bytes, rows[2].outcome), (Some(4_000), Outcome::Unfinished));
        assert_eq!(
            (rows[0].ratio, rows[0].run.as_str(), rows[0].query.as_str()),
            (Some(10.0 / 9.0), "run", "q0")
        );
    }

    #[test]
    fn everything_inside_a_query_belongs_to_it() {
        let trace = sample::trace();
        let queries = Queries::of(&trace);
        for id in (0..trace.spans.len() as u32).map(SpanId) {
            let track = trace.tracks.ancestor(trace.tracks.of_span(id), TrackKind::Query);
            let row = queries.row_of(&trace, Item::Span(id)).expect("every span of the sample is in a query");
            assert_eq!(Some(trace.tracks.of_span(queries.span(row))), track);
        }
    }
}
