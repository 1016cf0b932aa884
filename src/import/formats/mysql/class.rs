//! What an event is, by its name.

/// The class of an event, which its table's name tells as well.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum MySqlEventClass {
    Transaction,
    Statement,
    /// A wait for the client: it stands among the waits, but is measured by the clock of statements.
    Idle,
    Stage,
    Wait,
}

impl MySqlEventClass {
    /// Of an event with this EVENT_NAME.
    pub fn of(name: &str) -> Self {
        match name {
            "idle" => Self::Idle,
            "transaction" => Self::Transaction,
            name if name.starts_with("stage/") => Self::Stage,
            name if name.starts_with("statement/") => Self::Statement,
            _ => Self::Wait,
        }
    }

    /// Classes of the events that waits lie in: they show how far the two clocks are apart.
    pub const HOLD_WAITS: [Self; 2] = [Self::Stage, Self::Statement];
}
