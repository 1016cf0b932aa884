//! One JSON object to an event: the keys of all releases, from Jun2016 to Mar2025, and of Marvin's event dictionary.

use std::borrow::Cow;

use super::words::decoded;
use crate::import::decimal::Decimal;
use crate::import::json::{Cursor, Scanner, Value};
use crate::import::number::exact_i64;

/// What a member is, whatever a release calls it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Key {
    Clk,
    Mclk,
    Ctime,
    Thread,
    Program,
    /// The enclosing function up to Nov2019, the instruction's own name from Jun2020 on.
    Function,
    Instruction,
    Module,
    Operator,
    Barrier,
    Pc,
    Tag,
    Session,
    SessionId,
    User,
    State,
    ExecutionState,
    Phase,
    Usec,
    Rss,
    Size,
    Inblock,
    Oublock,
    Majflt,
    Nswap,
    Nvcsw,
    Cpuload,
    Stmt,
    Algorithm,
    Query,
    Version,
    Ret,
    Arg,
    Args,
    Source,
    Release,
}

const N_KEYS: usize = Key::Release as usize + 1;

fn key(name: &str) -> Option<Key> {
    Some(match name {
        "clk" | "relative_time" => Key::Clk,
        "mclk" => Key::Mclk,
        "ctime" | "absolute_time" => Key::Ctime,
        "thread" => Key::Thread,
        "program" | "mal_function" => Key::Program,
        "function" => Key::Function,
        "instruction" => Key::Instruction,
        "module" | "mal_module" => Key::Module,
        "operator" => Key::Operator,
        "barrier" => Key::Barrier,
        "pc" => Key::Pc,
        "tag" => Key::Tag,
        "session" | "server_session" => Key::Session,
        "sessionid" => Key::SessionId,
        "user" => Key::User,
        "state" => Key::State,
        "execution_state" => Key::ExecutionState,
        "phase" => Key::Phase,
        "usec" => Key::Usec,
        "rss" => Key::Rss,
        "size" | "type_size" => Key::Size,
        "inblock" => Key::Inblock,
        "oublock" => Key::Oublock,
        "majflt" => Key::Majflt,
        "nswap" => Key::Nswap,
        "nvcsw" => Key::Nvcsw,
        "cpuload" => Key::Cpuload,
        "stmt" | "long_statement" => Key::Stmt,
        "algorithm" => Key::Algorithm,
        "query" => Key::Query,
        "version" => Key::Version,
        "ret" => Key::Ret,
        "arg" => Key::Arg,
        "args" => Key::Args,
        "source" => Key::Source,
        "release" => Key::Release,
        _ => return None,
    })
}

/// The members of an object that are known, as they stand.
pub struct Object<'a> {
    members: [Option<Value<'a>>; N_KEYS],
}

impl<'a> Object<'a> {
    /// The object at the start of a text, and how long it is; `None` if it is not whole.
    pub fn read(text: &'a str, scanner: &mut Scanner) -> Option<(Self, usize)> {
        let mut members = [None; N_KEYS];
        let length = Cursor::new(text).each(scanner, |name, value| {
            if let Some(key) = key(name.raw()) {
                members[key as usize] = Some(value);
            }
        })?;
        Some((Self { members }, length))
    }

    pub fn has(&self, key: Key) -> bool {
        self.members[key as usize].is_some()
    }

    /// The text of a member; empty where there is none.
    pub fn text(&self, key: Key) -> Cow<'a, str> {
        match self.members[key as usize] {
            Some(Value::Text(text)) => decoded(text),
            Some(Value::Word("null")) | None => Cow::Borrowed(""),
            Some(Value::Word(text) | Value::Nested(text)) => Cow::Borrowed(text),
        }
    }

    /// A whole number, in quotes or not.
    pub fn number(&self, key: Key) -> Option<i64> {
        match self.members[key as usize]? {
            Value::Text(text) => exact_i64(text.raw()),
            Value::Word(text) => exact_i64(text),
            Value::Nested(_) => None,
        }
    }

    /// The reading of a clock in microseconds: Jul2017 writes `ctime` as seconds with a fraction.
    pub fn micros(&self, key: Key) -> Option<i64> {
        let Value::Word(text) = self.members[key as usize]? else { return self.number(key) };
        if text.contains('.') { Decimal::parse(text)?.millionths() } else { exact_i64(text) }
    }

    /// The objects of an array.
    pub fn list(&self, key: Key) -> Elements<'a> {
        let text = match self.members[key as usize] {
            Some(Value::Nested(text)) => text,
            _ => "",
        };
        Elements { text }
    }
}

/// Goes through the objects in an array.
pub struct Elements<'a> {
    text: &'a str,
}

impl<'a> Elements<'a> {
    /// Gives the members of the next object to `each`. Whether there was one.
    pub fn next(&mut self, scanner: &mut Scanner, mut each: impl FnMut(&'a str, Value<'a>)) -> bool {
        let Some(start) = self.text.find('{') else { return false };
        let text = &self.text[start..];
        let length = Cursor::new(text).each(scanner, |name, value| each(name.raw(), value));
        if let Some(length) = length {
            self.text = &text[length..];
        }
        length.is_some()
    }
}
