//! Traces that the browser keeps because the user wants to open them again.

use js_sys::{Array, Promise};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::js_values::{list, message, text, value};
use crate::messages::Source;

#[wasm_bindgen]
extern "C" {
    /// The shell's store of traces (see `assets/recents.js`).
    #[derive(Clone, PartialEq, Debug)]
    pub type TraceStore;
    #[wasm_bindgen(method)]
    fn list(this: &TraceStore) -> Promise;
    #[wasm_bindgen(method)]
    fn keep(this: &TraceStore, name: &str, bytes: f64, sources: &JsValue) -> Promise;
    #[wasm_bindgen(method)]
    fn take(this: &TraceStore, key: &str) -> Promise;
    #[wasm_bindgen(method)]
    fn remove(this: &TraceStore, key: Option<&str>) -> Promise;
}

/// A kept trace.
#[derive(Clone, PartialEq, Debug)]
pub struct RecentTrace {
    /// Identifies the trace in the store.
    pub key: String,
    /// Name of the trace, as in the title of the page.
    pub name: String,
    /// Size of its files in bytes.
    pub bytes: u64,
    /// Time at which it was opened last, in milliseconds since 1970.
    pub opened: f64,
}

/// Outcome of keeping a trace.
pub enum KeepOutcome {
    /// The trace is kept; names of the traces that were deleted to make room.
    Kept(Vec<String>),
    /// The trace is larger than this number of bytes and is not kept.
    TooLarge(u64),
    /// The browser's storage has no room for the trace.
    Full,
}

/// Text for the user on why the browser's storage cannot be used.
type StorageError = String;

fn reason(error: &JsValue) -> StorageError {
    message(error).trim_end_matches('.').to_owned()
}

impl TraceStore {
    /// All kept traces, the last opened first.
    pub async fn all(&self) -> Result<Vec<RecentTrace>, StorageError> {
        let list = JsFuture::from(self.list()).await.map_err(|error| reason(&error))?;
        let trace = |trace: JsValue| {
            Some(RecentTrace {
                key: text(&trace, "key")?,
                name: text(&trace, "name")?,
                bytes: value(&trace, "bytes").as_f64()? as u64,
                opened: value(&trace, "opened").as_f64()?,
            })
        };
        Ok(Array::from(&list).iter().filter_map(trace).collect())
    }

    /// Stores a trace that consists of `sources` and has `bytes` bytes in total. Deletes the least recently opened
    /// traces if there are too many or they are too large together.
    pub async fn store(
        &self,
        name: &str,
        bytes: u64,
        sources: &[Source],
    ) -> Result<KeepOutcome, StorageError> {
        let sources = serde_wasm_bindgen::to_value(sources).map_err(|error| error.to_string())?;
        let kept = JsFuture::from(self.keep(name, bytes as f64, &sources)).await;
        let kept = kept.map_err(|error| reason(&error))?;
        if value(&kept, "isFull").is_truthy() {
            return Ok(KeepOutcome::Full);
        }
        Ok(match value(&kept, "limit").as_f64() {
            Some(limit) => KeepOutcome::TooLarge(limit as u64),
            None => KeepOutcome::Kept(list(&kept, "deleted").iter().filter_map(JsValue::as_string).collect()),
        })
    }

    /// The sources of a kept trace.
    pub async fn sources(&self, key: &str) -> Result<Vec<Source>, StorageError> {
        let sources = JsFuture::from(self.take(key)).await.map_err(|error| reason(&error))?;
        serde_wasm_bindgen::from_value(sources).map_err(|error| error.to_string())
    }

    /// Deletes a kept trace; `None` deletes all.
    pub async fn delete(&self, key: Option<&str>) -> Result<(), StorageError> {
        JsFuture::from(self.remove(key)).await.map(drop).map_err(|error| reason(&error))
    }
}
