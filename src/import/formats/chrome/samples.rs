//! Samples to spans: as long as the profiler saw the same call on the stack, it is one span.
//!
//! What is between two samples is not known: a span reaches from the first sample that saw it to the next one that did not. Each
//! sample counts until the next one in time, as it does in DevTools and in Perfetto; the order in which samples were written does not matter.
//! Unlike DevTools, nothing is guessed: a stack is drawn as it was seen, also where only `(program)` or the garbage collector was.

use super::names::ThreadId;
use super::profile::{ProfileChunk, ProfileNode, SampledProfile};
use super::reader::REACH;
use crate::base::interner::{Interner, StrId};
use crate::base::sort;
use crate::trace::RecordId;

/// A call, as it was seen.
#[derive(Clone, Copy, Debug)]
pub struct SampledCall {
    pub start: i64,
    pub end: i64,
    pub name: StrId,
    pub place: StrId,
    /// The position of the caller.
    pub parent: Option<u32>,
    pub depth: u16,
    /// The record of the first sample that saw it.
    pub record: RecordId,
    /// Whether the thread had nothing to do.
    pub idle: bool,
}

/// All calls that a profile saw, by start.
pub struct SampledCalls {
    pub thread: ThreadId,
    /// What took the samples, or [`StrId::EMPTY`].
    pub title: StrId,
    pub list: Vec<SampledCall>,
}

/// Deeper stacks are cut.
const DEEPEST: usize = 512;

/// A sample: when it was taken, and the node that was seen.
#[derive(Clone, Copy)]
struct ProfileSample {
    time: i64,
    node: i64,
    record: RecordId,
}

/// The calls of a profile.
#[inline(never)]
pub fn calls(profile: &SampledProfile, strings: &Interner) -> SampledCalls {
    let (start, samples) = in_time(profile);
    let mut stacks = SampleStackWalker { profile, strings, open: Vec::new(), list: Vec::new() };
    samples.iter().for_each(|sample| stacks.see(sample));
    let end = match *samples.as_slice() {
        [] => start,
        [ProfileSample { time, .. }] => time.saturating_add(time.saturating_sub(start).max(0)),
        [.., before, last] => last.time.saturating_add(last.time.saturating_sub(before.time)),
    };
    // Where nothing says when the profiler stopped, the last sample counts as long as the one before.
    let end = profile.end.filter(|end| samples.last().is_some_and(|last| *end >= last.time)).unwrap_or(end);
    stacks.close(0, end);
    SampledCalls { thread: profile.thread, title: profile.title, list: stacks.list }
}

/// When a profile begins, and its samples by time. Several threads hand samples to a profiler: some come late, and the time
/// since the one before is negative.
fn in_time(profile: &SampledProfile) -> (i64, Vec<ProfileSample>) {
    let mut chunks: Vec<&ProfileChunk> = profile.chunks.iter().collect();
    sort::by_key(&mut chunks, |chunk| (chunk.time, 0));
    let start = profile.start.or_else(|| before_first(&chunks)).unwrap_or(0);
    let mut time = start;
    let mut samples: Vec<ProfileSample> =
        Vec::with_capacity(chunks.iter().map(|chunk| chunk.samples.len()).sum());
    for ProfileChunk { samples: list, record, .. } in chunks {
        for &(node, delta) in list {
            time = time.saturating_add(delta).clamp(-REACH, REACH);
            samples.push(ProfileSample { time, node, record: *record });
        }
    }
    sort::by_key(&mut samples, |sample| (sample.time, 0));
    (start, samples)
}

/// The first chunk was written when its last sample was taken.
fn before_first(chunks: &[&ProfileChunk]) -> Option<i64> {
    let first = chunks.iter().find(|chunk| !chunk.samples.is_empty())?;
    let length = first.samples.iter().fold(0_i64, |sum, (_, delta)| sum.saturating_add(*delta));
    first.time.checked_sub(length)
}

struct SampleStackWalker<'a> {
    profile: &'a SampledProfile,
    strings: &'a Interner,
    /// The nodes that are on the stack, from the outermost, and the positions of their calls.
    open: Vec<(i64, u32)>,
    list: Vec<SampledCall>,
}

impl SampleStackWalker<'_> {
    fn see(&mut self, &ProfileSample { time, node: leaf, record }: &ProfileSample) {
        let stack = self.stack(leaf);
        let same = stack.iter().zip(&self.open).take_while(|((node, _), (open, _))| node == open).count();
        self.close(same, time);
        for (node, ProfileNode { name, place, .. }) in stack.into_iter().skip(same) {
            let (parent, depth) = (self.open.last().map(|open| open.1), self.open.len() as u16);
            let idle = self.name(name) == "(idle)";
            self.open.push((node, self.list.len() as u32));
            self.list.push(SampledCall { start: time, end: time, name, place, parent, depth, record, idle });
        }
    }

    fn close(&mut self, from: usize, time: i64) {
        for (_, at) in self.open.drain(from..) {
            let seen = &mut self.list[at as usize];
            seen.end = seen.start.max(time);
        }
    }

    /// The nodes from the outermost call to `leaf`, without the root that stands for all of them.
    fn stack(&self, leaf: i64) -> Vec<(i64, ProfileNode)> {
        let node = |id: i64| self.profile.nodes.get(&id).map(|node| (id, *node));
        let above = |(_, below): &(i64, ProfileNode)| below.parent.and_then(node);
        let mut stack: Vec<(i64, ProfileNode)> =
            std::iter::successors(node(leaf), above).take(DEEPEST).collect();
        stack.retain(|(_, node)| self.name(node.name) != "(root)");
        stack.reverse();
        stack
    }

    fn name(&self, name: StrId) -> &str {
        name.some().map_or("", |name| self.strings.get(name))
    }
}
