//! Detects files that show the same run, as `observe --record` leaves them in a folder, or as `graph trace` writes them in
//! two formats. The run is shown once.
//!
//! Events carry ids that no two runs share (`trace-9482113000163-1`: a clock reading and a number), in the JSON and in the
//! Chrome export. A stream of `observe` has no ids: it belongs to the run that was recorded into its folder.

use super::sniff::TopoExecShape;
use super::store::TopoExecFile;

/// Returns for each file whether a different file shows the same run with more detail, or with equal detail and is
/// listed earlier; the file is then not shown.
pub fn copies(files: &[TopoExecFile]) -> Vec<bool> {
    let is_copy = |at: usize| (0..files.len()).any(|of| of != at && is_copy_of(files, at, of));
    (0..files.len()).map(is_copy).collect()
}

/// Whether the file at `at` shows the same run as the file at `of`, which is preferred.
pub fn is_copy_of(files: &[TopoExecFile], at: usize, of: usize) -> bool {
    let (this, other) = (&files[at], &files[of]);
    if this.shape == TopoExecShape::Observed {
        let is_trace = !matches!(other.shape, TopoExecShape::Observed | TopoExecShape::Sidecar);
        return is_trace && this.folder.is_some() && this.folder == other.folder;
    }
    let same = this.ids == other.ids && this.ids.count > 0 && other.shape != TopoExecShape::Observed;
    same && (rank(other), of) < (rank(this), at)
}

/// Rank by detail, lower for more detail: JSON with totals, then JSON without totals, then the Chrome export, which
/// omits errors.
fn rank(file: &TopoExecFile) -> (bool, bool) {
    (file.shape == TopoExecShape::Chrome, file.totals.is_empty() && file.metrics.is_empty())
}

/// A checksum of the ids of all events that does not depend on their order.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct EventIdChecksum {
    count: u64,
    sum: u64,
}

impl EventIdChecksum {
    /// Adds an event id by its index in the string table.
    pub fn add(&mut self, number: u32) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
}
