//! [`SceneBuilder`]: turns lanes into bars and marks of a scene. All views draw with it, so that bars look the same everywhere.

mod counters;

use std::collections::HashMap;
use std::ops::Range;

use super::content::{Content, PointLane};
use super::label;
use super::lane::{Lane, LaneCell, LaneEntry, LaneGrid, LaneSum, ShownLane};
use super::metrics;
use super::palette::Colors;
use super::scene::{BarStyle, Fold, Rect, Scene, SceneMark, SceneRow};
use crate::analysis::{Hits, ShownItems};
use crate::protocol::Viewport;
use crate::trace::{EventId, Flags, Item, Kind, Trace, TrackId, TrackKind, key};

/// Minimum width of a bar with a label, in pixels.
const LABEL_WIDTH: f64 = 26.0;
/// Approximate distance below which marks are drawn as one, in pixels.
const MARK_DISTANCE: f64 = 3.0;
/// Distance outside of the drawn range at which bars are cut, in pixels: cut ends and their decorations stay invisible.
const CUT: f64 = 64.0;
/// Opacity of the line of an event that concerns all of a run or process.
const MOMENT: u8 = 90;
/// Busy share of a column whose items have no duration: above 0, since the column is not empty.
const NEXT_TO_NOTHING: f64 = 1e-9;
/// Index that means "no text".
pub(super) const NO_TEXT: u32 = u32::MAX;

/// Position and style of a lane's bars.
#[derive(Clone, Copy)]
pub(super) struct BarPlace {
    /// Top of the bars, in pixels.
    pub y: f32,
    /// Height of the bars, in pixels.
    pub height: f32,
    /// Whether the bars are drawn behind others.
    pub backdrop: bool,
    /// Whether each bar represents the span of its item code, and has its label; `false` for merged activity.
    pub labels: bool,
}

/// A scene under construction.
pub(super) struct SceneBuilder<'a> {
    pub trace: &'a Trace,
    hits: Option<&'a Hits>,
    /// The items to draw; `None` for all.
    shown: Option<&'a ShownItems>,
    /// Whether the track that is being drawn is collapsed, so that spans around shown items are drawn as well.
    is_collapsed: bool,
    colors: Colors,
    /// Range that is drawn: larger than the requested viewport, for panning.
    grid: LaneGrid,
    /// Pixels per nanosecond.
    scale: f64,
    /// Horizontal limits at which bars are cut, in pixels.
    cut: (f64, f64),
    texts: HashMap<String, u32>,
    pub scene: Scene,
}

impl<'a> SceneBuilder<'a> {
    pub fn new(
        trace: &'a Trace,
        colors: Colors,
        viewport: &Viewport,
        hits: Option<&'a Hits>,
        shown: Option<&'a ShownItems>,
    ) -> Self {
        let width = f64::from(viewport.width);
        let (left, right) = (-width / 2.0, width * 1.5);
        SceneBuilder {
            trace,
            hits,
            shown,
            is_collapsed: false,
            colors,
            grid: LaneGrid {
                window: viewport.time_from_x(left)..viewport.time_from_x(right),
                focus: viewport.start..viewport.end,
                column: viewport.nanos_per_pixel().ceil() as i64,
            },
            scale: 1.0 / viewport.nanos_per_pixel(),
            cut: (left - CUT, right + CUT),
            texts: HashMap::new(),
            scene: Scene::empty(*viewport),
        }
    }

    /// Returns the vertical range of the content that is drawn, in pixels.
    pub fn stretch(&self) -> Range<f64> {
        let Viewport { top, height, .. } = self.scene.viewport;
        let overscan = f64::from(metrics::OVERSCAN);
        top - overscan..top + f64::from(height) + overscan
    }

    /// Returns the index of a text in the scene, adding it if necessary.
    pub fn text(&mut self, text: String) -> u32 {
        let next = self.scene.texts.len() as u32;
        let texts = &mut self.scene.texts;
        *self.texts.entry(text).or_insert_with_key(|text| {
            texts.push(text.clone());
            next
        })
    }

    /// Adds a row that is not a track and has only a heading.
    pub fn row(&mut self, y: f32, height: f32, depth: u8, heading: &str) {
        self.row_of(y, height, depth, heading, None);
    }

    /// Adds a row that is not a track, with a heading and the secondary heading `of`.
    pub fn row_of(&mut self, y: f32, height: f32, depth: u8, heading: &str, of: Option<String>) {
        let detail = of.map_or(NO_TEXT, |of| self.text(of));
        let label = self.text(heading.to_owned());
        self.scene.rows.push(SceneRow {
            y,
            height,
            depth,
            label,
            detail,
            note: NO_TEXT,
            track: u32::MAX,
            fold: Fold::Leaf,
            header: false,
            before: None,
            after: None,
        });
    }

    /// Draws the first `levels` rows of a track's content, starting at `y`.
    pub fn content(&mut self, content: &Content, kind: TrackKind, levels: u16, y: f32) {
        let below = self.scene.viewport.height + metrics::OVERSCAN;
        for (row, span_kind, lane) in content.bars.iter().filter(|(row, ..)| *row < levels) {
            let place = metrics::place(kind, *span_kind, *row, y);
            if place.y + place.height > -metrics::OVERSCAN && place.y < below {
                self.lane(lane, &place);
            }
        }
        for (row, points) in content.points.iter().filter(|(row, _)| *row < levels) {
            self.points(points, y + f32::from(*row) * metrics::height(kind) + metrics::points_at(kind));
        }
    }

    /// Draws a line for each of these events, which must be in time order, through a vertical range of the content; at
    /// most one line per pixel column.
    pub fn moments(&mut self, events: Range<u32>, through: Range<f64>) {
        let (stretch, top) = (self.stretch(), self.scene.viewport.top);
        let (from, to) = (through.start.max(stretch.start), through.end.min(stretch.end));
        if from >= to {
            return;
        }
        let trace = self.trace;
        let time = |id: u32| trace.events.time(EventId(id));
        let first_at = |moment: i64, mut events: Range<u32>| {
            while !events.is_empty() {
                let middle = events.start + (events.end - events.start) / 2;
                if time(middle) < moment { events.start = middle + 1 } else { events.end = middle }
            }
            events.start
        };
        let LaneGrid { window, column, .. } = self.grid.clone();
        let (mut next, mut lines) = (first_at(window.start, events.clone()), Vec::new());
        while next < events.end && time(next) < window.end {
            let item = Item::Event(EventId(next));
            if self.shown.is_some_and(|shown| !shown.matching.contains(item)) {
                next += 1;
                continue;
            }
            lines.push(Rect {
                x: self.x(time(next)) as f32,
                y: (from - top) as f32,
                width: 1.0,
                height: (to - from) as f32,
                split: 0.0,
                room: 0.0,
                id: item.code(),
                label: NO_TEXT,
                color: self.colors.slot(trace, item, Kind::Instant),
                style: BarStyle::DENSITY,
                alpha: MOMENT,
            });
            next = first_at(time(next).saturating_add(column.max(1)), next + 1..events.end);
        }
        self.scene.rects.splice(0..0, lines);
    }

    /// Calls `draw` with an axis whose times count from `origin`, in nanoseconds since the run's first event.
    pub fn since(&mut self, origin: i64, draw: impl FnOnce(&mut Self)) {
        let (viewport, grid) = (self.scene.viewport, self.grid.clone());
        let moved = |time: i64| time.saturating_add(origin);
        let range = |range: &Range<i64>| moved(range.start)..moved(range.end);
        let (start, end) = (moved(viewport.start), moved(viewport.end));
        self.scene.viewport = Viewport { start, end, ..viewport };
        self.grid = LaneGrid { window: range(&grid.window), focus: range(&grid.focus), ..grid };
        draw(self);
        (self.scene.viewport, self.grid) = (viewport, grid);
    }

    /// Adds `style` to all bars from index `from` on, except those drawn behind others.
    pub fn mark_bars(&mut self, from: usize, style: BarStyle) {
        for rect in self.scene.rects[from..].iter_mut().filter(|rect| !rect.style.has(BarStyle::BACKDROP)) {
            rect.style = rect.style.with(style);
            if style.has(BarStyle::MATCH) {
                rect.style = rect.style.without(BarStyle::DIM);
            }
        }
    }

    /// The items to draw in the current track; `None` for all.
    pub fn shown(&self) -> Option<&'a Hits> {
        self.shown.map(|shown| if self.is_collapsed { &shown.around } else { &shown.matching })
    }

    /// Calls `draw` for the content of a track. If the track is collapsed, spans that contain shown items are drawn, too.
    pub fn in_collapsed_track(&mut self, is_collapsed: bool, draw: impl FnOnce(&mut Self)) {
        self.is_collapsed = is_collapsed;
        draw(self);
        self.is_collapsed = false;
    }

    /// Whether an active search finds anything in a track or below it.
    pub fn finds_below(&self, track: TrackId) -> bool {
        self.hits.is_some_and(|hits| hits.any_below(self.trace, track))
    }

    /// Draws the visible bars of a lane.
    pub fn lane(&mut self, lane: &Lane, place: &BarPlace) {
        let part = lane.part(self.shown());
        let lane = ShownLane::or_all(part.as_ref(), lane);
        let grid = self.grid.clone();
        for cell in lane.cells(&grid) {
            let (mut rect, last) = match cell {
                LaneCell::One(at) => (self.bar(&lane.entry(at), place), at),
                LaneCell::Many { range, sum, column } => {
                    (self.density(lane, &range, &sum, &column, place), range.end - 1)
                }
            };
            let next = lane.next_start(last).map_or(self.cut.1, |start| self.x(start));
            rect.room = (next - f64::from(rect.x) - f64::from(rect.width)).clamp(0.0, self.cut.1) as f32;
            self.scene.rects.push(rect);
        }
    }

    /// Draws the visible points of a row, centred at `y`.
    pub fn points(&mut self, points: &PointLane, y: f32) {
        let column = (self.scene.viewport.nanos_per_pixel() * MARK_DISTANCE).ceil() as i64;
        let grid = LaneGrid { column, focus: self.grid.window.clone(), ..self.grid.clone() };
        for (lane, diamond) in [(&points.plain, false), (&points.storage, true)] {
            let part = lane.part(self.shown());
            let lane = ShownLane::or_all(part.as_ref(), lane);
            for cell in lane.cells(&grid) {
                if let LaneCell::Many { range, sum, .. } = cell {
                    let mark = self.mark(lane, &range, &sum, y, diamond);
                    self.scene.marks.push(mark);
                }
            }
        }
    }

    fn bar(&mut self, entry: &LaneEntry, place: &BarPlace) -> Rect {
        let start = self.x(entry.start);
        let end = self.x(entry.start.saturating_add(entry.weight)).max(start + 1.0);
        let (left, right) = (start.max(self.cut.0), end.min(self.cut.1).max(self.cut.0 + 1.0));
        let item = Item::from_code(entry.code);
        let split = start + (end - start) * self.reading_share(entry, place);
        Rect {
            x: left as f32,
            y: place.y,
            width: (right - left) as f32,
            height: place.height,
            split: ((split - left) / (right - left)).clamp(0.0, 1.0) as f32,
            room: 0.0,
            id: entry.code,
            label: self.label(entry, place, right - left),
            color: self.colors.slot(self.trace, item, entry.kind),
            style: self.style(entry, place),
            alpha: 255,
        }
    }

    fn density(
        &mut self,
        lane: &Lane,
        range: &Range<usize>,
        sum: &LaneSum,
        column: &Range<i64>,
        place: &BarPlace,
    ) -> Rect {
        let (at, found) = self.spokesman(lane, range);
        let (code, kind) = match at {
            Some(at) => (lane.entry(at).code, lane.entry(at).kind),
            None => (sum.code, sum.kind),
        };
        let mut style = BarStyle::DENSITY.with(found);
        if place.backdrop {
            style = style.with(BarStyle::BACKDROP);
        }
        if sum.flags.has(Flags::FAILED) {
            style = style.with(BarStyle::FAILED);
        }
        if self.is_idle(code, kind) {
            style = style.with(BarStyle::IDLE);
        }
        let (left, right) = (self.x(column.start), self.x(column.end));
        Rect {
            x: left as f32,
            y: place.y,
            width: (right - left).max(1.0) as f32,
            height: place.height,
            split: lane.share(range, sum, column).max(NEXT_TO_NOTHING) as f32,
            room: 0.0,
            id: code,
            label: NO_TEXT,
            color: self.colors.slot(self.trace, Item::from_code(code), kind),
            style,
            alpha: 255,
        }
    }

    fn mark(&mut self, lane: &Lane, range: &Range<usize>, sum: &LaneSum, y: f32, diamond: bool) -> SceneMark {
        let (at, found) = self.spokesman(lane, range);
        let entry = lane.entry(at.unwrap_or(sum.heaviest as usize));
        let failed = if sum.flags.has(Flags::FAILED) { BarStyle::FAILED } else { BarStyle::default() };
        SceneMark {
            x: self.x(entry.start) as f32,
            y,
            radius: radius(sum.weight),
            id: entry.code,
            count: range.len() as u32,
            color: self.colors.slot(self.trace, Item::from_code(entry.code), entry.kind),
            style: failed.with(found),
            diamond,
        }
    }

    /// Returns the share of an execution's time that was spent reading; 0 if it was not reported.
    fn reading_share(&self, entry: &LaneEntry, place: &BarPlace) -> f64 {
        let reading =
            place.labels.then(|| self.trace.num(Item::from_code(entry.code), key::READ_TIME)).flatten();
        reading.map_or(0.0, |reading| reading as f64 / entry.weight.max(1) as f64).clamp(0.0, 1.0)
    }

    /// Whether an entry is an idle span. The pause of a transaction is not: it is drawn over the transaction's bar and
    /// has its code.
    fn is_idle(&self, code: u32, kind: Kind) -> bool {
        kind == Kind::Idle && self.trace.kind(Item::from_code(code)) == Kind::Idle
    }

    fn label(&mut self, entry: &LaneEntry, place: &BarPlace, width: f64) -> u32 {
        match Item::from_code(entry.code) {
            // A pause represents its transaction, whose bar already has the label.
            Item::Span(id)
                if place.labels
                    && !place.backdrop
                    && entry.kind != Kind::Idle
                    && width >= LABEL_WIDTH
                    && self.trace.spans.kind(id) == entry.kind =>
            {
                self.text(label::of_span(self.trace, id))
            }
            _ => NO_TEXT,
        }
    }

    fn style(&self, entry: &LaneEntry, place: &BarPlace) -> BarStyle {
        let mut style = match self.hits {
            None => BarStyle::default(),
            Some(hits) if hits.contains(Item::from_code(entry.code)) => BarStyle::MATCH,
            Some(_) => BarStyle::DIM,
        };
        if place.backdrop {
            style = style.with(BarStyle::BACKDROP);
        }
        if self.is_idle(entry.code, entry.kind) {
            style = style.with(BarStyle::IDLE);
        }
        for (flag, mark) in MARKS {
            // The end of a request is always inferred, so a mark would carry no information.
            if entry.flags.has(flag) && !(mark == BarStyle::INFERRED && entry.kind == Kind::Request) {
                style = style.with(mark);
            }
        }
        style
    }

    /// Returns the position of the entry that a click on a summarised bar selects: the first entry that matches the
    /// search, or `None` for the heaviest entry. Also returns the bar's search style.
    fn spokesman(&self, lane: &Lane, range: &Range<usize>) -> (Option<usize>, BarStyle) {
        let found = self.hits.map(|hits| lane.first_found(range.clone(), hits));
        match found {
            None => (None, BarStyle::default()),
            Some(None) => (None, BarStyle::DIM),
            Some(Some(at)) => (Some(at), BarStyle::MATCH),
        }
    }

    /// Like [`Viewport::x_from_time`], with a precomputed scale, since a scene needs it a hundred thousand times.
    fn x(&self, time: i64) -> f64 {
        let start = self.scene.viewport.start;
        let distance = time.abs_diff(start) as f64 * self.scale;
        if time < start { -distance } else { distance }
    }
}

/// Span flags that are shown by bars.
const MARKS: [(Flags, BarStyle); 8] = [
    (Flags::FAILED, BarStyle::FAILED),
    (Flags::OPEN_START, BarStyle::OPEN_START),
    (Flags::OPEN_END, BarStyle::OPEN_END),
    (Flags::INFERRED, BarStyle::INFERRED),
    (Flags::OVERLAPS, BarStyle::INFERRED),
    (Flags::CLIPPED, BarStyle::INFERRED),
    (Flags::OUTSIDE, BarStyle::INFERRED),
    (Flags::OVER_FETCH, BarStyle::OVER_FETCH),
];

/// Returns the radius of a mark: 2 px up to a kilobyte, 5 px from a gigabyte on, and 2.5 px without a size.
fn radius(bytes: i64) -> f32 {
    if bytes <= 0 {
        return 2.5;
    }
    2.0 + 3.0 * (((bytes as f32).log10() - 3.0) / 6.0).clamp(0.0, 1.0)
}
