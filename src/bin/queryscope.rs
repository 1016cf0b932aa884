//! The command line: parse flags, call the session, print.
fn main() {}
