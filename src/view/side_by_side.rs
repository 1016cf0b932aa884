//! Two executions, one below the other, on an axis that counts from the start of each.
//!
//! ```text
//! Base  2.1 ms  ▇▇▇▇▇                 one row per track and depth, as in the Gantt view,
//!               ▇▇                    of the execution's own spans
//! New   5.4 ms  ▇▇▇▇▇▇▇▇▇▇▇▇▇▇
//!               ▇▇▇  ▇▇▇▇▇▇           drawn with a viewport that is moved by the start of the execution
//! ```

use std::collections::BTreeMap;

use super::content::{PointLane, PointsBuilder, event_entry, level_of, span_entry};
use super::lane::Lane;
use super::packed::is_in_row;
use super::scene::{BarStyle, Fold, SceneRow};
use super::scene_builder::{NO_TEXT, SceneBuilder};
use super::scene_cache::around_instant;
use super::{label, metrics};
use crate::base::text;
use crate::compare::{AlignedSpans, span_at};
use crate::protocol::{AlignedStep, Arrow, Located, SideBySideSummary};
use crate::trace::{EventId, Item, Kind, SpanId, Trace, TrackId};

/// Names of A, the lower execution, and of B, the upper one.
const NAMES: [&str; 2] = ["New", "Base"];
/// Gap between the two executions, in pixels.
const GAP: f64 = 12.0;

/// Rows of two executions.
pub(super) struct SideBySideLayout {
    aligned: AlignedSpans,
    rows: Vec<SideRow>,
    height: f64,
    /// Time from the start of an execution to the end of its last span or event, for the longer of both, in nanoseconds.
    length: i64,
}

/// A row of one of the executions.
struct SideRow {
    top: f64,
    side: usize,
    /// `None` for the heading of the execution.
    bars: Option<Box<RowBars>>,
}

/// Spans of one track at one depth, with the events among them.
struct RowBars {
    track: TrackId,
    /// Whether the row is the topmost of its track, so that it has the track's name.
    is_first: bool,
    /// Idle spans, and all others.
    lanes: [Lane; 2],
    points: PointLane,
}

/// Content of a row under construction.
#[derive(Default)]
struct RowContent {
    lanes: [Lane; 2],
    points: PointsBuilder,
}

impl SideBySideLayout {
    /// Lays out the executions with these item codes; an event stands for its span. `None` if one of them has no span.
    pub fn new(trace: &Trace, codes: [u32; 2]) -> Option<Self> {
        let root = |code| {
            let item = Some(Item::from_code(code)).filter(|&item| trace.contains(item))?;
            span_at(trace, item)
        };
        let aligned = AlignedSpans::of(trace, [root(codes[0])?, root(codes[1])?]);
        let mut layout = Self { aligned, rows: Vec::new(), height: 0.0, length: 1 };
        [1, 0].into_iter().for_each(|side| layout.add_side(trace, side));
        Some(layout)
    }

    fn add_side(&mut self, trace: &Trace, side: usize) {
        if !self.rows.is_empty() {
            self.height += GAP;
        }
        self.add(side, None, metrics::HEADER);
        let mut last = None;
        for ((track, _), content) in self.contents(trace, side) {
            let RowContent { lanes, points } = content;
            let bars = RowBars {
                track,
                is_first: last != Some(track),
                lanes: lanes.map(Lane::finish),
                points: points.finish(),
            };
            self.add(side, Some(Box::new(bars)), metrics::height(trace.tracks.kind(track)));
            last = Some(track);
        }
    }

    fn add(&mut self, side: usize, bars: Option<Box<RowBars>>, height: f32) {
        self.rows.push(SideRow { top: self.height, side, bars });
        self.height += f64::from(height);
    }

    /// Spans and events of the execution `side` (0 for new, 1 for base), by track and depth.
    fn contents(&mut self, trace: &Trace, side: usize) -> BTreeMap<(TrackId, u16), RowContent> {
        let mut contents: BTreeMap<(TrackId, u16), RowContent> = BTreeMap::new();
        let root = self.aligned.roots[side];
        let start = trace.spans.bounds(root).0;
        let mut spans: Vec<SpanId> = self.aligned.spans[side].iter().copied().collect();
        spans.sort_unstable_by_key(|&id| (trace.spans.bounds(id).0, id.0));
        for id in spans {
            let key = (trace.tracks.of_span(id), trace.spans.depth(id));
            let is_work = usize::from(trace.spans.kind(id) != Kind::Idle);
            contents.entry(key).or_default().lanes[is_work].push(span_entry(trace, id));
            self.length = self.length.max(trace.spans.bounds(id).1.saturating_sub(start));
        }
        let track = trace.tracks.of_span(root);
        let run = std::iter::successors(Some(track), |&track| trace.tracks.get(track).parent).last();
        let events = trace.tracks.subtree_events(run.unwrap_or(track)).map(EventId);
        let spans = &self.aligned.spans[side];
        let is_own = |id: &EventId| trace.events.parent(*id).is_some_and(|parent| spans.contains(&parent));
        let mut events: Vec<EventId> =
            events.filter(|id| trace.events.kind(*id) != Kind::Sample).filter(is_own).collect();
        events.sort_unstable_by_key(|&id| (trace.events.time(id), id.0));
        for id in events {
            let level = if is_in_row(trace, id) { level_of(trace, id) } else { u16::MAX };
            let key = (trace.tracks.of_event(id), level);
            contents.entry(key).or_default().points.push(event_entry(trace, id));
            self.length = self.length.max(trace.events.time(id).saturating_sub(start));
        }
        contents
    }

    /// Draws the visible rows.
    pub fn draw(&self, builder: &mut SceneBuilder) {
        builder.scene.content_height = self.height;
        let (stretch, top) = (builder.stretch(), builder.scene.viewport.top);
        let first = self.rows.partition_point(|row| row.top <= stretch.start).saturating_sub(1);
        for (at, row) in self.rows.iter().enumerate().skip(first).take_while(|(_, row)| row.top < stretch.end)
        {
            let y = (row.top - top) as f32;
            match &row.bars {
                None => self.header(builder, row.side, y),
                Some(bars) => self.bars(builder, (row.side, bars), (y, at == first)),
            }
        }
    }

    /// Draws the heading of an execution: its letter, its run if the other execution is in another run, its text and its duration.
    fn header(&self, builder: &mut SceneBuilder, side: usize, y: f32) {
        let (trace, root) = (builder.trace, self.aligned.roots[side]);
        let runs = self.aligned.roots.map(|root| trace.run_of(trace.tracks.of_span(root)));
        let run = if runs[0] == runs[1] {
            String::new()
        } else {
            format!(" · {}", label::one_line(trace.run_name(runs[side])))
        };
        let label = format!("{}{run}: {}", NAMES[side], label::of_span(trace, root));
        let (label, detail) = (builder.text(label), builder.text(text::duration(trace.duration(root))));
        builder.scene.rows.push(SceneRow {
            y,
            height: metrics::HEADER,
            depth: 0,
            label,
            detail,
            note: NO_TEXT,
            track: u32::MAX,
            fold: Fold::Leaf,
            header: true,
            before: None,
            after: None,
        });
    }

    fn bars(&self, builder: &mut SceneBuilder, (side, row): (usize, &RowBars), (y, topmost): (f32, bool)) {
        let RowBars { track, is_first, lanes, points } = row;
        let trace = builder.trace;
        let kind = trace.tracks.kind(*track);
        let name = if *is_first || topmost { trace.str(trace.tracks.get(*track).name) } else { "" };
        builder.row(y, metrics::height(kind), 1, &label::one_line(name));
        let start = trace.spans.bounds(self.aligned.roots[side]).0;
        builder.since(start, |builder| {
            for lane in lanes {
                let drawn = builder.scene.rects.len();
                let span_kind = if lane.is_empty() { Kind::Slice } else { lane.entry(0).kind };
                builder.lane(lane, &metrics::place(kind, span_kind, 0, y));
                self.mark_unmatched(builder, side, drawn);
            }
            builder.points(points, y + metrics::points_at(kind));
        });
    }

    /// Marks the bars from index `from` on that have no partner, by an outline and in their labels.
    fn mark_unmatched(&self, builder: &mut SceneBuilder, side: usize, from: usize) {
        for at in from..builder.scene.rects.len() {
            let rect = &builder.scene.rects[at];
            let Item::Span(id) = Item::from_code(rect.id) else { continue };
            if rect.style.has(BarStyle::DENSITY) || self.aligned.partner(side, id).is_some() {
                continue;
            }
            let label = builder.scene.texts.get(rect.label as usize);
            let label = label.map(|label| format!("only in {}: {label}", NAMES[side].to_lowercase()));
            let label = label.map_or(NO_TEXT, |label| builder.text(label));
            let rect = &mut builder.scene.rects[at];
            (rect.label, rect.style) = (label, rect.style.with(BarStyle::UNMATCHED));
        }
    }

    /// Returns the position of an item, with times since the start of its execution; `None` if it is in neither
    /// execution. An item of both executions has the position in new.
    pub fn locate(&self, trace: &Trace, item: Item) -> Option<Located> {
        self.locate_in(trace, self.aligned.side_of(trace, item)?, item)
    }

    fn locate_in(&self, trace: &Trace, side: usize, item: Item) -> Option<Located> {
        let (start, end) = trace.interval(item);
        let has = |row: &SideRow| {
            let bars = row.bars.as_ref().filter(|_| row.side == side);
            bars.is_some_and(|bars| {
                let mut all = bars.lanes.iter().chain([&bars.points.plain, &bars.points.storage]);
                all.any(|lane| lane.position(start, item.code()).is_some())
            })
        };
        let row = self.rows.iter().find(|row| has(row))?;
        let origin = trace.spans.bounds(self.aligned.roots[side]).0;
        let since = |time: i64| time.saturating_sub(origin);
        let height = metrics::height(trace.tracks.kind(trace.track_of(item)));
        Some(Located {
            start: since(start),
            end: since(end),
            around: around_instant(trace, item).map(|(start, end)| (since(start), since(end))),
            top: row.top,
            height,
            expanded: Vec::new(),
            unhidden: Vec::new(),
            unfiltered: false,
            dims_again: false,
        })
    }

    /// Returns the line from a step of base to its partner in new; `item` is either of them.
    /// `None` if one execution lacks the step.
    pub fn connection(&self, trace: &Trace, item: Item) -> Option<Arrow> {
        let [a, b] = self.step_of(trace, item)?.1;
        let base = self.locate_in(trace, 1, Item::Span(b?))?;
        let new = self.locate_in(trace, 0, Item::Span(a?))?;
        let middle = |at: &Located| at.top + f64::from(at.height) / 2.0;
        Some(Arrow {
            leaves: base.start,
            from: middle(&base),
            arrives: new.start,
            to: middle(&new),
            direct: true,
        })
    }

    /// The side of an item (0 for new, 1 for base), its span and the span's partner, with the span of new first. `None` if the item
    /// is in neither execution.
    fn step_of(&self, trace: &Trace, item: Item) -> Option<(usize, [Option<SpanId>; 2])> {
        let side = self.aligned.side_of(trace, item)?;
        let id = span_at(trace, item)?;
        let partner = self.aligned.partner(side, id);
        Some((side, if side == 0 { [Some(id), partner] } else { [partner, Some(id)] }))
    }

    /// Describes both executions, and the step that an item belongs to.
    pub fn summary(&self, trace: &Trace, item: Option<Item>) -> SideBySideSummary {
        let (spans, matched): (Vec<usize>, Vec<usize>) = (0..2).map(|side| self.aligned.counts(side)).unzip();
        let only = [0, 1].map(|side| spans[side].saturating_sub(matched[side]) as u32);
        let step = item.and_then(|item| self.step_of(trace, item)).map(|(side, spans)| {
            let name = spans[side].map(|id| label::of_span(trace, id)).unwrap_or_default();
            AlignedStep {
                name: text::shortened(&name, 120),
                items: spans.map(|id| id.map(|id| Item::Span(id).code())),
                durations: spans.map(|id| id.map(|id| trace.duration(id))),
            }
        });
        SideBySideSummary {
            length: self.length,
            durations: self.aligned.roots.map(|root| trace.duration(root)),
            is_same: self.aligned.roots[0] == self.aligned.roots[1],
            common: matched[0] as u32,
            only,
            step,
        }
    }
}
