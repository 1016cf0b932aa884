//! What every room stands on: columns, interned text, one sort, numbers written for people.

pub mod bytes_eq;
pub mod chunked;
pub mod columns;
pub mod csv;
pub mod interner;
pub mod lane_allocator;
pub mod sort;
pub mod text;

/// A hash table for short keys. The tables of the standard library need random seeds, which a browser's engine has not.
pub type FxHashMap<K, V> = hashbrown::HashMap<K, V, rustc_hash::FxBuildHasher>;

/// A hash set for short keys.
pub type FxHashSet<T> = hashbrown::HashSet<T, rustc_hash::FxBuildHasher>;
