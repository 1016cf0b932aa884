//! Converts the values of an event to a [`ChromeEvent`], whether they come from a learned shape or from the parser.

use super::event::{BindFlags, ChromeEvent, EventJoinId, PhaseFamily, is_part};
use super::members::{
    BIND, BP, CAT, DUR, FLOW_IN, FLOW_OUT, GLOBAL, ID, LOCAL, NAME, NestedMembers, PH, PID, S, SCOPE, TDUR,
    TID, TS, TTS,
};
use super::names::PidOrTid;
use crate::base::interner::{Interner, StrId};
use crate::import::json::{Cursor, Scanner, Value};
use crate::import::scalars::decimal::{Decimal, Time};
use crate::import::scalars::values::{Cell, Slot, Values};

/// An event that was parsed member by member, because its shape was not known.
pub struct ParsedEvent<'a> {
    pub event: ChromeEvent,
    pub nested: NestedMembers<'a>,
}

/// Values of one event.
pub struct ChromeEventValues<'a> {
    pub text: &'a str,
    pub values: &'a Values,
}

impl ChromeEventValues<'_> {
    /// The event of a learned shape; `None` if its meaning depends on nested members, which only a parsed event keeps.
    #[inline]
    pub fn recalled(&self, strings: &mut Interner) -> Option<ChromeEvent> {
        let phase = self.first_byte(PH, strings)?;
        // The meaning of metadata, samples and steps is in their arguments; if there are two ids, the first counts.
        let is_nested = matches!(phase, b'M' | b'P' | b'T' | b'p');
        let has_two_ids = self.values.has(LOCAL) && self.values.has(GLOBAL);
        (!is_nested && !has_two_ids).then(|| self.event(phase, strings))
    }

    /// The event of a parsed text.
    pub fn parsed<'m>(
        &self,
        nested: NestedMembers<'m>,
        scanner: &mut Scanner,
        strings: &mut Interner,
    ) -> ParsedEvent<'m> {
        let mut event = self.event(self.first_byte(PH, strings).unwrap_or(0), strings);
        if let Some((key, value)) = first_member(nested.id2, &["local", "global"], scanner) {
            let global = key == "global";
            (event.link.local, event.link.global) = (!global, global);
            event.link.id = strings.intern(&value.content());
        }
        if matches!(event.phase, b'T' | b'p')
            && let Some((_, value)) = first_member(nested.args, &["step"], scanner)
        {
            event.step = strings.intern(&value.content());
        }
        ParsedEvent { event, nested }
    }

    #[inline]
    fn event(&self, phase: u8, strings: &mut Interner) -> ChromeEvent {
        ChromeEvent {
            phase,
            family: PhaseFamily::of(phase, self.values.has(DUR)),
            name: self.text(NAME, strings),
            category: self.text(CAT, strings),
            pid: self.id(PID, strings),
            tid: self.id(TID, strings),
            ts: self.time(TS),
            dur: self.time(DUR).or_else(|| self.time(TDUR)),
            tdur: self.time(TDUR),
            tts: if is_part(phase) { self.time(TTS) } else { None },
            link: self.link(strings),
            step: StrId::NONE,
            scope: self.first_byte(S, strings),
            binds_enclosing: self.word(BP, strings) == Some("e"),
            bind: self.bind(strings),
        }
    }

    /// String in a slot; `None` if the slot is empty or its value is not a string.
    #[inline]
    fn word<'s>(&'s self, slot: Slot, strings: &'s Interner) -> Option<&'s str> {
        match self.values.get(slot) {
            Cell::Word(word) => Some(strings.get(word)),
            Cell::Text(..) | Cell::Decoded(..) => self.values.text(self.text, slot),
            _ => None,
        }
    }

    #[inline]
    fn first_byte(&self, slot: Slot, strings: &Interner) -> Option<u8> {
        self.word(slot, strings)?.bytes().next()
    }

    /// String in a slot, interned; [`StrId::EMPTY`] if the slot is empty or its value is not a string.
    #[inline]
    fn text(&self, slot: Slot, strings: &mut Interner) -> StrId {
        match self.values.get(slot) {
            Cell::Word(word) => word,
            Cell::Text(..) | Cell::Decoded(..) => self.values.intern(self.text, slot, strings),
            _ => StrId::EMPTY,
        }
    }

    /// Value of any type as text; [`StrId::NONE`] if there is none. An id that is null becomes the text "null".
    #[inline]
    fn any_text(&self, slot: Slot, strings: &mut Interner) -> StrId {
        if self.values.has(slot) && self.values.get(slot) == Cell::Null {
            return strings.intern("null");
        }
        self.values.intern(self.text, slot, strings)
    }

    #[inline]
    fn id(&self, slot: Slot, strings: &mut Interner) -> PidOrTid {
        match self.values.get(slot) {
            Cell::Null => PidOrTid::None,
            Cell::Int(number, ..) => PidOrTid::Number(number),
            Cell::Decimal(..) | Cell::Raw(..) => {
                PidOrTid::of_word(self.values.text(self.text, slot).unwrap_or(""), strings)
            }
            _ => PidOrTid::Text(self.any_text(slot, strings)),
        }
    }

    /// Time from microseconds, with or without quotes and with any number of digits.
    #[inline]
    fn time(&self, slot: Slot) -> Option<Time> {
        match self.values.get(slot) {
            Cell::Int(mantissa, ..) => Some(Decimal { mantissa, scale: 0 }.micros()),
            // In a longer number, not all digits may be in the mantissa.
            Cell::Decimal(mantissa, scale, from, to) if to - from <= 19 => {
                Some(Decimal { mantissa, scale }.micros())
            }
            Cell::Decimal(..) | Cell::Raw(..) | Cell::Text(..) | Cell::Decoded(..) => {
                Time::parse(self.values.text(self.text, slot)?)
            }
            _ => None,
        }
    }

    #[inline]
    fn link(&self, strings: &mut Interner) -> EventJoinId {
        let [local, global] = [LOCAL, GLOBAL].map(|slot| self.values.has(slot));
        let slot = match (local, global) {
            (true, _) => LOCAL,
            (false, true) => GLOBAL,
            (false, false) => ID,
        };
        EventJoinId { id: self.any_text(slot, strings), scope: self.text(SCOPE, strings), global, local }
    }

    #[inline]
    fn bind(&self, strings: &mut Interner) -> Option<BindFlags> {
        let is_set = |slot| matches!(self.values.get(slot), Cell::Bool(true) | Cell::Int(1, ..));
        let (into, out) = (is_set(FLOW_IN), is_set(FLOW_OUT));
        self.values.has(BIND).then(|| BindFlags { id: self.any_text(BIND, strings), into, out })
    }
}

/// First member of an object that has one of these keys.
fn first_member<'a>(
    object: Option<Value<'a>>,
    keys: &[&str],
    scanner: &mut Scanner,
) -> Option<(&'a str, Value<'a>)> {
    let Some(Value::Nested(object)) = object else { return None };
    let mut cursor = Cursor::new(object);
    while let Ok((key, value)) = cursor.next(scanner) {
        if keys.contains(&key.raw()) {
            return Some((key.raw(), value));
        }
    }
    None
}
