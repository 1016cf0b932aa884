//! Tests of SQL on one machine, as one program, so that DataFusion is linked once.

#[path = "../../tests/support/mod.rs"]
mod support;

mod damage;
mod dataset;
mod handbook;
mod limits;
mod parts;
mod remote;
mod statements;
mod trend;
mod trend_index;
