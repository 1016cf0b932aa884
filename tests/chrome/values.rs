//! What values and names become: numbers in strings, names that several things have, nothing at all.

use queryscope::protocol::{
    AnyRequest, CardRequest, DetailsRequest, FrameArgumentsRequest, PivotChoicesRequest, PivotRequest,
    PivotSpec, PivotView,
};

use super::{check, check_thread, dump, open};

/// A string that can only be a number is one, with decimals as without.
#[test]
fn numbers_in_strings() {
    for (value, expected) in [
        ("12", "n=12"),
        ("-7", "n=-7"),
        ("0", "n=0"),
        ("12.5", "n=12500000"),
        ("-0.25", "n=-250000"),
        ("12.50", "n=12500000"),
        ("0.0", "n=0"),
        ("007", "n=\"007\""),
        ("-0", "n=\"-0\""),
        ("00.5", "n=\"00.5\""),
        (".5", "n=\".5\""),
        ("5.", "n=\"5.\""),
        ("+1.5", "n=\"+1.5\""),
        ("1e5", "n=\"1e5\""),
        ("1.5e3", "n=\"1.5e3\""),
        ("1.2.3", "n=\"1.2.3\""),
        ("1.5 ms", "n=\"1.5 ms\""),
        ("1234567890123456789.5", "n=\"1234567890123456789.5\""),
    ] {
        let event = |ts: u32| {
            format!(r#"{{"ph":"X","ts":{ts},"dur":1,"name":"a","args":{{"n":"{value}","k":{ts}}}}}"#)
        };
        // The first is parsed, those behind it are like it.
        let lines = dump(&open("t.json", format!("[{},{},{}]", event(0), event(1), event(2)).as_bytes()));
        for line in &lines[2..5] {
            assert!(line.contains(expected), "{value}: {line}");
        }
    }
}

/// Whatever ways lead to one name: all that an event carries is kept.
#[test]
fn arguments_that_come_to_one_name() {
    for (event, expected) in [
        (r#""args":{"a.b":1,"a":{"b":2}}"#, "a.b=1, a.b (2)=2"),
        (r#""args":{"a":{"b":2},"a.b":1}"#, "a.b=2, a.b (2)=1"),
        (r#""args":{"a.b.c":1,"a":{"b.c":2,"b":{"c":3}}}"#, "a.b.c=1, a.b.c (2)=2, a.b.c (3)=3"),
        (r#""args":{"x":1},"x":2"#, "x=1, x (2)=2"),
        (r#""args":{"a":1,"a":2}"#, "a=2"),
    ] {
        let event = |ts: u32| format!(r#"{{"ph":"X","ts":{ts},"dur":1,"name":"a",{event}}}"#);
        let line = |ts: u32| format!("- a {}..{}, {expected}", ts * 1000, (ts + 1) * 1000);
        check_thread(&[event(0), event(5)].join(","), &[&line(0), &line(5)]);
    }
}

/// What every span and event has can be asked for by its name, and what an event carries by that name, too.
#[test]
fn arguments_called_as_what_all_events_have() {
    let names =
        ["name", "Kind", "process", "thread", "track", "parent", "status", "run", "start", "self_time"];
    for name in names {
        let event = format!(r#"{{"ph":"X","ts":0,"dur":1,"name":"a","args":{{"{name}":"v"}}}}"#);
        check_thread(&event, &[&format!("- a 0..1000, args.{name}=\"v\"")]);
    }
    let text = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"name":"a","args":{"status":"bad"}}]"#;
    let mut session = open("trace.json", text.as_bytes());
    let choices = session.answer(&PivotChoicesRequest);
    assert!(format!("{choices:?}").contains("args.status"), "{choices:?}");
}

/// Characters that turn the direction of writing are signs wherever an argument's name is shown, and both names find it.
#[test]
fn names_of_arguments_that_turn_the_direction() {
    let turning = ["\u{202a}", "\u{202e}", "\u{2066}", "\u{2069}", "\u{200e}", "\u{200f}", "\u{61c}"];
    for turn in turning {
        let text = format!(
            r#"[{{"ph":"X","pid":1,"tid":1,"ts":0,"dur":1,"name":"a","args":{{"n{turn}x":"v","m{turn}y":3}}}}]"#
        );
        let mut session = open("trace.json", text.as_bytes());
        let item = queryscope::trace::Item::Span(queryscope::trace::SpanId(0)).code();
        let pivot = |by: &str, measures: &str| {
            let (by, measures) = (by.to_owned(), measures.to_owned());
            let spec = PivotSpec { by, measures, ..PivotSpec::default() };
            AnyRequest::from(PivotRequest {
                view: PivotView { spec, ..PivotView::default() },
                first: 0,
                count: 9,
            })
        };
        for request in [
            DetailsRequest { item }.into(),
            CardRequest { item }.into(),
            PivotChoicesRequest.into(),
            FrameArgumentsRequest.into(),
            pivot("n\u{fffd}x", "sum(m\u{fffd}y)"),
            pivot(&format!("n{turn}x"), &format!("sum(m{turn}y)")),
            pivot("q", "count"),
        ] {
            let reply = format!("{:?}", session.answer_any(&request));
            let shown = reply.contains("n\u{fffd}x") && reply.contains("m\u{fffd}y");
            assert!(shown, "{request:?}: {reply}");
            let escaped = turn.escape_unicode().to_string();
            assert!(
                !reply.contains(turn) && !reply.contains(&escaped) || matches!(request, AnyRequest::Pivot(_)),
                "{reply}"
            );
        }
        let place = session.place(queryscope::trace::RecordId(0)).expect("a record");
        let record = &text[place.offset as usize..][..place.length as usize];
        let fields = session.raw(&place, record.as_bytes()).fields;
        assert!(fields.iter().any(|(name, _)| name == "args.n\u{fffd}x"), "{fields:?}");
    }
}

/// Tracks have names of their own.
#[test]
fn counters_of_one_title() {
    let counter = |name: &str, args: &str, id: &str| {
        format!(r#"{{"ph":"C","pid":1,"ts":0,"name":"{name}"{id},"args":{{{args}}}}}"#)
    };
    check(
        &[
            counter("c", r#""a":1,"b":2"#, ""),
            counter("c · a", r#""v":3"#, ""),
            counter("c", r#""v":4"#, r#","id":"a""#),
        ]
        .join(","),
        &[
            "Process process 1",
            "Counter c · a",
            "* c · a 0, a=1",
            "Counter c · b",
            "* c · b 0, b=2",
            "Counter “c · a”",
            "* “c · a” 0, v=3",
            "Counter “c” · “a”",
            "* “c” · “a” 0, v=4",
        ],
    );
}

/// A trace without events is one, and says so.
#[test]
fn traces_without_events() {
    for text in [
        "[]",
        " [ ]\n",
        "[",
        "[{}]",
        r#"{"traceEvents":[]}"#,
        r#"{"traceEvents":[ ],"displayTimeUnit":"ns"}"#,
    ] {
        let session = open("t.json", text.as_bytes());
        let report = &session.report()[0];
        assert!(
            report.recognised && report.format.starts_with("Chrome Trace Event"),
            "{text}: {}",
            report.format
        );
        assert_eq!(dump(&session), ["1 x no events"], "{text}");
    }
}
