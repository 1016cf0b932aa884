//! Spans of the clients' sessions, statements and phases.
//!
//! ```text
//! statements · session 1   ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇      from Sep2022 on, the server reports the session of each event:
//!                           ▇▇▇ ▇▇▇▇▇▇▇▇▇▇▇       spans nest within their session
//! statements · session 2      ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇
//!
//! statements               ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇      before, only statements: those that overlap are in separate rows
//!                             ▇▇▇▇▇▇▇▇
//! ```

use super::calls::InstructionCall;
use super::executions::FunctionExecutions;
use super::order::{ServerEvents, length};
use super::stacks::stacked;
use super::store::{MonetDbEventKind, MonetDbStore, NONE};
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::base::sort;
use crate::import::interval_nesting::{Interval, Placed, WHOLE, nest};
use crate::trace::{Flags, Kind, RecordId};

/// A session, a statement or a phase.
#[derive(Clone, Copy, Debug)]
pub struct StatementSpan {
    pub start: i64,
    pub end: i64,
    pub kind: Kind,
    pub name: StrId,
    pub sql: StrId,
    pub program: StrId,
    pub tag: i64,
    pub flags: Flags,
    /// Duration measured by the server, in nanoseconds, or [`NONE`].
    pub took: i64,
    /// Execution of a statement, or of the phase in which its plan runs.
    pub execution: Option<u32>,
    pub record: RecordId,
    /// Session, if the server reports sessions.
    client: StrId,
}

/// Statement spans, and their tracks.
pub struct StatementTracks {
    pub bars: Vec<StatementSpan>,
    /// One track per session.
    pub tracks: Vec<SessionTrack>,
}

/// Spans of one session, or of all clients if the server reports no sessions.
pub struct SessionTrack {
    pub title: StrId,
    pub placed: Vec<Placed>,
}

/// Returns the statements of a server.
#[inline(never)]
pub fn statements(
    store: &MonetDbStore,
    server: &ServerEvents,
    executions: &FunctionExecutions,
    calls: &[InstructionCall],
    strings: &mut Interner,
) -> StatementTracks {
    let mut bars: Vec<StatementSpan> = Vec::new();
    for (at, of) in (0..).zip(&executions.all) {
        if of.caller.is_none() {
            let failed = if of.failed { Flags::FAILED } else { Flags::default() };
            bars.push(StatementSpan {
                start: of.start,
                end: of.end,
                kind: Kind::Query,
                name: of.sql.some().unwrap_or_else(|| called(of.program, strings)),
                sql: of.sql,
                program: of.program,
                tag: of.tag,
                flags: of.flags.with(failed),
                took: of.took(),
                execution: Some(at),
                record: RecordId::NONE,
                client: of.client,
            });
        }
    }
    add_phases(store, server, &mut bars, strings);
    if bars.iter().any(|bar| bar.kind == Kind::Stage) {
        bars.extend(runs(executions, calls, strings.intern("execution")));
    } else {
        // In this case the client is a user, which is not a session.
        bars.iter_mut().for_each(|bar| bar.client = StrId::NONE);
    }
    let tracks = tracks(&bars, strings);
    StatementTracks { bars, tracks }
}

/// Adds phases and sessions, each reported by one record at its end.
fn add_phases(
    store: &MonetDbStore,
    server: &ServerEvents,
    bars: &mut Vec<StatementSpan>,
    strings: &mut Interner,
) {
    for &(end, at) in &server.non_instructions {
        let event = store.events.at(at as usize);
        if matches!(event.what, MonetDbEventKind::Phase | MonetDbEventKind::Session) {
            let start = end.saturating_sub(length(event).unwrap_or(0));
            let flags = if event.failed { Flags::FAILED } else { Flags::default() };
            let kind = if event.what == MonetDbEventKind::Session { Kind::Request } else { Kind::Stage };
            let whole = event.what == MonetDbEventKind::Session && event.usec > 0;
            let name = if whole { strings.intern("session") } else { event.name };
            let (record, client) = (event.record, event.client);
            let sql = StrId::NONE;
            let program = StrId::NONE;
            let tag = event.tag;
            let execution = None;
            let took = length(event).unwrap_or(NONE);
            bars.push(StatementSpan {
                start,
                end,
                kind,
                name,
                sql,
                program,
                tag,
                flags,
                took,
                execution,
                record,
                client,
            });
        }
    }
}

/// Groups the spans by session, in the order in which the sessions began.
#[inline(never)]
fn tracks(bars: &[StatementSpan], strings: &mut Interner) -> Vec<SessionTrack> {
    let mut order: Vec<u32> = (0..bars.len() as u32).collect();
    sort::by_key(&mut order, |&at| (bars[at as usize].start, 0));
    let mut known: FxHashMap<StrId, usize> = FxHashMap::default();
    let mut found: Vec<(StrId, Vec<u32>)> = Vec::new();
    for at in order {
        let client = bars[at as usize].client;
        let place = *known.entry(client).or_insert_with(|| {
            found.push((client, Vec::new()));
            found.len() - 1
        });
        found[place].1.push(at);
    }
    let several = found.len() > 1;
    let track = |(client, own): (StrId, Vec<u32>)| {
        let session = client.some().filter(|_| several).map(|client| strings.get(client));
        let title =
            session.map_or("statements".to_owned(), |client| format!("statements · session {client}"));
        let mixed = client == StrId::NONE && overlap(bars, &own);
        let placed = if mixed { placed_by_tag(bars, &own) } else { place(bars, &own) };
        SessionTrack { title: strings.intern(&title), placed }
    };
    found.into_iter().map(track).collect()
}

/// Places spans below the spans that contain them.
fn place(bars: &[StatementSpan], own: &[u32]) -> Vec<Placed> {
    let interval = |&at: &u32| {
        let StatementSpan { start, end, .. } = bars[at as usize];
        // Statements were added first: among equal intervals they are outermost.
        Interval { start, end, what: at, order: (at, WHOLE), flags: Flags::default() }
    };
    let last = own.iter().map(|&at| bars[at as usize].end).max().unwrap_or(0);
    nest(own.iter().map(interval).collect(), last, false)
}

/// Whether any two statements of these spans, which are sorted by start, overlap.
fn overlap(bars: &[StatementSpan], own: &[u32]) -> bool {
    let mut end = i64::MIN;
    own.iter().map(|&at| &bars[at as usize]).filter(|bar| bar.kind == Kind::Query).any(|bar| {
        let overlaps = bar.start < end;
        end = end.max(bar.end);
        overlaps
    })
}

/// Places spans whose session is not known: the spans with one tag are nested and stay together, and groups that
/// overlap are in different rows.
#[inline(never)]
fn placed_by_tag(bars: &[StatementSpan], own: &[u32]) -> Vec<Placed> {
    let mut known: FxHashMap<i64, usize> = FxHashMap::default();
    let mut groups: Vec<Vec<u32>> = Vec::new();
    for &at in own {
        let next = groups.len();
        let group = match bars[at as usize].tag {
            0 | NONE => next,
            tag => *known.entry(tag).or_insert(next),
        };
        match groups.get_mut(group) {
            Some(group) => group.push(at),
            None => groups.push(vec![at]),
        }
    }
    stacked(groups.iter().map(|own| place(bars, own)).collect())
}

/// Adds executions as phases of their statements, if the other phases are reported: from Sep2022 on, phases cover the time
/// before and after the plan, and the whole function (pc 0) is the phase of the plan.
fn runs(
    executions: &FunctionExecutions,
    calls: &[InstructionCall],
    name: StrId,
) -> impl Iterator<Item = StatementSpan> {
    let bar = move |(call, of): (&InstructionCall, &Option<u32>)| {
        let root = of.filter(|of| executions.all[*of as usize].caller.is_none())?;
        (call.what == MonetDbEventKind::Function && !matches!(call.tag, 0 | NONE)).then(|| StatementSpan {
            start: call.start,
            end: call.end,
            kind: Kind::Stage,
            name,
            sql: StrId::NONE,
            program: StrId::NONE,
            tag: call.tag,
            flags: call.flags,
            took: call.took,
            execution: Some(root),
            record: RecordId::NONE,
            client: executions.all[root as usize].client,
        })
    };
    calls.iter().zip(&executions.of_call).filter_map(bar)
}

/// Name of a statement whose text is not known: the name of its function.
fn called(program: StrId, strings: &mut Interner) -> StrId {
    let name = program.some().map_or("statement", |program| strings.get(program));
    let name = name.strip_prefix("function ").unwrap_or(name).to_owned();
    strings.intern(&name)
}
