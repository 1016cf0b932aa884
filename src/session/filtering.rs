//! Applies the filter of all views to the trace, to scenes and to merged flame graphs.

use super::Session;
#[cfg(feature = "export")]
use crate::analysis::FilteredItems;
use crate::protocol::{MergedSpec, SceneBytes, SceneRequest, ViewFilter, ViewKind, ViewSpec, Viewport};
use crate::trace::{EventId, Item, Kind, SpanId, Trace, overlaps};
use crate::view::Scene;

impl Session {
    /// For each span, then each event, that overlaps a time range: whether it matches a filter. If the filter is not
    /// valid, all match.
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

    /// Reduces the trace to the items that pass a filter: queries as in the query list, other spans and events if they
    /// or a span around them match, and the spans around these items that are not queries. An empty or invalid filter
    /// changes nothing.
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

    /// What passes a filter in the trace, or in the trace as [`cut_to`](Self::cut_to) cuts it to `range`, for comparisons of runs. The
    /// filter tests whole spans and events. `None` if it is empty or not valid.
    #[cfg(feature = "export")]
    pub fn filtered_items(&mut self, filter: &str, range: Option<(i64, i64)>) -> Option<FilteredItems> {
        let items = self.answers.filtered(&self.trace, filter)?;
        Some(match range {
            Some(range) => items.cut_to(&self.trace, range),
            None => items,
        })
    }

    pub(super) fn scene_bytes(&mut self, request: &SceneRequest) -> SceneBytes {
        let mut scene = self.filtered_scene(&request.view, &request.viewport);
        self.result.append_to(&mut scene, request);
        SceneBytes(scene.to_bytes())
    }

    /// The scene of a view. Items that do not pass the filter are dimmed or hidden; a merged flame graph leaves them out.
    pub(super) fn filtered_scene(&mut self, view: &ViewSpec, viewport: &Viewport) -> Scene {
        self.filter_view(view);
        let Self { trace, scenes, answers, .. } = self;
        let hits = answers.highlighted(trace, items_filter(view));
        scenes.scene(trace, view, viewport, hits)
    }

    /// Sets what the filter of a view leaves of it, for its next scene, positions and arrows.
    pub(super) fn filter_view(&mut self, view: &ViewSpec) {
        let Self { trace, scenes, answers, .. } = self;
        scenes.show_only(answers.shown(trace, items_filter(view).hiding()));
        if let ViewKind::FlameMerged(merged) = &view.kind {
            self.filter_merged(merged);
        }
    }

    /// Sets the filter for the next frames of a merged flame graph.
    pub(super) fn filter_merged(&mut self, merged: &MergedSpec) {
        let filter = self.answers.filtered(&self.trace, &merged.filter);
        self.scenes.filter_frames(filter);
    }
}

/// The filter of the spans and events of a view. Frames of a merged flame graph are no items, and comparisons show all.
fn items_filter(view: &ViewSpec) -> &ViewFilter {
    const NONE: &ViewFilter = &ViewFilter { text: String::new(), hides: false };
    let is_filtered = !matches!(view.kind, ViewKind::FlameMerged(_) | ViewKind::SideBySide { .. });
    if is_filtered { &view.filter } else { NONE }
}

/// All spans of a trace, then all events.
fn all_items(trace: &Trace) -> impl DoubleEndedIterator<Item = Item> + use<> {
    let spans = (0..trace.spans.len() as u32).map(|id| Item::Span(SpanId(id)));
    spans.chain((0..trace.events.len() as u32).map(|id| Item::Event(EventId(id))))
}
