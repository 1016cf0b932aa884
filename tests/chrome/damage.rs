//! Files that are cut, shuffled or damaged.

use queryscope::protocol::{RecordAtPlace, ReportPlaceRequest};
use queryscope::session::Session;
use queryscope::trace::{Item, SpanId};

use super::{dump, open};

/// Something of every phase, in both containers and on lines.
fn of_every_phase() -> [String; 3] {
    let families = [
        r#""ph":"B","name":"a\"","args":{"x":[1,{"y":"}"}],"n":1.5}"#,
        r#""ph":"X","dur":5.5,"name":"b","cat":"c","bind_id":"0x1","flow_out":true"#,
        r#""ph":"E","name":"a\"""#,
        r#""ph":"b","id":1,"name":"ä","cat":"c""#,
        r#""ph":"n","id":1,"name":"ä","cat":"c""#,
        r#""ph":"e","id":1,"name":"ä","cat":"c""#,
        r#""ph":"s","id":"0x5","name":"f""#,
        r#""ph":"f","bp":"e","id":"0x5","name":"f""#,
        r#""ph":"S","id":2,"name":"l""#,
        r#""ph":"T","id":2,"name":"l","args":{"step":"t"}"#,
        r#""ph":"F","id":2,"name":"l""#,
        r#""ph":"C","name":"m","args":{"v":1,"w":"2.5"}"#,
        r#""ph":"I","s":"g","name":"i""#,
        r#""ph":"M","name":"thread_name","args":{"name":"t"}"#,
        r#""ph":"O","name":"o""#,
    ];
    let event =
        |(at, family): (usize, &&str)| format!(r#"{{"pid":1,"tid":{},"ts":{at}.25,{family}}}"#, at % 2);
    let events: Vec<String> =
        families.iter().cycle().take(60).enumerate().map(|(at, f)| event((at, f))).collect();
    let events = [events.join(","), events.join(",\n"), events.join("\n")];
    [
        format!("[{}]", events[0]),
        format!(r#"{{"metadata":{{"a":"]"}},"traceEvents":[{}],"samples":[]}}"#, events[1]),
        events[2].clone(),
    ]
}

#[test]
fn a_file_cut_anywhere_is_accounted_for() {
    for text in of_every_phase() {
        for end in (0..text.len()).step_by(3) {
            open("cut", &text.as_bytes()[..end]);
        }
    }
}

#[test]
fn where_bytes_are_cut_never_matters() {
    for text in of_every_phase() {
        // Behind what is looked at to recognise a file: from there on it is read as it comes.
        let end = text.find("},").or(text.find("}\n")).expect("several events") + 1;
        let broken = text.replacen("\"ph\":\"C\"", "\"ph\":C\"", 1);
        for text in [text, broken] {
            let text = format!("{}{}{}", &text[..end], " ".repeat(64 << 10), &text[end..]);
            let whole = open("whole", text.as_bytes());
            for size in [1, 2, 7, 100, 1000] {
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
fn a_damaged_byte_costs_what_stands_around_it() {
    for text in of_every_phase() {
        let used = |bytes: &[u8]| open("damaged", bytes).report().iter().map(|file| file.used).sum::<u64>();
        let whole = used(text.as_bytes());
        for at in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let left = used(&bytes);
            assert!(
                left + 3 >= whole,
                "{left} of {whole}, damaged at {at}: {}",
                String::from_utf8_lossy(&bytes)
            );
        }
    }
}

#[test]
fn a_damaged_beginning_is_told() {
    let event = r#"{"name":"a","ph":"X","ts":1,"dur":1,"pid":1,"tid":1}"#;
    for (text, problems) in [
        (format!("z\"traceEvents\":[{event},{event}]}}"), "damaged beginning, text between records"),
        (format!("{{\"traceEvent3\":[{event},{event}],\"x\":1}}"), "damaged beginning, text between records"),
        (format!("Z{event},\n{event}]"), "damaged beginning"),
        (format!("{{\"traceEvents\":[{event}]}}\n{{\"traceEvents\":[{event}]}}"), ""),
        (format!("{{\"traceEvents\":[{event},null,{event}],\"metadata\":{{}}}}"), "text between records"),
    ] {
        let session = open("trace.json", text.as_bytes());
        let report = &session.report()[0];
        assert_eq!(report.used, 2, "{text}");
        let found: Vec<&str> = report.problems.iter().map(|problem| problem.name.as_str()).collect();
        assert_eq!(found.join(", "), problems, "{text}");
    }
}

#[test]
fn a_document_with_events_in_it_is_no_trace() {
    let event = r#"{"name":"a","ph":"X","ts":1,"dur":1,"pid":1,"tid":1}"#;
    let text = format!("# How events look\n\n[{event},\n{event}]\n");
    assert!(!open("README.md", text.as_bytes()).report()[0].recognised);
}

#[test]
fn damage_never_panics_and_is_accounted_for() {
    // The same numbers on every machine.
    let mut dice = 1_u64;
    let mut roll = |below: usize| {
        dice = dice.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (dice >> 33) as usize % below
    };
    for text in of_every_phase() {
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

/// Every event that is shown can be read again where it stands.
#[test]
fn records_are_read_again_where_they_stand() {
    for text in of_every_phase() {
        let session = open("again", text.as_bytes());
        let trace = session.trace();
        for id in (0..trace.spans.len() as u32).map(SpanId) {
            let place = session.place(trace.spans.get(id).begin).expect("it has a record");
            let bytes = &text.as_bytes()[place.offset as usize..][..place.length as usize];
            let fields = session.raw(&place, bytes).fields;
            let value =
                |name: &str| fields.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str());
            assert!(value("ph").is_some_and(|ph| "BXbST".contains(ph)), "{fields:?}");
            assert_eq!(value("args.n").is_some(), value("ph") == Some("B"));
        }
    }
}

/// Many beginnings that never end, and as many ends of nothing: the time that they take goes up with their number.
#[test]
fn ends_of_nothing_are_no_burden() {
    let event = |phase: char, at: usize, time: usize| {
        format!(r#"{{"ph":"{phase}","pid":1,"tid":1,"ts":{time},"name":"{phase}{at}"}}"#)
    };
    let (n, text) = (30_000, |events: Vec<String>| format!("[{}]", events.join(",")));
    for time in [|at: usize| at, |_: usize| 0] {
        let beginnings = (0..n).map(|at| event('B', at, time(at)));
        let ends = (0..n).map(|at| event('E', at, time(at + n)));
        let session = open("many", text(beginnings.chain(ends).collect()).as_bytes());
        assert_eq!((session.report()[0].used, session.report()[0].reported), (n as u64, n as u64));
    }
}

/// A hundred places of each kind of problem are told; each leads to its record, and to what that became.
#[test]
fn places_of_problems_lead_to_their_records() {
    let mut text = "[\n".to_owned();
    for ts in 0..150 {
        text += &format!("{{\"ph\":\"E\",\"pid\":1,\"tid\":1,\"ts\":{ts},\"name\":\"e\"}},\n");
        text += &format!("{{\"ph\":\"B\",\"pid\":2,\"tid\":{ts},\"ts\":{ts},\"name\":\"b{ts}\"}},\n");
    }
    let mut session = open("t.json", text.as_bytes());
    let file = session.report().remove(0);
    for (name, ph, drawn) in [("E without B", "E", false), ("B without E", "B", true)] {
        let problem = file.problems.iter().find(|problem| problem.name == name).expect("it is told");
        assert_eq!((problem.count, problem.places.len()), (150, 100), "{name}");
        for (ts, place) in (0..).zip(&problem.places) {
            let spot = session.answer(&ReportPlaceRequest { file: file.number, offset: place.offset });
            let RecordAtPlace { record: Some(record), item } = spot else { panic!("{name}: {spot:?}") };
            let (start, end) = (record.offset as usize, record.offset as usize + record.length as usize);
            let begins = format!("{{\"ph\":\"{ph}\",");
            assert!(text[start..end].starts_with(&begins) && text[start..end].ends_with('}'), "{name} {ts}");
            assert!(text[start..end].contains(&format!("\"ts\":{ts},")), "{name} {ts}");
            assert_eq!(item.is_some(), drawn, "{name} {ts}");
            if let Some(Item::Span(span)) = item.map(Item::from_code) {
                let trace = session.trace();
                assert_eq!(trace.str(trace.spans.name(span)), format!("b{ts}"));
            }
        }
    }
    for (number, offset) in [(0, 0), (0, u64::MAX), (7, 3)] {
        let spot = session.answer(&ReportPlaceRequest { file: number, offset });
        assert_eq!(spot, RecordAtPlace::default(), "{number} {offset}");
    }
}
