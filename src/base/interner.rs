//! Interned strings: every distinct string of a trace is stored once and identified by a [`StrId`].
//!
//! The strings are stored in blocks of about 1 MiB, so that growing never copies stored strings and no single
//! allocation reaches wasm32's 2 GiB limit. Ids are dense, start at 0 (the empty string) and remain valid
//! for the lifetime of the table, from which nothing is removed.

use crate::base::bytes_eq;
use crate::base::columns::BlockColumn;

/// Id of an interned string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StrId(pub u32);

impl StrId {
    /// The empty string.
    pub const EMPTY: StrId = StrId(0);
    /// Represents a text that was not reported. Must not be passed to [`Interner::get`].
    pub const NONE: StrId = StrId(u32::MAX);

    /// Converts the id to an `Option`: `None` for [`StrId::NONE`].
    pub fn some(self) -> Option<StrId> {
        (self != StrId::NONE).then_some(self)
    }
}

/// Position of a string: number of its block, start in the block, and length, in eight bytes.
#[derive(Clone, Copy)]
struct TextPlace(u64);

const BLOCK_BITS: u32 = 20;
const LENGTH_BITS: u32 = 24;
const BLOCK_BYTES: usize = 1 << BLOCK_BITS;
/// Minimum length of a string that is stored in a block of its own, up to the end of the block.
const LONG: usize = (1 << LENGTH_BITS) - 1;

impl TextPlace {
    fn new(block: usize, start: usize, length: usize) -> Self {
        let place = (block as u64) << BLOCK_BITS | start as u64;
        Self(place << LENGTH_BITS | length.min(LONG) as u64)
    }

    #[inline]
    fn in_blocks(self, blocks: &[String]) -> &str {
        let (length, place) = (self.0 as usize & LONG, self.0 >> LENGTH_BITS);
        let (block, start) = (&*blocks[(place >> BLOCK_BITS) as usize], place as usize & (BLOCK_BYTES - 1));
        let end = if length == LONG { block.len() } else { start + length };
        &block[start..end]
    }
}

/// Table of interned strings.
pub struct Interner {
    blocks: Vec<String>,
    places: BlockColumn<TextPlace>,
    ids: TextIds,
    recent: Recent,
}

impl Default for Interner {
    fn default() -> Self {
        let mut strings = Self {
            blocks: Vec::new(),
            places: BlockColumn::default(),
            ids: TextIds::default(),
            recent: Recent::default(),
        };
        strings.intern("");
        strings
    }
}

impl Interner {
    /// Returns the id of `text`, which is added if new.
    #[inline]
    pub fn intern(&mut self, text: &str) -> StrId {
        let hash = hash_of(text);
        if let Some(id) = self.recent.find(hash, text) {
            return id;
        }
        let id = match self.position(hash, text) {
            Ok(id) => id,
            Err(slot) => self.add(hash, slot, text),
        };
        self.recent.keep(hash, text, id);
        id
    }

    /// The id of `text`; `None` if it was not interned.
    pub fn find(&self, text: &str) -> Option<StrId> {
        self.position(hash_of(text), text).ok()
    }

    /// Finds the id of `text` in the hash table, or else the free slot in which to insert it.
    #[inline]
    fn position(&self, hash: u32, text: &str) -> Result<StrId, usize> {
        let mut slot = hash as usize & self.ids.mask();
        loop {
            match self.ids.slots[slot] {
                FREE => return Err(slot),
                taken if (taken >> 32) as u32 == hash && self.is(StrId(taken as u32), text) => {
                    return Ok(StrId(taken as u32));
                }
                _ => slot = (slot + 1) & self.ids.mask(),
            }
        }
    }

    #[inline]
    fn is(&self, id: StrId, text: &str) -> bool {
        let known = self.places.get(id.0 as usize).in_blocks(&self.blocks);
        bytes_eq::equal(known.as_bytes(), text.as_bytes())
    }

    fn add(&mut self, hash: u32, slot: usize, text: &str) -> StrId {
        let id = self.places.len() as u32;
        let place = self.store(text);
        self.places.push(place);
        self.ids.insert(hash, slot, id);
        StrId(id)
    }

    /// The string with this id.
    pub fn get(&self, id: StrId) -> &str {
        self.places.get(id.0 as usize).in_blocks(&self.blocks)
    }

    /// Number of strings; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Always `false`: every table contains the empty string.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn store(&mut self, text: &str) -> TextPlace {
        // A string must begin in the first mebibyte of a block.
        let fits = |block: &String| block.len() < BLOCK_BYTES && block.len() + text.len() <= block.capacity();
        let fits = text.len() < LONG && self.blocks.last().is_some_and(fits);
        if !fits {
            // The first block is small, because most traces fit into it.
            let size = if self.blocks.is_empty() { BLOCK_BYTES / 16 } else { BLOCK_BYTES };
            self.blocks.push(String::with_capacity(size.max(text.len())));
        }
        let block = self.blocks.len() - 1;
        let heap = &mut self.blocks[block];
        let start = heap.len();
        heap.push_str(text);
        TextPlace::new(block, start, text.len())
    }
}

/// Hashes a string so that strings that differ only in the last byte have neighbouring hashes. Ids that count up then share
/// a cache line of the hash table.
///
/// All bytes but the last are mixed in words of eight bytes (the last word may overlap the previous one); each of their
/// bits affects all bits of the hash. The byte hash of the hashing library uses machine words, and 32 bits are too few:
/// on wasm32, ids that differ only in a few digits would collide.
#[inline]
fn hash_of(text: &str) -> u32 {
    let Some((&last, text)) = text.as_bytes().split_last() else { return 0 };
    let (words, rest) = text.as_chunks::<8>();
    let hash = words.iter().fold(text.len() as u64, |hash, word| mixed(hash ^ u64::from_le_bytes(*word)));
    let hash = match text.last_chunk::<8>() {
        Some(last) => mixed(hash ^ u64::from_le_bytes(*last)),
        None => mixed(rest.iter().fold(hash, |hash, &byte| hash << 8 | u64::from(byte))),
    };
    let line = (mixed(hash) >> 32) as u32 & !LINE;
    // Bits of the last byte that do not fit into a line go to high bits, which exceed the mask of any table.
    line.wrapping_add(u32::from(last) & LINE) ^ (u32::from(last) & !LINE) << 24
}

/// Number of slots per cache line, minus one.
const LINE: u32 = 7;

/// One step of the hash: multiplies by a constant, and XORs the high half of the product, which depends on all lower
/// bits, into the low half.
#[inline]
fn mixed(bits: u64) -> u64 {
    let product = bits.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 32
}

/// A free slot. It cannot be a stored id, because the highest id is [`StrId::NONE`].
const FREE: u64 = u64::MAX;

/// Hash table from strings to ids. The hashes are stored, so that growing the table does not read the strings.
struct TextIds {
    /// Hash in the upper half and id in the lower half (open addressing with linear probing). The number of slots is a power of
    /// two.
    slots: Vec<u64>,
    taken: usize,
}

impl Default for TextIds {
    fn default() -> Self {
        Self { slots: vec![FREE; 64], taken: 0 }
    }
}

impl TextIds {
    #[inline]
    fn mask(&self) -> usize {
        self.slots.len() - 1
    }

    /// Inserts an id into the free slot `slot`.
    fn insert(&mut self, hash: u32, slot: usize, id: u32) {
        self.slots[slot] = u64::from(hash) << 32 | u64::from(id);
        self.taken += 1;
        if self.taken * 8 > self.slots.len() * 5 {
            self.grow();
        }
    }

    fn grow(&mut self) {
        let slots = vec![FREE; self.slots.len() * 2];
        let old = std::mem::replace(&mut self.slots, slots);
        for taken in old.into_iter().filter(|&slot| slot != FREE) {
            let mut slot = (taken >> 32) as usize & self.mask();
            while self.slots[slot] != FREE {
                slot = (slot + 1) & self.mask();
            }
            self.slots[slot] = taken;
        }
    }
}

/// Number of strings in the cache.
const RECENT: usize = 1 << 11;
/// Maximum length of strings in the cache, in bytes.
const SHORT: usize = 40;

/// Cache of short strings that were interned recently, by hash: neighbouring records repeat names, and the table of all
/// strings does not fit into the CPU's caches.
struct Recent {
    texts: Vec<KnownText>,
}

#[derive(Clone, Copy)]
struct KnownText {
    id: StrId,
    length: u32,
    bytes: [u8; SHORT],
}

impl Default for Recent {
    fn default() -> Self {
        // No string has this length.
        let nothing = KnownText { id: StrId::NONE, length: u32::MAX, bytes: [0; SHORT] };
        Self { texts: vec![nothing; RECENT] }
    }
}

impl Recent {
    #[inline]
    fn find(&self, hash: u32, text: &str) -> Option<StrId> {
        let known = &self.texts[hash as usize % RECENT];
        let bytes = known.bytes.get(..known.length as usize)?;
        bytes_eq::equal(bytes, text.as_bytes()).then_some(known.id)
    }

    #[inline]
    fn keep(&mut self, hash: u32, text: &str, id: StrId) {
        let known = &mut self.texts[hash as usize % RECENT];
        if let Some(bytes) = known.bytes.get_mut(..text.len()) {
            bytes.copy_from_slice(text.as_bytes());
            (known.id, known.length) = (id, text.len() as u32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_texts_share_an_id_and_all_stay_readable() {
        let mut strings = Interner::default();
        let (long, longest) = ("x".repeat(BLOCK_BYTES * 2), "y".repeat(LONG + 1));
        let ids: Vec<_> = ["", "a", "b", &long, "a", &longest].iter().map(|s| strings.intern(s)).collect();
        assert_eq!(ids[1], ids[4]);
        assert_eq!(ids[0], StrId::EMPTY);
        assert!(strings.get(ids[3]) == long && strings.get(ids[5]) == longest);
        assert_eq!(strings.find("b"), Some(ids[2]));
        assert_eq!(strings.find("c"), None);
        for n in 0..100_000 {
            strings.intern(&n.to_string());
        }
        assert_eq!(strings.get(strings.find("77777").expect("interned above")), "77777");
        assert_eq!(strings.get(ids[2]), "b");
    }

    #[test]
    fn ids_that_look_alike_do_not_crowd() {
        for name in ["q", "generated-q", "run-7/source-", "0123456789abcdef-"] {
            let mut strings = Interner::default();
            for n in 0..200_000 {
                strings.intern(&format!("{name}{n:07}.0"));
            }
            let mask = strings.ids.mask();
            let taken = strings.ids.slots.iter().enumerate().filter(|(_, slot)| **slot != FREE);
            let way = |(at, slot): (usize, &u64)| at.wrapping_sub((*slot >> 32) as usize) & mask;
            let ways: Vec<usize> = taken.map(way).collect();
            assert!(ways.iter().sum::<usize>() < 2 * ways.len(), "{name}: too far from their slots");
        }
    }
}
