//! Text out of bytes, and its lines.

pub mod decode;
pub mod lines;
