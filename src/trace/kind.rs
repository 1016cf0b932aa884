//! [`Kind`] and [`Flags`]: the kind of a span or event, and properties that should be visible at a glance.

/// Kind of a span or event; determines its colour.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    /// Transport-level work for a statement.
    Request,
    /// A statement.
    Query,
    /// One use of a source, as seen by the engine.
    Source,
    /// Work inside the translator of a source.
    Execution,
    /// Activity of the buffer manager.
    Buffer,
    /// Any other kind, such as an event type that this version does not know.
    Other,
    /// Named work of a thread or of an asynchronous operation (a slice of a trace viewer).
    Slice,
    /// Scheduler state of a thread: running, waiting, …
    State,
    /// Something that happened at an instant, without a duration.
    Instant,
    /// A new value of a counter, valid until the next sample.
    Sample,
    /// A transaction.
    Transaction,
    /// A statement executed by another statement, such as a statement of a stored program or trigger.
    Statement,
    /// A step of a statement's execution.
    Stage,
    /// A wait for a lock, a file, a socket, rows of a table, …
    Wait,
    /// Idle time: a wait for the client, or profiler samples that found the thread idle.
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

    /// Colour slot of the kind: 0..6 and 10.., around the slots of the outcomes. Kinds with the same role share a colour.
    pub fn slot(self) -> u16 {
        let slot = match self {
            // These two have colours of their own, because they appear in rows next to queries.
            Kind::Transaction => return 14,
            Kind::Statement => return 15,
            Kind::Stage => Kind::Source,
            Kind::Wait => Kind::Execution,
            // The slot for "no name".
            Kind::Idle => return 9,
            other => other,
        };
        let code = slot as u16;
        if code < 6 { code } else { code + 4 }
    }

    /// The kind with this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Display name of the kind, which is also its name in files of the format `queryscope`.
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

/// Properties of a span or event that should be visible at a glance, as a set of bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct Flags(pub u16);

impl Flags {
    /// The item reported a failure.
    pub const FAILED: Flags = Flags(1);
    /// The start is not in the trace; the item is drawn from the first event that belongs to it.
    pub const OPEN_START: Flags = Flags(2);
    /// The end is not in the trace; the item is drawn to the last event that belongs to it. Its duration is a lower bound.
    pub const OPEN_END: Flags = Flags(4);
    /// The end was not recorded as an event (of a request), or the parent was determined by time.
    pub const INFERRED: Flags = Flags(8);
    /// The item read at least ten times the rows that it returned.
    pub const OVER_FETCH: Flags = Flags(16);
    /// One of several executions with the same id, paired first in, first out.
    pub const REPEATED: Flags = Flags(32);
    /// The reported duration differs from the two timestamps.
    pub const DURATION_DIFFERS: Flags = Flags(64);
    /// A part of its parent that is not counted as an item: one round trip of a request.
    pub const SEGMENT: Flags = Flags(128);
    /// The buffer event reached secondary storage (SPILL, PHYSICAL_WRITE).
    pub const STORAGE: Flags = Flags(256);
    /// An event type that this version does not know.
    pub const UNKNOWN: Flags = Flags(512);

    /// The span overlaps another span of its thread without nesting, and is drawn in a row of its own.
    pub const OVERLAPS: Flags = Flags(1024);
    /// The source measured the duration ([`key::REPORTED_DURATION`](super::key::REPORTED_DURATION)). Start and end are clock
    /// readings that place the span on the time axis; their distance may differ from the duration.
    pub const SERVER_TIMED: Flags = Flags(4096);
    /// The span overlapped its neighbour by up to a microsecond (clocks were rounded or differ), and was clipped or moved.
    pub const CLIPPED: Flags = Flags(2048);
    /// The source reports the span as part of its parent, but the span is, or ends, outside the parent's time.
    pub const OUTSIDE: Flags = Flags(8192);

    /// All flags with their names.
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

    /// Name of [`Flags::SERVER_TIMED`] in files of the format `queryscope`. It is not displayed as a flag.
    pub const SERVER_TIMED_NAME: &str = "measured by its source";

    /// The flag with this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        if name == Self::SERVER_TIMED_NAME {
            return Some(Self::SERVER_TIMED);
        }
        Self::NAMES.into_iter().find(|(_, known)| *known == name).map(|(flag, _)| flag)
    }

    /// Whether all flags of `other` are set.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// Union of two sets of flags.
    #[must_use]
    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// Names of the flags that are set. If records before or after the loaded range were left out (`cut`), an open
    /// start or end is described as starting before or ending after the loaded range.
    pub fn words(self, cut: Cut) -> impl Iterator<Item = &'static str> {
        let words = move |(flag, name)| match flag {
            Flags::OPEN_START if cut.before => "starts before the loaded range",
            Flags::OPEN_END if cut.after => "ends after the loaded range",
            _ => name,
        };
        Self::NAMES.into_iter().filter(move |(flag, _)| self.has(*flag)).map(words)
    }

    /// Names of the flags that are set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        self.words(Cut::default())
    }
}

/// Sides of the loaded range on which records were left out by choice. The missing starts or ends of spans may be there.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Cut {
    /// Whether records before the loaded range were left out.
    pub before: bool,
    /// Whether records after the loaded range were left out.
    pub after: bool,
}

impl Cut {
    /// No records were left out.
    pub const NOWHERE: Self = Self { before: false, after: false };
    /// Only records before the loaded range were left out.
    pub const BEFORE: Self = Self { before: true, after: false };
    /// Only records after the loaded range were left out.
    pub const AFTER: Self = Self { before: false, after: true };
    /// Records on both sides of the loaded range were left out.
    pub const ANYWHERE: Self = Self { before: true, after: true };
}
