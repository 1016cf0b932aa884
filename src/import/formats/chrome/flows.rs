//! Arrows between slices: from the slice that passes work on to the slice that continues it.

use super::event::EventJoinId;
use super::names::{ProcessId, ThreadId};
use super::problems::{BIND_ALONE, FLOW_ALONE, FLOW_NO_NEXT, FLOW_OTHER_UNBOUND, FLOW_UNBOUND};
use super::slices::RecordProblems;
use super::store::{BindingEvent, ChromeEventHeader, ChromeFile, FlowBinding, FlowEvent};
use crate::base::interner::StrId;
use crate::base::sort;
use crate::base::{FxHashMap, FxHashSet};
use crate::import::contract::ProblemKind;
use crate::import::interval_nesting::{Holders, Placed};
use crate::trace::{EventId, Flow, Item, RecordId, SpanId};

/// Slices of a thread that were written to the trace.
#[derive(Default)]
pub struct WrittenSlices {
    /// Span id of the first of these slices; their ids are consecutive.
    pub first: u32,
    pub placed: Vec<Placed>,
    pub holders: Holders,
}

/// Written slices by thread.
pub type ThreadSlicesById = FxHashMap<ThreadId, WrittenSlices>;

/// Instants of a thread that are in no slice, by time and then in the order of the file.
pub type ThreadInstants = Vec<(i64, RecordId, EventId)>;

/// Slices and instants that the ends of arrows can belong to.
pub struct FlowEndTargets<'a> {
    pub threads: &'a ThreadSlicesById,
    pub points: &'a FxHashMap<ThreadId, ThreadInstants>,
    pub async_spans: &'a AsyncEventSpans,
}

/// Asynchronous slices by thread, time and category of their events.
pub type AsyncEventSpans = FxHashMap<(ThreadId, i64, StrId), SpanId>;

/// Spans of events with arrows, and the time at which an arrow leaves each, in nanoseconds.
pub type BindingSpans = FxHashMap<BindingEvent, (SpanId, i64)>;

/// Initial entry of [`BindingSpans`], for an event that has no span yet.
const NOWHERE: (SpanId, i64) = (SpanId(u32::MAX), 0);

/// Returns an entry for each event that declares an arrow (`bind_id`); the spans are filled in when they are written.
pub fn bearers(file: &ChromeFile) -> BindingSpans {
    file.binds.iter().map(|bind| (bind.of, NOWHERE)).collect()
}

/// Key that joins the ends of arrows.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum FlowKey {
    /// For s, t and f: process (if the id is local), category, name and id.
    Events(Option<ProcessId>, StrId, StrId, EventJoinId),
    /// For slices: `bind_id`.
    Slices(StrId),
}

/// An end of an arrow whose slice or instant is known.
#[derive(Clone, Copy)]
struct ResolvedFlowEnd {
    /// Time by which the ends of a chain are sorted, in nanoseconds.
    time: i64,
    /// Times in nanoseconds at which an arrow arrives at this end and leaves it.
    arrives: i64,
    leaves: i64,
    item: Item,
    name: StrId,
    record: RecordId,
    into: bool,
    out: bool,
    /// Whether the end is a flow event (s, t, f), not a slice with a `bind_id`.
    own: bool,
    /// Whether the chain of arrows ends at this end.
    last: bool,
}

/// All arrows of a file, whose slices must have been written before. `origin` is the start of the file, in nanoseconds.
#[inline(never)]
pub fn flows(
    file: &ChromeFile,
    places: &FlowEndTargets,
    bearers: &mut BindingSpans,
    origin: i64,
    teller: &mut RecordProblems,
) -> Vec<Flow<Item>> {
    let mut chains: FxHashMap<FlowKey, Vec<ResolvedFlowEnd>> = FxHashMap::default();
    let mut order = Vec::new();
    let mut add = |key, end| {
        let chain = chains.entry(key).or_insert_with(|| {
            order.push(key);
            Vec::new()
        });
        chain.push(end);
    };
    let mut unbound: FxHashSet<FlowKey> = FxHashSet::default();
    for flow in file.flows.iter() {
        let key = key_of(file, &flow);
        match end_of_event(&flow, places) {
            Some(end) => add(key, end),
            None => {
                let kind = if flow.enclosing { FLOW_UNBOUND } else { FLOW_NO_NEXT };
                teller.note(flow.of.record, kind, flow.of.name);
                unbound.insert(key);
            }
        }
    }
    find_slices(places.threads, bearers);
    for bind in &file.binds {
        let end = end_of_slice(file, bind, bearers);
        if end.item == Item::Span(NOWHERE.0) {
            teller.note(end.record, BIND_ALONE, end.name);
        } else {
            add(FlowKey::Slices(bind.id), end);
        }
    }
    let mut flows = Vec::new();
    for key in order {
        let alone = if unbound.contains(&key) { FLOW_OTHER_UNBOUND } else { FLOW_ALONE };
        join(chains.remove(&key).unwrap_or_default(), (origin, alone), &mut flows, teller);
    }
    flows
}

fn key_of(file: &ChromeFile, flow: &FlowEvent) -> FlowKey {
    let FlowEvent { of, link, .. } = *flow;
    // Arrows are meant to cross processes; only an id that is declared local stays in its process.
    let process = link.local.then(|| file.names.process_of(of.thread));
    FlowKey::Events(process, of.category, of.name, link)
}

fn end_of_event(flow: &FlowEvent, places: &FlowEndTargets) -> Option<ResolvedFlowEnd> {
    let FlowEvent { of, enclosing, .. } = *flow;
    let (into, out) = (of.phase != b's', of.phase != b'f');
    let ChromeEventHeader { time, name, record, phase, .. } = of;
    let (item, arrives) = if enclosing {
        let slice = enclosing_slice(&of, places).map(Item::Span);
        (slice.or_else(|| instant_at(&of, places.points).map(Item::Event))?, time)
    } else {
        let (slice, start) = next_slice(&of, places.threads)?;
        (Item::Span(slice), start)
    };
    let last = phase == b'f';
    Some(ResolvedFlowEnd { time, arrives, leaves: time, item, name, record, into, out, own: true, last })
}

/// Returns the instant of the thread at exactly the time of a flow event that is outside of all slices. Writers write
/// an instant before the flow events of its arrows: of several instants at this time, the last one written before the
/// flow event is returned, else the first.
fn instant_at(of: &ChromeEventHeader, points: &FxHashMap<ThreadId, ThreadInstants>) -> Option<EventId> {
    let points = points.get(&of.thread)?;
    let first = points.partition_point(|(time, ..)| *time < of.time);
    let next = points.partition_point(|(time, record, _)| (*time, record.0) < (of.time, of.record.0));
    let at = if next > first { next - 1 } else { first };
    points.get(at).filter(|(time, ..)| *time == of.time).map(|(.., event)| *event)
}

/// Returns the next slice that begins on the thread, and its start; of several slices with the same start, the
/// outermost.
fn next_slice(of: &ChromeEventHeader, threads: &ThreadSlicesById) -> Option<(SpanId, i64)> {
    let WrittenSlices { first, placed, .. } = threads.get(&of.thread)?;
    let at = placed.partition_point(|p| p.start < of.time);
    Some((SpanId(first + at as u32), placed.get(at)?.start))
}

/// Slice that encloses the end of an arrow. Chromium writes this end after the event that begins the slice, with the
/// same time. So if an asynchronous slice begins at this time and no slice of the thread does, the arrow belongs to the
/// asynchronous slice.
fn enclosing_slice(of: &ChromeEventHeader, places: &FlowEndTargets) -> Option<SpanId> {
    let FlowEndTargets { threads, async_spans, .. } = places;
    let holding = threads.get(&of.thread).and_then(|WrittenSlices { first, placed, holders }| {
        let at = holders.at(placed, of.time)?;
        Some((SpanId(first + at), placed[at as usize].start))
    });
    let asynchronous = async_spans.get(&(of.thread, of.time, of.category)).copied();
    let begins = holding.filter(|(_, start)| *start == of.time);
    begins.map(|(span, _)| span).or(asynchronous).or(holding.map(|(span, _)| span))
}

/// Sets span and end time of each slice in `bearers`, which are the slices with arrows.
#[inline(never)]
fn find_slices(threads: &ThreadSlicesById, bearers: &mut BindingSpans) {
    if bearers.is_empty() {
        return;
    }
    for WrittenSlices { first, placed, .. } in threads.values() {
        for (at, p) in (*first..).zip(placed) {
            if let Some(bearer) = bearers.get_mut(&BindingEvent::Slice(p.what)) {
                *bearer = (SpanId(at), p.end);
            }
        }
    }
}

/// The slice as an end of arrows. Chains are ordered by slice starts, because a slice may pass work on before it ends.
#[inline(never)]
fn end_of_slice(file: &ChromeFile, bind: &FlowBinding, bearers: &BindingSpans) -> ResolvedFlowEnd {
    let (span, leaves) = bearers.get(&bind.of).copied().unwrap_or(NOWHERE);
    let ChromeEventHeader { time, name, record, .. } = match bind.of {
        BindingEvent::Slice(at) => file.slices.get(at as usize).of,
        BindingEvent::Async(at) => file.asyncs.get(at as usize).of,
    };
    let FlowBinding { into, out, .. } = *bind;
    let item = Item::Span(span);
    ResolvedFlowEnd { time, arrives: time, leaves, item, name, record, into, out, own: false, last: false }
}

/// Joins the ends of one chain in chronological order. Several arrows may leave one end. `origin` is the start of the
/// file; `alone` is the problem that is reported for a flow event without an arrow.
#[inline(never)]
fn join(
    mut ends: Vec<ResolvedFlowEnd>,
    (origin, alone): (i64, ProblemKind),
    flows: &mut Vec<Flow<Item>>,
    teller: &mut RecordProblems,
) {
    // At equal times, ends that arrows only leave come first, and ends at which they only arrive come last.
    sort::by_key(&mut ends, |end| (end.time, u64::from(end.into) + u64::from(!end.out)));
    let mut joined = vec![(false, false); ends.len()];
    let mut from: Option<usize> = None;
    for to in 0..ends.len() {
        let end = ends[to];
        if let (true, Some(from)) = (end.into, from) {
            let begin = ends[from];
            (joined[from].1, joined[to].0) = (true, true);
            flows.push(Flow {
                name: begin.name,
                from: begin.item,
                to: end.item,
                // If the next slice begins before this one ends, the arrow leaves at that time.
                leaves: begin.leaves.min(end.arrives) - origin,
                arrives: end.arrives - origin,
                records: (begin.record, end.record),
            });
        }
        from = if end.out { Some(to) } else { from.filter(|_| !end.last) };
    }
    for (end, joined) in ends.iter().zip(joined) {
        tell_end(end, joined, alone, teller);
    }
}

/// Counts a flow event as used if an arrow joins it. Reports a problem for a flow event without an arrow, and for a
/// slice that lacks one of the arrows that it declares.
fn tell_end(
    end: &ResolvedFlowEnd,
    (into, out): (bool, bool),
    alone: ProblemKind,
    teller: &mut RecordProblems,
) {
    if end.own {
        match into || out {
            true => teller.outcome.used(end.record),
            false => teller.note(end.record, alone, end.name),
        }
    } else if (end.into, end.out) != (into, out) {
        teller.note(end.record, BIND_ALONE, end.name);
    }
}
