//! Code that several analyses share: the table of queries with its filter, search, grouping of statements that differ
//! only in their values, self time, percentiles and sums.
//!
//! Two rules hold for every analysis. A value that was not reported is not 0: it is left out of sums and averages, and
//! matches no condition of a filter. Spans without an end in the trace (unfinished queries) are left out of averages,
//! because their duration is only a lower bound.

mod bits;
mod child_spans;
mod duration_bars;
mod execution_numbers;
pub(crate) mod filter;
mod filtered_items;
mod innermost;
mod key_names;
mod levels;
mod outcomes;
pub(crate) mod percentile;
mod point_rows;
mod queries;
mod query_bytes;
mod query_rows;
mod score;
pub(crate) mod search;
mod self_time;
mod shown_items;
mod sql_shapes;
mod statements;
mod step_label;
mod sum;
mod union;

#[cfg(test)]
pub(crate) mod sample;

pub(crate) use bits::Bits;
pub use child_spans::ChildSpans;
pub use duration_bars::duration_bars;
pub use execution_numbers::ExecutionNumbers;
pub use filter::{FilterError, QueryFilter};
pub use filtered_items::{FilteredItems, passes};
pub use key_names::{key_called, key_name};
pub use levels::Levels;
pub use outcomes::{is_source_call, is_whole, outcome, outcome_name};
pub use point_rows::PointRows;
pub use queries::{NO_QUERY, Order, Queries, summed_column};
pub use query_bytes::QueryBytes;
pub use search::Hits;
pub use self_time::{SelfTimes, kept_self_times_in, self_times, self_times_in};
pub use shown_items::{ShownItems, spans_around};
pub use sql_shapes::SqlShapes;
pub(crate) use statements::{Statement, StatementTexts, Statements};
pub use step_label::StepLabel;
pub use sum::Sum;
pub use union::Union;
