//! [`Choice`]: the subset of runs and times that is loaded, and the runs that can be chosen.
//!
//! Whether a record is kept is decided before it is stored: a record that is left out costs only its position.
//! A subset is a range of times of some runs, or a share of the queries, or both.

use super::{FileId, ProblemKind};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::text;
use crate::protocol::{Subset, SubsetRun};
use crate::trace::Cut;

/// Problem kind of records outside the loaded subset; reported separately, since these records are not faulty.
pub const LEFT_OUT: ProblemKind =
    ProblemKind::lost("left out by choice", "The record is not in the loaded range or runs.");

/// Key by which records are assigned to a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum RunKey {
    /// The run has this name in its records.
    Named(StrId),
    /// The file is a run of its own.
    File(FileId),
}

/// A share of the queries of a trace, by their hash, so that a trace larger than memory is read in several passes: the shares
/// `0..of` together have every record once. Records of no query are in share 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QueryShare {
    /// Number of the share, below `of`.
    pub number: u32,
    /// Number of shares; at least 1.
    pub of: u32,
}

impl QueryShare {
    /// Whether a record of the query with this hash is in the share; `None` is a record of no query.
    fn contains(self, query: Option<u64>) -> bool {
        // The low half of a hash of similar ids is less even than both halves together.
        let even = query.map_or(0, |hash| hash ^ hash >> 32);
        even % u64::from(self.of.max(1)) == u64::from(self.number)
    }

    /// The two halves of the share; `None` if there can be no more shares.
    pub fn halves(self) -> Option<[Self; 2]> {
        let of = self.of.checked_mul(2)?;
        Some([Self { number: self.number, of }, Self { number: self.number + self.of, of }])
    }
}

/// A run that has been found in the files.
struct Met {
    name: String,
    is_wanted: bool,
    /// Clock reading that is time 0 of the run, in nanoseconds.
    zero: i64,
    first: i64,
    last: i64,
    records: u64,
    /// Start of the earliest record kept while only a subset is loaded; `None` before the first.
    kept: Option<i64>,
}

/// The subset that is loaded (by default everything), and the runs found so far.
#[derive(Default)]
pub struct Choice {
    part: Subset,
    /// The share of the queries that is loaded; `None` for all.
    share: Option<QueryShare>,
    /// Whether a subset is loaded, so that records may be left out.
    narrows: bool,
    /// Number of records that were left out.
    left_out: u64,
    /// Number of records passed to [`Self::take`], whose formats do not know the query of a record while they read.
    without_query: u64,
    /// Sides at which records of chosen runs were left out.
    cut: Cut,
    met: Vec<Met>,
    by_key: FxHashMap<RunKey, usize>,
    last: Option<(RunKey, usize)>,
}

impl Choice {
    /// Sets the subset; applies from the next record on.
    pub fn set(&mut self, part: Subset) {
        self.part = part;
        self.narrows = self.part != Subset::default() || self.share.is_some();
    }

    /// Sets the share of the queries that is loaded; applies from the next record on.
    pub fn set_share(&mut self, share: QueryShare) {
        (self.share, self.narrows) = (Some(share), true);
    }

    /// Returns the subset that is loaded.
    pub fn part(&self) -> &Subset {
        &self.part
    }

    /// Number of records that were left out.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Whether the files can be read in shares of their queries: at least one record was read, and all by [`Self::take_of_query`].
    pub fn has_shares(&self) -> bool {
        self.without_query == 0 && !self.met.is_empty()
    }

    /// The kind under which to count a problem of a record that is never stored: the shares together count each record once, so that
    /// it is lost in the first share, and left out of all others.
    pub fn kind_in_share(&mut self, kind: ProblemKind) -> ProblemKind {
        match self.share {
            Some(share) if kind.lost && kind != LEFT_OUT && !share.contains(None) => {
                self.left_out += 1;
                LEFT_OUT
            }
            _ => kind,
        }
    }

    /// Decides whether to keep a record whose run's clock read `from` at its start and `to` at its end, in nanoseconds.
    /// `name` is called for the name of a run that is found for the first time.
    ///
    /// # Errors
    /// Returns [`LEFT_OUT`] if the record is outside the subset.
    #[inline]
    pub fn take(
        &mut self,
        key: RunKey,
        times: (i64, i64),
        name: impl FnOnce() -> String,
    ) -> Result<(), ProblemKind> {
        self.without_query += 1;
        self.take_of_query(key, times, || None, name)
    }

    /// Like [`Self::take`], of a format whose records name their query, so that it is known before anything is stored: `query` returns the hash of the query
    /// that the record belongs to, the same for all its records, or `None` for a record of no query.
    ///
    /// # Errors
    /// Returns [`LEFT_OUT`] if the record is outside the subset.
    #[inline]
    pub fn take_of_query(
        &mut self,
        key: RunKey,
        (from, to): (i64, i64),
        query: impl FnOnce() -> Option<u64>,
        name: impl FnOnce() -> String,
    ) -> Result<(), ProblemKind> {
        let at = match self.last {
            Some((last, at)) if last == key => at,
            _ => self.index_of_run(key, from, name),
        };
        let met = &mut self.met[at];
        met.records += 1;
        (met.first, met.last) = (met.first.min(from), met.last.max(to));
        if !self.narrows {
            return Ok(());
        }
        let wanted = match self.share {
            Some(share) if !share.contains(query()) => Err(LEFT_OUT),
            _ => self.wants(at, from, to),
        };
        self.left_out += u64::from(wanted.is_err());
        wanted
    }

    /// Returns the index of the run with this key, adding the run if it is new, and remembers it for the next record.
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

    /// Returns the sides at which records of chosen runs were left out.
    pub fn cut(&self) -> Cut {
        self.cut
    }

    /// Describes the origin of the subset's times in a sentence; `None` if times count from the start
    /// of every run.
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

    /// Returns the runs found so far, in the order in which they were found.
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
