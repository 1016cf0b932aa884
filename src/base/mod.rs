//! Basic building blocks: columns, interned strings, sorting, and formatting of numbers.

pub mod bytes_eq;
pub mod chunked;
pub mod columns;
pub mod csv;
pub mod filter_text;
pub mod interner;
pub mod lane_allocator;
pub mod markdown;
pub mod sort;
pub mod text;

/// Hash map for short keys. The standard library's maps need random seeds, which are not available to wasm in a browser.
pub type FxHashMap<K, V> = hashbrown::HashMap<K, V, rustc_hash::FxBuildHasher>;

/// Hash set for short keys.
pub type FxHashSet<T> = hashbrown::HashSet<T, rustc_hash::FxBuildHasher>;
