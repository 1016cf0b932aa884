//! Groups events by server and sorts them by time.

use super::clock::ClockReading;
use super::store::{MonetDbEvent, MonetDbEventKind, MonetDbEventState, MonetDbStore, NONE};
use crate::base::interner::StrId;
use crate::base::sort;

/// Events of one server.
pub struct ServerEvents {
    /// Index of the server in [`MonetDbStore::servers`].
    pub server: u32,
    /// Indices in [`MonetDbStore::servers`] of all entries that are this server.
    pub aliases: Vec<u32>,
    /// Reading of its clock since 1970 minus the reading of its clock since its start, in microseconds; `None` unless
    /// both are known.
    pub ahead: Option<i64>,
    /// Times in nanoseconds and indices of its events, sorted by time; ties stay in reading order.
    pub rows: Vec<(i64, u32)>,
    /// Times and indices of the events that belong to no instruction, and are few: phases, sessions and waits.
    pub non_instructions: Vec<(i64, u32)>,
}

impl ServerEvents {
    /// Converts a clock reading to nanoseconds on the server's clock.
    pub fn time(&self, clock: ClockReading) -> i64 {
        clock.nanos(self.ahead)
    }

    /// Whether `other` is an index of this server.
    pub fn is_of(&self, other: u32) -> bool {
        self.aliases.contains(&other)
    }
}

/// Returns all servers, in the order in which the files name them.
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

/// Merges servers with and without a name: in Sep2022 heartbeats name the server, instructions in the same file do not.
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

/// Whether an event belongs to an instruction; instructions are shown in the row of their thread.
pub fn is_work(event: &MonetDbEvent) -> bool {
    !event.again && !is_non_instruction(event)
}

fn is_non_instruction(event: &MonetDbEvent) -> bool {
    matches!(event.what, MonetDbEventKind::Phase | MonetDbEventKind::Session | MonetDbEventKind::Wait)
}

/// Reported duration of an event, in nanoseconds.
pub fn length(event: &MonetDbEvent) -> Option<i64> {
    let usec = Some(event.usec).filter(|usec| *usec != NONE && event.edge != MonetDbEventState::Start)?;
    Some(usec.saturating_mul(1000).min(i64::MAX / 8))
}
