//! Source executions grouped by connector, datasource, command type, shape of the pushed command and run: sums,
//! percentiles, filtering efficiency, and the executions of one group.

mod executions;

use super::DatasourceSum;
use crate::analysis::{FilteredItems, Queries, SqlShapes, Sum, is_source_call};
use crate::base::{FxHashMap, sort, text};
use crate::protocol::{
    SourceColumn, SourceDimension, SourceExecutionList, SourceExecutionPage, SourceList, SourcePage,
    SourceRow,
};
use crate::trace::{Item, Kind, RunId, SpanId, StrId, Trace, key};
use executions::SourceExecutions;

/// Maximum number of rows in a page.
const MAX_ROWS: u32 = 10_000;
/// Maximum length of a name, in characters.
const NAME: usize = 400;

/// Value per dimension: id of a text, of a shape in [`SqlShapes`], or of a run. `None` if not reported or not in the grouping.
type GroupKey = [Option<u32>; SourceDimension::ALL.len()];

/// Executions with the same attributes, in the order of the trace.
struct SourceGroup {
    key: GroupKey,
    members: Vec<SpanId>,
}

/// The executions of a trace, with cached groups and statistics for the grouping and time range of the last request.
#[derive(Default)]
pub struct Sources {
    shapes: SqlShapes,
    grouped: Option<(Vec<SourceDimension>, Vec<SourceGroup>)>,
    numbers: Option<RangeRows>,
}

/// A time range, a filter, and the statistics of each group in them.
type RangeRows = (Option<(i64, i64)>, String, Vec<SourceRow>);
/// A time range, the text of a filter, and the spans and events that pass the filter; `None` if all pass.
type SourceSelection<'a> = (Option<(i64, i64)>, &'a str, Option<&'a FilteredItems>);

impl Sources {
    /// Returns a page of the list of groups.
    #[inline(never)]
    pub fn page(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        (list, filter): (&SourceList, Option<&FilteredItems>),
        first: u32,
        count: u32,
    ) -> SourcePage {
        self.count(trace, queries, &list.by, (list.range, &list.filter, filter));
        let rows = self.rows();
        let mut shown: Vec<&SourceRow> =
            rows.iter().filter(|row| row.executions + row.unfinished > 0).collect();
        self.order(trace, list, &mut shown);
        let mut time = Sum::default();
        shown.iter().for_each(|row| time.add(Some(row.total)));
        let page = shown.iter().skip(first as usize).take(count.min(MAX_ROWS) as usize);
        SourcePage {
            total: shown.len() as u32,
            executions: shown.iter().map(|row| u64::from(row.executions)).sum(),
            unfinished: shown.iter().map(|row| u64::from(row.unfinished)).sum(),
            time: time.or_zero(),
            first,
            rows: page.map(|row| self.named(trace, row)).collect(),
        }
    }

    /// Returns a page of the executions of one group.
    #[inline(never)]
    pub fn executions(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        (list, filter): (&SourceExecutionList, Option<&FilteredItems>),
        (first, count): (u32, u32),
    ) -> SourceExecutionPage {
        self.count(trace, queries, &list.by, (list.range, &list.filter, filter));
        let groups = self.grouped.as_ref().map_or(&[][..], |(_, groups)| groups);
        let Some((group, row)) = groups.get(list.group as usize).zip(self.rows().get(list.group as usize))
        else {
            return SourceExecutionPage { first, ..SourceExecutionPage::default() };
        };
        let executions = SourceExecutions::new(trace, queries, list.range, filter);
        let members = executions.ordered(&group.members, list);
        let page = members.iter().skip(first as usize).take(count.min(MAX_ROWS) as usize);
        SourceExecutionPage {
            group: Some(self.named(trace, row)),
            total: members.len() as u32,
            first,
            rows: page.map(|&member| executions.row(member)).collect(),
        }
    }

    /// Whether statistics are cached.
    pub fn has_numbers(&self) -> bool {
        self.numbers.is_some()
    }

    fn rows(&self) -> &[SourceRow] {
        self.numbers.as_ref().map_or(&[], |(.., rows)| rows)
    }

    /// Computes the statistics of all groups in a time range under a filter, unless they are cached.
    fn count(
        &mut self,
        trace: &Trace,
        queries: &Queries,
        by: &[SourceDimension],
        (range, text, filter): SourceSelection,
    ) {
        if self.grouped.as_ref().is_none_or(|(of, _)| of != by) {
            self.grouped = Some((by.to_vec(), self.group(trace, by)));
            self.numbers = None;
        }
        if self.numbers.as_ref().is_some_and(|(of, known, _)| *of == range && known == text) {
            return;
        }
        let executions = SourceExecutions::new(trace, queries, range, filter);
        let groups = self.grouped.as_ref().map_or(&[][..], |(_, groups)| groups);
        let mut scratch = Vec::new();
        let row = |(at, group): (u32, &SourceGroup)| executions.count(at, &group.members, &mut scratch);
        self.numbers = Some((range, text.to_owned(), (0..).zip(groups).map(row).collect()));
    }

    /// Groups the executions, numbered in the order of their first executions.
    fn group(&mut self, trace: &Trace, by: &[SourceDimension]) -> Vec<SourceGroup> {
        let mut known: FxHashMap<GroupKey, usize> = FxHashMap::default();
        let mut groups: Vec<SourceGroup> = Vec::new();
        for id in (0..trace.spans.len() as u32).map(SpanId) {
            if trace.spans.kind(id) != Kind::Execution {
                continue;
            }
            let mut key = GroupKey::default();
            for &dimension in by {
                key[dimension as usize] = self.value(trace, id, dimension);
            }
            let at = *known.entry(key).or_insert_with(|| {
                groups.push(SourceGroup { key, members: Vec::new() });
                groups.len() - 1
            });
            groups[at].members.push(id);
        }
        groups
    }

    /// Value of an execution in one dimension, as in a [`GroupKey`].
    fn value(&mut self, trace: &Trace, id: SpanId, dimension: SourceDimension) -> Option<u32> {
        let item = Item::Span(id);
        let key = match dimension {
            SourceDimension::Connector => key::CONNECTOR,
            SourceDimension::Datasource => key::DATASOURCE,
            SourceDimension::CommandType => key::COMMAND_TYPE,
            SourceDimension::CommandShape => {
                let command = trace.inherited_text(item, key::COMMAND)?;
                return Some(self.shapes.of(trace, command));
            }
            SourceDimension::Run => return Some(trace.run_of(trace.track_of(item)).0),
        };
        trace.inherited_text(item, key).map(|text| text.0)
    }

    /// Name of a group in one dimension, not shortened; `None` if the executions do not report it.
    fn name<'a>(&'a self, trace: &'a Trace, group: u32, dimension: SourceDimension) -> Option<&'a str> {
        let (_, groups) = self.grouped.as_ref()?;
        let value = groups.get(group as usize)?.key[dimension as usize]?;
        Some(match dimension {
            SourceDimension::CommandShape => self.shapes.get(value),
            SourceDimension::Run => trace.run_name(RunId(value)),
            _ => trace.str(StrId(value)),
        })
    }

    fn named(&self, trace: &Trace, row: &SourceRow) -> SourceRow {
        let by = self.grouped.as_ref().map_or(&[][..], |(by, _)| by);
        let name = |&dimension: &SourceDimension| {
            self.name(trace, row.group, dimension).map(|name| text::shortened(name, NAME))
        };
        SourceRow { names: by.iter().map(name).collect(), ..row.clone() }
    }

    /// Sorts the rows; rows without a value are last in both directions.
    fn order(&self, trace: &Trace, list: &SourceList, rows: &mut Vec<&SourceRow>) {
        let is_known = |row: &SourceRow| match list.sort {
            SourceColumn::Name(dimension) => self.name(trace, row.group, dimension).is_some(),
            sort => measure(row, sort).is_some(),
        };
        if let SourceColumn::Name(dimension) = list.sort {
            let mut named: Vec<_> =
                rows.iter().map(|row| (self.name(trace, row.group, dimension), *row)).collect();
            sort::by(&mut named, |a, b| (a.0.is_none(), a.0).cmp(&(b.0.is_none(), b.0)));
            rows.splice(.., named.into_iter().map(|(_, row)| row));
        } else {
            let key = |row: &&SourceRow| measure(row, list.sort).map_or((i64::MAX, 1), |value| (!value, 0));
            sort::by_key(rows, |row| (key(row).0, key(row).1 << 32 | u64::from(row.group)));
        }
        if list.reversed {
            let known = rows.partition_point(|row| is_known(row));
            rows[..known].reverse();
        }
    }
}

/// Value of a group in a column, for sorting; `None` if there is none.
fn measure(row: &SourceRow, column: SourceColumn) -> Option<i64> {
    let times = row.times;
    match column {
        SourceColumn::Name(_) => None,
        SourceColumn::Executions => Some(row.executions.into()),
        SourceColumn::Total => Some(row.total),
        SourceColumn::P50 => times.map(|times| times.p50),
        SourceColumn::P95 => times.map(|times| times.p95),
        SourceColumn::Max => times.map(|times| times.max),
        SourceColumn::Reading => row.reading.map(bits),
        SourceColumn::RowsRead => row.rows_read,
        SourceColumn::RowsReturned => row.rows_returned,
        SourceColumn::OverFetch => row.over_fetch.map(bits),
        SourceColumn::RowRate => row.row_rate.map(bits),
        SourceColumn::Failed => Some(row.failed.into()),
    }
}

/// Sort key of a ratio: integers in the order of the ratios; negative ratios count as 0.
fn bits(ratio: f64) -> i64 {
    ratio.max(0.0).to_bits().cast_signed()
}

#[cfg(test)]
mod tests;
