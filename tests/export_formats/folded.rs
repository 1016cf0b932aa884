//! Folded stacks: inferno draws a flame graph of every file, and our reader finds the same weights.

use inferno::flamegraph::{Options, from_lines};
use queryscope::export::ForeignFormat;
use queryscope::internal::analysis::self_times;
use queryscope::internal::testing::dump;
use queryscope::session::Session;
use queryscope::trace::{Flags, SpanId};

use super::{limit, sessions, written};
use crate::support;

/// Sum of the weights of all lines.
fn weights(text: &str) -> u128 {
    let weight = |line: &str| -> u128 {
        let (stack, weight) = line.rsplit_once(' ').expect("a stack and a weight");
        assert!(stack.split(';').all(|frame| !frame.trim().is_empty()), "{line}");
        weight.parse().expect("a whole number")
    };
    text.lines().map(weight).sum()
}

#[test]
fn inferno_and_our_reader_open_every_file() {
    for (name, session) in sessions() {
        let (text, _) = written(&session, ForeignFormat::Folded);
        let trace = session.trace();
        let is_segment = |at: u32| trace.spans.flags(SpanId(at)).has(Flags::SEGMENT);
        let times = (0..).zip(self_times(trace, 0..trace.spans.len() as u32));
        let counted = times.filter(|&(at, _)| !is_segment(at));
        let expected: u128 = counted.map(|(_, time)| u128::from(time.max(0).unsigned_abs())).sum();
        assert_eq!(weights(&text), expected, "{name}");
        if expected == 0 {
            assert_eq!(text, "", "{name}");
            continue;
        }
        let mut image = Vec::new();
        let drawn = from_lines(&mut Options::default(), text.lines(), &mut image);
        assert!(drawn.is_ok() && !image.is_empty(), "{name}: {drawn:?}");
        // More than 2 trillion samples cannot be drawn.
        if expected < 2_000_000_000_000 {
            // Single frames could be any list.
            let mut reader = Session::default();
            reader.read_as(Some("folded")).expect("a known format");
            let again = support::open_in(reader, [("again.folded", text.as_bytes())]);
            let problems: Vec<_> = again.report().into_iter().flat_map(|file| file.problems).collect();
            assert!(problems.is_empty(), "{name}: {problems:?}");
            let trace = again.trace();
            let times = self_times(trace, 0..trace.spans.len() as u32);
            assert_eq!(times.iter().map(|&time| time as u128).sum::<u128>(), expected * 1_000_000, "{name}");
        }
    }
}

/// Compares the file of a trace in the format `queryscope`, and what it says is not in it.
fn check(trace: &str, expected: &str, not_written: &[&str]) {
    let session = limit(trace);
    let (text, summary) = written(&session, ForeignFormat::Folded);
    assert_eq!(text, expected, "{:?}", dump(session.trace()));
    assert_eq!(summary.not_written, not_written);
}

#[test]
fn stacks_are_weighted_by_self_time() {
    let thread = r#"{"run":"r"} {"track":"t","kind":"thread"}"#;
    let nested = r#"{"span":"a","start":0,"duration":10} {"span":"b","start":2,"duration":3,"row":1,"parent":0}
        {"span":"c","start":2,"duration":1,"row":2,"parent":1} {"span":"b","start":6,"duration":2,"row":1,"parent":0}"#;
    check(&format!("{thread} {nested}"), "a 5\na;b 4\na;b;c 1\n", &[]);
    let odd = r##"{"span":"x;y","start":0,"duration":3} {"span":"n  12\n","start":0,"duration":2,"row":1,"parent":0}
        {"span":"\u0000","start":4,"duration":1} {"span":"# c","start":6,"duration":2}"##;
    check(&format!("{thread} {odd}"), "x:y 1\nx:y;n_12 2\n(no name) 1\n # c 2\n", &[]);
    let elsewhere = r#"{"span":"q","start":0,"duration":9} {"track":"u","kind":"thread"} {"span":"p","start":1,"duration":8,"parent":0}
        {"event":"e","time":3} {"span":"z","start":9,"duration":0} {"flow":"f","from":0,"to":1,"leaves":1,"arrives":2}"#;
    check(
        &format!("{thread} {elsewhere}"),
        "q 1\nq;p 8\n",
        &["1 arrow", "1 event", "1 span without a duration"],
    );
    let runs = r#"{"span":"a","start":0,"duration":1} {"run":"s"} {"track":"t","kind":"thread"} {"span":"a","start":0,"duration":2}"#;
    let segments = r#"{"span":"request","start":0,"duration":10} {"span":"request","start":0,"duration":4,"row":1,"parent":0,"flags":["segment"]}
        {"span":"request","start":4,"duration":6,"row":1,"parent":0,"flags":["segment"]}"#;
    check(&format!("{thread} {segments}"), "request 10\n", &["2 segments of requests"]);
    check(&format!("{thread} {runs}"), "r;a 1\ns;a 2\n", &[]);
    check("", "", &[]);
}
