//! Texts of the statements tab: statement shapes, and slices of traces without statements.

use queryscope::internal::text;
use queryscope::protocol::{DurationBar, ShapeColumn, ShapePage, ShapeRow};

pub const ALL_STATEMENTS: &str = "All statements";
pub const ALL_SLICES: &str = "All slices";
pub const ALL_DURATIONS: &str = "All durations";
pub const COMPARE: &str = "Compare";
pub const COMPARE_MEANING: &str = "Compare this execution with the typical one, step by step";
pub const COUNT: &str = "Count";
pub const DISTRIBUTION: &str = "Distribution of durations";
pub const EXECUTIONS: &str = "Executions";
pub const EXECUTION: &str = "Execution";
pub const NO_COMPLETE: &str = "None of these executions has both its start and its end in the trace.";
pub const NO_LONGER: &str = "The statement in the link does not exist in this trace.";
pub const WHAT: &str = "executions";
pub const WHAT_OF_DURATIONS: &str = "executions of these durations";
pub const NOT_COMPLETE: &str = "No complete execution";
pub const OUTCOME: &str = "Outcome";
pub const BY_DURATION: &str = "Durations";
pub const LIST_BY_START: &str = "List by start";
pub const LIST_BY_START_MEANING: &str = "Sort the executions below by start and move the focus to them";
pub const OVER_TIME: &str = "Executions over time";
pub const DOTS_MEANING: &str = "Each dot is one or more executions; more opaque dots stand for more executions. Click a dot to show its longest execution in the Gantt view.";
pub const REGION: &str = "Statements by shape";
pub const REGION_OF_SLICES: &str = "Slices by name";
pub const RUN: &str = "Run";
pub const SHOW_EXECUTIONS: &str = "List the executions";
pub const SHOW_FAILED: &str = "List the failed executions";
pub const SHOW_LONGEST: &str = "Show the longest execution in the timeline";
pub const SHOW_SLOWER: &str = "List the executions that took at least this long";
pub const SLICES: &str = "Slices";
pub const START: &str = "Start";
pub const STARTS: &str = "Over time";
pub const STATEMENTS: &str = "Statements";
pub const TIMES_MEDIAN: &str = "× median";
pub const TIMES_MEDIAN_MEANING: &str = "Duration divided by the median of this shape";
pub const DURATION: &str = "Duration";

/// Name and meaning of a column.
pub fn column(column: ShapeColumn, is_of_slices: bool) -> (&'static str, &'static str) {
    match column {
        ShapeColumn::Shape if is_of_slices => ("Slice", "Name and category"),
        ShapeColumn::Shape => {
            ("Statement", "Statement with its literals replaced, or the digest of the server")
        }
        ShapeColumn::Count => ("Count", "Number of executions"),
        ShapeColumn::Total => ("Total", "Total duration of all complete executions"),
        ShapeColumn::Mean => ("Mean", "Mean duration"),
        ShapeColumn::P50 => ("p50", "Median: half of the executions took at most this long"),
        ShapeColumn::P95 => ("p95", "95 % of the executions took at most this long"),
        ShapeColumn::P99 => ("p99", "99 % of the executions took at most this long"),
        ShapeColumn::Max => ("Max", "Longest duration"),
        ShapeColumn::SelfTime => ("Self time", "Time not covered by nested spans"),
        ShapeColumn::Rows => ("Rows", "Total number of rows returned"),
        ShapeColumn::Bytes if is_of_slices => ("Bytes", "Total number of bytes"),
        ShapeColumn::Bytes => ("Bytes", "Bytes of buffers, files and results inside the executions"),
        ShapeColumn::Failed => ("Failed", "Number of failed executions"),
    }
}

pub fn summary(page: &ShapePage) -> String {
    let (one, many) = if page.is_of_slices { ("name", "names") } else { ("shape", "shapes") };
    format!(
        "{}, {}, {} in total.",
        text::counted(u64::from(page.total), one, many),
        text::counted(page.executions, "execution", "executions"),
        text::duration(page.time)
    )
}

/// Number of executions of a row, with the number of incomplete executions.
pub fn count(row: &ShapeRow) -> String {
    let executions = text::counted(u64::from(row.count), "execution", "executions");
    let of_them = match (row.count, row.unfinished) {
        (_, 0) => return executions,
        (1, _) => String::new(),
        (_, unfinished) => format!("{} of them ", text::count(unfinished.into())),
    };
    format!("{executions}, {of_them}without start or end in the trace, excluded from all durations")
}

/// One line of numbers above the distribution of a shape.
pub fn numbers(row: &ShapeRow) -> String {
    let Some(times) = row.times else { return count(row) };
    format!(
        "{}. Total {}, self {}, mean {}, p50 {}, p95 {}, p99 {}, max {}.",
        count(row),
        text::duration(row.total),
        text::duration(row.self_time),
        text::duration(times.mean),
        text::duration(times.p50),
        text::duration(times.p95),
        text::duration(times.p99),
        text::duration(times.max)
    )
}

pub fn bar(bar: &DurationBar) -> String {
    let failed = match bar.failed {
        0 => String::new(),
        failed => format!(", {} failed", text::count(failed.into())),
    };
    format!(
        "{}: {}{failed}",
        between(bar.from, bar.until),
        text::counted(bar.count.into(), "execution", "executions")
    )
}

pub fn between(from: i64, until: i64) -> String {
    let (from, longest) = (text::duration(from), text::duration(until.saturating_sub(1)));
    if from == longest { from } else { format!("{from} to {longest}") }
}

pub fn executions_between((from, until): (i64, i64)) -> String {
    format!("Executions of {}", between(from, until))
}

/// Tooltip of a row's small histogram of durations: ends of the axis (in nanoseconds), number of bins, and the highest count of a bin.
pub fn by_duration(counts: &[u32], (low, high): (i64, i64)) -> String {
    let most = counts.iter().copied().max().unwrap_or(0);
    format!(
        "Number of executions by duration, from {} to {} on a logarithmic axis that all rows share; {} bins, at most {} in one",
        text::duration(low),
        text::duration(high),
        counts.len(),
        text::counted(most.into(), "execution", "executions")
    )
}

/// Tooltip of a row's small histogram of starts: number of bins, and the highest count of a bin.
pub fn over_time(counts: &[u32]) -> String {
    let most = counts.iter().copied().max().unwrap_or(0);
    let most = text::counted(most.into(), "execution", "executions");
    format!("Starts over time; {} bins, at most {most} in one", counts.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn incomplete_executions_are_counted() {
        let rest = "without start or end in the trace, excluded from all durations";
        for (executions, unfinished, expected) in [
            (1, 0, "1 execution".to_owned()),
            (1, 1, format!("1 execution, {rest}")),
            (3, 1, format!("3 executions, 1 of them {rest}")),
        ] {
            assert_eq!(count(&ShapeRow { count: executions, unfinished, ..ShapeRow::default() }), expected);
        }
    }

    #[wasm_bindgen_test]
    fn equal_ends_are_written_once() {
        for ((from, until), expected) in [((5, 6), "5 ns"), ((5, 8), "5 ns to 7 ns")] {
            assert_eq!(between(from, until), expected);
        }
    }
}
