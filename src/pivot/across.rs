//! [`Across`]: the values of a further dimension as columns of a table. A cell is the group of the row's points that have
//! the column's value, so that every measure of a cell is computed from these points.

use std::cell::OnceCell;
use std::rc::Rc;

use super::aggregate::Aggregate;
use super::cell::{Amount, Function, Measure};
use super::projection::AttributeValue;
use super::tree::{TreeGroup, compare};
use crate::base::sort;
use crate::base::text;
use crate::protocol::PivotColumn;
use crate::trace::word_hash::is_text;
use crate::trace::{Trace, Unit};

/// Maximum number of values with a column each; all further values share one column.
const MAX_VALUES: usize = 12;
/// Label of the columns for all points of a row.
pub(super) const ALL: &str = "all";

/// A column of a table: a measure of all points of a row, or of the row's points in one value column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AcrossColumn {
    /// The measure that is computed.
    pub measure: Measure,
    /// Index of the value column; `None` for all points of a row.
    pub across: Option<u32>,
}

/// The value columns of a table and their cells.
pub(super) struct Across {
    /// The aggregate by the row dimensions and, last, the dimension across.
    finest: Rc<Aggregate>,
    /// The values with a column each; the column of points without a value comes last.
    values: Vec<AttributeValue>,
    /// Number of values that share the column after `values`.
    others: usize,
    /// By code of a value: its column index.
    column_of: Vec<u32>,
    /// `cells[n]`: the points grouped by the first n row dimensions and by value column; computed when first needed.
    cells: Vec<OnceCell<Aggregate>>,
}

impl Across {
    /// Makes columns of the last dimension's values, ordered by the measure `first`, largest first.
    #[inline(never)]
    pub fn of(trace: &Trace, finest: Rc<Aggregate>, first: Option<Measure>) -> Self {
        let depth = finest.dimensions.len().saturating_sub(1);
        let codes = finest.codes_of(depth);
        let by_value = finest.by_columns(0, &(0..codes).collect::<Vec<_>>());
        let value = |code: u32| finest.value_of(depth, code);
        let groups = 0..by_value.len();
        let mut found: Vec<(i128, u32)> = groups
            .map(|group| {
                let order = first.map_or(0, |first| by_value.amount(trace, group, first).order());
                (order, by_value.code(group, 0))
            })
            .collect();
        sort::by(&mut found, |a, b| b.0.cmp(&a.0).then_with(|| compare(trace, value(a.1), value(b.1))));
        let none = found
            .iter()
            .position(|(_, code)| *value(*code) == AttributeValue::None)
            .map(|at| found.remove(at));
        let others = found.len().saturating_sub(MAX_VALUES);
        let shown: Vec<u32> = found.iter().take(MAX_VALUES).chain(&none).map(|(_, code)| *code).collect();
        let mut column_of = vec![shown.len() as u32; codes as usize];
        (0..).zip(&shown).for_each(|(column, &code)| column_of[code as usize] = column);
        let values = shown.into_iter().map(|code| value(code).clone()).collect();
        let cells = (0..=depth).map(|_| OnceCell::new()).collect();
        Self { finest, values, others, column_of, cells }
    }

    /// Number of value columns.
    pub fn len(&self) -> usize {
        self.values.len() + usize::from(self.others > 0)
    }

    fn cells(&self, depth: usize) -> &Aggregate {
        self.cells[depth].get_or_init(|| self.finest.by_columns(depth, &self.column_of))
    }

    /// A measure of the row's points in a column. Without such points, counts are 0 and other measures have no value.
    pub fn amount(&self, trace: &Trace, (depth, group): TreeGroup, column: u32, measure: Measure) -> Amount {
        let cells = self.cells(depth);
        match cells.find_last(group as usize, column) {
            Some(cell) => cells.amount(trace, cell, measure),
            None => {
                let number = (measure.function == Function::Count).then_some(0);
                let unit = match measure.counts_points() {
                    true => Unit::Count,
                    false => measure.quantity.attribute().unit(trace),
                };
                Amount { number, unit }
            }
        }
    }

    /// The maximum amount over all cells of the rows by `depth` dimensions.
    pub fn most(&self, trace: &Trace, depth: usize, measure: Measure) -> i128 {
        let cells = self.cells(depth);
        (0..cells.len()).map(|cell| cells.amount(trace, cell, measure).order()).max().unwrap_or(0)
    }

    /// The column index of points with a value.
    pub fn column_of(&self, trace: &Trace, value: &AttributeValue) -> u32 {
        let mut values = self.values.iter();
        values.position(|known| compare(trace, known, value).is_eq()).unwrap_or(self.values.len()) as u32
    }

    /// All column groups, each with its label; the column group of all points comes last.
    pub fn columns(&self, trace: &Trace) -> Vec<(PivotColumn, String)> {
        let unit = self.finest.dimensions.last().map(|dimension| dimension.attribute.unit(trace));
        let label = |value: &AttributeValue| value.written(trace, unit.unwrap_or(Unit::Text));
        let values = self.values.iter().map(|value| (PivotColumn::Value(label(value)), label(value)));
        let others = (self.others > 0)
            .then(|| (PivotColumn::Others, format!("others ({})", text::count(self.others as i64))));
        values.chain(others).chain([(PivotColumn::All, ALL.to_owned())]).collect()
    }

    /// Index of the value column with this label or hash of a label; `None` for the column of all points, and for unknown
    /// columns.
    pub fn find(&self, trace: &Trace, column: &PivotColumn) -> Option<u32> {
        let known = self.columns(trace);
        let at = known.iter().position(|(known, _)| match (known, column) {
            (PivotColumn::Value(label), PivotColumn::Value(asked)) => is_text(asked, label),
            _ => known == column,
        })?;
        (at < self.len()).then_some(at as u32)
    }

    /// Headers that combine a column with a measure: `value / measure`. A value whose label equals the label of a special
    /// column (`all`, `others`) is quoted.
    pub fn heads(&self, trace: &Trace, measures: &[String]) -> Vec<String> {
        let mut heads = Vec::new();
        for (column, label) in self.columns(trace) {
            let is_taken = label == ALL || label.starts_with("others (");
            let is_quoted = matches!(column, PivotColumn::Value(_)) && is_taken;
            let label = if is_quoted { format!("“{label}”") } else { label };
            heads.extend(measures.iter().map(|measure| format!("{label} / {measure}")));
        }
        heads
    }
}
