//! The visible rows of a long table, and their positions in an element that is small enough for browsers to scroll.

use std::ops::Range;

/// Height of a row of one line, in CSS pixels.
pub const ROW: f64 = 26.0;
/// Maximum height of the scrolled element, in CSS pixels. Browsers support 17 to 33 million; longer lists scroll by
/// scaled steps.
const TALLEST: f64 = 8_000_000.0;
/// Number of rows of a block. Rows are fetched in whole blocks, so that most small scrolls need no request.
const BLOCK: u32 = 32;

/// A scrolled element and the table rows in it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RowViewport {
    /// Number of rows of the table.
    pub rows: u32,
    /// Height of a row, in CSS pixels.
    pub row: f64,
    /// Height of the visible part, in CSS pixels.
    pub height: f64,
    /// Scroll offset of the element, in CSS pixels.
    pub scroll: f64,
}

impl RowViewport {
    /// Height of the scrolled element in CSS pixels: the height of all rows, but at most `TALLEST`.
    pub fn tall(&self) -> f64 {
        self.content().min(TALLEST)
    }

    /// Range of the visible rows, including a partly visible last row.
    pub fn visible(&self) -> Range<u32> {
        let first = (self.offset() / self.row).floor() as u32;
        let last = ((self.offset() + self.height) / self.row).ceil() as u32;
        first.min(self.rows)..last.min(self.rows)
    }

    /// Range of rows to fetch: the visible rows and some around them, in whole blocks.
    pub fn wanted(&self) -> Range<u32> {
        let visible = self.visible();
        let first = visible.start.saturating_sub(BLOCK) / BLOCK * BLOCK;
        let last = (visible.end + BLOCK).div_ceil(BLOCK) * BLOCK;
        first..last
    }

    /// Position of the top of a row in the scrolled element, in CSS pixels.
    pub fn top_of(&self, row: u32) -> f64 {
        f64::from(row) * self.row - self.offset() + self.scroll
    }

    /// Returns the scroll offset that makes a row fully visible, or `None` if it is visible already.
    pub fn reveal(&self, row: u32) -> Option<f64> {
        let top = f64::from(row) * self.row;
        let highest = self.offset();
        let lowest = highest + self.height - self.row;
        if (highest..=lowest.max(highest)).contains(&top) {
            return None;
        }
        // A nearby row scrolls by the minimum distance. A distant row scrolls to the centre.
        let near = self.height.max(self.row);
        let offset = if top < highest && highest - top <= near {
            top
        } else if top > lowest && top - lowest <= near {
            top - self.height + self.row
        } else {
            top - (self.height - self.row) / 2.0
        };
        Some(offset.clamp(0.0, (self.content() - self.height).max(0.0)) / self.scale())
    }

    /// Number of rows that Page Up and Page Down move the cursor.
    pub fn page(&self) -> u32 {
        ((self.height / self.row).floor() as u32).saturating_sub(1).max(1)
    }

    fn content(&self) -> f64 {
        f64::from(self.rows) * self.row
    }

    /// Number of pixels of the full list that one pixel of scrolling moves; 1 unless the full list is taller than [`TALLEST`].
    fn scale(&self) -> f64 {
        let range = (self.tall() - self.height).max(1.0);
        ((self.content() - self.height) / range).max(1.0)
    }

    fn offset(&self) -> f64 {
        (self.scroll * self.scale()).clamp(0.0, (self.content() - self.height).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn every_row_can_be_reached_and_is_visible_then() {
        for rows in [1, 5, 60, 100_000, 2_000_000, u32::MAX / 2] {
            let viewport = RowViewport { rows, row: ROW, height: 200.0, scroll: 0.0 };
            for row in [0, 1, rows / 3, rows / 2, rows - 1] {
                let row = row.min(rows - 1);
                let scroll = viewport.reveal(row).unwrap_or(0.0);
                let there = RowViewport { scroll, ..viewport };
                assert!(scroll <= there.tall(), "{rows} {row}");
                assert!(there.visible().contains(&row), "{rows} {row}: {:?}", there.visible());
                let wanted = there.wanted();
                assert!(wanted.start <= there.visible().start && wanted.end >= there.visible().end);
                assert!((there.top_of(row) - scroll).abs() < 200.0);
            }
        }
    }

    #[wasm_bindgen_test]
    fn short_lists_scroll_by_their_own_pixels() {
        let viewport = RowViewport { rows: 100, row: ROW, height: 260.0, scroll: 130.0 };
        assert_eq!((viewport.tall(), viewport.visible(), viewport.top_of(5)), (2_600.0, 5..15, 130.0));
        assert_eq!(viewport.reveal(7), None);
        assert_eq!(viewport.reveal(4), Some(104.0));
        assert_eq!(viewport.reveal(15), Some(156.0));
    }
}
