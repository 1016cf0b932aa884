//! Generates a table of waits as `mysql --batch` prints it: eight connections that run transactions with all instruments
//! enabled, as a benchmark does, and four threads of the storage engine. Three of four waits are mutexes and latches; the
//! rest read tables, files and sockets. The same seed writes the same bytes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

use super::Random;

const THREADS: u64 = 12;
/// Picoseconds since the server start: half an hour. After ten times this time, doubles are no longer exact.
const ORIGIN: u64 = 1_764_597_289_264_810;
/// Length of a tick of the wait timer, in picoseconds.
const TICK: u64 = 385;
const HEADER: &str = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tSOURCE\tTIMER_START\tTIMER_END\tTIMER_WAIT\tSPINS\t\
    OBJECT_SCHEMA\tOBJECT_NAME\tINDEX_NAME\tOBJECT_TYPE\tOBJECT_INSTANCE_BEGIN\tNESTING_EVENT_ID\tNESTING_EVENT_TYPE\t\
    OPERATION\tNUMBER_OF_BYTES\tFLAGS";

/// Latches: the name after `wait/`, the source file, the operations, and the number of instances.
const LATCHES: [(&str, &str, &[&str], u64); 10] = [
    ("synch/mutex/innodb/trx_mutex", "trx0sys.h", &["lock"], 64),
    ("synch/sxlock/innodb/hash_table_locks", "buf0buf.cc", &["shared_lock", "exclusive_lock"], 128),
    ("synch/mutex/sql/THD::LOCK_thd_data", "sql_class.h", &["lock"], 16),
    ("synch/mutex/sql/THD::LOCK_thd_query", "sql_class.h", &["lock"], 16),
    ("synch/mutex/innodb/fil_system_mutex", "fil0fil.cc", &["lock"], 69),
    ("synch/mutex/sql/LOCK_table_cache", "table_cache.h", &["lock"], 16),
    ("synch/sxlock/innodb/index_tree_rw_lock", "btr0cur.cc", &["shared_lock", "shared_exclusive_lock"], 24),
    ("synch/mutex/innodb/log_limits_mutex", "log0files_governor.cc", &["lock"], 1),
    ("synch/mutex/innodb/lock_sys_page_mutex", "lock0latches.h", &["lock"], 512),
    ("synch/rwlock/sql/LOCK_system_variables_hash", "sql_plugin.cc", &["read_lock"], 1),
];

/// Writes `rows` waits to a file.
pub fn write(file: &Path, rows: u64, seed: u64) -> Result<()> {
    let out = File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    let mut out = BufWriter::with_capacity(1 << 20, out);
    table(&mut out, rows, seed)?;
    Ok(out.flush()?)
}

fn table(out: &mut impl Write, rows: u64, seed: u64) -> io::Result<()> {
    let mut random = Random(seed);
    writeln!(out, "{HEADER}")?;
    // Time of each thread's next event, its ID, and its next event ID; rows are in the order of their ends.
    let thread = |n: u64| Reverse((ORIGIN + n * 70_000, n + 1051, 1_u64));
    let mut threads: BinaryHeap<_> = (0..THREADS).map(thread).collect();
    let mut left = rows;
    while left > 0 {
        let Some(Reverse((now, thread, id))) = threads.pop() else { break };
        let (taken, end) = match random.below(30) {
            0 if left > 2 => (3, table_access(out, &mut random, thread, id, now)?),
            _ => (1, single(out, &mut random, thread, id, now)?),
        };
        left -= taken;
        // The IDs skip some values, which belong to statements and stages in other tables.
        let next = id + taken + u64::from(random.below(8) == 0);
        threads.push(Reverse((end + ticks(random.around(9_000_000)), thread, next)));
    }
    Ok(())
}

fn ticks(picos: u64) -> u64 {
    picos / TICK * TICK
}

/// Description of a wait.
struct What<'a> {
    /// Name of the instrument, after `wait/`.
    name: &'a str,
    source: &'a str,
    line: u64,
    /// Schema, name, index, type and handle of the object, separated by tabs.
    object: String,
    operation: &'a str,
    bytes: Option<u64>,
}

/// Writes a wait for a latch, a file or a socket; returns its end in picoseconds.
fn single(out: &mut impl Write, random: &mut Random, thread: u64, id: u64, start: u64) -> io::Result<u64> {
    let holder = id.saturating_sub(1 + random.below(40)).max(1);
    let row = Row { thread, id, end_id: id, start, nesting: (holder, "STAGE") };
    match random.below(10) {
        0 => {
            let (operation, mean) = if random.below(2) == 0 { ("send", 900) } else { ("recv", 60) };
            let handle = 1_688_849_873_043_459 + thread * 64;
            let what = What {
                name: "io/socket/sql/client_connection",
                source: "viosocket.cc",
                line: 168,
                object: format!("NULL\t127.0.0.1:{}\tNULL\tSOCKET\t{handle}", 50_700 + thread),
                operation,
                bytes: Some(random.around(mean)),
            };
            row.write(out, TICK + random.around(40_000_000), &what)
        }
        1 => {
            let number = random.below(12);
            let (path, handle) = ("/var/lib/mysql/sbtest/sbtest", 281_474_990_000_000 + number * 128);
            let what = What {
                name: "io/file/innodb/innodb_data_file",
                source: "fil0fil.cc",
                line: 7_602,
                object: format!("NULL\t{path}{number}.ibd\tNULL\tFILE\t{handle}"),
                operation: if random.below(3) == 0 { "write" } else { "read" },
                bytes: Some(16_384),
            };
            row.write(out, TICK + random.around(90_000_000), &what)
        }
        _ => latch(out, random, row),
    }
}

fn latch(out: &mut impl Write, random: &mut Random, row: Row) -> io::Result<u64> {
    let (name, source, operations, instances) = LATCHES[random.below(LATCHES.len() as u64) as usize];
    let what = What {
        name,
        source,
        line: 100 + random.below(20) * 37,
        object: format!("NULL\tNULL\tNULL\tNULL\t{}", 281_474_980_000_000 + random.below(instances) * 65_536),
        operation: operations[random.below(operations.len() as u64) as usize],
        bytes: None,
    };
    row.write(out, TICK + random.around(45_000), &what)
}

/// Writes a table access with two nested latches; returns its end in picoseconds.
fn table_access(
    out: &mut impl Write,
    random: &mut Random,
    thread: u64,
    id: u64,
    start: u64,
) -> io::Result<u64> {
    let nesting = (id, "WAIT");
    let mut now = start;
    for inner in 1..=2 {
        now += ticks(200_000);
        now = latch(out, random, Row { thread, id: id + inner, end_id: id + inner, start: now, nesting })?;
    }
    let table = random.below(8) + 1;
    let handle = 281_473_978_000_000 + table * 4_096 + thread * 64;
    let what = What {
        name: "io/table/sql/handler",
        source: "handler.cc",
        line: 3_395,
        object: format!("sbtest\tsbtest{table}\tPRIMARY\tTABLE\t{handle}"),
        operation: "fetch",
        bytes: Some(1 + random.below(100)),
    };
    let row = Row { thread, id, end_id: id + 2, start, nesting: (id.saturating_sub(3).max(1), "STAGE") };
    row.write(out, now - start + TICK + random.around(4_000_000), &what)
}

struct Row {
    thread: u64,
    id: u64,
    end_id: u64,
    start: u64,
    /// ID of the parent event in the row, and its type.
    nesting: (u64, &'static str),
}

impl Row {
    /// Writes the row; returns the end of the wait in picoseconds.
    fn write(self, out: &mut impl Write, wait: u64, what: &What) -> io::Result<u64> {
        let Row { thread, id, end_id, start, nesting: (nesting, kind) } = self;
        let What { name, source, line, object, operation, bytes } = what;
        let wait = ticks(wait);
        let end = start + wait;
        let bytes = bytes.map_or("NULL".to_owned(), |bytes| bytes.to_string());
        writeln!(
            out,
            "{thread}\t{id}\t{end_id}\twait/{name}\t{source}:{line}\t{start}\t{end}\t{wait}\tNULL\t{object}\t\
             {nesting}\t{kind}\t{operation}\t{bytes}\tNULL"
        )?;
        Ok(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_rows_have_the_columns_of_the_server() {
        let mut out = Vec::new();
        table(&mut out, 5_000, 3).expect("memory can be written");
        let text = String::from_utf8(out).expect("UTF-8");
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 5_001);
        assert!(lines.iter().all(|line| line.split('\t').count() == 19));
        let size = text.len() / 5_000;
        assert!((160..200).contains(&size), "{size} bytes per row");
        let wrong = lines[1..].iter().filter(|line| {
            let cells: Vec<u64> = line.split('\t').map(|cell| cell.parse().unwrap_or(0)).collect();
            cells[6] - cells[5] != cells[7] || cells[2] < cells[1]
        });
        assert_eq!(wrong.count(), 0);
    }
}
