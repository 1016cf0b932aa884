//! The views beside each other: which there are for a trace, and what they are called.

use crate::messages::TraceInfo;
use crate::words::tabs;

/// The tabs, in order.
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

/// What is known of a tab besides what it shows.
#[derive(Clone, Copy, Debug)]
pub struct TabInfo {
    /// The tab.
    pub tab: Tab,
    /// For `data-view` and the address.
    pub id: &'static str,
    /// On screen.
    pub name: &'static str,
    /// The key that shows it.
    pub key: &'static str,
    /// What it shows, for the list of keys.
    pub meaning: &'static str,
    /// Whether it has something to show of a trace with events.
    applies: fn(&TraceInfo) -> bool,
}

const fn named(
    tab: Tab,
    [id, name, key, meaning]: [&'static str; 4],
    applies: fn(&TraceInfo) -> bool,
) -> TabInfo {
    TabInfo { tab, id, name, key, meaning, applies }
}

/// All of them, in order.
pub const TABS: [TabInfo; 8] = [
    named(Tab::Overview, ["overview", tabs::OVERVIEW, "1", tabs::OVERVIEW_MEANING], |_| true),
    named(Tab::Gantt, ["gantt", tabs::GANTT, "2", tabs::GANTT_MEANING], |_| true),
    named(Tab::Flame, ["flame", tabs::FLAME, "3", tabs::FLAME_MEANING], |_| true),
    named(Tab::Pivot, ["pivot", tabs::PIVOT, "4", tabs::PIVOT_MEANING], |_| true),
    named(Tab::Parallel, ["parallel", tabs::PARALLEL, "5", tabs::PARALLEL_MEANING], |info| info.parallel),
    named(Tab::Compare, ["compare", tabs::COMPARE, "6", tabs::COMPARE_MEANING], TraceInfo::compares),
    named(Tab::Transactions, ["transactions", tabs::TRANSACTIONS, "7", tabs::TRANSACTIONS_MEANING], |info| {
        info.transactions
    }),
    named(Tab::Tables, ["tables", tabs::TABLES, "8", tabs::TABLES_MEANING], |info| info.tables > 0),
];

impl Tab {
    /// Those that have something to show of this trace. An export of tables alone is looked at as tables.
    pub fn of(info: &TraceInfo) -> Vec<TabInfo> {
        let alone = info.items == 0 && info.tables > 0;
        let shows = |named: &TabInfo| (named.applies)(info) && (!alone || named.tab == Tab::Tables);
        TABS.into_iter().filter(shows).collect()
    }

    /// For `data-view` and the address.
    pub fn id(self) -> &'static str {
        TABS.iter().find(|named| named.tab == self).map_or("", |named| named.id)
    }

    /// The tab of an id.
    pub fn of_id(id: &str) -> Option<Self> {
        TABS.iter().find(|named| named.id == id).map(|named| named.tab)
    }

    /// The tab that a key shows.
    pub fn of_key(key: &str) -> Option<Self> {
        TABS.iter().find(|named| named.key == key).map(|named| named.tab)
    }

    /// Whether selecting a query changes what it shows: the query list stands below it.
    pub fn has_list(self) -> bool {
        !matches!(self, Tab::Pivot | Tab::Transactions | Tab::Tables)
    }

    /// Whether it shows the timeline's canvases.
    pub fn has_picture(self) -> bool {
        matches!(self, Tab::Gantt | Tab::Flame)
    }
}
