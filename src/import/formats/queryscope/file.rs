//! [`TraceFile`]: what was read of a file, line by line.

use super::attribute_sets::{AttributeName, AttributeSets};
use super::line::LineMembers;
use super::problems::{
    BAD_REFERENCE, BAD_VALUE, BROKEN, CUT_OFF, NEWER, NO_TABLE, OUT_OF_RANGE, REMOVED, TOO_MANY_SETS,
    UNKNOWN, VERSION,
};
use crate::base::columns::BlockColumn;
use crate::base::interner::StrId;
use crate::import::contract::{Input, ProblemKind, RunKey};
use crate::import::interval_nesting::DEEPEST;
use crate::import::json;
use crate::import::scalars::decimal::Decimal;
use crate::import::text::lines::Place;
use crate::trace::{Flags, Kind, RecordId, TrackKind, Unit};

/// Number of an item or a parent that is not there.
pub const NONE: u32 = u32::MAX;

/// A run.
pub struct RunRow {
    pub name: StrId,
    /// Number of its root track.
    pub track: u32,
    pub origin: i64,
    /// Length in nanoseconds; `None` if it ends with its last item.
    pub duration: Option<i64>,
    /// Number of records; `None` if each item is one.
    pub records: Option<u64>,
    /// Time of the end of the last item.
    pub end: i64,
    pub items: u64,
}

/// A track: the root of a run, or a track below another one.
pub struct TrackRow {
    pub name: StrId,
    pub kind: TrackKind,
    /// Number of the track above; [`NONE`] for the root of a run.
    pub parent: u32,
    pub first_span: u32,
    pub first_event: u32,
    /// Whether a span of the track has a row.
    pub has_rows: bool,
    pub texts: Vec<(StrId, StrId)>,
}

/// A span.
#[derive(Clone, Copy)]
pub struct SpanRow {
    pub start: i64,
    pub duration: i64,
    /// Number of the parent, or [`NONE`].
    pub parent: u32,
    pub name: StrId,
    pub record: RecordId,
    pub row: u16,
    pub flags: Flags,
    pub kind: Kind,
}

/// An event.
#[derive(Clone, Copy)]
pub struct EventRow {
    pub time: i64,
    pub parent: u32,
    pub name: StrId,
    pub record: RecordId,
    pub flags: Flags,
    pub kind: Kind,
}

/// Numbers of items in a file: those of lines that are not shown are left out.
#[derive(Default)]
pub struct ItemNumbers {
    next: u32,
    missing: Vec<u32>,
}

impl ItemNumbers {
    fn shown(&mut self) {
        self.next = self.next.saturating_add(1);
    }

    fn missing(&mut self) {
        self.missing.push(self.next);
        self.next = self.next.saturating_add(1);
    }

    /// Whether an item with this number was in the file, and is not shown.
    pub fn is_missing(&self, number: u32) -> bool {
        self.missing.binary_search(&number).is_ok()
    }

    /// Index among the items that are shown; `None` if the item is not shown.
    pub fn index(&self, number: u32) -> Option<u32> {
        let before = self.missing.partition_point(|&missing| missing < number);
        let is_shown = number < self.next && self.missing.get(before) != Some(&number);
        is_shown.then(|| number - before as u32)
    }
}

/// An end of an arrow: a span or an event, by number.
#[derive(Clone, Copy)]
pub enum FlowEnd {
    Span(u32),
    Event(u32),
}

/// An arrow.
pub struct FlowRow {
    pub name: StrId,
    pub from: FlowEnd,
    pub to: FlowEnd,
    pub leaves: i64,
    pub arrives: i64,
    pub record: RecordId,
}

/// A waiting or holding thread.
#[derive(Default)]
pub struct PartyRow {
    pub thread: MaybeText,
    pub span: Option<u32>,
    pub statement: Option<u32>,
    pub running: MaybeText,
}

/// A text that may be missing.
pub type MaybeText = Option<StrId>;

/// A lock wait.
pub struct LockRow {
    pub run: u32,
    pub object: StrId,
    pub words: [MaybeText; 3],
    pub waiter: PartyRow,
    pub holder: PartyRow,
    pub more: u32,
    pub record: RecordId,
}

/// A side table.
pub struct TableRows {
    pub run: u32,
    pub name: StrId,
    pub columns: Vec<StrId>,
    pub rows: Vec<(RecordId, Vec<StrId>)>,
}

/// What was read of a file.
#[derive(Default)]
pub struct TraceFile {
    name: String,
    texts: Vec<StrId>,
    pub runs: Vec<RunRow>,
    pub tracks: Vec<TrackRow>,
    /// Tracks from the root to the last one.
    open: Vec<u32>,
    pub spans: BlockColumn<SpanRow>,
    pub events: BlockColumn<EventRow>,
    pub span_numbers: ItemNumbers,
    pub event_numbers: ItemNumbers,
    pub flows: Vec<FlowRow>,
    pub locks: Vec<LockRow>,
    pub tables: Vec<TableRows>,
    pub notes: Vec<(u32, String, String)>,
    pub groups: Vec<(StrId, StrId)>,
    /// Numbers of spans and events that the first line announces.
    expected: (i64, i64),
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

    /// Counts a line that is not shown, so that the numbers of those after it stay as they are.
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
        let missing = (self.expected.0 > i64::from(self.span_numbers.next))
            || (self.expected.1 > i64::from(self.event_numbers.next));
        if missing {
            let found = format!("{} spans, {} events", self.span_numbers.next, self.event_numbers.next);
            input.note(CUT_OFF, self.last, &found);
        }
    }

    fn begin_run(&mut self, run: RunRow, texts: Vec<(StrId, StrId)>) {
        self.open.clear();
        self.push_track(run.name, TrackKind::Run, NONE, texts);
        self.runs.push(run);
    }

    /// Begins a run of which only the name is known.
    fn begin_bare_run(&mut self, name: StrId) {
        let track = self.tracks.len() as u32;
        let run = RunRow { name, track, origin: 0, duration: None, records: None, end: 0, items: 0 };
        self.begin_run(run, Vec::new());
    }

    fn push_track(&mut self, name: StrId, kind: TrackKind, parent: u32, texts: Vec<(StrId, StrId)>) {
        let (first_span, first_event) = (self.spans.len() as u32, self.events.len() as u32);
        self.open.push(self.tracks.len() as u32);
        let has_rows = false;
        self.tracks.push(TrackRow { name, kind, parent, first_span, first_event, has_rows, texts });
    }
}

/// A line that is being read.
struct LineReading<'a, 'b> {
    file: &'a mut TraceFile,
    sets: &'a mut AttributeSets,
    input: &'a mut Input<'b>,
    place: Place,
    text: &'a str,
}

impl LineReading<'_, '_> {
    fn read(&mut self) -> Result<(), ProblemKind> {
        let line = LineMembers::new(self.text).ok_or(BROKEN)?;
        let (kind, value) = line.first();
        match kind {
            "span" => self.span(&line, value),
            "event" => self.event(&line, value),
            "text" => self.define_text(value),
            "track" => self.track(&line, value),
            "run" => self.run(&line, value),
            "flow" => self.flow(&line, value),
            "row" => self.row(value),
            "table" => self.table(&line, value),
            "lock" => self.lock(&line, value),
            "note" => self.note(&line, value),
            "key" => self.key(&line, value),
            "group" => self.group(&line, value),
            "removed" => self.removed(value),
            "queryscope" => self.header(&line),
            _ => Err(UNKNOWN),
        }
    }

    fn remark(&mut self, kind: ProblemKind) {
        self.input.note(kind, self.place, self.text);
    }

    /// Adds the line to the records.
    fn record(&mut self) -> RecordId {
        self.input.records.add(self.input.file, self.place, self.text.len() as u64)
    }

    /// A text, written out or by its number; `None` if there is none.
    fn text(&mut self, value: Option<&str>) -> Result<Option<StrId>, ProblemKind> {
        let Some(value) = value.filter(|&value| value != "null") else { return Ok(None) };
        if value.starts_with('"') {
            let text = json::string_value(value).ok_or(BROKEN)?;
            return Ok(Some(self.input.strings.intern(&text)));
        }
        let number: usize = value.parse().map_err(|_| BROKEN)?;
        let known = self.file.texts.get(number).copied();
        if known.is_none() {
            self.remark(BAD_REFERENCE);
        }
        Ok(known)
    }

    fn name(&mut self, value: &str) -> Result<StrId, ProblemKind> {
        Ok(self.text(Some(value))?.unwrap_or(StrId::EMPTY))
    }

    fn header(&mut self, line: &LineMembers) -> Result<(), ProblemKind> {
        match line.num("version")? {
            Some(version) if version > VERSION => self.remark(NEWER),
            Some(1..) => {}
            _ => return Err(BROKEN),
        }
        self.file.expected = (line.num("spans")?.unwrap_or(0), line.num("events")?.unwrap_or(0));
        Ok(())
    }

    fn removed(&mut self, value: &str) -> Result<(), ProblemKind> {
        let items = json::items(value).map_err(|_| BROKEN)?;
        let phrases: Vec<String> =
            items.into_iter().filter_map(|item| Some(json::string_value(item)?.into_owned())).collect();
        if !phrases.is_empty() {
            self.input.note(REMOVED, self.place, &phrases.join(", "));
            self.input.saved.removed.extend(phrases);
        }
        Ok(())
    }

    fn define_text(&mut self, value: &str) -> Result<(), ProblemKind> {
        let text = json::string_value(value).ok_or(BROKEN)?;
        let text = self.input.strings.intern(&text);
        self.file.texts.push(text);
        Ok(())
    }

    fn key(&mut self, line: &LineMembers, value: &str) -> Result<(), ProblemKind> {
        let name = self.name(value)?;
        let unit = line.get("unit").and_then(json::string_value).map(|name| Unit::named(&name));
        match unit {
            Some(Some(unit)) => self.sets.declare(name, unit),
            Some(None) => self.remark(BAD_VALUE),
            None => self.sets.declare(name, Unit::Count),
        }
        Ok(())
    }

    fn group(&mut self, line: &LineMembers, value: &str) -> Result<(), ProblemKind> {
        let (group, name) = (self.name(value)?, self.text(line.get("name"))?.ok_or(BROKEN)?);
        self.file.groups.push((name, group));
        Ok(())
    }

    fn run(&mut self, line: &LineMembers, value: &str) -> Result<(), ProblemKind> {
        let name = self.name(value)?;
        let duration = line.get("duration").map(|_| line.duration("duration")).transpose()?;
        let records = line.num("records")?.map(|records| u64::try_from(records).map_err(|_| BROKEN));
        let run = RunRow {
            name,
            track: self.file.tracks.len() as u32,
            origin: line.num("origin")?.unwrap_or(0),
            duration,
            records: records.transpose()?,
            end: 0,
            items: 0,
        };
        let texts = self.track_texts(line)?;
        self.file.begin_run(run, texts);
        Ok(())
    }

    /// Begins a run for what stands before the first one.
    fn need_run(&mut self) {
        if self.file.runs.is_empty() {
            let name = self.input.strings.intern(&self.file.name);
            self.file.begin_bare_run(name);
        }
    }

    fn track(&mut self, line: &LineMembers, value: &str) -> Result<(), ProblemKind> {
        self.need_run();
        let name = self.name(value)?;
        let kind = self.named(line.get("kind"), TrackKind::Thread, TrackKind::named);
        let root = self.file.open.first().copied().unwrap_or(0);
        let wanted = line.num("parent")?.map(u32::try_from);
        let open = &self.file.open;
        let position = match wanted {
            None => Some(0),
            Some(number) => open.iter().rposition(|&track| Ok(track) == number),
        };
        if position.is_none() {
            self.remark(BAD_REFERENCE);
        }
        let position = position.unwrap_or(0);
        let parent = self.file.open.get(position).copied().unwrap_or(root);
        let texts = self.track_texts(line)?;
        self.file.open.truncate(position + 1);
        let kind = if kind == TrackKind::Run { TrackKind::Other } else { kind };
        self.file.push_track(name, kind, parent, texts);
        Ok(())
    }

    fn track_texts(&mut self, line: &LineMembers) -> Result<Vec<(StrId, StrId)>, ProblemKind> {
        let mut texts = Vec::new();
        for (key, value) in line.object("texts").iter().flat_map(LineMembers::iter) {
            if let Some(text) = self.text(Some(value))? {
                let key = self.input.strings.intern(key);
                self.sets.declare(key, Unit::Text);
                texts.push((key, text));
            }
        }
        Ok(texts)
    }

    /// A value by its name; `usual` if there is none.
    fn named<T>(&mut self, value: Option<&str>, usual: T, of: impl Fn(&str) -> Option<T>) -> T {
        let Some(value) = value else { return usual };
        let found = json::string_value(value).and_then(|name| of(&name));
        if found.is_none() {
            self.remark(BAD_VALUE);
        }
        found.unwrap_or(usual)
    }

    fn flags(&mut self, line: &LineMembers) -> Flags {
        let Some(list) = line.get("flags") else { return Flags::default() };
        let Ok(items) = json::items(list) else {
            self.remark(BAD_VALUE);
            return Flags::default();
        };
        let mut flags = Flags::default();
        for item in items {
            flags = flags.with(self.named(Some(item), Flags::default(), Flags::named));
        }
        flags
    }

    /// The number of a span; `None` if there is none.
    fn number(&mut self, line: &LineMembers, name: &str) -> Result<Option<u32>, ProblemKind> {
        let Some(number) = line.num(name)? else { return Ok(None) };
        let number = u32::try_from(number).ok().filter(|&number| number != NONE);
        if number.is_none() {
            self.remark(BAD_REFERENCE);
        }
        Ok(number)
    }

    /// Whether an item with this time is wanted; counts it among those of its run.
    fn choose(&mut self, from: i64, to: i64) -> Result<(), ProblemKind> {
        let Some(run) = self.file.runs.last_mut() else { return Err(BROKEN) };
        let origin = run.origin;
        let name = run.name;
        let Input { choice, strings, .. } = &mut *self.input;
        let clock = (origin.saturating_add(from), origin.saturating_add(to));
        choice.take(RunKey::Named(name), clock, || strings.get(name).to_owned())?;
        (run.end, run.items) = (run.end.max(to), run.items + 1);
        Ok(())
    }

    fn span(&mut self, line: &LineMembers, value: &str) -> Result<(), ProblemKind> {
        self.need_run();
        let (start, duration) = (line.time("start")?, line.duration("duration")?);
        let row = line.num("row")?;
        let depth = match row.map_or(Ok(0), u16::try_from) {
            Ok(depth) if depth <= DEEPEST => depth,
            _ => return Err(OUT_OF_RANGE),
        };
        let name = self.name(value)?;
        let kind = self.named(line.get("kind"), Kind::Slice, Kind::named);
        let flags = self.flags(line);
        let parent = self.number(line, "parent")?.unwrap_or(NONE);
        self.choose(start, start.saturating_add(duration))?;
        let record = self.record();
        self.attributes(line, record);
        if let Some(track) = self.file.tracks.last_mut() {
            track.has_rows |= row.is_some();
        }
        self.file.span_numbers.shown();
        self.file.spans.push(SpanRow { start, duration, parent, name, record, row: depth, flags, kind });
        Ok(())
    }

    fn event(&mut self, line: &LineMembers, value: &str) -> Result<(), ProblemKind> {
        self.need_run();
        let time = line.time("time")?;
        let name = self.name(value)?;
        let kind = self.named(line.get("kind"), Kind::Instant, Kind::named);
        let flags = self.flags(line);
        let parent = self.number(line, "parent")?.unwrap_or(NONE);
        self.choose(time, time)?;
        let record = self.record();
        self.attributes(line, record);
        self.file.event_numbers.shown();
        self.file.events.push(EventRow { time, parent, name, record, flags, kind });
        Ok(())
    }

    /// Keeps the attributes of an item with its record. Errors in them do not lose the item.
    fn attributes(&mut self, line: &LineMembers, record: RecordId) {
        let (mut names, mut nums, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for (key, value) in line.object("nums").iter().flat_map(LineMembers::iter) {
            let is_decimal = value.contains(['.', 'e', 'E']);
            let number = match is_decimal {
                true => Decimal::parse(value).and_then(Decimal::to_millionths).map(|(number, _)| number),
                false => value.parse().ok(),
            };
            match number {
                Some(number) => {
                    let key = self.input.strings.intern(key);
                    names.push(if is_decimal {
                        AttributeName::Decimal(key)
                    } else {
                        AttributeName::Whole(key)
                    });
                    nums.push(number);
                }
                None if value == "null" => {}
                None => self.remark(BAD_VALUE),
            }
        }
        for (key, value) in line.object("texts").iter().flat_map(LineMembers::iter) {
            match self.text(Some(value)) {
                Ok(Some(text)) => {
                    names.push(AttributeName::Text(self.input.strings.intern(key)));
                    texts.push(text);
                }
                Ok(None) => {}
                Err(_) => self.remark(BAD_VALUE),
            }
        }
        let is_broken = |name: &str| line.get(name).is_some() && line.object(name).is_none();
        if is_broken("nums") || is_broken("texts") {
            self.remark(BAD_VALUE);
        }
        if names.is_empty() {
            return;
        }
        match self.sets.of(&names, self.input.reported) {
            Some(record_type) => self.input.reported.add(record, record_type, nums, texts),
            None => self.remark(TOO_MANY_SETS),
        }
    }

    fn flow(&mut self, line: &LineMembers, value: &str) -> Result<(), ProblemKind> {
        let name = self.name(value)?;
        let mut end = |of_span: &str, of_event: &str| -> Result<FlowEnd, ProblemKind> {
            match (self.number(line, of_span)?, self.number(line, of_event)?) {
                (Some(span), _) => Ok(FlowEnd::Span(span)),
                (None, Some(event)) => Ok(FlowEnd::Event(event)),
                (None, None) => Err(BROKEN),
            }
        };
        let (from, to) = (end("from", "from_event")?, end("to", "to_event")?);
        let (leaves, arrives) = (line.time("leaves")?, line.time("arrives")?);
        let record = self.record();
        self.file.flows.push(FlowRow { name, from, to, leaves, arrives, record });
        Ok(())
    }

    /// The number of the run that a line belongs to: the last one, if it names none.
    fn run_number(&mut self, line: &LineMembers) -> Result<u32, ProblemKind> {
        self.need_run();
        let last = self.file.runs.len() as u32 - 1;
        let run = self.number(line, "run")?.unwrap_or(last);
        if run > last {
            self.remark(BAD_REFERENCE);
        }
        Ok(run.min(last))
    }

    fn lock(&mut self, line: &LineMembers, value: &str) -> Result<(), ProblemKind> {
        let (object, run) = (self.name(value)?, self.run_number(line)?);
        let mut words = [None; 3];
        for (word, name) in words.iter_mut().zip(["wanted", "held", "since"]) {
            *word = self.text(line.get(name))?;
        }
        let (waiter, holder) = (self.party(line, "waiter")?, self.party(line, "holder")?);
        let more = line.num("more")?.map_or(Ok(0), u32::try_from).map_err(|_| OUT_OF_RANGE)?;
        let record = self.record();
        self.file.locks.push(LockRow { run, object, words, waiter, holder, more, record });
        Ok(())
    }

    fn party(&mut self, line: &LineMembers, name: &str) -> Result<PartyRow, ProblemKind> {
        let Some(party) = line.object(name) else { return Ok(PartyRow::default()) };
        Ok(PartyRow {
            thread: self.text(party.get("thread"))?,
            span: self.number(&party, "span")?,
            statement: self.number(&party, "statement")?,
            running: self.text(party.get("running"))?,
        })
    }

    fn table(&mut self, line: &LineMembers, value: &str) -> Result<(), ProblemKind> {
        let (name, run) = (self.name(value)?, self.run_number(line)?);
        let columns = self.cells(line.get("columns").unwrap_or("[]"))?;
        let columns = columns.into_iter().map(|column| column.unwrap_or(StrId::EMPTY)).collect();
        self.file.tables.push(TableRows { run, name, columns, rows: Vec::new() });
        Ok(())
    }

    fn cells(&mut self, list: &str) -> Result<Vec<Option<StrId>>, ProblemKind> {
        let items = json::items(list).map_err(|_| BROKEN)?;
        items.into_iter().map(|item| self.text(Some(item))).collect()
    }

    fn row(&mut self, value: &str) -> Result<(), ProblemKind> {
        let cells = self.cells(value)?;
        if self.file.tables.is_empty() {
            return Err(NO_TABLE);
        }
        let record = self.record();
        if let Some(table) = self.file.tables.last_mut() {
            table.rows.push((record, cells.into_iter().map(|cell| cell.unwrap_or(StrId::NONE)).collect()));
        }
        Ok(())
    }

    fn note(&mut self, line: &LineMembers, value: &str) -> Result<(), ProblemKind> {
        let run = self.run_number(line)?;
        let name = json::string_value(value).ok_or(BROKEN)?.into_owned();
        let text = line.get("text").and_then(json::string_value).ok_or(BROKEN)?.into_owned();
        self.file.notes.push((run, name, text));
        Ok(())
    }
}
