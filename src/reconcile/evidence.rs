//! What an export says about itself: which ids of its events are there, whether rings were full, what its settings,
//! counters and tables of objects say. Reasons for differences follow from this, and from nothing else.

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

/// Who did something of a name: event, user, host.
type Whose = (StrId, StrId, StrId);

/// How often threads that were still there did something.
#[derive(Clone, Copy, Default)]
struct Counted {
    server: i128,
    events: i128,
}

/// Everything that reasons are made of.
pub struct Evidence<'a> {
    pub trace: &'a Trace,
    pub run: RunId,
    pub points: &'a RunEvents,
    pub settings: Settings,
    /// Whether the export has a table of threads.
    pub has_threads: bool,
    /// Whether an export of the sums from before the events is there.
    pub has_before: bool,
    /// By the sums of threads that were there; `None` where their tables are not in the export.
    live: Option<FxHashMap<Whose, Counted>>,
    /// How often threads that were gone did something.
    gone: FxHashMap<StrId, i128>,
    histories: [History; 4],
    /// The texts of statements that change what tables there are.
    changes: Vec<StrId>,
    /// Files that were deleted or renamed.
    removed: FxHashSet<StrId>,
    /// What the events say of objects.
    pub objects: EventObjects,
    /// Earlier export of the sums: its run, and how its tables begin.
    before: Option<(RunId, &'a str)>,
    /// By event, the ids that are missing of threads of which the server counted more of it than there are; of events that
    /// the server counts by thread alone.
    short: FxHashMap<StrId, i128>,
    /// The ids that are missing of threads that were gone.
    gone_gaps: i128,
}

/// How often the server counts something, by thread and event; of what has no events, nothing.
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
    /// What the export of a run says; `before`: the run of an earlier export of the sums, and how its tables begin.
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

    /// The ids of the events.
    pub fn ids(&self) -> &ThreadIds {
        &self.points.ids
    }

    /// How many of the ids that are missing may be events of a name: none of threads of which the server counted as many as
    /// there are.
    pub fn gaps_of(&self, event: Option<StrId>) -> i128 {
        let short = event.filter(|_| self.has_threads).and_then(|event| self.short.get(&event));
        short.map_or(self.ids().all.gaps, |short| short + self.gone_gaps)
    }

    /// How often the server counted accesses to each table, and their picoseconds, by schema and name; without what an
    /// earlier export says. `None` if the table of these sums is not in the export.
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

    /// The sum of a number of all events of a name that threads did that were gone.
    pub fn total_of_gone(&self, event: StrId, key: Key) -> i128 {
        let of = |point: &&RunEvent| !point.thread.known && point.event == event;
        let number = |point: &RunEvent| self.trace.num(Item::Span(point.span), key).unwrap_or(0);
        self.points.list.iter().filter(of).map(|point| i128::from(number(point))).sum()
    }

    /// How many events of a name, of threads that were still there, the server counted and the files do not have: of all
    /// accounts, or of one. `None` if that is unknown.
    pub fn missing_of_live(&self, event: StrId, user: Option<StrId>, host: Option<StrId>) -> Option<i128> {
        let is = |wanted: Option<StrId>, found| wanted.is_none_or(|wanted| wanted == found);
        let of = |whose: &Whose| whose.0 == event && is(user, whose.1) && is(host, whose.2);
        let live = self.live.as_ref()?.iter().filter(|(whose, _)| of(whose));
        Some(live.map(|(_, counted)| (counted.server - counted.events).max(0)).sum())
    }

    /// How many events of a name threads that were still there did, of all accounts or of one.
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

    /// How many events of a name threads did that were gone.
    pub fn events_of_gone(&self, event: StrId) -> i128 {
        self.gone.get(&event).copied().unwrap_or(0)
    }

    /// Whether there are events of a class.
    pub fn has(&self, class: EventClass) -> bool {
        self.histories[history(class)].events > 0
    }

    /// Why the history of a class did not keep everything, if that is so.
    pub fn overwritten(&self, class: EventClass) -> Option<&str> {
        self.histories[history(class)].overwritten.as_deref()
    }

    /// How many of the ids are in the files, in words.
    pub fn coverage(&self) -> String {
        coverage(self.ids())
    }

    /// Whether a statement that changes or drops tables names this one.
    pub fn was_rebuilt(&self, table: &str) -> bool {
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let names = |text: &str| {
            text.match_indices(table).any(|(at, _)| {
                !text[..at].ends_with(is_part) && !text[at + table.len()..].starts_with(is_part)
            })
        };
        !table.is_empty() && self.changes.iter().any(|&text| names(self.trace.str(text)))
    }

    /// How many events of a name were done to tables that a statement changed or dropped.
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

    /// Whether an operation that ends a file's name was done to this one.
    pub fn was_removed(&self, file: StrId) -> bool {
        self.removed.contains(&file)
    }

    /// How many events of a name were done to objects that have no row in a table of the export: `None` if it is not there.
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

    /// Whether a table of the export lists a value in a column; `None` if the table is not there.
    pub fn lists(&self, table: &str, column: &str, value: StrId) -> Option<bool> {
        let table = self.table(table)?;
        let column = table.column(&self.trace.strings, column)?;
        Some((0..table.len()).any(|row| table.cell(row, column) == value.some()))
    }

    /// Whether the table of instances of an event's kind lists this one; `None` if it is not in the export. Files have none
    /// with their handles: theirs is that of sums.
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

    /// A table of the export.
    pub fn table(&self, name: &str) -> Option<&'a Table> {
        self.trace.tables.find(&self.trace.strings, self.run, name)
    }

    /// Whether the tick of the timer of waits is the server's own.
    pub fn knows_tick(&self) -> bool {
        matches!(self.points.tick.source, TickSource::Frequency { .. })
    }
}

/// Classes of events as their tables call them.
const CLASSES: [&str; 4] = ["waits", "stages", "statements", "transactions"];

/// The history that events of a class are kept in.
fn history(class: EventClass) -> usize {
    match class {
        EventClass::Wait | EventClass::Idle => 0,
        EventClass::Stage => 1,
        EventClass::Statement => 2,
        EventClass::Transaction => 3,
    }
}

/// What the files hold of one of the server's histories.
#[derive(Clone, Default)]
struct History {
    events: i128,
    /// Why it did not keep everything: it is full, or more than one id in a hundred is missing.
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

/// Whether a statement changes what tables there are, and its text.
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

/// Whether an event ends the name of its file.
fn removes(trace: &Trace, point: &RunEvent) -> bool {
    point.operation.some().is_some_and(|operation| ["delete", "rename"].contains(&trace.str(operation)))
}

fn count(number: i128) -> String {
    text::count(i64::try_from(number).unwrap_or(i64::MAX))
}
