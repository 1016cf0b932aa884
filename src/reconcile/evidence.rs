//! Evidence in the export itself: gaps in the ids of events, overwritten histories, settings, counters and tables of
//! objects. All reasons for differences follow from this evidence alone.

use super::derived::EventObjects;
use super::ids::ThreadIds;
use super::number;
use super::points::{EventClass, RunEvent, RunEvents};
use super::settings::Settings;
use crate::base::interner::StrId;
use crate::base::text;
use crate::base::{FxHashMap, FxHashSet};
use crate::pivot::TickSource;
use crate::trace::{Item, Key, RunId, Table, Trace};

/// Key of event counts: event name, user and host.
type Whose = (StrId, StrId, StrId);

/// Number of events of threads that existed at the export, as counted by the server and as found in the files.
#[derive(Clone, Copy, Default)]
struct Counted {
    server: i128,
    events: i128,
}

/// Everything in an export that can explain why the server's sums differ from the sums of the events.
pub struct Evidence<'a> {
    pub trace: &'a Trace,
    pub run: RunId,
    pub points: &'a RunEvents,
    pub settings: Settings,
    /// Whether the export has a table of threads.
    pub has_threads: bool,
    /// Whether there is an earlier export of the sums, made before the events.
    pub has_before: bool,
    /// Counts of threads that existed at the export, by event name, user and host; `None` if the export lacks the
    /// table of threads or the tables of sums by thread.
    live: Option<FxHashMap<Whose, Counted>>,
    /// Number of events of threads that had ended, by event name.
    gone: FxHashMap<StrId, i128>,
    histories: [History; 4],
    /// Texts of statements that create, change or drop tables.
    changes: Vec<StrId>,
    /// Files that were deleted or renamed.
    removed: FxHashSet<StrId>,
    /// Which properties (object, error count) the events do not record.
    pub objects: EventObjects,
    /// Run of the earlier export of the sums, and the prefix of its table names.
    before: Option<(RunId, &'a str)>,
    /// Number of missing ids by event name, over the threads for which the server counted more events of this name
    /// than the files have. Contains only events that the server sums up by thread.
    short: FxHashMap<StrId, i128>,
    /// Number of missing ids of threads that had ended.
    gone_gaps: i128,
}

/// Event counts of the server, as (thread, event name, count). Reads the tables of sums by thread and event name.
fn by_thread<'a>(
    trace: &'a Trace,
    run: RunId,
    prefix: &'a str,
) -> impl Iterator<Item = (StrId, StrId, i128)> + 'a {
    let of_run = trace.tables.iter().filter(move |table| table.run == run);
    let tables = of_run.filter(move |table| {
        let name = trace.str(table.name).strip_prefix(prefix).unwrap_or_default();
        name.starts_with("events_") && name.ends_with("_summary_by_thread_by_event_name")
    });
    tables.flat_map(move |table| {
        let columns =
            ["THREAD_ID", "EVENT_NAME", "COUNT_STAR"].map(|name| table.column(&trace.strings, name));
        let row = move |row| {
            let [thread, event, count] = columns;
            Some((table.cell(row, thread?)?, table.cell(row, event?)?, number(trace, table, row, count?)))
        };
        (0..table.len()).filter_map(row)
    })
}

impl<'a> Evidence<'a> {
    /// Collects the evidence of a run. `before` is the run of an earlier export, with the prefix of its table names.
    pub fn of(trace: &'a Trace, run: RunId, before: Option<(RunId, &'a str)>, points: &'a RunEvents) -> Self {
        let settings = Settings::of(trace, run);
        let has_threads = trace.tables.find(&trace.strings, run, "threads").is_some();
        let mut gone: FxHashMap<StrId, i128> = FxHashMap::default();
        let mut live: FxHashMap<Whose, Counted> = FxHashMap::default();
        let mut accounts = FxHashMap::default();
        let mut counted: FxHashMap<(StrId, StrId), i128> = FxHashMap::default();
        for point in &points.list {
            let (thread, count) = (point.thread, i128::from(point.count));
            *counted.entry((thread.id, point.event)).or_default() += count;
            if thread.known {
                accounts.insert(thread.id, (thread.user, thread.host));
                live.entry((point.event, thread.user, thread.host)).or_default().events += count;
            } else {
                *gone.entry(point.event).or_default() += count;
            }
        }
        let earlier: FxHashMap<(StrId, StrId), i128> = before
            .into_iter()
            .flat_map(|(run, prefix)| by_thread(trace, run, prefix))
            .map(|(thread, event, count)| ((thread, event), count))
            .collect();
        let mut has_sums = false;
        let mut short: FxHashMap<StrId, i128> = FxHashMap::default();
        for (thread, event, count) in by_thread(trace, run, "") {
            has_sums = true;
            let before = earlier.get(&(thread, event)).copied().unwrap_or(0);
            let is_short = count - before > counted.get(&(thread, event)).copied().unwrap_or(0);
            let gaps = points.ids.of(thread).filter(|_| is_short).map_or(0, |ids| ids.gaps);
            *short.entry(event).or_default() += gaps;
            let Some(&(user, host)) = accounts.get(&thread) else { continue };
            live.entry((event, user, host)).or_default().server += count - before;
        }
        let live = (has_sums && has_threads).then_some(live);
        let histories = histories(points, &settings);
        let list = || points.list.iter();
        let changes =
            list().filter(|p| p.class == EventClass::Statement).filter_map(|p| change(trace, p)).collect();
        let removed = list().filter(|point| removes(trace, point)).map(|point| point.object).collect();
        let has_before = before.is_some();
        let gone_gaps = points.ids.gaps(|thread| !accounts.contains_key(&thread));
        Self {
            trace,
            run,
            points,
            settings,
            has_threads,
            has_before,
            live,
            gone,
            histories,
            changes,
            removed,
            objects: EventObjects::of(trace, points),
            before,
            short,
            gone_gaps,
        }
    }

    /// Ids of the events.
    pub fn ids(&self) -> &ThreadIds {
        &self.points.ids
    }

    /// Returns the maximum number of missing ids that may belong to events named `event`, or to any events if it is
    /// `None`. Threads for which the server counted no more events of the name than the files have are left out.
    pub fn gaps_of(&self, event: Option<StrId>) -> i128 {
        let short = event.filter(|_| self.has_threads).and_then(|event| self.short.get(&event));
        short.map_or(self.ids().all.gaps, |short| short + self.gone_gaps)
    }

    /// Returns, by schema and name of a table, the server's number of accesses to it and their total time in
    /// picoseconds, minus the values of the earlier export. `None` if the export lacks the summary table named
    /// `table`.
    pub fn counts_by_table(&self, table: &str) -> Option<FxHashMap<[StrId; 2], (i128, i128)>> {
        let mut found: FxHashMap<[StrId; 2], (i128, i128)> = FxHashMap::default();
        let mut add = |table: &Table, sign: i128| {
            let column = |name| table.column(&self.trace.strings, name);
            let columns = ["OBJECT_SCHEMA", "OBJECT_NAME", "COUNT_STAR", "SUM_TIMER_WAIT"].map(column);
            let [Some(schema), Some(name), Some(count), Some(sum)] = columns else { return false };
            for row in 0..table.len() {
                let key = [schema, name].map(|at| table.cell(row, at).unwrap_or(StrId::NONE));
                let of = found.entry(key).or_default();
                of.0 += sign * number(self.trace, table, row, count);
                of.1 += sign * number(self.trace, table, row, sum);
            }
            true
        };
        let is_known = add(self.table(table)?, 1);
        let earlier = self.before.and_then(|(run, prefix)| {
            self.trace.tables.find(&self.trace.strings, run, &format!("{prefix}{table}"))
        });
        earlier.map(|table| add(table, -1));
        is_known.then_some(found)
    }

    /// Sum of an attribute over the events named `event` of threads that had ended.
    pub fn total_of_gone(&self, event: StrId, key: Key) -> i128 {
        let of = |point: &&RunEvent| !point.thread.known && point.event == event;
        let number = |point: &RunEvent| self.trace.num(Item::Span(point.span), key).unwrap_or(0);
        self.points.list.iter().filter(of).map(|point| i128::from(number(point))).sum()
    }

    /// Number of events named `event` that the server counted for live threads, but that are not in the files: of one
    /// account, or of all accounts. `None` if it is unknown.
    pub fn missing_of_live(&self, event: StrId, user: Option<StrId>, host: Option<StrId>) -> Option<i128> {
        let is = |wanted: Option<StrId>, found| wanted.is_none_or(|wanted| wanted == found);
        let of = |whose: &Whose| whose.0 == event && is(user, whose.1) && is(host, whose.2);
        let live = self.live.as_ref()?.iter().filter(|(whose, _)| of(whose));
        Some(live.map(|(_, counted)| (counted.server - counted.events).max(0)).sum())
    }

    /// Number of events named `event` of live threads, of one account or of all accounts.
    pub fn events_of_live(&self, event: StrId, user: Option<StrId>, host: Option<StrId>) -> i128 {
        let is = |wanted: Option<StrId>, found| wanted.is_none_or(|wanted| wanted == found);
        let of = |point: &&RunEvent| {
            point.thread.known
                && point.event == event
                && is(user, point.thread.user)
                && is(host, point.thread.host)
        };
        self.points.list.iter().filter(of).map(|point| i128::from(point.count)).sum()
    }

    /// Number of events named `event` of threads that had ended.
    pub fn events_of_gone(&self, event: StrId) -> i128 {
        self.gone.get(&event).copied().unwrap_or(0)
    }

    /// Whether the files have events of a class.
    pub fn has(&self, class: EventClass) -> bool {
        self.histories[history(class)].events > 0
    }

    /// Reason why the history of a class is incomplete; `None` if it is complete.
    pub fn overwritten(&self, class: EventClass) -> Option<&str> {
        self.histories[history(class)].overwritten.as_deref()
    }

    /// Returns a phrase for the report that states how many of the event ids are in the files.
    pub fn coverage(&self) -> String {
        coverage(self.ids())
    }

    /// Whether a statement that changes or drops tables mentions this table.
    pub fn was_rebuilt(&self, table: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let names = |text: &str| {
            text.match_indices(table).any(|(at, _)| {
                !text[..at].ends_with(is_part) && !text[at + table.len()..].starts_with(is_part)
            })
        };
        !table.is_empty() && self.changes.iter().any(|&text| names(self.trace.str(text)))
    }

    /// Number of events named `event` on tables that a statement changed or dropped.
    pub fn events_of_rebuilt(&self, event: StrId) -> i128 {
        let mut known: FxHashMap<StrId, bool> = FxHashMap::default();
        let of = |point: &&RunEvent| {
            point.event == event
                && *known.entry(point.object).or_insert_with(|| {
                    point.object.some().is_some_and(|table| self.was_rebuilt(self.trace.str(table)))
                })
        };
        self.points.list.iter().filter(of).map(|point| i128::from(point.count)).sum()
    }

    /// Whether the file was deleted or renamed.
    pub fn was_removed(&self, file: StrId) -> bool {
        self.removed.contains(&file)
    }

    /// Number of events named `event` whose object has no row in `table`. `of` returns the object's values in
    /// `columns`. `None` if the table is not in the export.
    pub fn events_without_row(
        &self,
        event: StrId,
        table: &str,
        columns: [&str; 2],
        of: impl Fn(&RunEvent) -> [StrId; 2],
    ) -> Option<i128> {
        let table = self.table(table)?;
        let [first, second] = columns.map(|name| table.column(&self.trace.strings, name));
        let second = second?;
        let key = |row| [first.and_then(|at| table.cell(row, at)), table.cell(row, second)];
        let rows: FxHashSet<[StrId; 2]> =
            (0..table.len()).map(|row| key(row).map(|cell| cell.unwrap_or(StrId::NONE))).collect();
        let lost = self.points.list.iter().filter(|point| point.event == event && !rows.contains(&of(point)));
        Some(lost.map(|point| i128::from(point.count)).sum())
    }

    /// Whether a table of the export contains a value in a column; `None` if the table is not in the export.
    pub fn lists(&self, table: &str, column: &str, value: StrId) -> Option<bool> {
        let table = self.table(table)?;
        let column = table.column(&self.trace.strings, column)?;
        Some((0..table.len()).any(|row| table.cell(row, column) == value.some()))
    }

    /// Whether the server's table of instances lists the instance; `None` if the table is not in the export. For files,
    /// the table of sums by instance is used, because the file instances have no handles.
    pub fn lists_instance(&self, event: StrId, instance: StrId) -> Option<bool> {
        const TABLES: [(&str, &str); 6] = [
            ("wait/synch/mutex/", "mutex_instances"),
            ("wait/synch/cond/", "cond_instances"),
            ("wait/synch/", "rwlock_instances"),
            ("wait/io/socket/", "socket_instances"),
            ("wait/io/file/", "events_waits_summary_by_instance"),
            ("", "table_handles"),
        ];
        let event = self.trace.str(event);
        let (_, table) = TABLES.iter().find(|(start, _)| event.starts_with(start))?;
        self.lists(table, "OBJECT_INSTANCE_BEGIN", instance)
    }

    /// Returns a table of the export.
    pub fn table(&self, name: &str) -> Option<&'a Table> {
        self.trace.tables.find(&self.trace.strings, self.run, name)
    }

    /// Whether the export contains the timer's frequency, from which the length of a tick of the wait timer is known
    /// exactly.
    pub fn knows_tick(&self) -> bool {
        matches!(self.points.tick.source, TickSource::Frequency { .. })
    }
}

/// Classes of events as named in their tables.
const CLASSES: [&str; 4] = ["waits", "stages", "statements", "transactions"];

/// Index in [`CLASSES`] of the history in which the server keeps the events of a class.
fn history(class: EventClass) -> usize {
    match class {
        EventClass::Wait | EventClass::Idle => 0,
        EventClass::Stage => 1,
        EventClass::Statement => 2,
        EventClass::Transaction => 3,
    }
}

/// Number of events in the files that come from one of the server's histories, and whether it is complete.
#[derive(Clone, Default)]
struct History {
    events: i128,
    /// Reason why the history is incomplete: it is full, or more than 1 % of the ids are missing.
    overwritten: Option<String>,
}

fn histories(points: &RunEvents, settings: &Settings) -> [History; 4] {
    let mut found: [History; 4] = Default::default();
    points.list.iter().for_each(|point| found[history(point.class)].events += 1);
    let (all, coverage) = (points.ids.all, coverage(&points.ids));
    for (history, name) in found.iter_mut().zip(CLASSES) {
        let full = settings.ring(name).filter(|&size| size > 0 && history.events >= size);
        history.overwritten = match full {
            Some(size) => Some(format!("the history of {name} is full ({} rows), {coverage}", count(size))),
            None => (all.gaps * 100 > all.found).then(|| coverage.clone()),
        };
    }
    found
}

fn coverage(ThreadIds { all, .. }: &ThreadIds) -> String {
    format!("{} of {} event ids are in the files", count(all.found), count(all.found + all.gaps))
}

/// Text of the statement of an event if it creates, changes or drops tables.
fn change(trace: &Trace, point: &RunEvent) -> Option<StrId> {
    const KINDS: [&str; 10] = [
        "alter_table",
        "create_index",
        "create_table",
        "drop_db",
        "drop_index",
        "drop_table",
        "optimize",
        "rename_table",
        "repair",
        "truncate",
    ];
    let kind = trace.str(point.event).strip_prefix("statement/sql/")?;
    KINDS.contains(&kind).then(|| trace.spans.get(point.span).name)
}

/// Whether an event deletes or renames its file.
fn removes(trace: &Trace, point: &RunEvent) -> bool {
    point.operation.some().is_some_and(|operation| ["delete", "rename"].contains(&trace.str(operation)))
}

fn count(number: i128) -> String {
    text::count(i64::try_from(number).unwrap_or(i64::MAX))
}
