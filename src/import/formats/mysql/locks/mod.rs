//! Lock waits, if the export contains tables of locks: a list of waiters and blockers, and arrows from the blocker's span
//! to the waiter's span.

mod index;
mod tables;

use std::collections::BTreeMap;

use super::class::MySqlEventClass;
use super::export::MySqlExport;
use super::layout;
use super::threads::MySqlThreads;
use crate::base::FxHashSet;
use crate::base::interner::Interner;
use crate::base::text;
use crate::trace::{Flow, LockParty, LockWait, RecordId, RunId, SpanId, TraceBuilder, attribute_names};
pub use index::{LockSpan, LockSpanIndex};
use tables::{LockPartyIds, facts};

/// Creates an empty index for the threads in the tables of locks; `None` if the tables list no lock wait.
pub fn index(export: &MySqlExport, builder: &mut TraceBuilder) -> Option<LockSpanIndex> {
    let facts = facts(export, builder.strings());
    let threads = facts.iter().flat_map(|fact| [fact.waiter.thread, fact.holder.thread]).flatten();
    (!facts.is_empty()).then(|| LockSpanIndex::of(threads))
}

/// Tables of locks, without the prefix `x$` of names that `sys` has twice.
const TABLES: [&str; 6] = [
    "data_locks",
    "data_lock_waits",
    "metadata_locks",
    "innodb_locks",
    "innodb_lock_waits",
    "schema_table_lock_waits",
];

/// Whether a table is about locks.
pub fn is_table(name: &str) -> bool {
    TABLES.contains(&name.trim_start_matches("x$"))
}

/// Explains why no lock waits are shown: the names and row counts of the exported lock tables, or that there are none.
/// `None` if there are lock waits, or if there are neither lock tables nor transactions.
pub fn sentence(export: &MySqlExport, empty_files: &[String], strings: &Interner) -> Option<String> {
    if !facts(export, strings).is_empty() {
        return None;
    }
    let mut rows: BTreeMap<String, usize> = BTreeMap::new();
    let of_folder =
        |file: &&String| file.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder) == export.folder;
    let empty =
        empty_files.iter().filter(of_folder).map(|file| layout::table_of_file(file).0.to_ascii_lowercase());
    for name in empty.chain(export.lock_tables.iter().cloned()).filter(|name| is_table(name)) {
        rows.entry(name).or_default();
    }
    for side in export.sides.iter().filter(|side| is_table(&side.name)) {
        *rows.entry(side.name.clone()).or_default() += side.records.len();
    }
    let listed = |(name, rows): (&String, &usize)| match rows {
        0 => format!("{name} (empty)"),
        &rows => format!("{name} ({})", text::counted(rows as u64, "row", "rows")),
    };
    let tables = rows.iter().map(listed).collect::<Vec<_>>().join(", ");
    match rows.values().sum() {
        _ if rows.is_empty() => export.store.has(MySqlEventClass::Transaction).then(|| NO_TABLES.to_owned()),
        0_usize => Some(format!(
            "No locks. These tables were exported: {tables}. No lock was listed when they were read."
        )),
        _ => Some(format!(
            "No lock waits. These tables were exported: {tables}. No thread was waiting for a lock when they \
             were read."
        )),
    }
}

/// Text for an export without tables of locks.
const NO_TABLES: &str = "No lock tables in the files, so lock waits are not known. Export data_locks, \
     data_lock_waits and metadata_locks (MariaDB, MySQL 5.7: innodb_locks, innodb_lock_waits, innodb_trx).";

/// Spans of a waiter or blocker.
struct LockPartySpans {
    span: Option<LockSpan>,
    statement: Option<SpanId>,
}

impl LockSpanIndex {
    /// Spans of the waiter: the innermost span that contains the event, or the running statement.
    fn waiting(&self, party: &LockPartyIds) -> LockPartySpans {
        let statement = |thread| self.statement(thread, party.event).or_else(|| self.last_statement(thread));
        let statement = party.thread.and_then(statement);
        let span = party.event.and_then(|event| self.innermost(party.thread?, Some(event)));
        LockPartySpans { span: span.or(statement), statement: statement.map(|known| known.span) }
    }

    /// Spans of the blocker: the transaction in which the lock was acquired, else the statement.
    fn holding(&self, party: &LockPartyIds) -> LockPartySpans {
        let transaction = party.thread.and_then(|thread| self.transaction(thread, party.event));
        let statement = party.thread.and_then(|thread| self.statement(thread, party.event));
        // Without an event, the statement that took the lock is not known. The last statement shows what the thread does.
        let told = statement.or_else(|| self.last_statement(party.thread?));
        LockPartySpans { span: transaction.or(statement), statement: told.map(|known| known.span) }
    }
}

/// Writes the list of lock waits, and an arrow for each.
pub fn write(
    index: &mut LockSpanIndex,
    export: &MySqlExport,
    run: RunId,
    labels: &MySqlThreads,
    builder: &mut TraceBuilder,
) {
    index.finish();
    let name = builder.strings().intern(attribute_names::LOCK);
    let mut seen: FxHashSet<(SpanId, SpanId)> = FxHashSet::default();
    for fact in facts(export, builder.strings()) {
        let (holding, waiting) = (index.holding(&fact.holder), index.waiting(&fact.waiter));
        if let Some((from, to)) = holding.span.zip(waiting.span)
            // A blocker may have a lock for each record, and several tables may list the same wait.
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

fn party(
    party: &LockPartyIds,
    found: &LockPartySpans,
    labels: &MySqlThreads,
    builder: &mut TraceBuilder,
) -> LockParty {
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
