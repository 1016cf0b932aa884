//! Recognises rows with identical texts by their bytes in the file: a million waits have some thousand different texts,
//! so that texts of known rows need no lookup.

use hashbrown::HashTable;

use crate::base::bytes_eq;
use crate::import::tables::TableRow;

/// Description that the texts of a row refer to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CachedDescription {
    /// Number of the description.
    pub what: u32,
    /// Whether NUMBER_OF_BYTES counts rows.
    pub counts_rows: bool,
}

/// Maximum total size of the remembered row texts, in bytes. Texts that need more do not repeat often.
const MOST: usize = 4 << 20;

/// Cache that finds the description of a row by the bytes of its texts.
#[derive(Default)]
pub struct RowTextCache {
    /// First and last column of each range of adjacent text columns.
    stretches: Vec<(usize, usize)>,
    /// Texts of all known rows, one row after the other.
    bytes: Vec<u8>,
    known: HashTable<CachedRowText>,
}

#[derive(Clone, Copy)]
struct CachedRowText {
    sign: u32,
    start: u32,
    end: u32,
    described: CachedDescription,
}

impl RowTextCache {
    /// Creates a cache for rows in which the columns `texts` are texts.
    pub fn of(texts: impl Iterator<Item = usize>) -> Self {
        let mut cache = RowTextCache::default();
        for column in texts {
            match cache.stretches.last_mut() {
                Some((_, last)) if *last + 1 == column => *last = column,
                _ => cache.stretches.push((column, column)),
            }
        }
        cache
    }

    /// Hash of the texts of a row; `None` if the row's values are not the bytes of the file (because of escapes, for
    /// example).
    #[inline]
    pub fn sign(&self, row: &TableRow) -> Option<u32> {
        let mut hash = 0;
        for &(first, last) in &self.stretches {
            hash = hashed(hash, row.stretch(first, last)?);
        }
        Some((hash >> 32) as u32)
    }

    /// Returns the description of the row, whose hash is `sign`; `None` if its texts are not known.
    #[inline]
    pub fn find(&self, sign: u32, row: &TableRow) -> Option<CachedDescription> {
        let is_it = |known: &CachedRowText| known.sign == sign && self.is(known, row);
        self.known.find(table_hash(sign), is_it).map(|known| known.described)
    }

    fn is(&self, known: &CachedRowText, row: &TableRow) -> bool {
        let mut rest = &self.bytes[known.start as usize..known.end as usize];
        for &(first, last) in &self.stretches {
            let stretch = row.stretch(first, last).unwrap_or_default();
            let Some((own, behind)) = rest.split_at_checked(stretch.len()) else { return false };
            if !bytes_eq::equal(own, stretch) {
                return false;
            }
            rest = behind;
        }
        rest.is_empty()
    }

    /// Remembers the description of a row, whose hash is `sign`.
    pub fn keep(&mut self, sign: u32, row: &TableRow, described: CachedDescription) {
        let start = self.bytes.len();
        for &(first, last) in &self.stretches {
            self.bytes.extend_from_slice(row.stretch(first, last).unwrap_or_default());
        }
        if self.bytes.len() > MOST {
            return self.bytes.truncate(start);
        }
        let known = CachedRowText { sign, start: start as u32, end: self.bytes.len() as u32, described };
        self.known.insert_unique(table_hash(sign), known, |known| table_hash(known.sign));
    }
}

/// Hashes sixteen bytes at a time in two independent halves, since each multiplication has to wait for the previous one. The
/// last sixteen bytes may overlap the bytes before.
#[inline]
fn hashed(hash: u64, bytes: &[u8]) -> u64 {
    let mixed = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29);
    let both = |(one, other): (u64, u64), bytes: &[u8; 16]| {
        let bytes = u128::from_le_bytes(*bytes);
        (mixed(one, bytes as u64), mixed(other, (bytes >> 64) as u64))
    };
    let start = (mixed(hash, bytes.len() as u64), 0);
    let (one, other) = bytes.as_chunks::<16>().0.iter().fold(start, both);
    match bytes.last_chunk::<16>() {
        Some(last) => {
            let (one, other) = both((one, other), last);
            mixed(one, other)
        }
        None => bytes.iter().fold(one, |hash, &byte| mixed(hash, u64::from(byte))),
    }
}

/// Spreads a row's hash by a multiplication, as the hash table requires.
fn table_hash(sign: u32) -> u64 {
    u64::from(sign).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::import::tables::Scratch;

    proptest! {
        /// A row is known if and only if all its texts equal those of a row that was added.
        #[test]
        fn rows_are_known_by_their_texts(lines in prop::collection::vec("(a|NULL|bc|)\t[0-9]\t(a|b|ab)?\t(c|bc|NULL)?", 1..60)) {
            let mut cache = RowTextCache::of([0, 2, 3].into_iter());
            let mut expected: Vec<[String; 3]> = Vec::new();
            for line in &lines {
                let mut scratch = Scratch::default();
                let row = scratch.split(line, b'\t');
                let texts = [0, 2, 3].map(|at| row.get(at).unwrap_or("NULL").to_owned());
                let sign = cache.sign(&row).expect("the row is the line");
                let known = expected.iter().position(|one| *one == texts);
                let found = cache.find(sign, &row).map(|found| found.what as usize);
                prop_assert_eq!(found, known);
                if known.is_none() {
                    let described = CachedDescription { what: expected.len() as u32, counts_rows: false };
                    cache.keep(sign, &row, described);
                    expected.push(texts);
                }
            }
        }
    }
}
