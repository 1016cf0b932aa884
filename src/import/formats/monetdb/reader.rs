//! Objects to events: what each member means, by release.
//!
//! | | Jun2016–Apr2019 | Nov2019 | Jun2020–Jan2022 | Sep2022–Mar2025 |
//! |---|---|---|---|---|
//! | instruction | `module`, `instruction` | the same | `module`, `function` | the same |
//! | enclosing function | `function` | the same | `program` | by `tag` |
//! | interval | start, done | start, done | start, done | done alone: `clk` is the end |
//! | text | `stmt` | the same | `args` | the same |

use super::clock::Clock;
use super::keys::Key;
use super::object::Object;
use super::problems::{NO_TIME, NOT_EVENT};
use super::statement::Statement;
use super::store::{Edge, Event, NONE, Sample, Series, Store, What};
use super::words::{self, statement};
use crate::import::contract::{Choice, FileId, Input, ProblemKind, RunKey};
use crate::strings::{StrId, Strings};
use crate::trace::RecordId;

/// Takes the objects of a file.
pub struct Reader<'a> {
    pub store: &'a mut Store,
    pub strings: &'a mut Strings,
    pub file: FileId,
    /// The part of the files that is wanted, and what the file is called.
    pub choice: &'a mut Choice,
    pub name: &'a str,
}

/// Megabytes, as all releases count memory, in bytes.
pub const MEGABYTE: i64 = 1 << 20;

/// Counters that come with events, by the key and what one of them is.
const COUNTERS: [(Key, Series, i64); 7] = [
    (Key::Rss, Series::RSS, MEGABYTE),
    (Key::Size, Series::TMPSPACE, MEGABYTE),
    (Key::Inblock, Series::INBLOCK, 1),
    (Key::Oublock, Series::OUBLOCK, 1),
    (Key::Majflt, Series::MAJFLT, 1),
    (Key::Nswap, Series::NSWAP, 1),
    (Key::Nvcsw, Series::NVCSW, 1),
];

impl<'a> Reader<'a> {
    /// A reader of the file that `input` is about.
    pub fn new(store: &'a mut Store, input: &'a mut Input) -> Self {
        let Input { file, name, strings, choice, .. } = input;
        Self { store, strings, file: *file, choice, name }
    }
}

impl Reader<'_> {
    /// Puts a record into the tables; an error says why it is in none.
    pub fn add(&mut self, object: &Object, record: RecordId) -> Result<(), ProblemKind> {
        self.add_beside(object, "", record)
    }

    /// The same, of a record beside which its instruction stands as text: what the record does not tell is read there.
    pub fn add_beside(&mut self, object: &Object, beside: &str, record: RecordId) -> Result<(), ProblemKind> {
        let is_event = object.has(Key::Pc) || object.has(Key::Phase);
        let is_beat = !is_event
            && (object.has(Key::Cpuload) || matches!(self.text(object, Key::State), "ping" | "wait"));
        if !is_event && !is_beat {
            return self.characteristics(object, record);
        }
        let keys = [Key::Clk, Key::Mclk, Key::Ctime].into_iter();
        let clock = Clock::of(keys.filter_map(|key| object.micros(key))).ok_or(NO_TIME)?;
        self.choose(clock)?;
        let id = object.intern(Key::Session, self.strings);
        let id = if id == StrId::EMPTY { StrId::NONE } else { id };
        let server = self.store.server(self.file, id);
        if self.store.servers[server as usize].id != id {
            self.store.crowded.push(record);
        }
        if object.has(Key::Version) {
            self.store.servers[server as usize].version = object.intern(Key::Version, self.strings);
        }
        self.counters(object, clock, server, record);
        if is_beat {
            self.beat(object, clock, server, record);
        } else {
            let event = self.event(object, beside, blank(clock, server, record));
            self.store.events.push(event);
        }
        Ok(())
    }

    fn text<'s>(&'s self, object: &Object<'s>, key: Key) -> &'s str {
        object.text(key, self.strings)
    }

    /// Whether something of this moment is wanted; an error says that it is left out.
    pub fn choose(&mut self, clock: Clock) -> Result<(), ProblemKind> {
        let nanos = clock.nanos(None);
        self.choice.take(RunKey::File(self.file), (nanos, nanos), || self.name.to_owned())
    }

    /// What a server says about itself to whoever listens first.
    fn characteristics(&mut self, object: &Object, record: RecordId) -> Result<(), ProblemKind> {
        if !object.has(Key::Version) || !object.has(Key::Release) {
            return Err(NOT_EVENT);
        }
        self.store.told.push((record, None));
        Ok(())
    }

    fn counters(&mut self, object: &Object, clock: Clock, server: u32, record: RecordId) {
        for (key, series, unit) in COUNTERS {
            if let Some(value) = object.number(key).and_then(|value| value.checked_mul(unit)) {
                self.store.samples.push(Sample { clock, server, series, value, record });
            }
        }
        let load = object.plain(Key::Cpuload);
        let numbers = load.split(['[', ']', ',', ' ']).filter(|part| !part.is_empty());
        for (core, number) in numbers.enumerate() {
            self.core(core, number, clock, server, record);
        }
    }

    /// The load of one core.
    pub fn core(&mut self, core: usize, number: &str, clock: Clock, server: u32, record: RecordId) {
        let load =
            crate::import::scalars::decimal::Decimal::parse(number).and_then(|number| number.millionths());
        if let Some(value) = load {
            self.store.samples.push(Sample { clock, server, series: Series::core(core), value, record });
        }
    }

    fn beat(&mut self, object: &Object, clock: Clock, server: u32, record: RecordId) {
        if self.text(object, Key::State) == "wait" {
            let name = self.strings.intern("wait");
            let thread = object.number(Key::Thread).unwrap_or(NONE);
            let event = Event { thread, what: What::Wait, name, ..blank(clock, server, record) };
            self.store.events.push(event);
        } else {
            self.store.told.push((record, Some(server)));
        }
    }

    fn event(&mut self, object: &Object, beside: &str, mut event: Event) -> Event {
        let state = self.text(object, Key::State);
        event.edge = match (state, object.number(Key::ExecutionState)) {
            ("start", _) | ("", Some(0)) => Edge::Start,
            ("done", _) | ("", Some(_)) => Edge::Done,
            _ => Edge::Whole,
        };
        event.failed = state == "error";
        event.usec = object.number(Key::Usec).filter(|usec| *usec >= 0).unwrap_or(NONE);
        event.thread = object.number(Key::Thread).unwrap_or(NONE);
        event.tag = object.number(Key::Tag).unwrap_or(NONE);
        event.pc = object.number(Key::Pc).unwrap_or(NONE);
        let client = [Key::SessionId, Key::User].into_iter().find(|key| object.has(*key));
        event.client = client.map_or(StrId::NONE, |key| object.intern(key, self.strings));
        if !object.has(Key::Pc) {
            return self.phase(object, event);
        }
        self.instruction(object, beside, &mut event);
        event
    }

    fn phase(&mut self, object: &Object, mut event: Event) -> Event {
        event.name = object.intern(Key::Phase, self.strings);
        let is_session = self.strings.get(event.name).starts_with("session_");
        event.what = if is_session { What::Session } else { What::Phase };
        if object.has(Key::Query) {
            event.sql = self.strings.intern(words::trimmed(object.plain(Key::Query)));
        }
        event
    }

    fn instruction(&mut self, object: &Object, beside: &str, event: &mut Event) {
        let stmt = match object.plain(Key::Stmt) {
            "" if !object.has(Key::Args) => beside.trim(),
            stmt => stmt,
        };
        let written = if stmt.is_empty() { Statement::default() } else { Statement::parse(stmt) };
        let mut function = std::mem::take(&mut self.store.function);
        let program = function_of(object, &mut function);
        event.program = object.intern(program, self.strings);
        let operator = object.plain(Key::Operator);
        let keyword = match operator {
            "function" | "end" => operator,
            _ => object.plain(Key::Barrier),
        };
        let told = Statement { keyword, function: &function, rest: "", ..operands(object) };
        let told_has_operands = !told.results.is_empty() || !told.arguments.is_empty();
        self.describe(if stmt.is_empty() { &told } else { &written }, event);
        self.keep(if told_has_operands { &told } else { &written }, event);
        let algorithm = Some(object.plain(Key::Algorithm)).filter(|name| !name.is_empty());
        if let Some(algorithm) = algorithm.or(written.algorithm()) {
            event.algorithm = self.strings.intern(algorithm);
        }
        if function == "querylog.define" {
            event.sql = self.defined(object, &written);
        }
        self.store.function = function;
    }

    /// The statement that a plan was made of.
    fn defined(&mut self, object: &Object, written: &Statement) -> StrId {
        let literal = object.arguments().find_map(|of| of.literal());
        let value = literal.or_else(|| written.arguments.first().map(|first| first.value));
        value.map_or(StrId::NONE, |value| self.strings.intern(words::untraced(&statement(value))))
    }

    /// What an instruction is called, and what sort of work it is.
    pub fn describe(&mut self, of: &Statement, event: &mut Event) {
        event.what = match of.name() {
            _ if of.keyword == "function" || event.pc == 0 => What::Function,
            "language.dataflow" => What::Dataflow,
            "remote.connect" | "remote.exec" | "remote.get" | "remote.put" => What::Remote,
            name if name.starts_with("user.") && of.keyword.is_empty() => What::Call,
            _ => What::Instruction,
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

    /// Keeps what an instruction reads and makes.
    pub fn keep(&mut self, of: &Statement, event: &mut Event) {
        (event.variables, event.rows, event.bytes) =
            self.store.add_operands(&of.results, &of.arguments, self.strings);
    }
}

/// Which member names the function that encloses an instruction; writes what that itself is called. Up to Nov2019
/// `function` is what encloses it.
fn function_of(object: &Object, name: &mut String) -> Key {
    let named = object.has(Key::Instruction);
    let old = named || !object.has(Key::Args) && object.plain(Key::Function).contains('.');
    let (program, own) = match old && !object.has(Key::Program) {
        true => (Key::Function, Key::Instruction),
        false => (Key::Program, if named { Key::Instruction } else { Key::Function }),
    };
    let module = object.plain(Key::Module);
    name.clear();
    if !module.is_empty() {
        name.extend([module, ".", object.plain(own)]);
    }
    program
}

/// What an instruction makes and reads, as its record lists it.
fn operands<'a>(object: &Object<'a>) -> Statement<'a> {
    let mut told = Statement::default();
    told.arguments.reserve(object.arguments().len());
    for of in object.arguments() {
        let list = if of.is_made() { &mut told.results } else { &mut told.arguments };
        list.extend(of.operand());
    }
    told
}

/// An event of which nothing is known but when it was.
pub fn blank(clock: Clock, server: u32, record: RecordId) -> Event {
    Event {
        clock,
        usec: NONE,
        server,
        edge: Edge::Whole,
        what: What::Instruction,
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
