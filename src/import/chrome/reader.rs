//! Events to tables: what each member means for its family.

use super::args::{Args, ArgsId, decoded};
use super::event::{Event, number};
use super::names::{Id, Meta, ThreadId};
use super::problems::*;
use super::profile::Head;
use super::store::{Async, Bind, Common, Family, FileEvents, FlowEnd, Instant, Link, OPEN, Sample, Slice};
use crate::import::json::{Cursor, Scanner, Sink, Value};
use crate::import::lines::Place;
use crate::import::number::exact_i64;
use crate::import::{Input, ProblemKind};
use crate::strings::StrId;
use crate::trace::RecordId;

/// Takes the events of a file as they are found.
pub struct Reader<'a, 'b> {
    pub file: &'a mut FileEvents,
    pub args: &'a mut Args,
    pub scanner: &'a mut Scanner,
    pub input: &'a mut Input<'b>,
}

impl Sink for Reader<'_, '_> {
    #[inline]
    fn quick(&mut self, text: &str, place: Place) -> Option<(usize, u64)> {
        // The first event goes the slow way: how it begins is how the next one is found behind a broken one.
        if !self.file.begun {
            return None;
        }
        let (event, length) = Event::read(text, self.scanner)?;
        self.add(&event, &text[..length], place);
        Some((length, memchr::memchr_iter(b'\n', &text.as_bytes()[..length]).count() as u64))
    }

    fn record(&mut self, text: &str, place: Place) {
        match Event::read(text, self.scanner) {
            Some((event, _)) => {
                self.file.begun = true;
                self.add(&event, text, place);
            }
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
}

/// Times further from zero are out of reach: so much of 64 bits is left that no difference of two overflows.
const REACH: i64 = i64::MAX / 4;

impl Reader<'_, '_> {
    fn add(&mut self, event: &Event, text: &str, place: Place) {
        if event.is_empty {
            return;
        }
        let record = self.input.records.add(self.input.file, place, text.len() as u64);
        if let Err(kind) = self.sort_in(event, record, &|input, kind| input.note(kind, place, text)) {
            self.input.note(kind, place, text);
        }
    }

    /// Puts an event into the table of its family; an error says why it is in none.
    fn sort_in(
        &mut self,
        event: &Event,
        record: RecordId,
        note: &dyn Fn(&mut Input, ProblemKind),
    ) -> Result<(), ProblemKind> {
        if event.phase == 0 {
            return Err(NO_PHASE);
        }
        let thread = self.thread(event, note);
        if event.phase == b'M' {
            if !self.metadata(event, thread) {
                note(self.input, OTHER_METADATA);
            }
            self.file.metadata.push(record);
            return Ok(());
        }
        let family = Family::of(event).ok_or_else(|| not_drawn(event.phase))?;
        let (time, end) = self.times(event, family, note)?;
        if family == Family::Profile {
            return self.profile(event, thread, time, record, note);
        }
        let category = event.category.map_or(StrId::EMPTY, |text| self.input.strings.intern(&decoded(text)));
        let name = event.name.map_or(StrId::EMPTY, |text| self.input.strings.intern(&decoded(text)));
        let (args, remarks) = self.args(event, category);
        remarks.into_iter().for_each(|kind| note(self.input, kind));
        let of = Common { time, thread, name, category, record, args, phase: event.phase };
        self.keep(event, family, of, end, note)
    }

    fn keep(
        &mut self,
        event: &Event,
        family: Family,
        of: Common,
        end: i64,
        note: &dyn Fn(&mut Input, ProblemKind),
    ) -> Result<(), ProblemKind> {
        match family {
            Family::Slice => {
                self.bind(event);
                self.file.slices.push(Slice { of, end });
            }
            Family::Async => {
                let link = self.link(event);
                if link.id == StrId::NONE {
                    note(self.input, NO_ID);
                }
                let step = self.step(event);
                self.file.asyncs.push(Async { of, link, step });
            }
            Family::Flow => {
                let link = self.link(event);
                if link.id == StrId::NONE {
                    return Err(FLOW_NO_ID);
                }
                let enclosing = event.phase != b'f' || event.binds_enclosing;
                self.file.flows.push(FlowEnd { of, link, enclosing });
            }
            Family::Instant => {
                let scope = event.instant_scope.and_then(|text| text.raw().bytes().next());
                let usual = match event.phase {
                    b'v' | b'V' => b'p',
                    b'c' => b'g',
                    _ => b't',
                };
                let scope = scope.unwrap_or(usual);
                self.file.instants.push(Instant { of, scope });
            }
            // It has no arguments of its own: see `profile`.
            Family::Profile => {}
            Family::Counter => {
                let id = event.id.map_or(StrId::NONE, |id| self.plain(id));
                self.file.samples.push(Sample { of, id });
            }
        }
        Ok(())
    }

    fn profile(
        &mut self,
        event: &Event,
        thread: ThreadId,
        time: i64,
        record: RecordId,
        note: &dyn Fn(&mut Input, ProblemKind),
    ) -> Result<(), ProblemKind> {
        let process = self.file.names.process_of(thread);
        let head = Head { process, thread, id: self.link(event).id, time, record };
        let Self { file, scanner, input, .. } = self;
        match file.profiles.take(event, &head, scanner, input.strings) {
            None => return Err(not_drawn(b'P')),
            Some(true) => {}
            Some(false) => note(input, SAMPLES),
        }
        Ok(())
    }

    fn thread(&mut self, event: &Event, note: &dyn Fn(&mut Input, ProblemKind)) -> ThreadId {
        let pid = Id::new(event.pid, self.input.strings);
        let tid = Id::new(event.tid, self.input.strings);
        // Metadata of a process, and what is global, need neither.
        if !matches!(event.phase, b'M' | b'I' | b'i' | b'R' | b'C' | b'v' | b'V' | b'c') {
            for (id, kind) in [(pid, NO_PID), (tid, NO_TID)] {
                if id == Id::None {
                    note(self.input, kind);
                }
            }
        }
        self.file.names.thread(pid, tid)
    }

    fn metadata(&mut self, event: &Event, thread: ThreadId) -> bool {
        let (Some(name), Some(Value::Nested(args))) = (event.name, event.args) else { return false };
        let mut cursor = Cursor::new(args);
        let mut meta = None;
        while let Ok((key, value)) = cursor.next(self.scanner) {
            meta = match (key.raw(), value) {
                ("name" | "labels", Value::Text(text)) => {
                    Some(Meta::Text(self.input.strings.intern(&decoded(text))))
                }
                ("name" | "labels", Value::Word(text)) => Some(Meta::Text(self.input.strings.intern(text))),
                ("sort_index", Value::Word(text)) => exact_i64(text).map(Meta::Number),
                ("sort_index", Value::Text(text)) => exact_i64(text.raw()).map(Meta::Number),
                _ => meta,
            };
        }
        self.file.names.tell(thread, name.raw(), meta.as_ref())
    }

    /// When an event begins, and when it ends if it says so.
    fn times(
        &mut self,
        event: &Event,
        family: Family,
        note: &dyn Fn(&mut Input, ProblemKind),
    ) -> Result<(i64, i64), ProblemKind> {
        let start = number(event.ts).ok_or(NO_TIME)?.micros().ok_or(FAR)?;
        let time = start.round().filter(|time| time.abs() < REACH).ok_or(FAR)?;
        let mut finer = start.is_finer();
        let mut end = OPEN;
        // Node writes dur on every event; it means something only where a slice is complete.
        if family == Family::Slice && matches!(event.phase, b'X' | b'T') {
            match number(event.dur).or_else(|| number(event.tdur)) {
                None => note(self.input, NO_DURATION),
                Some(length) => {
                    let length = length.micros().ok_or(FAR)?;
                    finer |= length.is_finer();
                    end = start
                        .after(length)
                        .and_then(|end| end.round())
                        .filter(|end| end.abs() < REACH)
                        .ok_or(FAR)?;
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

    fn args(
        &mut self,
        event: &Event,
        category: StrId,
    ) -> (ArgsId, impl Iterator<Item = ProblemKind> + use<>) {
        let Self { args, scanner, input, file, .. } = self;
        let words = file.words(input.strings);
        if category != StrId::EMPTY {
            args.text(words.category, category);
        }
        let on_processor = number(event.tdur).filter(|_| event.phase == b'X');
        if let Some(time) = on_processor.and_then(|time| time.micros()?.round()) {
            args.whole(words.thread_time, time);
        }
        match event.args {
            Some(Value::Nested(text)) if text.starts_with('{') => {
                args.members(None, text, 0, scanner, input.strings);
            }
            None | Some(Value::Word("null")) => {}
            Some(value) => args.value(words.args, value, 0, scanner, input.strings),
        }
        for &(key, value) in &event.more {
            let key = input.strings.intern(&decoded(key));
            args.value(key, value, 0, scanner, input.strings);
        }
        args.finish()
    }

    /// What joins an event with others.
    fn link(&mut self, event: &Event) -> Link {
        let scope = event.id_scope.map_or(StrId::EMPTY, |text| self.input.strings.intern(text.raw()));
        if let Some(Value::Nested(object)) = event.id2 {
            let mut cursor = Cursor::new(object);
            while let Ok((key, value)) = cursor.next(self.scanner) {
                let global = key.raw() == "global";
                if global || key.raw() == "local" {
                    return Link { id: self.plain(value), scope, global, local: !global };
                }
            }
        }
        let id = event.id.map_or(StrId::NONE, |id| self.plain(id));
        Link { id, scope, global: false, local: false }
    }

    /// An id as text: 1 and "1" are the same.
    fn plain(&mut self, value: Value) -> StrId {
        match value {
            Value::Text(text) => self.input.strings.intern(&decoded(text)),
            Value::Word(text) | Value::Nested(text) => self.input.strings.intern(text),
        }
    }

    fn bind(&mut self, event: &Event) {
        let Some(id) = event.bind_id.filter(|_| event.flow_in || event.flow_out) else { return };
        let (id, slice) = (self.plain(id), self.file.slices.len() as u32);
        self.file.binds.push(Bind { slice, id, into: event.flow_in, out: event.flow_out });
    }

    fn step(&mut self, event: &Event) -> StrId {
        let (b'T' | b'p', Some(Value::Nested(args))) = (event.phase, event.args) else { return StrId::NONE };
        let mut cursor = Cursor::new(args);
        while let Ok((key, value)) = cursor.next(self.scanner) {
            if key.raw() == "step" {
                return self.plain(value);
            }
        }
        StrId::NONE
    }
}
