//! Source executions, buffer events and scores of two sample runs, compared with the results of SQLite over the same events.
//!
//! The expected numbers were made with SQLite 3.40 from a table E with one row per event of both files (columns: the members
//! of the event; `ts` is `timestamp`, `kind` is `sourceCommandType`, `btype` is `bufferEventType`) and a view of the
//! executions:
//!
//! ```sql
//! CREATE VIEW X AS SELECT e.*, e.ts - s.ts d, q.success ok FROM E e
//!   JOIN E s ON s.type = 'SOURCE_EXECUTION_START' AND (s.run, s.query, s.tuple) = (e.run, e.query, e.tuple)
//!   LEFT JOIN E q ON q.type = 'QUERY_END' AND (q.run, q.query) = (e.run, e.query)
//!   WHERE e.type = 'SOURCE_EXECUTION_END';
//! ```

use crate::support;

use std::fs;
use std::path::Path;

use queryscope::protocol::{
    BufferActivityRequest, BufferMeasure, BufferQueryList, BufferQueryListRequest, BufferRunRow, QueryColumn,
    QueryList, QueryListRequest, ScoreWeights, SourceDimension, SourceExecutionColumn, SourceExecutionList,
    SourceExecutionListRequest, SourceList, SourceListRequest, SourceRow, SpillShare,
};
use queryscope::session::Session;

fn samples() -> Session {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("web/assets/sample");
    let read = |name: &str| (name.to_owned(), fs::read(folder.join(name)).expect("the sample is there"));
    support::open(["no-buffer.json.gz", "buffer-rocks.json.gz"].map(read))
}

fn rows(session: &mut Session, list: SourceList) -> Vec<SourceRow> {
    session.answer(&SourceListRequest { list, first: 0, count: 1_000 }).rows
}

/// Whether two quotients differ by rounding only.
fn is_near(found: Option<f64>, expected: f64) -> bool {
    found.is_some_and(|found| (found - expected).abs() <= expected.abs() * 1e-12)
}

/// Names; executions; total, p50, p95 and longest duration; reading share; rows read and returned; over-fetch; rows per
/// second; executions of failed queries.
type Expected = (&'static str, u32, [i64; 4], f64, [i64; 2], f64, f64, u32);

fn check(row: &SourceRow, (names, executions, times, reading, moved, over_fetch, rate, failed): Expected) {
    let found: Vec<&str> = row.names.iter().map(|name| name.as_deref().unwrap_or("–")).collect();
    assert_eq!(found.join(" "), names);
    let found = row.times.expect("complete executions");
    assert_eq!([row.total, found.p50, found.p95, found.max], times, "{names}");
    assert_eq!((row.executions, row.failed, row.unfinished), (executions, failed, 0), "{names}");
    assert_eq!([row.rows_read, row.rows_returned], moved.map(Some), "{names}");
    assert!(is_near(row.reading, reading), "{names}: {:?}", row.reading);
    assert!(is_near(row.over_fetch, over_fetch), "{names}: {:?}", row.over_fetch);
    assert!(is_near(row.row_rate, rate), "{names}: {:?}", row.row_rate);
}

/// ```sql
/// SELECT connector, datasource, kind, count(*), sum(d), min(CASE WHEN n * 100 >= 50 * c THEN d END),
///   min(CASE WHEN n * 100 >= 95 * c THEN d END), max(d),
///   sum(rtime) * 1.0 / sum(CASE WHEN rtime IS NOT NULL THEN d END), sum(rread), sum(rret), avg(rread) / avg(rret),
///   sum(rread) * 1e9 / sum(CASE WHEN rread IS NOT NULL THEN d END), sum(ok = 0)
/// FROM (SELECT *, row_number() OVER w n, count(*) OVER (PARTITION BY connector, datasource, kind) c FROM X
///   WINDOW w AS (PARTITION BY connector, datasource, kind ORDER BY d))
/// GROUP BY 1, 2, 3 ORDER BY 5 DESC
/// ```
#[test]
fn sources_are_those_of_sqlite() {
    let expected: [Expected; 4] = [
        (
            "js-conn UsersAPI QUERY",
            29,
            [32_725_181, 201_075, 3_883_410, 14_402_460],
            0.33786755082058384,
            [20_832, 5_750],
            3.6229565217391304,
            673894.1207266825,
            1,
        ),
        (
            "k8s-conn Clusters QUERY",
            32,
            [21_160_215, 405_527, 2_580_072, 2_793_371],
            0.5929578629121854,
            [20_557, 11_302],
            1.8188816138736505,
            982311.5117810961,
            3,
        ),
        (
            "cass-conn Events QUERY",
            27,
            [16_903_891, 295_558, 2_139_833, 5_852_855],
            0.393089928380556,
            [8_479, 4_280],
            1.9810747663551402,
            825778.8704622823,
            0,
        ),
        (
            "js-conn OrdersAPI INSERT",
            3,
            [800_346, 300_357, 345_201, 345_201],
            0.5089773672886476,
            [2_363, 1_584],
            1.4917929292929293,
            2952473.055403538,
            0,
        ),
    ];
    let mut session = samples();
    let found = rows(&mut session, SourceList::default());
    assert_eq!(found.len(), 18);
    assert_eq!(found.iter().map(|row| row.executions).sum::<u32>(), 229);
    let shown = [&found[0], &found[1], &found[2], &found[17]];
    shown.into_iter().zip(expected).for_each(|(row, expected)| check(row, expected));
}

/// The same statement with `GROUP BY datasource`, and without a grouping.
#[test]
fn a_grouping_changes_the_rows_and_never_the_sums() {
    let mut session = samples();
    let by = vec![SourceDimension::Datasource];
    let found = rows(&mut session, SourceList { by, ..SourceList::default() });
    let expected = [
        ("UsersAPI", 42, 40_761_338, 34_190, 9_068),
        ("Clusters", 43, 25_200_832, 36_730, 18_405),
        ("Events", 34, 19_171_288, 43_081, 13_263),
        ("OrdersDB", 44, 14_587_050, 82_711, 45_467),
        ("Switches", 31, 12_273_449, 15_713, 7_192),
        ("OrdersAPI", 35, 11_343_921, 109_246, 25_758),
    ];
    let numbers = |row: &SourceRow| {
        let name = row.names[0].clone().unwrap_or_default();
        (name, row.executions, row.total, row.rows_read.unwrap_or(0), row.rows_returned.unwrap_or(0))
    };
    let found: Vec<_> = found.iter().map(numbers).collect();
    assert_eq!(found, expected.map(|(name, a, b, c, d)| (name.to_owned(), a, b, c, d)));
    for by in [vec![], SourceDimension::ALL.to_vec(), vec![SourceDimension::CommandShape]] {
        let found = rows(&mut session, SourceList { by: by.clone(), ..SourceList::default() });
        let total: i64 = found.iter().map(|row| row.total).sum();
        assert_eq!(total, expected.iter().map(|of| of.2).sum::<i64>(), "{by:?}");
        assert!(found.iter().all(|row| row.names.len() == by.len()));
    }
}

#[test]
fn a_group_lists_its_executions() {
    let mut session = samples();
    let by = SourceList::default().by;
    let first = rows(&mut session, SourceList::default()).swap_remove(0);
    let list = SourceExecutionList { by, group: first.group, ..SourceExecutionList::default() };
    let page = session.answer(&SourceExecutionListRequest { list: list.clone(), first: 0, count: 100 });
    assert_eq!((page.total, page.group.as_ref().map(|row| row.total)), (29, Some(32_725_181)));
    assert_eq!((page.rows[0].item, page.rows[0].duration), (first.longest, 14_402_460));
    assert!(page.rows.is_sorted_by_key(|row| -row.duration));
    // Those that report no rows are last in both directions.
    for reversed in [false, true] {
        let list = SourceExecutionList { sort: SourceExecutionColumn::RowsRead, reversed, ..list.clone() };
        let page = session.answer(&SourceExecutionListRequest { list, first: 0, count: 100 });
        let known = page.rows.iter().take_while(|row| row.rows_read.is_some()).count();
        assert!(known < 29 && page.rows[known..].iter().all(|row| row.rows_read.is_none()));
        assert_eq!(page.rows.iter().filter_map(|row| row.rows_read).sum::<i64>(), 20_832);
    }
    let list = SourceExecutionList { group: 99, ..list };
    assert_eq!(session.answer(&SourceExecutionListRequest { list, first: 0, count: 9 }).group, None);
}

/// ```sql
/// SELECT btype, count(*), sum(bytes), sum(elements) FROM E WHERE type = 'BUFFER_EVENT' GROUP BY 1;
/// SELECT sum(bytes * (btype IN ('PHYSICAL_WRITE', 'SPILL'))),
///   sum(bytes * (btype IN ('LOGICAL_WRITE', 'PHYSICAL_WRITE', 'SPILL'))) FROM E WHERE type = 'BUFFER_EVENT';
/// SELECT query, count(*), sum(bytes), sum(elements), … FROM E WHERE type = 'BUFFER_EVENT'
///   GROUP BY run, query ORDER BY 3 DESC LIMIT 5
/// ```
#[test]
fn buffers_are_those_of_sqlite() {
    let mut session = samples();
    let request = |measure, cumulative| BufferActivityRequest {
        range: None,
        buckets: 50,
        measure,
        cumulative,
        filter: String::new(),
    };
    let found = session.answer(&request(BufferMeasure::Bytes, false));
    let types: Vec<_> =
        found.types.iter().map(|row| (row.name.as_str(), row.events, row.bytes, row.elements)).collect();
    assert_eq!(
        types,
        [
            ("READ", 100, Some(220_930_891), Some(230_278)),
            ("LOGICAL_READ", 91, Some(202_030_283), Some(160_687)),
            ("LOGICAL_WRITE", 90, Some(188_843_647), Some(178_367)),
            ("PHYSICAL_WRITE", 73, Some(165_975_108), Some(158_184)),
            ("SPILL", 87, Some(194_874_558), Some(182_272)),
        ]
    );
    assert_eq!(found.spill, SpillShare { written: Some(549_693_313), spilled: 360_849_666 });
    let names: Vec<_> = found.runs.iter().map(|row| row.run.as_str()).collect();
    assert_eq!(names, ["no-buffer", "buffer-rocks"]);
    let sum = |number: fn(&BufferRunRow) -> i64| found.runs.iter().map(number).sum::<i64>();
    assert_eq!(sum(|row| row.events as i64), 441);
    assert_eq!(sum(|row| row.spill.spilled), found.spill.spilled);
    assert_eq!(sum(|row| row.spill.written.unwrap_or(0)), 549_693_313);
    // However it is drawn, a chart holds the totals.
    for measure in BufferMeasure::ALL {
        let totals: Vec<i64> = types
            .iter()
            .map(|of| match measure {
                BufferMeasure::Bytes => of.2.unwrap_or(0),
                BufferMeasure::Elements => of.3.unwrap_or(0),
                BufferMeasure::Events => of.1 as i64,
            })
            .collect();
        let each = session.answer(&request(measure, false)).charts.buffers;
        assert_eq!(each.iter().map(|(_, steps)| steps.iter().sum()).collect::<Vec<i64>>(), totals);
        let sums = session.answer(&request(measure, true)).charts.buffers;
        assert_eq!(sums.iter().map(|(_, steps)| steps[49]).collect::<Vec<i64>>(), totals);
    }
    let list = BufferQueryList::default();
    let page = session.answer(&BufferQueryListRequest { list, first: 0, count: 1_000 });
    assert_eq!(page.rows.iter().map(|row| row.events).sum::<u64>() + page.without_query, 441);
    let expected = [
        (20, 50_574_424, 35_604, 0.8203432244780867),
        (20, 45_992_949, 39_926, 0.584966891413523),
        (14, 39_982_027, 32_820, 0.4122452037790444),
        (17, 31_040_558, 34_934, 0.9162694500043295),
        (12, 29_803_008, 19_433, 0.5138528915363874),
    ];
    for (row, (events, bytes, elements, share)) in page.rows.iter().zip(expected) {
        assert_eq!((row.events, row.bytes, row.elements), (events, Some(bytes), Some(elements)));
        assert!(is_near(row.spill.share(), share), "{row:?}");
    }
}

/// ```sql
/// CREATE VIEW P AS SELECT s.run, s.query, e.ts - s.ts d,
///   (SELECT sum(rread) FROM E x WHERE x.type = 'SOURCE_EXECUTION_END' AND (x.run, x.query) = (s.run, s.query)) io,
///   (SELECT sum(bytes) FROM E x WHERE x.type = 'BUFFER_EVENT' AND (x.run, x.query) = (s.run, s.query)) b
///   FROM E s JOIN E e ON e.type = 'QUERY_END' AND (e.run, e.query) = (s.run, s.query) WHERE s.type = 'QUERY_START';
/// SELECT query, d * 1.0 / (SELECT avg(d) FROM P a WHERE a.run = P.run), 0.6 * d / (SELECT max(d) FROM P)
///   + coalesce(0.3 * io / (SELECT max(io) FROM P), 0) + coalesce(0.1 * b / (SELECT max(b) FROM P), 0) s
/// FROM P ORDER BY s DESC LIMIT 5
/// ```
#[test]
fn scores_are_those_of_sqlite() {
    let mut session = samples();
    let list = QueryList { sort: QueryColumn::Score, ..QueryList::default() };
    let page = session.answer(&QueryListRequest { list: list.clone(), first: 0, count: 5 });
    let expected = [
        ("buffer-rocks-q000013", 17.62159780899054, 0.625553961843311),
        ("buffer-rocks-q000025", 0.868089385832034, 0.35651106925482906),
        ("buffer-rocks-q000041", 0.7833161865449672, 0.32710573857749237),
        ("no-buffer-q000011", 5.582990547347843, 0.2750416798330923),
        ("no-buffer-q000053", 3.4053616792700248, 0.26178204573942626),
    ];
    for (row, (query, ratio, score)) in page.rows.iter().zip(expected) {
        assert_eq!(row.query, query);
        assert!(is_near(row.ratio, ratio) && is_near(row.score, score), "{row:?}");
    }
    // With a weight for time alone, the order is that of durations; without weights, all scores are 0.
    let weights = ScoreWeights { latency: 2_000_000, io: 0, buffer: 0 };
    let page = session.answer(&QueryListRequest {
        list: QueryList { weights, ..list.clone() },
        first: 0,
        count: 1_000,
    });
    assert!(page.rows.is_sorted_by_key(|row| -row.duration) && is_near(page.rows[0].score, 2.0));
    let weights = ScoreWeights { latency: 0, io: 0, buffer: 0 };
    let page = session.answer(&QueryListRequest { list: QueryList { weights, ..list }, first: 0, count: 9 });
    assert!(page.rows.iter().all(|row| row.score == Some(0.0)));
}

#[test]
fn a_weight_is_a_number_that_is_not_negative() {
    let cases = [
        ("0.6", Some(600_000)),
        (" 1 ", Some(1_000_000)),
        ("0", Some(0)),
        ("1000", Some(1_000_000_000)),
        ("1001", None),
        ("-0.1", None),
        ("NaN", None),
        ("inf", None),
        ("", None),
        ("0,5", None),
    ];
    for (text, weight) in cases {
        assert_eq!(ScoreWeights::parse(text), weight, "{text:?}");
    }
}
