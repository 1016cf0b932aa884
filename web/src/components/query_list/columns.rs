//! The head of the query list: a column's name orders the list by it.

use queryscope::protocol::{QueryColumn, QueryList};
use yew::prelude::*;

use crate::components::icon::{Icon, icon};

/// The columns in order: name, what it means, whether its values are numbers.
const COLUMNS: [(QueryColumn, &str, &str, bool); 9] = [
    (QueryColumn::Sql, "Query", "The statement", false),
    (QueryColumn::Start, "Start", "Since the first event of its run", true),
    (QueryColumn::Duration, "Duration", "The bar is relative to the longest in the list", true),
    (QueryColumn::Ratio, "× run avg", "Duration divided by the average of its run", true),
    (QueryColumn::Sources, "Sources", "Source executions", true),
    (QueryColumn::RowsRead, "Rows read", "By its source executions", true),
    (QueryColumn::RowsReturned, "Returned", "Rows returned by its source executions", true),
    (QueryColumn::BufferBytes, "Buffer", "Bytes of its buffer events", true),
    (QueryColumn::Outcome, "Outcome", "How it ended", false),
];

/// How many columns there are.
pub const COUNT: usize = COLUMNS.len();

/// The head.
pub fn head(list: &QueryList, onsort: &Callback<QueryList>) -> Html {
    html! {
        <div class="grid-head" role="row" aria-rowindex="1">
            { for COLUMNS.iter().map(|(column, name, meaning, number)| {
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
