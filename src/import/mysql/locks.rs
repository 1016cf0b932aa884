//! Who waits for whom, where the tables of locks are in the export: arrows from what holds a lock to what waits for it.
//!
//! `data_lock_waits` names threads and events (MySQL 8.0 on), `metadata_locks` owners of granted and pending locks;
//! `innodb_lock_waits` names transactions, of which `innodb_trx` knows the connections (MariaDB, MySQL up to 5.7).

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::prepare::Class;
use super::rows::{Export, Side};
use crate::strings::{StrId, Strings};
use crate::trace::{Flow, RecordId, SpanId, TraceBuilder, words};

/// A span of a thread, by its ids.
#[derive(Clone, Copy)]
pub struct Known {
    pub id: i64,
    pub end: i64,
    pub class: Class,
    pub span: SpanId,
    /// Since the run's first event.
    pub start: i64,
}

/// The spans of all threads, by THREAD_ID; in the order of starts.
#[derive(Default)]
pub struct Index {
    threads: HashMap<u64, Vec<Known>, FxBuildHasher>,
}

/// Tables that tell who waits.
const TABLES: [&str; 3] = ["data_lock_waits", "metadata_locks", "innodb_lock_waits"];

/// A thread and one of its events; none for whatever it does at the end.
type Party = (u64, Option<i64>);

impl Index {
    /// An index to be filled, where a table of locks makes it worth while.
    pub fn of(export: &Export) -> Option<Self> {
        let has_waits = |side: &Side| TABLES.contains(&side.name.as_str()) && !side.records.is_empty();
        export.sides.iter().any(has_waits).then(Self::default)
    }

    /// Adds a span.
    pub fn add(&mut self, thread: u64, known: Known) {
        self.threads.entry(thread).or_default().push(known);
    }

    /// What waits: the innermost span that holds the event.
    fn waiting(&self, (thread, event): Party) -> Option<Known> {
        let spans = self.threads.get(&thread)?;
        let holds = |known: &&Known| match event {
            Some(event) => known.id <= event && event <= known.end,
            None => known.end == i64::MAX && known.class == Class::Statement,
        };
        let inside = spans.iter().filter(holds).filter(|known| known.class != Class::Transaction);
        inside
            .max_by_key(|known| known.id)
            .or_else(|| spans.iter().rfind(|known| known.class == Class::Statement))
            .copied()
    }

    /// What holds the lock: the transaction in which it was taken, else the statement.
    fn holding(&self, (thread, event): Party) -> Option<Known> {
        let spans = self.threads.get(&thread)?;
        let holds = |known: &&Known| match event {
            Some(event) => known.id <= event && event <= known.end,
            None => known.end == i64::MAX,
        };
        let of = |class: Class| spans.iter().filter(holds).filter(move |known| known.class == class);
        let transaction = of(Class::Transaction).max_by_key(|known| known.id);
        transaction.or_else(|| of(Class::Statement).max_by_key(|known| known.id)).copied()
    }

    /// Draws the arrows.
    pub fn arrows(&self, export: &Export, builder: &mut TraceBuilder) {
        let name = builder.strings().intern(words::LOCK);
        let mut waits = Vec::new();
        for side in &export.sides {
            match side.name.as_str() {
                "data_lock_waits" => waits.extend(data_lock_waits(side, builder.strings())),
                "metadata_locks" => waits.extend(metadata_locks(side, builder.strings())),
                "innodb_lock_waits" => waits.extend(transaction_waits(side, export, builder.strings())),
                _ => {}
            }
        }
        for (holder, waiter, record) in waits {
            let Some((from, to)) = self.holding(holder).zip(self.waiting(waiter)) else { continue };
            let (leaves, arrives) = (from.start, to.start.max(from.start));
            builder.flow(Flow {
                name,
                from: from.span,
                to: to.span,
                leaves,
                arrives,
                records: (record, RecordId::NONE),
            });
        }
    }
}

/// Rows of a table as texts.
struct Rows<'a> {
    side: &'a Side,
    strings: &'a Strings,
}

impl<'a> Rows<'a> {
    fn column(&self, name: &str) -> Option<usize> {
        let name = self.strings.find(name)?;
        self.side.columns.iter().position(|&column| column == name)
    }

    fn rows(&self) -> impl Iterator<Item = (&'a [StrId], RecordId)> + use<'a> {
        let width = self.side.columns.len().max(1);
        self.side.cells.chunks(width).zip(self.side.records.iter().copied())
    }

    fn text(&self, row: &[StrId], column: Option<usize>) -> Option<&'a str> {
        Some(self.strings.get(row.get(column?)?.some()?))
    }

    fn number<T: std::str::FromStr>(&self, row: &[StrId], column: Option<usize>) -> Option<T> {
        self.text(row, column)?.parse().ok()
    }
}

type Wait = (Party, Party, RecordId);

fn data_lock_waits(side: &Side, strings: &Strings) -> Vec<Wait> {
    let rows = Rows { side, strings };
    let [thread, event, by_thread, by_event] =
        ["REQUESTING_THREAD_ID", "REQUESTING_EVENT_ID", "BLOCKING_THREAD_ID", "BLOCKING_EVENT_ID"]
            .map(|name| rows.column(name));
    let wait = |(row, record): (&[StrId], RecordId)| {
        let holder = (rows.number(row, by_thread)?, rows.number(row, by_event));
        Some((holder, (rows.number(row, thread)?, rows.number(row, event)), record))
    };
    rows.rows().filter_map(wait).collect()
}

fn metadata_locks(side: &Side, strings: &Strings) -> Vec<Wait> {
    let rows = Rows { side, strings };
    let [thread, event, mode, status] =
        ["OWNER_THREAD_ID", "OWNER_EVENT_ID", "LOCK_TYPE", "LOCK_STATUS"].map(|name| rows.column(name));
    let object = ["OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"].map(|name| rows.column(name));
    let object = |row: &[StrId]| object.map(|column| rows.text(row, column));
    let party = |row: &[StrId]| Some((rows.number(row, thread)?, rows.number(row, event)));
    let with = |wanted: &'static str| {
        rows.rows().filter(move |(row, _)| Rows { side, strings }.text(row, status) == Some(wanted))
    };
    let mut waits = Vec::new();
    for (pending, record) in with("PENDING") {
        let granted = with("GRANTED").filter(|(row, _)| object(row) == object(pending));
        let excluding = granted.filter(|(row, _)| excludes(rows.text(row, mode), rows.text(pending, mode)));
        let parties = excluding.filter_map(|(row, _)| Some((party(row)?, party(pending)?)));
        waits.extend(
            parties
                .filter(|(holder, waiter)| holder.0 != waiter.0)
                .map(|(holder, waiter)| (holder, waiter, record)),
        );
    }
    waits
}

/// Whether a granted metadata lock keeps another one waiting, by what the manual says of the two: an exclusive one does,
/// and waits for every other; those that forbid writing or reading do.
fn excludes(granted: Option<&str>, pending: Option<&str>) -> bool {
    const STRONG: [&str; 4] = ["EXCLUSIVE", "SHARED_NO_READ_WRITE", "SHARED_NO_WRITE", "SHARED_READ_ONLY"];
    pending == Some("EXCLUSIVE") || granted.is_some_and(|granted| STRONG.contains(&granted))
}

fn transaction_waits(side: &Side, export: &Export, strings: &Strings) -> Vec<Wait> {
    let find = |name: &str| export.sides.iter().find(|side| side.name == name);
    let Some((transactions, threads)) = find("innodb_trx").zip(find("threads")) else { return Vec::new() };
    let pairs = |side, key: &str, value: &str| {
        let rows = Rows { side, strings };
        let (key, value) = (rows.column(key), rows.column(value));
        let pair = |(row, _): (&[StrId], RecordId)| {
            Some((rows.number::<u64>(row, key)?, rows.number::<u64>(row, value)?))
        };
        rows.rows().filter_map(pair).collect::<HashMap<u64, u64, FxBuildHasher>>()
    };
    let connections = pairs(transactions, "TRX_ID", "TRX_MYSQL_THREAD_ID");
    let threads = pairs(threads, "PROCESSLIST_ID", "THREAD_ID");
    let rows = Rows { side, strings };
    let [waiter, holder] = ["REQUESTING_TRX_ID", "BLOCKING_TRX_ID"].map(|name| rows.column(name));
    let party = |row: &[StrId], column| {
        let connection = connections.get(&rows.number::<u64>(row, column)?)?;
        Some((*threads.get(connection)?, None))
    };
    rows.rows().filter_map(|(row, record)| Some((party(row, holder)?, party(row, waiter)?, record))).collect()
}
