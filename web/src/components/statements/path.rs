//! What was on the critical paths of the executions of a shape.

use queryscope::protocol::{ExecutionList, ShapePath, ShapePathRequest, ShapePathStep};
use yew::prelude::*;

use crate::components::use_query::{Answer, is_old, use_query};
use crate::components::{PanelProps, one_line, show_filtered, show_in_timeline};
use crate::state::Tab;
use crate::ui::{DataTable, TableCell, TableColumn, TableHeading, TableRow, TableRows, TermHelp};
use crate::words::critical_path::{self as said, column};
use crate::words::glossary::Term;

/// Properties of the section about critical paths.
#[derive(Properties, PartialEq)]
pub struct ShapePathProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// The shape whose executions are analysed.
    pub list: ExecutionList,
}

/// The table of the steps on the critical paths, most time first.
#[component]
pub fn ShapePathSection(props: &ShapePathProps) -> Html {
    let (panel, state) = (&props.panel, &props.panel.state);
    let build = state.load.info.build;
    let filter = state.nav.filter.clone();
    let request = ShapePathRequest { shape: props.list.shape, range: state.nav.range, filter };
    let answer = use_query(&panel.client, Some(request).filter(|_| state.load.info.critical), build);
    let is_old = is_old(answer.as_ref(), &build);
    let found = answer.as_ref().and_then(Answer::reply).and_then(Option::as_deref);
    let Some(path) = found.filter(|path| !path.steps.is_empty()) else { return Html::default() };
    let content = html! {
        <>
            <h2 id="shape-path">{ said::ON_PATHS }</h2>
            <TermHelp term={Term::CriticalPath} />
            <p>{ said::about_shape(path) }</p>
        </>
    };
    html! {
        <section aria-labelledby="shape-path">
            <DataTable id="path-step" label={said::ON_PATHS} class="framed" columns={columns()} rows={rows(panel, path)}
                heading={TableHeading::section(content)} {is_old} />
        </section>
    }
}

fn columns() -> Vec<TableColumn> {
    let mut columns = TableColumn::list(&[
        (TableColumn::text, column::STEP),
        (TableColumn::text, column::KIND),
        (TableColumn::number, column::EXECUTIONS),
        (TableColumn::bars, column::SHARE_OF_PATH),
        (TableColumn::time, column::TIME_ON_PATH),
        (TableColumn::share, column::SHARE_OF_PATH),
        (TableColumn::time, column::MEAN),
        (TableColumn::time, column::MOST),
    ]);
    columns[6].meaning = column::MEAN_MEANING.into();
    columns[7].meaning = column::MOST_MEANING.into();
    columns
}

fn rows(panel: &PanelProps, path: &ShapePath) -> TableRows {
    let dispatch = panel.dispatch.clone();
    let executions = path.executions;
    let time = path.time;
    // The query list has no slices.
    let tab = if panel.state.load.info.has_slices_alone() { Tab::Statements } else { Tab::Gantt };
    let row = move |step: &ShapePathStep| {
        let (show, item) = (dispatch.clone(), step.longest);
        let onclick = Callback::from(move |_: MouseEvent| show_in_timeline(&show, item));
        let of = said::of_executions(step.executions, executions);
        let of = TableCell::number(of, step.executions.into());
        let of = match step.condition.clone() {
            Some(filter) => {
                let dispatch = dispatch.clone();
                let onlist = Callback::from(move |_: MouseEvent| show_filtered(&dispatch, tab, &filter));
                of.link(said::LIST_EXECUTIONS, onlist)
            }
            None => of,
        };
        let row = TableRow::of(vec![
            TableCell::text(one_line(&step.name)).link(said::SHOW_LONGEST_SPAN, onclick),
            TableCell::text(step.kind.clone()),
            of,
            TableCell::bar(vec![("work", step.time)], time),
            TableCell::time(step.time),
            TableCell::share(step.time, time),
            TableCell::time(step.time / i64::from(step.executions.max(1))),
            TableCell::time(step.most),
        ]);
        TableRow { item: Some(item), ..row }
    };
    TableRows::in_page(path.steps.clone(), row)
}
