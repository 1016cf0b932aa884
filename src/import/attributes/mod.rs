//! Arguments of events, shared by several formats: numbers and texts in columns, by the shape of the event. Each
//! becomes an attribute of the span or instant of its event.

pub mod args;
mod int_overflow;
pub mod problems;
pub mod tables;
pub mod values;
pub mod written;
