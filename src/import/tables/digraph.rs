//! The graph that MySQL's `sys.ps_trace_thread` draws of one thread for Graphviz, as rows of its events:
//!
//! ```text
//! 1709 -> 1710; 1710 [label="(56.37 us) io/table/sql/handler - fetch 1 bytes\nObject: shop.products Index: PRIMARY\n", …color=green];
//! ```
//! is the event 1710 in 1709. The graph has no start times: the events of a thread follow one another by their numbers, and
//! so are laid out without the time between them (see `sequence`). What the graph leaves out of the
//! instruments' names, its colours tell.

use super::label::{self, COLUMNS, NodeLabel};
use super::row::Scratch;
use super::sequence::{SequenceStep, lay_out};
use super::{CUT_OFF, RowSink};
use crate::import::contract::ProblemKind;
use crate::import::text::lines::Place;

/// What the table is called.
pub const NAME: &str = "ps_trace_thread";
const BROKEN: ProblemKind =
    ProblemKind::lost("broken node", "A node of the graph without a readable number, duration or name.");
/// How such a graph begins.
pub const START: &str = "digraph events";
/// Bytes of a node that goes on over several lines.
const LONGEST: usize = 1 << 20;

/// Collects the nodes of a graph: where each of them stands is known when all are there.
#[derive(Default)]
pub struct Digraph {
    nodes: Vec<DigraphNode>,
    /// The text of a node that goes on in the next line, and where it begins.
    open: String,
    place: Place,
    is_begun: bool,
    /// One node that is read again, without the others: where it stands is not known.
    is_alone: bool,
}

struct DigraphNode {
    place: Place,
    length: u64,
    step: SequenceStep,
    label: NodeLabel,
}

impl Digraph {
    /// For one node, which is read again.
    pub fn of_row() -> Self {
        Self { is_alone: true, ..Self::default() }
    }

    /// The next line.
    pub fn line(&mut self, line: &str, place: Place, sink: &mut dyn RowSink) {
        let begins =
            line.trim_start().starts_with(|c: char| c.is_ascii_digit()) && line.contains("[label=\"(");
        if begins || self.open.len() > LONGEST {
            self.give_up(sink);
        }
        if begins {
            self.place = place;
            line.clone_into(&mut self.open);
        } else if !self.open.is_empty() {
            // A statement's text has lines of its own.
            self.open.push('\n');
            self.open.push_str(line);
        } else {
            return sink.other_line();
        }
        // The line alone: what stood before it did not end the node.
        if line.trim_end().ends_with("];") {
            let text = std::mem::take(&mut self.open);
            self.node(&text, sink);
        }
    }

    /// The text ends.
    pub fn finish(&mut self, sink: &mut dyn RowSink) {
        self.give_up(sink);
        let steps: Vec<SequenceStep> = self.nodes.iter().map(|node| node.step).collect();
        let mut scratch = Scratch::default();
        for (node, slot) in self.nodes.drain(..).zip(lay_out(&steps)) {
            scratch.clear();
            node.label.write(&node.step, (!self.is_alone).then_some(slot), &mut scratch);
            sink.row(&scratch.row(), node.place, node.length);
        }
    }

    fn give_up(&mut self, sink: &mut dyn RowSink) {
        let open = std::mem::take(&mut self.open);
        if !open.is_empty() {
            sink.broken(CUT_OFF, self.place, &open);
        }
    }

    fn node(&mut self, text: &str, sink: &mut dyn RowSink) {
        let Some((step, label)) = label::read(text) else {
            return sink.broken(BROKEN, self.place, text);
        };
        if !self.is_begun {
            self.is_begun = true;
            let mut columns = Scratch::default();
            COLUMNS.iter().for_each(|column| columns.push(Some(column)));
            sink.table(Some(NAME), &columns.row());
        }
        self.nodes.push(DigraphNode { place: self.place, length: text.len() as u64, step, label });
    }
}
