//! Texts about critical paths.

use queryscope::internal::text;
use queryscope::protocol::{CriticalPath, PathRest, PathRestKind, PathRule, ShapePath};

use crate::state::Notice;

use super::common::share;

pub const ALL_STEPS: &str = "All steps";
pub const ALL_STEPS_MEANING: &str = "Show the whole critical path, what would be saved, and slack";
pub const BY_NAME: &str = "Critical path by name";
pub const CRITICAL_PATH: &str = "Critical path";
pub const LENGTH_MEANING: &str = "Time in the spans of the critical path, and its share of the wall time";
pub const LIMITED_BY_MEANING: &str =
    "Span that the critical path would then run through: shorten it as well to save more";
pub const NOT_COMPUTED: &str = "Not computed: too many spans";
pub const NO_CRITICAL_PATH: &str = "No span with a duration, so no critical path.";
/// Explains spans off the path whose slack is 0.
const NO_SLACK: &str =
    " Spans with slack 0 decide the end as much as those on the path, which has only one span at a time.";
pub const OFF_THE_PATH: &str = "Spans off the path";
pub const ON_PATHS: &str = "On the critical paths";
pub const SHOW_LONGEST: &str = "Select its longest span on the path";
pub const LIST_EXECUTIONS: &str = "List the executions with this step on their critical path";
pub const SHOW_LONGEST_SPAN: &str = "Show its longest span in the Gantt view";
pub const SHOW_MARKS: &str = "Mark the critical path of the selection in the timeline (X)";
pub const SLACK_MEANING: &str = "How much longer the span could have taken without delaying the end";
pub const STEPS_MEANING: &str = "Parts of the path in chronological order.";

/// Names of the columns.
pub mod column {
    pub const DURATION: &str = "Duration";
    pub const EXECUTIONS: &str = "Executions";
    pub const GAP_BEFORE: &str = "Gap before";
    pub const IF_FREE: &str = "If free";
    pub const INPUT: &str = "Input";
    pub const KIND: &str = "Kind";
    pub const LIMITED_BY: &str = "Limited by";
    pub const MEAN: &str = "Mean";
    pub const MEAN_MEANING: &str = "Mean time on the path, over the executions that have the step on it";
    pub const MOST: &str = "Maximum";
    pub const MOST_MEANING: &str = "Longest time on the path of one execution";
    pub const NAME: &str = "Name";
    pub const PARTS: &str = "Parts";
    pub const SHARE_OF_PATH: &str = "Share of the path";
    pub const SHARE_OF_WALL: &str = "Share of the wall time";
    pub const SLACK: &str = "Slack";
    pub const SPAN: &str = "Span";
    pub const START: &str = "Start";
    pub const STEP: &str = "Step";
    const THREAD: &str = "Thread";
    pub const TIME: &str = "Time";
    pub const TIME_ON_PATH: &str = "Time on the path";
    const TRACK: &str = "Track";

    /// Name of the column of tracks, which are threads in some traces.
    pub fn track(on_threads: bool) -> &'static str {
        if on_threads { THREAD } else { TRACK }
    }
}

/// Message when the critical path is to be marked and nothing is selected.
pub fn nothing_selected() -> Notice {
    let (title, text) = ("Nothing selected.", "Select a query or span, and its critical path is marked.");
    Notice { title: title.to_owned(), text: text.to_owned(), recovery: None }
}

/// Name of a row for time of the path in no listed name.
pub fn rest(kind: PathRestKind) -> &'static str {
    match kind {
        PathRestKind::OtherNames => "Other names",
        PathRestKind::Waiting => "Waiting",
        PathRestKind::OffPath => "Off the path",
        PathRestKind::NoSpan => "No span",
    }
}

pub fn rest_meaning(kind: PathRestKind) -> &'static str {
    match kind {
        PathRestKind::OtherNames => "In spans of names that are not listed. Show the longest period",
        PathRestKind::Waiting => {
            "From the end of a span to the start of the next one, which needs its result. Show the longest period"
        }
        PathRestKind::OffPath => "Spans ran, but none of the path. Show the longest period",
        PathRestKind::NoSpan => "Nothing ran. Show the longest period",
    }
}

/// How a path was found, in one sentence.
pub fn rule(rule: PathRule) -> &'static str {
    match rule {
        PathRule::Dependencies => "The longest chain of spans that each need a result of the previous one.",
        PathRule::Arrows => {
            "Followed backwards from the end through the innermost spans of a thread; where the thread was idle, along the arrow that woke it."
        }
        PathRule::Nesting => {
            "Backwards from the end, always into the nested span that ended last; the time in between is self time."
        }
        PathRule::NestingAndLocks => {
            "Backwards from the end, always into the nested span that ended last; a wait for a lock goes on in the span that holds it."
        }
    }
}

/// Explains what is unusual in a path: parts of a path by nesting that are only in time ranges, and much time off a path by
/// dependencies; empty for other paths.
pub fn about_parts(path: &CriticalPath) -> &'static str {
    let wall = path.end.saturating_sub(path.start);
    let is_long = |rest: &PathRest| rest.kind == PathRestKind::OffPath && rest.time > wall / 2;
    match path.rule {
        PathRule::Dependencies if path.path_rest.iter().any(is_long) => {
            " Most of the time is off the path: spans there may have to run one after the other although no arrow says so."
        }
        PathRule::Nesting | PathRule::NestingAndLocks if path.item.is_none() => {
            " Until the next outermost span starts, it is in one that runs on, whose time there is not part of “If free”."
        }
        _ => "",
    }
}

/// States for how many names the savings were computed; empty if for all.
pub fn about_saved(path: &CriticalPath) -> String {
    let known = path.path_names.iter().filter(|name| name.saved.is_some()).count();
    match known {
        n if n == path.path_names.len() => String::new(),
        0 => "What would be saved is not computed: too many spans.".to_owned(),
        n => format!(
            "What would be saved is computed for the first {}.",
            text::counted(n as u64, "name", "names")
        ),
    }
}

pub fn if_free_meaning(rule: PathRule) -> &'static str {
    match rule {
        PathRule::Dependencies => {
            "How much shorter the longest chain, this or another, would be if these spans had no self time, and its share of the wall time"
        }
        _ => {
            "How much sooner the end would be if these spans had no self time and all other work took as long as before, and its share of the wall time; other branches may become critical"
        }
    }
}

/// The time that would be saved, and its share of the wall time.
pub fn saved(saved: i64, wall: i64) -> String {
    if saved <= 0 {
        return text::duration(0);
    }
    format!("−{} ({})", text::duration(saved), share(saved, wall))
}

pub fn part_of_path(listed: usize, left_out: usize) -> String {
    format!(" The first {}; {} more.", text::count(listed as i64), text::count(left_out as i64))
}

pub fn length(path: &CriticalPath) -> String {
    match path.n_path {
        0 => text::NOT_REPORTED.to_owned(),
        _ => {
            let wall = path.end.saturating_sub(path.start);
            format!("{} ({})", text::duration(path.path_time), share(path.path_time, wall))
        }
    }
}

pub fn about_slack(path: &CriticalPath) -> String {
    let hidden = (path.n_slack as usize).saturating_sub(path.slack.len());
    let more = match hidden {
        0 => String::new(),
        _ => format!(" {} more are not listed.", text::count(hidden as i64)),
    };
    // The spans are in ascending order of their slack.
    let none = path.slack.first().is_some_and(|off| off.slack == 0);
    let ties = if none { NO_SLACK } else { "" };
    format!("Spans next to the path, the closest to being critical first.{ties}{more}")
}

/// The share of a path, next to the name of a step.
pub fn step_share(time: i64, whole: i64) -> String {
    format!("{} · {}", text::duration(time), share(time, whole))
}

pub fn more_steps(n: usize) -> String {
    text::counted(n as u64, "more name", "more names")
}

pub fn unmarked(parts: u32) -> String {
    format!("{} without a mark", text::counted(parts.into(), "shorter part", "shorter parts"))
}

/// In how many of the executions a step was on the path.
pub fn of_executions(of: u32, all: u32) -> String {
    format!("{} of {}", text::count(of.into()), text::count(all.into()))
}

pub fn about_shape(path: &ShapePath) -> String {
    let executions = text::counted(path.executions.into(), "complete execution", "complete executions");
    let left_out = match path.left_out {
        0 => String::new(),
        n => format!(" {} more were left out.", text::count(n.into())),
    };
    let hidden = (path.n_steps as usize).saturating_sub(path.steps.len());
    let more = match hidden {
        0 => String::new(),
        n => format!(" {} are not listed.", text::counted(n as u64, "step", "steps")),
    };
    let other = match path.other_rules {
        0 => String::new(),
        n => format!(
            " In {} the path was found by another rule.",
            text::counted(n.into(), "execution", "executions")
        ),
    };
    format!("{executions}.{left_out}{more} {}{other}", rule(path.rule))
}

/// Heading of the path in the details of `item`. If the path is of a span around the item, the heading names this span.
pub fn of(path: &CriticalPath, item: Option<u32>) -> String {
    match path.item == item || path.title.is_empty() {
        true => CRITICAL_PATH.to_owned(),
        false => format!("{CRITICAL_PATH} of {}", text::shortened(&path.title, 40)),
    }
}
