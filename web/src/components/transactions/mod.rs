//! Transactions with their idle gaps, and lock waits.

mod list;
mod locks;

use queryscope::protocol::{LockWaitsRequest, TransactionList, TransactionListRequest};
use yew::prelude::*;

use super::use_query::{Answer, is_old, use_query};
use super::{PanelProps, time_range};
use crate::state::Action;
use crate::ui::TermHelp;
use crate::words;
use crate::words::glossary::Term;
use list::TransactionTable;

/// The panel of transactions and lock waits.
#[component]
pub fn Transactions(props: &PanelProps) -> Html {
    let (state, build) = (&props.state, props.state.load.info.build);
    let wanted = use_state_eq(|| 0..64_u32);
    let list = TransactionList { range: state.nav.range, ..state.nav.transactions.clone() };
    let request =
        TransactionListRequest { list: list.clone(), first: wanted.start, count: wanted.end - wanted.start };
    let page = use_query(&props.client, Some(request), build);
    let locks = use_query(&props.client, Some(LockWaitsRequest), build);
    let inert = is_old(page.as_ref(), &build) || is_old(locks.as_ref(), &build);
    let page = page.as_ref().and_then(Answer::reply).cloned();
    let locks = locks.as_ref().and_then(Answer::reply);
    let heading = html! {
        <>
            <h2 id="transactions">{ words::transactions::TRANSACTIONS }</h2>
            <TermHelp term={Term::IdleGap} />
            <p>{ words::transactions::IDLE_MEANING }</p>
            { time_range(props) }
            <p class="whole-line">{ page.as_ref().map(words::transactions::summary) }</p>
        </>
    };
    let onwanted = wanted.setter();
    html! {
        <div class="overview parallel scrolls" tabindex="0" role="region" aria-label={words::transactions::REGION} {inert}>
            { for locks.map(|locks| locks::section(props, locks)) }
            <section aria-labelledby="transactions">
                <TransactionTable panel={props.clone()} {page} {list} onlist={props.dispatch_of(Action::Transactions)}
                    onwanted={move |wanted| onwanted.set(wanted)} {heading} />
            </section>
        </div>
    }
}
