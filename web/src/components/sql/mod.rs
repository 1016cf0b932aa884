//! SQL over the trace: an editor, ready-made statements, and the result of the last statement.

mod chart;
mod editor;
mod history;
mod result;

use queryscope::protocol::{SqlFailure, SqlOrder, SqlReadyStatement};
use yew::prelude::*;

use super::PanelProps;
use super::filter_completion::{field as input_of, retype};
use super::trends::wanted;
use crate::sql_client::{SqlOutcome, SqlStatus};
use crate::state::Action;
use crate::stored_trace::MOST_UNASKED;
use crate::words;
use chart::ResultChart;
use editor::Editor;
use result::ResultTable;

/// Maximum number of rows of a result.
const MOST_ROWS: u32 = 10_000;

/// The SQL panel.
#[component]
pub fn Sql(props: &PanelProps) -> Html {
    let client = props.client.sql();
    let status = use_state_eq(|| client.status());
    let (field, caret) = (use_node_ref(), use_state_eq(|| None));
    let (sql, setter) = (client.clone(), status.setter());
    let mount = props.mount.clone();
    use_effect_with((), move |()| {
        sql.listen(Callback::from(move |status| setter.set(status)));
        history::stored(&mount).into_iter().for_each(|history| sql.remember(history));
        sql.wake();
        move || sql.listen(Callback::noop())
    });
    if !client.is_built() {
        return html! { <div class="empty"><strong>{ words::sql::NOT_BUILT_IN }</strong><span>{ words::sql::NOT_BUILT_IN_REASON }</span></div> };
    }
    let (text, stored) = (props.state.nav.sql.clone(), stored(props));
    let (engine, build) = (props.client.clone(), props.state.load.info.build);
    let (mount, reorder) =
        (props.mount.clone(), props.dispatch_of(|()| Action::Order("sql".to_owned(), None)));
    let close = caret.setter();
    let run = Callback::from(move |limit: u64| {
        // The list of names would cover the rows.
        close.set(None);
        // The order of the rows is that of the statement, not of a heading that was clicked for another one.
        if engine.sql().status().outcome.is_none_or(|outcome| outcome.0 != text) {
            reorder.emit(());
        }
        history::add(engine.sql(), &mount, &text);
        let (sql, stored) = (text.clone(), stored.clone());
        engine.run_sql(SqlOrder { build, sql, rows: MOST_ROWS, limit, stored });
    });
    let onrun = run.reform(|()| MOST_UNASKED);
    html! {
        <section class="sql" aria-label={words::sql::SQL}>
            { tools(props, &status, onrun.clone(), fill(props, &status, &field, &caret)) }
            <Editor panel={props.clone()} outcome={status.outcome.clone()} found={status.found.clone()} {onrun} {field} {caret} />
            if props.state.load.dataset.as_ref().is_some_and(|dataset| dataset.wanted.is_some()) { <div class="sql-tools">{ wanted(props) }</div> }
            if let Some(reason) = &status.refusal { <p class="sql-error" role="alert">{ reason }</p> }
            { outcome(props, &status, &run) }
        </section>
    }
}

/// Name of the trace of the data set that statements read; `None` for the whole data set, and without a data set.
fn stored(props: &PanelProps) -> Option<String> {
    let trace = props.state.load.dataset.as_ref().and_then(|dataset| dataset.trace.clone());
    trace.filter(|_| props.state.nav.sql_of_trace)
}

/// The menu of what statements read: the data set, or the open trace of it.
fn sources(props: &PanelProps) -> Html {
    let Some(dataset) = &props.state.load.dataset else { return Html::default() };
    let all = words::sql::all_traces(&dataset.name);
    let mut names = vec![(0, all.as_str())];
    names.extend(dataset.trace.as_deref().map(|trace| (1, trace)));
    let choose = props.dispatch_of(Action::SqlOfTrace).reform(|at| at == 1);
    chart::menu(words::sql::SOURCE, names, u32::from(stored(props).is_some()), choose)
}

/// Replaces the text of the editor by a statement. Undo restores a text that was typed, and the history keeps it.
fn fill(
    props: &PanelProps,
    status: &SqlStatus,
    field: &NodeRef,
    caret: &UseStateHandle<Option<u32>>,
) -> Callback<String> {
    let (client, mount) = (props.client.clone(), props.mount.clone());
    let (field, close) = (field.clone(), caret.setter());
    let set = props.dispatch_of(Action::Sql);
    let typed = props.state.nav.sql.clone();
    let is_known = typed.trim().is_empty()
        || status.ready.iter().any(|ready| ready.sql == typed)
        || status.history.contains(&typed);
    Callback::from(move |sql: String| {
        if !is_known {
            history::add(client.sql(), &mount, &typed);
        }
        if let Some(field) = input_of(&field) {
            retype(&field, ["", &sql, ""]);
            // A statement is read from its beginning. A text field always has a selection.
            let _ = field.set_selection_range(0, 0);
            field.set_scroll_top(0);
        }
        close.set(None);
        set.emit(sql);
    })
}

fn tools(props: &PanelProps, status: &SqlStatus, onrun: Callback<()>, fill: Callback<String>) -> Html {
    let sql = props.client.sql().clone();
    let (stop, forget) = (sql.clone(), (sql, props.mount.clone()));
    let stop = move |_: MouseEvent| stop.cancel();
    let clear = Callback::from(move |()| {
        history::store(&forget.1, &[]);
        forget.0.remember(Vec::new());
    });
    html! {
        <div class="sql-tools">
            if status.is_running {
                <button type="button" class="btn small" title={words::sql::CANCEL_MEANING} onclick={stop}>{ words::sql::CANCEL }</button>
            } else {
                <button type="button" class="btn small primary" title={words::sql::RUN_MEANING} disabled={props.state.nav.sql.trim().is_empty()}
                    onclick={onrun.reform(|_: MouseEvent| ())}>{ words::sql::RUN }</button>
            }
            { sources(props) }
            { editor::menu(words::sql::READY_STATEMENTS, ready(props, status), fill.clone(), None) }
            { editor::menu(words::sql::HISTORY, earlier(status), fill, Some((words::sql::CLEAR_HISTORY, clear))) }
            <span class="count" role="status">{ said(status) }</span>
        </div>
    }
}

/// Group, text of the entry, and statement.
type MenuEntry = (String, String, String);

/// The statements that come with the program: first those for the engine of the trace, then those for all engines.
fn ready(props: &PanelProps, status: &SqlStatus) -> Vec<MenuEntry> {
    let formats = &props.state.load.info.formats;
    let rank = |of: &SqlReadyStatement| match of.engine.as_str() {
        "" => 1,
        engine if formats.iter().any(|format| format.starts_with(engine)) => 0,
        _ => 2,
    };
    let entry = |of: &SqlReadyStatement| {
        let engine =
            if of.engine.is_empty() { words::sql::ALL_ENGINES.to_owned() } else { of.engine.clone() };
        (engine, of.name.clone(), of.sql.clone())
    };
    let of_rank = |wanted: u8| status.ready.iter().filter(move |of| rank(of) == wanted);
    [0, 1, 2].into_iter().flat_map(of_rank).map(entry).collect()
}

fn earlier(status: &SqlStatus) -> Vec<MenuEntry> {
    let entry = |sql: &String| {
        let line: String = super::one_line(sql).chars().take(80).collect();
        (String::new(), line, sql.clone())
    };
    status.history.iter().map(entry).collect()
}

fn said(status: &SqlStatus) -> String {
    match status.outcome.as_deref() {
        _ if status.is_starting && status.is_running => words::sql::STARTING.to_owned(),
        _ if status.is_running && status.is_answering => words::sql::WAITING.to_owned(),
        _ if status.is_running => words::sql::running(status.planned, status.fetched),
        Some((_, SqlOutcome::Rows(result, time))) => words::sql::summary(result, *time),
        Some((_, SqlOutcome::Cancelled)) => words::common::CANCELLED.to_owned(),
        _ => String::new(),
    }
}

fn outcome(props: &PanelProps, status: &SqlStatus, run: &Callback<u64>) -> Html {
    match status.outcome.as_deref() {
        Some((_, SqlOutcome::Failed(SqlFailure { too_large: Some(planned), .. }))) if !status.is_running => {
            html! {
                <p class="sql-error" role="alert">
                    { words::sql::too_large(*planned) }{ " " }
                    <button type="button" class="btn small" onclick={run.reform(|_: MouseEvent| u64::MAX)}>{ words::sql::RUN_ANYWAY }</button>
                </p>
            }
        }
        Some((_, SqlOutcome::Failed(failure))) if !status.is_running => html! {
            <p class="sql-error" role="alert">
                if let Some((line, column)) = failure.place { <b>{ words::sql::place(line, column) }{ ". " }</b> }
                { words::sql::failed(&failure.text, failure.is_memory) }
            </p>
        },
        Some((_, SqlOutcome::Rows(..))) => html! {
            <>
                <ResultChart panel={props.clone()} outcome={status.outcome.clone()} chart={status.chart.clone()} />
                <ResultTable panel={props.clone()} outcome={status.outcome.clone()} is_old={status.is_running} />
            </>
        },
        None if !status.is_running => {
            html! { <p class="sql-hint">{ words::sql::hint(props.state.load.dataset.is_some() && stored(props).is_none()) }</p> }
        }
        _ => Html::default(),
    }
}
