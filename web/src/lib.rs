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
pub mod input;
pub mod messages;
pub mod state;
pub mod threads;
pub mod timeline;
pub mod url;
pub mod window;
mod worker;

use wasm_bindgen::JsCast;

/// Starts the page.
pub fn page() {
    console_error_panic_hook::set_once();
    app::start();
}

/// Starts the engine, in a worker.
pub fn engine() {
    console_error_panic_hook::set_once();
    worker::start(js_sys::global().unchecked_into());
}

// The functions' own tests run where the page runs.
#[cfg(test)]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
