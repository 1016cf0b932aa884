//! Converts JSON objects to events, with the meaning that each release gives to the members.
//!
//! | | Jun2016–Apr2019 | Nov2019 | Jun2020–Jan2022 | Sep2022–Mar2025 |
//! |---|---|---|---|---|
//! | instruction | `module`, `instruction` | as before | `module`, `function` | as before |
//! | enclosing function | `function` | as before | `program` | by `tag` |
//! | interval | start, done | start, done | start, done | only done: `clk` is the end |
//! | text | `stmt` | as before | `args` | as before |

use super::clock::ClockReading;
use super::keys::MonetDbKey;
use super::object::MonetDbObject;
use super::problems::{NO_TIME, NOT_EVENT};
use super::statement::MalStatement;
use super::store::{
    CounterId, MonetDbCounterSample, MonetDbEvent, MonetDbEventKind, MonetDbEventState, MonetDbStore, NONE,
};
use super::words::{self, statement};
use crate::base::interner::{Interner, StrId};
use crate::import::contract::{Choice, FileId, Input, ProblemKind, RunKey};
use crate::trace::RecordId;

/// Receives the JSON objects of a file, and adds their content to the tables.
pub struct MonetDbReader<'a> {
    pub store: &'a mut MonetDbStore,
    pub strings: &'a mut Interner,
    pub file: FileId,
    /// The range of time that is loaded, by which records are kept or left out.
    pub choice: &'a mut Choice,
    pub name: &'a str,
}

/// Bytes per megabyte, the unit of memory in all releases.
pub const MEGABYTE: i64 = 1 << 20;

/// Counters that events carry: key, counter, and the size of one unit.
const COUNTERS: [(MonetDbKey, CounterId, i64); 7] = [
    (MonetDbKey::Rss, CounterId::RSS, MEGABYTE),
    (MonetDbKey::Size, CounterId::TMPSPACE, MEGABYTE),
    (MonetDbKey::Inblock, CounterId::INBLOCK, 1),
    (MonetDbKey::Oublock, CounterId::OUBLOCK, 1),
    (MonetDbKey::Majflt, CounterId::MAJFLT, 1),
    (MonetDbKey::Nswap, CounterId::NSWAP, 1),
    (MonetDbKey::Nvcsw, CounterId::NVCSW, 1),
];

impl<'a> MonetDbReader<'a> {
    /// Creates a reader for the file of `input`.
    pub fn new(store: &'a mut MonetDbStore, input: &'a mut Input) -> Self {
        let Input { file, name, strings, choice, .. } = input;
        Self { store, strings, file: *file, choice, name }
    }
}

impl MonetDbReader<'_> {
    /// Adds a record to the tables; an error is the reason why it is not added.
    pub fn add(&mut self, object: &MonetDbObject, record: RecordId) -> Result<(), ProblemKind> {
        self.add_with_text(object, "", record)
    }

    /// Adds a record, and takes values that the record lacks from `mal_text`, the text of its instruction.
    pub fn add_with_text(
        &mut self,
        object: &MonetDbObject,
        mal_text: &str,
        record: RecordId,
    ) -> Result<(), ProblemKind> {
        let is_event = object.has(MonetDbKey::Pc) || object.has(MonetDbKey::Phase);
        let is_beat = !is_event
            && (object.has(MonetDbKey::Cpuload)
                || matches!(self.text(object, MonetDbKey::State), "ping" | "wait"));
        if !is_event && !is_beat {
            return self.characteristics(object, record);
        }
        let keys = [MonetDbKey::Clk, MonetDbKey::Mclk, MonetDbKey::Ctime].into_iter();
        let clock = ClockReading::of(keys.filter_map(|key| object.micros(key))).ok_or(NO_TIME)?;
        self.choose(clock)?;
        let id = object.intern(MonetDbKey::Session, self.strings);
        let id = if id == StrId::EMPTY { StrId::NONE } else { id };
        let server = self.store.server(self.file, id);
        if self.store.servers[server as usize].id != id {
            self.store.crowded.push(record);
        }
        if object.has(MonetDbKey::Version) {
            self.store.servers[server as usize].version = object.intern(MonetDbKey::Version, self.strings);
        }
        self.counters(object, clock, server, record);
        if is_beat {
            self.beat(object, clock, server, record);
        } else {
            let event = self.event(object, mal_text, blank(clock, server, record));
            self.store.events.push(event);
        }
        Ok(())
    }

    fn text<'s>(&'s self, object: &MonetDbObject<'s>, key: MonetDbKey) -> &'s str {
        object.text(key, self.strings)
    }

    /// Returns an error if this time is outside the range that is loaded.
    pub fn choose(&mut self, clock: ClockReading) -> Result<(), ProblemKind> {
        let nanos = clock.nanos(None);
        self.choice.take(RunKey::File(self.file), (nanos, nanos), || self.name.to_owned())
    }

    /// Stores the description that a server sends to its first listener.
    fn characteristics(&mut self, object: &MonetDbObject, record: RecordId) -> Result<(), ProblemKind> {
        if !object.has(MonetDbKey::Version) || !object.has(MonetDbKey::Release) {
            return Err(NOT_EVENT);
        }
        self.store.descriptions.push((record, None));
        Ok(())
    }

    fn counters(&mut self, object: &MonetDbObject, clock: ClockReading, server: u32, record: RecordId) {
        for (key, series, unit) in COUNTERS {
            if let Some(value) = object.number(key).and_then(|value| value.checked_mul(unit)) {
                self.store.samples.push(MonetDbCounterSample { clock, server, series, value, record });
            }
        }
        let load = object.plain(MonetDbKey::Cpuload);
        let numbers = load.split(['[', ']', ',', ' ']).filter(|part| !part.is_empty());
        for (core, number) in numbers.enumerate() {
            self.core(core, number, clock, server, record);
        }
    }

    /// Adds the load of a core.
    pub fn core(&mut self, core: usize, number: &str, clock: ClockReading, server: u32, record: RecordId) {
        let load =
            crate::import::scalars::decimal::Decimal::parse(number).and_then(|number| number.millionths());
        if let Some(value) = load {
            self.store.samples.push(MonetDbCounterSample {
                clock,
                server,
                series: CounterId::core(core),
                value,
                record,
            });
        }
    }

    fn beat(&mut self, object: &MonetDbObject, clock: ClockReading, server: u32, record: RecordId) {
        if self.text(object, MonetDbKey::State) == "wait" {
            let name = self.strings.intern("wait");
            let thread = object.number(MonetDbKey::Thread).unwrap_or(NONE);
            let event =
                MonetDbEvent { thread, what: MonetDbEventKind::Wait, name, ..blank(clock, server, record) };
            self.store.events.push(event);
        } else {
            self.store.descriptions.push((record, Some(server)));
        }
    }

    fn event(&mut self, object: &MonetDbObject, mal_text: &str, mut event: MonetDbEvent) -> MonetDbEvent {
        let state = self.text(object, MonetDbKey::State);
        event.edge = match (state, object.number(MonetDbKey::ExecutionState)) {
            ("start", _) | ("", Some(0)) => MonetDbEventState::Start,
            ("done", _) | ("", Some(_)) => MonetDbEventState::Done,
            _ => MonetDbEventState::Whole,
        };
        event.failed = state == "error";
        event.usec = object.number(MonetDbKey::Usec).filter(|usec| *usec >= 0).unwrap_or(NONE);
        event.thread = object.number(MonetDbKey::Thread).unwrap_or(NONE);
        event.tag = object.number(MonetDbKey::Tag).unwrap_or(NONE);
        event.pc = object.number(MonetDbKey::Pc).unwrap_or(NONE);
        let client = [MonetDbKey::SessionId, MonetDbKey::User].into_iter().find(|key| object.has(*key));
        event.client = client.map_or(StrId::NONE, |key| object.intern(key, self.strings));
        if !object.has(MonetDbKey::Pc) {
            return self.phase(object, event);
        }
        self.instruction(object, mal_text, &mut event);
        event
    }

    fn phase(&mut self, object: &MonetDbObject, mut event: MonetDbEvent) -> MonetDbEvent {
        event.name = object.intern(MonetDbKey::Phase, self.strings);
        let is_session = self.strings.get(event.name).starts_with("session_");
        event.what = if is_session { MonetDbEventKind::Session } else { MonetDbEventKind::Phase };
        if object.has(MonetDbKey::Query) {
            event.sql = self.strings.intern(words::trimmed(object.plain(MonetDbKey::Query)));
        }
        event
    }

    fn instruction(&mut self, object: &MonetDbObject, mal_text: &str, event: &mut MonetDbEvent) {
        let stmt = match object.plain(MonetDbKey::Stmt) {
            "" if !object.has(MonetDbKey::Args) => mal_text.trim(),
            stmt => stmt,
        };
        let written = if stmt.is_empty() { MalStatement::default() } else { MalStatement::parse(stmt) };
        let mut function = std::mem::take(&mut self.store.function);
        let program = function_of(object, &mut function);
        event.program = object.intern(program, self.strings);
        let operator = object.plain(MonetDbKey::Operator);
        let keyword = match operator {
            "function" | "end" => operator,
            _ => object.plain(MonetDbKey::Barrier),
        };
        let listed = MalStatement { keyword, function: &function, rest: "", ..operands(object) };
        let has_operands = !listed.results.is_empty() || !listed.arguments.is_empty();
        self.describe(if stmt.is_empty() { &listed } else { &written }, event);
        self.keep(if has_operands { &listed } else { &written }, event);
        let algorithm = Some(object.plain(MonetDbKey::Algorithm)).filter(|name| !name.is_empty());
        if let Some(algorithm) = algorithm.or(written.algorithm()) {
            event.algorithm = self.strings.intern(algorithm);
        }
        if function == "querylog.define" {
            event.sql = self.defined(object, &written);
        }
        self.store.function = function;
    }

    /// Statement that a plan was made from.
    fn defined(&mut self, object: &MonetDbObject, written: &MalStatement) -> StrId {
        let literal = object.arguments().find_map(|of| of.literal());
        let value = literal.or_else(|| written.arguments.first().map(|first| first.value));
        value.map_or(StrId::NONE, |value| self.strings.intern(words::untraced(&statement(value))))
    }

    /// Sets the name and kind of an instruction.
    pub fn describe(&mut self, of: &MalStatement, event: &mut MonetDbEvent) {
        event.what = match of.name() {
            _ if of.keyword == "function" || event.pc == 0 => MonetDbEventKind::Function,
            "language.dataflow" => MonetDbEventKind::Dataflow,
            "remote.connect" | "remote.exec" | "remote.get" | "remote.put" => MonetDbEventKind::Remote,
            name if name.starts_with("user.") && of.keyword.is_empty() => MonetDbEventKind::Call,
            _ => MonetDbEventKind::Instruction,
        };
        event.name = match of.keyword {
            "function" => self.strings.intern(&["function ", of.function].concat()),
            "end" => self.strings.intern("end"),
            _ => self.strings.intern(of.name()),
        };
        event.statement = self.strings.intern(of.short(&mut self.store.room));
        event.step = self.strings.intern(of.step(&mut self.store.room));
        if of.function == "remote.register_supervisor"
            && let [supervisor, worker, ..] = of.arguments[..]
        {
            let token = [supervisor, worker].map(|of| of.value.trim_matches('"')).join(" ");
            event.token = self.strings.intern(&token);
        }
    }

    /// Stores the operands of an instruction.
    pub fn keep(&mut self, of: &MalStatement, event: &mut MonetDbEvent) {
        (event.variables, event.rows, event.bytes) =
            self.store.add_operands(&of.results, &of.arguments, self.strings);
    }
}

/// Returns the member that names the enclosing function, and writes the instruction's own name to `name`. Up to Nov2019
/// `function` is the enclosing function.
fn function_of(object: &MonetDbObject, name: &mut String) -> MonetDbKey {
    let named = object.has(MonetDbKey::Instruction);
    let old = named || !object.has(MonetDbKey::Args) && object.plain(MonetDbKey::Function).contains('.');
    let (program, own) = match old && !object.has(MonetDbKey::Program) {
        true => (MonetDbKey::Function, MonetDbKey::Instruction),
        false => (MonetDbKey::Program, if named { MonetDbKey::Instruction } else { MonetDbKey::Function }),
    };
    let module = object.plain(MonetDbKey::Module);
    name.clear();
    if !module.is_empty() {
        name.extend([module, ".", object.plain(own)]);
    }
    program
}

/// Returns the results and arguments that a record lists for its instruction.
fn operands<'a>(object: &MonetDbObject<'a>) -> MalStatement<'a> {
    let mut operands = MalStatement::default();
    operands.arguments.reserve(object.arguments().len());
    for of in object.arguments() {
        let list = if of.is_made() { &mut operands.results } else { &mut operands.arguments };
        list.extend(of.operand());
    }
    operands
}

/// Creates an event that has only a time.
pub fn blank(clock: ClockReading, server: u32, record: RecordId) -> MonetDbEvent {
    MonetDbEvent {
        clock,
        usec: NONE,
        server,
        edge: MonetDbEventState::Whole,
        what: MonetDbEventKind::Instruction,
        failed: false,
        thread: NONE,
        tag: NONE,
        pc: NONE,
        client: StrId::NONE,
        program: StrId::NONE,
        name: StrId::EMPTY,
        statement: StrId::NONE,
        step: StrId::NONE,
        algorithm: StrId::NONE,
        rows: NONE,
        bytes: NONE,
        record,
        variables: (0, 0),
        again: false,
        token: StrId::NONE,
        sql: StrId::NONE,
    }
}
