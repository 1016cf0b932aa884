//! One small file for each generation and rule.

use super::check;

/// Files, and what is made of them.
pub const CASES: &[(&str, &[&str])] = &[
    // Sep2022: one record per instruction, clk is the end. Tag 0 belongs to what it lies in.
    (
        r#"{"sessionid":"1", "clk":100, "thread":10, "phase":"session_start", "usec":0}
{"sessionid":"1", "clk":110, "thread":10, "phase":"text_to_sql", "tstart":82, "tag":25, "query":"select 'ä'\n;", "usec":5}
{"sessionid":"1", "clk":120, "thread":10, "phase":"mal_opt", "tag":25, "usec":10}
{"sessionid":"1","clk":130,"thread":10,"phase":"mal_engine","pc":1,"tag":25,"module":"querylog","function":"define","usec":2,"args":[{"ret":0,"var":"X_1","type":"void","const":0,"value":"0@0","eol":1},{"arg":1,"var":"X_2","type":"str","const":1,"value":"select \\'ä\\'\n;","eol":1}]}
{"sessionid":"1","clk":160,"thread":7,"phase":"mal_engine","pc":3,"tag":25,"module":"sql","function":"bind","usec":20,"algorithm":"a","args":[{"ret":0,"var":"X_8","type":"bat[:int]","bid":1,"count":10,"size":40,"eol":9},{"arg":1,"var":"X_4","type":"int","const":0,"value":0,"eol":11}]}
{"sessionid":"1","clk":185,"thread":6,"phase":"mal_engine","pc":5,"tag":0,"module":"calc","function":"+","usec":5,"args":[{"ret":0,"var":"X_3","type":"int","value":2},{"arg":1,"var":"X_4","type":"int","const":1,"value":1}]}
{"sessionid":"1","clk":190,"thread":6,"phase":"mal_engine","pc":4,"tag":25,"module":"user","function":"f","usec":20,"args":[{"arg":0,"var":"X_8","type":"bat[:int]","count":10,"size":40}]}
{"sessionid":"1","clk":195,"thread":10,"phase":"mal_engine","pc":2,"tag":25,"barrier":"barrier","module":"language","function":"dataflow","usec":60,"args":[]}
{"sessionid":"1","clk":200,"thread":10,"phase":"mal_engine","pc":0,"tag":25,"module":"user","function":"main","operator":"function","usec":80}
{"sessionid":"1", "clk":210, "thread":10, "phase":"trans_rollback", "tstart":1, "tend":2, "tag":25, "state":"error", "usec":4}
{"sessionid":"1", "clk":220, "thread":10, "phase":"session_end", "usec":120}
"#,
        &[
            "Async statements",
            "- session 0..120",
            "-- session_start 0..0",
            "-- select 'ä' 5..110, failed, \"select 'ä'\"",
            "--- text_to_sql 5..10",
            "--- mal_opt 10..20",
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
        r#"{"version":"11.41.14 (x)","user":0,"clk":1795239511000000,"mclk":100,"thread":1,"program":"user.main","pc":0,"tag":7,"module":"user","function":"main","operator":"function","state":"start","usec":19}
{"user":0,"clk":1795239511000010,"mclk":110,"thread":1,"program":"user.main","pc":1,"tag":7,"barrier":"barrier","operator":":=","state":"start","usec":0}
{"user":0,"clk":1795239511000012,"mclk":112,"thread":1,"program":"user.main","pc":1,"tag":7,"barrier":"barrier","operator":":=","state":"done","usec":2}
{"user":0,"clk":1795239511000020,"mclk":120,"thread":1,"program":"user.main","pc":2,"tag":7,"module":"calc","function":"+","state":"start","usec":0}
{"user":0,"clk":1795239511000025,"mclk":125,"thread":1,"program":"user.main","pc":2,"tag":7,"module":"calc","function":"+","state":"done","usec":5}
{"user":0,"clk":1795239511000030,"mclk":130,"thread":1,"program":"user.main","pc":2,"tag":7,"module":"calc","function":"+","state":"start","usec":0}
{"clk":1795239511000032,"ctime":3590479002000000,"rss":68,"oublock":3,"state":"wait","cpuload":[1.00,0.25]}
{"user":0,"clk":1795239511000035,"mclk":135,"thread":1,"program":"user.main","pc":2,"tag":7,"module":"calc","function":"+","state":"start","usec":0}
{"user":0,"clk":1795239511000040,"mclk":140,"thread":1,"program":"user.main","pc":3,"tag":7,"operator":"end","state":"start","usec":0}
{"user":0,"clk":1795239511000045,"mclk":145,"thread":1,"program":"user.main","pc":3,"tag":7,"operator":"end","state":"done","usec":5}
{"clk":1795239511000050,"ctime":3590479002000000,"rss":69,"oublock":4,"state":"ping","cpuload":[0.50,0.25]}
"#,
        &[
            "* wait 32",
            "Async statements",
            "- function user.main 0..45, inferred",
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
            "Counter blocks written, in all",
            "* blocks written, in all 32 = 3",
            "* blocks written, in all 50 = 7",
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
        r#"{"version":"11.33.11 (x)","source":"trace","clk":1000,"ctime":1795240937112275,"thread":5,"function":"user.f","pc":1,"tag":9,"module":"user","instruction":"f","session":"s","state":"start","usec":0,"rss":2,"size":0,"nvcsw":3,"stmt":"X_1=0:int := user.f(X_2=1:int);"}
{"source":"trace","clk":1010,"ctime":1795240937112285,"thread":5,"function":"user.f","pc":1,"tag":9,"module":"user","instruction":"f","session":"s","state":"start","usec":0,"rss":2,"size":0,"stmt":"X_1=0:int := user.f(X_2=0:int);"}
{"source":"trace","clk":1020,"ctime":1795240937112295,"thread":5,"function":"user.f","pc":1,"tag":9,"module":"user","instruction":"f","session":"s","state":"done","usec":10,"rss":2,"size":0,"nvcsw":1,"stmt":"X_1=1:int := user.f(X_2=0:int);"}
{"source":"trace","clk":1030,"ctime":1795240937112305,"thread":5,"function":"user.f","pc":1,"tag":9,"module":"user","instruction":"f","session":"s","state":"done","usec":30,"rss":3,"size":0,"stmt":"X_1=1:int := user.f(X_2=1:int);"}
{"source":"trace","clk":1040,"ctime":1795240937112315,"thread":5,"function":"user.f","pc":0,"tag":9,"module":"user","instruction":"f","session":"s","state":"done","usec":45,"rss":3,"size":0,"stmt":"function user.f():void;"}
"#,
        &[
            "Async statements",
            "- function user.f 0..45, no start in trace",
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
            "Counter context switches, in all",
            "* context switches, in all 5 = 3",
            "* context switches, in all 25 = 4",
            "1 x no start",
        ],
    ),
    // Jul2017: seconds with a fraction, numbers in quotes, no module. Marvin's dictionary. What a server says first.
    (
        r#"{ "version":"11.27", "release":"Jul2017", "threads":4 }
{ "user":"monetdb", "clk":50, "ctime":1510000000.000050, "thread":2, "function":"user.s4_1", "pc":3, "tag":4, "session":"a", "state":"start", "usec":0, "rss":1, "size":0, "stmt":"X_3=nil:bat[:int] := sql.bind(X_4=0:int, \"sys\":str);" }
{ "user":"monetdb", "clk":60, "ctime":1510000000.000060, "thread":2, "function":"user.s4_1", "pc":3, "tag":4, "session":"a", "state":"done", "usec":10, "rss":1, "size":0, "stmt":"X_3=<tmp_1>[5]:bat[:int] := sql.bind(X_4=0:int, \"sys\":str);", "ret":[{"index":"0","name":"X_3","type":"bat[:int]","count":"5","size":20}] }
{"session":"a","tag":4,"pc":4,"execution_state":0,"clk":70,"ctime":1510000000000070,"thread":2,"mal_function":"user.s4_1","usec":0,"rss":1,"size":0,"long_statement":"X_5 := aggr.sum(X_3);","short_statement":"X_5 := sum( X_3 )","instruction":"sum","mal_module":"aggr"}
{"session":"a","tag":4,"pc":4,"execution_state":1,"clk":80,"ctime":1510000000000080,"thread":2,"mal_function":"user.s4_1","usec":10,"rss":1,"size":0,"long_statement":"X_5 := aggr.sum(X_3);","short_statement":"X_5 := sum( X_3 )","instruction":"sum","mal_module":"aggr"}
"#,
        &[
            "Async statements",
            "- user.s4_1 0..10",
            "- user.s4_1 20..30",
            "Thread thread 2",
            "- sql.bind 0..10, pc=3, rows out=5, bytes=20, \"X_3 := sql.bind(X_4, 'sys')\"",
            "- aggr.sum 20..30, pc=4, \"X_5 := aggr.sum(X_3)\"",
            "Counter resident memory",
            "* resident memory 0 = 1048576",
            "* resident memory 10 = 1048576",
            "* resident memory 20 = 1048576",
            "* resident memory 30 = 1048576",
        ],
    ),
    // Laid out, in an array, with what no event has: noise between records, a record that breaks off, an object that is none.
    (
        "[\n{\"sessionid\":\"1\",\n \"clk\":20,\"thread\":1,\"phase\":\"mal_engine\",\"pc\":1,\"tag\":2,\"module\":\"a\",\"function\":\"b\",\"usec\":5},\nnoise\n{\"sessionid\":\"1\",\"clk\":30,\"thread\":1,\n{\"sessionid\":\"1\",\"clk\":40,\"thread\":1,\"phase\":\"mal_engine\",\"pc\":2,\"tag\":2,\"module\":\"a\",\"function\":\"c\u{1}\",\"usec\":5},{\"a\":1},\n{\"pc\":1,\"usec\":3},\n{\"sessionid\":\"1\",\"cl",
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
];

#[test]
fn every_rule_has_its_picture() {
    for (text, expected) in CASES {
        check(text, expected);
    }
}
