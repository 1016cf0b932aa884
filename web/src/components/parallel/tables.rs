//! The tables of the parallelism panel.

use queryscope::internal::text;
use queryscope::protocol::{EqualSteps, Held, Link, Parallel, PlanStep, Producer, Worker};
use yew::prelude::*;

use crate::components::{PanelProps, show_in_timeline, show_period, shows_track};
use crate::state::{Action, Dispatch};
use crate::ui::{DataTable, SortKey, TableCell, TableColumn, TableHeading, TableRow, TableRows, TermHelp};
use crate::words;
use crate::words::glossary::Term;
use crate::words::parallel::column;

/// Content and heading of one table of the panel.
pub struct ParallelTable {
    /// Prefix of the ids of the table's elements.
    pub id: &'static str,
    /// Name of the table.
    pub label: &'static str,
    /// Columns of the table.
    pub columns: Vec<TableColumn>,
    /// Rows of the table.
    pub rows: TableRows,
    /// Row of the selected item, if the table has one.
    pub marked: Option<u32>,
    /// Glossary term that explains the table's name, if needed.
    pub term: Option<Term>,
}

impl ParallelTable {
    /// A table without a marked row and a term.
    pub fn new(id: &'static str, label: &'static str, columns: Vec<TableColumn>, rows: TableRows) -> Self {
        Self { id, label, columns, rows, marked: None, term: None }
    }

    /// Adds a term that explains the table's name.
    pub fn explained(self, term: Term) -> Self {
        Self { term: Some(term), ..self }
    }

    /// Renders the table as a section, with an explanation above.
    pub fn section(self, about: Html) -> Html {
        let heading = format!("{}-heading", self.id);
        let content = html! {
            <>
                <h2 id={heading.clone()}>{ self.label }</h2>
                if let Some(term) = self.term { <TermHelp {term} /> }
                { about }
            </>
        };
        html! { <section aria-labelledby={heading}>{ self.table(content) }</section> }
    }

    /// Renders the table below a heading.
    pub fn table(self, content: Html) -> Html {
        html! {
            <DataTable id={self.id} label={self.label} class="framed" columns={self.columns} rows={self.rows}
                heading={TableHeading::section(content)} nothing={none()} reveal={self.marked.map(Some)} />
        }
    }
}

/// Renders a note that a table has no rows.
pub fn none() -> Html {
    html! { <p class="muted">{ words::common::NONE }</p> }
}

/// Number of rows of the concurrency table: from 0 threads to the maximum that ran at the same time.
fn concurrencies(view: &Parallel) -> usize {
    view.at_once.iter().rposition(|&ns| ns > 0).map_or(0, |last| last + 1)
}

/// Time with exactly 0, 1, 2, … threads running, up to the maximum concurrency.
pub fn at_once(props: &PanelProps, view: &Parallel) -> ParallelTable {
    let wall = view.at_once.iter().copied().fold(0, i64::saturating_add);
    let dispatch = props.dispatch.clone();
    let row = move |(threads, (ns, longest)): &(usize, (i64, (i64, i64)))| {
        let name = words::parallel::threads(*threads as u64);
        let (dispatch, longest) = (dispatch.clone(), *longest);
        let title = words::parallel::show_longest_period(longest.1.saturating_sub(longest.0));
        let onclick = Callback::from(move |_: MouseEvent| show_period(&dispatch, longest));
        let time = TableCell::time(*ns);
        TableRow::of(vec![
            TableCell::text(name).key(SortKey::Number(*threads as i64)),
            TableCell::bar(vec![("work", *ns)], wall),
            if *ns > 0 { time.link(title, onclick) } else { time },
            TableCell::share(*ns, wall),
        ])
    };
    let columns = TableColumn::list(&[
        (TableColumn::text, column::RUNNING),
        (TableColumn::bars, column::SHARE_OF_TIME),
        (TableColumn::time, column::TIME),
        (TableColumn::share, column::SHARE),
    ]);
    let periods = view.at_once.iter().copied().zip(view.longest_at_once.iter().copied());
    let times = periods.enumerate().take(concurrencies(view)).collect();
    ParallelTable::new(
        "at-once",
        words::parallel::table::CONCURRENCY,
        columns,
        TableRows::in_page(times, row),
    )
    .explained(Term::Concurrency)
}

/// Busy, waiting and idle time of each thread.
pub fn workers(props: &PanelProps, view: &Parallel) -> ParallelTable {
    let (range, panel) = ((view.start, view.end), props.clone());
    let wall = range.1.saturating_sub(range.0);
    let row = move |worker: &Worker| {
        let title = words::overview::show_busy_period(&worker.name);
        let spans = words::parallel::show_thread(&worker.name);
        let onspans = shows_track(&panel, worker.track, worker.item, range);
        TableRow::of(vec![
            TableCell::text(worker.name.clone()).link(title, shows(&panel.dispatch, worker.item)),
            TableCell::bar(vec![("work", worker.busy), ("wait", worker.waiting)], wall),
            TableCell::time(worker.busy).link(spans.clone(), onspans.clone()),
            TableCell::share(worker.busy, wall),
            TableCell::time(worker.waiting),
            TableCell::time(worker.idle),
            TableCell::time(worker.starved),
            TableCell::count(worker.spans).link(spans, onspans),
        ])
    };
    let columns = TableColumn::list(&[
        (TableColumn::text, column::THREAD),
        (TableColumn::bars, words::parallel::BUSY_AND_WAITING),
        (TableColumn::time, column::BUSY),
        (TableColumn::share, column::SHARE),
        (TableColumn::time, column::WAITING),
        (TableColumn::time, column::IDLE),
        (TableColumn::time, column::STARVED),
        (TableColumn::number, column::SPANS),
    ]);
    let rows = TableRows::in_page(view.workers.clone(), row);
    ParallelTable::new("workers", words::parallel::table::BY_THREAD, columns, rows).explained(Term::Starved)
}

/// Blocking producers: the inputs that threads waited for.
pub fn producers(props: &PanelProps, view: &Parallel) -> ParallelTable {
    let dispatch = props.dispatch.clone();
    let row = move |producer: &Producer| {
        TableRow::of(vec![
            span(&dispatch, &producer.link),
            TableCell::time(producer.time),
            TableCell::count(producer.count),
            TableCell::time(producer.link.duration.unwrap_or(0)),
        ])
    };
    let columns = TableColumn::list(&[
        (TableColumn::text, column::SPAN),
        (TableColumn::time, column::WAITING_OF_ALL),
        (TableColumn::number, column::WAITS),
        (TableColumn::time, column::DURATION),
    ]);
    let rows = TableRows::in_page(view.producers.clone(), row);
    ParallelTable::new("producers", words::parallel::table::BLOCKING_PRODUCERS, columns, rows)
}

/// The plan. The instruction of the selected execution is highlighted.
pub fn plan(props: &PanelProps, view: &Parallel) -> ParallelTable {
    let dispatch = props.dispatch.clone();
    let longest = view.plan.iter().map(|step| step.time).max().unwrap_or(0);
    let several = view.plan.windows(2).any(|pair| pair[0].program != pair[1].program);
    let marked = view.marked;
    let row = move |(at, step): &(u32, PlanStep)| {
        let (dispatch, item) = (dispatch.clone(), step.item);
        let onclick = Callback::from(move |_: MouseEvent| dispatch.dispatch(Action::Select(Some(item))));
        let name = TableCell::text(step.text.clone()).link(step.text.clone(), onclick).class("mono");
        let mut cells = vec![
            name,
            TableCell::or_absent(
                Some(step.place).filter(|place| *place != PlanStep::NOWHERE),
                TableCell::count,
            ),
            TableCell::bar(vec![("work", step.time)], longest),
            TableCell::time(step.time),
            TableCell::count(step.runs),
            TableCell::or_absent(step.rows, TableCell::count),
            TableCell::or_absent(step.bytes, TableCell::bytes),
        ];
        if several {
            cells.push(TableCell::text(words::parallel::function(&step.program)));
        }
        TableRow { is_current: marked == Some(*at), ..TableRow::of(cells) }
    };
    let mut columns = TableColumn::list(&[
        (TableColumn::text, column::INSTRUCTION),
        (TableColumn::number, column::POSITION),
        (TableColumn::bars, column::TIME_COMPARED),
        (TableColumn::time, column::TIME),
        (TableColumn::number, column::EXECUTIONS),
        (TableColumn::number, words::common::MAX_ROWS),
        (TableColumn::bytes, column::MAX_BYTES),
    ]);
    columns[1].meaning = column::POSITION_MEANING.into();
    columns[1].largest_first = false;
    if several {
        columns.push(TableColumn::text(column::FUNCTION));
    }
    let rows = TableRows::in_page((0..).zip(view.plan.iter().cloned()).collect(), row);
    ParallelTable { marked, ..ParallelTable::new("plan", words::parallel::table::PLAN, columns, rows) }
}

/// Identical instructions, merged, with the skew of their durations.
pub fn equal(props: &PanelProps, view: &Parallel) -> ParallelTable {
    let dispatch = props.dispatch.clone();
    let row = move |of: &EqualSteps| {
        let longest = of.slowest.duration.unwrap_or(0);
        let title = words::parallel::show_slowest(longest);
        TableRow::of(vec![
            TableCell::text(of.name.clone()).class("mono"),
            TableCell::count(of.places),
            TableCell::time(of.time),
            TableCell::time(of.shortest),
            TableCell::time(of.median),
            TableCell::time(longest).link(title, shows(&dispatch, of.slowest.item)),
            skew(longest, of.time, of.runs),
        ])
    };
    let mut columns = TableColumn::list(&[
        (TableColumn::text, column::STEP),
        (TableColumn::number, column::COPIES),
        (TableColumn::time, column::TIME),
        (TableColumn::time, column::SHORTEST),
        (TableColumn::time, column::MEDIAN),
        (TableColumn::time, column::LONGEST),
        (TableColumn::number, column::SKEW),
    ]);
    columns[6].meaning = words::parallel::SKEW_MEANING.into();
    let rows = TableRows::in_page(view.equal.clone(), row);
    ParallelTable::new("equal", words::parallel::table::PARTITION_SKEW, columns, rows)
        .explained(Term::PartitionSkew)
}

/// A cell with the skew: the longest execution divided by the average, as a ratio.
fn skew(longest: i64, time: i64, runs: u32) -> TableCell {
    if time <= 0 {
        return TableCell::absent(words::parallel::NO_TIME);
    }
    let thousandths = i128::from(longest) * i128::from(runs.max(1)) * 1_000 / i128::from(time);
    let thousandths = i64::try_from(thousandths).unwrap_or(i64::MAX);
    let copied = format!("{}.{:03}", thousandths / 1_000, thousandths % 1_000);
    TableCell::number(text::ratio(thousandths as f64 / 1_000.0), thousandths).copied(copied)
}

/// Intermediate results, with lifetime, size and number of readers.
pub fn values(props: &PanelProps, view: &Parallel) -> ParallelTable {
    let (dispatch, start) = (props.dispatch.clone(), view.start);
    let wall = view.end.saturating_sub(start);
    let row = move |value: &Held| {
        let (before, life) = (value.start.saturating_sub(start), value.end.saturating_sub(value.start));
        TableRow::of(vec![
            TableCell::text(value.name.clone()),
            TableCell::bar(vec![("before", before), ("work", life)], wall),
            TableCell::or_absent(value.bytes, TableCell::bytes),
            TableCell::time(before),
            TableCell::time(life),
            TableCell::count(value.readers),
            span(&dispatch, &value.link),
        ])
    };
    let columns = TableColumn::list(&[
        (TableColumn::text, column::VALUE),
        (TableColumn::bars, column::LIFETIME),
        (TableColumn::bytes, column::BYTES),
        (TableColumn::start, column::CREATED_AT),
        (TableColumn::time, column::LIFETIME),
        (TableColumn::number, column::READERS),
        (TableColumn::text, column::CREATED_BY),
    ]);
    let rows = TableRows::in_page(view.values.clone(), row);
    ParallelTable::new("values", words::parallel::table::INTERMEDIATE_RESULTS, columns, rows)
}

/// Returns a click handler that selects an item and shows it in the Gantt view.
pub fn shows(dispatch: &Dispatch, item: u32) -> Callback<MouseEvent> {
    let dispatch = dispatch.clone();
    Callback::from(move |_: MouseEvent| show_in_timeline(&dispatch, item))
}

/// A table cell that links to a span. A click selects the span and shows it in the Gantt view.
pub fn span(dispatch: &Dispatch, link: &Link) -> TableCell {
    TableCell::text(link.title.clone()).link(words::common::SHOW_IN_GANTT, shows(dispatch, link.item))
}
