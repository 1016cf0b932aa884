//! Sums that cannot be compared directly, but can be derived from other sums of the same export:
//!
//! - MySQL 5.6 writes OBJECT_INSTANCE_BEGIN 0 for all waits for mutexes, locks and conditions: if the server has a
//!   single object of a name, all events of that name belong to it.
//! - MySQL 5.6 writes ERRORS 0 for all statements, even for failed ones: failed statements have a MYSQL_ERRNO.
//! - If a table is dropped or rebuilt, the server forgets the table's sums, and its totals no longer include them. If
//!   the events that its sums by table lack are left out, the remaining events must add up to these totals.

use super::columns::{Coordinate, ServerColumn};
use super::evidence::Evidence;
use super::number;
use super::points::{EventClass, RunEvents};
use crate::base::interner::StrId;
use crate::base::text;
use crate::base::{FxHashMap, FxHashSet};
use crate::trace::{Flags, Table, Trace};

/// Derivation: events without an object are assigned to the only object with their name.
pub const ONLY_OBJECT: &str =
    "the events have no OBJECT_INSTANCE_BEGIN (it is 0), and the server has one object of their name";
/// Reason if only the sums over all objects of a name can be compared, because the events do not record their object,
/// and these sums are equal.
pub const SEVERAL_OBJECTS: &str = "the events have no OBJECT_INSTANCE_BEGIN (it is 0), so their object is not \
     known; the sums of all objects of the name are equal";
/// Reason if only the sums over all objects of a name can be compared, because the events do not record their object,
/// and these sums differ.
pub const OTHER_OBJECTS: &str = "the events have no OBJECT_INSTANCE_BEGIN (it is 0), so their object is not \
     known; the sums of the server's objects of the name differ";
/// Derivation: failed statements are counted by their error number instead of ERRORS.
pub const BY_ERRNO: &str = "ERRORS is 0 in all events, even in those of failed statements: counted by MYSQL_ERRNO and RETURNED_SQLSTATE";
/// Derivation: events whose sums the server has dropped are subtracted.
pub const BY_TABLE: &str = "without the events of tables that were dropped or rebuilt: the server's sums by \
     table no longer include them";

/// Properties that the server's tables group or sum by, but the events of a run do not record.
#[derive(Default)]
pub struct EventObjects {
    /// Names of events that never record their object.
    unnamed: FxHashSet<StrId>,
    /// Whether no event has an error count, although statements failed.
    pub lacks_errors: bool,
}

impl EventObjects {
    /// Inspects the events of a run.
    pub fn of(trace: &Trace, points: &RunEvents) -> Self {
        let mut named: FxHashMap<StrId, bool> = FxHashMap::default();
        let errors = trace.key("errors");
        let (mut any_errors, mut any_failed) = (false, false);
        for point in &points.list {
            if point.class == EventClass::Wait {
                *named.entry(point.event).or_default() |= point.instance != StrId::NONE;
            }
            if point.class == EventClass::Statement {
                let item = crate::trace::Item::Span(point.span);
                any_errors |= errors.and_then(|key| trace.num(item, key)).is_some_and(|errors| errors > 0);
                any_failed |= trace.spans.flags(point.span).has(Flags::FAILED);
            }
        }
        let unnamed = named.into_iter().filter(|(_, named)| !named).map(|(event, _)| event).collect();
        Self { unnamed, lacks_errors: any_failed && !any_errors }
    }

    /// Whether no event with this name records its object.
    pub fn are_unnamed(&self, event: StrId) -> bool {
        self.unnamed.contains(&event)
    }
}

/// Returns the rows of a table of sums by object, grouped by event name: row index and event count.
pub fn by_name(
    trace: &Trace,
    table: &Table,
    columns: &[Option<ServerColumn>],
    earlier: impl Fn(usize) -> i128,
) -> FxHashMap<StrId, Vec<(usize, i128)>> {
    let at = |wanted| columns.iter().position(|column| *column == Some(wanted));
    let mut found: FxHashMap<StrId, Vec<(usize, i128)>> = FxHashMap::default();
    let places = at(ServerColumn::Key(Coordinate::Event)).zip(at(ServerColumn::Count(0)));
    let Some((event, count)) = places.filter(|_| at(ServerColumn::Key(Coordinate::Instance)).is_some())
    else {
        return found;
    };
    for row in 0..table.len() {
        let counted = number(trace, table, row, count) - earlier(row);
        let name = table.cell(row, event).filter(|_| counted != 0);
        name.into_iter().for_each(|name| found.entry(name).or_default().push((row, counted)));
    }
    found
}

/// Explains a count of the server as the count of its events minus the events of tables whose sums were dropped, such
/// as `10,652 − 1,633 (shop.a) − 1,506 (shop.b) = 7,513`. `None` if this does not give the count.
pub fn without_forgotten(
    evidence: &Evidence,
    event: StrId,
    (server, time): (i128, Option<i128>),
    events: i128,
) -> Option<String> {
    let trace = evidence.trace;
    let table = match trace.str(event) {
        event if event.starts_with("wait/io/table/") => "table_io_waits_summary_by_table",
        event if event.starts_with("wait/lock/table/") => "table_lock_waits_summary_by_table",
        _ => return None,
    };
    let rows = evidence.counts_by_table(table)?;
    let mut lacking: FxHashMap<[StrId; 2], i128> = FxHashMap::default();
    for point in evidence.points.list.iter().filter(|point| point.event == event) {
        *lacking.entry([point.schema, point.object]).or_default() += i128::from(point.count);
    }
    lacking.iter_mut().for_each(|(name, count)| *count -= rows.get(name).map_or(0, |row| row.0));
    let times: i128 = rows.values().map(|row| row.1).sum();
    // If the server counts more than the events of any table, the derivation does not apply.
    let is_sound = rows.iter().all(|(name, row)| row.0 == 0 || lacking.contains_key(name))
        && time.is_none_or(|time| time == times)
        && lacking.values().all(|&count| count >= 0);
    let mut lacking: Vec<(String, i128)> = lacking
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(name, count)| {
            (name.map(|part| part.some().map_or("", |part| trace.str(part))).join("."), count)
        })
        .collect();
    lacking.sort();
    let rest = events - lacking.iter().map(|(_, count)| count).sum::<i128>();
    let shown = |count: i128| text::count(i64::try_from(count).unwrap_or(i64::MAX));
    let words: String =
        lacking.iter().map(|(name, count)| format!(" − {} ({name})", shown(*count))).collect();
    (is_sound && !lacking.is_empty() && rest == server)
        .then(|| format!("{}{words} = {}", shown(events), shown(rest)))
}
