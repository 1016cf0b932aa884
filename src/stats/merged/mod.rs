//! Frames of the merged flame graph: items with the same values along a path of dimensions are added up in one frame.
//!
//! ```text
//! path = SQL shape, connector, buffer type         ┌────────────── all ──────────────┐
//! query (shape A) ─ source (js-conn) ─ SPILL       │ shape A               │ shape B │
//!       │                            └ READ        │ js-conn      │ READ │ js-conn    …
//!       └ READ                                     │ SPILL │ READ │
//! ```
//! A span or event counts at one frame: the frame of all dimensions for which the item or an ancestor has a value, in
//! the order of the path. Dimensions without a value are skipped. Requests and transactions do not count, because their
//! work belongs to the query. Idle spans do not count either: nothing runs while a thread waits for its client.
//!
//! - Self time, rows, bytes, count: the value of a frame is the sum over the items at it and below it; widths add up. Rows and bytes
//!   that nested spans both report count at one level: see [`Levels`](crate::analysis::Levels).
//! - Time: the value of a frame is the time of its outermost spans. Concurrent children may take longer together than
//!   their frame; then the frame is drawn as wide as its children. Shares of values and shares of widths differ then, so each
//!   printed share names its whole.

mod arguments;
mod build;
mod card;
mod dimensions;
mod frames;
mod stacks;

pub use arguments::arguments;

use std::ops::Range;

use crate::analysis::search::Needle;
use crate::analysis::{SqlShapes, outcome_name};
use crate::base::interner::StrId;
use crate::protocol::{FocusMove, FrameDimension, FrameWeight, Outcome, StackForm};
use crate::trace::word_hash::is_text;
use crate::trace::{Kind, Trace, Unit};

pub use card::frame_card;
pub use dimensions::first_path;
use dimensions::{dimensions, weights};
pub use frames::KeptFrames;

/// Value that all items of a frame have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FrameLabel {
    /// Everything: label of the outermost frame.
    All,
    /// Name or text, interned in the trace.
    Text(StrId),
    /// Shape of statements, as an index into [`SqlShapes`].
    Shape(u32),
    /// Outcome of the query.
    Outcome(Outcome),
    /// Number and its unit.
    Number(i64, Unit),
}

/// Frame of a merged flame graph.
#[derive(Clone, Debug)]
pub struct FrameNode {
    /// Id of the parent frame. The outermost frame is its own parent.
    pub parent: u32,
    /// Dimension that the frame is a value of; `None` for the outermost frame.
    pub dimension: Option<FrameDimension>,
    /// Kind of the items; set for frames that are grouped by name.
    pub kind: Option<Kind>,
    /// Value that the items of the frame have in common.
    pub label: FrameLabel,
    /// Total weight of the frame and the frames below.
    pub value: i128,
    /// Weight of the frame without the frames below.
    pub own: i128,
    /// Number of spans and events that count at the frame or below.
    pub count: u64,
    /// Number of spans and events that count at the frame itself.
    pub own_count: u64,
    /// Width in the unit of `value`: the maximum of `value` and the total width of the children.
    pub width: i128,
    /// Number of levels of frames below.
    pub levels: u16,
    /// Left edge, relative to the outermost frame, in the unit of `value`.
    pub start: i128,
    /// Range of the children in [`Merged::order`], the widest first.
    children: Range<u32>,
}

/// Merged flame graph of a trace, for one path and weight.
pub struct Merged {
    weight: FrameWeight,
    /// Unit of the number that is the weight.
    unit: Unit,
    arguments: Vec<String>,
    stacks: StackForm,
    hidden: Vec<String>,
    /// All frames, the outermost first; parents before their children.
    frames: Vec<FrameNode>,
    order: Vec<u32>,
    /// For a difference: whether widths are those of the base side, and the value of each frame on the side whose
    /// values are not the widths. `None` for other graphs.
    others: Option<(bool, Vec<i128>)>,
}

impl Merged {
    /// Weight that the widths measure.
    pub fn weight(&self) -> FrameWeight {
        self.weight
    }

    /// Display name of the weight.
    pub fn weight_name(&self) -> &str {
        match self.weight {
            FrameWeight::Argument(at) => self.argument(at),
            weight => weight.name(),
        }
    }

    /// Display name of the dimension that a frame is a value of.
    pub fn dimension_name(&self, frame: &FrameNode) -> &str {
        match frame.dimension {
            None => "all",
            Some(FrameDimension::Argument(at)) => self.argument(at),
            Some(dimension) => dimension.name(),
        }
    }

    /// Form of the stacks; the name in it is a text if the trace has the name, otherwise a hash.
    pub fn stacks(&self) -> &StackForm {
        &self.stacks
    }

    /// Names of hidden calls: a text if the trace has the name, otherwise a hash.
    pub fn hidden(&self) -> &[String] {
        &self.hidden
    }

    fn argument(&self, at: u8) -> &str {
        self.arguments.get(usize::from(at)).map_or("argument", String::as_str)
    }

    /// All frames. The id of a frame is its index.
    pub fn frames(&self) -> &[FrameNode] {
        &self.frames
    }

    /// Frame with an id; `None` if it does not exist.
    pub fn get(&self, id: u32) -> Option<&FrameNode> {
        self.frames.get(id as usize)
    }

    /// Ids of the children of a frame, the widest first.
    pub fn children(&self, frame: &FrameNode) -> &[u32] {
        &self.order[frame.children.start as usize..frame.children.end as usize]
    }

    /// Values of a frame on the base side and on the new side; `None` if the graph is no difference.
    pub fn sides(&self, id: u32) -> Option<[i128; 2]> {
        let (is_base, others) = self.others.as_ref()?;
        let (own, other) = (self.get(id)?.value, others.get(id as usize).copied().unwrap_or_default());
        Some(if *is_base { [own, other] } else { [other, own] })
    }

    /// Frame at the end of a path of labels or their hashes. The search stops at the first unknown label.
    pub fn find(&self, trace: &Trace, shapes: &SqlShapes, path: &[String]) -> u32 {
        let mut at = 0;
        for label in path {
            let children = self.children(&self.frames[at as usize]);
            let named = |id: &&u32| is_text(label, &self.frames[**id as usize].label.text(trace, shapes));
            let Some(&next) = children.iter().find(named) else { break };
            at = next;
        }
        at
    }

    /// Labels from the outermost frame to the frame `id`, as [`Merged::find`] takes them.
    pub fn path(&self, trace: &Trace, shapes: &SqlShapes, mut id: u32) -> Vec<String> {
        let mut path = Vec::new();
        while let Some(frame) = self.get(id).filter(|_| id != 0) {
            path.push(frame.label.text(trace, shapes));
            id = frame.parent;
        }
        path.reverse();
        path
    }

    /// Frame next to the frame `id` in a direction; the frame itself if there is none. Siblings are in order of width.
    pub fn neighbour(&self, id: u32, step: FocusMove) -> u32 {
        let Some(frame) = self.get(id) else { return id };
        let found = match step {
            FocusMove::Parent => Some(frame.parent),
            FocusMove::Child => self.children(frame).first().copied(),
            FocusMove::Beneath => None,
            FocusMove::Previous | FocusMove::Next => {
                let siblings = self.children(&self.frames[frame.parent as usize]);
                let at = siblings.iter().position(|&sibling| sibling == id);
                let to = at.and_then(|at| match step {
                    FocusMove::Next => at.checked_add(1),
                    _ => at.checked_sub(1),
                });
                to.and_then(|to| siblings.get(to).copied())
            }
        };
        found.unwrap_or(id)
    }

    /// Number of frames with a width at or below `focus` whose label contains `text`, and their width with its share of the width of
    /// `focus`, for display. Matching frames inside a matching frame do not add to the width. `None` if there is no frame `focus`.
    pub fn matched(
        &self,
        trace: &Trace,
        shapes: &SqlShapes,
        focus: u32,
        text: &str,
    ) -> Option<(u32, String)> {
        let needle = Needle::new(text);
        let focus_frame = self.get(focus)?;
        let (mut n_matched, mut width) = (0, 0_i128);
        let mut open = vec![(focus, false)];
        while let Some((id, inside)) = open.pop() {
            let frame = &self.frames[id as usize];
            let matches = needle.is_in(&frame.label.text(trace, shapes));
            n_matched += u32::from(matches && frame.width > 0);
            width += if matches && !inside { frame.width } else { 0 };
            open.extend(self.children(frame).iter().map(|&child| (child, inside || matches)));
        }
        Some((n_matched, self.written_width(width, focus_frame)))
    }
}

impl FrameLabel {
    /// Text of the label for display.
    pub fn text(self, trace: &Trace, shapes: &SqlShapes) -> String {
        match self {
            FrameLabel::All => "all".to_owned(),
            FrameLabel::Text(text) => trace.str(text).to_owned(),
            FrameLabel::Shape(shape) => shapes.get(shape).to_owned(),
            FrameLabel::Outcome(outcome) => outcome_name(outcome).to_owned(),
            FrameLabel::Number(number, unit) => crate::stats::details::written(unit, number),
        }
    }
}

#[cfg(test)]
mod stack_laws;
#[cfg(test)]
mod tests;
