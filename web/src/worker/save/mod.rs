//! Saves the trace: as a session file, as an HTML file with the viewer and a session file, or in the format of another
//! program.
//!
//! Files are read in slices and compressed by the browser, which stores the output, so that a large trace is never in
//! the engine's memory a second time.

mod foreign;
mod form;
mod pack;
mod zip;

use std::rc::Rc;

use base64::{Engine as _, engine::general_purpose::STANDARD};
use js_sys::{Array, Uint8Array};
use queryscope::export::{ForeignSummary, SinglePage};
use queryscope::import::SavedSession;
use queryscope::internal::session_file::{TRACES, session_entry, state_kept, trace_path};
use queryscope::protocol::ExportSpec;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, Response};

use super::{WorkerState, pause};
use crate::messages::{FromWorker, SaveForm, SaveOrder};
use crate::words::save as words;
pub use form::CountedContent;
use form::FileType;
use pack::{Compressor, Packer};
use zip::StoredEntry;

/// Name of the entry with the state of the views, first in a session file.
const STATE_ENTRY: &str = "session.json";
/// File name extension of session files.
const ENDING: &str = ".queryscope";
/// Bytes of a session that are written to an HTML file at a time: a multiple of three, so that their base64 needs no padding.
const PART: f64 = 786_432.0;
/// Number of such parts that are joined, so that the browser can keep them outside of its memory.
const JOINED: u32 = 16;
/// Time in milliseconds between two reports of progress.
const REPORT_MS: f64 = 200.0;
/// Largest session in an HTML file, in bytes: its base64 is one string, which has at most 512 MiB in Chromium.
const MOST_IN_HTML: f64 = 380e6;

/// Describes the dialog, or writes the file and reports progress and result.
pub async fn run(worker: Rc<WorkerState>, order: SaveOrder, template: JsValue) {
    let mut saving =
        Saving { job: worker.save.get(), form: form::describe(&worker, &order), has_archives: false, worker };
    saving.say(&JsValue::UNDEFINED);
    if saving.form.failed {
        return;
    }
    // The fields are shown before the content is counted, and a newer order cancels the counting.
    pause(0).await;
    if !saving.is_wanted() {
        return;
    }
    saving.has_archives = has_archives(&saving.worker).await;
    form::add_preview(&mut saving.form, &saving.worker, &order, saving.has_archives);
    saving.say(&JsValue::UNDEFINED);
    if !order.write {
        return;
    }
    match saving.write(&order, template).await {
        Ok(Some((file, summary))) => {
            let lists = [&summary.removed[..], &summary.not_written, &summary.notes];
            saving.form.status = words::saved(&saving.form.name, file.size() as u64, lists);
            saving.form.progress = None;
            saving.say(&file);
        }
        // A newer order was received meanwhile.
        Ok(None) => {}
        Err(reason) => {
            saving.form.status = reason;
            saving.form.progress = None;
            saving.form.failed = true;
            saving.say(&JsValue::UNDEFINED);
        }
    }
}

/// A file that is being written.
struct Saving {
    worker: Rc<WorkerState>,
    job: u32,
    form: SaveForm,
    /// Whether an archive was opened that a session file cannot hold.
    has_archives: bool,
}

/// A file of the trace: name and content.
type TraceFile = (String, Blob);

impl Saving {
    fn say(&self, file: &JsValue) {
        if self.is_wanted() {
            self.worker.say(&FromWorker::Save { form: self.form.clone(), file: file.clone() });
        }
    }

    /// Whether no newer order was received.
    fn is_wanted(&self) -> bool {
        self.worker.save.get() == self.job
    }

    /// Writes the file; returns it with the lists of removed and unsupported data, or `None` if a newer order was received.
    async fn write(
        &mut self,
        order: &SaveOrder,
        template: JsValue,
    ) -> Result<Option<(Blob, ForeignSummary)>, String> {
        let spec = form::spec(order, self.worker.session.borrow().trace());
        let file_type = FileType::of(order);
        if let FileType::Foreign(format) = file_type {
            return self.foreign(format, &spec).await;
        }
        let mut removed = self.worker.session.borrow().saved().removed.clone();
        let entries = if spec.is_whole() && !self.has_archives {
            self.files().await?
        } else {
            self.export(&spec, &mut removed).await?
        };
        let Some(mut entries) = entries else { return Ok(None) };
        let is_redacted = spec.redaction.is_any() || !removed.is_empty();
        let state = state_kept(&order.state, is_redacted);
        let saved = SavedSession { state, notes: order.notes.clone(), removed: removed.clone() };
        let entry = pack::stored(STATE_ENTRY.to_owned(), &session_entry(&saved));
        entries.insert(0, entry.ok_or(words::NO_ROOM)?);
        let session = zip::archive(&entries)?;
        let is_html = file_type == FileType::Html;
        let file = if is_html { self.html(&session, template).await? } else { Some(session) };
        Ok(file.map(|file| (file, ForeignSummary { removed, ..ForeignSummary::default() })))
    }

    /// Entries with the open files, unchanged; `None` if a newer order was received.
    async fn files(&mut self) -> Result<Option<Vec<StoredEntry>>, String> {
        let files = files(&self.worker);
        let total = files.iter().map(|(_, file)| file.size() as u64).sum();
        let mut packer = Packer::new();
        let mut entries: Vec<StoredEntry> = Vec::new();
        for (name, file) in files {
            if zip::begins_with(&file, STATE_ENTRY).await {
                let inner = zip::entries(&file).await.ok_or(words::DAMAGED_SESSION)?;
                for mut entry in inner.into_iter().filter(|entry| entry.name.starts_with(TRACES)) {
                    entry.name = free_path(&entries, entry.name.trim_start_matches(TRACES));
                    entries.push(entry);
                }
                continue;
            }
            let name = free_path(&entries, &name);
            match packer.pack(name, &file, |done| self.goes_on(done, total)).await? {
                Some(entry) => entries.push(entry),
                None => return Ok(None),
            }
        }
        if entries.is_empty() { Err(words::NO_FILE.to_owned()) } else { Ok(Some(entries)) }
    }

    /// An entry with a part of the trace in the format of queryscope; adds what was removed to `removed`. `None` if a newer order was received,
    /// or the trace was built again.
    async fn export(
        &mut self,
        spec: &ExportSpec,
        removed: &mut Vec<String>,
    ) -> Result<Option<Vec<StoredEntry>>, String> {
        let load = self.worker.job.get();
        let build = self.worker.build.get();
        let total = form::counted_bytes(&self.worker);
        let mut export = self.worker.session.borrow().export(spec);
        let mut compressor = Compressor::begin()?;
        let mut part = Vec::new();
        let mut reported = 0.0;
        let mut goes_on = true;
        while goes_on {
            part.clear();
            goes_on = export.step(self.worker.session.borrow().trace(), &mut part);
            compressor.push(&part).await?;
            if js_sys::Date::now() - reported > REPORT_MS {
                reported = js_sys::Date::now();
                self.goes_on(compressor.size(), total.max(compressor.size()));
                pause(0).await;
            }
            // In another build of the trace, item codes have other meanings.
            if !self.is_wanted() || (self.worker.job.get(), self.worker.build.get()) != (load, build) {
                return Ok(None);
            }
        }
        removed.extend(export.removed());
        let stem = self.form.name.trim_end_matches(".html").trim_end_matches(ENDING);
        let name = free_path(&[], &format!("{stem}{ENDING}.ndjson"));
        compressor.end(name).await.map(|entry| Some(vec![entry]))
    }

    /// Reports progress; returns whether the file is still wanted.
    fn goes_on(&mut self, done: u64, total: u64) -> bool {
        self.form.progress = Some((done, total));
        self.form.status = words::saving(done, total);
        self.say(&JsValue::UNDEFINED);
        self.is_wanted()
    }

    /// Puts a session into the viewer's HTML file.
    async fn html(&self, session: &Blob, template: JsValue) -> Result<Option<Blob>, String> {
        if session.size() > MOST_IN_HTML {
            return Err(words::TOO_LARGE_FOR_HTML.to_owned());
        }
        let text = template_text(template).await.ok_or(words::NO_TEMPLATE)?;
        let title = self.form.name.trim_end_matches(".html");
        let (before, after) = SinglePage::new(&text).map_err(|_| words::NO_TEMPLATE)?.around(title);
        let parts = Array::of1(&before.into());
        let mut joined = Array::new();
        let mut at = 0.0;
        while at < session.size() {
            let part = zip::slice(session, at, (at + PART).min(session.size()));
            let bytes = zip::bytes(&part.ok_or(words::TOO_LARGE)?).await.ok_or(words::TOO_LARGE)?;
            if !self.is_wanted() {
                return Ok(None);
            }
            joined.push(&Uint8Array::from(STANDARD.encode(bytes).as_bytes()));
            if joined.length() == JOINED {
                parts.push(blob(&std::mem::take(&mut joined))?.as_ref());
            }
            at += PART;
        }
        parts.push(blob(&joined)?.as_ref());
        parts.push(&after.into());
        let options = BlobPropertyBag::new();
        options.set_type("text/html");
        let file = Blob::new_with_str_sequence_and_options(&parts, &options);
        file.map(Some).map_err(|_| words::TOO_LARGE.to_owned())
    }
}

fn blob(parts: &Array) -> Result<Blob, String> {
    Blob::new_with_u8_array_sequence(parts).map_err(|_| words::TOO_LARGE.to_owned())
}

/// The open files that can be read again, by their number.
fn files(worker: &WorkerState) -> Vec<TraceFile> {
    let opened = worker.files.borrow();
    let names = worker.names.borrow();
    let mut numbers: Vec<u32> = opened.keys().copied().collect();
    numbers.sort_unstable();
    let file = |number: u32| Some((names.get(number as usize)?.clone(), opened.get(&number)?.clone()));
    numbers.into_iter().filter_map(file).collect()
}

/// Whether an archive was opened that is no session file: a session file cannot hold it, since an archive in an archive is not
/// opened.
async fn has_archives(worker: &WorkerState) -> bool {
    let report = worker.session.borrow().report();
    let is_file = |number: u32| report.iter().any(|file| file.opened == Some(number));
    let opened = worker.files.borrow().clone();
    for (number, file) in opened {
        if !is_file(number) && !zip::begins_with(&file, STATE_ENTRY).await {
            return true;
        }
    }
    false
}

/// Path of a trace in the archive, different from all other paths.
fn free_path(entries: &[StoredEntry], name: &str) -> String {
    trace_path(name, |path| entries.iter().any(|entry| entry.name == path))
}

/// Reads the viewer's HTML file from its address or `Blob`.
async fn template_text(template: JsValue) -> Option<String> {
    let blob = match template.dyn_into::<Blob>() {
        Ok(blob) => blob,
        Err(address) => {
            let scope: super::Scope = js_sys::global().unchecked_into();
            let response = JsFuture::from(scope.fetch_with_str(&address.as_string()?)).await.ok()?;
            let response: Response = response.unchecked_into();
            let body = response.blob().ok().filter(|_| response.ok())?;
            JsFuture::from(body).await.ok()?.unchecked_into()
        }
    };
    JsFuture::from(blob.text()).await.ok()?.as_string()
}

#[cfg(test)]
mod tests {
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    fn the_state_is_json() {
        let notes = "\"</script>\"\n".to_owned();
        let saved =
            SavedSession { state: "view=flame".to_owned(), notes, removed: vec!["1 \"x\"".to_owned()] };
        let found = String::from_utf8(session_entry(&saved)).expect("text");
        let value = js_sys::JSON::parse(&found).expect("JSON");
        let field = |name: &str| js_sys::Reflect::get(&value, &name.into()).expect("a field");
        assert_eq!(field("state").as_string().as_deref(), Some("view=flame"));
        assert_eq!(field("notes").as_string().as_deref(), Some("\"</script>\"\n"));
        assert_eq!(Array::from(&field("removed")).get(0).as_string().as_deref(), Some("1 \"x\""));
    }

    #[wasm_bindgen_test]
    fn the_state_has_no_addresses_and_nothing_that_was_removed() {
        let state = "v=3&trace=a.json&view=flame&find=secret&where=secret&file=secret&pins=0123456789&note=trace,x&embed=1";
        assert_eq!(
            state_kept(state, false),
            "v=3&view=flame&find=secret&where=secret&pins=0123456789&note=trace,x"
        );
        assert_eq!(state_kept(state, true), "v=3&view=flame&note=trace,x");
        assert_eq!(state_kept("", true), "");
    }
}
