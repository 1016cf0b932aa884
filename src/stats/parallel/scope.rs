//! Scope of the parallelism view and of critical paths.

use super::{TITLE, TrackNames};
use crate::analysis::Queries;
use crate::base::{FxHashSet, sort, text};
use crate::trace::{Flags, Item, Kind, SpanId, Trace, TrackKind, overlaps};

/// Scope of the parallelism view and of a critical path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ParallelScope {
    /// Statement, as a row of the query list.
    Query(u32),
    /// Span: the critical path is that of the span with all that is inside it; the threads are shown in its time range.
    Span(SpanId),
    /// Time range: start and end in nanoseconds.
    Range(i64, i64),
}

impl ParallelScope {
    /// The scope of a request: the time range, or else the query of the item, or else the outermost span around the item,
    /// or else the longest query, or else the whole trace.
    pub fn of(trace: &Trace, queries: &Queries, range: Option<(i64, i64)>, item: Option<Item>) -> Self {
        if let Some((start, end)) = range {
            return Self::Range(start, end.max(start));
        }
        let of_item = item.and_then(|item| match queries.row_of(trace, item) {
            Some(row) => Some(Self::Query(row)),
            None => Some(Self::Span(outermost(trace, item)?)),
        });
        let longest = || (0..queries.len()).max_by_key(|&row| queries.duration(row)).map(Self::Query);
        of_item.or_else(longest).unwrap_or(Self::Range(0, trace.end()))
    }

    /// Start and end of the scope, in nanoseconds.
    pub(super) fn range(self, trace: &Trace, queries: &Queries) -> (i64, i64) {
        match self {
            Self::Query(row) => queries.interval(row),
            Self::Span(span) => trace.spans.bounds(span),
            Self::Range(start, end) => (start, end.max(start)),
        }
    }

    /// Statement of the query or name of the span; empty for a time range.
    pub(super) fn title(self, trace: &Trace, queries: &Queries) -> String {
        match self {
            Self::Query(row) => queries.row(trace, row).sql,
            Self::Span(span) => text::shortened(trace.str(trace.spans.name(span)), TITLE),
            Self::Range(..) => String::new(),
        }
    }

    /// Rows of the statement and of the statements that it started in other processes.
    pub(super) fn rows(self, trace: &Trace, queries: &Queries) -> FxHashSet<u32> {
        let Self::Query(row) = self else { return FxHashSet::default() };
        let (asked, mut found) = (asked(trace, queries), vec![row]);
        let (mut rows, mut at) = (FxHashSet::from_iter([row]), 0);
        while let Some(&from) = found.get(at) {
            let first = asked.partition_point(|pair| pair.0 < from);
            let of_row = asked[first..].iter().take_while(|pair| pair.0 == from);
            found.extend(of_row.map(|pair| pair.1).filter(|to| rows.insert(*to)));
            at += 1;
        }
        rows
    }

    /// Whether a span belongs to the scope and overlaps its time range; `rows` are the scope's statements.
    pub(super) fn counts(self, trace: &Trace, queries: &Queries, rows: &FxHashSet<u32>, id: SpanId) -> bool {
        let is_inside = || {
            let (start, end) = trace.spans.bounds(id);
            overlaps(start, end, self.range(trace, queries))
        };
        (matches!(self, Self::Query(_)) || is_inside()) && self.owns(trace, queries, rows, id)
    }

    /// Whether a span belongs to the scope, regardless of the time range; `rows` are the scope's statements.
    pub(super) fn owns(self, trace: &Trace, queries: &Queries, rows: &FxHashSet<u32>, id: SpanId) -> bool {
        let owned = match self {
            Self::Query(_) => queries.owner(trace, id).is_some_and(|row| rows.contains(&row)),
            Self::Span(_) | Self::Range(..) => true,
        };
        // A query span only encloses work, and shows what its thread waits for.
        owned && trace.spans.kind(id) != Kind::Query
    }
}

/// Pairs of statements (rows of the query list) in different processes that are connected by an arrow from the first
/// statement to the second, sorted.
fn asked(trace: &Trace, queries: &Queries) -> Vec<(u32, u32)> {
    if !TrackNames::new(trace).several {
        return Vec::new();
    }
    let process = |span: SpanId| trace.tracks.ancestor(trace.tracks.of_span(span), TrackKind::Process);
    let between = trace.flows.iter().filter(|flow| process(flow.from) != process(flow.to));
    let rows =
        between.filter_map(|flow| Some((queries.owner(trace, flow.from)?, queries.owner(trace, flow.to)?)));
    let mut asked: Vec<(u32, u32)> = rows.collect();
    sort::by_key(&mut asked, |pair| (i64::from(pair.0), u64::from(pair.1)));
    asked
}

/// The outermost span around an item; `None` for an event without a span. A span without an end is not taken as the outermost one: it
/// lasts until the end of the trace, so its path would hardly depend on the item.
fn outermost(trace: &Trace, item: Item) -> Option<SpanId> {
    let span = match item {
        Item::Span(id) => Some(id),
        Item::Event(id) => trace.events.parent(id),
    };
    let is_whole = |up: &SpanId| !trace.spans.flags(*up).has(Flags::OPEN_END);
    std::iter::successors(span, |&at| trace.spans.parent(at).filter(is_whole)).last()
}
