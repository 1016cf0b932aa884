//! First in, first out, for many queues at once, without an allocation per queue.

use std::hash::Hash;

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

const END: u32 = u32::MAX;

/// Queues of numbers by key.
pub struct Fifo<K> {
    ends: HashMap<K, (u32, u32), FxBuildHasher>,
    next: Vec<u32>,
}

impl<K> Default for Fifo<K> {
    fn default() -> Self {
        Self { ends: HashMap::default(), next: Vec::new() }
    }
}

impl<K: Eq + Hash> Fifo<K> {
    /// Empties all queues.
    pub fn clear(&mut self) {
        // To clear a large table costs its size, however few queues the next query has.
        if self.ends.capacity() > 1024 {
            *self = Self::default();
        }
        self.ends.clear();
        self.next.clear();
    }

    /// Puts `number` at the end of a queue. No number may be in two queues of one `Fifo`.
    pub fn push(&mut self, key: K, number: u32) {
        if self.next.len() <= number as usize {
            self.next.resize(number as usize + 1, END);
        }
        let next = &mut self.next;
        let queue = self.ends.entry(key).and_modify(|(_, last)| {
            next[*last as usize] = number;
            *last = number;
        });
        queue.or_insert((number, number));
    }

    /// The first number of a queue that is `wanted`; those before it leave the queue.
    pub fn first(&mut self, key: K, wanted: impl Fn(u32) -> bool) -> Option<u32> {
        let (first, last) = self.ends.get_mut(&key)?;
        while !wanted(*first) {
            let next = self.next[*first as usize];
            if next == END {
                debug_assert!(first == last);
                self.ends.remove(&key);
                return None;
            }
            *first = next;
        }
        Some(*first)
    }
}

#[cfg(test)]
mod tests {
    use super::Fifo;

    #[test]
    fn queues_do_not_mix() {
        let mut fifo = Fifo::default();
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
