//! The details of an item, as the page asks for them.

use crate::support;

use queryscope::internal::analysis::Queries;
use queryscope::internal::stats::details;
use queryscope::internal::testing;
use queryscope::protocol::{Details, IssueTextRequest, RangeRequest};
use queryscope::session::Session;
use queryscope::trace::{Item, Kind, SpanId, Trace};

fn of(trace: &Trace, is_it: impl Fn(SpanId) -> bool) -> Details {
    let id = (0..trace.spans.len() as u32).map(SpanId).find(|id| is_it(*id)).expect("the trace has it");
    details(trace, &Queries::of(trace), Item::Span(id))
}

#[test]
fn children_stand_by_their_share_of_the_time() {
    // Name, start, duration; an instant has none.
    let children =
        [("a", 5, Some(10)), ("b", 20, Some(30)), ("c", 60, Some(20)), ("d", 85, Some(10)), ("i", 1, None)];
    let event = |(name, ts, dur): (&str, i64, Option<i64>)| match dur {
        Some(dur) => format!(r#"{{"ph":"X","pid":1,"tid":1,"name":"{name}","ts":{ts},"dur":{dur}}}"#),
        None => format!(r#"{{"ph":"I","pid":1,"tid":1,"name":"{name}","ts":{ts},"s":"t"}}"#),
    };
    let events: Vec<String> = [("parent", 0, Some(100))].into_iter().chain(children).map(event).collect();
    let session = support::open([("a.json", format!("[{}]", events.join(",")))]);
    let trace = session.trace();
    let details = of(trace, |id| trace.str(trace.spans.name(id)) == "parent");
    let mut expected = children;
    expected.sort_by_key(|(_, start, duration)| (-duration.unwrap_or(-1), *start));
    let found: Vec<&str> = details.children.iter().map(|link| link.title.as_str()).collect();
    assert_eq!(found, expected.map(|(name, ..)| name));
    assert_eq!((details.n_children, details.buffers), (5, None));
}

#[test]
fn buffer_events_are_one_line_with_their_number_and_bytes() {
    let sizes: Vec<i64> = (1..=300).map(|n| n * n).collect();
    let lines: String = sizes.iter().map(|size| format!("buffer {} READ {size}\n", size % 97 + 1)).collect();
    let trace = testing::trace(&format!("run a 400\nquery q 0..400 : SELECT 1\nsource 1..2 js d\n{lines}"));
    let details = of(&trace, |id| trace.spans.kind(id) == Kind::Query);
    assert_eq!(details.children.iter().map(|link| link.title.as_str()).collect::<Vec<_>>(), ["js · d"]);
    assert_eq!(details.n_children, 1);
    let buffers = details.buffers.expect("buffer events");
    assert_eq!((buffers.count, buffers.bytes), (300, Some(sizes.iter().sum())));
    assert_eq!(buffers.links.len(), 200, "the rest is counted");
    assert!(buffers.links.is_sorted_by_key(|link| link.start));
}

const KUBLING: &str = "**query** `q2`

```sql
SELECT total FROM orders WHERE id = 2
```

- duration: 380 µs
- start: 20 µs after the first event of the run
- run: `r`
- outcome: failed
- error: `no answer`
- rows read: 1,000
- rows returned: 10
- buffer bytes: 4.1 kB (4,096 B)
- × run average: 1.0
- ancestors: `request`

Children by time:
- 230.0 µs, 1 ×: `pg-conn · OrdersDB`

queryscope VERSION, no import problems
";

const MYSQL: &str = "**query**

```sql
SELECT id,name,country FROM customers WHERE id=44
```

- duration: 275.335 µs
- start: 169.948 µs after the first event of the run
- run: `thread`
- track: `611 one_connection · app@localhost · shop · connection 559`
- outcome: ok
- rows affected: 0
- rows returned: 1
- rows read: 1
- sort rows: 0
- × run average: 0.8

Children by time:
- 131.3 µs, 1 ×: `transaction`
- 95.19 µs, 1 ×: `stage/sql/statistics`
- 60.05 µs, 1 ×: `stage/sql/Opening tables`
- 40.49 µs, 2 ×: `stage/sql/starting`
- 16.52 µs, 1 ×: `stage/sql/freeing items`
- 12 more names

queryscope VERSION, 11 records with import problems
";

const CHROME: &str = "**slice** `` work `x` ``

- duration: 80 µs
- start: 10 µs after the first event of the run
- run: `a.json`
- track: `process 1` › `thread 1`
- bytes: 1.5 kB (1,500 B)
- ancestors: `outer`

Children by time:
- 50.00 µs, 2 ×: `a`
- 30.00 µs, 1 ×: `b`

queryscope VERSION, 3 records with import problems
";

const RANGE: &str = "**time range** 0 ns to 100 µs (100 µs)

- request: 1, 100.0 µs
- query: 1, 80.00 µs
- source: 1, 70.00 µs, 1,000 rows read
- source execution: 1, 60.00 µs, 1,000 rows read
- buffer: 1, 4.1 kB

queryscope VERSION, no import problems
";

fn version() -> String {
    format!("queryscope {}", env!("CARGO_PKG_VERSION"))
}

/// Compares the summary of the first span that `is_it` finds. Its numbers follow from the records of the trace by hand.
fn check_summary(session: &mut Session, is_it: impl Fn(&Trace, SpanId) -> bool, expected: &str) {
    let trace = session.trace();
    let id =
        (0..trace.spans.len() as u32).map(SpanId).find(|id| is_it(trace, *id)).expect("the trace has it");
    let text = session.answer(&IssueTextRequest::Item(Item::Span(id).code())).expect("a summary");
    assert_eq!(text.replace(&version(), "queryscope VERSION"), expected, "{text}");
}

#[test]
fn a_summary_of_a_kubling_query() {
    let event = |kind: &str, at: u32, rest: &str| {
        format!(
            r#"{{"runId":"r","queryId":"q2","vdbName":"Sales","vdbVersion":"1","timestamp":{at},"type":"{kind}"{rest}}}"#
        )
    };
    let source = r#","connectorName":"pg-conn","tupleSourceId":"ts0""#;
    let place = format!(r#"{source},"datasourceName":"OrdersDB""#);
    let read = format!(r#"{place},"rowsRead":1000,"rowsReturned":10,"sourceCommandType":"QUERY""#);
    let end = format!(r#"{source},"rowsReturned":10,"rowsRead":1000"#);
    let events = [
        event("REQUEST_START", 0, ""),
        event("QUERY_START", 20_000, r#","sql":"SELECT total FROM orders WHERE id = 2""#),
        event("SOURCE_START", 30_000, source),
        event("SOURCE_EXECUTION_START", 40_000, &place),
        event("BUFFER_EVENT", 90_000, r#","bufferEventType":"SPILL","bytes":4096,"elements":16"#),
        event("SOURCE_EXECUTION_END", 240_000, &read),
        event("SOURCE_END", 260_000, &end),
        event("QUERY_END", 400_000, r#","success":false,"error":"no answer""#),
    ];
    let mut session = support::open([("/home/me/run.json", events.join("\n"))]);
    check_summary(&mut session, |trace, id| trace.spans.kind(id) == Kind::Query, KUBLING);
    let range = session
        .answer(&IssueTextRequest::Range(RangeRequest { start: 0, end: 100_000, filter: String::new() }))
        .expect("a summary");
    assert_eq!(range.replace(&version(), "queryscope VERSION"), RANGE);
}

#[test]
fn a_summary_of_a_mysql_statement() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/mysql/thread");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("the traces").map(|file| file.expect("a file").path()).collect();
    files.sort();
    let content =
        |path: &std::path::PathBuf| (path.display().to_string(), std::fs::read(path).expect("a file"));
    let mut session = support::open(files.iter().map(content));
    check_summary(
        &mut session,
        |trace, id| {
            trace.spans.kind(id) == Kind::Query && trace.str(trace.spans.name(id)).contains("WHERE id=44")
        },
        MYSQL,
    );
}

#[test]
fn a_summary_of_a_chrome_slice() {
    let slice = |name: &str, ts: u32, dur: u32, args: &str| {
        format!(r#"{{"ph":"X","pid":1,"tid":1,"name":"{name}","ts":{ts},"dur":{dur},"args":{{{args}}}}}"#)
    };
    let slices = [
        slice("outer", 100, 100, ""),
        slice("work `x`", 110, 80, r#""bytes":1500,"host":"/home/me""#),
        slice("a", 110, 10, ""),
        slice("b", 120, 30, ""),
        slice("a", 150, 40, ""),
        r#"{"ph":"X"}"#.to_owned(),
    ];
    let mut session = support::open([("/home/me/a.json", format!("[{}]", slices.join(",")))]);
    check_summary(&mut session, |trace, id| trace.str(trace.spans.name(id)).starts_with("work"), CHROME);
}
