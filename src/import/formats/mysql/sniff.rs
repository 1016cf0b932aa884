//! Detects tables of the Performance Schema in a file, and their format.

use super::{header, layout, side};
use crate::import::contract::{Head, ProblemKind};
use crate::import::tables::{Reader, RowSink, TableKind, TableRow};
use crate::import::text::lines::Place;

/// Detects the beginning of one of the server's tables.
#[derive(Default)]
struct MySqlProbe {
    rows: u32,
    known: bool,
}

impl RowSink for MySqlProbe {
    fn is_header(&self, row: &TableRow) -> bool {
        layout::is_header(row)
    }

    fn is_torn(&self, row: &TableRow, width: usize) -> bool {
        header::is_torn(row, width)
    }

    fn table(&mut self, _: Option<&str>, columns: &TableRow) {
        self.known |= columns.len() > 0 && layout::is_header(columns);
    }

    fn row(&mut self, row: &TableRow, _: Place, _: u64) {
        self.known |= self.rows == 0 && layout::is_row(row);
        self.rows += 1;
    }

    fn broken(&mut self, _: ProblemKind, _: Place, _: &str) {}
    fn other_line(&mut self) {}
}

/// Format of the server's tables in a file; `None` if the file has no such tables.
pub fn sniff(head: &Head) -> Option<&'static str> {
    if side::named(head.text).is_some() {
        return Some("columns of a dumped table");
    }
    let (mut probe, mut reader) = (MySqlProbe::default(), Reader::new(head.text, layout::is_header));
    reader.push(head.text, &mut probe);
    if head.complete {
        reader.finish(&mut probe);
    }
    probe.known.then(|| TableKind::of(head.text).name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_the_server_are_known_and_others_are_not() {
        for (text, expected) in [
            (
                "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tTIMER_WAIT\n1\t2\t3\tidle\t5\n",
                Some("tab-separated values"),
            ),
            ("EVENT_NAME,COUNT_STAR,SUM_TIMER_WAIT\n", Some("comma-separated values")),
            ("611\t43\t55\tstatement/sql/select\tx.cc:1\t1\t2\t1\n", Some("tab-separated values")),
            ("a,b,c\n1,2,3\n", None),
            ("QUERY_ID,RUN_ID,TS_NANOS,SQL_TEXT\nq,r,1,2\n", None),
            ("", None),
        ] {
            assert_eq!(sniff(&Head { text, complete: true }), expected, "{text}");
        }
    }
}
