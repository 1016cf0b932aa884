//! [`LineReading`]: reads one line into a file.

use super::attribute_sets::{AttributeName, AttributeSets};
use super::file::TraceFile;
use super::line::LineMembers;
use super::problems::{
    BAD_REFERENCE, BAD_VALUE, BROKEN, CELLS, LOST_BEFORE, NEWER, NO_TABLE, NOTED_BEFORE, OUT_OF_RANGE,
    REMOVED, TOO_MANY_SETS, UNKNOWN, VERSION,
};
use super::rows::{
    FlowEnd, NONE, SavedEvent, SavedFlow, SavedLock, SavedParty, SavedRun, SavedSpan, SavedTable,
};
use crate::base::interner::StrId;
use crate::import::contract::{Input, ProblemKind, RunKey, Spot};
use crate::import::interval_nesting::DEEPEST;
use crate::import::json;
use crate::import::scalars::decimal::Decimal;
use crate::import::text::lines::Place;
use crate::trace::{Flags, Kind, RecordId, TrackKind, Unit};

/// A line that is being read.
pub struct LineReading<'a, 'b> {
    pub file: &'a mut TraceFile,
    pub sets: &'a mut AttributeSets,
    pub input: &'a mut Input<'b>,
    pub place: Place,
    pub text: &'a str,
}

impl LineReading<'_, '_> {
    /// Reads the line.
    ///
    /// # Errors
    /// The problem that prevents the line from being shown.
    pub fn read(&mut self) -> Result<(), ProblemKind> {
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
            "problem" => self.problem(&line, value),
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

    /// Returns a text that is given as a string or by its number. `None` if `value` is missing or null and, with a
    /// remark, if no text has this number.
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

    /// A problem that the import report of the original files had.
    fn problem(&mut self, line: &LineMembers, value: &str) -> Result<(), ProblemKind> {
        let text = |name| line.get(name).and_then(json::string_value).unwrap_or_default();
        let name = json::string_value(value).ok_or(BROKEN)?;
        let (file, meaning) = (text("file"), text("meaning"));
        let count = line.num("count")?.and_then(|count| u64::try_from(count).ok()).unwrap_or(1);
        let kind = if line.get("lost") == Some("true") { LOST_BEFORE } else { NOTED_BEFORE };
        let (input, place) = (&mut *self.input, self.place);
        input.problems.note_many(input.file, kind, count, || {
            Spot::new(
                Some(place.line),
                place.offset,
                format!("{file}: {count} × {name}: {meaning}").as_bytes(),
            )
        });
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
        let run = SavedRun {
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

    /// Begins a run with the name of the file if lines precede the first run.
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

    /// Looks up a value by its name. Returns `usual` if `value` is `None` and, with a remark, if the name is not
    /// known.
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

    /// Returns the item number in the member `name`. `None` if there is no such member and, with a remark, if the
    /// number is out of range.
    fn number(&mut self, line: &LineMembers, name: &str) -> Result<Option<u32>, ProblemKind> {
        let Some(number) = line.num(name)? else { return Ok(None) };
        let number = u32::try_from(number).ok().filter(|&number| number != NONE);
        if number.is_none() {
            self.remark(BAD_REFERENCE);
        }
        Ok(number)
    }

    /// Checks whether an item with this time is in the loaded subset, and counts the item for its run.
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
        self.file.spans.push(SavedSpan { start, duration, parent, name, record, row: depth, flags, kind });
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
        self.file.events.push(SavedEvent { time, parent, name, record, flags, kind });
        Ok(())
    }

    /// Keeps the attributes of an item with its record. Errors in them do not lose the item.
    fn attributes(&mut self, line: &LineMembers, record: RecordId) {
        let mut names = Vec::new();
        let mut nums = Vec::new();
        let mut texts = Vec::new();
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
        self.file.flows.push(SavedFlow { name, from, to, leaves, arrives, place: self.place });
        Ok(())
    }

    /// Number of the run of a line; the last run if the line names none.
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
        self.file.locks.push(SavedLock { run, object, words, waiter, holder, more, record });
        Ok(())
    }

    fn party(&mut self, line: &LineMembers, name: &str) -> Result<SavedParty, ProblemKind> {
        let Some(party) = line.object(name) else { return Ok(SavedParty::default()) };
        Ok(SavedParty {
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
        self.file.tables.push(SavedTable { run, name, columns, rows: Vec::new() });
        Ok(())
    }

    fn cells(&mut self, list: &str) -> Result<Vec<Option<StrId>>, ProblemKind> {
        let items = json::items(list).map_err(|_| BROKEN)?;
        items.into_iter().map(|item| self.text(Some(item))).collect()
    }

    fn row(&mut self, value: &str) -> Result<(), ProblemKind> {
        let cells = self.cells(value)?;
        match self.file.tables.last() {
            None => return Err(NO_TABLE),
            Some(table) if table.columns.len() != cells.len() => return Err(CELLS),
            Some(_) => {}
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
