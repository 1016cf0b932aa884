//! SQL over traces, and data sets of Parquet files made of thousands of them.
//!
//! | module | purpose |
//! |---|---|
//! | [`schema`] | the tables: columns, types, units, documentation |
//! | [`arrays`] | columns of the engine as Arrow's arrays |
//! | [`identity`] | the columns that name the trace |
//! | [`statement`] | one statement within limits, its errors, its rows |
//! | [`depth`] | how deep a statement's expressions and joins are |
//! | [`cells`] | the values of a result, as they are written |
//! | [`statements`] | the statements that come with the program |
//! | [`parquet_file`] | the settings of Parquet files, and a result as such a file |
//! | [`rows`] | the rows of a trace as record batches |
//! | [`query`] | statements over traces and data sets |
//! | [`dataset`] | data sets: written, listed in a manifest, read back |
//! | [`output`] | results as a table, CSV, JSON and Markdown |
//! | [`console`] | options, input and output of the programs |
//! | [`trend`] | how groups of executions change from run to run |
//!
//! Without features, the library uses no files and no threads, for the program in the page. The feature `dataset` adds [`rows`],
//! [`dataset`] and [`trend`], and `native` also [`query`], [`output`] and [`console`].
pub mod arrays;
pub mod cells;
#[cfg(feature = "native")]
pub mod console;
#[cfg(feature = "dataset")]
pub mod dataset;
pub mod depth;
mod error_text;
pub mod identity;
#[cfg(feature = "native")]
pub mod output;
mod overflow;
#[cfg(feature = "parquet")]
pub mod parquet_file;
#[cfg(feature = "native")]
pub mod query;
#[cfg(feature = "dataset")]
pub mod rows;
pub mod schema;
pub mod statement;
pub mod statements;
mod text_length;
#[cfg(feature = "dataset")]
pub mod trend;
