//! Texts of the comparison of executions.

use queryscope::internal::text;
use queryscope::protocol::Compare;

pub const A: &str = "A";
pub const B: &str = "B";
pub const CALLS: &str = "Calls";
pub const CALLS_MEANING: &str = "Number of executions, and the longest one relative to the average";
pub const COMPARED: &str = "Compared executions";
pub const DID_NOT_RUN: &str = "Did not run";
pub const DIFFERENCE: &str = "Difference";
pub const DIFFERENCE_BAR: &str = "Difference: longer in A to the right, longer in B to the left";
pub const DIFFERENCE_MEANING: &str = "Duration of A minus duration of B";
pub const DIFFERENCE_OF_STEP: &str = "Time in A minus time in B; sorted by absolute value";
pub const DURATION_A: &str = "Duration of A";
pub const DURATION_B: &str = "Duration of B";
pub const DURATION_MEANING: &str = "From start to end";
pub const INCLUSIVE_TIME: &str = "Inclusive time";
pub const INCLUSIVE_TIME_MEANING: &str = "Include the time of nested steps";
pub const MERGE_COPIES_MEANING: &str = "Show one row for all parallel copies of a step";
pub const NO_OTHER_EXECUTION: &str =
    "No other execution of this statement: select another statement in the query list";
pub const NO_STATEMENTS: &str = "No statements in this trace.";
pub const ONLY_IN_A: &str = "only in A";
pub const ONLY_IN_B: &str = "only in B";
pub const ONLY_IN_ONE: &str = "Only in one of the two";
pub const PLAN_ORDER: &str = "Sorted by position in the plan";
pub const RATIO: &str = "Ratio";
pub const RATIO_MEANING: &str = "Duration of A divided by duration of B";
pub const RATIO_OF_STEP: &str = "Time in A divided by time in B; sorted by distance from 1";
pub const REGION: &str = "Comparison of executions";
pub const ROWS: &str = "Rows";
pub const STATEMENT: &str = "Statement";
pub const STEP: &str = "Step";
pub const STEPS: &str = "Steps";
pub const STEP_TIME_A: &str = "Summed step time, A";
pub const STEP_TIME_A_MEANING: &str = "Time of all steps; steps that ran at the same time each count in full";
pub const STEP_TIME_B: &str = "Summed step time, B";
pub const STEP_TIME_B_MEANING: &str = "Time of all steps of one execution, on average";
pub const SWAP: &str = "Swap";
pub const SWAP_MEANING: &str = "Swap A and B";
pub const TIME_A: &str = "Time in A";
pub const TIME_B: &str = "Time in B";
pub const USE_SELECTION_AS_A: &str = "Use selection as A";
pub const USE_SELECTION_AS_B: &str = "Use selection as B";

/// Explains how the steps of both executions were paired, and how many steps only one of them has.
pub fn about(found: &Compare) -> String {
    let steps = text::counted(u64::from(found.n_steps), "step", "steps");
    let paired = match found.n_b {
        0 => format!("{steps}; no second execution is selected."),
        1 if found.has_places => format!("{steps}, paired by operation and position in the plan."),
        1 => format!("{steps}, paired by operation."),
        n => format!(
            "{steps}; B is the average of {}.",
            text::counted(u64::from(n), "execution", "executions")
        ),
    };
    match found.only {
        (a, b) if found.n_b > 0 && (a, b) != (0, 0) => format!("{paired} {a} only in A, {b} only in B."),
        _ => paired,
    }
}

pub fn steps_not_shown(n: usize) -> String {
    format!(" {} not shown.", text::counted(n as u64, "more step", "more steps"))
}

/// Formats a difference in nanoseconds with its sign.
pub fn signed(ns: i64) -> String {
    match ns {
        0 => "none".to_owned(),
        ns if ns < 0 => format!("−{}", text::duration(ns.saturating_neg())),
        ns => format!("+{}", text::duration(ns)),
    }
}

/// Formats `a` divided by `b`, or a dash if `b` is not positive.
pub fn ratio(a: i64, b: i64) -> String {
    if b > 0 { text::ratio(a as f64 / b as f64) } else { text::NOT_REPORTED.to_owned() }
}

pub fn show_longest(ns: i64) -> String {
    format!("{}: show the longest execution", text::duration_exact(ns))
}

pub fn uneven_calls(calls: &str, skew: f64) -> String {
    format!("{calls}, max {} × avg", text::ratio(skew))
}

pub fn either(a: &str, b: &str) -> String {
    format!("{a} / {b}")
}

pub fn kind_and_name(kind: &str, name: &str) -> String {
    format!("{kind}: {name}")
}

pub fn repeated(count: u32, title: &str, time: i64) -> String {
    format!("{} × {title} ({})", text::count(count.into()), text::duration(time))
}

pub fn more_statements(n: usize) -> String {
    format!("{} more with less time: select one in the query list", text::count(n as i64))
}

pub fn more_executions(n: usize) -> String {
    format!("{} more: select one in the query list", text::count(n as i64))
}

pub fn average_of_others(n: u32) -> String {
    format!("Average of all {} others", text::count(n.into()))
}
