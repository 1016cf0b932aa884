//! One rule each, in small traces.

use queryscope::export::{Report, SpanFormat, write_spans};

use super::shared::without_errors;
use super::{Session, dump, open};

/// An event: name, start, length, and the attributes as they stand.
type Written = (&'static str, i64, i64, &'static str);

/// The events as `graph trace --format json` writes them, with ids in their attributes alone.
fn trace(events: &[Written]) -> String {
    let event = |&(name, start, length, attributes): &Written| {
        format!(
            r#"{{"attributes":{{{attributes}}},"duration_ns":{length},"name":"{name}","start_offset_ns":{start},"trace_id":"t"}}"#
        )
    };
    let events: Vec<String> = events.iter().map(event).collect();
    format!(r#"{{"graph_name":"g","trace":[{}],"trace_event_count":{}}}"#, events.join(","), events.len())
}

fn check(events: &[Written], expected: &[&str]) {
    assert_eq!(dump(&open("trace.json", trace(events).as_bytes())), expected, "{events:?}");
}

const RUN_A: &str = r#""component_id":"a","lane":"main","epoch_id":"1""#;

#[test]
fn three_events_are_one_interval() {
    let span = r#"- a 10..20, epoch_id=1, category="component", component_id="a", lane="main""#;
    // The beginning lies just inside, the end just outside; the order of the file does not matter.
    let events = [
        ("component_execute_begin", 11, 0, RUN_A),
        ("component_execute_end", 23, 0, RUN_A),
        ("component_execute", 10, 10, RUN_A),
    ];
    let moved = span.replace("10..20", "0..10");
    check(&events, &["Thread Lane main", &moved]);
    // Without the whole, as the oldest versions wrote; and without the end, as after an error.
    let moved = span.replace("10..20", "0..12");
    check(&events[..2], &["Thread Lane main", &moved]);
    let aborted = span.replace("10..20", "0..39, no end in trace");
    let events = [events[0], ("other", 50, 0, "")];
    let other = "* other 39";
    check(&events, &["Thread Lane main", &aborted, "Thread Runtime", other, "1 x aborted"]);
    // What is alone is a point.
    let alone = ["Thread Lane main", "* component_execute_end 0, epoch_id=1", "1 x end without its start"];
    check(&[("component_execute_end", 5, 0, RUN_A)], &alone);
}

/// Totals that are of each loop are named after it, and stand in one line.
#[test]
fn totals_of_loops() {
    let reason = "gave up\\nafter 3";
    let text = trace(&[("loop_iteration", 0, 5, r#""loop_id":"l_1","iteration":"1""#)]).replace(
        r#"{"graph_name""#,
        &format!("{{\"loop_stop_reason\": {{\n  \"l_1\": \"{reason}\",\n  \"m\": \"done\"\n}},\"tick_calls\":2,\"graph_name\""),
    );
    let session = open("trace.json", text.as_bytes());
    let notes: Vec<&str> = session.trace().notes.iter().map(|note| note.text.as_str()).collect();
    let expected = "loop stop reason of l_1: gave up\nafter 3 · loop stop reason of m: done · tick calls: 2";
    assert_eq!(notes, [expected]);
    let report = Report::of(session.trace(), session.report());
    let mut out = Vec::new();
    report.write_text(&mut out).expect("a vector takes everything");
    let shown = String::from_utf8(out).expect("UTF-8");
    assert!(shown.contains(&expected.replace('\n', " ")) && !shown.contains('\u{fffd}'), "{shown}");
}

/// What is written out is what stands in the record: attributes are strings there.
#[test]
fn attributes_are_written_as_they_stand() {
    let text = trace(&[(
        "component_execute",
        0,
        5,
        r#""component_id":"a","lane":"main","epoch_id":"1","batch_size":"5","residual":"6.25e-05","flag":true,"n":7,"half":"0.50""#,
    )]);
    let mut session = Session::default();
    session.keep_written();
    let session = crate::support::open_in(session, [("trace.json", text.as_bytes())]);
    let mut out = Vec::new();
    write_spans(session.trace(), SpanFormat::JsonLines, false, &mut out).expect("a vector takes everything");
    let row: serde_json::Value = serde_json::from_slice(&out).expect("an object");
    let record: serde_json::Value = serde_json::from_str(&text).expect("sound JSON");
    let mut expected = record["trace"][0]["attributes"].clone();
    expected["category"] = "component".into();
    assert_eq!(row["values"], expected);
}

#[test]
fn what_lies_in_what() {
    let tick = r#""lane":"main","iteration":"1""#;
    let of_loop = r#""loop_id":"l","iteration":"1","residual":"0.5","residual_threshold":"1e-09""#;
    let events = [
        // A tick has the very times of its iteration, and was recorded first.
        ("fixed_rate_tick", 0, 100, tick),
        ("scheduler_iteration", 0, 100, r#""iteration":"1""#),
        ("loop_iteration", 10, 50, of_loop),
        ("component_execute", 20, 10, RUN_A),
        ("fixed_rate_overrun", 90, 0, r#""lateness_ms":"1.734210""#),
    ];
    check(
        &events,
        &[
            "Thread Scheduler",
            r#"- scheduler_iteration 0..100, iteration=1, category="scheduler""#,
            r#"-- fixed_rate_tick 0..100, iteration=1, category="scheduler", lane="main""#,
            "* fixed_rate_overrun 90 in fixed_rate_tick, failed, lateness_ms=1734210",
            "Thread Loop l",
            r#"- loop_iteration 10..60 in fixed_rate_tick, iteration=1, residual=500000, category="loop", loop_id="l", residual_threshold="1e-09""#,
            "Counter residual",
            "* residual 60, residual=500000",
            "Thread Lane main",
            r#"- a 20..30 in loop_iteration, epoch_id=1, category="component", component_id="a", lane="main""#,
        ],
    );
}

#[test]
fn workers_have_lanes_of_their_own() {
    let on = |worker: &'static str| worker;
    let events = [
        ("thread_pool_batch", 0, 100, r#""lane":"pool","component_id":"a""#),
        ("component_execute", 10, 50, on(r#""component_id":"a","lane":"pool","worker_id":"10""#)),
        ("component_execute", 20, 50, on(r#""component_id":"a","lane":"pool","worker_id":"9""#)),
        ("component_execute", 30, 50, on(r#""component_id":"b","lane":"main""#)),
        ("component_execute", 40, 50, on(r#""component_id":"c","lane":"main""#)),
    ];
    let found = dump(&open("trace.json", trace(&events).as_bytes()));
    let found: Vec<&str> = found.iter().map(|line| line.split(", category").next().unwrap_or(line)).collect();
    let expected = [
        "Thread Lane pool",
        "- thread_pool_batch 0..100",
        "Thread Worker 9",
        "- a 20..70 in thread_pool_batch, worker_id=9",
        "Thread Worker 10",
        "- a 10..60 in thread_pool_batch, worker_id=10",
        "Thread Lane main",
        "- b 30..80 in thread_pool_batch",
        // Nothing says that they ran beside each other, and nothing is drawn over something else.
        "-- c 40..90 in thread_pool_batch, overlaps its neighbour",
        "1 x overlap",
    ];
    assert_eq!(found, expected);
}

#[test]
fn causes_are_arrows() {
    let message = r#""channel_id":"x","source_component":"a","epoch_id":"1""#;
    let caused = |cause: &'static str| cause;
    let events = [
        ("component_execute", 0, 10, RUN_A),
        ("channel_publish", 4, 0, message),
        ("channel_publish", 6, 0, message),
        ("channel_commit", 12, 0, message),
        ("component_execute", 20, 5, caused(r#""component_id":"b","lane":"main","causation_id":"x#1""#)),
        ("component_execute", 30, 5, caused(r#""component_id":"c","lane":"main","causation_id":"x#2""#)),
    ];
    let found = dump(&open("trace.json", trace(&events).as_bytes()));
    let arrows: Vec<&String> =
        found.iter().filter(|line| line.contains(" -> ") || line.contains(" x ")).collect();
    // The second message was discarded: it has no commit, and caused nothing.
    assert_eq!(arrows, ["a -> b 4..20", "1 x cause not in the trace"]);
    assert!(found.contains(&"* channel_publish 4 in a, epoch_id=1".to_owned()), "{found:#?}");
}

#[test]
fn errors_stand_where_their_component_ended() {
    let errors = r#""errors":["component a failed: no","late"],"#;
    let objects = r#""runtime_errors":[{"code":"c","component_id":"a","fatal":true,"message":"no"}],"#;
    let events = trace(&[("component_execute", 0, 10, RUN_A), ("other", 30, 0, "")]);
    let with = |text: &str| {
        dump(&open("trace.json", events.replace(r#""graph"#, &format!(r#"{text}"graph"#)).as_bytes()))
    };
    let of_words = with(errors);
    assert_eq!(
        of_words[..3],
        ["Thread Errors", "* component a failed: no 10 in a, failed", "* late 30, failed"],
        "{of_words:#?}"
    );
    // The sentences repeat the objects.
    let of_objects = with(&format!("{errors}{objects}"));
    assert_eq!(of_objects[..2], ["Thread Errors", "* no 10 in a, failed"]);
    assert!(
        of_objects[3].contains(", failed, ") && of_objects[3].ends_with(r#"error="no""#),
        "{of_objects:#?}"
    );
    // A graph that was refused has nothing but errors.
    let refused = r#"{"errors":["cycle"],"graph_name":"g","ok":false,"trace":[],"trace_event_count":0}"#;
    assert_eq!(dump(&open("trace.json", refused.as_bytes())), ["Thread Errors", "* cycle 0, failed"]);
}

#[test]
fn what_happened_on_a_side() {
    let events = [
        ("config_transaction_apply", 0, 0, r#""component_id":"a","status":"error""#),
        ("component_restore", 5, 0, r#""component_id":"a","status":"ok""#),
        ("health_event", 9, 0, r#""kind":"channel_overflow","channel_id":"x","depth":"3""#),
        ("async_admission", 10, 0, r#""channel_id":"x","accepted":"false""#),
        ("never_heard_of", 11, 4, r#""x":"1""#),
    ];
    check(
        &events,
        &[
            "Thread Channel x",
            "* async_admission 10, failed",
            "Thread Config",
            "* config_transaction_apply 0, failed",
            "Thread Health",
            "* channel_overflow 9, failed, depth=3",
            "Thread Lifecycle",
            "* component_restore 5",
            "Thread Runtime",
            r#"- never_heard_of 11..15, x=1, category="runtime""#,
        ],
    );
}

#[test]
fn what_was_observed() {
    let line = |kind: &str, time: i64, rest: &str| {
        format!(
            r#"{{"attributes":{{"value0":{rest},"value1":0}},"causation_id":"","component_id":"a","display_seq":1,"kind":"{kind}","lane":"main","mono_ns":{time},"observe_schema_version":"1","run_id":"r","worker_id":""}}"#
        )
    };
    let lines = [
        r#"{"kind":"symbol_table","components":{"1":"a"},"observe_schema_version":"1","run_id":"r"}"#
            .to_owned(),
        line("run_started", 9_000_000, "0"),
        line("component_begin", 12, "0"),
        // Both the execution and its end.
        line("component_end", 10, "25"),
        line("component_end", 36, "0"),
        line("channel_publish_summary", 20, "0"),
        line("component_error", 9_000_100, "0"),
        r#"{"kind":"final_summary","ok":true}"#.to_owned(),
    ];
    assert_eq!(
        dump(&open("observe.ndjson", lines.join("\n").as_bytes())),
        [
            "Thread Errors",
            "* component_error 26, failed, inferred",
            "Thread Lane main",
            r#"- a 0..25, category="component", component_id="a", lane="main""#,
            "Thread Channel",
            "* channel_publish 10 in a",
            "Thread Runtime",
            "* run_started 0 in a, inferred",
            "2 x line without a time",
            "2 x different clock",
        ]
    );
}

#[test]
fn what_cannot_be_used_is_told() {
    let cases = [
        (
            r#"{"trace":[{"name":"a","start_offset_ns":1},{"start_offset_ns":1},{"name":"b"}],"trace_schema_version":1}"#,
            "1 x no name",
        ),
        (
            r#"{"trace":[{"name":"a","start_offset_ns":1},{"name":"b"}],"trace_schema_version":1}"#,
            "1 x no timestamp",
        ),
        (
            r#"{"trace":[{"name":"a","start_offset_ns":9e18}],"trace_schema_version":1}"#,
            "1 x timestamp out of range",
        ),
        (
            r#"{"trace":[{"name":"a","start_offset_ns":-1}],"trace_schema_version":1}"#,
            "1 x timestamp out of range",
        ),
        (r#"{"trace":[{"name":"a","start_offset_ns":1}],"trace_event_count":2}"#, "1 x event count differs"),
        (
            r#"{"trace":[{"name":"a","start_offset_ns":1}],"trace_event_count":0}"#,
            "1 x more events than declared",
        ),
        (r#"{"graph_name":"a","metric_schema_version":"1","metrics":[]}"#, "1 x no trace"),
        (
            r#"{"graph_name":"a","metric_schema_version":"1","metrics":[],"trace":[],"new":[1]}"#,
            "1 x unknown section",
        ),
        (r#"{"trace":[{"name":"a","start_offset_ns":1},{"name":"b""#, "1 x cut off"),
        (r#"{"trace":[{"name":"a","start_offset_ns":1}"#, "1 x file not closed"),
        (
            r#"{"traceEvents":[{"cat":"topoexec","ph":"X","name":"a","ts":1},{"ph":"X","name":"b","ts":1}]}"#,
            "1 x not a TopoExec event",
        ),
    ];
    for (text, expected) in cases {
        let found = dump(&open("trace.json", text.as_bytes()));
        assert!(found.iter().any(|line| line == expected), "{text}: {found:#?}");
    }
}

/// One run in every shape: the Chrome export leaves out errors, and the oldest version writes them as sentences.
#[test]
fn every_shape_of_a_run_gives_the_same_picture() {
    let read = |name: &str| {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/topoexec");
        dump(&open(name, &std::fs::read(folder.join(name)).expect("a fixture")))
    };
    let whole = read("steps.trace.json");
    let expected = [
        "Thread Errors",
        r#"* component parser failed: line 7: "<b>" 10000 in parser, failed"#,
        "Thread Scheduler",
        r#"- scheduler_iteration 0..9000, iteration=1, category="scheduler""#,
        r#"- scheduler_iteration 9100..10030, no end in trace, iteration=2, category="scheduler""#,
        "Thread Lane main",
    ];
    assert_eq!(whole[..6], expected);
    assert_eq!(
        whole[whole.len() - 3..],
        ["reader -> parser 1500..3000", "reader -> parser 1500..9200", "1 x aborted"]
    );
    assert_eq!(read("steps.alpha.json"), whole);
    assert_eq!(without_errors(read("steps.chrome.json")), without_errors(whole));
    let observed = read("steps.observe.ndjson");
    let spans = observed.iter().filter(|line| line.starts_with('-')).count();
    assert_eq!((spans, &*observed[0]), (3, "Thread Lane main"), "{observed:#?}");
}

/// The rows of the side tables, each behind the name of its table.
fn tables(session: &Session) -> Vec<String> {
    let (trace, mut lines) = (session.trace(), Vec::new());
    for table in trace.tables.iter() {
        for row in 0..table.len() {
            let cell = |at: usize| table.cell(row, at).map(|cell| (table.columns()[at], cell));
            let cells = (0..table.columns().len()).filter_map(cell);
            let cells: String =
                cells.map(|(column, cell)| format!(" {}={}", trace.str(column), trace.str(cell))).collect();
            lines.push(format!("{}:{cells}", trace.str(table.name)));
        }
    }
    lines
}

/// What a file says of the whole run has no time: totals stand beside it, metrics are a table.
#[test]
fn totals_and_metrics_are_kept() {
    let text = r#"{"channel_drop_count":0,"channel_publish_count":6,"graph_name":"g","loop_stop_reason":{},"metric_schema_version":"1",
        "metrics":[{"channel_id":"","component_id":"sink","lane":"","name":"runtime.component.execution_count","tags":[],"value":6.0}],
        "ok":true,"stop_reason":"tick_bound","trace":[{"name":"a","start_offset_ns":5,"duration_ns":10}]}"#;
    let session = open("run.json", text.as_bytes());
    let trace = session.trace();
    let notes: Vec<_> = trace.notes.iter().map(|note| (&*note.name, note.text.as_str())).collect();
    assert_eq!(notes, [("totals", "channel publish: 6 · ok: true · stop reason: tick_bound")]);
    let lines = queryscope::internal::testing::dump(trace);
    assert!(!lines.iter().any(|line| line.contains("runtime.component")), "{lines:#?}");
    assert_eq!(
        tables(&session),
        ["metrics: NAME=runtime.component.execution_count VALUE=6 COMPONENT_ID=sink"]
    );
    assert_eq!(session.report()[0].reported, 0);
}

/// What `observe --record` writes beside a trace is shown with it; alone, it is a run without events.
#[test]
fn metrics_health_and_manifest_stand_beside_the_trace() {
    let trace = r#"{"trace":[{"name":"a","start_offset_ns":5,"duration_ns":10}],"trace_schema_version":"1"}"#;
    let metrics = r#"{"metric_schema_version":"1","metrics":[{"name":"m","component_id":"sink","tags":[],"value":6.0}]}"#;
    let health = r#"{"health_events":[{"kind":"task_reject","lane":"main","occurrence_count":2}]}"#;
    let manifest = r#"{"artifact_schema_version":"1","files":{"trace":"trace.final.json"},"graph_name":"g","run_id":"run-1",
        "summary":{"runtime_ok":true,"observer_dropped_event_count":0}}"#;
    let files = [
        ("health.final", health),
        ("manifest", manifest),
        ("metrics.final", metrics),
        ("trace.final", trace),
    ];
    let lines = |files: &[(&str, &str)]| {
        let files = files.iter().map(|(name, text)| (format!("r/{name}.json"), text));
        let session = crate::support::open(files);
        let notes: Vec<String> = session.trace().notes.iter().map(|note| note.text.clone()).collect();
        assert!(session.trace().runs.len() == 1 && session.report().iter().all(|file| file.recognised));
        (dump(&session), notes, tables(&session))
    };
    let (shown, notes, rows) = lines(&files);
    let expected = [
        "Thread Runtime",
        r#"- a 0..10, category="runtime""#,
        // The trace has them with their times.
        "1 x duplicate run",
    ];
    let starts = |line: &String, start: &&str| line.starts_with(start.split(", ").next().unwrap_or_default());
    assert!(
        shown.len() == expected.len() && shown.iter().zip(&expected).all(|(a, b)| starts(a, b)),
        "{shown:#?}"
    );
    assert_eq!(notes, ["run id: run-1 · runtime ok: true"]);
    let metric = "metrics: NAME=m VALUE=6 COMPONENT_ID=sink";
    assert_eq!(rows, [metric]);
    let (shown, notes, rows) = lines(&files[..3]);
    assert!(shown.is_empty(), "{shown:#?}");
    assert_eq!(rows, ["health_events: NAME=task_reject LANE=main OCCURRENCE_COUNT=2", metric]);
    assert_eq!(notes, ["run id: run-1 · runtime ok: true"]);
}

/// The Chrome export is known by its events, whatever is around them.
#[test]
fn exports_without_their_envelope() {
    let event = |name: &str, ts: u32| {
        format!(
            r#"{{"args":{{"lane":"main","component_id":"x","phase":"component"}},"cat":"topoexec","dur":2.5,"name":"{name}","ph":"X","pid":1,"tid":0,"ts":{ts}}}"#
        )
    };
    let [a, b] = [event("component_execute", 0), event("component_execute", 5)];
    let whole =
        dump(&open("t", format!(r#"{{"traceEvents":[{a},{b}],"trace_schema_version":"1"}}"#).as_bytes()));
    assert!(whole.iter().any(|line| line == "Thread Lane main"), "{whole:#?}");
    for text in [format!("[{a},{b}]"), format!("{a}\n{b}\n"), format!(r#"{{"traceEvents":[{a},{b}]}}"#)] {
        let session = open("t", text.as_bytes());
        assert!(session.report()[0].format.starts_with("TopoExec"), "{text}");
        assert_eq!(dump(&session), whole, "{text}");
    }
    let other = b.replace("topoexec", "v8");
    let session = open("t", format!("[{a},{other}]").as_bytes());
    assert!(session.report()[0].format.starts_with("Chrome"), "an event is of another program");
}
