//! A row of the query list.

use queryscope::protocol::{Outcome, QueryColumn, QueryRow};
use queryscope::text;
use yew::prelude::*;

use super::columns::Shown;
use super::cursor::Chosen;
use crate::components::one_line;

/// What a row is drawn with, beside its own values.
pub struct Context<'a> {
    /// The longest duration of the list.
    pub longest: i64,
    /// Whether runs must be told apart.
    pub runs: bool,
    /// The selected row.
    pub selected: Option<u32>,
    /// Selects.
    pub onselect: &'a Callback<Chosen>,
    /// The columns that are there.
    pub shown: &'a Shown,
    /// Whether the rows are those of an earlier picture of the trace.
    pub is_old: bool,
    /// Whether records before the chosen part, and behind it, were left out.
    pub cut: (bool, bool),
}

/// The row at `index` of the list, or a placeholder while its values are on their way.
pub fn row(index: u32, row: Option<&QueryRow>, context: &Context) -> Html {
    // The head is the first row for screen readers.
    let position = (u64::from(index) + 2).to_string();
    let Some(row) = row else {
        return html! { <div key={index} class="grid-row waiting" role="row" aria-rowindex={position}><span role="gridcell" class="sql" /></div> };
    };
    let (item, record) = (row.item, row.record);
    let onclick = context.onselect.reform(move |event: MouseEvent| {
        let zoom = event.detail() > 1;
        Chosen { row: index, item, record, zoom }
    });
    let selected = context.selected == Some(index) && !context.is_old;
    html! {
        <div key={index} id={format!("query-{item}")} class={classes!("grid-row", "query-row", context.is_old.then_some("old"))} role="row" aria-rowindex={position}
            aria-selected={selected.to_string()} data-item={item.to_string()} {onclick}>
            { statement(row, context.runs) }
            <span role="gridcell" class="right" title={text::time(row.start)}>{ format!("+{}", text::duration(row.start)) }</span>
            { duration(row, context.longest) }
            { number(row.ratio.map(text::ratio)) }
            { for numbers(row).into_iter().filter(|(column, _)| context.shown.has(*column)).map(|(_, value)| number(value)) }
            <span role="gridcell">{ outcome(row.outcome, context.cut) }</span>
        </div>
    }
}

/// What not every trace tells of its queries.
fn numbers(row: &QueryRow) -> [(QueryColumn, Option<String>); 4] {
    [
        (QueryColumn::Sources, Some(text::count(row.sources.into()))),
        (QueryColumn::RowsRead, row.rows_read.map(text::count)),
        (QueryColumn::RowsReturned, row.rows_returned.map(text::count)),
        (QueryColumn::BufferBytes, row.buffer_bytes.map(text::bytes)),
    ]
}

fn statement(row: &QueryRow, runs: bool) -> Html {
    let title = format!("{} · {}\n{}", row.run, row.query, row.sql);
    html! {
        <span role="gridcell" class="sql foreign" dir="auto" {title}>
            if runs { <span class="run">{ &row.run }</span> }
            { one_line(&row.sql) }
        </span>
    }
}

fn duration(row: &QueryRow, longest: i64) -> Html {
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
        false => format!("{} of {whole} in the time range", text::duration_exact(row.in_range)),
    };
    // Of a part that ends with the range, the length is known.
    let open = open && row.in_range == row.duration;
    html! {
        <span role="gridcell" class="duration right" {title}>
            <i class={classes!("bar", look)} style={format!("width:{:.2}%", share.clamp(0.0, 100.0))} aria-hidden="true" />
            { text::at_least(open, text::duration(row.in_range)) }
        </span>
    }
}

fn number(value: Option<String>) -> Html {
    let absent = value.is_none();
    let title = absent.then_some("not reported");
    html! {
        <span role="gridcell" class={classes!("right", absent.then_some("absent"))} {title}>{ text::or_dash(value, |value| value) }</span>
    }
}

/// An outcome in words, with a colour of its own. What a query lacks may have been left out with what lies before the
/// chosen part, and behind it.
fn outcome(outcome: Outcome, (before, behind): (bool, bool)) -> Html {
    let left_out = Some("Not in the part that was loaded");
    let (look, words, title) = match outcome {
        Outcome::Ok => ("ok", "ok", None),
        Outcome::Failed => ("bad", "✕ failed", None),
        Outcome::Unfinished if behind => ("warn", "ended behind", left_out),
        Outcome::Unfinished => ("warn", "unfinished", None),
        Outcome::NoStart if before => ("warn", "began before", left_out),
        Outcome::NoStart => ("warn", "no start", None),
    };
    html! { <span class={classes!("pill", look)} {title}>{ words }</span> }
}
