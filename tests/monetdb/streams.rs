//! One small file for each generation and rule of the JSON streams.

use queryscope::trace::{Item, SpanId};

/// Files, and what is made of them.
pub const CASES: &[(&str, &[&str])] = &[
    // Sep2022: one record per instruction, clk is the end. Tag 0 belongs to what it lies in.
    (
        include_str!("../traces/monetdb/sep2022.ndjson"),
        &[
            "Async statements",
            "- session 0..120",
            "-- session_start 0..0",
            "-- select 'ä' 5..110, failed, \"select 'ä'\"",
            "--- text_to_sql 5..10",
            "--- mal_opt 10..20",
            "--- execution 20..100",
            "--- trans_rollback 106..110, failed",
            "Thread thread 10",
            "- function user.main 20..100, pc=0, \"function user.main\"",
            "-- querylog.define 28..30, pc=1, \"querylog.define('select \\\\'ä\\\\'\\n;')\"",
            "-- language.dataflow 35..95, pc=2, \"barrier language.dataflow()\"",
            "Thread thread 7",
            "- sql.bind 40..60, pc=3, rows out=10, bytes=40, \"X_8 := sql.bind(X_4)\", \"a\"",
            "Thread thread 6",
            "- user.f 70..90, pc=4, \"user.f(X_8)\"",
            "-- calc.+ 80..85, pc=5, \"X_3 := calc.+(1)\"",
            "sql.bind -> user.f: X_8",
        ],
    ),
    // Up to Jan2022: a start and an end. A loop of which the ends are left out; an end and a start alone; recursion in one tag.
    (
        include_str!("../traces/monetdb/jul2021-embedded.ndjson"),
        &[
            "* wait 32",
            "Async statements",
            "- user.main 0..45, inferred",
            "Thread thread 1",
            "- function user.main 0..45, inferred, pc=0, \"function user.main\"",
            "-- barrier 10..12, pc=1, \"barrier\"",
            "-- calc.+ 20..25, pc=2, iteration=1, \"calc.+()\"",
            "-- calc.+ 30..35, no end in trace, pc=2, iteration=2, \"calc.+()\"",
            "-- calc.+ 35..40, no end in trace, pc=2, iteration=3, \"calc.+()\"",
            "-- end 40..45, pc=3, \"end\"",
            "Counter resident memory",
            "* resident memory 32 = 71303168",
            "* resident memory 50 = 72351744",
            "Counter disk writes / s",
            "* disk writes / s 32 = 113777777",
            "* disk writes / s 50 = 0",
            "Counter core 0",
            "* core 0 32 = 1000000",
            "* core 0 50 = 500000",
            "Counter core 1",
            "* core 1 32 = 250000",
            "* core 1 50 = 250000",
            "2 x no end",
        ],
    ),
    // Up to Nov2019: text in stmt, recursion in one tag, a function that ends and whose start is not there.
    (
        include_str!("../traces/monetdb/apr2019.ndjson"),
        &[
            "Async statements",
            "- user.f 0..45, no start in trace",
            "Thread thread 5",
            "- function user.f 0..45, no start in trace, pc=0, \"function user.f\"",
            "-- user.f 5..35, pc=1, iteration=1, \"X_1 := user.f(X_2)\"",
            "--- user.f 15..25, pc=1, iteration=2, \"X_1 := user.f(X_2)\"",
            "Counter resident memory",
            "* resident memory 5 = 2097152",
            "* resident memory 15 = 2097152",
            "* resident memory 25 = 2097152",
            "* resident memory 35 = 3145728",
            "* resident memory 45 = 3145728",
            "Counter context switches / s",
            "* context switches / s 5 = 25000",
            "* context switches / s 45 = 0",
            "1 x no start",
        ],
    ),
    // Jul2017: seconds with a fraction, numbers in quotes, no module. Marvin's dictionary. What a server says first.
    (
        include_str!("../traces/monetdb/jul2017-and-marvin.ndjson"),
        &[
            "Async statements",
            "- user.s4_1 0..30",
            "Thread thread 2",
            "- sql.bind 0..10, pc=3, rows out=5, bytes=20, \"X_3 := sql.bind(X_4, 'sys')\"",
            "- aggr.sum 20..30, pc=4, \"X_5 := aggr.sum(X_3)\"",
            "Counter resident memory",
            "* resident memory 0 = 1048576",
            "* resident memory 10 = 1048576",
            "* resident memory 20 = 1048576",
            "* resident memory 30 = 1048576",
            "sql.bind -> aggr.sum: X_3",
        ],
    ),
    // Laid out, in an array, with what no event has: noise between records, a record that breaks off, an object that is none.
    (
        include_str!("../traces/monetdb/damaged.json"),
        &[
            "Async statements",
            "- statement 0..25",
            "Thread thread 1",
            "- a.b 0..5, pc=1, \"a.b()\"",
            "- a.c  20..25, pc=2, \"a.c ()\"",
            "1 x broken record",
            "1 x not an event",
            "1 x no time",
            "1 x cut off",
            "1 x control characters",
            "1 x text between records",
        ],
    ),
    // Nov2019: the clocks have changed places.
    (
        include_str!("../traces/monetdb/nov2019.ndjson"),
        &[
            "Async statements",
            "- user.main 0..50",
            "Thread thread 3",
            "- function user.main 0..50, pc=0, \"function user.main\"",
            "-- user.f 10..40, pc=1, \"X_1 := user.f(X_2)\"",
            "--- function user.f 15..35, pc=0, \"function user.f\"",
            "---- calc.+ 20..30, pc=1, \"X_3 := calc.+(X_4, 1)\"",
            "Counter resident memory",
            "* resident memory 0 = 1048576",
            "* resident memory 10 = 1048576",
            "* resident memory 15 = 1048576",
            "* resident memory 20 = 1048576",
            "* resident memory 30 = 1048576",
            "* resident memory 35 = 1048576",
            "* resident memory 40 = 1048576",
            "* resident memory 50 = 1048576",
        ],
    ),
    // Jul2017 laid out: letters outside of all quotes, a comma behind the last member, a record that breaks off.
    (
        include_str!("../traces/monetdb/jul2017-torn.json"),
        &[
            "Async statements",
            "- user.s4_1 0..30",
            "Thread thread 2",
            "- sql.bind 0..10, pc=3, rows out=5, \"X_3 := sql.bind(X_4, 'sys')\"",
            "- aggr.sum 20..30, no start in trace, pc=4, \"X_5 := aggr.sum(X_3)\"",
            "Counter resident memory",
            "* resident memory 10 = 1048576",
            "* resident memory 20 = 2097152",
            "* resident memory 30 = 1048576",
            "Counter swaps / s",
            "* swaps / s 0 = 33333",
            "* swaps / s 30 = 0",
            "Counter core 0",
            "* core 0 20 = 500000",
            "Counter core 1",
            "* core 1 20 = 1000000",
            "sql.bind -> aggr.sum: X_3",
            "3 x damaged record",
            "1 x no start",
        ],
    ),
    // Functions in functions, without tags: what they lie in is what they are of.
    (
        include_str!("../traces/monetdb/nested.ndjson"),
        &[
            "Async statements",
            "- user.main 0..55",
            "Thread thread 10",
            "- function user.main 0..55, pc=0, \"function user.main\"",
            "Thread thread 9",
            "- user.f 8..40, pc=4, \"user.f()\"",
            "-- function user.f 10..35, pc=0, \"function user.f\"",
            "--- user.g 14..27, pc=1, iteration=1, \"user.g()\"",
            "---- function user.g 15..25, pc=0, \"function user.g\"",
            "----- calc.* 15..17, pc=1, iteration=2, \"calc.*()\"",
        ],
    ),
    // Parts of a table.
    (
        include_str!("../traces/monetdb/mitosis.ndjson"),
        &[
            "Async statements",
            "- statement 0..115",
            "Thread thread 6",
            "- sql.bind 0..10, pc=1, rows out=50, bytes=200, part=0, \"X_100 := sql.bind(X_4, 'sys', 'lineitem', 'l_tax', 0, 0, 2)\"",
            "- sql.bind 10..20, pc=2, rows out=50, bytes=200, part=0, \"X_200 := sql.bind(X_4, 'sys', 'lineitem', 'l_qty', 0, 0, 2)\"",
            "- aggr.sum 40..50, pc=5, rows out=1, bytes=4, part=0, \"X_110 := aggr.sum(X_100)\"",
            "- aggr.sum 50..70, pc=6, rows out=1, bytes=4, part=0, \"X_210 := aggr.sum(X_200)\"",
            "- mat.pack 105..110, pc=9, rows out=2, bytes=8, \"X_300 := mat.pack(X_110, X_111)\"",
            "- mat.pack 110..115, pc=10, rows out=2, bytes=8, \"X_301 := mat.pack(X_210, X_211)\"",
            "Thread thread 7",
            "- sql.bind 20..30, pc=3, rows out=50, bytes=200, part=1, \"X_101 := sql.bind(X_4, 'sys', 'lineitem', 'l_tax', 0, 1, 2)\"",
            "- sql.bind 30..40, pc=4, rows out=50, bytes=200, part=1, \"X_201 := sql.bind(X_4, 'sys', 'lineitem', 'l_qty', 0, 1, 2)\"",
            "- aggr.sum 70..100, pc=7, rows out=1, bytes=4, part=1, \"X_111 := aggr.sum(X_101)\"",
            "- aggr.sum 100..105, pc=8, rows out=1, bytes=4, part=1, \"X_211 := aggr.sum(X_201)\"",
            "sql.bind -> aggr.sum: X_100",
            "sql.bind -> aggr.sum: X_200",
            "aggr.sum -> mat.pack: X_110",
            "aggr.sum -> mat.pack: X_210",
            "sql.bind -> aggr.sum: X_101",
            "sql.bind -> aggr.sum: X_201",
            "aggr.sum -> mat.pack: X_111",
            "aggr.sum -> mat.pack: X_211",
        ],
    ),
    // Sep2022, two clients at once: what nests does so within its own session. The first statement is over without a
    // plan, the last one was going on when the file ended; a call whose module is not `user`.
    (
        include_str!("../traces/monetdb/sessions.ndjson"),
        &[
            "Async statements · session 1",
            "- set x = 1 0..10, \"set x = 1\"",
            "-- text_to_sql 0..10",
            "- select f(1) 20..100, \"select f(1)\"",
            "-- text_to_sql 20..30",
            "-- mal_opt 30..40",
            "-- execution 50..90",
            "-- trans_commit 95..100",
            "Async statements · session 2",
            "- select 2 50..105, no end in trace, \"select 2\"",
            "-- text_to_sql 50..55",
            "Thread thread 10",
            "- function user.main 50..90, pc=0, \"function user.main\"",
            "-- querylog.define 55..60, pc=1, iteration=1, \"querylog.define()\"",
            "-- sql.f 68..80, pc=2, \"sql.f()\"",
            "--- function sql.f 70..78, pc=0, \"function sql.f\"",
            "---- calc.+ 72..76, pc=1, iteration=2, \"calc.+()\"",
            "Thread thread 11",
            "- sql.mvc 60..65, pc=1, \"sql.mvc()\"",
            "Thread thread 7",
            "- algebra.select 70..105, pc=2, \"algebra.select()\"",
        ],
    ),
    // Apr2019 without heartbeats: what is told behind a pause is of all of the pause, and what the first event tells is
    // of a time before. No client is named: statements that overlap stand beside each other.
    (
        include_str!("../traces/monetdb/apr2019-pause.ndjson"),
        &[
            "Async statements",
            "- user.s1_1 0..20000000",
            "-- user.s2_2 100..2000",
            "Thread thread 5",
            "- a.b 0..20000000, pc=1, \"a.b()\"",
            "Thread thread 6",
            "- a.c 100..2000, pc=1, \"a.c()\"",
            "Counter resident memory",
            "* resident memory 0 = 1048576",
            "* resident memory 100 = 1048576",
            "* resident memory 2000 = 1048576",
            "* resident memory 20000000 = 1048576",
            "Counter disk reads / s",
            "* disk reads / s 0 = 225289",
            "* disk reads / s 40000 = 102410",
            "* disk reads / s 20000000 = 0",
        ],
    ),
];

/// The steps of a plan whose table was cut in two: parts are one step, columns are not.
#[test]
fn parts_of_a_table_are_one_step() {
    let session = super::open("mitosis", include_bytes!("../traces/monetdb/mitosis.ndjson"));
    let trace = session.trace();
    let step = trace.key("step").expect("instructions are steps");
    let spans = (0..trace.spans.len() as u32).map(SpanId);
    let mut steps: Vec<&str> =
        spans.filter_map(|id| trace.text(Item::Span(id), step)).map(|step| trace.str(step)).collect();
    steps.sort_unstable();
    let bind = |column: &str| format!("sql.bind(_, \"sys\", \"lineitem\", \"{column}\", 0, part, of)");
    let (qty, tax) = (bind("l_qty"), bind("l_tax"));
    let expected = [
        "aggr.sum(l_qty)",
        "aggr.sum(l_qty)",
        "aggr.sum(l_tax)",
        "aggr.sum(l_tax)",
        "mat.pack(l_qty…)",
        "mat.pack(l_tax…)",
        &qty,
        &qty,
        &tax,
        &tax,
    ];
    assert_eq!(steps, expected);
}
