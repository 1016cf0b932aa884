//! SQL over the trace that the page shows: a program for a worker of its own, which is fetched with the first statement.
//!
//! It knows no file and no format. The page hands on what it asks of the engine, and the engine's replies as they come.
//!
//! ```text
//! page ── order ──→ SQL program ── request ──→ page ──→ engine
//!      ←─ result ──             ←── columns ── page ←── engine
//! ```
pub mod chart;
pub mod complete;
pub mod dataset;
pub mod driver;
#[cfg(target_arch = "wasm32")]
mod files;
pub mod ids;
mod planning;
pub mod program;
pub mod tables;
pub mod track;
#[cfg(target_arch = "wasm32")]
mod worker;
