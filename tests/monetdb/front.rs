//! Files that do not begin as they were written: a prompt or a line of a log stands before them, their beginning is cut off,
//! the header of a table is gone.

use super::{cases, check, dump, open};

/// What was told of text that is no record.
fn without_strays(lines: Vec<String>) -> Vec<String> {
    lines.into_iter().filter(|line| !line.ends_with("x text between records")).collect()
}

#[test]
fn what_stands_before_the_first_record_changes_nothing() {
    let before = [
        "$ stethoscope -d tpch\n",
        "2026-11-21 05:48:31,660 - monetdb_stethoscope.stethoscope - INFO - connected\n",
        "-- opened UDP profile stream\n\n",
        "Press ^C to stop {really}\n",
        "size\":4}]}\n",
    ];
    for (text, _) in cases() {
        let expected = without_strays(dump(&open("whole", text.as_bytes())));
        for before in before {
            let session = open("noise before", format!("{before}{text}").as_bytes());
            assert_eq!(without_strays(dump(&session)), expected, "{before}{text}");
        }
    }
}

/// Tables without their headers, and what is told of rows that are not whole.
const TABLES: &[(&str, &[&str])] = &[
    (
        "|    3 |     X_1:int := sql.mvc();                     |\n|    4 | sql.f(X_1);                                   |\n",
        PLAN,
    ),
    // A rule that is not that of a header; the header between the rows.
    (
        "+------+----------------------------+\n|    3 |     X_1:int := sql.mvc();  |\n| usec | statement                  |\n\
         +======+============================+\n|    4 | sql.f(X_1);                |\n+------+----------------------------+\n",
        PLAN,
    ),
    // The rest of a row that was wrapped.
    (
        ":      :  sql.mvc();    :\n|    3 | X_1:int := sql.mvc(); |\n|    4 | sql.f(X_1);           |\n",
        &[PLAN[0], PLAN[1], PLAN[2], PLAN[3], PLAN[4], PLAN[5], "1 x broken record", PLAN[6]],
    ),
    (
        "usec      | 3\nstatement | X_1:int := sql.mvc();\n-[ RECORD 2 ]-----\nusec      | 4\nstatement | sql.f(X_1);\n",
        PLAN,
    ),
    // Lines of rows out of their order: a duration alone, a record without values.
    (
        "usec      | 9\n-[ RECORD 9 ]-----\n-[ RECORD 2 ]-----\nusec      | 3\nstatement | X_1:int := sql.mvc();\nusec      | 4\n\
         statement | sql.f(X_1);\n",
        &[PLAN[0], PLAN[1], PLAN[2], PLAN[3], PLAN[4], PLAN[5], "2 x broken record", PLAN[6]],
    ),
    (
        "<column name=\"usec\">3</column>\n<column name=\"statement\">X_1:int := sql.mvc();</column>\n</row><row>\n\
         <column name=\"usec\">4</column><column name=\"statement\">sql.f(X_1);</column></row>\n",
        PLAN,
    ),
    ("[ 3,\t\"    X_1:int := sql.mvc();\"\t]\n[ 4,\t\"sql.f(X_1);\"\t]\n", PLAN),
    (
        "3,    X_1:int := sql.mvc();\n4,sql.f(X_1);\n5,sql.bind(X_1\n",
        &[PLAN[0], PLAN[1], PLAN[2], PLAN[3], PLAN[4], PLAN[5], "1 x broken record", PLAN[6]],
    ),
    // sys.tracelog() of 2019, ruled and as the server sends it.
    (
        "|   250 | 104.000020 | user.s2_1[1]133  |      5 |    20 |   118 |    0 |     0 |      0 |      0 |      0 |     0 | sql.mvc(); |\n",
        LOG,
    ),
    (
        "[ 250,\t\"104.000020\",\t\"user.s2_1[1]133\",\t5,\t20,\t118,\t0,\t0,\t0,\t0,\t0,\t0,\t\"sql.mvc();\"\t]\n",
        LOG,
    ),
    // and of 2022, whose event is the last cell.
    (
        "|    30 | a.b(); | {\"sessionid\":\"0\",\"clk\":30,\"thread\":9,\"phase\":\"mal_engine\",\"pc\":2,\"tag\":4,\"module\":\"a\",\"function\":\"b\",\"usec\":30} |\n",
        &["Async statements", "- statement 0..30", "Thread thread 9", "- a.b 0..30, pc=2, \"a.b()\""],
    ),
];

/// What the files of one plan show, whatever they lack.
pub const PLAN: &[&str] = &[
    "Async statements",
    "- statement 0..7",
    "Thread client",
    "- sql.mvc 0..3, inferred, \"X_1 := sql.mvc()\"",
    "- sql.f 3..7, inferred, \"sql.f(X_1)\"",
    "sql.mvc -> sql.f: X_1",
    "1 x reconstructed schedule",
];
const LOG: &[&str] = &[
    "Async statements",
    "- user.s2_1 0..20",
    "Thread thread 5",
    "- sql.mvc 0..20, pc=1, \"sql.mvc()\"",
    "Counter resident memory",
    "* resident memory 20 = 123731968",
];

#[test]
fn rows_are_read_without_their_header() {
    for (text, expected) in TABLES {
        check(text, expected);
    }
}

/// A record that breaks off is told of, in every dress.
#[test]
fn the_rest_of_a_record_is_reported() {
    let cases = [
        (
            "07,\t54,\t0,\t0,\t0,\t0,\t0,\t0,\t \"sql.mvc();\"\t]\n",
            include_str!("../traces/monetdb/jul2015.txt"),
        ),
        ("gine', 'pc': 3, 'usec': 4}\n", include_str!("../traces/monetdb/python.txt")),
        ("\t3,\t12,\tsql,\tmvc,\t1]\n", include_str!("../traces/monetdb/lines.txt")),
        ("[ 9,\t\"13:11:1\n", include_str!("../traces/monetdb/jul2015.txt")),
    ];
    for (rest, text) in cases {
        let reported = |text: &str| open("trace", text.as_bytes()).report()[0].reported;
        assert_eq!(reported(&format!("{rest}{text}")), reported(text) + 1, "{rest}");
    }
}
