//! Positions on screen of the bars of a scene, their labels and notes, and the headings of rows, for canvases and
//! images.

use super::hit::Transform;
use super::scene::{BarStyle, Rect, Scene, SceneRow};
use super::texts;

/// Font size of labels and notes, in CSS pixels.
pub const LABEL_SIZE: f64 = 11.5;
/// Radius of the corners of bars, in CSS pixels.
pub const RADIUS: f64 = 3.0;
/// Length of a fading end, in CSS pixels.
pub const FADE: f64 = 40.0;
/// Length of a hatched end, in CSS pixels.
pub const HATCH: f64 = 26.0;
/// Minimum room of a label, in CSS pixels.
const LABEL_ROOM: f64 = 16.0;
/// Height of idle bars, in CSS pixels.
const IDLE_HEIGHT: f64 = 4.0;
/// Distance from the middle of a line to its baseline, as a share of the font size.
const BASELINE: f64 = 0.36;

/// Height in CSS pixels above which a row has several text lines; the first line is [`HEADING_LINE`] high.
const HIGH: f64 = 34.0;
const HEADING_LINE: f64 = 20.0;
const HEADING_LEFT: f64 = 14.0;
const HEADING_STEP: f64 = 14.0;
/// Maximum length in characters of a value in a row's heading, such as "19.79 ms" or "5 more"; longer texts are IDs and names.
const LONGEST_VALUE: usize = 16;

/// Position and maximum width of a text.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct LabelPlace {
    pub x: f64,
    /// The baseline of the text.
    pub y: f64,
    pub width: f64,
}

/// Edges of a bar on screen, in CSS pixels.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct BarEdges {
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

impl BarEdges {
    /// Edges of the bar of `rect` under a transform.
    pub fn of(rect: &Rect, transform: &Transform) -> Self {
        let left = transform.x(rect.x);
        let width = (f64::from(rect.width) * transform.scale).max(1.0);
        let height = f64::from(rect.height);
        let drawn = if rect.style.has(BarStyle::IDLE) { height.min(IDLE_HEIGHT) } else { height };
        let top = transform.y(rect.y) + ((height - drawn) / 2.0).round();
        Self { left, right: left + width, top, bottom: top + drawn }
    }

    /// Whether a part of the bar is on a screen of this size.
    pub fn is_on_screen(&self, width: f64, height: f64) -> bool {
        self.right > 0.0 && self.left < width && self.bottom > 0.0 && self.top < height
    }

    /// Width of the bar.
    pub fn width(&self) -> f64 {
        self.right - self.left
    }

    fn baseline(&self) -> f64 {
        f64::midpoint(self.top, self.bottom) + LABEL_SIZE * BASELINE
    }

    /// Place of the label on a screen of this width: inside the bar, or at the left edge of the screen if the bar begins
    /// further left. `None` if there is no room.
    pub fn label_place(&self, style: BarStyle, screen: f64) -> Option<LabelPlace> {
        let mut left = self.left.max(0.0) + 6.0;
        let mut right = self.right.min(screen) - 4.0;
        let width = self.width();
        if style.has(BarStyle::OVER_FETCH) && width > 12.0 {
            left = left.max(self.left + 15.0);
        }
        if style.has(BarStyle::FAILED) {
            right = right.min(self.right - HATCH.min(width / 2.0) - 2.0);
        }
        if style.has(BarStyle::OPEN_END) {
            right = right.min(self.right - FADE.min(width / 2.0) / 2.0);
        }
        (right - left >= LABEL_ROOM).then_some(LabelPlace {
            x: left,
            y: self.baseline(),
            width: right - left,
        })
    }

    /// Place of a note of `width` after the bar, where `room` is free up to the next bar, else at the end inside the
    /// bar if the label, whose width is `label`, leaves room. The flag says whether the place is inside the bar. `None`
    /// if there is no room, or if the end of the bar is not on the screen.
    pub fn note_place(
        &self,
        style: BarStyle,
        screen: f64,
        room: f64,
        [width, label]: [f64; 2],
    ) -> Option<(LabelPlace, bool)> {
        let after = screen - self.right;
        if self.right < 0.0 || after < 0.0 {
            return None;
        }
        let room = room.min(after) - 8.0;
        if width <= room {
            return Some((LabelPlace { x: self.right + 6.0, y: self.baseline(), width: room }, false));
        }
        let place = self.label_place(style, screen)?;
        // Nothing is written on a fading end.
        let x = place.x + place.width - FADE / 2.0 - width;
        (x >= place.x + label).then_some((LabelPlace { x, y: place.y, width }, true))
    }
}

/// The note of a bar of this style, and whether it reports a failure; `None` for a bar without a note. `ends_later`:
/// whether records after the loaded range were left out, which may include a missing end.
pub fn note_of(style: BarStyle, ends_later: bool) -> Option<(&'static str, bool)> {
    if style.has(BarStyle::DENSITY) || style.has(BarStyle::BACKDROP) {
        return None;
    }
    let no_end = if ends_later { texts::ENDS_LATER } else { texts::NO_END };
    if style.has(BarStyle::FAILED) {
        return Some((texts::FAILED, true));
    }
    style.has(BarStyle::OPEN_END).then_some((no_end, false))
}

/// Maximum width of the secondary text of a heading with this much room, and whether the text is a value. A value is written in full or
/// not at all, because its last digits would read as another value; of a longer text, such as an ID, the end is written.
pub fn heading_detail(detail: &str, room: f64) -> (f64, bool) {
    let is_value = detail.chars().count() <= LONGEST_VALUE;
    (room * if is_value { 0.6 } else { 0.3 }, is_value)
}

impl Scene {
    /// Rows with a heading, each with the left edge of its heading and the middle of its line under a transform.
    pub fn headings(&self, transform: &Transform) -> impl Iterator<Item = (&SceneRow, f64, f64)> {
        // Rows without a name belong to the row above.
        let nameless = |row: &&SceneRow| {
            row.track == u32::MAX && self.texts.get(row.label as usize).is_some_and(String::is_empty)
        };
        let named = (0..).zip(&self.rows).filter(move |(_, row)| !nameless(row));
        named.map(move |(at, row): (usize, _)| {
            let more: f32 = self.rows[at + 1..].iter().take_while(nameless).map(|row| row.height).sum();
            let y = heading_middle(transform.y(row.y), f64::from(row.height + more));
            (row, HEADING_LEFT + HEADING_STEP * f64::from(row.depth), y)
        })
    }
}

/// Vertical position of a row's heading: the middle of the row, or of the first line of a high row, kept in view as long
/// as a part of the row is.
fn heading_middle(top: f64, height: f64) -> f64 {
    if height <= HIGH {
        return top + height / 2.0;
    }
    let half = HEADING_LINE / 2.0;
    (top.max(0.0) + half).min(top + height - half)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BAR: BarEdges = BarEdges { left: 10.0, right: 110.0, top: 0.0, bottom: 14.0 };

    #[test]
    fn labels_keep_clear_of_what_is_drawn_on_the_bar() {
        for (style, screen, expected) in [
            (BarStyle::default(), 500.0, Some((16.0, 106.0))),
            (BarStyle::default(), 60.0, Some((16.0, 56.0))),
            (BarStyle::OVER_FETCH, 500.0, Some((25.0, 106.0))),
            (BarStyle::FAILED, 500.0, Some((16.0, 82.0))),
            (BarStyle::OPEN_END, 500.0, Some((16.0, 90.0))),
            (BarStyle::default(), 30.0, None),
        ] {
            let place = BAR.label_place(style, screen).map(|place| (place.x, place.x + place.width));
            assert_eq!(place, expected, "{style:?} {screen}");
        }
    }

    #[test]
    fn notes_are_after_the_bar_or_inside_it() {
        for (room, widths, expected) in [
            (80.0, [50.0, 0.0], Some((116.0, false))),
            (20.0, [50.0, 0.0], Some((36.0, true))),
            (20.0, [50.0, 30.0], None),
        ] {
            let found = BAR.note_place(BarStyle::default(), 500.0, room, widths);
            assert_eq!(found.map(|(place, inside)| (place.x, inside)), expected, "{room} {widths:?}");
        }
        assert_eq!(BAR.note_place(BarStyle::default(), 100.0, 80.0, [50.0, 0.0]), None);
    }
}
