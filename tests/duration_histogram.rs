//! The histogram of query durations: each bar, and each percentile, has a filter with which the query list shows the queries that it
//! counts.

use queryscope::internal::chart::{classes, filter_of_bin, filter_of_slower};
use queryscope::protocol::{ChartsRequest, QueryList, QueryListRequest};
use queryscope::session::Session;

use crate::support;

fn listed(session: &mut Session, filter: String, range: Option<(i64, i64)>) -> u32 {
    let list = QueryList { filter, range, ..QueryList::default() };
    let page = session.answer(&QueryListRequest { list, first: 0, count: 0 });
    assert_eq!(page.filter_error, None);
    page.matched
}

#[test]
fn bars_and_percentiles_list_what_they_count() {
    let traces = [
        "tests/traces/kubling/rounds.ndjson",
        "tests/traces/kubling/values.ndjson",
        "tests/traces/kubling/cut-off.json",
        "tests/traces/kubling/no-query-events.ndjson",
        "tests/traces/mysql/thread",
    ];
    for path in traces {
        let mut session = support::open_path(path);
        let end = session.trace().end();
        // Half of a trace without duration is no range.
        let parts = [(0, end / 2), (end / 3, end)].into_iter().filter(|(start, end)| start < end);
        for range in std::iter::once(None).chain(parts.map(Some)) {
            let (start, end) = range.unwrap_or((0, end));
            let request = ChartsRequest { start, end, buckets: 10, filter: String::new() };
            let charts = session.answer(&request);
            let mut sum = charts.incomplete;
            for (bin, (.., count)) in classes(&charts).into_iter().enumerate() {
                let filter = filter_of_bin(&charts, bin);
                assert_eq!(filter.is_some(), count > 0, "{path} {range:?}");
                let found = filter.map_or(0, |filter| listed(&mut session, filter, range));
                assert_eq!(found, count, "{path} {range:?} {bin}");
                sum += count;
            }
            assert_eq!(sum, listed(&mut session, String::new(), range), "{path} {range:?}");
            let max = charts.percentiles.map(|[.., max]| filter_of_slower(&charts, max));
            assert!(max.is_none_or(|filter| listed(&mut session, filter, range) > 0), "{path} {range:?}");
        }
    }
}
