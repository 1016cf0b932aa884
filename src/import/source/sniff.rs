//! Describes a file that no format recognises, so that users learn why nothing is shown.

use crate::base::text::shortened;
use crate::import::contract::Head;
use crate::import::json;
use crate::import::packing::tar;
use crate::protocol::EMPTY_FILE;

/// First bytes of files that people drop by mistake, with a description.
const KNOWN: [(&str, &str); 24] = [
    ("\u{89}PNG", "a PNG image"),
    ("GIF8", "a GIF image"),
    ("%PDF", "a PDF document"),
    ("\u{7F}ELF", "a program"),
    ("MZ", "a Windows program"),
    ("SQLite format 3", "an SQLite database"),
    ("<!DOCTYPE html", "an HTML page"),
    ("<!doctype html", "an HTML page"),
    ("<html", "an HTML page"),
    ("<?xml", "an XML document"),
    ("PK\u{3}\u{4}", "a zip archive inside an archive: unpack the outer one first"),
    ("\u{1F}\u{8B}", "data that was compressed twice: unpack it once first"),
    ("\u{28}\u{B5}\u{2F}\u{FD}", "data that was compressed twice: unpack it once first"),
    ("BZh", "data that was compressed twice: unpack it once first"),
    ("PERFILE2", "a recording of Linux perf (perf.data)"),
    ("FLR\u{0}", "a recording of Java Flight Recorder (.jfr)"),
    ("\u{10}\u{0}\u{4}FxT\u{16}\u{0}", "a trace of Fuchsia (.fxt)"),
    ("Nettrace", "a trace of .NET (.nettrace)"),
    ("\u{C1}\u{1F}\u{FC}\u{C1}", "a trace in the Common Trace Format (CTF)"),
    ("# tracer: ", "a text trace of Linux ftrace (systrace)"),
    ("JAVA PROFILE", "a heap dump of Java (.hprof)"),
    ("7z\u{BC}\u{AF}", "a 7-Zip archive: unpack it first"),
    ("Rar!", "a RAR archive: unpack it first"),
    ("\u{FD}7zXZ", "an xz archive: unpack it first"),
];

/// Traces and profiles of formats that are not supported: keys that the first object has, a text that occurs early
/// enough to be found in large files, and a description. A file is recognised if it has the keys and the text.
const OTHERS: [(&[&str], &str, &str); 18] = [
    (&["nodes"], r#""callFrame""#, "a CPU profile of V8 (.cpuprofile)"),
    (&["head"], r#""selfSize""#, "a heap profile of V8 (.heapprofile)"),
    (
        &["snapshot"],
        r#""node_fields""#,
        "a heap snapshot or allocation timeline of V8 (.heapsnapshot, .heaptimeline)",
    ),
    (&["resourceSpans"], "", "spans of OpenTelemetry (OTLP)"),
    (&["resourceMetrics"], "", "metrics of OpenTelemetry (OTLP)"),
    (&["resourceLogs"], "", "logs of OpenTelemetry (OTLP)"),
    (&["projectId", "traceId", "spans"], "", "a trace of Google Cloud Trace"),
    (&["shared", "profiles"], "", "a profile of speedscope"),
    (&[], "speedscope.app/file-format-schema", "a profile of speedscope"),
    (&["meta", "threads"], "", "a profile of Firefox Profiler"),
    (&["meta"], r#""preprocessedProfileVersion""#, "a profile of Firefox Profiler"),
    (&["traceID", "spans"], "", "a Jaeger trace"),
    (&["data"], r#""traceID""#, "a Jaeger trace"),
    (&["traceId", "localEndpoint"], "", "spans of Zipkin"),
    (&["traceId", "id", "duration"], "", "spans of Zipkin"),
    (&["log"], r#""creator""#, "requests of a browser (HAR)"),
    (&["event_kinds", "trace_event_count"], "", "a summary of a trace of TopoExec"),
    (&["Plan"], "", "a query plan (EXPLAIN)"),
];

/// Maximum number of JSON keys that the description of an unrecognised file lists.
const SHOWN: usize = 8;

/// Describes a file that no format recognises, in a sentence. `bytes` are its first bytes before decoding.
pub fn describe(bytes: &[u8], head: &Head) -> String {
    if head.complete && head.text.trim().is_empty() {
        return if bytes.is_empty() { EMPTY_FILE } else { "Only white space." }.to_owned();
    }
    // In the table, a byte above 127 is the character with the same number.
    let starts = |magic: &str| {
        magic.chars().enumerate().all(|(at, c)| bytes.get(at).is_some_and(|&b| u32::from(b) == u32::from(c)))
    };
    if let Some((_, name)) = KNOWN.iter().find(|(magic, _)| starts(magic)) {
        return format!("Looks like {name}.");
    }
    if tar::is_tar(head.text.as_bytes()) {
        return "Looks like a tar archive inside an archive: unpack the outer one first.".to_owned();
    }
    let odd = |c: &char| *c == '\u{FFFD}' || (c.is_control() && !c.is_whitespace());
    let sample = head.text.chars().take(4096);
    if sample.clone().filter(odd).count() * 10 > sample.count() {
        // The first field of most Protocol Buffers messages is a string or a message, often with number 1.
        return match bytes.first() {
            Some(b'\n') => {
                "Binary data, perhaps a trace of Perfetto or a profile of pprof (Protocol Buffers)."
            }
            _ => "Binary data.",
        }
        .to_owned();
    }
    match head.text.trim_start().as_bytes() {
        [b'{', ..] | [b'[', ..] => describe_json(head.text),
        _ => describe_text(head.text),
    }
}

fn describe_text(text: &str) -> String {
    if let Some(what) = without_events(text) {
        return format!("{what} Record with stethoscope instead.");
    }
    if text.trim_start().starts_with("digraph events") {
        return "A graph of MySQL's sys.ps_trace_thread without a readable event. Export the event tables \
             instead: `queryscope recipe mysql`."
            .to_owned();
    }
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    format!("Text without a record of a known format; it begins “{}”.", shortened(line, 60))
}

/// Describes a file that contains no events: one that MonetDB's tomograph writes next to each page, or that mclient
/// writes next to a result. `None` for any other file.
fn without_events(text: &str) -> Option<&'static str> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    let is_number = |cell: &str| cell.parse::<f64>().is_ok_and(f64::is_finite);
    // Columns: clk, rss and tmpspace in GB, inblock, oublock, majflt, nswap, csw.
    let is_counters = |line: &str| {
        let cells: Vec<&str> = line.split_ascii_whitespace().collect();
        cells.len() == 8
            && cells.iter().all(|cell| is_number(cell))
            && cells[1].contains('.')
            && cells[2].contains('.')
    };
    let first = lines.next()?;
    if first == "}" && lines.all(|line| line == "}") {
        // The releases of 2018 and 2019 write only the last line of every event.
        return Some(
            "A trace file of tomograph without events: this release writes only the last line of each event.",
        );
    }
    if first.starts_with("set terminal") && text.contains("\nset ylabel \"worker threads\"") {
        return Some("A page drawn by MonetDB's tomograph, without statements and instructions.");
    }
    if first.starts_with("-- page ") && first.contains(':') {
        return Some("The page list of MonetDB's tomograph: statements without times.");
    }
    if text.lines().any(|line| line.starts_with("sql:") && line.contains(" opt:") && line.contains(" run:")) {
        return Some("The timing line of MonetDB's mclient, without instructions.");
    }
    // The last line may be cut off.
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    (is_counters(first) && whole.lines().all(is_counters))
        .then_some("The counters of a page of MonetDB's tomograph, without instructions.")
}

fn describe_json(text: &str) -> String {
    let Some(start) = text.find('{') else {
        return "Looks like JSON, but holds no record of a known format.".to_owned();
    };
    let mut keys = json::keys(&text[start..]);
    let has = |name: &&str| keys.iter().any(|key| key == name);
    let is_it = |(known, inside, _): &&(&[&str], &str, &str)| known.iter().all(has) && text.contains(inside);
    if let Some((.., name)) = OTHERS.iter().find(is_it) {
        return format!("Recognised, but not supported: {name}.");
    }
    if keys.is_empty() {
        return "JSON, but its first object is empty.".to_owned();
    }
    if keys.len() > SHOWN {
        keys.truncate(SHOWN);
        keys.push("…".to_owned());
    }
    format!("JSON, but of no known format: its keys are {}.", keys.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cases: &[(&[u8], &str)]) {
        for (bytes, expected) in cases {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(describe(bytes, &Head { text: &text, complete: true }), *expected);
        }
    }

    #[test]
    fn every_file_is_named_for_what_it_is() {
        let cases: [(&[u8], &str); 15] = [
            (
                b"43844334.7\nsql:0.066 opt:0.481 run:4.251 ms\nclk:5.528 ms\n",
                "The timing line of MonetDB's mclient, without instructions. \
                 Record with stethoscope instead.",
            ),
            (
                b"set terminal pdfcairo\nset size 1,1\nset ylabel \"worker threads\"\n",
                "A page drawn by MonetDB's tomograph, without statements and instructions. \
                 Record with stethoscope instead.",
            ),
            (
                b"-- page 0 :select 1;\n",
                "The page list of MonetDB's tomograph: statements without times. Record with stethoscope instead.",
            ),
            (
                b"41000000 0.083008 0.000000 0 0 0 0 0\n338000000 0.083008 0.000000 0 0 0 0 0\n33",
                "The counters of a page of MonetDB's tomograph, without instructions. Record with stethoscope instead.",
            ),
            (
                b"digraph events { rankdir=LR; nodesep=0.10;\n// Stack created .....: 2026-11-21\n",
                "A graph of MySQL's sys.ps_trace_thread without a readable event. Export the event tables instead: `queryscope recipe mysql`.",
            ),
            (
                b"}\n}\n",
                "A trace file of tomograph without events: this release writes only the last line of each event. \
                 Record with stethoscope instead.",
            ),
            (b"", "Empty."),
            (b" \n", "Only white space."),
            (b"\x89PNG\r\n\x1a\n", "Looks like a PNG image."),
            (b"\x00\x01\x02\x03\xFF\xFE", "Binary data."),
            (
                b"\n hello \nworld\n",
                "Text without a record of a known format; it begins \u{201C}hello\u{201D}.",
            ),
            (b"PERFILE2\x68\0\0\0", "Looks like a recording of Linux perf (perf.data)."),
            (b"\x1F\x8B\x08\0", "Looks like data that was compressed twice: unpack it once first."),
            (
                b"\n\x0C\x08\x01\x10\x02\0\0\0\0",
                "Binary data, perhaps a trace of Perfetto or a profile of pprof (Protocol Buffers).",
            ),
            (b"# tracer: nop\n#\n", "Looks like a text trace of Linux ftrace (systrace)."),
        ];
        check(&cases);
    }

    #[test]
    fn json_is_named_by_its_keys() {
        let cases: [(&[u8], &str); 9] = [
            (br#"[{"a":1,"b":{"c":2}}]"#, "JSON, but of no known format: its keys are a, b."),
            (
                br#"{"nodes":[{"id":1,"callFrame":{}}],"startTime":1,"endTime":2,"samples":[],"timeDeltas":[]}"#,
                "Recognised, but not supported: a CPU profile of V8 (.cpuprofile).",
            ),
            (
                br#"{"snapshot":{"meta":{"node_fields":["type"]},"trace_function_count":3}}"#,
                "Recognised, but not supported: a heap snapshot or allocation timeline of V8 (.heapsnapshot, .heaptimeline).",
            ),
            (
                br#"{"resourceSpans":[{"resource":{}}]}"#,
                "Recognised, but not supported: spans of OpenTelemetry (OTLP).",
            ),
            (
                br#"{"$schema":"https://www.speedscope.app/file-format-schema.json","shared":{"frames":[{"name":"a""#,
                "Recognised, but not supported: a profile of speedscope.",
            ),
            (
                br#"{"data":[{"traceID":"1","spans":[{"operationName":"a"}"#,
                "Recognised, but not supported: a Jaeger trace.",
            ),
            (br#"{"log":{"version":"1.2","creator":{}}}"#, "Recognised, but not supported: requests of a browser (HAR)."),
            (b"[1, 2]", "Looks like JSON, but holds no record of a known format."),
            (b"{}", "JSON, but its first object is empty."),
        ];
        check(&cases);
    }
}
