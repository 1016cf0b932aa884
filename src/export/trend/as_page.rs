//! Trends as tables and charts of the page.

use std::fmt::Write;

use super::super::comparison::cells;
use super::change_cost::{cost, difference, is_of_one_execution};
use super::page_columns::{change_columns, group_columns, run_columns};
use super::{CHANGES, TrendOutput, measured, p_text};
use crate::base::text;
use crate::compare::{FEWEST_RUNS, RunMeasure, TrendChange, TrendGroup};
use crate::protocol::{ChartText, TrendCell, TrendCellContent, TrendChart, TrendPage, TrendTable};
use crate::rows::stable_hash;

/// The percentiles of durations that tables and charts show, each with the style class of its line.
const PERCENTILES: [(RunMeasure, &str); 3] =
    [(RunMeasure::P50, "p50"), (RunMeasure::P95, "p95"), (RunMeasure::P99, "p99")];
/// Most warnings that are shown.
const WARNINGS: usize = 5;
/// Size of a sparkline.
const SPARK: (i64, i64) = (96, 16);
/// Maximum number of points of a sparkline. For more values, medians of neighbouring values are drawn.
const SPARK_POINTS: usize = 48;
/// Size of the chart, and its margins: left, right, top, bottom.
const CHART: (i64, i64) = (960, 260);
const MARGINS: (i64, i64, i64, i64) = (72, 48, 34, 26);
/// Number of steps of the value axis.
const TICKS: i64 = 4;
/// Maximum width of a character in a label.
const CHARACTER: i64 = 7;

impl TrendOutput<'_> {
    /// The page with the list of all groups, or with the group whose text has this hash.
    pub fn page(&self, group: Option<u64>) -> TrendPage {
        let found =
            group.and_then(|hash| self.trend.groups.iter().find(|group| stable_hash(&group.text) == hash));
        let runs = text::counted(self.trend.runs.len() as u64, "run", "runs");
        let mut summary = vec![format!("{runs}: {}", self.first_and_last())];
        summary.extend(self.versions().map(|versions| format!("Versions: {versions}")));
        let (notes, warnings) = (self.notes(), self.shown_warnings());
        let mut page = TrendPage { summary, notes, warnings, ..TrendPage::default() };
        match found {
            Some(group) => {
                page.group.clone_from(&group.text);
                page.chart = self.chart(group);
                page.summary.push(self.chart_caption(group));
                page.tables = vec![self.change_table(group), self.run_table(group)];
                page.tables.retain(|table| !table.cells.is_empty());
            }
            None => page.tables = vec![self.group_table()],
        }
        page
    }

    /// The first warnings, and the number of further ones.
    fn shown_warnings(&self) -> Vec<String> {
        let all = &self.trend.warnings;
        let mut shown: Vec<String> = all.iter().take(WARNINGS).map(|warning| warning.text.clone()).collect();
        if let Some(more) = all.len().checked_sub(WARNINGS).filter(|&more| more > 0) {
            let more = text::counted(more as u64, "more warning", "more warnings");
            shown.push(format!("{more}: \"queryscope trend\" prints all."));
        }
        shown
    }

    /// Table of all groups, ordered by the [cost](cost) of their last change, or by the difference of its medians if the
    /// measure has no cost; groups without changes are last.
    fn group_table(&self) -> TrendTable {
        let mut groups: Vec<&TrendGroup> = self.trend.groups.iter().collect();
        groups.sort_by_key(|group| {
            let cost = |change| cost(self.trend.measure, group, change).unwrap_or_else(|| difference(change));
            std::cmp::Reverse(group.changes.last().map(|change| cost(change).abs()))
        });
        let columns = group_columns(self.trend.measure, self.group_title, self.own_measure());
        let cells = groups.into_iter().flat_map(|group| self.group_cells(group)).collect();
        TrendTable { title: self.group_title.to_owned(), columns, cells }
    }

    /// The measure, unless tables have a column of it anyway.
    fn own_measure(&self) -> Option<RunMeasure> {
        use RunMeasure::{Count, Errors};
        let measure = self.trend.measure;
        (!is_percentile(measure) && !matches!(measure, Count | Errors)).then_some(measure)
    }

    fn measure_cell(&self, value: Option<i64>) -> TrendCell {
        value.map_or_else(dash, |value| TrendCell { number: Some(value), ..text_cell(self.value(value)) })
    }

    fn group_cells(&self, group: &TrendGroup) -> Vec<TrendCell> {
        let last = group.points.last();
        let mut cells = vec![
            TrendCell {
                content: TrendCellContent::Group(stable_hash(&group.text)),
                ..text_cell(group.text.split_whitespace().collect::<Vec<_>>().join(" "))
            },
            self.sparkline(group),
        ];
        match group.changes.last() {
            Some(change) => {
                cells.push(self.change_cell(change));
                cells.push(self.cost_cell(group, change));
            }
            None if group.is_tested => {
                let meaning = "No difference between earlier and later runs is larger than noise.";
                cells.extend([
                    TrendCell { meaning: meaning.to_owned(), ..text_cell("none".to_owned()) },
                    dash(),
                ]);
            }
            None => {
                let name = self.trend.measure;
                let meaning = match group.values(name).next() {
                    Some(_) => format!("A change point needs {FEWEST_RUNS} runs with a value."),
                    None => format!("Not reported in any run: {}.", measured(name)),
                };
                cells.extend([TrendCell { meaning, ..text_cell(self.untested(group).to_owned()) }, dash()]);
            }
        }
        let of_last = |measure| last.and_then(|(_, point)| point.get(measure));
        cells.extend(self.own_measure().map(|measure| self.measure_cell(of_last(measure))));
        cells.extend(PERCENTILES.map(|(measure, _)| duration(of_last(measure))));
        let errors = group.points.iter().map(|(_, point)| point.errors).sum();
        cells.extend([count(group.executions()), count(errors), count(group.points.len() as u64)]);
        cells
    }

    fn cost_cell(&self, group: &TrendGroup, change: &TrendChange) -> TrendCell {
        let is_product = is_of_one_execution(self.trend.measure);
        let factor = if is_product { ", times the executions of the last run." } else { "." };
        match cost(self.trend.measure, group, change) {
            Some(cost) => TrendCell {
                text: cells::signed(self.unit(), cost),
                meaning: format!("Difference of the medians before and after the change{factor}"),
                number: Some(cost.clamp(i64::MIN.into(), i64::MAX.into()) as i64),
                ..TrendCell::default()
            },
            None => TrendCell {
                meaning: format!(
                    "No cost: {} describes the slowest executions only.",
                    self.trend.measure.name()
                ),
                ..dash()
            },
        }
    }

    fn change_cell(&self, change: &TrendChange) -> TrendCell {
        let is_worse = change.test.delta > 0.0;
        let content = match is_worse {
            _ if !self.trend.measure.is_duration() => TrendCellContent::Plain,
            true => TrendCellContent::Worse,
            false => TrendCellContent::Better,
        };
        let typical = cells::test_change(change.test, self.unit());
        let middle = typical.split(" (").next().unwrap_or_default();
        let text = format!("{middle} from {}", self.run(change.run));
        TrendCell { meaning: self.change_sentence(change), content, ..text_cell(text) }
    }

    /// Describes a change in one sentence: medians before and after, typical change and p-value.
    fn change_sentence(&self, change: &TrendChange) -> String {
        format!(
            "{} from {} on: median of runs {} → {}; typical change {}; p {} ({} runs before, {} after)",
            self.verdict(change),
            self.run(change.run),
            self.value(change.medians.0),
            self.value(change.medians.1),
            cells::test_change(change.test, self.unit()),
            p_text(change.p),
            change.runs_before,
            change.runs_after,
        )
    }

    fn sparkline(&self, group: &TrendGroup) -> TrendCell {
        let values: Vec<(usize, i64)> = group.values(self.trend.measure).collect();
        let n = values.len().min(SPARK_POINTS);
        let median = |at: usize| {
            let mut part = values[at * values.len() / n..(at + 1) * values.len() / n].to_vec();
            part.sort_by_key(|(_, value)| *value);
            let (_, value) = part[(part.len() - 1) / 2];
            value
        };
        let medians: Vec<i64> = (0..n).map(median).collect();
        let greatest = medians.iter().copied().max().unwrap_or(0);
        let x = |at: usize, n: usize| scaled(at as i64, n.max(2) as i64 - 1, SPARK.0 - 2) + 1;
        let y = |value: i64| SPARK.1 - 1 - scaled(value, greatest, SPARK.1 - 2);
        let line = path((0..n).map(|at| (x(at, n), y(medians[at]))));
        let place = |run: usize| values.iter().position(|(at, _)| *at == run).unwrap_or(0);
        let mut marks = String::new();
        for change in &group.changes {
            // Writing to a string cannot fail.
            let _ = write!(marks, "M{} 0V{}", x(place(change.run), values.len()), SPARK.1);
        }
        let range = medians.iter().min().zip(medians.iter().max());
        let text = range.map_or_else(String::new, |(least, most)| {
            format!(
                "{} of each run: {} … {}",
                self.trend.measure.name(),
                self.value(*least),
                self.value(*most)
            )
        });
        TrendCell {
            meaning: text,
            content: TrendCellContent::Sparkline([line, marks]),
            ..TrendCell::default()
        }
    }

    fn change_table(&self, group: &TrendGroup) -> TrendTable {
        // The column of the group's text is left out.
        let columns = change_columns();
        let one = crate::compare::Trend {
            groups: vec![group.clone()],
            runs: self.trend.runs.clone(),
            warnings: Vec::new(),
            ..*self.trend
        };
        let rows = TrendOutput { trend: &one, ..*self }.change_rows(80);
        let mut cells = Vec::new();
        for (change, row) in group.changes.iter().zip(rows) {
            let trace = self.trend.runs.get(change.run).map_or("", |run| &run.trace).to_owned();
            let slowest = self.slowest(group, change.run);
            for (at, text) in row.into_iter().take(CHANGES.len()).enumerate() {
                let content = match CHANGES[at] {
                    "change" => self.change_cell(change).content,
                    "from run" => TrendCellContent::Trace(trace.clone(), None),
                    "slowest execution" if slowest.is_some() => {
                        let place = slowest.map(|at| (at.span, at.start, at.duration));
                        TrendCellContent::Trace(trace.clone(), place)
                    }
                    _ => TrendCellContent::Plain,
                };
                cells.push(TrendCell { content, ..text_cell(text) });
            }
        }
        TrendTable { title: "Changes".to_owned(), columns, cells }
    }

    fn run_table(&self, group: &TrendGroup) -> TrendTable {
        let columns = run_columns(self.own_measure());
        let cells = group.points.iter().flat_map(|(at, point)| {
            let run = self.trend.runs.get(*at);
            let trace = run.map_or("", |run| &run.trace).to_owned();
            let known = |text: Option<&String>| text_cell(text::or_dash(text, String::clone));
            let mut cells = vec![
                TrendCell {
                    content: TrendCellContent::Trace(trace.clone(), None),
                    number: Some(*at as i64),
                    ..text_cell(self.run(*at))
                },
                known(run.and_then(|run| run.day.as_ref())),
                known(run.and_then(|run| run.version.as_ref())),
                count(point.executions),
                count(point.errors),
            ];
            cells.extend(self.own_measure().map(|measure| self.measure_cell(point.get(measure))));
            cells.extend(PERCENTILES.map(|(measure, _)| duration(point.get(measure))));
            cells.push(match point.slowest {
                Some(at) => TrendCell {
                    content: TrendCellContent::Trace(trace, Some((at.span, at.start, at.duration))),
                    ..duration(Some(at.duration))
                },
                None => dash(),
            });
            cells
        });
        TrendTable { title: "Runs".to_owned(), columns, cells: cells.collect() }
    }

    /// Says what the chart of a group shows, or why there is none.
    fn chart_caption(&self, group: &TrendGroup) -> String {
        let measure = self.trend.measure;
        match group.values(measure).next() {
            None => format!("Not reported in any run: {}.", measured(measure)),
            Some(_) if is_percentile(measure) => "Durations of each run: p50, p95 and p99.".to_owned(),
            Some(_) => format!("Value of each run: {}.", measured(measure)),
        }
    }

    /// Chart of a group in each run, with marks at its changes: the percentiles of its durations, or another measure whose changes
    /// are marked. `None` without values.
    fn chart(&self, group: &TrendGroup) -> Option<TrendChart> {
        let measure = self.trend.measure;
        group.values(measure).next()?;
        let (left, right, top, bottom) = MARGINS;
        let (width, height) = (CHART.0 - left - right, CHART.1 - top - bottom);
        let values = |measure| group.values(measure).collect::<Vec<_>>();
        let shown: &[_] = if is_percentile(measure) { &PERCENTILES } else { &[(measure, "p50")] };
        let lines: Vec<_> = shown.iter().map(|(measure, class)| (values(*measure), *class)).collect();
        let greatest = lines.iter().flat_map(|(line, _)| line).map(|(_, value)| *value).max().unwrap_or(0);
        let axis = nice(greatest);
        let last = self.trend.runs.len().saturating_sub(1) as i64;
        let x = |run: usize| left + scaled(run as i64, last, width);
        let y = |value: i64| top + height - scaled(value, axis, height);
        let mut chart = TrendChart { size: (CHART.0 as u32, CHART.1 as u32), ..TrendChart::default() };
        for tick in 0..=TICKS {
            let value = axis / TICKS * tick;
            chart.paths.push(("grid".to_owned(), format!("M{left} {}h{width}", y(value))));
            chart.text((left - 8, y(value) + 4), "end", "tick", self.value(value));
        }
        for (line, class) in &lines {
            let points: Vec<(i64, i64)> = line.iter().map(|(run, value)| (x(*run), y(*value))).collect();
            if let Some((at, value)) = points.last().copied().filter(|_| is_percentile(measure)) {
                chart.text((at + 6, value + 4), "start", class, (*class).to_owned());
            }
            chart.paths.push(((*class).to_owned(), path(points.into_iter())));
        }
        chart.spread_names(&PERCENTILES.map(|(_, class)| class));
        // Labels of changes that are close to each other are on two lines, and a third has none.
        let mut ends = [i64::MIN; 2];
        for change in &group.changes {
            let at = x(change.run);
            chart.paths.push(("change".to_owned(), format!("M{at} {}V{}", top - 4, top + height)));
            let name = text::shortened(&self.run(change.run), 28);
            let long = name.chars().count() as i64 * CHARACTER;
            let is_left = at + long > CHART.0;
            let start = if is_left { at - long } else { at };
            if let Some(line) = ends.iter().position(|end| start > *end) {
                ends[line] = start + long;
                let anchor = if is_left { "end" } else { "start" };
                chart.text((at, 12 + 14 * line as i64), anchor, "change", name);
            }
        }
        let ends = [(0, left, "start"), (last as usize, CHART.0 - right, "end")];
        for (run, at, anchor) in ends.into_iter().take(if last > 0 { 2 } else { 1 }) {
            chart.text((at, CHART.1 - 6), anchor, "tick", text::shortened(&self.run(run), 48));
        }
        let changes: Vec<String> = group.changes.iter().map(|change| self.change_sentence(change)).collect();
        let changes = if changes.is_empty() { "no change points".to_owned() } else { changes.join(". ") };
        let caption = self.chart_caption(group);
        chart.meaning = format!("{caption} Up to {}: {changes}.", self.value(greatest));
        Some(chart)
    }
}

impl TrendChart {
    fn text(&mut self, (x, y): (i64, i64), anchor: &str, class: &str, text: String) {
        let at = (x as i32, y as i32);
        self.texts.push(ChartText { at, anchor: anchor.to_owned(), class: class.to_owned(), text });
    }

    /// Moves the names of the lines apart vertically, so that they do not overlap. The lines must be in ascending order
    /// of their values.
    fn spread_names(&mut self, names: &[&str]) {
        let mut above = i32::MAX;
        for text in self.texts.iter_mut().filter(|text| names.contains(&text.class.as_str())) {
            text.at.1 = text.at.1.min(above);
            above = text.at.1 - 13;
        }
    }
}

/// Scales a value between 0 and `whole` to a length between 0 and `length`; negative values count as 0.
fn scaled(value: i64, whole: i64, length: i64) -> i64 {
    if whole <= 0 { 0 } else { (i128::from(value.max(0)) * i128::from(length) / i128::from(whole)) as i64 }
}

/// The smallest value of at least `greatest` at which an axis with [`TICKS`] steps can end: 4, 8, 12, 20 or 40 times a
/// power of ten.
fn nice(greatest: i64) -> i64 {
    let mut unit: i64 = 1;
    loop {
        for times in [4, 8, 12, 20] {
            match unit.checked_mul(times) {
                Some(end) if end >= greatest => return end,
                Some(_) => {}
                None => return i64::MAX,
            }
        }
        match unit.checked_mul(10) {
            Some(next) => unit = next,
            None => return i64::MAX,
        }
    }
}

/// An SVG path through points.
fn path(points: impl Iterator<Item = (i64, i64)>) -> String {
    let mut path = String::new();
    for (x, y) in points {
        let command = if path.is_empty() { 'M' } else { 'L' };
        // Writing to a string cannot fail.
        let _ = write!(path, "{command}{x} {y}");
    }
    // A single point is a dot.
    if !path.contains('L') && !path.is_empty() {
        path.push_str("h1");
    }
    path
}

/// Whether a measure is one of [`PERCENTILES`].
fn is_percentile(measure: RunMeasure) -> bool {
    PERCENTILES.iter().any(|(known, _)| *known == measure)
}

fn text_cell(text: String) -> TrendCell {
    TrendCell { text, ..TrendCell::default() }
}

fn dash() -> TrendCell {
    text_cell(text::NOT_REPORTED.to_owned())
}

fn duration(ns: Option<i64>) -> TrendCell {
    ns.map_or_else(dash, |ns| TrendCell { number: Some(ns), ..text_cell(text::duration(ns)) })
}

fn count(count: u64) -> TrendCell {
    let number = i64::try_from(count).unwrap_or(i64::MAX);
    TrendCell { number: Some(number), ..text_cell(text::count(number)) }
}
