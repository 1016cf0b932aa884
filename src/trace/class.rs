//! [`Classes`]: what many spans have in common, stored once.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::keys::ShapeId;
use super::span::{Flags, Kind};

/// What spans of the same kind, marks, row and shape share.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Class {
    pub kind: Kind,
    pub flags: Flags,
    pub depth: u16,
    pub shape: ShapeId,
}

/// Classes that are remembered.
const PLACES: usize = 16;

/// The classes of a table, by their codes.
#[derive(Default)]
pub struct Classes {
    classes: Vec<Class>,
    codes: HashMap<Class, u32, FxBuildHasher>,
    memo: [u32; PLACES],
}

impl Classes {
    /// The code of a class, added if it is new.
    #[inline]
    pub fn code(&mut self, class: Class) -> u32 {
        let place = (class.shape.0 ^ class.flags.0 ^ class.depth << 2) as usize % PLACES;
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

    /// The class behind a code.
    #[inline]
    pub fn get(&self, code: u32) -> Class {
        self.classes[code as usize]
    }
}
