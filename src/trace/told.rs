//! [`Told`]: one field of every record.

use super::RecordId;
use super::every::ReportedColumn;

/// Where no more than one of so many records tells something, only those are kept.
const RARE: usize = 16;

/// What every record tells, by its number; nothing behind the last. What only some sorts of events have is told by few
/// records: then it is a bit of each that is read instead of four or eight bytes.
pub enum Told<T> {
    /// Of every record.
    All(Vec<T>),
    /// Of a few: a bit for every record, and what those tell that tell something, in their order.
    Few(Vec<u64>, Vec<(u32, T)>),
}

impl<T: ReportedColumn> Told<T> {
    /// What so many records tell, which [`push`](Self::push) is to be told in their order.
    pub fn of(records: usize) -> Self {
        Self::Few(vec![0; records.div_ceil(64)], Vec::new())
    }

    /// The next record tells this.
    #[inline]
    pub fn push(&mut self, record: u32, told: T) {
        match self {
            Self::All(all) => all.push(told),
            Self::Few(..) if told == T::NONE => {}
            Self::Few(bits, few) => {
                few.push((record, told));
                if let Some(word) = bits.get_mut(record as usize / 64) {
                    *word |= 1 << (record % 64);
                }
                if few.len() * RARE > bits.len() * 64 {
                    self.spread(record);
                }
            }
        }
    }

    /// They are not so few.
    #[cold]
    fn spread(&mut self, last: u32) {
        let Self::Few(bits, few) = self else { return };
        let mut all = Vec::with_capacity(bits.len() * 64);
        all.resize(last as usize + 1, T::NONE);
        few.iter().for_each(|&(record, told)| all[record as usize] = told);
        *self = Self::All(all);
    }

    /// What a record tells.
    #[inline]
    pub fn get(&self, record: RecordId) -> T {
        let at = record.0 as usize;
        match self {
            Self::All(all) => all.get(at).copied().unwrap_or(T::NONE),
            Self::Few(bits, few) => match bits.get(at / 64) {
                Some(word) if word >> (at % 64) & 1 == 1 => found(few, record.0),
                _ => T::NONE,
            },
        }
    }
}

#[inline(never)]
fn found<T: ReportedColumn>(few: &[(u32, T)], record: u32) -> T {
    few.binary_search_by_key(&record, |(of, _)| *of).map_or(T::NONE, |at| few[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_tell_the_same_however_many_do() {
        for every in [1, 2, 15, 17, 100, 5_000] {
            let of = |record: u32| if record % every == every / 2 { i64::from(record) } else { i64::NONE };
            let mut told = Told::of(2_000);
            (0..2_000).for_each(|record| told.push(record, of(record)));
            assert!((0..2_000).all(|record| told.get(RecordId(record)) == of(record)), "{every}");
            assert_eq!(told.get(RecordId(2_000)), i64::NONE);
            assert_eq!(told.get(RecordId::NONE), i64::NONE);
            assert_eq!(matches!(told, Told::Few(..)), every > 15);
        }
        assert_eq!(Told::<i64>::of(0).get(RecordId(0)), i64::NONE);
    }
}
