//! Files that are cut, shuffled or damaged.

use queryscope::session::Session;
use queryscope::trace::SpanId;

use super::{dump, open};

/// Something of everything, in every shape.
fn of_everything() -> [String; 3] {
    let names = [
        ("scheduler_iteration", 900, r#""iteration":"1""#),
        ("scheduler_iteration_begin", 0, r#""iteration":"1""#),
        ("component_execute", 40, r#""component_id":"a","lane":"main","causation_id":"x#1""#),
        ("component_execute_begin", 0, r#""component_id":"b\"","lane":"main""#),
        ("channel_publish", 0, r#""channel_id":"x","source_component":"a","edge_kind":"state""#),
        ("channel_commit", 0, r#""channel_id":"x","source_component":"a""#),
        ("loop_iteration", 30, r#""loop_id":"ä","iteration":"2","residual":"0.5""#),
        ("component_execute", 70, r#""component_id":"a","lane":"pool","worker_id":"1""#),
        ("health_event", 0, r#""kind":"channel_overflow","channel_id":"x""#),
        ("async_admission", 0, r#""accepted":"false","channel_id":"x""#),
    ];
    let all = || names.iter().cycle().take(40).zip(0..);
    let events: Vec<String> = all()
        .map(|((name, length, attributes), at)| {
            format!(r#"{{"attributes":{{{attributes}}},"duration_ns":{length},"name":"{name}","start_offset_ns":{},"trace_id":"trace-1-{at}"}}"#, at * 10)
        })
        .collect();
    let exported: Vec<String> = all()
        .map(|((name, length, args), at)| {
            format!(r#"{{"args":{{{args}}},"cat":"topoexec","dur":0.{length:03},"name":"{name}","ph":"X","pid":1,"tid":0,"ts":{at}.25}}"#)
        })
        .collect();
    let observed: Vec<String> = all()
        .map(|((_, length, _), at)| {
            format!(r#"{{"attributes":{{"value0":{length}}},"component_id":"a","kind":"component_end","mono_ns":{at},"observe_schema_version":"1"}}"#)
        })
        .collect();
    let errors = r#""errors":["component a failed: \"no\"","x"],"runtime_errors":[{"component_id":"a","message":"no"}]"#;
    [
        format!(
            r#"{{{errors},"graph_name":"g","ok":false,"trace":[{}],"trace_event_count":40}}"#,
            events.join(",\n  ")
        ),
        format!(
            r#"{{"displayTimeUnit":"ns","traceEvents":[{}],"trace_schema_version":"1"}}"#,
            exported.join(",")
        ),
        observed.join("\n"),
    ]
}

#[test]
fn a_file_cut_anywhere_is_accounted_for() {
    for text in of_everything() {
        for end in (0..text.len()).step_by(3) {
            open("cut", &text.as_bytes()[..end]);
        }
    }
}

#[test]
fn where_bytes_are_cut_never_matters() {
    for text in of_everything() {
        // Behind what is looked at to recognise a file: from there on it is read as it comes.
        let end = text.find("},{").or(text.find("},\n")).or(text.find("}\n")).expect("several events") + 1;
        let broken = text.replacen(r#""name":"h"#, r#""name":h"#, 1);
        for text in [text, broken] {
            let text = format!("{}{}{}", &text[..end], " ".repeat(64 << 10), &text[end..]);
            let whole = open("whole", text.as_bytes());
            for size in [1, 7, 1000] {
                let mut cut = Session::default();
                cut.open("whole");
                text.as_bytes().chunks(size).for_each(|part| cut.push(part));
                cut.close(None);
                cut.build();
                assert_eq!(dump(&cut), dump(&whole), "slices of {size}");
                assert_eq!(cut.report(), whole.report());
            }
        }
    }
}

#[test]
fn damage_never_panics_and_is_accounted_for() {
    // The same numbers on every machine.
    let mut dice = 1_u64;
    let mut roll = |below: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % below
    };
    for text in of_everything() {
        for _ in 0..400 {
            let mut bytes = text.clone().into_bytes();
            for _ in 0..=roll(4) {
                let at = roll(bytes.len());
                match roll(4) {
                    0 => bytes[at] = roll(256) as u8,
                    1 => bytes.insert(at, b"\"{}[],:\\\n"[roll(9)]),
                    2 => drop(bytes.drain(at..(at + roll(50)).min(bytes.len()))),
                    _ => bytes.rotate_left(at),
                }
            }
            open("damaged", &bytes);
        }
        let mut lines: Vec<&str> = text.lines().collect();
        (1..lines.len()).for_each(|at| lines.swap(at, roll(at + 1)));
        open("shuffled", lines.join("\n").as_bytes());
    }
}

/// Events in any order give the same picture: that of their times, and of the order in which they were recorded.
#[test]
fn the_order_of_the_file_never_matters() {
    let [text, ..] = of_everything();
    let start = text.find("[{\"attributes").expect("a list of events") + 1;
    let end = text.rfind(']').expect("its end");
    let mut events: Vec<&str> = text[start..end].split(",\n  ").collect();
    events.reverse();
    let reversed = format!("{}{}{}", &text[..start], events.join(",\n  "), &text[end..]);
    assert_eq!(dump(&open("reversed", reversed.as_bytes())), dump(&open("whole", text.as_bytes())));
}

/// Every event that is shown can be read again where it stands.
#[test]
fn records_are_read_again_where_they_stand() {
    for text in of_everything() {
        let session = open("again", text.as_bytes());
        let trace = session.trace();
        assert!(!trace.spans.is_empty());
        for id in (0..trace.spans.len() as u32).map(SpanId) {
            let place = session.place(trace.spans.get(id).begin).expect("it has a record");
            let bytes = &text.as_bytes()[place.offset as usize..][..place.length as usize];
            let fields = session.raw(&place, bytes).fields;
            assert!(fields.iter().any(|(name, _)| name == "name" || name == "kind"), "{fields:?}");
            let inner =
                |(name, _): &(String, String)| name.starts_with("args.") || name.starts_with("attributes.");
            assert!(fields.iter().any(inner), "{fields:?}");
        }
    }
}
