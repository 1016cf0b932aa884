//! Reconciliation: compares the sums that a database server keeps of its events with the same sums over the exported
//! events. Equal sums prove that the export is complete. A difference has a reason that follows from the rest of the
//! export (its ids, settings, tables of objects: see `evidence`), or its reason is reported as unknown.
//!
//! The definitions follow the Performance Schema (chapter "Performance Schema Summary Tables" of MySQL's manual;
//! what the manual leaves open was measured on MySQL 5.6 and 9.7 and MariaDB 10.11):
//!
//! - COUNT of table accesses is the number of rows, not of calls. SUM, MIN and MAX are over events that were timed.
//! - AVG is made in units of the timer: `⌊(SUM / f) / COUNT⌋ · f`, where f is the picoseconds of one cycle for waits, and
//!   of a nanosecond for everything else (of a microsecond for `idle` in older servers).
//! - An export may hold an earlier export of the sums, made before the events: a run of its own without events. It is
//!   subtracted, since TRUNCATE does not reset all of them.

mod columns;
mod derived;
mod evidence;
mod forgotten;
mod histogram;
mod ids;
mod points;
mod reasons;
mod settings;
mod sums;

use crate::base::interner::StrId;
use crate::protocol::{Reconciled, ReconciledCell, ReconciledReason};
use crate::trace::attribute_names::BEFORE;
use crate::trace::{RunId, Table, Trace};
use evidence::Evidence;
use points::RunEvents;
use sums::TableSums;

/// Reason that is reported for differences that nothing in the export explains.
const UNKNOWN: &str = "unknown: the export holds no explanation";

/// Maximum number of examples per reason.
const EXAMPLES: usize = 5;

/// Compares every table of sums in a trace with the events. Empty if there are no such tables or no events.
#[inline(never)]
pub fn reconcile(trace: &Trace) -> Vec<Reconciled> {
    let has_events = |run: RunId| {
        let track = trace.runs[run.0 as usize].track;
        !trace.tracks.subtree_spans(track).is_empty()
    };
    let runs = (0..trace.runs.len() as u32).map(RunId);
    let (with, without): (Vec<RunId>, Vec<RunId>) = runs.partition(|&run| has_events(run));
    let mut found = Vec::new();
    for run in with {
        let points = RunEvents::of(trace, run);
        // Sums from before the events are either part of the run or a run of their own.
        let own = |table: &Table| table.run == run && trace.str(table.name).starts_with(BEFORE);
        let earlier = without.iter().copied().find(|&run| trace.tables.iter().any(|t| t.run == run));
        let before = match trace.tables.iter().any(own) {
            true => Some((run, BEFORE)),
            false => earlier.map(|run| (run, "")),
        };
        let evidence = Evidence::of(trace, run, before, &points);
        for table in trace.tables.iter().filter(|table| table.run == run) {
            let name = trace.str(table.name);
            let before = before
                .and_then(|(run, prefix)| trace.tables.find(&trace.strings, run, &format!("{prefix}{name}")));
            let compared = histogram::compare(table, &evidence)
                .or_else(|| Some(TableSums::of(trace, table, &points)?.compare(table, before, &evidence)));
            found.extend(compared.map(|outcome| outcome.finish(table, &evidence)));
        }
    }
    found
}

/// Result of the comparison of one table.
#[derive(Default)]
struct ReconcileResult {
    rows: u64,
    equal: u64,
    derived: u64,
    different: u64,
    /// Number of groups of events for which the server has no row.
    only_events: u64,
    reasons: Vec<ReconciledReason>,
    derivations: Vec<ReconciledReason>,
    /// Unit in which the server's averages of waits were interpreted; empty if there are none.
    averages: String,
}

impl ReconcileResult {
    fn differs(&mut self, reason: &str, example: impl FnOnce() -> ReconciledCell) {
        self.different += 1;
        note(&mut self.reasons, reason, example);
    }

    fn derives(&mut self, how: &str, example: impl FnOnce() -> ReconciledCell) {
        self.derived += 1;
        note(&mut self.derivations, how, example);
    }

    fn finish(self, table: &Table, evidence: &Evidence) -> Reconciled {
        let trace = evidence.trace;
        let run = trace.runs.get(table.run.0 as usize).map_or(StrId::EMPTY, |run| run.name);
        Reconciled {
            run: trace.str(run).to_owned(),
            table: trace.str(table.name).to_owned(),
            rows: self.rows,
            equal: self.equal,
            derived: self.derived,
            different: self.different,
            only_events: self.only_events,
            reasons: self.reasons,
            derivations: self.derivations,
            averages: self.averages,
        }
    }
}

/// Counts a cell or row under its reason, and keeps the first [`EXAMPLES`] as examples.
fn note(reasons: &mut Vec<ReconciledReason>, reason: &str, example: impl FnOnce() -> ReconciledCell) {
    let at = reasons.iter().position(|known| known.reason == reason).unwrap_or_else(|| {
        reasons.push(ReconciledReason { reason: reason.to_owned(), cells: 0, examples: Vec::new() });
        reasons.len() - 1
    });
    let reason = &mut reasons[at];
    reason.cells += 1;
    if reason.examples.len() < EXAMPLES {
        reason.examples.push(example());
    }
}

/// Whole number in a cell; 0 if the cell is empty or not a number.
fn number(trace: &Trace, table: &Table, row: usize, column: usize) -> i128 {
    let text = table.cell(row, column).map_or("0", |text| trace.str(text));
    text.parse().unwrap_or(0)
}
