//! Generates a profiler stream as a MonetDB server (Sep2022) sends it: four clients whose statements share eight workers,
//! each column split into parts, one record per end of an instruction. Records are long, because each lists the variables
//! that its instruction writes and reads. The same seed writes the same bytes.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

use super::Random;

const CLIENTS: u64 = 4;
const WORKERS: u64 = 8;
/// Microseconds since the server started.
const ORIGIN: u64 = 70_964_642;
/// Number of parts of a table.
const PARTS: u64 = 8;
const COLUMNS: [(&str, &str, u64); 5] = [
    ("l_quantity", "int", 4),
    ("l_extendedprice", "dbl", 8),
    ("l_discount", "dbl", 8),
    ("l_shipdate", "date", 4),
    ("l_returnflag", "str", 1),
];
/// The instructions that run on each part of a column, in order.
const STEPS: [(&str, &str); 5] = [
    ("algebra", "thetaselect"),
    ("algebra", "projection"),
    ("batcalc", "*"),
    ("group", "group"),
    ("aggr", "subsum"),
];
const PHASES: [&str; 4] = ["sql_to_rel", "rel_opt", "rel_to_mal", "mal_opt"];

/// Writes `records` records to a file.
pub fn write(file: &Path, records: u64, seed: u64) -> Result<()> {
    let out = File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    let mut out = BufWriter::with_capacity(1 << 20, out);
    stream(&mut out, records, seed)?;
    Ok(out.flush()?)
}

fn stream(out: &mut impl Write, records: u64, seed: u64) -> io::Result<()> {
    let mut random = Random(seed);
    let mut left = records;
    let mut tag = 25;
    let mut now = ORIGIN;
    while left > 0 {
        // As many concurrent statements as clients. The server writes a record when an instruction ends.
        let mut ended: Vec<(u64, String)> = Vec::new();
        for client in 0..CLIENTS {
            let start = now + random.around(4_000);
            statement(&mut random, client, tag + client, start, &mut ended);
        }
        ended.sort_by_key(|record| record.0);
        (now, tag) = (ended.last().map_or(now, |record| record.0) + 200, tag + CLIENTS);
        for (_, record) in ended.iter().take(left as usize) {
            writeln!(out, "{record}")?;
        }
        left = left.saturating_sub(ended.len() as u64);
    }
    Ok(())
}

/// Appends all records of a statement, each with the time at which it is written.
fn statement(random: &mut Random, client: u64, tag: u64, start: u64, ended: &mut Vec<(u64, String)>) {
    let (thread, limit) = (WORKERS + client + 2, random.below(90));
    let sql = format!(
        "select l_returnflag, sum(l_quantity), avg(l_extendedprice * (1 - l_discount)) from lineitem where l_shipdate <= \
         date '1998-09-02' - interval '{limit}' day group by l_returnflag"
    );
    let mut now = start + 80 + random.around(70);
    let phase = |now: u64, name: &str, more: &str, usec: u64| {
        let head = format!(r#"{{"sessionid":"{client}", "clk":{now}, "thread":{thread}, "phase":"{name}""#);
        (now, format!(r#"{head}{more}, "tag":{tag}, "usec":{usec}}}"#))
    };
    ended.push(phase(now, "text_to_sql", &format!(r#", "tstart":82, "query":"{sql}\n;""#), 73));
    for name in PHASES {
        let usec = 40 + random.around(300);
        now += usec + 5;
        ended.push(phase(now, name, "", usec));
    }
    let begin = now + 20;
    let mut plan = Plan { random, client, tag, pc: 0, variable: 4, ended };
    let text = plan.constant("str", &format!(r#""{}\n;""#, sql.replace('\'', r"\\'")));
    plan.instruction(thread, begin + 4, 4, "querylog.define", &[text]);
    let end = plan.block(thread, begin + 30);
    plan.pc = 0;
    plan.whole(
        thread,
        end + 40,
        end + 40 - begin,
        r#""module":"user","function":"main","operator":"function""#,
        "",
    );
    ended.push(phase(end + 60, "trans_commit", r#", "tstart":82, "tend":82"#, 3));
}

/// Writer of the instructions of a statement.
struct Plan<'a> {
    random: &'a mut Random,
    client: u64,
    tag: u64,
    pc: u64,
    variable: u64,
    ended: &'a mut Vec<(u64, String)>,
}

impl Plan<'_> {
    /// Runs the parallel block of a statement on the workers, while the client waits; returns its end.
    fn block(&mut self, client: u64, start: u64) -> u64 {
        let barrier = self.pc + 1;
        self.pc = barrier;
        let mut free = [start; WORKERS as usize];
        for part in 0..PARTS {
            for column in 0..COLUMNS.len() {
                let worker = (0..free.len()).min_by_key(|&at| free[at]).unwrap_or(0);
                free[worker] = self.column(worker as u64, free[worker] + 3, part, column);
            }
        }
        let end = free.into_iter().max().unwrap_or(start) + 10;
        let last = std::mem::replace(&mut self.pc, barrier);
        let what = r#""barrier":"barrier","module":"language","function":"dataflow""#;
        self.whole(client, end, end - start, what, "");
        self.pc = last;
        end
    }

    /// Reads and reduces one part of a column on one worker; returns the end.
    fn column(&mut self, worker: u64, start: u64, part: u64, column: usize) -> u64 {
        let (name, sort, width) = COLUMNS[column];
        let thread = worker + 1;
        let of_table = [r#""sys""#, r#""lineitem""#].map(|text| self.constant("str", text));
        let which = [part, PARTS].map(|number| self.constant("int", &number.to_string()));
        let column = self.constant("str", &format!(r#""{name}""#));
        let mut now = start + 1 + self.random.around(6);
        let rows = 120_000 + self.random.below(9_000);
        let mut made = self.bat(sort, width, rows);
        let [schema, table] = of_table;
        let [first, parts] = which;
        self.instruction(thread, now, 5, "sql.bind", &[made.clone(), schema, table, column, first, parts]);
        for (module, function) in STEPS {
            let usec = 1 + self.random.around(2_000);
            now += usec + 2;
            let next = self.bat(if module == "aggr" { "hge" } else { sort }, width, 1 + rows / 7);
            let read = made.replacen(r#"{"ret":0"#, r#"{"arg":1"#, 1);
            let limit = self.constant("int", "24");
            self.instruction(
                thread,
                now,
                usec,
                &format!("{module}.{function}"),
                &[next.clone(), read, limit],
            );
            made = next;
        }
        now
    }

    fn instruction(&mut self, thread: u64, end: u64, usec: u64, name: &str, arguments: &[String]) {
        self.pc += 1;
        let (module, function) = name.split_once('.').unwrap_or(("", name));
        let what = format!(r#""module":"{module}","function":"{function}""#);
        self.whole(thread, end, usec, &what, &arguments.join(","));
    }

    fn whole(&mut self, thread: u64, end: u64, usec: u64, what: &str, arguments: &str) {
        let Self { client, tag, pc, .. } = *self;
        let mut record = format!(
            r#"{{"sessionid":"{client}","clk":{end},"thread":{thread},"phase":"mal_engine","pc":{pc},"tag":{tag},{what},"usec":{usec}"#
        );
        if !arguments.is_empty() {
            // Writing into memory cannot fail.
            write!(record, r#","args":[{arguments}]"#).ok();
        }
        self.ended.push((end, record + "}"));
    }

    /// A result variable that holds a column, as JSON.
    fn bat(&mut self, sort: &str, width: u64, rows: u64) -> String {
        self.variable += 1;
        let (variable, bid) = (self.variable, 300 + self.random.below(900));
        let sorted = self.random.below(2);
        let key = self.random.below(2);
        let eol = self.pc + 3;
        let size = rows * width;
        format!(
            r#"{{"ret":0,"var":"X_{variable}","type":"bat[:{sort}]","mode":"transient","sorted":{sorted},"revsorted":0,"nonil":1,"nil":0,"key":{key},"file":"tmp_{bid:o}","width":{width},"bid":{bid},"count":{rows},"size":{size},"eol":{eol}}}"#
        )
    }

    /// A literal argument, as JSON.
    fn constant(&mut self, sort: &str, value: &str) -> String {
        self.variable += 1;
        let (variable, eol) = (self.variable, self.pc + 1);
        format!(r#"{{"arg":2,"var":"X_{variable}","type":"{sort}","const":1,"value":{value},"eol":{eol}}}"#)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn so_many_records_are_as_long_as_those_of_a_server() {
        let mut out = Vec::new();
        stream(&mut out, 20_000, 3).expect("memory can be written");
        let text = String::from_utf8(out).expect("UTF-8");
        assert_eq!(text.lines().count(), 20_000);
        let mut last = 0;
        let mut threads = HashSet::new();
        let mut phases = HashSet::new();
        for line in text.lines() {
            let record: Value = serde_json::from_str(line).expect("JSON");
            let clk = record["clk"].as_u64().expect("a time");
            assert!(clk >= last, "{line}");
            last = clk;
            threads.insert(record["thread"].as_u64());
            phases.insert(record["phase"].as_str().map(str::to_owned));
        }
        assert_eq!((threads.len(), phases.len()), (12, 7));
        // A recorded stream of four clients, which this generator imitates, has 552 bytes per record.
        let size = text.len() / 20_000;
        assert!((500..600).contains(&size), "{size} bytes per record");
    }
}
