//! Reads all waiting sources, reports progress, and shows intermediate timelines.

mod messages;
mod unpack;

use std::rc::Rc;

use js_sys::Array;
use queryscope::internal::pivot::has_event_names;
use queryscope::internal::stats::{
    first_path, has_critical_path, has_parallel, has_plans, has_transactions, n_queries, n_tables,
    reconstructed,
};
use queryscope::protocol::Subset;
use queryscope::trace::{Kind, TrackId, TrackKind};
use wasm_bindgen::JsCast;
use web_sys::{Blob, MessageChannel};

use super::source_reader::SourceReader;
use super::stream::CancelHandle;
use super::{Turn, WorkerState, idle};
use crate::messages::{FromWorker, Progress, Source, TraceInfo};
use crate::words::reading::{self, capitalised, sentence, share};
use messages::{kinds, nothing_shown, title, warnings};

/// Minimum milliseconds between two progress messages: each repaints the page, which without a GPU takes time from reading.
const PROGRESS_MS: f64 = 200.0;
/// Loads that take fewer milliseconds than this show no intermediate timeline.
const FIRST_PICTURE_MS: f64 = 80.0;
/// If reading the rest is expected to take fewer milliseconds than this, no intermediate timeline is drawn, as it would delay the complete one.
const NEARLY_MS: f64 = 300.0;
/// An intermediate timeline is drawn after this many times its expected cost has passed since the previous one.
const PICTURE_SHARE: f64 = 20.0;
/// As [`PICTURE_SHARE`], while the remaining reading time is at least [`LONG_MS`].
const LONG_SHARE: f64 = 4.0;
const LONG_MS: f64 = 12_000.0;
/// While reading takes at least [`STEADY_MS`] more, an intermediate timeline is drawn once this many times as many
/// events as in the previous one were read.
const STEADY_GROWTH: u64 = 3;
const STEADY_MS: f64 = 4_000.0;
/// Minimum cost that is assumed for an intermediate timeline, because the page has work with it, too.
const SMALLEST_COST_MS: f64 = 10.0;
/// In fast loads, an intermediate timeline is drawn once this many times as many events as in the previous one were
/// read, so that all intermediate timelines together cost less than the complete one.
const PICTURE_GROWTH: u64 = 6;
/// In fast loads, intermediate timelines are drawn only in the first sixth of the bytes.
const PICTURE_PART: u64 = 6;
const SOON_MS: f64 = 1_000.0;

/// If drawing the complete timeline takes more milliseconds than this, the page announces it, because it shows an intermediate
/// timeline until then.
const LONG_PICTURE_MS: f64 = 500.0;

/// Interval in milliseconds at which reading pauses to receive requests and "cancel".
const HEARING_MS: f64 = 12.0;

/// Default memory limit in bytes, at which reading ends: the trace needs as much memory again, and a page can have at most
/// 4 GiB.
const ENOUGH: u64 = 1_600 << 20;

/// Reads sources until none is waiting, then shows the trace.
pub async fn run(worker: Rc<WorkerState>, fresh: bool) {
    let mut load = WorkerLoad::new(&worker, fresh);
    let cancel = Rc::<CancelHandle>::default();
    worker.cancel.replace(cancel.clone());
    let mut reader = SourceReader::new(&worker.waiting, cancel);
    let turn = Turn(MessageChannel::new().ok());
    load.tell(&reader);
    while let Some(step) = reader.next().await {
        if worker.job.get() != load.job {
            return;
        }
        if !worker.cancelled.get() {
            let before = now();
            load.take(step, &reader, &turn).await;
            if worker.job.get() != load.job {
                return;
            }
            reader.took(now() - before);
        }
        if worker.cancelled.get() {
            load.stop(&mut reader, reading::CANCELLED);
            break;
        }
        if load.has_enough() && !load.has_all() {
            load.stop(&mut reader, reading::MEMORY_FULL);
            load.is_full();
            break;
        }
        if load.is_over_limit() {
            load.stop(&mut reader, reading::LIMIT_REACHED);
            break;
        }
        load.tell_and_show(&reader);
        load.hear(&turn).await;
    }
    if worker.job.get() == load.job {
        worker.reading.set(false);
        load.is_complete(&reader);
        load.finish();
        if !worker.waiting.borrow().is_empty() {
            return worker.read(false);
        }
        idle::look_ahead(&worker).await;
    }
}

struct WorkerLoad<'a> {
    worker: &'a WorkerState,
    job: u32,
    fresh: bool,
    /// The session's number of the first file of this load.
    first: u32,
    began: f64,
    told: f64,
    /// Moment at which the first bytes were read, in milliseconds, and their number: the speed is estimated from there,
    /// so that it does not include the time before the first bytes.
    flows: Option<(f64, u64)>,
    /// Time at which messages were last received.
    heard: f64,
    shown: Option<Picture>,
    progress: Progress,
    /// The session's number of the open file, and its source.
    open: Option<(u32, Source)>,
    /// Whether the size of the address that is being read is known.
    measured: bool,
    /// Whether more data is to be unpacked from the bytes read.
    unpacks: bool,
    fetched: u64,
    /// Bytes of the current address, kept by the browser because they cannot be downloaded again.
    chunks: Array,
    /// Headline and reason of the first source that could not be read completely.
    broken: Option<(String, String)>,
    /// Number of files that could not be read.
    unread: u32,
    /// Whether the memory limit was reached.
    full: bool,
    buffer: Vec<u8>,
    /// Memory of the engine in bytes after it was last extended.
    taken: u64,
}

/// An intermediate timeline.
struct Picture {
    at: f64,
    events: u64,
    /// Cost in milliseconds per event.
    cost: f64,
    /// Total time in milliseconds that was spent on answering requests when the timeline was drawn. Answers since then
    /// are part of its cost, because the page requests all its data again for a new timeline.
    answering: f64,
}

impl<'a> WorkerLoad<'a> {
    fn new(worker: &'a WorkerState, fresh: bool) -> Self {
        Self {
            worker,
            job: worker.job.get(),
            fresh,
            first: worker.opened.get(),
            began: now(),
            told: 0.0,
            flows: None,
            heard: now(),
            shown: None,
            progress: Progress::default(),
            open: None,
            measured: false,
            unpacks: false,
            fetched: 0,
            chunks: Array::new(),
            broken: None,
            unread: 0,
            full: false,
            buffer: Vec::new(),
            taken: 0,
        }
    }

    /// Receives messages, at most every [`HEARING_MS`] milliseconds.
    async fn hear(&mut self, turn: &Turn) {
        if now() - self.heard >= HEARING_MS {
            turn.pass().await;
            self.heard = now();
        }
    }

    fn begin(&mut self, source: Source) {
        let name = source.name();
        let number = self.worker.begin(&source);
        if let Source::File { file, .. } = &source {
            self.worker.files.borrow_mut().insert(number, file.clone().into());
        }
        self.progress.name = name;
        self.progress.file += 1;
        self.open = Some((number, source));
    }

    /// Finishes a closed source; `reason` states why it could not be read to its end.
    fn end(&mut self, reason: Option<String>) {
        let Some((number, source)) = self.open.take() else { return };
        if let Source::Url { .. } = source {
            let fetched = std::mem::take(&mut self.fetched);
            if !std::mem::take(&mut self.measured) {
                self.worker.measure(fetched);
            }
            let chunks = std::mem::replace(&mut self.chunks, Array::new());
            if let Ok(blob) = Blob::new_with_u8_array_sequence(&chunks) {
                self.worker.files.borrow_mut().insert(number, blob);
            }
        }
        let Some(reason) = reason else { return };
        self.unread += 1;
        if self.broken.is_none() {
            self.broken = Some((self.headline(number, &source), sentence(&reason)));
        }
    }

    /// Headline about a file that could not be read to its end.
    fn headline(&self, number: u32, source: &Source) -> String {
        let report = self.worker.session.borrow().report();
        let file = report.iter().find(|file| file.opened == Some(number));
        match file.map_or(0, |file| file.bytes) {
            0 => reading::not_read(&source.name()),
            read => reading::partly_read(&share(read, source.bytes()), &source.name()),
        }
    }

    /// Stops reading; sources that were not read appear in the report with the reason `why`.
    #[inline(never)]
    fn stop(&mut self, reader: &mut SourceReader, why: &str) {
        // A cancellation has already dropped the waiting sources; files dropped since then will be read.
        if !self.worker.cancelled.get() {
            self.worker.give_up();
        }
        let left = reader.give_up().into_iter().chain(self.worker.given_up.take());
        let earlier = self.broken.take();
        if self.open.is_some() {
            self.break_off(reading::stopped_here(why));
        }
        for source in left {
            self.begin(source);
            self.break_off(reading::stopped_before(why));
        }
        // The user knows why the remaining sources are missing, but not that a source failed before.
        self.unread = 0;
        self.broken = earlier.or_else(|| Some((capitalised(why), self.extent())));
    }

    fn break_off(&mut self, reason: String) {
        self.worker.session.borrow_mut().stop(&reason);
        self.end(Some(reason));
    }

    /// Text on how much was read when reading stopped.
    fn extent(&self) -> String {
        let read = share(self.progress.bytes, self.worker.total());
        let is_shown = self.worker.session.borrow().n_records() > 0;
        reading::extent(&read, &self.progress.name, self.progress.file, is_shown)
    }

    /// Sets the message for full memory, which explains the consequences to the user.
    #[inline(never)]
    fn is_full(&mut self) {
        let session = self.worker.session.borrow();
        let text = reading::memory_full(session.opened().0, session.subset_choices().runs.len());
        let read = share(self.progress.bytes, self.worker.total());
        self.broken = Some((reading::only(&read), text));
        self.full = true;
    }

    /// Whether more bytes were read than the page around the viewer allows.
    fn is_over_limit(&self) -> bool {
        let limit = self.worker.options.borrow().max_bytes;
        limit.is_some_and(|limit| self.progress.bytes > limit)
    }

    /// Whether all bytes were read and unpacked.
    fn has_all(&self) -> bool {
        self.worker.total() == Some(self.progress.bytes) && !self.unpacks
    }

    #[inline(never)]
    fn tell_and_show(&mut self, reader: &SourceReader) {
        if now() - self.told >= PROGRESS_MS {
            self.tell(reader);
        }
        if self.picture_is_due() {
            let before = now();
            let items = self.worker.build();
            let (at, events) = (now(), self.worker.session.borrow().n_records());
            let cost = (at - before) / events as f64;
            self.shown = Some(Picture { at, events, cost, answering: self.worker.answering.get() });
            self.worker.say(&FromWorker::Opened { info: info(self.worker), partial: true, items });
        }
    }

    fn picture_is_due(&self) -> bool {
        let events = self.worker.session.borrow().n_records();
        if self.open.is_none() || events == 0 {
            return false;
        }
        let Some(shown) = &self.shown else {
            return now() - self.began >= FIRST_PICTURE_MS && self.left() >= NEARLY_MS;
        };
        let answers = self.worker.answering.get() - shown.answering;
        let cost = (shown.cost * events as f64).max(SMALLEST_COST_MS) + answers;
        let stands = now() - shown.at;
        let is_cheap =
            stands >= PICTURE_SHARE * cost || (stands >= LONG_SHARE * cost && self.left() >= LONG_MS);
        let is_early = self.worker.total().is_some_and(|all| self.progress.bytes < all / PICTURE_PART);
        let is_steady = events >= shown.events * STEADY_GROWTH && self.left() >= STEADY_MS;
        is_cheap
            || is_steady
            || (is_early && events >= shown.events * PICTURE_GROWTH && self.left() >= SOON_MS)
    }

    /// Estimated time in milliseconds until reading ends, at the speed so far.
    fn left(&self) -> f64 {
        let Some((total, (at, bytes))) = self.worker.total().zip(self.flows) else { return f64::INFINITY };
        let (read, rest) = (self.progress.bytes - bytes, total.saturating_sub(self.progress.bytes));
        (now() - at) * rest as f64 / read as f64
    }

    fn tell(&mut self, reader: &SourceReader) {
        self.told = now();
        let files = self.progress.file + reader.sources() as u32;
        // Before the first file begins, there is no name to show.
        self.progress.files = if self.progress.file > 0 { files } else { 0 };
        // A server may report the compressed size, which is less than the bytes read: then the total is unknown.
        self.progress.total = self.worker.total().filter(|total| *total >= self.progress.bytes);
        self.progress.events = self.worker.session.borrow().n_records();
        self.progress.elapsed = (self.told - self.began) as u32;
        self.progress.memory = memory();
        self.worker.say(&FromWorker::Progress(self.progress.clone()));
    }

    /// Announces that drawing the complete timeline takes long, so that users know why the intermediate timeline does
    /// not change.
    fn is_complete(&mut self, reader: &SourceReader) {
        let events = self.worker.session.borrow().n_records() as f64;
        let is_long = self.shown.as_ref().is_some_and(|shown| shown.cost * events > LONG_PICTURE_MS);
        self.progress.complete = is_long && !self.worker.cancelled.get();
        if self.progress.complete {
            self.tell(reader);
        }
    }

    #[inline(never)]
    fn finish(&mut self) {
        let items = self.worker.build();
        let info = info(self.worker);
        let failure = self.failure(&info);
        let shows = info.items > 0 || info.tables > 0;
        // Next to a shown trace, files that are not traces would go unnoticed without a warning.
        let report = self.worker.session.borrow().report();
        let mut warning = warnings(&report, self.first).filter(|_| shows);
        if shows || !self.fresh {
            self.worker.say(&FromWorker::Opened { info, partial: false, items });
        }
        if let Some((title, mut text)) = failure {
            if let Some((warning, _)) = warning.take() {
                text = format!("{text} {warning}");
            }
            self.worker.say(&FromWorker::Failed { title, text, full: self.full });
        }
        if let Some((title, text)) = warning {
            self.worker.say(&FromWorker::Warning { title, text });
        }
        // The page renders this information before it requests the scene, so there is time to prepare the scene.
        self.worker.session.borrow_mut().draw_ahead();
        if self.progress.complete || self.worker.cancelled.get() {
            self.worker.say(&FromWorker::Drawn);
        }
    }

    /// Headline and text if there is nothing to show, or if a source could not be read.
    fn failure(&self, info: &TraceInfo) -> Option<(String, String)> {
        if let Some((title, text)) = self.broken.clone() {
            let more = reading::more_not_read(self.unread.saturating_sub(1).into());
            return Some((title, text + if self.unread > 1 { &more } else { "" }));
        }
        if info.items > 0 || info.tables > 0 {
            return None;
        }
        Some(nothing_shown(&self.worker.session.borrow().report()))
    }
}

#[inline(never)]
fn info(worker: &WorkerState) -> TraceInfo {
    let session = worker.session.borrow();
    let (trace, report) = (session.trace(), session.report());
    let (files, bytes) = session.opened();
    let mut formats: Vec<String> = Vec::new();
    for file in report.iter().filter(|file| file.recognised) {
        if !formats.contains(&file.format) {
            formats.push(file.format.clone());
        }
    }
    TraceInfo {
        name: title(&report, files),
        files,
        formats,
        bytes,
        runs: trace.runs.len() as u32,
        queries: n_queries(trace),
        events: session.n_records(),
        problems: kinds(&report),
        items: trace.spans.len() as u64 + trace.events.len() as u64,
        end: trace.end(),
        parallel: has_parallel(trace),
        critical: has_critical_path(trace),
        plans: has_plans(trace),
        counters: (0..trace.tracks.len() as u32)
            .any(|id| trace.tracks.kind(TrackId(id)) == TrackKind::Counter),
        transactions: has_transactions(trace),
        sources: trace.spans.has(Kind::Source),
        executions: trace.spans.has(Kind::Execution),
        buffers: trace.events.has(Kind::Buffer),
        waits: trace.spans.has(Kind::Wait),
        idle: trace.spans.has(Kind::Idle),
        flame: first_path(trace),
        reconstructed: reconstructed(trace),
        server: has_event_names(trace),
        tables: n_tables(trace),
        build: worker.build.get(),
        is_part: worker.options.borrow().part != Subset::default(),
        counted_from: session.counted_from().unwrap_or_default(),
        cut: (trace.cut.before, trace.cut.after),
        memory: memory(),
        session_state: state_with_notes(&session.saved().state, &session.saved().notes),
    }
}

/// The state of a session file, with its notes on the whole trace. A viewer writes its notes to the state as well; the
/// command line and other programs give them as text only, one note per line.
fn state_with_notes(state: &str, notes: &str) -> String {
    let note = |line: &str| format!("note=trace,{}", js_sys::encode_uri_component(line));
    let is_written = state.split('&').any(|part| part.starts_with("note="));
    let lines = notes.lines().map(str::trim).filter(|line| !line.is_empty() && !is_written);
    let parts = std::iter::once(state.to_owned()).filter(|state| !state.is_empty());
    parts.chain(lines.map(note)).collect::<Vec<_>>().join("&")
}

/// Memory allocated by the engine, in bytes.
fn memory() -> u64 {
    let memory: js_sys::WebAssembly::Memory = wasm_bindgen::memory().unchecked_into();
    let buffer: js_sys::ArrayBuffer = memory.buffer().unchecked_into();
    u64::from(buffer.byte_length())
}

/// Current time in milliseconds since 1970.
fn now() -> f64 {
    js_sys::Date::now()
}
