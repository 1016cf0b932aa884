//! Arguments of events, whichever format they are of: names, numbers and texts by the shape of an event, in columns; each is an
//! attribute of the span or instant that the event becomes.

pub mod args;
mod int_overflow;
pub mod problems;
pub mod tables;
pub mod values;
pub mod written;
