//! Who waits for whom, where the tables of locks are in the export: a list, and arrows from what holds a lock to what
//! waits for it.

mod index;
mod tables;

use hashbrown::HashSet;
use rustc_hash::FxBuildHasher;

use super::export::Export;
use super::threads::Threads;
use crate::trace::{Flow, LockParty, LockWait, RecordId, RunId, SpanId, TraceBuilder, words};
pub use index::{Index, Known};
use tables::{Party, facts};

/// An index to be filled, where tables of locks make it worth while.
pub fn index(export: &Export, builder: &mut TraceBuilder) -> Option<Index> {
    let facts = facts(export, builder.strings());
    let threads = facts.iter().flat_map(|fact| [fact.waiter.thread, fact.holder.thread]).flatten();
    (!facts.is_empty()).then(|| Index::of(threads))
}

/// Who waits or holds, as spans.
struct Found {
    span: Option<Known>,
    statement: Option<SpanId>,
}

impl Index {
    /// What waits: the innermost span that holds the event, or the statement that is running.
    fn waiting(&self, party: &Party) -> Found {
        let statement = |thread| self.statement(thread, party.event).or_else(|| self.last_statement(thread));
        let statement = party.thread.and_then(statement);
        let span = party.event.and_then(|event| self.innermost(party.thread?, Some(event)));
        Found { span: span.or(statement), statement: statement.map(|known| known.span) }
    }

    /// What holds the lock: the transaction in which it was taken, else the statement.
    fn holding(&self, party: &Party) -> Found {
        let transaction = party.thread.and_then(|thread| self.transaction(thread, party.event));
        let statement = party.thread.and_then(|thread| self.statement(thread, party.event));
        // Without an event, the statement that took the lock is not known: the last one tells what it is about.
        let told = statement.or_else(|| self.last_statement(party.thread?));
        Found { span: transaction.or(statement), statement: told.map(|known| known.span) }
    }
}

/// Lists who waits for whom, and draws the arrows.
pub fn write(index: &mut Index, export: &Export, run: RunId, labels: &Threads, builder: &mut TraceBuilder) {
    index.finish();
    let name = builder.strings().intern(words::LOCK);
    let mut seen: HashSet<(SpanId, SpanId), FxBuildHasher> = HashSet::default();
    for fact in facts(export, builder.strings()) {
        let (holding, waiting) = (index.holding(&fact.holder), index.waiting(&fact.waiter));
        if let Some((from, to)) = holding.span.zip(waiting.span)
            // A holder may have a lock for every record, and several tables tell of the same.
            && seen.insert((from.span, to.span))
        {
            let (leaves, arrives) = (from.start, to.start.max(from.start));
            let records = (fact.record, RecordId::NONE);
            builder.flow(Flow { name, from: from.span, to: to.span, leaves, arrives, records });
        }
        let wait = LockWait {
            run,
            object: builder.strings().intern(&fact.object),
            wanted: fact.wanted,
            held: fact.held,
            since: fact.since,
            more: fact.more,
            waiter: party(&fact.waiter, &waiting, labels, builder),
            holder: party(&fact.holder, &holding, labels, builder),
            record: fact.record,
        };
        builder.lock_wait(wait);
    }
}

fn party(party: &Party, found: &Found, labels: &Threads, builder: &mut TraceBuilder) -> LockParty {
    let strings = builder.strings();
    let title = match (party.thread, party.connection) {
        (Some(thread), _) => labels.name(strings, thread),
        (None, Some(connection)) => format!("connection {connection}"),
        (None, None) => String::new(),
    };
    LockParty {
        thread: strings.intern(&title),
        span: found.span.map(|known| known.span),
        statement: found.statement,
        running: party.running,
    }
}
