//! The summary of every run.

use queryscope::protocol::RunSummary;
use queryscope::text;
use yew::prelude::*;

/// What a column is about: it is shown where the traces have that.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Queries,
    Sources,
    Buffers,
    All,
    /// Where there are no queries.
    Bare,
}

/// The name of a column, what it is about, and its cell of a run.
type Column = (&'static str, Part, fn(&RunSummary) -> Html);

/// The columns behind the run's name.
const COLUMNS: [Column; 15] = [
    ("Queries", Part::Queries, |run| whole(run.queries)),
    ("Unfinished", Part::Queries, |run| worth(run.unfinished, "warn")),
    ("Failed", Part::Queries, |run| worth(run.failed, "bad")),
    ("Total", Part::Queries, |run| time(run.total_duration_ns)),
    ("Average", Part::Queries, |run| maybe(run.avg_duration_ns.map(|ns| ns.round() as i64))),
    ("Min", Part::Queries, |run| maybe(run.min_duration_ns)),
    ("Max", Part::Queries, |run| maybe(run.max_duration_ns)),
    ("Source calls", Part::Sources, |run| whole(run.source_calls)),
    ("Rows read", Part::Sources, |run| sum(run.rows_read)),
    ("Rows returned", Part::Sources, |run| sum(run.rows_returned)),
    ("Buffer events", Part::Buffers, |run| whole(run.buffer_events)),
    ("Buffer bytes", Part::Buffers, |run| bytes(run.buffer_bytes)),
    ("Buffer elements", Part::Buffers, |run| sum(run.buffer_elements)),
    ("Length", Part::Bare, |run| time(run.wall_ns)),
    ("Events", Part::All, |run| whole(run.events)),
];

impl Part {
    /// Whether some of these runs have it.
    fn is_of(self, runs: &[RunSummary], has_queries: bool) -> bool {
        match self {
            Part::All => true,
            Part::Bare => !has_queries,
            Part::Queries => has_queries,
            Part::Sources => has_queries && has_sources(runs),
            Part::Buffers => has_queries && runs.iter().any(|run| run.buffer_events > 0),
        }
    }
}

/// Whether any source was called.
pub fn has_sources(runs: &[RunSummary]) -> bool {
    runs.iter().any(|run| run.source_calls > 0)
}

/// The table of all runs: `shown` of them, with the columns in which any has something.
pub fn table(runs: &[RunSummary], shown: usize, has_queries: bool) -> Html {
    let columns: Vec<&Column> = COLUMNS.iter().filter(|(_, part, _)| part.is_of(runs, has_queries)).collect();
    let row = |run: &RunSummary| {
        html! {
            <tr>
                <th scope="row" class="clip foreign" dir="auto" title={run.run.clone()}>{ &run.run }</th>
                { for columns.iter().map(|(.., cell)| cell(run)) }
            </tr>
        }
    };
    html! {
        <div class="table-frame scrolls" tabindex="0" role="group" aria-labelledby="runs">
            <table class="summary">
                <thead><tr>
                    <th scope="col">{ "Run" }</th>
                    { for columns.iter().map(|(name, ..)| html! { <th scope="col">{ *name }</th> }) }
                </tr></thead>
                <tbody>{ for runs.iter().take(shown).map(row) }</tbody>
            </table>
        </div>
    }
}

/// Bytes from which on a note is folded.
const LONG: usize = 400;

/// What is to be said of the runs: how complete they are, how their clocks were brought together.
pub fn notes(runs: &[RunSummary]) -> Html {
    let several = runs.len() > 1;
    let notes = runs.iter().flat_map(|run| run.notes.iter().map(move |(about, text)| (run, about, text)));
    let note = |(run, about, text): (&RunSummary, &String, &String)| {
        let about = if several { format!("{}: {about}", run.run) } else { about.clone() };
        let start = text::shortened(text, LONG / 2);
        let whole = if text.len() <= LONG {
            html! { <>{ text }</> }
        } else {
            html! { <details><summary>{ start }</summary>{ text }</details> }
        };
        html! { <><dt class="foreign">{ about }</dt><dd>{ whole }</dd></> }
    };
    if runs.iter().all(|run| run.notes.is_empty()) {
        return Html::default();
    }
    html! { <dl class="run-notes">{ for notes.map(note) }</dl> }
}

fn whole(n: u64) -> Html {
    sum(i64::try_from(n).unwrap_or(i64::MAX))
}

fn sum(n: i64) -> Html {
    html! { <td>{ text::count(n) }</td> }
}

/// A number that is worth a look where it is not 0.
fn worth(n: u64, look: &'static str) -> Html {
    let count = text::count(i64::try_from(n).unwrap_or(i64::MAX));
    html! { <td class={classes!((n > 0).then_some(look))}>{ count }</td> }
}

fn time(ns: i64) -> Html {
    html! { <td title={text::duration_exact(ns)}>{ text::duration(ns) }</td> }
}

fn maybe(ns: Option<i64>) -> Html {
    ns.map_or_else(|| html! { <td title="no completed query">{ "–" }</td> }, time)
}

fn bytes(n: i64) -> Html {
    html! { <td title={format!("{} B", text::count(n))}>{ text::bytes(n) }</td> }
}
