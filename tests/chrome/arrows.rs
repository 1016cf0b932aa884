//! Arrows: which slices their ends belong to, and what is said where there is none.

use queryscope::protocol::{Arrangement, ArrowsRequest, ColorBy, DetailsRequest, ViewKind, ViewSpec};
use queryscope::trace::{EventId, Item};

/// Slices on threads of their own, and the arrows between them.
fn check_arrows(events: &str, expected: &[&str]) {
    let session = super::open("trace.json", format!("[{events}]").as_bytes());
    let lines = super::dump(&session);
    let told = |line: &&String| line.contains(" -> ") || line.contains(" x ");
    let found: Vec<&str> = lines.iter().filter(told).map(String::as_str).collect();
    assert_eq!(found, expected, "{events}");
}

/// A slice may hand on long before it ends: the order of their starts is that of the chain.
#[test]
fn slices_are_joined_in_the_order_of_their_starts() {
    let slice = |name: &str, (tid, ts, dur): (u32, u32, u32), flow: &str| {
        let flow = flow.split('+').map(|flow| format!(r#","flow_{flow}":true"#)).collect::<String>();
        format!(
            r#"{{"ph":"X","pid":1,"tid":{tid},"ts":{ts},"dur":{dur},"name":"{name}","bind_id":"0x1"{flow}}}"#
        )
    };
    let cases = [
        (vec![slice("a", (1, 0, 100), "out"), slice("b", (2, 50, 100), "in")], vec!["a -> b 50000..50000"]),
        (
            vec![
                slice("a", (1, 0, 10), "out"),
                slice("b", (2, 20, 100), "in+out"),
                slice("c", (3, 30, 10), "in"),
            ],
            vec!["a -> b 10000..20000", "b -> c 30000..30000"],
        ),
        // At one moment; and what was to go on and does not.
        (
            vec![slice("b", (2, 0, 10), "in+out"), slice("a", (1, 0, 10), "out")],
            vec!["a -> b 0..0", "1 x bind_id without its other end"],
        ),
    ];
    for (events, expected) in cases {
        check_arrows(&events.join(","), &expected);
    }
}

/// What is missing is told as what it is.
#[test]
fn ends_that_belong_to_no_slice() {
    let slices = r#"{"ph":"X","pid":1,"tid":1,"ts":0,"dur":100,"name":"a"},{"ph":"X","pid":1,"tid":2,"ts":20,"dur":100,"name":"b"}"#;
    let end = |phase: &str, tid: u32, ts: u32| {
        format!(r#"{{"ph":"{phase}","pid":1,"tid":{tid},"ts":{ts},"id":1,"cat":"c","name":"f"}}"#)
    };
    let cases = [
        (
            [end("s", 1, 10), end("f", 2, 50)],
            vec!["1 x flow without a next slice", "1 x flow whose other end is in no slice"],
        ),
        (
            [end("s", 1, 200), end("t", 2, 50)],
            vec!["1 x flow outside of a slice", "1 x flow whose other end is in no slice"],
        ),
        ([end("s", 1, 10), end("s", 2, 50)], vec!["2 x flow without its other end"]),
    ];
    for (ends, expected) in cases {
        check_arrows(&format!("{slices},{}", ends.join(",")), &expected);
    }
}

/// Catapult's rule for what is older than `bp`.
#[test]
fn ends_of_input_belong_to_what_they_lie_in() {
    for (category, expected) in [
        ("input", "a -> b 10000..50000"),
        ("benchmark,latencyInfo,input", "a -> b 10000..50000"),
        ("ipc.flow", "a -> b 10000..50000"),
        ("toplevel.flow", "a -> c 10000..200000"),
    ] {
        let end = |phase: &str, tid: u32, ts: u32| {
            format!(
                r#"{{"ph":"{phase}","pid":1,"tid":{tid},"ts":{ts},"id":1,"cat":"{category}","name":"f"}}"#
            )
        };
        let slices = r#"{"ph":"X","pid":1,"tid":1,"ts":0,"dur":100,"name":"a"},{"ph":"X","pid":1,"tid":2,"ts":20,"dur":100,"name":"b"},
            {"ph":"X","pid":1,"tid":2,"ts":200,"dur":100,"name":"c"}"#;
        check_arrows(&[slices, &end("s", 1, 10), &end("f", 2, 50)].join(","), &[expected]);
    }
}

/// What is asynchronous hands on as other slices do, and so does a moment of it; where nothing is drawn, it is told.
#[test]
fn slices_of_ids_are_joined() {
    let at = |phase: &str, (id, ts): (u32, u32), flow: &str| {
        let more =
            if flow.is_empty() { String::new() } else { format!(r#","bind_id":"0x5","flow_{flow}":true"#) };
        format!(r#"{{"ph":"{phase}","cat":"c","name":"n{id}","id":{id},"pid":1,"tid":1,"ts":{ts}{more}}}"#)
    };
    let first = [at("b", (1, 0), "out"), at("e", (1, 10), "")];
    let moment = [at("b", (1, 0), ""), at("n", (1, 5), "out"), at("e", (1, 10), "")];
    let slice =
        r#"{"ph":"X","name":"z","pid":1,"tid":2,"ts":20,"dur":5,"bind_id":"0x5","flow_in":true}"#.to_owned();
    let alone = "1 x bind_id without its other end";
    for (events, expected) in [
        (
            [&first[..], &[at("b", (2, 20), "in"), at("e", (2, 30), "")]].concat(),
            &["n1 -> n2 10000..20000"][..],
        ),
        ([&first[..], std::slice::from_ref(&slice)].concat(), &["n1 -> z 10000..20000"]),
        ([&moment[..], &[slice]].concat(), &["n1 -> z 5000..20000"]),
        (first.to_vec(), &[alone]),
        ([&first[..], &[at("n", (3, 40), "in")]].concat(), &["2 x bind_id without its other end"]),
    ] {
        check_arrows(&events.join(","), expected);
    }
}

/// An arrow goes from slice to slice: what says it of something else is told, in every way in which events are read.
#[test]
fn what_has_a_bind_id_and_no_slice() {
    let event = |phase: &str, ts: u32, more: &str| {
        format!(r#"{{"ph":"{phase}","pid":1,"tid":1,"ts":{ts},"name":"a","bind_id":"0x1"{more}}}"#)
    };
    let flow = r#","flow_out":true,"dur":1,"id":1,"args":{"name":"n"}"#;
    for (phase, more, n) in [
        ("i", flow, 3),
        ("I", flow, 3),
        ("R", flow, 3),
        ("C", r#","flow_in":true,"args":{"v":1}"#, 3),
        ("M", flow, 3),
        ("i", "", 3),
        ("X", r#","dur":1"#, 3),
        ("X", flow, 0),
        ("b", flow, 0),
        ("n", flow, 0),
    ] {
        let events: Vec<String> = (0..3).map(|ts| event(phase, ts, more)).collect();
        let lines = super::dump(&super::open("t.json", format!("[{}]", events.join(",")).as_bytes()));
        let told = lines.iter().find(|line| line.ends_with(" x bind_id without a direction"));
        let expected = (n > 0).then(|| format!("{n} x bind_id without a direction"));
        assert_eq!(told, expected.as_ref(), "{phase} {more}: {lines:#?}");
    }
}

/// An arrow that belongs to an instant is one of the instant: as many as the file has pairs of ends, each drawn and linked.
#[test]
fn arrows_of_instants_are_found() {
    let text = include_str!("../traces/chrome/flow-instants.json");
    let events: serde_json::Value = serde_json::from_str(text).expect("sound JSON");
    let pairs = events.as_array().expect("an array").iter().filter(|event| event["ph"] == "s").count();
    let mut session = super::open("flow-instants.json", text.as_bytes());
    assert_eq!(session.trace().flows.len(), pairs);
    assert!(session.report().iter().all(|file| file.problems.is_empty() && file.reported == 0));
    let view = ViewSpec::new(ViewKind::Gantt(Arrangement::Packed), ColorBy::Kind);
    let instants = session.trace().events.len() as u32;
    for (at, count) in (0..instants).zip([1, 1, 1, 1]) {
        let item = Item::Event(EventId(at)).code();
        let arrows = session.answer(&ArrowsRequest { item, view: view.clone() });
        assert_eq!((arrows.list.len(), arrows.more), (count, 0), "{at}");
        let details = session.answer(&DetailsRequest { item });
        let details = details.expect("an instant");
        assert_eq!(details.n_arrows.0 + details.n_arrows.1, count as u32, "{at}");
    }
    // Of a range of time, those are left of which something of both ends lies in it.
    let left = |range| {
        let mut session = super::open("flow-instants.json", text.as_bytes());
        session.cut_to(range);
        let lines = super::dump(&session);
        lines.into_iter().filter(|line| line.contains(" -> ")).collect::<Vec<_>>()
    };
    assert_eq!(left((0, 10_000)), ["PostTask -> Run 0..4000"]);
    assert_eq!(left((10_000, 21_000)), ["first -> taken 15000..20000", "second -> Run 15000..25000"]);
    assert_eq!(left((16_000, 21_000)), [""; 0]);
}
