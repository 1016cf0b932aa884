//! What clients asked for: their sessions, statements and the phases of these, as bars.

use super::calls::Call;
use super::executions::Executions;
use super::order::{ServerEvents, length};
use super::store::{NONE, Store, What};
use crate::import::nest::{Interval, Placed, WHOLE, nest};
use crate::strings::{StrId, Strings};
use crate::trace::{Flags, Kind, RecordId};

/// A session, a statement or a phase.
#[derive(Clone, Copy, Debug)]
pub struct Bar {
    pub start: i64,
    pub end: i64,
    pub kind: Kind,
    pub name: StrId,
    pub sql: StrId,
    pub program: StrId,
    pub tag: i64,
    pub flags: Flags,
    /// The execution, where it is a statement or the phase in which its plan runs.
    pub execution: Option<u32>,
    pub record: RecordId,
}

/// All bars, and where they stand: those of several clients overlap.
pub struct Statements {
    pub bars: Vec<Bar>,
    pub placed: Vec<Placed>,
}

/// The statements of a server.
#[inline(never)]
pub fn statements(
    store: &Store,
    server: &ServerEvents,
    executions: &Executions,
    calls: &[Call],
    strings: &mut Strings,
) -> Statements {
    let mut bars: Vec<Bar> = Vec::new();
    for (at, of) in (0..).zip(&executions.all) {
        if of.caller.is_none() {
            let failed = if of.failed { Flags::FAILED } else { Flags::default() };
            bars.push(Bar {
                start: of.start,
                end: of.end,
                kind: Kind::Query,
                name: of.sql.some().unwrap_or_else(|| called(of.program, strings)),
                sql: of.sql,
                program: of.program,
                tag: of.tag,
                flags: of.flags.with(failed),
                execution: Some(at),
                record: RecordId::NONE,
            });
        }
    }
    for &(end, at) in &server.beside {
        let event = store.events.at(at as usize);
        if matches!(event.what, What::Phase | What::Session) {
            let start = end.saturating_sub(length(event).unwrap_or(0));
            let flags = if event.failed { Flags::FAILED } else { Flags::default() };
            let kind = if event.what == What::Session { Kind::Request } else { Kind::Stage };
            let whole = event.what == What::Session && event.usec > 0;
            let name = if whole { strings.intern("session") } else { event.name };
            let record = event.record;
            let (sql, program, tag, execution) = (StrId::NONE, StrId::NONE, NONE, None);
            bars.push(Bar { start, end, kind, name, sql, program, tag, flags, execution, record });
        }
    }
    if bars.iter().any(|bar| bar.kind == Kind::Stage) {
        bars.extend(runs(executions, calls, strings.intern("execution")));
    }
    let last = bars.iter().map(|bar| bar.end).max().unwrap_or(0);
    // Statements were added first: of what is the same, they are outside.
    let interval = |(at, bar): (u32, &Bar)| Interval {
        start: bar.start,
        end: bar.end,
        what: at,
        order: (at, WHOLE),
        flags: Flags::default(),
    };
    let placed = nest((0..).zip(&bars).map(interval).collect(), last, false);
    Statements { bars, placed }
}

/// The executions as a phase of their statements, where the others are told: from Sep2022 on, the phases are those before and
/// behind the plan, which the function as a whole (pc 0) stands for.
fn runs(executions: &Executions, calls: &[Call], name: StrId) -> impl Iterator<Item = Bar> {
    let bar = move |(call, of): (&Call, &Option<u32>)| {
        let root = of.filter(|of| executions.all[*of as usize].caller.is_none());
        (root.is_some() && call.what == What::Function && !matches!(call.tag, 0 | NONE)).then_some(Bar {
            start: call.start,
            end: call.end,
            kind: Kind::Stage,
            name,
            sql: StrId::NONE,
            program: StrId::NONE,
            tag: NONE,
            flags: call.flags,
            execution: root,
            record: RecordId::NONE,
        })
    };
    calls.iter().zip(&executions.of_call).filter_map(bar)
}

/// A statement whose text is not known is called as its function is.
fn called(program: StrId, strings: &mut Strings) -> StrId {
    let name = program.some().map_or("statement", |program| strings.get(program));
    let name = name.strip_prefix("function ").unwrap_or(name).to_owned();
    strings.intern(&name)
}
