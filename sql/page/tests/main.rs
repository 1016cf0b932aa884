//! Tests of the page's SQL program, as one program.

#[path = "../../../tests/support/mod.rs"]
mod support;
mod waiting;

mod dataset;
mod program;
