//! Columns of the page's tables of trends, with what their values mean.

use super::{CHANGES, measured};
use crate::compare::{LARGEST, MeasureUnit, RunMeasure};
use crate::protocol::{TrendColumn, TrendColumnKind};

/// Names of the percentiles of durations, with their meanings.
const PERCENTILES: [(&str, &str); 3] = [
    ("p50", "Half of the executions took at most this long."),
    ("p95", "95 % of the executions took at most this long."),
    ("p99", "99 % of the executions took at most this long."),
];

fn column(name: &str, kind: TrendColumnKind, meaning: &str) -> TrendColumn {
    TrendColumn { name: name.to_owned(), group: String::new(), meaning: meaning.to_owned(), kind }
}

fn text(name: &str, meaning: &str) -> TrendColumn {
    column(name, TrendColumnKind::Text, meaning)
}

fn number(name: &str, meaning: &str) -> TrendColumn {
    column(name, TrendColumnKind::Number, meaning)
}

fn kind_of(measure: RunMeasure) -> TrendColumnKind {
    match measure.unit() {
        MeasureUnit::Nanoseconds => TrendColumnKind::Time,
        MeasureUnit::Bytes => TrendColumnKind::Bytes,
        MeasureUnit::Number => TrendColumnKind::Number,
    }
}

/// The percentiles below a heading that says what they are of.
fn percentiles(group: &str) -> [TrendColumn; 3] {
    PERCENTILES.map(|(name, meaning)| TrendColumn {
        group: group.to_owned(),
        ..column(name, TrendColumnKind::Time, meaning)
    })
}

/// Columns of the list of groups. `own` is a measure with a column of its own.
pub(super) fn group_columns(
    measure: RunMeasure,
    group_title: &str,
    own: Option<RunMeasure>,
) -> Vec<TrendColumn> {
    let trend = format!("In each run: {}. Dashed lines are changes.", measured(measure));
    let mut columns = vec![
        text(group_title, "A click shows the runs of the group."),
        column("Trend", TrendColumnKind::Chart, &trend),
        text(
            "Last change",
            "Typical difference between the runs before and after the last change that is larger than noise, and the first run after it.",
        ),
        column(
            "Cost per run",
            kind_of(measure),
            "Time, bytes or number that the last change adds to each run: the difference of the medians before and after it; for p50 and \
             mean, times the executions of the last run. None for p95, p99 and maximum, which describe the slowest executions only.",
        ),
    ];
    columns.extend(own.map(|own| {
        let meaning = format!("In the last run: {}.", measured(own));
        column(&capitalized(measured(own)), kind_of(own), &meaning)
    }));
    columns.extend(percentiles("Duration in the last run"));
    columns.extend([
        number("Executions", "Complete executions in the runs that have a value."),
        number("Errors", "Failed executions in these runs, including incomplete ones."),
        number("Runs", &format!("Runs in which the group is one of the {LARGEST} with the most total time.")),
    ]);
    columns
}

/// Columns of the changes of a group.
pub(super) fn change_columns() -> Vec<TrendColumn> {
    let column = |title: &str| match title {
        "change" => text("Change", "Direction of the change."),
        "from run" => text("From run", "First run after the change; a click opens its trace."),
        "version" => text("Version", "Version of the engine in that run; old → new if it changed."),
        "median of runs" => {
            text("Median of runs", "Median of the values of the runs, before → after the change.")
        }
        "of executions" => text(
            "Typical change of executions (95 % interval)",
            "Median of the differences between the durations of sampled executions before and after the change.",
        ),
        "p" => text("p", "Probability of such a change by chance, corrected for the number of groups."),
        "runs" => {
            text("Runs before + after", "Number of runs since the change before + until the next change.")
        }
        "slowest execution" => {
            text("Slowest execution", "Slowest execution of that run; a click shows it in its trace.")
        }
        title => text(
            &capitalized(title),
            "Median of the differences between the values of the runs before and after the change.",
        ),
    };
    CHANGES.map(column).to_vec()
}

/// Columns of the runs of a group. `own` is a measure with a column of its own.
pub(super) fn run_columns(own: Option<RunMeasure>) -> Vec<TrendColumn> {
    let mut columns = vec![
        text("Run", "Name of the trace and of the run; a click opens the trace."),
        text(
            "Start date",
            "Date on which the run started, by its clock; if the clock shows no dates, the day of the trace.",
        ),
        text("Version", "Version of the engine."),
        number("Executions", "Complete executions of the group in the run."),
        number("Errors", "Failed executions of the group in the run, including incomplete ones."),
    ];
    columns.extend(own.map(|own| {
        let meaning = format!("In the run: {}.", measured(own));
        column(&capitalized(measured(own)), kind_of(own), &meaning)
    }));
    columns.extend(percentiles("Duration"));
    columns.push(column(
        "Slowest execution",
        TrendColumnKind::Time,
        "Duration of the slowest execution; a click shows it in its trace.",
    ));
    columns
}

/// A column title with a capital first letter, as the page writes it.
fn capitalized(title: &str) -> String {
    let mut rest = title.chars();
    rest.next().map_or_else(String::new, |first| first.to_uppercase().chain(rest).collect())
}
