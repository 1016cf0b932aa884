//! The selected area of the timeline: a time range of several tracks, selected with Shift and the pointer, or by keys.

use std::ops::Range;

use queryscope::internal::view::{Fold, Scene, Transform};
use queryscope::protocol::{AreaRequest, AreaTrack, AreaTracksRequest, ItemTrackRequest};
use yew::prelude::*;

use super::pointer::Gesture;
use super::requests::TimelineAnswer;
use super::{Axis, Timeline};
use crate::canvas::shapes::outline;
use crate::canvas::{CanvasTheme, Surface};
use crate::state::{Action, MOST_PICKED, Tab};
use crate::words;

/// Distance in CSS pixels within which an edge of an area or range snaps to the edge of a bar.
const SNAP: f64 = 5.0;

/// An area while it is being dragged.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct AreaDrag {
    /// Time at which the drag began, and time at the pointer.
    pub from: i64,
    pub to: i64,
    /// Heights at which the drag began, in CSS pixels from the top of the content, and at the pointer.
    pub top: f64,
    pub bottom: f64,
}

impl AreaDrag {
    /// Start and end, in nanoseconds.
    pub fn range(&self) -> (i64, i64) {
        (self.from.min(self.to), self.from.max(self.to))
    }
}

impl Timeline {
    /// Adds an item to the gathered items, or removes it from them, and announces their number to screen readers.
    pub(super) fn pick(&self, ctx: &Context<Self>, item: Option<u32>) {
        let (dispatch, nav) = (&ctx.props().dispatch, &ctx.props().state.nav);
        let Some(item) = item else { return };
        let mut after = nav.clone();
        after.pick(item);
        dispatch.dispatch(Action::Pick(item));
        let text = if after.picked == nav.picked {
            words::area::full(MOST_PICKED)
        } else {
            words::area::gathered(after.picked.len())
        };
        dispatch.dispatch(Action::Announce(text));
    }

    /// Whether areas can be selected: on the rows of the Gantt view.
    pub(super) fn has_areas(&self, ctx: &Context<Self>) -> bool {
        ctx.props().state.nav.tab == Tab::Gantt && self.axis(ctx) == Axis::Time
    }

    /// Time of the trace at a horizontal position (CSS pixels), in nanoseconds. It snaps to the nearest edge of a bar within [`SNAP`] pixels.
    pub(super) fn snapped(&self, ctx: &Context<Self>, x: f64) -> i64 {
        let view = &self.time.view;
        let x = x.clamp(0.0, f64::from(view.width));
        // Rounding, and a view wider than the trace, lead to times outside it.
        let time_at = |x: f64| view.time_from_x(x).min(ctx.props().state.load.info.end).max(0);
        let Some((scene, transform)) = self.scene(ctx).zip(self.transform(ctx)) else { return time_at(x) };
        let edges = scene.rects.iter().flat_map(|bar| [transform.x(bar.x), transform.x(bar.x + bar.width)]);
        let near = edges.filter(|edge| (edge - x).abs() <= SNAP);
        let nearest = near.min_by(|a, b| (a - x).abs().total_cmp(&(b - x).abs()));
        time_at(nearest.unwrap_or(x))
    }

    pub(super) fn begin_area(&mut self, ctx: &Context<Self>, (x, y): (f64, f64)) -> AreaDrag {
        let (time, top) = (self.snapped(ctx, x), y + self.time.view.top);
        AreaDrag { from: time, to: time, top, bottom: top }
    }

    /// Selects the dragged area.
    pub(super) fn end_area(&mut self, ctx: &Context<Self>, drag: AreaDrag) {
        self.schedule(ctx);
        let (start, end) = drag.range();
        if start >= end {
            return;
        }
        let rows = self.rows_between(ctx, drag.top.min(drag.bottom)..drag.top.max(drag.bottom));
        if rows.is_empty() {
            return ctx.props().dispatch.dispatch(Action::Notice(Some(words::area::no_track())));
        }
        self.ask(ctx, AreaTracksRequest { rows }, move |tracks| {
            Some(TimelineAnswer::AreaTracks((start, end), tracks))
        });
    }

    /// Track ids of the rows between two heights of the content, and whether the tracks below them have rows of their own.
    fn rows_between(&self, ctx: &Context<Self>, between: Range<f64>) -> Vec<(u32, bool)> {
        let Some(scene) = self.scene(ctx).filter(|_| !self.is_old(ctx)) else { return Vec::new() };
        let top = scene.viewport.top;
        let is_inside =
            |y: f64, height: f64| y < between.end.max(between.start + 1.0) && y + height > between.start;
        let rows = scene
            .rows
            .iter()
            .filter(|row| row.track != u32::MAX && is_inside(f64::from(row.y) + top, f64::from(row.height)));
        rows.map(|row| (row.track, row.fold == Fold::Open)).collect()
    }

    /// Adds the track of the selected item to the area, or removes it if it is already there. The area covers the
    /// selected time range or, without one, the visible time.
    pub(super) fn toggle_area_track(&self, ctx: &Context<Self>) {
        let Some(item) = ctx.props().state.nav.selection.filter(|_| self.has_areas(ctx)) else { return };
        self.ask(ctx, ItemTrackRequest { item }, |key| {
            key.map(|key| TimelineAnswer::AreaTrack(AreaTrack { key, is_own_row: false }))
        });
    }

    pub(super) fn take_area_track(&self, ctx: &Context<Self>, track: AreaTrack) {
        let nav = &ctx.props().state.nav;
        let mut view = nav.area.clone();
        let known = view.tracks.len();
        view.tracks.retain(|of| of.key != track.key);
        if view.tracks.len() == known {
            view.add(track);
        }
        let end = ctx.props().state.load.info.end;
        let shown = self.time.target();
        let range = nav.range.unwrap_or((shown.start.clamp(0, end), shown.end.clamp(0, end)));
        self.select_area(ctx, range, view.tracks);
    }

    pub(super) fn select_area(&self, ctx: &Context<Self>, range: (i64, i64), tracks: Vec<AreaTrack>) {
        let dispatch = &ctx.props().dispatch;
        dispatch.dispatch(Action::Announce(words::area::announced(range, tracks.len())));
        dispatch.dispatch(Action::Area(Some(range), ctx.props().state.nav.area.of(tracks)));
    }

    /// Adds the row below (or above) the area to it.
    pub(super) fn extend_area(&self, ctx: &Context<Self>, down: bool) {
        let Some((scene, area)) = self.scene(ctx).zip(self.area.as_ref()) else { return };
        let rows: Vec<_> = scene.rows.iter().filter(|row| row.track != u32::MAX).collect();
        let has = |track: u32| area.tracks.iter().any(|of| of.0 <= track && track < of.1);
        let edge = if down {
            rows.iter().rposition(|row| has(row.track))
        } else {
            rows.iter().position(|row| has(row.track))
        };
        let next = edge.and_then(|at| if down { at.checked_add(1) } else { at.checked_sub(1) });
        let Some((row, range)) = next.and_then(|at| rows.get(at)).zip(ctx.props().state.nav.range) else {
            return ctx.props().dispatch.dispatch(Action::Announce(words::area::NO_ROW.to_owned()));
        };
        let mut tracks = ctx.props().state.nav.area.tracks.clone();
        let rows = vec![(row.track, row.fold == Fold::Open)];
        self.ask(ctx, AreaTracksRequest { rows }, move |more| {
            tracks.extend(more);
            Some(TimelineAnswer::AreaTracks(range, tracks))
        });
    }

    /// Requests the sums of the area, for the tracks that are drawn as selected.
    pub(super) fn ask_area(&mut self, ctx: &Context<Self>) {
        match ctx.props().state.area() {
            Some(area) => self.ask(ctx, AreaRequest { area }, |area| Some(TimelineAnswer::AreaSums(area))),
            None => self.area = None,
        }
    }

    /// Paints the area on the rows, or the rectangle that is being dragged.
    pub(super) fn paint_area(
        &self,
        ctx: &Context<Self>,
        theme: &CanvasTheme,
        surface: &mut Surface,
        (scene, transform): (&Scene, &Transform),
    ) {
        let view = &self.time.view;
        if let Gesture::Area(drag) = self.gesture {
            let (left, right) = (view.x_from_time(drag.range().0), view.x_from_time(drag.range().1));
            let top = drag.top.min(drag.bottom) - view.top;
            let area = surface.area(left, top, right - left, (drag.top - drag.bottom).abs());
            surface.pixels.fill(area, theme.accent, 40);
            outline(&mut surface.pixels, area, 0.0, 1, theme.accent, None);
            return;
        }
        let Some((area, (start, end))) = self.area.as_ref().zip(ctx.props().state.nav.range) else { return };
        if !self.has_areas(ctx) || self.is_old(ctx) {
            return;
        }
        let (left, right) = (view.x_from_time(start), view.x_from_time(end));
        for row in &scene.rows {
            if area.tracks.iter().any(|of| of.0 <= row.track && row.track < of.1) {
                let place = surface.area(left, transform.y(row.y), right - left, f64::from(row.height));
                surface.pixels.fill(place, theme.accent, 36);
                let edge = surface.area(0.0, transform.y(row.y), 3.0, f64::from(row.height));
                surface.pixels.fill(edge, theme.accent, 255);
            }
        }
    }
}
