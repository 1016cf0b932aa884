//! Reasons why a server counted fewer events than there are in the files: it drops the sums of threads, tables, files
//! and locks that no longer exist.

use super::columns::{Coordinate, ServerColumn};
use super::evidence::Evidence;
use super::reasons::{Case, coordinate};
use super::{UNKNOWN, points::RunEvent};
use crate::base::interner::StrId;

const DROPPED: &str = "a statement in the files dropped or rebuilt a table: the server discards its sums";
const NO_TABLE_ROW: &str = "the server no longer has a row for a table that has events: it discards the sums \
     of a table that is dropped or rebuilt";
const REMOVED: &str = "a file was deleted or renamed: the server discards its sums";

/// Reason why a cell counts fewer events than the files have; `None` if the export gives no explanation.
pub fn fewer(case: &Case, evidence: &Evidence) -> Option<String> {
    let deficit = -case.excess;
    let text = |part| case.coordinate(part).and_then(StrId::some).map_or("", |text| evidence.trace.str(text));
    let event = text(Coordinate::Event);
    let is_account =
        [Coordinate::User, Coordinate::Host].into_iter().any(|part| case.coordinate(part).is_some());
    // Only events of live threads have a known account, but the server's sum is about threads that had ended.
    if is_account && event.starts_with("wait/io/socket/") && is_of_gone(case, evidence) {
        return Some(
            "the server adds the sockets of live connections to their account when they disconnect"
                .to_owned(),
        );
    }
    if case.table.starts_with("table_") || case.table.starts_with("objects_summary_") {
        return evidence.was_rebuilt(text(Coordinate::Object)).then(|| DROPPED.to_owned());
    }
    let named = case.coordinate(Coordinate::Event)?;
    if event.starts_with("wait/io/table/") || event.starts_with("wait/lock/table/") {
        let table = match event.starts_with("wait/io/") {
            true => "table_io_waits_summary_by_table",
            false => "table_lock_waits_summary_by_table",
        };
        let of = |point: &RunEvent| [point.schema, point.object];
        let lost = evidence.events_without_row(named, table, ["OBJECT_SCHEMA", "OBJECT_NAME"], of);
        return match lost {
            Some(lost) => (lost == deficit && deficit > 0).then(|| NO_TABLE_ROW.to_owned()),
            None => (deficit > 0 && evidence.events_of_rebuilt(named) >= deficit).then(|| DROPPED.to_owned()),
        };
    }
    if let Some(file) = case.coordinate(Coordinate::Object).and_then(StrId::some) {
        return of_file(evidence, file).map(str::to_owned);
    }
    (event.starts_with("wait/io/file/") && events_of_gone_files(evidence, named) >= deficit.max(1))
        .then(|| REMOVED.to_owned())
}

/// Whether the server's count can consist only of events of ended threads: the files have at least as many such events.
fn is_of_gone(case: &Case, evidence: &Evidence) -> bool {
    let event = case.coordinate(Coordinate::Event);
    let is_count = matches!(case.column, ServerColumn::Count(_));
    is_count && event.is_some_and(|event| case.server <= evidence.events_of_gone(event))
}

/// Number of events named `event` on files for which the server no longer has a row.
pub fn events_of_gone_files(evidence: &Evidence, event: StrId) -> i128 {
    let of = |point: &RunEvent| [StrId::NONE, point.object];
    evidence.events_without_row(event, "file_summary_by_instance", ["", "FILE_NAME"], of).unwrap_or(0)
}

/// Reason why the server lacks events of a file: it was deleted or renamed, or its table was changed or dropped.
fn of_file(evidence: &Evidence, file: StrId) -> Option<&'static str> {
    let name = evidence.trace.str(file).rsplit(['/', '\\']).next().unwrap_or_default();
    let table = name.split('.').next().unwrap_or_default();
    match () {
        () if is_gone_file(evidence, file) => Some(REMOVED),
        () if evidence.was_rebuilt(table) => Some(DROPPED),
        () => None,
    }
}

fn is_gone_file(evidence: &Evidence, file: StrId) -> bool {
    evidence.was_removed(file) || evidence.lists("file_instances", "FILE_NAME", file) == Some(false)
}

/// Reason why the server has no row for some events.
pub fn no_row(evidence: &Evidence, table: &str, columns: &[Option<ServerColumn>], key: &[StrId]) -> String {
    let part = |wanted| coordinate(columns, key, wanted);
    let known = |lists: Option<bool>, reason: &'static str| (lists == Some(false)).then_some(reason);
    let found = if let Some(thread) = part(Coordinate::Thread) {
        known(
            evidence.lists("threads", "THREAD_ID", thread),
            "the thread had ended when the export was made: the server discards its sums",
        )
    } else if let Some(instance) = part(Coordinate::Instance).filter(|&instance| instance != StrId::NONE) {
        let listed = part(Coordinate::Event).and_then(|event| evidence.lists_instance(event, instance));
        known(
            listed,
            "the object was destroyed or closed (its table of instances does not list it): the server discards \
             its sums",
        )
    } else if table == "file_summary_by_instance" {
        part(Coordinate::Object).and_then(|file| of_file(evidence, file))
    } else if table.starts_with("table_") || table.starts_with("objects_summary_") {
        let table = part(Coordinate::Object).and_then(StrId::some);
        table.filter(|&table| evidence.was_rebuilt(evidence.trace.str(table))).map(|_| DROPPED)
    } else if part(Coordinate::Digest).is_some() {
        (evidence.settings.lost("digest") > 0)
            .then_some("the server had no room for its digest: Performance_schema_digest_lost is above 0")
    } else if part(Coordinate::User).is_some() || part(Coordinate::Host).is_some() {
        let lost = ["accounts", "users", "hosts"].iter().any(|what| evidence.settings.lost(what) > 0);
        lost.then_some(
            "the server had no room for the account: a counter of lost accounts, users or hosts is above 0",
        )
    } else {
        None
    };
    found.unwrap_or(UNKNOWN).to_owned()
}
