//! First in, first out, for many queues at once, without an allocation per queue.

use std::hash::Hash;

use crate::base::FxHashMap;

const END: u32 = u32::MAX;

/// Most queries have few names: up to so many are looked for one by one, which is faster than a table and is empty
/// at once.
const FEW: usize = 12;

/// Values by key, for few keys or many.
pub struct SmallMap<K, V> {
    few: Vec<(K, V)>,
    /// All keys, once they are more than a few.
    many: FxHashMap<K, V>,
}

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        Self { few: Vec::new(), many: FxHashMap::default() }
    }
}

impl<K: Copy + Eq + Hash, V: Copy> SmallMap<K, V> {
    /// Forgets all.
    pub fn clear(&mut self) {
        self.few.clear();
        // To clear a large table costs its size, however few names the next query has.
        if !self.many.is_empty() {
            self.many = FxHashMap::default();
        }
    }

    /// The value of `key`.
    #[inline]
    pub fn get_mut(&mut self, key: K) -> Option<&mut V> {
        if self.many.is_empty() {
            self.few.iter_mut().find(|(known, _)| *known == key).map(|(_, value)| value)
        } else {
            self.many.get_mut(&key)
        }
    }

    /// Gives a key that is new its value.
    #[inline]
    pub fn add(&mut self, key: K, value: V) {
        if self.many.is_empty() && self.few.len() < FEW {
            return self.few.push((key, value));
        }
        self.many.extend(self.few.drain(..));
        self.many.insert(key, value);
    }

    /// The value of `key`, or `value` from now on.
    #[inline]
    pub fn get_or(&mut self, key: K, value: V) -> V {
        if let Some(known) = self.get_mut(key) {
            return *known;
        }
        self.add(key, value);
        value
    }
}

/// Queues of numbers by key.
pub struct KeyedFifo<K> {
    /// The first and last number of every queue; the first is [`END`] where it is empty.
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

    /// Puts `number` at the end of a queue. No number may be in two queues of one `KeyedFifo`.
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

    /// The first number of a queue that is `wanted`; those before it leave the queue.
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
