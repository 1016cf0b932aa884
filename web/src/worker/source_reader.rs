//! Reads files and addresses, one after the other; small files are requested in advance, while others are parsed.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::stream::{self, CancelHandle, Stream};
use crate::messages::Source;
use crate::words;

/// Largest file that is read as a whole, in bytes.
const SMALL: f64 = 1_048_576.0;
/// Maximum number of bytes of small files that are requested in advance.
const ASKED: f64 = 4.0 * SMALL;
/// Maximum number of prepared steps: a small file takes three, and its bytes arrive a millisecond after the request.
const AHEAD: usize = 192;
/// If parsing takes longer than this, in milliseconds, fewer bytes are read the next time, so that requests and "cancel" are
/// received in between. (Bytes may unpack to a hundred times as many.)
const SLOW_MS: f64 = 60.0;
const FAST_MS: f64 = 40.0;
const FEWEST: u32 = 1 << 16;

/// The next step of reading.
pub enum ReadStep {
    /// A file, an address or a pasted text begins.
    Open(Source),
    /// The current address has this length in bytes.
    Length(u64),
    /// Next bytes of the current source, valid until the next step.
    Bytes(Uint8Array),
    /// The current source ends; with a reason if it could not be read to its end.
    Close(Option<String>),
}

enum Prefetched {
    Open(Source),
    /// Promise of all bytes of a file, and their number. The future handles a rejection from the start, so that the browser
    /// does not report a promise that fails before its turn or is not needed any more.
    Whole(JsFuture, f64),
    Stream(web_sys::File),
    Fetch(String),
    /// The browser could not open the file, so there is nothing to read.
    Refused,
    Close,
}

/// Reads sources in order.
pub struct SourceReader<'a> {
    waiting: &'a RefCell<VecDeque<Source>>,
    cancel: Rc<CancelHandle>,
    ahead: VecDeque<Prefetched>,
    /// Number of bytes that were requested and not taken yet.
    asked: f64,
    stream: Option<Stream>,
    /// Number of bytes of a stream to request at a time.
    length: u32,
}

impl<'a> SourceReader<'a> {
    /// Creates a reader of the sources in `waiting`, to which more may be added while it reads. After reading was
    /// cancelled, it begins no further source.
    pub fn new(waiting: &'a RefCell<VecDeque<Source>>, cancel: Rc<CancelHandle>) -> Self {
        Self { waiting, cancel, ahead: VecDeque::new(), asked: 0.0, stream: None, length: stream::LARGEST }
    }

    /// The next step; `None` after the last. If reading was stopped, the current source ends.
    pub async fn next(&mut self) -> Option<ReadStep> {
        loop {
            if let Some(stream) = &mut self.stream {
                match stream.next(self.length, &self.cancel).await {
                    Ok(Some(bytes)) => return Some(ReadStep::Bytes(bytes)),
                    Ok(None) => self.stream = None,
                    Err(reason) => return Some(self.broken(reason)),
                }
            }
            // After a cancellation, the waiting sources may belong to the next load.
            if self.cancel.is_stopped() && self.has_more() {
                return Some(ReadStep::Close(None));
            }
            self.fill();
            match self.ahead.pop_front()? {
                Prefetched::Open(source) => return Some(ReadStep::Open(source)),
                Prefetched::Close => return Some(ReadStep::Close(None)),
                Prefetched::Refused => {
                    return Some(self.broken(words::reading::NO_PERMISSION_TO_OPEN.to_owned()));
                }
                Prefetched::Stream(file) => self.stream = Some(Stream::of_file(file, &self.cancel)),
                Prefetched::Fetch(url) => match Stream::of_address(&url, &self.cancel).await {
                    Ok((stream, length)) => {
                        self.stream = Some(stream);
                        if let Some(length) = length {
                            return Some(ReadStep::Length(length));
                        }
                    }
                    Err(reason) => return Some(self.broken(reason)),
                },
                Prefetched::Whole(bytes, length) => {
                    self.asked -= length;
                    return Some(match bytes.await {
                        Ok(buffer) => ReadStep::Bytes(Uint8Array::new(buffer.unchecked_ref::<ArrayBuffer>())),
                        Err(error) => self.broken(stream::reason(&error)),
                    });
                }
            }
        }
    }

    /// Adapts the number of bytes to request to the time in milliseconds that parsing the last bytes took.
    pub fn took(&mut self, milliseconds: f64) {
        if milliseconds > SLOW_MS {
            self.length = (self.length / 2).max(FEWEST);
        } else if milliseconds < FAST_MS {
            self.length = (self.length * 2).min(stream::LARGEST);
        }
    }

    fn has_more(&self) -> bool {
        !self.ahead.is_empty() || !self.waiting.borrow().is_empty()
    }

    /// Number of sources that have not begun.
    pub fn sources(&self) -> usize {
        let ahead = self.ahead.iter().filter(|ahead| matches!(ahead, Prefetched::Open(_)));
        ahead.count() + self.waiting.borrow().len()
    }

    /// Returns the prefetched sources that have not begun and will not be read.
    pub fn give_up(&mut self) -> Vec<Source> {
        self.stream = None;
        let ahead = self.ahead.drain(..).filter_map(|ahead| match ahead {
            Prefetched::Open(source) => Some(source),
            _ => None,
        });
        ahead.collect()
    }

    /// Ends the current source with a reason; its remaining bytes are not read.
    fn broken(&mut self, reason: String) -> ReadStep {
        self.stream = None;
        // The step that would read the source was already taken, so the next prepared step is the source's end.
        self.ahead.pop_front();
        ReadStep::Close(Some(reason))
    }

    fn fill(&mut self) {
        while self.ahead.len() < AHEAD && self.asked < ASKED {
            let Some(source) = self.waiting.borrow_mut().pop_front() else { return };
            self.ahead.push_back(Prefetched::Open(source.clone()));
            match source {
                Source::File { file, .. } if file.size() > SMALL => {
                    self.ahead.push_back(Prefetched::Stream(file))
                }
                Source::File { file, .. } => {
                    self.asked += file.size();
                    self.ahead.push_back(Prefetched::Whole(file.array_buffer().into(), file.size()));
                }
                Source::Url { url, .. } => self.ahead.push_back(Prefetched::Fetch(url)),
                Source::Unreadable { .. } => self.ahead.push_back(Prefetched::Refused),
            }
            self.ahead.push_back(Prefetched::Close);
        }
    }
}
