//! Orders events by run, query and time. Events that cannot be shown are listed separately.

use std::cmp::Reverse;
use std::ops::Range;

use super::schema::{KublingEventType, KublingTextField};
use super::store::{CorrelationKeyId, KublingRow, KublingStore};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;
use crate::import::contract::Records;
use crate::import::grouped_indices::GroupedIndices;
use crate::trace::RecordTable;

/// All events of a store in display order.
pub struct KublingEventOrder {
    /// Indices of rows in the store.
    pub rows: Vec<u32>,
    /// Queries by run, then by start.
    pub queries: Vec<QueryEvents>,
    /// Runs in the order of their first event in the files.
    pub runs: Vec<RunQueries>,
    /// Rows of events that another file also contains.
    pub repeated: Vec<u32>,
    /// Rows of events too far from the rest of their run for 64 bits of nanoseconds.
    pub far: Vec<u32>,
}

/// The events of one query.
#[derive(Clone)]
pub struct QueryEvents {
    /// Correlation key, with the database if any of the query's events has it.
    pub key: CorrelationKeyId,
    /// Range of the query's events in [`KublingEventOrder::rows`].
    pub rows: Range<usize>,
    run: u32,
    first: i64,
}

/// The queries of one run.
pub struct RunQueries {
    /// Id of the run, or [`StrId::NONE`].
    pub name: StrId,
    /// Clock reading at the first event, in nanoseconds.
    pub origin: i64,
    /// Clock reading at the last event, in nanoseconds.
    pub last: i64,
    /// Range of the run's queries in [`KublingEventOrder::queries`].
    pub queries: Range<usize>,
}

impl KublingEventOrder {
    /// Orders the events of `store`.
    pub fn new(store: &KublingStore, reported: &RecordTable, records: &Records) -> Self {
        let canonical = join_tables(store);
        let (mut runs, run_of) = runs(store);
        let far = measure(store, &mut runs, &run_of);
        let (mut rows, ends) = by_key(store, &canonical, &far);
        let mut order =
            KublingEventOrder { rows: Vec::new(), queries: Vec::new(), runs, repeated: Vec::new(), far };
        let mut sorter =
            QueryEventSorter { store, reported, records, group: Vec::new(), repeated: Vec::new() };
        let mut kept = 0;
        let mut from = 0;
        for (key, &to) in ends.iter().enumerate() {
            let begin = kept;
            kept = sorter.sort(&mut rows, from as usize..to as usize, kept);
            from = to;
            if kept > begin {
                let (run, first) = (run_of[key], store.time(rows[begin]));
                order.queries.push(QueryEvents {
                    key: key as CorrelationKeyId,
                    rows: begin..kept,
                    run,
                    first,
                });
            }
        }
        rows.truncate(kept);
        order.rows = rows;
        order.repeated = sorter.repeated;
        order.arrange();
        order
    }

    /// Sorts queries by run and start. Ties are in the order of the keys, which are numbered by first appearance.
    #[inline(never)]
    fn arrange(&mut self) {
        sort::by_key(&mut self.queries, |q| (i64::from(q.run), sort::ordered(q.first)));
        let mut from = 0;
        for (number, run) in self.runs.iter_mut().enumerate() {
            let count = self.queries[from..].iter().take_while(|q| q.run as usize == number).count();
            run.queries = from..from + count;
            from += count;
        }
    }
}

/// By correlation key: the key under which its events are shown. Events from table exports lack the database; their key is
/// replaced by the one with the same run and query id that has a database, if there is exactly one.
#[inline(never)]
fn join_tables(store: &KublingStore) -> Vec<CorrelationKeyId> {
    let keys = store.keys();
    let mut canonical: Vec<CorrelationKeyId> = (0..keys.len() as CorrelationKeyId).collect();
    let without = |&key: &CorrelationKeyId| {
        store.scope(key).vdb == StrId::NONE && store.scope(key).version == StrId::NONE
    };
    if !canonical.iter().any(without) {
        return canonical;
    }
    let name = |key: CorrelationKeyId| (store.scope(key).run, keys[key as usize].query);
    let mut only: FxHashMap<_, Option<CorrelationKeyId>> = FxHashMap::default();
    for key in canonical.iter().copied().filter(|key| !without(key)) {
        only.entry(name(key)).and_modify(|known| *known = None).or_insert(Some(key));
    }
    for key in 0..keys.len() as CorrelationKeyId {
        if without(&key)
            && let Some(Some(other)) = only.get(&name(key))
        {
            canonical[key as usize] = *other;
        }
    }
    canonical
}

/// Runs in the order of their first event, and the run of each key.
#[inline(never)]
fn runs(store: &KublingStore) -> (Vec<RunQueries>, Vec<u32>) {
    let (mut runs, mut numbers) = (Vec::new(), FxHashMap::default());
    let run_of = (0..store.keys().len() as CorrelationKeyId).map(|key| {
        let name = store.scope(key).run;
        *numbers.entry(name).or_insert_with(|| {
            runs.push(RunQueries { name, origin: i64::MAX, last: i64::MIN, queries: 0..0 });
            runs.len() as u32 - 1
        })
    });
    let run_of = run_of.collect();
    (runs, run_of)
}

/// Sets start and end of each run. Returns the events that are too far from the rest: if a run spans more than 64 bits
/// of nanoseconds, the events in the half that has fewer events.
#[inline(never)]
fn measure(store: &KublingStore, runs: &mut [RunQueries], run_of: &[u32]) -> Vec<u32> {
    for (key, time) in store.keys_of().zip(store.times()) {
        let run = &mut runs[run_of[key as usize] as usize];
        (run.origin, run.last) = (run.origin.min(time), run.last.max(time));
    }
    let wide = |run: &RunQueries| run.last.checked_sub(run.origin).is_none();
    if !runs.iter().any(|run| run.origin <= run.last && wide(run)) {
        return Vec::new();
    }
    let middle = |run: &RunQueries| (i128::from(run.origin) + i128::from(run.last)).div_euclid(2) as i64;
    let bounds: Vec<Option<i64>> =
        runs.iter().map(|run| (run.origin <= run.last && wide(run)).then(|| middle(run))).collect();
    let mut balance = vec![0_i64; runs.len()];
    let place = |row: u32| (run_of[store.key_of(row) as usize] as usize, store.time(row));
    for (run, time) in (0..store.len() as u32).map(place) {
        balance[run] += bounds[run].map_or(0, |middle| if time <= middle { 1 } else { -1 });
    }
    let mut far = Vec::new();
    for (run, _) in bounds.iter().enumerate().filter(|(_, bound)| bound.is_some()) {
        (runs[run].origin, runs[run].last) = (i64::MAX, i64::MIN);
    }
    for row in 0..store.len() as u32 {
        let (run, time) = place(row);
        if bounds[run].is_some_and(|middle| (time <= middle) != (balance[run] >= 0)) {
            far.push(row);
        } else {
            let run = &mut runs[run];
            (run.origin, run.last) = (run.origin.min(time), run.last.max(time));
        }
    }
    far
}

/// Groups all rows except `far` by key. Returns the rows, in reading order within each key, and for each key the position after
/// its last row. `far`: rows whose time is far from all others of their run.
#[inline(never)]
fn by_key(store: &KublingStore, canonical: &[CorrelationKeyId], far: &[u32]) -> (Vec<u32>, Vec<u32>) {
    let mut groups = GroupedIndices::default();
    groups.fill(canonical.len(), near(store, far).map(|(row, key)| (canonical[key as usize], row)));
    groups.into_parts()
}

/// All rows except `far`, which must be ascending, each with its key.
fn near<'a>(
    store: &'a KublingStore,
    far: &'a [u32],
) -> impl Iterator<Item = (u32, CorrelationKeyId)> + Clone + 'a {
    let mut far = far.iter().copied().peekable();
    (0..).zip(store.keys_of()).filter(move |&(row, _)| far.next_if_eq(&row).is_none())
}

/// Sorts rows by time, one query after the other.
struct QueryEventSorter<'a> {
    store: &'a KublingStore,
    reported: &'a RecordTable,
    records: &'a Records,
    group: Vec<(i64, u32)>,
    repeated: Vec<u32>,
}

impl QueryEventSorter<'_> {
    /// Sorts `range` of `rows`, which is one query, by time (ties by order of reading), and moves it down to position
    /// `to`, without events that another file repeats. Returns the position after its last row.
    #[inline(never)]
    fn sort(&mut self, rows: &mut [u32], range: Range<usize>, to: usize) -> usize {
        let mut group = std::mem::take(&mut self.group);
        group.clear();
        group.extend(rows[range].iter().map(|&row| (self.store.time(row), row)));
        sort::by_key(&mut group, |&(time, row)| (time, u64::from(row)));
        let mut at = to;
        for ties in group.chunk_by(|a, b| a.0 == b.0) {
            if ties.len() > 1 && self.are_of_several_files(ties) {
                self.merge(ties, rows, &mut at);
            } else {
                for &(_, row) in ties {
                    rows[at] = row;
                    at += 1;
                }
            }
        }
        self.group = group;
        at
    }

    fn are_of_several_files(&self, ties: &[(i64, u32)]) -> bool {
        let file = |&(_, row): &(i64, u32)| self.records.file_of(self.store.record(row));
        self.records.has_several_files() && ties.iter().any(|tie| file(tie) != file(&ties[0]))
    }

    /// Merges events with the same time from several files. They are sorted by event type, in the order in which the
    /// types occur in a query, since the order of files means nothing. Equal events of different files count as one
    /// event.
    #[inline(never)]
    fn merge(&mut self, ties: &[(i64, u32)], rows: &mut [u32], at: &mut usize) {
        let row = |&(_, number): &(i64, u32)| (number, self.store.row(number, self.reported));
        let mut ties: Vec<(u32, KublingRow)> = ties.iter().map(row).collect();
        let place = |(number, row): &(u32, KublingRow)| (row.kind, Reverse(self.richness(row)), *number);
        sort::by(&mut ties, |a, b| place(a).cmp(&place(b)));
        let (mut in_file, mut kept) = (FxHashMap::default(), FxHashMap::default());
        for (number, row) in ties {
            let identity = self.identity(&row);
            let here: &mut u32 = in_file.entry((identity, self.records.file_of(row.record))).or_default();
            *here += 1;
            let kept: &mut u32 = kept.entry(identity).or_default();
            if *here <= *kept {
                self.repeated.push(number);
            } else {
                *kept = *here;
                rows[*at] = number;
                *at += 1;
            }
        }
    }

    /// Values by which equal events of different files are recognised. Connectors and databases are not among them,
    /// because tables do not contain them.
    fn identity(
        &self,
        row: &KublingRow,
    ) -> (KublingEventType, Option<bool>, Option<StrId>, [Option<i64>; 3]) {
        let text = match row.kind {
            KublingEventType::Buffer => KublingTextField::BufferType,
            KublingEventType::Other => KublingTextField::Type,
            _ => KublingTextField::TupleSource,
        };
        let mut nums = [None; 3];
        for (place, &num) in nums.iter_mut().zip(row.kind.nums()) {
            *place = row.num(num);
        }
        (row.kind, row.success(), row.text(text), nums)
    }

    /// Number of values of an event, to keep the most complete of equal events.
    fn richness(&self, row: &KublingRow) -> usize {
        let texts = row.kind.texts().iter().filter(|&&text| row.text(text).is_some()).count();
        texts + usize::from(self.store.scope(row.key).vdb != StrId::NONE)
    }
}
