//! Generates a Kubling run for benchmarks: concurrent queries with all event types, some of which fail, never end, or read
//! far more rows than they return. The same seed writes the same bytes.

pub mod chrome;
pub mod monetdb;
pub mod mysql;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

/// Clock at the start of the run, in ns: an arbitrary origin, beyond the integers that a double represents exactly.
const ORIGIN: i64 = 9_007_199_254_740_993;
/// Mean time between arrivals of queries, in ns. With the durations below, about ten queries run at the same time.
const ARRIVAL: u64 = 150_000;

const STATEMENTS: &[(&str, &str)] = &[
    ("SELECT * FROM orders o JOIN users u ON o.user_id = u.id WHERE o.total > {}", "QUERY"),
    ("SELECT u.name, count(*) FROM users u GROUP BY u.name HAVING count(*) > {}", "QUERY"),
    ("SELECT id, status FROM clusters WHERE region = 'eu-{}' ORDER BY id", "QUERY"),
    ("SELECT e.ts, e.message FROM events e WHERE e.severity >= {} LIMIT 1000", "QUERY"),
    ("SELECT s.name FROM switches s LEFT JOIN events e ON e.switch_id = s.id WHERE s.rack = {}", "QUERY"),
    (
        "WITH recent AS (SELECT * FROM events WHERE ts > {}) SELECT \\\"type\\\", count(*) FROM recent GROUP BY 1",
        "QUERY",
    ),
    ("INSERT INTO users(id, name) VALUES ({}, 'O''Brien')", "INSERT"),
    ("INSERT INTO events(id, message) VALUES ({}, 'Übertragung fehlgeschlagen')", "INSERT"),
    ("UPDATE orders SET total = total * 1.1 WHERE id = {}", "UPDATE"),
    ("DELETE FROM events WHERE id = {}", "DELETE"),
];
const SOURCES: &[(&str, &str)] = &[
    ("pg-conn", "OrdersDB"),
    ("pg-conn", "UsersAPI"),
    ("rest-conn", "OrdersAPI"),
    ("k8s-conn", "Clusters"),
    ("es-conn", "Events"),
    ("mysql-conn", "Switches"),
];
const BUFFERS: &[&str] = &["READ", "LOGICAL_READ", "LOGICAL_WRITE", "PHYSICAL_WRITE", "SPILL"];
const DATABASES: &[(&str, &str)] = &[("Sales", "1"), ("Sales", "2"), ("Operations", "1")];

/// Writes `events` events to a file.
pub fn write(file: &Path, events: u64, seed: u64) -> Result<()> {
    let out = File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    let mut out = BufWriter::with_capacity(1 << 20, out);
    run(&mut out, events, seed)?;
    out.flush()?;
    Ok(())
}

fn run(out: &mut impl Write, events: u64, seed: u64) -> io::Result<()> {
    let mut plan = Plan { random: Random(seed), waiting: BinaryHeap::new(), planned: 0, n_queries: 0 };
    let mut arrival = ORIGIN;
    for _ in 0..events {
        while plan.waiting.peek().is_none_or(|Reverse(next)| arrival <= next.at) {
            plan.query(arrival);
            arrival += 1 + plan.random.time(ARRIVAL);
        }
        if let Some(Reverse(event)) = plan.waiting.pop() {
            event.write(out)?;
        }
    }
    Ok(())
}

/// Future events in chronological order.
struct Plan {
    random: Random,
    waiting: BinaryHeap<Reverse<Event>>,
    planned: u64,
    n_queries: u64,
}

#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Event {
    at: i64,
    /// Sequence number; events at the same time keep the order of planning.
    number: u64,
    query: u64,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Request,
    Start { statement: usize, literal: u64 },
    SourceStart(Source),
    ExecutionStart(Source),
    Buffer { kind: usize, bytes: u64, elements: u64 },
    ExecutionEnd { source: Source, reading: i64 },
    SourceEnd { source: Source, duration: i64 },
    End { failed: bool },
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Source {
    /// Index of the source within its query.
    number: u64,
    place: usize,
    statement: usize,
    rows_read: u64,
    rows_returned: u64,
}

impl Plan {
    fn add(&mut self, at: i64, query: u64, what: What) {
        self.waiting.push(Reverse(Event { at, number: self.planned, query, what }));
        self.planned += 1;
    }

    fn query(&mut self, start: i64) {
        let query = self.n_queries;
        self.n_queries += 1;
        let statement = self.random.below(STATEMENTS.len() as u64) as usize;
        let literal = self.random.below(1000);
        self.add(start, query, What::Request);
        let mut at = start + 10_000 + self.random.time(60_000);
        self.add(at, query, What::Start { statement, literal });
        let mut end = at;
        for number in 0..1 + self.random.below(3) {
            at += 1_000 + self.random.time(30_000);
            end = end.max(self.source(at, query, number, statement));
        }
        // One query in a thousand has no end in the trace, because tracers drop events under load.
        if !self.random.one_in(1000) {
            let failed = self.random.one_in(120);
            let end = end + 1_000 + self.random.time(40_000);
            self.add(end, query, What::End { failed });
        }
    }

    /// Plans the events of a source and returns the time at which it ends.
    fn source(&mut self, start: i64, query: u64, number: u64, statement: usize) -> i64 {
        let random = &mut self.random;
        let rows_returned = random.around(400);
        let factor = if random.one_in(20) { 20 + random.below(380) } else { 1 + random.below(3) };
        let place = random.below(SOURCES.len() as u64) as usize;
        let source = Source { number, place, statement, rows_read: rows_returned * factor, rows_returned };
        // One source in two hundred is an outlier.
        let scale = if random.one_in(200) { 30 } else { 1 };
        let work = 20_000 + scale * random.time(900_000);
        let reading = work / 100 * (20 + random.below(70).cast_signed());
        let begin = start + 500 + random.time(20_000);
        let end = begin + work;
        self.add(start, query, What::SourceStart(source));
        self.add(begin, query, What::ExecutionStart(source));
        for _ in 0..self.random.below(4) {
            let at = begin + self.random.below(work.cast_unsigned()).cast_signed();
            let elements = 1 + self.random.below(4000);
            let bytes = elements * (64 + self.random.below(1500));
            let kind = self.random.below(BUFFERS.len() as u64) as usize;
            self.add(at, query, What::Buffer { kind, bytes, elements });
        }
        self.add(end, query, What::ExecutionEnd { source, reading });
        let done = end + 500 + self.random.time(10_000);
        self.add(done, query, What::SourceEnd { source, duration: done - start });
        done
    }
}

impl Event {
    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let query = self.query;
        let (name, version) = DATABASES[(query % DATABASES.len() as u64) as usize];
        write!(
            out,
            r#"{{"runId":"sim","queryId":"sim-q{query:07}","vdbName":"{name}","vdbVersion":"{version}","timestamp":{},"type":"#,
            self.at
        )?;
        match self.what {
            What::Request => write!(out, r#""REQUEST_START""#)?,
            What::Start { statement, literal } => {
                let sql = STATEMENTS[statement].0.replace("{}", &literal.to_string());
                write!(out, r#""QUERY_START","sql":"{sql}""#)?;
            }
            What::SourceStart(source) => write!(out, r#""SOURCE_START",{}"#, source.ids(query))?,
            What::ExecutionStart(source) => source.write_execution(out, query)?,
            What::Buffer { kind, bytes, elements } => write!(
                out,
                r#""BUFFER_EVENT","bufferEventType":"{}","bytes":{bytes},"elements":{elements}"#,
                BUFFERS[kind]
            )?,
            What::ExecutionEnd { source, reading } => source.write_execution_end(out, query, reading)?,
            What::SourceEnd { source, duration } => write!(
                out,
                r#""SOURCE_END",{},"rowsReturned":{},"rowsRead":{},"duration":{duration}"#,
                source.ids(query),
                source.rows_returned,
                source.rows_read
            )?,
            What::End { failed: false } => write!(out, r#""QUERY_END","success":true,"error":null"#)?,
            What::End { failed: true } => {
                write!(
                    out,
                    r#""QUERY_END","success":false,"error":"TEIID30504 the source did not answer in time""#
                )?;
            }
        }
        out.write_all(b"}\n")
    }
}

impl Source {
    fn ids(&self, query: u64) -> String {
        let (connector, _) = SOURCES[self.place];
        format!(r#""connectorName":"{connector}","tupleSourceId":"sim-q{query:07}/ts{}""#, self.number)
    }

    fn write_execution(&self, out: &mut impl Write, query: u64) -> io::Result<()> {
        let (_, datasource) = SOURCES[self.place];
        let (ids, kind) = (self.ids(query), STATEMENTS[self.statement].1);
        write!(
            out,
            r#""SOURCE_EXECUTION_START",{ids},"datasourceName":"{datasource}","commandPushed":"SELECT g_0.c0, g_0.c1 FROM {datasource} AS g_0","sourceCommandType":"{kind}""#
        )
    }

    fn write_execution_end(&self, out: &mut impl Write, query: u64, reading: i64) -> io::Result<()> {
        let (_, datasource) = SOURCES[self.place];
        let (ids, kind) = (self.ids(query), STATEMENTS[self.statement].1);
        write!(out, r#""SOURCE_EXECUTION_END",{ids},"datasourceName":"{datasource}","#)?;
        // Some adapters report no numbers.
        if self.rows_read % 17 == 16 {
            write!(out, r#""rowsRead":null,"rowsReturned":null,"sourceReadDurationNanos":null,"#)?;
        } else {
            let (read, returned) = (self.rows_read, self.rows_returned);
            write!(
                out,
                r#""rowsRead":{read},"rowsReturned":{returned},"sourceReadDurationNanos":{reading},"#
            )?;
        }
        write!(out, r#""sourceCommandType":"{kind}""#)
    }
}

/// SplitMix64, a random number generator: small, fast, and identical on all platforms.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// A random number with this mean, mostly small and at most four times the mean: the product of two uniform numbers.
    fn around(&mut self, mean: u64) -> u64 {
        let spread = u128::from(self.below(1 << 32)) * u128::from(self.below(1 << 32));
        u64::try_from((spread * 4 * u128::from(mean)) >> 64).expect("at most four times the mean")
    }

    /// A random duration in ns with this mean, distributed like [`Self::around`].
    fn time(&mut self, mean: u64) -> i64 {
        self.around(mean).cast_signed()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::Value;

    use super::*;

    fn lines(events: u64, seed: u64) -> Vec<String> {
        let mut out = Vec::new();
        run(&mut out, events, seed).expect("memory can be written");
        String::from_utf8(out).expect("text").lines().map(str::to_owned).collect()
    }

    #[test]
    fn every_line_is_an_event_in_the_order_of_time() {
        let lines = lines(20_000, 1);
        assert_eq!(lines.len(), 20_000);
        let mut types = HashSet::new();
        let mut last = i64::MIN;
        for line in &lines {
            let event: Value = serde_json::from_str(line).expect("JSON");
            let at = event["timestamp"].as_i64().expect("an integer");
            assert!(at >= last, "{line}");
            last = at;
            types.insert(event["type"].as_str().expect("a type").to_owned());
        }
        assert_eq!(types.len(), 8);
        let text = lines.join("\n");
        for something in ["\"success\":false", "\"rowsRead\":null", "SPILL", "Übertragung"] {
            assert!(text.contains(something), "{something}");
        }
        assert!(
            (180..260).contains(&(text.len() / lines.len())),
            "{} bytes per event",
            text.len() / lines.len()
        );
    }

    #[test]
    fn the_seed_decides() {
        assert_eq!(lines(500, 7), lines(500, 7));
        assert_ne!(lines(500, 7), lines(500, 8));
    }
}
