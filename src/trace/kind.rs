//! [`Kind`] and [`Flags`]: what a span or event is, and what must be seen about it at a glance.

/// What a span or event is; its colour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Transport-level work for a statement.
    Request,
    /// A statement.
    Query,
    /// The engine's side of one use of a source.
    Source,
    /// The work inside the source's translator.
    Execution,
    /// Activity of the buffer manager.
    Buffer,
    /// Anything else, such as an event type that this version does not know.
    Other,
    /// A named piece of work of a thread, or of something asynchronous, as trace viewers show it.
    Slice,
    /// What a thread was doing for its scheduler: running, waiting, …
    State,
    /// Something that happened and took no time.
    Instant,
    /// The value of a counter from here on.
    Sample,
    /// A transaction.
    Transaction,
    /// A statement that another one runs: of a stored program, a trigger, …
    Statement,
    /// A step of a statement's execution.
    Stage,
    /// A wait for something: a lock, a file, a socket, rows of a table.
    Wait,
    /// Nothing to do: a wait for the client, or samples of a thread that found it idle.
    Idle,
}

impl Kind {
    /// All kinds, in the order of their codes.
    pub const ALL: [Kind; 15] = [
        Kind::Request,
        Kind::Query,
        Kind::Source,
        Kind::Execution,
        Kind::Buffer,
        Kind::Other,
        Kind::Slice,
        Kind::State,
        Kind::Instant,
        Kind::Sample,
        Kind::Transaction,
        Kind::Statement,
        Kind::Stage,
        Kind::Wait,
        Kind::Idle,
    ];

    /// Its colour slot: 0..6 and 10.., around the slots for outcomes. What plays the same part has the same colour.
    pub fn slot(self) -> u16 {
        let slot = match self {
            // Colours of their own: they stand in rows next to queries.
            Kind::Transaction => return 14,
            Kind::Statement => return 15,
            Kind::Stage => Kind::Source,
            Kind::Wait => Kind::Execution,
            // Nothing: the slot of what has no name.
            Kind::Idle => return 9,
            other => other,
        };
        let code = slot as u16;
        if code < 6 { code } else { code + 4 }
    }

    /// Display name of the kind.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Request => "request",
            Kind::Query => "query",
            Kind::Source => "source",
            Kind::Execution => "source execution",
            Kind::Buffer => "buffer",
            Kind::Other => "other",
            Kind::Slice => "slice",
            Kind::State => "state",
            Kind::Instant => "instant",
            Kind::Sample => "counter",
            Kind::Transaction => "transaction",
            Kind::Statement => "sub-statement",
            Kind::Stage => "stage",
            Kind::Wait => "wait",
            Kind::Idle => "idle",
        }
    }
}

/// What must be seen at a glance about a span or event: a set of marks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Flags(pub u16);

impl Flags {
    /// The item reported a failure.
    pub const FAILED: Flags = Flags(1);
    /// Its start is not in the trace; drawn from the first event that belongs to it.
    pub const OPEN_START: Flags = Flags(2);
    /// Its end is not in the trace; drawn to the last event that belongs to it. Its duration is a lower bound.
    pub const OPEN_END: Flags = Flags(4);
    /// Its end is no event of its own (a request's), or its parent was found by time.
    pub const INFERRED: Flags = Flags(8);
    /// The item read at least ten times the rows that it returned.
    pub const OVER_FETCH: Flags = Flags(16);
    /// One of several executions under the same id, paired first in, first out.
    pub const REPEATED: Flags = Flags(32);
    /// The duration that it reports differs from its two timestamps.
    pub const DURATION_DIFFERS: Flags = Flags(64);
    /// A part of its parent, not an item that counts by itself: one round trip of a request.
    pub const SEGMENT: Flags = Flags(128);
    /// The buffer event reached secondary storage (SPILL, PHYSICAL_WRITE).
    pub const STORAGE: Flags = Flags(256);
    /// Something that this version does not know by name.
    pub const UNKNOWN: Flags = Flags(512);

    /// The span overlaps another one of its thread without lying inside it, and stands in a row of its own.
    pub const OVERLAPS: Flags = Flags(1024);
    /// Its duration is the one that its source measured, [`key::REPORTED_DURATION`](super::key::REPORTED_DURATION); its start
    /// and end place it on the time axis, and are as far apart as the clock readings are.
    pub const SERVER_TIMED: Flags = Flags(4096);
    /// The span reached up to a microsecond beyond its neighbour, and was cut or moved: clocks were rounded, or differ by so much.
    pub const CLIPPED: Flags = Flags(2048);
    /// The source says that the span is part of its parent, but it lies outside the parent's time, or ends there.
    pub const OUTSIDE: Flags = Flags(8192);

    /// Every flag with its name, in the order of the bits.
    pub const NAMES: [(Flags, &str); 13] = [
        (Flags::FAILED, "failed"),
        (Flags::OPEN_START, "no start in trace"),
        (Flags::OPEN_END, "no end in trace"),
        (Flags::INFERRED, "inferred"),
        (Flags::OVER_FETCH, "over-fetch"),
        (Flags::REPEATED, "repeated id"),
        (Flags::DURATION_DIFFERS, "reported duration differs"),
        (Flags::SEGMENT, "segment"),
        (Flags::STORAGE, "secondary storage"),
        (Flags::UNKNOWN, "unknown type"),
        (Flags::OVERLAPS, "overlaps its neighbour"),
        (Flags::CLIPPED, "clipped"),
        (Flags::OUTSIDE, "outside its parent"),
    ];

    /// Whether all of `other` are set.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Both sets together.
    #[must_use]
    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// What the flags that are set mean in a trace of which so much was left out.
    pub fn words(self, cut: Cut) -> impl Iterator<Item = &'static str> {
        let words = move |(flag, name)| match flag {
            Flags::OPEN_START if cut.before => "starts before the loaded range",
            Flags::OPEN_END if cut.after => "ends after the loaded range",
            _ => name,
        };
        Self::NAMES.into_iter().filter(move |(flag, _)| self.has(*flag)).map(words)
    }

    /// The names of the flags that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.words(Cut::default())
    }
}

/// Where records were left out by choice: what lacks a side then may have it there.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cut {
    /// Before the part that was chosen.
    pub before: bool,
    /// Behind it.
    pub after: bool,
}

impl Cut {
    /// Nothing was left out.
    pub const NOWHERE: Self = Self { before: false, after: false };
    /// Only before.
    pub const BEFORE: Self = Self { before: true, after: false };
    /// Only after the part that was loaded.
    pub const AFTER: Self = Self { before: false, after: true };
    /// On either side.
    pub const ANYWHERE: Self = Self { before: true, after: true };
}
