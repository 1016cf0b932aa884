//! [`TraceExport`]: writes a trace, or a part of it, in the format `queryscope`, which [`crate::import`] reads again. See
//! `docs/trace-format.md`.
//!
//! ```text
//! header ─ keys ─ run ─ track ─ spans and events of the track ─ track ─ … ─ run ─ … ─ flows ─ locks ─ tables ─ notes
//! ```
//! Texts are written before the line that first uses them, and numbered. What a [`Redaction`](crate::protocol::Redaction)
//! removes is removed from each text by its [role](roles::TextRole) when it is written; identifiers were collected before.

mod identifiers;
mod line;
pub(super) mod part;
mod redaction;
mod rest;
mod roles;
mod sections;
mod selection;
mod sql_texts;
mod vocabulary;

use crate::base::FxHashMap;
use crate::base::text::{counted, decimal};
use crate::protocol::{ExportPreview, ExportSpec};
use crate::trace::{Flags, Item, Key, StrId, Trace, TrackId, TrackKind, Unit};
pub(super) use line::{JsonLine, json_string};
use redaction::Redactor;
use roles::{Roles, TextRole};
use sections::{Section, Sections};
use selection::Selection;

/// Number of bytes after which a step ends.
const STEP_BYTES: usize = 64 << 10;
/// Number of items after which a step ends, if they write nothing.
const STEP_ITEMS: u32 = 20_000;

/// A trace that is being written in the format `queryscope`, part by part.
pub struct TraceExport {
    selection: Selection,
    redactor: Redactor,
    roles: Roles,
    sections: Sections,
    /// Number of each text that was written, by its text in the trace and its role; `None` if it was dropped.
    texts: FxHashMap<(StrId, TextRole), Option<u32>>,
    /// Number in the file of each distinct text that was written, as it is after redaction.
    replaced: FxHashMap<String, u32>,
    n_texts: u32,
    /// Names of keys in the file.
    keys: Vec<String>,
    /// Number of spans, and of events, that are not written.
    left_out: (u64, u64),
    /// Group of each name, until it is written with the name.
    groups: FxHashMap<StrId, StrId>,
}

impl TraceExport {
    /// Prepares writing the part of `trace` that `spec` selects. The trace must not change until everything is written.
    pub fn new(trace: &Trace, spec: &ExportSpec) -> Self {
        let selection = Selection::new(trace, spec);
        let roles = Roles::new(trace);
        let redactor = Redactor::new(spec.redaction);
        let keys = trace.keys.iter().map(|(_, info)| trace.str(info.name).to_owned()).collect();
        let (spans, events) = selection.counts(trace);
        let left_out = (trace.spans.len() as u64 - spans, trace.events.len() as u64 - events);
        Self {
            left_out,
            sections: Sections::new(spec.redaction.is_any()),
            selection,
            redactor,
            roles,
            texts: FxHashMap::default(),
            replaced: FxHashMap::default(),
            n_texts: 0,
            keys,
            groups: trace.name_groups().into_iter().collect(),
        }
    }

    /// Appends the next part to `out`, about 64 KiB. Returns whether there is more to write.
    pub fn step(&mut self, trace: &Trace, out: &mut Vec<u8>) -> bool {
        let (end, mut items) = (out.len() + STEP_BYTES, 0);
        while out.len() < end && items < STEP_ITEMS {
            items += 1;
            let Some(section) = self.sections.next(trace) else { return false };
            self.section(trace, section, out);
        }
        true
    }

    /// Data removed so far, one phrase per kind, such as "1,234 literals". Complete once everything is written.
    pub fn removed(&self) -> Vec<String> {
        let mut removed = self.redactor.removed();
        let (spans, events) = self.left_out;
        let outside = [(spans, "span", "spans"), (events, "event", "events")];
        let outside = outside.into_iter().filter(|(count, ..)| *count > 0);
        removed.extend(
            outside.map(|(count, one, many)| format!("{} outside the saved part", counted(count, one, many))),
        );
        removed
    }

    fn write_removed(&self, out: &mut Vec<u8>) {
        let removed = self.removed();
        if !removed.is_empty() {
            let mut line = JsonLine::new(out);
            line.strings("removed", removed.iter().map(String::as_str));
            line.end();
        }
    }

    fn section(&mut self, trace: &Trace, section: Section, out: &mut Vec<u8>) {
        match section {
            Section::Learn(item) => self.learn_item(trace, item),
            Section::LearnTrack(track) => self.learn_track(trace, track),
            Section::LearnRest => self.learn_rest(trace),
            Section::Header => self.header(trace, out),
            Section::Keys => self.write_keys(trace, out),
            Section::Track(track) => self.track(trace, track, out),
            Section::Item(item) => self.item(trace, item, out),
            Section::Flow(at) => self.flow(trace, at, out),
            Section::Lock(at) => self.lock(trace, at, out),
            Section::Table(at) => self.table(trace, at, out),
            Section::Row(table, row) => self.row(trace, table, row, out),
            Section::Note(at) => self.note(trace, at, out),
            Section::Removed => self.write_removed(out),
        }
    }

    /// Collects the identifiers and literals in the texts of an item that is written.
    fn learn_item(&mut self, trace: &Trace, item: Item) {
        if !self.is_written(item) {
            return;
        }
        let Self { redactor, roles, .. } = self;
        let name = trace.name(item);
        redactor.learn(roles.of_name(trace, item), name, trace.str(name));
        for (key, text) in trace.texts(item) {
            redactor.learn(roles.of_key(key), text, trace.str(text));
        }
    }

    fn learn_track(&mut self, trace: &Trace, track: TrackId) {
        if self.selection.track(track).is_none() {
            return;
        }
        let Self { redactor, roles, .. } = self;
        let of_track = trace.tracks.get(track);
        redactor.learn(roles.of_track(of_track.kind), of_track.name, trace.str(of_track.name));
        for (key, text) in trace.track_texts.of(track) {
            redactor.learn(roles.of_key(key), text, trace.str(text));
        }
    }

    fn learn_rest(&mut self, trace: &Trace) {
        let Self { redactor, roles, selection, .. } = self;
        for wait in trace.lock_waits.iter().filter(|wait| selection.run(wait.run).is_some()) {
            let mut learn = |role, text: StrId| {
                if let Some(text) = text.some() {
                    redactor.learn(role, text, trace.str(text));
                }
            };
            learn(TextRole::Object, wait.object);
            for party in [&wait.waiter, &wait.holder] {
                learn(TextRole::Name, party.thread);
                learn(TextRole::Sql, party.running);
            }
        }
        for table in
            trace.tables.iter().filter(|table| selection.run(table.run).is_some() && !selection.is_query)
        {
            for (at, &column) in table.columns().iter().enumerate() {
                let role = roles.of_column(trace.str(column));
                for cell in (0..table.len()).filter_map(|row| table.cell(row, at)) {
                    redactor.learn(role, cell, trace.str(cell));
                }
            }
        }
        redactor.finish_learning();
    }

    fn is_written(&self, item: Item) -> bool {
        self.item_number(item).is_some()
    }

    fn header(&mut self, trace: &Trace, out: &mut Vec<u8>) {
        let (spans, events) = self.selection.counts(trace);
        let mut line = JsonLine::new(out);
        line.string("queryscope", "trace");
        line.num("version", 1);
        line.num("spans", spans);
        line.num("events", events);
        let sides = [(trace.cut.before, "before"), (trace.cut.after, "after")];
        let sides = sides.into_iter().filter(|(is_cut, _)| *is_cut).map(|(_, side)| side);
        if trace.cut != crate::trace::Cut::NOWHERE {
            line.strings("cut", sides);
        }
        if self.redactor.is_active() {
            line.strings("redacted", self.redactor.kinds());
        }
        line.end();
    }

    fn write_keys(&mut self, trace: &Trace, out: &mut Vec<u8>) {
        let mut used = trace.keys_in_use();
        used.extend(trace.track_texts.keys());
        used.sort_unstable();
        used.dedup();
        for key in used {
            let info = trace.keys.get(key);
            let name = trace.str(info.name);
            let name = self.redactor.key_name(name);
            let mut line = JsonLine::new(out);
            line.string("key", &name);
            line.string("unit", unit_name(info.unit));
            line.end();
            if let Some(known) = self.keys.get_mut(usize::from(key.0)) {
                *known = name;
            }
        }
    }

    /// Number of a text in the file; writes it first if it is new. `None` if there is no text, or if it is removed.
    fn text(&mut self, trace: &Trace, role: TextRole, text: StrId, out: &mut Vec<u8>) -> Option<u32> {
        let id = text.some()?;
        if let Some(&known) = self.texts.get(&(id, role)) {
            return known;
        }
        let number = self.redactor.redacted(role, trace.str(id)).map(|text| self.number_of(&text, out));
        self.texts.insert((id, role), number);
        number
    }

    /// Number of a text of the file; writes it first if it is new.
    fn number_of(&mut self, text: &str, out: &mut Vec<u8>) -> u32 {
        if let Some(&known) = self.replaced.get(text) {
            return known;
        }
        let mut line = JsonLine::new(out);
        line.string("text", text);
        line.end();
        let number = self.n_texts;
        self.n_texts += 1;
        self.replaced.insert(text.to_owned(), number);
        number
    }

    fn track(&mut self, trace: &Trace, id: TrackId, out: &mut Vec<u8>) {
        if self.selection.track(id).is_none() {
            return;
        }
        let track = trace.tracks.get(id);
        let name = self.text(trace, self.roles.of_track(track.kind), track.name, out);
        let texts: Vec<(Key, StrId)> = trace.track_texts.of(id).collect();
        let texts = self.texts_of(trace, &texts, out);
        let parent = track.parent.and_then(|parent| self.selection.track(parent));
        let run = trace.runs.iter().find(|run| run.track == id);
        let times = run.map(|run| (run.origin, self.selection.length_and_records(trace, run)));
        let mut line = JsonLine::new(out);
        match (track.kind, times) {
            (TrackKind::Run, Some((origin, (duration, records)))) => {
                line.named("run", name);
                line.num("origin", origin);
                line.num("duration", duration);
                line.num("records", records);
            }
            (kind, _) => {
                line.named("track", name);
                line.string("kind", kind.name());
                line.some_num("parent", parent);
            }
        }
        self.object_of_texts(&mut line, &texts);
        line.end();
    }

    /// Numbers of texts in the file, with their keys.
    fn texts_of(&mut self, trace: &Trace, texts: &[(Key, StrId)], out: &mut Vec<u8>) -> Vec<(Key, u32)> {
        let number =
            |&(key, text): &(Key, StrId)| Some((key, self.text(trace, self.roles.of_key(key), text, out)?));
        texts.iter().filter_map(number).collect()
    }

    fn object_of_texts(&self, line: &mut JsonLine, texts: &[(Key, u32)]) {
        let members: Vec<(&str, String)> =
            texts.iter().map(|(key, number)| (self.key_name(*key), number.to_string())).collect();
        line.object("texts", &members);
    }

    fn key_name(&self, key: Key) -> &str {
        self.keys.get(usize::from(key.0)).map_or("", String::as_str)
    }

    fn item(&mut self, trace: &Trace, item: Item, out: &mut Vec<u8>) {
        if !self.is_written(item) {
            return;
        }
        let name_id = trace.name(item);
        let name = self.text(trace, self.roles.of_name(trace, item), name_id, out);
        if let Some(group) = self.groups.remove(&name_id) {
            self.group(trace, name, group, out);
        }
        let texts: Vec<(Key, StrId)> = trace.texts(item).collect();
        let texts = self.texts_of(trace, &texts, out);
        let nums: Vec<(Key, i64)> = trace.nums(item).collect();
        let mut line = JsonLine::new(out);
        let parent = trace.parent(item).and_then(|id| self.selection.span_number(id));
        let flags = match item {
            Item::Span(id) => {
                let Some(span) = self.selection.span(trace, id) else { return };
                line.named("span", name);
                line.string("kind", span.kind.name());
                line.num("start", span.start);
                line.num("duration", span.duration);
                line.num_unless("row", i64::from(span.depth), 0);
                span.flags
            }
            Item::Event(id) => {
                let event = trace.events.get(id);
                line.named("event", name);
                line.string("kind", event.kind.name());
                line.num("time", event.time);
                event.flags
            }
        };
        line.some_num("parent", parent);
        if flags != Flags::default() {
            line.strings("flags", flag_names(flags));
        }
        let written = |&(key, num): &(Key, i64)| (self.key_name(key), number(trace, key, num));
        let nums: Vec<(&str, String)> = nums.iter().map(written).collect();
        line.object("nums", &nums);
        self.object_of_texts(&mut line, &texts);
        line.end();
    }

    fn group(&mut self, trace: &Trace, name: Option<u32>, group: StrId, out: &mut Vec<u8>) {
        let group = self.text(trace, TextRole::Name, group, out);
        if let (Some(name), Some(group)) = (name, group) {
            let mut line = JsonLine::new(out);
            line.num("group", group);
            line.num("name", name);
            line.end();
        }
    }
}

/// Names of the flags in the file.
pub fn flag_names(flags: Flags) -> impl Iterator<Item = &'static str> {
    flags.names().chain(flags.has(Flags::SERVER_TIMED).then_some(Flags::SERVER_TIMED_NAME))
}

/// Name of a unit in the file.
fn unit_name(unit: Unit) -> &'static str {
    unit.name()
}

/// A number as written in the file: with a decimal point if its key is in millionths.
fn number(trace: &Trace, key: Key, number: i64) -> String {
    if trace.keys.get(key).unit != Unit::Millionths {
        return number.to_string();
    }
    let text = decimal(number);
    if text.contains('.') { text } else { format!("{text}.0") }
}

/// Counts the data that [`TraceExport`] would write and remove, by writing everything and discarding the output.
pub fn preview(trace: &Trace, spec: &ExportSpec) -> ExportPreview {
    let mut export = TraceExport::new(trace, spec);
    export.sections = Sections::new(true);
    export.redactor.survey();
    let (mut bytes, mut out) = (0, Vec::new());
    let mut more = true;
    while more {
        more = export.step(trace, &mut out);
        bytes += out.len() as u64;
        out.clear();
    }
    let (spans, events) = export.selection.counts(trace);
    let is_kept = |run| export.selection.run(run).is_some() && !export.selection.is_query;
    ExportPreview {
        runs: export.selection.n_runs(trace) as u32,
        spans,
        events,
        rows: trace.tables.iter().filter(|table| is_kept(table.run)).map(|table| table.len() as u64).sum(),
        statements: export.redactor.n_statements(),
        errors: export.redactor.n_messages(),
        identifiers: export.redactor.identifiers(),
        removed: export.removed(),
        bytes,
    }
}
