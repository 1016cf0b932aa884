//! Pages of the table that compares every run of a trace with one of them.

use std::rc::Rc;

use super::executions::ExecutionSource;
use super::pages::{MAX_ROWS, RunComparisons, SideKey, TITLE, change, group_id, totals};
use super::{ComparedGroup, DurationVerdict, RunMeasure, RunsRow, RunsTable};
use crate::base::{sort, text};
use crate::protocol::{
    RunSelection, RunTableCell, RunTableMeasure, RunTableOrder, RunTablePage, RunTableRequest, RunTableRow,
    RunTableRun,
};

impl RunComparisons {
    /// Returns a page of the table that compares every run with one of them.
    pub fn table_page(&mut self, source: &ExecutionSource, request: &RunTableRequest) -> RunTablePage {
        let n_runs = source.trace.runs.len() as u32;
        let (runs, not_shown) = shown(request.base, n_runs);
        let Some(table) = self.table(source, request, &runs) else { return RunTablePage::default() };
        let measure = measure(request.measure);
        let rows = ordered(&table, request, measure);
        let total = rows.len() as u32;
        let rows = rows.into_iter().skip(request.first as usize).take(request.count.min(MAX_ROWS) as usize);
        RunTablePage {
            runs: runs.iter().enumerate().map(|(at, &run)| header(&table, at, run)).collect(),
            not_shown,
            has_statements: table.sides().any(|side| side.has_statements),
            is_filtered: source.is_filtered(),
            tests: table.comparisons.first().map_or(0, |comparison| comparison.tested as u32),
            groups: table.rows.len() as u32,
            total,
            first: request.first,
            rows: rows
                .map(|of| RunTableRow {
                    slices: self.slices(source, request.by, &of.text),
                    ..row(&table, of, measure)
                })
                .collect(),
        }
    }

    /// The table of these runs, the base first; `None` without another run.
    fn table(
        &mut self,
        source: &ExecutionSource,
        request: &RunTableRequest,
        runs: &[u32],
    ) -> Option<Rc<RunsTable>> {
        let key = (request.base, request.by, request.filter.clone());
        if let Some((_, table)) = self.table.as_ref().filter(|(of, _)| *of == key) {
            return Some(table.clone());
        }
        let side = |&run: &u32| SideKey {
            selection: RunSelection { runs: vec![run], ..RunSelection::default() },
            by: request.by,
            filter: request.filter.clone(),
        };
        let (base, others) = runs.split_first().filter(|(_, others)| !others.is_empty())?;
        let base = self.side(source, side(base));
        let others = others.iter().map(|run| self.side(source, side(run))).collect();
        let table = Rc::new(RunsTable::of(&base, others));
        self.table = Some((key, table.clone()));
        Some(table)
    }
}

/// The runs of a table, the base first and then the others in the order of opening, and the number of further runs.
fn shown(base: u32, n: u32) -> (Vec<u32>, u32) {
    let base = if base < n { base } else { 0 };
    let others = (0..n).filter(|&run| run != base).take(RunTablePage::MOST - 1);
    let runs: Vec<u32> = std::iter::once(base).filter(|_| n > 0).chain(others).collect();
    let not_shown = n - runs.len() as u32;
    (runs, not_shown)
}

fn measure(measure: RunTableMeasure) -> RunMeasure {
    match measure {
        RunTableMeasure::Total => RunMeasure::Total,
        RunTableMeasure::P50 => RunMeasure::P50,
        RunTableMeasure::P95 => RunMeasure::P95,
        RunTableMeasure::Max => RunMeasure::Max,
        RunTableMeasure::SelfTime => RunMeasure::SelfTime,
    }
}

fn header(table: &RunsTable, at: usize, run: u32) -> RunTableRun {
    let n_groups = table.rows.iter().filter(|row| table.samples(row, at).is_some()).count() as u32;
    let comparison = at.checked_sub(1).and_then(|at| table.comparisons.get(at));
    let count = |verdict| comparison.map_or(0, |comparison| comparison.count(verdict) as u32);
    RunTableRun {
        run,
        totals: table.sides().nth(at).map(|side| totals(side, n_groups)).unwrap_or_default(),
        slower: count(DurationVerdict::Slower),
        faster: count(DurationVerdict::Faster),
    }
}

/// The rows of the request in its order; `measure` orders them if the request orders them by a run.
fn ordered<'a>(table: &'a RunsTable, request: &RunTableRequest, measure: RunMeasure) -> Vec<&'a RunsRow> {
    let is_wanted = |row: &&RunsRow| {
        request.only.is_none_or(|(at, verdict)| {
            let compared = (at as usize).checked_sub(1).and_then(|other| compared(table, row, other));
            compared.is_some_and(|compared| compared.verdict == verdict)
        })
    };
    let mut rows: Vec<&RunsRow> = table.rows.iter().filter(is_wanted).collect();
    match request.sort {
        RunTableOrder::Difference => {}
        RunTableOrder::Group => sort::by(&mut rows, |a, b| a.text.cmp(&b.text)),
        RunTableOrder::Run(at) => {
            let value = |row: &RunsRow| table.samples(row, at as usize).and_then(|of| of.get(measure));
            sort::by(&mut rows, |a, b| value(b).cmp(&value(a)).then_with(|| a.text.cmp(&b.text)));
            if request.reversed {
                let known = rows.partition_point(|row| value(row).is_some());
                rows[..known].reverse();
            }
            return rows;
        }
    }
    if request.reversed {
        rows.reverse();
    }
    rows
}

/// The comparison of a row's group with the base, in the run at the index `other` among those that are not the base.
fn compared<'a>(table: &'a RunsTable, row: &RunsRow, other: usize) -> Option<&'a ComparedGroup> {
    let group = row.groups.get(other).copied().flatten()?;
    table.comparisons.get(other)?.groups.get(group)
}

fn row(table: &RunsTable, row: &RunsRow, measure: RunMeasure) -> RunTableRow {
    let ranks = table.ranks(row, measure);
    let cell = |(at, rank)| {
        let measures = table.samples(row, at).map(|samples| samples.measures());
        let Some(other) = at.checked_sub(1) else {
            return RunTableCell { measures, rank, ..RunTableCell::default() };
        };
        let group = row.groups.get(other).copied().flatten();
        let compared = compared(table, row, other);
        RunTableCell {
            measures,
            group: group.map(|_| group_id(&row.text)),
            verdict: compared.map(|compared| compared.verdict),
            change: compared.and_then(|compared| compared.test).map(change),
            rank,
        }
    };
    RunTableRow {
        title: text::shortened(&row.text, TITLE),
        base_condition: table.samples(row, 0).and_then(|base| base.condition(&row.text)),
        slices: None,
        cells: ranks.into_iter().enumerate().map(cell).collect(),
    }
}
