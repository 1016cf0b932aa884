//! Measures of a side of a comparison of runs, and of each group of executions.

use crate::analysis::percentile::percentile_of_sorted;
use crate::analysis::{ExecutionNumbers, StatementTexts, Sum};
use crate::base::{filter_text, sort};
use crate::protocol::SideMeasures;

/// Measure of a group of executions. All but [`Errors`](Self::Errors) are taken over complete executions: those with both their
/// start and their end in the trace.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RunMeasure {
    /// Number of executions.
    Count,
    /// Sum of the durations, in nanoseconds.
    Total,
    /// Average duration, in nanoseconds, rounded down.
    #[cfg(feature = "export")]
    Mean,
    /// Median duration, in nanoseconds.
    P50,
    /// 95th percentile of the durations, in nanoseconds.
    P95,
    /// 99th percentile of the durations, in nanoseconds.
    #[cfg(feature = "export")]
    P99,
    /// Longest duration, in nanoseconds.
    Max,
    /// Time that no nested span covers, in nanoseconds.
    SelfTime,
    /// Rows read, where reported.
    RowsRead,
    /// Rows returned, where reported.
    RowsReturned,
    /// Bytes, where reported; for statements, the bytes of everything inside them.
    Bytes,
    /// Number of failed executions, including incomplete ones.
    Errors,
}

/// Unit of a measure.
#[cfg(feature = "export")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MeasureUnit {
    /// A time in nanoseconds.
    Nanoseconds,
    /// A number of bytes.
    Bytes,
    /// A plain number.
    Number,
}

#[cfg(feature = "export")]
impl RunMeasure {
    /// All measures, in the order of tables.
    pub const ALL: [Self; 12] = [
        Self::Count,
        Self::Total,
        Self::Mean,
        Self::P50,
        Self::P95,
        Self::P99,
        Self::Max,
        Self::SelfTime,
        Self::RowsRead,
        Self::RowsReturned,
        Self::Bytes,
        Self::Errors,
    ];

    /// Name of the measure in conditions.
    pub fn name(self) -> &'static str {
        match self {
            Self::Count => "count",
            Self::Total => "total",
            Self::Mean => "mean",
            Self::P50 => "p50",
            Self::P95 => "p95",
            Self::P99 => "p99",
            Self::Max => "max",
            Self::SelfTime => "self",
            Self::RowsRead => "rows",
            Self::RowsReturned => "returned",
            Self::Bytes => "bytes",
            Self::Errors => "errors",
        }
    }

    /// Key of the measure in JSON; names of times end in the unit.
    pub fn json_key(self) -> String {
        match self.unit() {
            MeasureUnit::Nanoseconds => format!("{}_ns", self.name()),
            MeasureUnit::Bytes | MeasureUnit::Number => self.name().to_owned(),
        }
    }

    /// Whether the measure is a duration of executions, which can become slower or faster, and not a sum over all executions.
    pub fn is_duration(self) -> bool {
        matches!(self, Self::Mean | Self::P50 | Self::P95 | Self::P99 | Self::Max)
    }

    /// Unit of the measure.
    pub fn unit(self) -> MeasureUnit {
        match self {
            Self::Total | Self::Mean | Self::P50 | Self::P95 | Self::P99 | Self::Max | Self::SelfTime => {
                MeasureUnit::Nanoseconds
            }
            Self::Bytes => MeasureUnit::Bytes,
            Self::Count | Self::RowsRead | Self::RowsReturned | Self::Errors => MeasureUnit::Number,
        }
    }
}

/// The value clamped to 64 bits.
pub(super) fn narrowed(value: i128) -> i64 {
    value.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
}

/// Values of one execution that are added to its group.
#[derive(Clone, Copy, Default)]
pub(super) struct ExecutionSample {
    /// Duration in nanoseconds.
    pub duration: i64,
    /// Self time in nanoseconds.
    pub self_time: i64,
    /// Whether both start and end are in the trace.
    pub is_whole: bool,
    /// Whether it failed.
    pub failed: bool,
    /// Rows and bytes.
    pub numbers: ExecutionNumbers,
}

/// Maximum length of a statement in a condition of a filter, in bytes.
const MAX_CONDITION: usize = 20_000;

/// Executions of one group on one side.
#[derive(Clone, Default, Debug)]
pub struct GroupSamples {
    /// Durations of the complete executions, in nanoseconds; in ascending order once all were added.
    durations: Vec<i64>,
    incomplete: u64,
    failed: u64,
    failed_incomplete: u64,
    /// Name of an attribute that has the statement of all executions; `None` for spans.
    attribute: Option<&'static str>,
    total: Sum,
    self_time: Sum,
    rows_read: Sum,
    rows_returned: Sum,
    bytes: Sum,
}

impl GroupSamples {
    pub(super) fn add(&mut self, sample: ExecutionSample) {
        self.failed += u64::from(sample.failed);
        if !sample.is_whole {
            self.incomplete += 1;
            self.failed_incomplete += u64::from(sample.failed);
            return;
        }
        self.durations.push(sample.duration);
        self.total.add(Some(sample.duration));
        self.self_time.add(Some(sample.self_time));
        self.rows_read.add(sample.numbers.rows_read);
        self.rows_returned.add(sample.numbers.rows_returned);
        self.bytes.add(sample.numbers.bytes);
    }

    /// Adds the attribute that has the statement of some of the executions.
    pub(super) fn add_attribute(&mut self, attribute: &'static str) {
        let known = self.attribute.unwrap_or(attribute);
        self.attribute = Some(StatementTexts::common_attribute(known, attribute));
    }

    /// Condition of a filter that shows these executions of the statement `shape` in the query list. `None` for spans, which are
    /// not in that list, and for a statement that is too long.
    pub(super) fn condition(&self, shape: &str) -> Option<String> {
        let dimension = StatementTexts::dimension(self.attribute?);
        (shape.len() <= MAX_CONDITION).then(|| filter_text::condition(&dimension, Some(shape), false))
    }

    /// Adds all executions of another group.
    pub(super) fn join(&mut self, other: &Self) {
        self.durations.extend_from_slice(&other.durations);
        self.incomplete += other.incomplete;
        self.failed += other.failed;
        self.failed_incomplete += other.failed_incomplete;
        other.attribute.into_iter().for_each(|attribute| self.add_attribute(attribute));
        self.total.join(other.total);
        self.self_time.join(other.self_time);
        self.rows_read.join(other.rows_read);
        self.rows_returned.join(other.rows_returned);
        self.bytes.join(other.bytes);
    }

    /// All measures that the page shows.
    pub(super) fn measures(&self) -> SideMeasures {
        let get = |measure| self.get(measure).map(narrowed);
        SideMeasures {
            count: self.durations.len() as u64,
            incomplete: self.incomplete,
            failed: self.failed,
            failed_incomplete: self.failed_incomplete,
            total: get(RunMeasure::Total),
            p50: get(RunMeasure::P50),
            p95: get(RunMeasure::P95),
            max: get(RunMeasure::Max),
            self_time: get(RunMeasure::SelfTime),
            rows_read: get(RunMeasure::RowsRead),
            rows_returned: get(RunMeasure::RowsReturned),
            bytes: get(RunMeasure::Bytes),
        }
    }

    pub(super) fn sort(&mut self) {
        sort::by_key(&mut self.durations, |&duration| (duration, 0));
    }

    /// Durations of the complete executions, in nanoseconds, in ascending order.
    pub fn durations(&self) -> &[i64] {
        &self.durations
    }

    /// Number of executions whose start or end is not in the trace.
    #[cfg(feature = "export")]
    pub fn incomplete(&self) -> u64 {
        self.incomplete
    }

    /// Value of a measure; `None` if it was not reported, or if no execution is complete.
    pub fn get(&self, measure: RunMeasure) -> Option<i128> {
        let percentile = |percent| percentile_of_sorted(&self.durations, percent).map(i128::from);
        match measure {
            RunMeasure::Count => Some(self.durations.len() as i128),
            RunMeasure::Total => self.total.exact(),
            #[cfg(feature = "export")]
            RunMeasure::Mean => self.total.exact().map(|sum| sum.div_euclid(self.durations.len() as i128)),
            RunMeasure::P50 => percentile(50),
            RunMeasure::P95 => percentile(95),
            #[cfg(feature = "export")]
            RunMeasure::P99 => percentile(99),
            RunMeasure::Max => percentile(100),
            RunMeasure::SelfTime => self.self_time.exact(),
            RunMeasure::RowsRead => self.rows_read.exact(),
            RunMeasure::RowsReturned => self.rows_returned.exact(),
            RunMeasure::Bytes => self.bytes.exact(),
            RunMeasure::Errors => Some(i128::from(self.failed)),
        }
    }
}
