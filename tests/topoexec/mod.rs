//! TopoExec: small traces with one rule each, and every shared file against what is known of it.

use crate::support;

mod busy;
mod damage;
mod rules;
mod shared;

use queryscope::session::Session;

/// Opens one file.
fn open(name: &str, bytes: &[u8]) -> Session {
    support::open([(name, bytes)])
}

/// The trace as text, and what was told of the file. The texts of events, which come last, are left out.
fn dump(session: &Session) -> Vec<String> {
    let mut lines = queryscope::internal::testing::dump(session.trace());
    for line in lines.iter_mut().filter(|line| line.starts_with('*')) {
        if let Some(texts) = line.find("=\"").and_then(|at| line[..at].rfind(", ")) {
            line.truncate(texts);
        }
    }
    for problem in session.report().iter().flat_map(|file| &file.problems) {
        lines.push(format!("{} x {}", problem.count, problem.name));
    }
    lines
}
