//! Tests of SQL on one machine, as one program, so that DataFusion is linked once.

#[path = "../../tests/support/mod.rs"]
mod support;

mod damage;
mod dataset;
mod handbook;
mod limits;
mod parts;
mod planned;
mod remote;
mod server;
mod side_tables;
mod statements;
mod trend;
mod trend_index;
