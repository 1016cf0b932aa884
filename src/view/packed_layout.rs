//! Layout of packed lanes in rows: the packed Gantt view and the flame graph in time order.

use std::ops::Range;
use std::rc::Rc;

use super::content::PointLane;
use super::folds::Folds;
use super::gantt::TrackRows;
use super::label;
use super::lane::Lane;
use super::metrics;
use super::packed::{PackedLane, PackedRun, RowKey, is_work};
use super::rows::below_header;
use super::scene_builder::{BarPlace, SceneBuilder};
use crate::trace::{Item, Kind, Trace, TrackId, TrackKind};

/// Drawing style of packed lanes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum StripStyle {
    /// Like the arrangement by query: runs have headers, and requests are drawn behind their queries.
    Gantt,
    /// Nested bars without gaps, with one row per kind.
    Flame,
}

/// One row on screen.
struct Strip {
    top: f64,
    run: usize,
    what: StripItem,
}

#[derive(Clone, Copy)]
enum StripItem {
    /// A run's header and the run's own spans.
    Run,
    /// Requests and queries of a lane, in one row; the value is the index of the lane.
    Queries(usize),
    /// One row of a lane: the index of the lane, and the index of the row in the lane.
    Row(usize, usize),
    /// The points of a lane; the value is the index of the lane.
    Points(usize),
    /// Empty space.
    Gap,
}

/// All rows of a packed view.
pub(super) struct PackedLayout {
    runs: Rc<Vec<PackedRun>>,
    style: StripStyle,
    strips: Vec<Strip>,
    height: f64,
}

impl PackedLayout {
    pub fn new(trace: &Trace, folds: &Folds, runs: Rc<Vec<PackedRun>>, style: StripStyle) -> Self {
        let mut strips = Self { runs: runs.clone(), style, strips: Vec::new(), height: 0.0 };
        for (at, run) in runs.iter().enumerate() {
            strips.add_run(trace, folds, at, run);
        }
        strips
    }

    fn add_run(&mut self, trace: &Trace, folds: &Folds, at: usize, run: &PackedRun) {
        let open = folds.is_open(run_track(trace, run));
        let own = below_header(trace, run_track(trace, run), open);
        let header = self.style == StripStyle::Gantt || trace.runs.len() > 1 || own > 0.0;
        if run.whole && header {
            self.add(at, StripItem::Run, metrics::HEADER + own);
        }
        if !open && self.style == StripStyle::Gantt {
            return;
        }
        for (number, lane) in run.lanes.iter().enumerate() {
            self.add_lane(at, number, lane);
        }
    }

    fn add_lane(&mut self, run: usize, number: usize, lane: &PackedLane) {
        if !self.marks_in_first_row(lane) && self.style == StripStyle::Gantt {
            self.add(run, StripItem::Queries(number), metrics::height(TrackKind::Query));
        }
        for (row, (key, _)) in lane.rows.iter().enumerate() {
            if self.style == StripStyle::Flame || !in_query_row(key) {
                self.add(run, StripItem::Row(number, row), self.height_of(key.kind));
            }
        }
        if !lane.points.is_empty() || self.style == StripStyle::Flame && is_only_marks(lane) {
            self.add(run, StripItem::Points(number), metrics::height(TrackKind::Buffer));
        }
        if self.style == StripStyle::Flame {
            self.add(run, StripItem::Gap, metrics::FLAME_GAP);
        }
    }

    fn add(&mut self, run: usize, what: StripItem, height: f32) {
        self.strips.push(Strip { top: self.height, run, what });
        self.height += f64::from(height);
    }

    /// Whether marks are drawn in the lane's first row: packed threads have no row of queries that could show them.
    fn marks_in_first_row(&self, lane: &PackedLane) -> bool {
        let is_thread = lane.rows.first().is_some_and(|(key, _)| key.group == 0 && is_work(key.kind));
        self.style == StripStyle::Flame || is_thread
    }

    fn height_of(&self, kind: Kind) -> f32 {
        if self.style == StripStyle::Flame { metrics::FLAME } else { metrics::height(track_kind(kind)) }
    }

    /// Draws the visible rows.
    pub fn draw(&self, builder: &mut SceneBuilder, tracks: &mut TrackRows) {
        builder.scene.content_height = self.height;
        let (stretch, top) = (builder.stretch(), builder.scene.viewport.top);
        let first = self.strips.partition_point(|strip| strip.top <= stretch.start).saturating_sub(1);
        let drawn = self.strips[first..].iter().take_while(|strip| strip.top < stretch.end);
        for (at, strip) in drawn.enumerate() {
            self.draw_strip(builder, tracks, strip, ((strip.top - top) as f32, at == 0));
        }
    }

    /// Draws a row at `y`. The topmost visible row gets the heading that otherwise only the first row of its group has.
    fn draw_strip(
        &self,
        builder: &mut SceneBuilder,
        tracks: &mut TrackRows,
        strip: &Strip,
        (y, topmost): (f32, bool),
    ) {
        let run = &self.runs[strip.run];
        let height = metrics::height(TrackKind::Buffer);
        match strip.what {
            StripItem::Gap => {}
            StripItem::Run => tracks.run(builder, run_track(builder.trace, run), y),
            StripItem::Queries(lane) => self.draw_queries(builder, &run.lanes[lane], lane, y),
            StripItem::Row(lane, row) => {
                self.draw_row(builder, run, (lane, row), (y, topmost));
                if row == 0 && self.marks_in_first_row(&run.lanes[lane]) {
                    builder.points(&run.lanes[lane].marks, y + metrics::FLAME / 2.0);
                }
            }
            StripItem::Points(lane) => {
                let depth = if self.style == StripStyle::Flame { 1 } else { 2 };
                let heading = points_heading(builder.trace, &run.lanes[lane]);
                builder.row(y, height, depth, &heading);
                builder.points(&run.lanes[lane].points, y + height / 2.0);
                if self.style == StripStyle::Flame && run.lanes[lane].rows.is_empty() {
                    builder.points(&run.lanes[lane].marks, y + height / 2.0);
                }
            }
        }
    }

    fn draw_queries(&self, builder: &mut SceneBuilder, lane: &PackedLane, number: usize, y: f32) {
        let height = metrics::height(TrackKind::Query);
        builder.row(y, height, 1, &format!("lane {}", number + 1));
        builder.points(&lane.marks, y + height / 2.0);
        for (key, lane) in lane.rows.iter().filter(|(key, _)| in_query_row(key)) {
            builder.lane(lane, &metrics::place(TrackKind::Query, key.kind, 0, y));
        }
    }

    fn draw_row(
        &self,
        builder: &mut SceneBuilder,
        run: &PackedRun,
        (number, row): (usize, usize),
        (y, topmost): (f32, bool),
    ) {
        let packed = &run.lanes[number];
        let (key, lane) = &packed.rows[row];
        let height = self.height_of(key.kind);
        // In the flame graph, the nesting of the bars already shows the depth.
        let depth = if self.marks_in_first_row(packed) { 1 } else { 2 };
        let track = packed.tracks.get(key.group as usize).copied().flatten();
        let first = topmost || row == 0 || packed.rows[row - 1].0.group != key.group;
        match (is_work(key.kind), track) {
            (false, _) if row == 0 && self.style == StripStyle::Flame && run.whole => {
                builder.row(y, height, depth, &format!("lane {} · {}", number + 1, heading(key)));
            }
            (false, _) => builder.row(y, height, depth, heading(key)),
            // Of nested rows, only the first one is named after its track; the rows below belong to it.
            (true, _) if first => {
                let name =
                    |track: TrackId| label::one_line(builder.trace.str(builder.trace.tracks.get(track).name));
                let is_process = |id: &TrackId| builder.trace.tracks.kind(*id) == TrackKind::Process;
                // A process does not share its lane; it is the lane's only unit.
                let process = packed.tracks.first().copied().flatten().filter(is_process);
                let of = process.filter(|process| Some(*process) != track).map(name);
                let heading = track.map_or_else(|| "several tracks".to_owned(), name);
                builder.row_of(y, height, depth, &heading, of);
            }
            (true, _) => builder.row(y, height, depth, ""),
        }
        let place = match self.style {
            // One pixel of background separates the rows.
            StripStyle::Flame => BarPlace { y, height: height - 1.0, backdrop: false, labels: true },
            StripStyle::Gantt => metrics::place(track_kind(key.kind), key.kind, 0, y),
        };
        packed.idle.iter().filter(|(row, _)| row == key).for_each(|(_, idle)| builder.lane(idle, &place));
        builder.lane(lane, &place);
        packed
            .pauses
            .iter()
            .filter(|(row, _)| row == key)
            .for_each(|(_, pauses)| builder.lane(pauses, &place));
        let instants = packed.instants.iter().filter(|(row, _)| row == key);
        instants.for_each(|(_, points)| builder.points(points, y + metrics::points_at(TrackKind::Thread)));
    }

    /// Returns the vertical range of the content in which an item is drawn; `None` if it is not drawn.
    pub fn locate(&self, trace: &Trace, item: Item) -> Option<Range<f64>> {
        let at = self.strips.iter().position(|strip| self.holds(trace, strip, item))?;
        let end = self.strips.get(at + 1).map_or(self.height, |next| next.top);
        Some(self.strips[at].top..end)
    }

    fn holds(&self, trace: &Trace, strip: &Strip, item: Item) -> bool {
        let run = &self.runs[strip.run];
        let (start, _) = trace.interval(item);
        let has = |lane: &Lane| lane.position(start, item.code()).is_some();
        let has_point = |points: &PointLane| has(&points.plain) || has(&points.storage);
        match strip.what {
            StripItem::Gap => false,
            StripItem::Run => trace.track_of(item) == run_track(trace, run),
            StripItem::Queries(lane) => {
                let bars = run.lanes[lane].rows.iter().any(|(key, lane)| in_query_row(key) && has(lane));
                bars || has_point(&run.lanes[lane].marks)
            }
            StripItem::Row(lane, row) => {
                let first = row == 0 && self.marks_in_first_row(&run.lanes[lane]);
                let (key, bars) = &run.lanes[lane].rows[row];
                let is_idle = run.lanes[lane].idle.iter().any(|(row, idle)| row == key && has(idle));
                let is_instant =
                    run.lanes[lane].instants.iter().any(|(row, points)| row == key && has_point(points));
                first && has_point(&run.lanes[lane].marks) || has(bars) || is_idle || is_instant
            }
            StripItem::Points(lane) => {
                has_point(&run.lanes[lane].points) || has_point(&run.lanes[lane].marks)
            }
        }
    }
}

fn run_track(trace: &Trace, run: &PackedRun) -> TrackId {
    trace.runs[run.run.0 as usize].track
}

/// Whether a row shares the query row of the Gantt view, as requests, round trips and queries do.
fn in_query_row(key: &RowKey) -> bool {
    key.group == 0 && matches!(key.kind, Kind::Request | Kind::Query)
}

/// Whether a lane has events but no spans, so that no other row can show its events.
fn is_only_marks(lane: &PackedLane) -> bool {
    lane.rows.is_empty() && !lane.marks.is_empty()
}

/// Returns the heading of a row of points: its content, or its track if the lane consists of a single track.
fn points_heading(trace: &Trace, lane: &PackedLane) -> String {
    let marks = &lane.marks.plain;
    if let (true, &[Some(track)]) = (lane.points.is_empty(), &lane.tracks[..])
        && trace.tracks.subtree(track).len() == 1
    {
        return label::one_line(trace.str(trace.tracks.get(track).name));
    }
    let kind = if lane.points.is_empty() && !marks.is_empty() { marks.entry(0).kind } else { Kind::Buffer };
    kind.name().to_owned()
}

fn track_kind(kind: Kind) -> TrackKind {
    match kind {
        Kind::Request | Kind::Query => TrackKind::Query,
        Kind::Source => TrackKind::Source,
        Kind::Execution => TrackKind::Execution,
        Kind::Buffer => TrackKind::Buffer,
        _ if is_work(kind) => TrackKind::Thread,
        _ => TrackKind::Other,
    }
}

fn heading(key: &RowKey) -> &'static str {
    match key.kind {
        Kind::Execution => "execution",
        // The request itself lasts longer than each of its round trips, so it is always in the first row.
        Kind::Request if key.index > 0 => "rounds",
        kind => kind.name(),
    }
}
