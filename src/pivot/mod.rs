//! Aggregates: what a trace holds, grouped by any dimensions and measured in any way.
//!
//! The model is that of MySQL's Performance Schema ("Aggregates" in its source documentation). A span or event is a
//! point whose coordinates are its *attributes*. A *dimension* is an attribute seen through *projections*, functions of
//! its values that may be *composed*; an aggregate groups the points by some dimensions and *measures* each group.
//!
//! ```text
//! name                  wait/io/file/sql/binlog
//! name[/3]              wait/io/file                  a projection: the first three parts
//! file[/-1][.1]         ibdata1                       composed: the last part of the path, without its ending
//! sum, p95(rows read)   what is measured: of durations, where nothing else is named
//! ```
//! An aggregate by coarser dimensions is made of a finer one, where there is one, and not of the points: a
//! [roll-up](Aggregate::roll_up).
//!
//! Each distinct value of an attribute has a number (its *code*), so that grouping compares numbers and projections are
//! made once per value and not once per point. All sums are integers of 128 bits: nothing is rounded and nothing overflows.

mod across;
mod aggregate;
mod amounts;
mod attribute;
mod cell;
mod choices;
mod column;
mod columns;
mod cube;
mod filter;
mod group;
mod levels;
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
mod laws;
#[cfg(test)]
mod range_laws;

pub(crate) use cell::MeasureCell;
pub use choices::{choices, has_event_names};
pub use page::Pivot;
pub use parse::PivotError;
pub use projection::{AttributeValue, PlainField};
pub use server::average as server_average;
pub use tick::{Divisor, TickLength, TickSource};
