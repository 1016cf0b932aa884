//! [`Attribute`]: a coordinate of a span or event; [`Quantity`]: an attribute that can be measured.

use super::server::Server;
use crate::analysis::key_name;
use crate::base::interner::StrId;
use crate::trace::{Key, Trace, TrackId, TrackKind, Unit, attribute_names};

/// A property of spans and events by which they can be grouped.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Attribute {
    /// Name of the run.
    Run,
    /// Name of the process track.
    Process,
    /// Name of the thread track.
    Thread,
    /// Name of the track that holds the item.
    Track,
    /// Kind of the item: query, source, slice, …
    Kind,
    /// Name of the item.
    Name,
    /// Outcome of the item.
    Status,
    /// Name of the parent span.
    Parent,
    /// Text that stands for the statement of a query; other items have none.
    Statement,
    /// Start in nanoseconds since the run's first event.
    Start,
    /// Duration in nanoseconds; events have none.
    Duration,
    /// Part of the duration that no child covers, in nanoseconds; events have none.
    SelfTime,
    /// A text attribute of the item itself.
    Text(Key),
    /// A text attribute of the item, or of its nearest ancestor that has the attribute.
    Inside(Key),
    /// A text attribute of the item's track, or of the nearest parent track that has the attribute.
    OfTrack(Key),
    /// A numeric attribute of the item itself.
    Number(Key),
    /// A value that a database server would use in its summary tables, such as a wait time.
    Server(Server),
}

impl Attribute {
    /// The attributes that exist in every trace, in the order of `attribute_names::OF_ALL`.
    pub const KNOWN: [Attribute; attribute_names::OF_ALL.len()] = [
        Attribute::Name,
        Attribute::Kind,
        Attribute::Process,
        Attribute::Thread,
        Attribute::Track,
        Attribute::Parent,
        Attribute::Status,
        Attribute::Run,
        Attribute::Start,
        Attribute::Duration,
        Attribute::SelfTime,
    ];

    /// Name of the attribute, as it is shown and written in expressions.
    pub fn name(self, trace: &Trace) -> String {
        let known = Self::KNOWN.iter().position(|known| *known == self);
        match (self, known) {
            (_, Some(at)) => attribute_names::OF_ALL[at].to_owned(),
            (Attribute::Server(server), _) => server.name().to_owned(),
            (Attribute::Statement, _) => attribute_names::STATEMENT_TEXT.to_owned(),
            (Attribute::Inside(key), _) => format!("in {}", key_name(trace, key)),
            (Attribute::Text(key) | Attribute::OfTrack(key) | Attribute::Number(key), _) => {
                key_name(trace, key)
            }
            _ => String::new(),
        }
    }

    /// Unit of the attribute's numbers; [`Unit::Text`] for texts.
    pub fn unit(self, trace: &Trace) -> Unit {
        match self {
            Attribute::Start | Attribute::Duration | Attribute::SelfTime => Unit::Nanos,
            Attribute::Number(key) => trace.keys.get(key).unit,
            Attribute::Server(Server::Count) => Unit::Count,
            Attribute::Server(_) => Unit::Picos,
            _ => Unit::Text,
        }
    }

    /// Whether the values of the attribute are numbers.
    pub(super) fn is_number(self) -> bool {
        use Attribute::{Duration, Number, SelfTime, Server, Start};
        matches!(self, Start | Duration | SelfTime | Number(_) | Server(_))
    }

    /// By track, for the first `tracks` tracks at most: the value of an attribute of tracks, [`StrId::NONE`] where absent. `None` for
    /// other attributes.
    pub(super) fn by_track(self, trace: &Trace, tracks: usize) -> Option<Vec<StrId>> {
        match self {
            Attribute::Run => Some(track_names(trace, tracks, Some(TrackKind::Run))),
            Attribute::Process => Some(track_names(trace, tracks, Some(TrackKind::Process))),
            Attribute::Thread => Some(track_names(trace, tracks, Some(TrackKind::Thread))),
            Attribute::Track => Some(track_names(trace, tracks, None)),
            Attribute::OfTrack(key) => Some(track_texts(trace, tracks, key)),
            _ => None,
        }
    }
}

/// A number that can be measured for a span or event; points that did not report it have no value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Quantity {
    /// Duration in nanoseconds, including nested spans: *inclusive* time. Events have none.
    Duration,
    /// Part of the duration that no child covers: *exclusive* time. Events have none.
    SelfTime,
    /// Duration of the outermost spans of each group by the first dimension; all other spans have none.
    TotalTime,
    /// A numeric attribute of the item.
    Number(Key),
    /// A value that a database server would use in its summary tables.
    Server(Server),
}

/// Name of [`Quantity::TotalTime`].
pub(super) const TOTAL_TIME: &str = "total time";

impl Quantity {
    /// Name of the quantity, as it is shown and written in expressions.
    pub(super) fn name(self, trace: &Trace) -> String {
        match self {
            Quantity::TotalTime => TOTAL_TIME.to_owned(),
            _ => self.attribute().name(trace),
        }
    }

    /// Whether the quantity is a time of spans, which a time range clips.
    pub(super) fn is_span_time(self) -> bool {
        matches!(self, Quantity::Duration | Quantity::SelfTime | Quantity::TotalTime)
    }

    /// The attribute that holds the quantity of single points.
    pub fn attribute(self) -> Attribute {
        match self {
            Quantity::Duration | Quantity::TotalTime => Attribute::Duration,
            Quantity::SelfTime => Attribute::SelfTime,
            Quantity::Number(key) => Attribute::Number(key),
            Quantity::Server(server) => Attribute::Server(server),
        }
    }

    /// Whether the quantity of a span includes the quantity of nested spans, as times do.
    pub(super) fn includes_nested(self, trace: &Trace) -> bool {
        match self {
            Quantity::Duration | Quantity::TotalTime => true,
            Quantity::Number(key) => matches!(trace.keys.get(key).unit, Unit::Nanos | Unit::Picos),
            Quantity::SelfTime | Quantity::Server(_) => false,
        }
    }

    /// Whether the quantity is an amount that a span and its nested spans may both report: see
    /// [`Levels`](crate::analysis::Levels).
    pub(super) fn adds_up(self, trace: &Trace) -> bool {
        matches!(self, Quantity::Number(_)) && !self.includes_nested(trace)
    }
}

/// By track: the name of the nearest track of this kind at or above it, or the track's own name if `kind` is `None`.
fn track_names(trace: &Trace, tracks: usize, kind: Option<TrackKind>) -> Vec<StrId> {
    downwards(trace, tracks, |id| {
        let track = trace.tracks.get(id);
        kind.is_none_or(|kind| kind == track.kind).then_some(track.name)
    })
}

fn track_texts(trace: &Trace, tracks: usize, key: Key) -> Vec<StrId> {
    let mut own = trace.track_texts.all(key).peekable();
    downwards(trace, tracks, |id| own.next_if(|(track, _)| *track == id).map(|(_, text)| text))
}

/// By track: its own value from `own`, or the value of the nearest parent track that has one. Parent tracks precede
/// their children.
fn downwards(trace: &Trace, tracks: usize, mut own: impl FnMut(TrackId) -> Option<StrId>) -> Vec<StrId> {
    let tracks = tracks.min(trace.tracks.len());
    let mut found: Vec<StrId> = Vec::with_capacity(tracks);
    for id in (0..tracks as u32).map(TrackId) {
        let above = trace.tracks.get(id).parent.and_then(|parent| found.get(parent.0 as usize)).copied();
        found.push(own(id).or(above).unwrap_or(StrId::NONE));
    }
    found
}
