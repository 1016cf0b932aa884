//! Search for findings in steps, one rule in each.

use super::context::{FindingContext, FindingTables};
use super::rules::RULES;
use super::thresholds::{ThresholdValues, listed};
use super::{group, millionths};
use crate::analysis::{FilteredItems, Queries, passes};
use crate::base::sort;
use crate::protocol::{FileReport, FindingGroup, FindingList, FindingsRequest};
use crate::trace::Trace;

/// Findings of a trace for one request, complete after the last [`step`](Self::step). All steps must be given the same trace.
#[derive(Default)]
pub struct FindingSearch {
    request: FindingsRequest,
    /// The items that pass the filter of the request; `None` if all pass.
    filter: Option<FilteredItems>,
    /// Import reports, for rules about files.
    files: Vec<FileReport>,
    /// Index of the next rule.
    next: usize,
    tables: FindingTables,
    list: FindingList,
}

impl FindingSearch {
    /// Starts a search for findings among the items that pass `filter`, which must be the filter of the request.
    /// `files` are the import reports of the trace.
    pub fn new(request: &FindingsRequest, filter: Option<FilteredItems>, files: Vec<FileReport>) -> Self {
        Self { request: request.clone(), filter, files, ..Self::default() }
    }

    /// Whether the search is for this request.
    pub fn is_for(&self, request: &FindingsRequest) -> bool {
        self.request == *request
    }

    /// Applies the next rule; returns whether there are more.
    #[inline(never)]
    pub fn step(&mut self, trace: &Trace, queries: &Queries) -> bool {
        let Some(rule) = RULES.get(self.next) else { return false };
        let context = FindingContext::new(trace, queries, &self.files, self.request.range, &self.tables);
        let values = ThresholdValues::new(&self.request.thresholds);
        if (rule.applies)(&context) {
            let own = values.of(self.next);
            self.list.thresholds.extend(listed(rule, own));
            let mut hits = (rule.find)(&context, own);
            if self.filter.is_some() {
                // Files and runs are not filtered.
                let passes = |item| passes(self.filter.as_ref(), trace, item);
                hits.retain(|hit| hit.item.is_some_and(passes));
            }
            if !hits.is_empty() {
                self.list.groups.push(group(&context, rule, own, hits));
            }
        }
        self.next += 1;
        if self.next < RULES.len() {
            return true;
        }
        self.list.errors = values
            .errors
            .into_iter()
            .map(|(error, used)| format!("{error} {used}").trim_end().to_owned())
            .collect();
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
