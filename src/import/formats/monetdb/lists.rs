//! Reads rows of values without names, in file order. The first row whose numbers are ambiguous and all later rows are held
//! back until 256 rows, or the end of the file, determine the columns.

use super::line::{self, LineRecord, PlainLineRecord};
use super::line_json;
use super::line_roles::{LineFileContext, LineLayoutKey, LineNumberRole, LineNumbers, is_enough, of};
use crate::base::FxHashMap;
use crate::import::text::lines::Place;

/// Number of rows of values without names that are examined together to determine the meaning of their columns.
const LOOKED_AT: usize = 256;

/// Outcome of converting a row.
pub enum LineRowResult {
    /// An event; `has_unknown`: whether the meaning of some of its numbers is not known.
    Event { json: String, has_unknown: bool },
    /// The meaning of the row's numbers is not known.
    Unclear,
}

/// Rows of values without names, of one file. Rows whose numbers are ambiguous are held back until enough rows were
/// read.
#[derive(Default)]
pub struct LineRows {
    held: Vec<(Place, String)>,
    /// Numbers of the held-back rows that have no phase; `None` until these rows were examined.
    samples: Option<Vec<LineNumbers>>,
    context: LineFileContext,
    /// Cache of the meanings of a row's numbers, by the row's layout. Filled as rows are converted, after the held-back rows
    /// were examined.
    known: FxHashMap<LineLayoutKey, Vec<LineNumberRole>>,
}

impl LineRows {
    /// Adds the next row, which must be complete.
    pub fn push(&mut self, text: String, place: Place, mut take: impl FnMut(LineRowResult, &str, Place)) {
        let is_clear = self.samples.is_some() || self.held.is_empty() && self.is_clear(&text);
        if is_clear {
            return take(self.row(&text), &text, place);
        }
        self.held.push((place, text));
        if self.held.len() >= LOOKED_AT {
            self.finish(take);
        }
    }

    /// Determines the columns from the held rows and passes these rows to `take`. More rows may follow.
    pub fn finish(&mut self, mut take: impl FnMut(LineRowResult, &str, Place)) {
        let held = std::mem::take(&mut self.held);
        let mut samples = Vec::new();
        for (_, text) in &held {
            match line::listed(text) {
                Some(LineRecord::Phase(values, at)) => self.learn(&values, at),
                Some(LineRecord::Plain(plain)) => samples.push(plain.sample()),
                None => {}
            }
        }
        self.samples = self.samples.take().or(Some(samples));
        for (place, text) in held {
            take(self.row(&text), &text, place);
        }
    }

    /// Whether the meaning of the numbers of a row can be determined from the row alone.
    fn is_clear(&self, text: &str) -> bool {
        match line::listed(text) {
            Some(LineRecord::Plain(plain)) => {
                let sample = plain.sample();
                let roles = of(&sample, std::slice::from_ref(&sample), &self.context);
                is_enough(&sample, &roles) && !roles.contains(&LineNumberRole::Unknown)
            }
            _ => true,
        }
    }

    /// Converts a row of the file to JSON, after the whole file was read.
    pub fn to_json(&self, text: &str) -> Option<String> {
        Some(match line::listed(text)? {
            LineRecord::Phase(values, at) => line_json::phase(&values, at),
            LineRecord::Plain(plain) => {
                let samples = self.samples.as_deref().unwrap_or_default();
                plain.to_json(&of(&plain.sample(), samples, &self.context))
            }
        })
    }

    fn row(&mut self, text: &str) -> LineRowResult {
        match line::listed(text) {
            Some(LineRecord::Phase(values, at)) => {
                self.learn(&values, at);
                LineRowResult::Event { json: line_json::phase(&values, at), has_unknown: false }
            }
            Some(LineRecord::Plain(plain)) => self.plain(&plain),
            None => LineRowResult::Unclear,
        }
    }

    fn plain(&mut self, plain: &PlainLineRecord) -> LineRowResult {
        let sample = plain.sample();
        let samples = self.samples.as_deref().unwrap_or_default();
        let find = || of(&sample, samples, &self.context);
        let is_alike = self.samples.is_some() && !plain.is_beat();
        let roles =
            if is_alike { self.known.entry(sample.key()).or_insert_with(find).clone() } else { find() };
        if is_enough(&sample, &roles) {
            LineRowResult::Event {
                json: plain.to_json(&roles),
                has_unknown: roles.contains(&LineNumberRole::Unknown),
            }
        } else {
            LineRowResult::Unclear
        }
    }

    /// Records the clock and tag of a row with a phase, which help to read other rows.
    fn learn(&mut self, values: &[&str], phase: usize) {
        let clock = phase.checked_sub(2).and_then(|at| values.get(at)?.parse().ok());
        if self.context.clock.is_none() {
            self.context.clock = clock;
            self.known.clear();
        }
        self.context.tags.extend(line_json::tag_of_phase(values, phase));
    }
}
