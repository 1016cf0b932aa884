//! Texts of the comparison between a server's sums and those of its events.

use queryscope::internal::text;

use super::common::count;

pub const NO_ROW: &str = "no row";
pub const SERVER_SUMS: &str = "Server sums";

pub fn headline(equal: u64, tables: usize, different: u64) -> String {
    let differing = match different {
        0 => "none differ".to_owned(),
        n => format!("{} differ, for the reasons below", count(n)),
    };
    format!(
        "{} in {} equal the sums of the events; {differing}",
        text::counted(equal, "cell", "cells"),
        text::counted(tables as u64, "table", "tables")
    )
}

pub fn averages(compared: &str) -> String {
    format!("Compared: {compared}")
}

pub fn equal_and_different(equal: u64, different: u64) -> String {
    format!("{} equal, {} different", count(equal), count(different))
}

pub fn equal(n: u64) -> String {
    format!("{} equal", count(n))
}

pub fn derived(n: u64) -> String {
    format!("{} derived", count(n))
}

pub fn without_row(n: u64) -> String {
    format!("{} without a row", count(n))
}

pub fn reason(cells: u64, reason: &str) -> String {
    format!("{} ×: {reason}", count(cells))
}

pub fn values(column: &str, server: &str, events: &str) -> String {
    format!("{column}: server {server}, events {events}")
}

pub fn equal_tables(n: usize) -> String {
    format!("{} equal in every cell", text::counted(n as u64, "table", "tables"))
}
