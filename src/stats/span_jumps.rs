//! Jumps from a span to another span. Each jump takes one pass over all spans, which reads only a few numbers of spans
//! that are not targets.

use std::ops::Range;

use crate::analysis::{Bits, SqlShapes, StatementTexts};
use crate::base::{chunked, text};
use crate::protocol::{JumpTarget, SpanJump};
use crate::trace::{EventId, Flags, Item, Kind, SpanId, StrId, Trace};

/// Maximum length of the name in a reply, in characters.
const NAME: usize = 80;

/// Order of the targets: negated duration (0 for an order by start), run, start, item code.
type JumpOrder = (i64, u32, i64, u32);

/// The property that all targets of a jump have in common.
enum JumpSet {
    Failed,
    /// Spans with a start and an end in the trace, of a kind, or of any but idle ones.
    Complete(Option<Kind>),
    /// Spans (`true`) or events (`false`) of a kind and name.
    Named(bool, Kind, StrId),
    /// Queries whose statements have this shape.
    Shape(u32),
}

/// The targets around the item where a jump begins.
#[derive(Default)]
struct JumpNeighbours {
    total: u32,
    /// Number of targets before the item, and of targets at the item: 0 or 1.
    before: u32,
    at: u32,
    first: Option<JumpOrder>,
    last: Option<JumpOrder>,
    previous: Option<JumpOrder>,
    next: Option<JumpOrder>,
}

impl JumpNeighbours {
    #[inline]
    fn add(&mut self, from: Option<JumpOrder>, place: JumpOrder) {
        self.total += 1;
        let is_less = |known: Option<JumpOrder>| known.is_none_or(|known| place < known);
        if is_less(self.first) {
            self.first = Some(place);
        }
        self.last = self.last.max(Some(place));
        match from {
            Some(from) if place < from => {
                self.before += 1;
                self.previous = self.previous.max(Some(place));
            }
            Some(from) if place == from => self.at = 1,
            _ if is_less(self.next) => self.next = Some(place),
            _ => {}
        }
    }

    /// The next target after the item (or before it), its position, and whether the search continued at the other end.
    fn target(&self, backwards: bool) -> (Option<JumpOrder>, u32, bool) {
        match (backwards, self.previous, self.next) {
            (true, Some(previous), _) => (Some(previous), self.before, false),
            (true, None, _) => (self.last, self.total, self.total > 0),
            (false, _, Some(next)) => (Some(next), self.before + self.at + 1, false),
            (false, _, None) => (self.first, self.total.min(1), self.total > 0),
        }
    }
}

/// Finds the target of a jump from an item. `passing` are the spans and events that match a filter, spans by their ids, then
/// events. `shapes` keeps the shapes of statements for the next jump.
#[inline(never)]
pub fn span_jump(
    trace: &Trace,
    shapes: &mut SqlShapes,
    from: Option<Item>,
    target: JumpTarget,
    passing: Option<&Bits>,
) -> SpanJump {
    use JumpTarget::{
        LongerOfName, Longest, LongestOfName, NextFailed, NextOfName, PreviousFailed, PreviousOfName,
    };
    let mut named = || from.map(|item| set_of_name(trace, shapes, item));
    let set = match target {
        Longest => Some(JumpSet::Complete(kind_at_hand(trace, from))),
        NextFailed | PreviousFailed => Some(JumpSet::Failed),
        NextOfName | PreviousOfName | LongestOfName | LongerOfName => named(),
    };
    let mut found = SpanJump { filtered: passing.is_some(), ..SpanJump::default() };
    let Some(set) = set else { return found };
    let by_duration = matches!(target, Longest | LongestOfName | LongerOfName);
    let order = |run: u32, item: Item| {
        let (start, _) = trace.interval(item);
        let duration = if let Item::Span(id) = item { trace.duration(id) } else { 0 };
        (if by_duration { duration.saturating_neg() } else { 0 }, run, start, item.code())
    };
    let begins = from.filter(|_| !matches!(target, Longest | LongestOfName));
    let begins = begins.map(|item| order(trace.run_of(trace.track_of(item)).0, item));
    let mut around = JumpNeighbours::default();
    for_each(trace, &set, shapes, passing, |run, item| around.add(begins, order(run, item)));
    let is_backwards = matches!(target, PreviousFailed | PreviousOfName | LongerOfName);
    let (place, position, wrapped) = around.target(is_backwards);
    (found.item, found.position) = (place.map(|place| place.3), position);
    (found.total, found.wrapped) = (around.total, wrapped);
    if let JumpSet::Complete(Some(kind)) = set {
        found.kind = Some(kind.name().to_owned());
    }
    found.is_of_shape = matches!(set, JumpSet::Shape(_));
    let name = match (&set, from) {
        (JumpSet::Named(.., name), _) => Some(*name),
        (JumpSet::Shape(_), Some(item)) => Some(StatementTexts::new(trace).of(item)),
        _ => None,
    };
    found.name = name.map(|name| text::shortened(trace.str(name), NAME));
    found
}

/// The kind whose longest span is searched. Of all kinds, the longest would be a request or another span that only encloses
/// the work.
fn kind_at_hand(trace: &Trace, from: Option<Item>) -> Option<Kind> {
    let of_span = from.filter(|item| matches!(item, Item::Span(_))).map(|item| trace.kind(item));
    let of_queries = || trace.spans.has(Kind::Query).then_some(Kind::Query);
    of_span.filter(|&kind| kind != Kind::Idle).or_else(of_queries)
}

fn set_of_name(trace: &Trace, shapes: &mut SqlShapes, item: Item) -> JumpSet {
    match trace.kind(item) {
        Kind::Query => JumpSet::Shape(shapes.of(trace, StatementTexts::new(trace).of(item))),
        kind => JumpSet::Named(matches!(item, Item::Span(_)), kind, trace.name(item)),
    }
}

/// Calls `each` with every target and the index of its run.
fn for_each(
    trace: &Trace,
    set: &JumpSet,
    shapes: &mut SqlShapes,
    passing: Option<&Bits>,
    mut each: impl FnMut(u32, Item),
) {
    let texts = StatementTexts::new(trace);
    let passes = |row: u32| passing.is_none_or(|passing| passing.contains(row));
    let mut of_run = |run: u32, spans: Range<u32>, events: Range<u32>, each: &mut dyn FnMut(u32, Item)| {
        let mut walk = |is_in: &mut dyn FnMut(SpanId) -> bool| {
            chunked::for_each(spans.clone(), |id| {
                if is_in(SpanId(id)) && passes(id) {
                    each(run, Item::Span(SpanId(id)));
                }
            });
        };
        let kind_and_flags = |id| trace.spans.kind_and_flags(id);
        match *set {
            JumpSet::Failed => walk(&mut |id| {
                let (_, flags) = kind_and_flags(id);
                flags.has(Flags::FAILED) && !flags.has(Flags::SEGMENT)
            }),
            JumpSet::Complete(wanted) => walk(&mut |id| {
                let (kind, flags) = kind_and_flags(id);
                let left_out = [Flags::SEGMENT, Flags::OPEN_START, Flags::OPEN_END];
                wanted.map_or(kind != Kind::Idle, |wanted| kind == wanted)
                    && !left_out.iter().any(|flag| flags.has(*flag))
            }),
            JumpSet::Named(true, kind, name) => {
                walk(&mut |id| trace.spans.name(id) == name && trace.spans.kind(id) == kind);
            }
            JumpSet::Shape(shape) => walk(&mut |id| {
                trace.spans.kind(id) == Kind::Query && shapes.of(trace, texts.of(Item::Span(id))) == shape
            }),
            JumpSet::Named(false, kind, name) => {
                chunked::for_each(events, |id| {
                    let event = Item::Event(EventId(id));
                    let row = (trace.spans.len() as u32).saturating_add(id);
                    if trace.name(event) == name && trace.kind(event) == kind && passes(row) {
                        each(run, event);
                    }
                });
            }
        }
    };
    for (run, of) in (0..).zip(trace.runs.iter()) {
        let (spans, events) = (trace.tracks.subtree_spans(of.track), trace.tracks.subtree_events(of.track));
        of_run(run, spans, events, &mut each);
    }
}
