//! What the members of an event mean, where it was parsed: see [`learned`](super::learned) for those that were compared.

use super::event::{BindFlags, ChromeEvent, EventJoinId, PhaseFamily, is_part};
use super::members::{ChromeEventMembers, first_byte};
use super::names::PidOrTid;
use super::reader::ChromeReader;
use crate::base::interner::StrId;
use crate::import::attributes::args::decoded;
use crate::import::json::{Cursor, Text, Value};

impl ChromeReader<'_, '_> {
    /// What the members of an event mean.
    pub(super) fn understood(&mut self, members: &ChromeEventMembers) -> ChromeEvent {
        let (link, step, bind) = (self.link(members), self.step(members), self.bind(members));
        let strings = &mut *self.input.strings;
        let mut text = |text: Option<Text>| text.map_or(StrId::EMPTY, |text| strings.intern(&decoded(text)));
        let (name, category) = (text(members.name), text(members.category));
        let number = |value: Option<Value>| value.and_then(Value::time);
        let dur = number(members.dur).or_else(|| number(members.tdur));
        ChromeEvent {
            phase: members.phase,
            family: PhaseFamily::of(members.phase, members.dur.is_some()),
            name,
            category,
            pid: PidOrTid::new(members.pid, strings),
            tid: PidOrTid::new(members.tid, strings),
            ts: number(members.ts),
            dur,
            tdur: number(members.tdur),
            tts: if is_part(members.phase) { number(members.tts) } else { None },
            link,
            step,
            scope: members.instant_scope.and_then(first_byte),
            binds_enclosing: members.binds_enclosing,
            bind,
        }
    }

    /// What joins an event with others.
    fn link(&mut self, event: &ChromeEventMembers) -> EventJoinId {
        let scope = event.id_scope.map_or(StrId::EMPTY, |text| self.input.strings.intern(text.raw()));
        if let Some(Value::Nested(object)) = event.id2 {
            let mut cursor = Cursor::new(object);
            while let Ok((key, value)) = cursor.next(self.scanner) {
                let global = key.raw() == "global";
                if global || key.raw() == "local" {
                    return EventJoinId { id: self.plain(value), scope, global, local: !global };
                }
            }
        }
        let id = event.id.map_or(StrId::NONE, |id| self.plain(id));
        EventJoinId { id, scope, global: false, local: false }
    }

    /// An id as text: 1 and "1" are the same.
    fn plain(&mut self, value: Value) -> StrId {
        match value {
            Value::Text(text) => self.input.strings.intern(&decoded(text)),
            Value::Word(text) | Value::Nested(text) => self.input.strings.intern(text),
        }
    }

    fn bind(&mut self, event: &ChromeEventMembers) -> Option<BindFlags> {
        let ChromeEventMembers { flow_in: into, flow_out: out, .. } = *event;
        event.bind_id.map(|id| BindFlags { id: self.plain(id), into, out })
    }

    fn step(&mut self, event: &ChromeEventMembers) -> StrId {
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
