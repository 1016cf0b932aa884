//! The events of one file.

use super::copies::EventIdChecksum;
use super::event::TopoExecRole;
use super::sniff::TopoExecShape;
use crate::base::columns::BlockColumn;
use crate::base::interner::{Interner, StrId};
use crate::import::attributes::args::{ArgsId, CATEGORY};
use crate::import::contract::FileId;
use crate::trace::RecordId;

/// One event.
#[derive(Clone, Copy, Debug)]
pub struct TopoExecRow {
    /// Nanoseconds since the first event of the run.
    pub time: i64,
    pub length: i64,
    pub name: StrId,
    /// What is shown as its name.
    pub label: StrId,
    /// By [`TopoExecRole`]; [`StrId::NONE`] where it says nothing.
    pub roles: [StrId; N_ROLES],
    /// The order of recording, which breaks ties.
    pub order: u64,
    pub record: RecordId,
    pub args: ArgsId,
    /// It reports a failure.
    pub failed: bool,
    /// Its time is of another clock: it stands at an edge of the run.
    pub apart: Option<RunBoundary>,
}

/// An edge of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunBoundary {
    Start,
    End,
}

/// As many roles as a row keeps: all before the trace id.
pub const N_ROLES: usize = TopoExecRole::TraceId as usize;

/// The roles of a row that is being read.
pub type RoleValues = [StrId; TopoExecRole::ALL.len()];

impl TopoExecRow {
    /// What the event has in a role.
    pub fn role(&self, role: TopoExecRole) -> Option<StrId> {
        self.roles.get(role as usize).and_then(|id| id.some())
    }

    /// Everything that the events of one interval have in common.
    pub fn key(&self) -> [StrId; N_ROLES] {
        self.roles
    }

    /// As many of the roles as are kept.
    pub fn with_roles(mut self, roles: &RoleValues) -> Self {
        self.roles.copy_from_slice(&roles[..N_ROLES]);
        self
    }

    /// An event without roles.
    pub fn at(time: i64, length: i64, name: StrId, record: RecordId, args: ArgsId) -> Self {
        let roles = [StrId::NONE; N_ROLES];
        Self { time, length, name, label: name, roles, order: 0, record, args, failed: false, apart: None }
    }
}

/// An error of the run. It has no time.
#[derive(Clone, Copy, Debug)]
pub struct TopoExecError {
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
pub struct TopoExecMetric {
    pub name: StrId,
    pub record: RecordId,
    pub args: ArgsId,
}

/// Everything that was read of a file.
pub struct TopoExecFile {
    pub file: FileId,
    pub name: String,
    pub shape: TopoExecShape,
    /// The folder or archive that the file was in.
    pub folder: Option<String>,
    /// The ids of its events.
    pub ids: EventIdChecksum,
    /// What the file says of the whole run: keys and values.
    pub totals: Vec<(String, String)>,
    /// What was counted and measured in the whole run.
    pub metrics: Vec<TopoExecMetric>,
    /// Health events in a list of their own: they have no time there.
    pub health: Vec<TopoExecMetric>,
    /// What the graph is called, or the id of the run.
    pub graph: Option<StrId>,
    pub rows: BlockColumn<TopoExecRow>,
    pub faults: Vec<TopoExecError>,
    /// Records that describe the run.
    pub described: Vec<RecordId>,
    /// Whether the list of events was met.
    pub has_events: bool,
    /// The number of events that the file says it has.
    pub count: Option<u64>,
    /// How many of them are not of the part that was chosen.
    pub left_out: u64,
    words: Option<TopoExecArgKeys>,
}

/// Keys of arguments.
#[derive(Clone, Copy)]
pub struct TopoExecArgKeys {
    pub roles: RoleValues,
    pub category: StrId,
    pub error: StrId,
}

impl TopoExecFile {
    pub fn new(file: FileId, name: &str, shape: TopoExecShape, has_events: bool) -> Self {
        let (folder, own) = match name.rsplit_once(['/', '\\']) {
            Some((folder, own)) => (Some(folder), own),
            None => (None, name),
        };
        let of_folder = folder.and_then(|folder| folder.rsplit(['/', '\\']).next());
        let is_recorded = shape == TopoExecShape::Sidecar
            || matches!(own, "trace.final.json" | "trace.chrome.json" | "observe.ndjson");
        let recorded = of_folder.filter(|_| is_recorded);
        Self {
            file,
            // A recorded run is called after its folder: its files have fixed names.
            name: recorded.unwrap_or(own).to_owned(),
            shape,
            folder: folder.map(str::to_owned),
            ids: EventIdChecksum::default(),
            totals: Vec::new(),
            metrics: Vec::new(),
            health: Vec::new(),
            graph: None,
            rows: BlockColumn::default(),
            faults: Vec::new(),
            described: Vec::new(),
            has_events,
            count: None,
            left_out: 0,
            words: None,
        }
    }

    pub fn words(&mut self, strings: &mut Interner) -> TopoExecArgKeys {
        *self.words.get_or_insert_with(|| TopoExecArgKeys {
            roles: TopoExecRole::ALL.map(|(_, key)| strings.intern(key)),
            category: strings.intern(CATEGORY),
            error: strings.intern("error"),
        })
    }
}
