//! Hover card of a frame: a few lines about it.

use super::{FrameNode, FrameWeight, Merged};
use crate::analysis::SqlShapes;
use crate::base::text;
use crate::protocol::Card;
use crate::trace::Trace;

/// Maximum length of a frame's name on a card, in characters.
const SHOWN: usize = 400;

/// Returns the hover card of a frame; `None` if the id does not exist. `focus` is the frame that fills the view.
#[inline(never)]
pub fn frame_card(trace: &Trace, shapes: &SqlShapes, merged: &Merged, id: u32, focus: u32) -> Option<Card> {
    let frame = merged.get(id)?;
    let all = merged.get(0)?;
    let focus = merged.get(focus)?;
    let mut lines = Vec::new();
    let [total, own, spans, mean] = match merged.sides(id) {
        None => {
            lines.push((merged.weight_name(), merged.written(frame.value)));
            ["share of total", "self", "spans and events", "average"]
        }
        Some([base, new]) => {
            lines.push(("base", merged.written(base)));
            lines.push(("new", merged.written(new)));
            lines.push(("difference", merged.written_change([base, new])));
            merged.names_of_counted_side()
        }
    };
    if focus.width < all.width && focus.value > 0 {
        lines.push(("share of focused frame", merged.written_share(frame.value, focus.value)));
    }
    if all.value > 0 {
        lines.push((total, merged.written_share(frame.value, all.value)));
    }
    if frame.width != frame.value || focus.width != focus.value {
        lines.push(("summed time (width)", merged.written_width(frame.width, focus)));
    }
    if frame.own != frame.value && frame.own_count > 0 && !merged.stacks.is_inverted() {
        lines.push((own, merged.written(frame.own)));
    }
    lines.push((spans, counted(merged, frame)));
    lines.extend(average(merged, frame).map(|average| (mean, merged.written(average))));
    Some(Card {
        kind: merged.dimension_name(frame).to_owned(),
        title: text::shortened(&frame.label.text(trace, shapes), SHOWN),
        marks: Vec::new(),
        lines: lines.into_iter().map(|(name, value)| (name.to_owned(), value)).collect(),
    })
}

/// Number of items that count at the frame or below. For average times: number of items at the frame itself, then with nested ones:
/// `62 (124 with nested ones)`.
fn counted(merged: &Merged, frame: &FrameNode) -> String {
    let written = |count: u64| text::count(i64::try_from(count).unwrap_or(i64::MAX));
    let all = written(frame.count);
    match averaged(merged, frame) {
        Some(own) if own > 0 && own != frame.count => format!("{} ({all} with nested ones)", written(own)),
        _ => all,
    }
}

/// Average value per item that counts at the frame or below. For time, the average per span that counts at the frame
/// itself. `None` without such items, and if the weight is the count.
fn average(merged: &Merged, frame: &FrameNode) -> Option<i128> {
    let count = averaged(merged, frame).filter(|&count| count > 0)?;
    Some(frame.value / i128::from(count))
}

/// Number of items over which [`average`] is taken; `None` if the weight is the count.
fn averaged(merged: &Merged, frame: &FrameNode) -> Option<u64> {
    match merged.weight {
        FrameWeight::Count => None,
        FrameWeight::Time if !merged.stacks.is_inverted() => Some(frame.own_count),
        _ => Some(frame.count),
    }
}

impl Merged {
    /// Names of the share, the self value, the number of items and the average on the card of a difference. They are those of
    /// one side: the side whose values are the widths.
    fn names_of_counted_side(&self) -> [&'static str; 4] {
        match self.others {
            Some((true, _)) => {
                ["share of base", "self of base", "spans and events of base", "average of base"]
            }
            _ => ["share of new", "self of new", "spans and events of new", "average of new"],
        }
    }

    /// Formats a value as a percentage of `whole`, which follows: `52 % of 380.6 ms`.
    fn written_share(&self, value: i128, whole: i128) -> String {
        let share = text::percent(value as f64 / whole.max(1) as f64);
        format!("{share} of {}", self.written(whole))
    }

    /// Formats a width with its share of the width of `whole`: `196.2 ms, 20 % of 981.0 ms`.
    pub(super) fn written_width(&self, width: i128, whole: &FrameNode) -> String {
        format!("{}, {}", self.written(width), self.written_share(width, whole.width))
    }

    /// Formats the change from the base side to the new side, with its share of the base side.
    pub fn written_change(&self, [base, new]: [i128; 2]) -> String {
        let change = new.saturating_sub(base);
        let sign = match change {
            0 => return "no difference".to_owned(),
            ..0 => "−",
            _ => "+",
        };
        let size = self.written(change.saturating_abs());
        match base {
            ..=0 => format!("{sign}{size} (new)"),
            _ if new <= 0 => format!("{sign}{size} (vanished)"),
            _ => format!("{sign}{size} ({})", text::signed_percent(change as f64 / base as f64)),
        }
    }

    /// Formats a value with its unit; values beyond the range of `i64` are clamped.
    pub fn written(&self, value: i128) -> String {
        let value = value.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64;
        match self.weight {
            FrameWeight::Time | FrameWeight::SelfTime => text::duration(value),
            FrameWeight::Bytes => text::bytes(value),
            FrameWeight::RowsRead | FrameWeight::RowsReturned | FrameWeight::Count => text::count(value),
            FrameWeight::Argument(_) => crate::stats::details::written(self.unit, value),
        }
    }
}
