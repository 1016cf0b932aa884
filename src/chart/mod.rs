//! The overview charts: running queries, buffer manager traffic and query durations.
//!
//! The charts are drawn with plotters on any backend. On wasm, plotters measures text through `window`, so there they
//! are drawn on the page's main thread only, never in a worker.

mod axis;

use std::ops::Range;

use plotters::coord::Shift;
use plotters::coord::ranged1d::{AsRangedCoord, Ranged, ValueFormatter};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

pub use axis::tick;

use crate::base::{filter_text, text};
use crate::protocol::{Charts, RunCharts};
use axis::LogDuration;

/// Red, green, blue.
pub type Rgb = (u8, u8, u8);

/// Colours, font and scale of a chart.
#[derive(Clone, PartialEq, Debug)]
pub struct ChartStyle {
    /// Colour of labels.
    pub text: Rgb,
    /// Colour of grid lines.
    pub grid: Rgb,
    /// Colour of percentile lines across the data.
    pub mark: Rgb,
    /// Colours of the data series; they repeat if there are more series.
    pub series: Vec<Rgb>,
    /// Font family, as in CSS.
    pub font: String,
    /// Canvas pixels per CSS pixel.
    pub scale: f64,
}

/// Area of the canvas in which the data is drawn, in canvas pixels.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plot {
    /// Horizontal range, left to right.
    pub x: Range<i32>,
    /// Vertical range, top to bottom.
    pub y: Range<i32>,
}

/// Result of drawing on a backend.
pub type Drawn<DB, T = Plot> = Result<T, DrawingAreaErrorKind<<DB as DrawingBackend>::ErrorType>>;
type Area<DB> = DrawingArea<DB, Shift>;
type Chart<'a, DB, X, Y> = ChartContext<'a, DB, Cartesian2d<X, Y>>;

/// Draws the number of running queries over time; with one line per run if there are several runs.
pub fn queries<DB: DrawingBackend>(area: &Area<DB>, charts: &Charts, look: &ChartStyle) -> Drawn<DB> {
    let time = axis::interval(charts.start, charts.end);
    let of_runs = charts.runs.iter().flat_map(|run| &run.queries);
    let all = if charts.runs.is_empty() { &charts.queries[..] } else { &[] };
    let greatest = all.iter().chain(of_runs).copied().max().unwrap_or(0);
    let y = axis::headroom(i64::from(greatest));
    let mut chart = frame(area, look, time.clone(), y, tick, text::count)?;
    let n = charts.queries.len();
    if !charts.runs.is_empty() {
        let line = |run: &RunCharts| steps(&time, run.queries.iter().map(|running| i64::from(*running)), n);
        return lines_of_runs(chart, charts, look, line);
    }
    let bars = charts.queries.iter().enumerate().filter(|(_, running)| **running > 0);
    chart.draw_series(bars.map(|(i, &running)| {
        let (from, to) = axis::step(&time, i, n);
        Rectangle::new([(from, 0), (to, i64::from(running))], look.series(0).filled())
    }))?;
    Ok(plot(&chart))
}

/// Draws one line per run.
fn lines_of_runs<DB, X, Y>(
    mut chart: Chart<DB, X, Y>,
    charts: &Charts,
    look: &ChartStyle,
    line: impl Fn(&RunCharts) -> Vec<(i64, i64)>,
) -> Drawn<DB>
where
    DB: DrawingBackend,
    X: Ranged<ValueType = i64>,
    Y: Ranged<ValueType = i64>,
{
    for (number, run) in charts.runs.iter().enumerate() {
        chart.draw_series(LineSeries::new(line(run), look.line(number)))?;
    }
    Ok(plot(&chart))
}

/// Returns a step line: each value is constant for the length of its step.
fn steps(time: &Range<i64>, values: impl Iterator<Item = i64>, n: usize) -> Vec<(i64, i64)> {
    let level = |(at, value): (usize, i64)| {
        let (from, to) = axis::step(time, at, n);
        // Negative values are drawn as 0, as in all charts.
        [from, to].map(|time| (time, value.max(0)))
    };
    values.enumerate().flat_map(level).collect()
}

/// Draws the bytes that the buffer manager moved over time: stacked by type, or with one line per run if there are
/// several.
pub fn buffers<DB: DrawingBackend>(area: &Area<DB>, charts: &Charts, look: &ChartStyle) -> Drawn<DB> {
    amounts(area, charts, look, text::bytes)
}

/// Draws [`Charts::buffers`] like [`buffers`], for a measure other than bytes, which `amount` formats.
pub fn amounts<DB: DrawingBackend>(
    area: &Area<DB>,
    charts: &Charts,
    look: &ChartStyle,
    amount: fn(i64) -> String,
) -> Drawn<DB> {
    let time = axis::interval(charts.start, charts.end);
    if !charts.runs.is_empty() {
        let greatest = charts.runs.iter().flat_map(|run| &run.bytes).copied().max().unwrap_or(0).max(0);
        let chart = frame(area, look, time.clone(), axis::headroom(greatest), tick, amount)?;
        let line = |run: &RunCharts| steps(&time, run.bytes.iter().copied(), run.bytes.len());
        return lines_of_runs(chart, charts, look, line);
    }
    let n = charts.buffers.iter().map(|(_, bytes)| bytes.len()).max().unwrap_or(0);
    let mut tops = vec![0i64; n];
    let mut layers = Vec::new();
    for (series, (_, bytes)) in charts.buffers.iter().enumerate() {
        for (i, moved) in bytes.iter().enumerate().filter(|(_, moved)| **moved > 0) {
            let below = tops[i];
            tops[i] = below.saturating_add(*moved);
            layers.push((series, i, below, tops[i]));
        }
    }
    let y = axis::headroom(tops.into_iter().max().unwrap_or(0));
    let mut chart = frame(area, look, time.clone(), y, tick, amount)?;
    chart.draw_series(layers.into_iter().map(|(series, i, below, top)| {
        let (from, to) = axis::step(&time, i, n);
        Rectangle::new([(from, below), (to, top)], look.series(series).filled())
    }))?;
    Ok(plot(&chart))
}

/// Draws a histogram of query durations on a logarithmic scale: with lines at the percentiles, or with one line per run
/// if there are several runs.
pub fn durations<DB: DrawingBackend>(area: &Area<DB>, charts: &Charts, look: &ChartStyle) -> Drawn<DB> {
    let classes = classes(charts);
    let (from, to) = (classes.first().map_or(1, |c| c.0), classes.last().map_or(1_000, |c| c.1));
    if !charts.runs.is_empty() {
        let greatest = charts.runs.iter().flat_map(|run| &run.durations).copied().max().unwrap_or(0);
        let y = axis::headroom(i64::from(greatest));
        let chart = frame(area, look, LogDuration::new(from, to), y, tick, text::count)?;
        let line = |run: &RunCharts| {
            let counts = classes.iter().zip(&run.durations);
            counts.flat_map(|(c, count)| [c.0, c.1].map(|at| (at, i64::from(*count)))).collect()
        };
        return lines_of_runs(chart, charts, look, line);
    }
    let greatest = classes.iter().map(|c| c.2).max().unwrap_or(0);
    let y = above(i64::from(greatest), MARKS.len() as u32 * look.px(ROW), plot_height(area, look));
    let top = y.end;
    let mut chart = frame(area, look, LogDuration::new(from, to), y, tick, text::count)?;
    chart.draw_series(classes.iter().filter(|c| c.2 > 0).map(|&(from, to, count)| {
        let mut bar = Rectangle::new([(from, 0), (to, i64::from(count))], look.series(0).filled());
        bar.set_margin(0, 0, 0, 1);
        bar
    }))?;
    if let Some(percentiles) = charts.percentiles {
        let scale = LogDuration::new(from, to);
        let share = |at: i64| scale.map(&at.max(1), (0, 100));
        let height = plot_height(area, look);
        chart.draw_series(marks(percentiles, share).into_iter().map(|mark| {
            let below = (look.px(ROW) * mark.row) as i32;
            let line = PathElement::new([(0, below), (0, height)], rgb(look.mark));
            let (beside, side) = if mark.left { (-4.0, HPos::Right) } else { (4.0, HPos::Left) };
            let beside = (beside * look.scale).round() as i32;
            let word = look.words(10.5).pos(Pos::new(side, VPos::Top));
            EmptyElement::at((mark.at.max(1), top)) + line + Text::new(mark.name, (beside, below), word)
        }))?;
    }
    Ok(plot(&chart))
}

/// Names of the percentiles that are drawn.
const MARKS: [&str; 3] = ["p50", "p90", "p99"];
/// Height of a percentile name's row above the data, in CSS pixels.
const ROW: f64 = 12.0;
/// Width reserved for a percentile name, in percent of the chart's width.
const NAME: i32 = 14;

/// A percentile's line and name.
struct PercentileMark {
    at: i64,
    name: &'static str,
    /// Row of the name, from the top; the line begins in this row.
    row: u32,
    /// Whether the name is to the left of the line.
    left: bool,
}

/// Lays out the percentile lines. Their names are often too close to fit side by side, so each has its own row, in which its
/// line begins. Names right of their lines descend from percentile to percentile, names left of them ascend, so that no line
/// crosses a name; free space decides which names are on the right. `share` is a value's position in percent of the width.
fn marks(percentiles: [i64; 4], share: impl Fn(i64) -> i32) -> Vec<PercentileMark> {
    let at = [0, 1, 2].map(|i| share(percentiles[i]));
    let has_room = |right: &usize| match *right {
        0 => at[0] >= NAME,
        3 => at[2] <= 100 - NAME,
        right => at[right] - at[right - 1] >= 2 * NAME,
    };
    let right = [0, 3, 1, 2].into_iter().find(has_room).unwrap_or(0);
    let mark = |(i, &name): (usize, &&'static str)| {
        let left = i >= right;
        PercentileMark {
            at: percentiles[i],
            name,
            row: if left { MARKS.len() - 1 - i } else { i } as u32,
            left,
        }
    };
    MARKS.iter().enumerate().map(mark).collect()
}

/// Returns the range of an axis up to a maximum value that leaves `free` of `all` pixels unused above it.
fn above(greatest: i64, free: u32, all: i32) -> Range<i64> {
    let (all, greatest) = (i128::from(all.max(1)), i128::from(greatest.max(1)));
    let used = (all - i128::from(free)).max(all / 3).max(1);
    0..i64::try_from((greatest * all + used - 1) / used).unwrap_or(i64::MAX)
}

/// Returns the bins of the duration histogram: lower bound, upper bound, count. As a logarithmic axis has no 0, the first bound is at
/// least 1; that bin includes durations of 0. After the last bin, the bounds would go on with 2, 5, 10, 20, 50, …
pub fn classes(charts: &Charts) -> Vec<(i64, i64, u32)> {
    let bounds = &charts.durations;
    let last = bounds.last().map_or(1, |bound| bound.0.max(1));
    let decade = 10_i64.pow(last.ilog10());
    let last = if last / decade == 2 { decade.saturating_mul(5) } else { last.saturating_mul(2) };
    let uppers = bounds.iter().skip(1).map(|bound| bound.0).chain([last]);
    bounds.iter().zip(uppers).map(|(&(from, count), to)| (from.max(1), to.max(from.max(1)), count)).collect()
}

/// Filter of the queries that a bin of the duration histogram counts; `None` if it counts none.
pub fn filter_of_bin(charts: &Charts, bin: usize) -> Option<String> {
    let (from, _) = *charts.durations.get(bin)?;
    let (_, until, count) = *classes(charts).get(bin)?;
    (count > 0).then(|| of_histogram(charts, format!("duration = {from}ns..{until}ns")))
}

/// Filter of the queries of the duration histogram that took at least `ns` nanoseconds.
pub fn filter_of_slower(charts: &Charts, ns: i64) -> String {
    of_histogram(charts, format!("duration >= {ns}ns"))
}

/// Adds the conditions that leave out what the duration histogram leaves out.
fn of_histogram(charts: &Charts, condition: String) -> String {
    match charts.incomplete {
        0 => condition,
        _ => filter_text::with(&condition, filter_text::COMPLETE),
    }
}

impl ChartStyle {
    fn series(&self, index: usize) -> RGBColor {
        rgb(self.series.get(index % self.series.len().max(1)).copied().unwrap_or(self.text))
    }

    fn line(&self, index: usize) -> ShapeStyle {
        self.series(index).stroke_width(self.px(1.5).max(1))
    }

    fn px(&self, css: f64) -> u32 {
        (css * self.scale).round() as u32
    }

    fn words(&self, size: f64) -> TextStyle<'_> {
        let font = (self.font.as_str(), size * self.scale);
        let color = rgb(self.text).to_backend_color();
        TextStyle { color, ..TextStyle::from(font) }
    }
}

fn rgb((red, green, blue): Rgb) -> RGBColor {
    RGBColor(red, green, blue)
}

const X_LABELS: f64 = 24.0;
const Y_LABELS: f64 = 56.0;
const MARGIN: f64 = 10.0;

/// Draws the axes, their labels and the grid lines.
fn frame<'a, DB, X, Y>(
    area: &'a Area<DB>,
    look: &ChartStyle,
    x: X,
    y: Y,
    x_label: fn(i64) -> String,
    y_label: fn(i64) -> String,
) -> Drawn<DB, Chart<'a, DB, X::CoordDescType, Y::CoordDescType>>
where
    DB: DrawingBackend,
    X: AsRangedCoord<Value = i64>,
    Y: AsRangedCoord<Value = i64>,
    X::CoordDescType: Ranged<ValueType = i64> + ValueFormatter<i64>,
    Y::CoordDescType: Ranged<ValueType = i64> + ValueFormatter<i64>,
{
    let width = f64::from(area.dim_in_pixel().0) / look.scale.max(0.1);
    let mut chart = ChartBuilder::on(area)
        .margin(look.px(MARGIN))
        .margin_right(look.px(MARGIN * 2.0))
        .margin_bottom(look.px(2.0))
        .x_label_area_size(look.px(X_LABELS))
        .y_label_area_size(look.px(Y_LABELS))
        .build_cartesian_2d(x, y)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(rgb(look.grid).stroke_width(look.px(1.0)))
        .axis_style(rgb(look.grid).stroke_width(look.px(1.0)))
        .set_all_tick_mark_size(look.px(4.0))
        .label_style(look.words(10.5))
        .x_labels(((width - Y_LABELS) / 84.0).max(2.0) as usize)
        .y_labels(4)
        .x_label_formatter(&|value: &i64| x_label(*value))
        .y_label_formatter(&|value: &i64| y_label(*value))
        .draw()?;
    Ok(chart)
}

fn plot_height<DB: DrawingBackend>(area: &Area<DB>, look: &ChartStyle) -> i32 {
    let around = look.px(MARGIN) + look.px(2.0) + look.px(X_LABELS);
    area.dim_in_pixel().1.saturating_sub(around) as i32
}

fn plot<DB, X, Y>(chart: &Chart<'_, DB, X, Y>) -> Plot
where
    DB: DrawingBackend,
    X: Ranged<ValueType = i64>,
    Y: Ranged<ValueType = i64>,
{
    let (x, y) = chart.plotting_area().get_pixel_range();
    Plot { x, y }
}

#[cfg(test)]
mod tests;
