//! What has no time: metrics, totals, and the health events that `observe --record` writes into a file of their own. It is
//! shown with the trace of its folder; alone, as a run without events.

use super::sniff::TopoExecShape;
use super::store::{TopoExecFile, TopoExecMetric};

/// For each file the number of the one that it is shown with: its own, unless it accompanies a trace.
pub fn shown_with(files: &[TopoExecFile], copies: &[bool]) -> Vec<usize> {
    let of = |at: usize| {
        let this = &files[at];
        if this.shape != TopoExecShape::Sidecar {
            return at;
        }
        let near = |of: &usize| files[*of].folder == this.folder && !copies[*of];
        let mut traces =
            (0..files.len()).filter(near).filter(|&of| files[of].shape != TopoExecShape::Sidecar);
        // Of several traces nothing says whose metrics they are.
        if let (Some(trace), None) = (traces.next(), traces.next()) {
            return trace;
        }
        let first = (0..at).filter(near).find(|&of| files[of].shape == TopoExecShape::Sidecar);
        first.filter(|_| this.folder.is_some()).unwrap_or(at)
    };
    (0..files.len()).map(of).collect()
}

/// Everything without a time that is shown with one trace.
pub struct UntimedRecords<'a> {
    pub metrics: Vec<&'a TopoExecMetric>,
    pub health: Vec<&'a TopoExecMetric>,
    /// Records that repeat others of the trace.
    pub again: Vec<&'a TopoExecMetric>,
    /// What is said of the whole run: keys and values, each once.
    pub totals: Vec<&'a (String, String)>,
}

impl<'a> UntimedRecords<'a> {
    /// The records of a trace's own file and of the files that accompany it.
    pub fn of(file: &'a TopoExecFile, others: &[&'a TopoExecFile]) -> Self {
        let (mut metrics, mut again): (Vec<&TopoExecMetric>, _) = (file.metrics.iter().collect(), Vec::new());
        let has_metrics = !metrics.is_empty();
        let of_others = others.iter().flat_map(|other| &other.metrics);
        if has_metrics {
            again.extend(of_others)
        } else {
            metrics.extend(of_others)
        }
        // In the trace they have times.
        let health = file.health.iter().chain(others.iter().flat_map(|other| &other.health));
        let is_traced = file.rows.iter().next().is_some();
        let health: Vec<&TopoExecMetric> = if is_traced {
            again.extend(health);
            Vec::new()
        } else {
            health.collect()
        };
        let mut totals: Vec<&(String, String)> = Vec::new();
        for total in file.totals.iter().chain(others.iter().flat_map(|other| &other.totals)) {
            if !totals.iter().any(|(key, _)| *key == total.0) {
                totals.push(total);
            }
        }
        Self { metrics, health, again, totals }
    }

    /// Whether there is nothing that can be shown.
    pub fn is_empty(&self) -> bool {
        self.metrics.is_empty() && self.health.is_empty()
    }
}
