//! Selecting a time range in a chart, by pointer or keyboard.

/// Cursor and start of a range selection, as positions on the axis from 0 at the left to 1 at the right.
#[derive(Clone, Copy, PartialEq, Default, Debug)]
pub struct Grip {
    /// Cursor position, set by the pointer or by keys. `None` without a cursor.
    pub at: Option<f64>,
    /// The fixed end of the range that is being selected. `None` if no selection is in progress.
    pub from: Option<f64>,
}

/// Effect of a key in a chart.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Press {
    /// Moves the cursor, or begins or cancels a range selection.
    Grip(Grip),
    /// Selects the range between two positions on the axis, from 0 to 1.
    Choose(f64, f64),
}

/// Minimum length of a range, as a share of the axis. Shorter drags count as clicks.
const SMALLEST: f64 = 0.005;

impl Grip {
    /// Returns the range from the fixed end to the cursor, ordered. `None` if no range is being selected.
    pub fn range(self) -> Option<(f64, f64)> {
        let (from, to) = self.from.zip(self.at)?;
        ((from - to).abs() > SMALLEST).then(|| (from.min(to), from.max(to)))
    }

    /// Returns the state when the chart gets the keyboard focus: the cursor is in the middle unless it is already set.
    pub fn focused(self) -> Self {
        Self { at: self.at.or(Some(0.5)), ..self }
    }

    /// Returns the effect of a key, on an axis of `steps` steps, or `None` for keys without a meaning. `selects` is
    /// whether the chart supports range selection.
    pub fn press(self, key: &str, steps: u32, selects: bool) -> Option<Press> {
        let step = 1.0 / f64::from(steps.max(1));
        let at = self.at.unwrap_or(0.5);
        let go = |to: f64| Some(Press::Grip(Self { at: Some(to.clamp(0.0, 1.0)), ..self }));
        match (key, self.from) {
            ("ArrowLeft", _) => go(at - step),
            ("ArrowRight", _) => go(at + step),
            ("PageUp", _) => go(at - 10.0 * step),
            ("PageDown", _) => go(at + 10.0 * step),
            ("Home", _) => go(0.0),
            ("End", _) => go(1.0),
            ("Enter" | " ", Some(_)) => {
                let chosen = self.range().map(|(from, to)| Press::Choose(from, to));
                chosen.or(Some(Press::Grip(Self { from: None, ..self })))
            }
            ("Enter" | " ", None) if selects => Some(Press::Grip(Self { at: Some(at), from: Some(at) })),
            ("Escape", Some(_)) => Some(Press::Grip(Self { from: None, ..self })),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn keys_move_along_the_axis_and_choose_a_range() {
        let grip = |at: f64, from: Option<f64>| Grip { at: Some(at), from };
        for (before, key, after) in [
            (Grip::default(), "ArrowRight", Some(Press::Grip(grip(0.75, None)))),
            (grip(0.9, None), "ArrowRight", Some(Press::Grip(grip(1.0, None)))),
            (grip(0.1, Some(0.5)), "Home", Some(Press::Grip(grip(0.0, Some(0.5))))),
            (grip(0.5, None), "Enter", Some(Press::Grip(grip(0.5, Some(0.5))))),
            (grip(0.25, Some(0.5)), " ", Some(Press::Choose(0.25, 0.5))),
            (grip(0.5, Some(0.5)), "Enter", Some(Press::Grip(grip(0.5, None)))),
            (grip(0.5, Some(0.25)), "Escape", Some(Press::Grip(grip(0.5, None)))),
            (grip(0.5, None), "Escape", None),
            (grip(0.5, None), "x", None),
        ] {
            assert_eq!(before.press(key, 4, true), after, "{before:?} {key}");
        }
        assert_eq!(grip(0.5, None).press("Enter", 4, false), None);
    }
}
