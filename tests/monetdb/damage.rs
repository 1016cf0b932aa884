//! Files that are cut, shuffled or damaged.

use proptest::prelude::*;
use queryscope::session::Session;

use super::{assert_accounted, case as case_text, cases, dump, open};

#[test]
fn a_file_cut_anywhere_is_accounted_for() {
    for (text, _) in cases() {
        let ends = (0..text.len()).filter(|end| text.is_char_boundary(*end));
        ends.for_each(|end| drop(open("cut", &text.as_bytes()[..end])));
    }
}

#[test]
fn where_bytes_are_cut_never_matters() {
    for (text, _) in cases() {
        // Behind what is looked at to recognise a file: from there on it is read as it comes.
        let end = text.find('\n').unwrap_or(text.len());
        let text = format!("{}{}{}", &text[..end], "\n".repeat(64 << 10), &text[end..]);
        let whole = open("whole", text.as_bytes());
        for size in [1, 2, 7, 100, 1000] {
            let mut cut = Session::default();
            cut.open("whole");
            text.as_bytes().chunks(size).for_each(|part| cut.push(part));
            cut.close(None);
            cut.build();
            assert_eq!((dump(&cut), cut.report()), (dump(&whole), whole.report()), "{text} in {size}");
        }
    }
}

#[test]
fn building_on_the_way_changes_nothing() {
    for (text, _) in cases() {
        let mut session = Session::default();
        session.open("trace");
        for part in text.as_bytes().chunks(100) {
            session.push(part);
            session.build();
            assert_accounted(&session);
        }
        session.close(None);
        session.build();
        assert_eq!(dump(&session), dump(&open("trace", text.as_bytes())));
    }
}

/// A phase and an instruction that name no statement.
#[test]
fn nobody_needs_to_own_anything() {
    let text = concat!(
        r#"{"sessionid":"1","clk":20,"thread":10,"phase":"trans_rollback","tag":0,"usec":1}"#,
        "\n",
        r#"{"sessionid":"1","clk":30,"thread":10,"phase":"mal_engine","pc":3,"tag":0,"module":"a","function":"b","usec":4}"#,
    );
    let session = open("trace", text.as_bytes());
    assert_eq!(session.report()[0].used, 2);
}

/// Ids of servers, threads and executions that are never the same twice: what is grouped by them takes no longer.
#[test]
fn noise_takes_linear_time() {
    let event = |n: u32| {
        format!(
            r#"{{"clk":{n},"session":"s{n}","thread":{n},"pc":{n},"tag":{n},"module":"a","instruction":"b","state":"start","usec":1,"stmt":"X_{n} := a.b();"}}"#
        )
    };
    let text: String = (0..20_000).map(|n| event(n) + "\n").collect();
    let session = open("noise", text.as_bytes());
    let report = session.report();
    assert_eq!(report[0].used, 20_000);
    let crowded = report[0].problems.iter().find(|problem| problem.name == "many servers");
    assert_eq!(crowded.map(|problem| problem.count), Some(20_000 - 256));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn lines_may_be_shuffled(case in any::<prop::sample::Index>(), seed in prop::collection::vec(any::<u32>(), 40)) {
        let mut lines: Vec<(u32, &str)> =
            case_text(case).lines().zip(seed.iter().cycle()).map(|(line, seed)| (*seed, line)).collect();
        lines.sort_unstable();
        let text: String = lines.iter().map(|(_, line)| format!("{line}\n")).collect();
        open("shuffled", text.as_bytes());
    }

    #[test]
    fn bytes_may_be_flipped(
        case in any::<prop::sample::Index>(),
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..12),
    ) {
        let mut bytes = case_text(case).as_bytes().to_vec();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        open("flipped", &bytes);
    }
}
