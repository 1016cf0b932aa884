//! [`Classes`]: interned combinations of properties that many rows share.

use std::hash::Hash;

use crate::base::FxHashMap;

/// Number of recently used codes that are cached.
const PLACES: usize = 16;

/// Interned combinations of properties that many rows share, identified by codes.
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
    /// Returns the code of a class, added if new. Classes that alternate should differ in `place`, their slot in the cache.
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

    /// All classes, in the order in which they were added.
    pub fn iter(&self) -> impl Iterator<Item = &C> {
        self.classes.iter()
    }

    /// Returns the class with this code, which must exist.
    #[inline]
    pub fn get(&self, code: u32) -> C {
        self.classes[code as usize]
    }
}
