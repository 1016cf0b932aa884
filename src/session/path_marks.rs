//! Marks of a critical path on the bars of a view.

use super::Session;
use crate::analysis::{ChildSpans, Queries};
use crate::protocol::{PathMark, PathMarks, ViewSpec};
use crate::stats::{self, ParallelScope};
use crate::trace::{Item, SpanId};

/// Maximum number of marks of a critical path; in a larger number, single marks would be indistinguishable.
const MAX_MARKS: usize = 500;

impl Session {
    /// Marks of the critical path of an item on the bars that a view shows.
    pub(super) fn marks_of_path(&mut self, item: Item, view: &ViewSpec) -> PathMarks {
        if !stats::has_critical_path(&self.trace) {
            return PathMarks::default();
        }
        self.filter_view(view);
        let Self { trace, answers, scenes, .. } = self;
        let queries = answers.queries.get_or_insert_with(|| Queries::of(trace));
        let children = answers.children.get_or_insert_with(|| ChildSpans::of(trace));
        let scope = ParallelScope::of(trace, queries, None, Some(item));
        let (parts, more) = stats::path_parts(trace, queries, children, scope, MAX_MARKS);
        let mark = |(span, start, end): (SpanId, i64, i64)| {
            let shown = Some(Item::Span(span)).filter(|span| scenes.is_shown(*span))?;
            let place = scenes.locate(trace, view, shown, false)?;
            Some(PathMark { start, end, bottom: place.top + f64::from(place.height) })
        };
        PathMarks { marks: parts.into_iter().filter_map(mark).collect(), more }
    }
}
