//! Asynchronous events: the events of one id become units, and units share the rows of a track.
//!
//! ```text
//! ids    a  ▇▇▇▇▇▇▇▇       b  ▇▇▇▇          all events of an id, by time: nested, and cut into units
//!            ▇▇ ▇▇             ▇▇            at moments in which no slice of the id is open
//! track  fetch   ▇▇▇▇▇▇▇▇ ▇▇▇▇              units whose outermost slices have the same name share a track;
//!                 ▇▇ ▇▇    ▇▇               each unit has as many rows as it needs
//! ```

use std::collections::BTreeMap;

use super::event::EventJoinId;
use super::names::ProcessId;
use super::problems::{ASYNC_NO_BEGIN, ASYNC_NO_END};
use super::slices::{RecordProblems, tell_place};
use super::store::{AsyncEvent, ChromeFile};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::lane_allocator::LaneAllocator;
use crate::base::sort;
use crate::import::grouped_indices::GroupedIndices;
use crate::import::interval_nesting::{Holders, Interval, NOWHERE, OPEN, Placed, nest};
use crate::trace::{Flags, RecordId};

/// A slice between two asynchronous events.
#[derive(Clone, Copy, Debug)]
pub struct AsyncSlice {
    pub placed: Placed,
    pub name: StrId,
    /// Index of the event that begins it; `None` if the trace has none.
    pub begin: Option<u32>,
    /// Index of the event that ends it; `None` if the trace has none.
    pub end: Option<u32>,
}

/// A track of asynchronous slices and instants.
pub struct AsyncTrack {
    pub process: ProcessId,
    pub category: StrId,
    pub name: StrId,
    /// Slices sorted by start; parents are indices in this list.
    pub parts: Vec<AsyncSlice>,
    /// Instants (phases n and O) sorted by time.
    pub points: Vec<AsyncInstant>,
}

/// An instant of an asynchronous id, which is drawn on the track of the first unit of the id.
#[derive(Clone, Copy, Debug)]
pub struct AsyncInstant {
    /// Index of the instant's event.
    pub event: u32,
    /// [Number](AsyncSlice::number) of the innermost slice of the same id that encloses the instant; `None` if there is none.
    pub inside: Option<u32>,
}

impl AsyncSlice {
    /// Number that identifies the slice: the index of the event that begins it or, without a begin event, of the event
    /// that ends it.
    pub fn number(&self) -> Option<u32> {
        self.begin.or(self.end)
    }
}

/// Key that joins asynchronous events. The name is part of the key for `S`, `T`, `p`, `F` and objects, and `NONE` for
/// `b`, `n` and `e`. The category is `NONE` for `S`, `T`, `p` and `F`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct AsyncKey {
    process: Option<ProcessId>,
    category: StrId,
    name: StrId,
    link: EventJoinId,
}

/// A group of nested slices of one id. Between the groups of an id, no slice is open.
struct AsyncUnit {
    track: u32,
    start: i64,
    end: i64,
    height: u16,
    parts: Vec<AsyncSlice>,
}

/// All tracks, in the order of their first events in the file. A slice without an end extends to the last event of its
/// id, or to the end of `bounds`; an object without a creation begins at the start of `bounds`.
#[inline(never)]
pub fn tracks(file: &ChromeFile, bounds: (i64, i64), teller: &mut RecordProblems) -> Vec<AsyncTrack> {
    let mut numbers: FxHashMap<AsyncKey, u32> = FxHashMap::default();
    let groups: Vec<u32> = file
        .asyncs
        .iter()
        .map(|event| {
            let next = numbers.len() as u32;
            *numbers.entry(joined_by(file, &event)).or_insert(next)
        })
        .collect();
    // All events are drawn, some of them as the end of one slice and the start of another.
    file.asyncs.iter().for_each(|event| teller.outcome.used(event.of.record));
    let by_id = GroupedIndices::new(numbers.len(), groups.len(), |at| Some(groups[at]));
    let mut maker = AsyncTrackBuilder {
        file,
        teller,
        bounds,
        names: FxHashMap::default(),
        tracks: Vec::new(),
        units: Vec::new(),
    };
    for id in 0..numbers.len() as u32 {
        maker.add(by_id.of(id));
    }
    maker.finish()
}

fn joined_by(file: &ChromeFile, event: &AsyncEvent) -> AsyncKey {
    let AsyncEvent { of, link, .. } = *event;
    let process = (!link.global).then(|| file.names.process_of(of.thread));
    let (legacy, object) = (is_legacy(of.phase), is_object(of.phase));
    let category = if legacy { StrId::NONE } else { of.category };
    AsyncKey { process, category, name: if legacy || object { of.name } else { StrId::NONE }, link }
}

/// Whether a phase is one of the older asynchronous phases: S, T, p, F.
fn is_legacy(phase: u8) -> bool {
    matches!(phase, b'S' | b'T' | b'p' | b'F')
}

/// Whether a phase is one of the phases of objects: N, O, D.
fn is_object(phase: u8) -> bool {
    matches!(phase, b'N' | b'O' | b'D')
}

struct AsyncTrackBuilder<'a, 'b, 'c> {
    file: &'a ChromeFile,
    teller: &'a mut RecordProblems<'b, 'c>,
    /// Start of the first event of the file and end of the last one, in nanoseconds.
    bounds: (i64, i64),
    names: FxHashMap<(ProcessId, StrId, StrId), u32>,
    tracks: Vec<AsyncTrack>,
    units: Vec<AsyncUnit>,
}

/// A slice of an asynchronous id before it is assigned to a row.
#[derive(Clone, Copy)]
struct UnplacedAsyncSlice {
    name: StrId,
    begin: Option<u32>,
    end: Option<u32>,
}

/// Slices of an asynchronous id whose end has not been found yet.
#[derive(Default)]
struct OpenAsyncSlices {
    /// Slices in the order of their starts. If `by_name` is in use, a slice that ended is replaced by `None`.
    list: Vec<Option<UnplacedAsyncSlice>>,
    /// Positions of open slices by name; `None` while only a few are open.
    by_name: Option<FxHashMap<StrId, Vec<u32>>>,
}

/// Number of open slices of one id up to which they are compared one by one; nearly always, one or two are open.
const NEAR: usize = 64;

impl OpenAsyncSlices {
    fn push(&mut self, raw: UnplacedAsyncSlice) {
        if self.by_name.is_none() && self.list.len() == NEAR {
            let mut by_name: FxHashMap<StrId, Vec<u32>> = FxHashMap::default();
            for (at, raw) in (0..).zip(self.list.iter().flatten()) {
                by_name.entry(raw.name).or_default().push(at);
            }
            self.by_name = Some(by_name);
        }
        if let Some(by_name) = &mut self.by_name {
            by_name.entry(raw.name).or_default().push(self.list.len() as u32);
        }
        self.list.push(Some(raw));
    }

    /// Removes and returns the latest open slice of a name, or the latest of all if the name is empty.
    fn take(&mut self, name: StrId) -> Option<UnplacedAsyncSlice> {
        let Self { list, by_name } = self;
        let Some(by_name) = by_name else {
            let fits = |raw: &Option<UnplacedAsyncSlice>| {
                raw.is_some_and(|raw| raw.name == name || name == StrId::EMPTY)
            };
            return list.remove(list.iter().rposition(fits)?);
        };
        while list.pop_if(|raw| raw.is_none()).is_some() {}
        let name = if name == StrId::EMPTY { list.last().copied().flatten()?.name } else { name };
        let at = by_name.get_mut(&name)?.pop()?;
        list.get_mut(at as usize)?.take()
    }
}

impl AsyncTrackBuilder<'_, '_, '_> {
    fn event(&self, number: u32) -> AsyncEvent {
        self.file.asyncs.get(number as usize)
    }

    /// Adds all events of one id.
    fn add(&mut self, numbers: &[u32]) {
        let mut rows: Vec<(i64, u32)> = numbers.iter().map(|&at| (self.event(at).of.time, at)).collect();
        sort::by_key(&mut rows, |&(time, _)| (time, 0));
        let Some(&(first, number)) = rows.first() else { return };
        let (mut raws, mut intervals) = (Vec::new(), Vec::new());
        let phase = self.event(number).of.phase;
        let first = if is_object(phase) { self.bounds.0 } else { first };
        let found = if is_legacy(phase) { self.steps(&rows) } else { self.nested(&rows) };
        let last = self.last(phase, &rows, &found);
        for raw in found {
            let time = |at: Option<u32>, other| at.map_or(other, |at| self.event(at).of.time);
            let (start, end) = (time(raw.begin, first), time(raw.end, OPEN));
            let mut flags = Flags::default();
            flags = if raw.begin.is_none() { flags.with(Flags::OPEN_START) } else { flags };
            flags = if raw.end.is_none() { flags.with(Flags::OPEN_END) } else { flags };
            let order = (raw.begin.or(raw.end).unwrap_or(0), raw.end.unwrap_or(NOWHERE));
            intervals.push(Interval { start, end, what: raws.len() as u32, order, flags });
            raws.push(raw);
        }
        let placed = nest(intervals, last, false);
        let start = self.units.len();
        self.cut(number, &placed, &raws);
        let points = rows.iter().filter(|&&(_, at)| matches!(self.event(at).of.phase, b'n' | b'O'));
        let holders = Holders::new(&placed);
        let inside = |time| holders.at(&placed, time).map(|at| &raws[placed[at as usize].what as usize]);
        let points = points.map(|&(time, event)| AsyncInstant {
            event,
            inside: inside(time).and_then(|raw| raw.begin.or(raw.end)),
        });
        let points = points.collect();
        self.points(number, start, points);
    }

    /// End of slices that have no end event: the time of the id's last event or, if such a slice begins at that time,
    /// the end of the file; for older phases and objects always the end of the file.
    fn last(&self, phase: u8, rows: &[(i64, u32)], found: &[UnplacedAsyncSlice]) -> i64 {
        let last = rows.last().map_or(self.bounds.1, |row| row.0);
        let begins = |raw: &UnplacedAsyncSlice| {
            raw.end.is_none() && raw.begin.is_some_and(|begin| self.event(begin).of.time == last)
        };
        if is_legacy(phase) || is_object(phase) || found.iter().any(begins) { self.bounds.1 } else { last }
    }

    /// Pairs `b` with `e` events: an `e` ends the latest open `b` with its name. Slices of one id may end in any order.
    #[inline(never)]
    fn nested(&mut self, rows: &[(i64, u32)]) -> Vec<UnplacedAsyncSlice> {
        let (mut open, mut found): (OpenAsyncSlices, Vec<UnplacedAsyncSlice>) =
            (OpenAsyncSlices::default(), Vec::new());
        for &(_, at) in rows {
            let AsyncEvent { of, .. } = self.event(at);
            match of.phase {
                b'b' | b'N' => open.push(UnplacedAsyncSlice { name: of.name, begin: Some(at), end: None }),
                b'e' | b'D' => match open.take(of.name) {
                    Some(raw) => found.push(UnplacedAsyncSlice { end: Some(at), ..raw }),
                    None => {
                        if !is_object(of.phase) {
                            self.teller.note(of.record, ASYNC_NO_BEGIN, of.name);
                        }
                        found.push(UnplacedAsyncSlice { name: of.name, begin: None, end: Some(at) });
                    }
                },
                _ => {}
            }
        }
        let open: Vec<UnplacedAsyncSlice> = open.list.into_iter().flatten().collect();
        self.unfinished(&open);
        found.extend(open);
        found
    }

    /// Pairs `S` with `F` events and makes a slice of each step between them. The slice of a `T` extends to the next
    /// event of the id, the slice of a `p` begins at the previous one.
    #[inline(never)]
    fn steps(&mut self, rows: &[(i64, u32)]) -> Vec<UnplacedAsyncSlice> {
        let (mut open, mut found): (Option<UnplacedAsyncSlice>, Vec<UnplacedAsyncSlice>) = (None, Vec::new());
        let (mut step, mut before): (Option<UnplacedAsyncSlice>, Option<u32>) = (None, None);
        for &(_, at) in rows {
            let AsyncEvent { of, step: name, .. } = self.event(at);
            let name = name.some().unwrap_or(of.name);
            found.extend(
                step.take_if(|_| of.phase != b'p').map(|step| UnplacedAsyncSlice { end: Some(at), ..step }),
            );
            match of.phase {
                b'S' => {
                    found.extend(open.take().inspect(|raw| self.unfinished(std::slice::from_ref(raw))));
                    open = Some(UnplacedAsyncSlice { name: of.name, begin: Some(at), end: None });
                }
                b'T' => step = Some(UnplacedAsyncSlice { name, begin: Some(at), end: None }),
                b'p' => found.push(UnplacedAsyncSlice { name, begin: before, end: Some(at) }),
                _ => {
                    let raw = open.take().unwrap_or_else(|| {
                        self.teller.note(of.record, ASYNC_NO_BEGIN, of.name);
                        UnplacedAsyncSlice { name: of.name, begin: None, end: None }
                    });
                    found.push(UnplacedAsyncSlice { end: Some(at), ..raw });
                }
            }
            before = Some(at);
        }
        for raw in step.into_iter().chain(open) {
            self.unfinished(&[raw]);
            found.push(raw);
        }
        found
    }

    fn unfinished(&mut self, open: &[UnplacedAsyncSlice]) {
        for raw in open {
            if let Some(begin) = raw.begin.filter(|&begin| !is_object(self.event(begin).of.phase)) {
                self.teller.note(self.event(begin).of.record, ASYNC_NO_END, raw.name);
            }
        }
    }

    /// Cuts the slices of an id into units.
    fn cut(&mut self, number: u32, placed: &[Placed], raws: &[UnplacedAsyncSlice]) {
        let mut first = 0;
        while first < placed.len() {
            let mut end = placed[first].end;
            let more = placed[first + 1..].iter().take_while(|p| {
                let inside = p.start < end || p.parent.is_some();
                end = end.max(p.end);
                inside
            });
            let length = 1 + more.count();
            self.unit(number, &placed[first..first + length], first as u32, raws);
            first += length;
        }
    }

    #[inline(never)]
    fn unit(&mut self, number: u32, placed: &[Placed], first: u32, raws: &[UnplacedAsyncSlice]) {
        let track = self.track(number, raws[placed[0].what as usize].name);
        let part = |p: &Placed| {
            let UnplacedAsyncSlice { name, begin, end } = raws[p.what as usize];
            AsyncSlice { placed: Placed { parent: p.parent.map(|at| at - first), ..*p }, name, begin, end }
        };
        let parts: Vec<AsyncSlice> = placed.iter().map(part).collect();
        for part in &parts {
            let record = part.begin.or(part.end).map_or(RecordId::NONE, |at| self.event(at).of.record);
            tell_place(&part.placed, record, part.name, self.teller);
        }
        let (start, end) = (placed[0].start, placed.iter().map(|p| p.end).max().unwrap_or(placed[0].end));
        let height = placed.iter().map(|p| p.depth).max().unwrap_or(0).saturating_add(1);
        self.units.push(AsyncUnit { track, start, end, height, parts });
    }

    /// Adds instants to the track of the first unit of their id.
    fn points(&mut self, number: u32, first_unit: usize, points: Vec<AsyncInstant>) {
        let Some(&first) = points.first() else { return };
        let track = match self.units.get(first_unit) {
            Some(unit) => unit.track,
            None => self.track(number, self.event(first.event).of.name),
        };
        self.tracks[track as usize].points.extend(points);
    }

    fn track(&mut self, number: u32, name: StrId) -> u32 {
        let AsyncEvent { of, .. } = self.event(number);
        let (process, category) = (self.file.names.process_of(of.thread), of.category);
        let tracks = &mut self.tracks;
        *self.names.entry((process, category, name)).or_insert_with(|| {
            tracks.push(AsyncTrack { process, category, name, parts: Vec::new(), points: Vec::new() });
            tracks.len() as u32 - 1
        })
    }

    #[inline(never)]
    fn finish(mut self) -> Vec<AsyncTrack> {
        let groups =
            GroupedIndices::new(self.tracks.len(), self.units.len(), |at| Some(self.units[at].track));
        for (number, track) in (0..).zip(&mut self.tracks) {
            let units = groups.of(number).iter().map(|&at| &self.units[at as usize]);
            track.parts = arranged(units.collect());
            let file = self.file;
            sort::by_key(&mut track.points, |point| (file.asyncs.get(point.event as usize).of.time, 0));
        }
        self.tracks
    }
}

/// All slices of a track's units, sorted by start. Units of the same height share rows.
#[inline(never)]
fn arranged(mut units: Vec<&AsyncUnit>) -> Vec<AsyncSlice> {
    sort::by_key(&mut units, |unit| (unit.start, 0));
    let mut classes: BTreeMap<u16, LaneAllocator> = BTreeMap::new();
    let rows: Vec<u16> =
        units.iter().map(|unit| classes.entry(unit.height).or_default().row(unit.start, unit.end)).collect();
    let mut tops = BTreeMap::new();
    let mut top = 0_u16;
    for (&height, rows) in &classes {
        tops.insert(height, top);
        let count = u16::try_from(rows.count()).unwrap_or(u16::MAX);
        top = top.saturating_add(count.saturating_mul(height));
    }
    let mut parts: Vec<(i64, u32, AsyncSlice)> = Vec::new();
    for (unit, row) in units.iter().zip(rows) {
        let first = parts.len() as u32;
        let top =
            tops.get(&unit.height).copied().unwrap_or(0).saturating_add(row.saturating_mul(unit.height));
        for (at, part) in (first..).zip(&unit.parts) {
            let Placed { depth, parent, .. } = part.placed;
            let depth = depth.saturating_add(top).min(u16::MAX - 2);
            let placed = Placed { depth, parent: parent.map(|parent| parent + first), ..part.placed };
            parts.push((placed.start, at, AsyncSlice { placed, ..*part }));
        }
    }
    sort::by_key(&mut parts, |&(start, at, _)| (start, u64::from(at)));
    let mut place = vec![0_u32; parts.len()];
    parts.iter().zip(0..).for_each(|(&(_, at, _), now)| place[at as usize] = now);
    let moved = |(_, _, mut part): (i64, u32, AsyncSlice)| {
        part.placed.parent = part.placed.parent.map(|parent| place[parent as usize]);
        part
    };
    parts.into_iter().map(moved).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_latest_of_a_name_is_taken(
            many in 0_u32..200,
            steps in prop::collection::vec((any::<bool>(), 0_u32..4), 0..300),
        ) {
            let raw = |at: u32, name: u32| UnplacedAsyncSlice { name: StrId(name), begin: Some(at), end: None };
            let (mut begun, mut all) = (OpenAsyncSlices::default(), Vec::new());
            let first = (0..many).map(|at| (at, true, at % 3 + 1));
            for (at, begins, name) in first.chain((many..).zip(steps).map(|(at, (begins, name))| (at, begins, name))) {
                if begins {
                    begun.push(raw(at, name));
                    all.push(raw(at, name));
                    continue;
                }
                let name = if name == 0 { StrId::EMPTY } else { StrId(name) };
                let which = all.iter().rposition(|raw: &UnplacedAsyncSlice| raw.name == name || name == StrId::EMPTY);
                let expected = which.map(|which| all.remove(which).begin);
                prop_assert_eq!(begun.take(name).map(|raw| raw.begin), expected);
            }
            let left: Vec<_> = begun.list.into_iter().flatten().map(|raw| raw.begin).collect();
            prop_assert_eq!(left, all.into_iter().map(|raw| raw.begin).collect::<Vec<_>>());
        }
    }
}
