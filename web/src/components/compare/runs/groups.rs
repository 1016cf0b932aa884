//! The list of groups of both sides.

use std::ops::Range;
use std::rc::Rc;

use queryscope::internal::text;
use queryscope::protocol::{
    CompareRunsRequest, ComparedRunColumn, ComparedRunList, ComparedRunRow, ComparedRuns, DurationVerdict,
    RunComparisonSpec, SideMeasures,
};
use yew::prelude::*;

use super::change;
use super::side_link::{MeasureLink, SideLink};
use super::sides::{READ, RETURNED, difference, group_links};
use crate::components::worker_rows::worker_rows;
use crate::components::{PanelProps, one_line};
use crate::ui::{
    DataTable, SortOrder, TableCell, TableColumn, TableHeading, TableRow, TableRows, WorkerOrder, link,
    segment, segments,
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
    /// Names of all runs.
    pub names: Vec<String>,
    /// The page of groups that the worker sent last.
    pub page: ComparedRuns,
    /// Called with the rows that are visible.
    pub onwanted: Callback<Range<u32>>,
}

/// Data that the cells of a row need.
#[derive(Clone)]
struct GroupContext {
    panel: PanelProps,
    spec: RunComparisonSpec,
    names: Vec<String>,
    columns: Rc<Vec<ComparedRunColumn>>,
    has_statements: bool,
    onopen: Callback<u64>,
}

/// The list of groups, the largest difference first.
#[component]
pub fn Groups(props: &ComparedGroupsProps) -> Html {
    let ComparedGroupsProps { panel, list, names, page, onwanted } = props;
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
        panel: panel.clone(),
        spec: list.spec.clone(),
        names: names.clone(),
        columns: Rc::new(COLUMNS.into_iter().filter(is_shown).collect()),
        has_statements: page.has_statements,
        onopen: change(panel, |view, group| view.group = Some(group)),
    };
    let name = words::compare::groups(page.has_statements);
    let head = html! {
        <>
            <h2 id="compared-groups">{ name }{ words::filter::filtered(page.is_filtered) }</h2>
            { segments(words::compare::VERDICTS, verdicts(panel, page).into_iter()) }
            if has_typical_change(page) { <p class="whole-line muted">{ words::compare::TYPICAL_CHANGE_MEANING }</p> }
        </>
    };
    let reason = words::compare::nothing(list.only.is_some(), page.is_filtered, words::compare::NO_GROUPS);
    let nothing = html! { <p class="muted">{ reason }</p> };
    let rows = rows(panel, page, list, &context);
    html! {
        <section aria-labelledby="compared-groups">
            <DataTable id="compared-group" label={name} class="framed shapes" columns={columns(&context)} {rows}
                heading={TableHeading::section(head)} {nothing} {onwanted} beginning={format!("{list:?}")} />
        </section>
    }
}

/// Whether any group has enough executions on both sides for a typical change.
fn has_typical_change(page: &ComparedRuns) -> bool {
    let tested = [DurationVerdict::Slower, DurationVerdict::Faster, DurationVerdict::NoDifference];
    tested.into_iter().any(|verdict| page.count(verdict) > 0)
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
    let links = group_links(&context.panel, &context.spec, row, &context.names);
    let get = |value: fn(&SideMeasures) -> Option<i64>| {
        [&row.base, &row.new].map(|side| side.as_ref().and_then(value))
    };
    let both = |value: fn(&SideMeasures) -> Option<i64>, write: fn(i64) -> String, leads: MeasureLink| {
        both(get(value), write, &links, leads)
    };
    let changed = |value: fn(&SideMeasures) -> Option<i64>, write: fn(i64) -> String, leads: MeasureLink| {
        let sides = [&row.base, &row.new].map(|side| side.as_ref().map(value));
        match sides.contains(&Some(None)) {
            true => difference(sides, write),
            false => lead_to_side(difference(sides, write), get(value), &links, leads),
        }
    };
    let cell = |column: &ComparedRunColumn| match column {
        ComparedRunColumn::Group => {
            TableCell::text(one_line(&row.title)).link(row.title.clone(), onclick.clone())
        }
        ComparedRunColumn::Verdict => TableCell::text(row.verdict.name()).class(verdict_class(row.verdict)),
        ComparedRunColumn::Count => {
            both(|side| i64::try_from(side.count).ok(), text::count, MeasureLink::All)
        }
        ComparedRunColumn::Total => both(|side| side.total, text::duration, MeasureLink::All),
        ComparedRunColumn::Difference => changed(|side| side.total, text::duration, MeasureLink::All),
        ComparedRunColumn::P50 => both(|side| side.p50, text::duration, MeasureLink::AtLeast),
        ComparedRunColumn::P95 => both(|side| side.p95, text::duration, MeasureLink::AtLeast),
        ComparedRunColumn::Change => match &row.change {
            None => TableCell::absent(words::compare::NO_CHANGE),
            Some(change) => TableCell::text(words::compare::typical_change(change))
                .copied(words::compare::copied_change(change)),
        },
        ComparedRunColumn::SelfTime => changed(|side| side.self_time, text::duration, MeasureLink::All),
        ComparedRunColumn::RowsRead => changed(|side| side.rows_read, text::count, READ),
        ComparedRunColumn::RowsReturned => changed(|side| side.rows_returned, text::count, RETURNED),
        ComparedRunColumn::Bytes => changed(|side| side.bytes, text::bytes, MeasureLink::All),
        ComparedRunColumn::Failed => {
            both(|side| i64::try_from(side.failed).ok(), text::count, MeasureLink::Failed)
        }
    };
    TableRow::of(context.columns.iter().map(cell).collect())
}

/// A cell with the values of base and new, each of which leads to the executions of its side.
fn both(
    sides: [Option<i64>; 2],
    write: fn(i64) -> String,
    links: &[Option<SideLink>; 2],
    leads: MeasureLink,
) -> TableCell {
    let [base, new] = sides;
    if base.or(new).is_none() {
        return TableCell::absent(words::common::NOT_REPORTED);
    }
    let copied = sides.map(|value| value.map_or_else(String::new, |value| value.to_string()));
    let shown = |at: usize| {
        let text = text::or_dash(sides[at], write);
        match links[at].as_ref().and_then(|side| side.target(sides[at], leads)) {
            Some((title, onclick)) => link(&text, title, onclick),
            None => html! { { text } },
        }
    };
    TableCell::text(words::compare::from_to(base, new, write))
        .copied(copied.join("\t"))
        .shown(html! { <>{ shown(0) }{ words::compare::FROM_TO }{ shown(1) }</> })
}

/// Makes a difference a link to the executions of new, or of base if new has no value.
fn lead_to_side(
    cell: TableCell,
    [base, new]: [Option<i64>; 2],
    [of_base, of_new]: &[Option<SideLink>; 2],
    leads: MeasureLink,
) -> TableCell {
    let target = |side: &Option<SideLink>, value: Option<i64>, title: &'static str| {
        Some((title, side.as_ref()?.target(value, leads)?.1))
    };
    let target = target(of_new, new, words::compare::SHOW_OF_NEW)
        .or_else(|| target(of_base, base, words::compare::SHOW_OF_BASE));
    match target {
        Some((title, onclick)) => cell.link(title, onclick),
        None => cell,
    }
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
