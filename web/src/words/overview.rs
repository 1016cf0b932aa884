//! Texts of the overview: runs, findings, busiest threads, charts.

use queryscope::internal::text;
use queryscope::protocol::{BusyThreads, FindingShare, FindingThreshold};

use super::common::count;
use crate::state::{TimeDimension, TimeMeasure};

pub const ALL_COMPLETED: &str = "Durations: completed queries only.";
pub const ALL_COMPLETED_AND_ROWS: &str =
    "Durations: completed queries only. Rows: completed source executions only.";
pub const BUSIEST_THREADS: &str = "Busiest threads";
pub const BUSY: &str = "Busy";
pub const BUSY_AND_WAITING: &str = "Busy and waiting";
pub const BY: &str = "by";
pub const COPY_FINDINGS: &str = "Copy as Markdown";
pub const FINDINGS: &str = "Findings";
pub const FINDINGS_MEANING: &str = "All findings by rule. Select one to show it in the timeline.";
pub const INCLUSIVE_TIME: &str = "Inclusive time";
pub const LONGEST: &str = "Longest";
pub const MANY_FINDINGS: &str = "findings";
pub const MARKDOWN_HEAD: &str = "| Rule | Findings | Share | Summary |\n| --- | ---: | --- | --- |\n";
pub const MEASURE: &str = "Measure";
pub const NAME: &str = "Name";
pub const WHAT: &str = "values of this measure";
pub const NO_COMPLETED_QUERY: &str = "No completed query";
pub const ONE_FINDING: &str = "finding";
pub const ONE_RUN_WITH_NOTES: &str = "run with notes";
pub const OVERVIEW: &str = "Overview";
pub const NOTHING_OVER_TIME: &str =
    "Nothing to chart: no query or buffer event with a size is in the time range and matches the filter.";
pub const OVER_TIME: &str = "Over time";
pub const OVER_TIME_MEANING: &str = "Each run starts at its own first event. Drag across a chart, or press Enter at both ends, to select a time range.";
pub const REPORT: &str = "Report";
pub const RESET: &str = "Reset to defaults";
pub const RUN: &str = "Run";
pub const RUNNING: &str = "running";
pub const RUNS: &str = "Runs";
pub const RUNS_WITH_NOTES: &str = "runs with notes";
pub const SELF_TIME: &str = "Self time";
pub const SHARE: &str = "Share";
pub const SHOW: &str = "Show";
pub const SHOW_LONGEST: &str = "Show the longest query in the timeline";
pub const SHOW_REPORT: &str = "Show the import report";
pub const SHOW_RUN: &str = "Show this time in the Gantt view";
pub const SHOW_SHORTEST: &str = "Show the shortest query in the timeline";
pub const SPANS: &str = "Spans";
pub const SPANS_AND_EVENTS: &str = "Spans, events";
pub const THREAD: &str = "Thread";
pub const THRESHOLDS: &str = "Thresholds";
pub const TIME_BAR: &str = "Shares of the rows of the table";
pub const TIME_BY_NAME: &str = "Time by name";
pub const TOP_SPANS: &str = "Top spans";
pub const WAITING: &str = "Waiting";
pub const WHERE_THE_TIME_WENT: &str = "Where the time went";
pub const WHOLE_RUNS: &str = " The table shows whole runs: the time range and the filter do not apply.";
pub const WITHOUT_IDLE: &str = "Idle time is left out.";
pub const WORTH_INVESTIGATING: &str = "Worth investigating";

pub mod chart {
    //! Titles of the charts, and names of their marks.

    pub const BUFFER_BYTES: &str = "Buffer bytes";
    pub const LIST_QUERIES: &str = "Click a bar to list its queries";
    pub const QUERY_DURATION: &str = "Query duration";
    pub const RUNNING_QUERIES: &str = "Running queries";
    pub const SELECTED: &str = "selected";
    pub const VISIBLE: &str = "shown in the timeline";
}

pub mod column {
    //! Columns of the table of runs.

    pub const AVERAGE: &str = "Average";
    pub const BUFFER_BYTES: &str = "Buffer bytes";
    pub const BUFFER_ELEMENTS: &str = "Buffer elements";
    pub const BUFFER_EVENTS: &str = "Buffer events";
    pub const EVENTS: &str = "Events";
    pub const FAILED: &str = "Failed";
    pub const MAX: &str = "Max";
    pub const MIN: &str = "Min";
    pub const QUERIES: &str = "Queries";
    pub const ROWS_READ: &str = "Rows read";
    pub const ROWS_RETURNED: &str = "Rows returned";
    pub const SOURCE_EXECUTIONS: &str = "Source executions";
    pub const TOTAL: &str = "Total";
    pub const UNFINISHED: &str = "Unfinished";
    pub const WALL_TIME: &str = "Wall time";
}

/// Label of a chart for screen readers: its name and values.
pub fn chart_label(title: &str, values: &str) -> String {
    format!("{title}: {values}")
}

/// Label of a chart's slider: the chart's name, and how to select a time range, or to list the queries of a bar, by keys.
pub fn chart_slider(title: &str, selects: bool) -> String {
    match selects {
        true => format!("{title}. Press Enter to start a time range, and Enter again to select it"),
        false => format!("{title}. Press Enter to list the queries of the bar"),
    }
}

/// Returns the percentiles and the maximum, each with its name.
pub fn percentiles(values: [i64; 4]) -> [(&'static str, i64); 4] {
    let [median, p90, p99, max] = values;
    [("p50", median), ("p90", p90), ("p99", p99), ("max", max)]
}

pub fn all_percentiles(values: [i64; 4]) -> String {
    let named = percentiles(values).map(|(name, ns)| named(name, &text::duration(ns)));
    named.join(", ")
}

pub fn median_and_p99(median: i64, p99: i64) -> String {
    format!("p50 {}, p99 {}", text::duration(median), text::duration(p99))
}

pub fn named(name: &str, value: &str) -> String {
    format!("{name} {value}")
}

pub fn max(n: u32) -> String {
    format!("max {}", text::count(n.into()))
}

pub fn max_running(n: u32) -> String {
    format!("max {} running", text::count(n.into()))
}

pub fn queries(n: u32) -> String {
    text::counted(n.into(), "query", "queries")
}

pub fn durations(from: i64, to: i64) -> String {
    format!("{} … {}", text::duration(from), text::duration(to))
}

pub fn from(ns: i64) -> String {
    format!("from {}", super::common::since_start(ns))
}

/// Number of queries that the histogram of durations leaves out.
pub fn left_out(n: u32) -> String {
    format!("{} without start or end left out", queries(n))
}

/// Tooltip of a percentile of durations.
pub fn show_slower(ns: i64) -> String {
    format!("{}: list the queries that took at least this long", text::duration_exact(ns))
}

pub fn runs_not_shown(n: u32) -> String {
    format!("{} not shown", text::counted(n.into(), "more run", "more runs"))
}

pub fn range_with_length(start: i64, end: i64) -> String {
    let length = end.saturating_sub(start);
    format!("{} ({})", super::common::time_range(start, end), text::duration(length))
}

pub fn about_threads(view: &BusyThreads) -> String {
    let left_out = (view.n_threads as usize).saturating_sub(view.threads.len());
    let more = match left_out {
        0 => String::new(),
        _ => format!(" {} less busy threads are not shown.", text::count(left_out as i64)),
    };
    format!(
        "Threads sorted by busy time: CPU time where it is recorded, else the time in spans. Waits and idle event loops are not busy time.{more}"
    )
}

pub fn about_names(view: &BusyThreads) -> &'static str {
    match view.threads.is_empty() {
        true => "Sorted by self time. Select a name to find its spans.",
        false => "Busy time of all threads, without nested spans. Select a name to find its spans.",
    }
}

pub fn show_busy_period(thread: &str) -> String {
    format!("{thread}: show its longest busy period in the Gantt view")
}

pub fn name_and_time(name: &str, ns: i64) -> String {
    format!("{name} ({})", text::duration(ns))
}

pub fn find(name: &str) -> String {
    format!("Find {name}")
}

pub fn note_of_run(run: &str, about: &str) -> String {
    format!("{run}: {about}")
}

/// Stands in place of [`worth_meaning`] while rules are still checked.
pub fn worth_so_far(rules_left: u32) -> String {
    format!("Checking… {} left.", text::counted(rules_left.into(), "rule", "rules"))
}

/// Sentence below the heading of the most important findings.
pub fn worth_meaning(shown: usize, all: usize, is_filtered: bool, is_range: bool) -> String {
    match all {
        0 if is_range && is_filtered => "No findings match the filter in this time range.".to_owned(),
        0 if is_range => "No rule found a problem in this time range.".to_owned(),
        0 if is_filtered => "No findings match the filter.".to_owned(),
        0 => "No rule found a problem. Lower the thresholds of the findings for a stricter check.".to_owned(),
        _ if shown < all => {
            format!("{shown} of {all} rules with findings: those with the largest share of the total.")
        }
        _ => "Sorted by the affected share of the total.".to_owned(),
    }
}

/// Label of the button to all findings of a rule.
pub fn all_findings(n: &str) -> String {
    format!("All {n}")
}

/// Accessible name of the button that shows the worst finding in the timeline.
pub fn show(what: &str, title: &str) -> String {
    format!("{what}: {title}")
}

pub fn share(share: &FindingShare) -> String {
    format!("{} of {}", super::common::share(share.part, share.whole), share.of)
}

pub fn part_of(part: &str, whole: &str) -> String {
    format!("{part} of {whole}")
}

/// Label of a threshold's field.
pub fn threshold(threshold: &FindingThreshold) -> String {
    format!("{}: {}", threshold.rule, threshold.label)
}

/// Note next to the thresholds: the number of those that are changed, and of those whose field has no valid value.
pub fn changed(n: usize, wrong: usize) -> String {
    match n {
        _ if wrong > 0 => format!("{wrong} with an invalid value, whose default is used; {n} changed."),
        0 => "All thresholds have their default values.".to_owned(),
        n => format!("{n} changed."),
    }
}

pub fn dimension(by: TimeDimension) -> &'static str {
    match by {
        TimeDimension::Kind => "Kind",
        TimeDimension::Connector => "Connector",
        TimeDimension::Datasource => "Datasource",
        TimeDimension::Statement => "Statement",
        TimeDimension::Name => "Name",
        TimeDimension::Thread => "Thread",
    }
}

/// Name of the column of a measure. By statement or source, it is the sum of the self times of the span and all nested ones. `rows`: as in
/// [`measure`].
pub fn measure_by(by: TimeDimension, of: TimeMeasure, rows: Option<&str>) -> &'static str {
    let has_nested =
        matches!(by, TimeDimension::Statement | TimeDimension::Connector | TimeDimension::Datasource);
    match of {
        TimeMeasure::SelfTime if has_nested => "Self time, all levels",
        _ => measure(of, rows),
    }
}

/// Name of a measure. `rows`: the attribute that [`TimeMeasure::Rows`] sums.
pub fn measure(measure: TimeMeasure, rows: Option<&str>) -> &'static str {
    match measure {
        TimeMeasure::SelfTime => "Self time",
        TimeMeasure::Total => "Total time",
        TimeMeasure::Rows if rows == Some("rows read") => column::ROWS_READ,
        TimeMeasure::Rows => "Rows",
        TimeMeasure::Bytes => "Bytes",
        TimeMeasure::Waits => "Waits",
    }
}

/// Tooltip of a number in the table of runs: whether a click shows queries or another tab, and the filter that it sets.
pub fn show_counted(is_of_queries: bool, filter: &str) -> String {
    let what = if is_of_queries { "Show the queries" } else { "Show in another tab" };
    match filter {
        "" => what.to_owned(),
        filter => format!("{what} ({filter})"),
    }
}

/// Label of the spans that have no value of a dimension.
pub fn without(by: TimeDimension) -> &'static str {
    match by {
        TimeDimension::Statement => "outside statements",
        TimeDimension::Connector | TimeDimension::Datasource => "outside sources",
        TimeDimension::Thread => "outside threads",
        TimeDimension::Kind | TimeDimension::Name => text::NOT_REPORTED,
    }
}

pub fn others(n: u64) -> String {
    format!("others ({})", count(n))
}

/// Tooltip of a part of the bar.
pub fn part(label: &str, share: f64) -> String {
    format!("{label}: {}", text::percent(share))
}

pub fn show_spans(label: &str) -> String {
    format!("{label}: show its spans in the pivot table")
}
