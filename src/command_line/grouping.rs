//! The argument that says what executions are grouped by.

use clap::ValueEnum;

use crate::protocol::GroupBy;

/// What executions are grouped by, as an argument.
#[derive(Clone, Copy, ValueEnum)]
pub enum GroupingArgument {
    /// Statements that differ in their literals only. In traces without statements: as "name".
    Shape,
    /// Spans by name and category.
    Name,
    /// Spans by kind.
    Kind,
    /// Source executions by datasource.
    Datasource,
    /// Source executions by connector.
    Connector,
}

impl From<GroupingArgument> for GroupBy {
    fn from(argument: GroupingArgument) -> Self {
        match argument {
            GroupingArgument::Shape => Self::Shape,
            GroupingArgument::Name => Self::Name,
            GroupingArgument::Kind => Self::Kind,
            GroupingArgument::Datasource => Self::Datasource,
            GroupingArgument::Connector => Self::Connector,
        }
    }
}
