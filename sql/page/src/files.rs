//! The files of a data set in a worker: at an address, read by requests for ranges of bytes, several at a time, or dropped on the page.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ops::Range;

use bytes::Bytes;
use futures_channel::oneshot;
use js_sys::{Array, Uint8Array};
use queryscope_sql::dataset::{DatasetFiles, MANIFEST, ReadFailure, Reading};
use wasm_bindgen::prelude::*;
use web_sys::{File, FileReaderSync, XmlHttpRequest, XmlHttpRequestResponseType};

use crate::worker::{go_on, property, tell_progress};

/// Requests at the same time: browsers send no more than 6 to a server of HTTP/1.1, and the next ones wait there.
const AT_ONCE: usize = 8;
const NO_RANGES: &str = "the server sends whole files only. Serve the data set by a server that answers requests for ranges of bytes (Accept-Ranges), or download it and open its folder";
const NO_MANIFEST: &str =
    "the server answered 404. Check the address: a data set has its manifest in its folder";
const UNREACHABLE: &str = "it could not be fetched. Check the address and the connection; a server of another origin must send the header Access-Control-Allow-Origin";

/// A data set at an address.
#[derive(Debug)]
pub struct AddressFiles {
    /// Address of the folder, with `/` at its end.
    folder: String,
}

impl AddressFiles {
    /// `address` is that of the manifest or of its folder.
    pub fn new(address: &str) -> Self {
        let address = address.split(['?', '#']).next().unwrap_or_default();
        let folder = address.strip_suffix(MANIFEST).unwrap_or(address);
        let folder = if folder.ends_with('/') { folder.to_owned() } else { format!("{folder}/") };
        Self { folder }
    }

    fn fetch(&self, path: &str, wanted: Wanted) -> Reading {
        let parts: Vec<String> = path.split('/').map(quoted).collect();
        let address = format!("{}{}", self.folder, parts.join("/"));
        let (sender, receiver) = oneshot::channel();
        let request = || -> Result<XmlHttpRequest, JsValue> {
            let request = XmlHttpRequest::new()?;
            request.open_with_async("GET", &address, true)?;
            request.set_response_type(XmlHttpRequestResponseType::Arraybuffer);
            HEAR.with(|hear| {
                let hear = Some(hear.as_ref().unchecked_ref());
                request.set_onreadystatechange(hear);
                match &wanted {
                    // The end of a range in a request is its last byte.
                    Wanted::Range(range) => request
                        .set_request_header("Range", &format!("bytes={}-{}", range.start, range.end - 1)),
                    Wanted::Whole(_) => Ok(request.set_onprogress(hear)),
                }
            })?;
            Ok(request)
        };
        if let Ok(request) = request() {
            let sent = SentRequest { request: request.clone(), sender, wanted };
            SENT.with_borrow_mut(|all| all.push(sent));
            if request.send().is_err() {
                SENT.with_borrow_mut(|all| all.retain(|sent| sent.request != request));
            }
        }
        // A request that could not be sent has no sender.
        Box::pin(async { receiver.await.unwrap_or_else(|_| Err(no_access(UNREACHABLE))) })
    }
}

/// A request whose answer is not there yet.
struct SentRequest {
    request: XmlHttpRequest,
    sender: oneshot::Sender<Result<Bytes, ReadFailure>>,
    wanted: Wanted,
}

/// Which bytes of a file are requested.
enum Wanted {
    /// A range of bytes.
    Range(Range<u64>),
    /// All bytes, if they are not more than this number.
    Whole(u64),
}

thread_local! {
    static SENT: RefCell<Vec<SentRequest>> = RefCell::default();
    /// Hears of all requests.
    static HEAR: Closure<dyn FnMut(JsValue)> = Closure::new(|event: JsValue| {
        let target = property(&event, "target");
        let at = SENT.with_borrow(|sent| sent.iter().position(|sent| sent.is_of(&target)));
        let Some(at) = at else { return };
        let loaded = property(&event, "loaded").as_f64().unwrap_or(0.0);
        let answer = SENT.with_borrow(|sent| sent[at].answer(loaded as u64));
        if let Some(answer) = answer {
            let sent = SENT.with_borrow_mut(|sent| sent.swap_remove(at));
            tell_progress(answer.as_ref().map_or(0, |bytes| bytes.len() as u64));
            // Whoever wanted it may have ended by the error of another read.
            let _ = sent.sender.send(answer);
            go_on();
        }
    });
}

impl SentRequest {
    fn is_of(&self, target: &JsValue) -> bool {
        AsRef::<JsValue>::as_ref(&self.request) == target
    }

    /// The answer, if it is there. `loaded` is the number of bytes that have come so far; 0 if it is not known.
    fn answer(&self, loaded: u64) -> Option<Result<Bytes, ReadFailure>> {
        let (state, status) = (self.request.ready_state(), self.request.status().unwrap_or(0));
        let failure = match &self.wanted {
            Wanted::Range(_) if state >= XmlHttpRequest::HEADERS_RECEIVED && status == 200 => {
                Some(ReadFailure::Server(NO_RANGES.to_owned()))
            }
            Wanted::Whole(most) if loaded > *most => Some(ReadFailure::too_long(*most)),
            _ => None,
        };
        if let Some(failure) = failure {
            // The rest of the file is not wanted.
            self.request.set_onreadystatechange(None);
            let _ = self.request.abort();
            return Some(Err(failure));
        }
        if state != XmlHttpRequest::DONE {
            return None;
        }
        let is_range = matches!(self.wanted, Wanted::Range(..));
        Some(match status {
            200 | 206 => {
                Ok(Bytes::from(Uint8Array::new(&self.request.response().unwrap_or_default()).to_vec()))
            }
            0 => Err(no_access(UNREACHABLE)),
            416 => Err(ReadFailure::File("the file is shorter than the manifest says".to_owned())),
            404 if is_range => Err(ReadFailure::File("the server answered 404".to_owned())),
            404 => Err(no_access(NO_MANIFEST)),
            status => {
                Err(no_access(&format!("the server answered {status}. Try again, or ask its operator")))
            }
        })
    }
}

fn no_access(reason: &str) -> ReadFailure {
    ReadFailure::Access(reason.to_owned())
}

/// A part of a path in an address.
fn quoted(part: &str) -> String {
    String::from(js_sys::encode_uri_component(part)).replace("%3D", "=")
}

impl DatasetFiles for AddressFiles {
    fn place(&self, path: &str) -> String {
        format!("{}{path}", self.folder)
    }

    fn read_whole(&self, path: &str, most: u64) -> Reading {
        self.fetch(path, Wanted::Whole(most))
    }

    fn read_range(&self, path: &str, range: Range<u64>) -> Reading {
        if range.is_empty() {
            return Box::pin(std::future::ready(Ok(Bytes::new())));
        }
        self.fetch(path, Wanted::Range(range))
    }

    fn size(&self, _: &str) -> Result<Option<u64>, ReadFailure> {
        Ok(None)
    }

    fn bytes_of_a_request(&self) -> u64 {
        64 << 10
    }

    fn reads_at_once(&self) -> usize {
        AT_ONCE
    }
}

thread_local! {
    /// Handles of dropped files, by their paths in the data set. They cannot leave this thread.
    static DROPPED: RefCell<HashMap<String, File>> = RefCell::default();
}

/// A data set that was dropped on the page.
#[derive(Debug)]
pub struct DroppedFiles;

impl DroppedFiles {
    /// `files` holds a path and a file handle in turn.
    pub fn new(files: &Array) -> Self {
        let pair = |at: u32| Some((files.get(at).as_string()?, files.get(at + 1).dyn_into().ok()?));
        DROPPED.replace((0..files.length()).step_by(2).filter_map(pair).collect());
        Self
    }

    fn file(path: &str) -> Result<File, ReadFailure> {
        let file = DROPPED.with_borrow(|files| files.get(path).cloned());
        file.ok_or_else(|| {
            no_access("it is not among the opened files. Open the whole folder of the data set")
        })
    }

    fn read(path: &str, range: Range<u64>) -> Result<Bytes, ReadFailure> {
        let file = Self::file(path)?;
        let read = || {
            let part = file.slice_with_f64_and_f64(range.start as f64, range.end as f64)?;
            FileReaderSync::new()?.read_as_array_buffer(&part)
        };
        let read = read().map_err(|_| no_access("it can no longer be read. Open the folder again"))?;
        let bytes = Bytes::from(Uint8Array::new(&read).to_vec());
        tell_progress(bytes.len() as u64);
        Ok(bytes)
    }
}

impl DatasetFiles for DroppedFiles {
    fn place(&self, path: &str) -> String {
        path.to_owned()
    }

    fn read_whole(&self, path: &str, most: u64) -> Reading {
        match Self::file(path) {
            Ok(file) if file.size() as u64 > most => {
                Box::pin(std::future::ready(Err(ReadFailure::too_long(most))))
            }
            Ok(file) => self.read_range(path, 0..file.size() as u64),
            Err(reason) => Box::pin(std::future::ready(Err(reason))),
        }
    }

    fn read_range(&self, path: &str, range: Range<u64>) -> Reading {
        Box::pin(std::future::ready(Self::read(path, range)))
    }

    fn size(&self, path: &str) -> Result<Option<u64>, ReadFailure> {
        Ok(Some(Self::file(path)?.size() as u64))
    }

    fn bytes_of_a_request(&self) -> u64 {
        64 << 10
    }

    fn reads_at_once(&self) -> usize {
        1
    }
}
