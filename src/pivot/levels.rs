//! [`Levels`]: numbers that both a span and its nested spans report are counted at one level only.
//!
//! A source and its executions both report rows, and nested slices may carry the same argument, so that a sum over all
//! would count twice. Among the aggregated points, a number is counted
//!
//! - at source executions and not at sources, if any execution reports it, as in the report;
//! - else at the innermost spans that report it, unless an enclosing span reports more than these together: then it is
//!   counted at the enclosing span, as the inner numbers are parts of it (a `CALL` of MySQL excludes the statements that it
//!   runs, a `SELECT` includes everything that its functions read).
//!
//! Times are exempt: durations include nested spans by definition, and self time excludes them.

use super::amounts::Amounts;
use super::attribute::PointRows;
use super::group::NOWHERE;
use crate::analysis::Bits;
use crate::base::FxHashMap;
use crate::base::chunked;
use crate::trace::{Kind, NOT_REPORTED, SpanId, Trace};

/// The points whose number is not counted because a point at another level reports the same amount.
pub(super) struct Levels {
    left_out: Bits,
    /// Distinct kinds of the points that count; `others` has the kinds of the points that do not count.
    counted: Vec<Kind>,
    others: Vec<Kind>,
}

/// The nesting of the points that report a number.
struct PointNesting<'a> {
    trace: &'a Trace,
    chosen: &'a Bits,
    amounts: &'a Amounts,
    /// By row: the nearest ancestor that also reports the number, or [`NOWHERE`].
    around: Vec<u32>,
}

impl Levels {
    /// The levels at which a number of the chosen points is counted; `None` if every point counts.
    #[inline(never)]
    pub fn of(trace: &Trace, chosen: &Bits, amounts: &Amounts) -> Option<Self> {
        let nesting = PointNesting::of(trace, chosen, amounts);
        let mut left_out = Bits::below(PointRows::of(trace).len());
        let outer = nesting.outer();
        let (is_source, is_execution) = nesting.sources();
        let parts = nesting.parts(&outer);
        for row in chosen.iter().filter(|&row| nesting.reports(row)) {
            let is_other_level = outer.get(&row) == Some(&false);
            if is_other_level || parts.contains(row) || is_execution && is_source(row) {
                left_out.insert(row);
            }
        }
        (left_out.len() > 0).then(|| {
            let kinds = |is_left_out: bool| nesting.kinds(|row| left_out.contains(row) == is_left_out);
            let (counted, others) = (kinds(false), kinds(true));
            Self { left_out, counted, others }
        })
    }

    /// Whether a point's number is not counted.
    pub fn leaves_out(&self, row: u32) -> bool {
        self.left_out.contains(row)
    }

    /// The numbers of the points that count; [`NOT_REPORTED`] for the others.
    pub fn counted(&self, amounts: &Amounts, rows: usize) -> Amounts {
        let value = |row: u32| {
            let reported = amounts.get(row as usize).filter(|_| !self.leaves_out(row));
            reported.unwrap_or(NOT_REPORTED)
        };
        Amounts::Many(chunked::map(0..rows as u32, value))
    }

    /// Describes at which level the number is counted.
    pub fn sentence(&self, number: &str) -> String {
        let names = |kinds: &[Kind]| kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
        if self.others.iter().any(|kind| self.counted.contains(kind)) {
            return format!(
                "{number} is counted once where nested spans both report it (counted at: the innermost {}, unless an outer one \
                 reports more).",
                names(&self.counted)
            );
        }
        format!(
            "{number} is counted at: {} (also reported by: {}).",
            names(&self.counted),
            names(&self.others)
        )
    }
}

impl<'a> PointNesting<'a> {
    fn of(trace: &'a Trace, chosen: &'a Bits, amounts: &'a Amounts) -> Self {
        let rows = PointRows::of(trace);
        let reports = |row: u32| chosen.contains(row) && amounts.get(row as usize).is_some();
        let mut around: Vec<u32> = Vec::with_capacity(rows.len());
        chunked::for_each(0..rows.len() as u32, |row| {
            let mut parent = trace.parent(rows.item(row));
            let found = loop {
                match parent {
                    None => break NOWHERE,
                    Some(span) if reports(span.0) => break span.0,
                    Some(span) => match around.get(span.0 as usize) {
                        Some(&known) => break known,
                        None => parent = trace.spans.parent(span),
                    },
                }
            };
            around.push(found);
        });
        Self { trace, chosen, amounts, around }
    }

    fn reports(&self, row: u32) -> bool {
        self.chosen.contains(row) && self.amounts.get(row as usize).is_some()
    }

    fn around(&self, row: u32) -> Option<u32> {
        self.around.get(row as usize).copied().filter(|&above| above != NOWHERE)
    }

    /// The points that are nested, at any depth, in a point that reports more than the points in it together. Visits
    /// every point once, parents first, without recursion, because spans may be nested deeply.
    fn parts(&self, outer: &FxHashMap<u32, bool>) -> Bits {
        let (mut parts, mut known) = (Bits::below(self.around.len()), Bits::below(self.around.len()));
        let mut path = Vec::new();
        for row in self.chosen.iter().filter(|&row| self.reports(row)) {
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
        let nested = || self.chosen.iter().filter(|&row| self.reports(row) && self.around(row).is_some());
        nested().filter_map(|row| self.around(row)).for_each(|above| inner.entry(above).or_default().0 += 1);
        let value = |row: u32| self.amounts.get(row as usize).map_or(0, i128::from);
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

    /// Returns a test for whether a row is a source, and whether any source execution reports the number.
    fn sources(&self) -> (impl Fn(u32) -> bool + '_, bool) {
        let spans = self.trace.spans.len() as u32;
        let is = move |row: u32, kind: Kind| row < spans && self.trace.spans.kind(SpanId(row)) == kind;
        let any = self.trace.spans.has(Kind::Execution)
            && self.chosen.iter().any(|row| is(row, Kind::Execution) && self.reports(row));
        (move |row| is(row, Kind::Source), any)
    }

    /// The distinct kinds of the points that report the number and pass a test.
    fn kinds(&self, passes: impl Fn(u32) -> bool) -> Vec<Kind> {
        let rows = PointRows::of(self.trace);
        let mut kinds = Vec::new();
        for row in self.chosen.iter().filter(|&row| self.reports(row) && passes(row)) {
            let kind = self.trace.kind(rows.item(row));
            if !kinds.contains(&kind) {
                kinds.push(kind);
            }
        }
        kinds.sort_unstable();
        kinds
    }
}

/// Whether any chosen span is nested in another chosen span, so that a sum of durations counts some time twice.
#[inline(never)]
pub(super) fn any_nested(trace: &Trace, chosen: &Bits) -> bool {
    let spans = trace.spans.len() as u32;
    // Spans that are not chosen and have no chosen ancestor, so that no path to the root is walked twice.
    let mut clear = Bits::below(spans as usize);
    chosen.iter().take_while(|&row| row < spans).any(|row| {
        let mut parent = trace.spans.parent(SpanId(row));
        while let Some(above) = parent.filter(|above| !clear.contains(above.0)) {
            if chosen.contains(above.0) {
                return true;
            }
            clear.insert(above.0);
            parent = trace.spans.parent(above);
        }
        false
    })
}
