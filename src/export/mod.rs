//! Export of traces and of analysis results, for other programs and as text tables, and of views as images.

#[cfg(feature = "export")]
mod comparison;
mod other_formats;
pub(crate) mod picture;
#[cfg(feature = "export")]
mod pivot;
#[cfg(feature = "export")]
mod reconcile;
#[cfg(feature = "export")]
mod report;
pub(crate) mod session_entry;
#[cfg(feature = "export")]
mod session_file;
mod single_page;
#[cfg(feature = "export")]
mod spans;
#[cfg(feature = "export")]
mod table;
mod trace_file;
#[cfg(feature = "export")]
mod trend;

#[cfg(feature = "export")]
pub use crate::stats::parse_threshold;
#[cfg(feature = "export")]
pub use comparison::{
    ComparisonFormat, ComparisonOutput, ConditionCheck, FailCondition, GroupBy, RunComparison, RunSide,
    RunsTable, RunsTableOutput,
};
pub use other_formats::{ForeignFormat, ForeignSummary, write_foreign};
#[cfg(feature = "export")]
pub use pivot::{PivotFormat, write_choices, write_pivot};
#[cfg(feature = "export")]
pub use reconcile::write_reconciled;
#[cfg(feature = "export")]
pub use report::Report;
#[cfg(feature = "export")]
pub use session_file::SessionFile;
pub use single_page::SinglePage;
#[cfg(feature = "export")]
pub use spans::{SpanFormat, write_chosen_spans, write_spans};
pub use trace_file::{TraceExport, preview};
#[cfg(feature = "export")]
pub use trend::{
    GroupSummary, LARGEST, RunGroup, RunMeasure, SAMPLE, SampledExecution, Trend, TrendFormat, TrendGroups,
    TrendOutput, TrendRun, TrendWarning, engine_version, run_groups,
};
