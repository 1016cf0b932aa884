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
        JumpTarget::PreviousOfName => ("‹", "Previous span of the same name or statement (,)"),
        JumpTarget::NextOfName => ("›", "Next span of the same name or statement (.)"),
        JumpTarget::LongerOfName => ("longer", "Next longer span of the same name or statement (Shift L)"),
        JumpTarget::LongestOfName => ("longest", "Longest span of the same name or statement"),
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
        (Some(name), _) if jump.is_of_shape => format!(" of the statement “{name}”"),
        (Some(name), _) => format!(" named “{name}”"),
        (None, Some(kind)) => format!(" of kind {kind}"),
        (None, None) => String::new(),
    };
    let kind = match jump.is_of_shape {
        true => "execution",
        false if is_failed => "failed span",
        false => "span",
    };
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
    if jump.total == 1 {
        return (format!("The only {kind}{of_name}."), filter.to_owned());
    }
    let among = if place.starts_with("Rank") { "among " } else { "" };
    let wrapped = if jump.wrapped && from.is_some() { ", from the other end" } else { "" };
    (place, format!("{among}{kind}s{of_name}{wrapped}. {filter}").trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn jumps_name_what_they_move_among() {
        use JumpTarget::{LongerOfName, NextFailed, NextOfName};
        for (target, total, is_of_shape, wrapped, expected) in [
            (
                LongerOfName,
                12,
                true,
                false,
                "Rank 5 of 12 by duration|among executions of the statement “a”.",
            ),
            (LongerOfName, 12, false, false, "Rank 5 of 12 by duration|among spans named “a”."),
            (NextOfName, 5, false, true, "Last of 5|spans named “a”, from the other end."),
            (NextOfName, 1, true, true, "The only execution of the statement “a”.|"),
            (NextFailed, 12, false, false, "5 of 12|failed spans."),
        ] {
            let name = (target != NextFailed).then(|| "a".to_owned());
            let jump = SpanJump {
                item: Some(0),
                position: 5,
                total,
                wrapped,
                name,
                is_of_shape,
                ..SpanJump::default()
            };
            let (title, text) = found(target, &jump, Some(0));
            assert_eq!(format!("{title}|{text}"), expected, "{jump:?}");
        }
    }
}
