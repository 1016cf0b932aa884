//! Traces of which one dimension may be as large as one likes: processes, names, broken rows, files of an archive, …

/// A dimension that nothing bounds.
pub struct Case {
    /// The format, and of what there are many.
    pub name: &'static str,
    /// Files in which there are so many.
    pub files: fn(u32) -> Vec<Vec<u8>>,
}

const fn case(name: &'static str, files: fn(u32) -> Vec<Vec<u8>>) -> Case {
    Case { name, files }
}

/// All of them.
pub const CASES: &[Case] = &[
    case("Chrome: slices", |n| chrome(n, |i| slice(1, 1, i, "work", ""))),
    case("Chrome: processes", |n| chrome(n, |i| slice(i, 1, i, "work", ""))),
    case("Chrome: threads", |n| chrome(n, |i| slice(1, i, i, "work", ""))),
    case("Chrome: names", |n| chrome(n, |i| slice(1, 1, i, &format!("name {i}"), ""))),
    case("Chrome: argument keys", |n| chrome(n, |i| slice(1, 1, i, "work", &format!("\"key{i}\":{i}")))),
    case("Chrome: argument texts", |n| {
        chrome(n, |i| slice(1, 1, i, "work", &format!("\"key\":\"text {i}\"")))
    }),
    case("Chrome: arguments of one slice", |n| {
        let list: Vec<String> = (0..n).map(|i| format!("\"key{i}\":{i}")).collect();
        chrome(1, move |_| slice(1, 1, 1, "work", &list.join(",")))
    }),
    case("Chrome: depth of arguments", |n| {
        let n = n as usize;
        chrome(1, move |_| {
            slice(1, 1, 1, "work", &format!("\"a\":{}1{}", "{\"a\":".repeat(n), "}".repeat(n)))
        })
    }),
    case("Chrome: counters", |n| {
        chrome(n, |i| event("C", i, &format!("\"name\":\"counter {i}\",\"args\":{{\"value\":{i}}}")))
    }),
    case("Chrome: values of a counter", |n| {
        chrome(n, |i| event("C", i, &format!("\"name\":\"counter\",\"args\":{{\"value\":{i}}}")))
    }),
    case("Chrome: series of a counter", |n| {
        chrome(n, |i| event("C", i, &format!("\"name\":\"counter\",\"args\":{{\"value{i}\":{i}}}")))
    }),
    case("Chrome: asynchronous ids", |n| {
        let pair = |i| {
            let of = format!("\"name\":\"a\",\"cat\":\"c\",\"id\":{i}");
            event("b", i, &of) + ",\n" + &event("e", i + 5, &of)
        };
        chrome(n, pair)
    }),
    case("Chrome: asynchronous spans that overlap", |n| {
        chrome(n, move |i| {
            let of = format!("\"name\":\"a\",\"cat\":\"c\",\"id\":{i}");
            event("b", i, &of) + ",\n" + &event("e", i + n, &of)
        })
    }),
    case("Chrome: flows", |n| {
        chrome(n, |i| {
            let of = format!("\"name\":\"f\",\"cat\":\"c\",\"id\":{i}");
            let (from, to) = (slice(1, 1, i, "work", ""), slice(1, 2, i + 2, "work", ""));
            let ends = format!(
                "{},\n{}",
                event("s", i, &of),
                event("f", i + 2, &of).replace("\"tid\":1", "\"tid\":2")
            );
            format!("{from},\n{to},\n{ends}")
        })
    }),
    case("Chrome: depth of spans", |n| {
        chrome(2 * n, move |i| event(if i < n { "B" } else { "E" }, i, "\"name\":\"work\""))
    }),
    case("Chrome: slices that overlap", |n| {
        let slice = |i, n| format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{i},"dur":{n},"name":"work"}}"#);
        chrome(n, move |i| slice(i, n))
    }),
    case("Chrome: beginnings without an end", |n| chrome(n, |i| event("B", i, "\"name\":\"work\""))),
    case("Chrome: ends without a beginning", |n| chrome(n, |i| event("E", i, "\"name\":\"work\""))),
    case("Chrome: instants", |n| chrome(n, |i| event("i", i, "\"name\":\"now\",\"s\":\"t\""))),
    case("Chrome: names of threads", |n| {
        chrome(n, |i| {
            let named =
                format!(r#"{{"ph":"M","pid":1,"tid":{i},"name":"thread_name","args":{{"name":"t{i}"}}}}"#);
            named + ",\n" + &slice(1, i, i, "work", "")
        })
    }),
    case("Chrome: broken records", |n| {
        chrome(n, |i| format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":,"dur":{i}}}"#))
    }),
    case("Chrome: text between records", |n| chrome(n, |i| slice(1, 1, i, "work", "") + " what? ")),
    case("Kubling: queries", |n| kubling(n, |i| query("r", i, ""))),
    case("Kubling: runs", |n| kubling(n, |i| query(&format!("r{i}"), i, ""))),
    case("Kubling: statements", |n| {
        kubling(n, |i| query("r", i, &format!("SELECT a{i} FROM b{i} WHERE c = {i}")))
    }),
    case("Kubling: sources of a query", |n| {
        kubling(n + 1, |i| match i {
            0 => record("r", "q", 0, "QUERY_START", ""),
            _ => {
                let of = format!(r#","connectorName":"c","tupleSourceId":"t{i}""#);
                record("r", "q", i, "SOURCE_START", &of) + "\n" + &record("r", "q", i + 3, "SOURCE_END", &of)
            }
        })
    }),
    case("Kubling: connectors", |n| {
        kubling(n, |i| {
            let of = format!(r#","connectorName":"c{i}","tupleSourceId":"t{i}""#);
            record("r", "q", i, "SOURCE_START", &of) + "\n" + &record("r", "q", i + 3, "SOURCE_END", &of)
        })
    }),
    case("Kubling: buffer events", |n| {
        kubling(n, |i| {
            record("r", "q", i, "BUFFER_EVENT", r#","bufferEventType":"SPILL","bytes":1,"elements":2"#)
        })
    }),
    case("Kubling: queries that do not end", |n| {
        kubling(n, |i| record("r", &format!("q{i}"), i, "QUERY_START", ""))
    }),
    case("Kubling: broken records", |n| {
        kubling(n, |i| query("r", i, "").replace("QUERY_END\"", "QUERY_END"))
    }),
    case("Kubling: records of an unknown type", |n| {
        kubling(n, |i| record("r", "q", i, &format!("T{i}"), ""))
    }),
    case("Kubling: lines of a log", |n| {
        let event = record("r", "q", 1, "QUERY_START", "");
        let lines = (0..n).map(|i| format!("12:00:00 INFO line {i}\n")).collect::<String>();
        vec![format!("12:00:00 INFO {event}\n{lines}").into_bytes()]
    }),
    case("MonetDB: statements", |n| monetdb(n, |i| instruction(1, 1, i))),
    case("MonetDB: threads", |n| monetdb(n, |i| instruction(1, i, i))),
    case("MonetDB: queries", |n| monetdb(n, |i| instruction(i, 1, i))),
    case("MonetDB: broken records", |n| monetdb(n, |i| instruction(1, 1, i).replace("\"pc\":", "\"pc\""))),
    case("MySQL: rows", |n| mysql(n, |i| wait(1, i, "wait/io/file/a"))),
    case("MySQL: threads", |n| mysql(n, |i| wait(i, i, "wait/io/file/a"))),
    case("MySQL: names of events", |n| mysql(n, |i| wait(1, i, &format!("wait/io/file/a{i}")))),
    case("MySQL: rows of a wrong length", |n| mysql(n, |i| wait(1, i, "wait/io/file/a") + "\tNULL")),
    case("MySQL: columns of a table", |n| {
        let more = |text: &str| (0..n).map(|i| format!("\t{text}{i}")).collect::<String>();
        let rows = (1..4).map(|i| wait(1, i, "wait/io/file/a") + &more("value ") + "\n").collect::<String>();
        vec![format!("{}{}\n{rows}", WAITS.trim_end(), more("COLUMN_")).into_bytes()]
    }),
    case("MySQL: tables of a dump", |n| {
        let table =
            |i| format!("CREATE TABLE `setup_{i}` (\n `A` int\n);\nINSERT INTO `setup_{i}` VALUES ({i});\n");
        let tables = (0..n).map(table).collect::<String>();
        let first = "CREATE TABLE `setup_consumers` (\n `NAME` varchar(64),\n `ENABLED` int\n);\n";
        vec![format!("-- MySQL dump 10.13\n--\n{first}{tables}").into_bytes()]
    }),
    case("MySQL: rows of a box that never end", |n| {
        let (line, names) = ("+----+----+\n", "| THREAD_ID | EVENT_ID |\n");
        let rows = (0..n).map(|i| format!("| {i} and more\n")).collect::<String>();
        vec![format!("{line}{names}{line}{rows}").into_bytes()]
    }),
    case("files", |n| (0..n).map(|i| query("r", i, "").into_bytes()).collect()),
    case("files that are no trace", |n| (0..n).map(|i| format!("Dear reader {i}").into_bytes()).collect()),
    case("files with a problem", |n| {
        (0..n).map(|i| (query("r", i, "") + "{\"runId\":").into_bytes()).collect()
    }),
    case("files of a tar archive", |n| vec![tar(n, |i| query("r", i, "").into_bytes())]),
    case("damaged files of a tar archive", |n| {
        vec![tar(n, |_| b"\x1f\x8b\x08\0\0\0\0\0\0\0damage".to_vec())]
    }),
    case("files of a zip archive", |n| vec![zip(n, |i| query("r", i, "").into_bytes(), true)]),
    case("files of a zip archive without a table", |n| {
        vec![zip(n, |i| query("r", i, "").into_bytes(), false)]
    }),
    case("files of a zip archive that overlap", |n| {
        let (entry, mut record) = zip_entry("a", b"text");
        record[42..46].fill(0);
        vec![
            [entry.clone(), record.repeat(n as usize), zip_end(n, entry.len(), record.len() * n as usize)]
                .concat(),
        ]
    }),
    case("members of a gzip file", |n| {
        let member = gzip_member(b"");
        vec![member.repeat(n as usize)]
    }),
];

fn chrome(n: u32, record: impl Fn(u32) -> String) -> Vec<Vec<u8>> {
    let events: Vec<String> = (0..n).map(record).collect();
    let first = slice(1, 1, 0, "first", "");
    vec![format!("[\n{first},\n{}\n]\n", events.join(",\n")).into_bytes()]
}

fn event(phase: &str, time: u32, rest: &str) -> String {
    format!(r#"{{"ph":"{phase}","pid":1,"tid":1,"ts":{time},{rest}}}"#)
}

fn slice(process: u32, thread: u32, time: u32, name: &str, args: &str) -> String {
    let at = 10 * time;
    format!(
        r#"{{"ph":"X","pid":{process},"tid":{thread},"ts":{at},"dur":5,"name":"{name}","args":{{{args}}}}}"#
    )
}

fn kubling(n: u32, record: impl Fn(u32) -> String) -> Vec<Vec<u8>> {
    vec![(0..n).map(|i| record(i) + "\n").collect::<String>().into_bytes()]
}

fn record(run: &str, query: &str, time: u32, kind: &str, rest: &str) -> String {
    format!(
        r#"{{"runId":"{run}","queryId":"{query}","vdbName":"v","vdbVersion":"1","timestamp":{time},"type":"{kind}"{rest}}}"#
    )
}

fn query(run: &str, number: u32, sql: &str) -> String {
    let (name, at) = (format!("q{number}"), 10 * number);
    let start = record(run, &name, at, "QUERY_START", &format!(",\"sql\":\"{sql}\""));
    start + "\n" + &record(run, &name, at + 5, "QUERY_END", ",\"success\":true")
}

fn monetdb(n: u32, record: impl Fn(u32) -> String) -> Vec<Vec<u8>> {
    vec![(0..n).map(|i| record(i) + "\n").collect::<String>().into_bytes()]
}

fn instruction(tag: u32, thread: u32, number: u32) -> String {
    let of = |state: &str, clock: u32| {
        format!(
            r#"{{"version":"11.39.17", "source":"trace", "clk":{clock}, "ctime":{clock}, "thread":{thread}, "function":"user.main", "pc":{number}, "tag":{tag}, "module":"algebra", "instruction":"select", "session":"s", "state":"{state}", "usec":5, "stmt":"X_{number} := algebra.select();"}}"#
        )
    };
    format!("{}\n{}", of("start", 1_000 + 10 * number), of("done", 1_005 + 10 * number))
}

const WAITS: &str = "THREAD_ID\tEVENT_ID\tEND_EVENT_ID\tEVENT_NAME\tSOURCE\tTIMER_START\tTIMER_END\tTIMER_WAIT\tSPINS\tOBJECT_SCHEMA\tOBJECT_NAME\tINDEX_NAME\tOBJECT_TYPE\tOBJECT_INSTANCE_BEGIN\tNESTING_EVENT_ID\tNESTING_EVENT_TYPE\tOPERATION\tNUMBER_OF_BYTES\tFLAGS\n";

fn mysql(n: u32, row: impl Fn(u32) -> String) -> Vec<Vec<u8>> {
    vec![(WAITS.to_owned() + &(0..n).map(|i| row(i) + "\n").collect::<String>()).into_bytes()]
}

fn wait(thread: u32, number: u32, name: &str) -> String {
    let (from, to) = (10_000 * u64::from(number), 10_000 * u64::from(number) + 5_000);
    format!(
        "{thread}\t{number}\t{number}\t{name}\tfile.cc:1\t{from}\t{to}\t5000\tNULL\tNULL\tNULL\tNULL\tNULL\t1\tNULL\tNULL\tread\tNULL\tNULL"
    )
}

fn tar(n: u32, content: impl Fn(u32) -> Vec<u8>) -> Vec<u8> {
    let mut archive = Vec::new();
    for i in 0..n {
        let (bytes, mut header) = (content(i), [0_u8; 512]);
        let mut put = |at: usize, text: &str| header[at..at + text.len()].copy_from_slice(text.as_bytes());
        put(0, &format!("entry{i}.json"));
        put(124, &format!("{:011o}", bytes.len()));
        put(148, "        ");
        put(156, "0");
        put(257, "ustar\x0000");
        let sum: u32 = header.iter().map(|&byte| u32::from(byte)).sum();
        header[148..155].copy_from_slice(format!("{sum:06o}\0").as_bytes());
        archive.extend(header);
        archive.extend(&bytes);
        archive.resize(archive.len().next_multiple_of(512), 0);
    }
    archive.resize(archive.len() + 1024, 0);
    archive
}

/// The sum of CRC-32, bit by bit.
fn sum(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| (sum >> 1) ^ (0xEDB8_8320 & (sum & 1).wrapping_neg());
    !bytes.iter().fold(!0, |sum, &byte| (0..8).fold(sum ^ u32::from(byte), step))
}

/// An entry that is stored as it is, and its record in the table of contents, for the start of the archive.
fn zip_entry(name: &str, bytes: &[u8]) -> (Vec<u8>, Vec<u8>) {
    let (sum, length) = (sum(bytes).to_le_bytes(), (bytes.len() as u32).to_le_bytes());
    let shared =
        [&[20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0x28][..], &sum, &length, &length, &[name.len() as u8, 0, 0, 0]];
    let shared = shared.concat();
    let entry = [b"PK\x03\x04", &shared[..], name.as_bytes(), bytes].concat();
    let record = [b"PK\x01\x02\x14\x00", &shared[..], &[0; 14], name.as_bytes()].concat();
    (entry, record)
}

fn zip_end(n: u32, start: usize, length: usize) -> Vec<u8> {
    let n = (n as u16).to_le_bytes();
    let (start, length) = ((start as u32).to_le_bytes(), (length as u32).to_le_bytes());
    [&b"PK\x05\x06\0\0\0\0"[..], &n, &n, &length, &start, &[0, 0]].concat()
}

fn zip(n: u32, content: impl Fn(u32) -> Vec<u8>, has_table: bool) -> Vec<u8> {
    let (mut archive, mut table) = (Vec::new(), Vec::new());
    for i in 0..n {
        let (entry, mut record) = zip_entry(&format!("entry{i}.json"), &content(i));
        record[42..46].copy_from_slice(&(archive.len() as u32).to_le_bytes());
        archive.extend(entry);
        table.extend(record);
    }
    let end = zip_end(n, archive.len(), table.len());
    if has_table {
        archive.extend(table);
        archive.extend(end);
    }
    archive
}

fn gzip_member(text: &[u8]) -> Vec<u8> {
    let length = text.len() as u16;
    let mut bytes = vec![0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 255, 1];
    bytes.extend(length.to_le_bytes().into_iter().chain((!length).to_le_bytes()));
    bytes.extend(text);
    bytes.extend(sum(text).to_le_bytes());
    bytes.extend((text.len() as u32).to_le_bytes());
    bytes
}
