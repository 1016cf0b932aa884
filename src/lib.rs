//! The whole engine of queryscope, and nothing of a browser.
//!
//! ```text
//! bytes ─ import ─ trace ─ analysis ─┬─ stats, pivot, compare, reconcile ─┐
//!            │                       └─ view ─────────────────────────────┴─ session ─ protocol ─→ the app, the command line
//!         problems
//! ```
//! Reading order: [`trace`] (the model), [`import`] (files to model), [`view`] (model to scenes), [`analysis`] (what questions
//! stand on), [`stats`] (model to numbers), [`pivot`] (aggregates by any dimensions), [`protocol`] and [`session`] (the door).
#![deny(missing_docs)]

pub mod analysis;
pub mod base;
pub mod chart;
pub mod compare;
#[cfg(feature = "export")]
pub mod export;
pub mod import;
pub mod pivot;
pub mod protocol;
pub mod reconcile;
pub mod session;
pub mod sql;
pub mod stats;
#[doc(hidden)]
pub mod testing;
pub mod trace;
pub mod view;

pub use base::{csv, text};
