//! The cursor of the utilisation heat map, moved by pointer or keyboard.

use crate::components::overview::range::{Grip, Press};

/// Row and time position in the heat map.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Cursor {
    /// Index of the row. An index past the end means the last row.
    pub row: usize,
    /// Position on the time axis, and the range that is being selected.
    pub grip: Grip,
}

/// Effect of a key in the heat map.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CursorStep {
    /// Moves the cursor.
    Go(Cursor),
    /// Selects the time range between two positions on the axis, from 0 to 1.
    Choose(f64, f64),
}

impl Cursor {
    /// Returns the effect of a key in a map of this many rows and columns, or `None` for keys without a meaning.
    pub fn press(self, key: &str, rows: usize, columns: u32) -> Option<CursorStep> {
        let last = rows.saturating_sub(1);
        let here = Self { row: self.row.min(last), grip: self.grip.focused() };
        match key {
            "ArrowUp" => Some(CursorStep::Go(Self { row: here.row.saturating_sub(1), ..here })),
            "ArrowDown" => Some(CursorStep::Go(Self { row: (here.row + 1).min(last), ..here })),
            _ => here.grip.press(key, columns, true).map(|press| match press {
                Press::Grip(grip) => CursorStep::Go(Self { grip, ..here }),
                Press::Choose(from, to) => CursorStep::Choose(from, to),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn keys_move_in_both_directions_and_stay_inside() {
        let at = |row, at| Cursor { row, grip: Grip { at: Some(at), from: None } };
        for (before, key, after) in [
            (Cursor::default(), "ArrowDown", Some(CursorStep::Go(at(1, 0.5)))),
            (at(2, 0.5), "ArrowDown", Some(CursorStep::Go(at(2, 0.5)))),
            (at(9, 0.5), "ArrowUp", Some(CursorStep::Go(at(1, 0.5)))),
            (at(0, 0.5), "ArrowUp", Some(CursorStep::Go(at(0, 0.5)))),
            (at(0, 0.5), "ArrowRight", Some(CursorStep::Go(at(0, 0.75)))),
            (at(0, 0.5), "x", None),
        ] {
            assert_eq!(before.press(key, 3, 4), after, "{before:?} {key}");
        }
        let begun = Cursor { row: 0, grip: Grip { at: Some(1.0), from: Some(0.5) } };
        assert_eq!(begun.press("Enter", 3, 4), Some(CursorStep::Choose(0.5, 1.0)));
        assert_eq!(Cursor::default().press("ArrowDown", 0, 4), Some(CursorStep::Go(at(0, 0.5))));
    }
}
