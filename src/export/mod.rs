//! A trace and the answers about it, written out for other programs and for people.

mod csv;
mod pivot;
mod report;
mod spans;
mod table;

pub use pivot::{PivotFormat, write_choices, write_pivot};
pub use report::Report;
pub use spans::{SpanFormat, write_spans};
