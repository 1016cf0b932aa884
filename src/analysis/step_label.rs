//! Names of the steps of executions, by which steps are grouped and compared.

use super::SqlShapes;
use crate::base::interner::StrId;
use crate::trace::{Item, Key, Kind, SpanId, Trace, attribute_names};

/// Identity of a step among the steps of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StepLabel {
    /// The statement itself: its time in none of its steps; in a comparison of inclusive times, its whole duration.
    Whole,
    /// Name that the format reports for the step, or the name of the span.
    Name(StrId),
    /// Shape of a command.
    Shape(u32),
}

impl StepLabel {
    /// Label of a span; `step` is the key of [`attribute_names::STEP`].
    pub fn of(trace: &Trace, shapes: &mut SqlShapes, step: Option<Key>, id: SpanId, kind: Kind) -> Self {
        let step = step.and_then(|key| trace.text(Item::Span(id), key));
        match (step, kind) {
            (_, Kind::Query) => Self::Whole,
            (Some(step), _) => Self::Name(step),
            (None, Kind::Statement | Kind::Execution) => Self::Shape(shapes.of(trace, trace.spans.name(id))),
            (None, _) => Self::Name(trace.spans.name(id)),
        }
    }

    /// Key of the names that a format reports for steps; `None` if the trace has no such names.
    pub fn key(trace: &Trace) -> Option<Key> {
        trace.key(attribute_names::STEP)
    }

    /// Text of the label.
    pub fn text<'a>(self, trace: &'a Trace, shapes: &'a SqlShapes) -> &'a str {
        match self {
            Self::Whole => "(self time)",
            Self::Name(name) => trace.str(name),
            Self::Shape(shape) => shapes.get(shape),
        }
    }
}
