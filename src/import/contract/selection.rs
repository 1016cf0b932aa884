//! [`Choice`]: the part of the files that is wanted, by run and by time; and what there is to choose from.
//!
//! A record is asked about before it is kept: what is left out costs no more than the place where it stands.

use super::{FileId, ProblemKind};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::text;
use crate::protocol::{Subset, SubsetRun};
use crate::trace::Cut;

/// Counted like a problem, and reported apart: nothing is wrong with such a record.
pub const LEFT_OUT: ProblemKind =
    ProblemKind::lost("left out by choice", "The record is not in the loaded range or runs.");

/// What distinguishes the runs of the files.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RunKey {
    /// What the records say.
    Named(StrId),
    /// Each file is one.
    File(FileId),
}

/// A run with records that were met.
struct Met {
    name: String,
    is_wanted: bool,
    /// The clock's reading from which its times are counted.
    zero: i64,
    first: i64,
    last: i64,
    records: u64,
    /// The earliest that was kept of a part.
    kept: Option<i64>,
}

/// The part that is wanted, and the runs that were met. Everything is wanted by default.
#[derive(Default)]
pub struct Choice {
    part: Subset,
    /// Whether some record may be left out.
    narrows: bool,
    /// Where something was left out of runs that are wanted.
    cut: Cut,
    met: Vec<Met>,
    by_key: FxHashMap<RunKey, usize>,
    last: Option<(RunKey, usize)>,
}

impl Choice {
    /// Wants this part, from the next record on.
    pub fn set(&mut self, part: Subset) {
        self.narrows = part != Subset::default();
        self.part = part;
    }

    /// The part that is wanted.
    pub fn part(&self) -> &Subset {
        &self.part
    }

    /// Whether a record is wanted whose run's clock read `from` when it began and `to` when it ended, in nanoseconds.
    /// `name` is asked for the name of a run that was not met before.
    ///
    /// # Errors
    /// The problem of a record that was left out by choice, if it is not.
    #[inline]
    pub fn take(
        &mut self,
        key: RunKey,
        (from, to): (i64, i64),
        name: impl FnOnce() -> String,
    ) -> Result<(), ProblemKind> {
        let at = match self.last {
            Some((last, at)) if last == key => at,
            _ => self.index_of_run(key, from, name),
        };
        let met = &mut self.met[at];
        met.records += 1;
        (met.first, met.last) = (met.first.min(from), met.last.max(to));
        if self.narrows { self.wants(at, from, to) } else { Ok(()) }
    }

    /// Another run than that of the record before.
    #[inline(never)]
    fn index_of_run(&mut self, key: RunKey, from: i64, name: impl FnOnce() -> String) -> usize {
        let Self { part, met, by_key, .. } = self;
        let at = *by_key.entry(key).or_insert_with(|| {
            let name = name();
            let is_wanted = part.runs.as_ref().is_none_or(|runs| runs.contains(&name));
            let zero = part.zeros.iter().find(|(run, _)| *run == name).map_or(from, |(_, zero)| *zero);
            met.push(Met { name, is_wanted, zero, first: from, last: from, records: 0, kept: None });
            met.len() - 1
        });
        self.last = Some((key, at));
        at
    }

    fn wants(&mut self, at: usize, from: i64, to: i64) -> Result<(), ProblemKind> {
        let met = &mut self.met[at];
        if !met.is_wanted {
            return Err(LEFT_OUT);
        }
        if let Some((start, end)) = self.part.range {
            let (before, behind) = (to.saturating_sub(met.zero) < start, from.saturating_sub(met.zero) > end);
            self.cut = Cut { before: self.cut.before | before, after: self.cut.after | behind };
            if before || behind {
                return Err(LEFT_OUT);
            }
        }
        met.kept = Some(met.kept.map_or(from, |kept| kept.min(from)));
        Ok(())
    }

    /// Where something was left out of runs that are wanted.
    pub fn cut(&self) -> Cut {
        self.cut
    }

    /// In a sentence, from where the times of a part count; `None` where that is the beginning of every run.
    pub fn counted_from(&self) -> Option<String> {
        let runs = self.runs();
        let kept = || runs.iter().filter_map(|run| run.kept_from);
        let (least, most) = (kept().min()?, kept().max()?);
        let [from, to] = [least, most].map(|ns| format!("+{}", text::duration_exact(ns)));
        match kept().count() {
            _ if most <= 0 => None,
            1 => Some(format!("Loaded in part: times count from {from} into the run.")),
            _ if least == most => Some(format!("Loaded in part: times count from {from} into each run.")),
            _ => Some(format!(
                "Loaded in part: the times of each run count from its first loaded record, {from} to {to} into \
                 the run."
            )),
        }
    }

    /// The runs that were met, in that order.
    pub fn runs(&self) -> Vec<SubsetRun> {
        let run = |met: &Met| {
            let zero = met.first.min(met.zero);
            SubsetRun {
                name: met.name.clone(),
                zero,
                length: met.last.saturating_sub(zero),
                records: met.records,
                kept_from: met.kept.map(|kept| kept.saturating_sub(zero)),
            }
        };
        self.met.iter().map(run).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(part: Subset, records: &[(u32, i64, i64)], wanted: &[usize]) {
        let mut choice = Choice::default();
        choice.set(part.clone());
        let mut take = |&(run, from, to): &(u32, i64, i64)| {
            choice.take(RunKey::File(FileId(run)), (from, to), || format!("run {run}")).is_ok()
        };
        let found: Vec<usize> =
            records.iter().enumerate().filter(|(_, record)| take(record)).map(|(at, _)| at).collect();
        assert_eq!(found, wanted, "{part:?}");
        assert_eq!(choice.runs().iter().map(|run| run.records).sum::<u64>(), records.len() as u64);
    }

    #[test]
    fn a_part_is_a_range_of_some_runs() {
        let records = [(0, 100, 100), (0, 105, 120), (1, 900, 900), (0, 130, 130), (1, 915, 916)];
        let all = Subset::default();
        check(all.clone(), &records, &[0, 1, 2, 3, 4]);
        check(Subset { range: Some((10, 20)), ..all.clone() }, &records, &[1, 4]);
        check(Subset { range: Some((0, 5)), ..all.clone() }, &records, &[0, 1, 2]);
        check(Subset { range: Some((i64::MIN, i64::MAX)), ..all.clone() }, &records, &[0, 1, 2, 3, 4]);
        check(Subset { runs: Some(vec!["run 1".into()]), ..all.clone() }, &records, &[2, 4]);
        check(Subset { runs: Some(Vec::new()), ..all.clone() }, &records, &[]);
        let zeros = vec![("run 0".to_owned(), 120), ("run 1".to_owned(), 910)];
        check(Subset { range: Some((0, 5)), zeros, runs: None }, &records, &[1, 4]);
        check(
            Subset { range: Some((0, 0)), ..all },
            &[(0, i64::MIN, i64::MAX), (0, i64::MAX, i64::MAX)],
            &[0],
        );
    }

    #[test]
    fn runs_are_counted_from_their_earliest_record() {
        let mut choice = Choice::default();
        for time in [50, 40, 90] {
            assert!(choice.take(RunKey::File(FileId(0)), (time, time), || "x".to_owned()).is_ok());
        }
        let name = "x".to_owned();
        assert_eq!(choice.runs(), [SubsetRun { name, zero: 40, length: 50, records: 3, kept_from: None }]);
    }
}
