//! The dimensions and measures that a trace offers: only those for which some span or event has a value.

use super::attribute::Attribute;
use super::column::parent_name;
use super::parse::{component, written};
use super::projection::{Dimension, Projection};
use crate::analysis::PointRows;
use crate::protocol::PivotChoices;
use crate::trace::{Trace, TrackId, TrackKind, Unit, attribute_names, key};

/// Number of names and texts that are sampled to find useful projections.
const LOOKED_AT: usize = 2_000;
/// Maximum number of parts in the prefixes that are offered.
const MAX_PARTS: i8 = 6;

type Heading = (&'static str, fn(Attribute) -> bool);

/// Headings of the dimensions, in order.
const HEADINGS: [Heading; 5] = [
    ("Name and kind", |of| {
        matches!(of, Attribute::Name | Attribute::Kind | Attribute::Parent | Attribute::Status)
    }),
    ("Thread, process and run", |of| {
        matches!(
            of,
            Attribute::Process
                | Attribute::Thread
                | Attribute::Track
                | Attribute::Run
                | Attribute::OfTrack(_)
        )
    }),
    ("Text attributes", |of| matches!(of, Attribute::Text(_))),
    ("Times and numbers", |of| of.is_number()),
    ("Ancestors", |of| matches!(of, Attribute::Inside(_))),
];

/// Measures by the definitions of a database server.
const SERVER: [&str; 6] =
    ["server count", "server sum", "server min", "server avg", "server max", "server p95"];

/// The dimensions of a trace, each attribute followed by its useful projections, and the quantities of the trace.
#[inline(never)]
pub fn choices(trace: &Trace) -> PivotChoices {
    let keys = trace.keys_in_use();
    let (mut dimensions, event_name) = (Vec::new(), trace.key(attribute_names::EVENT_NAME));
    for attribute in Attribute::KNOWN {
        if is_useful(trace, attribute) {
            offer(trace, attribute, &mut dimensions);
        }
    }
    for key in trace.track_texts.keys() {
        offer(trace, Attribute::OfTrack(key), &mut dimensions);
    }
    for &key in &keys {
        let unit = trace.keys.get(key).unit;
        if unit == Unit::Text {
            offer(trace, Attribute::Text(key), &mut dimensions);
            dimensions.push(Dimension { attribute: Attribute::Inside(key), chain: Vec::new() });
        } else {
            offer(trace, Attribute::Number(key), &mut dimensions);
        }
    }
    let is_server = has_event_names(trace);
    if is_server {
        dimensions.insert(0, component(trace));
    }
    // The event name of a server identifies the kind of the event, so that it is listed under the first heading.
    let is_name = |of: Attribute| event_name.is_some() && event_name.map(Attribute::Text) == Some(of);
    let under = |at: usize, of: Attribute| match is_name(of) {
        true => at == 0,
        false => HEADINGS[at].1(of),
    };
    let headed = (0..HEADINGS.len()).map(|at| {
        let own = dimensions.iter().filter(|dimension| under(at, dimension.attribute));
        (HEADINGS[at].0.to_owned(), own.map(|dimension| written(trace, dimension)).collect())
    });
    let numbers = keys.iter().filter(|&&key| trace.keys.get(key).unit != Unit::Text);
    let numbers = numbers.map(|&key| Attribute::Number(key).name(trace));
    PivotChoices {
        dimensions: headed.filter(|(_, names): &(String, Vec<String>)| !names.is_empty()).collect(),
        server: SERVER.iter().filter(|_| is_server).map(|&measure| measure.to_owned()).collect(),
        quantities: ["duration", "self time"].map(str::to_owned).into_iter().chain(numbers).collect(),
    }
}

/// Whether a database server has named and timed its events, so that its own definitions of sums are available.
pub fn has_event_names(trace: &Trace) -> bool {
    trace.keys_in_use().contains(&key::TIMER_WAIT)
}

/// Whether the attribute has a value in this trace.
pub(super) fn is_useful(trace: &Trace, attribute: Attribute) -> bool {
    match attribute {
        Attribute::Process => has_tracks(trace, TrackKind::Process),
        Attribute::Thread => has_tracks(trace, TrackKind::Thread),
        _ => true,
    }
}

fn has_tracks(trace: &Trace, kind: TrackKind) -> bool {
    (0..trace.tracks.len() as u32).any(|id| trace.tracks.kind(TrackId(id)) == kind)
}

/// Adds an attribute and the projections that are useful for its values.
fn offer(trace: &Trace, attribute: Attribute, dimensions: &mut Vec<Dimension>) {
    let mut add = |chain: Vec<Projection>| dimensions.push(Dimension { attribute, chain });
    add(Vec::new());
    match attribute {
        Attribute::Kind | Attribute::Status => {}
        Attribute::Text(key) if key == crate::trace::key::SQL => add(vec![Projection::Shape]),
        _ if attribute.unit(trace) != Unit::Text => {
            if !matches!(attribute.unit(trace), Unit::Rows | Unit::Count) && attribute != Attribute::Start {
                // Nearly every span has a different time or size, so that only classes of them form useful groups.
                dimensions.pop();
            }
            let mut add = |chain: Vec<Projection>| dimensions.push(Dimension { attribute, chain });
            if attribute != Attribute::Start {
                add(vec![Projection::Classes]);
            } else if let Some(width) = width(trace) {
                add(vec![Projection::Step(width)]);
            }
        }
        _ => {
            let texts = sample(trace, attribute);
            for separator in ['/', '.', ':'] {
                let parts =
                    texts.iter().map(|text| text.trim_start_matches(separator).matches(separator).count());
                let deepest = parts.max().unwrap_or(0).min(MAX_PARTS as usize) as i8;
                (1..=deepest).for_each(|count| add(vec![Projection::Parts(separator, count)]));
                if deepest > 0 {
                    add(vec![Projection::Parts(separator, -1)]);
                }
            }
            if texts.iter().any(|text| text.bytes().any(|byte| byte.is_ascii_digit())) {
                add(vec![Projection::Digits]);
            }
        }
    }
}

/// A power of ten, in nanoseconds, that divides the trace into 50 to 500 steps; `None` if the trace is shorter than 50
/// ns.
fn width(trace: &Trace) -> Option<i64> {
    let step = trace.end() / 50;
    (step > 0).then(|| 10_i64.pow(step.ilog10()))
}

fn sample(trace: &Trace, attribute: Attribute) -> Vec<&str> {
    if let Some(names) = attribute.by_track(trace, LOOKED_AT) {
        return names.iter().filter_map(|name| Some(trace.str(name.some()?))).collect();
    }
    let rows = PointRows::of(trace);
    let every = (rows.len() / LOOKED_AT).max(1);
    let items = (0..rows.len() as u32).step_by(every).map(|row| rows.item(row));
    let texts = items.filter_map(|item| match attribute {
        Attribute::Name => Some(trace.name(item)),
        Attribute::Parent => parent_name(trace, item),
        Attribute::Text(key) => trace.text(item, key),
        _ => None,
    });
    texts.map(|text| trace.str(text)).collect()
}
