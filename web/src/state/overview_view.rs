//! State of the overview: changed thresholds, and dimension and measure of the time by group.

use queryscope::protocol::ChangedThreshold;

/// Maximum number of changed thresholds. The engine has fewer thresholds, but a link may contain any number.
const MOST_THRESHOLDS: usize = 64;

/// Settings of the overview.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct OverviewView {
    /// Thresholds of findings that differ from their defaults, in the order in which they were changed.
    pub thresholds: Vec<ChangedThreshold>,
    /// Dimension of "Where the time went"; `None` for the first that suits the trace.
    pub by: Option<TimeDimension>,
    /// Measure of "Where the time went"; `None` for the first that suits the trace.
    pub measure: Option<TimeMeasure>,
}

impl OverviewView {
    /// Changes a threshold.
    pub fn set(&mut self, changed: ChangedThreshold) {
        self.reset(&changed.key);
        self.thresholds.push(changed);
        self.thresholds.drain(..self.thresholds.len().saturating_sub(MOST_THRESHOLDS));
    }

    /// Resets a threshold to its default.
    pub fn reset(&mut self, key: &str) {
        self.thresholds.retain(|known| known.key != key);
    }
}

/// Dimension by which time is grouped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum TimeDimension {
    Kind,
    Connector,
    Datasource,
    /// Statements by shape.
    Statement,
    /// Names of slices.
    Name,
    Thread,
}

/// Quantity that is divided by group: times, rows or bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum TimeMeasure {
    SelfTime,
    Total,
    Rows,
    Bytes,
    /// Time in waits.
    Waits,
}
