//! speedscope's file format (<https://www.speedscope.app/file-format-schema.json>): an evented profile for each track.
//!
//! Spans that overlap without nesting are in further profiles of the same track, "name (lane 2)". Times are nanoseconds since the
//! first event of the run. JavaScript reads numbers exactly only up to 2^53 (104 days): the times of a run that has larger ones
//! count from its first span instead.

use std::io::{self, Write};

use super::Losses;
use super::lanes::{NestingLane, SpanEdge, lanes};
use crate::base::FxHashMap;
use crate::export::trace_file::JsonLine;
use crate::export::trace_file::part::{PartSpan, PartTrack, TracePart};
use crate::trace::Item;

/// Largest time up to which a double represents every integer exactly, in nanoseconds.
const LARGEST_EXACT: i128 = 1 << 53;

/// Writes the part as one file of evented profiles.
pub fn write(part: &mut TracePart, losses: &mut Losses, out: &mut dyn Write) -> io::Result<()> {
    let flows = part.flows().len();
    losses.add(flows as u64, "arrow", "arrows");
    let tracks = part.tracks();
    let bases = time_bases(part, &tracks, losses);
    let mut frames = FrameTable::default();
    out.write_all(
        b"{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"queryscope ",
    )?;
    out.write_all(env!("CARGO_PKG_VERSION").as_bytes())?;
    out.write_all(b"\",\"profiles\":[\n")?;
    let mut is_first = true;
    for track in &tracks {
        losses.add_events(part, track.id);
        losses.add_track_texts(part, track.id);
        let spans = part.spans(track.id);
        losses.add_attributes(part, &spans);
        losses.add_parents(part, track.id, &spans);
        let base = bases.get(&track.run).copied().unwrap_or_default();
        for (lane, number) in lanes(&spans).iter().zip(1..) {
            let title = profile_title(part, track, number);
            if !std::mem::take(&mut is_first) {
                out.write_all(b",")?;
            }
            write_profile(part, &mut frames, &spans, lane, &title, base, out)?;
        }
    }
    out.write_all(b"],\"shared\":{\"frames\":[\n")?;
    let mut line = Vec::new();
    for (at, name) in frames.names.iter().enumerate() {
        line.clear();
        if at > 0 {
            line.push(b',');
        }
        let mut frame = JsonLine::new(&mut line);
        frame.string("name", name);
        frame.end();
        out.write_all(&line)?;
    }
    out.write_all(b"]}}\n")
}

/// By run: the origin of its times, if it is not the run's first event.
fn time_bases(part: &TracePart, tracks: &[PartTrack], losses: &mut Losses) -> FxHashMap<u32, i64> {
    let mut bounds: FxHashMap<u32, (i64, i64)> = FxHashMap::default();
    for track in tracks {
        for span in part.spans(track.id) {
            let (start, end) = bounds.entry(track.run).or_insert((span.start, span.end));
            (*start, *end) = ((*start).min(span.start), (*end).max(span.end));
        }
    }
    let is_large = |time: i128| time.abs() > LARGEST_EXACT;
    bounds.retain(|_, (start, end)| is_large((*start).into()) || is_large((*end).into()));
    if bounds.values().any(|&(start, end)| is_large(i128::from(end) - i128::from(start))) {
        losses.notes.push(
            "a run is longer than 2^53 ns (104 days): speedscope rounds its times to the precision of a double"
                .to_owned(),
        );
    }
    if !bounds.is_empty() {
        losses.notes.push("times beyond 2^53 ns count from the first span of their run".to_owned());
    }
    bounds.into_iter().map(|(run, (start, _))| (run, start)).collect()
}

/// Names of frames, each once.
#[derive(Default)]
struct FrameTable {
    names: Vec<String>,
    by_name: FxHashMap<String, usize>,
}

impl FrameTable {
    fn number(&mut self, name: &str) -> usize {
        if let Some(&number) = self.by_name.get(name) {
            return number;
        }
        self.names.push(name.to_owned());
        self.by_name.insert(name.to_owned(), self.names.len() - 1);
        self.names.len() - 1
    }
}

/// Path of track names from the run down to the track, with the number of the lane.
fn profile_title(part: &mut TracePart, track: &PartTrack, lane: u32) -> String {
    let run = part.trace.runs.get(track.run as usize).map(|run| run.track);
    let mut names: Vec<String> = run.into_iter().map(|run| part.track_name(run)).collect();
    if run != Some(track.process) && track.id != track.process {
        names.push(part.track_name(track.process));
    }
    if run != Some(track.id) {
        names.push(track.path.clone());
    }
    let title = names.join(" / ");
    if lane == 1 { title } else { format!("{title} (lane {lane})") }
}

fn write_profile(
    part: &mut TracePart,
    frames: &mut FrameTable,
    spans: &[PartSpan],
    lane: &NestingLane,
    title: &str,
    base: i64,
    out: &mut dyn Write,
) -> io::Result<()> {
    let since = |time: i64| i128::from(time) - i128::from(base);
    let of_lane = || lane.spans.iter().map(|&index| &spans[index as usize]);
    let start = of_lane().map(|span| span.start).min().unwrap_or_default();
    let end = of_lane().map(|span| span.end).max().unwrap_or_default();
    let mut head = Vec::new();
    let mut profile = JsonLine::new(&mut head);
    profile.string("type", "evented");
    profile.string("name", title);
    profile.string("unit", "nanoseconds");
    profile.num("startValue", since(start));
    profile.num("endValue", since(end));
    profile.json("events", "[");
    out.write_all(&head)?;
    let mut written = Ok(());
    let mut is_first = true;
    lane.edges(spans, |edge, span, _| {
        let frame = frames.number(&part.name(Item::Span(span.id)));
        let (kind, at) = match edge {
            SpanEdge::Open => ('O', span.start),
            SpanEdge::Close => ('C', span.end),
        };
        let comma = if std::mem::take(&mut is_first) { "" } else { "," };
        if written.is_ok() {
            let at = since(at);
            written = write!(out, "{comma}{{\"type\":\"{kind}\",\"frame\":{frame},\"at\":{at}}}");
        }
    });
    written?;
    out.write_all(b"]}\n")
}
