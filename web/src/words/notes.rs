//! Texts of the user's notes, and of pinned tracks.

pub const TRACE: &str = "whole trace";

pub fn range(start: &str, end: &str) -> String {
    format!("range {start} … {end}")
}

pub fn item(start: &str) -> String {
    format!("item at {start}")
}
