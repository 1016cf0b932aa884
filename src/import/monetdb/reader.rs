//! Objects to events: what each member means, by release.
//!
//! | | Jun2016–Apr2019 | Nov2019 | Jun2020–Jan2022 | Sep2022–Mar2025 |
//! |---|---|---|---|---|
//! | instruction | `module`, `instruction` | the same | `module`, `function` | the same |
//! | enclosing function | `function` | the same | `program` | by `tag` |
//! | interval | start, done | start, done | start, done | done alone: `clk` is the end |
//! | text | `stmt` | the same | `args` | the same |

use std::borrow::Cow;

use super::clock::Clock;
use super::object::{Key, Object};
use super::problems::{NO_TIME, NOT_EVENT};
use super::statement::{Operand, Statement};
use super::store::{Edge, Event, NONE, Sample, Series, Store, What};
use super::words::{self, decoded, statement};
use crate::import::json::{Scanner, Value};
use crate::import::number::exact_i64;
use crate::import::{Choice, FileId, Input, ProblemKind, RunKey};
use crate::strings::{StrId, Strings};
use crate::trace::RecordId;

/// Takes the objects of a file.
pub struct Reader<'a> {
    pub store: &'a mut Store,
    pub scanner: &'a mut Scanner,
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
    pub fn new(store: &'a mut Store, scanner: &'a mut Scanner, input: &'a mut Input) -> Self {
        let Input { file, name, strings, choice, .. } = input;
        Self { store, scanner, strings, file: *file, choice, name }
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
        let is_beat =
            !is_event && (object.has(Key::Cpuload) || matches!(&*object.text(Key::State), "ping" | "wait"));
        if !is_event && !is_beat {
            return self.characteristics(object, record);
        }
        let keys = [Key::Clk, Key::Mclk, Key::Ctime].into_iter();
        let clock = Clock::of(keys.filter_map(|key| object.micros(key))).ok_or(NO_TIME)?;
        self.choose(clock)?;
        let id = object.text(Key::Session);
        let id = if id.is_empty() { StrId::NONE } else { self.strings.intern(&id) };
        let server = self.store.server(self.file, id);
        if self.store.servers[server as usize].id != id {
            self.store.crowded.push(record);
        }
        if object.has(Key::Version) {
            self.store.servers[server as usize].version = self.strings.intern(&object.text(Key::Version));
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
        let load = object.text(Key::Cpuload);
        let numbers = load.split(['[', ']', ',', ' ']).filter(|part| !part.is_empty());
        for (core, number) in numbers.enumerate() {
            self.core(core, number, clock, server, record);
        }
    }

    /// The load of one core.
    pub fn core(&mut self, core: usize, number: &str, clock: Clock, server: u32, record: RecordId) {
        let load = crate::import::decimal::Decimal::parse(number).and_then(|number| number.millionths());
        if let Some(value) = load {
            self.store.samples.push(Sample { clock, server, series: Series::core(core), value, record });
        }
    }

    fn beat(&mut self, object: &Object, clock: Clock, server: u32, record: RecordId) {
        if object.text(Key::State) == "wait" {
            let name = self.strings.intern("wait");
            let thread = object.number(Key::Thread).unwrap_or(NONE);
            let event = Event { thread, what: What::Wait, name, ..blank(clock, server, record) };
            self.store.events.push(event);
        } else {
            self.store.told.push((record, Some(server)));
        }
    }

    fn event(&mut self, object: &Object, beside: &str, mut event: Event) -> Event {
        let state = object.text(Key::State);
        event.edge = match (&*state, object.number(Key::ExecutionState)) {
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
        event.client = client.map_or(StrId::NONE, |key| self.strings.intern(&object.text(key)));
        if !object.has(Key::Pc) {
            return self.phase(object, event);
        }
        self.instruction(object, beside, &mut event);
        event
    }

    fn phase(&mut self, object: &Object, mut event: Event) -> Event {
        let phase = object.text(Key::Phase);
        event.what = if phase.starts_with("session_") { What::Session } else { What::Phase };
        event.name = self.strings.intern(&phase);
        if object.has(Key::Query) {
            event.sql = self.strings.intern(words::trimmed(&object.text(Key::Query)));
        }
        event
    }

    fn instruction(&mut self, object: &Object, beside: &str, event: &mut Event) {
        let stmt = match object.text(Key::Stmt) {
            none if none.is_empty() && !object.has(Key::Args) => Cow::Borrowed(beside.trim()),
            stmt => stmt,
        };
        let written = Statement::parse(&stmt);
        // Up to Nov2019 `function` is what encloses the instruction.
        let old = object.has(Key::Instruction)
            || !object.has(Key::Args) && object.text(Key::Function).contains('.');
        let (program, own) = if old && !object.has(Key::Program) {
            (Key::Function, Key::Instruction)
        } else if object.has(Key::Instruction) {
            (Key::Program, Key::Instruction)
        } else {
            (Key::Program, Key::Function)
        };
        event.program = self.strings.intern(&object.text(program));
        let (module, own) = (object.text(Key::Module), object.text(own));
        let function =
            if module.is_empty() { Cow::Borrowed("") } else { Cow::Owned(format!("{module}.{own}")) };
        let mut arguments = Arguments::default();
        arguments.read(object, self.scanner);
        let (made, read) = arguments.operands();
        let (operator, keyword) = (object.text(Key::Operator), object.text(Key::Barrier));
        let keyword = match &*operator {
            "function" | "end" => operator,
            _ => keyword,
        };
        let told =
            Statement { keyword: &keyword, function: &function, results: made, arguments: read, rest: "" };
        let told_has_operands = !told.results.is_empty() || !told.arguments.is_empty();
        let best = if stmt.is_empty() { &told } else { &written };
        let operands = if told_has_operands { &told } else { &written };
        self.describe(best, event);
        self.keep(operands, event);
        let algorithm = object.text(Key::Algorithm);
        if let Some(algorithm) = Some(&*algorithm).filter(|name| !name.is_empty()).or(written.algorithm()) {
            event.algorithm = self.strings.intern(algorithm);
        }
        if function == "querylog.define" {
            let value = arguments.literal().or_else(|| written.arguments.first().map(|first| first.value));
            event.sql =
                value.map_or(StrId::NONE, |value| self.strings.intern(words::untraced(&statement(value))));
        }
    }

    /// What an instruction is called, and what sort of work it is.
    pub fn describe(&mut self, of: &Statement, event: &mut Event) {
        event.what = match of.name() {
            _ if of.keyword == "function" || event.pc == 0 => What::Function,
            "language.dataflow" => What::Dataflow,
            name if name.starts_with("user.") && of.keyword.is_empty() => What::Call,
            _ => What::Instruction,
        };
        let name = match of.keyword {
            "function" => Cow::Owned(format!("function {}", of.function)),
            "end" => Cow::Borrowed("end"),
            _ => Cow::Borrowed(of.name()),
        };
        event.name = self.strings.intern(&name);
        event.statement = self.strings.intern(&of.short());
        event.step = self.strings.intern(&of.step());
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

/// The operands of an instruction, as `args` or as `ret` and `arg`.
#[derive(Default)]
struct Arguments<'a> {
    all: Vec<Argument<'a>>,
}

#[derive(Default)]
struct Argument<'a> {
    made: bool,
    constant: bool,
    name: Cow<'a, str>,
    value: Cow<'a, str>,
    /// Whether the value is a string of JSON, and whether it was given quotes here.
    quoted: bool,
    added: bool,
    sort: Cow<'a, str>,
    rows: Option<i64>,
    bytes: Option<i64>,
}

impl<'a> Arguments<'a> {
    fn read(&mut self, object: &Object<'a>, scanner: &mut Scanner) {
        for (key, made) in [(Key::Ret, true), (Key::Arg, false), (Key::Args, false)] {
            let mut list = object.list(key);
            loop {
                let mut argument = Argument { made, ..Argument::default() };
                if !list.next(scanner, |name, value| argument.set(name, value)) {
                    break;
                }
                argument.finish();
                self.all.push(argument);
            }
        }
    }

    /// What is made, and what is read.
    fn operands(&self) -> (Vec<Operand<'_>>, Vec<Operand<'_>>) {
        let (made, read): (Vec<_>, Vec<_>) = self.all.iter().partition(|argument| argument.made);
        // The result of a function that has none is of no type.
        let made = made.into_iter().filter(|argument| argument.sort != "void");
        (made.map(Argument::operand).collect(), read.into_iter().map(Argument::operand).collect())
    }

    /// The first text among the arguments.
    fn literal(&self) -> Option<&str> {
        let first = self.all.iter().find(|argument| !argument.made && argument.sort == "str")?;
        let bare = if first.added { first.value.len().checked_sub(1) } else { None };
        bare.map_or(Some(&*first.value), |end| first.value.get(1..end))
    }
}

impl<'a> Argument<'a> {
    fn set(&mut self, name: &str, value: Value<'a>) {
        let number = || match value {
            Value::Text(text) => exact_i64(text.raw()),
            Value::Word(text) => exact_i64(text),
            Value::Nested(_) => None,
        };
        let text = || match value {
            Value::Text(text) => decoded(text),
            Value::Word(text) | Value::Nested(text) => Cow::Borrowed(text),
        };
        match name {
            "ret" => self.made = true,
            "var" | "name" => self.name = text(),
            "const" => self.constant = number() == Some(1),
            "type" => self.sort = text(),
            "value" => (self.value, self.quoted) = (text(), matches!(value, Value::Text(_))),
            "count" => self.rows = number(),
            "size" => self.bytes = number(),
            _ => {}
        }
    }

    /// Sep2022 and later leave the quotes of texts away.
    fn finish(&mut self) {
        if self.constant
            && self.quoted
            && self.sort == "str"
            && !self.value.starts_with('"')
            && self.value != "nil"
        {
            self.value = Cow::Owned(format!("\"{}\"", self.value));
            self.added = true;
        }
    }

    fn operand(&self) -> Operand<'_> {
        let name = if self.constant { "" } else { &*self.name };
        Operand { name, value: &self.value, sort: &self.sort, rows: self.rows, bytes: self.bytes }
    }
}
