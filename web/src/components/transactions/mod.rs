//! Transactions with the pauses in them, and who waited for whose locks.

mod list;
mod locks;

use queryscope::protocol::{RANGE_MEANS, Reply, Request, TransactionColumn, TransactionList};
use queryscope::text;
use yew::prelude::*;

use super::ask::{is_old, use_reply};
use super::more::use_more;
use super::{PanelProps, show_in_timeline};
use crate::state::Action;

/// The most rows that are shown: what is beyond them is found by another order, or by a range of time.
const MOST: u32 = 10_000;

/// The panel.
#[component]
pub fn Transactions(props: &PanelProps) -> Html {
    let (state, build) = (&props.state, props.state.load.info.build);
    let sort = use_state_eq(TransactionColumn::default);
    let total = use_state_eq(|| 0_u32);
    let (shown, more) = use_more(total.min(MOST) as usize, "transaction", "transactions");
    let list = TransactionList { sort: *sort, range: state.nav.range };
    let count = shown.max(1) as u32;
    let page = use_reply(&props.client, Some(Request::Transactions { list, first: 0, count }), build);
    let locks = use_reply(&props.client, Some(Request::LockWaits), build);
    let inert = is_old(page.as_ref(), &build) || is_old(locks.as_ref(), &build);
    let page = page.as_ref().and_then(|answer| match &answer.reply {
        Reply::Transactions(page) => Some(page),
        _ => None,
    });
    let known = page.map(|page| page.total);
    let setter = total.setter();
    use_effect_with(known, move |known| known.iter().for_each(|known| setter.set(*known)));
    let locks = match locks.as_ref().map(|answer| &answer.reply) {
        Some(Reply::LockWaits(waits)) => Some(waits),
        _ => None,
    };
    let waits = use_more(locks.map_or(0, |locks| locks.rows.len()), "wait", "waits");
    let onsort = {
        let setter = sort.setter();
        Callback::from(move |column| setter.set(column))
    };
    html! {
        <div class="overview parallel scrolls" tabindex="0" role="region" aria-label="Transactions and locks" {inert}>
            { for locks.map(|locks| locks::section(props, locks, waits)) }
            <section aria-labelledby="transactions">
                <header>
                    <h2 id="transactions">{ "Transactions" }</h2>
                    <p>{ "Idle: the transaction was open, its locks were held, and its thread ran no statement." }</p>
                    { range(props) }
                </header>
                { page.map_or_else(Html::default, list::summary) }
                { page.map_or_else(Html::default, |page| list::table(props, page, *sort, &onsort)) }
                { more }
                if total.saturating_sub(MOST) > 0 {
                    <p class="muted">{ format!("{} more: choose another order, or a range of time.", text::count(i64::from(*total - MOST))) }</p>
                }
            </section>
        </div>
    }
}

/// The range of time that it is about, if it is not about all.
fn range(props: &PanelProps) -> Html {
    let Some((start, end)) = props.state.nav.range else { return Html::default() };
    let dispatch = props.dispatch.clone();
    let all = move |_: MouseEvent| dispatch.dispatch(Action::Range(None));
    html! {
        <>
            <p>{ format!("+{} … +{}", text::duration(start), text::duration(end)) }</p>
            <p class="muted range-means">{ RANGE_MEANS }</p>
            <button type="button" class="btn small end" onclick={all}>{ "All times" }</button>
        </>
    }
}

/// A button that leads to something in the Gantt view.
fn jump(props: &PanelProps, item: u32, text: &str, title: String) -> Html {
    let dispatch = props.dispatch.clone();
    let onclick = move |_: MouseEvent| show_in_timeline(&dispatch, item);
    html! { <button type="button" class="link foreign clip" dir="auto" {title} {onclick}>{ text }</button> }
}
