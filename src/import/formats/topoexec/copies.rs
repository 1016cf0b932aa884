//! Several renderings of one run, as `observe --record` leaves them in a folder, or as one `graph trace` after the other in two
//! formats: the run is shown once.
//!
//! Events carry ids that no two runs share (`trace-9482113000163-1`: a clock's reading and a number), in the JSON as in the
//! Chrome export. A stream of `observe` has no ids: it belongs to the run that was recorded into its folder.

use super::sniff::TopoExecShape;
use super::store::TopoExecFile;

/// For each file whether another file shows its run with more detail, or with as much and earlier.
pub fn copies(files: &[TopoExecFile]) -> Vec<bool> {
    let is_copy = |at: usize| (0..files.len()).any(|of| of != at && is_copy_of(files, at, of));
    (0..files.len()).map(is_copy).collect()
}

fn is_copy_of(files: &[TopoExecFile], at: usize, of: usize) -> bool {
    let (this, other) = (&files[at], &files[of]);
    if this.shape == TopoExecShape::Observed {
        let is_trace = !matches!(other.shape, TopoExecShape::Observed | TopoExecShape::Sidecar);
        return is_trace && this.folder.is_some() && this.folder == other.folder;
    }
    let same = this.ids == other.ids && this.ids.count > 0 && other.shape != TopoExecShape::Observed;
    same && (rank(other), of) < (rank(this), at)
}

/// What shows more comes first: the JSON with the totals of the run, then without, then the Chrome export, which leaves out errors.
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
    /// One more; `number` is a number of the whole table of texts.
    pub fn add(&mut self, number: u32) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(u64::from(number).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
}
