//! Chrome's Trace Event Format, for `chrome://tracing`, Perfetto UI and others.
//!
//! A process is a process of the trace, or a run if it has none; a thread is a track. Spans that nest are complete events (X), all
//! others, and those of asynchronous tracks, are asynchronous events (b, e) with an id for each group of nested spans. Times are
//! microseconds with three decimals, written from whole nanoseconds, since the first event of each run.

use std::io::{self, Write};

use super::lanes::{NestingLane, SpanEdge, lanes};
use super::{Losses, flag_text, has_items, json_string};
use crate::base::{FxHashMap, FxHashSet};
use crate::export::trace_file::JsonLine;
use crate::export::trace_file::part::{PartSpan, PartTrack, PartValue, TracePart, unused_name};
use crate::trace::{EventId, Flags, Flow, Item, Kind, SpanId, TrackId, TrackKind};

/// Writes the part as Trace Event JSON, one event per line.
pub fn write(part: &mut TracePart, losses: &mut Losses, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n")?;
    let mut writer = TraceEventWriter {
        keeps_lanes: !part.trace.flows.is_empty(),
        part,
        losses,
        out,
        line: Vec::new(),
        has_events: false,
        processes: FxHashSet::default(),
        counters: FxHashSet::default(),
        slices: FxHashMap::default(),
    };
    let tracks = writer.part.tracks();
    for track in &tracks {
        writer.losses.add_track_texts(writer.part, track.id);
        if has_items(writer.part, track) {
            writer.track(track)?;
        }
    }
    writer.flows(&tracks)?;
    out.write_all(b"],\"otherData\":{\"exporter\":\"queryscope ")?;
    out.write_all(env!("CARGO_PKG_VERSION").as_bytes())?;
    out.write_all(b"\"}}\n")
}

/// Spans of a track and their nesting, to find the slice to which an arrow is bound.
type BoundSlices = (Vec<PartSpan>, NestingLane);

struct TraceEventWriter<'a, 't> {
    part: &'a mut TracePart<'t>,
    losses: &'a mut Losses,
    out: &'a mut dyn Write,
    /// Text of the event that is being written.
    line: Vec<u8>,
    has_events: bool,
    /// Processes whose names were written.
    processes: FxHashSet<TrackId>,
    /// Process and name of each counter that was written.
    counters: FxHashSet<(TrackId, String)>,
    keeps_lanes: bool,
    slices: FxHashMap<TrackId, BoundSlices>,
}

impl TraceEventWriter<'_, '_> {
    /// Writes an event; `members` writes the members after phase, process and thread.
    fn event(
        &mut self,
        phase: &str,
        track: &PartTrack,
        members: impl FnOnce(&mut JsonLine),
    ) -> io::Result<()> {
        self.line.clear();
        if std::mem::replace(&mut self.has_events, true) {
            self.line.push(b',');
        }
        let mut line = JsonLine::new(&mut self.line);
        line.string("ph", phase);
        line.num("pid", track.process.0 + 1);
        line.num("tid", track.id.0 + 1);
        members(&mut line);
        line.end();
        self.out.write_all(&self.line)
    }

    /// Writes an event that names a process or thread.
    fn metadata(&mut self, track: &PartTrack, name: &str, key: &str, value: String) -> io::Result<()> {
        self.event("M", track, |line| {
            line.string("name", name);
            line.object("args", &[(key, value)]);
        })
    }

    fn track(&mut self, track: &PartTrack) -> io::Result<()> {
        if self.processes.insert(track.process) {
            let name = self.part.track_name(track.process);
            self.metadata(track, "process_name", "name", json_string(&name))?;
            self.metadata(track, "process_sort_index", "sort_index", track.process.0.to_string())?;
            let run = self.part.trace.runs.get(track.run as usize).map(|run| run.track);
            if let Some(run) = run.filter(|&run| run != track.process) {
                let run = self.part.track_name(run);
                self.metadata(track, "process_labels", "labels", json_string(&run))?;
            }
        }
        let spans = self.part.spans(track.id);
        let events: Vec<EventId> = self.part.events(track.id).collect();
        let is_sample = |&event: &EventId| self.part.trace.events.kind(event) == Kind::Sample;
        if !spans.is_empty() || !events.iter().all(is_sample) {
            self.metadata(track, "thread_name", "name", json_string(&track.path))?;
            self.metadata(track, "thread_sort_index", "sort_index", track.id.0.to_string())?;
        }
        self.losses.add_parents(self.part, track.id, &spans);
        self.spans(track, spans)?;
        let mut counter = None;
        for event in events {
            if self.part.trace.events.kind(event) == Kind::Sample {
                let counter = &*counter.get_or_insert_with(|| self.counter_name(track));
                self.sample(track, event, counter)?;
            } else {
                self.instant(track, event)?;
            }
        }
        Ok(())
    }

    fn spans(&mut self, track: &PartTrack, spans: Vec<PartSpan>) -> io::Result<()> {
        let mut lanes = lanes(&spans).into_iter();
        let slices = (track.kind != TrackKind::Async).then(|| lanes.next()).flatten();
        if let Some(lane) = &slices {
            for &index in &lane.spans {
                self.slice(track, &spans[index as usize])?;
            }
        }
        for lane in lanes {
            let mut written = Ok(());
            lane.edges(&spans, |edge, span, outermost| {
                if written.is_ok() {
                    written = self.asynchronous(track, edge, span, outermost.id);
                }
            });
            written?;
        }
        if let Some(lane) = slices.filter(|_| self.keeps_lanes) {
            self.slices.insert(track.id, (spans, lane));
        }
        Ok(())
    }

    fn slice(&mut self, track: &PartTrack, span: &PartSpan) -> io::Result<()> {
        let item = Item::Span(span.id);
        let name = self.part.name(item);
        let args = self.args(item, span.flags);
        let duration = i128::from(span.end) - i128::from(span.start);
        self.event("X", track, |line| {
            line.string("cat", span.kind.name());
            line.string("name", &name);
            line.json("ts", &microseconds(span.start.into()));
            line.json("dur", &microseconds(duration));
            write_args(line, &args);
        })
    }

    fn asynchronous(
        &mut self,
        track: &PartTrack,
        edge: SpanEdge,
        span: &PartSpan,
        group: SpanId,
    ) -> io::Result<()> {
        let item = Item::Span(span.id);
        let name = self.part.name(item);
        let is_start = edge == SpanEdge::Open;
        let args = if is_start { self.args(item, span.flags) } else { Vec::new() };
        let (phase, time) = if is_start { ("b", span.start) } else { ("e", span.end) };
        self.event(phase, track, |line| {
            line.string("cat", span.kind.name());
            line.string("name", &name);
            line.string("id", &format!("0x{:x}", u64::from(group.0) + 1));
            line.json("ts", &microseconds(time.into()));
            write_args(line, &args);
        })
    }

    fn instant(&mut self, track: &PartTrack, id: EventId) -> io::Result<()> {
        let item = Item::Event(id);
        let name = self.part.name(item);
        let event = self.part.trace.events.get(id);
        let args = self.args(item, event.flags);
        self.event("i", track, |line| {
            line.string("cat", event.kind.name());
            line.string("name", &name);
            line.json("ts", &microseconds(event.time.into()));
            line.string("s", "t");
            write_args(line, &args);
        })
    }

    /// Name of the counter of a track, unique in its process.
    fn counter_name(&mut self, track: &PartTrack) -> String {
        let name = self.part.track_name(track.id);
        let numbered = (2..).map(|number| format!("{name} ({number})"));
        let names = std::iter::once(name.clone()).chain(numbered);
        let mut unused = names.filter(|name| self.counters.insert((track.process, name.clone())));
        unused.next().unwrap_or_default()
    }

    fn sample(&mut self, track: &PartTrack, id: EventId, counter: &str) -> io::Result<()> {
        let attributes = self.part.attributes(Item::Event(id));
        let number = |(_, value): &(String, PartValue)| !matches!(value, PartValue::Text(_));
        let args: Vec<(String, String)> =
            attributes.iter().filter(|value| number(value)).map(json_member).collect();
        if args.is_empty() {
            self.losses.add(1, "counter sample without a value", "counter samples without a value");
            return Ok(());
        }
        let time = self.part.trace.events.time(id);
        self.event("C", track, |line| {
            line.string("name", counter);
            line.json("ts", &microseconds(time.into()));
            write_args(line, &args);
        })
    }

    /// The attributes and flags of an item, as names and JSON values.
    fn args(&mut self, item: Item, flags: Flags) -> Vec<(String, String)> {
        let mut args: Vec<(String, String)> = self.part.attributes(item).iter().map(json_member).collect();
        if let Some(flags) = flag_text(flags) {
            args.push((unused_name(&args, "flags"), json_string(&flags)));
        }
        args
    }

    /// Writes the arrows. In this format, an arrow leaves and arrives at a time of a thread, and is bound to the
    /// innermost slice at that time.
    fn flows(&mut self, tracks: &[PartTrack]) -> io::Result<()> {
        let by_id: FxHashMap<TrackId, &PartTrack> = tracks.iter().map(|track| (track.id, track)).collect();
        for (number, flow) in (1u64..).zip(self.part.flows()) {
            let track = |item: Item| by_id.get(&self.part.trace.track_of(item)).copied();
            let ends = (track(flow.from), track(flow.to), self.times_of(&flow));
            let (Some(from), Some(to), Some((leaves, arrives))) = ends else {
                self.losses.add(
                    1,
                    "arrow of an overlapping or covered span",
                    "arrows of overlapping or covered spans",
                );
                continue;
            };
            let name = self.part.flow_name(flow.name);
            for (phase, track, time) in [("s", from, leaves), ("f", to, arrives)] {
                self.event(phase, track, |line| {
                    line.string("cat", "flow");
                    line.string("name", &name);
                    line.num("id", number);
                    line.json("ts", &microseconds(time.into()));
                    if phase == "f" {
                        line.string("bp", "e");
                    }
                })?;
            }
        }
        Ok(())
    }

    /// Times at which an arrow leaves and arrives so that it is bound to its two items; `None` if there are no such times, or if
    /// it would arrive before it leaves, because viewers reverse such an arrow.
    fn times_of(&self, flow: &Flow<Item>) -> Option<(i64, i64)> {
        let leaves = self.bound_time(flow.from, flow.leaves)?;
        let arrives = self.bound_time(flow.to, flow.arrives.max(leaves))?;
        (arrives >= leaves).then_some((leaves, arrives))
    }

    /// A time at which an arrow is bound to `item`. For an event outside of slices: its time. For a span: `wanted`, or
    /// else the start or last nanosecond of the span, if the span is the innermost slice of its track at that time.
    fn bound_time(&self, item: Item, wanted: i64) -> Option<i64> {
        let track = self.part.trace.track_of(item);
        let slices = self.slices.get(&track);
        let innermost = |time: i64| {
            let (spans, lane) = slices?;
            let position = lane.innermost(spans, time)?;
            Some(spans[lane.spans[position as usize] as usize].id)
        };
        match item {
            Item::Event(id) => {
                let events = &self.part.trace.events;
                let time = events.time(id);
                let mut later =
                    self.part.events(track).filter(|&other| other > id && events.time(other) == time);
                // An arrow belongs to the last of several events at the same time.
                let is_last = later.all(|other| events.kind(other) == Kind::Sample);
                (is_last && innermost(time).is_none()).then_some(time)
            }
            Item::Span(id) => {
                let PartSpan { start, end, .. } = self.part.span(id)?;
                let last = end.saturating_sub(1).max(start);
                let times = [wanted.clamp(start, last), last, start];
                times.into_iter().find(|&time| innermost(time) == Some(id))
            }
        }
    }
}

fn write_args(line: &mut JsonLine, args: &[(String, String)]) {
    let members: Vec<(&str, String)> =
        args.iter().map(|(name, json)| (name.as_str(), json.clone())).collect();
    line.object("args", &members);
}

fn json_member((name, value): &(String, PartValue)) -> (String, String) {
    let json = match value {
        PartValue::Integer(number) => number.to_string(),
        PartValue::Decimal(text) => text.clone(),
        PartValue::Text(text) => json_string(text),
    };
    (name.clone(), json)
}

/// Formats nanoseconds as microseconds with three decimals.
fn microseconds(nanoseconds: i128) -> String {
    let sign = if nanoseconds < 0 { "-" } else { "" };
    let size = nanoseconds.unsigned_abs();
    format!("{sign}{}.{:03}", size / 1_000, size % 1_000)
}

#[cfg(test)]
mod tests {
    use super::microseconds;

    #[test]
    fn times_are_exact() {
        let cases = [
            (0, "0.000"),
            (1, "0.001"),
            (-1, "-0.001"),
            (1_234_567, "1234.567"),
            (i128::from(i64::MAX), "9223372036854775.807"),
            (i128::from(i64::MIN), "-9223372036854775.808"),
            (i128::from(u64::MAX), "18446744073709551.615"),
        ];
        cases.into_iter().for_each(|(time, text)| assert_eq!(microseconds(time), text));
    }
}
