//! Chrome's Trace Event Format: small traces with one rule each, and every shared file against what is known of it.

use crate::support;

mod arrows;
mod busy;
mod damage;
mod goldens;
mod joined;
mod known;
mod learned;
mod numbers;
mod profiles;
mod rules;
mod shared;
mod siblings;
mod values;
mod written;

use queryscope::session::Session;

/// Opens one file.
fn open(name: &str, bytes: &[u8]) -> Session {
    support::open([(name, bytes)])
}

/// The trace as text, and what was told of the file.
fn dump(session: &Session) -> Vec<String> {
    let mut lines = queryscope::internal::testing::dump(session.trace());
    for problem in session.report().iter().flat_map(|file| &file.problems) {
        lines.push(format!("{} x {}", problem.count, problem.name));
    }
    lines
}

/// A trace of these events, in an array, and the lines of its dump.
fn check(events: &str, expected: &[&str]) {
    let text = format!("[{events}]");
    assert_eq!(dump(&open("trace.json", text.as_bytes())), expected, "{events}");
}

/// The same for events of one thread, which are given without pid and tid.
fn check_thread(events: &str, expected: &[&str]) {
    let events =
        events.replace("{\"ph", "{\"pid\":1,\"tid\":1,\"ph").replace("{\"ts", "{\"pid\":1,\"tid\":1,\"ts");
    let lines: Vec<&str> =
        ["Process process 1", "Thread thread 1"].into_iter().chain(expected.iter().copied()).collect();
    check(&events, &lines);
}
