//! Aligns the spans of two executions one by one.

use super::pairs::matched;
use super::steps::SpanReader;
use crate::analysis::{ChildSpans, SqlShapes, StepLabel};
use crate::base::{FxHashMap, FxHashSet, sort};
use crate::trace::{Item, Kind, SpanId, Trace};

/// The spans of two executions, and for each span its partner: the span that executes the same step in the other
/// execution.
pub struct AlignedSpans {
    /// Root spans of both executions.
    pub roots: [SpanId; 2],
    /// All spans of each execution, nested statements included; parents before children.
    pub spans: [FxHashSet<SpanId>; 2],
    partners: [FxHashMap<SpanId, SpanId>; 2],
}

/// Spans of one step on each side, with their places in the plan.
type StepSpans = [Vec<(SpanId, Option<i64>)>; 2];

impl AlignedSpans {
    /// Aligns the executions with these root spans. Spans are partners if they have the same kind and step. If several
    /// spans match, those at equal places of the plan are paired first, then the others in the order of their starts.
    /// The roots are always partners.
    pub fn of(trace: &Trace, roots: [SpanId; 2]) -> Self {
        let mut shapes = SqlShapes::default();
        let mut reader = SpanReader::new(trace, &mut shapes);
        let mut steps: FxHashMap<(Kind, StepLabel), StepSpans> = FxHashMap::default();
        let children = ChildSpans::of(trace);
        let below = roots.map(|root| descendants(trace, &children, root));
        for (side, below) in below.iter().enumerate() {
            for &id in below {
                let (kind, label, place) = reader.key(id, trace.spans.kind(id));
                steps.entry((kind, label)).or_default()[side].push((id, place));
            }
        }
        let mut partners: [FxHashMap<SpanId, SpanId>; 2] =
            [[(roots[0], roots[1])], [(roots[1], roots[0])]].map(FxHashMap::from_iter);
        for [a, b] in steps.into_values().flat_map(|step| matched(step, |(_, place)| *place)) {
            if let Some(((a, _), (b, _))) = a.zip(b) {
                partners[0].insert(a, b);
                partners[1].insert(b, a);
            }
        }
        let mut spans = below.map(FxHashSet::from_iter);
        spans.iter_mut().zip(roots).for_each(|(spans, root)| {
            spans.insert(root);
        });
        Self { roots, spans, partners }
    }

    /// Returns the partner of span `id` of execution `side` (0 or 1): the span that executes the same step in the other
    /// execution. `None` if there is none.
    pub fn partner(&self, side: usize, id: SpanId) -> Option<SpanId> {
        self.partners[side].get(&id).copied()
    }

    /// Number of spans of the execution `side` (0 or 1), and of those that have a partner.
    pub fn counts(&self, side: usize) -> (usize, usize) {
        (self.spans[side].len(), self.partners[side].len())
    }

    /// Index of the execution that an item belongs to; the first one if it belongs to both.
    pub fn side_of(&self, trace: &Trace, item: Item) -> Option<usize> {
        let id = span_at(trace, item)?;
        self.spans.iter().position(|spans| spans.contains(&id))
    }
}

/// The span itself, or the span that an event belongs to; `None` for an event without a span.
pub fn span_at(trace: &Trace, item: Item) -> Option<SpanId> {
    match item {
        Item::Span(id) => Some(id),
        Item::Event(_) => trace.parent(item),
    }
}

/// Returns all spans below a span, in the order of their starts.
fn descendants(trace: &Trace, children: &ChildSpans, root: SpanId) -> Vec<SpanId> {
    let mut below = Vec::new();
    children.inside(root, |_| true, &mut below);
    below.retain(|&id| id != root);
    sort::by_key(&mut below, |&id| (trace.spans.bounds(id).0, u64::from(id.0)));
    below
}
