//! Events as they are kept while files are read: columns of short numbers, some 12 bytes for each, next to what their
//! records [report](Reported): ids, durations, and the bytes of waits, which spans look up there. What many events share
//! is kept once.

use super::class::MySqlEventClass;
use super::descriptions::{EventDescriptions, MySqlTableLayout};
use super::time_range::EventTimeRange;
use crate::base::FxHashMap;
use crate::base::columns::{DeltaColumn, MinWidthColumn, NumberColumn, U16Column};
use crate::trace::{NOT_REPORTED, RecordId, RecordTable, RecordTypeId, key};

/// Stands for a time that is NULL.
pub const NO_TIME: u64 = u64::MAX;

/// Stands for the end of an event that has not ended.
pub const OPEN: i64 = i64::MAX;

/// An event.
#[derive(Clone, Copy, Debug)]
pub struct MySqlEvent {
    /// Its number in the store.
    pub at: u32,
    /// Picoseconds since the server was started, by the clock of the event's class.
    pub start: u64,
    /// Picoseconds.
    pub wait: u64,
    /// What it shares with others: a number of [`MySqlStore::descriptions`].
    pub what: u32,
    /// The record that it was read from.
    pub record: RecordId,
    /// Its number in its thread.
    pub id: i64,
    /// The id at which it ended; [`OPEN`] if it had not.
    pub end: i64,
}

/// An event that is to be kept.
#[derive(Clone, Copy, Debug)]
pub struct NewMySqlEvent {
    pub start: u64,
    pub wait: u64,
    pub thread: u32,
    pub what: u32,
    pub record: RecordId,
    pub id: i64,
    /// The id at which it ended; `None` if it had not.
    pub end: Option<i64>,
    /// The NUMBER_OF_BYTES of a wait.
    pub amount: Option<WaitAmount>,
    /// The id of what it says that it is nested in.
    pub nesting: Option<i64>,
}

/// What NUMBER_OF_BYTES counts.
#[derive(Clone, Copy, Debug)]
pub enum WaitAmount {
    Bytes(i64),
    /// Of accesses to tables.
    Rows(i64),
}

/// All events of one export.
#[derive(Default)]
pub struct MySqlStore {
    starts: DeltaColumn,
    /// What is longer than 63 bits: no number of a span.
    long: FxHashMap<u32, u64>,
    thread_of: MinWidthColumn,
    what_of: MinWidthColumn,
    lengths: SmallNumberColumn,
    nestings: SmallNumberColumn,
    records: RecordIdRuns,
    numbers: NumberColumn,
    sorts: Option<MySqlRecordTypes>,
    /// The tables that were read.
    sections: Vec<MySqlTableSection>,
    pub descriptions: EventDescriptions,
    /// From when to when all this is.
    pub time_range: EventTimeRange,
    pub layouts: Vec<MySqlTableLayout>,
    /// THREAD_ID by number.
    pub threads: Vec<u64>,
    thread_numbers: FxHashMap<u64, u32>,
    /// How many events of every class there are, by thread.
    classes: Vec<[u32; 5]>,
}

/// A table of events: its first event, where its numbers begin, and how many each event has.
#[derive(Clone, Copy)]
struct MySqlTableSection {
    first: u32,
    numbers: usize,
    width: usize,
    is_laid_out: bool,
}

impl MySqlStore {
    /// How many events there are.
    pub fn len(&self) -> usize {
        self.what_of.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.what_of.is_empty()
    }

    /// Appends an event of the table that was begun last, with the values of its numeric columns.
    pub fn push(
        &mut self,
        event: &NewMySqlEvent,
        numbers: impl Iterator<Item = Option<i64>>,
        sorts: MySqlRecordTypes,
        reported: &mut RecordTable,
    ) {
        let NewMySqlEvent { start, wait, thread, what, record, id, end, nesting, amount } = *event;
        let at = self.len() as u32;
        let timer_wait = i64::try_from(wait).unwrap_or(NOT_REPORTED);
        if wait > i64::MAX.cast_unsigned() && wait != NO_TIME {
            self.long.insert(at, wait);
        }
        match amount {
            None => reported.add(record, sorts.bare, [id, timer_wait], []),
            Some(WaitAmount::Bytes(bytes)) => reported.add(record, sorts.bytes, [id, timer_wait, bytes], []),
            Some(WaitAmount::Rows(rows)) => reported.add(record, sorts.rows, [id, timer_wait, rows], []),
        }
        let class = self.descriptions.class(what);
        self.time_range.add(class, start, wait, end.is_some());
        self.classes[thread as usize][class as usize] += 1;
        self.sorts = Some(sorts);
        self.records.push(at, record);
        self.starts.push(start.cast_signed());
        self.thread_of.push(thread);
        self.what_of.push(what);
        self.lengths.push(end.map(|end| end.saturating_sub(id)));
        self.nestings.push(nesting.map(|nesting| id.saturating_sub(nesting)));
        numbers.for_each(|number| self.numbers.push(number.unwrap_or(i64::MIN)));
    }

    /// The number of a thread.
    pub fn thread(&mut self, id: u64) -> u32 {
        if let Some(last) = self.len().checked_sub(1) {
            let thread = self.thread_of.get(last);
            if self.threads.get(thread as usize) == Some(&id) {
                return thread;
            }
        }
        let next = self.threads.len() as u32;
        let number = *self.thread_numbers.entry(id).or_insert(next);
        if number == next {
            self.threads.push(id);
            self.classes.push([0; 5]);
        }
        number
    }

    /// The number of a layout, and that a table of it begins; whether its times are nothing but an order.
    pub fn begin(&mut self, layout: MySqlTableLayout, is_laid_out: bool) -> u32 {
        let first = self.len() as u32;
        let numbers = self.numbers.len();
        let width = layout.numbers.len();
        self.sections.push(MySqlTableSection { first, numbers, width, is_laid_out });
        let found = self.layouts.iter().position(|known| *known == layout);
        found.unwrap_or_else(|| {
            self.layouts.push(layout);
            self.layouts.len() - 1
        }) as u32
    }

    /// How many tables have begun.
    pub fn tables(&self) -> usize {
        self.sections.len()
    }

    /// How many events a table has, by its number.
    pub fn events_of(&self, table: usize) -> usize {
        let first = |at: usize| self.sections.get(at).map_or(self.len(), |section| section.first as usize);
        first(table + 1) - first(table)
    }

    /// The number of the thread of an event.
    pub fn thread_of(&self, at: u32) -> u32 {
        self.thread_of.get(at as usize)
    }

    /// How many events of a class a thread has.
    pub fn count(&self, thread: u32, class: MySqlEventClass) -> u32 {
        self.classes[thread as usize][class as usize]
    }

    /// Whether there is an event of a class.
    pub fn has(&self, class: MySqlEventClass) -> bool {
        self.classes.iter().any(|counts| counts[class as usize] > 0)
    }

    /// How many events a thread has.
    pub fn count_all(&self, thread: u32) -> u32 {
        self.classes[thread as usize].iter().sum()
    }

    /// When an event began, by the clock of its class; [`NO_TIME`] if that is not reported.
    pub fn start(&self, at: u32) -> u64 {
        self.starts.get(at as usize).cast_unsigned()
    }

    /// The number of its description.
    pub fn what(&self, at: u32) -> u32 {
        self.what_of.get(at as usize)
    }

    /// The number of the table that an event was read from, counted from 1.
    pub fn section(&self, event: u32) -> usize {
        self.sections.partition_point(|section| section.first <= event)
    }

    /// The values of the numeric columns of an event, in the order of its layout; [`i64::MIN`] for NULL.
    pub fn numbers(&self, event: u32) -> impl Iterator<Item = i64> + Clone + '_ {
        let section = self.section(event).checked_sub(1).map(|at| self.sections[at]);
        let of = |MySqlTableSection { first, numbers, width, .. }| {
            (numbers + (event - first) as usize * width, width)
        };
        let (start, width) = section.map_or((0, 0), of);
        (start..start + width).map(|at| self.numbers.get(at))
    }

    /// Whether the times of an event are nothing but an order.
    pub fn is_laid_out(&self, event: u32) -> bool {
        self.section(event).checked_sub(1).is_some_and(|at| self.sections[at].is_laid_out)
    }

    /// What it says that an event is nested in, whose id this is.
    pub fn nesting(&self, at: u32, id: i64) -> Option<i64> {
        self.nestings.get(at as usize).map(|back| id.saturating_sub(back))
    }

    /// An event, which must exist.
    pub fn event(&self, at: u32, reported: &RecordTable) -> MySqlEvent {
        let row = at as usize;
        let record = self.records.get(at);
        let mut numbers = [NOT_REPORTED; 2];
        reported.read(record, &mut numbers, &mut []);
        let [id, wait] = numbers.map(|number| Some(number).filter(|&number| number != NOT_REPORTED));
        let (id, wait) = (id.unwrap_or_default(), wait.map(i64::cast_unsigned));
        MySqlEvent {
            at,
            start: self.starts.get(row).cast_unsigned(),
            wait: wait.or_else(|| self.long.get(&at).copied()).unwrap_or(NO_TIME),
            what: self.what_of.get(row),
            record,
            id,
            end: self.lengths.get(row).map_or(OPEN, |length| id.saturating_add(length)),
        }
    }

    /// How many rows an access to a table was of.
    pub fn rows(&self, record: RecordId, reported: &RecordTable) -> Option<i64> {
        let found =
            reported.find(record).filter(|found| Some(found.record_type) == self.sorts.map(|of| of.rows))?;
        reported.num_at(found, ROWS)
    }
}

/// The column of what accesses to tables report.
const ROWS: usize = 2;

/// What events report: id and duration; with bytes; with rows, which are told apart by the description.
#[derive(Clone, Copy)]
pub struct MySqlRecordTypes {
    bare: RecordTypeId,
    bytes: RecordTypeId,
    rows: RecordTypeId,
}

impl MySqlRecordTypes {
    /// New ones.
    pub fn of(reported: &mut RecordTable) -> Self {
        let mut sort = |more: &[Option<crate::trace::Key>]| {
            let keys = [Some(key::EVENT_ID), Some(key::TIMER_WAIT)];
            reported.add_type(keys.iter().chain(more).copied().collect(), Vec::new())
        };
        Self { bare: sort(&[]), bytes: sort(&[Some(key::BYTES)]), rows: sort(&[None]) }
    }
}

/// Numbers that may be missing, of which nearly all are small: two bytes each.
#[derive(Default)]
struct SmallNumberColumn {
    /// 0 for none, else one more than the number.
    codes: U16Column,
    /// What has no code, by index.
    others: FxHashMap<u32, i64>,
}

/// The code of what has none.
const OTHER: u32 = u32::MAX;

impl SmallNumberColumn {
    fn push(&mut self, number: Option<i64>) {
        let code = match number {
            None => 0,
            Some(number) => u32::try_from(number).ok().and_then(|n| n.checked_add(1)).unwrap_or(OTHER),
        };
        if code == OTHER {
            self.others.insert(self.codes.len() as u32, number.unwrap_or_default());
        }
        self.codes.push(code);
    }

    fn get(&self, index: usize) -> Option<i64> {
        match self.codes.get(index) {
            0 => None,
            OTHER => self.others.get(&(index as u32)).copied(),
            code => Some(i64::from(code) - 1),
        }
    }
}

/// The records of events: they follow one another but where a row was no event.
#[derive(Default)]
struct RecordIdRuns {
    /// An event and its record, from where on they follow.
    jumps: Vec<(u32, u32)>,
}

impl RecordIdRuns {
    fn push(&mut self, event: u32, record: RecordId) {
        let follows = self.jumps.last().map(|(first, of)| of.wrapping_add(event - first));
        if follows != Some(record.0) {
            self.jumps.push((event, record.0));
        }
    }

    fn get(&self, event: u32) -> RecordId {
        let at = self.jumps.partition_point(|(first, _)| *first <= event);
        let jump = at.checked_sub(1).map(|at| self.jumps[at]);
        jump.map_or(RecordId::NONE, |(first, of)| RecordId(of.wrapping_add(event - first)))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::descriptions::EventDescription;
    use super::*;
    use crate::base::interner::StrId;

    fn any_id() -> impl Strategy<Value = Option<i64>> {
        proptest::option::of(prop_oneof![
            0..100_000_i64,
            0..=i64::MAX,
            u32::MAX as i64 - 3..u32::MAX as i64 + 3
        ])
    }

    proptest! {
        #[test]
        fn events_stay_as_they_are(
            rows in prop::collection::vec((any::<u64>(), 0..=u64::MAX, 0..70_000_u64, 0..9_i64, any_id(), any_id(), 1..4_u32), 0..60),
            tables in prop::collection::vec(0..3_usize, 1..4),
        ) {
            let (mut store, mut reported) = (MySqlStore::default(), RecordTable::default());
            let sorts = MySqlRecordTypes::of(&mut reported);
            let mut expected = Vec::new();
            let mut record = 0;
            for (number, (start, wait, thread, id, end, nesting, step)) in rows.into_iter().enumerate() {
                let width = tables[number * tables.len() / 60];
                if number == 0 || width != tables[(number - 1) * tables.len() / 60] {
                    store.begin(MySqlTableLayout { numbers: vec![StrId(7); width], texts: Vec::new() }, false);
                }
                record += step;
                let thread = store.thread(thread);
                let what = store.descriptions.number(EventDescription { name: StrId(thread % 9), layout: 0, texts: &[] }, || MySqlEventClass::Wait);
                let event = NewMySqlEvent { start, wait, thread, what, record: RecordId(record), id, end, nesting, amount: end.map(WaitAmount::Bytes) };
                let numbers: Vec<Option<i64>> = (0..width as i64).map(|n| (n != 1).then_some(n - id)).collect();
                store.push(&event, numbers.iter().copied(), sorts, &mut reported);
                expected.push((event, numbers));
            }
            for (at, (new, numbers)) in (0..).zip(&expected) {
                let event = store.event(at, &reported);
                prop_assert_eq!((event.start, event.wait, store.thread_of(at)), (new.start, new.wait, new.thread));
                prop_assert_eq!((event.what, event.record, event.id), (new.what, new.record, new.id));
                prop_assert_eq!((event.end, store.nesting(at, new.id)), (new.end.unwrap_or(OPEN), new.nesting));
                let bytes = new.amount.map(|(WaitAmount::Bytes(n) | WaitAmount::Rows(n))| n);
                prop_assert_eq!(reported.num(event.record, key::BYTES), bytes);
                let found: Vec<i64> = store.numbers(at).collect();
                prop_assert_eq!(found, numbers.iter().map(|n| n.unwrap_or(i64::MIN)).collect::<Vec<_>>());
            }
        }
    }
}
