//! Trends over runs: the two tables of a data set that answer them without its spans, and the reading of them.
//!
//! | module | purpose |
//! |---|---|
//! | `tables` | the tables `execution_groups` and `execution_samples`, written with each trace |
//! | `stored` | their rows, read back |
//! | `inputs` | the runs of data sets and of traces, in their order, as a trend |
mod inputs;
mod stored;
mod tables;

pub use inputs::{RunOrder, TrendInputs};
pub use tables::{GROUPINGS, NamedBatches, TREND_TABLES, group_tables, grouping_name, table};
