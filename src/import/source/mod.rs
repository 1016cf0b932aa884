//! Reads files: from their stored bytes to the importers of their formats, with a report on every file.

pub mod archive;
pub mod archive_reader;
pub mod checkpoints;
pub mod duplicates;
pub mod entry;
pub mod file;
pub mod pipeline;
pub mod reading;
pub mod reread;
pub mod sniff;
pub mod state;
