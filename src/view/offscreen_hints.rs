//! Hints at the edge of rows without visible items: how far away the nearest item is.

use super::scene::SceneRow;
use super::texts;
use crate::protocol::Viewport;

/// A span outside of the visible range, and its side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OffscreenHint {
    /// The last span of the row ended this long before the visible range.
    Ended(i64),
    /// The next span of the row starts this long after the visible range.
    Starts(i64),
}

impl OffscreenHint {
    /// Timeline width in CSS pixels from which hints are written in full.
    pub const ROOMY: f64 = 528.0;

    /// The hints of a row.
    pub fn of(row: &SceneRow, view: &Viewport) -> impl Iterator<Item = OffscreenHint> {
        let before = row.before.filter(|time| *time < view.start).map(|time| view.start.saturating_sub(time));
        let behind = row.after.filter(|time| *time > view.end).map(|time| time.saturating_sub(view.end));
        // The view may have moved since the scene was made, so that a span is inside of it now and is drawn.
        let gone = row.before.is_some() != before.is_some() || row.after.is_some() != behind.is_some();
        let both = [before.map(OffscreenHint::Ended), behind.map(OffscreenHint::Starts)];
        both.into_iter().flatten().filter(move |_| !gone)
    }

    /// Whether the hint is at the left edge of its row.
    pub fn is_left(self) -> bool {
        matches!(self, OffscreenHint::Ended(_))
    }

    /// Text of the hint in a timeline of this width, in CSS pixels.
    pub fn text(self, width: f64) -> String {
        let [long, short] = match self {
            OffscreenHint::Ended(far) => texts::ended_earlier(far),
            OffscreenHint::Starts(far) => texts::starts_later(far),
        };
        if width < Self::ROOMY { short } else { long }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::scene::Fold;

    #[test]
    fn only_what_is_out_of_view_is_told() {
        let view = Viewport { start: 100, end: 200, width: 100.0, top: 0.0, height: 10.0 };
        for (before, after, expected) in [
            (None, None, vec![]),
            (Some(40), None, vec![OffscreenHint::Ended(60)]),
            (Some(40), Some(230), vec![OffscreenHint::Ended(60), OffscreenHint::Starts(30)]),
            (None, Some(230), vec![OffscreenHint::Starts(30)]),
            (Some(40), Some(150), vec![]),
        ] {
            let row = SceneRow {
                y: 0.0,
                height: 9.0,
                depth: 1,
                label: 0,
                detail: u32::MAX,
                note: 0,
                track: 0,
                fold: Fold::Leaf,
                header: false,
                before,
                after,
            };
            assert_eq!(OffscreenHint::of(&row, &view).collect::<Vec<_>>(), expected);
        }
    }
}
