//! The list of side tables. A click or Enter shows a table.

use queryscope::internal::text;
use queryscope::protocol::{TableInfo, TableView};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::components::{PanelProps, typing};
use crate::state::Action;
use crate::words;

/// Properties of the list of side tables.
#[derive(Properties, PartialEq)]
pub struct ListProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// The side tables, in the engine's order.
    pub tables: Vec<TableInfo>,
}

/// The list of side tables, with a filter.
#[component]
pub fn List(props: &ListProps) -> Html {
    let wanted = use_state_eq(String::new);
    let setter = wanted.setter();
    let oninput = move |event: InputEvent| {
        setter.set(event.target_unchecked_into::<HtmlInputElement>().value().to_lowercase());
    };
    let onkeydown = typing(&props.panel.mount);
    let shown = found(&props.tables, &wanted);
    let none = shown.is_empty();
    html! {
        <nav class="table-names" aria-label={words::tables::TABLES}>
            if props.tables.len() > 1 {
                <div class="field">
                    <input type="search" aria-label={words::tables::FIND_TABLE} placeholder={words::tables::FIND_TABLE} autocomplete="off" spellcheck="false"
                        value={(*wanted).clone()} {oninput} {onkeydown} />
                </div>
            }
            <ul class="scrolls">{ for shown.into_iter().map(|at| name(props, at)) }</ul>
            if none { <p class="muted">{ words::tables::NO_MATCHING_TABLES }</p> }
        </nav>
    }
}

fn name(props: &ListProps, at: usize) -> Html {
    let TableInfo { run, name, rows } = &props.tables[at];
    let current = props.panel.state.nav.table.table as usize == at;
    let dispatch = props.panel.dispatch.clone();
    let onclick = move |_: MouseEvent| {
        dispatch.dispatch(Action::Table(TableView { table: at as u32, ..TableView::default() }));
    };
    html! {
        <li key={at}>
            <button type="button" aria-current={current.then_some("true")} title={name.clone()} {onclick}>
                <span class="clip" dir="auto">{ name }</span>
                <span class="count">{ text::count(i64::try_from(*rows).unwrap_or(i64::MAX)) }</span>
                if !run.is_empty() { <span class="run clip foreign" dir="auto">{ run }</span> }
            </button>
        </li>
    }
}

/// Returns the indexes of the tables whose names contain every word.
fn found(tables: &[TableInfo], wanted: &str) -> Vec<usize> {
    let has =
        |at: &usize| wanted.split_whitespace().all(|word| tables[*at].name.to_lowercase().contains(word));
    (0..tables.len()).filter(has).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn tables_are_found_by_words() {
        let info = |name: &str| TableInfo { run: String::new(), name: name.to_owned(), rows: 1 };
        let tables = ["threads", "memory_summary", "events_summary"].map(info);
        for (wanted, expected) in [("", &[0, 1, 2][..]), ("summary", &[1, 2]), ("sum mem", &[1]), ("x", &[])]
        {
            assert_eq!(found(&tables, wanted), expected, "{wanted}");
        }
    }
}
