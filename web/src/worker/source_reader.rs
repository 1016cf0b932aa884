//! Files and addresses, one after the other: the bytes of small files are asked for ahead, while others are parsed.

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
/// Bytes of small files that are requested at the same time.
const ASKED: f64 = 4.0 * SMALL;
/// So many steps are prepared: a small file takes three, and its bytes come a millisecond after they are asked for.
const AHEAD: usize = 192;
/// Bytes that are parsed longer than this (they may unpack to a hundred times as many) are fewer the next time, so that
/// questions and "cancel" are heard in between.
const SLOW_MS: f64 = 60.0;
const FAST_MS: f64 = 40.0;
const FEWEST: u32 = 1 << 16;

/// What comes next.
pub enum ReadStep {
    /// The next file, address or pasted text begins.
    Open(Source),
    /// An address says how long it is.
    Length(u64),
    /// Its next bytes, which are there until the next step.
    Bytes(Uint8Array),
    /// It ends: with a reason, if it could not be read to its end.
    Close(Option<String>),
}

enum Prefetched {
    Open(Source),
    /// All bytes of a file, and how many. Somebody listens to their promise from the start: one that fails before its turn
    /// comes, or that nobody waits for any more, is no error that the browser should tell of.
    Whole(JsFuture, f64),
    Stream(web_sys::File),
    Fetch(String),
    /// There is nothing to read: the browser did not open it.
    Refused,
    Close,
}

/// The sources in order.
pub struct SourceReader<'a> {
    waiting: &'a RefCell<VecDeque<Source>>,
    cancel: Rc<CancelHandle>,
    ahead: VecDeque<Prefetched>,
    /// Bytes asked for and not taken yet.
    asked: f64,
    stream: Option<Stream>,
    /// How many bytes of a stream are asked for.
    length: u32,
}

impl<'a> SourceReader<'a> {
    /// Takes its sources from `waiting`, which may grow meanwhile; once reading was cancelled, nothing is taken from there.
    pub fn new(waiting: &'a RefCell<VecDeque<Source>>, cancel: Rc<CancelHandle>) -> Self {
        Self { waiting, cancel, ahead: VecDeque::new(), asked: 0.0, stream: None, length: stream::LARGEST }
    }

    /// The next step; `None` when all is read. Where reading was stopped, the source that is read ends.
    pub async fn next(&mut self) -> Option<ReadStep> {
        loop {
            if let Some(stream) = &mut self.stream {
                match stream.next(self.length, &self.cancel).await {
                    Ok(Some(bytes)) => return Some(ReadStep::Bytes(bytes)),
                    Ok(None) => self.stream = None,
                    Err(reason) => return Some(self.broken(reason)),
                }
            }
            // What waits may be for somebody else by now.
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

    /// How long the last bytes took to parse: the next are more or fewer.
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

    /// How many sources are not begun.
    pub fn sources(&self) -> usize {
        let ahead = self.ahead.iter().filter(|ahead| matches!(ahead, Prefetched::Open(_)));
        ahead.count() + self.waiting.borrow().len()
    }

    /// The sources that were not begun, and that will not be.
    pub fn give_up(&mut self) -> Vec<Source> {
        self.stream = None;
        let ahead = self.ahead.drain(..).filter_map(|ahead| match ahead {
            Prefetched::Open(source) => Some(source),
            _ => None,
        });
        ahead.collect()
    }

    /// Ends the source that is being read; the rest of it is not asked for.
    fn broken(&mut self, reason: String) -> ReadStep {
        self.stream = None;
        // What was to be read of it was taken, and behind that stands its end.
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
                Source::Url { url } => self.ahead.push_back(Prefetched::Fetch(url)),
                Source::Unreadable { .. } => self.ahead.push_back(Prefetched::Refused),
            }
            self.ahead.push_back(Prefetched::Close);
        }
    }
}
