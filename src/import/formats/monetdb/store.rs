//! Events of instructions and phases, and samples of counters, in file order.

use super::clock::ClockReading;
use super::repeats::FileTableStarts;
use super::statement::MalOperand;
use crate::base::FxHashMap;
use crate::base::columns::BlockColumn;
use crate::base::interner::{Interner, StrId};
use crate::import::contract::FileId;
use crate::trace::RecordId;

/// The part of an interval that an event reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MonetDbEventState {
    /// The start.
    Start,
    /// The end, with the duration.
    Done,
    /// The whole interval: its end and its duration.
    Whole,
}

/// Type of the activity that an event reports.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MonetDbEventKind {
    /// An instruction that does work itself.
    Instruction,
    /// A whole MAL function, which contains its instructions (pc 0).
    Function,
    /// A call of a MAL function.
    Call,
    /// `language.dataflow`: its thread waits while the workers run a block.
    Dataflow,
    /// `remote.exec` or another request to a different server: its thread waits for the reply.
    Remote,
    /// A phase of a statement: parsing, optimising, committing, …
    Phase,
    /// The lifetime of a client's connection.
    Session,
    /// A moment at which a worker found no work.
    Wait,
}

/// Value of a number that is not reported: a pc, a tag, a thread, a number of rows.
pub const NONE: i64 = i64::MIN;

/// An event with its numbers, texts and results.
#[derive(Clone, Copy, Debug)]
pub struct MonetDbEvent {
    pub clock: ClockReading,
    /// Duration in microseconds, or [`NONE`].
    pub usec: i64,
    pub server: u32,
    pub edge: MonetDbEventState,
    pub what: MonetDbEventKind,
    pub failed: bool,
    pub thread: i64,
    /// Number of the function call. With the client it identifies an execution. 0 if the release does not report it.
    pub tag: i64,
    pub pc: i64,
    /// Session slot or user, or [`StrId::NONE`].
    pub client: StrId,
    /// The MAL function that the instruction belongs to.
    pub program: StrId,
    /// Function, such as `algebra.join`, or the name of a phase.
    pub name: StrId,
    /// Text of the instruction without values; SQL for a phase.
    pub statement: StrId,
    /// Text of the instruction without its variables, equal for all parts of a table.
    pub step: StrId,
    pub algorithm: StrId,
    /// Number of rows of the largest result, or [`NONE`].
    pub rows: i64,
    /// Total bytes of the results, or [`NONE`].
    pub bytes: i64,
    pub record: RecordId,
    /// Variables of the instruction: index of the first in [`MonetDbStore::variables`], and their number.
    pub variables: (u32, u32),
    /// Ids of a supervisor and of a worker, in an event by which one registers with the other.
    pub token: StrId,
    /// Whether another record of the same file also reports this event, with its time.
    pub again: bool,
    /// SQL statement that the plan was made from, in `querylog.define`.
    pub sql: StrId,
}

impl MonetDbEvent {
    /// Label of the event: its text, its name, or else its position in its function.
    pub fn label(&self, strings: &Interner) -> String {
        let texts = [self.statement, self.name].map(|id| strings.get(id));
        match texts.iter().find(|text| !text.is_empty()) {
            Some(text) => (*text).to_owned(),
            None => format!("{}[{}]", strings.get(self.program), self.pc),
        }
    }
}

/// A variable that an instruction reads or writes.
#[derive(Clone, Copy, Debug)]
pub struct MalVariable {
    pub name: StrId,
    pub made: bool,
}

/// Id of a server counter, in display order. The cores follow after the named counters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CounterId(pub u16);

impl CounterId {
    /// Resident memory, in bytes.
    pub const RSS: CounterId = CounterId(0);
    /// Memory for intermediate results, in bytes.
    pub const TMPSPACE: CounterId = CounterId(1);
    pub const INBLOCK: CounterId = CounterId(2);
    pub const OUBLOCK: CounterId = CounterId(3);
    pub const MAJFLT: CounterId = CounterId(4);
    pub const NSWAP: CounterId = CounterId(5);
    pub const NVCSW: CounterId = CounterId(6);

    /// Load of a core since the previous heartbeat, in millionths.
    pub fn core(number: usize) -> Self {
        CounterId(7_u16.saturating_add(number.min(60_000) as u16))
    }

    /// Number of the core; `None` if the counter is not the load of a core.
    pub fn core_number(self) -> Option<u16> {
        self.0.checked_sub(7)
    }
}

/// Value of a counter at a time.
#[derive(Clone, Copy, Debug)]
pub struct MonetDbCounterSample {
    pub clock: ClockReading,
    pub server: u32,
    pub series: CounterId,
    pub value: i64,
    pub record: RecordId,
}

/// A server whose clock and threads the events share: a server with an id, or the server that wrote a file.
#[derive(Clone, Copy, Debug)]
pub struct MonetDbServer {
    /// Id of the server, or [`StrId::NONE`].
    pub id: StrId,
    /// First file with events of the server.
    pub file: FileId,
    pub version: StrId,
    /// Whether the events come from `TRACE`, whose times are reconstructed: see `plans`.
    pub is_plan: bool,
    /// Whether the file has no times, so that they are derived from order and durations.
    pub is_clockless: bool,
}

/// Maximum number of distinct servers. No real system uses more together; for damaged files, the limit bounds the
/// reading time.
pub const MOST_SERVERS: usize = 256;

/// Everything that was read from the files.
#[derive(Default)]
pub struct MonetDbStore {
    pub events: BlockColumn<MonetDbEvent>,
    pub variables: BlockColumn<MalVariable>,
    pub samples: BlockColumn<MonetDbCounterSample>,
    /// Records without events: heartbeats with their servers, and descriptions of a server.
    pub descriptions: Vec<(RecordId, Option<u32>)>,
    pub servers: Vec<MonetDbServer>,
    /// Records of servers after the first [`MOST_SERVERS`] servers.
    pub crowded: Vec<RecordId>,
    known: FxHashMap<(FileId, StrId), u32>,
    plans: FxHashMap<FileId, u32>,
    /// Files with their display names.
    pub files: Vec<(FileId, String)>,
    /// Position of the first row of each file in the tables.
    pub begins: Vec<FileTableStarts>,
    /// Records that are left out, each with the file that has the same record.
    pub repeated: Vec<(RecordId, FileId)>,
    /// Buffer for the text of the instruction that is being read.
    pub room: String,
    /// Buffer for the name of the function of the instruction that is being read.
    pub function: String,
}

impl MonetDbServer {
    fn new(id: StrId, file: FileId, is_plan: bool) -> Self {
        Self { id, file, version: StrId::NONE, is_plan, is_clockless: false }
    }
}

impl MonetDbStore {
    /// Display name of a file.
    pub fn name_of(&self, file: FileId) -> Option<&str> {
        self.files.iter().find(|(known, _)| *known == file).map(|(_, name)| name.as_str())
    }

    /// Returns the index of a server. An id is one server in all files. Servers after the first [`MOST_SERVERS`] are merged.
    pub fn server(&mut self, file: FileId, id: StrId) -> u32 {
        let crowded = self.servers.len() >= MOST_SERVERS && !self.known.contains_key(&(FileId(u32::MAX), id));
        let id = if crowded { StrId::NONE } else { id };
        let key = if id == StrId::NONE { (file, id) } else { (FileId(u32::MAX), id) };
        *self.known.entry(key).or_insert_with(|| {
            self.servers.push(MonetDbServer::new(id, file, false));
            self.servers.len() as u32 - 1
        })
    }

    /// Returns the index of the server for a file's `TRACE` plans, whose events have no times.
    pub fn plan(&mut self, file: FileId) -> u32 {
        *self.plans.entry(file).or_insert_with(|| {
            self.servers.push(MonetDbServer::new(StrId::NONE, file, true));
            self.servers.len() as u32 - 1
        })
    }

    /// Stores the operands of an instruction. Returns their position, and the rows and bytes of the results.
    pub fn add_operands<'a>(
        &mut self,
        made: &[MalOperand<'a>],
        read: &[MalOperand<'a>],
        strings: &mut Interner,
    ) -> ((u32, u32), i64, i64) {
        let first = self.variables.len() as u32;
        let (mut rows, mut bytes) = (NONE, NONE);
        for (made, operand) in made.iter().map(|of| (true, of)).chain(read.iter().map(|of| (false, of))) {
            if made {
                rows = rows.max(operand.rows.unwrap_or(NONE));
                bytes = operand.bytes.map_or(bytes, |more| bytes.max(0).saturating_add(more));
            }
            if !operand.name.is_empty() {
                self.variables.push(MalVariable { name: strings.intern(operand.name), made });
            }
        }
        ((first, self.variables.len() as u32 - first), rows, bytes)
    }

    /// Iterates over the variables of an event, given the position that the event stores.
    pub fn variables_of(&self, (first, count): (u32, u32)) -> impl Iterator<Item = MalVariable> + '_ {
        self.variables.range(first as usize..(first + count) as usize)
    }
}
