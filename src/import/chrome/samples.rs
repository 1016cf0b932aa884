//! Samples to spans: as long as the profiler saw the same call on the stack, it is one span.
//!
//! What is between two samples is not known: a span reaches from the first sample that saw it to the next one that did not.

use super::names::ThreadId;
use super::profile::{Chunk, Node, Profile};
use crate::sort;
use crate::strings::{StrId, Strings};
use crate::trace::RecordId;

/// A call, as it was seen.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub start: i64,
    pub end: i64,
    pub name: StrId,
    pub place: StrId,
    /// The position of the caller.
    pub parent: Option<u32>,
    pub depth: u16,
    /// The record of the first sample that saw it.
    pub record: RecordId,
}

/// All calls that a profile saw, by start.
pub struct Calls {
    pub thread: ThreadId,
    /// What took the samples, or [`StrId::EMPTY`].
    pub title: StrId,
    pub list: Vec<Seen>,
}

/// Deeper stacks are cut.
const DEEPEST: usize = 512;

/// The calls of a profile.
#[inline(never)]
pub fn calls(profile: &Profile, strings: &Strings) -> Calls {
    let mut chunks: Vec<&Chunk> = profile.chunks.iter().collect();
    sort::by_key(&mut chunks, |chunk| (chunk.time, 0));
    let mut time = profile.start.or_else(|| before_first(&chunks)).unwrap_or(0);
    let mut stacks = Stacks { profile, strings, open: Vec::new(), list: Vec::new() };
    let mut last = 0;
    for chunk in chunks {
        for &(node, delta) in &chunk.samples {
            time = time.saturating_add(delta);
            last = delta.max(0);
            stacks.see(node, time, chunk.record);
        }
    }
    stacks.close(0, time.saturating_add(last));
    Calls { thread: profile.thread, title: profile.title, list: stacks.list }
}

/// The first chunk was written when its last sample was taken.
fn before_first(chunks: &[&Chunk]) -> Option<i64> {
    let first = chunks.iter().find(|chunk| !chunk.samples.is_empty())?;
    let length = first.samples.iter().fold(0_i64, |sum, (_, delta)| sum.saturating_add(*delta));
    first.time.checked_sub(length)
}

struct Stacks<'a> {
    profile: &'a Profile,
    strings: &'a Strings,
    /// The nodes that are on the stack, from the outermost, and the positions of their calls.
    open: Vec<(i64, u32)>,
    list: Vec<Seen>,
}

impl Stacks<'_> {
    fn see(&mut self, leaf: i64, time: i64, record: RecordId) {
        let stack = self.stack(leaf);
        let same = stack.iter().zip(&self.open).take_while(|((node, _), (open, _))| node == open).count();
        self.close(same, time);
        // Where the clock went back, calls still stand in the order of their starts.
        let time = self.list.last().map_or(time, |last| last.start.max(time));
        for (node, Node { name, place, .. }) in stack.into_iter().skip(same) {
            let (parent, depth) = (self.open.last().map(|open| open.1), self.open.len() as u16);
            self.open.push((node, self.list.len() as u32));
            self.list.push(Seen { start: time, end: time, name, place, parent, depth, record });
        }
    }

    fn close(&mut self, from: usize, time: i64) {
        for (_, at) in self.open.drain(from..) {
            let seen = &mut self.list[at as usize];
            seen.end = seen.start.max(time);
        }
    }

    /// The nodes from the outermost call to `leaf`; nothing where nothing was running.
    fn stack(&self, leaf: i64) -> Vec<(i64, Node)> {
        let node = |id: i64| self.profile.nodes.get(&id).map(|node| (id, *node));
        let above = |(_, below): &(i64, Node)| below.parent.and_then(node);
        let mut stack: Vec<(i64, Node)> = std::iter::successors(node(leaf), above).take(DEEPEST).collect();
        let name = |node: &Node| node.name.some().map_or("", |name| self.strings.get(name));
        if stack.first().is_some_and(|(_, leaf)| name(leaf) == "(idle)") {
            stack.clear();
        }
        stack.retain(|(_, node)| name(node) != "(root)");
        stack.reverse();
        stack
    }
}
