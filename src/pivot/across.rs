//! [`Across`]: the values of one more dimension as columns of a table. A cell is the group of a row's points that have the
//! column's value: every measure of it is computed of these points.

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

/// Values that have a column each; all further values share one.
const MAX_VALUES: usize = 12;
/// The label of the columns of all points of a row.
pub(super) const ALL: &str = "all";

/// A column of a table: a measure of all points of a row, or of those in one column of values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AcrossColumn {
    /// What is computed.
    pub measure: Measure,
    /// Number of the column of values; `None` for all points of a row.
    pub across: Option<u32>,
}

/// The columns of values, and what is in their cells.
pub(super) struct Across {
    /// By the dimensions of the rows, then by the one across.
    finest: Rc<Aggregate>,
    /// The values with a column each, the one of points without a value last.
    values: Vec<AttributeValue>,
    /// How many values share the column after those.
    others: usize,
    /// By code of a value: its column.
    column_of: Vec<u32>,
    /// By number of row dimensions: groups by these and by column, made when a cell is first asked for.
    cells: Vec<OnceCell<Aggregate>>,
}

impl Across {
    /// The columns of an aggregate's last dimension: values with the largest amounts of a measure first.
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

    /// How many columns of values there are.
    pub fn len(&self) -> usize {
        self.values.len() + usize::from(self.others > 0)
    }

    fn cells(&self, depth: usize) -> &Aggregate {
        self.cells[depth].get_or_init(|| self.finest.by_columns(depth, &self.column_of))
    }

    /// A measure of those points of a row that are in a column. Where there are none, they are 0, and report nothing.
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

    /// The greatest amount in all cells of the rows by so many dimensions.
    pub fn most(&self, trace: &Trace, depth: usize, measure: Measure) -> i128 {
        let cells = self.cells(depth);
        (0..cells.len()).map(|cell| cells.amount(trace, cell, measure).order()).max().unwrap_or(0)
    }

    /// The column of points with a value.
    pub fn column_of(&self, trace: &Trace, value: &AttributeValue) -> u32 {
        let mut values = self.values.iter();
        values.position(|known| compare(trace, known, value).is_eq()).unwrap_or(self.values.len()) as u32
    }

    /// The columns of values, each with its label; that of all points comes last.
    pub fn columns(&self, trace: &Trace) -> Vec<(PivotColumn, String)> {
        let unit = self.finest.dimensions.last().map(|dimension| dimension.attribute.unit(trace));
        let label = |value: &AttributeValue| value.written(trace, unit.unwrap_or(Unit::Text));
        let values = self.values.iter().map(|value| (PivotColumn::Value(label(value)), label(value)));
        let others = (self.others > 0)
            .then(|| (PivotColumn::Others, format!("others ({})", text::count(self.others as i64))));
        values.chain(others).chain([(PivotColumn::All, ALL.to_owned())]).collect()
    }

    /// The number of a column of values that is named by its label or the label's hash; `None` for that of all points, and
    /// where there is no such column.
    pub fn find(&self, trace: &Trace, column: &PivotColumn) -> Option<u32> {
        let known = self.columns(trace);
        let at = known.iter().position(|(known, _)| match (known, column) {
            (PivotColumn::Value(label), PivotColumn::Value(asked)) => is_text(asked, label),
            _ => known == column,
        })?;
        (at < self.len()).then_some(at as u32)
    }

    /// The heads of columns with measures in one text: `value / measure`. A value with the label of
    /// another kind of column stands in quotes.
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
