//! [`ResultSlot`]: the rows of an SQL result as a track of the timeline. The track is below the pinned tracks. It is
//! not part of the trace, so that other views and sums do not include it.

use crate::base::interner::Interner;
use crate::base::lane_allocator::LaneAllocator;
use crate::base::sort;
use crate::protocol::{ColorBy, ResultTrackRequest, SceneRequest, TrackKey, ViewKind, ViewSpec, Viewport};
use crate::trace::{Flags, Kind, RecordId, ShapeId, Span, Trace, TraceBuilder, TrackId, TrackKind};
use crate::view::{Fold, Rect, Scene, SceneCache, SceneRow};

/// The track below the root of the only run.
const TRACK: TrackId = TrackId(1);

/// Holds the track of the current SQL result, and counts the tracks so far, so that each of them has a different key.
#[derive(Default)]
pub(crate) struct ResultSlot {
    track: Option<Box<ResultTrack>>,
    number: u32,
}

impl ResultSlot {
    /// Drops the track, because the items of the trace get other codes.
    pub fn forget(&mut self) {
        self.track = None;
    }

    /// Replaces the track by one with the requested spans and returns its key; without spans, removes the track and
    /// returns `None`.
    #[inline(never)]
    pub fn replace(&mut self, request: &ResultTrackRequest) -> Option<TrackKey> {
        self.number = self.number.wrapping_add(1);
        let track = (!request.spans.is_empty()).then(|| Box::new(ResultTrack::new(self.number, request)));
        self.track = track;
        self.track.as_ref().map(|track| track.key)
    }

    /// Key of the track, if `row` is the track id of its row in a scene.
    pub fn key_of(&self, row: u32) -> Option<TrackKey> {
        self.track.as_ref().filter(|_| row == Scene::RESULT_TRACK).map(|track| track.key)
    }

    /// Adds the track to a scene of pinned tracks, if the track is one of them.
    pub fn append_to(&mut self, scene: &mut Scene, request: &SceneRequest) {
        if let (ViewKind::Pinned(keys), Some(track)) = (&request.view.kind, &mut self.track)
            && keys.contains(&track.key)
        {
            track.append_to(scene, &request.viewport);
        }
    }
}

/// A trace that consists of one track, and for each of its spans the item of the open trace that a click on it selects.
struct ResultTrack {
    /// Key under which the track is pinned.
    key: TrackKey,
    trace: Trace,
    /// Item codes by span; [`Scene::NO_ITEM`] for none.
    items: Vec<u32>,
    scenes: SceneCache,
}

impl ResultTrack {
    /// Creates the track with this number. Spans that overlap are in different lanes, even if one contains the other.
    fn new(number: u32, request: &ResultTrackRequest) -> Self {
        let mut order: Vec<u32> = (0..request.spans.len() as u32).collect();
        let span = |at: u32| &request.spans[at as usize];
        sort::by_key(&mut order, |&at| (span(at).start, u64::MAX - span(at).duration.unsigned_abs()));
        let mut builder = TraceBuilder::new(Interner::default());
        let name = builder.strings().intern(&request.name);
        let run = builder.run(name, 0, 0, request.spans.len() as u64);
        let root = builder.root(run);
        builder.track(root, name, TrackKind::Thread);
        let (mut lanes, mut items) = (LaneAllocator::default(), Vec::with_capacity(order.len()));
        for of in order.into_iter().map(span) {
            let duration = of.duration.max(0);
            let end = of.start.saturating_add(duration.max(1));
            let span = Span {
                start: of.start,
                duration,
                parent: None,
                name: builder.strings().intern(&of.name),
                kind: Kind::Slice,
                flags: Flags::default(),
                depth: lanes.row(of.start, end),
                begin: RecordId::NONE,
                end: RecordId::NONE,
            };
            builder.span(span, ShapeId::BARE, &[], &[]);
            items.push(of.item.unwrap_or(Scene::NO_ITEM));
        }
        let key = TrackKey::of_result(number);
        Self { key, trace: builder.finish(), items, scenes: SceneCache::default() }
    }

    /// Draws the track below the rows of a scene of pinned tracks.
    fn append_to(&mut self, scene: &mut Scene, viewport: &Viewport) {
        let Some(key) = TrackKey::of(&self.trace, TRACK) else { return };
        let viewport = viewport.sane();
        let top = (viewport.top - scene.content_height).max(0.0);
        let mut spec = ViewSpec::new(ViewKind::Pinned(vec![key]), ColorBy::Kind);
        spec.expansion.all = Some(true);
        let own = self.scenes.scene(&self.trace, &spec, &Viewport { top, ..viewport }, None);
        let down = (top + scene.content_height - viewport.top) as f32;
        let texts = scene.texts.len() as u32;
        let text = |at: u32| if at == u32::MAX { at } else { at + texts };
        let rows = own.rows.into_iter().map(|row| SceneRow {
            y: row.y + down,
            label: text(row.label),
            detail: text(row.detail),
            note: text(row.note),
            track: Scene::RESULT_TRACK,
            fold: Fold::Leaf,
            ..row
        });
        scene.rows.extend(rows);
        let item = |code: u32| self.items.get(code as usize).copied().unwrap_or(Scene::NO_ITEM);
        let rects = own.rects.into_iter().map(|rect| Rect {
            y: rect.y + down,
            id: item(rect.id),
            label: text(rect.label),
            ..rect
        });
        scene.rects.extend(rects);
        scene.texts.extend(own.texts);
        scene.content_height += own.content_height;
    }
}
