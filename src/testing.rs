//! Traces for tests and benchmarks: parsed from a text, or generated in any size. Not part of the public API.
//!
//! ```text
//! run alpha 400                                    name, duration
//! query q1 2..38 request=0..40 failed : SELECT 1   track, interval, flags, SQL
//! source 3..20 js-conn OrdersAPI                   of the query above
//! execution 4..19 read=102944 returned=250 reading=10
//! buffer 5 SPILL 1000                              time, type, bytes
//! ```
//! Times are in nanoseconds. A line that cannot be parsed causes a panic, because the test is wrong.

mod dump;

pub use dump::{dump, dump_rest};

use crate::base::interner::{Interner, StrId};
use crate::trace::{
    Event, Flags, Item, Key, Kind, RecordId, Span, SpanId, Trace, TraceBuilder, TrackId, TrackKind, key,
};

/// Parses a trace from its text form.
///
/// # Panics
/// Panics if a line cannot be parsed.
pub fn trace(text: &str) -> Trace {
    let mut pencil = Pencil::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        pencil.line(line).unwrap_or_else(|| panic!("not a line of a drawing: {line}"));
    }
    pencil.builder.finish()
}

/// Returns a run of `n` queries, about four at a time, each with a request, two sources, two executions (six spans) and
/// four buffer events. Some fail, some have no end. Equal `n` give equal traces.
pub fn queries(n: u32) -> Trace {
    let mut pencil = Pencil::new();
    pencil.run("generated", i64::from(n) * 1000 + 10_000);
    let mut dice = Dice(1);
    for number in 0..i64::from(n) {
        let start = number * 1000 + dice.roll(500);
        let length = 1000 + dice.roll(6000);
        let flags = match dice.roll(100) {
            0 => Flags::FAILED,
            1 => Flags::OPEN_END,
            _ => Flags::default(),
        };
        let sql = format!("SELECT * FROM t{} WHERE id = ?", number % 37);
        pencil.query(
            &format!("q{number}"),
            (start, start + length),
            (start - 50, start + length + 50),
            flags,
            &sql,
        );
        let middle = start + length / 2;
        for (connector, from, to) in
            [("js-conn", start + 10, middle + 100), ("pg-conn", middle, start + length)]
        {
            pencil.source((from, to), connector, "Orders");
            let numbers = [Some(dice.roll(9000)), Some(dice.roll(100)), Some((to - from) / 3)];
            pencil.execution((from + 5, to - 5), numbers, Flags::default());
        }
        for (at, name) in (1..).zip(["READ", "LOGICAL_READ", "LOGICAL_WRITE", "SPILL"]) {
            pencil.buffer(start + length * at / 5, name, dice.roll(1_000_000));
        }
    }
    pencil.builder.finish()
}

/// Linear congruential generator: yields the same numbers on every machine.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, below: i64) -> i64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as i64 % below
    }
}

type DrawnInterval = (i64, i64);

struct Pencil {
    builder: TraceBuilder,
    root: TrackId,
    query: (TrackId, Option<SpanId>),
    source: (TrackId, Option<SpanId>),
    buffer: Option<TrackId>,
}

impl Pencil {
    fn new() -> Self {
        let (nowhere, builder) = ((TrackId(0), None), TraceBuilder::new(Interner::default()));
        Self { builder, root: TrackId(0), query: nowhere, source: nowhere, buffer: None }
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let (words, sql) = line.split_once(" : ").unwrap_or((line, ""));
        let words: Vec<&str> = words.split_whitespace().collect();
        let value = |name: &str| words.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
        let number = |name: &str| value(name).and_then(|text| text.parse::<i64>().ok());
        let flags = flags(&words);
        match *words.first()? {
            "run" => self.run(words.get(1)?, words.get(2)?.parse().ok()?),
            "query" => {
                let times = interval(words.get(2)?)?;
                let request = value("request").map_or(Some(times), interval)?;
                self.query(words.get(1)?, times, request, flags, sql);
            }
            "source" => self.source(interval(words.get(1)?)?, words.get(2)?, words.get(3)?),
            "execution" => {
                let numbers = ["read", "returned", "reading"].map(number);
                self.execution(interval(words.get(1)?)?, numbers, flags);
            }
            "buffer" => self.buffer(words.get(1)?.parse().ok()?, words.get(2)?, words.get(3)?.parse().ok()?),
            _ => return None,
        }
        Some(())
    }

    fn run(&mut self, name: &str, duration: i64) {
        let name = self.builder.strings().intern(name);
        let run = self.builder.run(name, 0, duration, 0);
        self.root = self.builder.root(run);
        self.buffer = None;
    }

    fn query(&mut self, name: &str, times: DrawnInterval, request: DrawnInterval, flags: Flags, sql: &str) {
        let [name, sql, word] = [name, sql, "request"].map(|text| self.builder.strings().intern(text));
        let track = self.builder.track(self.root, name, TrackKind::Query);
        let parent = self.span(Kind::Request, request, None, (word, 0, Flags::INFERRED), &[], &[]);
        let texts = [(key::SQL, sql)];
        let query = self.span(Kind::Query, times, Some(parent), (sql, 1, flags), &[], &texts);
        (self.query, self.buffer) = ((track, Some(query)), None);
    }

    fn source(&mut self, times: DrawnInterval, connector: &str, datasource: &str) {
        let name = format!("{connector} · {datasource}");
        let [connector, datasource, name] =
            [connector, datasource, &name].map(|text| self.builder.strings().intern(text));
        let track = self.builder.track(self.query.0, name, TrackKind::Source);
        let texts = [(key::CONNECTOR, connector), (key::DATASOURCE, datasource)];
        let source = self.span(Kind::Source, times, self.query.1, (name, 0, Flags::default()), &[], &texts);
        (self.source, self.buffer) = ((track, Some(source)), None);
    }

    fn execution(&mut self, times: DrawnInterval, numbers: [Option<i64>; 3], flags: Flags) {
        let name = self.builder.strings().intern("execution");
        self.builder.track(self.source.0, name, TrackKind::Execution);
        let keys = [key::ROWS_READ, key::ROWS_RETURNED, key::READ_TIME];
        let numbers: Vec<_> = keys.into_iter().zip(numbers).collect();
        self.span(Kind::Execution, times, self.source.1, (name, 0, flags), &numbers, &[]);
        self.buffer = None;
    }

    fn buffer(&mut self, time: i64, name: &str, bytes: i64) {
        let [name, word] = [name, "buffer"].map(|text| self.builder.strings().intern(text));
        if self.buffer.is_none() {
            self.buffer = Some(self.builder.track(self.query.0, word, TrackKind::Buffer));
        }
        let storage =
            ["SPILL", "PHYSICAL_WRITE"].map(|text| self.builder.strings().intern(text)).contains(&name);
        let flags = if storage { Flags::STORAGE } else { Flags::default() };
        let shape = self.builder.shape(&[key::BYTES], &[]);
        let kind = Kind::Buffer;
        let record = RecordId::NONE;
        let parent = self.query.1;
        self.builder.event(Event { time, parent, name, kind, flags, record }, shape, &[Some(bytes)]);
    }

    fn span(
        &mut self,
        kind: Kind,
        (start, end): DrawnInterval,
        parent: Option<SpanId>,
        (name, depth, flags): (StrId, u16, Flags),
        numbers: &[(Key, Option<i64>)],
        texts: &[(Key, StrId)],
    ) -> SpanId {
        let (num_keys, nums): (Vec<_>, Vec<_>) = numbers.iter().copied().unzip();
        let (text_keys, texts): (Vec<_>, Vec<_>) = texts.iter().copied().unzip();
        let shape = self.builder.shape(&num_keys, &text_keys);
        let (begin, end_record) = (RecordId::NONE, RecordId::NONE);
        let duration = end - start;
        let span = Span { start, duration, parent, name, kind, flags, depth, begin, end: end_record };
        self.builder.span(span, shape, &nums, &texts)
    }
}

fn interval(text: &str) -> Option<DrawnInterval> {
    let (start, end) = text.split_once("..")?;
    Some((start.parse().ok()?, end.parse().ok()?))
}

fn flags(words: &[&str]) -> Flags {
    let known = [
        ("failed", Flags::FAILED),
        ("open-end", Flags::OPEN_END),
        ("open-start", Flags::OPEN_START),
        ("over-fetch", Flags::OVER_FETCH),
    ];
    let set = known.into_iter().filter(|(word, _)| words.contains(word));
    set.fold(Flags::default(), |all, (_, flag)| all.with(flag))
}

/// Returns all items of a trace.
pub fn items(trace: &Trace) -> impl Iterator<Item = Item> {
    let spans = (0..trace.spans.len() as u32).map(|id| Item::Span(SpanId(id)));
    spans.chain((0..trace.events.len() as u32).map(|id| Item::Event(crate::trace::EventId(id))))
}
