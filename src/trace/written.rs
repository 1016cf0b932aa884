//! [`WrittenValues`]: the arguments of records as they stand in their files, for a program that writes them out again. A trace
//! keeps numbers and texts, and takes a string that can only be a number for one: what was a string, true or null is only here.

use super::span::RecordId;
use crate::base::interner::StrId;

/// Values of records, by name, as JSON text.
#[derive(Default)]
pub struct WrittenValues {
    /// The records that have values, in their order, and their first value.
    records: Vec<(RecordId, usize)>,
    /// What each value is called, whether it is one by itself, and where its text ends.
    values: Vec<(StrId, bool, usize)>,
    text: String,
}

impl WrittenValues {
    /// Adds a value of a record that has the highest number of all so far. The text is not checked. `alone` says whether an item
    /// has this value that carries nothing else under the name.
    pub fn add(&mut self, record: RecordId, name: StrId, json: &str, alone: bool) {
        if self.records.last().is_none_or(|(last, _)| *last != record) {
            self.records.push((record, self.values.len()));
        }
        self.text.push_str(json);
        self.values.push((name, alone, self.text.len()));
    }

    /// The values of a record in the order in which they stand there, each with its name and whether it is a
    /// value by itself. A name may come twice: the last counts.
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
