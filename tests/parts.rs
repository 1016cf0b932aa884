//! A part of the files: a range of time, some of the runs. What is not in it is left out, counted, and no problem.

use crate::support;

use std::fs;
use std::path::Path;

use proptest::prelude::*;
use queryscope::protocol::{DetailsRequest, QueryList, QueryListRequest, Subset};
use queryscope::session::Session;

/// Opens files as one trace, and keeps a part of them.
fn open(files: &[(String, Vec<u8>)], part: Subset) -> Session {
    let mut session = Session::default();
    session.choose(part);
    let session = support::open_in(session, files.iter().map(|(name, bytes)| (name, bytes)));
    for file in session.report() {
        assert!(!file.problems.iter().any(|problem| problem.name == "left out by choice"), "{file:?}");
    }
    session
}

fn left_out(session: &Session) -> u64 {
    session.report().iter().map(|file| file.left_out).sum()
}

/// The names of the problems that are told of.
fn problems(session: &Session) -> Vec<String> {
    session.report().into_iter().flat_map(|file| file.problems).map(|problem| problem.name).collect()
}

fn read(path: &Path) -> Vec<(String, Vec<u8>)> {
    vec![(path.to_string_lossy().into_owned(), fs::read(path).expect("the file can be read"))]
}

#[test]
fn a_part_of_any_trace_is_accounted_for() {
    let mut narrowed = Vec::new();
    for path in support::fixtures() {
        let files = read(&path);
        let whole = open(&files, Subset::default());
        assert_eq!(left_out(&whole), 0, "{}", path.display());
        let runs = whole.subset_choices().runs;
        let zeros: Vec<_> = runs.iter().map(|run| (run.name.clone(), run.zero)).collect();
        let timed: u64 = runs.iter().map(|run| run.records).sum();
        let longest = runs.iter().map(|run| run.length).max().unwrap_or(0);
        let all = Subset { range: Some((0, longest)), zeros: zeros.clone(), runs: None };
        assert_eq!(left_out(&open(&files, all)), 0, "{}: everything is in the whole range", path.display());
        let nothing = Subset { runs: Some(Vec::new()), ..Subset::default() };
        assert_eq!(left_out(&open(&files, nothing)), timed, "{}", path.display());
        let known = problems(&whole);
        for range in [(0, longest / 2), (longest / 2 + 1, longest)] {
            let half = open(&files, Subset { range: Some(range), zeros: zeros.clone(), runs: None });
            if left_out(&half) > 0 {
                narrowed.push(path.parent().and_then(Path::file_name).map(|name| name.to_owned()));
            }
            // What a part lacks of it is nothing that is wrong with the file.
            let mut new = problems(&half);
            // A plan without a clock is drawn where what tells it once more, with times, is left out.
            new.retain(|name| !known.contains(name) && name != "reconstructed schedule");
            assert!(new.is_empty(), "{} {range:?}: {new:?}", path.display());
        }
    }
    narrowed.dedup();
    let folders: Vec<_> = narrowed.iter().flatten().filter_map(|name| name.to_str()).collect();
    assert_eq!(
        folders,
        ["chrome", "containers", "folded", "kubling", "monetdb", "mysql", "queryscope", "topoexec"]
    );
}

/// An event of a query that takes no time.
fn event(run: &str, query: u64, time: i64, kind: &str) -> String {
    format!(
        r#"{{"runId":"{run}","queryId":"{query}","timestamp":{time},"type":"{kind}","vdbName":"v","vdbVersion":"1"}}"#
    )
}

fn runs(times: &[(u8, i64)]) -> Vec<(String, Vec<u8>)> {
    let lines = (0..)
        .zip(times)
        .map(|(query, (run, time))| event(&format!("run {run}"), query, *time, "QUERY_START"));
    vec![("runs.ndjson".to_owned(), lines.collect::<Vec<_>>().join("\n").into_bytes())]
}

#[test]
fn a_range_keeps_what_happens_in_it() {
    let files = runs(&[(1, 1_000), (1, 1_010), (2, 50), (1, 1_020), (2, 75), (1, 1_030)]);
    for (range, names, kept) in [
        (None, None, 6),
        (Some((0, 10)), None, 3),
        (Some((10, 20)), None, 2),
        (Some((25, i64::MAX)), None, 2),
        (None, Some("run 2"), 2),
        (Some((0, 0)), Some("run 1"), 1),
        (Some((500, 600)), None, 0),
    ] {
        let runs = names.map(|name| vec![name.to_owned()]);
        let session = open(&files, Subset { range, runs, zeros: Vec::new() });
        let file = &session.report()[0];
        assert_eq!((file.used, file.left_out), (kept, 6 - kept), "{range:?} {names:?}");
        assert_eq!(session.trace().spans.len() as u64, kept, "{range:?} {names:?}");
    }
}

/// What a part lacks is said to lie outside of it: nothing is wrong with the file.
#[test]
fn what_began_before_a_part_is_no_problem() {
    let lines =
        [("1", 0, "QUERY_START"), ("1", 30, "QUERY_END"), ("2", 40, "QUERY_START"), ("2", 90, "QUERY_END")];
    let text = |lines: &[(&str, i64, &str)]| {
        let line = |(query, time, kind): &(&str, i64, &str)| {
            event("run", query.parse().unwrap_or(0), 1_000 + time, kind)
        };
        vec![("run.ndjson".to_owned(), lines.iter().map(line).collect::<Vec<_>>().join("\n").into_bytes())]
    };
    let check =
        |files: &[(String, Vec<u8>)], range, problems: &[&str], marks: [&str; 2], from: Option<&str>| {
            let mut session = open(files, Subset { range, ..Subset::default() });
            let report = session.report();
            let found: Vec<_> = report[0].problems.iter().map(|problem| problem.name.as_str()).collect();
            assert_eq!(found, problems, "{range:?}");
            assert_eq!(session.counted_from().as_deref(), from, "{range:?}");
            let list = QueryListRequest { list: QueryList::default(), first: 0, count: 9 };
            let page = session.answer(&list);
            assert_eq!(page.rows.len(), 2);
            for (row, mark) in page.rows.iter().zip(marks) {
                let Some(details) = session.answer(&DetailsRequest { item: row.item }) else {
                    panic!("details")
                };
                assert_eq!(details.marks.concat(), mark, "{range:?}");
                let leads: String = details.notes.iter().map(|note| note.lead.to_lowercase()).collect();
                assert_eq!(leads.trim_end_matches('.'), mark, "{range:?}");
            }
        };
    let whole = text(&lines);
    check(&whole, None, &[], ["", ""], None);
    check(
        &whole,
        Some((30, 50)),
        &[],
        ["starts before the loaded range", "ends after the loaded range"],
        Some("Loaded in part: times count from +30 ns into the run."),
    );
    check(&whole, Some((0, 50)), &[], ["", "ends after the loaded range"], None);
    // What no choice left out is missing in the file.
    let cut = text(&lines[1..3]);
    check(&cut, None, &["no QUERY_START", "no QUERY_END"], ["no start in trace", "no end in trace"], None);
    let all = Some((0, 50));
    check(&cut, all, &["no QUERY_START", "no QUERY_END"], ["no start in trace", "no end in trace"], None);
}

proptest! {
    #[test]
    fn ranges_side_by_side_hold_everything_once(
        times in prop::collection::vec((0_u8..3, -50_i64..50), 1..30),
        cut in -60_i64..60,
    ) {
        let files = runs(&times);
        let zeros: Vec<_> = open(&files, Subset::default()).subset_choices().runs.into_iter().map(|run| (run.name, run.zero)).collect();
        let kept = |range| {
            let session = open(&files, Subset { range: Some(range), zeros: zeros.clone(), runs: None });
            session.report()[0].used
        };
        prop_assert_eq!(kept((i64::MIN, cut)) + kept((cut + 1, i64::MAX)), times.len() as u64);
    }
}
