//! List of transactions with their durations and idle times.

use super::details::link;
use super::locks::has_lock_notes;
use super::pauses::{Gap, Paused, pauses};
use std::borrow::Cow;

use crate::base::sort;
use crate::base::text;
use crate::protocol::{Pause, TransactionColumn, TransactionList, TransactionPage, TransactionRow};
use crate::trace::{Flags, Item, Key, Kind, SpanId, Trace, TrackId, clipped, overlaps};

/// Maximum number of rows in a page.
const MAX_ROWS: u32 = 10_000;
/// Maximum length of a thread name, in characters.
const NAME: usize = 200;

/// All transactions of a trace, grouped by thread.
#[derive(Default)]
pub struct Transactions {
    rows: Vec<Paused>,
}

/// Whether the trace has transactions, lock waits or notes about locks.
pub fn has_transactions(trace: &Trace) -> bool {
    trace.spans.has(Kind::Transaction) || !trace.lock_waits.is_empty() || has_lock_notes(trace)
}

impl Transactions {
    /// Collects the transactions of a trace.
    #[inline(never)]
    pub fn of(trace: &Trace) -> Self {
        if !trace.spans.has(Kind::Transaction) {
            return Self::default();
        }
        let tracks = (0..trace.tracks.len() as u32).map(TrackId);
        Self { rows: tracks.flat_map(|track| pauses(trace, track)).collect() }
    }

    /// Consumes the list and returns all transactions.
    pub fn into_rows(self) -> impl Iterator<Item = Paused> {
        self.rows.into_iter()
    }

    /// Returns a page of the list.
    #[inline(never)]
    pub fn page(&self, trace: &Trace, list: &TransactionList, first: u32, count: u32) -> TransactionPage {
        let mut rows: Vec<Shown> =
            self.rows.iter().filter_map(|row| Shown::of(trace, row, list.range)).collect();
        sort::by_key(&mut rows, |row| (measure(row, list.sort), u64::from(row.paused.span.0)));
        if list.reversed {
            rows.reverse();
        }
        let sum =
            |of: &dyn Fn(&Shown) -> i64| rows.iter().fold(0, |sum: i64, row| sum.saturating_add(of(row)));
        let state = trace.key("state");
        let page = rows.iter().skip(first as usize).take(count.min(MAX_ROWS) as usize);
        TransactionPage {
            total: rows.len() as u32,
            idle: rows.iter().filter(|row| !row.paused.gaps.is_empty()).count() as u32,
            duration: sum(&|row| row.duration),
            idle_time: sum(&|row| row.paused.idle()),
            first,
            rows: page.map(|shown| row(trace, shown, state)).collect(),
        }
    }
}

/// Transaction clipped to the time range of a list.
#[derive(Clone)]
struct Shown<'a> {
    paused: Cow<'a, Paused>,
    start: i64,
    duration: i64,
}

impl<'a> Shown<'a> {
    /// Clips a transaction to the range; `None` if it does not overlap the range.
    fn of(trace: &Trace, paused: &'a Paused, range: Option<(i64, i64)>) -> Option<Self> {
        let (start, duration) = trace.spans.time(paused.span);
        let Some(range) = range else { return Some(Self { paused: Cow::Borrowed(paused), start, duration }) };
        let bounds = trace.spans.bounds(paused.span);
        overlaps(bounds.0, bounds.1, range).then(|| {
            let (from, until) = clipped(bounds, range);
            let duration = until.saturating_sub(from);
            Self { paused: Cow::Owned(paused.inside(range)), start, duration }
        })
    }
}

/// Sort key of a row; lower keys come first.
fn measure(shown: &Shown, column: TransactionColumn) -> i64 {
    let Shown { paused: row, start, duration } = shown;
    let (start, duration) = (*start, *duration);
    let longest = || row.longest().map_or(0, |gap| gap.end - gap.start);
    // Share in millionths. Times are far below 2^63 millionths.
    let share = || (i128::from(row.idle()) * 1_000_000 / i128::from(duration.max(1))) as i64;
    match column {
        TransactionColumn::Start => start,
        TransactionColumn::Duration => !duration,
        TransactionColumn::Idle => !row.idle(),
        TransactionColumn::Share => !share(),
        TransactionColumn::Longest => !longest(),
        TransactionColumn::Statements => !i64::from(row.statements),
    }
}

fn row(trace: &Trace, shown: &Shown, state: Option<Key>) -> TransactionRow {
    let Shown { paused, duration, .. } = shown;
    let item = Item::Span(paused.span);
    let known = paused.statements > 0;
    let state = state.and_then(|key| trace.text(item, key));
    let thread = trace.tracks.get(trace.track_of(item)).name;
    TransactionRow {
        link: link(trace, item),
        duration: *duration,
        open: trace.spans.flags(paused.span).has(Flags::OPEN_END),
        thread: text::shortened(trace.str(thread), NAME),
        state: state.map(|state| text::shortened(trace.str(state), NAME)),
        statements: paused.statements,
        idle: known.then(|| paused.idle()),
        pauses: paused.gaps.len() as u32,
        longest: paused.longest().map(|gap| pause(trace, &gap)),
    }
}

fn pause(trace: &Trace, gap: &Gap) -> Pause {
    let statement = |id: SpanId| link(trace, Item::Span(id));
    let Gap { start, end, before, after } = *gap;
    Pause { start, end, before: Some(statement(before)), after: after.map(statement) }
}
