//! Findings of traces in the formats of files.

use super::tests::{Line, MS, lines};
use crate::protocol::{ChangedThreshold, DetailsRequest, FindingGroup, FindingsRequest, RuleFindingsRequest};
use crate::session::Session;
use crate::trace::{EventId, Item, TrackId};

/// Name of the track to which the worst finding of a rule leads; `None` if it leads to no track.
fn track(text: &str, key: &str) -> Option<String> {
    let mut session = Session::of_text("trace.json", text);
    let groups = session.answer(&FindingsRequest::default()).groups;
    let track = groups.iter().find(|group| group.key == key)?.worst.first()?.track?;
    let trace = session.trace();
    Some(trace.str(trace.tracks.get(TrackId(track)).name).to_owned())
}

/// Findings of a trace in the format of a file.
fn of_text(text: &str, changed: &[(&str, &str)]) -> Vec<Line> {
    let mut session = Session::of_text("trace.json", text);
    let thresholds = changed.iter();
    let thresholds = thresholds
        .map(|(key, value)| ChangedThreshold { key: (*key).to_owned(), value: (*value).to_owned() });
    let request = FindingsRequest { thresholds: thresholds.collect(), ..FindingsRequest::default() };
    lines(&session.answer(&request).groups)
}

/// Two threads: tasks of 60 ms (with 20 ms on the processor) and 10 ms; and one of 30 ms after 100 ms without any.
#[test]
fn threads_have_long_tasks_and_are_blocked() {
    let slice = |name: &str, thread: u32, start: i64, length: i64, cpu: i64| {
        format!(
            r#"{{"ph":"X","name":"{name}","pid":1,"tid":{thread},"ts":{},"dur":{},"tts":{},"tdur":{}}}"#,
            start * 1000,
            length * 1000,
            start * 1000,
            cpu * 1000
        )
    };
    let slices = [
        slice("a", 1, 0, 60, 20),
        slice("inner", 1, 10, 55, 15),
        slice("b", 1, 70, 10, 10),
        slice("c", 2, 180, 30, 30),
    ];
    let text = format!("[{}]", slices.join(","));
    let text = text.replace(r#""dur":55000"#, r#""dur":30000"#);
    let found = of_text(&text, &[]);
    let line = |key: &str, count, part: i64, whole: i64, text: &str| {
        (key.to_owned(), count, vec![(part * MS, whole * MS)], text.to_owned())
    };
    // Work: 20 + 10 ms on the first thread, 30 ms on the second; 40 ms blocked.
    let expected = [
        line("long-tasks", 1, 60, 100, "60.00 ms on thread 1"),
        line("gaps", 2, 110, 210, "100.0 ms from +80.00 ms to +180.0 ms"),
        line("busiest-thread", 1, 30, 60, "thread 1 worked for 30.00 ms; 2 threads worked"),
        line("blocked", 1, 40, 100, "thread 1 was blocked for 40.00 ms (57 % of its work)"),
    ];
    assert_eq!(found.len(), expected.len(), "{found:?}");
    for expected in expected {
        assert!(found.contains(&expected), "{expected:?} in {found:?}");
    }
    for (key, thread) in [("blocked", Some("thread 1")), ("busiest-thread", Some("thread 1")), ("gaps", None)]
    {
        assert_eq!(track(&text, key).as_deref(), thread, "{key}");
    }
    assert!(of_text(&text, &[("long-tasks.duration", "60.001")]).iter().all(|line| line.0 != "long-tasks"));
}

/// Parts and totals.
type Shares<'a> = &'a [(i64, i64)];

/// Checks the findings of some rules in a trace of the format `queryscope`: key, shares, and the text of the worst finding. The lines
/// follow that of the run, which takes 100 ms.
fn check_lines(lines: &[&str], expected: &[(&str, Shares, &str)]) {
    let head = [r#"{"queryscope":"trace","version":1}"#, r#"{"run":"r","duration":100000000}"#];
    let text = [&head[..], lines].concat().join("\n");
    let found = of_text(&text, &[]);
    for (key, ..) in expected.iter().filter(|(key, ..)| *key == "busiest-process") {
        assert_eq!(track(&text, key).as_deref(), Some("server"));
    }
    for (key, shares, text) in expected {
        let line = found.iter().find(|line| line.0 == *key);
        let line = line.map(|line| (line.2.as_slice(), line.3.as_str()));
        assert_eq!(line, Some((*shares, *text)), "{key} in {found:?}");
    }
}

#[test]
fn the_busiest_process_and_thread_are_found() {
    let [server, client] =
        [r#"{"track":"server","kind":"process"}"#, r#"{"track":"client","kind":"process"}"#];
    let threads = [
        r#"{"track":"worker 1","parent":1}"#,
        r#"{"span":"a","start":0,"duration":30000000}"#,
        r#"{"track":"worker 2","parent":1}"#,
        r#"{"span":"b","start":0,"duration":20000000}"#,
    ];
    let main = [r#"{"track":"main","parent":4}"#, r#"{"span":"c","start":0,"duration":10000000}"#];
    check_lines(
        &[&[server][..], &threads, &[client], &main].concat(),
        &[
            ("busiest-process", &[(50 * MS, 60 * MS)], "server worked for 50.00 ms; 2 processes worked"),
            (
                "busiest-thread",
                &[(30 * MS, 60 * MS)],
                "server · worker 1 worked for 30.00 ms; 3 threads worked",
            ),
        ],
    );
}

/// Workers of a plan that worked for 60, 20 and 10 ms: their average is 30 ms.
#[test]
fn plans_have_unequal_threads_and_skew() {
    let span = |duration: i64, part: u32| {
        format!(
            r#"{{"span":"join","start":0,"duration":{},"texts":{{"instruction":"j","step":"j"}},"nums":{{"part":{part}}}}}"#,
            duration * MS
        )
    };
    let spans = [span(60, 0), span(20, 1), span(10, 2)];
    let tracks = [r#"{"track":"worker 1"}"#, r#"{"track":"worker 2"}"#, r#"{"track":"worker 3"}"#];
    let lines: Vec<&str> = tracks.into_iter().zip(&spans).flat_map(|(track, span)| [track, span]).collect();
    check_lines(
        &lines,
        &[
            (
                "unequal-threads",
                &[(30 * MS, 100 * MS)],
                "worker 1 worked for 60.00 ms, the average of 3 threads is 30.00 ms",
            ),
            ("skew", &[(30 * MS, 90 * MS)], "60.00 ms for one copy, 30.00 ms on average (2.0 ×)"),
            (
                "one-thread",
                &[(40 * MS, 100 * MS)],
                "40.00 ms from +20.00 ms to +60.00 ms on worker 1, one of 3 threads",
            ),
        ],
    );
}

#[test]
fn nothing_ran_between_queries_of_sessions() {
    check_lines(
        &[
            r#"{"track":"session 1","kind":"async"}"#,
            r#"{"span":"SELECT 1","kind":"query","start":0,"duration":5000000}"#,
            r#"{"span":"SELECT 2","kind":"query","start":20000000,"duration":5000000}"#,
        ],
        &[("gaps", &[(15 * MS, 100 * MS)], "15.00 ms from +5.000 ms to +20.00 ms")],
    );
}

/// The findings of a rule in a trace of the format `queryscope`, and the session that found them.
fn group_of(lines: &[String], key: &str) -> (Session, FindingGroup) {
    let head = r#"{"queryscope":"trace","version":1}
{"run":"r","duration":100000000}
{"track":"thread 1"}
"#;
    let mut session = Session::of_text("trace.ndjson", &(head.to_owned() + &lines.join("\n")));
    let groups = session.answer(&FindingsRequest::default()).groups;
    let group = groups.into_iter().find(|group| group.key == key);
    (session, group.expect("the rule has findings"))
}

/// A gap is named by the span that ended last before it and the next one. Spans without a gap between them are one period.
#[test]
fn gaps_are_named_by_the_spans_before_and_after() {
    let slice = |name: &str, start: i64, end: i64| {
        format!(r#"{{"span":"{name}","start":{},"duration":{}}}"#, start * MS, (end - start) * MS)
    };
    let lines = [slice("parse", 0, 5), slice("plan", 5, 9), slice("collect", 30, 32), slice("run", 50, 60)];
    let (_, group) = group_of(&lines, "gaps");
    let titles: Vec<&str> = group.worst.iter().map(|gap| gap.title.as_str()).collect();
    assert_eq!(titles, ["Between plan and collect", "Between collect and run"]);
}

#[test]
fn all_findings_of_a_rule_can_be_listed() {
    let failure = |at: u32| format!(r#"{{"event":"failure {at}","time":{at},"flags":["failed"]}}"#);
    let lines: Vec<String> = (0..60).map(failure).collect();
    let (mut session, group) = group_of(&lines, "failed");
    assert_eq!((group.count, group.worst.len()), (60, 50));
    let mut listed = |rule: &str, count: u32| {
        let all = FindingsRequest::default();
        session.answer(&RuleFindingsRequest { all, rule: rule.to_owned(), count })
    };
    assert_eq!(listed("failed", 50), group.worst);
    let all = listed("failed", u32::MAX);
    assert_eq!((all.len(), all[59].title.as_str()), (60, "failure 59"));
    // A rule without data, and a key of no rule.
    assert_eq!((listed("lock-waits", 9), listed("failures", 9)), (Vec::new(), Vec::new()));
}

/// Findings of a rule are kept for longer lists, but not for another range or another rule.
#[test]
fn findings_of_a_rule_are_those_of_the_requested_range() {
    let failure = |at: u32| format!(r#"{{"event":"failure {at}","time":{at},"flags":["failed"]}}"#);
    let lines: Vec<String> = (0..60).map(failure).collect();
    let (mut session, _) = group_of(&lines, "failed");
    for (range, rule, count, expected) in [
        (None, "failed", 55, 55),
        (None, "failed", 100, 60),
        (Some((0, 10)), "failed", 100, 10),
        (Some((0, 10)), "lock-waits", 100, 0),
        (Some((0, 10)), "failed", 5, 5),
        (None, "failed", 3, 3),
    ] {
        let all = FindingsRequest { range, ..FindingsRequest::default() };
        let request = RuleFindingsRequest { all, rule: rule.to_owned(), count };
        let found = session.answer(&request);
        assert_eq!(found, group_of(&lines, "failed").0.answer(&request), "{range:?}, {rule}, {count}");
        assert_eq!(found.len(), expected, "{range:?}, {rule}, {count}");
    }
}

/// A failure without an error has the reason that the item reports.
#[test]
fn failures_have_a_reason() {
    for (texts, expected) in [
        (r#","texts":{"reason":"queue capacity exceeded"}"#, "queue capacity exceeded"),
        (r#","texts":{"reason":"queue capacity exceeded","error":"rejected"}"#, "rejected"),
        ("", "The trace gives no reason."),
    ] {
        let line = format!(r#"{{"event":"task_reject","time":5,"flags":["failed"]{texts}}}"#);
        let (mut session, _) = group_of(&[line], "failed");
        let request = DetailsRequest { item: Item::Event(EventId(0)).code() };
        let details = session.answer(&request).expect("the event");
        let notes: Vec<&str> = details.notes.iter().map(|note| note.text.as_str()).collect();
        assert_eq!(notes, [expected]);
    }
}

#[test]
fn errors_outside_spans_are_failures() {
    let error = r#"{"event":"immediate cycle: a -> b -> a","time":0,"flags":["failed"]}"#;
    check_lines(&[r#"{"track":"Errors"}"#, error], &[("failed", &[], "immediate cycle: a -> b -> a")]);
}

#[test]
fn transactions_are_idle_spans_do_not_end_and_clocks_are_noted() {
    check_lines(
        &[
            r#"{"track":"thread 1"}"#,
            r#"{"span":"transaction","kind":"transaction","start":0,"duration":40000000,"row":0}"#,
            r#"{"span":"UPDATE","kind":"query","start":0,"duration":5000000,"row":1}"#,
            r#"{"span":"COMMIT","kind":"query","start":35000000,"duration":5000000,"row":1}"#,
        ],
        &[(
            "idle-transactions",
            &[(30 * MS, 40 * MS)],
            "30.00 ms of 40.00 ms idle (75 %), longest idle gap 30.00 ms",
        )],
    );
    check_lines(
        &[
            r#"{"track":"thread 1"}"#,
            r#"{"span":"load","start":0,"duration":25000000,"flags":["no end in trace"]}"#,
            r#"{"note":"wait clock","run":0,"text":"The clock was corrected by 12 ppm (3 waits)."}"#,
        ],
        &[
            ("unfinished-spans", &[], "≥ 25.00 ms until its last event"),
            ("clocks", &[], "The clock was corrected by 12 ppm (3 waits)."),
        ],
    );
}

#[test]
fn a_runtime_reports_loops_and_rejected_work() {
    let event = |name: &str, start: i64, length: i64, attributes: &str| {
        format!(
            r#"{{"name":"{name}","phase":"loop","component_id":"","lane":"","channel_id":"","start_offset_ns":{start},"duration_ns":{length},"attributes":{{{attributes}}}}}"#
        )
    };
    let of_loop = r#""loop_id":"l","iteration":"1""#;
    let events = [
        event("scheduler_iteration", 0, 1000, r#""iteration":"1""#),
        event("loop_iteration", 100, 200, of_loop),
        event("loop_max_iterations_hit", 290, 0, of_loop),
        event("fixed_rate_overrun", 500, 0, r#""lateness_ms":"1.5""#),
        event("async_admission", 600, 0, r#""accepted":"true""#),
        event("async_admission", 700, 0, r#""accepted":"false""#),
        event("health_event", 800, 0, r#""kind":"channel_stale_drop","edge_id":"e","occurrence_count":"3""#),
    ];
    let found = of_text(&format!(r#"{{"trace":[{}]}}"#, events.join(",")), &[]);
    let text = |key: &str| found.iter().find(|line| (&*line.0, line.1) == (key, 1)).map(|line| &*line.3);
    assert_eq!(text("overruns"), Some("Scheduler ran a tick too late by 1.5 ms"));
    assert_eq!(text("stale"), Some("Channel e dropped a stale message 3 times"));
    assert_eq!(text("not-converged"), Some("Loop l reached the maximum number of iterations in iteration 1"));
    assert!(text("rejected").is_some(), "{found:?}");
    let not_converged = found.iter().find(|line| line.0 == "not-converged").expect("it is there");
    assert_eq!(not_converged.2, [(200, 1000)], "the iteration of its loop");
}

/// A loop reports after its last iteration, in the iteration of the scheduler, that it did not converge.
#[test]
fn a_loop_without_convergence_concerns_its_own_iterations() {
    let event = |name: &str, start: i64, length: i64, of_loop: &str| {
        format!(
            r#"{{"name":"{name}","phase":"loop","component_id":"","lane":"","channel_id":"","start_offset_ns":{start},"duration_ns":{length},"attributes":{{{of_loop}"iteration":"1"}}}}"#
        )
    };
    let [first, second, other] =
        ["first", "second", "other"].map(|name| format!(r#""loop_id":"{name}","policy":"p","#));
    let share = |events: &[String]| {
        let found = of_text(&format!(r#"{{"trace":[{}]}}"#, events.join(",")), &[]);
        let line = found.into_iter().find(|line| line.0 == "not-converged");
        line.map(|line| (line.1, line.2))
    };
    let mut events = vec![
        event("scheduler_iteration", 0, 1000, ""),
        event("loop_iteration", 100, 100, &first),
        event("loop_iteration", 210, 50, &first),
        event("loop_max_iterations_hit", 270, 0, &first),
        event("loop_output_discarded", 280, 0, &first),
        event("loop_iteration", 300, 500, &other),
    ];
    assert_eq!(share(&events), Some((2, vec![(150, 1000)])), "once, though it was reported twice");
    events.push(event("loop_iteration", 850, 20, &second));
    events.push(event("loop_max_iterations_hit", 880, 0, &second));
    assert_eq!(share(&events), Some((3, vec![(170, 1000)])));
    // Without iterations, that of the scheduler is concerned.
    events.retain(|event| !event.contains("\"loop_iteration\""));
    assert_eq!(share(&events), Some((3, vec![(1000, 1000)])));
}
