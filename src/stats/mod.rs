//! Analyses that answer a question with numbers: one file per question, independent of file formats and of drawing.
//!
//! Code that several analyses share, and the two rules that hold for all of them, is in [`analysis`](crate::analysis).

mod area;
mod buffer_activity;
mod buffers;
mod charts;
mod details;
mod filtering;
mod findings;
mod locks;
mod merged;
mod outliers;
mod parallel;
mod pauses;
mod range;
mod shapes;
mod sources;
#[cfg(test)]
mod span_jump_tests;
mod span_jumps;
#[cfg(any(test, feature = "export"))]
mod statement_times;
mod summary;
mod tables;
mod transactions;

pub use area::{AreaScope, Areas};
pub use buffer_activity::{BufferQueries, buffer_activity};
pub use buffers::{BufferSum, buffers};
pub use charts::charts;
pub use details::{
    NAMES_IN_ISSUE, card, details, filters, issue_of_area, issue_of_item, issue_of_range, records,
};
pub(crate) use filtering::DatasourceSum;
#[cfg(any(test, feature = "export"))]
pub use filtering::datasources;
#[cfg(feature = "export")]
pub use findings::parse_threshold;
pub use findings::{FindingSearch, RuleInfo, finding_rules};
pub use locks::lock_waits;
pub use merged::{FrameLabel, FrameNode, KeptFrames, Merged, arguments, first_path, frame_card};
pub use outliers::Thresholds;
#[cfg(any(test, feature = "export"))]
pub use outliers::{Outlier, outliers};
pub use parallel::{
    ParallelScope, busiest, critical_path, has_critical_path, has_parallel, has_plans, heat, parallel,
    path_parts,
};
pub use pauses::{Gap, pauses};
pub use range::range;
pub use shapes::StatementShapes;
pub use sources::Sources;
pub use span_jumps::span_jump;
#[cfg(any(test, feature = "export"))]
pub use statement_times::{StatementTime, statement_times};
pub use summary::{n_queries, reconstructed, summaries};
pub use tables::{TableRows, n_tables, tables};
pub use transactions::{Transactions, has_transactions};
