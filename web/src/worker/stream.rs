//! Bytes of a file or an address, as the browser gets hold of them.
//!
//! A browser hands the bytes of a file over in small pieces. It is fastest where it may write them into memory that was
//! used before: whoever asks for slices waits half as long again, for a buffer of its own for each of them.

use std::cell::RefCell;

use js_sys::{ArrayBuffer, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, DedicatedWorkerGlobalScope as Scope, File, ReadableStream, ReadableStreamByobReader,
    ReadableStreamDefaultReader, ReadableStreamGetReaderOptions, ReadableStreamReaderMode, RequestInit,
    Response,
};

use crate::words::reading;

/// A file's bytes are written into so much memory, if that many are there.
pub const LARGEST: u32 = 1 << 20;

#[wasm_bindgen]
extern "C" {
    /// A [`ReadableStream`] of a browser that may not have both kinds of readers.
    type Bytes;
    #[wasm_bindgen(method, catch, js_name = getReader)]
    fn reader(
        this: &Bytes,
        options: &ReadableStreamGetReaderOptions,
    ) -> Result<ReadableStreamByobReader, JsValue>;
}

/// What is being read.
pub struct Stream {
    reader: Reader,
    /// The file, and where the next bytes are.
    file: Option<(File, f64)>,
    /// Where the next bytes are written to, unless they are for whoever asks.
    buffer: ArrayBuffer,
}

#[derive(Clone)]
enum Reader {
    /// Writes into what it is given.
    Into(ReadableStreamByobReader),
    /// Gives new memory each time.
    New(ReadableStreamDefaultReader),
}

/// What to stop when nobody wants to read any more.
#[derive(Default)]
pub struct CancelHandle(RefCell<Open>);

#[derive(Default)]
enum Open {
    #[default]
    Nothing,
    File(Reader),
    Address(AbortController),
    /// Reading was stopped.
    Stopped,
}

impl CancelHandle {
    /// Whoever waits for bytes learns at once that none come.
    pub fn stop(&self) {
        match self.0.replace(Open::Stopped) {
            Open::File(reader) => reader.cancel(),
            Open::Address(request) => request.abort(),
            Open::Nothing | Open::Stopped => {}
        }
    }

    fn holds(&self, open: Open) {
        if !self.is_stopped() {
            self.0.replace(open);
        }
    }

    /// Whether reading was stopped.
    pub fn is_stopped(&self) -> bool {
        matches!(*self.0.borrow(), Open::Stopped)
    }
}

impl Stream {
    /// The bytes of a file.
    pub fn of_file(file: File, cancel: &CancelHandle) -> Self {
        let stream = file.stream();
        let options = ReadableStreamGetReaderOptions::new();
        options.set_mode(ReadableStreamReaderMode::Byob);
        let reader = match stream.unchecked_ref::<Bytes>().reader(&options) {
            Ok(reader) => Reader::Into(reader),
            Err(_) => Reader::of(&stream),
        };
        cancel.holds(Open::File(reader.clone()));
        Self { reader, file: Some((file, 0.0)), buffer: ArrayBuffer::new(LARGEST) }
    }

    /// What an address answers, and how long it is, if it says so.
    ///
    /// # Errors
    /// Why there is nothing to read.
    pub async fn of_address(url: &str, cancel: &CancelHandle) -> Result<(Self, Option<u64>), String> {
        let scope: Scope = js_sys::global().unchecked_into();
        let refused = |_| reading::NOT_FETCHED.to_owned();
        let options = RequestInit::new();
        if let Ok(request) = AbortController::new() {
            options.set_signal(Some(&request.signal()));
            cancel.holds(Open::Address(request));
        }
        let response = JsFuture::from(scope.fetch_with_str_and_init(url, &options)).await.map_err(refused)?;
        let (body, length) = body(&response.unchecked_into())?;
        Ok((Self { reader: Reader::of(&body), file: None, buffer: ArrayBuffer::new(0) }, length))
    }

    /// The next bytes, at most so many of a file; `None` at its end, or when nobody wants them any more. They are there
    /// until the next are asked for.
    ///
    /// # Errors
    /// Why it could not be read to its end.
    pub async fn next(&mut self, length: u32, cancel: &CancelHandle) -> Result<Option<Uint8Array>, String> {
        let answer = JsFuture::from(self.reader.read(&self.buffer, length)).await.and_then(|result| {
            let done = Reflect::get(&result, &"done".into())?.is_truthy();
            Ok((!done).then_some(Reflect::get(&result, &"value".into())?.unchecked_into::<Uint8Array>()))
        });
        if cancel.is_stopped() {
            return Ok(None);
        }
        let Some((file, at)) = &mut self.file else { return answer.map_err(|error| reason(&error)) };
        match answer {
            Ok(Some(bytes)) => {
                *at += f64::from(bytes.length());
                self.buffer = bytes.buffer();
                Ok(Some(bytes))
            }
            Ok(None) if *at >= file.size() => Ok(None),
            // What became of a file a stream does not tell.
            Ok(None) => {
                Err(what_happened(file, *at).await.unwrap_or_else(|| reading::BECAME_SHORTER.to_owned()))
            }
            Err(error) => Err(what_happened(file, *at).await.unwrap_or_else(|| reason(&error))),
        }
    }
}

impl Reader {
    fn of(stream: &ReadableStream) -> Self {
        Reader::New(stream.get_reader().unchecked_into())
    }

    fn read(&self, buffer: &ArrayBuffer, length: u32) -> Promise {
        match self {
            Reader::Into(reader) => {
                let view = Uint8Array::new_with_byte_offset_and_length(buffer, 0, length);
                reader.read_with_array_buffer_view(&view)
            }
            Reader::New(reader) => reader.read(),
        }
    }

    fn cancel(&self) {
        let cancelled = match self {
            Reader::Into(reader) => reader.cancel(),
            Reader::New(reader) => reader.cancel(),
        };
        // Whether it could be is nobody's concern, and no error that the browser should tell of.
        drop(JsFuture::from(cancelled));
    }
}

/// What a server sends, and how long it is, if it says so.
fn body(response: &Response) -> Result<(ReadableStream, Option<u64>), String> {
    match response.status() {
        _ if response.ok() => {}
        status @ (404 | 410) => return Err(reading::not_found(status)),
        status @ (401 | 403) => return Err(reading::forbidden(status)),
        status => return Err(reading::answered(status, &response.status_text())),
    }
    let body = response.body().ok_or(reading::EMPTY_ANSWER)?;
    let header = |name: &str| response.headers().get(name).ok().flatten();
    // Of what travels compressed the length is another one.
    let length = header("content-length").filter(|_| header("content-encoding").is_none());
    Ok((body, length.and_then(|length| length.parse().ok())))
}

/// Why nothing can be read at a place of a file; `None` if something can.
async fn what_happened(file: &File, at: f64) -> Option<String> {
    let byte = match file.slice_with_f64_and_f64(at, at + 1.0) {
        Ok(byte) => JsFuture::from(byte.array_buffer()).await,
        Err(error) => Err(error),
    };
    byte.err().map(|error| reason(&error))
}

/// Why reading failed, as the user can act upon it.
pub fn reason(error: &JsValue) -> String {
    let exception = error.dyn_ref::<web_sys::DomException>();
    match exception.map(web_sys::DomException::name).as_deref() {
        Some("NotReadableError") => reading::CHANGED.to_owned(),
        Some("NotFoundError") => reading::GONE.to_owned(),
        Some("NotAllowedError" | "SecurityError") => reading::NO_PERMISSION_TO_READ.to_owned(),
        _ => match error.dyn_ref::<js_sys::Error>() {
            Some(error) => reading::failed(&String::from(error.message())),
            None => reading::FAILED.to_owned(),
        },
    }
}
