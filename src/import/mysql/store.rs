//! Events as they are kept while files are read: columns of short numbers, some 27 bytes for each wait. What many of them
//! share is kept once.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::blocks::{Blocks, Numbers, Shorts, Times};
use crate::strings::StrId;
use crate::trace::RecordId;

/// Stands for a time that is NULL.
pub const NO_TIME: u64 = u64::MAX;

/// An event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Its number in the store.
    pub at: u32,
    /// Picoseconds since the server was started, by the clock of the event's class.
    pub start: u64,
    /// Picoseconds.
    pub wait: u64,
    /// The number of its thread in [`Store::threads`].
    pub thread: u32,
    /// What it shares with others: a number of [`Store::descriptions`].
    pub what: u32,
    /// The record that it was read from.
    pub record: RecordId,
}

/// An event that is to be kept.
#[derive(Clone, Copy, Debug)]
pub struct NewEvent {
    pub start: u64,
    pub wait: u64,
    pub thread: u32,
    pub what: u32,
    pub record: RecordId,
    pub id: i64,
    /// The id at which it ended; `None` if it had not.
    pub end: Option<i64>,
    /// The id of what it says that it is nested in.
    pub nesting: Option<i64>,
}

/// The columns of a table of events.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Layout {
    /// Numeric columns, by their names in upper case.
    pub numbers: Vec<StrId>,
    /// Text columns.
    pub texts: Vec<StrId>,
}

/// What many events share: all their texts.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Description {
    /// EVENT_NAME.
    pub name: StrId,
    /// The number of its layout in [`Store::layouts`].
    pub layout: u32,
    /// In the order of the layout's text columns; [`StrId::NONE`] for NULL.
    pub texts: Vec<StrId>,
}

/// All events of one export.
#[derive(Default)]
pub struct Store {
    starts: Times,
    waits: Numbers,
    thread_of: Shorts,
    whats: Blocks<u32>,
    ids: Numbers,
    lengths: Distances,
    nestings: Distances,
    records: Records,
    numbers: Numbers,
    /// The tables that were read.
    sections: Vec<Section>,
    pub descriptions: Vec<Description>,
    pub layouts: Vec<Layout>,
    /// THREAD_ID by number.
    pub threads: Vec<u64>,
    known: HashMap<Description, u32, FxBuildHasher>,
    thread_numbers: HashMap<u64, u32, FxBuildHasher>,
}

/// A table of events: its first event, where its numbers begin, and how many each event has.
#[derive(Clone, Copy)]
struct Section {
    first: u32,
    numbers: usize,
    width: usize,
}

impl Store {
    /// How many events there are.
    pub fn len(&self) -> usize {
        self.whats.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.whats.is_empty()
    }

    /// An event, which must exist.
    pub fn event(&self, at: u32) -> Event {
        let row = at as usize;
        let wait = self.waits.get(row);
        Event {
            at,
            start: self.starts.get(row).cast_unsigned(),
            wait: if wait == i64::MIN { NO_TIME } else { wait.cast_unsigned() },
            thread: self.thread_of.get(row),
            what: self.whats.get(row),
            record: self.records.get(at),
        }
    }

    /// Appends an event of the table that was begun last, with the values of its numeric columns.
    pub fn push(&mut self, event: &NewEvent, numbers: impl Iterator<Item = Option<i64>>) {
        let NewEvent { start, wait, thread, what, record, id, end, nesting } = *event;
        self.records.push(self.len() as u32, record);
        self.starts.push(start.cast_signed());
        self.waits.push(if wait == NO_TIME { i64::MIN } else { wait.cast_signed() });
        self.thread_of.push(thread);
        self.whats.push(what);
        self.ids.push(id);
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
        }
        number
    }

    /// The number of a layout, and that a table of it begins.
    pub fn begin(&mut self, layout: Layout) -> u32 {
        let (first, numbers, width) = (self.len() as u32, self.numbers.len(), layout.numbers.len());
        self.sections.push(Section { first, numbers, width });
        let found = self.layouts.iter().position(|known| *known == layout);
        found.unwrap_or_else(|| {
            self.layouts.push(layout);
            self.layouts.len() - 1
        }) as u32
    }

    /// The number of a description.
    pub fn describe(&mut self, description: &Description) -> u32 {
        if let Some(&known) = self.known.get(description) {
            return known;
        }
        let number = self.descriptions.len() as u32;
        self.descriptions.push(description.clone());
        self.known.insert(description.clone(), number);
        number
    }

    /// The number of the thread of an event.
    pub fn thread_of(&self, at: u32) -> u32 {
        self.thread_of.get(at as usize)
    }

    /// The number of its description.
    pub fn what(&self, at: u32) -> u32 {
        self.whats.get(at as usize)
    }

    /// The number of the table that an event was read from, counted from 1.
    pub fn section(&self, event: u32) -> usize {
        self.sections.partition_point(|section| section.first <= event)
    }

    /// The values of the numeric columns of an event, in the order of its layout; [`i64::MIN`] for NULL.
    pub fn numbers(&self, event: u32) -> impl Iterator<Item = i64> + Clone + '_ {
        let section = self.section(event).checked_sub(1).map(|at| self.sections[at]);
        let Section { first, numbers, width } =
            section.unwrap_or(Section { first: event, numbers: 0, width: 0 });
        let start = numbers + (event - first) as usize * width;
        (start..start + width).map(|at| self.numbers.get(at))
    }

    /// The id of an event in its thread.
    pub fn id(&self, at: u32) -> i64 {
        self.ids.get(at as usize)
    }

    /// The id at which it ended; `None` if it had not.
    pub fn end_id(&self, at: u32) -> Option<i64> {
        self.lengths.get(at as usize).map(|length| self.id(at).saturating_add(length))
    }

    /// What it says that it is nested in.
    pub fn nesting(&self, at: u32) -> Option<i64> {
        self.nestings.get(at as usize).map(|back| self.id(at).saturating_sub(back))
    }
}

/// Numbers that may be missing, of which nearly all are small: two bytes each.
#[derive(Default)]
struct Distances {
    /// 0 for none, else one more than the number.
    codes: Shorts,
    /// What has no code, by index.
    others: HashMap<u32, i64, FxBuildHasher>,
}

/// The code of what has none.
const OTHER: u32 = u32::MAX;

impl Distances {
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
struct Records {
    /// An event and its record, from where on they follow.
    jumps: Vec<(u32, u32)>,
}

impl Records {
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

    use super::*;

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
            rows in prop::collection::vec((any::<u64>(), 0..=u64::MAX, 0..70_000_u32, 0..9_i64, any_id(), any_id(), 1..4_u32), 0..60),
            tables in prop::collection::vec(0..3_usize, 1..4),
        ) {
            let mut store = Store::default();
            let mut expected = Vec::new();
            let mut record = 0;
            for (number, (start, wait, thread, id, end, nesting, step)) in rows.into_iter().enumerate() {
                let width = tables[number * tables.len() / 60];
                if number == 0 || width != tables[(number - 1) * tables.len() / 60] {
                    store.begin(Layout { numbers: vec![StrId(7); width], texts: Vec::new() });
                }
                record += step;
                let wait = if wait == 1 << 63 { NO_TIME } else { wait };
                let event = NewEvent { start, wait, thread, what: thread, record: RecordId(record), id, end, nesting };
                let numbers: Vec<Option<i64>> = (0..width as i64).map(|n| (n != 1).then_some(n - id)).collect();
                store.push(&event, numbers.iter().copied());
                expected.push((event, numbers));
            }
            for (at, (new, numbers)) in (0..).zip(&expected) {
                let event = store.event(at);
                prop_assert_eq!((event.start, event.wait, event.thread), (new.start, new.wait, new.thread));
                prop_assert_eq!((event.what, event.record, store.id(at)), (new.what, new.record, new.id));
                prop_assert_eq!((store.end_id(at), store.nesting(at)), (new.end, new.nesting));
                let found: Vec<i64> = store.numbers(at).collect();
                prop_assert_eq!(found, numbers.iter().map(|n| n.unwrap_or(i64::MIN)).collect::<Vec<_>>());
            }
        }
    }
}
