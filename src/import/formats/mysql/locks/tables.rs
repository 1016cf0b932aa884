//! Tables that list lock waits, read into one type:
//!
//! | table | of | names |
//! |---|---|---|
//! | `data_lock_waits` | MySQL 8.0 on | threads and events; `data_locks` has the locks |
//! | `metadata_locks` | all | owners of granted and pending locks |
//! | `innodb_lock_waits` of the information schema | MariaDB, MySQL up to 5.7 | transactions; `innodb_locks` has the locks, `innodb_trx` the connections |
//! | `innodb_lock_waits` of `sys` | MySQL 5.7 on, MariaDB 10.6 on | connections, statements and locks |
//! | `schema_table_lock_waits` of `sys` | MySQL 5.7 on, MariaDB 10.6 on | threads, statements and locks |

use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::import::formats::mysql::export::{MySqlExport, SideTable};
use crate::trace::RecordId;

/// A waiter or blocker, as a table identifies it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockPartyIds {
    /// THREAD_ID.
    pub thread: Option<u64>,
    /// Connection id, if the thread is not known.
    pub connection: Option<u64>,
    /// EVENT_ID; `None` for the event that had not ended at the time of the export.
    pub event: Option<i64>,
    /// Statement that the thread was running; [`StrId::NONE`] if none is reported.
    pub running: StrId,
}

/// A lock wait; fields that are not reported are [`StrId::NONE`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LockWaitRecord {
    pub waiter: LockPartyIds,
    pub holder: LockPartyIds,
    pub object: String,
    pub wanted: StrId,
    pub held: StrId,
    pub since: StrId,
    /// Upper bound for the number of further holders of the same lock, which are not listed.
    pub more: u32,
    pub record: RecordId,
}

/// Returns the lock waits from all tables of an export.
pub fn facts(export: &MySqlExport, strings: &Interner) -> Vec<LockWaitRecord> {
    let tables = LockTables { export, strings };
    let mut facts = Vec::new();
    for side in &export.sides {
        let rows = SideTableRows { side, strings };
        // `sys` has every view twice: with formatted numbers, and (prefix `x$`) with plain numbers.
        match side.name.trim_start_matches("x$") {
            "data_lock_waits" => facts.extend(tables.data_lock_waits(rows)),
            "metadata_locks" => facts.extend(tables.metadata_locks(rows)),
            "innodb_lock_waits" if rows.column("WAITING_PID").is_some() => {
                facts.extend(tables.sys_lock_waits(rows))
            }
            "innodb_lock_waits" => facts.extend(tables.transaction_waits(rows)),
            "schema_table_lock_waits" => facts.extend(tables.sys_table_waits(rows)),
            _ => {}
        }
    }
    facts
}

/// Rows of a side table, with access to their texts.
#[derive(Clone, Copy)]
struct SideTableRows<'a> {
    side: &'a SideTable,
    strings: &'a Interner,
}

/// A row of a side table.
#[derive(Clone, Copy)]
struct SideTableRow<'a> {
    of: SideTableRows<'a>,
    cells: &'a [StrId],
    record: RecordId,
}

impl<'a> SideTableRows<'a> {
    fn column(&self, name: &str) -> Option<usize> {
        let name = self.strings.find(name)?;
        self.side.columns.iter().position(|&column| column == name)
    }

    fn lines(self) -> impl Iterator<Item = SideTableRow<'a>> {
        let width = self.side.columns.len().max(1);
        let rows = self.side.cells.chunks(width).zip(self.side.records.iter().copied());
        rows.map(move |(cells, record)| SideTableRow { of: self, cells, record })
    }

    /// Indexes the rows by the value of a column.
    fn by(self, name: &str) -> FxHashMap<StrId, SideTableRow<'a>> {
        self.lines().filter_map(|line| Some((line.id(name).some()?, line))).collect()
    }
}

impl<'a> SideTableRow<'a> {
    /// String id of a value; [`StrId::NONE`] for NULL and for empty text.
    fn id(&self, column: &str) -> StrId {
        let id = self.of.column(column).and_then(|at| self.cells.get(at)).copied();
        id.filter(|&id| id != StrId::EMPTY).unwrap_or(StrId::NONE)
    }

    fn text(&self, column: &str) -> Option<&'a str> {
        self.id(column).some().map(|id| self.of.strings.get(id))
    }

    fn number<T: std::str::FromStr>(&self, column: &str) -> Option<T> {
        self.text(column)?.parse().ok()
    }

    /// Describes a locked object: "shop.items, index PRIMARY, record 5".
    fn object(&self, [schema, name, index, data]: [&str; 4]) -> String {
        let names = [self.text(schema), self.text(name)].map(|name| name.map(|name| name.replace('`', "")));
        let mut object = names.into_iter().flatten().collect::<Vec<_>>().join(".");
        for (word, column) in [("index", index), ("record", data)] {
            if let Some(text) = self.text(column) {
                object += &format!(", {word} {}", text.replace('`', ""));
            }
        }
        object
    }
}

type SideTableRowsById<'a> = FxHashMap<StrId, SideTableRow<'a>>;

/// String id of a value; [`StrId::NONE`] if there is no row.
fn id(line: Option<&SideTableRow>, column: &str) -> StrId {
    line.map_or(StrId::NONE, |line| line.id(column))
}

struct LockTables<'a> {
    export: &'a MySqlExport,
    strings: &'a Interner,
}

impl<'a> LockTables<'a> {
    fn by(&self, table: &str, column: &str) -> SideTableRowsById<'a> {
        let sides = self.export.sides.iter().filter(|side| side.name == table);
        sides.flat_map(|side| SideTableRows { side, strings: self.strings }.by(column)).collect()
    }

    fn data_lock_waits(&self, rows: SideTableRows<'a>) -> Vec<LockWaitRecord> {
        let locks = self.by("data_locks", "ENGINE_LOCK_ID");
        let transactions = self.by("innodb_trx", "TRX_ID");
        let party = |line: &SideTableRow, [thread, event, transaction]: [&str; 3]| {
            let transaction = transactions.get(&line.id(transaction));
            LockPartyIds {
                thread: line.number(thread),
                event: line.number(event),
                running: id(transaction, "TRX_QUERY"),
                connection: transaction.and_then(|of| of.number("TRX_MYSQL_THREAD_ID")),
            }
        };
        let waiting = ["REQUESTING_THREAD_ID", "REQUESTING_EVENT_ID", "REQUESTING_ENGINE_TRANSACTION_ID"];
        let holding = ["BLOCKING_THREAD_ID", "BLOCKING_EVENT_ID", "BLOCKING_ENGINE_TRANSACTION_ID"];
        let fact = |line: SideTableRow| {
            let lock = |column| locks.get(&line.id(column));
            let (wanted, held) = (lock("REQUESTING_ENGINE_LOCK_ID"), lock("BLOCKING_ENGINE_LOCK_ID"));
            let columns = ["OBJECT_SCHEMA", "OBJECT_NAME", "INDEX_NAME", "LOCK_DATA"];
            LockWaitRecord {
                waiter: party(&line, waiting),
                holder: party(&line, holding),
                object: wanted.or(held).map_or_else(String::new, |lock| lock.object(columns)),
                wanted: id(wanted, "LOCK_MODE"),
                held: id(held, "LOCK_MODE"),
                since: id(transactions.get(&line.id(waiting[2])), "TRX_WAIT_STARTED"),
                more: 0,
                record: line.record,
            }
        };
        rows.lines().map(fact).collect()
    }

    fn metadata_locks(&self, rows: SideTableRows<'a>) -> Vec<LockWaitRecord> {
        let object = |line: &SideTableRow| {
            ["OBJECT_TYPE", "OBJECT_SCHEMA", "OBJECT_NAME"].map(|column| line.id(column))
        };
        let with =
            |status: &'static str| rows.lines().filter(move |line| line.text("LOCK_STATUS") == Some(status));
        // Granted locks by object, separated into locks that block only exclusive requests and locks that block others, too.
        let mut granted: FxHashMap<_, [Vec<SideTableRow>; 2]> = FxHashMap::default();
        for line in with("GRANTED") {
            let of = granted.entry(object(&line)).or_default();
            of[usize::from(is_strong(line.text("LOCK_TYPE")))].push(line);
        }
        let mut facts = Vec::new();
        for line in with("PENDING") {
            let Some([weak, strong]) = granted.get(&object(&line)) else { continue };
            let weak = if line.text("LOCK_TYPE") == Some("EXCLUSIVE") { weak.as_slice() } else { &[] };
            let listed = strong.iter().chain(weak).take(HOLDERS);
            let listed = listed.map(|held| self.metadata_lock(&line, held));
            let first = facts.len();
            facts.extend(listed.filter(|fact| fact.holder.thread != fact.waiter.thread));
            if let Some(last) = facts[first..].last_mut() {
                last.more = (strong.len() + weak.len()).saturating_sub(HOLDERS) as u32;
            }
        }
        facts
    }

    fn metadata_lock(&self, pending: &SideTableRow, held: &SideTableRow) -> LockWaitRecord {
        let party = |line: &SideTableRow| LockPartyIds {
            thread: line.number("OWNER_THREAD_ID"),
            event: line.number("OWNER_EVENT_ID"),
            connection: None,
            running: StrId::NONE,
        };
        let kind = pending.text("OBJECT_TYPE").filter(|kind| *kind != "TABLE");
        let name = pending.object(["OBJECT_SCHEMA", "OBJECT_NAME", "", ""]);
        LockWaitRecord {
            waiter: party(pending),
            holder: party(held),
            object: [kind.unwrap_or(""), &name].join(" ").trim().to_owned(),
            wanted: pending.id("LOCK_TYPE"),
            held: held.id("LOCK_TYPE"),
            since: StrId::NONE,
            more: 0,
            record: pending.record,
        }
    }

    /// Identifies the thread of a connection.
    fn of_connection(&self, threads: &SideTableRowsById, connection: StrId, running: StrId) -> LockPartyIds {
        let number = |id: StrId| self.strings.get(id).parse().ok();
        LockPartyIds {
            thread: threads.get(&connection).and_then(|of| of.number("THREAD_ID")),
            connection: connection.some().and_then(number),
            event: None,
            running,
        }
    }

    fn transaction_waits(&self, rows: SideTableRows<'a>) -> Vec<LockWaitRecord> {
        let (locks, transactions) = (self.by("innodb_locks", "LOCK_ID"), self.by("innodb_trx", "TRX_ID"));
        let threads = self.by("threads", "PROCESSLIST_ID");
        let party = |of: Option<&SideTableRow>| {
            self.of_connection(&threads, id(of, "TRX_MYSQL_THREAD_ID"), id(of, "TRX_QUERY"))
        };
        let fact = |line: SideTableRow| {
            let transaction = |column| transactions.get(&line.id(column));
            let (waiting, holding) = (transaction("REQUESTING_TRX_ID"), transaction("BLOCKING_TRX_ID"));
            let lock = |column| locks.get(&line.id(column));
            let (wanted, held) = (lock("REQUESTED_LOCK_ID"), lock("BLOCKING_LOCK_ID"));
            let columns = ["", "LOCK_TABLE", "LOCK_INDEX", "LOCK_DATA"];
            LockWaitRecord {
                waiter: party(waiting),
                holder: party(holding),
                object: wanted.or(held).map_or_else(String::new, |lock| lock.object(columns)),
                wanted: id(wanted, "LOCK_MODE"),
                held: id(held, "LOCK_MODE"),
                since: id(waiting, "TRX_WAIT_STARTED"),
                more: 0,
                record: line.record,
            }
        };
        rows.lines().map(fact).collect()
    }

    fn sys_lock_waits(&self, rows: SideTableRows<'a>) -> Vec<LockWaitRecord> {
        let threads = self.by("threads", "PROCESSLIST_ID");
        let fact = |line: SideTableRow| LockWaitRecord {
            waiter: self.of_connection(&threads, line.id("WAITING_PID"), line.id("WAITING_QUERY")),
            holder: self.of_connection(&threads, line.id("BLOCKING_PID"), line.id("BLOCKING_QUERY")),
            object: line.object(["", "LOCKED_TABLE", "LOCKED_INDEX", ""]),
            wanted: line.id("WAITING_LOCK_MODE"),
            held: line.id("BLOCKING_LOCK_MODE"),
            since: line.id("WAIT_STARTED"),
            more: 0,
            record: line.record,
        };
        rows.lines().map(fact).collect()
    }

    fn sys_table_waits(&self, rows: SideTableRows<'a>) -> Vec<LockWaitRecord> {
        let party = |line: &SideTableRow, [thread, connection, running]: [&str; 3]| LockPartyIds {
            thread: line.number(thread),
            connection: line.number(connection),
            event: None,
            running: line.id(running),
        };
        let fact = |line: SideTableRow| LockWaitRecord {
            waiter: party(&line, ["WAITING_THREAD_ID", "WAITING_PID", "WAITING_QUERY"]),
            holder: party(&line, ["BLOCKING_THREAD_ID", "BLOCKING_PID", ""]),
            object: line.object(["OBJECT_SCHEMA", "OBJECT_NAME", "", ""]),
            wanted: line.id("WAITING_LOCK_TYPE"),
            held: line.id("BLOCKING_LOCK_TYPE"),
            since: StrId::NONE,
            more: 0,
            record: line.record,
        };
        // A thread that waits and holds another lock of the table is also listed as its own blocker.
        rows.lines().map(fact).filter(|fact| fact.waiter.thread != fact.holder.thread).collect()
    }
}

/// Maximum number of listed holders of a metadata lock: a table that is in use everywhere has a thousand.
const HOLDERS: usize = 32;

/// Whether a granted metadata lock blocks requests that are not exclusive. According to the manual, exclusive locks and locks
/// that forbid writing or reading do. All other locks block only exclusive requests.
fn is_strong(granted: Option<&str>) -> bool {
    const STRONG: [&str; 4] = ["EXCLUSIVE", "SHARED_NO_READ_WRITE", "SHARED_NO_WRITE", "SHARED_READ_ONLY"];
    granted.is_some_and(|granted| STRONG.contains(&granted))
}
