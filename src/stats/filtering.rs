//! Effectiveness of filter pushdown: average rows read and returned per data source.

#[cfg(any(test, feature = "export"))]
use std::collections::BTreeMap;

use crate::analysis::Sum;
#[cfg(any(test, feature = "export"))]
use crate::analysis::is_source_call;
#[cfg(any(test, feature = "export"))]
use crate::trace::{AttributeReader, Item, SpanId, Trace, key};

/// Totals of the source executions of one data source, over all runs.
#[derive(Clone, Default, Debug)]
pub struct DatasourceSum {
    /// Number of executions that ended.
    pub executions: u64,
    /// Rows read at the source.
    pub rows_read: Sum,
    /// Rows that the source returned to the engine.
    pub rows_returned: Sum,
}

impl DatasourceSum {
    /// Average rows read divided by average rows returned; `None` if either is unknown or no rows were returned. A
    /// large value means that filters were not pushed down.
    pub fn over_fetch(&self) -> Option<f64> {
        let (read, returned) = (self.rows_read.average()?, self.rows_returned.average()?);
        (returned > 0.0).then(|| read / returned)
    }
}

/// Totals of the completed source executions by data source, sorted by name. The key `None` holds the totals of the
/// executions that report no data source.
#[cfg(any(test, feature = "export"))]
pub fn datasources(trace: &Trace) -> BTreeMap<Option<&str>, DatasourceSum> {
    let mut sums: BTreeMap<Option<&str>, DatasourceSum> = BTreeMap::new();
    let reader = AttributeReader::new(trace, [key::ROWS_READ, key::ROWS_RETURNED]);
    for id in (0..trace.spans.len() as u32).map(SpanId) {
        if !is_source_call(trace.spans.kind_and_flags(id)) {
            continue;
        }
        let name = trace.inherited_text(Item::Span(id), key::DATASOURCE).map(|name| trace.str(name));
        let sum = sums.entry(name).or_default();
        sum.executions += 1;
        let [read, returned] = reader.of(Item::Span(id));
        sum.rows_read.add(read);
        sum.rows_returned.add(returned);
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    #[test]
    fn what_was_not_reported_is_in_no_average() {
        let trace = sample::trace();
        let sums = datasources(&trace);
        let orders = &sums[&Some("OrdersAPI")];
        assert_eq!((orders.executions, orders.rows_read.average()), (2, Some(1_000.0)));
        assert_eq!(orders.over_fetch(), Some(1_000.0 / 15.0));
        assert!(!sums.contains_key(&None));
    }
}
