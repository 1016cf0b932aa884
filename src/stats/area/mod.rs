//! Sums over an area of the timeline: a time range of several tracks.
//!
//! Spans are clipped to the range as in all views. Wall time is the union of the spans, so that time in which several of them
//! run counts once, without idle spans, in which nothing runs; the total counts each span, nested spans included. Rows and bytes that nested spans both report are
//! counted at one level, as in the pivot table: see [`Levels`].

mod counters;
mod groups;
mod rows;
#[cfg(test)]
mod tests;

use std::ops::Range;

use crate::analysis::percentile::percentile_of_sorted;
use crate::analysis::{
    Bits, ChildSpans, FilteredItems, Levels, PointRows, SqlShapes, Sum, Union, kept_self_times_in, passes,
    self_times, self_times_in,
};
use crate::base::{chunked, sort};
use crate::protocol::{AreaSpec, AreaSummary};
use crate::trace::{
    EventId, Flags, Item, Key, Kind, SpanId, Trace, TrackId, TrackKind, attribute_names, clipped, key,
    overlaps,
};
use groups::{GroupNames, NameGroup};
use rows::SpanOrder;

/// A trace, and the tracks and the filter of an area in it.
pub struct AreaScope<'a> {
    pub trace: &'a Trace,
    /// The tracks of the area, in the order of its specification; `None` for tracks that the trace does not have.
    pub tracks: Vec<Option<TrackId>>,
    /// Children of spans; `None` if the trace keeps no self times.
    pub children: Option<&'a ChildSpans>,
    /// The items that pass the area's filter; `None` if all pass.
    pub filter: Option<FilteredItems>,
    /// Shapes of statements, by which queries are grouped.
    pub shapes: &'a mut SqlShapes,
}

/// The area that was requested last, with its sums.
#[derive(Default)]
pub struct Areas {
    sums: Option<(AreaSpec, AreaSums)>,
    order: Option<SpanOrder>,
}

/// Spans and events of an area, and their sums.
struct AreaSums {
    area: AreaSummary,
    /// Spans by start, followed by the events in the order of tracks.
    members: Vec<AreaMember>,
    groups: Vec<NameGroup>,
    /// Sentences about the levels at which rows and bytes are counted.
    notes: Vec<String>,
}

/// A span or event of an area.
#[derive(Clone, Copy)]
struct AreaMember {
    item: Item,
    group: u32,
    /// Start and end of a span inside the range.
    inside: (i64, i64),
    /// Duration and self time inside the range; 0 for an event.
    duration: i64,
    self_time: i64,
}

impl Areas {
    /// Returns the sums of an area.
    #[inline(never)]
    pub fn area(&mut self, scope: &mut AreaScope, spec: &AreaSpec) -> AreaSummary {
        self.sums(scope, spec).area.clone()
    }

    fn sums(&mut self, scope: &mut AreaScope, spec: &AreaSpec) -> &AreaSums {
        if self.sums.as_ref().is_none_or(|(of, _)| of != spec) {
            self.sums = None;
            self.order = None;
        }
        &self.sums.get_or_insert_with(|| (spec.clone(), AreaSums::of(scope, spec))).1
    }
}

impl AreaSums {
    fn of(scope: &mut AreaScope, spec: &AreaSpec) -> Self {
        let AreaScope { trace, tracks, children, filter, shapes } = scope;
        let (trace, filter) = (*trace, filter.as_ref());
        let ranges = track_ranges(trace, spec, tracks);
        let mut groups = GroupNames::new(trace, shapes);
        let mut members = if spec.items.is_empty() {
            spans((trace, *children, filter), &ranges, spec.range, &mut groups)
        } else {
            single_items(trace, &spec.items, filter, &mut groups)
        };
        sort::by_key(&mut members, |member| (member.inside.0, u64::from(member.item.code())));
        events((trace, filter), &ranges, spec.range, &mut groups, &mut members);
        let (counters, more_counters) = counters::counters(trace, &ranges, spec.range);
        let names = tracks.iter().map(|id| id.map(|id| trace.str(trace.tracks.get(id).name).to_owned()));
        let mut sums = Self {
            area: AreaSummary {
                names: names.collect(),
                tracks: ranges.iter().map(|range| (range.start, range.end)).collect(),
                counters,
                more_counters,
                is_filtered: filter.is_some(),
                ..AreaSummary::default()
            },
            members,
            groups: groups.groups,
            notes: Vec::new(),
        };
        sums.count(trace);
        if !spec.items.is_empty() {
            sums.area.durations = durations(&sums.members);
        }
        sums
    }

    /// Adds up all members, whose spans are in the order of their starts.
    fn count(&mut self, trace: &Trace) {
        let Self { area, members, groups, notes } = self;
        let numbers = AreaNumbers::of(trace, members);
        let mut wall = Union::default();
        for part in chunked::chunks(members) {
            for member in part {
                if let Some(group) = groups.get_mut(member.group as usize) {
                    group.add(member, &numbers);
                }
                if matches!(member.item, Item::Span(id) if trace.spans.kind(id) != Kind::Idle) {
                    wall.add(member.inside);
                }
            }
        }
        let (mut total, mut own, mut rows, mut bytes) =
            (Sum::default(), Sum::default(), Sum::default(), Sum::default());
        for group in groups.iter() {
            let n = if group.is_of_spans { &mut area.spans } else { &mut area.events };
            *n += group.count;
            total.join(group.total);
            own.join(group.self_time);
            rows.join(group.rows);
            bytes.join(group.bytes);
        }
        area.wall = wall.length();
        (area.total, area.self_time) = (total.or_zero(), own.or_zero());
        (area.rows, area.bytes) = (rows.total(), bytes.total());
        *notes = numbers.notes();
    }
}

/// Rows and bytes of the members of an area, each counted at one level.
struct AreaNumbers<'a> {
    trace: &'a Trace,
    /// Key of the rows that an item passed on.
    rows_out: Option<Key>,
    /// The levels of the rows; `None` if all count.
    row_levels: Option<Levels>,
    /// The levels of the bytes; `None` if all count.
    byte_levels: Option<Levels>,
}

impl<'a> AreaNumbers<'a> {
    #[inline(never)]
    fn of(trace: &'a Trace, members: &[AreaMember]) -> Self {
        let points = PointRows::of(trace);
        let mut chosen = Bits::below(points.len());
        members.iter().for_each(|member| chosen.insert(points.row(member.item)));
        let rows_out = trace.key(attribute_names::ROWS_OUT);
        Self {
            trace,
            rows_out,
            row_levels: Levels::of(trace, &chosen, &|row| rows_of(trace, points.item(row), rows_out)),
            byte_levels: Levels::of(trace, &chosen, &|row| trace.num(points.item(row), key::BYTES)),
        }
    }

    /// At which level rows and bytes are counted; empty if all count.
    fn notes(&self) -> Vec<String> {
        let rows = self.row_levels.as_ref().map(|levels| levels.sentence("rows"));
        let bytes = self.byte_levels.as_ref().map(|levels| levels.sentence("bytes"));
        rows.into_iter().chain(bytes).collect()
    }

    /// Number of rows of a member; `None` if it reports none, or if they are counted at another level.
    fn rows(&self, item: Item) -> Option<i64> {
        rows_of(self.trace, item, self.rows_out).filter(|_| self.is_counted(&self.row_levels, item))
    }

    /// Number of bytes of a member; `None` if it reports none, or if they are counted at another level.
    fn bytes(&self, item: Item) -> Option<i64> {
        self.trace.num(item, key::BYTES).filter(|_| self.is_counted(&self.byte_levels, item))
    }

    fn is_counted(&self, levels: &Option<Levels>, item: Item) -> bool {
        levels.as_ref().is_none_or(|levels| !levels.leaves_out(PointRows::of(self.trace).row(item)))
    }
}

/// Single spans and events, each once; those that the trace does not have or that do not pass the filter are left out.
fn single_items(
    trace: &Trace,
    codes: &[u32],
    filter: Option<&FilteredItems>,
    groups: &mut GroupNames,
) -> Vec<AreaMember> {
    let mut codes = codes.to_vec();
    sort::by_key(&mut codes, |code| (i64::from(*code), 0));
    codes.dedup();
    let own = self_times(trace, 0..trace.spans.len() as u32);
    let items = codes
        .into_iter()
        .map(Item::from_code)
        .filter(|item| trace.contains(*item) && passes(filter, trace, *item));
    let member = |item: Item| {
        let inside = trace.interval(item);
        let (duration, self_time) = match item {
            Item::Span(id) => (trace.duration(id), own.get(id.0 as usize).copied().unwrap_or(0)),
            Item::Event(_) => (0, 0),
        };
        let group = groups.group(item);
        AreaMember { item, group, inside, duration, self_time }
    };
    items.map(member).collect()
}

/// Shortest, median and longest duration of the spans; `None` without spans.
fn durations(members: &[AreaMember]) -> Option<[i64; 3]> {
    let spans = members.iter().filter(|member| matches!(member.item, Item::Span(_)));
    let mut sorted: Vec<i64> = spans.map(|member| member.duration).collect();
    sort::by_key(&mut sorted, |duration| (*duration, 0));
    Some([*sorted.first()?, percentile_of_sorted(&sorted, 50)?, *sorted.last()?])
}

/// Number of rows that an item returned, or else the number under `rows_out`: the rows that it passed on. `None` if
/// neither is reported.
#[inline]
fn rows_of(trace: &Trace, item: Item, rows_out: Option<Key>) -> Option<i64> {
    trace.num(item, key::ROWS_RETURNED).or_else(|| trace.num(item, rows_out?))
}

/// The tracks of an area as ranges of track ids, in ascending order and without overlaps.
fn track_ranges(trace: &Trace, spec: &AreaSpec, tracks: &[Option<TrackId>]) -> Vec<Range<u32>> {
    let known = spec.tracks.iter().zip(tracks).filter_map(|(track, id)| Some((track, (*id)?)));
    let mut ranges: Vec<Range<u32>> = known
        .map(|(track, id)| if track.is_own_row { id.0..id.0 + 1 } else { trace.tracks.subtree(id) })
        .collect();
    sort::by_key(&mut ranges, |range| (i64::from(range.start), u64::from(range.end)));
    let mut merged: Vec<Range<u32>> = Vec::new();
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// Ids of the spans on a range of tracks, which are consecutive.
fn spans_of(trace: &Trace, tracks: &Range<u32>) -> Range<u32> {
    trace.tracks.spans(TrackId(tracks.start)).start..trace.tracks.spans(TrackId(tracks.end - 1)).end
}

/// Self times of the spans `ids` or of a range of spans that contains them, with the ids of this range. Children on
/// other tracks are subtracted, whether the area contains them or not.
fn own_times(
    trace: &Trace,
    children: Option<&ChildSpans>,
    ids: &Range<u32>,
    range: (i64, i64),
) -> (Range<u32>, Vec<i64>) {
    let kept = children.and_then(|children| kept_self_times_in(trace, children, ids.clone(), range));
    let all = 0..trace.spans.len() as u32;
    kept.map_or_else(|| (all.clone(), self_times_in(trace, all.clone(), range)), |kept| (ids.clone(), kept))
}

fn spans(
    (trace, children, filter): (&Trace, Option<&ChildSpans>, Option<&FilteredItems>),
    tracks: &[Range<u32>],
    range: (i64, i64),
    groups: &mut GroupNames,
) -> Vec<AreaMember> {
    let mut members = Vec::new();
    let mut own: Option<(Range<u32>, Vec<i64>)> = None;
    for tracks in tracks {
        let ids = spans_of(trace, tracks);
        if ids.is_empty() {
            continue;
        }
        own.take_if(|(known, _)| known.start > ids.start || known.end < ids.end);
        let (unit, own) = own.get_or_insert_with(|| own_times(trace, children, &ids, range));
        chunked::for_each(ids, |id| {
            let (item, bounds) = (Item::Span(SpanId(id)), trace.spans.bounds(SpanId(id)));
            // Round trips are segments of a request, which is counted already.
            let is_segment = trace.spans.flags(SpanId(id)).has(Flags::SEGMENT);
            if !overlaps(bounds.0, bounds.1, range) || is_segment || !passes(filter, trace, item) {
                return;
            }
            members.push(AreaMember {
                item,
                group: groups.group(item),
                inside: clipped(bounds, range),
                duration: trace.duration_in(SpanId(id), range),
                self_time: own.get((id - unit.start) as usize).copied().unwrap_or(0),
            });
        });
    }
    members
}

fn events(
    (trace, filter): (&Trace, Option<&FilteredItems>),
    tracks: &[Range<u32>],
    range: (i64, i64),
    groups: &mut GroupNames,
    members: &mut Vec<AreaMember>,
) {
    for tracks in tracks {
        for track in tracks.clone().map(TrackId) {
            if trace.tracks.kind(track) == TrackKind::Counter {
                continue;
            }
            chunked::for_each(trace.tracks.events(track), |id| {
                let (item, time) = (Item::Event(EventId(id)), trace.events.time(EventId(id)));
                if overlaps(time, time, range) && passes(filter, trace, item) {
                    let group = groups.group(item);
                    members.push(AreaMember { item, group, inside: (time, time), duration: 0, self_time: 0 });
                }
            });
        }
    }
}
