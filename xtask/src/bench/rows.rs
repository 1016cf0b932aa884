//! The measurements as table rows for people.

use super::load::Load;
use super::pivot::Answer;
use super::rivals::{Opened, Rivals};
use super::sharing::Sharing;
use super::sql::{Convert, MEMORY_LIMIT, Read, Sql};
use super::table::{Bound, Relation, Row, Section, Table};
use super::tenfold::Tenfold;
use super::window::Window;
use super::{Other, Results, Trace, answers};
use crate::weight::{BAR, Weight};

/// Every measurement with its bounds.
pub fn table(r: &Results, machine: String) -> Table {
    let mut sections = vec![loading(&r.load, &r.trace, r.native_ms), frames(r)];
    sections.extend(r.tenfold.as_ref().map(|tenfold| large(tenfold, r.load.ready_ms)));
    sections.push(of_answers(&r.answers, r.trace.events));
    let many = r.tenfold.as_ref();
    sections.extend(many.map(|many| answers(&many.answers, many.events, "answer-tenfold", 2000.0)));
    sections.push(pivot(&r.pivot, &format!("{} events", thousands(r.trace.events)), "pivot"));
    sections.push(download(r));
    sections.push(sharing(&r.sharing));
    sections.push(rivals(&r.rivals));
    sections.extend(r.others.iter().enumerate().map(|(at, other)| {
        let mut section = Section { title: other.what.to_owned() + &size(&other.trace), rows: vec![] };
        section.rows.push(compared(other, at));
        section.rows.extend(r.wait_bytes.filter(|_| at == 0).map(wait_memory));
        section
    }));
    sections.push(pivot(&r.waits_pivot, &format!("{} waits of MySQL", thousands(r.trace.events)), "waits"));
    let browser = r.chromium.clone();
    Table { machine, browser, steal: r.stolen.map(|share| (share * 100.0).round()), sections }
}

fn row(id: &str, what: &str, measured: String) -> Row {
    Row { id: id.to_owned(), what: what.to_owned(), measured, bounds: Vec::new() }
}

impl Row {
    fn bound(mut self, bound: Bound) -> Self {
        self.bounds.push(bound);
        self
    }

    fn at_most(self, value: f64, decimals: i32, limit: f64, unit: &str) -> Self {
        self.bound(Bound::new((value, decimals), Relation::AtMost, limit, unit))
    }
}

fn loading(load: &Load, trace: &Trace, native_ms: f64) -> Section {
    let bytes = trace.bytes as f64;
    let (parse, read) = (load.drawn_ms / load.parse_ms, load.drawn_ms / load.read_ms);
    let mut rows = vec![
        row("load", "from drop to complete timeline", ms(load.drawn_ms)),
        row("parse", "reading, decoding and `JSON.parse` of the same file, nothing else", ms(load.parse_ms)),
        row("load-parse", "complete timeline compared with `JSON.parse`", format!("{parse:.2} ×"))
            .at_most(parse, 2, 0.5, "×"),
        row("read", "reading the same file in slices, nothing else", ms(load.read_ms)),
        row("load-read", "complete timeline compared with reading", format!("{read:.2} ×"))
            .at_most(read, 2, 2.0, "×"),
    ];
    if load.first_picture_ms.is_finite() {
        rows.push(row("first-picture", "from drop to the first timeline", ms(load.first_picture_ms)));
    }
    if let Some(memory) = load.memory {
        let times = memory.peak as f64 / bytes;
        let measured = format!("{} = {times:.2} × the file", mb(memory.peak));
        let bound = Bound::new((times, 2), Relation::Below, 2.0, "× the file");
        rows.push(row("memory", "peak memory", measured).bound(bound));
    }
    if let Some(empty) = load.empty {
        rows.push(row("memory-empty", "memory of the empty page", mb(empty.resident)));
    }
    let rate = bytes / 1e6 / (native_ms / 1e3);
    let native = format!("{} = {rate:.0} MB/s", ms(native_ms));
    let bound = Bound::new((rate, 0), Relation::AtLeast, 400.0, "MB/s");
    rows.push(row("native", "`queryscope report` in a terminal", native).bound(bound));
    Section { title: format!("Kubling trace{}", size(trace)), rows }
}

fn frames(r: &Results) -> Section {
    let large = r.tenfold.as_ref().map(|tenfold| &tenfold.frames);
    let mut rows = Vec::new();
    for (at, f) in r.frames.iter().chain(large).enumerate() {
        let id = if large.is_some_and(|large| std::ptr::eq(large, f)) {
            String::from("tenfold")
        } else {
            at.to_string()
        };
        let events = thousands(f.events);
        let times = format!("{}, {}", ms1(f.median_ms), ms1(f.p95_ms));
        rows.push(
            row(&format!("frame-{id}"), &format!("{events} events, frame time: median, p95"), times)
                .bound(Bound::new((f.median_ms, 1), Relation::AtMost, 16.7, "ms").of("median"))
                .bound(Bound::new((f.p95_ms, 1), Relation::Below, 33.3, "ms").of("p95")),
        );
        let all = f.process_ms.map_or(String::new(), |v| format!(", {}", ms1(v)));
        let what = format!("{events} events, CPU time per frame: main thread, all threads");
        rows.push(row(&format!("work-{id}"), &what, format!("{}{all}", ms1(f.main_ms))));
    }
    if let (Some(most), Some(least)) = (large, r.frames.first()) {
        let times = most.main_ms / least.main_ms;
        let (most, least) = (thousands(most.events), thousands(least.events));
        let what = format!("main thread's CPU time at {most} events compared with {least}");
        rows.push(row("work-growth", &what, format!("{times:.2} ×")).at_most(times, 2, 1.3, "×"));
    }
    Section { title: String::from("Panning and zooming"), rows }
}

fn large(t: &Tenfold, ready_ms: f64) -> Section {
    let times = t.ready_ms / ready_ms;
    let measured = format!("{} = {times:.1} × the time for a tenth of the events", ms(t.ready_ms));
    let mut rows = vec![
        row("tenfold", "from drop until everything is correlated", measured).at_most(times, 1, 11.0, "×"),
        row("tenfold-first", "from drop until something is shown", ms(t.first_ms))
            .at_most(t.first_ms, 0, 700.0, "ms"),
        row("tenfold-block", "longest task of the main thread meanwhile", ms(t.block_ms))
            .at_most(t.block_ms, 0, 50.0, "ms"),
        row("tenfold-cancel", "from “Cancel” until reading has stopped", ms(t.cancel_ms)).at_most(
            t.cancel_ms,
            0,
            100.0,
            "ms",
        ),
    ];
    if let Some((memory, empty)) = t.memory.zip(t.empty) {
        let each = memory.resident.saturating_sub(empty.resident) as f64 / t.events as f64;
        let value = format!("{} = {each:.0} bytes per event above the empty page", mb(memory.resident));
        rows.push(row("tenfold-memory", "memory once loaded", value).at_most(each, 0, 80.0, "bytes"));
    }
    let size = format!(" of {} events ({})", thousands(t.events), mb(t.bytes));
    Section { title: format!("Kubling trace{size}"), rows }
}

/// The answers about the large trace.
pub fn of_answers(answers: &[answers::Answer], events: u64) -> Section {
    self::answers(answers, events, "answer", 200.0)
}

fn answers(answers: &[answers::Answer], events: u64, id: &str, limit: f64) -> Section {
    let one = |(at, answer): (usize, &answers::Answer)| {
        row(&format!("{id}-{at}"), answer.what, ms(answer.ms)).at_most(answer.ms, 0, limit, "ms")
    };
    let rows = answers.iter().enumerate().map(one).collect();
    Section {
        title: format!("From a click to the first row of its answer, for {} events", thousands(events)),
        rows,
    }
}

fn pivot(answers: &[Answer], points: &str, id: &str) -> Section {
    let one = |(at, answer): (usize, &Answer)| {
        let limit = if answer.is_roll_up { 50.0 } else { 200.0 };
        row(&format!("{id}-{at}"), answer.what, ms(answer.ms)).at_most(answer.ms, 0, limit, "ms")
    };
    let rows = answers.iter().enumerate().map(one).collect();
    Section { title: format!("Pivot table of {points}"), rows }
}

fn download(r: &Results) -> Section {
    let compressed = |w: Weight| format!("{} ({})", kb(w.brotli), kb(w.gzip));
    let bar = BAR as f64 / 1e3;
    let first = Bound::new((r.first.weight.brotli as f64 / 1e3, 1), Relation::Below, bar, "kB");
    let usable = Bound::new((r.first.interactive_ms, 0), Relation::Below, 1000.0, "ms");
    let rows = vec![
        row("first-load", "the page, compressed by brotli (by gzip)", compressed(r.first.weight))
            .bound(first.of("brotli")),
        row("engine", "the engine, downloaded after it, by brotli (by gzip)", compressed(r.first.engine)),
        row("usable", "from the start until the page can be used", ms(r.first.interactive_ms)).bound(usable),
    ];
    Section { title: String::from("First visit"), rows }
}

fn sharing(s: &Sharing) -> Section {
    let below = |value: f64, limit: f64| Bound::new((value, 0), Relation::AtMost, limit, "ms");
    let overhead = s.single_overhead as f64 / 1e6;
    let rows = vec![
        row(
            "element",
            &format!(
                "an element: from when it comes into view until its trace of {} is painted",
                mb(s.element_bytes)
            ),
            ms(s.element_ms),
        )
        .bound(below(s.element_ms, 1000.0)),
        row(
            "single-size",
            "HTML file: size in addition to the packed trace in it",
            format!("{overhead:.2} MB"),
        )
        .at_most(overhead, 2, 2.4, "MB"),
        row(
            "single",
            &format!(
                "an HTML file with a trace of {}: from opening it until the trace is complete",
                mb(s.single_bytes)
            ),
            ms(s.single_ms),
        )
        .bound(below(s.single_ms, 1500.0)),
        row("offline", "a second visit without a network: until the page can be used", ms(s.offline_ms))
            .bound(below(s.offline_ms, 300.0)),
    ];
    Section { title: String::from("Sharing and embedding"), rows }
}

/// The measurements of SQL and of data sets.
pub fn sql(s: &Sql) -> Vec<Section> {
    let program = s.program.brotli as f64 / 1e6;
    let statements = vec![
        row(
            "sql-first",
            "from a click on the tab, the program not yet downloaded, to the rows of a first statement",
            ms(s.first_ms),
        )
        .at_most(s.first_ms, 0, 1000.0, "ms"),
        row(
            "sql-join",
            "a join of the spans with their queries, grouped, once its columns are there",
            ms(s.join_ms),
        )
        .at_most(s.join_ms, 0, 300.0, "ms"),
        row(
            "sql-program",
            "the program, downloaded when the tab is shown, by brotli (by gzip)",
            format!("{program:.2} MB ({:.2} MB)", s.program.gzip as f64 / 1e6),
        )
        .at_most(program, 2, 4.5, "MB"),
    ];
    let Convert { json_bytes, parquet_bytes, ms: taken, peak, .. } = s.convert;
    let rate = json_bytes as f64 / 1e6 / (taken / 1e3);
    let share = parquet_bytes as f64 / json_bytes as f64 * 100.0;
    let mut sets = vec![
        row(
            "convert",
            &format!("`queryscope convert` of the Kubling trace ({})", mb(json_bytes)),
            format!("{} = {rate:.0} MB/s", ms(taken)),
        )
        .bound(Bound::new((rate, 0), Relation::AtLeast, 60.0, "MB/s")),
        row(
            "convert-size",
            "its Parquet files compared with the trace",
            format!("{} = {share:.1} %", mb(parquet_bytes)),
        )
        .at_most(share, 1, 6.0, "%"),
    ];
    sets.extend(peak.map(|peak| row("convert-memory", "peak memory of the conversion", mb(peak))));
    if let Some(peak) = s.in_parts.peak {
        let Convert { traces, ms: taken, .. } = s.in_parts;
        let limit = MEMORY_LIMIT as f64 / 1e6;
        // The limit is that of reading; row groups are written while the part is in memory.
        let bound = limit * 1.25;
        let what = format!("peak memory of the conversion with `--memory {limit:.0}MB`, in parts (time)");
        let measured = format!("{} in {traces} parts ({})", mb(peak), ms(taken));
        sets.push(row("convert-parts", &what, measured).at_most(peak as f64 / 1e6, 0, bound, "MB"));
    }
    let t = &s.trends;
    let (seconds, read) = (t.ms / 1e3, t.read.bytes as f64 / 1e6);
    let what = format!(
        "trends of {} traces with {} spans, from opening the page: {} different traces, each under {} names",
        thousands(t.traces as u64),
        thousands(t.spans),
        t.distinct,
        t.traces as u64 / t.distinct
    );
    let measured = format!(
        "{seconds:.1} s, {read:.1} MB in {} requests, the manifest among them",
        thousands(t.read.requests)
    );
    sets.push(
        row("trends", &what, measured)
            .bound(Bound::new((seconds, 1), Relation::AtMost, 2.0, "s").of("time"))
            .bound(Bound::new((read, 1), Relation::AtMost, 20.0, "MB").of("read")),
    );
    sets.extend(s.windows.iter().map(window));
    vec![
        Section { title: format!("SQL over {} events", thousands(s.events)), rows: statements },
        Section { title: String::from("Data sets"), rows: sets },
    ]
}

fn window(window: &Window) -> Row {
    let Read { requests, bytes } = window.read;
    let read = bytes as f64 / 1e6;
    let what = format!(
        "a statement over 1 % of the time of one trace with {} spans, in which {} start: {}",
        thousands(window.all_spans),
        thousands(window.spans),
        window.selected
    );
    row(window.id, &what, format!("{}, {read:.1} MB in {requests} requests", ms(window.ms)))
        .bound(Bound::new((requests as f64, 0), Relation::AtMost, 3.0, "requests").of("requests"))
        .bound(Bound::new((read, 1), Relation::AtMost, 3.0, "MB").of("read"))
}

fn rivals(r: &Rivals) -> Section {
    let peak = |opened: &Opened| opened.peak.map_or(String::new(), |peak| format!(", {}", mb(peak)));
    let value = |opened: &Opened| format!("{}{}", ms(opened.drawn_ms), peak(opened));
    let times = |taken: f64| taken / r.ours.drawn_ms;
    let missing = |id: &str, what: &str, reason: &str| row(id, what, format!("not measured: {reason}"));
    let against = |value: String, taken: f64| format!("{value} = {:.1} × queryscope's time", times(taken));
    let mut rows =
        vec![row("chrome", "queryscope: from drop to complete timeline, peak memory", value(&r.ours))];
    rows.push(match &r.perfetto {
        Ok(perfetto) => {
            let measured = against(value(perfetto), perfetto.drawn_ms);
            let what = "Perfetto UI 52: from drop to complete timeline, peak memory";
            let time = Bound::new((times(perfetto.drawn_ms), 1), Relation::AtLeast, 10.0, "×").of("time");
            let memory = perfetto.peak.zip(r.ours.peak).map(|(theirs, ours)| {
                let times = theirs as f64 / ours as f64;
                Bound::new((times, 1), Relation::AtLeast, 3.0, "×").of("memory")
            });
            let row = row("perfetto", what, measured).bound(time);
            memory.into_iter().fold(row, Row::bound)
        }
        Err(reason) => missing("perfetto", "Perfetto UI", reason),
    });
    let firefox = "importer of Firefox Profiler, without drawing";
    rows.push(match &r.firefox {
        Ok(import) => {
            let bound = Bound::new((times(*import), 1), Relation::AtLeast, 4.0, "×").of("time");
            row("firefox", firefox, against(ms(*import), *import)).bound(bound)
        }
        Err(reason) => missing("firefox", firefox, reason),
    });
    let speedscope = "speedscope 1.25, which draws one thread at a time: until drawn, peak memory";
    rows.push(match &r.speedscope {
        Ok(opened) => row("speedscope", speedscope, against(value(opened), opened.drawn_ms)),
        Err(reason) => missing("speedscope", speedscope, reason),
    });
    let size = format!(" of {} events ({})", thousands(r.events), mb(r.bytes));
    Section { title: format!("Chrome trace{size}"), rows }
}

fn compared(other: &Other, at: usize) -> Row {
    let Other { trace, opened, chrome: (bytes, chrome_ms), .. } = other;
    let peak = opened.peak.map_or(String::new(), |peak| format!(", {}", mb(peak)));
    let times = opened.drawn_ms / trace.bytes as f64 / (chrome_ms / *bytes as f64);
    let beside = format!("the time per byte of a Chrome trace of {}", mb(*bytes));
    let measured = format!("{}{peak} = {times:.2} × {beside}", ms(opened.drawn_ms));
    let what = "from drop to complete timeline, peak memory";
    row(&format!("other-{at}"), what, measured).at_most(times, 2, 1.0, "×")
}

fn wait_memory(bytes: f64) -> Row {
    let what = "memory per wait, beyond the first tenth of them";
    row("wait-memory", what, format!("{bytes:.0} bytes")).at_most(bytes, 0, 64.0, "bytes")
}

/// Size of a trace, such as ` of 1,000 events (1 MB)`.
fn size(trace: &Trace) -> String {
    format!(" of {} events ({})", thousands(trace.events), mb(trace.bytes))
}

fn ms(value: f64) -> String {
    format!("{value:.0} ms")
}

fn ms1(value: f64) -> String {
    format!("{value:.1} ms")
}

fn mb(bytes: u64) -> String {
    format!("{:.0} MB", bytes as f64 / 1e6)
}

fn kb(bytes: u64) -> String {
    format!("{:.0} kB", bytes as f64 / 1e3)
}

fn thousands(n: u64) -> String {
    let digits = n.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|group| std::str::from_utf8(group).ok()).collect();
    groups.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_groups() {
        for (n, text) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(n), text);
        }
    }
}
