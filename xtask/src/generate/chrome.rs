//! Generates a Chrome trace as a database engine would write it: statements on 16 threads, with nested operators, pipelines
//! and calls, four levels deep, each with arguments. The same seed writes the same bytes.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, Result};

use super::Random;

const THREADS: u64 = 16;
const LEVELS: [(&str, &[&str]); 4] = [
    ("statement", &["SELECT orders", "SELECT customers", "UPDATE stock", "INSERT events", "DELETE sessions"]),
    ("operator", &["Scan", "HashJoin", "MergeJoin", "Aggregate", "Sort", "Filter", "Exchange"]),
    ("pipeline", &["read", "decode", "evaluate", "partition", "write"]),
    ("call", &["next_batch", "read_page", "hash_insert", "hash_probe", "compare", "allocate", "wait_latch"]),
];

/// Writes `events` complete events to a file.
pub fn write(file: &Path, events: u64, seed: u64) -> Result<()> {
    let out = File::create(file).with_context(|| format!("cannot write {}", file.display()))?;
    let mut out = BufWriter::with_capacity(1 << 20, out);
    trace(&mut out, events, seed)?;
    Ok(out.flush()?)
}

fn trace(out: &mut impl Write, events: u64, seed: u64) -> io::Result<()> {
    let mut calls = Calls { out, random: Random(seed), left: events, statement: 0 };
    write!(calls.out, "{{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    write!(
        calls.out,
        "\n{{\"ph\":\"M\",\"pid\":1,\"tid\":0,\"name\":\"process_name\",\"args\":{{\"name\":\"engine\"}}}}"
    )?;
    let mut clocks = [0_u64; THREADS as usize];
    while calls.left > 0 {
        // The thread with the earliest clock runs the next statement.
        let (thread, clock) =
            clocks.iter_mut().enumerate().min_by_key(|(_, clock)| **clock).expect("there are threads");
        calls.statement += 1;
        let length = 200_000 + calls.random.around(2_500_000);
        calls.call(thread as u64 + 1, 0, *clock, length)?;
        *clock += length + calls.random.around(150_000);
    }
    writeln!(calls.out, "\n]}}")
}

struct Calls<'a, W> {
    out: &'a mut W,
    random: Random,
    left: u64,
    statement: u64,
}

impl<W: Write> Calls<'_, W> {
    /// Writes an event and its nested events; times in ns.
    fn call(&mut self, thread: u64, level: usize, start: u64, length: u64) -> io::Result<()> {
        let Some(left) = self.left.checked_sub(1) else { return Ok(()) };
        self.left = left;
        let (category, names) = LEVELS[level];
        let name = names[self.random.below(names.len() as u64) as usize];
        let (rows, bytes) = (self.random.below(100_000), self.random.below(10_000_000));
        write!(
            self.out,
            ",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{thread},\"ts\":{}.{:03},\"dur\":{}.{:03},\"name\":\"{name}\",\
             \"cat\":\"{category}\",\"args\":{{\"statement\":{},\"rows\":{rows},\"bytes\":{bytes}}}}}",
            start / 1000,
            start % 1000,
            length / 1000,
            length % 1000,
            self.statement
        )?;
        let parts = 1 + self.random.below(7);
        let part = length / parts;
        if level + 1 < LEVELS.len() && part >= 40 {
            for at in 0..parts {
                let gap = self.random.below(part / 4 + 1);
                let inside = part - gap - self.random.below(part / 4 + 1);
                self.call(thread, level + 1, start + at * part + gap, inside.max(1))?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn so_many_events_are_one_json_document() {
        let mut out = Vec::new();
        trace(&mut out, 5_000, 3).expect("memory can be written");
        let trace: Value = serde_json::from_slice(&out).expect("JSON");
        let events = trace["traceEvents"].as_array().expect("a list");
        assert_eq!(events.iter().filter(|event| event["ph"] == "X").count(), 5_000);
        assert!((110..160).contains(&(out.len() / 5_000)), "{} bytes per event", out.len() / 5_000);
    }
}
