//! OpenTelemetry traces as OTLP/JSON: the body of an export request, as collectors and Jaeger read it.
//!
//! A resource is a process of the trace, or a run if it has none. An outermost span with its descendants has one trace
//! ID, so that a query is a trace. Trace and span IDs are derived from the trace only: every export has the same IDs.
//! An arrow
//! becomes a link of the span at which it arrives, and an event with a parent becomes an event of that span.
//!
//! Times are Unix time if a run's clock reads between 2000 and 2100 as nanoseconds since 1970. All other clocks count from an
//! unknown moment: such a run begins at 0, which is stated in a note.

use std::io::{self, Write};

use super::{Losses, flag_text, json_string};
use crate::base::FxHashMap;
use crate::export::trace_file::JsonLine;
use crate::export::trace_file::part::{PartSpan, PartTrack, PartValue, TracePart, unused_name};
use crate::trace::word_hash::fnv_1a;
use crate::trace::{EventId, Flags, Item, Kind, Run, SpanId, TrackId, TrackKind, key};

/// Clock readings that are interpreted as Unix time, in nanoseconds: the years 2000 to 2099.
const UNIX_TIMES: std::ops::Range<i64> = 946_684_800_000_000_000..4_102_444_800_000_000_000;

/// `STATUS_CODE_ERROR`.
const ERROR: u8 = 2;

/// Writes the part as one export request.
pub fn write(part: &mut TracePart, losses: &mut Losses, out: &mut dyn Write) -> io::Result<()> {
    let tracks = part.tracks();
    let runs = part.trace.runs.clone();
    let clocks =
        runs.iter().zip(0..).map(|(run, number)| RunClock::new(part, &tracks, run, number)).collect();
    for (run, clock) in runs.iter().zip::<&Vec<RunClock>>(&clocks) {
        if !clock.is_unix && clock.has_spans {
            let name = part.track_name(run.track);
            losses.notes.push(format!(
                "the trace does not say at what time of day “{name}” ran: its times begin at 0 (1970)"
            ));
        }
    }
    let events = events_by_span(part, &tracks, losses);
    let of_instants = part.flows().iter().filter(|flow| flow.of_spans().is_none()).count();
    losses.add(of_instants as u64, "arrow of an event", "arrows of events");
    let roots = outermost_spans(part);
    let mut writer = OtlpWriter { part, clocks, events, roots, line: Vec::new(), out };
    writer.out.write_all(b"{\"resourceSpans\":[\n")?;
    let mut last: Option<TrackId> = None;
    let mut is_first = true;
    for track in &tracks {
        losses.add_track_texts(writer.part, track.id);
        let spans = writer.part.spans(track.id);
        if spans.is_empty() {
            continue;
        }
        if last != Some(track.process) {
            if last.is_some() {
                writer.out.write_all(b"]}]},\n")?;
            }
            writer.begin_resource(track)?;
            last = Some(track.process);
            is_first = true;
        }
        for span in &spans {
            writer.span(track, span, std::mem::take(&mut is_first))?;
        }
    }
    if last.is_some() {
        writer.out.write_all(b"]}]}\n")?;
    }
    writer.out.write_all(b"]}\n")
}

/// The clock of a run, and the high half of its trace IDs.
struct RunClock {
    /// Offset that is added to the times of the run, in nanoseconds.
    base: i128,
    is_unix: bool,
    has_spans: bool,
    trace_id: u64,
}

impl RunClock {
    fn new(part: &mut TracePart, tracks: &[PartTrack], run: &Run, number: u32) -> Self {
        let mut first: Option<i64> = None;
        for track in tracks.iter().filter(|track| track.run == number) {
            let start = part.spans(track.id).first().map(|span| span.start);
            let event = part.events(track.id).map(|id| part.trace.events.time(id)).min();
            first = first.into_iter().chain(start).chain(event).min();
        }
        let is_unix = UNIX_TIMES.contains(&run.origin);
        let base = if is_unix { run.origin.into() } else { 0 };
        // Times are without a sign in the format.
        let base = base.max(-i128::from(first.unwrap_or_default()));
        let numbers = [i64::from(number), run.origin, run.duration];
        let trace_id = run_id(&part.track_name(run.track), numbers);
        Self { base, is_unix, has_spans: first.is_some(), trace_id }
    }

    fn time(&self, time: i64) -> String {
        (self.base + i128::from(time)).to_string()
    }
}

/// High half of the trace IDs of a run. The page and the command line compute the same number.
fn run_id(name: &str, numbers: [i64; 3]) -> u64 {
    mixed(fnv_1a(name.bytes().chain(numbers.into_iter().flat_map(i64::to_le_bytes))))
}

/// Mixes the bits of a number: a bijection that maps only 0 to 0.
fn mixed(number: u64) -> u64 {
    let number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ (number >> 31)
}

/// Span ID: 16 hexadecimal digits.
fn span_id(id: SpanId) -> String {
    format!("{:016x}", mixed(u64::from(id.0) + 1))
}

/// Outermost ancestor of each span of the trace; of an outermost span, the span itself.
fn outermost_spans(part: &TracePart) -> Vec<SpanId> {
    let spans = &part.trace.spans;
    let unknown = SpanId(u32::MAX);
    let mut outermost = vec![unknown; spans.len()];
    let mut chain = Vec::new();
    for id in (0..spans.len() as u32).map(SpanId) {
        let mut at = id;
        let root = loop {
            let known = outermost[at.0 as usize];
            if known != unknown {
                break known;
            }
            chain.push(at);
            match spans.parent(at) {
                Some(parent) if (parent.0 as usize) < spans.len() => at = parent,
                _ => break at,
            }
        };
        chain.drain(..).for_each(|id| outermost[id.0 as usize] = root);
    }
    outermost
}

/// Events of each span, by time. Samples and events without a span are counted as losses.
fn events_by_span(
    part: &TracePart,
    tracks: &[PartTrack],
    losses: &mut Losses,
) -> FxHashMap<SpanId, Vec<EventId>> {
    let mut by_span: FxHashMap<SpanId, Vec<EventId>> = FxHashMap::default();
    for event in tracks.iter().flat_map(|track| part.events(track.id)) {
        let parent = part.trace.events.parent(event).filter(|&parent| part.contains(Item::Span(parent)));
        match (part.trace.events.kind(event), parent) {
            (Kind::Sample, _) => losses.add_event(part.trace, event),
            (_, Some(parent)) => by_span.entry(parent).or_default().push(event),
            (_, None) => losses.add(1, "event outside of spans", "events outside of spans"),
        }
    }
    by_span
        .values_mut()
        .for_each(|events| events.sort_by_key(|&event| (part.trace.events.time(event), event)));
    by_span
}

struct OtlpWriter<'a, 't> {
    part: &'a mut TracePart<'t>,
    clocks: Vec<RunClock>,
    events: FxHashMap<SpanId, Vec<EventId>>,
    roots: Vec<SpanId>,
    line: Vec<u8>,
    out: &'a mut dyn Write,
}

impl OtlpWriter<'_, '_> {
    fn begin_resource(&mut self, track: &PartTrack) -> io::Result<()> {
        let process = self.part.track_name(track.process);
        let run = self.part.trace.runs.get(track.run as usize).map(|run| run.track);
        let run = run.map_or_else(String::new, |run| self.part.track_name(run));
        let attributes = [text_attribute("service.name", &process), text_attribute("queryscope.run", &run)];
        writeln!(
            self.out,
            "{{\"resource\":{{\"attributes\":[{}]}},\"scopeSpans\":[{{\"scope\":{{\"name\":\"queryscope\",\"version\":\"{}\"}},\
             \"spans\":[",
            attributes.join(","),
            env!("CARGO_PKG_VERSION"),
        )
    }

    fn span(&mut self, track: &PartTrack, span: &PartSpan, is_first: bool) -> io::Result<()> {
        let item = Item::Span(span.id);
        let name = self.part.name(item);
        let mut attributes = self.attributes(item, span.flags, span.kind);
        let track_key = if track.kind == TrackKind::Thread { "thread.name" } else { "queryscope.track" };
        attributes.push(text_attribute(track_key, &track.path));
        let links = self.links(track, span.id);
        let events = self.events_of(track, span.id);
        let error = self.part.attribute_text(item, key::ERROR);
        let clock = &self.clocks[track.run as usize];
        self.line.clear();
        if !is_first {
            self.line.push(b',');
        }
        let mut line = JsonLine::new(&mut self.line);
        line.string("traceId", &trace_id(clock, &self.roots, span.id));
        line.string("spanId", &span_id(span.id));
        if let Some(parent) = span.parent {
            line.string("parentSpanId", &span_id(parent));
        }
        line.string("name", &name);
        line.num("kind", span_kind(span));
        line.string("startTimeUnixNano", &clock.time(span.start));
        line.string("endTimeUnixNano", &clock.time(span.end));
        line.json("attributes", &format!("[{}]", attributes.join(",")));
        line.json("events", &format!("[{}]", events.join(",")));
        line.json("links", &format!("[{}]", links.join(",")));
        if span.flags.has(Flags::FAILED) {
            let message =
                error.map_or_else(String::new, |error| format!(",\"message\":{}", json_string(&error)));
            line.json("status", &format!("{{\"code\":{ERROR}{message}}}"));
        }
        line.end();
        self.out.write_all(&self.line)
    }

    /// Links to the spans where the arrows that arrive at a span begin.
    fn links(&mut self, track: &PartTrack, id: SpanId) -> Vec<String> {
        let trace = self.part.trace;
        let flows = trace.flows.reaching(id).filter(|flow| self.part.contains(Item::Span(flow.from)));
        let flows: Vec<_> = flows.copied().collect();
        let link = |flow: crate::trace::Flow| {
            let trace_id = trace_id(&self.clocks[track.run as usize], &self.roots, flow.from);
            let name = text_attribute("queryscope.flow", &self.part.flow_name(flow.name));
            let from = span_id(flow.from);
            format!("{{\"traceId\":\"{trace_id}\",\"spanId\":\"{from}\",\"attributes\":[{name}]}}")
        };
        flows.into_iter().map(link).collect()
    }

    fn events_of(&mut self, track: &PartTrack, id: SpanId) -> Vec<String> {
        let events = self.events.remove(&id).unwrap_or_default();
        let event = |id: EventId| {
            let event = self.part.trace.events.get(id);
            let name = json_string(&self.part.name(Item::Event(id)));
            let attributes = self.attributes(Item::Event(id), event.flags, event.kind).join(",");
            let time = self.clocks[track.run as usize].time(event.time);
            format!("{{\"timeUnixNano\":\"{time}\",\"name\":{name},\"attributes\":[{attributes}]}}")
        };
        events.into_iter().map(event).collect()
    }

    /// The attributes of an item as JSON, with its kind and its flags.
    fn attributes(&mut self, item: Item, flags: Flags, kind: Kind) -> Vec<String> {
        let mut named = self.part.attributes(item);
        let mut add = |name: &str, text: String| {
            named.push((unused_name(&named, name), PartValue::Text(text.into())));
        };
        add("queryscope.kind", kind.name().to_owned());
        if let Some(flags) = flag_text(flags) {
            add("queryscope.flags", flags);
        }
        named.iter().map(|(name, value)| attribute(name, value)).collect()
    }
}

/// Trace ID: 32 hexadecimal digits.
fn trace_id(clock: &RunClock, roots: &[SpanId], id: SpanId) -> String {
    let root = roots.get(id.0 as usize).copied().unwrap_or(id);
    format!("{:016x}{}", clock.trace_id, span_id(root))
}

/// `SPAN_KIND_SERVER` for spans that a client waits for, `SPAN_KIND_CLIENT` for work at a source, otherwise
/// `SPAN_KIND_INTERNAL`.
fn span_kind(span: &PartSpan) -> u8 {
    const INTERNAL: u8 = 1;
    const SERVER: u8 = 2;
    const CLIENT: u8 = 3;
    match span.kind {
        Kind::Request => SERVER,
        Kind::Query if span.parent.is_none() => SERVER,
        Kind::Execution => CLIENT,
        _ => INTERNAL,
    }
}

fn attribute(name: &str, value: &PartValue) -> String {
    let value = match value {
        PartValue::Integer(number) => format!("\"intValue\":\"{number}\""),
        PartValue::Decimal(text) => format!("\"doubleValue\":{text}"),
        PartValue::Text(text) => format!("\"stringValue\":{}", json_string(text)),
    };
    format!("{{\"key\":{},\"value\":{{{value}}}}}", json_string(name))
}

fn text_attribute(name: &str, text: &str) -> String {
    attribute(name, &PartValue::Text(text.into()))
}

#[cfg(test)]
mod tests {
    use super::{mixed, run_id, span_id};
    use crate::trace::SpanId;

    /// The page, the command line and later versions export a span with the same IDs.
    #[test]
    fn ids_are_the_same_on_every_platform() {
        assert_eq!(run_id("run ü", [1, -5, 25_000_000]), 0x3ea6_0b7e_ebcb_b499);
        assert_eq!(span_id(SpanId(0)), "5692161d100b05e5");
        assert_eq!(span_id(SpanId(3)), "b7a4712c74562914");
    }

    #[test]
    fn mixed_numbers_differ() {
        let mut numbers: Vec<u64> = (0..10_000).chain([u64::MAX]).map(mixed).collect();
        assert_eq!(numbers.iter().position(|&number| number == 0), Some(0));
        numbers.sort_unstable();
        numbers.dedup();
        assert_eq!(numbers.len(), 10_001);
    }
}
