//! What ids join: asynchronous slices and arrows; and what is no slice at all.

use queryscope::protocol::{
    CardRequest, FrameDimension, FrameWeight, MergedFrameRequest, MergedSpec, SearchRequest,
};
use queryscope::trace::{Item, SpanId};

use super::{check, dump, open};

/// Events of one thread and category; `~` stands for that in the lines of the dump.
fn check_async(events: &str, expected: &[&str]) {
    let events = events.replace("{\"ph", "{\"pid\":1,\"tid\":1,\"cat\":\"c\",\"ph");
    let lines: Vec<String> = expected.iter().map(|line| line.replace('~', ", category=\"c\"")).collect();
    let lines: Vec<&str> =
        std::iter::once("Process process 1").chain(lines.iter().map(String::as_str)).collect();
    check(&events, &lines);
}

#[test]
fn asynchronous() {
    // Ends by name, not by nesting; ids of one name share rows.
    check_async(
        r#"{"ph":"b","id":1,"ts":0,"name":"a"},{"ph":"b","id":"1","ts":10,"name":"b"},{"ph":"n","id":1,"ts":15,"name":"x"},
           {"ph":"e","id":1,"ts":20,"name":"a"},{"ph":"e","id":1,"ts":30,"name":"b"},{"ph":"b","id":2,"ts":40,"name":"a"},{"ph":"e","id":2,"ts":50,"name":"a"}"#,
        &[
            "Async a · c",
            "-- a 0..20000~",
            "--- b 10000..30000, overlaps its neighbour~",
            "- a 40000..50000~",
            "* x 15000 in b~",
            "1 x partial overlap",
        ],
    );
    check_async(
        r#"{"ph":"b","id2":{"local":"1"},"ts":0,"name":"a"},{"ph":"e","id2":{"local":"2"},"ts":10,"name":"a"},{"ph":"n","id2":{"local":"2"},"ts":5,"name":"x"}"#,
        &[
            "Async a · c",
            "- a 0..10000, no end in trace~",
            "-- a 5000..10000, no start in trace~",
            "* x 5000 in a~",
            "1 x async without an end",
            "1 x async without a start",
        ],
    );
    // A point lies in what has its id, not in what happens to go on beside it.
    check_async(
        r#"{"ph":"b","id":1,"ts":0,"name":"a"},{"ph":"b","id":1,"ts":1,"name":"b"},{"ph":"b","id":2,"ts":2,"name":"a"},
           {"ph":"n","id":1,"ts":5,"name":"x"},{"ph":"e","id":2,"ts":8,"name":"a"},{"ph":"e","id":1,"ts":8,"name":"b"},{"ph":"e","id":1,"ts":9,"name":"a"}"#,
        &["Async a · c", "-- a 0..9000~", "--- b 1000..8000~", "- a 2000..8000~", "* x 5000 in b~"],
    );
    // Steps: T reaches to the next one, p from the one before.
    check_async(
        r#"{"ph":"S","id":1,"ts":0,"name":"a"},{"ph":"T","id":1,"ts":1,"name":"a","args":{"step":"t"}},{"ph":"p","id":1,"ts":3,"name":"a","args":{"step":"p"}},
           {"ph":"F","id":1,"ts":5,"name":"a"}"#,
        &["Async a · c", "- a 0..5000~", "-- t 1000..5000~, step=\"t\"", "--- p 1000..3000~, step=\"p\""],
    );
    // The same id in two processes is two, unless it says that it is global.
    let two = |id: &str| {
        format!(
            r#"{{"ph":"b","pid":1,"tid":1,"ts":0,"name":"a",{id}}},{{"ph":"e","pid":2,"tid":2,"ts":1,"name":"a",{id}}}"#
        )
    };
    check(&two(r#""id2":{"global":"1"}"#), &["Process process 1", "Async a", "- a 0..1000"]);
    assert_eq!(dump(&open("", format!("[{}]", two(r#""id":"1""#)).as_bytes())).len(), 8);
}

/// What nothing ends goes on to the last event of its id; where that begins it, to the end of the trace.
#[test]
fn ids_that_nothing_ends() {
    check_async(
        r#"{"ph":"b","id":1,"ts":0,"name":"a"},{"ph":"n","id":1,"ts":7,"name":"x"},{"ph":"b","id":2,"ts":1,"name":"b"},
           {"ph":"b","id":3,"ts":8,"name":"a"},{"ph":"e","id":3,"ts":9,"name":"a"},{"ph":"b","id":3,"ts":9,"name":"d"},{"ph":"n","id":3,"ts":9,"name":"y"},
           {"ph":"n","id":4,"ts":10,"name":"z"}"#,
        &[
            "Async a · c",
            "- a 0..7000, no end in trace~",
            "- a 8000..9000~",
            "* x 7000 in a~",
            "* y 9000~",
            "Async b · c",
            "- b 1000..10000, no end in trace~",
            "Async d · c",
            "- d 9000..10000, no end in trace~",
            "Async z · c",
            "* z 10000~",
            "3 x async without an end",
        ],
    );
}

/// What is joined by its name may change its category.
#[test]
fn categories_of_steps() {
    check(
        r#"{"ph":"S","pid":1,"tid":1,"id":1,"cat":"c","ts":0,"name":"L"},{"ph":"T","pid":1,"tid":1,"id":1,"ts":4,"name":"L","args":{"step":"x"}},
           {"ph":"F","pid":1,"tid":1,"id":1,"ts":50,"name":"L"}"#,
        &["Process process 1", "Async L · c", "- L 0..50000, category=\"c\"", "-- x 4000..50000, step=\"x\""],
    );
}

/// Chromium writes the ends of an arrow behind the event that they belong to, which may be of something asynchronous.
#[test]
fn arrows_of_what_is_asynchronous() {
    check(
        r#"{"ph":"X","pid":1,"tid":1,"ts":0,"dur":9,"name":"task"},{"ph":"b","id":7,"pid":1,"tid":1,"cat":"c","ts":2,"name":"frame"},
           {"ph":"s","id":1,"pid":1,"tid":1,"cat":"c","ts":2,"name":"frame"},{"ph":"n","id":7,"pid":1,"tid":1,"cat":"c","ts":20,"name":"shown"},
           {"ph":"f","bp":"e","id":1,"pid":1,"tid":1,"cat":"c","ts":20,"name":"frame"},{"ph":"e","id":7,"pid":1,"tid":1,"cat":"c","ts":20,"name":"frame"},
           {"ph":"s","id":2,"pid":1,"tid":1,"cat":"d","ts":2,"name":"post"},{"ph":"X","pid":1,"tid":2,"ts":30,"dur":1,"name":"run"},
           {"ph":"f","bp":"e","id":2,"pid":1,"tid":2,"cat":"d","ts":30,"name":"post"}"#,
        &[
            "Process process 1",
            "Thread thread 1",
            "- task 0..9000",
            "Thread thread 2",
            "- run 30000..31000",
            "Async frame · c",
            "- frame 2000..20000, category=\"c\"",
            "* shown 20000 in frame, category=\"c\"",
            "task -> run 2000..30000",
            "frame -> frame 2000..20000",
        ],
    );
}

/// An object lives from N to D, or to the end; O is a snapshot of it. What is alone is a point.
#[test]
fn objects_dumps_and_clocks() {
    check(
        r#"{"ph":"N","pid":1,"tid":1,"id":"0x1","ts":0,"name":"Tab"},{"ph":"O","pid":1,"tid":2,"id":"0x1","ts":5,"name":"Tab","args":{"snapshot":{"url":"a"}}},
           {"ph":"D","pid":1,"tid":1,"id":"0x1","ts":9,"name":"Tab"},{"ph":"N","pid":1,"tid":1,"id":"0x1","ts":10,"name":"Tab"},
           {"ph":"N","pid":1,"tid":1,"id":"0x1","ts":3,"name":"Page"},{"ph":"O","pid":1,"tid":1,"id":"0x9","ts":4,"name":"View"},
           {"ph":"v","pid":1,"tid":-1,"ts":12,"id":"0x1","name":"periodic_interval","args":{"dumps":{"level":"light"}}},
           {"ph":"c","pid":1,"tid":1,"ts":20,"name":"clock_sync","args":{"sync_id":"s"}}"#,
        &[
            "* clock_sync 20000, sync_id=\"s\"",
            "Process process 1",
            "* periodic_interval 12000, dumps.level=\"light\"",
            "Async Tab",
            "- Tab 0..9000",
            "- Tab 10000..20000, no end in trace",
            "* Tab 5000 in Tab, snapshot.url=\"a\"",
            "Async Page",
            "- Page 3000..20000, no end in trace",
            "Async View",
            "* View 4000",
        ],
    );
}

/// A profile is of the thread that `Profile` names; calls last as long as samples see them.
#[test]
fn profiles_are_calls() {
    let frame =
        |name: &str| format!(r#""callFrame":{{"functionName":"{name}","url":"a.js","lineNumber":4}}"#);
    let nodes = format!(
        r#"[{{"id":1,"callFrame":{{"functionName":"(root)"}}}},{{"id":2,"parent":1,{}}},{{"id":3,"parent":2,{}}},{{"id":4,"parent":1,"callFrame":{{"functionName":"(idle)"}}}}]"#,
        frame("f"),
        frame("")
    );
    let event = |tid: u32, ts: u32, name: &str, data: &str| {
        format!(
            r#"{{"ph":"P","pid":1,"tid":{tid},"ts":{ts},"id":"0x1","name":"{name}","args":{{"data":{{{data}}}}}}}"#
        )
    };
    let chunk = |ts, nodes: &str, samples: &str, deltas: &str| {
        event(
            9,
            ts,
            "ProfileChunk",
            &format!(r#""cpuProfile":{{"nodes":{nodes},"samples":{samples}}},"timeDeltas":{deltas}"#),
        )
    };
    let events = [
        event(7, 100, "Profile", r#""startTime":100"#),
        chunk(140, &nodes, "[2,3,3]", "[5,10,10]"),
        // A call that goes on across chunks is one.
        chunk(180, "[]", "[3,4,2]", "[10,10,10]"),
        chunk(190, "[]", "[2]", "[]"),
        event(9, 200, "other", ""),
    ];
    check(
        &events.join(","),
        &[
            "Process process 1",
            "Thread thread 7",
            "Thread samples",
            r#"- f 0..40000, source="a.js:5""#,
            r#"-- (anonymous) 10000..40000, source="a.js:5""#,
            "- (idle) 40000..50000",
            r#"- f 50000..60000, source="a.js:5""#,
            "1 x sample (P)",
            "1 x samples without times",
        ],
    );
}

#[test]
fn arrows() {
    let slices = r#"{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a"},{"ph":"X","pid":1,"tid":1,"ts":2,"dur":2,"name":"b"},
        {"ph":"X","pid":2,"tid":2,"ts":20,"dur":10,"name":"c"},{"ph":"X","pid":2,"tid":2,"ts":40,"dur":10,"name":"d"}"#;
    let picture = [
        "Process process 1",
        "Thread thread 1",
        "- a 0..10000",
        "-- b 2000..4000",
        "Process process 2",
        "Thread thread 2",
        "- c 20000..30000",
        "- d 40000..50000",
    ];
    let check_arrows = |events: &str, more: &[&str]| {
        let expected: Vec<&str> = picture.iter().chain(more).copied().collect();
        check(&format!("{slices},{events}"), &expected);
    };
    let at = |ph: &str, tid: u8, ts: u8, more: &str| {
        format!(r#"{{"ph":"{ph}","pid":{tid},"tid":{tid},"ts":{ts},"name":"n","id":0{more}}}"#)
    };
    check_arrows(
        &[at("s", 1, 3, ""), at("t", 2, 25, ""), at("f", 2, 31, "")].join(","),
        &["b -> c 3000..25000", "c -> d 25000..40000"],
    );
    check_arrows(&[at("s", 1, 9, ""), at("f", 2, 30, r#","bp":"e""#)].join(","), &["a -> c 9000..30000"]);
    check_arrows(
        &[at("s", 1, 9, ""), at("f", 2, 51, "")].join(","),
        &["1 x flow without a next slice", "1 x flow whose other end is in no slice"],
    );
    check(
        r#"{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a","bind_id":"0x1","flow_out":true},
           {"ph":"X","pid":1,"tid":2,"ts":20,"dur":10,"name":"b","bind_id":"0x1","flow_in":true},
           {"ph":"X","pid":1,"tid":3,"ts":30,"dur":10,"name":"c","bind_id":"0x1","flow_in":true},
           {"ph":"X","pid":1,"tid":3,"ts":50,"dur":10,"name":"d","bind_id":"0x01","flow_in":true}"#,
        &[
            "Process process 1",
            "Thread thread 1",
            "- a 0..10000",
            "Thread thread 2",
            "- b 20000..30000",
            "Thread thread 3",
            "- c 30000..40000",
            "- d 50000..60000",
            "a -> b 10000..20000",
            "a -> c 10000..30000",
            "1 x bind_id without its other end",
        ],
    );
}

#[test]
fn counters_instants_and_states() {
    check(
        r#"{"ph":"C","pid":1,"ts":0,"name":"m","cat":"k","args":{"a":1,"b":".75"}},{"ph":"C","pid":1,"ts":1,"name":"m","args":{"a":2.5}},
           {"ph":"C","pid":1,"ts":2,"name":"m","id":"0x2","args":{"a":5,"b":"1.5e"}},{"ph":"C","pid":1,"ts":3,"name":"m"},
           {"ph":"I","pid":1,"tid":1,"ts":4,"s":"g","name":"g","args":{"n":1}},{"ph":"i","pid":1,"tid":1,"ts":5,"s":"p","name":"p"},
           {"ph":"R","pid":1,"tid":1,"ts":6,"name":"t"},{"ph":"X","pid":1,"tid":1,"ts":6,"dur":1,"name":"x"},
           {"ph":"T","pid":1,"tid":1,"ts":6,"dur":3,"name":"Running","args":{"cpu":0}}"#,
        &[
            "* g 4000, n=1",
            "Process process 1",
            "* p 5000",
            "Thread thread 1",
            "- x 6000..7000",
            "* t 6000 in x",
            "Thread state",
            "- Running 6000..9000, cpu=0",
            "Counter m · a",
            "* m · a 0, a=1000000",
            "* m · a 1000, a=2500000",
            "Counter m · b",
            "* m · b 0, b=750000",
            "Counter m · 0x2",
            "* m · 0x2 2000, a=5",
            "1 x counter without a number",
            "1 x invalid counter value",
        ],
    );
}

/// An instant of an unknown scope is one of its thread, which is told.
#[test]
fn scopes_of_instants() {
    let (process, thread) = ("Process process 1", "Thread thread 1");
    for (scope, expected) in [
        ("t", &[process, thread, "* i 0"][..]),
        ("p", &[process, "* i 0"]),
        ("g", &["* i 0"]),
        ("q", &[process, thread, "* i 0", "1 x unknown scope"]),
    ] {
        check(&format!(r#"{{"ph":"i","pid":1,"tid":1,"ts":0,"name":"i","s":"{scope}"}}"#), expected);
    }
}

/// Slices are grouped by their names and categories, never by their arguments as a whole.
#[test]
fn merged_frames_are_named() {
    let text = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a","cat":"k","args":{"n":1}},{"ph":"X","pid":1,"tid":1,"ts":2,"dur":3,"name":"b","cat":"k"},
        {"ph":"X","pid":1,"tid":2,"ts":0,"dur":20,"name":"a","cat":"k","args":{"n":2}},{"ph":"X","pid":1,"tid":2,"ts":30,"dur":1,"name":"a","cat":"l"}]"#;
    let mut session = open("merged", text.as_bytes());
    let mut frames = |path: &[FrameDimension], weight| {
        let arguments = vec!["n".to_owned()];
        let spec = MergedSpec { path: path.to_vec(), weight, arguments, ..MergedSpec::default() };
        let frame = |frame| {
            let found =
                session.answer(&MergedFrameRequest { spec: spec.clone(), frame: Some(frame), step: None })?;
            Some(format!("{} {}", found.path.join("/"), found.value))
        };
        let mut all: Vec<String> = (1..).map_while(frame).collect();
        all.sort();
        all
    };
    assert_eq!(frames(&[FrameDimension::Name], FrameWeight::Time), ["a 31.00 \u{b5}s", "b 3.000 \u{b5}s"]);
    assert_eq!(
        frames(&[FrameDimension::Name], FrameWeight::SelfTime),
        ["a 28.00 \u{b5}s", "b 3.000 \u{b5}s"]
    );
    assert_eq!(
        frames(&[FrameDimension::Category, FrameDimension::Name], FrameWeight::Count),
        ["k 3", "k/a 2", "k/b 1", "l 1", "l/a 1"]
    );
    // Any argument is a dimension, what is inside of a slice counts at its value; any number is a width.
    assert_eq!(frames(&[FrameDimension::Argument(0)], FrameWeight::Count), ["1 2", "2 1"]);
    assert_eq!(frames(&[FrameDimension::Name], FrameWeight::Argument(0)), ["a 3", "b 0"]);
    assert_eq!(
        frames(&[FrameDimension::Process, FrameDimension::Thread], FrameWeight::Count),
        ["process 1 4", "process 1/thread 1 2", "process 1/thread 2 2"]
    );
    // Calls come last, wherever they stand in the path.
    assert_eq!(frames(&[FrameDimension::Stack], FrameWeight::Time), ["a 31.00 \u{b5}s", "a/b 3.000 \u{b5}s"]);
    assert_eq!(
        frames(&[FrameDimension::Stack, FrameDimension::Thread], FrameWeight::SelfTime),
        [
            "thread 1 10.00 \u{b5}s",
            "thread 1/a 10.00 \u{b5}s",
            "thread 1/a/b 3.000 \u{b5}s",
            "thread 2 21.00 \u{b5}s",
            "thread 2/a 21.00 \u{b5}s"
        ]
    );
}

/// The width of a slice by bytes includes the bytes of an instant in it, as in the pivot table. Its card lists its bytes once.
#[test]
fn bytes_of_slices_count() {
    let text = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":100,"name":"a","args":{"bytes":100}},{"ph":"i","pid":1,"tid":1,"ts":5,"name":"i","args":{"bytes":10}}]"#;
    let mut session = open("bytes", text.as_bytes());
    let path = vec![FrameDimension::Name];
    let spec = MergedSpec { path, weight: FrameWeight::Bytes, ..MergedSpec::default() };
    match session.answer(&MergedFrameRequest { spec, frame: Some(1), step: None }) {
        Some(found) => {
            assert_eq!((found.path, found.value), (vec!["a".to_owned()], "100 B".to_owned()))
        }
        other => panic!("{other:?}"),
    }
    match session.answer(&CardRequest { item: Item::Span(SpanId(0)).code() }) {
        Some(card) => {
            assert_eq!(card.lines.iter().filter(|(name, _)| name == "bytes").count(), 1, "{card:?}");
        }
        other => panic!("{other:?}"),
    }
}

/// What has no category counts in the whole, beside what has one.
#[test]
fn the_whole_is_everything() {
    let text = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":10,"name":"a"},{"ph":"X","pid":1,"tid":1,"ts":2,"dur":3,"name":"b","cat":"k"},
        {"ph":"X","pid":1,"tid":1,"ts":20,"dur":5,"name":"c","cat":"k"},{"ph":"X","pid":1,"tid":1,"ts":21,"dur":1,"name":"d"}]"#;
    let mut session = open("whole", text.as_bytes());
    let path = vec![FrameDimension::Category];
    let spec = MergedSpec { path, ..MergedSpec::default() };
    for (frame, expected) in [(0, "15.00 \u{b5}s"), (1, "8.000 \u{b5}s")] {
        match session.answer(&MergedFrameRequest { spec: spec.clone(), frame: Some(frame), step: None }) {
            Some(found) => assert_eq!(found.value, expected, "{:?}", found.path),
            other => panic!("{other:?}"),
        }
    }
}

/// What a point says is found, as what a slice says is.
#[test]
fn texts_of_points_are_found() {
    let text = r#"[{"ph":"i","pid":1,"tid":1,"ts":0,"name":"log","args":{"message":"out of luck"}},
        {"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"a","args":{"message":"luck"}},{"ph":"i","pid":1,"tid":1,"ts":0,"name":"b"}]"#;
    let mut session = open("texts", text.as_bytes());
    let found = session.answer(&SearchRequest { text: "LUCK".to_owned() });
    assert_eq!((found.items, found.queries), (2, 0));
}
