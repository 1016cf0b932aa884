//! Histograms of statement latencies, and the quantiles that the server derives from them (MySQL 8.0 and later).
//!
//! A statement falls into the last bucket whose lower bound, in whole nanoseconds, is at or below its time in whole
//! nanoseconds. QUANTILE_q is the upper bound of the first bucket at which the share of all statements reaches q.

use super::columns::{Coordinate, ServerColumn, coordinate};
use super::evidence::Evidence;
use super::points::EventClass;
use super::reasons::{Case, reason};
use super::sums::RowGroup;
use super::{ReconcileResult, number};
use crate::base::interner::StrId;
use crate::protocol::ReconciledCell;
use crate::trace::{Table, Trace};

/// Compares a histogram with the statements; `None` if the table is not a histogram.
pub fn compare(table: &Table, evidence: &Evidence) -> Option<ReconcileResult> {
    let (trace, points) = (evidence.trace, evidence.points);
    let name = trace.str(table.name);
    if !name.starts_with("events_statements_histogram_") {
        return None;
    }
    let column = |name| table.column(&trace.strings, name);
    let (low, count) = (column("BUCKET_TIMER_LOW")?, column("COUNT_BUCKET")?);
    let keys = column("SCHEMA_NAME").zip(column("DIGEST"));
    let mut groups: Vec<([StrId; 2], Vec<i64>)> = Vec::new();
    let of_row = |row: usize| {
        keys.map_or([StrId::NONE; 2], |(schema, digest)| {
            [schema, digest].map(|column| table.cell(row, column).unwrap_or(StrId::NONE))
        })
    };
    for point in points.list.iter().filter(|point| point.class == EventClass::Statement) {
        let of_point = [Coordinate::Database, Coordinate::Digest].map(|of| coordinate(trace, point, of));
        let key = if keys.is_some() { of_point } else { [StrId::NONE; 2] };
        let Some(timer) = point.timer else { continue };
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, times)) => times.push(timer / 1_000),
            None => groups.push((key, vec![timer / 1_000])),
        }
    }
    groups.iter_mut().for_each(|(_, times)| times.sort_unstable());
    let mut outcome = ReconcileResult::default();
    for row in 0..table.len() {
        outcome.rows += 1;
        let key = of_row(row);
        let times = groups.iter().find(|(known, _)| *known == key).map_or(&[][..], |(_, times)| times);
        let bound = |row: usize| i64::try_from(number(trace, table, row, low) / 1_000).unwrap_or(i64::MAX);
        // Buckets of one digest are adjacent, sorted from the shortest time to the longest.
        let is_last = row + 1 == table.len() || of_row(row + 1) != key;
        let below = |bound: i64| times.partition_point(|&time| time < bound) as i128;
        let until = if is_last { times.len() as i128 } else { below(bound(row + 1)) };
        let (server, events) = (number(trace, table, row, count), until - below(bound(row)));
        if server == events {
            outcome.equal += 1;
            continue;
        }
        let case = bucket(name, server, events);
        outcome.differs(&reason(&case, evidence), || ReconciledCell {
            row: format!("bucket from {} ns", bound(row)),
            column: "COUNT_BUCKET".to_owned(),
            server: server.to_string(),
            events: events.to_string(),
        });
    }
    Some(outcome)
}

/// Bucket bounds, which are the same for all of the server's histograms.
#[derive(Default)]
pub struct HistogramBuckets {
    /// Bounds in ascending order: inclusive lower bound in whole nanoseconds and upper bound in picoseconds.
    pub bounds: Vec<(i64, i128)>,
}

impl HistogramBuckets {
    /// Reads the buckets of the global statement histogram in the export of `table`. Empty if it was not exported.
    pub fn of(trace: &Trace, table: &Table) -> Self {
        let histogram = trace.tables.find(&trace.strings, table.run, "events_statements_histogram_global");
        let bounds = histogram.and_then(|histogram| {
            let column = |name| histogram.column(&trace.strings, name);
            let (low, high) = (column("BUCKET_TIMER_LOW")?, column("BUCKET_TIMER_HIGH")?);
            let bound = |row| {
                let low = i64::try_from(number(trace, histogram, row, low) / 1_000).unwrap_or(i64::MAX);
                (low, number(trace, histogram, row, high))
            };
            Some((0..histogram.len()).map(bound).collect())
        });
        Self { bounds: bounds.unwrap_or_default() }
    }

    /// Writes the quantiles that follow from the durations of a group's statements into the group's totals.
    pub fn quantiles(&self, columns: &[Option<ServerColumn>], group: &mut RowGroup) {
        group.times.sort_unstable();
        for (total, column) in group.totals.iter_mut().zip(columns) {
            if let Some(ServerColumn::Quantile(mille)) = column {
                let rank = (group.times.len() * usize::from(*mille)).div_ceil(1_000).max(1);
                let time = group.times.get(rank - 1);
                let next = time.map_or(0, |time| self.bounds.partition_point(|(low, _)| low <= time));
                *total = next.checked_sub(1).map_or(0, |at| self.bounds[at].1);
            }
        }
    }
}

/// Describes a histogram bucket whose count differs from the number of statements in the files.
fn bucket(table: &str, server: i128, events: i128) -> Case<'_> {
    Case {
        table,
        class: EventClass::Statement,
        columns: &[],
        key: &[],
        column: ServerColumn::Count(0),
        server,
        excess: server - events,
        untimed: false,
        base: false,
        difference: server - events,
    }
}
