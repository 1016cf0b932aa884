//! The tables that an export holds in addition to its events, unchanged: the server's sums, threads and settings.

mod grid;
mod list;

use queryscope::protocol::{TableList, TableListRequest};
use yew::prelude::*;

use super::PanelProps;
use super::use_query::{Answer, use_query};
use crate::words;
use grid::Grid;
use list::List;

/// The panel of side tables.
#[component]
pub fn Tables(props: &PanelProps) -> Html {
    let state = &props.state;
    let answer = use_query(&props.client, Some(TableListRequest), state.load.info.build);
    let Some(found) = answer.as_ref().and_then(Answer::reply) else {
        return html! { <section class="side-tables" aria-label={words::tables::TABLES} /> };
    };
    html! {
        <section class="side-tables" aria-label={words::tables::TABLES}>
            if let Some(missing) = &found.missing {
                <p class="missing" role="note"><b>{ words::tables::NO_TIMELINE }</b>{ missing }</p>
            }
            { both(props, found) }
        </section>
    }
}

fn both(props: &PanelProps, found: &TableList) -> Html {
    let Some(shown) = found.tables.get(props.state.nav.table.table as usize).or(found.tables.first()) else {
        return html! { <div class="empty"><strong>{ words::tables::NO_TABLES }</strong><span>{ words::tables::NO_TABLES_REASON }</span></div> };
    };
    html! {
        <div class="split">
            <List panel={props.clone()} tables={found.tables.clone()} />
            <Grid panel={props.clone()} info={shown.clone()} />
        </div>
    }
}
