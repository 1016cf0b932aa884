//! Interned text: every distinct string of a trace is stored once and named by a [`StrId`].
//!
//! Texts live in blocks of about a mebibyte, so that growing never copies what is there and no single
//! allocation meets wasm32's 2 GiB limit. Ids are dense, start at 0 (the empty string) and stay valid
//! for as long as the table lives: it only grows.

use crate::base::bytes_eq;
use crate::base::columns::BlockColumn;

/// The handle of an interned string.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct StrId(pub u32);

impl StrId {
    /// The empty string.
    pub const EMPTY: StrId = StrId(0);
    /// Marks a text that was not reported. Must not be passed to [`Interner::get`].
    pub const NONE: StrId = StrId(u32::MAX);

    /// `None` for [`StrId::NONE`].
    pub fn some(self) -> Option<StrId> {
        (self != StrId::NONE).then_some(self)
    }
}

/// Block, start in the block, and length, in eight bytes.
#[derive(Clone, Copy)]
struct TextPlace(u64);

const BLOCK_BITS: u32 = 20;
const LENGTH_BITS: u32 = 24;
const BLOCK_BYTES: usize = 1 << BLOCK_BITS;
/// A text of at least this length stands in a block of its own, to its end.
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

/// The table of interned strings.
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
    /// The id of `text`, which is stored if it is new.
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

    /// The id of `text` if it was interned before.
    pub fn find(&self, text: &str) -> Option<StrId> {
        self.position(hash_of(text), text).ok()
    }

    /// Where `text` is in the table of ids, or the free slot where it belongs.
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

    /// The text of `id`.
    pub fn get(&self, id: StrId) -> &str {
        self.places.get(id.0 as usize).in_blocks(&self.blocks)
    }

    /// Number of strings; ids are `0..len`.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Always `false`: the empty string is in every table.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    fn store(&mut self, text: &str) -> TextPlace {
        // Texts begin in the first mebibyte of a block.
        let fits = |block: &String| block.len() < BLOCK_BYTES && block.len() + text.len() <= block.capacity();
        let fits = text.len() < LONG && self.blocks.last().is_some_and(fits);
        if !fits {
            // The first block is small: most traces fit in it.
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

/// Hashes of texts that differ only in their last byte are neighbours: ids that count up then share a cache line of the
/// table.
///
/// All bytes but the last go eight at a time, of which the last eight may overlap those before; every bit of them reaches
/// every bit of the hash. The library's hash for bytes works on words of the machine, and 32 bits are too few: on wasm32 ids
/// that only differ in a few digits fall into the same slots.
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
    // What does not fit into a line goes to the bits that no table is large enough to look at.
    line.wrapping_add(u32::from(last) & LINE) ^ (u32::from(last) & !LINE) << 24
}

/// Slots of a cache line, minus one.
const LINE: u32 = 7;

/// Folds the high bits of a product, which depend on all lower bits, down before the next multiplication.
#[inline]
fn mixed(bits: u64) -> u64 {
    let product = bits.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    product ^ product >> 32
}

/// No text has the highest id: that is [`StrId::NONE`].
const FREE: u64 = u64::MAX;

/// Ids by the hashes of their texts. The hashes are stored, so growing does not read the texts again.
struct TextIds {
    /// Hash in the upper half, id in the lower half; a text is in the first slot, from its hash on, that was free. The length is
    /// a power of two.
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

    /// Puts an id into the free slot `slot`.
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

/// Number of recent texts, and the bytes of the longest one.
const RECENT: usize = 1 << 11;
const SHORT: usize = 40;

/// The short texts that were interned last, by their hashes: neighbouring records repeat names, and the table of all texts
/// does not fit into the CPU's caches.
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
        // Nothing has this length.
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
