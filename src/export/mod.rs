//! Export of traces and of analysis results, for other programs and as text tables.

mod pivot;
mod reconcile;
mod report;
mod spans;
mod table;

pub use pivot::{PivotFormat, write_choices, write_pivot};
pub use reconcile::write_reconciled;
pub use report::Report;
pub use spans::{SpanFormat, write_spans};
