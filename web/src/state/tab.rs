//! The views beside each other: which there are for a trace.

use crate::messages::Info;

/// The tabs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Tab {
    Overview,
    Gantt,
    Flame,
    Pivot,
    Parallel,
    Compare,
    Transactions,
    Tables,
}

impl Tab {
    /// All of them, in order, with their names.
    pub const ALL: [(Tab, &str); 8] = [
        (Tab::Overview, "Overview"),
        (Tab::Gantt, "Gantt"),
        (Tab::Flame, "Flame"),
        (Tab::Pivot, "Pivot"),
        (Tab::Parallel, "Parallel"),
        (Tab::Compare, "Compare"),
        (Tab::Transactions, "Transactions"),
        (Tab::Tables, "Tables"),
    ];

    /// Those that have something to show of this trace.
    pub fn of(info: &Info) -> Vec<(Tab, &'static str)> {
        let shows = |(tab, _): &(Tab, &str)| match tab {
            Tab::Tables => info.tables > 0,
            _ if info.items == 0 && info.tables > 0 => false,
            Tab::Parallel => info.parallel,
            Tab::Compare => info.compares(),
            Tab::Transactions => info.transactions,
            _ => true,
        };
        Self::ALL.into_iter().filter(shows).collect()
    }

    /// For `data-view` and the address.
    pub fn id(self) -> &'static str {
        match self {
            Tab::Overview => "overview",
            Tab::Gantt => "gantt",
            Tab::Flame => "flame",
            Tab::Pivot => "pivot",
            Tab::Parallel => "parallel",
            Tab::Compare => "compare",
            Tab::Transactions => "transactions",
            Tab::Tables => "tables",
        }
    }

    /// Whether it shows the timeline's canvases.
    pub fn has_picture(self) -> bool {
        matches!(self, Tab::Gantt | Tab::Flame)
    }
}
