//! Bytes of files and addresses, one source after the other.
//!
//! Handing bytes over takes the browser longer than a fast format reader needs to read them: slices are asked for
//! ahead, across files, while the last one is parsed.

use std::cell::RefCell;
use std::collections::VecDeque;

use js_sys::{ArrayBuffer, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DedicatedWorkerGlobalScope, File, ReadableStreamDefaultReader, Response};

use super::reader::Reader;
use crate::messages::Source;

const MIB: f64 = 1024.0 * 1024.0;
const SMALLEST: f64 = MIB / 4.0;
const LARGEST: f64 = 8.0 * MIB;
/// So many slices are asked for while one is parsed: the browser has something to do while a picture is made.
const SLICES: f64 = 2.0;
/// So many steps are prepared: a small file takes three, and its bytes come a millisecond after they are asked for.
const AHEAD: usize = 192;
/// A slice that is parsed longer than this (it may unpack to a hundred times its size) is halved, so that
/// questions and "cancel" are heard between slices.
const SLOW_MS: f64 = 60.0;
const FAST_MS: f64 = 40.0;

/// What comes next.
pub enum Step {
    /// A source begins.
    Open(Source),
    /// An address says how long it is.
    Length(u64),
    /// Its next bytes.
    Bytes(Uint8Array),
    /// It ends: with a reason, if it could not be read to its end.
    Close(Option<String>),
}

enum Ahead {
    Open(Source),
    /// Somebody listens to its promise from the start: one that fails before its turn comes is no error that the browser
    /// should tell of.
    Slice(JsFuture, f64),
    Fetch(String),
    /// There is nothing to read: the browser did not open it.
    Refused,
    Close,
}

/// The sources in order, read ahead.
pub struct Feed<'a> {
    reader: &'a Reader,
    waiting: &'a RefCell<VecDeque<Source>>,
    ahead: VecDeque<Ahead>,
    /// Bytes asked for and not taken yet.
    asked: f64,
    /// The file that is being cut into slices, and how far.
    cutting: Option<(File, f64)>,
    stream: Option<ReadableStreamDefaultReader>,
    slice: f64,
}

impl<'a> Feed<'a> {
    /// Takes its sources from `waiting`, which may grow meanwhile.
    pub fn new(waiting: &'a RefCell<VecDeque<Source>>, reader: &'a Reader) -> Self {
        Self { reader, waiting, ahead: VecDeque::new(), asked: 0.0, cutting: None, stream: None, slice: MIB }
    }

    /// The next step; `None` when all is read.
    pub async fn next(&mut self) -> Option<Step> {
        loop {
            if let Some(reader) = &self.stream {
                match read_chunk(reader).await {
                    Ok(Some(bytes)) => return Some(Step::Bytes(bytes)),
                    Ok(None) => self.stream = None,
                    Err(error) => return Some(self.broken(reason(&error))),
                }
            }
            self.fill();
            match self.ahead.pop_front()? {
                Ahead::Open(source) => return Some(Step::Open(source)),
                Ahead::Close => return Some(Step::Close(None)),
                Ahead::Refused => {
                    return Some(self.broken("the browser was not allowed to open it".to_owned()));
                }
                Ahead::Fetch(url) => match fetch(&url).await {
                    Ok((reader, length)) => {
                        self.stream = Some(reader);
                        if let Some(length) = length {
                            return Some(Step::Length(length));
                        }
                    }
                    Err(reason) => return Some(self.broken(reason)),
                },
                Ahead::Slice(bytes, length) => {
                    self.asked -= length;
                    return Some(match bytes.await {
                        Ok(buffer) => Step::Bytes(Uint8Array::new(buffer.unchecked_ref::<ArrayBuffer>())),
                        Err(error) => self.broken(reason(&error)),
                    });
                }
            }
        }
    }

    /// How long the last bytes took to parse: the next slices become larger or smaller.
    pub fn took(&mut self, milliseconds: f64) {
        if milliseconds > SLOW_MS {
            self.slice = (self.slice / 2.0).max(SMALLEST);
        } else if milliseconds < FAST_MS {
            self.slice = (self.slice * 2.0).min(LARGEST);
        }
    }

    /// How many sources are not begun.
    pub fn sources(&self) -> usize {
        let ahead = self.ahead.iter().filter(|ahead| matches!(ahead, Ahead::Open(_)));
        ahead.count() + self.waiting.borrow().len()
    }

    /// The sources that were not begun, and that will not be.
    pub fn give_up(&mut self) -> Vec<Source> {
        self.cutting = None;
        let ahead = self.ahead.drain(..).filter_map(|ahead| match ahead {
            Ahead::Open(source) => Some(source),
            _ => None,
        });
        ahead.chain(self.waiting.take()).collect()
    }

    /// Ends the source that is being read; the rest of it is not asked for.
    fn broken(&mut self, reason: String) -> Step {
        self.stream = None;
        while let Some(ahead) = self.ahead.pop_front() {
            match ahead {
                Ahead::Slice(_, length) => self.asked -= length,
                Ahead::Close => return Step::Close(Some(reason)),
                _ => {}
            }
        }
        // Its end was not reached yet: it is the one that is being cut.
        self.cutting = None;
        Step::Close(Some(reason))
    }

    fn fill(&mut self) {
        while self.ahead.len() < AHEAD && self.asked < self.slice * SLICES {
            if let Some((file, start)) = self.cutting.take() {
                self.cut(file, start);
            } else {
                let Some(source) = self.waiting.borrow_mut().pop_front() else { return };
                self.ahead.push_back(Ahead::Open(source.clone()));
                match source {
                    Source::File { file, .. } => self.cutting = Some((file, 0.0)),
                    Source::Url { url } => self.ahead.extend([Ahead::Fetch(url), Ahead::Close]),
                    Source::Closed { .. } => self.ahead.extend([Ahead::Refused, Ahead::Close]),
                }
            }
        }
    }

    fn cut(&mut self, file: File, start: f64) {
        let end = (start + self.slice).min(file.size());
        if start >= end {
            self.ahead.push_back(Ahead::Close);
            return;
        }
        let bytes = self.reader.read(&file, start, end).into();
        self.asked += end - start;
        self.ahead.push_back(Ahead::Slice(bytes, end - start));
        self.cutting = Some((file, end));
    }
}

/// What an address answers, and how long it is, if it says so.
async fn fetch(url: &str) -> Result<(ReadableStreamDefaultReader, Option<u64>), String> {
    let scope: DedicatedWorkerGlobalScope = js_sys::global().unchecked_into();
    let refused = |_| {
        "it could not be fetched: the server cannot be reached, or it does not allow this page to read the file \
         (CORS: the server must answer with “Access-Control-Allow-Origin”)"
            .to_owned()
    };
    let response: Response =
        JsFuture::from(scope.fetch_with_str(url)).await.map_err(refused)?.unchecked_into();
    match response.status() {
        _ if response.ok() => {}
        404 | 410 => {
            return Err(format!(
                "there is no file at this address (the server answered {})",
                response.status()
            ));
        }
        401 | 403 => return Err(format!("the server does not allow it (it answered {})", response.status())),
        status => return Err(format!("the server answered {status} {}", response.status_text())),
    }
    let body = response.body().ok_or("the server's answer is empty")?;
    let header = |name: &str| response.headers().get(name).ok().flatten();
    // Of what travels compressed the length is another one.
    let length = header("content-length").filter(|_| header("content-encoding").is_none());
    Ok((body.get_reader().unchecked_into(), length.and_then(|length| length.parse().ok())))
}

async fn read_chunk(reader: &ReadableStreamDefaultReader) -> Result<Option<Uint8Array>, JsValue> {
    let result = JsFuture::from(reader.read()).await?;
    if Reflect::get(&result, &"done".into())?.is_truthy() {
        return Ok(None);
    }
    Ok(Some(Reflect::get(&result, &"value".into())?.unchecked_into()))
}

/// Why reading failed, as the user can act upon it.
fn reason(error: &JsValue) -> String {
    let exception = error.dyn_ref::<web_sys::DomException>();
    match exception.map(web_sys::DomException::name).as_deref() {
        Some("NotReadableError") => {
            "it was changed, moved or locked after it was opened, or nobody gave the right to read it"
                .to_owned()
        }
        Some("NotFoundError") => "it is not there any more".to_owned(),
        Some("NotAllowedError" | "SecurityError") => "the browser was not allowed to read it".to_owned(),
        _ => match error.dyn_ref::<js_sys::Error>() {
            Some(error) => format!("reading it failed: {}", String::from(error.message())),
            None => "reading it failed".to_owned(),
        },
    }
}
