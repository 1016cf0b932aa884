//! Opens traces and prints a summary of each file and the slowest queries.
//!
//! ```sh
//! cargo run --example slowest_queries -- tests/traces/mysql/dump.sql
//! ```

use std::env;
use std::fs;
use std::io;

use queryscope::protocol::{QueryList, QueryListRequest};
use queryscope::session::Session;

/// Number of queries that are printed.
const SHOWN: u32 = 10;

fn main() -> io::Result<()> {
    let mut session = Session::default();
    for path in env::args().skip(1) {
        session.open(&path);
        session.push(&fs::read(&path)?);
        session.close(None);
    }
    session.build();

    for file in session.report() {
        println!("{}: {}, {} of {} records used", file.name, file.format, file.used, file.records);
    }
    // The default order of the list is by duration, longest first.
    let page = session.answer(&QueryListRequest { list: QueryList::default(), first: 0, count: SHOWN });
    println!("{} queries", page.total);
    for query in page.rows {
        println!("{:>12.3} ms  {:?}  {}", query.duration as f64 / 1e6, query.outcome, query.sql);
    }
    Ok(())
}
