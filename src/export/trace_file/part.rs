//! [`TracePart`]: the selected part of a trace with redacted names and texts, for the writers of other formats.

use std::borrow::Cow;

use super::TraceExport;
use super::roles::TextRole;
use super::sections::Section;
use crate::base::FxHashMap;
use crate::base::text::decimal;
use crate::protocol::ExportSpec;
use crate::trace::{
    EventId, Flags, Flow, Item, Key, Kind, RunId, SpanId, StrId, Trace, TrackId, TrackKind, Unit,
};

/// The part of a trace that an [`ExportSpec`] selects, with redacted names and texts, and with times clipped to the
/// range.
pub struct TracePart<'t> {
    pub trace: &'t Trace,
    export: TraceExport,
    /// Redacted texts; `None` for each dropped text. Filled only if texts are redacted.
    texts: FxHashMap<(StrId, TextRole), Option<String>>,
}

/// A span of the selected part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PartSpan {
    pub id: SpanId,
    /// Start, in nanoseconds since the run's first event.
    pub start: i64,
    /// End, in nanoseconds; at least `start`.
    pub end: i64,
    pub kind: Kind,
    pub flags: Flags,
    /// Row of the span in its track.
    pub row: u16,
    /// Parent; `None` if it is not selected.
    pub parent: Option<SpanId>,
}

/// A track of the selected part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PartTrack {
    pub id: TrackId,
    pub kind: TrackKind,
    /// Index of the run in the trace.
    pub run: u32,
    /// The process that contains the track, or the root track of the run if there is no process.
    pub process: TrackId,
    /// Names of the tracks from below the process down to this track; for the track of the process itself, its own
    /// name.
    pub path: String,
}

/// A value of an attribute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PartValue<'t> {
    Integer(i64),
    /// A decimal number, as text.
    Decimal(String),
    Text(Cow<'t, str>),
}

impl<'t> TracePart<'t> {
    /// Selects the part, and collects the identifiers and literals that are to be removed.
    pub fn new(trace: &'t Trace, spec: &ExportSpec) -> Self {
        let mut export = TraceExport::new(trace, spec);
        while let Some(section @ (Section::Learn(_) | Section::LearnTrack(_) | Section::LearnRest)) =
            export.sections.next(trace)
        {
            export.section(trace, section, &mut Vec::new());
        }
        // Only names of attributes that the trace uses may count as replaced.
        for key in trace.keys_in_use() {
            let name = export.redactor.key_name(trace.str(trace.keys.get(key).name));
            if let Some(known) = export.keys.get_mut(usize::from(key.0)) {
                *known = name;
            }
        }
        Self { trace, export, texts: FxHashMap::default() }
    }

    /// Data removed, one phrase per kind. Complete once everything is written.
    pub fn removed(&self) -> Vec<String> {
        self.export.removed()
    }

    /// Whether only a query is selected, without data of whole runs, such as side tables.
    pub fn is_query(&self) -> bool {
        self.export.selection.is_query
    }

    /// Whether a run is selected.
    pub fn has_run(&self, run: RunId) -> bool {
        self.export.selection.run(run).is_some()
    }

    /// Whether a span or event is selected.
    pub fn contains(&self, item: Item) -> bool {
        self.export.is_written(item)
    }

    /// The selected tracks, parents before children.
    pub fn tracks(&mut self) -> Vec<PartTrack> {
        let trace = self.trace;
        let mut tracks: Vec<PartTrack> = Vec::new();
        let mut run = 0;
        for id in (0..trace.tracks.len() as u32).map(TrackId) {
            let track = trace.tracks.get(id);
            if track.parent.is_none() {
                run = trace.runs.iter().position(|run| run.track == id).map_or(run, |at| at as u32);
            }
            if self.export.selection.track(id).is_none() {
                continue;
            }
            let root = trace.runs.get(run as usize).map_or(id, |run| run.track);
            let process = trace.tracks.ancestor(id, TrackKind::Process).unwrap_or(root);
            let path = self.path(id, process);
            tracks.push(PartTrack { id, kind: track.kind, run, process, path });
        }
        tracks
    }

    fn path(&mut self, id: TrackId, process: TrackId) -> String {
        let tracks = &self.trace.tracks;
        let chain = std::iter::successors(Some(id), |&id| tracks.get(id).parent);
        let mut ids: Vec<TrackId> = chain.take_while(|&at| at != process).collect();
        if ids.is_empty() {
            ids.push(process);
        }
        let names: Vec<String> = ids.into_iter().rev().map(|id| self.track_name(id)).collect();
        names.join(" / ")
    }

    /// Name of a track: its kind if it has no name, or if the name is removed.
    pub fn track_name(&mut self, id: TrackId) -> String {
        let track = self.trace.tracks.get(id);
        let name = self.text(self.export.roles.of_track(track.kind), track.name);
        name.filter(|name| !name.is_empty()).map_or_else(|| track.kind.name().to_owned(), Cow::into_owned)
    }

    /// The selected spans of a track, by start; of spans that start together, outer ones first.
    pub fn spans(&self, track: TrackId) -> Vec<PartSpan> {
        let mut spans: Vec<PartSpan> =
            self.trace.tracks.spans(track).filter_map(|id| self.span(SpanId(id))).collect();
        spans.sort_by_key(|span| (span.start, std::cmp::Reverse(span.end), span.row, span.id));
        spans
    }

    /// A span; `None` if it is not selected.
    pub fn span(&self, id: SpanId) -> Option<PartSpan> {
        let (start, end) = self.export.selection.interval(self.trace, Item::Span(id))?;
        let (kind, flags) = self.trace.spans.kind_and_flags(id);
        let parent = self.trace.spans.parent(id).filter(|&parent| self.contains(Item::Span(parent)));
        Some(PartSpan {
            id,
            start,
            end: end.max(start),
            kind,
            flags,
            row: self.trace.spans.depth(id),
            parent,
        })
    }

    /// The selected events of a track, by time.
    pub fn events(&self, track: TrackId) -> impl Iterator<Item = EventId> + '_ {
        let events = self.trace.tracks.events(track).map(EventId);
        events.filter(|&id| self.contains(Item::Event(id)))
    }

    /// The arrows between selected items.
    pub fn flows(&self) -> Vec<Flow<Item>> {
        let flows = &self.trace.flows;
        let all = flows.iter().map(|flow| flow.of_items()).chain(flows.of_instants().copied());
        all.filter(|flow| self.contains(flow.from) && self.contains(flow.to)).collect()
    }

    /// Name of an arrow: `flow` if it has none.
    pub fn flow_name(&mut self, name: StrId) -> Cow<'t, str> {
        let name = self.text(TextRole::Name, name);
        name.filter(|name| !name.is_empty()).unwrap_or(Cow::Borrowed("flow"))
    }

    /// Name of a span or event: its kind if it has no name, or if the name is removed.
    pub fn name(&mut self, item: Item) -> Cow<'t, str> {
        let role = self.export.roles.of_name(self.trace, item);
        let name = self.text(role, self.trace.name(item));
        name.filter(|name| !name.is_empty()).unwrap_or(Cow::Borrowed(self.trace.kind(item).name()))
    }

    /// The attributes of a span or event by their names, each name once.
    pub fn attributes(&mut self, item: Item) -> Vec<(String, PartValue<'t>)> {
        let trace = self.trace;
        let mut attributes: Vec<(Key, PartValue<'t>)> = Vec::new();
        for (key, number) in trace.nums(item) {
            let is_decimal = trace.keys.get(key).unit == Unit::Millionths;
            let value =
                if is_decimal { PartValue::Decimal(decimal(number)) } else { PartValue::Integer(number) };
            attributes.push((key, value));
        }
        for (key, text) in trace.texts(item) {
            if let Some(text) = self.text(self.export.roles.of_key(key), text) {
                attributes.push((key, PartValue::Text(text)));
            }
        }
        let mut named: Vec<(String, PartValue<'t>)> = Vec::with_capacity(attributes.len());
        for (key, value) in attributes {
            let name = unused_name(&named, self.export.key_name(key));
            named.push((name, value));
        }
        named
    }

    /// The text of a span or event under a key; `None` if it has none, or if it is removed.
    pub fn attribute_text(&mut self, item: Item, key: Key) -> Option<Cow<'t, str>> {
        self.text(self.export.roles.of_key(key), self.trace.text(item, key)?)
    }

    fn text(&mut self, role: TextRole, id: StrId) -> Option<Cow<'t, str>> {
        let text = self.trace.str(id.some()?);
        if !self.export.redactor.is_active() {
            return Some(Cow::Borrowed(text));
        }
        let redactor = &mut self.export.redactor;
        let redact = || redactor.redacted(role, text).map(Cow::into_owned);
        self.texts.entry((id, role)).or_insert_with(redact).clone().map(Cow::Owned)
    }
}

/// Returns the name, with a number appended if another attribute has the name.
pub fn unused_name<V>(attributes: &[(String, V)], name: &str) -> String {
    let is_used = |name: &str| attributes.iter().any(|(used, _)| used == name);
    let numbered = (2..).map(|number| format!("{name} {number}"));
    std::iter::once(name.to_owned()).chain(numbered).find(|name| !is_used(name)).unwrap_or_default()
}
