//! Events as they are stored while files are read: columns of short numbers, about 12 bytes per event. Ids, durations and
//! bytes of waits are in the [records](RecordTable), where spans look them up. Values that many events share are stored
//! once.

use super::class::MySqlEventClass;
use super::descriptions::{EventDescriptions, MySqlTableLayout};
use super::time_range::EventTimeRange;
use crate::base::FxHashMap;
use crate::base::columns::{DeltaColumn, MinWidthColumn, NumberColumn, U16Column};
use crate::trace::{NOT_REPORTED, RecordId, RecordTable, RecordTypeId, key};

/// Start or duration of an event whose time is NULL.
pub const NO_TIME: u64 = u64::MAX;

/// End id of an event that has not ended.
pub const OPEN: i64 = i64::MAX;

/// An event of the Performance Schema.
#[derive(Clone, Copy, Debug)]
pub struct MySqlEvent {
    /// Index of the event in the store.
    pub at: u32,
    /// Picoseconds since the server was started, by the clock of the event's class.
    pub start: u64,
    /// Duration, in picoseconds.
    pub wait: u64,
    /// Index of the event's description in [`MySqlStore::descriptions`].
    pub what: u32,
    /// The record that it was read from.
    pub record: RecordId,
    /// EVENT_ID, which is unique within the thread.
    pub id: i64,
    /// END_EVENT_ID; [`OPEN`] if the event had not ended.
    pub end: i64,
}

/// An event to be appended to the store.
#[derive(Clone, Copy, Debug)]
pub struct NewMySqlEvent {
    pub start: u64,
    pub wait: u64,
    pub thread: u32,
    pub what: u32,
    pub record: RecordId,
    pub id: i64,
    /// END_EVENT_ID; `None` if the event had not ended.
    pub end: Option<i64>,
    /// NUMBER_OF_BYTES of a wait; `None` if it is NULL.
    pub amount: Option<WaitAmount>,
    /// NESTING_EVENT_ID.
    pub nesting: Option<i64>,
}

/// NUMBER_OF_BYTES of a wait, by its unit.
#[derive(Clone, Copy, Debug)]
pub enum WaitAmount {
    Bytes(i64),
    /// Rows of a table access.
    Rows(i64),
}

/// All events of one export.
#[derive(Default)]
pub struct MySqlStore {
    starts: DeltaColumn,
    /// Durations of more than 63 bits, by event index. Spans do not show them.
    long: FxHashMap<u32, u64>,
    thread_of: MinWidthColumn,
    what_of: MinWidthColumn,
    lengths: SmallNumberColumn,
    nestings: SmallNumberColumn,
    records: RecordIdRuns,
    numbers: NumberColumn,
    sorts: Option<MySqlRecordTypes>,
    /// Tables in the order in which they were read.
    sections: Vec<MySqlTableSection>,
    pub descriptions: EventDescriptions,
    /// Time range of all events, for each clock.
    pub time_range: EventTimeRange,
    pub layouts: Vec<MySqlTableLayout>,
    /// THREAD_ID of each thread index.
    pub threads: Vec<u64>,
    thread_numbers: FxHashMap<u64, u32>,
    /// Number of events of each class, by thread index.
    classes: Vec<[u32; 5]>,
}

/// A table of events: index of its first event, position of its first number in the list of numbers, and count of
/// numbers per event.
#[derive(Clone, Copy)]
struct MySqlTableSection {
    first: u32,
    numbers: usize,
    width: usize,
    is_laid_out: bool,
}

impl MySqlStore {
    /// Number of events.
    pub fn len(&self) -> usize {
        self.what_of.len()
    }

    /// Whether the store has no events.
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

    /// Returns the index of a thread, which is added if it is new.
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

    /// Begins a table and returns the index of its layout. `is_laid_out`: whether the table's times only reflect an order.
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

    /// Number of tables.
    pub fn tables(&self) -> usize {
        self.sections.len()
    }

    /// Number of events in a table.
    pub fn events_of(&self, table: usize) -> usize {
        let first = |at: usize| self.sections.get(at).map_or(self.len(), |section| section.first as usize);
        first(table + 1) - first(table)
    }

    /// Index of the thread of an event.
    pub fn thread_of(&self, at: u32) -> u32 {
        self.thread_of.get(at as usize)
    }

    /// Number of events of a class in a thread.
    pub fn count(&self, thread: u32, class: MySqlEventClass) -> u32 {
        self.classes[thread as usize][class as usize]
    }

    /// Whether any thread has an event of a class.
    pub fn has(&self, class: MySqlEventClass) -> bool {
        self.classes.iter().any(|counts| counts[class as usize] > 0)
    }

    /// Number of events in a thread.
    pub fn count_all(&self, thread: u32) -> u32 {
        self.classes[thread as usize].iter().sum()
    }

    /// Start of an event, in picoseconds by the clock of its class; [`NO_TIME`] if it is not reported.
    pub fn start(&self, at: u32) -> u64 {
        self.starts.get(at as usize).cast_unsigned()
    }

    /// Index of the description of an event.
    pub fn what(&self, at: u32) -> u32 {
        self.what_of.get(at as usize)
    }

    /// Number of the table that an event was read from, counted from 1.
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

    /// Whether the times of an event only reflect an order, and are not reported.
    pub fn is_laid_out(&self, event: u32) -> bool {
        self.section(event).checked_sub(1).is_some_and(|at| self.sections[at].is_laid_out)
    }

    /// NESTING_EVENT_ID of the event at index `at`, whose EVENT_ID is `id`.
    pub fn nesting(&self, at: u32, id: i64) -> Option<i64> {
        self.nestings.get(at as usize).map(|back| id.saturating_sub(back))
    }

    /// Returns the event at an index, which must exist.
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

    /// Number of rows of a table access, as its record reports it.
    pub fn rows(&self, record: RecordId, reported: &RecordTable) -> Option<i64> {
        let found =
            reported.find(record).filter(|found| Some(found.record_type) == self.sorts.map(|of| of.rows))?;
        reported.num_at(found, ROWS)
    }
}

/// Position of the row count in the records of table accesses.
const ROWS: usize = 2;

/// Record types of events: with id and duration alone, with bytes in addition, or with rows in addition. The event's
/// description decides between bytes and rows.
#[derive(Clone, Copy)]
pub struct MySqlRecordTypes {
    bare: RecordTypeId,
    bytes: RecordTypeId,
    rows: RecordTypeId,
}

impl MySqlRecordTypes {
    /// Adds the record types.
    pub fn of(reported: &mut RecordTable) -> Self {
        let mut sort = |more: &[Option<crate::trace::Key>]| {
            let keys = [Some(key::EVENT_ID), Some(key::TIMER_WAIT)];
            reported.add_type(keys.iter().chain(more).copied().collect(), Vec::new())
        };
        Self { bare: sort(&[]), bytes: sort(&[Some(key::BYTES)]), rows: sort(&[None]) }
    }
}

/// Column of optional numbers, nearly all of which are small: two bytes each.
#[derive(Default)]
struct SmallNumberColumn {
    /// 0 for no value, else the number plus one.
    codes: U16Column,
    /// Numbers that have no code, by index.
    others: FxHashMap<u32, i64>,
}

/// Code of a number that is in `others`.
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

/// Record ids of events. Successive events have successive records, except after a row that was not an event.
#[derive(Default)]
struct RecordIdRuns {
    /// First event and record of each run of successive records.
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
