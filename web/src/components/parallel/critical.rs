//! The critical path: by name with what would be saved, by span, and the slack of the spans off the path.

use queryscope::protocol::{CriticalPath, PathName, PathRest, PathStep, SlackSpan};
use yew::prelude::*;

use super::tables::{ParallelTable, shows, span};
use crate::components::{PanelProps, show_period};
use crate::ui::{TableCell, TableColumn, TableRow, TableRows};
use crate::words;
use crate::words::critical_path::{self as said, column};
use crate::words::glossary::Term;

/// Renders the critical path by name and by span, or the reason why there is none.
pub fn sections(props: &PanelProps, path: Option<&CriticalPath>) -> Html {
    let Some(path) = path.filter(|path| path.n_path > 0) else {
        return html! { <p class="muted">{ said::NO_CRITICAL_PATH }</p> };
    };
    let left_out = (path.n_path as usize).saturating_sub(path.path.len());
    html! {
        <>
            { names(props, path).section(html! {
                <p>{ said::rule(path.rule) }{ said::about_parts(path) }{ " " }{ said::about_saved(path) }</p>
            }) }
            { steps(props, path).section(html! {
                <p>
                    { said::STEPS_MEANING }
                    if left_out > 0 { { said::part_of_path(path.path.len(), left_out) } }
                </p>
            }) }
            if path.n_slack > 0 {
                { slack(props, path).section(html! { <p>{ said::about_slack(path) }</p> }) }
            }
        </>
    }
}

fn names(props: &PanelProps, path: &CriticalPath) -> ParallelTable {
    let wall = path.end.saturating_sub(path.start);
    let has_limits = path.path_names.iter().any(|of| of.limited_by.is_some());
    let row =
        move |name: TableCell, class: &'static str, (time, count): (i64, u32), if_free: [TableCell; 2]| {
            let [saved, limited_by] = if_free;
            let cells = [
                Some(name),
                Some(TableCell::bar(vec![(class, time)], wall)),
                Some(TableCell::time(time)),
                Some(saved),
                has_limits.then_some(limited_by),
                Some(TableCell::share(time, wall)),
                Some(TableCell::count(count)),
            ];
            TableRow::of(cells.into_iter().flatten().collect())
        };
    let name = |of: &PathName| {
        let onclick = shows(&props.dispatch, of.longest.item);
        let name = TableCell::text(of.name.clone()).link(said::SHOW_LONGEST_SPAN, onclick);
        let saved = match of.saved {
            Some(saved) => TableCell::number(said::saved(saved, wall), saved.saturating_neg()),
            None => TableCell::absent(said::NOT_COMPUTED),
        };
        let limited_by = of.limited_by.as_ref();
        let limited_by = limited_by.map_or_else(|| TableCell::absent(""), |link| span(&props.dispatch, link));
        row(name, "work", (of.time, of.count), [saved, limited_by])
    };
    let rest = |of: &PathRest| {
        let (dispatch, longest) = (props.dispatch.clone(), of.longest);
        let onclick = Callback::from(move |_: MouseEvent| show_period(&dispatch, longest));
        let name = TableCell::text(said::rest(of.kind)).link(said::rest_meaning(of.kind), onclick);
        row(name, "wait", (of.time, of.count), [TableCell::absent(""), TableCell::absent("")])
    };
    let rows: Vec<TableRow> =
        path.path_names.iter().map(name).chain(path.path_rest.iter().map(rest)).collect();
    let mut columns = TableColumn::list(&[
        (TableColumn::text, column::NAME),
        (TableColumn::bars, column::SHARE_OF_WALL),
        (TableColumn::time, column::TIME_ON_PATH),
        (TableColumn::number, column::IF_FREE),
        (TableColumn::text, column::LIMITED_BY),
        (TableColumn::share, column::SHARE_OF_WALL),
        (TableColumn::number, column::PARTS),
    ]);
    columns[3].meaning = said::if_free_meaning(path.rule).into();
    columns[3].largest_first = false;
    columns[4].meaning = said::LIMITED_BY_MEANING.into();
    if !has_limits {
        columns.remove(4);
    }
    let rows = TableRows::in_page(rows, TableRow::clone);
    ParallelTable::new("path-names", said::BY_NAME, columns, rows).explained(Term::CriticalPath)
}

fn steps(props: &PanelProps, path: &CriticalPath) -> ParallelTable {
    let dispatch = props.dispatch.clone();
    let start = path.start;
    let path_time = path.path_time;
    // A path by nesting has no inputs, and gaps in a time range only. The gap before the first part is the time since the start.
    let has_inputs = path.path.iter().any(|step| !step.via.is_empty());
    let has_gaps = path.path.iter().any(|step| step.gap != 0);
    let row = move |step: &PathStep| {
        let input = has_inputs.then(|| TableCell::text(step.via.clone()));
        let gap = has_gaps.then(|| TableCell::time(step.gap));
        let cells = [
            Some(span(&dispatch, &step.link)),
            input,
            Some(TableCell::text(step.thread.clone())),
            Some(TableCell::time(step.start.saturating_sub(start))),
            gap,
            Some(TableCell::time(step.time)),
            Some(TableCell::share(step.time, path_time)),
        ];
        TableRow::of(cells.into_iter().flatten().collect())
    };
    let mut columns = TableColumn::list(&[
        (TableColumn::text, column::SPAN),
        (TableColumn::text, column::INPUT),
        (TableColumn::text, column::track(path.on_threads)),
        (TableColumn::start, column::START),
        (TableColumn::time, column::GAP_BEFORE),
        (TableColumn::time, column::TIME),
        (TableColumn::share, column::SHARE_OF_PATH),
    ]);
    // From the last, so that the places of the others stay.
    for (at, is_shown) in [(4, has_gaps), (1, has_inputs)] {
        if !is_shown {
            columns.remove(at);
        }
    }
    let rows = TableRows::in_page(path.path.clone(), row);
    ParallelTable::new("path", said::CRITICAL_PATH, columns, rows)
}

fn slack(props: &PanelProps, path: &CriticalPath) -> ParallelTable {
    let dispatch = props.dispatch.clone();
    let row = move |off: &SlackSpan| {
        TableRow::of(vec![
            span(&dispatch, &off.link),
            TableCell::text(off.thread.clone()),
            TableCell::time(off.link.duration.unwrap_or(0)),
            TableCell::time(off.slack),
        ])
    };
    let mut columns = TableColumn::list(&[
        (TableColumn::text, column::SPAN),
        (TableColumn::text, column::track(path.on_threads)),
        (TableColumn::time, column::DURATION),
        (TableColumn::time, column::SLACK),
    ]);
    columns[3].meaning = said::SLACK_MEANING.into();
    columns[3].largest_first = false;
    let rows = TableRows::in_page(path.slack.clone(), row);
    ParallelTable::new("slack", said::OFF_THE_PATH, columns, rows).explained(Term::Slack)
}

/// The path's length and its share of the scope, for the head of the panel.
pub fn length(path: Option<&CriticalPath>) -> String {
    path.map_or_else(|| queryscope::internal::text::NOT_REPORTED.to_owned(), words::critical_path::length)
}
