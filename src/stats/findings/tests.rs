use proptest::prelude::*;

use super::*;
use crate::analysis::{Queries, sample};
use crate::base::interner::Interner;
use crate::protocol::{ChangedThreshold, FindingList, FindingsRequest};
use crate::trace::{Event, Flags, Key, Kind, RecordId, Span, Trace, TraceBuilder, TrackKind, Unit, key};

pub(super) const MS: i64 = 1_000_000;

/// Key, number of findings, shares as part and total, and the text of the worst finding.
pub(super) type Line = (String, u64, Vec<(i64, i64)>, String);

/// A line as a test writes it.
type Expected<'a> = (&'a str, u64, &'a [(i64, i64)], &'a str);

pub(super) fn lines(groups: &[FindingGroup]) -> Vec<Line> {
    let line = |group: &FindingGroup| {
        let shares = group.shares.iter().map(|share| (share.part, share.whole)).collect();
        (group.key.clone(), group.count, shares, group.worst[0].text.replace('\u{202f}', " "))
    };
    groups.iter().map(line).collect()
}

fn found(trace: &Trace, range: Option<(i64, i64)>, changed: &[(&str, &str)]) -> FindingList {
    let change =
        |(key, value): &(&str, &str)| ChangedThreshold { key: (*key).to_owned(), value: (*value).to_owned() };
    let changed: Vec<_> = changed.iter().map(change).collect();
    let request = FindingsRequest { range, thresholds: changed, ..FindingsRequest::default() };
    let queries = Queries::of(trace);
    let list = FindingSearch::new(&request, None, Vec::new()).finish(trace, &queries).clone();
    let (mut search, mut left) = (FindingSearch::new(&request, None, Vec::new()), u32::MAX);
    loop {
        let so_far = search.advance(trace, &queries);
        let shares = so_far.groups.iter().map(|group| group.shares.first().map_or(0, millionths));
        assert!(so_far.rules_left < left && shares.is_sorted_by(|a, b| a >= b), "{so_far:?}");
        left = so_far.rules_left;
        if left == 0 {
            assert_eq!(*so_far, list);
            return list;
        }
    }
}

/// Checks the groups of a trace in milliseconds: key, count, shares and the worst text.
fn check(trace: &Trace, range: Option<(i64, i64)>, changed: &[(&str, &str)], expected: &[Expected]) {
    let list = found(trace, range, changed);
    assert_eq!(list.errors, Vec::<String>::new());
    let expected: Vec<Line> = expected
        .iter()
        .map(|(key, count, shares, text)| ((*key).to_owned(), *count, shares.to_vec(), (*text).to_owned()))
        .collect();
    assert_eq!(lines(&list.groups), expected, "{range:?} {changed:?}");
}

/// The queries of the sample take 10, 8 and at least 4 ms. Only the execution of the first reports rows.
#[test]
fn a_sample_has_findings_by_their_share() {
    let trace = sample::trace();
    let over_fetch: Expected =
        ("over-fetch", 1, &[(6 * MS, 22 * MS), (1_000, 1_000)], "1,000 rows read, 20 returned");
    let failed: Expected = ("failed", 1, &[(8 * MS, 22 * MS)], "timeout");
    let open: Expected = ("unfinished", 1, &[(4 * MS, 22 * MS)], "≥ 4.000 ms until its last event");
    check(&trace, None, &[], &[failed, over_fetch, open]);
    // The average of the complete queries is 9 ms, so that the first is 1.11 times as long.
    let slow = ("outliers", 1, &[(10 * MS, 22 * MS)][..], "10.00 ms, 1.1 × the average of its run");
    check(&trace, None, &[("outliers.ratio", "1.1")], &[slow, failed, over_fetch, open]);
    check(
        &trace,
        None,
        &[("outliers.ratio", "1.1"), ("outliers.duration", "10.001")],
        &[failed, over_fetch, open],
    );
    check(&trace, None, &[("over-fetch.rows", "1001")], &[failed, open]);
    check(&trace, None, &[("over-fetch.ratio", "50")], &[failed, over_fetch, open]);
    check(&trace, None, &[("over-fetch.ratio", "50.1")], &[failed, open]);
    // Half of the first query, and of its execution from 2 to 8 ms the part up to 5 ms; rows count in full.
    let half = ("over-fetch", 1, &[(3 * MS, 5 * MS), (1_000, 1_000)][..], over_fetch.3);
    check(&trace, Some((0, 5 * MS)), &[], &[half]);
    let gap = ("gaps", 2, &[(3 * MS, 25 * MS)][..], "2.000 ms from +10.00 ms to +12.00 ms");
    check(&trace, None, &[("gaps.duration", "1")], &[failed, over_fetch, open, gap]);
    check(&trace, Some((30 * MS, 40 * MS)), &[], &[]);
    check(&Trace::default(), None, &[], &[]);
}

#[test]
fn thresholds_that_are_none_are_sentences() {
    let trace = sample::trace();
    let not_ratio = "is not a number. The default of 3 × is used.";
    let no_duration = "is out of range (0 to 1,000,000,000 ms). The default of 5 ms is used.";
    let no_rows = "is out of range (0 to 1,000,000,000 rows). The default of 100 rows is used.";
    let no_share = "is out of range (0 to 100 %). The default of 1 % is used.";
    for (key, value, label, error) in [
        ("outliers.ratio", "abc", "query outliers: times the average", not_ratio),
        ("outliers.ratio", "", "query outliers: times the average", not_ratio),
        ("outliers.ratio", "1e3", "query outliers: times the average", not_ratio),
        ("outliers.duration", "-1", "query outliers: duration", no_duration),
        ("gaps.share", "100.01", "gaps: share of the run", no_share),
        ("no-index.rows", "9999999999999999999999999999999999999", "no index: rows read", no_rows),
    ] {
        let list = found(&trace, None, &[(key, value)]);
        assert_eq!(list.errors, [format!("Threshold “{label}” ({key}): “{value}” {error}")]);
        assert_eq!(list.groups, found(&trace, None, &[]).groups);
    }
    assert_eq!(found(&trace, None, &[("nothing", "1")]).errors, ["There is no threshold “nothing”."]);
    let list = found(&trace, None, &[("outliers.duration", " 2.5 ms ")]);
    let of = |key: &str| list.thresholds.iter().find(|threshold| threshold.key == key);
    let duration = of("outliers.duration").expect("the trace has queries");
    assert_eq!(
        (duration.value.as_str(), duration.default.as_str(), duration.unit.as_str()),
        ("2.5", "5", "ms")
    );
    // The trace has no counters of a server.
    assert_eq!(of("no-index.rows"), None);
}

#[test]
fn keys_are_unique_and_rules_are_described() {
    let rules = finding_rules();
    let mut keys: Vec<String> = rules.iter().map(|rule| rule.key.to_owned()).collect();
    keys.extend(rules.iter().flat_map(|rule| rule.thresholds.iter().map(|(key, _)| key.clone())));
    let n = keys.len();
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), n);
    for rule in rules {
        assert!(!rule.meaning.contains('{') && rule.meaning.ends_with('.'), "{}", rule.meaning);
        assert!(rule.thresholds.iter().all(|(key, _)| key.starts_with(rule.key)), "{}", rule.key);
    }
}

struct Made {
    builder: TraceBuilder,
}

impl Made {
    fn new(wall: i64) -> Self {
        let mut builder = TraceBuilder::new(Interner::default());
        let name = builder.strings().intern("run");
        let run = builder.run(name, 0, wall * MS, 1);
        builder.track(builder.root(run), name, TrackKind::Thread);
        Self { builder }
    }

    fn span(
        &mut self,
        parent: Option<SpanId>,
        kind: Kind,
        (start, end): (i64, i64),
        numbers: &[(&str, i64)],
    ) -> SpanId {
        let name = self.builder.strings().intern("SELECT 1");
        let keys: Vec<Key> = numbers.iter().map(|(name, _)| self.builder.key(name, Unit::Count)).collect();
        let shape = self.builder.shape(&keys, &[]);
        let values: Vec<Option<i64>> = numbers.iter().map(|(_, value)| Some(*value)).collect();
        let flags = Flags::default();
        let begin = RecordId(0);
        let (start, duration) = (start * MS, (end - start) * MS);
        let depth = u16::from(parent.is_some());
        let span = Span { start, duration, parent, name, kind, flags, depth, begin, end: begin };
        self.builder.span(span, shape, &values, &[])
    }

    fn buffer(&mut self, parent: Option<SpanId>, time: i64, bytes: i64, flags: Flags) {
        let name = self.builder.strings().intern("SPILL");
        let shape = self.builder.shape(&[key::BYTES], &[]);
        let event = Event { time: time * MS, parent, name, kind: Kind::Buffer, flags, record: RecordId(0) };
        self.builder.event(event, shape, &[Some(bytes)]);
    }
}

/// Checks the findings of a trace with one statement of 10 ms, whose counters are `numbers`.
fn check_counters(numbers: &[(&str, i64)], expected: &[(&str, &str)]) {
    let mut made = Made::new(10);
    made.span(None, Kind::Query, (0, 10), numbers);
    let groups = found(&made.builder.finish(), None, &[]).groups;
    let found: Vec<(String, String)> =
        lines(&groups).into_iter().map(|(key, _, _, text)| (key, text)).collect();
    let expected: Vec<_> =
        expected.iter().map(|(key, text)| ((*key).to_owned(), (*text).to_owned())).collect();
    assert_eq!(found, expected);
}

#[test]
fn what_a_server_counts_is_found() {
    check_counters(&[("no index used", 1), ("rows read", 99)], &[]);
    let over = ("over-fetch", "100 rows read, 0 returned");
    check_counters(
        &[("no index used", 1), ("rows read", 100)],
        &[over, ("no-index", "100 rows read, 0 returned")],
    );
    check_counters(
        &[("no good index used", 1), ("rows read", 100), ("rows affected", 11)],
        &[("no-index", over.1)],
    );
    check_counters(&[("created tmp disk tables", 2)], &[("disk-tables", "2 tables on disk")]);
    check_counters(&[("sort merge passes", 1)], &[("merge-passes", "1 merge pass")]);
    check_counters(
        &[("select full join", 1), ("rows read", 5)],
        &[("full-joins", "1 join without an index; 5 rows read, 0 returned")],
    );
    check_counters(&[("lock time", 999_999_999), ("timer wait", 1_000_000_000)], &[]);
    check_counters(
        &[("lock time", 1_000_000_000), ("timer wait", 4_000_000_000)],
        &[("lock-time", "1.000 ms of 4.000 ms (25 %)")],
    );
    check_counters(
        &[("lock time", 4_000_000_000), ("timer wait", 1_000_000_000)],
        &[("lock-time", "4.000 ms reported, longer than the statement (1.000 ms)")],
    );
    check_counters(&[("lock time", 1_000_000_000), ("timer wait", 10_000_000_001)], &[]);
}

/// The first statement reads more rows, and the second one takes longer.
#[test]
fn the_longest_over_fetch_comes_first_and_is_described() {
    let mut made = Made::new(40);
    made.span(None, Kind::Query, (0, 10), &[("rows read", 100_000)]);
    made.span(None, Kind::Query, (10, 40), &[("rows read", 1_000)]);
    let groups = found(&made.builder.finish(), None, &[]).groups;
    let over = groups.iter().find(|group| group.key == "over-fetch").expect("both read too much");
    let durations: Vec<Option<i64>> = over.worst.iter().map(|finding| finding.duration).collect();
    assert_eq!(durations, [Some(30 * MS), Some(10 * MS)]);
    assert_eq!(
        over.sentence,
        "2 statements or sources read far more rows than needed; the longest (30.00 ms): 1,000 rows read, 0 returned"
    );
}

/// A statement inside another finding of the same rule does not count its time twice.
#[test]
fn nested_statements_count_once() {
    let mut made = Made::new(20);
    let outer = made.span(None, Kind::Query, (0, 10), &[("sort merge passes", 1)]);
    made.span(Some(outer), Kind::Statement, (2, 6), &[("sort merge passes", 3)]);
    let trace = made.builder.finish();
    check(&trace, None, &[], &[("merge-passes", 2, &[(10 * MS, 10 * MS)], "3 merge passes")]);
}

/// Executions from 0 to 10, 10 to 20 and 15 to 30 ms: some ran for 30 ms, the longest for 15.
#[test]
fn serial_sources_could_overlap() {
    let mut made = Made::new(40);
    let query = made.span(None, Kind::Query, (0, 40), &[]);
    for bounds in [(0, 10), (10, 20), (15, 30)] {
        made.span(Some(query), Kind::Execution, bounds, &[]);
    }
    let trace = made.builder.finish();
    let text = "15.00 ms of 40.00 ms could be saved by overlapping 3 source executions";
    check(&trace, None, &[], &[("serial-sources", 1, &[(15 * MS, 40 * MS)], text)]);
    check(&trace, None, &[("serial-sources.saved", "15.1")], &[]);
    check(&trace, None, &[("serial-sources.share", "37.6")], &[]);
    // From 12 ms on, they ran up to 20 and from 15 to 30 ms: for 18 ms, the longest for 15.
    let text = "3.000 ms of 28.00 ms could be saved by overlapping 2 source executions";
    check(&trace, Some((12 * MS, 40 * MS)), &[], &[("serial-sources", 1, &[(3 * MS, 28 * MS)], text)]);
}

#[test]
fn bytes_in_secondary_storage_are_summed_by_query() {
    let mut made = Made::new(40);
    let query = made.span(None, Kind::Query, (0, 10), &[]);
    let other = made.span(None, Kind::Query, (10, 40), &[]);
    for (parent, bytes, flags) in
        [(query, 100, Flags::STORAGE), (query, 50, Flags::STORAGE), (other, 850, Flags::default())]
    {
        made.buffer(Some(parent), 5, bytes, flags);
    }
    let shares = [(10 * MS, 40 * MS), (150, 1_000)];
    let trace = made.builder.finish();
    check(&trace, None, &[], &[("storage", 1, &shares, "150 B to secondary storage in 2 buffer events")]);
}

proptest! {
    #[test]
    fn no_trace_and_no_threshold_breaks_the_rules(items in sample::odd_items(), low in any::<bool>()) {
        let trace = sample::odd_trace(&items);
        let value = if low { "0" } else { "100" };
        let keys = finding_rules().into_iter().flat_map(|rule| rule.thresholds);
        let changed: Vec<(String, &str)> = keys.map(|(key, _)| (key, value)).collect();
        let changed: Vec<(&str, &str)> = changed.iter().map(|(key, value)| (key.as_str(), *value)).collect();
        for range in [None, Some((-5, 10)), Some((i64::MIN, i64::MAX))] {
            let list = found(&trace, range, &changed);
            prop_assert_eq!(&list.errors, &Vec::<String>::new());
            for group in list.groups {
                prop_assert!(group.count >= group.worst.len() as u64 && !group.worst.is_empty());
                prop_assert!(group.shares.iter().all(|share| 0 <= share.part && share.part <= share.whole && share.whole > 0));
            }
        }
    }
}
