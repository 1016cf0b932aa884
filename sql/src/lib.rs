//! SQL over traces, and data sets of Parquet files made of thousands of them.
//!
//! | module | purpose |
//! |---|---|
//! | [`schema`] | the tables: columns, types, units, documentation |
//! | [`rows`] | the rows of a trace as record batches |
//! | [`query`] | statements with their limits, over traces and data sets |
//! | [`dataset`] | data sets: written, listed in a manifest, read back |
//! | [`output`] | results as a table, CSV, JSON and Markdown |
//! | [`statements`] | the statements that come with the program |
//!
//! `schema` and `rows` use no file system.
pub mod dataset;
pub mod output;
pub mod query;
pub mod rows;
pub mod schema;
pub mod statements;
