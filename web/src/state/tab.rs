//! The tabs of the page: which exist for a trace, and their names.

use super::Load;
use crate::messages::TraceInfo;
use crate::words::tabs;

/// The tabs, in order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[allow(missing_docs)]
pub enum Tab {
    Trends,
    Overview,
    #[default]
    Gantt,
    Flame,
    Statements,
    Sources,
    Pivot,
    Parallel,
    Compare,
    Transactions,
    Tables,
    Sql,
}

/// Description of a tab.
#[derive(Clone, Copy, Debug)]
pub struct TabInfo {
    /// The tab itself.
    pub tab: Tab,
    /// Id for `data-view` and the address.
    pub id: &'static str,
    /// Name on screen.
    pub name: &'static str,
    /// Key that shows the tab.
    pub key: &'static str,
    /// Description of the tab in the help on keys.
    pub meaning: &'static str,
    /// Whether the tab has content for a trace with events.
    applies: fn(&TraceInfo) -> bool,
}

const fn named(
    tab: Tab,
    [id, name, key, meaning]: [&'static str; 4],
    applies: fn(&TraceInfo) -> bool,
) -> TabInfo {
    TabInfo { tab, id, name, key, meaning, applies }
}

/// All tabs, in order.
pub const TABS: [TabInfo; 12] = [
    named(Tab::Trends, ["trends", tabs::TRENDS, "u", tabs::TRENDS_MEANING], |_| true),
    named(Tab::Overview, ["overview", tabs::OVERVIEW, "1", tabs::OVERVIEW_MEANING], |_| true),
    named(Tab::Gantt, ["gantt", tabs::GANTT, "2", tabs::GANTT_MEANING], |_| true),
    named(Tab::Flame, ["flame", tabs::FLAME, "3", tabs::FLAME_MEANING], |_| true),
    named(Tab::Statements, ["statements", tabs::STATEMENTS, "9", tabs::STATEMENTS_MEANING], |info| {
        info.items > 0
    }),
    named(Tab::Sources, ["sources", tabs::SOURCES, "0", tabs::SOURCES_MEANING], |info| {
        info.executions || info.buffers
    }),
    named(Tab::Pivot, ["pivot", tabs::PIVOT, "4", tabs::PIVOT_MEANING], |_| true),
    named(Tab::Parallel, ["parallel", tabs::PARALLEL, "5", tabs::PARALLEL_MEANING], |info| {
        info.parallel || info.critical
    }),
    named(Tab::Compare, ["compare", tabs::COMPARE, "6", tabs::COMPARE_MEANING], |info| {
        info.runs > 1 || info.items > 0
    }),
    named(Tab::Transactions, ["transactions", tabs::TRANSACTIONS, "7", tabs::TRANSACTIONS_MEANING], |info| {
        info.transactions
    }),
    named(Tab::Tables, ["tables", tabs::TABLES, "8", tabs::TABLES_MEANING], |info| info.tables > 0),
    named(Tab::Sql, ["sql", tabs::SQL, "y", tabs::SQL_MEANING], |_| true),
];

impl Tab {
    /// The tabs that have content: only tables and SQL for a trace of tables alone, trends and SQL for a data set alone.
    pub fn of(load: &Load) -> Vec<TabInfo> {
        let info = &load.info;
        let alone = info.items == 0 && info.tables > 0;
        let shows = |named: &TabInfo| match named.tab {
            Tab::Trends => load.dataset.is_some(),
            Tab::Sql => true,
            _ if load.has_dataset_alone() => false,
            tab => (named.applies)(info) && (!alone || tab == Tab::Tables),
        };
        // A trace without statements has slices, which are grouped by name.
        let called = |tab: TabInfo| match tab.tab {
            Tab::Statements if info.has_slices_alone() => TabInfo { name: tabs::SLICES, ..tab },
            _ => tab,
        };
        TABS.into_iter().filter(shows).map(called).collect()
    }

    /// Id for `data-view` and the address.
    pub fn id(self) -> &'static str {
        TABS.iter().find(|named| named.tab == self).map_or("", |named| named.id)
    }

    /// The tab with this id.
    pub fn of_id(id: &str) -> Option<Self> {
        TABS.iter().find(|named| named.id == id).map(|named| named.tab)
    }

    /// The tab that a key shows.
    pub fn of_key(key: &str) -> Option<Self> {
        TABS.iter().find(|named| named.key == key).map(|named| named.tab)
    }

    /// Whether the query list is shown below the tab, because the tab's content depends on the selected query.
    pub fn has_list(self) -> bool {
        let without = [
            Tab::Trends,
            Tab::Statements,
            Tab::Sources,
            Tab::Pivot,
            Tab::Transactions,
            Tab::Tables,
            Tab::Sql,
        ];
        !without.contains(&self)
    }

    /// Whether the tab shows the timeline's canvases.
    pub fn has_picture(self) -> bool {
        matches!(self, Tab::Gantt | Tab::Flame)
    }
}
