//! Numbers and short texts as records write them.

pub mod decimal;
pub mod number;
pub mod values;
