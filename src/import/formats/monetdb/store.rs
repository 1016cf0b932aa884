//! What was read: events of instructions and phases, samples of counters, in the order of the files.

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
    /// Its start.
    Start,
    /// Its end, and how long it took.
    Done,
    /// All of it: when it ended, and how long it took.
    Whole,
}

/// What an event is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MonetDbEventKind {
    /// An instruction that works.
    Instruction,
    /// A function of MAL as a whole: what its instructions lie in (pc 0).
    Function,
    /// A call of such a function.
    Call,
    /// `language.dataflow`: its thread waits while the workers run a block.
    Dataflow,
    /// `remote.exec` and what else goes to another server and back: its thread waits for that.
    Remote,
    /// A phase of a statement: parsing, optimising, committing, …
    Phase,
    /// The life of a client's connection.
    Session,
    /// A worker found nothing to do.
    Wait,
}

/// Not reported: a pc, a tag, a thread, a number of rows.
pub const NONE: i64 = i64::MIN;

/// One event.
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
    /// Which call of which function: with the client it names an execution. 0 where a release does not report it.
    pub tag: i64,
    pub pc: i64,
    /// The session's slot, user or nothing.
    pub client: StrId,
    /// The function that the instruction belongs to.
    pub program: StrId,
    /// `algebra.join`; the name of a phase.
    pub name: StrId,
    /// The instruction without values, or SQL where it is a phase.
    pub statement: StrId,
    /// The instruction without its variables.
    pub step: StrId,
    pub algorithm: StrId,
    /// Rows and bytes of its results.
    pub rows: i64,
    pub bytes: i64,
    pub record: RecordId,
    /// Its variables: the first of [`MonetDbStore::variables`] and how many.
    pub variables: (u32, u32),
    /// The ids of a supervisor and of a worker, where one registers with the other.
    pub token: StrId,
    /// Whether another record of the same file tells the same, and when that was.
    pub again: bool,
    /// The statement that the plan was made of, in `querylog.define`.
    pub sql: StrId,
}

impl MonetDbEvent {
    /// The event in words: where nothing names it, its place in its function.
    pub fn label(&self, strings: &Interner) -> String {
        let texts = [self.statement, self.name].map(|id| strings.get(id));
        match texts.iter().find(|text| !text.is_empty()) {
            Some(text) => (*text).to_owned(),
            None => format!("{}[{}]", strings.get(self.program), self.pc),
        }
    }
}

/// A variable that an instruction reads or makes.
#[derive(Clone, Copy, Debug)]
pub struct MalVariable {
    pub name: StrId,
    pub made: bool,
}

/// Counters of a server, in the order in which they are shown. Behind them its cores.
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

    /// Load of a core since the last beat, in millionths.
    pub fn core(number: usize) -> Self {
        CounterId(7_u16.saturating_add(number.min(60_000) as u16))
    }

    /// The number of the core, if it is one.
    pub fn core_number(self) -> Option<u16> {
        self.0.checked_sub(7)
    }
}

/// The value of a counter.
#[derive(Clone, Copy, Debug)]
pub struct MonetDbCounterSample {
    pub clock: ClockReading,
    pub server: u32,
    pub series: CounterId,
    pub value: i64,
    pub record: RecordId,
}

/// Whose clock and threads these are: a server that names itself, or the writer of a file.
#[derive(Clone, Copy, Debug)]
pub struct MonetDbServer {
    /// Its id, or [`StrId::NONE`].
    pub id: StrId,
    /// The first file with its events.
    pub file: FileId,
    pub version: StrId,
    /// Whether its events are those of `TRACE`, whose times are reconstructed: see `plans`.
    pub is_plan: bool,
    /// Whether its file has no times, so that they follow from the order and the durations.
    pub is_clockless: bool,
}

/// Servers that are kept apart: more are not used together, and a file of noise must not take longer than one of events.
pub const MOST_SERVERS: usize = 256;

/// Everything that was read.
#[derive(Default)]
pub struct MonetDbStore {
    pub events: BlockColumn<MonetDbEvent>,
    pub variables: BlockColumn<MalVariable>,
    pub samples: BlockColumn<MonetDbCounterSample>,
    /// Records without events: heartbeats with their servers, and what a server says about itself.
    pub descriptions: Vec<(RecordId, Option<u32>)>,
    pub servers: Vec<MonetDbServer>,
    /// Records of servers after the first [`MOST_SERVERS`].
    pub crowded: Vec<RecordId>,
    known: FxHashMap<(FileId, StrId), u32>,
    plans: FxHashMap<FileId, u32>,
    /// The files, with their names as they are shown.
    pub files: Vec<(FileId, String)>,
    /// Where the rows of each file begin.
    pub begins: Vec<FileTableStarts>,
    /// Records that are left out, with the file that has the same records.
    pub repeated: Vec<(RecordId, FileId)>,
    /// Room for the text of the instruction that is being read.
    pub room: String,
    /// Room for the name of its function.
    pub function: String,
}

impl MonetDbServer {
    fn new(id: StrId, file: FileId, is_plan: bool) -> Self {
        Self { id, file, version: StrId::NONE, is_plan, is_clockless: false }
    }
}

impl MonetDbStore {
    /// What a file is called.
    pub fn name_of(&self, file: FileId) -> Option<&str> {
        self.files.iter().find(|(known, _)| *known == file).map(|(_, name)| name.as_str())
    }

    /// The handle of a server. A server with an id is one in all files. Servers after the first [`MOST_SERVERS`] are not kept apart.
    pub fn server(&mut self, file: FileId, id: StrId) -> u32 {
        let crowded = self.servers.len() >= MOST_SERVERS && !self.known.contains_key(&(FileId(u32::MAX), id));
        let id = if crowded { StrId::NONE } else { id };
        let key = if id == StrId::NONE { (file, id) } else { (FileId(u32::MAX), id) };
        *self.known.entry(key).or_insert_with(|| {
            self.servers.push(MonetDbServer::new(id, file, false));
            self.servers.len() as u32 - 1
        })
    }

    /// The handle of the plans of a file, whose events have no times.
    pub fn plan(&mut self, file: FileId) -> u32 {
        *self.plans.entry(file).or_insert_with(|| {
            self.servers.push(MonetDbServer::new(StrId::NONE, file, true));
            self.servers.len() as u32 - 1
        })
    }

    /// Keeps what an instruction reads and makes. Returns where that is, and the rows and bytes of what it makes.
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

    /// The variables of an event, from where it says that they are.
    pub fn variables_of(&self, (first, count): (u32, u32)) -> impl Iterator<Item = MalVariable> + '_ {
        self.variables.range(first as usize..(first + count) as usize)
    }
}
