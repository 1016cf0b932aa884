//! First-in, first-out queues by key, without an allocation per queue.

use std::hash::Hash;

use crate::base::FxHashMap;

const END: u32 = u32::MAX;

/// Up to this number of keys, a lookup searches them one by one, which is faster than a hash table. A map is cleared for each
/// query, and most queries have events of few names.
const FEW: usize = 12;

/// A map that is fast for few keys and works for many.
pub struct SmallMap<K, V> {
    few: Vec<(K, V)>,
    /// All keys, once there are more than [`FEW`].
    many: FxHashMap<K, V>,
}

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        Self { few: Vec::new(), many: FxHashMap::default() }
    }
}

impl<K: Copy + Eq + Hash, V: Copy> SmallMap<K, V> {
    /// Removes all keys.
    pub fn clear(&mut self) {
        self.few.clear();
        // Clearing a large table takes time in proportion to its size, even if the next query has few names.
        if !self.many.is_empty() {
            self.many = FxHashMap::default();
        }
    }

    /// Value of `key`; `None` if it has none.
    #[inline]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        if self.many.is_empty() {
            self.few.iter_mut().find(|(known, _)| *known == key).map(|(_, value)| value)
        } else {
            self.many.get_mut(&key)
        }
    }

    /// Adds a key, which must be new, with its value.
    #[inline]
    pub fn add(&mut self, key: K, value: V) {
        if self.many.is_empty() && self.few.len() < FEW {
            return self.few.push((key, value));
        }
        self.many.extend(self.few.drain(..));
        self.many.insert(key, value);
    }

    /// Value of `key`; sets it to `value` if it has none.
    #[inline]
    pub fn get_or(&mut self, key: K, value: V) -> V {
        if let Some(known) = self.get_mut(key) {
            return *known;
        }
        self.add(key, value);
        value
    }
}

/// First-in, first-out queues of numbers, one queue per key.
pub struct KeyedFifo<K> {
    /// First and last number of each queue; the first is [`END`] if the queue is empty.
    ends: SmallMap<K, (u32, u32)>,
    next: Vec<u32>,
}

impl<K> Default for KeyedFifo<K> {
    fn default() -> Self {
        Self { ends: SmallMap::default(), next: Vec::new() }
    }
}

impl<K: Copy + Eq + Hash> KeyedFifo<K> {
    /// Empties all queues.
    pub fn clear(&mut self) {
        self.ends.clear();
        self.next.clear();
    }

    /// Appends `number` to a queue. A number may be in only one queue of a `KeyedFifo`.
    #[inline]
    pub fn push(&mut self, key: K, number: u32) {
        if self.next.len() <= number as usize {
            self.next.resize(number as usize + 1, END);
        }
        match self.ends.get_mut(key) {
            Some((first, last)) => {
                if *first == END {
                    *first = number;
                } else {
                    self.next[*last as usize] = number;
                }
                *last = number;
            }
            None => self.ends.add(key, (number, number)),
        }
    }

    /// First number of a queue for which `wanted` holds; the numbers before it are removed.
    pub fn first(&mut self, key: K, wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let (first, _) = self.ends.get_mut(key)?;
        while *first != END && !wanted(*first) {
            *first = self.next[*first as usize];
        }
        (*first != END).then_some(*first)
    }
}

#[cfg(test)]
mod tests {
    use super::KeyedFifo;

    #[test]
    fn queues_do_not_mix() {
        let mut fifo = KeyedFifo::default();
        for number in 0..6 {
            fifo.push(number % 2, number);
        }
        assert_eq!(fifo.first(0, |_| true), Some(0));
        assert_eq!(fifo.first(0, |n| n > 0), Some(2));
        assert_eq!(fifo.first(1, |n| n > 4), Some(5));
        assert_eq!(fifo.first(1, |n| n > 5), None);
        assert_eq!(fifo.first(2, |_| true), None);
        fifo.push(1, 7);
        assert_eq!(fifo.first(1, |_| true), Some(7));
    }
}
