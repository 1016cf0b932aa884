//! File formats: import turns the bytes of files into calls of the `TraceBuilder`.
//!
//! ```text
//! file ─ packing (gzip, Zstandard, bzip2; zip, tar) ─ text (BOM, UTF-16) ─ sniff ─ importer.push(…)* ─ close
//!                                                                  │ once per format, for all files together
//!                                           importer.build() ──────┴──→ TraceBuilder → Trace
//! ```
//! A format recognises its files by their first bytes, never by their name. Input that cannot be used is a `Problem`
//! with a name, a count and locations. An importer never fails and never panics, on any input.
//!
//! ```text
//! session ─→ source ─→ registry ─→ formats ─→ attributes, json, tables, … ─→ contract ─→ text
//!                 └──→ packing
//! ```

mod attributes;
mod contract;
mod formats;
mod grouped_indices;
mod interval_nesting;
mod json;
mod packing;
pub mod recipes;
mod registry;
mod scalars;
mod session;
mod source;
mod tables;
mod text;
mod track_writer;

#[doc(hidden)]
pub use contract::HEADS;
pub(crate) use contract::WarmUpScript;
pub use contract::{About, QueryShare, SavedSession};
pub use registry::ABOUT;
pub(crate) use registry::FORMATS;
pub(crate) use session::ImportSession;
pub use source::reread::Reread;
