//! [`FrameBuilder`]: collects the frames of a merged flame graph.

use std::ops::Range;

use super::build::{Labels, MAX_PATH};
use super::{FrameDimension, FrameLabel, FrameNode, FrameWeight, Merged};
use crate::base::FxHashMap;
use crate::base::sort;
use crate::protocol::{MergedSpec, StackForm};
use crate::trace::{Span, Trace, Unit};

/// Frames without values, and the frame of each span. They do not depend on what counts, on the weight, or on the form of the
/// stacks.
pub struct KeptFrames {
    /// The spec of the grouping.
    spec: MergedSpec,
    pub(super) frames: FrameBuilder,
    /// Frame of each span.
    pub(super) of_span: Vec<u32>,
    /// Names of hidden calls, where the trace has them, otherwise their hashes.
    pub(super) hidden: Vec<String>,
}

impl KeptFrames {
    /// Puts all spans into the outermost frame.
    pub(super) fn new(trace: &Trace, spec: &MergedSpec) -> Self {
        let (frames, of_span) = (FrameBuilder::default(), vec![0; trace.spans.len()]);
        Self { spec: grouping(spec), frames, of_span, hidden: spec.hidden.clone() }
    }

    /// Whether a graph has these frames, apart from those of events.
    pub(super) fn is_for(&self, spec: &MergedSpec) -> bool {
        self.spec == grouping(spec)
    }
}

/// The part of a spec that determines the frames of spans.
fn grouping(spec: &MergedSpec) -> MergedSpec {
    MergedSpec {
        path: spec.path.clone(),
        arguments: spec.arguments.clone(),
        hidden: spec.hidden.clone(),
        collapse_recursion: spec.collapse_recursion,
        ..MergedSpec::default()
    }
}

/// Frames of a merged flame graph that is being built.
pub(super) struct FrameBuilder {
    pub(super) frames: Vec<FrameNode>,
    /// By frame: nearest ancestor that is not a stack frame, or the frame itself.
    pub(super) bases: Vec<u32>,
    /// By frame: total time of its outermost spans, and the frame's depth.
    pub(super) times: Vec<(i128, u32)>,
    pub(super) ids: FxHashMap<(u32, u8, FrameLabel), u32>,
}

impl Default for FrameBuilder {
    fn default() -> Self {
        let frames = vec![FrameNode::new(0, None, FrameLabel::All)];
        Self { frames, bases: vec![0], times: vec![(0, 0)], ids: FxHashMap::default() }
    }
}

/// Position of stack frames in a path: after all dimensions.
pub(super) const CALLS: u8 = MAX_PATH as u8;

impl FrameBuilder {
    /// Returns the frame with these labels, and creates it if it does not exist.
    pub(super) fn at(&mut self, path: &[FrameDimension], labels: &Labels) -> u32 {
        let known = path.iter().zip(labels).enumerate();
        let known = known.filter_map(|(at, (&dimension, label))| Some((at as u8, dimension, (*label)?)));
        known.fold(0, |parent, (at, dimension, label)| self.child(parent, (at, label), dimension))
    }

    /// Returns the stack frame of a span below the frame of its caller. With `collapse_recursion`, a call with the name
    /// of its caller is merged into the caller's frame.
    pub(super) fn call(&mut self, caller: u32, span: &Span, collapse_recursion: bool) -> u32 {
        let (above, label) = (&self.frames[caller as usize], FrameLabel::Text(span.name));
        if collapse_recursion && above.dimension == Some(FrameDimension::Stack) && above.label == label {
            return caller;
        }
        let id = self.child(caller, (CALLS, label), FrameDimension::Stack);
        self.bases[id as usize] = self.bases[caller as usize];
        id
    }

    pub(super) fn child(
        &mut self,
        parent: u32,
        (at, label): (u8, FrameLabel),
        dimension: FrameDimension,
    ) -> u32 {
        let next = self.frames.len() as u32;
        let id = *self.ids.entry((parent, at, label)).or_insert(next);
        if id == next {
            self.frames.push(FrameNode::new(parent, Some(dimension), label));
            self.bases.push(id);
            self.times.push((0, self.times[parent as usize].1 + 1));
        }
        id
    }

    /// Adds time to `frame` and its ancestors, except to the frame `around` and its ancestors. Returns the number of
    /// frames that the time was added to.
    pub(super) fn add_time(&mut self, mut frame: u32, around: Option<u32>, time: i128) -> u32 {
        let mut counted = 0;
        let Some(mut other) = around else {
            loop {
                self.times[frame as usize].0 += time;
                counted += 1;
                if frame == 0 {
                    return counted;
                }
                frame = self.frames[frame as usize].parent;
            }
        };
        while frame != other {
            let (inner, outer) = (self.times[frame as usize].1, self.times[other as usize].1);
            if inner >= outer {
                self.times[frame as usize].0 += time;
                counted += 1;
                frame = self.frames[frame as usize].parent;
            }
            if outer >= inner {
                other = self.frames[other as usize].parent;
            }
        }
        counted
    }

    /// Labels of a frame along the path.
    pub(super) fn labels(&self, path: &[FrameDimension], mut id: u32) -> Labels {
        let mut labels = Labels::default();
        id = self.bases[id as usize];
        while id != 0 {
            let frame = &self.frames[id as usize];
            if let Some(at) = path.iter().position(|&dimension| Some(dimension) == frame.dimension) {
                labels[at] = Some(frame.label);
            }
            id = frame.parent;
        }
        labels
    }

    /// Adds an item to a frame. Negative values count as 0.
    pub(super) fn add(&mut self, id: u32, value: Option<i64>) {
        let frame = &mut self.frames[id as usize];
        if let Some(value) = value {
            frame.own += i128::from(value.max(0));
            frame.own_count += 1;
        }
    }

    /// Returns the totals of all frames, and sets all values to 0; the frames stay.
    pub(super) fn take_values(&mut self, weight: FrameWeight) -> Vec<i128> {
        self.add_up(weight);
        let values = self.frames.iter().map(|frame| frame.value).collect();
        self.clear();
        values
    }

    /// Sets all values to 0; the frames stay.
    pub(super) fn clear(&mut self) {
        for frame in &mut self.frames {
            (frame.value, frame.own, frame.width) = (0, 0, 0);
            (frame.count, frame.own_count, frame.levels) = (0, 0, 0);
        }
        self.times.iter_mut().for_each(|(time, _)| *time = 0);
    }

    pub(super) fn finish(&mut self, weight: FrameWeight) -> Merged {
        self.add_up(weight);
        let order = self.sort();
        self.place(&order);
        Merged {
            weight,
            unit: Unit::Count,
            arguments: Vec::new(),
            stacks: StackForm::Callees,
            hidden: Vec::new(),
            frames: self.frames.clone(),
            order,
            others: None,
        }
    }

    /// Computes the totals of all frames. Children come after their parents, so that one backward pass is enough.
    fn add_up(&mut self, weight: FrameWeight) {
        for at in (0..self.frames.len()).rev() {
            // At this point, `value` is the sum of the children's widths.
            let frame = &mut self.frames[at];
            let below = frame.value;
            frame.count += frame.own_count;
            frame.value = match weight {
                FrameWeight::Time => self.times[at].0,
                _ => frame.own + below,
            };
            frame.width = frame.value.max(below);
            let FrameNode { parent, width, count, levels, .. } = *frame;
            if at > 0 {
                let parent = &mut self.frames[parent as usize];
                parent.value += width;
                parent.count += count;
                parent.levels = parent.levels.max(levels.saturating_add(1));
            }
        }
    }

    /// Orders all frames by parent, then by descending width, and sets the children of each frame to their range in
    /// this order, which it returns. Equally wide frames keep their order of creation.
    fn sort(&mut self) -> Vec<u32> {
        let mut order: Vec<u32> = (1..self.frames.len() as u32).collect();
        let frame = |id: u32| &self.frames[id as usize];
        sort::by(&mut order, |&a, &b| {
            frame(a).parent.cmp(&frame(b).parent).then(frame(b).width.cmp(&frame(a).width))
        });
        let parents: Vec<u32> = order.iter().map(|&id| self.frames[id as usize].parent).collect();
        let mut at = 0;
        for siblings in parents.chunk_by(|a, b| a == b) {
            let end = at + siblings.len() as u32;
            self.frames[siblings[0] as usize].children = at..end;
            at = end;
        }
        order
    }

    fn place(&mut self, order: &[u32]) {
        for parent in 0..self.frames.len() {
            let Range { start, end } = self.frames[parent].children;
            let mut left = self.frames[parent].start;
            for &child in &order[start as usize..end as usize] {
                self.frames[child as usize].start = left;
                left += self.frames[child as usize].width;
            }
        }
    }
}

impl FrameNode {
    fn new(parent: u32, dimension: Option<FrameDimension>, label: FrameLabel) -> Self {
        let value = 0;
        let own = 0;
        let width = 0;
        let start = 0;
        let count = 0;
        let own_count = 0;
        let levels = 0;
        let children = 0..0;
        let kind = None;
        Self { parent, dimension, label, kind, value, own, count, own_count, width, levels, start, children }
    }
}
