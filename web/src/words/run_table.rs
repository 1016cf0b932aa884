//! Texts of the table that compares every run with one of them.

use queryscope::internal::text;
use queryscope::protocol::{ComparedRuns, DurationVerdict, RunTableCell, RunTableMeasure, RunTablePage};

use super::compare::{self, typical_change};

pub const EACH_OTHER_RUN: &str = "Each other run";
pub const FASTER: &str = "Faster";
pub const FASTER_MEANING: &str = "Groups whose durations are shorter than in base, beyond noise";
pub const IS_BASE: &str = "The run that the others are compared with";
pub const NO_EXECUTION: &str = "No complete execution in this run";
pub const NO_GROUPS_IN_RUNS: &str = "No run has executions to group in this way.";
pub const OPEN_RUN: &str = "Compare only this run with base";
pub const RUN: &str = "Run";
pub const SHOW_GROUPS: &str = "Show only these groups";
pub const SLOWER: &str = "Slower";
pub const SLOWER_MEANING: &str = "Groups whose durations are longer than in base, beyond noise";
pub const VANISHED: &str = "In base, but not in this run";

pub fn base(name: &str) -> String {
    format!("{name} (base)")
}

/// The groups to which the table is restricted.
pub fn only(verdict: DurationVerdict, run: &str) -> String {
    format!("Only {} in {run}", verdict.name())
}

/// Name and meaning of a measure of the table.
pub fn measure(measure: RunTableMeasure) -> (&'static str, &'static str) {
    match measure {
        RunTableMeasure::Total => (compare::TOTAL, "Total duration of the executions"),
        RunTableMeasure::P50 => ("p50", "Median duration"),
        RunTableMeasure::P95 => ("p95", "95 % of the executions took at most this long"),
        RunTableMeasure::Max => ("max", "Longest duration"),
        RunTableMeasure::SelfTime => (compare::SELF_TIME, "Time not covered by nested spans"),
    }
}

/// The sign of a verdict.
pub fn verdict_sign(verdict: DurationVerdict) -> &'static str {
    match verdict {
        DurationVerdict::Slower => "▲",
        DurationVerdict::Faster => "▼",
        DurationVerdict::NoDifference => "≈",
        DurationVerdict::TooFew => "?",
        DurationVerdict::New => "new",
        DurationVerdict::Vanished => "–",
    }
}

/// What the signs and percentages in the table mean.
pub fn signs() -> String {
    format!(
        "▲ slower, ▼ faster than base, beyond noise · ≈ no difference shown · ? fewer than {} executions on a side · – no complete execution. \
         Click a value to compare the executions. The percentage compares the values that are shown; the typical change in a tooltip compares \
         all pairs of executions and can have the opposite sign.",
        ComparedRuns::FEWEST
    )
}

/// A group in a run: the verdict and the typical change.
pub fn cell(cell: &RunTableCell, verdict: DurationVerdict) -> String {
    let verdict = match verdict {
        DurationVerdict::Slower => "Slower beyond noise",
        DurationVerdict::Faster => "Faster beyond noise",
        DurationVerdict::NoDifference => "No difference shown",
        DurationVerdict::TooFew => "Too few executions to tell",
        DurationVerdict::New => "Not in base",
        DurationVerdict::Vanished => VANISHED,
    };
    let executions =
        text::counted(cell.measures.as_ref().map_or(0, |of| of.count), "execution", "executions");
    let change = cell.change.as_ref().map_or_else(String::new, |change| {
        format!("; typical change {}, 95 % interval", typical_change(change))
    });
    format!("{verdict}: {executions}{change}")
}

/// The verdict on all runs, in one to three sentences. `name` returns the name of a run.
pub fn verdict(page: &RunTablePage, name: impl Fn(u32) -> String) -> String {
    let empty = page.runs.iter().filter(|run| page.is_filtered && compare::executions(&run.totals) == 0);
    let empty: Vec<String> = empty.map(|run| name(run.run)).collect();
    let empty: Vec<&str> = empty.iter().map(String::as_str).collect();
    let (one, many) = if page.has_statements { ("statement", "statements") } else { ("group", "groups") };
    let groups = text::counted(u64::from(page.groups), one, many);
    let runs = page.runs.len().saturating_sub(1) as u64;
    let differing = page.runs.iter().filter(|run| run.slower + run.faster > 0).count();
    let mut verdict = match (page.tests, differing) {
        (0, _) if !empty.is_empty() => compare::none_in_filter(&empty),
        (0, _) => format!("Too few executions for a test in {groups}."),
        (tests, 0) => {
            format!("No run differs from base beyond noise ({} tests).", text::count(tests.into()))
        }
        (tests, differing) => format!(
            "{} of {} {} from base beyond noise in at least one of {groups} ({} tests).",
            text::count(differing as i64),
            text::counted(runs, "run", "runs"),
            if differing == 1 { "differs" } else { "differ" },
            text::count(tests.into())
        ),
    };
    if page.tests > 0 && !empty.is_empty() {
        verdict += " ";
        verdict += &compare::none_in_filter(&empty);
    }
    if page.not_shown > 0 {
        verdict += &format!(
            " {} not in this table of at most {}: choose one as new to compare it.",
            text::counted(u64::from(page.not_shown), "run is", "runs are"),
            RunTablePage::MOST
        );
    }
    verdict
}
