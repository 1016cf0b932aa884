//! Summaries of items, time ranges and areas, to look at and to paste into an issue.

use super::Session;
use super::handlers::known;
use crate::protocol::{AreaNameList, AreaSpec, IssueTextRequest, RangeRequest, RangeSummary};
use crate::stats::{self, NAMES_IN_ISSUE};

impl Session {
    /// Sums of a time range.
    pub(super) fn range_summary(&mut self, request: &RangeRequest) -> RangeSummary {
        let filter = self.answers.filtered(&self.trace, &request.filter);
        stats::range(&self.trace, (request.start, request.end), filter.as_ref())
    }

    /// A summary as Markdown; `None` if the trace does not have the item.
    #[inline(never)]
    pub(super) fn write_issue_text(&mut self, request: &IssueTextRequest) -> Option<String> {
        let problems =
            self.report().iter().flat_map(|file| &file.problems).map(|problem| problem.count).sum();
        Some(match request {
            IssueTextRequest::Item(code) => {
                let item = known(&self.trace, *code)?;
                stats::issue_of_item(&self.trace, self.answers.queries(&self.trace), item, problems)
            }
            IssueTextRequest::Range(range) => {
                stats::issue_of_range(&self.range_summary(range), &range.filter, problems)
            }
            IssueTextRequest::Area(spec) => self.area_issue_text(spec, problems),
        })
    }

    fn area_issue_text(&mut self, spec: &AreaSpec, problems: u64) -> String {
        let (areas, mut scope) = self.areas(spec);
        let area = areas.area(&mut scope, spec);
        let list = AreaNameList { area: spec.clone(), ..AreaNameList::default() };
        let names = areas.names(&mut scope, &list, (0, NAMES_IN_ISSUE));
        stats::issue_of_area((scope.trace, &scope.tracks), spec, (&area, &names), problems)
    }
}
