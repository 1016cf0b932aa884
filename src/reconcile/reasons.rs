//! Reasons why a server's sum and the sum of its events may differ although both are right. A reason follows from the rest of
//! the export: ids, settings, other tables. If nothing in the export explains a difference, its reason is unknown.

use super::columns::{Coordinate, ServerColumn};
use super::evidence::Evidence;
use super::points::EventClass;
use super::{UNKNOWN, forgotten};
use crate::base::interner::StrId;

/// A cell of a table of sums whose value differs from the value that follows from the events.
pub struct Case<'a> {
    pub table: &'a str,
    /// Class of the events that the table sums up.
    pub class: EventClass,
    pub columns: &'a [Option<ServerColumn>],
    /// Values of the row's key.
    pub key: &'a [StrId],
    /// First column that differs.
    pub column: ServerColumn,
    pub server: i128,
    /// Server's event count minus the number of events in the files; negative if the server counted fewer.
    pub excess: i128,
    /// Whether the row has events that were not timed.
    pub untimed: bool,
    /// Whether the row had a value other than 0 in an earlier export of the sums.
    pub base: bool,
    /// Server's value minus the value from the events.
    pub difference: i128,
}

impl Case<'_> {
    /// Value of the property `wanted` in the row's key; `None` if the key does not contain this property.
    pub fn coordinate(&self, wanted: Coordinate) -> Option<StrId> {
        coordinate(self.columns, self.key, wanted)
    }

    /// Whether the table groups events by account, user or host.
    fn is_by_account(&self) -> bool {
        [Coordinate::User, Coordinate::Host].into_iter().any(|part| self.coordinate(part).is_some())
    }
}

/// Value of the property `wanted` in a row's key; `None` if the key does not contain this property.
pub fn coordinate(columns: &[Option<ServerColumn>], key: &[StrId], wanted: Coordinate) -> Option<StrId> {
    let parts = columns.iter().filter_map(|column| match column {
        Some(ServerColumn::Key(part)) => Some(*part),
        _ => None,
    });
    parts.zip(key).find(|(part, _)| *part == wanted).map(|(_, &value)| value)
}

/// Returns the reason of a difference as text for users.
pub fn reason(case: &Case, evidence: &Evidence) -> String {
    match case.excess {
        1.. => more(case, evidence),
        0 => as_many(case, evidence),
        _ => forgotten::fewer(case, evidence).unwrap_or_else(|| unfrozen(evidence)),
    }
}

/// Reason if the event counts are equal, but other values differ.
fn as_many(case: &Case, evidence: &Evidence) -> String {
    match case.column {
        ServerColumn::Min(_) if case.server == 0 && case.untimed => {
            "an event took less than one tick of the timer, for which the server records no time".to_owned()
        }
        ServerColumn::Average(_) if case.class == EventClass::Wait && !evidence.knows_tick() => {
            "the tick of the timer is not known: performance_timers is not in the export".to_owned()
        }
        ServerColumn::Most(_) | ServerColumn::Quantile(_) if case.base => {
            "an earlier export of the sums cannot be subtracted from a maximum".to_owned()
        }
        // Events of dropped files and operations that are missing in the history may cancel each other out.
        _ => forgotten::fewer(case, evidence).unwrap_or_else(|| UNKNOWN.to_owned()),
    }
}

/// Reason if the server counted more events than the files have.
fn more(case: &Case, evidence: &Evidence) -> String {
    let event = case.coordinate(Coordinate::Event);
    let name = event.map_or("", |event| evidence.trace.str(event));
    if !evidence.has(case.class) {
        return no_history(case.class, evidence);
    }
    if is_program(case, evidence) {
        return "stored programs have no events of their own; the server converts their times with the timer of \
             waits (a MySQL bug)".to_owned();
    }
    if name == "idle" && case.coordinate(Coordinate::Thread).is_none() && is_idle_twice(case, evidence) {
        return "the server counts the `idle` events of live threads twice".to_owned();
    }
    if let Some(thread) = case.coordinate(Coordinate::Thread) {
        return of_thread(case, evidence, thread);
    }
    let part = |part| case.coordinate(part);
    let live = event
        .filter(|_| !case.table.starts_with("file_") && !case.table.starts_with("socket_"))
        .filter(|_| part(Coordinate::Instance).is_none())
        .and_then(|event| evidence.missing_of_live(event, part(Coordinate::User), part(Coordinate::Host)));
    if case.is_by_account() && live.is_none_or(|live| live == 0) {
        if !evidence.has_threads {
            return "the export has no table of threads, so the accounts of their events are not known"
                .to_owned();
        }
        if event.is_some_and(|event| may_be_of_gone(case, evidence, event)) {
            return "threads had ended when the export was made, so the accounts of their events are not known"
                .to_owned();
        }
    }
    // The global sums of a lock class keep the counts of destroyed locks, even after TRUNCATE.
    let keeps = name.starts_with("wait/synch/") && case.table.contains("_global_by_event_name");
    if keeps && (live == Some(0) || !holds(case, evidence, evidence.gaps_of(event))) {
        leftover(case, evidence)
    } else {
        missing(case, evidence)
    }
}

/// Whether threads that had ended have enough events, or a large enough sum, to account for the difference.
fn may_be_of_gone(case: &Case, evidence: &Evidence, event: StrId) -> bool {
    let has_total = match case.column {
        ServerColumn::Total(key) => case.difference <= evidence.total_of_gone(event, key),
        _ => true,
    };
    has_total && case.excess <= evidence.events_of_gone(event)
}

fn is_program(case: &Case, evidence: &Evidence) -> bool {
    let kind = case.coordinate(Coordinate::ObjectType).and_then(StrId::some);
    case.table.starts_with("objects_summary_")
        && kind.is_some_and(|kind| {
            ["EVENT", "FUNCTION", "PROCEDURE", "TRIGGER"].contains(&evidence.trace.str(kind))
        })
}

/// Whether the difference is explained if the server counted the idle events of live threads twice. In a row of one
/// account, events of ended threads may be part of the difference, because their account is unknown.
fn is_idle_twice(case: &Case, evidence: &Evidence) -> bool {
    let Some(event) = case.coordinate(Coordinate::Event) else { return false };
    let (user, host) = (case.coordinate(Coordinate::User), case.coordinate(Coordinate::Host));
    let live = evidence.events_of_live(event, user, host);
    let gone = if case.is_by_account() { evidence.events_of_gone(event) } else { 0 };
    live > 0 && (0..=gone).contains(&(case.excess - live))
}

fn no_history(class: EventClass, evidence: &Evidence) -> String {
    let (name, consumer) = match class {
        EventClass::Wait | EventClass::Idle => ("waits", "events_waits_history_long"),
        EventClass::Stage => ("stages", "events_stages_history_long"),
        EventClass::Statement => ("statements", "events_statements_history_long"),
        EventClass::Transaction => ("transactions", "events_transactions_history_long"),
    };
    match evidence.settings.consumer(consumer) {
        Some(false) => format!("the files have no {name}: the consumer {consumer} is off"),
        _ => format!("the files have no {name}"),
    }
}

/// Reason if the server counted more events of one thread than the files have.
fn of_thread(case: &Case, evidence: &Evidence, thread: StrId) -> String {
    if evidence.settings.silent.contains(&thread) {
        return "the thread's events are not kept: its INSTRUMENTED or HISTORY is NO".to_owned();
    }
    let overwritten = evidence.overwritten(case.class).is_some();
    match evidence.ids().of(thread) {
        Some(ids)
            if holds(case, evidence, ids.gaps)
                || overwritten && holds(case, evidence, ids.gaps + ids.before) =>
        {
            lost(case, evidence)
        }
        Some(ids) if holds(case, evidence, ids.before) => earlier(case, evidence),
        None if overwritten => lost(case, evidence),
        None => earlier(case, evidence),
        Some(_) => running(case, evidence),
    }
}

/// Whether missing ids can account for the missing events. Table accesses are counted by rows, so one id is enough.
fn holds(case: &Case, evidence: &Evidence, ids: i128) -> bool {
    let event = case.coordinate(Coordinate::Event).map_or("", |event| evidence.trace.str(event));
    let by_rows = ["table_io_", "objects_"].iter().any(|start| case.table.starts_with(start))
        || event.starts_with("wait/io/table/");
    ids >= if by_rows { 1 } else { case.excess }
}

/// Reason if the server counted more waits for a class of locks than the files have, although the files have all
/// events of live threads: the server keeps the sums of destroyed locks.
fn leftover(case: &Case, evidence: &Evidence) -> String {
    let gaps = evidence.gaps_of(case.coordinate(Coordinate::Event));
    if !evidence.has_before && !holds(case, evidence, gaps) && evidence.overwritten(case.class).is_none() {
        return "the server counted it before the first event in the files: TRUNCATE does not reset the sums of \
             destroyed mutexes, locks and conditions; an export of the sums from before the events would show \
             the amount"
            .to_owned();
    }
    if evidence.has_before {
        return missing(case, evidence);
    }
    format!(
        "{}; or it was counted before: TRUNCATE does not reset the sums of destroyed mutexes, locks and \
         conditions. An export of the sums from before the events would show it",
        lost(case, evidence)
    )
}

/// Reason if the server counted more events than the files have, over all threads.
fn missing(case: &Case, evidence: &Evidence) -> String {
    let is_overwritten = evidence.overwritten(case.class).is_some();
    if holds(case, evidence, evidence.gaps_of(case.coordinate(Coordinate::Event))) || is_overwritten {
        lost(case, evidence)
    } else {
        earlier(case, evidence)
    }
}

/// Reason if the ids or the histories show that events are missing in the files.
fn lost(case: &Case, evidence: &Evidence) -> String {
    let event = case.coordinate(Coordinate::Event).map_or("", |event| evidence.trace.str(event));
    let is_file = case.table.starts_with("file_") || event.starts_with("wait/io/file/");
    match evidence.overwritten(case.class) {
        Some(why) => format!("events are missing: {why}"),
        None => {
            let files = "; the server counts some file operations that it never adds to its history";
            format!("events are missing: {}{}", evidence.coverage(), if is_file { files } else { "" })
        }
    }
}

/// Reason if the files lack the first ids: the missing events may be earlier than the first event in the files.
fn earlier(case: &Case, evidence: &Evidence) -> String {
    if evidence.has_before || evidence.ids().all.before < 1 {
        return running(case, evidence);
    }
    "the server counted it before the first event in the files: its sums were not reset then; an export of the \
     sums from before the events would show the amount"
        .to_owned()
}

/// Reason if at least as many events were still running when their table was read as are missing; otherwise
/// [`unfrozen`].
fn running(case: &Case, evidence: &Evidence) -> String {
    let event = case.coordinate(Coordinate::Event);
    let running = event.and_then(|event| evidence.points.running.get(&event)).copied().unwrap_or(0);
    if running >= case.excess {
        return "it was still running when its table was read, and had ended when the sums were read"
            .to_owned();
    }
    unfrozen(evidence)
}

fn unfrozen(evidence: &Evidence) -> String {
    match evidence.settings.consumer("global_instrumentation") {
        Some(true) => {
            "the instrumentation was on while the tables were read, so they are from different moments"
                .to_owned()
        }
        _ => UNKNOWN.to_owned(),
    }
}
