//! Rows of bars over time: one group of rows per query, or packed.

use super::content::{TrackContents, beyond};
use super::folds::Folds;
use super::notes::ItemNotes;
use super::pen::{BarPlace, NO_TEXT, SceneBuilder};
use super::rows::{VisibleRows, below_header, own_height};
use super::scene::{BarStyle, Fold, SceneRow};
use super::{label, metrics};
use crate::trace::{Flags, Kind, RunId, TrackId, TrackKind};

/// What both arrangements draw runs and tracks from.
pub(super) struct TrackRows<'a> {
    pub folds: &'a Folds,
    pub contents: &'a mut TrackContents,
    pub notes: &'a mut ItemNotes,
}

/// The arrangement by query.
pub(super) fn by_query(pen: &mut SceneBuilder, rows: &VisibleRows, tracks: &mut TrackRows) {
    pen.scene.content_height = rows.height();
    let top = pen.scene.viewport.top;
    for (track, at) in rows.visible(pen.stretch()) {
        tracks.draw(pen, track, (at - top) as f32);
    }
    moments(pen, rows);
}

/// What happened to all of a run or process is a line through all of its rows, behind everything else.
fn moments(pen: &mut SceneBuilder, rows: &VisibleRows) {
    let tracks = &pen.trace.tracks;
    let visible: Vec<TrackId> = rows.visible(pen.stretch()).map(|(track, _)| track).collect();
    let first = visible.first().and_then(|first| tracks.get(*first).parent);
    let above = std::iter::successors(first, |track| tracks.get(*track).parent);
    for track in above.chain(visible.iter().copied()) {
        let kind = tracks.kind(track);
        let header = if kind == TrackKind::Run { f64::from(metrics::HEADER) } else { 0.0 };
        let events = tracks.events(track);
        if matches!(kind, TrackKind::Run | TrackKind::Process)
            && !events.is_empty()
            && let Some(through) = rows.subtree(pen.trace, track)
        {
            pen.moments(events, through.start + header..through.end);
        }
    }
}

impl TrackRows<'_> {
    /// A track's row, with its heading, at `y`.
    pub fn draw(&mut self, pen: &mut SceneBuilder, id: TrackId, y: f32) {
        if pen.trace.tracks.kind(id) == TrackKind::Run {
            return self.run(pen, id, y);
        }
        let track = pen.trace.tracks.get(id);
        let mut row = self.heading(pen, id, y, own_height(pen.trace, id, self.folds));
        let closed = row.fold == Fold::Closed;
        let (drawn, viewport) = (pen.scene.rects.len(), pen.scene.viewport);
        if track.kind == TrackKind::Counter {
            let counter = self.contents.counter(pen.trace, id);
            row.note = pen.text(counter.scale());
            pen.counter(counter, y, row.height);
            return pen.scene.rows.push(row);
        }
        if closed && track.kind == TrackKind::Process && pen.trace.tracks.spans(id).is_empty() {
            let place = BarPlace { labels: false, ..metrics::place(TrackKind::Process, Kind::Slice, 0, y) };
            let activity = self.contents.activity(pen.trace, id);
            (row.before, row.after) = beyond([activity], viewport.start, viewport.end);
            pen.lane(activity, &place);
            if pen.finds_below(id) {
                pen.mark_bars(drawn, BarStyle::MATCH);
            }
            return pen.scene.rows.push(row);
        }
        let levels = if track.kind == TrackKind::Query { u16::MAX } else { self.folds.levels(pen.trace, id) };
        self.contents.with(pen.trace, id, |content| {
            (row.before, row.after) = content.beyond(viewport.start, viewport.end);
            pen.content(content, track.kind, levels, y);
        });
        pen.scene.rows.push(row);
        // What a closed row hides must still be seen.
        if closed && self.contents.flags(pen.trace, id).has(Flags::OVER_FETCH) {
            pen.mark_bars(drawn, BarStyle::OVER_FETCH);
        }
        if closed && pen.finds_below(id) {
            pen.mark_bars(drawn, BarStyle::MATCH);
        }
    }

    /// A run's header, and below it what is its own.
    pub fn run(&mut self, pen: &mut SceneBuilder, id: TrackId, y: f32) {
        let mut header = self.heading(pen, id, y, metrics::HEADER);
        header.header = true;
        let run = pen.trace.runs.iter().position(|run| run.track == id);
        if let Some(run) = run {
            header.note = pen.text(self.notes.of_run(pen.trace, RunId(run as u32)).to_owned());
        }
        pen.scene.rows.push(header);
        let open = self.folds.is_open(id);
        let (y, below) = (y + metrics::HEADER, below_header(pen.trace, id, open));
        if below == 0.0 {
            return;
        }
        pen.row(y, below, 1, if open { "run" } else { "activity" });
        if open {
            self.contents.with(pen.trace, id, |content| pen.content(content, TrackKind::Run, u16::MAX, y));
        } else {
            let place = BarPlace { labels: false, ..metrics::place(TrackKind::Run, Kind::Query, 0, y) };
            pen.lane(self.contents.activity(pen.trace, id), &place);
        }
    }

    /// Says how many levels of a track are hidden, where some are.
    fn hidden_levels(&self, pen: &mut SceneBuilder, id: TrackId) -> u32 {
        let hidden = pen.trace.tracks.get(id).lanes.saturating_sub(self.folds.levels(pen.trace, id));
        if hidden == 0 { NO_TEXT } else { pen.text(format!("{hidden} more")) }
    }

    fn heading(&self, pen: &mut SceneBuilder, id: TrackId, y: f32, height: f32) -> SceneRow {
        let track = pen.trace.tracks.get(id);
        let leaf = pen.trace.tracks.subtree(id).len() == 1 && !self.folds.has_short_levels(pen.trace, id);
        let fold = match (leaf, self.folds.is_open(id)) {
            (true, _) => Fold::Leaf,
            (false, true) => Fold::Open,
            (false, false) => Fold::Closed,
        };
        let name = label::one_line(pen.trace.str(track.name));
        let (label, detail) = match label::statement_of(pen.trace, id) {
            Some(statement) => (pen.text(statement), pen.text(name)),
            None => (pen.text(name), self.hidden_levels(pen, id)),
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
