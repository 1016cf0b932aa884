//! Pivot tables: the spans and events of a trace, grouped by any dimensions, with any measures of each group.
//!
//! The model is that of MySQL's Performance Schema ("Aggregates" in its source documentation). A span or event is a
//! point whose coordinates are its *attributes*. A *dimension* is an attribute seen through *projections*, functions of
//! its values that may be *composed*; an aggregate groups the points by some dimensions and *measures* each group.
//!
//! ```text
//! name                  wait/io/file/sql/binlog
//! name[/3]              wait/io/file                  a projection: the first three parts
//! file[/-1][.1]         ibdata1                       composed: the last part of the path, without its ending
//! sum, p95(rows read)   measures: a sum (of durations, because no quantity is named) and a percentile
//! ```
//! If an aggregate by finer dimensions exists, a coarser aggregate is computed from its groups instead of the points: a
//! roll-up.
//!
//! Each distinct value of an attribute has a number (its *code*), so that grouping compares numbers and a projection runs
//! once per value instead of once per point. All sums are 128-bit integers: nothing is rounded and nothing overflows.

mod across;
mod aggregate;
mod amounts;
mod attribute;
mod cell;
mod choices;
mod column;
mod columns;
mod complete;
mod cube;
mod filter;
mod filtered;
mod group;
mod hint;
mod item_ids;
mod notes;
mod page;
mod parse;
mod projection;
mod server;
mod tally;
mod tick;
mod tree;

#[cfg(test)]
mod across_laws;
#[cfg(test)]
mod filter_laws;
#[cfg(test)]
mod laws;
#[cfg(test)]
mod range_laws;

pub(crate) use cell::MeasureCell;
pub use choices::{choices, has_event_names};
pub(crate) use filtered::{Filtered, named_by_filter};
pub use page::Pivot;
pub use parse::PivotError;
pub use projection::AttributeValue;
pub use server::average as server_average;
pub use tick::{Divisor, TickLength, TickSource};
