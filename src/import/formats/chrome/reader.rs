//! Reads events into the tables of a file: maps the members of each event to its family.

use super::event::{BindFlags, ChromeEvent, PhaseFamily};
use super::event_values::{ChromeEventValues, ParsedEvent};
use super::members::{ChromeRecordReader, NestedMembers};
use super::names::{MetadataValue, PidOrTid, ThreadId};
use super::problems::*;
use super::profile::{self, ProfileEventHeader, SampledProfile};
use super::store::{
    AsyncEvent, BindingEvent, ChromeEventHeader, ChromeFile, ChromeSlice, CounterEvent, FlowBinding,
    FlowEvent, InstantEvent, OPEN,
};
use crate::base::interner::StrId;
use crate::import::attributes::args::{Args, ArgsId, Remarks};
use crate::import::attributes::tables::ArgumentTables;
use crate::import::attributes::written;
use crate::import::contract::{Input, ProblemKind};
use crate::import::json::{Cursor, Match, RecordHandler, Scanner, Value};
use crate::import::scalars::decimal::Time;
use crate::import::scalars::number::exact_i64;
use crate::import::text::lines::Place;
use crate::trace::RecordId;

/// Receives the events of a file while it is read.
pub struct ChromeReader<'a, 'b> {
    pub file: &'a mut ChromeFile,
    pub args: &'a mut Args,
    pub tables: &'a mut ArgumentTables,
    pub scanner: &'a mut Scanner,
    pub records: &'a mut ChromeRecordReader,
    pub input: &'a mut Input<'b>,
}

impl RecordHandler for ChromeReader<'_, '_> {
    fn try_read(&mut self, text: &str, place: Place) -> Option<(usize, u64)> {
        if self.file.sections.sampling {
            return None;
        }
        // A learned shape gives the values of an event, but not how they are written.
        let recalled = if self.keeps_written() { None } else { self.recall(text) };
        if let Some((found, event)) = recalled {
            self.put(&event, ArgsSource::Learned(found.shape), &text[..found.length], place);
            return Some((found.length, found.line_ends));
        }
        let (found, parsed) = self.parse(text)?;
        self.add(&parsed, &text[..found.length], place);
        Some((found.length, found.line_ends))
    }

    fn record(&mut self, text: &str, place: Place) {
        if self.file.sections.sampling {
            return self.sample(text, place);
        }
        match self.parse(text) {
            Some((_, parsed)) => self.add(&parsed, text, place),
            None => self.input.lose(BROKEN, place, text),
        }
    }

    fn broken(&mut self, text: &str, place: Place) {
        self.input.lose(BROKEN, place, text);
    }

    fn cut_off(&mut self, text: &str, place: Place) {
        self.input.lose(CUT_OFF, place, text);
    }

    fn stray(&mut self, text: &str, place: Place) {
        self.input.note(STRAY, place, text);
    }

    fn resync_key(&self) -> Option<&'static str> {
        (!self.file.sections.sampling).then_some("ph")
    }
}

/// Limit of times, in nanoseconds from zero: differences of two times within it cannot overflow 64 bits.
pub const REACH: i64 = i64::MAX / 4;

/// Rounds to the nearest nanosecond; an error if the time is beyond [`REACH`].
#[inline]
pub fn within_reach(time: Time) -> Result<i64, ProblemKind> {
    let ns = time.round();
    if ns.unsigned_abs() < REACH.unsigned_abs() { Ok(ns) } else { Err(FAR) }
}

/// Source of an event's arguments.
#[derive(Clone, Copy)]
enum ArgsSource<'e, 'a> {
    Parsed(&'e ParsedEvent<'a>),
    /// Values of the learned shape with this index.
    Learned(u32),
}

/// Whether the end of an arrow (ph f) with these categories is bound to its enclosing slice even without `bp`: the rule
/// of Catapult's importer for traces that are older than `bp`.
fn is_bound_as_input(categories: &str) -> bool {
    categories.contains("input") || categories.contains("ipc.flow")
}

/// Counts a problem of the event that is being read.
type ProblemCounter<'n> = &'n dyn Fn(&mut Input, ProblemKind);

impl ChromeReader<'_, '_> {
    /// Reads the event at the start of `text` by its learned shape; `None` if the shape is unknown, or if nested
    /// members decide what the event means, so that it must be parsed.
    #[inline]
    fn recall(&mut self, text: &str) -> Option<(Match, ChromeEvent)> {
        let found = self.records.recall(text)?;
        let values = ChromeEventValues { text: &text[..found.length], values: &self.records.values };
        Some((found, values.recalled(self.input.strings)?))
    }

    /// Reads the event at the start of `text` member by member.
    #[inline(never)]
    fn parse<'t>(&mut self, text: &'t str) -> Option<(Match, ParsedEvent<'t>)> {
        let mut nested = NestedMembers::default();
        let found = self.records.parse(text, |name, key, value| nested.set(name, key, value))?;
        let values = ChromeEventValues { text, values: &self.records.values };
        Some((found, values.parsed(nested, self.scanner, self.input.strings)))
    }

    /// Adds a parsed event and learns its shape.
    #[inline(never)]
    fn add(&mut self, parsed: &ParsedEvent, text: &str, place: Place) {
        // Some writers end an array with `{}`, so that every event can be followed by a comma.
        if text.get(1..).is_some_and(|rest| rest.trim_ascii_start().starts_with('}')) {
            return;
        }
        let profile = profile::whole(parsed, self.input.strings);
        // A profile has megabytes, and no other event has its shape.
        if profile.is_none() && !self.keeps_written() {
            self.records.learn(text, self.input.strings);
        }
        match (parsed.event.phase, profile) {
            (_, Some(profile)) => self.whole_profile(parsed, profile, text, place),
            (0 | b'M' | b'P', None) => {
                let record = self.input.records.add(self.input.file, place, text.len() as u64);
                let note: ProblemCounter = &|input, kind| input.note(kind, place, text);
                if let Err(kind) = self.special(parsed, record, note) {
                    note(self.input, kind);
                }
            }
            _ => self.put(&parsed.event, ArgsSource::Parsed(parsed), text, place),
        }
    }

    /// Adds one element of the `samples` section.
    fn sample(&mut self, text: &str, place: Place) {
        let record = self.input.records.add(self.input.file, place, text.len() as u64);
        let Self { file, scanner, input, .. } = self;
        if let Err(kind) = file.sections.sample(text, (record, place), scanner, input.strings) {
            input.note(kind, place, text);
        }
    }

    fn keeps_written(&self) -> bool {
        self.input.reported.written().is_some()
    }

    #[inline]
    fn put(&mut self, event: &ChromeEvent, arguments: ArgsSource, text: &str, place: Place) {
        let record = self.input.records.add(self.input.file, place, text.len() as u64);
        let note: ProblemCounter = &|input, kind| input.note(kind, place, text);
        if let Err(kind) = self.sort_in(event, arguments, text, record, note) {
            note(self.input, kind);
        }
    }

    /// Adds metadata and profile chunks, which belong to no table; an error if the event is lost.
    fn special(
        &mut self,
        parsed: &ParsedEvent,
        record: RecordId,
        note: ProblemCounter,
    ) -> Result<(), ProblemKind> {
        let event = &parsed.event;
        if event.phase == 0 {
            return Err(NO_PHASE);
        }
        self.bind_to(event, None, note);
        let thread = self.thread(event, note);
        if event.phase == b'P' {
            let (time, _) = self.times(event, PhaseFamily::Profile, note)?;
            return self.profile(parsed, thread, time, record, note);
        }
        if !self.metadata(parsed, thread) && !self.trace_metadata(parsed) {
            note(self.input, OTHER_METADATA);
        }
        self.file.metadata.push(record);
        Ok(())
    }

    /// Adds an event to the table of its family; an error if the event is lost.
    fn sort_in(
        &mut self,
        event: &ChromeEvent,
        arguments: ArgsSource,
        text: &str,
        record: RecordId,
        note: ProblemCounter,
    ) -> Result<(), ProblemKind> {
        let thread = self.thread(event, note);
        let family = event.family.ok_or_else(|| not_drawn(event.phase))?;
        let (time, end) = self.times(event, family, note)?;
        let until = if end == OPEN { time } else { end };
        self.input.choose(time, until)?;
        let (args, remarks) = self.args(event, arguments, text, record);
        if remarks.any() {
            remarks.kinds().for_each(|kind| note(self.input, kind));
        }
        let ChromeEvent { name, category, phase, .. } = *event;
        self.file.reach(time, until);
        self.keep(
            event,
            family,
            ChromeEventHeader { time, thread, name, category, record, args, phase },
            end,
            note,
        )
    }

    #[inline]
    fn keep(
        &mut self,
        event: &ChromeEvent,
        family: PhaseFamily,
        of: ChromeEventHeader,
        end: i64,
        note: ProblemCounter,
    ) -> Result<(), ProblemKind> {
        let ChromeEvent { link, step, .. } = *event;
        let bearer = match family {
            PhaseFamily::Slice => Some(BindingEvent::Slice(self.file.slices.len() as u32)),
            PhaseFamily::Async => Some(BindingEvent::Async(self.file.asyncs.len() as u32)),
            _ => None,
        };
        self.bind_to(event, bearer, note);
        match family {
            PhaseFamily::Slice => self.file.slices.push(&ChromeSlice { of, end }),
            PhaseFamily::Async => {
                if link.id == StrId::NONE {
                    note(self.input, NO_ID);
                }
                self.file.asyncs.push(AsyncEvent { of, link, step });
            }
            PhaseFamily::Flow => {
                if link.id == StrId::NONE {
                    return Err(FLOW_NO_ID);
                }
                let enclosing = event.phase != b'f'
                    || event.binds_enclosing
                    || is_bound_as_input(self.input.strings.get(event.category));
                self.file.flows.push(FlowEvent { of, link, enclosing });
            }
            PhaseFamily::Instant => {
                let usual = match event.phase {
                    b'v' | b'V' => b'p',
                    b'c' => b'g',
                    _ => b't',
                };
                let scope = event.scope.unwrap_or(usual);
                if !matches!(scope, b'g' | b'p' | b't') {
                    note(self.input, OTHER_SCOPE);
                }
                self.file.instants.push(InstantEvent { of, scope });
            }
            // Profiles are read in `profile`.
            PhaseFamily::Profile => {}
            PhaseFamily::Counter => self.file.samples.push(CounterEvent { of, id: link.id }),
        }
        Ok(())
    }

    /// Keeps the arrow of an event; notes a problem if the arrow has no slice or no direction.
    #[inline]
    fn bind_to(&mut self, event: &ChromeEvent, of: Option<BindingEvent>, note: ProblemCounter) {
        let Some(BindFlags { id, into, out }) = event.bind else { return };
        match of {
            Some(of) if into || out => self.file.binds.push(FlowBinding { of, id, into, out }),
            _ => note(self.input, BIND_NOTHING),
        }
    }

    fn profile(
        &mut self,
        parsed: &ParsedEvent,
        thread: ThreadId,
        time: i64,
        record: RecordId,
        note: ProblemCounter,
    ) -> Result<(), ProblemKind> {
        let process = self.file.names.process_of(thread);
        let head = ProfileEventHeader { process, thread, id: parsed.event.link.id, time, record };
        let Self { file, scanner, input, .. } = self;
        match file.profiles.take(parsed, &head, scanner, input.strings) {
            None => return Err(not_drawn(b'P')),
            Some(true) => {}
            Some(false) => note(input, SAMPLES),
        }
        Ok(())
    }

    /// Adds an event with the name of a whole profile; treats it as an ordinary event if it holds no profile.
    fn whole_profile(&mut self, parsed: &ParsedEvent, args: &str, text: &str, place: Place) {
        let event = &parsed.event;
        let Ok(time) = event.ts.ok_or(NO_TIME).and_then(within_reach) else {
            return self.put(event, ArgsSource::Parsed(parsed), text, place);
        };
        let note: ProblemCounter = &|input, kind| input.note(kind, place, text);
        let thread = self.thread(event, note);
        let process = self.file.names.process_of(thread);
        let record = RecordId(self.input.records.len() as u32);
        let head = ProfileEventHeader { process, thread, id: event.link.id, time, record };
        let Self { file, scanner, input, .. } = self;
        let Some((found, matched)) = SampledProfile::whole(args, &head, scanner, input.strings) else {
            return self.put(event, ArgsSource::Parsed(parsed), text, place);
        };
        input.records.add(input.file, place, text.len() as u64);
        if let Err(left_out) = input.choose(found.start.unwrap_or(time), found.end.unwrap_or(time)) {
            return note(input, left_out);
        }
        file.profiles.list.push(found);
        if !matched {
            note(input, SAMPLES);
        }
    }

    #[inline]
    fn thread(&mut self, event: &ChromeEvent, note: ProblemCounter) -> ThreadId {
        let ChromeEvent { pid, tid, .. } = *event;
        // Metadata of a process and global events need neither pid nor tid.
        if !matches!(event.phase, b'M' | b'I' | b'i' | b'R' | b'C' | b'v' | b'V' | b'c') {
            for (id, kind) in [(pid, NO_PID), (tid, NO_TID)] {
                if id == PidOrTid::None {
                    note(self.input, kind);
                }
            }
        }
        // Metadata that names a process or its main thread may leave out the thread.
        let tid = if event.phase == b'M' && tid == PidOrTid::None { pid } else { tid };
        let before = self.file.names.len();
        let thread = self.file.names.thread(pid, tid);
        if before != self.file.names.len() && self.file.names.is_number_and_text(before, self.input.strings) {
            note(self.input, SAME_ID);
        }
        thread
    }

    fn metadata(&mut self, ParsedEvent { event, nested }: &ParsedEvent, thread: ThreadId) -> bool {
        let Some(Value::Nested(args)) = nested.args else { return false };
        let mut cursor = Cursor::new(args);
        let mut meta = None;
        while let Ok((key, value)) = cursor.next(self.scanner) {
            meta = match (key.raw(), value) {
                ("name" | "labels", Value::Text(text)) => {
                    Some(MetadataValue::Text(self.input.strings.intern(&text.content())))
                }
                ("name" | "labels", Value::Word(text)) => {
                    Some(MetadataValue::Text(self.input.strings.intern(text)))
                }
                ("sort_index", Value::Word(text)) => exact_i64(text).map(MetadataValue::Number),
                ("sort_index", Value::Text(text)) => exact_i64(text.raw()).map(MetadataValue::Number),
                _ => meta,
            };
        }
        self.file.names.set_metadata(thread, self.input.strings.get(event.name), meta.as_ref())
    }

    /// Stores a metadata event that describes the whole trace, not a process or thread. Returns whether its arguments
    /// are an object, which was stored.
    fn trace_metadata(&mut self, ParsedEvent { event, nested }: &ParsedEvent) -> bool {
        let Some(Value::Nested(args)) = nested.args.filter(|_| event.name != StrId::EMPTY) else {
            return false;
        };
        self.file.trace_metadata.take(self.input.strings.get(event.name), args, self.scanner);
        args.starts_with('{')
    }

    /// Start and end of an event in nanoseconds; the end is [`OPEN`] if the event does not state it.
    #[inline]
    fn times(
        &mut self,
        event: &ChromeEvent,
        family: PhaseFamily,
        note: ProblemCounter,
    ) -> Result<(i64, i64), ProblemKind> {
        let start = event.ts.ok_or(NO_TIME)?;
        let time = within_reach(start)?;
        let mut finer = start.is_finer();
        let mut end = OPEN;
        // Node writes `dur` on every event; it has a meaning only for complete slices.
        if family == PhaseFamily::Slice && matches!(event.phase, b'X' | b'T') {
            match event.dur {
                None => note(self.input, NO_DURATION),
                Some(length) => {
                    finer |= length.is_finer();
                    end = within_reach(start.after(length))?;
                }
            }
        }
        if finer {
            note(self.input, FINER);
        }
        if end < time {
            note(self.input, NEGATIVE);
        }
        Ok((time, end.max(time)))
    }

    /// Reads the arguments of an event: category, CPU time, the members of `args`, and members that the format does not
    /// define.
    #[inline]
    fn args(
        &mut self,
        event: &ChromeEvent,
        arguments: ArgsSource,
        text: &str,
        record: RecordId,
    ) -> (ArgsId, Remarks) {
        let Self { args, records, input, file, .. } = self;
        let words = file.words(input.strings);
        let keeps_written = input.reported.written().is_some();
        args.written.begin(keeps_written);
        // Each series of a counter has its own unit.
        let large = event.family != Some(PhaseFamily::Counter);
        args.int_overflow.begin(large.then_some((input.file, record)));
        if event.category != StrId::EMPTY {
            args.text(words.category, event.category);
        }
        if let Some(time) = event.thread_time() {
            args.whole(words.thread_time, time);
        }
        let shape = match arguments {
            ArgsSource::Learned(shape) => {
                let ChromeRecordReader { shapes, values } = &mut **records;
                args.learned(&mut shapes.schema.shapes[shape as usize], values, text, input.strings)
            }
            ArgsSource::Parsed(parsed) => self.parsed_args(parsed),
        };
        let Self { args, tables, input, .. } = self;
        if keeps_written {
            written::keep(args, record, input.reported, input.strings);
        }
        let id = if event.is_whole() {
            tables.add(args, shape, record, input.reported);
            ArgsId::REPORTED
        } else {
            args.keep(shape)
        };
        (id, args.remarks())
    }

    fn parsed_args(&mut self, ParsedEvent { nested, .. }: &ParsedEvent) -> u16 {
        let Self { args, scanner, input, file, .. } = self;
        let words = file.words(input.strings);
        match nested.args {
            Some(Value::Nested(text)) if text.starts_with('{') => {
                args.members(None, text, 0, scanner, input.strings);
            }
            None | Some(Value::Word("null")) => {}
            Some(value) => args.value(words.args, value, 0, scanner, input.strings),
        }
        for &(key, value) in &nested.more {
            let key = input.strings.intern(&key.content());
            let key = args.apart(key, input.strings);
            args.value(key, value, 0, scanner, input.strings);
        }
        args.shape()
    }
}
