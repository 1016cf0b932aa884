//! Texts of jumps between spans.

use queryscope::internal::text;
use queryscope::protocol::{JumpTarget, SpanJump};

pub const GO_TO: &str = "Go to";
pub const SAME_NAME: &str = "same name";
pub const FAILED: &str = "failed";
pub const SAME_KIND: &str = "same kind";
const IN_FILTER: &str = "Only spans that match the filter.";

/// Sign and tooltip of a button.
pub fn button(target: JumpTarget) -> (&'static str, &'static str) {
    match target {
        JumpTarget::PreviousOfName => ("‹", "Previous span of the same name (,)"),
        JumpTarget::NextOfName => ("›", "Next span of the same name (.)"),
        JumpTarget::LongerOfName => ("longer", "Next longer span of the same name (Shift L)"),
        JumpTarget::LongestOfName => ("longest", "Longest span of the same name"),
        JumpTarget::PreviousFailed => ("‹", "Previous failed span (Shift B)"),
        JumpTarget::NextFailed => ("›", "Next failed span (B)"),
        JumpTarget::Longest => {
            ("longest", "Longest span of its kind; if none is selected, longest query or span (L)")
        }
    }
}

/// Headline and description of the target of a jump from an item.
pub fn found(target: JumpTarget, jump: &SpanJump, from: Option<u32>) -> (String, String) {
    use JumpTarget::{LongerOfName, Longest, LongestOfName, NextFailed, PreviousFailed};
    let is_failed = matches!(target, NextFailed | PreviousFailed);
    let by_duration = matches!(target, Longest | LongestOfName | LongerOfName);
    let of_name = match (&jump.name, &jump.kind) {
        (Some(name), _) => format!(" named “{name}”"),
        (None, Some(kind)) => format!(" of kind {kind}"),
        (None, None) => String::new(),
    };
    let kind = if is_failed { "failed span" } else { "span" };
    let filter = if jump.filtered { IN_FILTER } else { "" };
    let needs_selection = !is_failed && target != Longest && jump.name.is_none();
    if needs_selection {
        return ("No span selected.".to_owned(), "Select a span to go to others of its name.".to_owned());
    }
    if jump.item.is_none() {
        return (format!("No {kind}{of_name}."), filter.to_owned());
    }
    let n = text::count(jump.total.into());
    let at = text::count(jump.position.into());
    let place = match (jump.position, by_duration) {
        (1, true) => format!("Longest of {n}"),
        (position, true) if position == jump.total => format!("Shortest of {n}"),
        (_, true) => format!("Rank {at} of {n} by duration"),
        (1, false) => format!("First of {n}"),
        (position, false) if position == jump.total => format!("Last of {n}"),
        _ => format!("{at} of {n}"),
    };
    let title = match (jump.total, jump.wrapped) {
        (1, _) => format!("The only {kind}{of_name}."),
        (_, true) if from.is_some() => format!("{place} again:"),
        _ => place,
    };
    let what = if jump.total == 1 { String::new() } else { format!("{kind}s{of_name}. ") };
    (title, format!("{what}{filter}").trim().to_owned())
}
