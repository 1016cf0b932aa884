//! [`Levels`]: numbers that both a span and its nested spans report are counted at one level only.
//!
//! A source and its executions both report rows, and nested slices may carry the same argument, so that a sum over all
//! would count twice. Among the chosen points, a number is counted
//!
//! - at source executions and not at sources, if any execution reports it, as in the report;
//! - else at the innermost spans that report it, unless an enclosing span reports more than these together: then it is
//!   counted at the enclosing span, as the inner numbers are parts of it (a `CALL` of MySQL excludes the statements that it
//!   runs, a `SELECT` includes everything that its functions read).
//!
//! Times are exempt: durations include nested spans by definition, and self time excludes them. Total time is the duration of the outermost
//! spans of each group.

use super::{Bits, ChildSpans, PointRows};
use crate::base::{FxHashMap, FxHashSet};
use crate::trace::{Kind, SpanId, Trace};

/// Value in place of the ancestor that reports the number, if there is none.
const NOWHERE: u32 = u32::MAX;
/// Value in place of the ancestor that reports the number, before it was searched.
const UNKNOWN: u32 = u32::MAX - 1;

/// The points whose number is not counted because a point at another level reports the same amount. Points are rows of
/// [`PointRows`].
pub struct Levels {
    left_out: Bits,
    /// Distinct kinds of the points that count; `others` has the kinds of the points that do not count. Both are empty for outermost
    /// spans.
    counted: Vec<Kind>,
    others: Vec<Kind>,
}

/// The nesting of the points that report a number.
struct ReportNesting<'a> {
    /// The points that report the number, without those whose kind does not count.
    reporting: &'a Bits,
    /// The number of a row.
    amount: &'a dyn Fn(u32) -> Option<i64>,
    /// By row: the nearest ancestor that also reports the number, or [`NOWHERE`].
    around: Vec<u32>,
}

impl Levels {
    /// The levels at which a number of the chosen points is counted; `None` if every point counts. `amount` is the number of a row;
    /// `None` if the row does not report it.
    #[inline(never)]
    pub fn of(trace: &Trace, chosen: &Bits, amount: &dyn Fn(u32) -> Option<i64>) -> Option<Self> {
        let (spans, n_rows) = (trace.spans.len() as u32, PointRows::of(trace).len());
        let is = |row: u32, kind: Kind| row < spans && trace.spans.kind(SpanId(row)) == kind;
        let mut all = Bits::below(n_rows);
        chosen.iter().filter(|&row| amount(row).is_some()).for_each(|row| all.insert(row));
        // A single point is at one level. Areas of the timeline are asked for while the pointer moves.
        if all.len() < 2 {
            return None;
        }
        let has_executions =
            trace.spans.has(Kind::Execution) && all.iter().any(|row| is(row, Kind::Execution));
        let (mut left_out, mut reporting) = (Bits::below(n_rows), Bits::below(n_rows));
        for row in all.iter() {
            let set = if has_executions && is(row, Kind::Source) { &mut left_out } else { &mut reporting };
            set.insert(row);
        }
        let nesting = ReportNesting::of(trace, &reporting, amount);
        let outer = nesting.outer();
        let parts = nesting.parts(&outer);
        let is_other_level = |row: &u32| outer.get(row) == Some(&false) || parts.contains(*row);
        reporting.iter().filter(is_other_level).for_each(|row| left_out.insert(row));
        (left_out.len() > 0).then(|| {
            let kinds = |is_left_out: bool| {
                kinds(trace, all.iter().filter(|&row| left_out.contains(row) == is_left_out))
            };
            let (counted, others) = (kinds(false), kinds(true));
            Self { left_out, counted, others }
        })
    }

    /// Leaves out the chosen spans that have a chosen ancestor in their group; `None` if there are none. `group` is the group of
    /// a row.
    #[inline(never)]
    pub fn outermost(trace: &Trace, chosen: &Bits, group: &dyn Fn(u32) -> u32) -> Option<Self> {
        let spans = trace.spans.len() as u32;
        let children = ChildSpans::of(trace);
        let mut left_out = Bits::below(PointRows::of(trace).len());
        // Groups of the chosen spans around the current one; every span is visited at its start and at its end, so that deep stacks
        // take no longer than flat ones.
        let mut around: FxHashSet<u32> = FxHashSet::default();
        let roots = (0..spans).filter(|&row| trace.spans.parent(SpanId(row)).is_none());
        let mut waiting: Vec<(u32, bool)> = roots.map(|row| (row, false)).collect();
        while let Some((row, ends)) = waiting.pop() {
            if ends {
                around.remove(&group(row));
                continue;
            }
            if chosen.contains(row) {
                match around.insert(group(row)) {
                    true => waiting.push((row, true)),
                    false => left_out.insert(row),
                }
            }
            waiting.extend(children.children(SpanId(row)).iter().map(|&child| (child, false)));
        }
        (left_out.len() > 0).then(|| Self { left_out, counted: Vec::new(), others: Vec::new() })
    }

    /// Whether a point's number is not counted.
    #[inline]
    pub fn leaves_out(&self, row: u32) -> bool {
        self.left_out.contains(row)
    }

    /// Describes at which level the number is counted.
    pub fn sentence(&self, number: &str) -> String {
        if self.counted.is_empty() {
            return format!(
                "{number} counts a span only if none of its ancestors that match is in the same group by the first dimension."
            );
        }
        let names = |kinds: &[Kind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
        if self.others.iter().any(|kind| self.counted.contains(kind)) {
            return format!(
                "Where nested spans both report {number}, only the innermost {} counts, or an outer one that reports more.",
                names(&self.counted)
            );
        }
        format!(
            "{number}: only those of {} are added up; {} reports the same again.",
            names(&self.counted),
            names(&self.others)
        )
    }
}

impl<'a> ReportNesting<'a> {
    fn of(trace: &Trace, reporting: &'a Bits, amount: &'a dyn Fn(u32) -> Option<i64>) -> Self {
        let mut around = vec![UNKNOWN; PointRows::of(trace).len()];
        let mut path = Vec::new();
        for row in reporting.iter() {
            search(trace, reporting, row, (&mut around, &mut path));
        }
        Self { reporting, amount, around }
    }

    fn around(&self, row: u32) -> Option<u32> {
        self.around.get(row as usize).copied().filter(|&above| above != NOWHERE)
    }

    /// The points that are nested, at any depth, in a point that reports more than the points in it together. Visits
    /// every point once, parents first, without recursion, because spans may be nested deeply.
    fn parts(&self, outer: &FxHashMap<u32, bool>) -> Bits {
        let (mut parts, mut known) = (Bits::below(self.around.len()), Bits::below(self.around.len()));
        let mut path = Vec::new();
        for row in self.reporting.iter() {
            let mut at = Some(row);
            while let Some(below) = at.filter(|&row| !known.contains(row)) {
                path.push(below);
                known.insert(below);
                at = self.around(below);
            }
            while let Some(row) = path.pop() {
                let is_part = |above: u32| outer.get(&above) == Some(&true) || parts.contains(above);
                if self.around(row).is_some_and(is_part) {
                    parts.insert(row);
                }
            }
        }
        parts
    }

    /// The points with nested points that report the number, and whether each reports more than these together.
    fn outer(&self) -> FxHashMap<u32, bool> {
        let mut inner: FxHashMap<u32, (u32, i128)> = FxHashMap::default();
        let nested = || self.reporting.iter().filter(|&row| self.around(row).is_some());
        nested().filter_map(|row| self.around(row)).for_each(|above| inner.entry(above).or_default().0 += 1);
        let value = |row: u32| (self.amount)(row).map_or(0, i128::from);
        let mut outer = FxHashMap::default();
        let innermost = nested().filter(|row| !inner.contains_key(row)).map(|row| (row, value(row)));
        let mut known: Vec<(u32, i128)> = innermost.collect();
        while let Some((row, total)) = known.pop() {
            let Some(above) = self.around(row) else { continue };
            let (left, sum) = inner.entry(above).or_default();
            (*left, *sum) = (left.saturating_sub(1), *sum + total);
            // All points nested in `above` are done.
            if *left == 0 {
                let is_more = value(above) > *sum;
                outer.insert(above, is_more);
                known.push((above, if is_more { value(above) } else { *sum }));
            }
        }
        outer
    }
}

/// Sets the nearest ancestor of a row that reports the number. The ancestors on the way to it have the same one, so that no path is
/// walked twice. `path` is empty, and reused.
#[inline(never)]
fn search(trace: &Trace, reporting: &Bits, row: u32, (around, path): (&mut [u32], &mut Vec<u32>)) {
    let mut parent = trace.parent(PointRows::of(trace).item(row));
    path.push(row);
    let found = loop {
        let Some(above) = parent else { break NOWHERE };
        if reporting.contains(above.0) {
            break above.0;
        }
        match around.get_mut(above.0 as usize) {
            Some(known) if *known == UNKNOWN => *known = NOWHERE,
            known => break known.map_or(NOWHERE, |known| *known),
        }
        path.push(above.0);
        parent = trace.spans.parent(above);
    };
    path.drain(..).for_each(|row| around[row as usize] = found);
}

/// The distinct kinds of points.
fn kinds(trace: &Trace, rows: impl Iterator<Item = u32>) -> Vec<Kind> {
    let mut kinds = Vec::new();
    for kind in rows.map(|row| trace.kind(PointRows::of(trace).item(row))) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds.sort_unstable();
    kinds
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::analysis::sample;
    use crate::trace::key;

    proptest! {
        /// The points that count add up to the sum by the definition, whichever points are chosen.
        #[test]
        fn every_number_counts_once(items in sample::odd_items(), left_out in any::<u64>()) {
            let trace = sample::odd_trace(&items);
            let points = PointRows::of(&trace);
            let chosen = Bits::of(points.len(), |row| left_out >> (row % 64) & 1 == 0);
            for key in [key::ROWS_READ, key::READ_TIME] {
                let amount = |row: u32| trace.num(points.item(row), key);
                let levels = Levels::of(&trace, &chosen, &amount);
                let is_counted = |row: &u32| levels.as_ref().is_none_or(|levels| !levels.leaves_out(*row));
                let counted = chosen.iter().filter(is_counted).filter_map(amount).map(i128::from);
                let counted: Vec<i128> = counted.collect();
                let sum = (!counted.is_empty()).then(|| counted.iter().sum());
                let all: Vec<_> = chosen.iter().map(|row| points.item(row)).collect();
                prop_assert_eq!(sum, sample::counted_once(&trace, &all, key));
            }
        }
    }
}
