//! Mouse input by WebDriver, which works in every browser without the DevTools protocol.

use anyhow::Result;
use serde_json::{Value, json};

use crate::browser::Browser;

/// Rounds a coordinate, because drivers accept only whole pixels.
#[expect(clippy::cast_possible_truncation, reason = "places on a screen are small")]
fn pixel(place: f64) -> i64 {
    place.round() as i64
}

impl Browser {
    /// Presses the left button at the first point, moves along the other points, and releases the button at the last.
    pub fn drag(&self, places: &[(f64, f64)]) -> Result<()> {
        let go = |&(x, y): &(f64, f64)| json!({ "type": "pointerMove", "duration": 20, "x": pixel(x), "y": pixel(y) });
        let mut steps: Vec<Value> = places.iter().map(go).collect();
        steps.insert(1.min(steps.len()), json!({ "type": "pointerDown", "button": 0 }));
        steps.push(json!({ "type": "pointerUp", "button": 0 }));
        let mouse = json!({ "type": "pointer", "id": "mouse", "actions": steps });
        self.post("/actions", &json!({ "actions": [mouse] })).map(|_| ())
    }

    /// Turns the wheel over a point by this number of pixels, with a key held down (`\u{e009}` is Ctrl) or without.
    pub fn wheel(&self, (x, y): (f64, f64), pixels: i32, key: Option<char>) -> Result<()> {
        let scroll = json!({ "type": "scroll", "duration": 0, "origin": "viewport", "x": pixel(x), "y": pixel(y), "deltaX": 0, "deltaY": pixels });
        let rest = json!({ "type": "pause", "duration": 0 });
        let mut sources = vec![json!({ "type": "wheel", "id": "wheel", "actions": [rest, scroll] })];
        if let Some(key) = key {
            let key = |kind: &str| json!({ "type": kind, "value": key.to_string() });
            let held = json!([key("keyDown"), rest, key("keyUp")]);
            sources.push(json!({ "type": "key", "id": "keyboard", "actions": held }));
        }
        self.post("/actions", &json!({ "actions": sources })).map(|_| ())
    }
}
