//! Converts rows of text to events: tuples with a clock, rows of `sys.tracelog()`, and rows of `TRACE`, which have no clock.

use super::clock::{self, ClockReading, civil_days};
use super::columns::{MonetDbCells, MonetDbColumn};
use super::object::MonetDbObjectReader;
use super::problems::{BROKEN, NO_TIME, NOT_EVENT};
use super::reader::{MEGABYTE, MonetDbReader, blank};
use super::statement::MalStatement;
use super::store::{
    CounterId, MonetDbCounterSample, MonetDbEvent, MonetDbEventKind, MonetDbEventState, NONE,
};
use super::words::{statement, untraced};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::import::contract::ProblemKind;
use crate::import::scalars::decimal::Decimal;
use crate::trace::RecordId;

/// State that the rows of a file share.
#[derive(Default)]
pub struct TextRowState {
    /// Time of the previous row, in microseconds since the first midnight.
    time: i64,
    /// Sum of the durations so far, in microseconds, as the current time of a file without times.
    now: i64,
    /// Start times of open instructions by thread and pc, for a file without times.
    open: FxHashMap<(i64, String), Vec<i64>>,
    /// Whether a row without a time was read.
    pub clockless: bool,
}

const DAY: i64 = 86_400_000_000;

/// Counters that a tuple carries: column, counter, and the size of one unit.
const COUNTERS: [(MonetDbColumn, CounterId, i64); 7] = [
    (MonetDbColumn::Rss, CounterId::RSS, MEGABYTE),
    (MonetDbColumn::Tmpspace, CounterId::TMPSPACE, MEGABYTE),
    (MonetDbColumn::Inblock, CounterId::INBLOCK, 1),
    (MonetDbColumn::Oublock, CounterId::OUBLOCK, 1),
    (MonetDbColumn::Majflt, CounterId::MAJFLT, 1),
    (MonetDbColumn::Nswap, CounterId::NSWAP, 1),
    (MonetDbColumn::Nvcsw, CounterId::NVCSW, 1),
];

impl TextRowState {
    /// Adds a row to the tables; an error is the reason why it is not added.
    pub fn add(
        &mut self,
        cells: &MonetDbCells,
        record: RecordId,
        objects: &mut MonetDbObjectReader,
        reader: &mut MonetDbReader,
    ) -> Result<(), ProblemKind> {
        let event = cells.text(MonetDbColumn::Event).trim();
        if event.starts_with('{') {
            objects.read(event, reader.strings).ok_or(BROKEN)?;
            // The newest releases omit from the event the text that is in the row's own statement column.
            return reader.add_with_text(
                &objects.object(event),
                cells.text(MonetDbColumn::Statement),
                record,
            );
        }
        if !cells.has(MonetDbColumn::Statement) {
            return Err(NOT_EVENT);
        }
        if !cells.has(MonetDbColumn::Time) && !cells.has(MonetDbColumn::State) {
            return self.add_plan(cells, record, reader);
        }
        match cells.word(MonetDbColumn::State) {
            "system" => {
                reader.store.descriptions.push((record, None));
                Ok(())
            }
            "ping" | "wait" => self.beat(cells, record, reader),
            _ => self.instruction(cells, record, reader),
        }
    }

    /// Adds a row of `TRACE`: an instruction and its duration, in the order of the ends.
    fn add_plan(
        &mut self,
        cells: &MonetDbCells,
        record: RecordId,
        reader: &mut MonetDbReader,
    ) -> Result<(), ProblemKind> {
        let usec = cells.number(MonetDbColumn::Usec).filter(|usec| *usec >= 0).ok_or(NOT_EVENT)?;
        let server = reader.store.plan(reader.file);
        let clock = ClockReading { uptime: 0, epoch: clock::NONE, started: clock::NONE };
        let mut event = MonetDbEvent { usec, ..blank(clock, server, record) };
        describe(cells.text(MonetDbColumn::Statement), &mut event, reader);
        reader.store.events.push(event);
        Ok(())
    }

    fn beat(
        &mut self,
        cells: &MonetDbCells,
        record: RecordId,
        reader: &mut MonetDbReader,
    ) -> Result<(), ProblemKind> {
        let clock = match self.clock(cells.word(MonetDbColumn::Time)) {
            Some(clock) => clock,
            None if !cells.has(MonetDbColumn::Time) => self.reconstructed(self.now),
            None => return Err(NO_TIME),
        };
        reader.choose(clock)?;
        let server = reader.store.server(reader.file, StrId::NONE);
        self.counters(cells, clock, server, record, reader);
        let load = cells.text(MonetDbColumn::Statement);
        let numbers = load.split(['[', ']', ',', ' ', '"']).filter(|part| !part.is_empty());
        for (core, number) in numbers.enumerate() {
            reader.core(core, number, clock, server, record);
        }
        if cells.word(MonetDbColumn::State) == "ping" {
            reader.store.descriptions.push((record, Some(server)));
            return Ok(());
        }
        // The thread is the worker's, except in releases that write 0.
        let thread = cells.number(MonetDbColumn::Thread).filter(|thread| *thread > 0).unwrap_or(NONE);
        let name = reader.strings.intern("wait");
        reader.store.events.push(MonetDbEvent {
            thread,
            what: MonetDbEventKind::Wait,
            name,
            ..blank(clock, server, record)
        });
        Ok(())
    }

    fn instruction(
        &mut self,
        cells: &MonetDbCells,
        record: RecordId,
        reader: &mut MonetDbReader,
    ) -> Result<(), ProblemKind> {
        let edge = match cells.word(MonetDbColumn::State) {
            "start" => MonetDbEventState::Start,
            "done" => MonetDbEventState::Done,
            "" => MonetDbEventState::Whole,
            _ => return Err(NOT_EVENT),
        };
        let thread = cells.number(MonetDbColumn::Thread).unwrap_or(NONE);
        let usec = cells.number(MonetDbColumn::Usec).filter(|usec| *usec >= 0).unwrap_or(NONE);
        let clock = if cells.has(MonetDbColumn::Time) {
            self.clock(cells.word(MonetDbColumn::Time)).ok_or(NO_TIME)?
        } else {
            self.order(edge, thread, cells.word(MonetDbColumn::Pc), usec)
        };
        reader.choose(clock)?;
        let server = reader.store.server(reader.file, StrId::NONE);
        self.counters(cells, clock, server, record, reader);
        let mut event = MonetDbEvent { edge, thread, usec, ..blank(clock, server, record) };
        let (program, pc, tag) = place(cells.word(MonetDbColumn::Pc));
        let program = if program.is_empty() { cells.word(MonetDbColumn::Function) } else { program };
        event.program = reader.strings.intern(program);
        (event.pc, event.tag) = (pc, tag);
        describe(cells.text(MonetDbColumn::Statement), &mut event, reader);
        reader.store.events.push(event);
        Ok(())
    }

    fn counters(
        &self,
        cells: &MonetDbCells,
        clock: ClockReading,
        server: u32,
        record: RecordId,
        reader: &mut MonetDbReader,
    ) {
        for (column, series, unit) in COUNTERS {
            if let Some(value) = cells.number(column).and_then(|value| value.checked_mul(unit)) {
                reader.store.samples.push(MonetDbCounterSample { clock, server, series, value, record });
            }
        }
    }

    /// Parses a time: `13:11:16.710180`, `2019/01/23 19:10:10.5`, `104.655126`.
    fn clock(&mut self, text: &str) -> Option<ClockReading> {
        let clock = |micros: i64| ClockReading::of([micros].into_iter());
        if let Some((date, time)) = text.split_once(' ') {
            return clock(date_micros(date, time)?);
        }
        if !text.contains(':') {
            // Seconds since the server's start, of any size.
            let uptime = Decimal::parse(text)?.millionths().filter(|micros| *micros >= 0)?;
            return Some(ClockReading { uptime, epoch: clock::NONE, started: clock::NONE });
        }
        // On the day that puts the time closest to the previous row: threads write slightly out of order, and pass midnight.
        let of_day = time_micros(text)?;
        let days = (self.time - of_day + DAY / 2).div_euclid(DAY).max(0);
        self.time = of_day + days * DAY;
        Some(ClockReading { uptime: self.time, epoch: clock::NONE, started: clock::NONE })
    }

    /// Computes a time for a row without one. Durations are laid out one after the other; instructions that are nested
    /// or run in parallel overlap.
    fn order(&mut self, edge: MonetDbEventState, thread: i64, pc: &str, usec: i64) -> ClockReading {
        let open = self.open.entry((thread, pc.to_owned())).or_default();
        if edge == MonetDbEventState::Start {
            open.push(self.now);
        } else {
            let start = open.pop().unwrap_or(self.now);
            self.now = self.now.max(start.saturating_add(usec.clamp(0, DAY)));
        }
        self.reconstructed(self.now)
    }

    fn reconstructed(&mut self, uptime: i64) -> ClockReading {
        self.clockless = true;
        ClockReading { uptime, epoch: clock::NONE, started: clock::NONE }
    }
}

/// Sets the fields of an event from an instruction's text.
fn describe(text: &str, event: &mut MonetDbEvent, reader: &mut MonetDbReader) {
    let parsed = MalStatement::parse(text);
    reader.describe(&parsed, event);
    reader.keep(&parsed, event);
    if let Some(algorithm) = parsed.algorithm() {
        event.algorithm = reader.strings.intern(algorithm);
    }
    if parsed.function == "querylog.define" {
        let sql = parsed.arguments.first().map(|first| statement(first.value)).unwrap_or_default();
        event.sql = reader.strings.intern(untraced(&sql));
    }
}

/// Parses `user.s5_1[14]12` (function, pc and tag), or a pc alone.
fn place(text: &str) -> (&str, i64, i64) {
    let parts = || {
        let (program, rest) = text.split_once('[')?;
        let (pc, tag) = rest.split_once(']')?;
        Some((program, pc.parse().ok()?, tag.parse().ok()?))
    };
    parts().unwrap_or(("", text.parse().unwrap_or(NONE), NONE))
}

/// Microseconds of `HH:MM:SS.frac`. An invalid fraction (releases of 2018 and 2019 print garbage) is ignored.
fn time_micros(text: &str) -> Option<i64> {
    let (clock, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts =
        clock.split(':').map(|part| part.trim().parse::<i64>().ok().filter(|n| (0..100).contains(n)));
    let [hours, minutes, seconds] = [parts.next()??, parts.next()??, parts.next()??];
    let digits: String = fraction.chars().take_while(char::is_ascii_digit).take(6).collect();
    let micros = format!("{digits:0<6}").parse::<i64>().unwrap_or(0);
    Some((hours * 3600 + minutes * 60 + seconds) * 1_000_000 + micros)
}

/// Microseconds since 1970 of a date whose months count from 0. Some releases used microseconds as seconds: then the year is
/// far in the future, and the seconds since 1970 are really microseconds.
fn date_micros(date: &str, time: &str) -> Option<i64> {
    let mut parts = date.split('/').map(|part| part.parse::<i64>().ok());
    let [year, month, day] = [parts.next()??, parts.next()??, parts.next()??];
    if !(0..12).contains(&month) || !(0..=31).contains(&day) || year < 0 {
        return None;
    }
    let of_day = time_micros(time)?;
    let seconds = civil_seconds([year, month + 1, day])?.checked_add(of_day / 1_000_000)?;
    if year > 9999 { Some(seconds) } else { seconds.checked_mul(1_000_000)?.checked_add(of_day % 1_000_000) }
}

fn civil_seconds(date: [i64; 3]) -> Option<i64> {
    civil_days(date)?.checked_mul(86_400)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_every_spelling() {
        let cases = [
            ("05:54:46.698431", Some(21_286_698_431)),
            // Aug2018 to Nov2019, which used microseconds as seconds.
            ("56890876/01/23 19:09:40.(n", Some(1_795_240_480_648_180)),
            ("2017/10/07 01:02:03.5", Some(1_510_016_523_500_000)),
            ("104.655126", Some(104_655_126)),
            ("25", Some(25_000_000)),
            ("x", None),
            ("1/2/3 4", None),
            ("99999999999999999/1/1 00:00:00", None),
        ];
        for (text, expected) in cases {
            let clock = TextRowState::default().clock(text);
            let found = clock.map(|clock| clock.uptime.max(clock.epoch));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn midnight_is_passed() {
        let mut rows = TextRowState::default();
        let times = ["23:59:59.5", "00:00:00.5", "23:59:59.9", "00:00:01"]
            .map(|text| rows.clock(text).map(|c| c.uptime));
        assert_eq!(times, [86_399_500_000, 86_400_500_000, 86_399_900_000, 86_401_000_000].map(Some));
    }

    #[test]
    fn places_have_three_parts() {
        assert_eq!(place("user.s5_1[14]12"), ("user.s5_1", 14, 12));
        assert_eq!(place("7"), ("", 7, NONE));
        assert_eq!(place("a[b]c"), ("", NONE, NONE));
    }
}
