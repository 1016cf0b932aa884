//! Trends over runs: the two tables of a data set that answer them without its spans, the index of these tables, and the reading of them.
//!
//! | module | purpose |
//! |---|---|
//! | `tables` | the tables `execution_groups` and `execution_samples`, written with each trace |
//! | `group_row`, `sample_row` | their rows, as record batches have them |
//! | `stored` | the rows of one trace, read back |
//! | `index` | the rows of all traces, read from the index |
//! | `write_index` | the index, made of an older one and of the files of the traces |
//! | `inputs` | the runs of data sets and of traces, in their order, as a trend |
//! | `samples` | the sampled executions near changes |
mod group_row;
mod index;
mod inputs;
mod sample_row;
mod samples;
mod stored;
mod tables;
mod write_index;

pub use index::planned_bytes;
pub use inputs::{RunOrder, TrendInputs};
pub use tables::{
    GROUPINGS, GROUPS, NamedBatches, SAMPLES, TREND_TABLES, group_tables, grouping_name, table,
};
pub use write_index::write_index;
