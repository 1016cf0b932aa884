//! Decodes bytes to text, and splits text into lines.

pub mod decode;
pub mod lines;
