//! The graph of one thread's events that MySQL's `sys.ps_trace_thread` writes for Graphviz, read as rows.
//!
//! ```text
//! 1709 -> 1710; 1710 [label="(56.37 us) io/table/sql/handler - fetch 1 bytes\nObject: shop.products Index: PRIMARY\n", …color=green];
//! ```
//! This line describes event 1710, which is inside event 1709. The graph has no start times: the events of a thread are
//! ordered by number and laid out without gaps (see `sequence`). Parts of instrument names that the graph omits are
//! inferred from its colours.

use super::label::{self, COLUMNS, NodeLabel};
use super::row::Scratch;
use super::sequence::{SequenceStep, lay_out};
use super::{CUT_OFF, RowSink};
use crate::import::contract::ProblemKind;
use crate::import::text::lines::Place;

/// Name of the table that a graph is read as.
pub const NAME: &str = "ps_trace_thread";
const BROKEN: ProblemKind =
    ProblemKind::lost("broken node", "A node of the graph without a readable number, duration or name.");
/// Text at the start of a graph that `sys.ps_trace_thread` writes.
pub const START: &str = "digraph events";
/// Maximum length of a node that spans several lines, in bytes.
const LONGEST: usize = 1 << 20;

/// Collects the nodes of a graph; their positions are known only after all of them have been read.
#[derive(Default)]
pub struct Digraph {
    nodes: Vec<DigraphNode>,
    /// Text of a node that continues in the next line; `place` is its start.
    open: String,
    place: Place,
    is_begun: bool,
    /// Whether a single node is read again, without the others, so that its position is unknown.
    is_alone: bool,
}

struct DigraphNode {
    place: Place,
    length: u64,
    step: SequenceStep,
    label: NodeLabel,
}

impl Digraph {
    /// Creates a reader for one node that is read again.
    pub fn of_row() -> Self {
        Self { is_alone: true, ..Self::default() }
    }

    /// Reads the next line.
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
            // The text of a statement may contain line ends.
            self.open.push('\n');
            self.open.push_str(line);
        } else {
            return sink.other_line();
        }
        // Only this line is checked: the previous lines did not end the node.
        if line.trim_end().ends_with("];") {
            let text = std::mem::take(&mut self.open);
            self.node(&text, sink);
        }
    }

    /// Finishes reading at the end of the text.
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
