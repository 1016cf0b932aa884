//! Files whose beginning is damaged: cut away, in the middle of a header or of a row; names of columns that are damaged.

use super::{files, fixtures, open};

/// Four statements with a header, tab-separated, as in the fixture; and without it, with `\\N` for NULL.
fn fixture(name: &str) -> String {
    let found = files(&fixtures()).into_iter().find(|(file, _)| file == name);
    String::from_utf8(found.expect("a fixture").1).expect("UTF-8")
}

/// Spans, records that are lost, and the names of problems of a file.
fn read(name: &str, text: &[u8]) -> (usize, u64, Vec<String>) {
    let session = open([(name, text)]);
    let file = session.report().swap_remove(0);
    let told = file.problems.into_iter().map(|problem| problem.name).filter(|name| name != "parent lost");
    (session.trace().spans.len(), file.reported, told.collect())
}

/// What is behind the first line that is not whole is read.
#[test]
fn a_file_cut_at_its_front_is_read() {
    let (batch, bare, csv) =
        (fixture("batch.tsv"), fixture("events_statements_history_long.txt"), fixture("outfile.csv"));
    for (name, text, from, expected) in [
        ("x.tsv", &batch, 60, (4, 1, "header torn off")),
        // Behind a name; inside of the first one, which is known by its place.
        ("x.tsv", &batch, 10, (4, 1, "header torn off")),
        ("x.tsv", &batch, 2, (4, 0, "damaged header")),
        ("x.txt", &bare, 60, (3, 1, "wrong number of values")),
        ("x.csv", &csv, 60, (4, 1, "header torn off")),
    ] {
        let (spans, lost, told) = read(name, &text.as_bytes()[from..]);
        assert_eq!((spans, lost, &*told.concat()), expected, "{name} from {from}");
    }
    // Cut anywhere, all rows are read that are whole.
    for (text, first) in [(&batch, 1), (&bare, 1)] {
        for from in (1..text.len() * 2 / 3).step_by(7).filter(|&at| text.is_char_boundary(at)) {
            let rest = &text[from..];
            let whole = rest.lines().skip(first).filter(|line| line.contains("statement/")).count();
            let (spans, lost, told) = read("x.tsv", rest.as_bytes());
            assert!(spans >= whole && lost <= 2, "from {from}: {spans} of {whole}, {lost} lost, {told:?}");
        }
    }
}

/// One name that is damaged costs nothing but that name.
#[test]
fn a_damaged_header_is_read() {
    let (batch, names) = (fixture("batch.tsv"), ["SORT_ROWS", "EVENT_ID", "TIMER_WAIT", "SQL_TEXT"]);
    let csv = batch.replace('\t', ";");
    for name in names {
        for (file, text) in [("x.tsv", &batch), ("x.csv", &csv)] {
            let at = text.find(name).expect("a column") + 3;
            for byte in [7, 0xFF, 0, b'Q', b'-', b'\t', b'\n', b';'] {
                if byte == b'\t' && file == "x.csv" {
                    continue; // It is what separates values then.
                }
                let mut bytes = text.clone().into_bytes();
                bytes[at] = byte;
                let (spans, lost, told) = read(file, &bytes);
                // A name that is another: its column is shown as it is called.
                let is_told = !told.is_empty() || byte == b'Q' && ["SORT_ROWS", "SQL_TEXT"].contains(&name);
                assert!(
                    spans == 4 && lost <= 2 && is_told,
                    "{file}, {name}, {byte}: {spans}, {lost}, {told:?}"
                );
            }
        }
    }
}

/// A table of events without their ids is no silence.
#[test]
fn events_without_ids_are_told() {
    let text = "EVENT_NAME\tTHREAD_ID\tTIMER_START\tTIMER_WAIT\tEVQNT_ID\nidle\t1\t2\t3\t4\n";
    assert_eq!(read("x.tsv", text.as_bytes()), (0, 0, vec!["events without their ids".to_owned()]));
}

/// `FIELDS TERMINATED BY` knows more than tabs and commas.
#[test]
fn any_separator_between_names_is_read() {
    let batch = fixture("batch.tsv");
    let expected = read("x.tsv", batch.as_bytes());
    for separator in ["|", "^", ":"] {
        let text = batch.replace(separator, "!").replace('\t', separator);
        assert_eq!(read("x.csv", text.as_bytes()), expected, "{separator}");
    }
    assert_eq!(open([("x", &b"a|b|c\n1|2|3\n"[..])]).trace().spans.len(), 0);
}
