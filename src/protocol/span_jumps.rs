//! Jumps from a span to another span: the longest, the next that failed, the next with the same name.

use serde::{Deserialize, Serialize};

/// Span to which a jump leads.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum JumpTarget {
    /// Longest span of the kind of the item; without a span or from an idle span, the longest query, or (without queries) the
    /// longest span. Idle spans and spans without a start or an end in the trace are left out.
    Longest,
    /// Next span that failed, by run and start.
    NextFailed,
    /// Previous span that failed, by run and start.
    PreviousFailed,
    /// Next span of the same kind and name, by run and start. Queries have the same name if their statements differ in
    /// values only.
    NextOfName,
    /// Previous span of the same kind and name, by run and start.
    PreviousOfName,
    /// Longest span of the same kind and name.
    LongestOfName,
    /// Next longer span of the same kind and name.
    LongerOfName,
}

/// Requests the target of a jump.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SpanJumpRequest {
    /// Item to start from; `None` to start before the first span.
    pub item: Option<u32>,
    /// Where to go.
    pub target: JumpTarget,
    /// Filter that the targets must match; empty for none. An invalid filter is ignored.
    pub filter: String,
}

/// The target of a jump.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct SpanJump {
    /// Item code of the target; `None` if there is none.
    pub item: Option<u32>,
    /// Position of the target among the possible targets, from 1: by start, or by duration with the longest first.
    pub position: u32,
    /// Number of possible targets.
    pub total: u32,
    /// Whether the jump passed the last or first target and continued at the other end.
    pub wrapped: bool,
    /// Name that the targets share, shortened; `None` if they need not have the same name.
    pub name: Option<String>,
    /// Whether the targets are the executions of one statement shape; `name` is then the statement of the item.
    pub is_of_shape: bool,
    /// Name of the kind that the longest span was searched in; `None` for other targets, and for all kinds.
    pub kind: Option<String>,
    /// Whether the targets are limited by a filter.
    pub filtered: bool,
}
