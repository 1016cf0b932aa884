//! [`Sections`]: the order in which the lines of a file are written.

use crate::trace::{EventId, Item, SpanId, Trace, TrackId};

/// Next step of writing a file.
#[derive(Clone, Copy, Debug)]
pub enum Section {
    /// Collects the identifiers in the texts of an item.
    Learn(Item),
    /// Collects the identifiers in the texts of a track.
    LearnTrack(TrackId),
    /// Collects the identifiers in lock waits and side tables.
    LearnRest,
    /// Writes the first line.
    Header,
    /// Writes names and units of attributes.
    Keys,
    /// Writes a track.
    Track(TrackId),
    /// Writes a span or event of the last track.
    Item(Item),
    /// Writes an arrow.
    Flow(usize),
    /// Writes a lock wait.
    Lock(usize),
    /// Writes name and columns of a side table.
    Table(usize),
    /// Writes a row of a side table.
    Row(usize, usize),
    /// Writes a note of a run.
    Note(usize),
    /// Writes the list of removed data.
    Removed,
}

/// Type of the next lines, and the number of the next line of that type.
#[derive(Clone, Copy, Debug)]
enum Stage {
    LearnSpans(u32),
    LearnEvents(u32),
    LearnTracks(u32),
    LearnRest,
    Header,
    Keys,
    Tracks(u32),
    /// Next span and next event of a track.
    Items(u32, u32, u32),
    Flows(usize),
    Locks(usize),
    Tables(usize),
    Rows(usize, usize),
    Notes(usize),
    Removed,
    End,
}

/// Iterates over the sections of a file, in the order of writing.
pub struct Sections(Stage);

impl Sections {
    /// Begins with the first line of the file or, if texts are redacted, with collecting identifiers.
    pub fn new(is_redacted: bool) -> Self {
        Self(if is_redacted { Stage::LearnSpans(0) } else { Stage::Header })
    }

    /// The next section; `None` at the end.
    pub fn next(&mut self, trace: &Trace) -> Option<Section> {
        loop {
            let (section, next) = step(trace, self.0)?;
            self.0 = next;
            if section.is_some() {
                return section;
            }
        }
    }
}

/// Returns the section of a stage, and the next stage; `None` at the end.
fn step(trace: &Trace, stage: Stage) -> Option<(Option<Section>, Stage)> {
    Some(match stage {
        Stage::LearnSpans(at) if (at as usize) < trace.spans.len() => {
            (Some(Section::Learn(Item::Span(SpanId(at)))), Stage::LearnSpans(at + 1))
        }
        Stage::LearnSpans(_) => (None, Stage::LearnEvents(0)),
        Stage::LearnEvents(at) if (at as usize) < trace.events.len() => {
            (Some(Section::Learn(Item::Event(EventId(at)))), Stage::LearnEvents(at + 1))
        }
        Stage::LearnEvents(_) => (None, Stage::LearnTracks(0)),
        Stage::LearnTracks(at) if (at as usize) < trace.tracks.len() => {
            (Some(Section::LearnTrack(TrackId(at))), Stage::LearnTracks(at + 1))
        }
        Stage::LearnTracks(_) => (None, Stage::LearnRest),
        Stage::LearnRest => (Some(Section::LearnRest), Stage::Header),
        Stage::Header => (Some(Section::Header), Stage::Keys),
        Stage::Keys => (Some(Section::Keys), Stage::Tracks(0)),
        Stage::Tracks(at) if (at as usize) < trace.tracks.len() => {
            let track = TrackId(at);
            let spans = trace.tracks.spans(track);
            (Some(Section::Track(track)), Stage::Items(at, spans.start, trace.tracks.events(track).start))
        }
        Stage::Tracks(_) => (None, Stage::Flows(0)),
        Stage::Items(track, span, event) if span < trace.tracks.spans(TrackId(track)).end => {
            (Some(Section::Item(Item::Span(SpanId(span)))), Stage::Items(track, span + 1, event))
        }
        Stage::Items(track, span, event) if event < trace.tracks.events(TrackId(track)).end => {
            (Some(Section::Item(Item::Event(EventId(event)))), Stage::Items(track, span, event + 1))
        }
        Stage::Items(track, ..) => (None, Stage::Tracks(track + 1)),
        Stage::Flows(at) if at < trace.flows.len() => (Some(Section::Flow(at)), Stage::Flows(at + 1)),
        Stage::Flows(_) => (None, Stage::Locks(0)),
        Stage::Locks(at) if at < trace.lock_waits.len() => (Some(Section::Lock(at)), Stage::Locks(at + 1)),
        Stage::Locks(_) => (None, Stage::Tables(0)),
        Stage::Tables(at) if at < trace.tables.iter().count() => {
            (Some(Section::Table(at)), Stage::Rows(at, 0))
        }
        Stage::Tables(_) => (None, Stage::Notes(0)),
        Stage::Rows(table, row) if trace.tables.iter().nth(table).is_some_and(|table| row < table.len()) => {
            (Some(Section::Row(table, row)), Stage::Rows(table, row + 1))
        }
        Stage::Rows(table, _) => (None, Stage::Tables(table + 1)),
        Stage::Notes(at) if at < trace.notes.len() => (Some(Section::Note(at)), Stage::Notes(at + 1)),
        Stage::Notes(_) => (None, Stage::Removed),
        Stage::Removed => (Some(Section::Removed), Stage::End),
        Stage::End => return None,
    })
}
