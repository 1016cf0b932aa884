//! Keys of events and of their arguments, in all releases from Jun2016 to Mar2025 and in Marvin's event dictionary.

use crate::import::json::Known;
use crate::import::scalars::values::{Class, Slot};

/// Meaning of a member, independent of its name in a release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MonetDbKey {
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

/// The key of a member with this name in any release; `None` if the name is not known.
fn key(name: &str) -> Option<MonetDbKey> {
    Some(match name {
        "clk" | "relative_time" => MonetDbKey::Clk,
        "mclk" => MonetDbKey::Mclk,
        "ctime" | "absolute_time" => MonetDbKey::Ctime,
        "thread" => MonetDbKey::Thread,
        "program" | "mal_function" => MonetDbKey::Program,
        "function" => MonetDbKey::Function,
        "instruction" => MonetDbKey::Instruction,
        "module" | "mal_module" => MonetDbKey::Module,
        "operator" => MonetDbKey::Operator,
        "barrier" => MonetDbKey::Barrier,
        "pc" => MonetDbKey::Pc,
        "tag" => MonetDbKey::Tag,
        "session" | "server_session" => MonetDbKey::Session,
        "sessionid" => MonetDbKey::SessionId,
        "user" => MonetDbKey::User,
        "state" => MonetDbKey::State,
        "execution_state" => MonetDbKey::ExecutionState,
        "phase" => MonetDbKey::Phase,
        "usec" => MonetDbKey::Usec,
        "rss" => MonetDbKey::Rss,
        "size" | "type_size" => MonetDbKey::Size,
        "inblock" => MonetDbKey::Inblock,
        "oublock" => MonetDbKey::Oublock,
        "majflt" => MonetDbKey::Majflt,
        "nswap" => MonetDbKey::Nswap,
        "nvcsw" => MonetDbKey::Nvcsw,
        "cpuload" => MonetDbKey::Cpuload,
        "stmt" | "long_statement" => MonetDbKey::Stmt,
        "algorithm" => MonetDbKey::Algorithm,
        "query" => MonetDbKey::Query,
        "version" => MonetDbKey::Version,
        "ret" => MonetDbKey::Ret,
        "arg" => MonetDbKey::Arg,
        "args" => MonetDbKey::Args,
        "source" => MonetDbKey::Source,
        "release" => MonetDbKey::Release,
        _ => return None,
    })
}

impl MonetDbKey {
    /// Slot that holds the member's value.
    pub fn slot(self) -> Slot {
        self as Slot
    }
}

/// Slot and type of the member of an event with this name, if it is known.
pub fn of_event(name: &str) -> Known {
    let key = key(name)?;
    let class = match key {
        MonetDbKey::State
        | MonetDbKey::Phase
        | MonetDbKey::Session
        | MonetDbKey::Version
        | MonetDbKey::Source => Class::Word,
        _ => Class::Any,
    };
    Some((key.slot(), class))
}

/// Members of an argument.
pub mod argument {
    use super::{Class, Known, Slot};

    pub const RET: Slot = 0;
    pub const NAME: Slot = 1;
    pub const CONST: Slot = 2;
    pub const TYPE: Slot = 3;
    pub const VALUE: Slot = 4;
    pub const COUNT: Slot = 5;
    pub const SIZE: Slot = 6;
    /// Slot of the members `kind`, `mode` and `persistence`, whose values are ignored.
    const KIND: Slot = 7;
    /// Slot of the member `view`, whose value is ignored.
    const VIEW: Slot = 8;

    /// Slot and type of the member of an argument with this name, if it is known.
    pub fn known(name: &str) -> Known {
        Some(match name {
            "ret" => (RET, Class::Any),
            "var" | "name" => (NAME, Class::Any),
            "const" => (CONST, Class::Any),
            "type" => (TYPE, Class::Any),
            "value" => (VALUE, Class::Any),
            "count" => (COUNT, Class::Any),
            "size" => (SIZE, Class::Any),
            "kind" | "mode" | "persistence" => (KIND, Class::Word),
            "view" => (VIEW, Class::Word),
            _ => return None,
        })
    }
}
