//! Events that were read from one file.

use super::copies::EventIdChecksum;
use super::event::TopoExecRole;
use super::sniff::TopoExecShape;
use crate::base::columns::BlockColumn;
use crate::base::interner::{Interner, StrId};
use crate::import::attributes::args::{ArgsId, CATEGORY};
use crate::import::contract::FileId;
use crate::trace::RecordId;

/// An event of the trace.
#[derive(Clone, Copy, Debug)]
pub struct TopoExecRow {
    /// Start, in nanoseconds since the first event of the run.
    pub time: i64,
    pub length: i64,
    pub name: StrId,
    /// Displayed name.
    pub label: StrId,
    /// Values of the roles, indexed by [`TopoExecRole`]; [`StrId::NONE`] for a role without a value.
    pub roles: [StrId; N_ROLES],
    /// Position in the order of recording. Orders events with equal times.
    pub order: u64,
    pub record: RecordId,
    pub args: ArgsId,
    /// Whether the event reports a failure.
    pub failed: bool,
    /// Boundary of the run at which the event is shown because its time is a reading of a different clock; `None` for
    /// all other events.
    pub apart: Option<RunBoundary>,
}

/// Start or end of the run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunBoundary {
    Start,
    End,
}

/// Number of roles that a row keeps: the roles that [`TopoExecRole`] lists before `TraceId`.
pub const N_ROLES: usize = TopoExecRole::TraceId as usize;

/// Values of all roles of the event that is being read.
pub type RoleValues = [StrId; TopoExecRole::ALL.len()];

impl TopoExecRow {
    /// Value of a role; `None` if the event has none or the role is not kept.
    pub fn role(&self, role: TopoExecRole) -> Option<StrId> {
        self.roles.get(role as usize).and_then(|id| id.some())
    }

    /// Key that identifies an interval: its role values, which all events of the interval share.
    pub fn key(&self) -> [StrId; N_ROLES] {
        self.roles
    }

    /// Copies the roles that rows keep.
    pub fn with_roles(mut self, roles: &RoleValues) -> Self {
        self.roles.copy_from_slice(&roles[..N_ROLES]);
        self
    }

    /// Creates an event without roles.
    pub fn at(time: i64, length: i64, name: StrId, record: RecordId, args: ArgsId) -> Self {
        let roles = [StrId::NONE; N_ROLES];
        Self { time, length, name, label: name, roles, order: 0, record, args, failed: false, apart: None }
    }
}

/// An error of the run, without a time.
#[derive(Clone, Copy, Debug)]
pub struct TopoExecError {
    pub message: StrId,
    /// Component that failed, or [`StrId::NONE`].
    pub component: StrId,
    pub record: RecordId,
    pub args: ArgsId,
    /// Whether this is a text message that repeats an entry of the list of errors.
    pub again: bool,
}

/// A metric of the whole run, or a health event, without a time.
#[derive(Clone, Copy, Debug)]
pub struct TopoExecMetric {
    pub name: StrId,
    pub record: RecordId,
    pub args: ArgsId,
}

/// Everything that was read from a file.
pub struct TopoExecFile {
    pub file: FileId,
    pub name: String,
    pub shape: TopoExecShape,
    /// Path of the folder or archive that contains the file.
    pub folder: Option<String>,
    /// Checksum of the event ids.
    pub ids: EventIdChecksum,
    /// Totals of the whole run, as keys and values.
    pub totals: Vec<(String, String)>,
    /// Metrics of the whole run.
    pub metrics: Vec<TopoExecMetric>,
    /// Health events from the file's separate list, where they have no times.
    pub health: Vec<TopoExecMetric>,
    /// Name of the graph, or id of the run.
    pub graph: Option<StrId>,
    pub rows: BlockColumn<TopoExecRow>,
    pub faults: Vec<TopoExecError>,
    /// Records that describe the run.
    pub described: Vec<RecordId>,
    /// Whether the file has a list of events.
    pub has_events: bool,
    /// Number of events according to the file.
    pub count: Option<u64>,
    /// Number of events outside the range that was chosen for loading.
    pub left_out: u64,
    words: Option<TopoExecArgKeys>,
}

/// Interned argument keys.
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
            // A recorded run is named after its folder, because its files have fixed names.
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
