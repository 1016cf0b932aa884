//! The page. It knows no file format and opens no trace: it asks the worker, and draws what comes back.
//!
//! ```text
//! main thread   app ─ state ─ components (panels)          worker thread   worker ─ Session (the engine)
//!                │      └──── timeline ─ canvas (painting)                    │  └─ bytes
//!                └─ client ──────────── messages ─────────────────────────────┘
//! ```
//! The page and the engine are two programs of this one package, built together. The engine is fetched when there is
//! something to read.

pub mod app;
pub mod canvas;
pub mod client;
pub mod components;
pub mod events;
pub mod files;
pub mod host;
pub mod input;
pub mod messages;
mod navigation;
pub mod shells;
pub mod spawn_engine;
pub mod state;
pub mod timeline;
pub mod ui;
pub mod url;
pub mod viewer;
pub mod views;
pub mod whole_viewer;
pub mod words;
mod worker;

use wasm_bindgen::JsCast;

/// Lets a panic say in the console what it is.
pub fn report_panics() {
    console_error_panic_hook::set_once();
}

/// Starts the engine, in a worker.
pub fn engine() {
    report_panics();
    worker::start(js_sys::global().unchecked_into());
}

// The functions' own tests run where the page runs.
#[cfg(test)]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
