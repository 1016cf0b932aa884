//! Lock waits, as reported by the lock tables of the source.

use super::details::link;
use crate::base::interner::StrId;
use crate::base::text;
use crate::protocol::{LockRow, LockSide, LockWaits};
use crate::trace::{Item, LockParty, Trace, attribute_names};

/// Maximum length of a text, in characters.
const SHOWN: usize = 2_000;

/// Returns all lock waits in the order of their source tables, and notes of runs that have no lock waits.
pub fn lock_waits(trace: &Trace) -> LockWaits {
    let notes = notes(trace).map(|note| text::shortened(note, SHOWN)).collect();
    LockWaits { rows: rows(trace), notes }
}

/// Whether any run has a note that explains why it has no lock waits.
pub fn has_lock_notes(trace: &Trace) -> bool {
    notes(trace).next().is_some()
}

fn notes(trace: &Trace) -> impl Iterator<Item = &str> {
    trace.notes.iter().filter(|note| note.name == attribute_names::LOCK_TABLES).map(|note| note.text.as_str())
}

fn rows(trace: &Trace) -> Vec<LockRow> {
    let shown = |id: StrId| id.some().map(|id| text::shortened(trace.str(id), SHOWN));
    let side = |party: &LockParty| LockSide {
        thread: text::shortened(trace.str(party.thread), SHOWN),
        span: party.span.map(|span| link(trace, Item::Span(span))),
        statement: party.statement.map(|span| link(trace, Item::Span(span))),
        running: shown(party.running),
    };
    let row = |wait: &crate::trace::LockWait| LockRow {
        object: text::shortened(trace.str(wait.object), SHOWN),
        wanted: shown(wait.wanted),
        held: shown(wait.held),
        since: shown(wait.since),
        more: wait.more,
        waiter: side(&wait.waiter),
        holder: side(&wait.holder),
    };
    trace.lock_waits.iter().map(row).collect()
}
