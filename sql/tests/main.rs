//! Tests of SQL on one machine, as one program: linking DataFusion for each file would take longer than all tests run.

#[path = "../../tests/support/mod.rs"]
mod support;

mod damage;
mod dataset;
mod handbook;
mod limits;
mod remote;
mod statements;
mod trend;
mod trend_index;
