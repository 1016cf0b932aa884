//! [`Levels`]: numbers that spans and the spans nested in them both report are counted at one level.
//!
//! A source and its executions both report rows, a slice and the slices in it may carry the same argument: a sum over both
//! would count twice. Of the points that are aggregated, a number counts
//!
//! - at source executions and not at sources, where any execution reports it: as in the report;
//! - else at the innermost spans that report it, unless one around them reports more than they do together: then it
//!   counts there, for what they report is a part of it (a `CALL` of MySQL reports nothing of the statements that it runs,
//!   a `SELECT` all that its functions read).
//!
//! Times are not meant: the duration of a span includes what is nested in it, and self time is what it adds by itself.

use super::amounts::Amounts;
use super::attribute::PointRows;
use super::group::NOWHERE;
use crate::analysis::Bits;
use crate::base::FxHashMap;
use crate::base::chunked;
use crate::trace::{Kind, NOT_REPORTED, SpanId, Trace};

/// Which of the points that report a number are not counted, for others report the same.
pub(super) struct Levels {
    left_out: Bits,
    /// The kinds of points that count, and of those that do not.
    counted: Vec<Kind>,
    others: Vec<Kind>,
}

/// The points that report a number, and how they are nested in one another.
struct PointNesting<'a> {
    trace: &'a Trace,
    chosen: &'a Bits,
    amounts: &'a Amounts,
    /// By row: the nearest point around it that reports the number, too.
    around: Vec<u32>,
}

impl Levels {
    /// The levels at which a number of the chosen points counts; `None` where every point counts.
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

    /// The numbers without those that are not counted.
    pub fn counted(&self, amounts: &Amounts, rows: usize) -> Amounts {
        let value = |row: u32| {
            let reported = amounts.get(row as usize).filter(|_| !self.leaves_out(row));
            reported.unwrap_or(NOT_REPORTED)
        };
        Amounts::Many(chunked::map(0..rows as u32, value))
    }

    /// At which level a number is counted, as a sentence.
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

    /// The points inside of one that reports more than those in it together. Each is looked at once, after the one around
    /// it: however deep spans are nested.
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

    /// The points around others that report the number, too; and whether they report more than those together.
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
            // All that it holds is known.
            if *left == 0 {
                let is_more = value(above) > *sum;
                outer.insert(above, is_more);
                known.push((above, if is_more { value(above) } else { *sum }));
            }
        }
        outer
    }

    /// Whether a point is a source; and whether any source execution reports the number.
    fn sources(&self) -> (impl Fn(u32) -> bool + '_, bool) {
        let spans = self.trace.spans.len() as u32;
        let is = move |row: u32, kind: Kind| row < spans && self.trace.spans.kind(SpanId(row)) == kind;
        let any = self.trace.spans.has(Kind::Execution)
            && self.chosen.iter().any(|row| is(row, Kind::Execution) && self.reports(row));
        (move |row| is(row, Kind::Source), any)
    }

    /// The kinds of the points that report the number and pass a test, each once.
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

/// Whether any of the chosen spans lies in another one: then durations that are added up count some moments twice.
#[inline(never)]
pub(super) fn any_nested(trace: &Trace, chosen: &Bits) -> bool {
    let spans = trace.spans.len() as u32;
    // The spans around which no chosen one lies: no way up is walked twice.
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
