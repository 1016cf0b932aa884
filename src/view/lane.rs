//! [`Lane`]: one row of a view with any number of bars or points, and an index that makes the cost of drawing
//! proportional to pixels.
//!
//! ```text
//! level 1   ┌──────────────── Σ ────────────────┐ …        busy time, heaviest entry and all flags
//! level 0   ┌── Σ ──┐ ┌── Σ ──┐    ┌── Σ ──┐               of 16 below
//! entries   ▇ ▇▇ ▇  ▇ ▇  ▇▇▇  ▇  …  by start, never overlapping
//! ```
//! An entry at least one column wide is drawn on its own; narrower entries are drawn as one [`LaneCell::Many`] per
//! column, summed over the index in O(log n). If a column holds hundreds of entries, whole index nodes are summed, so
//! that every column costs the same; the sum then includes some entries of the next column, but none further away.

use std::cell::RefCell;
use std::ops::Range;
use std::rc::Rc;

use crate::analysis::Hits;
use crate::base::columns::{BlockColumn, DeltaColumn, FrameOfReferenceColumn, GROUP, Overflow};
use crate::trace::{Flags, Item, Kind};

/// Number of entries per node.
const FAN: usize = GROUP;

/// A bar or a point.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LaneEntry {
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// Length of a bar in nanoseconds, or size of a point in bytes.
    pub weight: i64,
    /// Item code.
    pub code: u32,
    /// Flags of the item.
    pub flags: Flags,
    /// Kind of the item.
    pub kind: Kind,
}

/// Summary of several entries that are drawn as one. An entry's weight is what its width stands for, usually its duration.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct LaneSum {
    /// Sum of all weights (saturating).
    pub weight: i64,
    /// Maximum weight of a single entry.
    peak: i64,
    /// Position of the heaviest entry; the first of several equally heavy entries.
    pub heaviest: u32,
    /// Item code of the heaviest entry.
    pub code: u32,
    /// Kind of the heaviest entry.
    pub kind: Kind,
    /// Union of all flags.
    pub flags: Flags,
}

/// One drawn element of a lane.
#[derive(Clone, Debug)]
pub enum LaneCell {
    /// A single entry, at least one column wide, by its position.
    One(usize),
    /// Several entries, each narrower than the column in which it starts.
    Many {
        /// Positions of the entries.
        range: Range<usize>,
        /// Summary of the entries.
        sum: LaneSum,
        /// Time range of the column, in nanoseconds.
        column: Range<i64>,
    },
}

/// The time range of a lane that is drawn, and its resolution.
#[derive(Clone, PartialEq, Debug)]
pub struct LaneGrid {
    /// Time range that is drawn, in nanoseconds.
    pub window: Range<i64>,
    /// Time range with fine columns. Columns outside of it are [`COARSE`] times as wide, because they are seen only
    /// briefly while panning.
    pub focus: Range<i64>,
    /// Width of a fine column in nanoseconds; columns begin at multiples of it.
    pub column: i64,
}

/// Width of a coarse column, in fine columns.
pub const COARSE: i64 = 4;

impl LaneGrid {
    /// Returns the width of the columns at `time`, in nanoseconds; at least 1.
    fn column_at(&self, time: i64) -> i64 {
        let factor = if self.focus.contains(&time) { 1 } else { COARSE };
        self.column.max(1).saturating_mul(factor)
    }
}

/// Bars or points of one row, sorted by start.
#[derive(Clone, Debug, Default)]
pub struct Lane {
    /// Starts of the entries. They are stored separately from the other values, because the search for the entries of a
    /// pixel column reads only starts.
    starts: DeltaColumn,
    /// Weights of the entries; the overflow `apart` stores the weights of 2³¹ and more.
    weights: FrameOfReferenceColumn,
    apart: Overflow,
    codes: FrameOfReferenceColumn,
    looks: Looks,
    levels: Vec<BlockColumn<LaneSum>>,
    /// Summary of the entries after the last node of the lowest level.
    open: LaneSum,
    points: bool,
    found: RefCell<LaneHits>,
    shown: RefCell<Option<Rc<ShownLane>>>,
}

/// The entries of a lane that the latest filter shows, and the text that identifies the filter.
#[derive(Debug)]
pub struct ShownLane {
    text: String,
    lane: Lane,
}

impl ShownLane {
    /// The lane that is drawn: `part`, or all of `lane` if `part` is `None`.
    pub fn or_all<'a>(part: Option<&'a Rc<Self>>, lane: &'a Lane) -> &'a Lane {
        part.map_or(lane, |part| &part.lane)
    }
}

/// Text of the latest search, and the positions of the entries that match it.
#[derive(Clone, Debug, Default)]
struct LaneHits {
    text: String,
    positions: Vec<u32>,
}

/// A pixel column with more entries than this is summed from whole nodes.
const CROWD: usize = 2 * FAN;

/// In a range of at most this many entries, each entry is checked against a search individually.
const FEW: usize = 16;

/// Kind and flags of each entry, as an index into the few distinct combinations.
#[derive(Clone, Debug, Default)]
struct Looks {
    sorts: Vec<(Kind, Flags)>,
    of: FrameOfReferenceColumn,
}

impl Looks {
    fn push(&mut self, kind: Kind, flags: Flags) {
        let known = self.sorts.iter().position(|known| *known == (kind, flags));
        let sort = known.unwrap_or_else(|| {
            self.sorts.push((kind, flags));
            self.sorts.len() - 1
        });
        self.of.push(sort as u32);
    }

    fn get(&self, at: usize) -> (Kind, Flags) {
        self.sorts[self.of.get(at) as usize]
    }
}

impl Default for LaneSum {
    fn default() -> Self {
        Self::NOTHING
    }
}

impl LaneSum {
    const NOTHING: LaneSum =
        LaneSum { weight: 0, peak: -1, heaviest: 0, code: 0, kind: Kind::Other, flags: Flags(0) };

    fn and(self, other: LaneSum) -> LaneSum {
        let other_wins = other.peak > self.peak || other.peak == self.peak && other.heaviest < self.heaviest;
        let heavier = if other_wins { other } else { self };
        LaneSum {
            weight: self.weight.saturating_add(other.weight),
            flags: self.flags.with(other.flags),
            ..heavier
        }
    }
}

impl Lane {
    /// Creates a lane of bars, which must be sorted by start and not overlap.
    pub fn bars(entries: impl IntoIterator<Item = LaneEntry>) -> Lane {
        let mut lane = Lane::default();
        entries.into_iter().for_each(|entry| lane.push(entry));
        lane.finish()
    }

    /// Creates a lane of points, which must be sorted by time.
    pub fn points(entries: impl IntoIterator<Item = LaneEntry>) -> Lane {
        Lane { points: true, ..Lane::bars(entries) }
    }

    /// Appends an entry; [`finish`](Self::finish) must be called after the last one.
    pub fn push(&mut self, entry: LaneEntry) {
        let LaneEntry { start, weight, code, flags, kind } = entry;
        let heaviest = self.len() as u32;
        self.open = self.open.and(LaneSum { weight, peak: weight, heaviest, code, kind, flags });
        self.starts.push(start);
        self.weights.push(self.apart.code(weight));
        self.codes.push(code);
        self.looks.push(kind, flags);
        if self.len().is_multiple_of(FAN) {
            self.close_node();
        }
    }

    fn close_node(&mut self) {
        let sum = std::mem::take(&mut self.open);
        match self.levels.first_mut() {
            Some(level) => level.push(sum),
            None => self.levels.push(BlockColumn::from_iter([sum])),
        }
    }

    /// Completes the index and returns the lane.
    #[must_use]
    pub fn finish(mut self) -> Lane {
        self.starts.shrink();
        self.weights.shrink();
        self.apart.shrink();
        self.codes.shrink();
        self.looks.of.shrink();
        match self.len() {
            // A node's worth of entries is read as fast as an index.
            0..=FAN => self.levels = Vec::new(),
            len if len.is_multiple_of(FAN) => {}
            _ => self.close_node(),
        }
        self.levels.iter_mut().for_each(BlockColumn::shrink);
        while let Some(count) = self.levels.last().map(BlockColumn::len).filter(|&count| count > FAN) {
            let above = self.levels.len();
            let node = |at: usize| self.fold(above, at * FAN..(at * FAN + FAN).min(count));
            let mut level: BlockColumn<LaneSum> = (0..count.div_ceil(FAN)).map(node).collect();
            level.shrink();
            self.levels.push(level);
        }
        self
    }

    /// Completes the index of a lane of points and returns it.
    #[must_use]
    pub fn finish_points(self) -> Lane {
        Lane { points: true, ..self.finish() }
    }

    /// Returns the summary of a range of nodes of a level.
    fn fold(&self, level: usize, range: Range<usize>) -> LaneSum {
        range.fold(LaneSum::NOTHING, |sum, at| sum.and(self.node(level, at)))
    }

    fn weight(&self, at: usize) -> i64 {
        self.apart.number(self.weights.get(at))
    }

    /// Number of entries.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether the lane has no entries.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// Returns the entry at a position below [`len`](Self::len).
    pub fn entry(&self, at: usize) -> LaneEntry {
        let (kind, flags) = self.looks.get(at);
        LaneEntry {
            start: self.starts.get(at),
            weight: self.weight(at),
            code: self.codes.get(at),
            flags,
            kind,
        }
    }

    /// Returns the start of the entry after position `at`, if there is one.
    pub fn next_start(&self, at: usize) -> Option<i64> {
        self.start(at + 1)
    }

    fn start(&self, at: usize) -> Option<i64> {
        (at < self.len()).then(|| self.starts.get(at))
    }

    /// Returns the first position whose entry starts at or after `time`.
    fn lower_bound(&self, time: i64) -> usize {
        self.starts.partition_point(0..self.len(), time)
    }

    /// Returns the summary of a range of entries.
    pub fn sum(&self, range: Range<usize>) -> LaneSum {
        let (mut low, mut high) = (range.start, range.end.min(self.len()));
        let mut sum = LaneSum::NOTHING;
        for level in 0..=self.levels.len() {
            let top = level == self.levels.len();
            while low < high && (top || low % FAN != 0) {
                sum = sum.and(self.node(level, low));
                low += 1;
            }
            while low < high && high % FAN != 0 {
                high -= 1;
                sum = sum.and(self.node(level, high));
            }
            (low, high) = (low / FAN, high / FAN);
        }
        sum
    }

    /// Returns the cells to draw for `grid`.
    pub fn cells<'a>(&'a self, grid: &'a LaneGrid) -> impl Iterator<Item = LaneCell> + 'a {
        let until = self.lower_bound(grid.window.end);
        let mut at = self.first_visible(grid.window.start);
        std::iter::from_fn(move || {
            let cell = (at < until).then(|| self.cell(at, until, grid))?;
            at = match &cell {
                LaneCell::One(position) => position + 1,
                LaneCell::Many { range, .. } => range.end,
            };
            Some(cell)
        })
    }

    /// Returns the position of the item with this code and start; `None` if the lane does not contain it.
    pub fn position(&self, start: i64, code: u32) -> Option<usize> {
        let first = self.lower_bound(start);
        let mut same = (first..self.len()).take_while(|&at| self.starts.get(at) == start);
        same.find(|&at| self.codes.get(at) == code)
    }

    /// Returns the first position in `range` whose entry matches the search; `None` if there is none. The first long
    /// range of a new search costs a scan of the whole lane; all further ranges cost a binary search.
    pub fn first_found(&self, range: Range<usize>, hits: &Hits) -> Option<usize> {
        let is_found = |at: &usize| hits.contains(Item::from_code(self.codes.get(*at)));
        if range.len() <= FEW {
            return range.into_iter().find(is_found);
        }
        let mut found = self.found.borrow_mut();
        // A lane lives no longer than its trace, so that the text identifies the search.
        if found.text != hits.text() {
            hits.text().clone_into(&mut found.text);
            found.positions = (0..self.len()).filter(is_found).map(|at| at as u32).collect();
        }
        let next = found.positions.partition_point(|&at| (at as usize) < range.start);
        found.positions.get(next).map(|&at| at as usize).filter(|at| *at < range.end)
    }

    /// Returns the lane of the entries that are in `shown`, or `None` for this lane if all entries are shown. The first call for a
    /// filter costs a scan of the whole lane.
    #[inline(never)]
    pub fn part(&self, shown: Option<&Hits>) -> Option<Rc<ShownLane>> {
        let shown = shown?;
        let mut kept = self.shown.borrow_mut();
        // A lane lives no longer than its trace, so that the text identifies the filter.
        if kept.as_ref().is_none_or(|kept| kept.text != shown.text()) {
            let mut lane = Lane { points: self.points, ..Lane::default() };
            for at in (0..self.len()).filter(|at| shown.contains(Item::from_code(self.codes.get(*at)))) {
                lane.push(self.entry(at));
            }
            *kept = Some(Rc::new(ShownLane { text: shown.text().to_owned(), lane: lane.finish() }));
        }
        kept.clone()
    }

    /// Returns the position of the last entry that starts before `time`; `None` if there is none.
    pub fn position_before(&self, time: i64) -> Option<usize> {
        self.lower_bound(time).checked_sub(1)
    }

    /// Returns the end of the last entry that ends before `time`, and the start of the next entry.
    pub fn around(&self, time: i64) -> (Option<i64>, Option<i64>) {
        let at = self.first_visible(time);
        (at.checked_sub(1).map(|at| self.end(at)), self.start(at))
    }

    /// Returns the end of an entry; a point has no length.
    fn end(&self, at: usize) -> i64 {
        let weight = if self.points { 0 } else { self.weight(at) };
        self.starts.get(at).saturating_add(weight)
    }

    /// Returns the first position whose entry ends at or after `time`: entries do not overlap, so ends are sorted like starts.
    fn first_visible(&self, time: i64) -> usize {
        let started = self.lower_bound(time);
        let ends_before = |at: usize| self.points || self.end(at) < time;
        (0..started).rev().take_while(|&at| !ends_before(at)).last().unwrap_or(started)
    }

    fn cell(&self, at: usize, until: usize, grid: &LaneGrid) -> LaneCell {
        let start = self.starts.get(at);
        let width = grid.column_at(start);
        let begin = start.div_euclid(width).saturating_mul(width);
        let column = begin..begin.saturating_add(width);
        // No entry of a crowd is wide, including the entry at `at`.
        if let Some(crowd) = self.crowd(at, until, &column) {
            return crowd;
        }
        if self.is_wide(at, width) {
            return LaneCell::One(at);
        }
        let mut end = self.behind(at, until, column.end);
        // A wide entry reaches into the next column, so only the last entry of a column can be wide. The entry at `at` never
        // is, because its width is measured in the same way: at the end of time the column is shorter than its width.
        if self.is_wide(end - 1, width) {
            end -= 1;
        }
        LaneCell::Many { range: at..end, sum: self.sum(at..end), column }
    }

    /// Returns a summary of whole nodes if the column that begins at position `at` has more than `CROWD` entries, none
    /// of which is as wide as the column; otherwise `None`.
    fn crowd(&self, at: usize, until: usize, column: &Range<i64>) -> Option<LaneCell> {
        let many = at.next_multiple_of(FAN) + CROWD;
        if many >= until || self.starts.get(many) >= column.end {
            return None;
        }
        let width = column.end - column.start;
        let late = column.end.saturating_add(width);
        // The start of the next entry is usually sufficient, and is read next anyway.
        let is_late = |end: usize| {
            let next_is_late = end >= self.len() || self.starts.get(end) > late;
            next_is_late && self.starts.get(end - 1) >= late
        };
        let mut end = self.starts.group_behind(at, until, column.end);
        if is_late(end) {
            return None;
        }
        let mut nodes = FAN;
        while (end - at) / nodes >= CROWD {
            nodes *= FAN;
            let next = end.next_multiple_of(nodes).min(until);
            if is_late(next) {
                break;
            }
            end = next;
        }
        let sum = self.sum(at..end);
        (self.points || sum.peak < width).then(|| LaneCell::Many {
            range: at..end,
            sum,
            column: column.clone(),
        })
    }

    /// Returns the busy share of a column of many entries, 0 to 1. The column's time range is extended if `sum`
    /// includes entries of the next column, and shortened if the previous column includes the first entries of this
    /// one. A lane without gaps is therefore always fully busy.
    pub fn share(&self, range: &Range<usize>, sum: &LaneSum, column: &Range<i64>) -> f64 {
        let start_at = |at: usize| self.start(at).unwrap_or(column.end);
        let lent = range.start.checked_sub(1).is_some_and(|before| self.starts.get(before) >= column.start);
        let start = if lent { start_at(range.start) } else { column.start };
        let took = range.end.checked_sub(1).is_some_and(|last| self.starts.get(last) >= column.end);
        let end = if took { start_at(range.end).max(self.end(range.end - 1)) } else { column.end };
        (sum.weight as f64 / end.saturating_sub(start).max(1) as f64).clamp(0.0, 1.0)
    }

    fn is_wide(&self, at: usize, column: i64) -> bool {
        !self.points && self.weight(at) >= column
    }

    /// Returns the first position after `at` whose entry starts at or after `time`, but at most `until`. Uses a
    /// galloping search, because the position is usually close to `at`.
    fn behind(&self, at: usize, until: usize, time: i64) -> usize {
        let (mut low, mut stride) = (at, 1);
        while low + stride < until && self.starts.get(low + stride) < time {
            low += stride;
            stride *= 2;
        }
        let high = (low + stride).min(until);
        self.starts.partition_point(low + 1..high.max(low + 1), time)
    }

    fn node(&self, level: usize, at: usize) -> LaneSum {
        match level.checked_sub(1) {
            None => {
                let ((kind, flags), weight) = (self.looks.get(at), self.weight(at));
                let code = self.codes.get(at);
                LaneSum { weight, peak: weight, heaviest: at as u32, code, kind, flags }
            }
            Some(level) => self.levels[level].get(at),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::analysis::Bits;
    use crate::testing;

    /// Bars from gaps and lengths, so that they never overlap.
    fn bars() -> impl Strategy<Value = Vec<LaneEntry>> {
        let bar = (0_i64..40, 0_i64..40, any::<bool>());
        prop::collection::vec(bar, 0..600).prop_map(|bars| {
            let mut end = 0;
            let entry = |(code, (gap, weight, failed)): (usize, (i64, i64, bool))| {
                let start = end + gap;
                end = start + weight;
                LaneEntry {
                    start,
                    weight,
                    code: code as u32,
                    flags: Flags(u16::from(failed)),
                    kind: Kind::Query,
                }
            };
            bars.into_iter().enumerate().map(entry).collect()
        })
    }

    fn sum_of(position: usize, entry: &LaneEntry) -> LaneSum {
        let LaneEntry { weight, code, flags, kind, .. } = *entry;
        LaneSum { weight, peak: weight, heaviest: position as u32, code, kind, flags }
    }

    fn slow_sum(entries: &[LaneEntry], range: Range<usize>) -> LaneSum {
        range.fold(LaneSum::NOTHING, |sum, at| sum.and(sum_of(at, &entries[at])))
    }

    proptest! {
        #[test]
        fn what_lies_around_a_time_is_next_to_it(entries in bars(), time in -10_i64..5_000) {
            let lane = Lane::bars(entries.clone());
            let ends = entries.iter().map(|entry| entry.start + entry.weight);
            let (before, after) = lane.around(time);
            prop_assert_eq!(before, ends.clone().filter(|end| *end < time).max());
            let rest = entries.iter().zip(ends).filter(|(_, end)| *end >= time);
            prop_assert_eq!(after, rest.map(|(entry, _)| entry.start).min());
        }

        #[test]
        fn a_filtered_lane_is_the_lane_of_the_shown_entries(
            entries in bars(), every in 1_u32..9, column in 1_i64..3_000,
        ) {
            let trace = testing::queries(100);
            let shown = |text: &str| {
                let rows = Bits::of(trace.spans.len(), |id| id % every == 0 && !text.is_empty());
                Hits::among(&trace, &rows, None, text.to_owned())
            };
            let (lane, all) = (Lane::bars(entries.clone()), -100..30_000);
            let grid = LaneGrid { window: all.clone(), focus: all, column };
            let cells = |lane: &Lane| format!("{:?}", lane.cells(&grid).collect::<Vec<_>>());
            let some = entries.iter().copied().filter(|entry| entry.code % every == 0);
            let expected = cells(&Lane::bars(some));
            prop_assert!(lane.part(None).is_none());
            // Filters alternate.
            for _ in 0..2 {
                for (shown, expected) in [(shown("some"), &*expected), (shown(""), "[]")] {
                    let part = lane.part(Some(&shown));
                    prop_assert_eq!(cells(ShownLane::or_all(part.as_ref(), &lane)), expected);
                }
            }
        }

        #[test]
        fn a_sum_is_the_sum_of_its_entries(entries in bars(), a in 0_usize..600, b in 0_usize..600) {
            let range = a.min(b).min(entries.len())..a.max(b).min(entries.len());
            let lane = Lane::bars(entries.clone());
            prop_assert_eq!(lane.sum(range.clone()), slow_sum(&entries, range));
        }

        #[test]
        fn cells_hold_every_visible_entry_once(
            entries in bars(), column in 1_i64..200, start in -50_i64..20_000, length in 1_i64..20_000,
            focus in -50_i64..20_000,
        ) {
            let grid = LaneGrid { window: start..start + length, focus: focus..focus + length / 2, column };
            let lane = Lane::bars(entries.clone());
            let mut seen = Vec::new();
            let mut cells = 0;
            for cell in lane.cells(&grid) {
                cells += 1;
                match cell {
                    LaneCell::One(at) => {
                        prop_assert!(entries[at].weight >= grid.column_at(entries[at].start));
                        seen.push(at);
                    }
                    LaneCell::Many { range, sum, column } => {
                        prop_assert_eq!(sum, slow_sum(&entries, range.clone()));
                        let length = column.end - column.start;
                        let behind = if range.len() > CROWD { length } else { 0 };
                        let near = column.start..column.end + behind;
                        let inside = |at: &usize| near.contains(&entries[*at].start);
                        prop_assert!(range.clone().all(|at| inside(&at) && entries[at].weight < length));
                        seen.extend(range);
                    }
                }
            }
            let touches = |e: &LaneEntry| e.start + e.weight >= start && e.start < start + length;
            let visible: Vec<_> = (0..entries.len()).filter(|&at| touches(&entries[at])).collect();
            prop_assert_eq!(seen, visible);
            prop_assert!(cells <= 2 * (length / column + 2), "{} cells", cells);
        }
    }

    #[test]
    fn the_last_column_of_all_time_holds_its_entry() {
        let (start, column) = (1 << 62, 1 << 62);
        let entry =
            LaneEntry { start, weight: column - 1, code: 0, flags: Flags::default(), kind: Kind::Query };
        let (lane, all) = (Lane::bars(vec![entry]), 0..i64::MAX);
        let grid = LaneGrid { window: all.clone(), focus: all, column };
        let mut cells = lane.cells(&grid);
        assert!(matches!(cells.next(), Some(LaneCell::Many { range, .. }) if range == (0..1)));
        assert!(cells.next().is_none());
    }

    #[test]
    fn columns_show_the_share_that_is_busy_however_many_bars_they_hold() {
        let (flags, kind) = (Flags::default(), Kind::Query);
        for (every, busy) in [(100, 100), (100, 90), (100, 50), (100, 10), (100, 1), (1_000, 999)] {
            let bar = |at: i64| LaneEntry { start: at * every, weight: busy, code: at as u32, flags, kind };
            let lane = Lane::bars((0..30_000).map(bar));
            for many in [5, 20, 33, 47, 100, 515, 5_003] {
                let all = 0..30_000 * every;
                let grid = LaneGrid { window: all.clone(), focus: all.clone(), column: many * every };
                let is_inside =
                    |cell: &LaneCell| matches!(cell, LaneCell::Many { column, .. } if column.end <= all.end);
                for cell in lane.cells(&grid).filter(is_inside) {
                    let LaneCell::Many { range, sum, column } = cell else { continue };
                    let (share, expected) = (lane.share(&range, &sum, &column), busy as f64 / every as f64);
                    let is_last = range.end == lane.len();
                    assert!(is_last || (share - expected).abs() < 1e-9, "{busy} of {every}, {many}: {share}");
                }
            }
        }
    }

    #[test]
    fn a_hundred_thousand_points_come_out_by_the_column() {
        let (flags, kind) = (Flags::default(), Kind::Buffer);
        let point = |at| LaneEntry { start: at * 7, weight: at, code: at as u32, flags, kind };
        let lane = Lane::points((0..100_000).map(point));
        let grid = LaneGrid { window: 0..700_000, focus: 0..700_000, column: 7000 };
        let cells: Vec<_> = lane.cells(&grid).collect();
        assert_eq!(cells.len(), 100);
        let LaneCell::Many { range, sum, .. } = &cells[99] else { panic!("points are never alone") };
        // The previous column may have included a node of these entries.
        assert!((1_000 - FAN * FAN..=1_000).contains(&range.len()), "{range:?}");
        assert_eq!((range.end, sum.heaviest), (100_000, 99_999));
        assert_eq!(lane.position(70, 10), Some(10));
        assert_eq!(lane.position(71, 10), None);
    }
}
