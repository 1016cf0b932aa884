//! The events of one file.

use super::copies::Ids;
use super::event::Role;
use super::sniff::Shape;
use crate::blocks::Blocks;
use crate::import::attributes::args::{ArgsId, CATEGORY};
use crate::import::contract::FileId;
use crate::strings::{StrId, Strings};
use crate::trace::RecordId;

/// One event.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Nanoseconds since the first event of the run.
    pub time: i64,
    pub length: i64,
    pub name: StrId,
    /// What is shown as its name.
    pub label: StrId,
    /// By [`Role`]; [`StrId::NONE`] where it says nothing.
    pub roles: [StrId; N_ROLES],
    /// The order of recording, which breaks ties.
    pub order: u64,
    pub record: RecordId,
    pub args: ArgsId,
    /// It reports a failure.
    pub failed: bool,
    /// Its time is of another clock: it stands at an edge of the run.
    pub apart: Option<Edge>,
}

/// An edge of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Edge {
    Start,
    End,
}

/// As many roles as a row keeps: those that stand before the trace id.
pub const N_ROLES: usize = Role::TraceId as usize;

/// The roles of a row that is being read.
pub type Roles = [StrId; Role::ALL.len()];

impl Row {
    /// What the event has in a role.
    pub fn role(&self, role: Role) -> Option<StrId> {
        self.roles.get(role as usize).and_then(|id| id.some())
    }

    /// Everything that the events of one interval have in common.
    pub fn key(&self) -> [StrId; N_ROLES] {
        self.roles
    }

    /// As many of the roles as are kept.
    pub fn with_roles(mut self, roles: &Roles) -> Self {
        self.roles.copy_from_slice(&roles[..N_ROLES]);
        self
    }

    /// An event of which only the moment is known.
    pub fn at(time: i64, length: i64, name: StrId, record: RecordId, args: ArgsId) -> Self {
        let roles = [StrId::NONE; N_ROLES];
        Self { time, length, name, label: name, roles, order: 0, record, args, failed: false, apart: None }
    }
}

/// An error of the run. It has no time.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    pub message: StrId,
    /// The component that failed, or [`StrId::NONE`].
    pub component: StrId,
    pub record: RecordId,
    pub args: ArgsId,
    /// A message in words that repeats an error of the list of errors.
    pub again: bool,
}

/// A number of the whole run, or a health event. It has no time.
#[derive(Clone, Copy, Debug)]
pub struct Metric {
    pub name: StrId,
    pub record: RecordId,
    pub args: ArgsId,
}

/// Everything that was read of a file.
pub struct FileEvents {
    pub file: FileId,
    pub name: String,
    pub shape: Shape,
    /// The folder or archive that the file was in.
    pub folder: Option<String>,
    /// The ids of its events.
    pub ids: Ids,
    /// What the file says of the whole run: keys and values.
    pub totals: Vec<(String, String)>,
    /// What was counted and measured in the whole run.
    pub metrics: Vec<Metric>,
    /// Health events that stand beside the trace: they have no time there.
    pub health: Vec<Metric>,
    /// What the graph is called, or the id of the run.
    pub graph: Option<StrId>,
    pub rows: Blocks<Row>,
    pub faults: Vec<Fault>,
    /// Records that describe the run.
    pub described: Vec<RecordId>,
    /// Whether the list of events was met.
    pub has_events: bool,
    /// The number of events that the file says it has.
    pub count: Option<u64>,
    /// How many of them are not of the part that was chosen.
    pub left_out: u64,
    words: Option<Words>,
}

/// Keys of arguments.
#[derive(Clone, Copy)]
pub struct Words {
    pub roles: Roles,
    pub category: StrId,
    pub error: StrId,
}

impl FileEvents {
    pub fn new(file: FileId, name: &str, shape: Shape, has_events: bool) -> Self {
        let (folder, own) = match name.rsplit_once(['/', '\\']) {
            Some((folder, own)) => (Some(folder), own),
            None => (None, name),
        };
        let of_folder = folder.and_then(|folder| folder.rsplit(['/', '\\']).next());
        let is_recorded = shape == Shape::Beside
            || matches!(own, "trace.final.json" | "trace.chrome.json" | "observe.ndjson");
        let recorded = of_folder.filter(|_| is_recorded);
        Self {
            file,
            // A recorded run is called after its folder: its files are called alike in all of them.
            name: recorded.unwrap_or(own).to_owned(),
            shape,
            folder: folder.map(str::to_owned),
            ids: Ids::default(),
            totals: Vec::new(),
            metrics: Vec::new(),
            health: Vec::new(),
            graph: None,
            rows: Blocks::default(),
            faults: Vec::new(),
            described: Vec::new(),
            has_events,
            count: None,
            left_out: 0,
            words: None,
        }
    }

    pub fn words(&mut self, strings: &mut Strings) -> Words {
        *self.words.get_or_insert_with(|| Words {
            roles: Role::ALL.map(|(_, key)| strings.intern(key)),
            category: strings.intern(CATEGORY),
            error: strings.intern("error"),
        })
    }
}
