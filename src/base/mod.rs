//! What every room stands on: columns, interned text, one sort, numbers written for people.

pub mod bytes_eq;
pub mod chunked;
pub mod columns;
pub mod csv;
pub mod interner;
pub mod lane_allocator;
pub mod sort;
pub mod text;
