//! Index of the children of spans. A span stores only its parent; the index is built in one pass, so that the spans
//! inside an execution are found without reading all other spans.

use crate::trace::{SpanId, Trace};

/// Index of the children of every span.
#[derive(Default)]
pub struct ChildSpans {
    /// By span: position in `ids` of its first child; one more entry at the end.
    first: Vec<u32>,
    /// Children, grouped by parent, in the order of their ids.
    ids: Vec<u32>,
}

impl ChildSpans {
    /// Indexes all spans.
    pub fn of(trace: &Trace) -> Self {
        let n = trace.spans.len() as u32;
        let mut first = vec![0_u32; n as usize + 2];
        let parents = || (0..n).filter_map(|id| Some((id, trace.spans.parent(SpanId(id))?.0)));
        parents().for_each(|(_, parent)| first[parent as usize + 2] += 1);
        (1..first.len()).for_each(|at| first[at] += first[at - 1]);
        let mut ids = vec![0; first.last().map_or(0, |&len| len as usize)];
        // While the ids are filled in, the next entry counts how many are there.
        for (id, parent) in parents() {
            let at = &mut first[parent as usize + 1];
            ids[*at as usize] = id;
            *at += 1;
        }
        first.truncate(n as usize + 1);
        Self { first, ids }
    }

    /// Children of a span, in the order of their ids: by track, then by start.
    pub fn children(&self, span: SpanId) -> &[u32] {
        let at = span.0 as usize;
        let range = self.first.get(at).zip(self.first.get(at + 1));
        range.map_or(&[], |(&from, &to)| &self.ids[from as usize..to as usize])
    }

    /// Adds a span and all spans inside it to `found`, in no particular order. Descendants for which `enters` returns
    /// false are left out with everything inside them; `span` itself is always added.
    pub fn inside(&self, span: SpanId, enters: impl Fn(SpanId) -> bool, found: &mut Vec<SpanId>) {
        let mut at = found.len();
        found.push(span);
        while let Some(&span) = found.get(at) {
            found.extend(self.children(span).iter().map(|&id| SpanId(id)).filter(|&id| enters(id)));
            at += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn the_children_are_the_spans_with_this_parent() {
        for trace in [testing::queries(50), testing::trace("run empty 10")] {
            let index = ChildSpans::of(&trace);
            let all = || (0..trace.spans.len() as u32).map(SpanId);
            for span in all() {
                let expected: Vec<u32> =
                    all().filter(|&id| trace.spans.parent(id) == Some(span)).map(|id| id.0).collect();
                assert_eq!(index.children(span), expected);
                let mut found = Vec::new();
                index.inside(span, |_| true, &mut found);
                found.sort_unstable();
                let is_inside = |id: &SpanId| {
                    std::iter::successors(Some(*id), |&at| trace.spans.parent(at)).any(|at| at == span)
                };
                assert_eq!(found, all().filter(is_inside).collect::<Vec<_>>());
            }
            assert_eq!(index.children(SpanId(u32::MAX)), [] as [u32; 0]);
        }
    }
}
