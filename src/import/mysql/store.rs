//! Events as they are kept while files are read: a few numbers each. What many of them share is kept once.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use crate::blocks::{Blocks, Numbers};
use crate::strings::StrId;
use crate::trace::RecordId;

/// Stands for a time that is NULL.
pub const NO_TIME: u64 = u64::MAX;

/// An event.
#[derive(Clone, Copy, Debug)]
pub struct Event {
    /// Picoseconds since the server was started, by the clock of the event's class.
    pub start: u64,
    /// Picoseconds.
    pub wait: u64,
    /// The number of its thread in [`Store::threads`].
    pub thread: u32,
    /// What it shares with others: a number of [`Store::descriptions`].
    pub what: u32,
    /// Where its numbers begin in [`Store::numbers`].
    pub numbers: u32,
    /// The record that it was read from.
    pub record: RecordId,
}

/// What an event's numbers begin with: its id, ids up to its end (none if it has not ended), ids back to what it says
/// that it is nested in. Then come the numeric columns of its table.
pub const FIXED: usize = 3;

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
    pub events: Blocks<Event>,
    pub numbers: Numbers,
    pub descriptions: Vec<Description>,
    pub layouts: Vec<Layout>,
    /// THREAD_ID by number.
    pub threads: Vec<u64>,
    /// The first event of every table that was read.
    pub sections: Vec<u32>,
    known: HashMap<Description, u32, FxBuildHasher>,
    thread_numbers: HashMap<u64, u32, FxBuildHasher>,
}

impl Store {
    /// The number of a thread.
    pub fn thread(&mut self, id: u64) -> u32 {
        if let Some(last) = self.events.len().checked_sub(1) {
            let thread = self.events.get(last).thread;
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
        self.sections.push(self.events.len() as u32);
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

    /// The table that an event was read from.
    pub fn section(&self, event: u32) -> usize {
        self.sections.partition_point(|&first| first <= event)
    }

    /// Its id in its thread.
    pub fn id(&self, event: &Event) -> i64 {
        self.numbers.get(event.numbers as usize)
    }

    /// The id at which it ended; `None` if it had not.
    pub fn end_id(&self, event: &Event) -> Option<i64> {
        let length = self.numbers.get(event.numbers as usize + 1);
        (length != i64::MIN).then(|| self.id(event).saturating_add(length))
    }

    /// What it says that it is nested in.
    pub fn nesting(&self, event: &Event) -> Option<i64> {
        let back = self.numbers.get(event.numbers as usize + 2);
        (back != i64::MIN).then(|| self.id(event).saturating_sub(back))
    }
}
