//! [`SceneCache`]: makes scenes, and keeps between them what only changes with the trace or with what is expanded.

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
use super::{Scene, arrows, merged, metrics};
use crate::analysis::{Hits, SqlShapes};
use crate::protocol::{
    Arrangement, Arrows, ColorBy, Legend, Located, MergedSpec, TrackExpansion, ViewKind, ViewSpec, Viewport,
};
use crate::stats::Merged;
use crate::trace::{Item, Trace, TrackId, TrackKind};

/// Makes the scenes of one trace.
#[derive(Default)]
pub struct SceneCache {
    folds: Folds,
    layouts: Layouts,
    contents: TrackContents,
    notes: ItemNotes,
    minimap: Option<Minimap>,
    merged: merged::Cache,
    /// The names that colours were last asked to tell apart.
    names: Option<(ColorBy, Rc<ColorNames>)>,
    /// What the last scene was asked for.
    last: Option<(ViewSpec, Viewport)>,
}

/// Where rows are. Made when a view is first drawn.
#[derive(Default)]
struct Layouts {
    rows: Option<VisibleRows>,
    packed: Option<Rc<Vec<PackedRun>>>,
    gantt: Option<PackedLayout>,
    flame: Option<PackedLayout>,
    query: Option<(TrackId, PackedLayout)>,
}

impl SceneCache {
    /// The trace is to be replaced by another one: nothing that was kept is true any more.
    pub fn forget(&mut self) {
        *self = Self { last: self.last.take(), ..Self::default() };
    }

    /// Makes what the next scene needs, which is most likely asked for as the last one was.
    pub fn look_ahead(&mut self, trace: &Trace, hits: Option<&Hits>) {
        if let Some((spec, viewport)) = self.last.take() {
            self.scene(trace, &spec, &viewport, hits);
        }
    }

    /// The picture that `spec` asks for, of the part that `viewport` shows.
    #[inline(never)]
    pub fn scene(
        &mut self,
        trace: &Trace,
        spec: &ViewSpec,
        viewport: &Viewport,
        hits: Option<&Hits>,
    ) -> Scene {
        let viewport = viewport.sane();
        self.last = Some((spec.clone(), viewport));
        if let ViewKind::FlameMerged(merged) = &spec.kind {
            let colors = self.colors(trace, ColorBy::Kind);
            return merged::scene((trace, &colors), merged, &viewport, hits, &mut self.merged);
        }
        let hits = hits.filter(|hits| !hits.is_of_places());
        let mut builder = SceneBuilder::new(trace, self.colors(trace, spec.color), &viewport, hits);
        self.expand(trace, &spec.expansion);
        let folds = &self.folds;
        let mut tracks = TrackRows { folds, contents: &mut self.contents, notes: &mut self.notes };
        match spec.kind {
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

    /// The colour of an item where colours tell kinds apart. Names have theirs once a picture had it.
    pub fn color(&self, trace: &Trace, item: Item) -> u16 {
        let kind = trace.kind(item);
        match &self.names {
            Some((by @ ColorBy::Kind, names)) => Colors::new(*by, names.clone()).slot(trace, item, kind),
            _ => kind.slot(),
        }
    }

    /// What the colours stand for.
    pub fn legend(&mut self, trace: &Trace, by: ColorBy) -> Legend {
        Legend::of(trace, &self.colors(trace, by))
    }

    /// The frames of a merged flame graph, and the shapes that they name.
    #[inline(never)]
    pub fn merged(&mut self, trace: &Trace, spec: &MergedSpec) -> (&Merged, &SqlShapes) {
        self.merged.tree(trace, spec)
    }

    fn expand(&mut self, trace: &Trace, expansion: &TrackExpansion) {
        if self.folds.follow(trace, expansion) {
            self.layouts.forget_folds();
        }
    }

    /// Where an item is in a view; whatever hides it is expanded if `open` (see
    /// [`Located::expanded`]), else stands for it. `None` where the view does not show it.
    #[inline(never)]
    pub fn locate(&mut self, trace: &Trace, spec: &ViewSpec, item: Item, open: bool) -> Option<Located> {
        if !trace.contains(item) || matches!(spec.kind, ViewKind::FlameMerged(_)) {
            return None;
        }
        let track = trace.track_of(item);
        self.expand(trace, &spec.expansion);
        let level = level_in_track(trace, track, item);
        let expanded = if open { self.folds.reveal(trace, track, level) } else { Vec::new() };
        if !expanded.is_empty() {
            self.layouts.forget_folds();
        }
        let folds = &self.folds;
        let (top, height) = match spec.kind {
            ViewKind::Gantt(Arrangement::ByQuery) => {
                let shown = folds.shown(trace, track);
                let top = self.layouts.rows(trace, folds).top(shown)?;
                // The last level that is shown stands for those that are not.
                let level = level.min(folds.levels(trace, track).saturating_sub(1));
                if shown == track { row_in_track(trace, track, level, top) } else { (top, metrics::HEADER) }
            }
            _ => {
                let stretch = self.layouts.packed_layout(trace, folds, &spec.kind).locate(trace, item)?;
                (stretch.start, (stretch.end - stretch.start) as f32)
            }
        };
        let (start, end) = trace.interval(item);
        Some(Located { start, end, top, height, expanded })
    }

    /// The arrows of an item, where a view shows their ends.
    pub fn arrows(&mut self, trace: &Trace, spec: &ViewSpec, item: Item) -> Arrows {
        arrows::arrows(self, trace, spec, item)
    }

    /// How busy the whole trace is, and where something failed: one value for each of `width` pixels.
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
        (self.rows, self.gantt) = (None, None);
    }

    fn rows(&mut self, trace: &Trace, folds: &Folds) -> &VisibleRows {
        self.rows.get_or_insert_with(|| VisibleRows::new(trace, folds))
    }

    /// The packed rows of the Gantt view or of a flame graph in time order.
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

/// The query that a flame graph is asked for, if it is asked for one that exists.
fn flame_unit(trace: &Trace, kind: &ViewKind) -> Option<TrackId> {
    let ViewKind::FlameTime { query: Some(code) } = kind else { return None };
    let item = Some(Item::from_code(*code)).filter(|item| trace.contains(*item))?;
    packed::unit_of(trace, trace.track_of(item))
}

/// In which of a track's rows an item is drawn, while all of them are shown.
fn level_in_track(trace: &Trace, track: TrackId, item: Item) -> u16 {
    let kind = trace.tracks.kind(track);
    match item {
        Item::Span(id) if kind != TrackKind::Query => trace.spans.depth(id),
        Item::Event(id) if metrics::is_nested(kind) => level_of(trace, id),
        _ => 0,
    }
}

/// Where a level of a track's rows, which begin at `top`, is drawn.
fn row_in_track(trace: &Trace, track: TrackId, level: u16, top: f64) -> (f64, f32) {
    let kind = trace.tracks.kind(track);
    let top = if kind == TrackKind::Run { top + f64::from(metrics::HEADER) } else { top };
    (top + f64::from(level) * f64::from(metrics::height(kind)), metrics::height(kind))
}
