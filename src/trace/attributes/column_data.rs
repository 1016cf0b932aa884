//! [`ColumnData`]: the values of one attribute for every record.

use super::AttributeType;
use crate::trace::RecordId;

/// Storage stays sparse while at most one in `SPARSE` records has a value.
const SPARSE: usize = 16;

/// The values of one attribute, indexed by record id; records after the last value have none. An attribute that few records
/// have is stored sparsely: a record without a value then takes one bit instead of four or eight bytes.
pub enum ColumnData<T> {
    /// Values by record id.
    Dense(Vec<T>),
    /// A bit per record that is set if the record has a value, and the values with their record ids in ascending order.
    Sparse(Vec<u64>, Vec<(u32, T)>),
}

impl<T: AttributeType> ColumnData<T> {
    /// Creates a column for this number of records, whose values are [pushed](Self::push) in the order of records.
    pub fn for_records(records: usize) -> Self {
        Self::Sparse(vec![0; records.div_ceil(64)], Vec::new())
    }

    /// Appends the value of the next record; [`AttributeType::NONE`] if the record has none.
    #[inline]
    pub fn push(&mut self, record: u32, value: T) {
        match self {
            Self::Dense(values) => values.push(value),
            Self::Sparse(..) if value == T::NONE => {}
            Self::Sparse(bits, values) => {
                values.push((record, value));
                if let Some(word) = bits.get_mut(record as usize / 64) {
                    *word |= 1 << (record % 64);
                }
                if values.len() * SPARSE > bits.len() * 64 {
                    self.make_dense(record);
                }
            }
        }
    }

    /// Converts sparse storage to dense; `last` is the last record that was pushed.
    #[cold]
    fn make_dense(&mut self, last: u32) {
        let Self::Sparse(bits, values) = self else { return };
        let mut dense = Vec::with_capacity(bits.len() * 64);
        dense.resize(last as usize + 1, T::NONE);
        values.iter().for_each(|&(record, value)| dense[record as usize] = value);
        *self = Self::Dense(dense);
    }

    /// Value of a record; [`AttributeType::NONE`] if the record has none.
    #[inline]
    pub fn get(&self, record: RecordId) -> T {
        let at = record.0 as usize;
        match self {
            Self::Dense(values) => values.get(at).copied().unwrap_or(T::NONE),
            Self::Sparse(bits, values) => match bits.get(at / 64) {
                Some(word) if word >> (at % 64) & 1 == 1 => sparse_value(values, record.0),
                _ => T::NONE,
            },
        }
    }
}

#[inline(never)]
fn sparse_value<T: AttributeType>(values: &[(u32, T)], record: u32) -> T {
    values.binary_search_by_key(&record, |(of, _)| *of).map_or(T::NONE, |at| values[at].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_their_values_in_either_storage() {
        for every in [1, 2, 15, 17, 100, 5_000] {
            let of = |record: u32| if record % every == every / 2 { i64::from(record) } else { i64::NONE };
            let mut column = ColumnData::for_records(2_000);
            (0..2_000).for_each(|record| column.push(record, of(record)));
            assert!((0..2_000).all(|record| column.get(RecordId(record)) == of(record)), "{every}");
            assert_eq!(column.get(RecordId(2_000)), i64::NONE);
            assert_eq!(column.get(RecordId::NONE), i64::NONE);
            assert_eq!(matches!(column, ColumnData::Sparse(..)), every > 15);
        }
        assert_eq!(ColumnData::<i64>::for_records(0).get(RecordId(0)), i64::NONE);
    }
}
