//! Packed files and archives, unpacked step by step as their bytes arrive.

pub mod budget;
pub mod bzip2;
pub mod container;
pub mod fault;
pub mod gzip;
pub mod inflate;
pub mod tar;
pub mod zip;
pub mod zip_recovery;
pub mod zstd;
