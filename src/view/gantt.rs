//! Bars over time, with one group of rows per query; also draws the runs and tracks of the packed arrangement.

use super::content::{TrackContents, gap_around};
use super::folds::Folds;
use super::notes::ItemNotes;
use super::rows::{VisibleRows, below_header, own_height};
use super::scene::{BarStyle, Fold, SceneRow};
use super::scene_builder::{BarPlace, NO_TEXT, SceneBuilder};
use super::{label, metrics};
use crate::protocol::CounterView;
use crate::trace::{Flags, Kind, RunId, TrackId, TrackKind};

/// State needed to draw runs and tracks, in both the packed arrangement and the arrangement by query.
pub(super) struct TrackRows<'a> {
    pub folds: &'a Folds,
    pub contents: &'a mut TrackContents,
    pub notes: &'a mut ItemNotes,
    pub counters: CounterView,
}

/// Draws the arrangement by query.
pub(super) fn by_query(builder: &mut SceneBuilder, rows: &VisibleRows, tracks: &mut TrackRows) {
    own_rows(builder, rows, tracks);
    moments(builder, rows);
}

/// Draws the own row of each track.
pub(super) fn own_rows(builder: &mut SceneBuilder, rows: &VisibleRows, tracks: &mut TrackRows) {
    builder.scene.content_height = rows.height();
    let top = builder.scene.viewport.top;
    for (track, at) in rows.visible(builder.stretch()) {
        tracks.draw(builder, track, (at - top) as f32);
    }
}

/// Draws events that concern a whole run or process as lines through all of its rows, behind everything else.
fn moments(builder: &mut SceneBuilder, rows: &VisibleRows) {
    let tracks = &builder.trace.tracks;
    let visible: Vec<TrackId> = rows.visible(builder.stretch()).map(|(track, _)| track).collect();
    let first = visible.first().and_then(|first| tracks.get(*first).parent);
    let above = std::iter::successors(first, |track| tracks.get(*track).parent);
    for track in above.chain(visible.iter().copied()) {
        let kind = tracks.kind(track);
        let header = if kind == TrackKind::Run { f64::from(metrics::HEADER) } else { 0.0 };
        let events = tracks.events(track);
        if matches!(kind, TrackKind::Run | TrackKind::Process)
            && !events.is_empty()
            && let Some(through) = rows.subtree(builder.trace, track)
        {
            builder.moments(events, through.start + header..through.end);
        }
    }
}

impl TrackRows<'_> {
    /// Draws a track's row and its heading at `y`.
    pub fn draw(&mut self, builder: &mut SceneBuilder, id: TrackId, y: f32) {
        if builder.trace.tracks.kind(id) == TrackKind::Run {
            return self.run(builder, id, y);
        }
        let track = builder.trace.tracks.get(id);
        let mut row = self.heading(builder, id, y, own_height(builder.trace, id, self.folds));
        let closed = row.fold == Fold::Closed;
        let (drawn, viewport) = (builder.scene.rects.len(), builder.scene.viewport);
        if track.kind == TrackKind::Counter {
            if let Some(stack) = self.folds.arranged().stacked(id) {
                let (counters, high) = self.contents.stack(builder.trace, stack, self.counters.rate);
                row.detail = builder.text(format!("{} stacked", stack.len()));
                row.note = builder.text(counters[0].scale((0, high)));
                builder.stacked(&counters, high, y, row.height);
                return builder.scene.rows.push(row);
            }
            let scale = self.contents.counter_scale(builder.trace, id, self.counters);
            let counter = self.contents.counter(builder.trace, id, self.counters.rate);
            row.note = builder.text(counter.scale(scale));
            builder.counter(counter, scale, y, row.height);
            return builder.scene.rows.push(row);
        }
        if closed && track.kind == TrackKind::Process && builder.trace.tracks.spans(id).is_empty() {
            let place = BarPlace { labels: false, ..metrics::place(TrackKind::Process, Kind::Slice, 0, y) };
            let activity = self.contents.activity(builder.trace, id, builder.shown());
            (row.before, row.after) = gap_around([activity], None, viewport.start, viewport.end);
            builder.lane(activity, &place);
            if builder.finds_below(id) {
                builder.mark_bars(drawn, BarStyle::MATCH);
            }
            return builder.scene.rows.push(row);
        }
        let levels =
            if track.kind == TrackKind::Query { u16::MAX } else { self.folds.levels(builder.trace, id) };
        builder.in_collapsed_track(closed, |builder| {
            self.contents.with(builder.trace, id, |content| {
                (row.before, row.after) = content.gap_around(builder.shown(), viewport.start, viewport.end);
                builder.content(content, track.kind, levels, y);
            });
        });
        builder.scene.rows.push(row);
        // A closed row still shows the over-fetching of hidden rows.
        if closed && self.contents.flags(builder.trace, id).has(Flags::OVER_FETCH) {
            builder.mark_bars(drawn, BarStyle::OVER_FETCH);
        }
        if closed && builder.finds_below(id) {
            builder.mark_bars(drawn, BarStyle::MATCH);
        }
    }

    /// Draws a run's header, and below it the run's own spans and events.
    pub fn run(&mut self, builder: &mut SceneBuilder, id: TrackId, y: f32) {
        let mut header = self.heading(builder, id, y, metrics::HEADER);
        header.header = true;
        let run = builder.trace.runs.iter().position(|run| run.track == id);
        if let Some(run) = run {
            header.note = builder.text(self.notes.of_run(builder.trace, RunId(run as u32)).to_owned());
        }
        builder.scene.rows.push(header);
        let open = self.folds.is_open(id);
        let (y, below) = (y + metrics::HEADER, below_header(builder.trace, id, open));
        if below == 0.0 {
            return;
        }
        builder.row(y, below, 1, if open { "run" } else { "activity" });
        if open {
            self.contents
                .with(builder.trace, id, |content| builder.content(content, TrackKind::Run, u16::MAX, y));
        } else {
            let place = BarPlace { labels: false, ..metrics::place(TrackKind::Run, Kind::Query, 0, y) };
            builder.lane(self.contents.activity(builder.trace, id, builder.shown()), &place);
        }
    }

    /// Returns the index of the note that shows the number of hidden levels of a track; `NO_TEXT` if there are none.
    fn hidden_levels(&self, builder: &mut SceneBuilder, id: TrackId) -> u32 {
        let hidden = builder.trace.tracks.get(id).lanes.saturating_sub(self.folds.levels(builder.trace, id));
        if hidden == 0 { NO_TEXT } else { builder.text(format!("{hidden} more")) }
    }

    fn heading(&self, builder: &mut SceneBuilder, id: TrackId, y: f32, height: f32) -> SceneRow {
        let track = builder.trace.tracks.get(id);
        let leaf =
            builder.trace.tracks.subtree(id).len() == 1 && !self.folds.has_short_levels(builder.trace, id);
        let fold = match (leaf, self.folds.is_open(id)) {
            (true, _) => Fold::Leaf,
            (false, true) => Fold::Open,
            (false, false) => Fold::Closed,
        };
        let name = label::one_line(builder.trace.str(track.name));
        let (label, detail) = match label::statement_of(builder.trace, id) {
            Some(statement) => (builder.text(statement), builder.text(name)),
            None => (builder.text(name), self.hidden_levels(builder, id)),
        };
        let depth = track.depth;
        SceneRow {
            y,
            height,
            depth,
            label,
            detail,
            note: NO_TEXT,
            track: id.0,
            fold,
            header: false,
            before: None,
            after: None,
        }
    }
}
