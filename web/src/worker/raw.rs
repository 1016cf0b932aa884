//! Reads a record as it is written in its file: its bytes are read again, because the text is not kept.

use js_sys::{ArrayBuffer, Uint8Array};
use queryscope::protocol::{RawPlace, RawRecord};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, MessageChannel};

use super::{Turn, WorkerState};
use crate::words;

/// Reads the record at `place`.
pub async fn read(worker: &WorkerState, place: &RawPlace) -> Result<RawRecord, String> {
    let file = worker.files.borrow().get(&place.file).cloned().ok_or(words::reading::NOT_OPEN)?;
    let gone = || words::reading::not_read_again(&place.name);
    if place.packed {
        let text = unpacked(worker, place, &file).await.ok_or_else(gone)?;
        return Ok(worker.session.borrow().raw(place, &text));
    }
    let (start, end) = (place.offset as f64, place.offset as f64 + f64::from(place.length));
    let part = file.slice_with_f64_and_f64(start, end).map_err(|_| gone())?;
    let text = bytes(&part).await.ok_or_else(gone)?;
    Ok(worker.session.borrow().raw(place, &text))
}

/// Number of stored bytes that are unpacked at a time; other requests are answered between two parts.
const PART: f64 = 256.0 * 1024.0;

async fn unpacked(worker: &WorkerState, place: &RawPlace, file: &Blob) -> Option<Vec<u8>> {
    let (job, mut reread) = (worker.job.get(), worker.session.borrow().reread(place)?);
    let turn = Turn(MessageChannel::new().ok());
    let (mut at, mut goes_on) = (reread.start() as f64, true);
    while goes_on && at < file.size() && worker.job.get() == job {
        let end = file.size().min(at + PART);
        let part = bytes(&file.slice_with_f64_and_f64(at, end).ok()?).await?;
        let mut rest = &part[..];
        while reread.push_step(&mut rest) {
            turn.pass().await;
            if worker.job.get() != job {
                return None;
            }
        }
        goes_on = reread.needs_more();
        at = end;
    }
    reread.finish()
}

async fn bytes(blob: &Blob) -> Option<Vec<u8>> {
    let buffer = JsFuture::from(blob.array_buffer()).await.ok()?;
    Some(Uint8Array::new(buffer.unchecked_ref::<ArrayBuffer>()).to_vec())
}
