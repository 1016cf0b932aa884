//! Where in the heat map somebody is: by pointer or by keyboard.

use crate::components::overview::range::{Grip, Press};

/// A row, and a place along the time axis.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Cursor {
    /// The row; the last one where there are fewer.
    pub row: usize,
    /// Along the time axis, with the range that is being chosen.
    pub grip: Grip,
}

/// What a key does in the map.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CursorStep {
    /// Moves.
    Go(Cursor),
    /// Chooses the range between these shares of the axis.
    Choose(f64, f64),
}

impl Cursor {
    /// What a key does in a map of so many rows and columns; `None` if that is not the map's business.
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
