//! Folds the three events of an interval (beginning, whole, end) into one span.
//!
//! The runtime reads the clock for an interval before it records the beginning, and again before it records the end. So the
//! beginning event is just inside the interval, and the end event is just after it.

use super::names::{TopoExecEventExtent, part};
use super::store::{N_ROLES, TopoExecRow};
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::base::sort;

/// A span made from the events of an interval.
#[derive(Clone, Copy, Debug)]
pub struct FoldedSpan {
    pub start: i64,
    pub end: i64,
    /// Position of the interval in `INTERVALS`; [`OTHER`] for an interval that is not listed there.
    pub rank: u8,
    /// Index of the row with most of the attributes.
    pub row: u32,
    /// Indices of the rows of the begin and end events, if they differ from `row`.
    pub begin: Option<u32>,
    pub last: Option<u32>,
    /// Whether the interval began but did not end.
    pub aborted: bool,
}

/// Rank of an interval that is not listed in `INTERVALS`.
pub const OTHER: u8 = u8::MAX;

/// Spans and points of the events of a file.
#[derive(Default)]
pub struct FoldedEvents {
    /// Sorted by start; at equal starts longer spans first, then outer before inner ones.
    pub spans: Vec<FoldedSpan>,
    /// Indices of rows that are points in time, in time order.
    pub points: Vec<u32>,
    /// Indices of end events without a beginning, a subset of `points`.
    pub lone_ends: Vec<u32>,
}

/// Key that all events of one interval share: rank and roles.
type SpanKey = (u8, [StrId; N_ROLES]);

/// A begin or end event, or the start or end of a whole interval, that is not paired yet. `number` is the index of its
/// row or span, and `until` the latest time of an event that it may be paired with.
#[derive(Clone, Copy)]
struct PendingSpanEvent {
    key: SpanKey,
    time: i64,
    number: u32,
    until: i64,
}

/// Makes spans and points of the rows, which must be sorted by time.
pub fn fold(rows: &[TopoExecRow], strings: &Interner) -> FoldedEvents {
    let mut folded = FoldedEvents::default();
    let (mut begins, mut ends) = (Vec::new(), Vec::new());
    let last = rows.iter().map(|row| row.time + row.length).max().unwrap_or(0);
    for (number, row) in (0..).zip(rows) {
        let mark =
            |rank| PendingSpanEvent { key: (rank, row.key()), time: row.time, number, until: i64::MAX };
        match part(strings.get(row.name)) {
            (TopoExecEventExtent::Begin, Some(rank)) => begins.push(mark(rank)),
            (TopoExecEventExtent::End, Some(rank)) => ends.push(mark(rank)),
            (TopoExecEventExtent::Whole, Some(rank)) => folded.spans.push(whole(row, number, rank)),
            _ if row.length > 0 => folded.spans.push(whole(row, number, OTHER)),
            _ => folded.points.push(number),
        }
    }
    let (begins, ends) = join_wholes(&mut folded.spans, rows, begins, ends);
    join_rest(&mut folded, (begins, ends), last);
    sort::by_key(&mut folded.points, |&row| (i64::from(row), 0));
    sort::by_key(&mut folded.spans, |span| (i64::from(span.rank), 0));
    sort::by_key(&mut folded.spans, |span| (span.start, u64::MAX - sort::ordered(span.end)));
    folded
}

fn whole(row: &TopoExecRow, number: u32, rank: u8) -> FoldedSpan {
    let (start, end) = (row.time, row.time + row.length);
    FoldedSpan { start, end, rank, row: number, begin: None, last: None, aborted: false }
}

/// Assigns begin and end events to whole intervals; returns the begin and end events that are left.
fn join_wholes(
    spans: &mut [FoldedSpan],
    rows: &[TopoExecRow],
    begins: Vec<PendingSpanEvent>,
    ends: Vec<PendingSpanEvent>,
) -> (Vec<PendingSpanEvent>, Vec<PendingSpanEvent>) {
    let marks = |at_end: bool| -> Vec<PendingSpanEvent> {
        let mark = |(number, span): (u32, &FoldedSpan)| {
            let key = (span.rank, rows[span.row as usize].key());
            let (time, until) = if at_end { (span.end, i64::MAX) } else { (span.start, span.end) };
            PendingSpanEvent { key, time, number, until }
        };
        (0..).zip(&*spans).filter(|(_, span)| span.rank != OTHER).map(mark).collect()
    };
    let (starts, stops) = (marks(false), marks(true));
    let (begun, begins) = pair(starts, begins);
    let (ended, ends) = pair(stops, ends);
    begun.into_iter().for_each(|(span, row)| spans[span as usize].begin = Some(row));
    ended.into_iter().for_each(|(span, row)| spans[span as usize].last = Some(row));
    (begins, ends)
}

/// Makes spans of begin events that belong to no whole interval: old versions record no whole intervals, and an
/// interval that fails has only a begin event.
fn join_rest(
    folded: &mut FoldedEvents,
    (begins, ends): (Vec<PendingSpanEvent>, Vec<PendingSpanEvent>),
    last: i64,
) {
    let known: Vec<(u32, i64, u8)> = begins.iter().map(|mark| (mark.number, mark.time, mark.key.0)).collect();
    let times: FxHashMap<u32, i64> = ends.iter().map(|mark| (mark.number, mark.time)).collect();
    let (closed, lone_ends) = pair(begins, ends);
    let closed: FxHashMap<u32, u32> = closed.into_iter().collect();
    for (row, start, rank) in known {
        let end = closed.get(&row).copied();
        let until = end.and_then(|end| times.get(&end).copied());
        let (end, last) = (until.unwrap_or(last), end);
        folded.spans.push(FoldedSpan { start, end, rank, row, begin: None, last, aborted: last.is_none() });
    }
    folded.lone_ends = lone_ends.into_iter().map(|mark| mark.number).collect();
    sort::by_key(&mut folded.lone_ends, |&row| (i64::from(row), 0));
    folded.points.extend(&folded.lone_ends);
}

/// Joins each event of `marks` with the latest unmatched event of `open` that has the same key. Returns pairs of indices, and
/// the events of `marks` without a match.
fn pair(
    mut open: Vec<PendingSpanEvent>,
    mut marks: Vec<PendingSpanEvent>,
) -> (Vec<(u32, u32)>, Vec<PendingSpanEvent>) {
    sort::by_key(&mut open, |mark| (mark.time, 0));
    sort::by_key(&mut marks, |mark| (mark.time, 0));
    let mut waiting: FxHashMap<SpanKey, Vec<(u32, i64)>> = FxHashMap::default();
    let mut pairs = Vec::new();
    let mut alone = Vec::new();
    let mut open = open.into_iter().peekable();
    for mark in marks {
        while let Some(next) = open.next_if(|next| next.time <= mark.time) {
            waiting.entry(next.key).or_default().push((next.number, next.until));
        }
        let found = waiting.get_mut(&mark.key).and_then(|list| list.pop_if(|(_, until)| *until >= mark.time));
        match found {
            Some((number, _)) => pairs.push((number, mark.number)),
            None => alone.push(mark),
        }
    }
    (pairs, alone)
}
