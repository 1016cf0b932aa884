//! [`TrackWriter`]: writes the tracks of a run with their spans and events. Used by all formats.

use crate::base::interner::{Interner, StrId};
use crate::import::contract::{BuildReport, ProblemKind};
use crate::import::interval_nesting::Placed;
use crate::trace::{
    Event, EventId, Flags, Key, Kind, RecordId, RunId, ShapeId, Span, SpanId, TraceBuilder, TrackId,
    TrackKind,
};

/// Writes the tracks of a run, one after the other. Times passed to it are readings of the source's clock, in nanoseconds.
pub struct TrackWriter<'a, 'b> {
    /// Outcome of building: shown records and problems.
    pub outcome: &'a mut BuildReport<'b>,
    /// The trace under construction.
    pub builder: &'a mut TraceBuilder,
    /// Clock reading that is time 0 of the run, in nanoseconds.
    pub origin: i64,
    /// First span of the current track.
    first: u32,
}

impl<'a, 'b> TrackWriter<'a, 'b> {
    /// Creates a writer that has no run yet.
    pub fn new(outcome: &'a mut BuildReport<'b>, builder: &'a mut TraceBuilder) -> Self {
        let first = builder.next_span().0;
        Self { outcome, builder, origin: 0, first }
    }

    /// Begins a run that lasts from clock reading `first` to `last`; returns the run and its root track.
    pub fn run(&mut self, name: StrId, (first, last): (i64, i64), records: u64) -> (RunId, TrackId) {
        self.origin = first;
        let run = self.builder.run(name, first, last.saturating_sub(first).max(0), records);
        self.first = self.builder.next_span().0;
        (run, self.builder.root(run))
    }

    /// Begins a track below `parent`.
    pub fn track(&mut self, parent: TrackId, name: StrId, kind: TrackKind) -> TrackId {
        self.first = self.builder.next_span().0;
        self.builder.track(parent, name, kind)
    }

    /// Begins a track with this title below `parent`.
    pub fn titled_track(&mut self, parent: TrackId, title: &str, kind: TrackKind) -> TrackId {
        let name = self.intern(title);
        self.track(parent, name, kind)
    }

    /// Returns the interned texts.
    pub fn strings(&mut self) -> &mut Interner {
        self.builder.strings()
    }

    /// Interns a text and returns its handle.
    pub fn intern(&mut self, text: &str) -> StrId {
        self.builder.strings().intern(text)
    }

    /// Counts a problem of a record that could be read; `text` identifies the record.
    pub fn note(&mut self, record: RecordId, kind: ProblemKind, text: impl FnOnce(&Interner) -> String) {
        let strings = &*self.builder.strings();
        self.outcome.note(record, kind, || text(strings));
    }

    /// Returns the handle of the span at a position of the current track.
    #[inline]
    pub fn span_at(&self, position: u32) -> SpanId {
        SpanId(self.first + position)
    }

    /// Returns a span at its position in the current track, with the records that began and ended it; for
    /// [`TraceBuilder::span`].
    #[inline]
    pub fn placed_span(
        &self,
        placed: &Placed,
        (name, kind): (StrId, Kind),
        [begin, end]: [RecordId; 2],
    ) -> Span {
        let Placed { flags, depth, .. } = *placed;
        let parent = placed.parent.map(|position| self.span_at(position));
        let (start, duration) =
            (placed.start.saturating_sub(self.origin), placed.end.saturating_sub(placed.start));
        Span { start, duration, parent, name, kind, flags, depth, begin, end }
    }

    /// Writes an event of the current track; its time is a clock reading.
    #[inline]
    pub fn event(&mut self, event: Event, shape: ShapeId, nums: &[Option<i64>], texts: &[StrId]) -> EventId {
        let event = Event { time: event.time.saturating_sub(self.origin), ..event };
        self.builder.event_with(event, shape, nums, texts)
    }

    /// Writes a counter as a track below `parent`. A sample has a time, a value (`None` if not reported) and a record.
    #[inline(never)]
    pub fn counter(
        &mut self,
        parent: TrackId,
        name: StrId,
        key: Key,
        samples: impl Iterator<Item = (i64, Option<i64>, RecordId)>,
    ) {
        self.track(parent, name, TrackKind::Counter);
        let shape = self.builder.shape(&[key], &[]);
        for (time, value, record) in samples {
            let flags = Flags::default();
            let event = Event { time, parent: None, name, kind: Kind::Sample, flags, record };
            self.event(event, shape, &[value], &[]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::interner::Interner;
    use crate::import::contract::{Problems, Records};
    use crate::trace::Unit;

    #[test]
    fn times_begin_with_the_run_and_positions_with_the_track() {
        let records = Records::default();
        let mut problems = Problems::default();
        let mut used = Vec::new();
        let mut outcome = BuildReport::new(&records, &mut problems, &mut used);
        let mut builder = TraceBuilder::new(Interner::default());
        let mut out = TrackWriter::new(&mut outcome, &mut builder);
        let name = out.intern("name");
        let (_, root) = out.run(name, (100, 200), 0);
        for _ in 0..2 {
            out.titled_track(root, "thread", TrackKind::Thread);
            for (start, end, parent, depth) in [(110, 150, None, 0), (120, 130, Some(0), 1)] {
                let placed = Placed { start, end, what: 0, flags: Flags::default(), parent, depth };
                let span = out.placed_span(&placed, (name, Kind::Slice), [RecordId::NONE; 2]);
                out.builder.span(span, ShapeId::BARE, &[], &[]);
            }
        }
        let key = out.builder.key("load", Unit::Count);
        out.counter(root, name, key, [(105, Some(1), RecordId(0)), (106, None, RecordId(1))].into_iter());
        let trace = builder.finish();
        let spans = (0..4).map(|id| trace.spans.get(SpanId(id)));
        let spans: Vec<_> = spans.map(|span| (span.start, span.duration, span.parent, span.depth)).collect();
        let inner = |parent| (20, 10, Some(SpanId(parent)), 1);
        assert_eq!(spans, [(10, 40, None, 0), inner(0), (10, 40, None, 0), inner(2)]);
        let times: Vec<i64> = (0..2).map(|id| trace.events.get(EventId(id)).time).collect();
        assert_eq!(times, [5, 6]);
    }
}
