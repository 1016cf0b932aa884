//! The filter of all views: what it leaves of the trace, and what merged flame graphs count.

use super::Session;
use crate::protocol::{MergedSpec, SceneBytes, SceneRequest, ViewKind, ViewSpec};
use crate::trace::{EventId, Item, Kind, SpanId, Trace, overlaps};

impl Session {
    /// By span, then by event, of those that overlap a time range: whether it matches a filter. All match a filter that is not
    /// valid.
    pub fn matching(&mut self, filter: &str, range: Option<(i64, i64)>) -> Vec<bool> {
        let points = self.answers.matching(&self.trace, filter);
        let rows = (0..).zip(all_items(&self.trace));
        let is_inside = |item| {
            let (start, end) = self.trace.interval(item);
            range.is_none_or(|range| overlaps(start, end, range))
        };
        let rows = rows.filter(|(_, item)| is_inside(*item));
        rows.map(|(row, _)| points.is_none_or(|points| points.contains(row))).collect()
    }

    /// Reduces the trace to what passes a filter: queries as in the query list, other spans and events if they match or have a
    /// match around them, and the spans around them that are no queries. A filter that is not valid changes nothing.
    pub fn keep(&mut self, filter: &str) {
        let Some(items) = self.answers.filtered(&self.trace, filter) else { return };
        let trace = &self.trace;
        let mut kept: Vec<bool> = all_items(trace).map(|item| items.contains(trace, item)).collect();
        // Backwards, so that an ancestor that is kept keeps its own ancestors.
        for (row, item) in (0..kept.len()).rev().zip(all_items(trace).rev()) {
            let parent = trace.parent(item).filter(|id| kept[row] && trace.spans.kind(*id) != Kind::Query);
            if let Some(parent) = parent.and_then(|id| kept.get_mut(id.0 as usize)) {
                *parent = true;
            }
        }
        self.forget();
        self.trace = std::mem::take(&mut self.trace).keep_items(kept);
    }

    /// The scene of a view. What does not pass the filter is dimmed, or is not counted by a merged flame graph.
    pub(super) fn filtered_scene(&mut self, request: &SceneRequest) -> SceneBytes {
        self.filter_frames(&request.view);
        let Self { trace, scenes, answers, result, .. } = self;
        // Frames of a merged flame graph are no items.
        let is_merged = matches!(request.view.kind, ViewKind::FlameMerged(_));
        let hits = answers.highlighted(trace, if is_merged { "" } else { &request.filter });
        let mut scene = scenes.scene(trace, &request.view, &request.viewport, hits);
        result.append_to(&mut scene, request);
        SceneBytes(scene.to_bytes())
    }

    /// Prepares the frames of a view, if it is a merged flame graph, for its filter.
    pub(super) fn filter_frames(&mut self, view: &ViewSpec) {
        if let ViewKind::FlameMerged(merged) = &view.kind {
            self.filter_merged(merged);
        }
    }

    /// Prepares the frames of a merged flame graph for its filter.
    pub(super) fn filter_merged(&mut self, merged: &MergedSpec) {
        let filter = self.answers.filtered(&self.trace, &merged.filter);
        self.scenes.filter_frames(filter);
    }
}

/// All spans of a trace, then all events.
fn all_items(trace: &Trace) -> impl DoubleEndedIterator<Item = Item> + use<> {
    let spans = (0..trace.spans.len() as u32).map(|id| Item::Span(SpanId(id)));
    spans.chain((0..trace.events.len() as u32).map(|id| Item::Event(EventId(id))))
}
