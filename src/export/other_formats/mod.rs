//! A trace in the formats of other programs: [`ForeignFormat`] lists them, [`write_foreign`] writes one.
//!
//! ```text
//! ExportSpec ─→ TracePart ─┬ chrome       Trace Event JSON: all but parents across tracks
//!                          ├ speedscope   a profile for each track
//!               lanes ─────┤
//!                          ├ folded       stacks by self time
//!                          └ otlp         spans, links, events of spans
//! ```
//! Data that a format cannot represent is counted ([`ForeignSummary::not_written`]).

mod chrome;
mod folded;
mod lanes;
mod otlp;
mod speedscope;

use std::io::{self, Write};

use super::trace_file::json_string;
use super::trace_file::part::{PartSpan, PartTrack, TracePart};
use crate::base::text::counted;
use crate::protocol::ExportSpec;
use crate::trace::{EventId, Flags, Item, Kind, RunId, SpanId, Trace, TrackId};

/// A format of other programs in which a trace can be written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ForeignFormat {
    /// Chrome's Trace Event Format, as JSON.
    Chrome,
    /// speedscope's file format, with evented profiles.
    Speedscope,
    /// Folded stacks, weighted by self time in nanoseconds.
    Folded,
    /// OpenTelemetry traces: an OTLP export request as JSON.
    Otlp,
}

/// Summary of the data that was removed or could not be written, as phrases for the user.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct ForeignSummary {
    /// Data that was removed on request or is outside the selected part, one phrase each.
    pub removed: Vec<String>,
    /// Data that the format cannot represent, one phrase each, such as "12 counter samples".
    pub not_written: Vec<String>,
    /// Sentences about differences from the trace.
    pub notes: Vec<String>,
}

/// Writes the part of a trace that `spec` selects.
///
/// # Errors
/// If `out` cannot be written.
pub fn write_foreign(
    trace: &Trace,
    spec: &ExportSpec,
    format: ForeignFormat,
    out: &mut dyn Write,
) -> io::Result<ForeignSummary> {
    let mut part = TracePart::new(trace, spec);
    let mut losses = Losses::default();
    losses.add_rest(&part);
    match format {
        ForeignFormat::Chrome => chrome::write(&mut part, &mut losses, out)?,
        ForeignFormat::Speedscope => speedscope::write(&mut part, &mut losses, out)?,
        ForeignFormat::Folded => folded::write(&mut part, spec, &mut losses, out)?,
        ForeignFormat::Otlp => otlp::write(&mut part, &mut losses, out)?,
    }
    let Losses { counts, notes } = losses;
    let not_written = counts.into_iter().map(|(n, one, many)| counted(n, one, many)).collect();
    Ok(ForeignSummary { removed: part.removed(), not_written, notes })
}

/// Counts of the data that a format cannot represent.
#[derive(Default)]
struct Losses {
    counts: Vec<(u64, &'static str, &'static str)>,
    notes: Vec<String>,
}

impl Losses {
    fn add(&mut self, n: u64, one: &'static str, many: &'static str) {
        match self.counts.iter_mut().find(|(_, known, _)| *known == one) {
            Some((count, ..)) => *count += n,
            None if n > 0 => self.counts.push((n, one, many)),
            None => {}
        }
    }

    /// Counts the data that only the format `queryscope` can represent.
    fn add_rest(&mut self, part: &TracePart) {
        let trace = part.trace;
        let runs_only = |run: RunId| part.has_run(run) && !part.is_query();
        let rows = trace.tables.iter().filter(|table| runs_only(table.run)).map(|table| table.len() as u64);
        self.add(rows.sum(), "row of a side table", "rows of side tables");
        let waits = trace.lock_waits.iter().filter(|wait| part.has_run(wait.run)).count();
        self.add(waits as u64, "lock wait", "lock waits");
        let notes = trace.notes.iter().filter(|note| part.has_run(note.run)).count();
        self.add(notes as u64, "note of a run", "notes of runs");
    }

    /// Counts the events of a track, for a format without events.
    fn add_events(&mut self, part: &TracePart, track: TrackId) {
        part.events(track).for_each(|event| self.add_event(part.trace, event));
    }

    fn add_event(&mut self, trace: &Trace, event: EventId) {
        match trace.events.kind(event) {
            Kind::Sample => self.add(1, "counter sample", "counter samples"),
            _ => self.add(1, "event", "events"),
        }
    }

    /// Counts the texts of a track.
    fn add_track_texts(&mut self, part: &TracePart, track: TrackId) {
        let texts = part.trace.track_texts.of(track).count();
        self.add(texts as u64, "attribute of a track", "attributes of tracks");
    }

    /// Counts the attributes of spans, for a format without attributes.
    fn add_attributes(&mut self, part: &TracePart, spans: &[PartSpan]) {
        let trace = part.trace;
        let of_span = |span: &PartSpan| {
            let item = Item::Span(span.id);
            trace.nums(item).count() + trace.texts(item).count()
        };
        let attributes = spans.iter().map(of_span).sum::<usize>();
        self.add(attributes as u64, "attribute of a span", "attributes of spans");
    }

    /// Counts the spans whose parents are in other tracks, for a format in which a span is nested only in its own track.
    fn add_parents(&mut self, part: &TracePart, track: TrackId, spans: &[PartSpan]) {
        let is_elsewhere = |parent: SpanId| part.trace.tracks.of_span(parent) != track;
        let elsewhere = spans.iter().filter(|span| span.parent.is_some_and(is_elsewhere)).count();
        self.add(elsewhere as u64, "parent in another track", "parents in other tracks");
    }
}

/// Names of the flags of an item, separated by commas; `None` if there are none.
fn flag_text(flags: Flags) -> Option<String> {
    let names: Vec<&str> = flags.names().collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Whether the track has spans or events in the selected part.
fn has_items(part: &TracePart, track: &PartTrack) -> bool {
    let spans = part.trace.tracks.spans(track.id).map(|id| Item::Span(SpanId(id)));
    let events = part.trace.tracks.events(track.id).map(|id| Item::Event(EventId(id)));
    spans.chain(events).any(|item| part.contains(item))
}
