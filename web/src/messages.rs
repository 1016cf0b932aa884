//! What the page and the worker say to each other.
//!
//! Numbers of 64 bits travel as bytes: a JavaScript number is exact only below 2⁵³.

use js_sys::Uint8Array;
use queryscope::protocol::{AnyReply, AnyRequest, FrameDimension, RawPlace, RawRecord, Subset};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};

/// From the page to the worker.
#[derive(Serialize, Deserialize)]
pub enum ToWorker {
    /// Reads these, one after the other.
    Open {
        /// In the order of reading.
        sources: Vec<Source>,
        /// Whether they begin a new trace; else they are added to the open one.
        fresh: bool,
        /// How they are read.
        #[serde(with = "packed")]
        options: ReadOptions,
    },
    /// Stops reading; what was read stays.
    Cancel,
    /// These are to be found again in the next build.
    TrackItems {
        /// The build that they are from.
        build: u32,
        /// Their codes.
        items: TrackedItems,
    },
    /// A question for the session.
    Ask {
        /// Names the answer.
        id: u32,
        /// The question.
        #[serde(with = "packed")]
        request: AnyRequest,
    },
    /// A record as it stands in its file.
    Raw {
        /// Names the answer.
        id: u32,
        /// Where it stands.
        #[serde(with = "packed")]
        place: RawPlace,
    },
}

/// How files are read.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug, Default)]
pub struct ReadOptions {
    /// What is kept of them.
    pub part: Subset,
    /// The formats (their ids) that were chosen for files, by the number of the file in the order of opening.
    pub formats: Vec<(u32, String)>,
    /// Bytes of memory with which reading ends; `None` for as many as a page can have.
    pub memory: Option<u64>,
}

/// Something to read.
#[derive(Serialize, Deserialize, Clone)]
pub enum Source {
    /// A file that the user gave: a handle, nothing of it is read yet.
    File {
        /// With its path inside the folder that was given.
        name: String,
        /// The handle.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        file: web_sys::File,
    },
    /// An address that the user gave.
    Url {
        /// Absolute.
        url: String,
    },
    /// A file or folder that the browser did not open. Whoever gave it shall hear so.
    Unreadable {
        /// With its path inside the folder that was given.
        name: String,
    },
}

impl Source {
    /// What reports call it.
    pub fn name(&self) -> String {
        match self {
            Source::File { name, .. } | Source::Unreadable { name } => name.clone(),
            Source::Url { url } => {
                let path = url.split(['?', '#']).next().unwrap_or(url);
                path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(url).to_owned()
            }
        }
    }

    /// Bytes that it holds, as stored; unknown before an address is opened.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Source::File { file, .. } => Some(file.size() as u64),
            Source::Url { .. } => None,
            Source::Unreadable { .. } => Some(0),
        }
    }
}

/// From the worker to the page.
#[derive(Serialize, Deserialize)]
pub enum FromWorker {
    /// It listens: what is sent earlier is lost.
    Ready,
    /// Reading goes on.
    Progress(#[serde(with = "packed")] Progress),
    /// There is a trace to look at.
    Opened {
        /// What it holds.
        #[serde(with = "packed")]
        info: TraceInfo,
        /// Whether reading goes on.
        partial: bool,
        /// What was to be found again, as it is called now.
        items: TrackedItems,
    },
    /// The picture of all that was read is made: to ask for it takes no time.
    Drawn,
    /// What was to be found again came late: it is from the build before.
    Remapped {
        /// The build of now.
        build: u32,
        /// As it is called in it.
        items: TrackedItems,
    },
    /// Nothing could be opened.
    Failed {
        /// What to tell the user: a short headline.
        title: String,
        /// And what to do about it.
        text: String,
        /// Whether memory is full: less could be read.
        full: bool,
    },
    /// Some of what was given is no trace; the import report says what it is.
    Warning {
        /// How much.
        title: String,
        /// What.
        text: String,
    },
    /// The answer to `Ask`.
    Answer {
        /// The question's.
        id: u32,
        /// The answer.
        #[serde(with = "packed")]
        reply: AnyReply,
    },
    /// The answer to `Ask` for a scene, in a buffer of its own that changes hands without being copied.
    Scene {
        /// The question's.
        id: u32,
        /// [`queryscope::internal::view::Scene`] as bytes.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        bytes: Uint8Array,
    },
    /// The answer to `Raw`.
    Raw {
        /// The question's.
        id: u32,
        /// The record, or why it cannot be read any more.
        #[serde(with = "packed")]
        record: Result<RawRecord, String>,
    },
}

/// Items that the page holds on to while the trace grows.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TrackedItems {
    /// What is selected.
    pub selection: Option<u32>,
    /// What the flame graph is about.
    pub flame: Option<u32>,
}

/// How far reading has come.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug, Default)]
pub struct Progress {
    /// The file that is being read.
    pub name: String,
    /// Its number, from 1.
    pub file: u32,
    /// Files in all.
    pub files: u32,
    /// Bytes read, of all files.
    pub bytes: u64,
    /// Bytes in all; `None` where an address does not tell.
    pub total: Option<u64>,
    /// Records read.
    pub events: u64,
    /// Milliseconds since reading began.
    pub elapsed: u32,
    /// Whether all is read, and only the picture of it is still to come.
    pub complete: bool,
    /// Bytes of memory that the engine has taken.
    pub memory: u64,
}

/// What an open trace holds.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug, Default)]
pub struct TraceInfo {
    /// What is open: the file, the folder that holds all files, or the first of them and how many more.
    pub name: String,
    /// Files opened.
    pub files: u32,
    /// Their bytes, as stored.
    pub bytes: u64,
    /// Runs.
    pub runs: u32,
    /// Queries.
    pub queries: u32,
    /// Records read.
    pub events: u64,
    /// Kinds of problems in the import report, over all files.
    pub problems: u32,
    /// Spans and events, as drawn.
    pub items: u64,
    /// The end of the longest run, in nanoseconds since its first event.
    pub end: i64,
    /// Whether there is something to say about how well threads were used.
    pub parallel: bool,
    /// Whether spans are instructions of plans.
    pub plans: bool,
    /// Whether there is something to say about transactions or locks.
    pub transactions: bool,
    /// Whether queries use sources.
    pub sources: bool,
    /// What merged frames are grouped by before anybody chooses.
    pub flame: Vec<FrameDimension>,
    /// Warning for every view that times were reconstructed and how; empty if all times were measured.
    pub reconstructed: String,
    /// Whether a database server named and summed up what it did itself.
    pub server: bool,
    /// Side tables that have rows.
    pub tables: u32,
    /// Counts up whenever the trace is built anew.
    pub build: u32,
    /// Whether a part of the files was chosen, and the rest is left out.
    pub is_part: bool,
    /// From where the times of a part count, in a sentence; empty where that is the beginning.
    pub counted_from: String,
    /// Whether records before the part, and behind it, were left out.
    pub cut: (bool, bool),
    /// Bytes of memory that the engine has taken.
    pub memory: u64,
}

impl TraceInfo {
    /// Whether statements can stand beside each other. The plan of one alone can be folded there.
    pub fn compares(&self) -> bool {
        self.queries > 1 || self.queries == 1 && self.plans
    }
}

/// Plain data as one buffer of bytes: as JavaScript values, name by name, it costs 14 kB of code.
mod packed {
    use serde::de::{DeserializeOwned, Error as _};
    use serde::ser::Error as _;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer>(value: &T, serializer: S) -> Result<S::Ok, S::Error> {
        let bytes = postcard::to_allocvec(value).map_err(|_| S::Error::custom("no plain data"))?;
        serializer.serialize_bytes(&bytes)
    }

    pub fn deserialize<'a, T: DeserializeOwned, D: Deserializer<'a>>(deserializer: D) -> Result<T, D::Error> {
        let bytes = serde_bytes::ByteBuf::deserialize(deserializer)?;
        postcard::from_bytes(&bytes).map_err(|_| D::Error::custom("other data"))
    }
}

/// A message as a JavaScript value.
pub fn encode<T: Serialize>(message: &T) -> JsValue {
    serde_wasm_bindgen::to_value(message).expect("messages hold nothing that JavaScript cannot")
}

/// The message behind a JavaScript value, if it is one of ours.
pub fn decode<T: DeserializeOwned>(value: JsValue) -> Option<T> {
    serde_wasm_bindgen::from_value(value).ok()
}

impl FromWorker {
    /// The buffers that change hands with this message.
    pub fn transfers(&self) -> js_sys::Array {
        match self {
            FromWorker::Scene { bytes, .. } => js_sys::Array::of1(bytes.buffer().unchecked_ref()),
            _ => js_sys::Array::new(),
        }
    }
}
