//! Records without times: metrics, totals, and the health events that `observe --record` writes into a separate file. They
//! are shown with the trace of the same folder or, without a trace, as a run without events.

use super::sniff::TopoExecShape;
use super::store::{TopoExecFile, TopoExecMetric};

/// Returns for each file the index of the file that it is shown with: the index of its trace if it is a sidecar, else
/// its own index.
pub fn shown_with(files: &[TopoExecFile], copies: &[bool]) -> Vec<usize> {
    let of = |at: usize| {
        let this = &files[at];
        if this.shape != TopoExecShape::Sidecar {
            return at;
        }
        let near = |of: &usize| files[*of].folder == this.folder && !copies[*of];
        let mut traces =
            (0..files.len()).filter(near).filter(|&of| files[of].shape != TopoExecShape::Sidecar);
        // If the folder has several traces, the owner of the metrics is not known.
        if let (Some(trace), None) = (traces.next(), traces.next()) {
            return trace;
        }
        let first = (0..at).filter(near).find(|&of| files[of].shape == TopoExecShape::Sidecar);
        first.filter(|_| this.folder.is_some()).unwrap_or(at)
    };
    (0..files.len()).map(of).collect()
}

/// Records without times that are shown with one trace.
pub struct UntimedRecords<'a> {
    pub metrics: Vec<&'a TopoExecMetric>,
    pub health: Vec<&'a TopoExecMetric>,
    /// Records that repeat other records of the trace.
    pub again: Vec<&'a TopoExecMetric>,
    /// Totals of the whole run: keys and values, each key once.
    pub totals: Vec<&'a (String, String)>,
}

impl<'a> UntimedRecords<'a> {
    /// Collects the records of a trace's own file and of its sidecars.
    pub fn of(file: &'a TopoExecFile, others: &[&'a TopoExecFile]) -> Self {
        let (mut metrics, mut again): (Vec<&TopoExecMetric>, _) = (file.metrics.iter().collect(), Vec::new());
        let has_metrics = !metrics.is_empty();
        let of_others = others.iter().flat_map(|other| &other.metrics);
        if has_metrics {
            again.extend(of_others)
        } else {
            metrics.extend(of_others)
        }
        // If the trace has events, they include the health events, with times.
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

    /// Whether there are no metrics and no health events to show.
    pub fn is_empty(&self) -> bool {
        self.metrics.is_empty() && self.health.is_empty()
    }
}
