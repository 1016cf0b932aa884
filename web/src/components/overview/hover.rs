//! Overlays of a chart: the values at the cursor, and the range that is being selected.

use queryscope::internal::chart::{Plot, classes, filter_of_bin};
use queryscope::internal::text;
use queryscope::protocol::{Charts, RunCharts};
use yew::prelude::*;

use super::chart::{BUFFERS, Kind, RUNS, run_value};
use crate::words;

/// A cursor position in a chart.
pub struct ChartHover<'a> {
    /// Position on the horizontal axis, from 0 at the left to 1 at the right.
    pub share: f64,
    /// Which chart the cursor is in.
    pub kind: Kind,
    /// Data of all charts.
    pub charts: &'a Charts,
}

/// Converts a canvas pixel to a position on the axis from 0 to 1. `None` if the pixel is more than 5 % outside of the plot.
pub fn share_at(x: f64, plot: &Plot) -> Option<f64> {
    let width = f64::from(plot.x.end - plot.x.start);
    let share = (x - f64::from(plot.x.start)) / width.max(1.0);
    (-0.05..=1.05).contains(&share).then(|| share.clamp(0.0, 1.0))
}

/// Renders a band over a part of the axis, which is given as shares from 0 to 1.
pub fn band(class: &'static str, from: f64, to: f64, plot: &Plot, scale: f64) -> Html {
    let x = |share: f64| (f64::from(plot.x.start) + share * f64::from(plot.x.end - plot.x.start)) / scale;
    let (left, right) = (x(from.min(to)), x(from.max(to)));
    let (top, height) = (f64::from(plot.y.start) / scale, f64::from(plot.y.end - plot.y.start) / scale);
    html! { <div {class} style={format!("left:{left:.1}px;width:{:.1}px;top:{top:.1}px;height:{height:.1}px", right - left)} /> }
}

/// Renders the cursor line and the card of values.
pub fn card(hover: &ChartHover, plot: &Plot, scale: f64, width: i32) -> Html {
    let x = (f64::from(plot.x.start) + hover.share * f64::from(plot.x.end - plot.x.start)) / scale;
    let (top, height) = (f64::from(plot.y.start) / scale, f64::from(plot.y.end - plot.y.start) / scale);
    let side = if x > f64::from(width) / 2.0 {
        format!("right:{:.0}px", f64::from(width) - x + 8.0)
    } else {
        format!("left:{:.0}px", x + 8.0)
    };
    html! {
        <>
            <div class="chart-cursor" style={format!("left:{x:.1}px;top:{top:.1}px;height:{height:.1}px")} />
            <div class="chart-card" style={format!("top:{:.0}px;{side}", top + 4.0)}>{ for lines(hover).iter().map(Line::html) }</div>
        </>
    }
}

/// One line of the card: a name and a value, with the colour of the series; without a colour if the line is about no
/// series.
struct Line {
    color: Option<&'static str>,
    name: String,
    value: String,
}

impl Line {
    fn new(name: &str, value: String) -> Self {
        Self { color: None, name: name.to_owned(), value }
    }

    fn html(&self) -> Html {
        html! {
            <div class="row">
                if let Some(color) = self.color { <i class="swatch" style={format!("background:var(--{color})")} aria-hidden="true" /> }
                { &self.name }<b>{ &self.value }</b>
            </div>
        }
    }
}

/// Describes the values at the cursor for screen readers.
pub fn values_at(hover: &ChartHover) -> String {
    let line = |line: &Line| format!("{} {}", line.name, line.value).trim().to_owned();
    lines(hover).iter().map(line).collect::<Vec<_>>().join(", ")
}

fn lines(hover: &ChartHover) -> Vec<Line> {
    let charts = hover.charts;
    if !charts.runs.is_empty() {
        return lines_of_runs(hover);
    }
    match hover.kind {
        Kind::Queries => {
            let Some(at) = step(hover.share, charts.queries.len()) else { return Vec::new() };
            let running = text::count(charts.queries[at].into());
            vec![when(charts, at, charts.queries.len()), Line::new(words::overview::RUNNING, running)]
        }
        Kind::Buffers | Kind::BufferActivity(..) => {
            let n = charts.buffers.iter().map(|(_, bytes)| bytes.len()).max().unwrap_or(0);
            let Some(at) = step(hover.share, n) else { return Vec::new() };
            let moved = |(i, (name, bytes)): (usize, &(String, Vec<i64>))| {
                let value = hover.kind.amount(bytes.get(at).copied().unwrap_or(0));
                Line { color: Some(BUFFERS[i % BUFFERS.len()]), ..Line::new(name, value) }
            };
            let moved = charts.buffers.iter().enumerate().map(moved);
            std::iter::once(when(charts, at, n)).chain(moved).collect()
        }
        Kind::Durations => duration_class(hover).into_iter().collect(),
    }
}

/// Returns one line of values per run.
fn lines_of_runs(hover: &ChartHover) -> Vec<Line> {
    let ChartHover { charts, kind, share } = *hover;
    let n = charts.queries.len();
    let (first, at) = match kind {
        Kind::Durations => match class_at(hover) {
            Some((at, (from, to, _))) => {
                (Line::new(&words::overview::durations(from, to), String::new()), at)
            }
            None => return Vec::new(),
        },
        Kind::Queries | Kind::Buffers | Kind::BufferActivity(..) => match step(share, n) {
            Some(at) => (when(charts, at, n), at),
            None => return Vec::new(),
        },
    };
    let line = |(run, color): (&RunCharts, &&'static str)| {
        let value = match kind {
            Kind::Queries => text::count(run.queries.get(at).copied().unwrap_or(0).into()),
            Kind::Buffers | Kind::BufferActivity(..) => text::bytes(run.bytes.get(at).copied().unwrap_or(0)),
            Kind::Durations => words::overview::queries(run.durations.get(at).copied().unwrap_or(0)),
        };
        Line { color: Some(color), ..Line::new(&run.name, value) }
    };
    std::iter::once(first).chain(charts.runs.iter().zip(&RUNS).map(line)).collect()
}

fn duration_class(hover: &ChartHover) -> Option<Line> {
    let (_, (from, to, count)) = class_at(hover)?;
    Some(Line::new(&words::overview::durations(from, to), words::overview::queries(count)))
}

/// Returns the histogram bin at the cursor, on a logarithmic axis: its index, and the bin with bounds and count.
fn class_at(hover: &ChartHover) -> Option<(usize, (i64, i64, u32))> {
    let classes = classes(hover.charts);
    let (first, last) = (classes.first()?, classes.last()?);
    let ln = |ns: i64| (ns.max(1) as f64).ln();
    let at = (ln(first.0) + (ln(last.1) - ln(first.0)) * hover.share).exp();
    let found = classes.iter().position(|class| at < class.1 as f64).unwrap_or(classes.len() - 1);
    Some((found, classes[found]))
}

/// Filter of the queries of the histogram bin at a position of the axis; `None` if the bin is empty.
pub fn filter_at(charts: &Charts, share: f64) -> Option<String> {
    let hover = ChartHover { share, kind: Kind::Durations, charts };
    filter_of_bin(charts, class_at(&hover)?.0)
}

fn step(share: f64, n: usize) -> Option<usize> {
    (n > 0).then(|| ((share * n as f64) as usize).min(n - 1))
}

fn when(charts: &Charts, at: usize, n: usize) -> Line {
    let length = i128::from(charts.end) - i128::from(charts.start);
    let start = i128::from(charts.start) + length * at as i128 / n.max(1) as i128;
    let start = i64::try_from(start).unwrap_or(charts.end);
    Line::new(&words::overview::from(start), String::new())
}

/// Describes a chart in one sentence for screen readers.
pub fn values(kind: Kind, charts: &Charts) -> String {
    if !charts.runs.is_empty() {
        let run = |run: &RunCharts| words::overview::named(&run.name, &run_value(kind, run));
        return charts.runs.iter().map(run).collect::<Vec<_>>().join("; ");
    }
    match kind {
        Kind::Queries => {
            let most = charts.queries.iter().copied().max().unwrap_or(0);
            words::overview::max_running(most)
        }
        Kind::Buffers | Kind::BufferActivity(..) => {
            let part = |(name, bytes): &(String, Vec<i64>)| {
                words::overview::named(name, &kind.amount(kind.total(bytes)))
            };
            let parts = charts.buffers.iter().map(part);
            parts.collect::<Vec<_>>().join(", ")
        }
        Kind::Durations => match charts.percentiles {
            Some(percentiles) => words::overview::all_percentiles(percentiles),
            None => words::common::NO_QUERIES.to_owned(),
        },
    }
}
