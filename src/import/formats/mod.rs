//! The formats: each turns the text of its files into runs, tracks, spans and events.

pub mod chrome;
pub mod folded;
pub mod kubling;
pub mod monetdb;
pub mod mysql;
pub mod queryscope;
pub mod topoexec;
