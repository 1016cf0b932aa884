//! The tick of the timer of waits: whole picoseconds, in which the server makes their averages.

use crate::trace::{RunId, Table, Trace};

/// Picoseconds of a tick of a run's timer of waits: from the frequency that the server measured, else the greatest number
/// of which all `times` are multiples; at least 1.
pub fn tick<T: Iterator<Item = i64>>(trace: &Trace, run: RunId, times: impl Fn() -> T) -> i64 {
    let picos = frequency(trace, run).map(|hertz| (1_000_000_000_000 + hertz / 2) / hertz);
    picos.unwrap_or_else(|| times().fold(0, common)).max(1)
}

/// Ticks per second, by `performance_timers`, of the timer that `setup_timers` (5.6, 5.7, MariaDB) gives to waits.
fn frequency(trace: &Trace, run: RunId) -> Option<i64> {
    let table = |name| trace.tables.find(&trace.strings, run, name);
    let timer = lookup(trace, table("setup_timers"), "wait").unwrap_or("CYCLE");
    let hertz: i64 = lookup(trace, table("performance_timers"), timer)?.parse().ok()?;
    (hertz > 0 && hertz < i64::MAX / 2).then_some(hertz)
}

/// The second value of the row that begins so.
fn lookup<'a>(trace: &'a Trace, table: Option<&Table>, name: &str) -> Option<&'a str> {
    let table = table?;
    let text = |row, column| table.cell(row, column).map(|text| trace.str(text));
    let row = (0..table.len()).find(|&row| text(row, 0) == Some(name))?;
    text(row, 1)
}

fn common(mut a: i64, mut b: i64) -> i64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}
