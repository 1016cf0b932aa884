//! Search for findings in steps, each with at least one rule that has data.

use super::context::{FindingContext, FindingTables};
use super::rules::{RULES, Rule};
use super::thresholds::{ThresholdValues, listed};
use super::{RuleHit, finding, group, millionths, worst_first};
use crate::analysis::{FilteredItems, Queries, passes};
use crate::base::sort;
use crate::protocol::{FileReport, Finding, FindingGroup, FindingList, FindingsRequest};
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
    /// The rule of the last call of [`of_rule`](Self::of_rule).
    listed_rule: Option<ListedRule>,
}

/// All findings of one rule, so that longer lists of them need no search.
struct ListedRule {
    /// Index of the rule.
    rule: usize,
    /// Findings, worst first.
    hits: Vec<RuleHit>,
    tables: FindingTables,
}

impl FindingSearch {
    /// Starts a search for findings among the items that pass `filter`, which must be the filter of the request.
    /// `files` are the import reports of the trace.
    pub fn new(request: &FindingsRequest, filter: Option<FilteredItems>, files: Vec<FileReport>) -> Self {
        let list = FindingList { is_filtered: filter.is_some(), ..FindingList::default() };
        Self { request: request.clone(), filter, files, list, ..Self::default() }
    }

    /// Whether the search is for what this request asks for, in steps or not.
    pub fn is_for(&self, request: &FindingsRequest) -> bool {
        let FindingsRequest { range, thresholds, filter, in_steps: _ } = &self.request;
        *range == request.range && *thresholds == request.thresholds && *filter == request.filter
    }

    /// Applies the next rule for which the trace has data; returns whether there may be more.
    #[inline(never)]
    pub fn step(&mut self, trace: &Trace, queries: &Queries) -> bool {
        if self.next >= RULES.len() {
            return false;
        }
        let context = FindingContext::new(trace, queries, &self.files, self.request.range, &self.tables);
        let values = ThresholdValues::new(&self.request.thresholds);
        let found = RULES.iter().enumerate().skip(self.next).find(|(_, rule)| (rule.applies)(&context));
        if let Some((at, rule)) = found {
            let own = values.of(at);
            self.list.thresholds.extend(listed(rule, own));
            let hits = self.hits(&context, rule, own);
            if !hits.is_empty() {
                self.list.groups.push(group(&context, rule, own, hits));
            }
        }
        self.next = found.map_or(RULES.len(), |(at, _)| at + 1);
        self.list.rules_left = (RULES.len() - self.next) as u32;
        // The sort is stable: equal shares keep the order of the rules.
        let share = |group: &FindingGroup| group.shares.first().map_or(0, millionths);
        sort::by_key(&mut self.list.groups, |group| (-share(group), 0));
        if self.list.rules_left > 0 {
            return true;
        }
        self.list.errors = values
            .errors
            .into_iter()
            .map(|(error, used)| format!("{error} {used}").trim_end().to_owned())
            .collect();
        self.tables = FindingTables::default();
        false
    }

    /// Findings of a rule among the items that pass the filter, in any order.
    fn hits(&self, context: &FindingContext, rule: &Rule, values: &[i64]) -> Vec<RuleHit> {
        let mut hits = (rule.find)(context, values);
        if self.filter.is_some() {
            // Files and runs are not filtered.
            let passes = |item| passes(self.filter.as_ref(), context.trace, item);
            hits.retain(|hit| hit.item.is_some_and(passes));
        }
        hits
    }

    /// Returns the worst `count` findings of the rule with this key, worst first. Other rules are not applied.
    pub fn of_rule(&mut self, trace: &Trace, queries: &Queries, key: &str, count: usize) -> Vec<Finding> {
        let Some(rule) = RULES.iter().position(|rule| rule.key == key) else { return Vec::new() };
        let known = self.listed_rule.take().filter(|listed| listed.rule == rule);
        let listed = known.unwrap_or_else(|| self.apply(trace, queries, rule));
        let context = FindingContext::new(trace, queries, &self.files, self.request.range, &listed.tables);
        let worst = listed.hits.iter().take(count).map(|hit| finding(&context, &RULES[rule], hit)).collect();
        self.listed_rule = Some(listed);
        worst
    }

    /// All findings of the rule with this index; none if the trace has no data for it.
    fn apply(&self, trace: &Trace, queries: &Queries, rule: usize) -> ListedRule {
        let tables = FindingTables::default();
        let context = FindingContext::new(trace, queries, &self.files, self.request.range, &tables);
        let values = ThresholdValues::new(&self.request.thresholds);
        let mut hits = match (RULES[rule].applies)(&context) {
            true => self.hits(&context, &RULES[rule], values.of(rule)),
            false => Vec::new(),
        };
        worst_first(&mut hits);
        ListedRule { rule, hits, tables }
    }

    /// Applies one rule if none was applied yet, otherwise as many as before and one more, so that the first findings come
    /// early and all of them after few calls. Returns the findings so far.
    pub fn advance(&mut self, trace: &Trace, queries: &Queries) -> &FindingList {
        let end = 2 * self.next + 1;
        while self.next < end && self.step(trace, queries) {}
        &self.list
    }

    /// Applies all remaining rules and returns the findings.
    pub fn finish(&mut self, trace: &Trace, queries: &Queries) -> &FindingList {
        while self.step(trace, queries) {}
        &self.list
    }
}
