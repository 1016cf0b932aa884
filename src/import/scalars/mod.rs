//! Numbers and short texts as they are written in records.

pub mod decimal;
pub mod number;
pub mod values;
