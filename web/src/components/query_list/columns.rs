//! The head of the query list: a column's name orders the list by it.

use queryscope::protocol::{QueryColumn, QueryList};
use yew::prelude::*;

use crate::components::icon::{Icon, icon};

/// The columns in order: name, what it means, whether its values are numbers.
const COLUMNS: [(QueryColumn, &str, &str, bool); 9] = [
    (QueryColumn::Sql, "Query", "The statement", false),
    (QueryColumn::Start, "Start", "Since the first event of its run", true),
    (
        QueryColumn::Duration,
        "Duration",
        "Inside the time range, if one is selected; the bar is relative to the longest in the list",
        true,
    ),
    (QueryColumn::Ratio, "× run avg", "Duration divided by the average of its run", true),
    (QueryColumn::Sources, "Sources", "Source executions", true),
    (QueryColumn::RowsRead, "Rows read", "By its source executions", true),
    (QueryColumn::RowsReturned, "Returned", "Rows returned by its source executions", true),
    (QueryColumn::BufferBytes, "Buffer", "Bytes of its buffer events", true),
    (QueryColumn::Outcome, "Status", "How it ended", false),
];

/// The columns in which some query has something.
#[derive(Clone, PartialEq, Default)]
pub struct Shown {
    empty: Vec<QueryColumn>,
}

impl Shown {
    /// All but the empty ones.
    pub fn without(empty: &[QueryColumn]) -> Self {
        Self { empty: empty.to_vec() }
    }

    /// Whether a column is there.
    pub fn has(&self, column: QueryColumn) -> bool {
        !self.empty.contains(&column)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        COLUMNS.len() - self.empty.len()
    }

    /// What the style sheet needs to know: the columns' widths, and how wide all are at least.
    pub fn style(&self) -> String {
        let widths =
            COLUMNS.iter().filter(|(column, ..)| self.has(*column)).map(|(column, ..)| width(*column));
        let (widths, least): (Vec<_>, Vec<_>) = widths.unzip();
        format!("--columns:{};--least:calc({})", widths.join(" "), least.join(" + "))
    }
}

/// The width of a column as a track of the grid, and the least that it takes.
fn width(column: QueryColumn) -> (&'static str, &'static str) {
    match column {
        QueryColumn::Sql => ("minmax(var(--w-statement), 1fr)", "var(--w-statement)"),
        QueryColumn::Start => ("var(--w-start)", "var(--w-start)"),
        QueryColumn::Duration => ("var(--w-duration)", "var(--w-duration)"),
        QueryColumn::Outcome => ("var(--w-outcome)", "var(--w-outcome)"),
        _ => ("var(--w-number)", "var(--w-number)"),
    }
}

/// The head.
pub fn head(list: &QueryList, shown: &Shown, onsort: &Callback<QueryList>) -> Html {
    html! {
        <div class="grid-head" id="queries-head" role="row" aria-rowindex="1">
            { for COLUMNS.iter().filter(|(column, ..)| shown.has(*column)).map(|(column, name, meaning, number)| {
                let sorted = list.sort == *column;
                let next = ordered_by(list, *column);
                let onclick = onsort.reform(move |_: MouseEvent| next.clone());
                let order = match (sorted, list.descending) {
                    (false, _) => "none",
                    (true, false) => "ascending",
                    (true, true) => "descending",
                };
                html! {
                    <div role="columnheader" aria-sort={order} class={classes!(number.then_some("right"))}>
                        <button type="button" title={*meaning} {onclick}>
                            { *name }
                            if sorted { { icon(if list.descending { Icon::Down } else { Icon::Up }) } }
                        </button>
                    </div>
                }
            }) }
        </div>
    }
}

/// The list ordered by a column: the other way round if it is already.
fn ordered_by(list: &QueryList, column: QueryColumn) -> QueryList {
    let descending = if list.sort == column {
        !list.descending
    } else {
        // One looks for the greatest numbers, but reads texts and times from their beginning.
        !matches!(column, QueryColumn::Sql | QueryColumn::Start)
    };
    QueryList { sort: column, descending, ..list.clone() }
}
