//! Descriptions: the texts that many events share, stored once and referred to by number.

use std::hash::{BuildHasher, Hasher};

use hashbrown::HashTable;
use rustc_hash::FxBuildHasher;

use super::class::MySqlEventClass;
use crate::base::interner::StrId;

/// Columns of a table of events.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MySqlTableLayout {
    /// Names of the numeric columns, in upper case.
    pub numbers: Vec<StrId>,
    /// Names of the text columns.
    pub texts: Vec<StrId>,
}

/// All texts of an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventDescription<'a> {
    /// Value of EVENT_NAME.
    pub name: StrId,
    /// Number of the table's layout.
    pub layout: u32,
    /// Values in the order of the layout's text columns; [`StrId::NONE`] for NULL.
    pub texts: &'a [StrId],
}

/// Descriptions of an export's events.
#[derive(Default)]
pub struct EventDescriptions {
    heads: Vec<DescriptionHead>,
    texts: Vec<StrId>,
    known: HashTable<u32>,
}

/// Fixed part of a description, with the position of its first text; its texts end where the texts of the next
/// description begin.
#[derive(Clone, Copy)]
struct DescriptionHead {
    name: StrId,
    class: MySqlEventClass,
    layout: u32,
    first: u32,
}

impl EventDescription<'_> {
    fn hash(&self) -> u64 {
        let mut hasher = FxBuildHasher.build_hasher();
        hasher.write_u32(self.layout);
        hasher.write_u32(self.name.0);
        self.texts.iter().for_each(|text| hasher.write_u32(text.0));
        hasher.finish()
    }
}

impl EventDescriptions {
    /// Returns the number of a description. A new description is added, with the class that `class` returns.
    #[inline(never)]
    pub fn number(&mut self, one: EventDescription, class: impl FnOnce() -> MySqlEventClass) -> u32 {
        let hash = one.hash();
        if let Some(&known) = self.known.find(hash, |&at| get(&self.heads, &self.texts, at) == one) {
            return known;
        }
        let Self { heads, texts, known } = self;
        let number = heads.len() as u32;
        heads.push(DescriptionHead {
            name: one.name,
            class: class(),
            layout: one.layout,
            first: texts.len() as u32,
        });
        texts.extend_from_slice(one.texts);
        known.insert_unique(hash, number, |&at| get(heads, texts, at).hash());
        number
    }

    /// The class of the events with a description.
    pub fn class(&self, number: u32) -> MySqlEventClass {
        self.heads[number as usize].class
    }

    /// Iterates over all descriptions, in the order of their numbers.
    pub fn iter(&self) -> impl Iterator<Item = EventDescription<'_>> {
        (0..self.heads.len() as u32).map(|at| get(&self.heads, &self.texts, at))
    }
}

fn get<'a>(heads: &[DescriptionHead], texts: &'a [StrId], at: u32) -> EventDescription<'a> {
    let DescriptionHead { name, layout, first, .. } = heads[at as usize];
    let end = heads.get(at as usize + 1).map_or(texts.len(), |next| next.first as usize);
    EventDescription { name, layout, texts: &texts[first as usize..end] }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_texts_have_the_same_number() {
        let mut descriptions = EventDescriptions::default();
        let texts = |n: u32| [StrId(n % 7), StrId(n % 11), StrId::NONE];
        let of = |n: u32, texts: &[StrId], descriptions: &mut EventDescriptions| {
            let texts = &texts[..(n % 4).min(3) as usize];
            descriptions.number(EventDescription { name: StrId(n % 3), layout: n % 2, texts }, || {
                MySqlEventClass::Wait
            })
        };
        let first: Vec<u32> = (0..2_000).map(|n| of(n, &texts(n), &mut descriptions)).collect();
        let again: Vec<u32> = (0..2_000).map(|n| of(n, &texts(n), &mut descriptions)).collect();
        assert_eq!(first, again);
        let all: Vec<EventDescription> = descriptions.iter().collect();
        for (n, &at) in (0..).zip(&first) {
            let found = all[at as usize];
            assert_eq!((found.name, found.layout), (StrId(n % 3), n % 2), "{n}");
            assert_eq!(found.texts, &texts(n)[..(n % 4).min(3) as usize], "{n}");
        }
        let different = (0..all.len()).all(|at| !all[..at].contains(&all[at]));
        assert!(different, "each is kept once");
    }
}
