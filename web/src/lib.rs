//! The page. It knows no file format and opens no trace: it asks the worker, and draws what comes back.
//!
//! ```text
//! main thread   app ─ state ─ components (panels)          worker thread   worker ─ Session (the engine)
//!                │      └──── timeline ─ canvas (painting)                    │  └─ bytes ─ reader thread
//!                └─ client ──────────── messages ─────────────────────────────┘
//! ```
//! All threads run this one program: the page hands its compiled module to the worker, so that they can never
//! be of different builds and nothing is fetched or compiled twice.

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

/// Starts the page in a window, the worker anywhere else.
pub fn run() {
    console_error_panic_hook::set_once();
    match js_sys::global().dyn_into::<web_sys::Window>() {
        Ok(_) => app::start(),
        Err(global) => worker::start(global.unchecked_into()),
    }
}

// The functions' own tests run where the page runs.
#[cfg(test)]
wasm_bindgen_test::wasm_bindgen_test_configure!(run_in_browser);
