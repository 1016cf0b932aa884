//! Converts samples to spans: a call is one span as long as successive samples show it on the stack.
//!
//! What happens between two samples is unknown: a span extends from the first sample that shows the call to the next one that
//! does not. Samples are ordered by time, not by their order in the file, and each counts until the next one, as in DevTools
//! and Perfetto. Unlike DevTools, nothing is guessed: stacks with only `(program)` or the garbage collector are drawn as
//! sampled.

use super::names::ThreadId;
use super::profile::{ProfileChunk, ProfileNode, SampledProfile};
use super::reader::REACH;
use crate::base::interner::{Interner, StrId};
use crate::base::sort;
use crate::trace::RecordId;

/// A call, from the first sample that shows it to the next one that does not. Times are in nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct SampledCall {
    pub start: i64,
    pub end: i64,
    pub name: StrId,
    pub place: StrId,
    /// Index of the caller's call; `None` for the outermost call.
    pub parent: Option<u32>,
    pub depth: u16,
    /// Record of the first sample that shows the call.
    pub record: RecordId,
    /// Whether the thread was idle.
    pub idle: bool,
}

/// All calls of a profile, by start.
pub struct SampledCalls {
    pub thread: ThreadId,
    /// Name of the sampler; [`StrId::EMPTY`] if the file does not name it.
    pub title: StrId,
    pub list: Vec<SampledCall>,
}

/// Maximum number of calls of a stack that are kept, counted from the innermost call. The calls around them are left
/// out.
const DEEPEST: usize = 512;

/// A sample: its time in nanoseconds and the sampled node.
#[derive(Clone, Copy)]
struct ProfileSample {
    time: i64,
    node: i64,
    record: RecordId,
}

/// Calls of a profile.
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
    // If no event states when the profiler stopped, the last sample counts as long as the one before it.
    let end = profile.end.filter(|end| samples.last().is_some_and(|last| *end >= last.time)).unwrap_or(end);
    stacks.close(0, end);
    SampledCalls { thread: profile.thread, title: profile.title, list: stacks.list }
}

/// Start of a profile, and its samples by time. Several threads pass samples to a profiler, so that some arrive late:
/// the time since the previous sample is then negative.
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

/// Start of the profile, computed backwards: the first chunk was written when its last sample was taken.
fn before_first(chunks: &[&ProfileChunk]) -> Option<i64> {
    let first = chunks.iter().find(|chunk| !chunk.samples.is_empty())?;
    let length = first.samples.iter().fold(0_i64, |sum, (_, delta)| sum.saturating_add(*delta));
    first.time.checked_sub(length)
}

struct SampleStackWalker<'a> {
    profile: &'a SampledProfile,
    strings: &'a Interner,
    /// Nodes on the stack, from the outermost, with the indices of their calls.
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

    /// Nodes from the outermost call to `leaf`, without the common root.
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
