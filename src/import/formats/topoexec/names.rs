//! Event names, and the properties that follow from a name.

use super::store::RunBoundary;

/// Part of an interval that an event records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TopoExecEventExtent {
    /// A whole interval, recorded when it was over.
    Whole,
    /// The beginning of an interval, recorded just after its start.
    Begin,
    /// The end of an interval, recorded just after it.
    End,
    /// A point in time, without an interval.
    Point,
}

/// Intervals with three events each (beginning, whole, end), outermost first. A fixed-rate tick has the same times as its
/// iteration, so the order of nesting is fixed by this list.
pub const INTERVALS: [&str; 5] =
    ["scheduler_iteration", "fixed_rate_tick", "loop_iteration", "thread_pool_batch", "component_execute"];

/// Position of component executions in [`INTERVALS`]. Of all kinds of intervals, only executions run concurrently.
pub const EXECUTE: u8 = 4;

/// Returns the part of an interval that the event records, and the position of the interval in [`INTERVALS`].
pub fn part(name: &str) -> (TopoExecEventExtent, Option<u8>) {
    let of = |base: &str| INTERVALS.iter().position(|known| *known == base).map(|at| at as u8);
    let suffixes = [
        ("_begin", TopoExecEventExtent::Begin),
        ("_end", TopoExecEventExtent::End),
        ("", TopoExecEventExtent::Whole),
    ];
    let found = suffixes.into_iter().find_map(|(suffix, part)| Some((part, of(name.strip_suffix(suffix)?)?)));
    found.map_or((TopoExecEventExtent::Point, None), |(part, rank)| (part, Some(rank)))
}

/// Returns the phase of an event by its name. This is the runtime's own rule, for traces without phases.
pub fn phase(name: &str) -> &'static str {
    let starts = |prefix: &str| name.starts_with(prefix);
    match name {
        "state_commit" | "async_admission" | "async_reject" | "async_drop" => "channel",
        "thread_pool_batch" => "scheduler",
        "health_event" => "health",
        _ if starts("component_") => "component",
        _ if starts("channel_") => "channel",
        _ if starts("scheduler_") || starts("fixed_rate_") => "scheduler",
        _ if starts("loop_") => "loop",
        _ if starts("config_transaction_") => "config",
        _ => "runtime",
    }
}

/// Whether an event with this name is a failure regardless of its attributes.
pub fn is_failure(name: &str) -> bool {
    let failures = [
        "fixed_rate_overrun",
        "component_timeout_budget_exceeded",
        "config_transaction_rollback",
        "loop_error",
        "loop_budget_overrun",
        "component_error",
        "runtime_error",
    ];
    failures.contains(&name) || name.starts_with("async_") && name != "async_admission"
}

/// Whether an attribute reports a failure.
pub fn says_failure(key: &str, value: &str) -> bool {
    matches!((key, value), ("status", "error" | "type_mismatch") | ("accepted", "false"))
        || key == "kind" && value != "backpressure_high_watermark" && HEALTH.contains(&value)
}

/// Kinds of health events.
const HEALTH: [&str; 6] = [
    "channel_overflow",
    "channel_stale_drop",
    "channel_deadline_miss",
    "backpressure_high_watermark",
    "task_reject",
    "scheduler_reject",
];

/// Name that traces use for an event of `observe`; `whole` is whether the event has a duration.
pub fn of_observed(kind: &str, whole: bool) -> &str {
    match (kind, whole) {
        ("component_begin", _) => "component_execute_begin",
        ("component_end", false) => "component_execute_end",
        ("component_end", true) => "component_execute",
        ("loop_iteration_end", true) => "loop_iteration",
        ("channel_publish_summary", _) => "channel_publish",
        // Only state commits are observed.
        ("channel_commit_summary", _) => "state_commit",
        _ => kind,
    }
}

/// Returns the boundary of the run at which an observed event is shown whose time is a clock reading instead of an
/// offset from the start of the run; `None` for all other events.
pub fn edge(kind: &str) -> Option<RunBoundary> {
    match kind {
        "run_started" => Some(RunBoundary::Start),
        "run_finished" | "component_error" | "runtime_error" | "observer_drop_summary" => {
            Some(RunBoundary::End)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_what_an_event_is() {
        for (name, expected) in [
            ("component_execute", (TopoExecEventExtent::Whole, Some(EXECUTE))),
            ("component_execute_begin", (TopoExecEventExtent::Begin, Some(EXECUTE))),
            ("loop_iteration_end", (TopoExecEventExtent::End, Some(2))),
            ("channel_publish", (TopoExecEventExtent::Point, None)),
            ("", (TopoExecEventExtent::Point, None)),
        ] {
            assert_eq!(part(name), expected, "{name}");
        }
        for (name, expected) in [
            ("fixed_rate_overrun", "scheduler"),
            ("state_commit", "channel"),
            ("loop_error", "loop"),
            ("run_started", "runtime"),
        ] {
            assert_eq!(phase(name), expected, "{name}");
        }
    }
}
