//! Code that the programs of the command line share: reads files and data sets into a session within a memory limit.

mod grouping;
mod memory;
mod reading;
mod stored;

pub use grouping::GroupingArgument;
pub use reading::{FileFeeder, Load, formats, reversed_range, size, time};
pub use stored::sql_program;
