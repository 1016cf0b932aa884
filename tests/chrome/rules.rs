//! Containers, slices, names and arguments.

use queryscope::protocol::DetailsRequest;
use queryscope::trace::{EventId, Item, SpanId};

use super::{check, check_thread, dump, open};

#[test]
fn containers() {
    let event = r#"{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"a"}"#;
    let picture = ["Process process 1", "Thread thread 1", "- a 0..2000"];
    let cases = [
        (format!("[{event}]"), &[][..]),
        (format!("[{event}"), &[]),
        (format!("[{event},"), &[]),
        (format!("\u{feff}[\n{event},\n{{}}\n]"), &[]),
        (format!("{event}\n"), &[]),
        (format!(r#"{{"traceEvents":[{event}]}}"#), &[]),
        (
            format!(
                r#"{{"metadata":{{"a":["]}}",{{}}]}},"displayTimeUnit":"ns","traceEvents":[{event}],"b":[1]}}"#
            ),
            &[],
        ),
        (format!(r#"{{"traceEvents":[{event}"#), &["1 x file not closed"]),
        (format!(r#"{{"traceEvents":[{event}],"otherData":{{"#), &["1 x file not closed"]),
        (format!(r#"{{"traceEvents":[{event}]}} x"#), &["1 x text after the trace"]),
        (format!("[{event},{{\"ph\":\"X\",\"ts\""), &["1 x cut off"]),
        (
            format!(r#"{{"traceEvents":[{event}],"systemTraceEvents":"","stackFrames":{{}},"samples":[]}}"#),
            &[],
        ),
        (format!("[{event},\n{{\"ph\":\"X\",]}},\n{{\"ph\":1}}]"), &["1 x broken record", "1 x no phase"]),
        // A comma behind the last member is no JSON, and no loss.
        (format!("[{},]", event.replace('}', r#","args":{},}"#)), &[]),
        // What tells the format stands behind much else.
        (format!(r#"{{"metadata":"{}","traceEvents":[{event}]}}"#, "a".repeat(70_000)), &[]),
        (format!(r#"{{"metadata":"{}","traceEvents":[{event}]}}"#, "a".repeat(1 << 20)), &[]),
        // The first event is broken, and no line begins with a brace.
        (format!("[ {{\"ph\":\"X\",\"name\":tr\"}},\n {event} ]"), &["1 x broken record"]),
    ];
    for (text, problems) in cases {
        let expected: Vec<&str> = picture.iter().chain(problems).copied().collect();
        assert_eq!(dump(&open("trace.json", text.as_bytes())), expected, "{text}");
    }
}

#[test]
fn beginnings_and_ends() {
    check_thread(
        r#"{"ph":"B","ts":0,"name":"a","args":{"x":1,"y":2}},{"ph":"B","ts":1,"name":"b"},{"ph":"E","ts":2},
           {"ph":"E","ts":3,"name":"a","args":{"y":3,"z":"t"}}"#,
        &["- a 0..3000, x=1, y=3, z=\"t\"", "-- b 1000..2000"],
    );
    // An end closes what has its name, with all that is open in it.
    check_thread(
        r#"{"ph":"B","ts":0,"name":"a"},{"ph":"B","ts":1,"name":"b"},{"ph":"E","ts":9,"name":"a"},{"ph":"E","ts":10,"name":"b"}"#,
        &[
            "- a 0..9000",
            "-- b 1000..9000, inferred",
            "1 x E after the parent ended",
            "1 x slice outlasts its parent",
        ],
    );
    check_thread(
        r#"{"ph":"B","ts":0,"name":"a"},{"ph":"B","ts":1,"name":"b"},{"ph":"B","ts":2,"name":"b"},{"ph":"E","ts":9,"name":"a"},
           {"ph":"B","ts":20,"name":"a"},{"ph":"E","ts":21,"name":"b"},{"ph":"E","ts":22,"name":"c"},{"ph":"E","ts":23,"name":"a"}"#,
        &[
            "- a 0..9000",
            "-- b 1000..9000, no end in trace",
            "--- b 2000..9000, inferred",
            "- a 20000..23000",
            "1 x E after the parent ended",
            "1 x E with another name",
            "1 x B without E",
            "1 x slice outlasts its parent",
        ],
    );
    // An end closes by its name; its category only chooses among several of that.
    check_thread(
        r#"{"ph":"B","ts":0,"name":"a","cat":"x"},{"ph":"E","ts":5,"name":"a","cat":"y"}"#,
        &[r#"- a 0..5000, category="x""#],
    );
    check_thread(
        r#"{"ph":"B","ts":0,"name":"a","cat":"x"},{"ph":"B","ts":1,"name":"a","cat":"y"},{"ph":"E","ts":5,"name":"a","cat":"x"},{"ph":"E","ts":5,"name":"a","cat":"y"}"#,
        &[r#"- a 0..5000, category="x""#, r#"-- a 1000..5000, category="y""#],
    );
    check_thread(
        r#"{"ph":"B","ts":0,"name":"a"},{"ph":"E","ts":10,"name":"b"}"#,
        &["- a 0..10000, no end in trace", "1 x E with another name", "1 x B without E"],
    );
    // Ends of one moment may stand in any order.
    check_thread(
        r#"{"ph":"B","ts":1,"name":"a"},{"ph":"B","ts":1,"name":"b"},{"ph":"E","ts":2,"name":"a"},{"ph":"E","ts":2,"name":"b"}"#,
        &["- a 0..1000", "-- b 0..1000"],
    );
    // The file's order does not matter but for ties; there an end may come before its beginning.
    check_thread(
        r#"{"ph":"E","ts":9,"name":"b"},{"ph":"E","ts":10,"name":"a"},{"ph":"B","ts":0,"name":"a"},{"ph":"B","ts":1,"name":"b"}"#,
        &["- a 0..10000", "-- b 1000..9000"],
    );
    check_thread(
        r#"{"ph":"B","ts":0,"name":"a"},{"ph":"B","ts":1,"name":"b"},{"ph":"E","ts":1,"name":"b"},{"ph":"E","ts":2,"name":"c"},
           {"ph":"B","ts":2,"name":"c"},{"ph":"X","ts":3,"dur":0,"name":"d"},{"ph":"E","ts":10,"name":"a"}"#,
        &["- a 0..10000", "-- b 1000..1000", "-- c 2000..2000", "-- d 3000..3000"],
    );
    // The clock stood still: what began before the other ended lies inside it.
    check_thread(
        r#"{"ph":"B","ts":0,"name":"a"},{"ph":"B","ts":5,"name":"b"},{"ph":"E","ts":5},{"ph":"E","ts":5},{"ph":"B","ts":5,"name":"c"},{"ph":"E","ts":6}"#,
        &["- a 0..5000", "-- b 5000..5000", "- c 5000..6000"],
    );
}

#[test]
fn complete_slices() {
    check_thread(r#"{"ph":"XXX","ts":5.1,"dur":500.1,"name":"a"}"#, &["- a 0..500100"]);
    check_thread(
        r#"{"ph":"X","ts":"1","dur":"2.5","tdur":1,"name":""}"#,
        &["- (no name) 0..2500, thread time=1000"],
    );
    // Of two that are the same the first is outside, unless ends only go up and starts do not.
    let twins = r#"{"ph":"X","ts":5,"dur":2,"name":"a"},{"ph":"X","ts":5,"dur":2,"name":"b"}"#;
    check_thread(twins, &["- a 0..2000", "-- b 0..2000"]);
    check_thread(
        &format!(r#"{twins},{{"ph":"X","ts":1,"dur":9,"name":"c"}}"#),
        &["- c 0..9000", "-- b 4000..6000", "--- a 4000..6000"],
    );
    check_thread(
        r#"{"ph":"X","ts":0,"dur":10,"name":"a"},{"ph":"X","ts":5,"dur":10,"name":"b"},{"ph":"X","ts":6,"dur":1,"name":"c"}"#,
        &[
            "- a 0..10000",
            "--- b 5000..15000, overlaps its neighbour",
            "-- c 6000..7000",
            "1 x partial overlap",
        ],
    );
    check_thread(
        r#"{"ph":"X","ts":0,"dur":10,"name":"a"},{"ph":"X","ts":9,"dur":10,"name":"b"}"#,
        &["- a 0..9000, clipped", "- b 9000..19000", "1 x clipped"],
    );
    // Where times are finer than a microsecond, that much is no rounding.
    check_thread(
        r#"{"ph":"X","ts":0,"dur":10,"name":"a"},{"ph":"X","ts":9.4,"dur":10,"name":"b"}"#,
        &["- a 0..10000", "-- b 9400..19400, overlaps its neighbour", "1 x partial overlap"],
    );
    check_thread(
        r#"{"ph":"X","ts":0,"dur":10,"name":"a"},{"ph":"X","ts":9.95,"dur":10,"name":"b"}"#,
        &["- a 0..9950, clipped", "- b 9950..19950", "1 x clipped"],
    );
    check_thread(
        r#"{"ph":"X","ts":0,"dur":10,"name":"a"},{"ph":"X","ts":5,"name":"b"},{"ph":"X","ts":6,"dur":-1,"name":"c"}"#,
        &[
            "- a 0..10000",
            "-- b 5000..10000, no end in trace",
            "--- c 6000..6000",
            "1 x no duration",
            "1 x negative duration",
        ],
    );
}

/// Escapes stand for the same in keys and phases as in texts.
#[test]
fn what_is_written_with_escapes() {
    let more = r#""pid":1,"tid":1"#;
    check(
        &format!(
            r#"{{"ph":"\u0058","\u0074s":5,"d\u0075r":1,"n\u0061me":"a",{more}}},{{"ph":"X","ts":9,"dur":1,"name":"b",{more}}},
               {{"ph":"\u0069","ts":9,"s":"\u0067","name":"g",{more}}},{{"ph":"M","name":"thread\u005fname","args":{{"name":"main"}},{more}}}"#
        ),
        &["* g 4000", "Process process 1", "Thread main 1", "- a 0..1000", "- b 4000..5000"],
    );
}

#[test]
fn what_has_no_place() {
    check_thread(
        r#"{"ph":"X","ts":1,"dur":1,"name":"a"},{"ph":"X","dur":1},{"ph":"X","ts":"1a","dur":1},{"ph":"X","ts":1e16},
           {"ph":"P","ts":1},
           {"ph":"(","ts":1},{"ph":"=","ts":1},{"ph":"a","ts":1},{"ph":"?","ts":1},{"ts":1}"#,
        &[
            "- a 0..1000",
            "2 x no timestamp",
            "1 x timestamp out of range",
            "1 x sample (P)",
            "1 x context (phases ( and ))",
            "1 x linked ids (=)",
            "1 x unknown phase (a)",
            "1 x unknown phase",
            "1 x no phase",
        ],
    );
}

#[test]
fn who_and_in_which_order() {
    check(
        r#"{"ph":"X","pid":1,"tid":0,"ts":0,"dur":1,"name":"a"},{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"b"},
           {"ph":"X","pid":1,"tid":139773157415808,"ts":0,"dur":1,"name":"c"},{"ph":"X","pid":"1","tid":"x","ts":0,"dur":1,"name":"d"},
           {"ph":"X","pid":-1,"tid":18446744073709551615,"ts":0,"dur":1,"name":"e"},
           {"ph":"M","pid":1,"tid":0,"name":"thread_name","args":{"name":"old"}},{"ph":"M","pid":1,"tid":0,"name":"thread_name","args":{"name":"main"}},
           {"ph":"M","pid":1,"tid":7,"name":"thread_name","args":{"name":"idle"}},{"ph":"M","pid":1,"name":"process_name","args":{"name":"p"}},
           {"ph":"M","pid":1,"name":"process_labels","args":{"labels":"l"}},{"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":-5}},
           {"ph":"M","pid":-1,"name":"process_sort_index","args":{"sort_index":1795239818871230}},{"ph":"M","pid":1,"name":"num_cpus","args":{"number":2}}"#,
        &[
            "Process p 1 · l",
            "Thread thread 1",
            "- b 0..1000",
            "Thread main 0",
            "- a 0..1000",
            "Thread thread 139773157415808",
            "- c 0..1000",
            "Process process 1",
            "Thread thread x",
            "- d 0..1000",
            "Process process -1",
            "Thread thread 18446744073709551615",
            "- e 0..1000",
            "1 x id is number and text",
        ],
    );
    // Without a tid it is of a thread of its own, without a pid of a process of its own.
    check(
        r#"{"ph":"X","pid":1,"ts":1,"dur":5,"name":"b"},{"ph":"X","pid":1,"tid":1,"ts":1,"dur":10,"name":"a"},{"ph":"X","ts":1,"dur":1,"name":"c"}"#,
        &[
            "Process process 1",
            "Thread thread 1",
            "- a 0..10000",
            "Thread thread none",
            "- b 0..5000",
            "Process process none",
            "Thread thread none",
            "- c 0..1000",
            "2 x no tid",
            "1 x no pid",
        ],
    );
}

#[test]
fn arguments_of_any_shape() {
    check_thread(
        r#"{"ph":"X","ts":0,"dur":1,"name":"a","cat":"c,d","args":{"n":-5,"f":45.67,"s":"12","t":"012","b":true,"z":null,"l":[1,{"x":2}],"o":{"p":{"q":1}},"e":"\u00e4"},".file":"m.rs"}"#,
        &[
            r#"- a 0..1000, n=-5, f=45670000, s=12, o.p.q=1, category="c,d", t="012", b="true", z="null", l="[1,{\"x\":2}]", e="ä", .file="m.rs""#,
        ],
    );
    // What an event has besides its arguments is not replaced by one of the same name.
    let same = r#"{"ph":"X","ts":0,"dur":1,"name":"a","cat":"real","args":{"category":"fake","duration":1,"self":2,"error":3}}"#;
    let kept = r#"args.duration=1, args.self=2, args.error=3, category="real", args.category="fake""#;
    check_thread(
        &[
            same,
            &same.replace("\"ts\":0", "\"ts\":5"),
            r#"{"ph":"B","ts":9,"name":"b","cat":"real"},{"ph":"E","ts":9,"args":{"category":1}}"#,
        ]
        .join(","),
        &[
            &format!("- a 0..1000, {kept}"),
            &format!("- a 5000..6000, {kept}"),
            r#"- b 9000..9000, args.category=1, category="real""#,
        ],
    );
    check_thread(r#"{"ph":"X","ts":0,"dur":1,"name":"a","args":null}"#, &["- a 0..1000"]);
    check_thread(
        r#"{"ph":"X","ts":0,"dur":1,"name":"a","args":"__stripped__"}"#,
        &["- a 0..1000, args=\"__stripped__\""],
    );
    let long = format!(r#"{{"ph":"X","ts":0,"dur":1,"name":"a","args":{{"l":"{}"}}}}"#, "ä".repeat(201));
    check_thread(&long, &[&format!("- a 0..1000, l=\"{}…\"", "ä".repeat(200)), "1 x long argument"]);
    // One key with whole numbers and decimals: one measure.
    check_thread(
        r#"{"ph":"X","ts":0,"dur":1,"name":"a","args":{"n":1}},{"ph":"X","ts":5,"dur":1,"name":"a","args":{"n":0.5}}"#,
        &["- a 0..1000, n=1000000", "- a 5000..6000, n=500000"],
    );
}

/// Where something lies is said of everything.
#[test]
fn details_name_process_and_thread() {
    let text = r#"[{"ph":"X","pid":1,"tid":2,"ts":0,"dur":5,"name":"a"},{"ph":"M","pid":1,"name":"process_name","args":{"name":"p"}},
        {"ph":"M","pid":1,"tid":2,"name":"thread_name","args":{"name":"t"}},{"ph":"b","pid":1,"id":1,"cat":"c","ts":0,"name":"x"},
        {"ph":"C","pid":1,"ts":1,"name":"n","args":{"v":1}}]"#;
    let mut session = open("trace.json", text.as_bytes());
    let mut tracks = |item: Item| match session.answer(&DetailsRequest { item: item.code() }) {
        Some(details) => details.tracks,
        other => panic!("{other:?}"),
    };
    assert_eq!(tracks(Item::Span(SpanId(0))), ["p 1", "t 2"]);
    assert_eq!(tracks(Item::Span(SpanId(1))), ["p 1", "x · c"]);
    assert_eq!(tracks(Item::Event(EventId(0))), ["p 1", "n"]);
}

/// What a file says of the whole trace stands beside the run.
#[test]
fn sections_and_other_metadata() {
    let text = r#"{"displayTimeUnit":"ns","metadata":{"os":"x","v":{"n":1}},"traceEvents":[{"ph":"X","ts":1,"dur":2,"name":"a","pid":1,"tid":1},
        {"ph":"M","pid":1,"name":"version","args":{"node":"20.1"}},{"ph":"M","pid":1,"name":"nothing"}],"otherData":{"b":[1,2]},"last":7}"#;
    let session = open("trace.json", text.as_bytes());
    let trace = session.trace();
    let notes: Vec<_> = trace.notes.iter().map(|note| (&*note.name, note.text.as_str())).collect();
    let about = "displayTimeUnit: ns · os: x · v: {\"n\":1} · version.node: 20.1 · b: [1,2] · last: 7";
    assert_eq!(notes, [("metadata", about)]);
    assert_eq!(dump(&session)[3..], ["1 x other metadata"]);
}

/// What overlaps without nesting holds what happens in it, as what nests does.
#[test]
fn what_only_overlaps_holds_moments() {
    check_thread(
        r#"{"ph":"X","ts":0,"dur":100,"name":"a"},{"ph":"X","ts":10,"dur":110,"name":"b"},{"ph":"X","ts":20,"dur":10,"name":"c"},
           {"ph":"i","ts":25,"name":"i"},{"ph":"i","ts":110,"name":"j"},{"ph":"s","ts":110,"name":"f","id":1},
           {"ph":"X","ts":200,"dur":10,"name":"d"},{"ph":"f","bp":"e","ts":205,"name":"f","id":1}"#,
        &[
            "- a 0..100000",
            "--- b 10000..120000, overlaps its neighbour",
            "-- c 20000..30000",
            "- d 200000..210000",
            "* i 25000 in c",
            "* j 110000 in b",
            "b -> d 110000..205000",
            "1 x partial overlap",
        ],
    );
}

/// What began and did not end goes on to the end of the whole trace, or of what it lies in.
#[test]
fn what_nothing_ends_goes_on_to_the_end() {
    let other = r#"{"ph":"X","pid":1,"tid":2,"ts":0,"dur":1000,"name":"other"}"#;
    let hang = |begin: &str| format!(r#"{{"pid":1,"tid":1,"name":"hang","id":1,"ts":1,{begin}}},{other}"#);
    let at =
        |phase: &str, ts: u32| format!(r#"{{"ph":"{phase}","pid":1,"tid":1,"id":1,"ts":{ts},"name":"a"}}"#);
    let cases = [
        (hang(r#""ph":"B""#) + "," + &at("i", 500), "- hang 1000..1000000, no end in trace"),
        (hang(r#""ph":"X""#), "- hang 1000..1000000, no end in trace"),
        (hang(r#""ph":"S""#), "- hang 1000..1000000, no end in trace"),
        (hang(r#""ph":"b""#), "- hang 1000..1000000, no end in trace"),
        (hang(r#""ph":"b""#) + "," + &at("b", 0) + "," + &at("e", 9), "-- hang 1000..9000, no end in trace"),
        (hang(r#""ph":"B""#) + "," + &at("B", 0) + "," + &at("E", 9), "-- hang 1000..9000, no end in trace"),
    ];
    for (events, expected) in cases {
        let lines = dump(&open("trace.json", format!("[{events}]").as_bytes()));
        assert!(lines.iter().any(|line| line == expected), "{events}: {lines:#?}");
        assert!(!lines.iter().any(|line| line == "* a 500000"), "{events}: {lines:#?}");
    }
}

/// A number and the same as text are two, which is told once; what has no thread is of none that has a number.
#[test]
fn ids_that_look_alike() {
    let slice = |pid: &str, tid: &str| format!(r#"{{"ph":"X","pid":{pid},"ts":0,"dur":1,"name":"a"{tid}}}"#);
    check(
        &[slice("1", r#","tid":1"#), slice("1", "")].join(","),
        &[
            "Process process 1",
            "Thread thread 1",
            "- a 0..1000",
            "Thread thread none",
            "- a 0..1000",
            "1 x no tid",
        ],
    );
    let named =
        |tid: &str| format!(r#"{{"ph":"M","pid":1,"tid":{tid},"name":"thread_name","args":{{"name":"n"}}}}"#);
    let same = "1 x id is number and text";
    for (events, expected) in [
        ([slice("1", r#","tid":7"#), slice("1", r#","tid":"7""#)], same),
        ([slice("1", r#","tid":"7""#), slice("1", r#","tid":7"#)], same),
        ([slice("1", r#","tid":7"#), slice(r#""1""#, r#","tid":7"#)], same),
        ([named(r#""7""#), slice("1", r#","tid":7"#)], same),
        ([slice("1", r#","tid":7"#), named(r#""7""#)], same),
        ([slice("1", r#","tid":7"#), named("7")], ""),
        ([slice("1", r#","tid":7"#), slice("2", r#","tid":"7""#)], ""),
        ([slice("1", r#","tid":7"#), slice("1", r#","tid":"main""#)], ""),
    ] {
        let lines = dump(&open("trace.json", format!("[{}]", events.join(",")).as_bytes()));
        let told = lines.iter().find(|line| line.contains(" x ")).map_or("", String::as_str);
        assert_eq!(told, expected, "{events:?}");
    }
}
