//! The score of a query: the weighted sum of duration, rows read at its sources, and buffer bytes, each divided by its
//! maximum over all complete queries.

use super::Queries;
use crate::protocol::{QueryColumn, ScoreWeights};

/// The parts of a score, in the order of the weights.
const PARTS: [QueryColumn; 3] = [QueryColumn::Duration, QueryColumn::RowsRead, QueryColumn::BufferBytes];

/// The largest value of each part among the complete queries of all runs.
#[derive(Clone, Copy, Default)]
pub struct ScoreMaxima([i64; 3]);

impl ScoreMaxima {
    pub fn of(queries: &Queries) -> Self {
        let complete = || (0..queries.len()).filter(|&row| queries.is_whole(row));
        Self(PARTS.map(|part| complete().filter_map(|row| queries.number(row, part)).max().unwrap_or(0)))
    }

    /// Whether the trace reports rows or bytes, so that a score has more parts than the duration.
    pub fn is_of_several_parts(self) -> bool {
        self.0[0] > 0 && self.0[1..].iter().any(|largest| *largest > 0)
    }
}

impl Queries {
    /// Score of a query, from 0 to the sum of the weights; `None` if the query is not complete, because its duration is not
    /// known. A part that the query does not report adds nothing.
    pub fn score(&self, row: u32, weights: ScoreWeights) -> Option<f64> {
        if !self.is_whole(row) {
            return None;
        }
        let weights = [weights.latency, weights.io, weights.buffer];
        let parts = PARTS.into_iter().zip(self.maxima().0).zip(weights);
        let part = |((part, largest), weight): ((QueryColumn, i64), u32)| match self.number(row, part) {
            Some(value) if largest > 0 => ScoreWeights::number(weight) * value.max(0) as f64 / largest as f64,
            _ => 0.0,
        };
        Some(parts.map(part).sum())
    }
}
