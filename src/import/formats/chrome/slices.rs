//! Slices of threads as intervals: start events with their end events, and complete slices.

use std::collections::VecDeque;

use super::cut_slices::CutSlices;
use super::open_slices::{OpenSlices, has_name_of, is_end_of};
use super::problems::{CLIPPED, CROSSING, NO_BEGIN, NO_END, OTHER_NAME, OVERLAP};
use super::store::{ChromeEventHeader, ChromeFile, ChromeSlice, OPEN};
use crate::base::interner::{Interner, StrId};
use crate::base::sort;
use crate::import::contract::{BuildReport, ProblemKind};
use crate::import::interval_nesting::{Interval, NOWHERE, Placed, WHOLE, nest};
use crate::trace::{Flags, RecordId};

/// The slices of one thread, after they were nested.
pub struct ThreadSlices {
    pub placed: Vec<Placed>,
    /// Whether all slices are complete events (ph X).
    pub complete: bool,
    /// For each event that begins a slice, its index and the index of the event that ends the slice; ascending.
    ends: Vec<(u32, u32)>,
}

impl ThreadSlices {
    /// Index of the event that ends a slice: `begin` itself for a complete slice; `None` if the end is not in the file.
    pub fn end_of(&self, begin: u32, phase: u8) -> Option<u32> {
        if phase != b'B' {
            return Some(begin);
        }
        self.ends.binary_search_by_key(&begin, |(of, _)| *of).ok().map(|at| self.ends[at].1)
    }
}

/// Reports problems of records, such as a missing end.
pub struct RecordProblems<'a, 'b> {
    pub outcome: &'a mut BuildReport<'b>,
    pub strings: &'a Interner,
}

impl RecordProblems<'_, '_> {
    /// Counts a problem of a record and shows `name` as the record's name.
    pub fn note(&mut self, record: RecordId, kind: ProblemKind, name: StrId) {
        let strings = self.strings;
        self.outcome.note(record, kind, || {
            strings.get(name).chars().take(crate::import::contract::SNIPPET).collect()
        });
    }
}

/// Nests the slices with these indices, which belong to one thread. Slices without an end extend at most to `last`, the trace's
/// end.
#[inline(never)]
pub fn of_thread(file: &ChromeFile, numbers: &[u32], last: i64, teller: &mut RecordProblems) -> ThreadSlices {
    let complete = numbers.iter().all(|&at| file.slices.phase(at as usize) == b'X');
    let UnnestedSlices { intervals, mut ends, reversed } =
        if complete { whole(file, numbers) } else { matched(file, numbers, teller) };
    let placed = nest(intervals, last, reversed);
    placed.iter().filter(|p| p.is_told_of()).for_each(|p| tell_slice(p, file, teller));
    sort::by_key(&mut ends, |(begin, _)| (i64::from(*begin), 0));
    ThreadSlices { placed, complete, ends }
}

/// The slices of one thread, before they are nested.
struct UnnestedSlices {
    intervals: Vec<Interval>,
    /// Index of each start event with the index of its end event.
    ends: Vec<(u32, u32)>,
    /// Whether inner slices were written before outer ones.
    reversed: bool,
}

/// Slices of a thread that has only complete slices, as most threads have.
#[inline(never)]
fn whole(file: &ChromeFile, numbers: &[u32]) -> UnnestedSlices {
    let (mut ends_go_up, mut starts_go_up) = (true, true);
    let mut intervals: Vec<Interval> = Vec::with_capacity(numbers.len());
    let mut before = (i64::MIN, i64::MIN);
    for &at in numbers {
        let (start, end) = file.slices.times(at as usize);
        if end != OPEN {
            (starts_go_up, ends_go_up) = (starts_go_up && before.0 <= start, ends_go_up && before.1 <= end);
            before = (start, end);
        }
        intervals.push(complete(at, start, end));
    }
    UnnestedSlices { intervals, ends: Vec::new(), reversed: ends_go_up && !starts_go_up }
}

/// Slices of a thread in which some slices have separate start and end events.
#[inline(never)]
fn matched(file: &ChromeFile, numbers: &[u32], teller: &mut RecordProblems) -> UnnestedSlices {
    let mut rows: Vec<(u32, ChromeSlice)> =
        numbers.iter().map(|&at| (at, file.slices.get(at as usize))).collect();
    rows.retain(|(_, slice)| slice.of.phase != b'T');
    let reversed = is_written_at_ends(&rows);
    sort::by_key(&mut rows, |(_, slice)| (slice.of.time, 0));
    let mut matching = SliceMatcher {
        teller,
        open: OpenSlices::default(),
        ending: VecDeque::new(),
        early: VecDeque::new(),
        cut: CutSlices::default(),
        found: Vec::new(),
        ends: Vec::new(),
    };
    for (at, slice) in &rows {
        matching.add(*at, slice);
    }
    let SliceMatcher { found: intervals, ends, .. } = matching.finish();
    UnnestedSlices { intervals, ends, reversed }
}

fn complete(at: u32, start: i64, end: i64) -> Interval {
    let flags = if end == OPEN { Flags::OPEN_END } else { Flags::default() };
    Interval { start, end, what: at, order: (at, WHOLE), flags }
}

/// Scheduling states of a thread (ph T with a duration).
#[inline(never)]
pub fn states_of_thread(file: &ChromeFile, numbers: &[u32], teller: &mut RecordProblems) -> Vec<Placed> {
    let states = numbers.iter().filter(|&&at| file.slices.phase(at as usize) == b'T');
    let states = states.map(|&at| (at, file.slices.get(at as usize)));
    let interval = |(at, ChromeSlice { of, end }): (u32, ChromeSlice)| Interval {
        start: of.time,
        end,
        what: at,
        order: (at, WHOLE),
        flags: Flags::default(),
    };
    let placed = nest(states.map(interval).collect(), i64::MIN, false);
    placed.iter().filter(|p| p.is_told_of()).for_each(|p| tell_slice(p, file, teller));
    placed
}

fn tell_slice(placed: &Placed, file: &ChromeFile, teller: &mut RecordProblems) {
    let ChromeEventHeader { record, name, .. } = file.slices.get(placed.what as usize).of;
    tell_place(placed, record, name, teller);
}

/// Reports if an interval was clipped, or was moved to another row because it overlaps another interval.
pub fn tell_place(placed: &Placed, record: RecordId, name: StrId, teller: &mut RecordProblems) {
    for (flag, kind) in [(Flags::OVERLAPS, OVERLAP), (Flags::CLIPPED, CLIPPED)] {
        if placed.flags.has(flag) {
            teller.note(record, kind, name);
        }
    }
}

/// Whether a program wrote complete slices when they ended, inner slices first: the ends are then in ascending order,
/// but not the starts.
#[inline(never)]
fn is_written_at_ends(rows: &[(u32, ChromeSlice)]) -> bool {
    let complete =
        || rows.iter().map(|(_, slice)| slice).filter(|slice| slice.of.phase == b'X' && slice.end != OPEN);
    complete().is_sorted_by_key(|slice| slice.end) && !complete().is_sorted_by_key(|slice| slice.of.time)
}

/// Maximum number of end events with the same time that are reordered.
const MAX_REORDERED: usize = 64;
/// Maximum number of early end events with the same time that are searched for the end of a slice.
const MAX_EARLY: usize = 1024;

struct SliceMatcher<'a, 'b, 'c> {
    teller: &'a mut RecordProblems<'b, 'c>,
    open: OpenSlices,
    /// End events read most recently that all have the same time, which is the latest time so far.
    ending: VecDeque<(u32, ChromeSlice)>,
    /// End events with the latest time that matched no open slice; their begin event may still follow.
    early: VecDeque<(u32, ChromeSlice)>,
    cut: CutSlices,
    found: Vec<Interval>,
    /// Index of each start event with the index of its end event.
    ends: Vec<(u32, u32)>,
}

impl SliceMatcher<'_, '_, '_> {
    fn add(&mut self, at: u32, slice: &ChromeSlice) {
        let is_new =
            |end: Option<&(u32, ChromeSlice)>| end.is_some_and(|(_, end)| end.of.time != slice.of.time);
        if slice.of.phase != b'E' || is_new(self.ending.front()) {
            self.end_all();
        }
        if is_new(self.early.front()) {
            self.give_up_early();
        }
        match slice.of.phase {
            b'B' => self.begin(at, slice),
            b'E' => self.ending.push_back((at, *slice)),
            _ => self.found.push(complete(at, slice.of.time, slice.end)),
        }
    }

    fn begin(&mut self, at: u32, slice: &ChromeSlice) {
        let early = self.early.iter().take(MAX_EARLY).position(|(_, early)| is_end_of(early, slice));
        self.open.push(at, *slice);
        if let Some((end, slice)) = early.and_then(|early| self.early.remove(early)) {
            self.close(self.open.len() - 1, end, &slice);
        }
    }

    /// Handles end events with the same time, which may be in any order: the innermost slices end first.
    fn end_all(&mut self) {
        while !self.ending.is_empty() {
            let innermost = self.open.last().copied();
            let first = |fits: fn(&ChromeSlice, &ChromeSlice) -> bool| {
                let fits = |(_, end): &(u32, ChromeSlice)| innermost.is_some_and(|open| fits(end, &open));
                self.ending.iter().take(MAX_REORDERED).position(fits)
            };
            let next = first(is_end_of).or_else(|| first(has_name_of)).unwrap_or(0);
            if let Some((at, slice)) = self.ending.remove(next) {
                self.end(at, &slice);
            }
        }
    }

    fn end(&mut self, at: u32, slice: &ChromeSlice) {
        match self.open.ended_by(slice) {
            Some(found) => self.close(found, at, slice),
            None => self.early.push_back((at, *slice)),
        }
    }

    /// Ends the open slices from position `from` on at the time of `end`, which is the end event of the first of them;
    /// the other slices are nested in it.
    fn close(&mut self, from: usize, at: u32, end: &ChromeSlice) {
        for (number, (begin, slice)) in self.open.close(from).enumerate() {
            let own = number == 0;
            let flags = if own { Flags::default() } else { Flags::OPEN_END };
            let start = slice.of.time;
            let until = end.of.time;
            let order = (begin, at);
            self.found.push(Interval { start, end: until, what: begin, order, flags });
            if own {
                self.ends.push((begin, at));
            } else {
                self.cut.add(slice.of.record, slice.of.name, self.found.len() - 1);
            }
        }
    }

    fn give_up_early(&mut self) {
        for (_, slice) in self.early.drain(..) {
            let kind = match self.cut.late(slice.of.name) {
                Some(interval) => {
                    // The end is in the file, but the slice is not drawn to it.
                    self.found[interval].flags = Flags::INFERRED;
                    CROSSING
                }
                None if self.open.is_empty() => NO_BEGIN,
                None => OTHER_NAME,
            };
            self.teller.note(slice.of.record, kind, slice.of.name);
        }
    }

    fn finish(mut self) -> Self {
        self.end_all();
        self.give_up_early();
        self.cut.report(self.teller);
        for (begin, slice) in self.open.close(0) {
            self.teller.note(slice.of.record, NO_END, slice.of.name);
            let (start, order) = (slice.of.time, (begin, NOWHERE));
            self.found.push(Interval { start, end: OPEN, what: begin, order, flags: Flags::OPEN_END });
        }
        self
    }
}
