//! [`TraceFile`]: the content of a file, which is read line by line.

use super::attribute_sets::AttributeSets;
use super::line_reading::LineReading;
use super::problems::{BAD_REFERENCE, CUT_OFF};
use super::rows::{
    FlowEnd, ItemNumbers, NONE, SavedEvent, SavedFlow, SavedLock, SavedRun, SavedSpan, SavedTable, SavedTrack,
};
use crate::base::columns::BlockColumn;
use crate::base::interner::StrId;
use crate::import::contract::Input;
use crate::import::text::lines::Place;
use crate::trace::TrackKind;

/// Content of a file, as far as it was read.
#[derive(Default)]
pub struct TraceFile {
    pub name: String,
    pub texts: Vec<StrId>,
    pub runs: Vec<SavedRun>,
    pub tracks: Vec<SavedTrack>,
    /// Indices of the tracks from the root to the track that was added last.
    pub open: Vec<u32>,
    pub spans: BlockColumn<SavedSpan>,
    pub events: BlockColumn<SavedEvent>,
    pub span_numbers: ItemNumbers,
    pub event_numbers: ItemNumbers,
    pub flows: Vec<SavedFlow>,
    pub locks: Vec<SavedLock>,
    pub tables: Vec<SavedTable>,
    pub notes: Vec<(u32, String, String)>,
    pub groups: Vec<(StrId, StrId)>,
    /// Numbers of spans and of events according to the first line.
    pub expected: (i64, i64),
    last: Place,
}

impl TraceFile {
    /// An empty file.
    pub fn new(name: &str) -> Self {
        Self { name: name.to_owned(), ..Self::default() }
    }

    /// Reads a line.
    pub fn line(&mut self, text: &str, place: Place, sets: &mut AttributeSets, input: &mut Input) {
        if text.trim().is_empty() {
            return;
        }
        self.last = place;
        let mut line = LineReading { file: self, sets, input, place, text };
        if let Err(problem) = line.read() {
            line.file.lose(text);
            input.lose(problem, place, text);
        }
    }

    /// Gives a line that is not shown a number nevertheless, so that the numbers of later items do not change.
    fn lose(&mut self, text: &str) {
        let text = text.trim_start_matches(|c: char| c.is_whitespace() || c == '{');
        if text.starts_with("\"span\"") {
            self.span_numbers.missing();
        } else if text.starts_with("\"event\"") {
            self.event_numbers.missing();
        } else if text.starts_with("\"text\"") {
            self.texts.push(StrId::EMPTY);
        } else if text.starts_with("\"run\"") || text.starts_with("\"track\"") && self.runs.is_empty() {
            self.begin_bare_run(StrId::EMPTY);
        } else if text.starts_with("\"track\"") {
            self.open.truncate(1);
            let root = self.open.first().copied().unwrap_or(0);
            self.push_track(StrId::EMPTY, TrackKind::Other, root, Vec::new());
        }
    }

    /// Ends the file.
    pub fn finish(&mut self, input: &mut Input) {
        for flow in self.flows.iter().filter(|flow| self.has_no_end(flow)) {
            input.note(BAD_REFERENCE, flow.place, "");
        }
        let missing = (self.expected.0 > i64::from(self.span_numbers.next))
            || (self.expected.1 > i64::from(self.event_numbers.next));
        if missing {
            let found = format!("{} spans, {} events", self.span_numbers.next, self.event_numbers.next);
            input.note(CUT_OFF, self.last, &found);
        }
    }

    /// Whether an end of the arrow refers to an item that is not in the file.
    fn has_no_end(&self, flow: &SavedFlow) -> bool {
        [flow.from, flow.to].into_iter().any(|end| match end {
            FlowEnd::Span(number) => number >= self.span_numbers.next,
            FlowEnd::Event(number) => number >= self.event_numbers.next,
        })
    }

    /// Begins a run.
    pub fn begin_run(&mut self, run: SavedRun, texts: Vec<(StrId, StrId)>) {
        self.open.clear();
        self.push_track(run.name, TrackKind::Run, NONE, texts);
        self.runs.push(run);
    }

    /// Begins a run that has only a name.
    pub fn begin_bare_run(&mut self, name: StrId) {
        let track = self.tracks.len() as u32;
        let run = SavedRun { name, track, origin: 0, duration: None, records: None, end: 0, items: 0 };
        self.begin_run(run, Vec::new());
    }

    /// Appends a track below `parent`.
    pub fn push_track(&mut self, name: StrId, kind: TrackKind, parent: u32, texts: Vec<(StrId, StrId)>) {
        let (first_span, first_event) = (self.spans.len() as u32, self.events.len() as u32);
        self.open.push(self.tracks.len() as u32);
        let has_rows = false;
        self.tracks.push(SavedTrack { name, kind, parent, first_span, first_event, has_rows, texts });
    }
}
