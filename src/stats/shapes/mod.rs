//! Executions grouped by statement shape, or slices by name and category: sums, percentiles, distribution and executions.

mod distribution;
mod executions;
#[cfg(test)]
mod tests;

use crate::analysis::{
    Bits, ChildSpans, Queries, QueryBytes, SqlShapes, StatementTexts, Statements, Sum, duration_bars,
};
use crate::base::{FxHashMap, sort, text};
use crate::protocol::{
    ExecutionList, ExecutionPage, ShapeColumn, ShapeDetail, ShapeDetailRequest, ShapeList, ShapePage,
    ShapePath, ShapePathRequest, ShapeRow,
};
use crate::stats::parallel::ShapePaths;
use crate::trace::{Item, SpanId, StrId, Trace, key};
use distribution::{LogScale, axis};
use executions::{CountScratch, Executions};

/// Maximum number of rows in a page.
const MAX_ROWS: u32 = 10_000;
/// Maximum length of a title, in characters.
const TITLE: usize = 1_000;
/// Maximum length of the text of a shape, in characters.
const TEXT: usize = 20_000;

/// Type of the numbers in [`Group::members`].
#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum ShapeMember {
    /// A row of the query list.
    #[default]
    Query,
    /// A span of a trace without queries.
    Slice,
}

/// Executions of one shape.
struct Group {
    /// Text of the shape: an index into [`SqlShapes`], or name and category.
    title: Title,
    /// Name of an attribute that has the statement of all executions; `None` for slices.
    attribute: Option<&'static str>,
    /// Executions, in the order of the trace.
    members: Vec<u32>,
}

impl Group {
    /// Name by which filters refer to the statement; empty for slices.
    fn dimension(&self) -> String {
        self.attribute.map_or_else(String::new, StatementTexts::dimension)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Title {
    Sql(u32),
    Slice(StrId, Option<StrId>),
}

/// All shapes of a trace, with cached statistics for the time range and the filter of the last request.
#[derive(Default)]
pub struct StatementShapes {
    groups: Option<Vec<Group>>,
    bytes: Option<QueryBytes>,
    texts: SqlShapes,
    member: ShapeMember,
    numbers: Option<RangeNumbers>,
}

/// A time range, a filter, and the statistics of each group in them. Rows that no page contained yet have no title and no small charts.
type RangeNumbers = (Option<(i64, i64)>, String, Vec<ShapeRow>);
/// A time range, a filter, and the spans that pass the filter; `None` if all pass.
type ShapeSelection<'a> = (Option<(i64, i64)>, &'a str, Option<&'a Bits>);

impl StatementShapes {
    /// Returns a page of the list of shapes.
    #[inline(never)]
    pub fn page(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        (list, passing): (&ShapeList, Option<&Bits>),
        first: u32,
        count: u32,
    ) -> ShapePage {
        self.count(trace, queries, (list.range, &list.filter, passing));
        let (_, rows) = self.counted();
        let mut shown: Vec<&ShapeRow> = rows.iter().filter(|row| row.count > 0).collect();
        self.order(trace, list, &mut shown);
        let mut time = Sum::default();
        rows.iter().for_each(|row| time.add(Some(row.total)));
        let executions = Executions::new(trace, queries, self.member, (list.range, passing), false);
        let axis = axis(trace, list.range);
        let scale = LogScale::of(&shown);
        let total = shown.len() as u32;
        let page = shown.iter().skip(first as usize).take(count.min(MAX_ROWS) as usize);
        let page: Vec<u32> = page.map(|row| row.shape).collect();
        self.complete_rows(&executions, &page, (axis, &scale));
        let (_, rows) = self.counted();
        ShapePage {
            total,
            executions: rows.iter().map(|row| u64::from(row.count)).sum(),
            time: time.or_zero(),
            is_of_slices: self.member == ShapeMember::Slice,
            has_rows: rows.iter().any(|row| row.rows.is_some()),
            has_bytes: rows.iter().any(|row| row.bytes.is_some()),
            axis,
            durations: scale.ends,
            first,
            rows: page.iter().filter_map(|&shape| rows.get(shape as usize).cloned()).collect(),
        }
    }

    /// Adds the titles and the small charts to cached rows that have none.
    fn complete_rows(
        &mut self,
        executions: &Executions,
        shapes: &[u32],
        (axis, scale): ((i64, i64), &LogScale),
    ) {
        let Self { groups: Some(groups), numbers: Some((.., rows)), texts, .. } = self else { return };
        for &shape in shapes {
            let Some((group, row)) = groups.get(shape as usize).zip(rows.get_mut(shape as usize)) else {
                continue;
            };
            if row.over_time.is_empty() {
                row.title = title(executions.trace(), texts, group.title, TITLE);
                row.dimension = group.dimension();
                row.over_time = executions.over_time(group, axis);
                row.durations = executions.by_duration(group, scale);
            }
        }
    }

    /// Whether statistics are cached.
    pub fn has_numbers(&self) -> bool {
        self.numbers.is_some()
    }

    /// Returns the distribution of one shape; `None` if there is no such shape.
    #[inline(never)]
    pub fn detail(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        (request, passing): (&ShapeDetailRequest, Option<&Bits>),
    ) -> Option<ShapeDetail> {
        let ShapeDetailRequest { shape, range, filter } = request;
        let (shape, range) = (*shape, *range);
        self.count(trace, queries, (range, filter, passing));
        let (groups, rows) = self.counted();
        let (group, row) = groups.get(shape as usize).zip(rows.get(shape as usize))?;
        let executions = Executions::new(trace, queries, self.member, (range, passing), false);
        let axis = axis(trace, range);
        let times: Vec<(u32, i64)> = executions.complete(group).collect();
        let mut bars = duration_bars(times.iter().map(|(_, time)| *time));
        let dots = executions.dots(&times, &mut bars, axis);
        let row = ShapeRow {
            title: title(trace, &self.texts, group.title, TITLE),
            dimension: group.dimension(),
            over_time: executions.over_time(group, axis),
            durations: Vec::new(),
            ..row.clone()
        };
        Some(ShapeDetail { row, text: title(trace, &self.texts, group.title, TEXT), bars, axis, dots })
    }

    /// Returns the steps on the critical paths of the complete executions of one shape; `None` if there is no such
    /// shape.
    #[inline(never)]
    pub fn path(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        children: &ChildSpans,
        (request, passing): (&ShapePathRequest, Option<&Bits>),
    ) -> Option<ShapePath> {
        self.group(trace, queries);
        let executions = Executions::new(trace, queries, self.member, (request.range, passing), false);
        let group = self.groups.as_deref()?.get(request.shape as usize)?;
        let mut paths = ShapePaths::new(trace, queries, children, request.range);
        for (member, _) in executions.complete(group) {
            paths.add(executions.span(member), &mut self.texts);
        }
        Some(paths.finish(&self.texts))
    }

    /// Returns a page of the executions of one shape.
    #[inline(never)]
    pub fn executions(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        (list, passing): (&ExecutionList, Option<&Bits>),
        (first, count): (u32, u32),
    ) -> ExecutionPage {
        self.group(trace, queries);
        let executions = Executions::new(trace, queries, self.member, (list.range, passing), false);
        let groups = self.groups.as_deref().unwrap_or_default();
        let Some(group) = groups.get(list.shape as usize) else { return ExecutionPage::default() };
        let is_shown = |member: &u32| {
            executions.is_inside(*member)
                && list.between.is_none_or(|(from, until)| {
                    executions.is_complete(*member) && (from..until).contains(&executions.duration(*member))
                })
        };
        let mut members: Vec<u32> = group.members.iter().copied().filter(is_shown).collect();
        sort::by_key(&mut members, |&member| match list.by_start {
            true => (executions.start(member), u64::from(member)),
            false => (!executions.duration(member), u64::from(member)),
        });
        if list.reversed {
            members.reverse();
        }
        let page = members.iter().skip(first as usize).take(count.min(MAX_ROWS) as usize);
        ExecutionPage {
            total: members.len() as u32,
            first,
            rows: page.map(|&member| executions.row(member)).collect(),
        }
    }

    fn counted(&self) -> (&[Group], &[ShapeRow]) {
        let rows = self.numbers.as_ref().map_or(&[][..], |(.., rows)| rows);
        (self.groups.as_deref().unwrap_or_default(), rows)
    }

    /// Groups the executions, once per trace.
    fn group(&mut self, trace: &Trace, queries: &Queries) {
        if self.groups.is_some() {
            return;
        }
        self.member = if queries.is_empty() { ShapeMember::Slice } else { ShapeMember::Query };
        self.groups = Some(match self.member {
            ShapeMember::Slice => slices(trace),
            ShapeMember::Query => {
                let statements = Statements::of(trace, queries, &mut self.texts);
                let texts = StatementTexts::new(trace);
                let group = |(shape, members): (u32, Vec<u32>)| {
                    let attributes =
                        members.iter().map(|&row| texts.attribute(Item::Span(queries.span(row))));
                    let attribute = attributes.reduce(StatementTexts::common_attribute);
                    Group { title: Title::Sql(shape), attribute, members }
                };
                statements.into_groups().map(group).collect()
            }
        });
    }

    /// Computes the statistics of all shapes in a time range and a filter, unless they are cached.
    fn count(&mut self, trace: &Trace, queries: &Queries, (range, filter, passing): ShapeSelection) {
        self.group(trace, queries);
        if self.numbers.as_ref().is_some_and(|(of, text, _)| *of == range && text == filter) {
            return;
        }
        let executions = Executions::new(trace, queries, self.member, (range, passing), true);
        let groups = self.groups.as_deref().unwrap_or_default();
        let bytes = self.bytes.get_or_insert_with(|| QueryBytes::of(trace, queries));
        let mut scratch = CountScratch::default();
        let rows =
            (0..).zip(groups).map(|(shape, group)| executions.count(shape, group, bytes, &mut scratch));
        self.numbers = Some((range, filter.to_owned(), rows.collect()));
    }

    fn order(&self, trace: &Trace, list: &ShapeList, rows: &mut Vec<&ShapeRow>) {
        let groups = self.groups.as_deref().unwrap_or_default();
        if list.sort == ShapeColumn::Shape {
            let title = |row: &ShapeRow| {
                groups.get(row.shape as usize).map(|group| title(trace, &self.texts, group.title, TITLE))
            };
            let mut titled: Vec<(Option<String>, &ShapeRow)> =
                rows.iter().map(|row| (title(row), *row)).collect();
            sort::by(&mut titled, |a, b| a.0.cmp(&b.0));
            rows.splice(.., titled.into_iter().map(|(_, row)| row));
        } else {
            let key = |row: &&ShapeRow| measure(row, list.sort).map_or((i64::MAX, 1), |value| (!value, 0));
            sort::by_key(rows, |row| (key(row).0, key(row).1 << 32 | u64::from(row.shape)));
        }
        if list.reversed {
            // Shapes without a value stay at the end.
            let known = rows
                .partition_point(|row| list.sort == ShapeColumn::Shape || measure(row, list.sort).is_some());
            rows[..known].reverse();
        }
    }
}

fn title(trace: &Trace, texts: &SqlShapes, title: Title, most: usize) -> String {
    match title {
        Title::Sql(shape) => text::shortened(texts.get(shape), most),
        Title::Slice(name, None) => text::shortened(trace.str(name), most),
        Title::Slice(name, Some(category)) => {
            text::shortened(&format!("{} ({})", trace.str(name), trace.str(category)), most)
        }
    }
}

/// Value of a shape in a column; `None` if it was not reported.
fn measure(row: &ShapeRow, column: ShapeColumn) -> Option<i64> {
    let times = row.times;
    match column {
        ShapeColumn::Shape => None,
        ShapeColumn::Count => Some(row.count.into()),
        ShapeColumn::Total => Some(row.total),
        ShapeColumn::Mean => times.map(|times| times.mean),
        ShapeColumn::P50 => times.map(|times| times.p50),
        ShapeColumn::P95 => times.map(|times| times.p95),
        ShapeColumn::P99 => times.map(|times| times.p99),
        ShapeColumn::Max => times.map(|times| times.max),
        ShapeColumn::SelfTime => Some(row.self_time),
        ShapeColumn::Rows => row.rows,
        ShapeColumn::Bytes => row.bytes,
        ShapeColumn::Failed => Some(row.failed.into()),
    }
}

/// Groups the spans of a trace without queries by name and category.
fn slices(trace: &Trace) -> Vec<Group> {
    let mut known: FxHashMap<Title, usize> = FxHashMap::default();
    let mut groups: Vec<Group> = Vec::new();
    for id in 0..trace.spans.len() as u32 {
        let span = SpanId(id);
        let title = Title::Slice(trace.spans.name(span), trace.text(Item::Span(span), key::CATEGORY));
        let at = *known.entry(title).or_insert_with(|| {
            groups.push(Group { title, attribute: None, members: Vec::new() });
            groups.len() - 1
        });
        groups[at].members.push(id);
    }
    groups
}
