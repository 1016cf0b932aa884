//! The executions with which a comparison of two executions begins if the user chose the sides of a comparison of runs.

use std::cmp::Reverse;

use crate::analysis::{Queries, Statement, Statements};
use crate::protocol::RunSelection;

/// Sides from which those compared executions are taken that the user did not choose.
pub struct PreferredSides<'a> {
    pub queries: &'a Queries,
    /// Base and new of the comparison of runs; `None` if the user chose neither.
    pub sides: Option<&'a [RunSelection; 2]>,
}

impl PreferredSides<'_> {
    fn is_on(&self, side: &RunSelection, row: u32) -> bool {
        let has_run = side.runs.is_empty() || side.runs.contains(&self.queries.run(row).0);
        has_run && side.has_start(self.queries.interval(row).0)
    }

    /// Whether an execution is on one of the sides; `true` if the user chose neither.
    pub fn includes(&self, row: u32) -> bool {
        self.sides.is_none_or(|sides| sides.iter().any(|side| self.is_on(side, row)))
    }

    /// The executions, those on one of the sides first.
    pub fn ordered(&self, rows: &[u32]) -> Vec<u32> {
        let (mut first, rest): (Vec<u32>, Vec<u32>) = rows.iter().partition(|&&row| self.includes(row));
        first.extend(rest);
        first
    }

    /// The longest execution on the new side, or of all if none is on it.
    pub fn longest(&self, rows: &[u32]) -> Option<u32> {
        let is_new = |row: u32| self.sides.is_some_and(|[_, new]| self.is_on(new, row));
        rows.iter().copied().max_by_key(|&row| (is_new(row), self.queries.duration(row), Reverse(row)))
    }

    /// The new execution if the user selected `row`, one of `executions` of a statement: `row` itself on the new side; for one on the base,
    /// the longest execution on the new side. `None` if there is none, or `row` is on neither side.
    pub fn new_for(&self, row: u32, executions: &[u32]) -> Option<u32> {
        let Some([base, new]) = self.sides else { return Some(row) };
        if self.is_on(new, row) {
            return Some(row);
        }
        self.longest(executions).filter(|&longest| self.is_on(base, row) && self.is_on(new, longest))
    }

    /// The longest execution on the new side of the statement with the most total time, among the statements that both sides executed
    /// or, if there are none, those that the new side did. `None` without sides, or if no execution is on the new side.
    pub fn first(&self, statements: &Statements) -> Option<u32> {
        let [base, new] = self.sides?;
        let has = |of: &Statement, side: &RunSelection| of.rows.iter().any(|&row| self.is_on(side, row));
        let on_both = statements.largest().find(|of| of.rows.len() > 1 && has(of, base) && has(of, new));
        let statement = on_both.or_else(|| statements.largest().find(|of| has(of, new)))?;
        self.longest(&statement.rows)
    }

    /// Restricts `rows` to the side with which the execution `a` is compared: the base, or the new side if `a` is on the base only.
    /// Returns `false` and keeps all rows if none is on that side.
    pub fn keep_opposite(&self, a: u32, rows: &mut Vec<u32>) -> bool {
        let Some([base, new]) = self.sides else { return false };
        let opposite = if self.is_on(base, a) && !self.is_on(new, a) { new } else { base };
        let has_any = rows.iter().any(|&row| self.is_on(opposite, row));
        if has_any {
            rows.retain(|&row| self.is_on(opposite, row));
        }
        has_any
    }
}
