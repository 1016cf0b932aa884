//! Folded stacks, the input of `flamegraph.pl`, inferno and other flame graph programs: `outer;inner nanoseconds`.
//!
//! The weight of a stack is the self time of its spans, in nanoseconds; a stack is the span with its ancestors, also in other
//! tracks. If there are several runs, a stack begins with the name of its run. In a name, `;` becomes `:`, and white space and
//! control characters become one space. Segments of a request are left out: their time is also that of the request. A number at the
//! end of a name is joined to it by `_`, because programs would take it for a second weight, and a stack that begins with `#` is
//! indented, because that begins a comment.

use std::io::{self, Write};

use super::Losses;
use crate::analysis::{self_times, self_times_in};
use crate::base::FxHashMap;
use crate::export::trace_file::part::{PartSpan, TracePart};
use crate::protocol::ExportSpec;
use crate::trace::{Flags, Item, SpanId, TrackId};

/// Writes a line for each stack that has self time.
pub fn write(
    part: &mut TracePart,
    spec: &ExportSpec,
    losses: &mut Losses,
    out: &mut dyn Write,
) -> io::Result<()> {
    let all = 0..part.trace.spans.len() as u32;
    let times = match spec.range {
        Some(range) => self_times_in(part.trace, all, range),
        None => self_times(part.trace, all),
    };
    losses.add(part.flows().len() as u64, "arrow", "arrows");
    let tracks = part.tracks();
    let n_runs = tracks.iter().filter(|track| part.trace.tracks.get(track.id).parent.is_none()).count();
    let mut stacks = StackTree::default();
    for track in &tracks {
        losses.add_events(part, track.id);
        losses.add_track_texts(part, track.id);
        let spans = part.spans(track.id);
        losses.add_attributes(part, &spans);
        let root = part.trace.runs.get(track.run as usize).map(|run| run.track).filter(|_| n_runs > 1);
        let is_segment = |span: &&PartSpan| span.flags.has(Flags::SEGMENT);
        losses.add(
            spans.iter().filter(is_segment).count() as u64,
            "segment of a request",
            "segments of requests",
        );
        for span in spans.iter().filter(|span| !is_segment(span)) {
            let node = stacks.node_of(part, span.id, root);
            let time = times.get(span.id.0 as usize).copied().unwrap_or_default();
            stacks.nodes[node].spans += 1;
            stacks.nodes[node].weight += u128::from(time.max(0).unsigned_abs());
        }
    }
    stacks.add_weightless(losses);
    stacks.write(out)
}

/// A stack: a frame below the frames of its callers.
#[derive(Default)]
struct StackNode {
    name: String,
    parent: Option<usize>,
    children: Vec<usize>,
    /// Number of spans with this stack.
    spans: u64,
    /// Self time of the spans with this stack, in nanoseconds.
    weight: u128,
}

/// All distinct stacks.
#[derive(Default)]
struct StackTree {
    nodes: Vec<StackNode>,
    roots: Vec<usize>,
    by_name: FxHashMap<(Option<usize>, String), usize>,
    by_span: FxHashMap<SpanId, usize>,
}

impl StackTree {
    /// Returns the node of the stack of a span. Creates this node and the nodes of the ancestors if they do not exist.
    fn node_of(&mut self, part: &mut TracePart, id: SpanId, root: Option<TrackId>) -> usize {
        let mut chain = vec![id];
        let mut above = None;
        while let Some(parent) = part.span(chain[chain.len() - 1]).and_then(|span| span.parent) {
            above = self.by_span.get(&parent).copied();
            if above.is_some() {
                break;
            }
            chain.push(parent);
        }
        let mut node = above.or_else(|| Some(self.child(None, folded_name(&part.track_name(root?)))));
        for &id in chain.iter().rev() {
            let name = folded_name(&part.name(Item::Span(id)));
            let child = self.child(node, name);
            self.by_span.insert(id, child);
            node = Some(child);
        }
        node.unwrap_or_default()
    }

    fn child(&mut self, parent: Option<usize>, name: String) -> usize {
        if let Some(&known) = self.by_name.get(&(parent, name.clone())) {
            return known;
        }
        let node = self.nodes.len();
        self.nodes.push(StackNode { name: name.clone(), parent, ..StackNode::default() });
        match parent {
            Some(parent) => self.nodes[parent].children.push(node),
            None => self.roots.push(node),
        }
        self.by_name.insert((parent, name), node);
        node
    }

    fn add_weightless(&self, losses: &mut Losses) {
        let mut has_weight: Vec<bool> = self.nodes.iter().map(|node| node.weight > 0).collect();
        for at in (0..self.nodes.len()).rev() {
            if let Some(parent) = self.nodes[at].parent.filter(|_| has_weight[at]) {
                has_weight[parent] = true;
            }
        }
        let weightless = self.nodes.iter().zip(has_weight).filter(|(_, has_weight)| !has_weight);
        let spans = weightless.map(|(node, _)| node.spans).sum();
        losses.add(spans, "span without a duration", "spans without a duration");
    }

    /// Writes the stacks; a stack comes before the stacks of its callees.
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut left: Vec<(usize, usize)> = self.roots.iter().rev().map(|&root| (root, 0)).collect();
        let mut line = String::new();
        while let Some((at, length)) = left.pop() {
            let node = &self.nodes[at];
            line.truncate(length);
            match length {
                0 if node.name.starts_with('#') => line.push(' '),
                0 => {}
                _ => line.push(';'),
            }
            line.push_str(&node.name);
            if node.weight > 0 {
                writeln!(out, "{line} {}", node.weight)?;
            }
            left.extend(node.children.iter().rev().map(|&child| (child, line.len())));
        }
        Ok(())
    }
}

/// Replaces the characters of a name that have a meaning in folded stacks.
fn folded_name(name: &str) -> String {
    let name: String = name
        .chars()
        .map(|c| {
            if c == ';' {
                ':'
            } else if c.is_control() {
                ' '
            } else {
                c
            }
        })
        .collect();
    let mut words = name.split_whitespace();
    let mut folded = words.next().unwrap_or("(no name)").to_owned();
    for word in words {
        let is_number = word.chars().all(|c| c.is_ascii_digit() || c == '.' || c == '-');
        folded.push(if is_number { '_' } else { ' ' });
        folded.push_str(word);
    }
    folded
}

#[cfg(test)]
mod tests {
    use super::folded_name;

    #[test]
    fn names_can_stand_in_a_stack() {
        let cases = [
            ("main", "main"),
            ("a;b", "a:b"),
            ("SELECT 1;\n SELECT\t2", "SELECT 1: SELECT_2"),
            ("x 12", "x_12"),
            ("x 1.5", "x_1.5"),
            ("12", "12"),
            (" \n", "(no name)"),
            ("", "(no name)"),
            ("a\u{0}b", "a b"),
        ];
        cases.into_iter().for_each(|(name, folded)| assert_eq!(folded_name(name), folded, "{name:?}"));
    }
}
