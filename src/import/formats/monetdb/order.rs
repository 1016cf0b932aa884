//! Events by server, in time: what belongs to which server, and what its clocks say.

use super::clock::ClockReading;
use super::store::{MonetDbEvent, MonetDbEventKind, MonetDbEventState, MonetDbStore, NONE};
use crate::base::interner::StrId;
use crate::base::sort;

/// The events of one server.
pub struct ServerEvents {
    /// The server, as [`MonetDbStore`] numbers it.
    pub server: u32,
    /// All servers that turned out to be this one.
    pub aliases: Vec<u32>,
    /// What its clock since 1970 is ahead of the one since its start, in microseconds, where both are known.
    pub ahead: Option<i64>,
    /// Its events with their times in nanoseconds, by time; ties stay in the order of reading.
    pub rows: Vec<(i64, u32)>,
    /// Events of phases, sessions and waits, which are of no instruction and few.
    pub non_instructions: Vec<(i64, u32)>,
}

impl ServerEvents {
    /// When something was written, in nanoseconds.
    pub fn time(&self, clock: ClockReading) -> i64 {
        clock.nanos(self.ahead)
    }

    /// Whether something of the server `other` is of this one.
    pub fn is_of(&self, other: u32) -> bool {
        self.aliases.contains(&other)
    }
}

/// All servers, in the order in which they were first read of.
#[inline(never)]
pub fn servers(store: &MonetDbStore) -> Vec<ServerEvents> {
    let of = merged(store);
    let mut all: Vec<ServerEvents> = Vec::new();
    for server in 0..store.servers.len() as u32 {
        let into = of[server as usize];
        match all.iter_mut().find(|known| known.server == into) {
            Some(known) => known.aliases.push(server),
            None => all.push(ServerEvents {
                server: into,
                aliases: vec![server],
                ahead: None,
                rows: Vec::new(),
                non_instructions: Vec::new(),
            }),
        }
    }
    for known in &mut all {
        known.ahead = ahead(store, known);
    }
    for (at, event) in (0..).zip(store.events.rows()) {
        if let Some(known) = all.iter_mut().find(|known| known.is_of(event.server)) {
            let time = known.time(event.clock);
            known.rows.push((time, at));
            if is_non_instruction(event) {
                known.non_instructions.push((time, at));
            }
        }
    }
    for known in &mut all {
        sort::by_key(&mut known.rows, |row| (row.0, 0));
        sort::by_key(&mut known.non_instructions, |row| (row.0, 0));
    }
    all
}

/// Heartbeats of Sep2022 name the server, instructions in the same file do not.
#[inline(never)]
fn merged(store: &MonetDbStore) -> Vec<u32> {
    let mut works = vec![false; store.servers.len()];
    for event in store.events.rows().filter(|event| event.what != MonetDbEventKind::Wait) {
        if let Some(works) = works.get_mut(event.server as usize) {
            *works = true;
        }
    }
    let nameless = |file| {
        let found = store
            .servers
            .iter()
            .position(|server| server.id == StrId::NONE && server.file == file && !server.is_plan);
        found.filter(|&at| works[at]).map(|at| at as u32)
    };
    let into = |(at, server): (u32, &super::store::MonetDbServer)| {
        if works[at as usize] { at } else { nameless(server.file).unwrap_or(at) }
    };
    (0..).zip(&store.servers).map(into).collect()
}

#[inline(never)]
fn ahead(store: &MonetDbStore, server: &ServerEvents) -> Option<i64> {
    let events = store.events.rows().map(|event| (event.server, event.clock));
    let clocks = events.chain(store.samples.iter().map(|sample| (sample.server, sample.clock)));
    let (mut told, mut of_stream) = (None, None);
    let least = |known: Option<i64>, new: Option<i64>| known.into_iter().chain(new).min();
    for (_, clock) in clocks.filter(|of| server.is_of(of.0)) {
        (told, of_stream) = (least(told, clock.ahead()), least(of_stream, clock.ahead_of_stream()));
    }
    told.or(of_stream)
}

/// Whether an event is of an instruction: what stands in the row of a thread.
pub fn is_work(event: &MonetDbEvent) -> bool {
    !event.again && !is_non_instruction(event)
}

fn is_non_instruction(event: &MonetDbEvent) -> bool {
    matches!(event.what, MonetDbEventKind::Phase | MonetDbEventKind::Session | MonetDbEventKind::Wait)
}

/// Nanoseconds that an event says it took.
pub fn length(event: &MonetDbEvent) -> Option<i64> {
    let usec = Some(event.usec).filter(|usec| *usec != NONE && event.edge != MonetDbEventState::Start)?;
    Some(usec.saturating_mul(1000).min(i64::MAX / 8))
}
