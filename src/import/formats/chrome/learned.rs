//! Events whose shape was seen before: compared instead of parsed. See [`LearnedShapes`] for how; here is what the members of an
//! event are to it, and a [`ChromeEvent`] made of what it found.
//!
//! The fields of the format have slots of their own. What stands in `args`, and members that the format does not define, get
//! the slots behind those in the order in which they stand; the shape knows their keys.

use super::event::{BindFlags, ChromeEvent, EventJoinId, PhaseFamily, is_part};
use super::members::IGNORED;
use super::names::PidOrTid;
use crate::base::interner::{Interner, StrId};
use crate::import::attributes::args::{LearnedShape, MAX_LEVEL};
use crate::import::json::{Known, LearnedShapes, Match, Schema};
use crate::import::scalars::decimal::{Decimal, Time};
use crate::import::scalars::values::{Cell, Class, SLOTS, Slot, Values};

/// The shapes that were seen, and room for the values of one event.
pub struct ChromeFastPath {
    pub shapes: LearnedShapes<ChromeMemberSchema>,
    pub values: Values,
}

impl Default for ChromeFastPath {
    fn default() -> Self {
        Self { shapes: LearnedShapes::new(ChromeMemberSchema::default()), values: Values::default() }
    }
}

/// What is known of the members of events.
#[derive(Default)]
pub struct ChromeMemberSchema {
    pub shapes: Vec<LearnedShape>,
    args: Vec<(Slot, String)>,
    more: Vec<(Slot, String)>,
    /// How many slots behind those of the format are taken.
    taken: usize,
}

/// The fields of the format, by slot.
const FIELDS: [(&str, Class); 16] = [
    ("ph", Class::Word),
    ("name", Class::Text),
    ("cat", Class::Word),
    ("ts", Class::Decimal),
    ("dur", Class::Decimal),
    ("tdur", Class::Decimal),
    ("pid", Class::Text),
    ("tid", Class::Text),
    ("id", Class::Text),
    ("scope", Class::Word),
    ("s", Class::Word),
    ("bp", Class::Word),
    ("bind_id", Class::Text),
    ("flow_in", Class::Truth),
    ("flow_out", Class::Truth),
    ("tts", Class::Decimal),
];
const PH: Slot = 0;
const NAME: Slot = 1;
const CAT: Slot = 2;
const TS: Slot = 3;
const DUR: Slot = 4;
const TDUR: Slot = 5;
const PID: Slot = 6;
const TID: Slot = 7;
const ID: Slot = 8;
const SCOPE: Slot = 9;
const S: Slot = 10;
const BP: Slot = 11;
const BIND: Slot = 12;
const FLOW_IN: Slot = 13;
const FLOW_OUT: Slot = 14;
const TTS: Slot = 15;
const LOCAL: Slot = 16;
const GLOBAL: Slot = 17;
/// The first slot that is no field's.
const FREE: usize = 18;

impl Schema for ChromeMemberSchema {
    fn begin(&mut self) {
        self.args.clear();
        self.more.clear();
        self.taken = 0;
    }

    fn enter(&mut self, path: &[&str]) -> bool {
        // As deep as the arguments of an event that is parsed.
        match path {
            ["id2"] => true,
            ["args", rest @ ..] => rest.len() <= usize::from(MAX_LEVEL),
            [key, rest @ ..] => !is_field(key) && rest.len() < usize::from(MAX_LEVEL),
            [] => false,
        }
    }

    fn member(&mut self, path: &[&str]) -> Option<Known> {
        match path {
            // What is no object of arguments, or of an id, only the parser takes.
            ["args"] | ["id2"] => None,
            ["id2", "local"] => Some(Some((LOCAL, Class::Text))),
            ["id2", "global"] => Some(Some((GLOBAL, Class::Text))),
            ["args", rest @ ..] => self.argument(rest, true),
            [key] if IGNORED.contains(key) => self.free().map(|slot| Some((slot, Class::Any))),
            [key] => {
                let slot = FIELDS.iter().position(|(name, _)| name == key);
                slot.map_or_else(|| self.argument(path, false), |at| Some(Some((at as Slot, FIELDS[at].1))))
            }
            [key, ..] if !is_field(key) => self.argument(path, false),
            _ => None,
        }
    }

    fn learned(&mut self, strings: &mut Interner) -> u32 {
        let args = self.args.iter().chain(&self.more).map(|(slot, key)| (*slot, strings.intern(key)));
        self.shapes.push(LearnedShape { args: args.collect(), sorts: Vec::new() });
        self.shapes.len() as u32 - 1
    }
}

impl ChromeMemberSchema {
    fn free(&mut self) -> Option<Slot> {
        let slot = FREE + self.taken;
        self.taken += 1;
        (slot < SLOTS).then_some(slot as Slot)
    }

    /// A slot for the argument at `path`; none where a key is there already by another way.
    fn argument(&mut self, path: &[&str], in_args: bool) -> Option<Known> {
        let (slot, key) = (self.free()?, path.join("."));
        if self.args.iter().chain(&self.more).any(|(_, known)| *known == key) {
            return None;
        }
        if in_args { &mut self.args } else { &mut self.more }.push((slot, key));
        Some(Some((slot, Class::Any)))
    }
}

fn is_field(key: &str) -> bool {
    matches!(key, "args" | "id2") || IGNORED.contains(&key) || FIELDS.iter().any(|(name, _)| *name == key)
}

impl ChromeFastPath {
    /// Reads the event at the start of `text`; `None` if only the parser can say what it is.
    #[inline]
    pub fn read(&mut self, text: &str, strings: &mut Interner) -> Option<(Match, ChromeEvent)> {
        let Self { shapes, values } = self;
        let found = shapes.read(text, values)?;
        let event = FastPathValues { text: &text[..found.length], values }.event(strings)?;
        Some((found, event))
    }
}

/// The values of one event.
struct FastPathValues<'a> {
    text: &'a str,
    values: &'a Values,
}

impl FastPathValues<'_> {
    #[inline]
    fn event(&self, strings: &mut Interner) -> Option<ChromeEvent> {
        let phase = self.first_byte(PH, strings)?;
        // Metadata, samples and steps say in their arguments what they are.
        if matches!(phase, b'M' | b'P' | b'T' | b'p') {
            return None;
        }
        let dur = self.time(DUR);
        Some(ChromeEvent {
            phase,
            family: PhaseFamily::of(phase, dur.is_some()),
            name: self.text(NAME, strings),
            category: self.text(CAT, strings),
            pid: self.id(PID, strings),
            tid: self.id(TID, strings),
            ts: self.time(TS),
            dur: dur.or_else(|| self.time(TDUR)),
            tdur: self.time(TDUR),
            tts: if is_part(phase) { self.time(TTS) } else { None },
            link: self.link(strings)?,
            step: StrId::NONE,
            scope: if self.values.has(S) { Some(self.first_byte(S, strings)?) } else { None },
            binds_enclosing: self.values.has(BP) && self.word(BP, strings)? == "e",
            bind: self.bind(strings)?,
        })
    }

    /// The text in a slot as it stands; `None` where it is not one without escapes.
    fn word<'s>(&'s self, slot: Slot, strings: &'s Interner) -> Option<&'s str> {
        match self.values.get(slot) {
            Cell::Word(word) => Some(strings.get(word)),
            Cell::Text(from, to) => self.text.get(from as usize..to as usize),
            _ => None,
        }
    }

    #[inline]
    fn first_byte(&self, slot: Slot, strings: &Interner) -> Option<u8> {
        self.word(slot, strings)?.bytes().next()
    }

    /// A text; empty where there is none, or something else.
    #[inline]
    fn text(&self, slot: Slot, strings: &mut Interner) -> StrId {
        match self.values.get(slot) {
            Cell::Word(word) => word,
            Cell::Text(..) | Cell::Decoded(..) => self.values.intern(self.text, slot, strings),
            _ => StrId::EMPTY,
        }
    }

    /// Text or number as a text; [`StrId::NONE`] where there is neither.
    fn plain(&self, slot: Slot, strings: &mut Interner) -> StrId {
        self.values.intern(self.text, slot, strings)
    }

    #[inline]
    fn id(&self, slot: Slot, strings: &mut Interner) -> PidOrTid {
        match self.values.get(slot) {
            Cell::Null => PidOrTid::None,
            Cell::Int(number, ..) => PidOrTid::Number(number),
            _ => PidOrTid::Text(self.plain(slot, strings)),
        }
    }

    #[inline]
    fn time(&self, slot: Slot) -> Option<Time> {
        match self.values.get(slot) {
            Cell::Int(mantissa, ..) => Some(Decimal { mantissa, scale: 0 }.micros()),
            Cell::Decimal(mantissa, scale, ..) => Some(Decimal { mantissa, scale }.micros()),
            _ => None,
        }
    }

    #[inline]
    fn link(&self, strings: &mut Interner) -> Option<EventJoinId> {
        let scope = if self.values.has(SCOPE) { self.scope(strings)? } else { StrId::EMPTY };
        let (local, global) = (self.values.has(LOCAL), self.values.has(GLOBAL));
        let slot = match (local, global) {
            (false, false) => ID,
            (true, false) => LOCAL,
            (false, true) => GLOBAL,
            // Which stands first counts.
            (true, true) => return None,
        };
        // An id that is null is the text null to the parser.
        let id = if self.values.has(slot) { self.plain(slot, strings).some()? } else { StrId::NONE };
        Some(EventJoinId { id, scope, global, local })
    }

    fn scope(&self, strings: &mut Interner) -> Option<StrId> {
        match self.values.get(SCOPE) {
            Cell::Word(..) | Cell::Text(..) => Some(self.plain(SCOPE, strings)),
            _ => None,
        }
    }

    fn bind(&self, strings: &mut Interner) -> Option<Option<BindFlags>> {
        if !self.values.has(BIND) {
            return Some(None);
        }
        let [into, out] = [FLOW_IN, FLOW_OUT].map(|slot| self.values.truth(slot) == Some(true));
        self.plain(BIND, strings).some().map(|id| Some(BindFlags { id, into, out }))
    }
}
