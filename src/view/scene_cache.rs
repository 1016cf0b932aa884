//! [`SceneCache`]: builds scenes, and caches the data that changes only with the trace or with the expanded tracks.

use std::rc::Rc;

use super::content::{TrackContents, level_of};
use super::folds::Folds;
use super::gantt::{self, TrackRows};
use super::minimap::{self, Minimap};
use super::notes::ItemNotes;
use super::packed::{self, PackedRun};
use super::packed_layout::{PackedLayout, StripStyle};
use super::palette::{ColorNames, Colors};
use super::rows::VisibleRows;
use super::scene_builder::SceneBuilder;
use super::side_by_side::SideBySideLayout;
use super::{Scene, arrows, merged, metrics, neighbour};
use crate::analysis::{FilteredItems, Hits, ShownItems, SqlShapes};
use crate::protocol::{
    Arrangement, Arrows, ColorBy, FocusMove, Legend, Located, MergedSpec, SideBySideSummary, TrackKey,
    ViewKind, ViewSpec, Viewport,
};
use crate::stats::Merged;
use crate::trace::{Item, Trace, TrackId, TrackKind};

/// Start and end of the innermost ancestor with a duration of an item that has none, extended to contain the item;
/// `None` for other items.
pub(super) fn around_instant(trace: &Trace, item: Item) -> Option<(i64, i64)> {
    let (time, end) = trace.interval(item);
    let parent = trace.parent(item).filter(|_| time == end);
    let mut bounds =
        std::iter::successors(parent, |&at| trace.spans.parent(at)).map(|at| trace.spans.bounds(at));
    bounds.find(|(start, end)| start < end).map(|(start, end)| (start.min(time), end.max(time)))
}

/// Builds the scenes of one trace.
#[derive(Default)]
pub struct SceneCache {
    folds: Folds,
    layouts: Layouts,
    contents: TrackContents,
    notes: ItemNotes,
    minimap: Option<Minimap>,
    merged: merged::Cache,
    /// The items that the requested view shows; `None` for all.
    shown: Option<Rc<ShownItems>>,
    /// The names that have a colour of their own, and the colouring for which they were determined.
    names: Option<(ColorBy, Rc<ColorNames>)>,
    /// View and viewport of the most recent scene.
    last: Option<(ViewSpec, Viewport)>,
}

/// Row layouts of the views, each computed when its view is first drawn.
#[derive(Default)]
struct Layouts {
    rows: Option<VisibleRows>,
    packed: Option<Rc<Vec<PackedRun>>>,
    gantt: Option<PackedLayout>,
    flame: Option<PackedLayout>,
    query: Option<(TrackId, PackedLayout)>,
    pinned: Option<(Vec<TrackKey>, VisibleRows)>,
    side_by_side: Option<([u32; 2], Option<SideBySideLayout>)>,
}

impl SceneCache {
    /// Discards all cached results, because the trace will be replaced. The last view and viewport are kept for
    /// [`look_ahead`](Self::look_ahead).
    pub fn forget(&mut self) {
        *self = Self { last: self.last.take(), ..Self::default() };
    }

    /// Prepares the next scene, on the assumption that it has the view and viewport of the previous scene.
    pub fn look_ahead(&mut self, trace: &Trace, hits: Option<&Hits>) {
        if let Some((spec, viewport)) = self.last.take() {
            self.scene(trace, &spec, &viewport, hits);
        }
    }

    /// Builds the scene of the view `spec` for `viewport`.
    #[inline(never)]
    pub fn scene(
        &mut self,
        trace: &Trace,
        spec: &ViewSpec,
        viewport: &Viewport,
        hits: Option<&Hits>,
    ) -> Scene {
        let viewport = viewport.sane();
        // Pinned tracks are an addition to another view, which is the one to prepare.
        if !matches!(spec.kind, ViewKind::Pinned(_)) {
            self.last = Some((spec.clone(), viewport));
        }
        if let ViewKind::FlameMerged(merged) = &spec.kind {
            let colors = self.colors(trace, ColorBy::Kind);
            return merged::scene((trace, &colors), merged, &viewport, hits, &mut self.merged);
        }
        let hits = hits.filter(|hits| !hits.is_of_places());
        let colors = self.colors(trace, spec.color);
        self.expand(trace, spec);
        let mut builder = SceneBuilder::new(trace, colors, &viewport, hits, self.shown.as_deref());
        let folds = &self.folds;
        let mut tracks = TrackRows {
            folds,
            contents: &mut self.contents,
            notes: &mut self.notes,
            counters: spec.counters,
        };
        match &spec.kind {
            ViewKind::Pinned(keys) => {
                gantt::own_rows(&mut builder, self.layouts.pinned(trace, folds, keys), &mut tracks);
            }
            ViewKind::SideBySide { a, b } => {
                if let Some(layout) = self.layouts.side_by_side(trace, [*a, *b]) {
                    layout.draw(&mut builder);
                }
            }
            ViewKind::Gantt(Arrangement::ByQuery) => {
                gantt::by_query(&mut builder, self.layouts.rows(trace, folds), &mut tracks);
            }
            _ => self.layouts.packed_layout(trace, folds, &spec.kind).draw(&mut builder, &mut tracks),
        }
        builder.scene
    }

    fn colors(&mut self, trace: &Trace, by: ColorBy) -> Colors {
        let kept = self.names.take().filter(|(of, _)| *of == by);
        let (_, names) = self.names.insert(kept.unwrap_or_else(|| (by, Rc::new(ColorNames::of(trace, by)))));
        Colors::new(by, names.clone())
    }

    /// Returns the colour slot of an item when colouring by kind. Unless the most recent scene was coloured by kind,
    /// the item's name is ignored.
    pub fn color(&self, trace: &Trace, item: Item) -> u16 {
        let kind = trace.kind(item);
        match &self.names {
            Some((by @ ColorBy::Kind, names)) => Colors::new(*by, names.clone()).slot(trace, item, kind),
            _ => kind.slot(),
        }
    }

    /// Returns the legend of the colours.
    pub fn legend(&mut self, trace: &Trace, by: ColorBy) -> Legend {
        Legend::of(trace, &self.colors(trace, by))
    }

    /// Sets the items that pass the filter of the merged flame graph that is requested next; `None` if all pass.
    pub fn filter_frames(&mut self, filter: Option<FilteredItems>) {
        self.merged.filter = filter;
    }

    /// Sets the items that the view that is requested next shows; `None` if it shows all.
    pub fn show_only(&mut self, shown: Option<Rc<ShownItems>>) {
        self.shown = shown;
    }

    /// Whether the requested view shows an item. An item inside a collapsed track counts as shown.
    pub fn is_shown(&self, item: Item) -> bool {
        self.shown.as_ref().is_none_or(|shown| shown.matching.contains(item))
    }

    /// Returns the frames of a merged flame graph, and the SQL shapes that they refer to.
    #[inline(never)]
    pub fn merged(&mut self, trace: &Trace, spec: &MergedSpec) -> (&Merged, &SqlShapes) {
        self.merged.tree(trace, spec)
    }

    fn expand(&mut self, trace: &Trace, spec: &ViewSpec) {
        if self.folds.follow(trace, &spec.expansion, &spec.tracks, spec.counters) {
            self.layouts.forget_folds();
        }
    }

    /// Returns the position of an item in a view. If the item is hidden, `open` expands everything that hides it (see
    /// [`Located::expanded`]); otherwise the position of what hides it is returned. `None` if the view does not show the item.
    #[inline(never)]
    pub fn locate(&mut self, trace: &Trace, spec: &ViewSpec, item: Item, open: bool) -> Option<Located> {
        if !trace.contains(item) || matches!(spec.kind, ViewKind::FlameMerged(_) | ViewKind::Pinned(_)) {
            return None;
        }
        if let ViewKind::SideBySide { a, b } = spec.kind {
            return self.layouts.side_by_side(trace, [a, b])?.locate(trace, item);
        }
        let track = trace.track_of(item);
        self.expand(trace, spec);
        let level = level_in_track(trace, track, item);
        let is_by_query = spec.kind == ViewKind::Gantt(Arrangement::ByQuery);
        let (unhidden, unfiltered) =
            if open && is_by_query { self.folds.unhide(trace, track) } else { Default::default() };
        let expanded = if open { self.folds.reveal(trace, track, level) } else { Vec::new() };
        if !expanded.is_empty() || !unhidden.is_empty() || unfiltered {
            self.layouts.forget_folds();
        }
        let folds = &self.folds;
        let (top, height) = match spec.kind {
            ViewKind::Gantt(Arrangement::ByQuery) => {
                let shown = folds.shown(trace, track);
                let shown_in = folds.arranged().shown_in(shown);
                let top = self.layouts.rows(trace, folds).top(shown_in)?;
                // The last shown level represents the hidden levels.
                let level = level.min(folds.levels(trace, track).saturating_sub(1));
                if shown == track { row_in_track(trace, track, level, top) } else { (top, metrics::HEADER) }
            }
            _ => {
                let stretch = self.layouts.packed_layout(trace, folds, &spec.kind).locate(trace, item)?;
                (stretch.start, (stretch.end - stretch.start) as f32)
            }
        };
        let (start, end) = trace.interval(item);
        let dims_again = open && !self.is_shown(item);
        let around = around_instant(trace, item);
        Some(Located { start, end, around, top, height, expanded, unhidden, unfiltered, dims_again })
    }

    /// Returns the arrows of an item, without arrows whose ends the view does not show.
    pub fn arrows(&mut self, trace: &Trace, spec: &ViewSpec, item: Item) -> Arrows {
        if let ViewKind::SideBySide { a, b } = spec.kind {
            let layout = self.layouts.side_by_side(trace, [a, b]).filter(|_| trace.contains(item));
            let line = layout.and_then(|layout| layout.connection(trace, item));
            return Arrows { list: line.into_iter().collect(), more: 0 };
        }
        arrows::arrows(self, trace, spec, item)
    }

    /// Describes two executions and the step that `item` belongs to; `None` if one of the executions does not exist.
    pub fn side_by_side(
        &mut self,
        trace: &Trace,
        executions: [u32; 2],
        item: Option<Item>,
    ) -> Option<SideBySideSummary> {
        Some(self.layouts.side_by_side(trace, executions)?.summary(trace, item))
    }

    /// Returns the neighbour of an item of two executions; `None` if the neighbour is outside of both. Without an item
    /// in them, returns the first execution.
    pub fn neighbour_within(
        &mut self,
        trace: &Trace,
        executions: [u32; 2],
        item: Option<Item>,
        step: FocusMove,
    ) -> Option<Item> {
        let mut is_within = |item: &Item| {
            self.side_by_side(trace, executions, Some(*item)).is_some_and(|found| found.step.is_some())
        };
        match item.filter(&mut is_within) {
            Some(item) => neighbour(trace, Some(item), step, None).filter(is_within),
            None => Some(Item::from_code(executions[0])).filter(|&item| trace.contains(item)),
        }
    }

    /// Returns how busy the whole trace is and where something failed: one value per pixel of `width` each.
    #[inline(never)]
    pub fn minimap(&mut self, trace: &Trace, width: u32) -> (Vec<u8>, Vec<u8>) {
        let width = minimap::sane_width(width);
        let kept = self.minimap.take().filter(|minimap| minimap.busy.len() == width);
        let minimap = self.minimap.insert(kept.unwrap_or_else(|| Minimap::new(trace, width)));
        (minimap.busy.clone(), minimap.failed.clone())
    }
}

impl Layouts {
    fn forget_folds(&mut self) {
        (self.rows, self.gantt, self.pinned) = (None, None, None);
    }

    fn rows(&mut self, trace: &Trace, folds: &Folds) -> &VisibleRows {
        self.rows.get_or_insert_with(|| VisibleRows::new(trace, folds))
    }

    /// Returns the rows of pinned tracks. The ids of the tracks are cached, because finding them reads the names of all
    /// tracks.
    fn pinned(&mut self, trace: &Trace, folds: &Folds, keys: &[TrackKey]) -> &VisibleRows {
        let kept = self.pinned.take().filter(|(of, _)| of == keys);
        let found = || {
            let tracks = TrackKey::find(trace, keys.iter().copied()).into_iter().flatten().collect();
            (keys.to_vec(), VisibleRows::of(trace, folds, tracks))
        };
        &self.pinned.insert(kept.unwrap_or_else(found)).1
    }

    /// Returns the rows of two executions; `None` if one of them does not exist.
    fn side_by_side(&mut self, trace: &Trace, codes: [u32; 2]) -> Option<&SideBySideLayout> {
        let kept = self.side_by_side.take().filter(|(of, _)| *of == codes);
        let layout = || (codes, SideBySideLayout::new(trace, codes));
        self.side_by_side.insert(kept.unwrap_or_else(layout)).1.as_ref()
    }

    /// Returns the packed rows of the Gantt view or of a flame graph in time order.
    fn packed_layout(&mut self, trace: &Trace, folds: &Folds, kind: &ViewKind) -> &PackedLayout {
        match flame_unit(trace, kind) {
            Some(unit) => {
                let kept = self.query.take().filter(|(of, _)| *of == unit);
                let packed_layout =
                    || PackedLayout::new(trace, folds, Rc::new(packed::one(trace, unit)), StripStyle::Flame);
                &self.query.insert(kept.unwrap_or_else(|| (unit, packed_layout()))).1
            }
            None => {
                let runs = self.packed.get_or_insert_with(|| Rc::new(packed::all(trace))).clone();
                let (kept, style) = match kind {
                    ViewKind::FlameTime { .. } => (&mut self.flame, StripStyle::Flame),
                    _ => (&mut self.gantt, StripStyle::Gantt),
                };
                kept.get_or_insert_with(|| PackedLayout::new(trace, folds, runs, style))
            }
        }
    }
}

/// Returns the query to which a flame graph is restricted, if it exists.
fn flame_unit(trace: &Trace, kind: &ViewKind) -> Option<TrackId> {
    let ViewKind::FlameTime { query: Some(code) } = kind else { return None };
    let item = Some(Item::from_code(*code)).filter(|item| trace.contains(*item))?;
    packed::unit_of(trace, trace.track_of(item))
}

/// Returns the row of a track in which an item is drawn while all rows are shown.
fn level_in_track(trace: &Trace, track: TrackId, item: Item) -> u16 {
    let kind = trace.tracks.kind(track);
    match item {
        Item::Span(id) if kind != TrackKind::Query => trace.spans.depth(id),
        Item::Event(id) if metrics::is_nested(kind) => level_of(trace, id),
        _ => 0,
    }
}

/// Returns top and height of a row of a track whose rows begin at `top`.
fn row_in_track(trace: &Trace, track: TrackId, level: u16, top: f64) -> (f64, f32) {
    let kind = trace.tracks.kind(track);
    let top = if kind == TrackKind::Run { top + f64::from(metrics::HEADER) } else { top };
    (top + f64::from(level) * f64::from(metrics::height(kind)), metrics::height(kind))
}
