//! Wheel input: converts wheel events to zooming, panning and scrolling.

use web_sys::WheelEvent;

use crate::words::keys;

/// Pixels per line, for browsers that count in lines: most wheels scroll three lines per notch.
const LINE: f64 = 33.0;
/// Delta in pixels below which a wheel event with Ctrl counts as a pinch on a touchpad: browsers report both in the same way.
const PINCH: f64 = 50.0;
/// Natural logarithm of the zoom factor, per pixel.
const ZOOM_RATE: f64 = 0.0018;
const PINCH_RATE: f64 = 0.01;
/// Maximum number of pixels by which one event zooms.
const LONGEST_TURN: f64 = 400.0;

/// Action of the wheel without a modifier key; Ctrl or ⌘ switches to the other mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WheelMode {
    /// Scrolls the rows.
    #[default]
    Scroll,
    /// Zooms in time.
    Zoom,
}

impl WheelMode {
    /// Name of the mode in local storage.
    pub fn name(self) -> &'static str {
        match self {
            WheelMode::Scroll => "scroll",
            WheelMode::Zoom => "zoom",
        }
    }

    /// The mode with this name; `None` if there is none.
    pub fn named(name: &str) -> Option<Self> {
        [WheelMode::Scroll, WheelMode::Zoom].into_iter().find(|mode| mode.name() == name)
    }

    /// Wheel gestures and their meanings in this mode, for the help on keys.
    pub fn gestures(self) -> [(&'static str, &'static str); 4] {
        let [plain, with_ctrl] = match self {
            WheelMode::Scroll => [keys::SCROLL_ROWS, keys::ZOOM_AT_POINTER],
            WheelMode::Zoom => [keys::ZOOM_AT_POINTER, keys::SCROLL_ROWS],
        };
        [
            (keys::WHEEL, plain),
            (keys::SIDEWAYS_WHEEL, keys::PAN_SIDEWAYS),
            (keys::CTRL_WHEEL, with_ctrl),
            (keys::PINCH, keys::ZOOM_AT_POINTER),
        ]
    }
}

/// Action of a wheel event.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Wheel {
    /// Zooms at the pointer by this factor: below 1 zooms in, above 1 zooms out.
    Zoom(f64),
    /// Moves along the time axis, in CSS pixels.
    Pan(f64),
    /// Scrolls the rows vertically by this number of CSS pixels, downwards if positive.
    Scroll(f64),
}

/// Modifier keys that are held while the wheel turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
struct Modifiers {
    shift: bool,
    ctrl: bool,
    meta: bool,
}

/// The action of a wheel event. `page`: height of the scrolled element in CSS pixels, since some browsers count in pages.
pub fn wheel(event: &WheelEvent, mode: WheelMode, page: f64) -> Wheel {
    let unit = pixels_per_unit(event.delta_mode(), page);
    let delta = (event.delta_x() * unit, event.delta_y() * unit);
    let held = Modifiers { shift: event.shift_key(), ctrl: event.ctrl_key(), meta: event.meta_key() };
    wheel_of(delta, held, mode)
}

/// Pixels per unit of a `WheelEvent.deltaMode`.
fn pixels_per_unit(delta_mode: u32, page: f64) -> f64 {
    match delta_mode {
        WheelEvent::DOM_DELTA_LINE => LINE,
        WheelEvent::DOM_DELTA_PAGE => page,
        _ => 1.0,
    }
}

fn wheel_of((x, y): (f64, f64), held: Modifiers, mode: WheelMode) -> Wheel {
    if held.ctrl && y.abs() < PINCH {
        return Wheel::Zoom((y * PINCH_RATE).exp());
    }
    let sideways = x.abs() > y.abs();
    let zooms = match (held.ctrl || held.meta, mode) {
        (true, mode) => mode == WheelMode::Scroll,
        (false, _) if held.shift || sideways => return Wheel::Pan(if sideways { x } else { y }),
        (false, mode) => mode == WheelMode::Zoom,
    };
    if zooms {
        Wheel::Zoom((y.clamp(-LONGEST_TURN, LONGEST_TURN) * ZOOM_RATE).exp())
    } else {
        Wheel::Scroll(y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    const PLAIN: Modifiers = Modifiers { shift: false, ctrl: false, meta: false };
    const SHIFT: Modifiers = Modifiers { shift: true, ..PLAIN };
    const CTRL: Modifiers = Modifiers { ctrl: true, ..PLAIN };
    const META: Modifiers = Modifiers { meta: true, ..PLAIN };

    /// Kind of the action, and whether its direction is positive (down, right, out).
    fn outcome(wheel: Wheel) -> (&'static str, bool) {
        match wheel {
            Wheel::Zoom(factor) => ("zoom", factor > 1.0),
            Wheel::Pan(pixels) => ("pan", pixels > 0.0),
            Wheel::Scroll(pixels) => ("scroll", pixels > 0.0),
        }
    }

    #[wasm_bindgen_test]
    fn a_wheel_scrolls_pans_with_shift_and_zooms_with_ctrl_or_the_other_way_round() {
        for (delta, held, scrolls, zooms) in [
            ((0.0, 120.0), PLAIN, ("scroll", true), ("zoom", true)),
            ((0.0, -120.0), PLAIN, ("scroll", false), ("zoom", false)),
            ((0.0, 4.0), PLAIN, ("scroll", true), ("zoom", true)),
            ((0.0, 120.0), SHIFT, ("pan", true), ("pan", true)),
            // Some systems swap the axes themselves while Shift is held.
            ((-120.0, 0.0), SHIFT, ("pan", false), ("pan", false)),
            ((30.0, 2.0), PLAIN, ("pan", true), ("pan", true)),
            ((0.0, 120.0), CTRL, ("zoom", true), ("scroll", true)),
            ((0.0, -120.0), META, ("zoom", false), ("scroll", false)),
            ((0.0, -3.5), META, ("zoom", false), ("scroll", false)),
            // A pinch on a touchpad.
            ((0.0, -3.5), CTRL, ("zoom", false), ("zoom", false)),
            ((0.0, 120.0), Modifiers { ctrl: true, ..SHIFT }, ("zoom", true), ("scroll", true)),
        ] {
            assert_eq!(outcome(wheel_of(delta, held, WheelMode::Scroll)), scrolls, "{delta:?} {held:?}");
            assert_eq!(outcome(wheel_of(delta, held, WheelMode::Zoom)), zooms, "{delta:?} {held:?}");
        }
        assert_eq!(wheel_of((0.0, 120.0), PLAIN, WheelMode::Scroll), Wheel::Scroll(120.0));
        assert_eq!(wheel_of((30.0, 2.0), PLAIN, WheelMode::Scroll), Wheel::Pan(30.0));
    }

    #[wasm_bindgen_test]
    fn pixels_lines_and_pages_are_told_apart() {
        for (mode, pixels) in [
            (WheelEvent::DOM_DELTA_PIXEL, 1.0),
            (WheelEvent::DOM_DELTA_LINE, LINE),
            (WheelEvent::DOM_DELTA_PAGE, 450.0),
        ] {
            assert_eq!(pixels_per_unit(mode, 450.0), pixels, "mode {mode}");
        }
    }

    #[wasm_bindgen_test]
    fn modes_have_names() {
        for mode in [WheelMode::Scroll, WheelMode::Zoom] {
            assert_eq!(WheelMode::named(mode.name()), Some(mode));
        }
        assert_eq!(WheelMode::named(""), None);
    }
}
