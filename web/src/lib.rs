//! The page. It knows no file format and opens no trace: it sends requests to the worker and draws the replies.
//!
//! ```text
//! main thread   app ─ state ─ components (panels)          worker thread   worker ─ Session (the engine)
//!                │      └──── timeline ─ canvas (painting)                    │  └─ bytes
//!                └─ client ──────────── messages ─────────────────────────────┘
//! ```
//! The page and the engine are two programs of this package, built together. The engine is downloaded when it is needed to
//! read files.

pub mod app;
pub mod canvas;
pub mod client;
pub mod components;
pub mod events;
mod exports;
pub mod files;
pub mod host;
pub mod input;
mod item_links;
pub mod js_values;
mod link_files;
pub mod messages;
pub mod navigation;
pub mod remote;
pub mod shells;
pub mod spawn_engine;
pub mod sql_client;
pub mod state;
pub mod stored_trace;
pub mod timeline;
pub mod ui;
pub mod url;
pub mod viewer;
pub mod views;
pub mod whole_viewer;
pub mod words;
mod worker;

use wasm_bindgen::JsCast;

/// Logs panics to the browser's console.
pub fn report_panics() {
    console_error_panic_hook::set_once();
}

/// Starts the engine in the current worker.
pub fn engine() {
    report_panics();
    worker::start(js_sys::global().unchecked_into());
}

// Unit tests run in a browser, like the page.
#[cfg(test)]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
