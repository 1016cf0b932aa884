//! Reads the bytes of files and addresses in the browser.
//!
//! A browser returns the bytes of a file in small pieces. Writing them to a reused buffer is fastest: reading slices, with a
//! new buffer for each slice, takes one and a half times as long.

use std::cell::RefCell;

use js_sys::{ArrayBuffer, Promise, Reflect, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, File, ReadableStream, ReadableStreamByobReader, ReadableStreamDefaultReader,
    ReadableStreamGetReaderOptions, ReadableStreamReaderMode, Response,
};

use super::download::Download;

use crate::words::reading;

/// Size in bytes of the buffer to which a file's bytes are written, and maximum number of bytes read at a time.
pub const LARGEST: u32 = 1 << 20;

#[wasm_bindgen]
extern "C" {
    /// A [`ReadableStream`] in a browser that may not have byte-stream readers.
    type Bytes;
    #[wasm_bindgen(method, catch, js_name = getReader)]
    fn reader(
        this: &Bytes,
        options: &ReadableStreamGetReaderOptions,
    ) -> Result<ReadableStreamByobReader, JsValue>;
}

/// A file or address that is being read.
pub struct Stream {
    reader: Reader,
    /// The file and the position of its next bytes; `None` for an address.
    file: Option<(File, f64)>,
    /// Buffer to which the next bytes are written, unless the reader allocates its own.
    buffer: ArrayBuffer,
    /// For an address: the running request.
    download: Option<Download>,
}

#[derive(Clone)]
enum Reader {
    /// Writes to a given buffer.
    Into(ReadableStreamByobReader),
    /// Allocates a new buffer for each read.
    New(ReadableStreamDefaultReader),
}

/// Handle that stops the current reading.
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
    /// Stops reading; a pending read ends at once without bytes.
    pub fn stop(&self) {
        match self.0.replace(Open::Stopped) {
            Open::File(reader) => reader.cancel(),
            Open::Address(request) => request.abort(),
            Open::Nothing | Open::Stopped => {}
        }
    }

    /// Remembers the request of an address, to abort it when reading is stopped.
    pub fn holds_request(&self, request: AbortController) {
        self.holds(Open::Address(request));
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
    /// Opens a file.
    pub fn of_file(file: File, cancel: &CancelHandle) -> Self {
        let stream = file.stream();
        let options = ReadableStreamGetReaderOptions::new();
        options.set_mode(ReadableStreamReaderMode::Byob);
        let reader = match stream.unchecked_ref::<Bytes>().reader(&options) {
            Ok(reader) => Reader::Into(reader),
            Err(_) => Reader::of(&stream),
        };
        cancel.holds(Open::File(reader.clone()));
        Self { reader, file: Some((file, 0.0)), buffer: ArrayBuffer::new(LARGEST), download: None }
    }

    /// Opens an address; returns the stream and its length in bytes, if the server reports it.
    ///
    /// # Errors
    /// If the address cannot be read, with a text for the user.
    pub async fn of_address(url: &str, cancel: &CancelHandle) -> Result<(Self, Option<u64>), String> {
        let (mut download, response) = Download::start(url, cancel).await?;
        let (body, length) = body(&response)?;
        download.may_be_page = Download::is_page(&response);
        let download = Some(download);
        Ok((Self { reader: Reader::of(&body), file: None, buffer: ArrayBuffer::new(0), download }, length))
    }

    /// Reads the next bytes, at most `length` of a file; `None` at the end or after reading was stopped. The bytes are valid
    /// until the next call.
    ///
    /// # Errors
    /// If the source could not be read to its end, with a text for the user.
    pub async fn next(&mut self, length: u32, cancel: &CancelHandle) -> Result<Option<Uint8Array>, String> {
        let reading = JsFuture::from(self.reader.read(&self.buffer, length));
        let answer = match &mut self.download {
            Some(download) => download.within_time(reading).await,
            None => reading.await,
        };
        let answer = answer.and_then(|result| {
            let done = Reflect::get(&result, &"done".into())?.is_truthy();
            Ok((!done).then_some(Reflect::get(&result, &"value".into())?.unchecked_into::<Uint8Array>()))
        });
        if cancel.is_stopped() {
            return Ok(None);
        }
        if let Some(download) = &mut self.download {
            return download.check(answer);
        }
        let Some((file, at)) = &mut self.file else { return answer.map_err(|error| reason(&error)) };
        match answer {
            Ok(Some(bytes)) => {
                *at += f64::from(bytes.length());
                self.buffer = bytes.buffer();
                Ok(Some(bytes))
            }
            Ok(None) if *at >= file.size() => Ok(None),
            // The stream does not report what happened to the file.
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
        // Awaiting the result marks a rejection as handled, so that the browser does not report it.
        drop(JsFuture::from(cancelled));
    }
}

/// The body of a response, and its length in bytes if the server reports it.
fn body(response: &Response) -> Result<(ReadableStream, Option<u64>), String> {
    match response.status() {
        _ if response.ok() => {}
        status @ (404 | 410) => return Err(reading::not_found(status)),
        status @ (401 | 403) => return Err(reading::forbidden(status)),
        status => return Err(reading::answered(status, &response.status_text())),
    }
    let body = response.body().ok_or(reading::EMPTY_ANSWER)?;
    let header = |name: &str| response.headers().get(name).ok().flatten();
    // For a compressed body, the header states another length.
    let length = header("content-length").filter(|_| header("content-encoding").is_none());
    Ok((body, length.and_then(|length| length.parse().ok())))
}

/// Why a file cannot be read at a position; `None` if it can be read.
async fn what_happened(file: &File, at: f64) -> Option<String> {
    let byte = match file.slice_with_f64_and_f64(at, at + 1.0) {
        Ok(byte) => JsFuture::from(byte.array_buffer()).await,
        Err(error) => Err(error),
    };
    byte.err().map(|error| reason(&error))
}

/// Text for the user on why reading failed.
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
