//! Damaged files: cut anywhere, with bytes changed, in slices of any size. Nothing panics, every record is accounted for.

use proptest::prelude::*;
use queryscope::import::HEADS;
use queryscope::session::Session;

use super::{dump, files, fixtures, open};

/// Every rendering, and the tables of a thread.
fn all() -> Vec<(String, Vec<u8>)> {
    let mut all = files(&fixtures());
    all.extend(files(&fixtures().join("thread")));
    all
}

fn open_cut(name: &str, bytes: &[u8], size: usize) -> Session {
    let mut session = Session::default();
    session.open(name);
    bytes.chunks(size).for_each(|part| session.push(part));
    session.close(None);
    session.build();
    session
}

#[test]
fn where_bytes_are_cut_never_matters() {
    for (name, bytes) in all() {
        // Longer than what is looked at to recognise a file, so that slices matter.
        let mut long = bytes.clone();
        while long.len() < 2 * HEADS[0] && name.ends_with(".tsv") {
            long.extend_from_slice(&bytes);
        }
        for bytes in [&bytes, &long] {
            let whole = open([(name.as_str(), &bytes[..])]);
            for size in [1, 7, 1000] {
                let cut = open_cut(&name, bytes, size);
                assert_eq!(dump(whole.trace()), dump(cut.trace()), "{name} in {size}");
                assert_eq!(whole.report(), cut.report(), "{name} in {size}");
            }
        }
    }
}

#[test]
fn a_file_cut_anywhere_is_accounted_for() {
    for (name, bytes) in all() {
        for end in (0..bytes.len()).step_by(13) {
            open([(name.as_str(), &bytes[..end])]);
        }
    }
}

/// A building in the middle of reading changes nothing.
#[test]
fn pictures_on_the_way_leave_no_trace() {
    for (name, bytes) in all() {
        let mut session = Session::default();
        session.open(&name);
        for part in bytes.chunks(500) {
            session.push(part);
            session.build();
        }
        session.close(None);
        session.build();
        assert_eq!(dump(session.trace()), dump(open([(name.as_str(), &bytes[..])]).trace()), "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn flipped_bytes_are_accounted_for(
        which in any::<prop::sample::Index>(),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 1..8),
    ) {
        let all = all();
        let (name, bytes) = which.get(&all);
        let mut bytes = bytes.clone();
        for (at, byte, how) in damage {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = byte,
                1 => bytes.insert(at, b"\"'\\\t\n|<>{}(),;"[usize::from(byte) % 14]),
                2 => drop(bytes.drain(at..(at + usize::from(byte)).min(bytes.len()))),
                _ => bytes[at] = b"\"'\\\t\n|<>{}(),;"[usize::from(byte) % 14],
            }
            if bytes.is_empty() {
                bytes.push(byte);
            }
        }
        open([(name.as_str(), &bytes[..])]);
    }

    #[test]
    fn any_numbers_are_accounted_for(
        rows in prop::collection::vec((0_u64..3, any::<u64>(), any::<Option<u64>>(), any::<Option<u64>>(), any::<Option<u64>>(), 0..6_usize), 1..40),
    ) {
        const NAMES: [&str; 6] =
            ["wait/io/file/sql/x", "idle", "stage/sql/x", "statement/sql/select", "transaction", "wait/synch/mutex/x"];
        let cell = |number: Option<u64>| number.map_or("NULL".to_owned(), |number| number.to_string());
        let mut text =
            "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_END\tTIMER_WAIT\tNESTING_EVENT_ID\n".to_owned();
        for (thread, id, end, start, wait, name) in rows {
            // Small and large ones.
            let (id, end) = if id % 3 == 0 { (id, end) } else { (id % 50, end.map(|end| end % 60)) };
            text += &format!("{thread}\t{id}\t{}\t{}\t{}\tNULL\t{}\t{}\n", cell(end), NAMES[name], cell(start), cell(wait), cell(end));
        }
        open([("events.tsv", text.as_bytes())]);
    }
}

/// What never ends is read once: quotes and brackets that are not closed, lines that are no rows.
#[test]
fn long_damage_takes_linear_time() {
    let header = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_WAIT\n";
    let row = "1\t2\t3\tidle\t4\n";
    for tail in [
        "x\n".repeat(1 << 17),
        "x\\\n".repeat(1 << 17),
        format!("1\t2\t3\t{}", "x".repeat(1 << 20)),
        "\\".repeat(1 << 20),
    ] {
        open([("events.tsv", format!("{header}{row}{tail}").as_bytes())]);
    }
    let comma = |text: &str| text.replace('\t', ",");
    for tail in ["\"".repeat(1 << 17), "\"\n".repeat(1 << 16), format!("\"{}", "x\n".repeat(1 << 17))] {
        open([("events.csv", format!("{}{}{tail}", comma(header), comma(row)).as_bytes())]);
    }
    let json = "{\"THREAD_ID\":1,\"EVENT_ID\":2,\"EVENT_NAME\":\"idle\",\"TIMER_WAIT\":4}\n";
    for tail in ["{\"a\":[".repeat(1 << 16), "<row>".repeat(1 << 16)] {
        open([("events.json", format!("{json}{tail}").as_bytes())]);
        open([("events.xml", format!("<resultset statement=\"SELECT * FROM threads\">{tail}").as_bytes())]);
    }
}

/// An event that says that it is in a later one, which is in it by their ids.
#[test]
fn events_that_are_in_each_other_are_read() {
    let text = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_START\tTIMER_END\tTIMER_WAIT\tNESTING_EVENT_ID\n\
                1\t1\t3\twait/synch/mutex/x\t10\t40\t30\t2\n1\t2\t2\twait/io/file/sql/x\t20\t30\t10\tNULL\n";
    open([("events.tsv", text.as_bytes())]);
}
