//! The list of groups of both sides.

use std::ops::Range;
use std::rc::Rc;

use queryscope::internal::text;
use queryscope::protocol::{
    CompareRunsRequest, ComparedRunColumn, ComparedRunList, ComparedRunRow, ComparedRuns, DurationVerdict,
    SideMeasures,
};
use yew::prelude::*;

use super::change;
use super::sides::difference;
use crate::components::worker_rows::worker_rows;
use crate::components::{PanelProps, one_line};
use crate::ui::{
    DataTable, SortOrder, TableCell, TableColumn, TableHeading, TableRow, TableRows, WorkerOrder, segment,
    segments,
};
use crate::words;

/// The columns, from left to right.
const COLUMNS: [ComparedRunColumn; 13] = [
    ComparedRunColumn::Group,
    ComparedRunColumn::Verdict,
    ComparedRunColumn::Count,
    ComparedRunColumn::Total,
    ComparedRunColumn::Difference,
    ComparedRunColumn::P50,
    ComparedRunColumn::P95,
    ComparedRunColumn::Change,
    ComparedRunColumn::SelfTime,
    ComparedRunColumn::RowsRead,
    ComparedRunColumn::RowsReturned,
    ComparedRunColumn::Bytes,
    ComparedRunColumn::Failed,
];

/// Properties of the list of groups.
#[derive(Properties, PartialEq)]
pub struct ComparedGroupsProps {
    /// Properties that all panels share.
    pub panel: PanelProps,
    /// Sides and order of the groups.
    pub list: ComparedRunList,
    /// The page of groups that the worker sent last.
    pub page: ComparedRuns,
    /// Called with the rows that are visible.
    pub onwanted: Callback<Range<u32>>,
}

/// Data that the cells of a row need.
#[derive(Clone)]
struct GroupContext {
    columns: Rc<Vec<ComparedRunColumn>>,
    has_statements: bool,
    onopen: Callback<u32>,
}

/// The list of groups, the largest difference first.
#[component]
pub fn Groups(props: &ComparedGroupsProps) -> Html {
    let ComparedGroupsProps { panel, list, page, onwanted } = props;
    let all = [&page.base.all, &page.new.all];
    let has = |value: fn(&SideMeasures) -> bool| all.into_iter().any(value);
    let is_shown = |column: &ComparedRunColumn| match column {
        ComparedRunColumn::RowsRead => has(|side| side.rows_read.is_some()),
        ComparedRunColumn::RowsReturned => has(|side| side.rows_returned.is_some()),
        ComparedRunColumn::Bytes => has(|side| side.bytes.is_some()),
        ComparedRunColumn::Failed => has(|side| side.failed > 0),
        _ => true,
    };
    let context = GroupContext {
        columns: Rc::new(COLUMNS.into_iter().filter(is_shown).collect()),
        has_statements: page.has_statements,
        onopen: change(panel, |view, group| view.group = Some(group)),
    };
    let name = words::compare::groups(page.has_statements);
    let head = html! {
        <>
            <h2 id="compared-groups">{ name }</h2>
            { segments(words::compare::VERDICTS, verdicts(panel, page).into_iter()) }
        </>
    };
    let reason = list.only.map_or(words::compare::NO_GROUPS, |_| words::compare::NO_GROUP_WITH_VERDICT);
    let nothing = html! { <p class="muted">{ reason }</p> };
    let rows = rows(panel, page, list, &context);
    html! {
        <section aria-labelledby="compared-groups">
            <DataTable id="compared-group" label={name} class="framed shapes" columns={columns(&context)} {rows}
                heading={TableHeading::section(head)} {nothing} {onwanted} beginning={format!("{list:?}")} />
        </section>
    }
}

/// Buttons that show all groups, or only those with a verdict.
fn verdicts(panel: &PanelProps, page: &ComparedRuns) -> Vec<Html> {
    let now = panel.state.nav.runs.only;
    let button = |text: AttrValue, only: Option<DurationVerdict>| {
        let onclick = change(panel, move |view, _: MouseEvent| view.only = only);
        segment(text, None, now == only, onclick)
    };
    let of_verdict = |&(verdict, count): &(DurationVerdict, u32)| {
        button(words::compare::counted_verdict(verdict, count).into(), Some(verdict))
    };
    let all = button(words::compare::ALL_VERDICTS.into(), None);
    std::iter::once(all).chain(page.verdicts.iter().map(of_verdict)).collect()
}

fn columns(context: &GroupContext) -> Vec<TableColumn> {
    let column = |column: &ComparedRunColumn| {
        let (name, meaning) = words::compare::column_of_runs(*column, context.has_statements);
        let made = match column {
            ComparedRunColumn::Group => TableColumn::text(name).characters(38, true),
            ComparedRunColumn::Verdict => TableColumn::text(name),
            ComparedRunColumn::Difference | ComparedRunColumn::SelfTime => TableColumn::time(name),
            ComparedRunColumn::Bytes => TableColumn::bytes(name),
            ComparedRunColumn::Total | ComparedRunColumn::P50 | ComparedRunColumn::P95 => {
                TableColumn::time(name).in_parts(&words::compare::SIDE_PARTS)
            }
            ComparedRunColumn::Count | ComparedRunColumn::Failed => {
                TableColumn::number(name).in_parts(&words::compare::SIDE_PARTS)
            }
            ComparedRunColumn::Change => TableColumn::share(name).in_parts(&words::compare::CHANGE_PARTS),
            _ => TableColumn::number(name),
        };
        made.meaning(meaning)
    };
    context.columns.iter().map(column).collect()
}

fn rows(
    panel: &PanelProps,
    page: &ComparedRuns,
    list: &ComparedRunList,
    context: &GroupContext,
) -> TableRows {
    let index = context.columns.iter().position(|column| *column == list.sort);
    // Texts begin with A, numbers with the largest.
    let descends = |sort: ComparedRunColumn, reversed: bool| (sort == ComparedRunColumn::Group) == reversed;
    let now = index.map(|column| SortOrder { column, descending: descends(list.sort, list.reversed) });
    let columns = context.columns.clone();
    let onsort = change(panel, move |view, order: Option<SortOrder>| {
        let Some(order) = order else { return };
        let Some(&sort) = columns.get(order.column) else { return };
        (view.sort, view.reversed) = (sort, order.descending != descends(sort, false));
    });
    let order = WorkerOrder { now, has_original: false, onsort };
    let (list, context) = (list.clone(), context.clone());
    let request = move |range: Range<u32>| CompareRunsRequest {
        list: list.clone(),
        first: range.start,
        count: range.end - range.start,
    };
    worker_rows(&panel.client, Some(Box::new(page.clone())), order, request, move |of| row(of, &context))
}

fn row(row: &ComparedRunRow, context: &GroupContext) -> TableRow {
    let group = row.group;
    let onclick = context.onopen.reform(move |_: MouseEvent| group);
    let get = |value: fn(&SideMeasures) -> Option<i64>| {
        [&row.base, &row.new].map(|side| side.as_ref().and_then(value))
    };
    let both = |value: fn(&SideMeasures) -> Option<i64>, write: fn(i64) -> String| {
        let [base, new] = get(value);
        match base.or(new) {
            None => TableCell::absent(words::common::NOT_REPORTED),
            Some(_) => {
                let [base_copied, new_copied] =
                    [base, new].map(|value| value.map_or_else(String::new, |value| value.to_string()));
                TableCell::text(words::compare::from_to(base, new, write))
                    .copied(format!("{base_copied}\t{new_copied}"))
            }
        }
    };
    let changed = |value: fn(&SideMeasures) -> Option<i64>, write: fn(i64) -> String| {
        difference([&row.base, &row.new].map(|side| side.as_ref().map(value)), write)
    };
    let cell = |column: &ComparedRunColumn| match column {
        ComparedRunColumn::Group => {
            TableCell::text(one_line(&row.title)).link(row.title.clone(), onclick.clone())
        }
        ComparedRunColumn::Verdict => TableCell::text(row.verdict.name()).class(verdict_class(row.verdict)),
        ComparedRunColumn::Count => both(|side| i64::try_from(side.count).ok(), text::count),
        ComparedRunColumn::Total => both(|side| side.total, text::duration),
        ComparedRunColumn::Difference => changed(|side| side.total, text::duration),
        ComparedRunColumn::P50 => both(|side| side.p50, text::duration),
        ComparedRunColumn::P95 => both(|side| side.p95, text::duration),
        ComparedRunColumn::Change => match &row.change {
            None => TableCell::absent(words::compare::NO_CHANGE),
            Some(change) => TableCell::text(words::compare::typical_change(change))
                .copied(words::compare::copied_change(change)),
        },
        ComparedRunColumn::SelfTime => changed(|side| side.self_time, text::duration),
        ComparedRunColumn::RowsRead => changed(|side| side.rows_read, text::count),
        ComparedRunColumn::RowsReturned => changed(|side| side.rows_returned, text::count),
        ComparedRunColumn::Bytes => changed(|side| side.bytes, text::bytes),
        ComparedRunColumn::Failed => both(|side| i64::try_from(side.failed).ok(), text::count),
    };
    TableRow::of(context.columns.iter().map(cell).collect())
}

/// The CSS class that gives a verdict its colour.
pub fn verdict_class(verdict: DurationVerdict) -> &'static str {
    match verdict {
        DurationVerdict::Slower => "longer",
        DurationVerdict::Faster => "shorter",
        DurationVerdict::New | DurationVerdict::Vanished => "only-in-one",
        DurationVerdict::NoDifference | DurationVerdict::TooFew => "faint",
    }
}
