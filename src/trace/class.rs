//! [`Classes`]: what many rows have in common, stored once.

use std::hash::Hash;

use crate::base::FxHashMap;

/// Classes that are remembered.
const PLACES: usize = 16;

/// What many rows have in common, by codes.
pub struct Classes<C> {
    classes: Vec<C>,
    codes: FxHashMap<C, u32>,
    memo: [u32; PLACES],
}

impl<C> Default for Classes<C> {
    fn default() -> Self {
        Self { classes: Vec::new(), codes: FxHashMap::default(), memo: [0; PLACES] }
    }
}

impl<C: Copy + Eq + Hash> Classes<C> {
    /// The code of a class, added if it is new. Classes that come in turns should differ in `place`, a slot of the memo.
    #[inline]
    pub fn code(&mut self, class: C, place: u16) -> u32 {
        let place = usize::from(place) % PLACES;
        let memo = self.memo[place];
        if self.classes.get(memo as usize) == Some(&class) {
            return memo;
        }
        let classes = &mut self.classes;
        let code = *self.codes.entry(class).or_insert_with(|| {
            classes.push(class);
            classes.len() as u32 - 1
        });
        self.memo[place] = code;
        code
    }

    /// All classes, in the order in which they were first seen.
    pub fn iter(&self) -> impl Iterator<Item = &C> {
        self.classes.iter()
    }

    /// The class with this code, which must exist.
    #[inline]
    pub fn get(&self, code: u32) -> C {
        self.classes[code as usize]
    }
}
