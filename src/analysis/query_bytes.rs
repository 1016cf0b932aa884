//! [`QueryBytes`]: bytes of everything inside each query.

use super::Queries;
use crate::trace::{AttributeReader, EventId, Item, NOT_REPORTED, SpanId, Trace, add_reported, key};

/// By query: sum of the bytes that its spans and events report, such as those of buffer events, file accesses and results of MAL
/// instructions.
pub struct QueryBytes(Vec<i64>);

impl QueryBytes {
    /// Adds up the bytes of all spans and events that belong to a query.
    #[inline(never)]
    pub fn of(trace: &Trace, queries: &Queries) -> Self {
        if queries.is_empty() {
            return Self(Vec::new());
        }
        let reader = AttributeReader::new(trace, [key::BYTES]);
        let mut sums = vec![NOT_REPORTED; queries.len() as usize];
        let spans = (0..trace.spans.len() as u32).map(|id| Item::Span(SpanId(id)));
        let events = (0..trace.events.len() as u32).map(|id| Item::Event(EventId(id)));
        for item in spans.chain(events) {
            let [Some(bytes)] = reader.of(item) else { continue };
            let Some(row) = queries.row_of(trace, item) else { continue };
            add_reported(&mut sums[row as usize], bytes);
        }
        Self(sums)
    }

    /// Bytes of the query in a row; `None` if none were reported.
    pub fn get(&self, row: u32) -> Option<i64> {
        self.0.get(row as usize).copied().filter(|&sum| sum != NOT_REPORTED)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;
    use crate::protocol::QueryColumn;

    /// Where only buffer events report bytes, their sum is that of the query list.
    #[test]
    fn bytes_of_buffers_are_those_of_the_query_list() {
        for trace in [sample::trace(), crate::testing::queries(50), Trace::default()] {
            let queries = Queries::of(&trace);
            let bytes = QueryBytes::of(&trace, &queries);
            for row in 0..queries.len() {
                assert_eq!(bytes.get(row), queries.number(row, QueryColumn::BufferBytes), "row {row}");
            }
            assert_eq!(bytes.get(queries.len()), None);
        }
    }
}
