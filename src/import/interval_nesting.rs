//! Arranges intervals in rows: nested intervals are placed below their parents, overlapping ones in rows of their own.
//!
//! ```text
//! layer 0   ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇      as long as intervals nest, one layer is enough
//!             ▇▇▇▇▇▇ ▇▇▇
//! layer 1                   ▇▇▇▇▇▇▇▇▇  overlaps the first without lying inside it
//!                            ▇▇▇
//! ```

use crate::base::lane_allocator::LaneAllocator;
use crate::base::sort;
use crate::trace::Flags;

/// End of an interval whose end is unknown.
pub const OPEN: i64 = i64::MAX;

/// An item with a start and an end, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Interval {
    pub start: i64,
    /// End; [`OPEN`] if it is unknown.
    pub end: i64,
    /// Number that identifies the interval to the caller.
    pub what: u32,
    /// Positions of its start and end in the file. The second is [`WHOLE`] if a single event reports both, and
    /// [`NOWHERE`] if the end is not in the file.
    pub order: (u32, u32),
    pub flags: Flags,
}

/// An interval with its row and its parent.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed {
    pub start: i64,
    pub end: i64,
    pub what: u32,
    pub flags: Flags,
    /// Index of the interval that contains this one.
    pub parent: Option<u32>,
    pub depth: u16,
}

impl Placed {
    /// Whether a problem must be reported for the interval, because it overlaps another interval or was clipped.
    pub fn is_told_of(&self) -> bool {
        self.flags.0 & Flags::OVERLAPS.with(Flags::CLIPPED).0 != 0
    }
}

/// Second value of `Interval::order` for an interval whose start and end are reported by a single event.
pub const WHOLE: u32 = u32::MAX;
/// Second value of `Interval::order` for an interval whose end is not in the file.
pub const NOWHERE: u32 = u32::MAX - 1;

/// Maximum difference that rounding to microseconds causes between clock readings, in nanoseconds.
const COARSE: i64 = 1_000;
/// Maximum difference that rounding causes between clock readings with digits below a microsecond, in nanoseconds. Sums
/// of durations that are written with fewer decimals are off by up to 50 ns
/// ([perfetto#5012](https://github.com/google/perfetto/issues/5012)).
const FINE: i64 = 100;
/// Time in nanoseconds (2^43 µs, 101 days) from which a double that holds microseconds cannot represent every
/// nanosecond; most writers use such doubles.
const FAR: u64 = 1000 << 43;
/// Number of significant bits of a double.
const DIGITS: u32 = f64::MANTISSA_DIGITS;
/// Up to this number of open intervals, they are checked one by one; a larger number is searched by bisection.
const FEW: usize = 16;
/// Maximum number of layers of nested intervals; intervals that fit into none of them are placed in rows without nesting.
const LAYERS: usize = 32;
/// Highest row number that is assigned.
pub const DEEPEST: u16 = u16::MAX - 2;

/// Returns the intervals with their positions, sorted by start, parents before children. Intervals without an end
/// extend to `last`. Of two intervals with the same times, the first in the file contains the other, or the last if
/// `reversed`.
pub fn nest(mut intervals: Vec<Interval>, last: i64, reversed: bool) -> Vec<Placed> {
    let order = |at: u32| if reversed { u32::MAX - at } else { at };
    // Sorted by start, longer intervals first; identical intervals stay in the order of the file.
    sort::by_key(&mut intervals, |i| (i.start, i64::MAX.abs_diff(i.end)));
    for same in intervals.chunk_by_mut(|a, b| (a.start, a.end) == (b.start, b.end)) {
        sort::by_key(same, |i| (0, u64::from(order(i.order.0))));
    }
    // If all intervals with the same start are reported by two events each, they are sorted in the order of the file.
    for together in intervals.chunk_by_mut(|a, b| a.start == b.start) {
        if together.len() > 1 && together.iter().all(|i| i.order.1 != WHOLE) {
            sort::by_key(together, |i| (i64::from(i.order.0), 0));
        }
    }
    let (placed, rounding) = (Vec::with_capacity(intervals.len()), rounding(&intervals));
    let mut nesting = Nesting { placed, rounding, ..Nesting::default() };
    for interval in intervals {
        nesting.place(interval, last);
    }
    nesting.finish()
}

/// Returns the overlap of intervals that rounding of their times can cause, in nanoseconds.
fn rounding(intervals: &[Interval]) -> i64 {
    let is_fine = |time: i64, is_read: bool| {
        time != OPEN
            && time % COARSE != 0
            && (time.unsigned_abs() < FAR || is_read && is_beyond_doubles(time.unsigned_abs()))
    };
    // If a single event reports start and duration, the end is a sum, with the digits of the duration.
    let any = |i: &Interval| is_fine(i.start, true) || is_fine(i.end, i.order.1 < NOWHERE);
    if intervals.iter().any(any) { FINE } else { COARSE }
}

/// Whether no `f64` number of microseconds prints as this time (given in nanoseconds), neither in its shortest notation nor
/// with 3 decimals. Whoever wrote the time then counted in whole nanoseconds.
fn is_beyond_doubles(time: u64) -> bool {
    let (us, ns) = (time / 1000, time % 1000);
    // Number of doubles between one microsecond and the next.
    let doubles = 1 << DIGITS.saturating_sub(u64::BITS - us.leading_zeros());
    let few = [100, 10, 1].into_iter().find(|step| step * doubles <= 1000).unwrap_or(1);
    let off = ns * doubles % 1000;
    ns % few != 0 && off.min(1000 - off) * 2 > doubles
}

#[derive(Default)]
struct Nesting {
    placed: Vec<Placed>,
    /// Overlap that is attributed to rounding, in nanoseconds.
    rounding: i64,
    /// Additional data for each element of `placed`.
    more: Vec<More>,
    layers: Vec<Layer>,
    rows: LaneAllocator,
}

/// Data about a placed interval that is needed until all intervals are placed.
#[derive(Clone, Copy)]
struct More {
    /// Position of the interval's end in the file, as in `Interval::order`.
    closes: u32,
    layer: u16,
    /// Whether its end is unknown.
    is_open: bool,
}

/// Open intervals of a layer, from the outermost, and the number of rows used so far.
#[derive(Default)]
struct Layer {
    open: Vec<u32>,
    height: u16,
}

/// Result of fitting an interval into a layer: the number of intervals that stay open, and the interval's possibly clipped end.
struct Fit {
    keep: usize,
    end: i64,
    clipped: bool,
}

impl Nesting {
    fn place(&mut self, interval: Interval, last: i64) {
        let found = (0..=self.layers.len().min(LAYERS - 1)).find_map(|at| {
            if at == self.layers.len() {
                self.layers.push(Layer::default());
            }
            self.forget(at, interval.start);
            self.fit(at, &interval, last).map(|fit| (at, fit))
        });
        let Some((at, fit)) = found else { return self.place_in_row(interval, last) };
        self.clip(at, fit.keep, interval.start);
        let layer = &mut self.layers[at];
        layer.open.truncate(fit.keep);
        let above = layer.open.last().copied();
        let depth = layer.open.len().min(usize::from(DEEPEST)) as u16;
        layer.open.push(self.placed.len() as u32);
        layer.height = layer.height.max(depth + 1);
        let outer = above.or_else(|| self.holder(at, &interval));
        let outermost = if fit.end == OPEN { last.max(interval.start) } else { fit.end };
        let mut flags = interval.flags;
        flags = if fit.clipped { flags.with(Flags::CLIPPED) } else { flags };
        flags = if at > 0 && above.is_none() { flags.with(Flags::OVERLAPS) } else { flags };
        let Interval { start, what, order, .. } = interval;
        self.placed.push(Placed { start, end: outermost, what, flags, parent: outer, depth });
        self.more.push(More { closes: order.1, layer: at as u16, is_open: interval.end == OPEN });
    }

    /// Removes the intervals of a layer that end before `start`; no later interval begins earlier.
    #[inline]
    fn forget(&mut self, at: usize, start: i64) {
        let Self { placed, layers, .. } = self;
        let open = &mut layers[at].open;
        while open.pop_if(|top| placed[*top as usize].end < start).is_some() {}
    }

    /// Fits an interval into a layer; `None` if it overlaps an open interval of the layer without being nested in it.
    /// The open intervals are nested in each other, so an inner one never ends after an outer one.
    #[inline]
    fn fit(&self, at: usize, interval: &Interval, last: i64) -> Option<Fit> {
        let open = &self.layers[at].open;
        let Interval { start, end, order, .. } = *interval;
        let mut keep = open.len();
        if start < end && start < last && keep > FEW {
            // Intervals that end at `start` cannot contain this one. The search finds what checking each one would find.
            keep = open.partition_point(|&top| self.placed[top as usize].end > start);
        }
        while let Some(&top) = keep.checked_sub(1).and_then(|top| open.get(top)) {
            let (top, More { closes, is_open, .. }) = (&self.placed[top as usize], self.more[top as usize]);
            // An interval without duration that begins before the other ends is inside it, even at the same clock
            // reading. No interval follows the end of one that is still open at the end of the file.
            let inside = is_open || start == end && closes != WHOLE && order.1 < closes;
            let over = top.end.saturating_sub(start);
            if over < 0 || over == 0 && !inside {
                keep -= 1;
                continue;
            }
            if end <= top.end {
                return Some(Fit { keep, end, clipped: false });
            }
            if end == OPEN {
                return Some(Fit { keep, end: top.end, clipped: false });
            }
            let excess = end.saturating_sub(top.end);
            if self.is_rounding(excess, end.saturating_sub(start)) && excess <= over {
                return Some(Fit { keep, end: top.end, clipped: true });
            }
            if !self.is_rounding(over, top.end.saturating_sub(top.start)) {
                return None;
            }
            keep -= 1;
        }
        Some(Fit { keep: 0, end, clipped: false })
    }

    /// Whether an overlap of `cut` nanoseconds with an interval of this length can be caused by rounding.
    fn is_rounding(&self, cut: i64, length: i64) -> bool {
        cut <= self.rounding && cut.saturating_mul(2) <= length
    }

    /// Clips the open intervals after the first `keep` to end at `start`.
    fn clip(&mut self, at: usize, keep: usize, start: i64) {
        for &top in &self.layers[at].open[keep..] {
            let top = &mut self.placed[top as usize];
            if top.end > start {
                top.end = start;
                top.flags = top.flags.with(Flags::CLIPPED);
            }
        }
    }

    /// Returns the parent of an interval that has no parent in its own layer `at`: the innermost open interval of the
    /// first layer that contains it. `None` if `at` is the first layer.
    fn holder(&self, at: usize, interval: &Interval) -> Option<u32> {
        let open = &self.layers.first().filter(|_| at > 0)?.open;
        let holding = open.partition_point(|&top| self.placed[top as usize].end >= interval.end);
        holding.checked_sub(1).map(|at| open[at])
    }

    fn place_in_row(&mut self, interval: Interval, last: i64) {
        let Interval { start, end, what, flags, order } = interval;
        let end = if end == OPEN { last.max(start) } else { end };
        let (depth, parent) = (self.rows.row(start, end), self.holder(LAYERS, &interval));
        self.placed.push(Placed { start, end, what, flags: flags.with(Flags::OVERLAPS), parent, depth });
        self.more.push(More { closes: order.1, layer: LAYERS as u16, is_open: interval.end == OPEN });
    }

    /// Assigns rows to the layers, one layer below the other.
    fn finish(mut self) -> Vec<Placed> {
        let mut tops = vec![0_u16];
        for layer in &self.layers {
            let top = tops.last().copied().unwrap_or(0);
            tops.push(top.saturating_add(layer.height));
        }
        for (placed, More { layer, .. }) in self.placed.iter_mut().zip(&self.more) {
            let top = tops.get(usize::from(*layer)).or(tops.last()).copied().unwrap_or(0);
            placed.depth = placed.depth.saturating_add(top).min(DEEPEST);
        }
        self.reparent();
        self.placed
    }

    /// Moves intervals out of parents in other layers that were clipped and no longer contain them.
    fn reparent(&mut self) {
        for at in 0..self.placed.len() {
            let Placed { end, mut parent, .. } = self.placed[at];
            while let Some(above) =
                parent.map(|above| self.placed[above as usize]).filter(|above| above.end < end)
            {
                parent = above.parent;
            }
            self.placed[at].parent = parent;
        }
    }
}

/// Finds the interval that contains a point in time.
#[derive(Default)]
pub struct Holders {
    /// For each interval, the last one before it in the list that ends after it. Empty if no intervals overlap: this is
    /// then the parent of each interval.
    longer: Vec<Option<u32>>,
    /// For each interval, an interval that several steps lead to, where a step leads from an interval to its parent or
    /// to its entry in `longer`. Empty if no chain of steps is long.
    jumps: Vec<u32>,
}

/// Maximum nesting depth that is searched without jump pointers.
const STEPS: u16 = 64;

impl Holders {
    /// Prepares the search in `placed`.
    pub fn new(placed: &[Placed]) -> Self {
        let mut holders = Self::default();
        let mut deepest = placed.iter().map(|p| usize::from(p.depth)).max().unwrap_or(0);
        if placed.iter().any(|p| p.flags.has(Flags::OVERLAPS)) {
            let (mut longer, mut open) = (Vec::with_capacity(placed.len()), Vec::<u32>::new());
            for (at, p) in (0..).zip(placed) {
                while open.pop_if(|&mut last| placed[last as usize].end <= p.end).is_some() {}
                longer.push(open.last().copied());
                open.push(at);
                deepest = deepest.max(open.len());
            }
            holders.longer = longer;
        }
        if deepest > usize::from(STEPS) {
            holders.jumps = holders.jumps(placed);
        }
        holders
    }

    /// Returns the interval that is one step from interval `at`: its entry in `longer`, or its parent if `longer` is
    /// empty.
    fn next(&self, placed: &[Placed], at: u32) -> Option<u32> {
        self.longer.get(at as usize).map_or(placed[at as usize].parent, |longer| *longer)
    }

    /// Returns pointers that skip several steps at once, so that few pointers replace a long chain of steps ("jump
    /// pointers": Myers, An applicative random-access stack, 1983). The outermost intervals point at themselves.
    fn jumps(&self, placed: &[Placed]) -> Vec<u32> {
        let (mut jumps, mut steps) = (Vec::<u32>::with_capacity(placed.len()), Vec::<u32>::new());
        for at in 0..placed.len() as u32 {
            let (jump, step) = match self.next(placed, at).map(|next| (next, next as usize)) {
                // An interval that precedes its parent is not followed.
                Some((next, place)) if place < jumps.len() => {
                    let (jump, far) = (jumps[place], jumps[jumps[place] as usize]);
                    let [here, there, beyond] = [place, jump as usize, far as usize].map(|at| steps[at]);
                    (if here - there == there - beyond { far } else { next }, here + 1)
                }
                _ => (at, 0),
            };
            jumps.push(jump);
            steps.push(step);
        }
        jumps
    }

    /// Returns the innermost interval that contains a time, which is the one with the latest start. An interval
    /// contains its own start and end.
    pub fn at(&self, placed: &[Placed], time: i64) -> Option<u32> {
        let started = placed.partition_point(|p| p.start <= time);
        let mut at = Some(started.checked_sub(1)? as u32);
        while let Some(id) = at {
            if time <= placed[id as usize].end {
                return Some(id);
            }
            // Intervals that end no later than this one are skipped, and so are all up to a jump target that ends too early.
            let jump = self.jumps.get(id as usize).copied();
            at = jump
                .filter(|&jump| jump != id && placed[jump as usize].end < time)
                .or_else(|| self.next(placed, id));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn interval(at: u32, start: i64, end: i64) -> Interval {
        Interval { start, end, what: at, order: (at, WHOLE), flags: Flags::default() }
    }

    fn check(intervals: &[(i64, i64)], reversed: bool, expected: &[(u32, u16, Option<u32>, i64)]) {
        let intervals = (0..).zip(intervals).map(|(at, &(start, end))| interval(at, start, end)).collect();
        let placed = nest(intervals, 1_000_000, reversed);
        let found: Vec<_> = placed.iter().map(|p| (p.what, p.depth, p.parent, p.end)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn what_nests_is_below_what_it_lies_in() {
        let us = |n: i64| n * 1000;
        check(
            &[(0, 10), (0, 5), (5, 10)],
            false,
            &[(0, 0, None, 10), (1, 1, Some(0), 5), (2, 1, Some(0), 10)],
        );
        // Identical intervals: the first one written is outside, unless the writer writes at the end of intervals.
        check(&[(0, 5), (0, 5)], false, &[(0, 0, None, 5), (1, 1, Some(0), 5)]);
        check(&[(0, 5), (0, 5)], true, &[(1, 0, None, 5), (0, 1, Some(0), 5)]);
        // A real overlap gets rows of its own; one of a microsecond is clipped, in the interval that is shortened less.
        let overlap = [(0, us(10)), (us(5), us(15)), (us(6), us(7))];
        let expected = [(0, 0, None, us(10)), (1, 1, None, us(15)), (2, 1, Some(0), us(7))];
        let mut sorted = expected;
        sorted[1].1 = 2;
        check(&overlap, false, &sorted);
        check(&[(0, us(10)), (us(5), us(11))], false, &[(0, 0, None, us(10)), (1, 1, Some(0), us(10))]);
        check(&[(0, us(10)), (us(9), us(20))], false, &[(0, 0, None, us(9)), (1, 0, None, us(20))]);
        // If times are finer, at most 100 ns are clipped; times that doubles cannot represent exactly do not count as finer.
        let fine = (us(20), us(20) + 1);
        let last = (2, 0, None, us(20) + 1);
        check(
            &[(0, us(10)), (us(9), us(20)), fine],
            false,
            &[(0, 0, None, us(10)), (1, 1, None, us(20)), last],
        );
        check(
            &[(0, us(10)), (us(10) - 100, us(20)), fine],
            false,
            &[(0, 0, None, us(10) - 100), (1, 0, None, us(20)), last],
        );
        let far = 1000_i64 << 43;
        check(
            &[(far, far + us(10) - 1), (far + us(9), far + us(20))],
            false,
            &[(0, 0, None, far + us(9)), (1, 0, None, far + us(20))],
        );
        // At today's times, a double of microseconds has quarters of one; the duration of a single event has its own precision.
        let (today, next) = (us(1_764_000_000_000_000), us(9) + 100);
        for (start, end, is_fine) in [
            (0, us(10), false),
            (200, us(10), false),
            (250, us(10), false),
            (0, us(10) + 23, false),
            (123, us(10), true),
            (890, us(10), true),
        ] {
            let (end_found, depth) = if is_fine { (end, 1) } else { (next, 0) };
            check(
                &[(today + start, today + end), (today + next, today + us(20))],
                false,
                &[(0, 0, None, today + end_found), (1, depth, None, today + us(20))],
            );
        }
        // An interval without a known end.
        check(&[(0, 10), (2, OPEN)], false, &[(0, 0, None, 10), (1, 1, Some(0), 10)]);
        check(&[(2, OPEN)], false, &[(0, 0, None, 1_000_000)]);
        // An interval without duration is next to an identical one, and inside one that continues.
        check(&[(5, 5), (5, 5), (5, 9)], false, &[(2, 0, None, 9), (0, 1, Some(0), 5), (1, 1, Some(0), 5)]);
    }

    #[test]
    fn what_nothing_ends_holds_all_that_begins_until_the_end() {
        let last = 1_000_000;
        check(
            &[(0, OPEN), (5, last), (last, OPEN), (last, last)],
            false,
            &[(0, 0, None, last), (1, 1, Some(0), last), (2, 1, Some(0), last), (3, 2, Some(2), last)],
        );
    }

    #[test]
    fn a_moment_is_held_by_the_innermost() {
        let all = [(0, 100), (10, 20), (30, 40)].iter().enumerate();
        let placed = nest(all.map(|(at, &(s, e))| interval(at as u32, s, e)).collect(), 0, false);
        let cases = [
            (-1, None),
            (0, Some(0)),
            (15, Some(1)),
            (20, Some(1)),
            (25, Some(0)),
            (30, Some(2)),
            (101, None),
        ];
        for (time, expected) in cases {
            assert_eq!(Holders::new(&placed).at(&placed, time), expected, "{time}");
        }
    }

    /// The test has more open intervals than the search checks one by one.
    #[test]
    fn a_moment_is_held_by_the_innermost_of_many() {
        let deep = 300;
        for overlap in [false, true] {
            let towers = (0..2).flat_map(|tower| {
                (0..deep).map(move |at| (tower * 5_000 + at, (tower + 1) * 5_000 - 9 * at))
            });
            let crossing = overlap.then_some((2_600, 12_000)).into_iter();
            let all = towers.chain(crossing).zip(0..).map(|((s, e), at)| interval(at, s * 2_000, e * 2_000));
            let placed = nest(all.collect(), 0, false);
            let holders = Holders::new(&placed);
            assert!(!holders.jumps.is_empty());
            for time in (-1..12_002).map(|time| time * 2_000) {
                let expected = placed.iter().rposition(|p| p.start <= time && time <= p.end);
                assert_eq!(holders.at(&placed, time), expected.map(|at| at as u32), "{time}");
            }
        }
    }

    proptest! {
        #[test]
        fn what_holds_a_moment_is_found_in_every_layer(
            all in prop::collection::vec((0_i64..60, 0_i64..30), 0..60),
            time in -1_i64..91,
        ) {
            let all = (0..).zip(all).map(|(at, (s, n))| interval(at, s * 2_000, (s + n) * 2_000)).collect();
            let (placed, time) = (nest(all, 0, false), time * 2_000);
            let expected = placed.iter().rposition(|p| p.start <= time && time <= p.end);
            prop_assert_eq!(Holders::new(&placed).at(&placed, time), expected.map(|at| at as u32));
        }

        #[test]
        fn bars_of_a_row_never_overlap(all in prop::collection::vec((0_i64..60, 0_i64..30, 1..3_i64), 0..120)) {
            let scale = |(start, length, scale): (i64, i64, i64)| (start * 700 * scale, (start + length) * 700 * scale);
            let all = (0..).zip(all).map(|(at, raw)| { let (s, e) = scale(raw); interval(at, s, e) }).collect();
            let placed = nest(all, 0, false);
            prop_assert!(placed.is_sorted_by_key(|p| p.start));
            let mut ends = std::collections::HashMap::new();
            for p in &placed {
                prop_assert!(p.start <= p.end);
                if let Some(end) = ends.insert(p.depth, p.end) {
                    prop_assert!(end <= p.start, "{p:?} begins before {end}");
                }
                if let Some(parent) = p.parent {
                    let parent = &placed[parent as usize];
                    prop_assert!(parent.start <= p.start && p.end <= parent.end, "{p:?} outside of {parent:?}");
                }
            }
        }
    }
}
