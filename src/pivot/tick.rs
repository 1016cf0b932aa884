//! The tick of the wait timer in picoseconds. The server computes averages of waits in whole ticks.

use crate::base::text;
use crate::trace::{RunId, Table, Trace};

/// Length of a timer tick and how it was determined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TickLength {
    /// Length in picoseconds; at least 1.
    pub picos: i128,
    /// How the length was determined.
    pub source: TickSource,
}

/// How the length of a tick was determined.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TickSource {
    /// From the timer frequency that the server measured.
    Frequency {
        /// Name of the timer.
        timer: String,
        /// Ticks per second.
        hertz: i128,
    },
    /// From the greatest common divisor of all wait times and averages of the server.
    Divisor,
}

impl TickLength {
    /// The tick of a run's waits. `times` is the common divisor of their times, in picoseconds.
    pub fn of(trace: &Trace, run: RunId, times: i64) -> Self {
        let measured = frequency(trace, run);
        measured.unwrap_or_else(|| Self { picos: divisor(trace, run, times), source: TickSource::Divisor })
    }

    /// Describes the tick for a report.
    pub fn sentence(&self) -> String {
        let tick = format!("ticks of {} ps", text::count(i64::try_from(self.picos).unwrap_or(i64::MAX)));
        match &self.source {
            TickSource::Frequency { timer, hertz } => {
                let hertz = text::count(i64::try_from(*hertz).unwrap_or(i64::MAX));
                format!("averages of waits in {tick}: {timer} at {hertz} Hz, from performance_timers")
            }
            TickSource::Divisor => format!(
                "averages of waits in {tick}: the common divisor of all their times and averages, because \
                 performance_timers is not in the export"
            ),
        }
    }
}

/// Length of a tick, from the frequency in `performance_timers` of the timer that `setup_timers` (MySQL 5.6 and 5.7,
/// MariaDB) assigns to waits. `None` if the tables do not report a frequency.
fn frequency(trace: &Trace, run: RunId) -> Option<TickLength> {
    let table = trace.tables.find(&trace.strings, run, "performance_timers")?;
    let timer = lookup(trace, trace.tables.find(&trace.strings, run, "setup_timers"), "wait");
    let timer = timer.unwrap_or("CYCLE");
    let hertz: i128 = lookup(trace, Some(table), timer)?.parse().ok()?;
    let picos = (hertz > 0).then(|| (1_000_000_000_000 + hertz / 2) / hertz)?;
    Some(TickLength { picos: picos.max(1), source: TickSource::Frequency { timer: timer.to_owned(), hertz } })
}

/// The second value of the row of `table` whose first value is `name`; `None` if there is no such row.
fn lookup<'a>(trace: &'a Trace, table: Option<&Table>, name: &str) -> Option<&'a str> {
    let table = table?;
    let text = |row, column| table.cell(row, column).map(|text| trace.str(text));
    let row = (0..table.len()).find(|&row| text(row, 0) == Some(name))?;
    text(row, 1)
}

/// Greatest common divisor of all wait times and all averages of the server. Averages matter because the processor's
/// counter may advance by two, so that every time is a multiple of two ticks while averages are not.
fn divisor(trace: &Trace, run: RunId, times: i64) -> i128 {
    let averages = trace.tables.iter().filter(|table| table.run == run);
    averages.fold(i128::from(times), |known, table| averages_of(trace, table, known)).max(1)
}

fn averages_of(trace: &Trace, table: &Table, known: i128) -> i128 {
    let name = trace.str(table.name);
    let of_waits = ["events_waits_summary_", "file_summary_", "socket_summary_", "table_io_", "table_lock_"];
    if !of_waits.iter().any(|start| name.starts_with(start)) {
        return known;
    }
    let column = |name| table.column(&trace.strings, name);
    let (Some(average), event) = (column("AVG_TIMER_WAIT"), column("EVENT_NAME")) else { return known };
    let is_idle = |row| {
        event.and_then(|at| table.cell(row, at)).is_some_and(|event| trace.str(event).starts_with("idle"))
    };
    let number = |row| table.cell(row, average).and_then(|cell| trace.str(cell).parse().ok()).unwrap_or(0);
    let rows = (0..table.len()).filter(|&row| !is_idle(row));
    rows.fold(known, |known, row| common(known, number(row)))
}

/// Greatest common divisor of a series of times. After a few times, nearly all others are multiples of the known
/// divisor, which is checked without a division.
#[derive(Clone, Copy, Default)]
pub struct Divisor {
    known: i64,
    /// Multiplicative inverse, in 64 bits, of the odd part of `known`.
    inverse: u64,
    /// Number of multiples of the odd part of `known` in 64 bits.
    most: u64,
}

impl Divisor {
    /// The greatest common divisor of all added times; 0 before the first.
    pub fn get(self) -> i64 {
        self.known
    }

    /// Adds one time.
    #[inline]
    pub fn add(&mut self, time: i64) {
        if !self.divides(time) {
            self.learn(time);
        }
    }

    /// Whether the known divisor divides `time`. Multiples of an odd number, times its 64-bit inverse, are at most `most`.
    #[inline]
    fn divides(self, time: i64) -> bool {
        if self.known <= 0 {
            return false;
        }
        let (twos, time) = (self.known.trailing_zeros(), time.unsigned_abs());
        time.trailing_zeros() >= twos && (time >> twos).wrapping_mul(self.inverse) <= self.most
    }

    #[cold]
    fn learn(&mut self, time: i64) {
        let known = common(i128::from(self.known), i128::from(time)).abs();
        self.known = i64::try_from(known).unwrap_or(self.known);
        let odd = self.known.unsigned_abs() >> self.known.trailing_zeros().min(63);
        // Each step doubles the number of correct bits; an odd number is its own inverse in three bits.
        let step = |inverse: u64, _| inverse.wrapping_mul(2_u64.wrapping_sub(odd.wrapping_mul(inverse)));
        self.inverse = (0..5).fold(odd, step);
        self.most = u64::MAX.checked_div(odd).unwrap_or(0);
    }
}

fn common(mut a: i128, mut b: i128) -> i128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_divisor_is_the_greatest(
            tick in prop_oneof![1..2_000_i64, Just(1 << 40), Just(385 << 3)],
            times in prop::collection::vec(prop_oneof![0..9_999_i64, Just(1 << 20), -5..5_i64], 0..30),
            odd in prop::option::of(-i64::MAX..i64::MAX),
        ) {
            let times = || times.iter().map(|time| time * tick).chain(odd);
            let mut divisor = Divisor::default();
            times().for_each(|time| divisor.add(time));
            let expected = times().fold(0, |known, time| common(known, time.into())).abs();
            prop_assert_eq!(i128::from(divisor.get()), expected);
        }
    }
}
