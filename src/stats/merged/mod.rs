//! Frames of the merged flame graph: everything with the same values along a path of dimensions, added up.
//!
//! ```text
//! path = SQL shape, connector, buffer type         ┌────────────── all ──────────────┐
//! query (shape A) ─ source (js-conn) ─ SPILL       │ shape A               │ shape B │
//!       │                            └ READ        │ js-conn      │ READ │ js-conn    …
//!       └ READ                                     │ SPILL │ READ │
//! ```
//! A span or event counts at one frame: the one of all dimensions that it has, itself or from an ancestor, in the
//! order of the path; a dimension that it has not is passed over. Requests and transactions do not count: what happens
//! in them is the query's. Neither does idleness: nothing runs while a thread waits for its client.
//!
//! - Self time, rows, bytes, count: a frame is what counts at it and below it, and widths add up.
//! - Time: a frame is the time of the spans at it and below it, but of those inside one of them. Children that run at the
//!   same time may be longer together; then the frame is drawn as wide as they are.

mod arguments;
mod build;
mod card;
mod dimensions;
mod frames;

pub use arguments::arguments;

use std::ops::Range;

use crate::analysis::search::Needle;
use crate::analysis::{SqlShapes, outcome_name};
use crate::base::interner::StrId;
use crate::protocol::{FrameDimension, FrameWeight, Outcome};
use crate::trace::word_hash::is_text;
use crate::trace::{Kind, Trace, Unit};

pub use card::frame_card;
pub use dimensions::first_path;
use dimensions::{dimensions, weights};

/// What all things in a frame have in common.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FrameLabel {
    /// Everything.
    All,
    /// A name or text of the trace.
    Text(StrId),
    /// A shape of statements, by its place in [`SqlShapes`].
    Shape(u32),
    /// How the query ended.
    Outcome(Outcome),
    /// A number, and what it counts.
    Number(i64, Unit),
}

/// One frame.
#[derive(Clone, Debug)]
pub struct FrameNode {
    /// The parent frame; the outermost frame is its own parent.
    pub parent: u32,
    /// The dimension that the frame is a value of; `None` for the outermost frame.
    pub dimension: Option<FrameDimension>,
    /// Kind of the items, for frames of names.
    pub kind: Option<Kind>,
    /// What the items of the frame have in common.
    pub label: FrameLabel,
    /// Total weight of the frame and the frames below.
    pub value: i128,
    /// Weight of the frame without the frames below.
    pub own: i128,
    /// Number of spans and events that count at the frame or below.
    pub count: u64,
    /// Number of spans and events that count at the frame itself.
    pub own_count: u64,
    /// Width in the unit of `value`: at least that, and at least the widths of all children together.
    pub width: i128,
    /// Number of levels of frames below.
    pub levels: u16,
    /// Left edge, from the left end of the outermost frame.
    pub start: i128,
    /// Places of the children in [`Merged::order`], the widest first.
    children: Range<u32>,
}

/// The frames of a trace, for one path and weight.
pub struct Merged {
    weight: FrameWeight,
    /// What an argument as weight counts.
    unit: Unit,
    arguments: Vec<String>,
    /// The outermost first; parents before their children.
    frames: Vec<FrameNode>,
    order: Vec<u32>,
}

impl Merged {
    /// What the widths measure.
    pub fn weight(&self) -> FrameWeight {
        self.weight
    }

    /// What the widths measure, as people read it.
    pub fn weight_name(&self) -> &str {
        match self.weight {
            FrameWeight::Argument(at) => self.argument(at),
            weight => weight.name(),
        }
    }

    /// What a frame is grouped by, as people read it.
    pub fn dimension_name(&self, frame: &FrameNode) -> &str {
        match frame.dimension {
            None => "all",
            Some(FrameDimension::Argument(at)) => self.argument(at),
            Some(dimension) => dimension.name(),
        }
    }

    fn argument(&self, at: u8) -> &str {
        self.arguments.get(usize::from(at)).map_or("argument", String::as_str)
    }

    /// All frames; a frame's id is its place here.
    pub fn frames(&self) -> &[FrameNode] {
        &self.frames
    }

    /// The frame with an id, if there is one.
    pub fn get(&self, id: u32) -> Option<&FrameNode> {
        self.frames.get(id as usize)
    }

    /// The children of a frame, the widest first.
    pub fn children(&self, frame: &FrameNode) -> &[u32] {
        &self.order[frame.children.start as usize..frame.children.end as usize]
    }

    /// The frame at the end of a path of labels, or their hashes, from the outermost, or as much of it as there is.
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

    /// The labels that lead from the outermost frame to one: what [`Merged::find`] takes.
    pub fn path(&self, trace: &Trace, shapes: &SqlShapes, mut id: u32) -> Vec<String> {
        let mut path = Vec::new();
        while let Some(frame) = self.get(id).filter(|_| id != 0) {
            path.push(frame.label.text(trace, shapes));
            id = frame.parent;
        }
        path.reverse();
        path
    }

    /// How many frames below `focus` (and itself) have `text` in their label, and which share of its width they are:
    /// frames inside of one that has it are not added again.
    pub fn matched(&self, trace: &Trace, shapes: &SqlShapes, focus: u32, text: &str) -> (u32, f64) {
        let needle = Needle::new(text);
        let Some(focus_frame) = self.get(focus) else { return (0, 0.0) };
        let (mut n_matched, mut width) = (0, 0_i128);
        let mut open = vec![(focus, false)];
        while let Some((id, inside)) = open.pop() {
            let frame = &self.frames[id as usize];
            let matches = needle.is_in(&frame.label.text(trace, shapes));
            n_matched += u32::from(matches);
            width += if matches && !inside { frame.width } else { 0 };
            open.extend(self.children(frame).iter().map(|&child| (child, inside || matches)));
        }
        (n_matched, width as f64 / focus_frame.width.max(1) as f64)
    }
}

impl FrameLabel {
    /// Text of the label, as it is shown.
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
mod tests;
