//! Sums that cannot be compared as they stand, and can be derived from others of the same export:
//!
//! - MySQL 5.6 writes OBJECT_INSTANCE_BEGIN 0 for all waits for mutexes, locks and conditions: where the server has one
//!   object of a name, all events of that name are its.
//! - It writes ERRORS 0 for all statements, also for those that failed: MYSQL_ERRNO says which did.
//! - A server forgets its sums of tables that were dropped or rebuilt, and counts without them from then on: without what its
//!   rows by table lack, the events add up to the same.

use super::columns::{Coordinate, ServerColumn};
use super::evidence::Evidence;
use super::number;
use super::points::{EventClass, RunEvents};
use crate::base::interner::StrId;
use crate::base::text;
use crate::base::{FxHashMap, FxHashSet};
use crate::trace::{Flags, Table, Trace};

/// How events of a name are assigned to one object.
pub const ONLY_OBJECT: &str =
    "the events have no OBJECT_INSTANCE_BEGIN (it is 0), and the server has one object of their name";
/// Why several objects of one name are compared together, where their sums are equal.
pub const SEVERAL_OBJECTS: &str = "the events have no OBJECT_INSTANCE_BEGIN (it is 0), so their object is not \
     known; the sums of all objects of the name are equal";
/// Why several objects of one name are compared together, where their sums differ.
pub const OTHER_OBJECTS: &str = "the events have no OBJECT_INSTANCE_BEGIN (it is 0), so their object is not \
     known; the sums of the server's objects of the name differ";
/// How failed statements are recognised without their numbers of errors.
pub const BY_ERRNO: &str = "ERRORS is 0 in all events, even in those of failed statements: counted by MYSQL_ERRNO and RETURNED_SQLSTATE";
/// How events are recognised that the server forgot.
pub const BY_TABLE: &str = "without the events of tables that were dropped or rebuilt: the server's sums by \
     table no longer include them";

/// What is known of objects in the events.
#[derive(Default)]
pub struct EventObjects {
    /// Names of events, none of which says which object it is of.
    unnamed: FxHashSet<StrId>,
    /// Whether no event has a number of errors, though statements failed.
    pub lacks_errors: bool,
}

impl EventObjects {
    /// What the events of a run say.
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

    /// Whether no event of this name says which object it is of.
    pub fn are_unnamed(&self, event: StrId) -> bool {
        self.unnamed.contains(&event)
    }
}

/// How often the server counts events of each name, and of how many objects, in a table of sums by object.
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

/// A count of the server from its events, without those of tables whose sums it forgot; `None` where that is another
/// number. In words: `10,652 − 1,633 (shop.a) − 1,506 (shop.b) = 7,513`.
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
    // A table for which the server counts more is left out.
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
