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
    // Jul2015, with a header; a record that the server cut, and the next one behind it.
    (
        "# event,\ttime,\tpc,\tthread,\tstate,\tusec,\trssMB,\ttmpspace,\tinblock,\toublock,\tmajflt,\tnswap,\tswitch,\tstmt,\t# name \n
[ 1,\t\"23:59:59.999990\",\t\"user.ping[0]0\",\t0,\t\"ping\",\t0,\t101,\t0,\t0,\t0,\t0,\t0,\t8,\t\"[  1.00  0.50 ]\"\t]
-- connection with server closed
[ 2,\t\"23:59:59.999995\",\t\"user.s5_1[0]12\",\t3,\t\"start\",\t0,\t54,\t0,\t0,\t0,\t0,\t0,\t0,\t \"function user.s5_1():void;\"\t]
[ 3,\t\"00:00:00.000005\",\t\"user.s5_1[14]12\",\t3,\t\"start\",\t0,\t54,\t0,\t0,\t0,\t0,\t0,\t0,\t \"sql.exportResult(X_21=\\\"104d2\\\":streams,X_16=4:in[ 4,\t\"00:00:00.000010\",\t\"user.wait[0]0\",\t7,\t\"wait\",\t0,\t54,\t0,\t0,\t0,\t0,\t0,\t0,\t\"\"\t]
[ 5,\t\"00:00:00.000015\",\t\"user.s5_1[14]12\",\t3,\t\"done \",\t10,\t54,\t0,\t0,\t0,\t0,\t0,\t0,\t \"sql.exportResult(X_21=\\\"104d2\\\":streams,X_16=4:int);\"\t]
[ 6,\t\"00:00:00.000020\",\t\"user.s5_1[0]12\",\t3,\t\"done \",\t25,\t54,\t0,\t0,\t0,\t0,\t0,\t0,\t \"function user.s5_1():void;\"\t]
",
        &[
    "Async statements",
    "- user.s5_1 5..30",
    "Thread thread 3",
    "- function user.s5_1 5..30, pc=0, \"function user.s5_1\"",
    "-- sql.exportResult 15..25, pc=14, \"sql.exportResult(X_21, X_16)\"",
    "Thread thread 7",
    "* wait 20",
    "Counter resident memory",
    "* resident memory 0 = 105906176",
    "* resident memory 5 = 56623104",
    "* resident memory 15 = 56623104",
    "* resident memory 20 = 56623104",
    "* resident memory 25 = 56623104",
    "* resident memory 30 = 56623104",
    "Counter context switches, in all",
    "* context switches, in all 0 = 8",
    "* context switches, in all 5 = 8",
    "* context switches, in all 15 = 8",
    "* context switches, in all 20 = 8",
    "* context switches, in all 25 = 8",
    "* context switches, in all 30 = 8",
    "Counter core 0",
    "* core 0 0 = 1000000",
    "Counter core 1",
    "* core 1 0 = 500000",
    "1 x records without a line end",
        ],
    ),
    // 2013 and 2014: no pc and no tag; whatever runs is of the function that runs.
    (
        "[ 1,\t\"start\",\t\"05:54:46.698431\",\t 5,\t0,\t \"function user.s0_2():void;\",\t ]
[ 2,\t\"start\",\t\"05:54:46.698441\",\t 6,\t0,\t \"X_4=0:int := sql.mvc();\",\t]
[ 3,\t\"done\" ,\t\"05:54:46.698451\",\t 6,\t10,\t \"X_4=0:int := sql.mvc();\",\t]
[ 4,\t\"done\" ,\t\"05:54:46.698461\",\t 5,\t30,\t \"function user.s0_2():void;\",\t ]
",
        &[
    "Async statements",
    "- user.s0_2 0..30",
    "Thread thread 5",
    "- function user.s0_2 0..30, \"function user.s0_2\"",
    "Thread thread 6",
    "- sql.mvc 10..20, \"X_4 := sql.mvc()\"",
        ],
    ),
    // Jun2016 to Nov2019, whose times are in the year 56,890,876; and without any time.
    (
        "[ 0,\t0,\t\"\",\t0,\t\"system\",\t0,\t0,\t0,\t0,\t0,\t0,\t\"version:11.33.11 \"\t]
[ 1,\t\"56890876/01/23 19:09:40.(n\",\t\"user.s0_2[1]51\",\t6,\t\"start\",\t0,\t65,\t0,\t0,\t0,\t0,\t0,\t0,\t\"X_1=0@0:void := querylog.define(\\\"select \\\\\\\\'a\\\\\\\\';\\\":str, 7:int);\"\t]
[ 2,\t\"56890876/01/23 19:10:10.(n\",\t\"user.s0_2[1]51\",\t6,\t\"done \",\t30,\t65,\t0,\t0,\t0,\t0,\t0,\t0,\t\"X_1=0@0:void := querylog.define(\\\"select \\\\\\\\'a\\\\\\\\';\\\":str, 7:int);\"\t]
[ 3,\t\"56890876/01/23 19:10:20.(n\",\t\"\",\t0,\t\"ping \",\t0,\t118,\t0,\t0,\t0,\t0,\t0,\t5,\t\"[1.00,0.25]\"\t]
",
        &[
    "Async statements",
    "- select 'a' 0..30, \"select 'a'\"",
    "Thread thread 6",
    "- querylog.define 0..30, pc=1, \"X_1 := querylog.define('select \\\\\\\\'a\\\\\\\\';', 7)\"",
    "Counter resident memory",
    "* resident memory 0 = 68157440",
    "* resident memory 30 = 68157440",
    "* resident memory 40 = 123731968",
    "Counter context switches, in all",
    "* context switches, in all 0 = 0",
    "* context switches, in all 30 = 0",
    "* context switches, in all 40 = 5",
    "Counter core 0",
    "* core 0 40 = 1000000",
    "Counter core 1",
    "* core 1 40 = 250000",
        ],
    ),
    (
        "[ 1,\t\"user.s0_2[1]51\",\t6,\t\"start\",\t0,\t65,\t0,\t0,\t0,\t0,\t0,\t0,\t\"X_1=0:int := sql.mvc();\"\t]
[ 2,\t\"user.s0_2[1]51\",\t6,\t\"done \",\t30,\t65,\t0,\t0,\t0,\t0,\t0,\t0,\t\"X_1=0:int := sql.mvc();\"\t]
[ 3,\t\"user.s0_2[2]51\",\t6,\t\"start\",\t0,\t65,\t0,\t0,\t0,\t0,\t0,\t0,\t\"sql.f(X_1=0:int);\"\t]
[ 4,\t\"user.s0_2[2]51\",\t6,\t\"done \",\t12,\t65,\t0,\t0,\t0,\t0,\t0,\t0,\t\"sql.f(X_1=0:int);\"\t]
",
        &[
    "Async statements",
    "- user.s0_2 0..42",
    "Thread thread 6",
    "- sql.mvc 0..30, pc=1, \"X_1 := sql.mvc()\"",
    "- sql.f 30..42, pc=2, \"sql.f(X_1)\"",
    "Counter resident memory",
    "* resident memory 0 = 68157440",
    "* resident memory 30 = 68157440",
    "* resident memory 30 = 68157440",
    "* resident memory 42 = 68157440",
    "sql.mvc -> sql.f: X_1",
    "1 x no times",
        ],
    ),
    // TRACE in every dress. Two workers are needed for 10 microseconds.
    (
        "43.5\n3,\"    X_1=0@0:void := querylog.define(\"\"trace select \\\\\\\\'a,b\\\\\\\\';\"\":str, 31:int);\"\n5,    X_2=[9]:bat[:int] := sql.bind(0:int);\n6,    X_3=[9]:bat[:int] := sql.bind(1:int);\n4,\"    X_4=[18]:bat[:int] := mat.pack(X_2=[9]:bat[:int], X_3=[9]:bat[:int]); # fast\"\n10,barrier X_5=false:bit := language.dataflow();\n2,sql.resultSet(X_4=[18]:bat[:int]);\n",
        &[
    "Async statements",
    "- select 'a,b' 0..15, \"select 'a,b'\"",
    "Thread client",
    "- querylog.define 0..3, inferred, \"X_1 := querylog.define('trace select \\\\\\\\'a,b\\\\\\\\';', 31)\"",
    "- language.dataflow 3..13, inferred, \"barrier X_5 := language.dataflow()\"",
    "- sql.resultSet 13..15, inferred, \"sql.resultSet(X_4)\"",
    "Thread worker 1",
    "- sql.bind 3..8, inferred, rows out=9, \"X_2 := sql.bind(0)\"",
    "Thread worker 2",
    "- sql.bind 3..9, inferred, rows out=9, \"X_3 := sql.bind(1)\"",
    "- mat.pack 9..13, inferred, rows out=18, \"X_4 := mat.pack(X_2, X_3)\", \"fast\"",
    "sql.bind -> mat.pack: X_2",
    "sql.bind -> mat.pack: X_3",
    "mat.pack -> sql.resultSet: X_4",
    "1 x reconstructed schedule",
        ],
    ),
    (
        "+---+\n| a |\n+===+\n| 1 |\n+---+\n1 tuple\n+------+----------------+\n| usec | statement      |\n+======+================+\n|    3 |     X_1:int := |\n:      :  sql.mvc();    :\n|    4 | sql.f(X_1);    |\n+------+----------------+\n2 tuples\n",
        &[
    "Async statements",
    "- statement 0..7",
    "Thread client",
    "- sql.mvc 0..3, inferred, \"X_1 := sql.mvc()\"",
    "- sql.f 3..7, inferred, \"sql.f(X_1)\"",
    "sql.mvc -> sql.f: X_1",
    "1 x reconstructed schedule",
        ],
    ),
    (
        "-[ RECORD 1 ]---\na | 1\n-[ RECORD 1 ]---\nusec      | 5\nstatement |     X_1=0:int := sql.mvc();\n-[ RECORD 2 ]---\nusec      | 7\nstatement | sql.f(X_1=0:int);\n2 tuples\n",
        &[
    "Async statements",
    "- statement 0..12",
    "Thread client",
    "- sql.mvc 0..5, inferred, \"X_1 := sql.mvc()\"",
    "- sql.f 5..12, inferred, \"sql.f(X_1)\"",
    "sql.mvc -> sql.f: X_1",
    "1 x reconstructed schedule",
        ],
    ),
    (
        "<row><column name=\"usec\">5</column><column name=\"statement\">X_1 := a.b(1 &lt; 2);</column></row><row>\n<column name=\"usec\">6</column>\n<column name=\"statement\">a.c(X_1);</column>\n</row>\n",
        &[
    "Async statements",
    "- statement 0..11",
    "Thread client",
    "- a.b 0..5, inferred, \"X_1 := a.b(1 < 2)\"",
    "- a.c 5..11, inferred, \"a.c(X_1)\"",
    "a.b -> a.c: X_1",
    "1 x reconstructed schedule",
        ],
    ),
    (
        "% .trace,\t.trace # table_name\n% usec,\tstatement # name\n% bigint,\tclob # type\n[ 27,\t\"    X_1=0:int := sql.mvc();\"\t]\n[ 5,\t\"sql.f(\\\"a\\\":str, X_1=0:int);\"\t]\n",
        &[
    "Async statements",
    "- statement 0..32",
    "Thread client",
    "- sql.mvc 0..27, inferred, \"X_1 := sql.mvc()\"",
    "- sql.f 27..32, inferred, \"sql.f('a', X_1)\"",
    "sql.mvc -> sql.f: X_1",
    "1 x reconstructed schedule",
        ],
    ),
    // TRACE, and then the same once more with its times: of 2019 and of 2022.
    (
        "20,\"X_1=0@0:void := querylog.define(\"\"trace select 1;\"\":str);\"\n30,a.b();\n1,104.655000,user.s2_1[1]133,5,20,118,0,0,0,0,0,0,\"X_1=0@0:void := querylog.define(\"\"trace select 1;\"\":str);\"\n2,104.655050,user.s2_1[2]133,4,30,118,0,8,0,0,0,1,a.b();\n",
        &[
    "Async statements",
    "- select 1 0..70, \"select 1\"",
    "Thread thread 5",
    "- querylog.define 0..20, pc=1, \"X_1 := querylog.define('trace select 1;')\"",
    "Thread thread 4",
    "- a.b 40..70, pc=2, \"a.b()\"",
    "Counter resident memory",
    "* resident memory 20 = 123731968",
    "* resident memory 70 = 123731968",
    "Counter blocks read, in all",
    "* blocks read, in all 20 = 0",
    "* blocks read, in all 70 = 8",
    "Counter context switches, in all",
    "* context switches, in all 20 = 0",
    "* context switches, in all 70 = 1",
        ],
    ),
    (
        "30,a.b();\n30,a.b();,\"{\"\"sessionid\"\":\"\"0\"\",\"\"clk\"\":299644043,\"\"thread\"\":9,\"\"phase\"\":\"\"mal_engine\"\",\"\"pc\"\":2,\"\"tag\"\":7,\"\"module\"\":\"\"a\"\",\"\"function\"\":\"\"b\"\",\"\"usec\"\":30}\\n\"\n",
        &[
    "Async statements",
    "- statement 0..30",
    "Thread thread 9",
    "- a.b 0..30, pc=2, \"a.b()\"",
        ],
    ),
    // What stethoscope prints: dictionaries of Python, and values without names, which may go on in the next line.
    (
        "{'sessionid': '1', 'clk': 70962105, 'thread': 10, 'phase': 'text_to_sql', 'tag': 5, 'query': \"select 'a'\", 'usec': 10}\n{'sessionid': '1', 'clk': 70962125, 'thread': 10, 'phase': 'mal_engine', 'pc': 1, 'tag': 5, 'module': 'a', 'function': 'b', 'usec': 10, 'args': [{'arg': 0, 'var': 'X_1', 'value': 'it\\'s'}]}\n{'a': \n",
        &[
    "Async statements",
    "- select 'a' 0..30, \"select 'a'\"",
    "-- text_to_sql 0..10",
    "Thread thread 10",
    "- a.b 20..30, pc=1, \"a.b(X_1)\"",
    "1 x broken record",
        ],
    ),
    (
        "[1,\t100,\t10,\ttext_to_sql,\t82,\t5,\tselect 1\n;,\t10]\n[1,\t110,\t10,\tmal_opt,\t5,\t8]\n[1,\t130,\t7,\tmal_engine,\t3,\t5,\tsql,\tmvc,\t1,\t[{'ret': 0, 'var': 'X_4', 'type': 'int'}]]\n[1,\t140,\t7,\tmal_engine,\t4,\t5,\tbarrier,\t:=,\t2]\n[1,\t150,\t10,\ttrans_commit,\t1,\t2,\t5,\t4]\n[160,\t7,\t6,\t5,\t4,\tX_5 := a.b(X_4);]\n[1,\t170,\t7,",
        &[
    "Async statements",
    "- select 1 0..70, \"select 1\"",
    "-- text_to_sql 0..10",
    "-- mal_opt 12..20",
    "-- trans_commit 56..60",
    "Thread thread 7",
    "- sql.mvc 39..40, pc=3, \"X_4 := sql.mvc()\"",
    "- barrier 48..50, pc=4, \"barrier\"",
    "- a.b 66..70, pc=6, \"X_5 := a.b(X_4)\"",
    "sql.mvc -> a.b: X_4",
    "1 x cut off",
        ],
    ),
];

#[test]
fn every_rule_has_its_picture() {
    for (text, expected) in CASES {
        check(text, expected);
    }
}
