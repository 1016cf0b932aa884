//! Messages between the page and the worker that runs the engine.
//!
//! 64-bit numbers are sent as bytes, because a JavaScript number is exact only below 2⁵³.

mod save;

use js_sys::Uint8Array;
use queryscope::protocol::{AnyReply, AnyRequest, FrameDimension, RawPlace, RawRecord, Subset};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};

pub use save::{SaveField, SaveFieldKind, SaveForm, SaveOrder};

/// A message from the page to the worker.
#[derive(Serialize, Deserialize)]
pub enum ToWorker {
    /// Reads `sources`, one after the other.
    Open {
        /// Files and addresses, in reading order.
        sources: Vec<Source>,
        /// Whether the sources begin a new trace; if not, they are added to the open trace.
        fresh: bool,
        /// How the sources are read.
        #[serde(with = "packed")]
        options: ReadOptions,
    },
    /// Stops reading; everything read so far is kept.
    Cancel,
    /// Finds `items` again in every later build of the trace.
    TrackItems {
        /// The build in which `items` have their codes.
        build: u32,
        /// Item codes to track.
        items: TrackedItems,
    },
    /// A request to the session.
    Ask {
        /// Request id, repeated in the answer.
        id: u32,
        /// The request.
        #[serde(with = "packed")]
        request: AnyRequest,
    },
    /// A packed request of the SQL program to the session, which the page passes on without decoding it.
    Relay {
        /// Request id, repeated in the answer.
        id: u32,
        /// The request: a packed [`AnyRequest`].
        #[serde(with = "serde_wasm_bindgen::preserve")]
        request: Uint8Array,
    },
    /// Requests a record as it is written in its file.
    Raw {
        /// Request id, repeated in the answer.
        id: u32,
        /// Position of the record.
        #[serde(with = "packed")]
        place: RawPlace,
    },
    /// Describes the dialog that saves the trace, or writes the file. Ends an earlier order.
    Save {
        /// What to save; `None` after the dialog was closed.
        #[serde(with = "packed")]
        order: Option<SaveOrder>,
        /// The viewer as a single HTML file: its address, or a `Blob`; undefined if no HTML file can be written.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        template: JsValue,
    },
}

/// How files are read.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug, Default)]
pub struct ReadOptions {
    /// The subset of the records that is kept.
    pub part: Subset,
    /// Format ids that the user chose for single files, by file index in opening order.
    pub formats: Vec<(u32, String)>,
    /// Format id of all other files; `None` to detect it.
    pub format: Option<String>,
    /// Memory in bytes at which reading ends; `None` for the default limit.
    pub memory: Option<u64>,
    /// Number of bytes, over all files as stored, after which reading stops; `None` for no limit.
    pub max_bytes: Option<u64>,
}

/// A file or address to read.
#[derive(Serialize, Deserialize, Clone)]
pub enum Source {
    /// A file that the user opened: a handle, whose content is not read yet.
    File {
        /// File name, with its path inside the opened folder.
        name: String,
        /// Handle of the file.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        file: web_sys::File,
    },
    /// An address that the user entered.
    Url {
        /// Absolute URL.
        url: String,
        /// Name for reports; `None` for the last part of the path.
        name: Option<String>,
    },
    /// A file or folder that the browser could not open. The user is notified.
    Unreadable {
        /// File name, with its path inside the opened folder.
        name: String,
    },
}

impl Source {
    /// An address, named after the last part of its path.
    pub fn of_url(url: String) -> Self {
        Source::Url { url, name: None }
    }

    /// Name of the source in reports.
    pub fn name(&self) -> String {
        match self {
            Source::File { name, .. }
            | Source::Unreadable { name }
            | Source::Url { name: Some(name), .. } => name.clone(),
            Source::Url { url, .. } => {
                let path = url.split(['?', '#']).next().unwrap_or(url);
                path.rsplit('/').find(|part| !part.is_empty()).unwrap_or(url).to_owned()
            }
        }
    }

    /// The absolute URL, if the source is an address.
    pub fn url(&self) -> Option<&str> {
        match self {
            Source::Url { url, .. } => Some(url),
            Source::File { .. } | Source::Unreadable { .. } => None,
        }
    }

    /// Stored size in bytes; 0 if unreadable, `None` for an address, whose size is unknown until it is opened.
    pub fn bytes(&self) -> Option<u64> {
        match self {
            Source::File { file, .. } => Some(file.size() as u64),
            Source::Url { .. } => None,
            Source::Unreadable { .. } => Some(0),
        }
    }
}

/// A message from the worker to the page.
#[derive(Serialize, Deserialize)]
pub enum FromWorker {
    /// The worker listens now: messages sent before this one are lost.
    Ready,
    /// Reading progress.
    Progress(#[serde(with = "packed")] Progress),
    /// A trace can be shown.
    Opened {
        /// Summary of the trace.
        #[serde(with = "packed")]
        info: TraceInfo,
        /// Whether reading continues.
        partial: bool,
        /// The tracked items, with their codes in this build.
        items: TrackedItems,
    },
    /// The scene of the complete trace is ready, so a scene request is answered at once.
    Drawn,
    /// Tracked items that were given with codes of the previous build, converted to the current build.
    Remapped {
        /// The current build.
        build: u32,
        /// Item codes in the current build.
        items: TrackedItems,
    },
    /// A source could not be read, or there is nothing to show.
    Failed {
        /// Short headline.
        title: String,
        /// The failure, and the action that the user can take.
        text: String,
        /// Whether memory ran out: loading a subset could work.
        full: bool,
    },
    /// Some of the opened files are not traces or are incomplete; the import report has the details.
    Warning {
        /// Headline of a few words.
        title: String,
        /// Names of the files, or a sentence on what is missing.
        text: String,
    },
    /// The answer to `Ask`.
    Answer {
        /// Id of the request.
        id: u32,
        /// The session's reply.
        #[serde(with = "packed")]
        reply: AnyReply,
    },
    /// The answer to `Ask` for a scene, in a buffer that is transferred without a copy.
    Scene {
        /// Id of the request.
        id: u32,
        /// A serialized [`queryscope::internal::view::Scene`].
        #[serde(with = "serde_wasm_bindgen::preserve")]
        bytes: Uint8Array,
    },
    /// The answer to `Relay`, in a buffer that is transferred without a copy; empty if requests of this type are not permitted.
    Relayed {
        /// Id of the request.
        id: u32,
        /// The packed reply.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        bytes: Uint8Array,
    },
    /// The answer to `Raw`.
    Raw {
        /// Id of the request.
        id: u32,
        /// The record, or why it cannot be read any more.
        #[serde(with = "packed")]
        record: Result<RawRecord, String>,
    },
    /// The dialog that saves the trace.
    Save {
        /// Fields, content, progress and result.
        #[serde(with = "packed")]
        form: SaveForm,
        /// The written file, a `Blob`; undefined until it is complete.
        #[serde(with = "serde_wasm_bindgen::preserve")]
        file: JsValue,
    },
}

/// Items that the page keeps track of while the trace grows and their codes change.
#[derive(Serialize, Deserialize, Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TrackedItems {
    /// Code of the selected item.
    pub selection: Option<u32>,
    /// Code of the item whose query the flame graph shows.
    pub flame: Option<u32>,
}

/// Reading progress.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug, Default)]
pub struct Progress {
    /// Name of the file that is being read.
    pub name: String,
    /// Number of the file that is being read, from 1.
    pub file: u32,
    /// Total number of files.
    pub files: u32,
    /// Bytes read so far, over all files.
    pub bytes: u64,
    /// Total bytes of all files; `None` if the size of an address is unknown.
    pub total: Option<u64>,
    /// Number of records read.
    pub events: u64,
    /// Milliseconds since reading began.
    pub elapsed: u32,
    /// Whether everything is read and only its scene is not ready yet.
    pub complete: bool,
    /// Memory that the engine has allocated, in bytes.
    pub memory: u64,
}

/// Summary of an open trace.
#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug, Default)]
pub struct TraceInfo {
    /// Title: the file, the folder that holds all files, or the first file and the number of further files.
    pub name: String,
    /// Number of files opened.
    pub files: u32,
    /// Names of the recognised formats, each once, such as "Kubling, JSON lines".
    pub formats: Vec<String>,
    /// Total size of the files in bytes, as stored.
    pub bytes: u64,
    /// Number of runs.
    pub runs: u32,
    /// Number of queries.
    pub queries: u32,
    /// Number of records read.
    pub events: u64,
    /// Number of problem kinds in the import report, over all files.
    pub problems: u32,
    /// Number of spans and events, as drawn.
    pub items: u64,
    /// The end of the longest run, in nanoseconds since its first event.
    pub end: i64,
    /// Whether the parallelism view has content for this trace.
    pub parallel: bool,
    /// Whether the trace has spans on a time axis, which have critical paths.
    pub critical: bool,
    /// Whether spans are instructions of query plans.
    pub plans: bool,
    /// Whether the trace has transactions or locks to show.
    pub transactions: bool,
    /// Whether the trace has counters.
    pub counters: bool,
    /// Whether the trace has spans of source executions.
    pub sources: bool,
    /// Whether the trace has spans of executions inside sources.
    pub executions: bool,
    /// Whether the trace has buffer events.
    pub buffers: bool,
    /// Whether the trace has spans of waits.
    pub waits: bool,
    /// Whether the trace has spans of idle time.
    pub idle: bool,
    /// Default grouping of the merged flame graph, used until the user changes it.
    pub flame: Vec<FrameDimension>,
    /// Warning for every view that times were reconstructed, and how; empty if all times were measured.
    pub reconstructed: String,
    /// Whether the database server recorded its own event names and summed timers.
    pub server: bool,
    /// Number of side tables that have rows.
    pub tables: u32,
    /// Build number, incremented whenever the trace is rebuilt.
    pub build: u32,
    /// Whether only a subset of the files was loaded.
    pub is_part: bool,
    /// Sentence on the zero point of a subset's times; empty if it is the beginning of the trace.
    pub counted_from: String,
    /// Whether records before the subset, and after the subset, were left out.
    pub cut: (bool, bool),
    /// Memory that the engine has allocated, in bytes.
    pub memory: u64,
    /// State of the viewer in the session file that was opened, as the fragment of a link; empty without such a file.
    pub session_state: String,
}

impl TraceInfo {
    /// Whether there are executions to compare: two queries, or the steps of a single plan.
    pub fn compares(&self) -> bool {
        self.queries > 1 || self.queries == 1 && self.plans
    }

    /// Whether the trace has no statements, so that its slices are grouped by name instead.
    pub fn has_slices_alone(&self) -> bool {
        self.queries == 0
    }
}

/// Serializes plain data as one byte buffer; as a JavaScript object with named fields, it would cost 14 kB of code.
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

/// Converts a message to a JavaScript value.
pub fn encode<T: Serialize>(message: &T) -> JsValue {
    serde_wasm_bindgen::to_value(message).expect("messages hold nothing that JavaScript cannot")
}

/// Converts a JavaScript value to a message; `None` if it is not a message of queryscope.
pub fn decode<T: DeserializeOwned>(value: JsValue) -> Option<T> {
    serde_wasm_bindgen::from_value(value).ok()
}

impl FromWorker {
    /// The buffers that are transferred with this message instead of copied.
    pub fn transfers(&self) -> js_sys::Array {
        match self {
            FromWorker::Scene { bytes, .. } | FromWorker::Relayed { bytes, .. } => {
                js_sys::Array::of1(bytes.buffer().unchecked_ref())
            }
            _ => js_sys::Array::new(),
        }
    }
}
