//! [`WrittenValues`]: attributes of records as written in their files, for programs that write them out again. A trace
//! itself does not keep whether a value was a string, a number, true or null: a numeric string becomes a number.

use super::span::RecordId;
use crate::base::interner::StrId;

/// Attribute values of records, by name, as JSON text.
#[derive(Default)]
pub struct WrittenValues {
    /// Records that have values, in order, each with the index of its first value.
    records: Vec<(RecordId, usize)>,
    /// Name of each value, its `alone` flag (see [`add`](Self::add)), and the end of its text.
    values: Vec<(StrId, bool, usize)>,
    text: String,
}

impl WrittenValues {
    /// Adds a value of a record. Records must be added in ascending order. The JSON text is not validated. `alone`: whether an
    /// item has the value even if the trace has no attribute of this name; if not, the value only replaces an attribute.
    pub fn add(&mut self, record: RecordId, name: StrId, json: &str, alone: bool) {
        if self.records.last().is_none_or(|(last, _)| *last != record) {
            self.records.push((record, self.values.len()));
        }
        self.text.push_str(json);
        self.values.push((name, alone, self.text.len()));
    }

    /// The values of a record in the order of the file: name, JSON text and `alone` flag (see [`add`](Self::add)). If a
    /// name occurs twice, the last value counts.
    pub fn of(&self, record: RecordId) -> impl Iterator<Item = (StrId, &str, bool)> + '_ {
        let found = self.records.binary_search_by_key(&record, |(record, _)| *record);
        let range = found.map_or(0..0, |at| {
            let end = self.records.get(at + 1).map_or(self.values.len(), |(_, first)| *first);
            self.records[at].1..end
        });
        range.map(|at| {
            let (name, alone, end) = self.values[at];
            let start = at.checked_sub(1).map_or(0, |before| self.values[before].2);
            (name, &self.text[start..end], alone)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_record() {
        let mut values = WrittenValues::default();
        for (record, name, json) in [(1, 1, "\"a\""), (1, 2, "-1"), (4, 1, ""), (4, 1, "{}")] {
            values.add(RecordId(record), StrId(name), json, name == 1);
        }
        let of = |record| {
            values.of(RecordId(record)).map(|(name, json, alone)| (name.0, json, alone)).collect::<Vec<_>>()
        };
        assert_eq!(of(1), [(1, "\"a\"", true), (2, "-1", false)]);
        assert_eq!(of(4), [(1, "", true), (1, "{}", true)]);
        assert!(of(0).is_empty() && of(2).is_empty() && of(5).is_empty());
    }
}
