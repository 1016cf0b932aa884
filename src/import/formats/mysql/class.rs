//! Classes of events, by their names.

/// Class of an event, which follows from its name or from its table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MySqlEventClass {
    Transaction,
    Statement,
    /// A wait for the client: it is in the table of waits, but is measured by the clock of statements.
    Idle,
    Stage,
    Wait,
}

impl MySqlEventClass {
    /// Class of an event with this EVENT_NAME.
    pub fn of(name: &str) -> Self {
        match name {
            "idle" => Self::Idle,
            "transaction" => Self::Transaction,
            name if name.starts_with("stage/") => Self::Stage,
            name if name.starts_with("statement/") => Self::Statement,
            _ => Self::Wait,
        }
    }

    /// Classes of events that contain waits: they show the difference of the two clocks.
    pub const HOLD_WAITS: [Self; 2] = [Self::Stage, Self::Statement];
}
