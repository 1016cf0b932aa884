//! A row of the query list.

use queryscope::internal::text;
use queryscope::protocol::{Outcome, QueryColumn, QueryRow};
use yew::prelude::*;

use crate::components::one_line;
use crate::ui::{TableCell, TableRow};
use crate::words;

/// Properties of the list that its rows need.
#[derive(Clone)]
pub struct RowContext {
    /// Longest duration in the list, in nanoseconds.
    pub longest: i64,
    /// Whether rows show the name of their run.
    pub runs: bool,
    /// Columns that are shown.
    pub shown: Vec<QueryColumn>,
    /// Whether records before the loaded range, and records after the loaded range, were left out.
    pub cut: (bool, bool),
}

/// Returns the table row of a query.
pub fn row(row: &QueryRow, context: &RowContext) -> TableRow {
    let cell = |column: &QueryColumn| match column {
        QueryColumn::Sql => statement(row, context.runs),
        QueryColumn::Start => {
            TableCell::number(words::common::since_start(row.start), row.start).titled(text::time(row.start))
        }
        QueryColumn::Duration => duration(row, context.longest),
        QueryColumn::Ratio => TableCell::ratio(row.ratio, words::common::NOT_REPORTED),
        QueryColumn::Score => score(row.score),
        QueryColumn::Sources => TableCell::count(row.sources),
        QueryColumn::RowsRead => TableCell::or_absent(row.rows_read, TableCell::count),
        QueryColumn::RowsReturned => TableCell::or_absent(row.rows_returned, TableCell::count),
        QueryColumn::BufferBytes => TableCell::or_absent(row.buffer_bytes, TableCell::bytes),
        QueryColumn::Outcome => outcome(row.outcome, context.cut),
    };
    TableRow {
        item: Some(row.item),
        class: classes!("query-row"),
        ..TableRow::of(context.shown.iter().map(cell).collect())
    }
}

fn score(score: Option<f64>) -> TableCell {
    match score {
        Some(score) => TableCell::text(format!("{score:.3}")).copied(score.to_string()),
        None => TableCell::absent(words::query_list::NO_SCORE),
    }
}

fn statement(row: &QueryRow, runs: bool) -> TableCell {
    let sql = one_line(&row.sql);
    let title = format!("{} · {}\n{}", row.run, row.query, row.sql);
    let cell = TableCell::text(sql.clone()).titled(title).class("query-text");
    match runs {
        true => cell.shown(html! { <><span class="run">{ &row.run }</span>{ sql }</> }),
        false => cell,
    }
}

fn duration(row: &QueryRow, longest: i64) -> TableCell {
    let open = row.outcome == Outcome::Unfinished || row.outcome == Outcome::NoStart;
    let share = if longest > 0 { row.in_range as f64 / longest as f64 * 100.0 } else { 0.0 };
    let look = match row.outcome {
        Outcome::Failed => Some("failed"),
        Outcome::Unfinished | Outcome::NoStart => Some("open"),
        Outcome::Ok => None,
    };
    let whole = text::at_least(open, text::duration_exact(row.duration));
    let title = match row.in_range == row.duration {
        true => whole,
        false => words::query_list::in_time_range(row.in_range, &whole),
    };
    // The end of the time range bounds the duration, which is then exact.
    let open = open && row.in_range == row.duration;
    let shown = text::at_least(open, text::duration(row.in_range));
    let bar = html! {
        <>
            <i class={classes!("bar", look)} style={format!("width:{:.2}%", share.clamp(0.0, 100.0))} aria-hidden="true" />
            { &shown }
        </>
    };
    TableCell::number(shown.clone(), row.in_range).titled(title).class("duration").shown(bar)
}

/// A cell with the outcome of a query, coloured.
fn outcome(outcome: Outcome, cut: (bool, bool)) -> TableCell {
    let (look, sign) = match outcome {
        Outcome::Ok => ("ok", ""),
        Outcome::Failed => ("bad", "✕ "),
        Outcome::Unfinished | Outcome::NoStart => ("warn", ""),
    };
    let (name, meaning) = words::query_list::outcome(outcome, cut);
    let pill = html! { <span class={classes!("pill", look)}>{ sign }{ name }</span> };
    TableCell::text(format!("{sign}{name}")).titled(meaning).copied(name).shown(pill)
}
