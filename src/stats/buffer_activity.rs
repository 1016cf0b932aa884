//! Buffer events over time, by type, by run, and by query: bytes, elements and the share that reached secondary storage.

use super::charts::TimeSteps;
use crate::analysis::{FilteredItems, Queries, Sum, passes};
use crate::base::{FxHashMap, sort, text};
use crate::protocol::{
    BufferActivity, BufferActivityRequest, BufferMeasure, BufferQueryColumn, BufferQueryList,
    BufferQueryPage, BufferQueryRow, BufferRunRow, BufferTypeRow, Charts, SpillShare,
};
use crate::trace::{AttributeReader, EventId, Item, Kind, RunId, StrId, Trace, key, overlaps};

/// Maximum number of types with a series and a row of their own.
const MAX_TYPES: usize = 12;
/// Maximum number of rows in a page.
const MAX_ROWS: u32 = 10_000;
/// Maximum length of a statement, in characters.
const TITLE: usize = 400;

/// Types in the order of their series. All but the first two write; the last two reach secondary storage.
const TYPES: [&str; 5] = ["READ", "LOGICAL_READ", "LOGICAL_WRITE", PHYSICAL_WRITE, SPILL];
const LOGICAL_WRITE: usize = 2;
const PHYSICAL_WRITE: &str = "PHYSICAL_WRITE";
const SPILL: &str = "SPILL";

/// Position of a type in [`TYPES`]; the length of [`TYPES`] for any other type.
fn rank(name: &str) -> usize {
    TYPES.iter().position(|known| *known == name).unwrap_or(TYPES.len())
}

/// Sums of buffer events.
#[derive(Clone, Copy, Default)]
struct BufferSums {
    events: u64,
    bytes: Sum,
    elements: Sum,
    written: Sum,
    spilled: Sum,
}

impl BufferSums {
    fn add(&mut self, rank: usize, bytes: Option<i64>, elements: Option<i64>) {
        self.events += 1;
        self.bytes.add(bytes);
        self.elements.add(elements);
        if (LOGICAL_WRITE..TYPES.len()).contains(&rank) {
            self.written.add(bytes);
        }
        if (LOGICAL_WRITE + 1..TYPES.len()).contains(&rank) {
            self.spilled.add(bytes);
        }
    }

    fn spill(&self) -> SpillShare {
        SpillShare { written: self.written.total(), spilled: self.spilled.or_zero() }
    }
}

/// Buffer events of a trace that pass a filter and are in a range, with their bytes and elements.
fn events_in<'a>(
    trace: &'a Trace,
    range: Option<(i64, i64)>,
    filter: Option<&'a FilteredItems>,
) -> impl Iterator<Item = (EventId, [Option<i64>; 2])> + 'a {
    let reader = AttributeReader::new(trace, [key::BYTES, key::ELEMENTS]);
    (0..trace.events.len() as u32).map(EventId).filter_map(move |id| {
        let time = trace.events.time(id);
        let inside =
            trace.events.kind(id) == Kind::Buffer && range.is_none_or(|range| overlaps(time, time, range));
        (inside && passes(filter, trace, Item::Event(id))).then(|| (id, reader.of(Item::Event(id))))
    })
}

/// Names of all buffer event types of the trace, in the order of their series; of many types the first ones.
fn types(trace: &Trace) -> Vec<StrId> {
    let mut names: Vec<StrId> = Vec::new();
    for id in (0..trace.events.len() as u32).map(EventId) {
        if trace.events.kind(id) == Kind::Buffer && !names.contains(&trace.events.name(id)) {
            names.push(trace.events.name(id));
            if names.len() >= MAX_TYPES {
                break;
            }
        }
    }
    let place = |name: StrId| (rank(trace.str(name)), trace.str(name));
    sort::by(&mut names, |a, b| place(*a).cmp(&place(*b)));
    names
}

/// Returns the buffer events of a request that pass its filter, over time, by type and by run.
#[inline(never)]
pub fn buffer_activity(
    trace: &Trace,
    request: &BufferActivityRequest,
    filter: Option<&FilteredItems>,
) -> BufferActivity {
    let &BufferActivityRequest { range, buckets: steps, measure, cumulative, .. } = request;
    let (start, end) = range.unwrap_or((0, trace.end()));
    let axis = TimeSteps::new(start, end, steps);
    let names = types(trace);
    let new_row =
        |name: &StrId| BufferTypeRow { name: trace.str(*name).to_owned(), ..BufferTypeRow::default() };
    let mut rows: Vec<BufferTypeRow> = names.iter().map(new_row).collect();
    let mut sums = vec![BufferSums::default(); names.len()];
    let mut series = vec![vec![0_i64; axis.len()]; names.len()];
    let mut largest = vec![i64::MIN; names.len()];
    let mut all = BufferSums::default();
    // The events of a run are those before its end and after the end of the previous run.
    let ends: Vec<u32> = trace.runs.iter().map(|run| trace.tracks.subtree_events(run.track).end).collect();
    let mut by_run = vec![BufferSums::default(); trace.runs.len()];
    for (id, [bytes, elements]) in events_in(trace, range, filter) {
        let name = trace.events.name(id);
        let rank = rank(trace.str(name));
        all.add(rank, bytes, elements);
        if let Some(sums) = by_run.get_mut(ends.partition_point(|end| *end <= id.0)) {
            sums.add(rank, bytes, elements);
        }
        let Some(at) = names.iter().position(|known| *known == name) else { continue };
        sums[at].add(TYPES.len(), bytes, elements);
        if rows[at].largest.is_none() || bytes.is_some_and(|bytes| bytes > largest[at]) {
            rows[at].largest = Some(Item::Event(id).code());
            largest[at] = bytes.unwrap_or(i64::MIN);
        }
        let amount = match measure {
            BufferMeasure::Bytes => bytes,
            BufferMeasure::Elements => elements,
            BufferMeasure::Events => Some(1),
        };
        let step = &mut series[at][axis.step(trace.events.time(id))];
        *step = step.saturating_add(amount.unwrap_or(0));
    }
    for (row, sums) in rows.iter_mut().zip(&sums) {
        row.events = sums.events;
        (row.bytes, row.elements) = (sums.bytes.total(), sums.elements.total());
    }
    if cumulative {
        series.iter_mut().for_each(|series| add_up(series));
    }
    let buffers = rows.iter().map(|row| row.name.clone()).zip(series).collect();
    let (start, end) = axis.range();
    let charts = Charts { start, end, buffers, ..Charts::default() };
    let runs = (0..).map(RunId).zip(&by_run).filter(|(_, sums)| sums.events > 0);
    let runs = runs.map(|(run, sums)| run_row(trace, run, sums)).collect();
    BufferActivity { charts, types: rows, runs, spill: all.spill() }
}

fn run_row(trace: &Trace, run: RunId, sums: &BufferSums) -> BufferRunRow {
    BufferRunRow {
        run: trace.run_name(run).to_owned(),
        events: sums.events,
        bytes: sums.bytes.total(),
        elements: sums.elements.total(),
        spill: sums.spill(),
    }
}

/// Replaces each value by the sum of all values up to it.
fn add_up(series: &mut [i64]) {
    let mut sum = 0_i64;
    for step in series {
        sum = sum.saturating_add(*step);
        *step = sum;
    }
}

/// Sums of buffer events for each query, by its row in the query list.
#[derive(Default)]
struct BufferQuerySums {
    range: Option<(i64, i64)>,
    /// Text of the filter.
    filter: String,
    queries: Vec<(u32, BufferSums)>,
    without_query: u64,
}

/// Queries of a trace with their buffer events in the time range that was requested last.
#[derive(Default)]
pub struct BufferQueries(Option<BufferQuerySums>);

impl BufferQueries {
    /// Returns a page of the list of queries.
    #[inline(never)]
    pub fn page(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        (list, filter): (&BufferQueryList, Option<&FilteredItems>),
        (first, count): (u32, u32),
    ) -> BufferQueryPage {
        if self.0.as_ref().is_none_or(|sums| sums.range != list.range || sums.filter != list.filter) {
            self.0 = Some(BufferQuerySums::of(trace, queries, list, filter));
        }
        let Some(sums) = &self.0 else { return BufferQueryPage::default() };
        let order = sums.order(queries, list);
        let page = order.iter().skip(first as usize).take(count.min(MAX_ROWS) as usize);
        BufferQueryPage {
            total: order.len() as u32,
            without_query: sums.without_query,
            first,
            rows: page.map(|&at| row(trace, queries, &sums.queries[at as usize])).collect(),
        }
    }
}

impl BufferQuerySums {
    fn of(trace: &Trace, queries: &Queries, list: &BufferQueryList, filter: Option<&FilteredItems>) -> Self {
        let (range, text) = (list.range, list.filter.clone());
        let mut found = Self { range, filter: text, ..Self::default() };
        let mut known: FxHashMap<u32, usize> = FxHashMap::default();
        for (id, [bytes, elements]) in events_in(trace, range, filter) {
            let Some(row) = queries.row_of(trace, Item::Event(id)) else {
                found.without_query += 1;
                continue;
            };
            let at = *known.entry(row).or_insert_with(|| {
                found.queries.push((row, BufferSums::default()));
                found.queries.len() - 1
            });
            found.queries[at].1.add(rank(trace.str(trace.events.name(id))), bytes, elements);
        }
        found
    }

    /// Indices of the queries in the order of a list; queries without a value are last in both directions.
    fn order(&self, queries: &Queries, list: &BufferQueryList) -> Vec<u32> {
        let value = |at: u32| {
            let (row, sums) = &self.queries[at as usize];
            match list.sort {
                BufferQueryColumn::Bytes => sums.bytes.total(),
                BufferQueryColumn::Elements => sums.elements.total(),
                BufferQueryColumn::Events => i64::try_from(sums.events).ok(),
                BufferQueryColumn::Spilled => sums.spilled.total(),
                BufferQueryColumn::SpillShare => {
                    sums.spill().share().map(|share| share.max(0.0).to_bits().cast_signed())
                }
                BufferQueryColumn::Duration => Some(queries.duration(*row)),
            }
        };
        let keyed = (0..self.queries.len() as u32).map(|at| (value(at), at));
        let (mut known, unknown): (Vec<_>, Vec<_>) = keyed.partition(|(value, _)| value.is_some());
        sort::by_key(&mut known, |(value, at)| (!value.unwrap_or(0), u64::from(*at)));
        if list.reversed {
            known.reverse();
        }
        known.into_iter().chain(unknown).map(|(_, at)| at).collect()
    }
}

fn row(trace: &Trace, queries: &Queries, (row, sums): &(u32, BufferSums)) -> BufferQueryRow {
    let item = Item::Span(queries.span(*row));
    let title = trace.text(item, key::SQL).unwrap_or_else(|| trace.name(item));
    let run = trace.runs.get(queries.run(*row).0 as usize);
    BufferQueryRow {
        item: item.code(),
        title: text::shortened(trace.str(title), TITLE),
        run: run.map_or_else(String::new, |run| trace.str(run.name).to_owned()),
        duration: queries.duration(*row),
        is_complete: queries.is_whole(*row),
        events: sums.events,
        bytes: sums.bytes.total(),
        elements: sums.elements.total(),
        spill: sums.spill(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    const TRACE: &str = "
        run r 100
        query a 0..50 : SELECT 1
        buffer 5 READ 100
        buffer 10 LOGICAL_WRITE 300
        buffer 20 SPILL 100
        query b 60..90 : SELECT 2
        buffer 65 READ 1000
        buffer 70 ODD 7
    ";

    /// Name, events, bytes; spilled and written bytes; by query: title, bytes, spill share.
    type Numbers<'a> = (&'a [(&'a str, u64, Option<i64>)], SpillShare, &'a [(&'a str, i64, Option<f64>)]);

    fn request(range: Option<(i64, i64)>, measure: BufferMeasure, cumulative: bool) -> BufferActivityRequest {
        BufferActivityRequest { range, buckets: 4, measure, cumulative, filter: String::new() }
    }

    fn check(range: Option<(i64, i64)>, (types, spill, listed): Numbers) {
        let trace = testing::trace(TRACE);
        let found = buffer_activity(&trace, &request(range, BufferMeasure::Bytes, false), None);
        let rows: Vec<_> = found.types.iter().map(|row| (row.name.as_str(), row.events, row.bytes)).collect();
        assert_eq!((rows.as_slice(), found.spill), (types, spill), "{range:?}");
        let list = BufferQueryList { range, ..BufferQueryList::default() };
        let page = BufferQueries::default().page(&trace, &Queries::of(&trace), (&list, None), (0, 100));
        let rows =
            page.rows.iter().map(|row| (row.title.as_str(), row.bytes.unwrap_or(0), row.spill.share()));
        assert_eq!(rows.collect::<Vec<_>>(), listed, "{range:?}");
    }

    #[test]
    fn what_was_written_is_divided_by_where_it_went() {
        let some = |written, spilled| SpillShare { written: Some(written), spilled };
        check(
            None,
            (
                &[
                    ("READ", 2, Some(1_100)),
                    ("LOGICAL_WRITE", 1, Some(300)),
                    ("SPILL", 1, Some(100)),
                    ("ODD", 1, Some(7)),
                ],
                some(400, 100),
                &[("SELECT 2", 1_007, None), ("SELECT 1", 500, Some(0.25))],
            ),
        );
        let none = SpillShare::default();
        let only_read =
            [("READ", 1, Some(1_000)), ("LOGICAL_WRITE", 0, None), ("SPILL", 0, None), ("ODD", 0, None)];
        check(Some((60, 70)), (&only_read, none, &[("SELECT 2", 1_000, None)]));
        let nothing = [("READ", 0, None), ("LOGICAL_WRITE", 0, None), ("SPILL", 0, None), ("ODD", 0, None)];
        check(Some((90, 95)), (&nothing, none, &[]));
    }

    #[test]
    fn each_run_has_a_spill_share() {
        // 100 of 100 + 300 bytes were spilled in `r`, 50 of 50 in `s`; `t` has no buffer events.
        let trace = testing::trace(&format!(
            "{TRACE}\nrun s 100\nquery c 0..50 : SELECT 3\nbuffer 10 SPILL 50\nrun t 100"
        ));
        let runs = |range| {
            let found = buffer_activity(&trace, &request(range, BufferMeasure::Bytes, false), None).runs;
            let numbers = |row: BufferRunRow| (row.run, row.events, row.bytes, row.spill.share());
            found.into_iter().map(numbers).collect::<Vec<_>>()
        };
        let (r, s) = ("r".to_owned(), "s".to_owned());
        assert_eq!(
            runs(None),
            [(r.clone(), 5, Some(1_507), Some(0.25)), (s.clone(), 1, Some(50), Some(1.0))]
        );
        assert_eq!(runs(Some((10, 11))), [(r.clone(), 1, Some(300), Some(0.0)), (s, 1, Some(50), Some(1.0))]);
        assert_eq!(runs(Some((60, 70))), [(r, 1, Some(1_000), None)]);
    }

    #[test]
    fn series_are_of_any_measure_and_may_add_up() {
        let trace = testing::trace(TRACE);
        let reads = |measure, cumulative| {
            buffer_activity(&trace, &request(None, measure, cumulative), None).charts.buffers.swap_remove(0)
        };
        assert_eq!(reads(BufferMeasure::Bytes, false), ("READ".to_owned(), vec![100, 0, 1_000, 0]));
        assert_eq!(reads(BufferMeasure::Bytes, true).1, [100, 100, 1_100, 1_100]);
        assert_eq!(reads(BufferMeasure::Events, true).1, [1, 1, 2, 2]);
        assert_eq!(reads(BufferMeasure::Elements, false).1, [0; 4]);
        let empty = buffer_activity(&Trace::default(), &request(None, BufferMeasure::Bytes, true), None);
        assert_eq!((empty.types.len(), empty.spill.share()), (0, None));
    }
}
