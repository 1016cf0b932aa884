//! Comparisons of runs of one trace for the page: pages of groups, and one group with its distributions.

use std::rc::Rc;

use super::executions::{ChosenExecutions, ExecutionGroup, ExecutionSource};
use super::measures::narrowed;
use super::{
    ComparedGroup, DurationVerdict, GroupSamples, RankTest, RunComparison, RunMeasure, RunSide, RunsTable,
};
use crate::analysis::{duration_bars, percentile};
use crate::base::{FxHashMap, sort, text};
use crate::protocol::{
    ComparedBar, ComparedRunColumn, ComparedRunGroup, ComparedRunList, ComparedRunRow, ComparedRuns,
    ExampleExecution, GroupBy, RunComparisonSpec, RunSelection, SideConditions, SideExamples, SideTotals,
    TypicalChange,
};
use crate::trace::Item;
use crate::trace::word_hash::fnv_1a;

/// Maximum number of rows in a page.
pub(super) const MAX_ROWS: u32 = 10_000;
/// Maximum length of a title, in characters.
pub(super) const TITLE: usize = 400;
/// Maximum length of the text of a group, in characters.
const TEXT: usize = 20_000;
/// Number of cached sides: enough to change one of two sides back and forth.
const SIDES: usize = 4;
/// Number of cached comparisons: enough to swap the sides.
const COMPARISONS: usize = 2;

/// Number of each group of slices in the list of shapes, by text; `None` for a text that several shapes have.
pub(super) type SliceShapes = FxHashMap<String, Option<u32>>;

/// Cache of sides and comparisons of one trace, the most recently used last.
#[derive(Default)]
pub struct RunComparisons {
    sides: Vec<(SideKey, RunSide)>,
    comparisons: Vec<(RunComparisonSpec, Rc<RunComparison>)>,
    /// Numbers of the groups of slices; `None` until requested.
    slice_shapes: Option<SliceShapes>,
    /// The table of runs that was requested last, with its base, grouping and filter.
    pub(super) table: Option<((u32, GroupBy, String), Rc<RunsTable>)>,
}

/// The choices on which the executions of a side depend.
#[derive(Clone, PartialEq)]
pub(super) struct SideKey {
    pub selection: RunSelection,
    pub by: GroupBy,
    /// Text of the filter.
    pub filter: String,
}

impl RunComparisons {
    /// Returns a page of the groups of a comparison.
    pub fn page(
        &mut self,
        source: &ExecutionSource,
        list: &ComparedRunList,
        first: u32,
        count: u32,
    ) -> ComparedRuns {
        let comparison = self.comparison(source, &list.spec);
        let order = ordered(&comparison, list);
        let page = order.iter().skip(first as usize).take(count.min(MAX_ROWS) as usize);
        let page = page.filter_map(|&at| comparison.groups.get(at as usize));
        let rows = page.map(|group| self.row(source, list.spec.by, group)).collect();
        let n_groups = |of: fn(&ComparedGroup) -> bool| {
            comparison.groups.iter().filter(|group| of(group)).count() as u32
        };
        ComparedRuns {
            base: totals(&comparison.base, n_groups(|group| group.base.is_some())),
            new: totals(&comparison.new, n_groups(|group| group.new.is_some())),
            has_statements: comparison.base.has_statements || comparison.new.has_statements,
            is_filtered: source.is_filtered(),
            verdicts: VERDICTS
                .into_iter()
                .map(|verdict| (verdict, comparison.count(verdict) as u32))
                .filter(|(_, count)| *count > 0)
                .collect(),
            total: order.len() as u32,
            first,
            rows,
        }
    }

    /// Returns one group of a comparison; `None` if there is no such group.
    pub fn group(
        &mut self,
        source: &ExecutionSource,
        spec: &RunComparisonSpec,
        id: u64,
    ) -> Option<ComparedRunGroup> {
        let comparison = self.comparison(source, spec);
        let at = comparison.groups.iter().position(|group| group_id(&group.text) == id);
        let group = comparison.groups.get(at.or_else(|| usize::try_from(id).ok())?)?;
        let durations =
            [&group.base, &group.new].map(|side| side.as_ref().map_or(&[][..], |side| side.durations()));
        // A bar ends after its longest duration.
        let all = durations.into_iter().flatten().map(|&duration| duration.min(i64::MAX - 1));
        let bars = duration_bars(all).into_iter().map(|bar| {
            let count = |side: usize| {
                let below = |limit: i64| durations[side].partition_point(|&duration| duration < limit);
                // Durations below zero are in the first bar, the longest possible one in the last.
                let first = if bar.from <= 0 { 0 } else { below(bar.from) };
                let last = if bar.until == i64::MAX { durations[side].len() } else { below(bar.until) };
                last.saturating_sub(first) as u32
            };
            ComparedBar { from: bar.from, until: bar.until, base: count(0), new: count(1) }
        });
        Some(ComparedRunGroup {
            row: self.row(source, spec.by, group),
            is_filtered: source.is_filtered(),
            text: text::shortened(&group.text, TEXT),
            bars: bars.collect(),
            p: group.test.map(|_| group.corrected_p),
            base: examples(source, &spec.base, spec.by, group),
            new: examples(source, &spec.new, spec.by, group),
        })
    }

    fn row(&mut self, source: &ExecutionSource, by: GroupBy, group: &ComparedGroup) -> ComparedRunRow {
        let condition =
            |side: &Option<Rc<GroupSamples>>| side.as_ref().and_then(|side| side.condition(&group.text));
        ComparedRunRow {
            group: group_id(&group.text),
            title: text::shortened(&group.text, TITLE),
            base: group.base.as_ref().map(|side| side.measures()),
            new: group.new.as_ref().map(|side| side.measures()),
            verdict: group.verdict,
            change: group.test.map(change),
            conditions: SideConditions::of(condition(&group.base), condition(&group.new)),
            slices: self.slices(source, by, &group.text),
        }
    }

    /// Number of a group in the list of slices; `None` if the group is not in that list.
    pub(super) fn slices(&mut self, source: &ExecutionSource, by: GroupBy, text: &str) -> Option<u32> {
        if !matches!(by, GroupBy::Shape | GroupBy::Name) {
            return None;
        }
        let shapes = self.slice_shapes.get_or_insert_with(|| source.slice_shapes());
        shapes.get(text).copied().flatten()
    }

    fn comparison(&mut self, source: &ExecutionSource, spec: &RunComparisonSpec) -> Rc<RunComparison> {
        let comparison = match self.comparisons.iter().position(|(of, _)| of == spec) {
            Some(at) => self.comparisons.remove(at).1,
            None => {
                let key = |selection: &RunSelection| SideKey {
                    selection: selection.clone(),
                    by: spec.by,
                    filter: spec.filter.clone(),
                };
                let base = self.side(source, key(&spec.base));
                Rc::new(RunComparison::of(base, self.side(source, key(&spec.new))))
            }
        };
        if self.comparisons.len() >= COMPARISONS {
            self.comparisons.remove(0);
        }
        self.comparisons.push((spec.clone(), comparison.clone()));
        comparison
    }

    pub(super) fn side(&mut self, source: &ExecutionSource, key: SideKey) -> RunSide {
        let side = match self.sides.iter().position(|(of, _)| *of == key) {
            Some(at) => self.sides.remove(at).1,
            None => RunSide::collect(source, &ChosenExecutions::of(source.trace, &key.selection), key.by),
        };
        if self.sides.len() >= SIDES {
            self.sides.remove(0);
        }
        self.sides.push((key, side.clone()));
        side
    }
}

/// The verdicts in the order of the list.
const VERDICTS: [DurationVerdict; 6] = [
    DurationVerdict::Slower,
    DurationVerdict::Faster,
    DurationVerdict::New,
    DurationVerdict::Vanished,
    DurationVerdict::NoDifference,
    DurationVerdict::TooFew,
];

pub(super) fn totals(side: &RunSide, groups: u32) -> SideTotals {
    SideTotals {
        wall: narrowed(side.wall),
        all: side.all.measures(),
        groups,
        has_statements: side.has_statements,
    }
}

/// Hash of the text of a group. Among a million statements, hashes of 40 bits would not be unique.
pub(super) fn group_id(text: &str) -> u64 {
    fnv_1a(text.bytes())
}

pub(super) fn change(test: RankTest) -> TypicalChange {
    let (low, high) = test.interval;
    TypicalChange {
        ratio: test.ratio.map(|ratio| (ratio.median, ratio.interval.0, ratio.interval.1)),
        shift: (narrowed(test.shift), narrowed(low), narrowed(high)),
    }
}

/// Indices of the groups in the order of the list.
fn ordered(comparison: &RunComparison, list: &ComparedRunList) -> Vec<u32> {
    let mut order: Vec<u32> = (0..)
        .zip(&comparison.groups)
        .filter(|(_, group)| list.only.is_none_or(|verdict| group.verdict == verdict))
        .map(|(at, _)| at)
        .collect();
    if list.sort == ComparedRunColumn::Group {
        sort::by(&mut order, |&a, &b| {
            let title = |at: u32| comparison.groups.get(at as usize).map(|group| &group.text);
            title(a).cmp(&title(b))
        });
    } else {
        let keys = comparison.groups.iter().map(|group| key(group, list.sort));
        let keys: Vec<Option<i64>> = keys.collect();
        let key = |at: u32| keys.get(at as usize).copied().flatten();
        sort::by_key(&mut order, |&at| match key(at) {
            Some(key) => (!key, u64::from(at)),
            None => (i64::MAX, 1 << 32 | u64::from(at)),
        });
        if list.reversed {
            // Groups without a value stay at the end.
            let known = order.partition_point(|&at| key(at).is_some());
            order[..known].reverse();
        }
        return order;
    }
    if list.reversed {
        order.reverse();
    }
    order
}

/// Sort key of a group, the largest first; `None` for no value.
fn key(group: &ComparedGroup, column: ComparedRunColumn) -> Option<i64> {
    let difference = |measure: RunMeasure| {
        // A side without executions counts as zero; one that does not report the measure gives no difference.
        let value = |side: &Option<Rc<GroupSamples>>| match side {
            Some(side) => side.get(measure),
            None => Some(0),
        };
        Some(narrowed(value(&group.new)?.saturating_sub(value(&group.base)?)).saturating_abs())
    };
    match column {
        ComparedRunColumn::Group => None,
        ComparedRunColumn::Verdict => {
            let rank = VERDICTS.iter().position(|verdict| *verdict == group.verdict)?;
            Some((VERDICTS.len() - rank) as i64)
        }
        ComparedRunColumn::Count => difference(RunMeasure::Count),
        ComparedRunColumn::Total => group.values(RunMeasure::Total)[1].map(narrowed),
        ComparedRunColumn::Difference => difference(RunMeasure::Total),
        ComparedRunColumn::P50 => difference(RunMeasure::P50),
        ComparedRunColumn::P95 => difference(RunMeasure::P95),
        ComparedRunColumn::Change => {
            let ratio = group.test?.ratio?.median;
            Some((ratio.max(1e-9).ln().abs() * 1e9) as i64)
        }
        ComparedRunColumn::SelfTime => difference(RunMeasure::SelfTime),
        ComparedRunColumn::RowsRead => difference(RunMeasure::RowsRead),
        ComparedRunColumn::RowsReturned => difference(RunMeasure::RowsReturned),
        ComparedRunColumn::Bytes => difference(RunMeasure::Bytes),
        ComparedRunColumn::Failed => difference(RunMeasure::Errors),
    }
}

/// The median and the longest execution of a group on one side; `None` without complete executions.
fn examples(
    source: &ExecutionSource,
    selection: &RunSelection,
    by: GroupBy,
    group: &ComparedGroup,
) -> Option<SideExamples> {
    let mut is_own: FxHashMap<ExecutionGroup, bool> = FxHashMap::default();
    let mut found: Vec<(i64, u32)> = Vec::new();
    source.for_each(&ChosenExecutions::of(source.trace, selection), by, |of, execution| {
        let is_own = *is_own.entry(of).or_insert_with(|| *source.text(of) == *group.text);
        if let Some(duration) = source.duration(execution).filter(|_| is_own) {
            found.push((duration, Item::Span(source.span(execution)).code()));
        }
    });
    sort::by_key(&mut found, |&(duration, item)| (duration, u64::from(item)));
    let durations: Vec<i64> = found.iter().map(|(duration, _)| *duration).collect();
    let example = |percent: u8| {
        let duration = percentile::percentile_of_sorted(&durations, percent)?;
        let at = durations.partition_point(|&other| other < duration);
        Some(ExampleExecution { item: found.get(at)?.1, duration })
    };
    Some(SideExamples { median: example(50)?, longest: example(100)? })
}
