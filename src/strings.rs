//! Interned text: every distinct string of a trace is stored once and named by a [`StrId`].
//!
//! Texts live in blocks of about a mebibyte, so that growing never copies what is there and no single
//! allocation meets wasm32's 2 GiB limit. Ids are dense, start at 0 (the empty string) and stay valid
//! for as long as the table lives: it only grows.

use std::hash::Hasher;

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::blocks::Blocks;

/// The handle of an interned string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StrId(pub u32);

impl StrId {
    /// The empty string.
    pub const EMPTY: StrId = StrId(0);
    /// "Not reported": no string at all. Never passed to [`Strings::get`].
    pub const NONE: StrId = StrId(u32::MAX);

    /// `None` for [`StrId::NONE`].
    pub fn some(self) -> Option<StrId> {
        (self != StrId::NONE).then_some(self)
    }
}

#[derive(Clone, Copy)]
struct Place {
    block: u32,
    start: u32,
    end: u32,
}

const BLOCK_BYTES: usize = 1 << 20;

/// The table of interned strings.
pub struct Strings {
    blocks: Vec<String>,
    places: Blocks<Place>,
    ids: HashTable<u32>,
}

impl Default for Strings {
    fn default() -> Self {
        let mut strings = Self { blocks: Vec::new(), places: Blocks::default(), ids: HashTable::new() };
        strings.intern("");
        strings
    }
}

impl Strings {
    /// The id of `text`, which is stored if it is new.
    pub fn intern(&mut self, text: &str) -> StrId {
        let hash = hash_of(text);
        if let Some(&id) = self.ids.find(hash, |&id| self.get(StrId(id)) == text) {
            return StrId(id);
        }
        let id = self.places.len() as u32;
        let place = self.store(text);
        self.places.push(place);
        let Self { blocks, places, ids } = self;
        ids.insert_unique(hash, id, |&id| hash_of(text_at(blocks, places.get(id as usize))));
        StrId(id)
    }

    /// The id of `text` if it was interned before.
    pub fn find(&self, text: &str) -> Option<StrId> {
        self.ids.find(hash_of(text), |&id| self.get(StrId(id)) == text).map(|&id| StrId(id))
    }

    /// The text of `id`.
    pub fn get(&self, id: StrId) -> &str {
        text_at(&self.blocks, self.places.get(id.0 as usize))
    }

    /// How many strings there are; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Never: the empty string is always there.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn store(&mut self, text: &str) -> Place {
        let fits = self.blocks.last().is_some_and(|b| b.len() + text.len() <= b.capacity());
        if !fits {
            // The first block is small: most traces fit in it.
            let size = if self.blocks.is_empty() { BLOCK_BYTES / 16 } else { BLOCK_BYTES };
            self.blocks.push(String::with_capacity(size.max(text.len())));
        }
        let block = self.blocks.len() - 1;
        let heap = &mut self.blocks[block];
        let start = heap.len() as u32;
        heap.push_str(text);
        Place { block: block as u32, start, end: heap.len() as u32 }
    }
}

fn text_at(blocks: &[String], place: Place) -> &str {
    &blocks[place.block as usize][place.start as usize..place.end as usize]
}

fn hash_of(text: &str) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write(text.as_bytes());
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_an_id_and_all_stay_readable() {
        let mut strings = Strings::default();
        let long = "x".repeat(BLOCK_BYTES * 2);
        let ids: Vec<_> = ["", "a", "b", &long, "a"].iter().map(|s| strings.intern(s)).collect();
        assert_eq!(ids[1], ids[4]);
        assert_eq!(ids[0], StrId::EMPTY);
        assert_eq!(strings.get(ids[3]), long);
        assert_eq!(strings.find("b"), Some(ids[2]));
        assert_eq!(strings.find("c"), None);
        for n in 0..100_000 {
            strings.intern(&n.to_string());
        }
        assert_eq!(strings.get(strings.find("77777").expect("interned above")), "77777");
        assert_eq!(strings.get(ids[2]), "b");
    }
}
