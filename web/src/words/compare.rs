//! Texts of the comparison of executions and of runs.

use queryscope::internal::text;
use queryscope::protocol::{
    Compare, ComparedBar, ComparedRunColumn, ComparedRunGroup, ComparedRuns, DurationVerdict, RunSelection,
    SideTotals, TypicalChange,
};

pub const CALLS: &str = "Calls";
pub const CALLS_MEANING: &str = "Number of executions, and the longest one relative to the average";
pub const COMPARED: &str = "Compared executions";
pub const DID_NOT_RUN: &str = "Did not run";
pub const DIFFERENCE: &str = "Difference";
pub const DIFFERENCE_BAR: &str = "Difference: longer in new to the right, longer in base to the left";
pub const DIFFERENCE_MEANING: &str = "Duration of new minus duration of base";
pub const DIFFERENCE_OF_STEP: &str = "Time in new minus time in base; sorted by absolute value";
pub const DURATION_OF_NEW: &str = "Duration of new";
pub const DURATION_OF_BASE: &str = "Duration of base";
pub const DURATION_MEANING: &str = "From start to end";
pub const INCLUSIVE_TIME: &str = "Inclusive time";
pub const INCLUSIVE_TIME_MEANING: &str = "Include the time of nested steps";
pub const MERGE_COPIES_MEANING: &str = "Show one row for all parallel copies of a step";
pub const NO_OTHER_EXECUTION: &str =
    "No other execution of this statement: select another statement in the query list";
pub const NO_STATEMENTS: &str = "No statements in this trace.";
pub const ONLY_IN_NEW: &str = "only in new";
pub const ONLY_IN_BASE: &str = "only in base";
const ONE_EXECUTION: &str = "The statement has one execution; to compare it, select one of another statement in the query list, then use it as base.";
pub const OF_CHOSEN_SIDES: &str = "From the sides that you chose in Runs, where they have executions. To compare another execution, select it and press Use selection as new.";
pub const ONLY_IN_ONE: &str = "Only in one of the two";
pub const PLACE: &str = "Position in the plan; two numbers where it differs, in the order of the columns";
pub const PLAN_ORDER: &str = "Sorted by position in the plan, which is the number before the name";
pub const RATIO: &str = "Ratio";
pub const RATIO_MEANING: &str = "Duration of new divided by duration of base";
pub const RATIO_OF_STEP: &str = "Time in new divided by time in base; sorted by distance from 1";
pub const REGION: &str = "Comparison of executions";
pub const ROWS: &str = "Rows";
pub const SAME_EXECUTION: &str = "Base and new are the same execution: choose another one.";
pub const STATEMENT: &str = "Statement";
pub const STEP: &str = "Step";
pub const STEPS: &str = "Steps";
pub const STEP_TIME_OF_NEW: &str = "Summed step time, new";
pub const STEP_TIME_OF_NEW_MEANING: &str =
    "Time of all steps; steps that ran at the same time each count in full";
pub const STEP_TIME_OF_BASE: &str = "Summed step time, base";
pub const STEP_TIME_OF_BASE_MEANING: &str = "Time of all steps of one execution, on average";
pub const SWAP: &str = "Swap";
pub const TIME_IN_NEW: &str = "Time in new";
pub const TIME_IN_BASE: &str = "Time in base";
pub const USE_SELECTION_AS_NEW: &str = "Use selection as new";
pub const USE_SELECTION_AS_BASE: &str = "Use selection as base";

/// Explains how the steps of both executions were paired, and how many steps only one of them has.
pub fn about(found: &Compare) -> String {
    let steps = text::counted(u64::from(found.n_steps), "step", "steps");
    if found.n_b > 0 && !found.has_base() {
        return format!("{steps}. {SAME_EXECUTION}");
    }
    let paired = match found.n_b {
        0 if found.n_executions < 2 => format!("{steps}. {ONE_EXECUTION}"),
        0 => format!("{steps}; no second execution is selected."),
        1 if found.has_places => format!("{steps}, paired by operation and position in the plan."),
        1 => format!("{steps}, paired by operation."),
        n => format!(
            "{steps}; base is the average of {}.",
            text::counted(u64::from(n), "execution", "executions")
        ),
    };
    match found.only {
        (a, b) if found.has_base() && (a, b) != (0, 0) => {
            format!("{paired} {b} only in base, {a} only in new.")
        }
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

pub fn either(base: &str, new: &str) -> String {
    format!("{base}{FROM_TO}{new}")
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

// Comparison of runs.

pub const ALL_GROUPS: &str = "← All groups";
pub const ALL_RUNS: &str = "All runs";
pub const ALL_VERDICTS: &str = "All";
pub const BASE: &str = "Base";
pub const BY_CONNECTOR: &str = "Connector";
pub const BY_DATASOURCE: &str = "Datasource";
pub const BY_KIND: &str = "Kind of span";
pub const BY_NAME: &str = "Span name and category";
pub const BY_STATEMENT: &str = "Statement shape";
pub const BYTES: &str = "Bytes";
pub const CHANGE: &str = "Change";
/// Names of the columns in which a typical change is copied.
pub const CHANGE_PARTS: [&str; 3] = ["median", "interval low", "interval high"];
pub const CHANGE_MEANING: &str = "Difference in percent of base";
pub const CHOOSE_SIDES: &str = "There is one run. Select a time range in the timeline to compare it with the rest of the run, or open the trace of another run as well.";
pub const TABLE: &str = "Table";
pub const TIMELINES: &str = "Timelines";
pub const TABLE_OR_TIMELINES: &str = "Table or timelines";
pub const TIMELINES_MEANING: &str = "Show base and new one below the other, each from its start";
pub const TIMELINES_OF_TYPICAL: &str =
    "Show the execution with the median duration (base) and this one (new), one below the other";
pub const TIMELINES_NEED_BASE: &str = "Timelines need one execution as base";
pub const TIMELINES_OF_MEDIANS: &str = "Timelines of medians";
pub const TIMELINES_OF_LONGEST: &str = "Timelines of longest";
pub const COMPARE_LONGEST: &str = "Compare longest step by step";
pub const COMPARE_MEDIANS: &str = "Compare medians step by step";
pub const COMPARE_STEPS_MEANING: &str = "Compare the execution of base with the one of new";
pub const COUNT: &str = "Executions";
pub const DISTRIBUTIONS: &str = "Distribution of durations, as shares of each side";
pub const DURATION: &str = "Duration";
pub const EXECUTIONS: &str = "Executions";
pub const EXECUTIONS_BY_DURATION: &str = "Executions by duration";
pub const EXECUTIONS_MEANING: &str = "Compare two executions of a statement, step by step";
pub const FAILED: &str = "Failed";
pub const FLAME: &str = "Difference flame graph";
pub const FLAME_MEANING: &str = "Show where new took more or less time than base, as a merged flame graph";
/// Stands between the values of base and new.
pub const FROM_TO: &str = " → ";
pub const GROUP_BY: &str = "Group by";
pub const LONGEST_OF_BASE: &str = "longest of base";
pub const LONGEST_OF_NEW: &str = "longest of new";
pub const MEASURE: &str = "Measure";
pub const MEASURES: &str = "Measures";
pub const MEDIAN_OF_BASE: &str = "median of base";
pub const MEDIAN_OF_NEW: &str = "median of new";
pub const MODES: &str = "What is compared";
pub const NEW: &str = "New";
pub const NEW_MINUS_BASE: &str = "New minus base";
pub const NO_CHANGE: &str = "Fewer than 4 complete executions on a side";
const NO_GROUP_WITH_VERDICT: &str = "No group has this verdict.";
pub const NO_GROUPS: &str = "Neither side has executions to group in this way.";
const NO_GROUPS_IN_FILTER: &str = "With this filter, neither side has executions to group in this way.";
pub const NO_PERCENT: &str = "Base has no value";
pub const NO_SUCH_GROUP: &str =
    "The group does not exist in this comparison: neither side has executions of it.";
pub const NO_SUCH_GROUP_IN_FILTER: &str = "With this filter, neither side has executions of the group.";
pub const NO_SUCH_RUN: &str = "The link names a run that is not open. Choose both sides among the open runs.";
pub const REGION_OF_RUNS: &str = "Comparison of runs";
pub const ROWS_READ: &str = "Rows read";
pub const ROWS_RETURNED: &str = "Rows returned";
pub const RUNS: &str = "Runs";
pub const RUNS_MEANING: &str = "Compare runs, or time ranges of runs, statement by statement";
pub const SELF_TIME: &str = "Self time";
/// Axis of the histograms, whose bars are shares of the executions of their side.
pub const SHARE_OF_EXECUTIONS: &str = "Share of executions";
pub const SHARE_OF_BASE: &str = "Share of base";
pub const SHARE_OF_NEW: &str = "Share of new";
pub const SHOW: &str = "Show in timeline:";
pub const SHOW_IN_TIMELINE: &str = "Select this execution and show it in the timeline";
pub const SHOW_COUNTED: &str = "List these executions";
pub const SHOW_OF_BASE: &str = "List the executions of base";
pub const SHOW_OF_NEW: &str = "List the executions of new";
pub const SHOW_COUNTED_AND_INCOMPLETE: &str =
    "List these executions, and those that failed without a start or an end in the trace";
/// Names of the columns in which the values of both sides are copied.
pub const SIDE_PARTS: [&str; 2] = ["base", "new"];
pub const SIDES: &str = "Compared sides";
pub const SWAP_SIDES: &str = "Swap base and new";
pub const TOTAL: &str = "Total";
pub const TOTALS: &str = "Totals";
/// Stands at the tables and sentences that contain a typical change.
pub const TYPICAL_CHANGE_MEANING: &str = "Typical change: the median of new ÷ base over all pairs of executions (of new − base where durations of 0 allow no ratio); + means slower. It compares all pairs, and the change of p50 only the two medians, so their signs can differ.";
pub const USE_RANGE: &str = "Use selected range";
pub const USE_RANGE_MEANING: &str =
    "Compare only executions that start in the time range that is selected in the timeline";
pub const VERDICTS: &str = "Verdicts";
pub const WALL_TIME: &str = "Wall time";

pub fn run_number(at: u32) -> String {
    format!("run {}", u64::from(at) + 1)
}

pub fn part_of_run(run: &str, (from, until): (i64, i64), outside: bool) -> String {
    let part = if outside { "outside" } else { "in" };
    format!("{run}, {part} {} to {}", text::duration(from), text::duration(until))
}

pub fn all_but(run: &str) -> String {
    format!("All runs but {run}")
}

pub fn groups(has_statements: bool) -> &'static str {
    if has_statements { "Statements" } else { "Groups" }
}

/// Name and meaning of the column that names the groups.
pub fn group_column(has_statements: bool) -> (&'static str, &'static str) {
    match has_statements {
        true => ("Statement", "Statement with its literals replaced"),
        false => ("Group", "Value that all executions of the group share"),
    }
}

/// Name and meaning of a column of the list of groups.
pub fn column_of_runs(column: ComparedRunColumn, has_statements: bool) -> (&'static str, &'static str) {
    match column {
        ComparedRunColumn::Group => group_column(has_statements),
        ComparedRunColumn::Verdict => (
            "Durations",
            "Whether the durations differ by more than noise: rank test, corrected for the number of groups",
        ),
        ComparedRunColumn::Count => ("Executions", "Complete executions, base → new; sorted by difference"),
        ComparedRunColumn::Total => ("Total", "Total duration, base → new; sorted by new"),
        ComparedRunColumn::Difference => {
            ("Δ total", "Total duration, new minus base; sorted by absolute value")
        }
        ComparedRunColumn::P50 => ("p50", "Median duration, base → new; sorted by difference"),
        ComparedRunColumn::P95 => {
            ("p95", "95 % of the executions took at most this long, base → new; sorted by difference")
        }
        ComparedRunColumn::Change => (
            "Typical change",
            "Median of new ÷ base over all pairs of executions, with its 95 % confidence interval; + means slower",
        ),
        ComparedRunColumn::SelfTime => ("Δ self time", "Time not covered by nested spans, new minus base"),
        ComparedRunColumn::RowsRead => ("Δ rows read", "Rows read, new minus base"),
        ComparedRunColumn::RowsReturned => ("Δ rows returned", "Rows returned, new minus base"),
        ComparedRunColumn::Bytes => ("Δ bytes", "Bytes, new minus base"),
        ComparedRunColumn::Failed => ("Failed", "Failed executions, base → new; sorted by difference"),
    }
}

/// Formats a difference with its sign.
pub fn signed_by(value: i64, write: fn(i64) -> String) -> String {
    match value {
        0 => write(0),
        value if value < 0 => format!("−{}", write(value.saturating_neg())),
        value => format!("+{}", write(value)),
    }
}

/// Formats the values of both sides.
pub fn from_to(base: Option<i64>, new: Option<i64>, write: fn(i64) -> String) -> String {
    format!("{}{FROM_TO}{}", text::or_dash(base, write), text::or_dash(new, write))
}

pub fn percent_change(base: i64, new: i64) -> String {
    signed_percent(new as f64 / base as f64)
}

/// A ratio as a change in percent, as it is copied.
pub fn copied_percent(ratio: f64) -> String {
    format!("{:.4}", (ratio - 1.0) * 100.0)
}

/// A ratio as a change in percent.
fn signed_percent(ratio: f64) -> String {
    text::signed_percent(ratio - 1.0)
}

/// Typical change with its interval: in percent, or as a time where durations of 0 allow no ratio.
pub fn typical_change(change: &TypicalChange) -> String {
    match change.ratio {
        Some((median, low, high)) => {
            format!("{} ({} … {})", signed_percent(median), signed_percent(low), signed_percent(high))
        }
        None => {
            let (median, low, high) = change.shift;
            format!("{} ({} … {})", signed(median), signed(low), signed(high))
        }
    }
}

/// Typical change and its interval in percent, as they are copied, with tabs between them; empty where durations of 0 allow no ratio.
pub fn copied_change(change: &TypicalChange) -> String {
    let Some((median, low, high)) = change.ratio else { return String::new() };
    [median, low, high].map(copied_percent).join("\t")
}

/// Why the list of groups is empty. `no_groups` is the reason if neither a verdict nor a filter is chosen.
pub fn nothing(has_verdict: bool, is_filtered: bool, no_groups: &'static str) -> &'static str {
    match is_filtered {
        _ if has_verdict => NO_GROUP_WITH_VERDICT,
        true => NO_GROUPS_IN_FILTER,
        false => no_groups,
    }
}

/// Number of executions of a side, including those without a start or an end.
pub fn executions(side: &SideTotals) -> u64 {
    side.all.count + side.all.incomplete
}

/// States that no execution of these sides or runs passes the filter.
pub fn none_in_filter(sides: &[&str]) -> String {
    format!(
        "With this filter, {} {} no executions to group in this way. If the filter names a run or a time, remove that condition.",
        text::listed(sides, 5),
        if sides.len() == 1 { "has" } else { "have" }
    )
}

/// The verdict on the whole comparison, in one sentence or two.
pub fn verdict(base: &RunSelection, new: &RunSelection, page: &ComparedRuns) -> String {
    let (one, many) = if page.has_statements { ("statement", "statements") } else { ("group", "groups") };
    match (executions(&page.base), executions(&page.new)) {
        (0, 0) if page.is_filtered => return NO_GROUPS_IN_FILTER.to_owned(),
        (0, _) if page.is_filtered => return none_in_filter(&["base"]),
        (_, 0) if page.is_filtered => return none_in_filter(&["new"]),
        (0, 0) => return "Neither side has executions: choose other sides or another grouping.".to_owned(),
        (0, _) => return "Base has no executions: choose another run or time range as base.".to_owned(),
        (_, 0) => return "New has no executions: choose another run or time range as new.".to_owned(),
        _ => {}
    }
    if base == new {
        return "Base and new are the same executions: choose another run or time range as new.".to_owned();
    }
    let count = |verdict: DurationVerdict| u64::from(page.count(verdict));
    let (slower, faster) = (count(DurationVerdict::Slower), count(DurationVerdict::Faster));
    let (added, vanished) = (count(DurationVerdict::New), count(DurationVerdict::Vanished));
    let groups: u64 = page.verdicts.iter().map(|(_, count)| u64::from(*count)).sum();
    let common = groups - added - vanished;
    if common == 0 {
        let groups = |n: u64, side: &SideTotals| match side.has_statements {
            true => text::counted(n, "statement", "statements"),
            false => text::counted(n, "group", "groups"),
        };
        return format!(
            "Nothing in common: base has {}, new has {}.",
            groups(vanished, &page.base),
            groups(added, &page.new)
        );
    }
    let few = count(DurationVerdict::TooFew);
    let all = text::counted(common, one, many);
    let mut verdict = match (slower, faster) {
        _ if few == common => format!(
            "Too few executions for a test: {all} on both sides, none executed at least {} times on each.",
            ComparedRuns::FEWEST
        ),
        (0, 0) => format!("No {one} differs beyond noise ({} tested).", text::count((common - few) as i64)),
        (slower, 0) => {
            format!("{} of {all} {} slower, beyond noise.", text::count(slower as i64), be(slower))
        }
        (0, faster) => {
            format!("{} of {all} {} faster, beyond noise.", text::count(faster as i64), be(faster))
        }
        (slower, faster) => format!(
            "{} of {all} {} slower and {} faster, beyond noise.",
            text::count(slower as i64),
            be(slower),
            text::count(faster as i64)
        ),
    };
    if few > 0 && few < common {
        verdict += &format!(" {} had too few executions for a test.", text::count(few as i64));
    }
    if added > 0 {
        verdict += &format!(" {} only in new.", text::count(added as i64));
    }
    if vanished > 0 {
        verdict += &format!(" {} only in base.", text::count(vanished as i64));
    }
    if base.overlaps(new) {
        verdict += " Some executions are on both sides, which hides differences.";
    }
    verdict
}

fn be(n: u64) -> &'static str {
    if n == 1 { "is" } else { "are" }
}

/// The verdict on one group, in a sentence.
pub fn verdict_of_group(found: &ComparedRunGroup) -> String {
    let row = &found.row;
    let counts = [&row.base, &row.new].map(|side| side.as_ref().map_or(0, |side| side.count));
    let executions = format!(
        "{} in base, {} in new",
        text::counted(counts[0], "execution", "executions"),
        text::count(counts[1] as i64)
    );
    let typical = row.change.as_ref().map_or_else(String::new, |change| {
        format!("; typical change {}, 95 % interval", typical_change(change))
    });
    let p = found.p.map_or_else(String::new, |p| {
        let shown = if p < 0.0001 { "< 0.0001".to_owned() } else { format!("= {p:.4}") };
        format!("; p {shown} after correction")
    });
    match row.verdict {
        DurationVerdict::Slower => format!("Slower beyond noise: {executions}{typical}{p}."),
        DurationVerdict::Faster => format!("Faster beyond noise: {executions}{typical}{p}."),
        DurationVerdict::NoDifference => {
            format!("No difference shown, which does not mean that there is none: {executions}{typical}{p}.")
        }
        DurationVerdict::TooFew => {
            format!(
                "Too few executions to tell: {executions}, at least {} are needed on each side.",
                ComparedRuns::FEWEST
            )
        }
        DurationVerdict::New => format!("Only in new: {executions}."),
        DurationVerdict::Vanished => format!("Only in base: {executions}."),
    }
}

/// A verdict and the number of groups that have it.
pub fn counted_verdict(verdict: DurationVerdict, count: u32) -> String {
    format!("{} {}", text::count(count.into()), verdict.name())
}

pub fn bar(bar: &ComparedBar) -> String {
    format!(
        "{}: {} of base, {} of new",
        super::statements::between(bar.from, bar.until),
        text::count(bar.base.into()),
        text::count(bar.new.into())
    )
}

pub fn key(side: &str, name: &str) -> String {
    format!("{side}: {name}")
}

pub fn example(name: &str, duration: i64) -> String {
    format!("{name} ({})", text::duration(duration))
}
