//! Arrows of a span or instant: the items that it depends on, and the items that depend on it.

use std::collections::VecDeque;

use super::SceneCache;
use crate::base::FxHashSet;
use crate::base::sort;
use crate::protocol::{Arrow, Arrows, ViewSpec};
use crate::trace::{Flow, Item, Trace};

/// Maximum number of arrows drawn; in a larger number, single arrows would be indistinguishable.
const MAX_ARROWS: usize = 500;

/// Returns the arrows of the dependency chain through an item: its direct and indirect causes and effects.
pub(super) fn arrows(scenes: &mut SceneCache, trace: &Trace, spec: &ViewSpec, item: Item) -> Arrows {
    if !trace.contains(item) {
        return Arrows::default();
    }
    let mut flows = chain(trace, item);
    flows.retain(|flow| scenes.is_shown(flow.from) && scenes.is_shown(flow.to));
    let more = flows.len().saturating_sub(MAX_ARROWS) as u32;
    flows.truncate(MAX_ARROWS);
    let mut middle = |item: Item| {
        let place = scenes.locate(trace, spec, item, false)?;
        Some(place.top + f64::from(place.height) / 2.0)
    };
    let arrow = |flow: Flow<Item>| {
        let Flow { from, to, leaves, arrives, .. } = flow;
        let direct = from == item || to == item;
        Some(Arrow { leaves, from: middle(from)?, arrives, to: middle(to)?, direct })
    };
    Arrows { list: flows.into_iter().filter_map(arrow).collect(), more }
}

/// Returns all flows of the dependency chain through an item, the nearest first.
fn chain(trace: &Trace, item: Item) -> Vec<Flow<Item>> {
    let mut found = Vec::new();
    for forwards in [true, false] {
        let (mut seen, mut next) = (FxHashSet::from_iter([item]), VecDeque::from([(item, 0_u32)]));
        while let Some((at, distance)) = next.pop_front() {
            let flows = if forwards { trace.flows.leaving_item(at) } else { trace.flows.reaching_item(at) };
            for flow in flows {
                let other = if forwards { flow.to } else { flow.from };
                found.push((distance, flow));
                if seen.insert(other) {
                    next.push_back((other, distance + 1));
                }
            }
        }
    }
    sort::by_key(&mut found, |(distance, _)| (i64::from(*distance), 0));
    found.into_iter().map(|(_, flow)| flow).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::interner::{Interner, StrId};
    use crate::protocol::{Arrangement, ColorBy, ViewKind};
    use crate::trace::{Flags, Kind, RecordId, Span, SpanId, TraceBuilder, TrackKind};

    /// Creates five spans on tracks of their own, with an arrow from each to the next, and from the first to the third.
    fn trace() -> Trace {
        let mut builder = TraceBuilder::new(Interner::default());
        let name = builder.strings().intern("s");
        let run = builder.run(name, 0, 100, 0);
        for start in 0..5 {
            builder.track(builder.root(run), name, TrackKind::Thread);
            let flags = Flags::default();
            let begin = RecordId::NONE;
            let end = RecordId::NONE;
            let duration = 5;
            let parent = None;
            let kind = Kind::Slice;
            let depth = 0;
            let span = Span { start: start * 10, duration, parent, name, kind, flags, depth, begin, end };
            let shape = builder.shape(&[], &[]);
            builder.span(span, shape, &[], &[]);
        }
        for (from, to) in [(0, 1), (1, 2), (2, 3), (0, 2)] {
            let (leaves, arrives) = (i64::from(from) * 10 + 5, i64::from(to) * 10);
            let from = SpanId(from);
            let to = SpanId(to);
            let records = (RecordId::NONE, RecordId::NONE);
            builder.flow(Flow { name: StrId::EMPTY, from, to, leaves, arrives, records });
        }
        builder.finish()
    }

    #[test]
    fn the_chain_is_all_that_leads_here_and_on() {
        let (trace, spec) = (trace(), ViewSpec::new(ViewKind::Gantt(Arrangement::ByQuery), ColorBy::Kind));
        let check = |item: Item, expected: &[(i64, i64, bool)]| {
            let found = arrows(&mut SceneCache::default(), &trace, &spec, item);
            let list: Vec<_> = found.list.iter().map(|a| (a.leaves, a.arrives, a.direct)).collect();
            assert_eq!(list, expected, "{item:?}");
            assert!(found.list.iter().all(|arrow| arrow.from < arrow.to));
        };
        let all = [(5, 10, true), (5, 20, true), (15, 20, false), (25, 30, false)];
        check(Item::Span(SpanId(0)), &all);
        check(Item::Span(SpanId(3)), &[(25, 30, true), (5, 20, false), (15, 20, false), (5, 10, false)]);
        check(Item::Span(SpanId(4)), &[]);
        check(Item::Span(SpanId(9)), &[]);
        check(Item::Event(crate::trace::EventId(0)), &[]);
    }
}
