//! Search for findings in steps, one rule in each.

use super::context::{FindingContext, FindingTables};
use super::rules::RULES;
use super::thresholds::{ThresholdValues, listed};
use super::{group, millionths};
use crate::analysis::Queries;
use crate::base::sort;
use crate::protocol::{ChangedThreshold, FileReport, FindingGroup, FindingList};
use crate::trace::Trace;

/// Findings of a trace in one time range with one set of thresholds, complete after the last [`step`](Self::step). All steps must
/// be given the same trace.
pub struct FindingSearch {
    range: Option<(i64, i64)>,
    changed: Vec<ChangedThreshold>,
    /// Import reports, for rules about files.
    files: Vec<FileReport>,
    /// Index of the next rule.
    next: usize,
    tables: FindingTables,
    list: FindingList,
}

impl FindingSearch {
    /// Starts a search in a time range, or in the whole trace for `None`. `files` are the import reports of the trace.
    pub fn new(range: Option<(i64, i64)>, changed: &[ChangedThreshold], files: Vec<FileReport>) -> Self {
        let (tables, list) = (FindingTables::default(), FindingList::default());
        Self { range, changed: changed.to_vec(), files, next: 0, tables, list }
    }

    /// Whether the search is for this range and these thresholds.
    pub fn is_for(&self, range: Option<(i64, i64)>, changed: &[ChangedThreshold]) -> bool {
        self.range == range && self.changed == changed
    }

    /// Applies the next rule; returns whether there are more.
    #[inline(never)]
    pub fn step(&mut self, trace: &Trace, queries: &Queries) -> bool {
        let Some(rule) = RULES.get(self.next) else { return false };
        let context = FindingContext::new(trace, queries, &self.files, self.range, &self.tables);
        let values = ThresholdValues::new(&self.changed);
        if (rule.applies)(&context) {
            let own = values.of(self.next);
            self.list.thresholds.extend(listed(rule, own));
            let hits = (rule.find)(&context, own);
            if !hits.is_empty() {
                self.list.groups.push(group(&context, rule, own, hits));
            }
        }
        self.next += 1;
        if self.next < RULES.len() {
            return true;
        }
        self.list.errors = values.errors;
        // The sort is stable: equal shares keep the order of the rules.
        let share = |group: &FindingGroup| group.shares.first().map_or(0, millionths);
        sort::by_key(&mut self.list.groups, |group| (-share(group), 0));
        self.tables = FindingTables::default();
        false
    }

    /// Applies all remaining rules and returns the findings.
    pub fn finish(&mut self, trace: &Trace, queries: &Queries) -> &FindingList {
        while self.step(trace, queries) {}
        &self.list
    }
}
