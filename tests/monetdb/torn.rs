//! The last record of a file that breaks off inside it.

use queryscope::session::Session;

use super::{dump, open};

/// The files of text, and where their last records begin.
const FILES: [(&str, &str); 9] = [
    ("jul2015", include_str!("../traces/monetdb/jul2015.txt")),
    ("2014", include_str!("../traces/monetdb/2014.txt")),
    ("2014h2", include_str!("../traces/monetdb/2014h2.txt")),
    ("stethoscope-2019", include_str!("../traces/monetdb/stethoscope-2019.txt")),
    ("no-times", include_str!("../traces/monetdb/no-times.txt")),
    ("trace-raw", include_str!("../traces/monetdb/trace-raw.txt")),
    ("lines-2021", include_str!("../traces/monetdb/lines-2021.txt")),
    ("trace.csv", include_str!("../traces/monetdb/trace.csv")),
    ("tracelog-2019.csv", include_str!("../traces/monetdb/tracelog-2019.csv")),
];

/// What is shown, but for what is said of problems.
fn shown(session: &Session) -> Vec<String> {
    dump(session).into_iter().filter(|line| !line.contains(" x ")).collect()
}

#[test]
fn a_record_that_breaks_off_is_not_used_as_if_it_were_whole() {
    for (name, text) in FILES {
        let text = text.trim_end();
        let last = text.rfind('\n').map_or(0, |at| at + 1);
        let without = open(name, &text.as_bytes()[..last]);
        let (expected, before) = (shown(&without), without.report().remove(0));
        // Behind the semicolon, or the last quote of a tuple, all is there that is shown.
        let whole = text.rfind([';', '"']).unwrap_or(text.len());
        for end in (last + 1..whole).filter(|end| text.is_char_boundary(*end)) {
            let cut = open(name, &text.as_bytes()[..end]);
            assert_eq!(shown(&cut), expected, "{name}: {}", &text[last..end]);
            let report = cut.report().remove(0);
            assert_eq!(report.used, before.used, "{name}: {}", &text[last..end]);
            let is_told = report.reported > before.reported || report.other_lines > before.other_lines;
            // A bracket and a number alone may be anything.
            assert!(is_told || end - last < 4, "{name}: {} {report:?}", &text[last..end]);
        }
    }
}

/// A tuple whose text breaks off is a problem, with the place at which it begins.
#[test]
fn a_torn_last_tuple_is_reported() {
    let text = include_str!("../traces/monetdb/jul2015-torn.txt");
    let session = open("torn", text.as_bytes());
    let report = session.report().remove(0);
    let problem = report.problems.iter().find(|problem| problem.name == "cut off").expect("a problem");
    assert_eq!((problem.count, report.reported), (1, 1));
    assert_eq!(problem.places[0].offset as usize, text.rfind("\n[").expect("a record") + 1);
}
