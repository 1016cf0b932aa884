//! The viewport of the timeline and its changes: zoom, pan, scroll, and short animated flights to another place.

use queryscope::protocol::{MIN_SPAN, Viewport};

/// Duration of a flight, in milliseconds.
const FLIGHT_MS: f64 = 150.0;
/// Empty space at both ends of the bounds, as a share of the trace's length.
const MARGIN: f64 = 0.02;

/// A viewport that stays inside its bounds.
#[derive(Clone, PartialEq, Debug)]
pub struct Camera {
    /// The current viewport.
    pub view: Viewport,
    /// Longest interval that can be shown, in the unit of the axis (nanoseconds for time).
    pub bounds: (i64, i64),
    /// Height of all rows, in CSS pixels.
    pub content: f64,
    flight: Option<Flight>,
}

/// The directions in which the camera can move.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Room {
    /// Whether rows are hidden above the visible rows.
    pub up: bool,
    /// Whether rows are hidden below the visible rows.
    pub down: bool,
    /// Whether the interval can become shorter (zoom in).
    pub closer: bool,
    /// Whether the interval can become longer (zoom out).
    pub farther: bool,
}

#[derive(Clone, PartialEq, Debug)]
struct Flight {
    from: Viewport,
    to: Viewport,
    began: f64,
}

/// The bounds of a trace that ends at `end`, with some empty space at both ends.
pub fn bounds_of(end: i64) -> (i64, i64) {
    let margin = ((end as f64 * MARGIN) as i64).max(MIN_SPAN);
    (-margin, end.saturating_add(margin))
}

impl Camera {
    /// Creates a camera that shows all of `bounds`.
    pub fn new(bounds: (i64, i64)) -> Self {
        let view = Viewport { start: bounds.0, end: bounds.1, width: 1.0, top: 0.0, height: 1.0 };
        Self { view, bounds, content: 0.0, flight: None }
    }

    /// Sets the size of the canvas, in CSS pixels.
    pub fn resize(&mut self, width: f64, height: f64) {
        self.view.width = width.max(1.0) as f32;
        self.view.height = height.max(1.0) as f32;
        self.stay_inside();
    }

    /// Sets the size of the canvas after a panel next to it appeared or disappeared: the scale stays, so that time at the right
    /// edge is covered or revealed.
    pub fn resize_beside(&mut self, width: f64, height: f64) {
        let Viewport { start, end, width: old, .. } = self.view;
        self.resize(width, height);
        let kept = (end.saturating_sub(start)) as f64 / f64::from(old) * f64::from(self.view.width);
        let end = start.saturating_add(kept.round() as i64).max(start.saturating_add(1));
        // If the interval ends within a pixel of the bounds, it ends exactly at the bounds.
        let pixel = (end.saturating_sub(start) as f64 / width.max(1.0)) as i64;
        let end = if end.abs_diff(self.bounds.1) <= pixel.unsigned_abs() { self.bounds.1 } else { end };
        self.view = Viewport { start, end, ..self.view };
        self.flight = None;
    }

    /// Sets the height of all rows.
    pub fn set_content(&mut self, height: f64) {
        self.content = height;
        self.stay_inside();
    }

    /// Sets other bounds, for a growing trace. A camera that shows everything continues to show everything.
    pub fn rebound(&mut self, bounds: (i64, i64)) {
        let whole = (self.view.start, self.view.end) == self.bounds;
        self.bounds = bounds;
        let (start, end) = if whole { bounds } else { (self.view.start, self.view.end) };
        self.look_at(start, end);
    }

    /// Shows an interval at once, without a flight.
    pub fn look_at(&mut self, start: i64, end: i64) {
        self.flight = None;
        self.view = self.framed(start, end, self.view.top);
    }

    /// The interval that is shown; `None` for all of it.
    pub fn part(&self) -> Option<(i64, i64)> {
        let Viewport { start, end, .. } = self.target();
        Some((start, end)).filter(|part| *part != self.bounds)
    }

    /// Zooms around `x`: a factor below 1 zooms in, above 1 zooms out.
    pub fn zoom(&mut self, x: f64, factor: f64) {
        self.flight = None;
        self.view = self.view.zoomed_at(x, factor, self.bounds);
    }

    /// Pans to later times by `pixels`.
    pub fn pan(&mut self, pixels: f64) {
        self.flight = None;
        self.view = self.view.panned(pixels, self.bounds);
    }

    /// Scrolls down by `pixels`.
    pub fn scroll_by(&mut self, pixels: f64) {
        self.scroll_to(self.view.top + pixels);
    }

    /// Scrolls so that the view starts at `top`.
    pub fn scroll_to(&mut self, top: f64) {
        self.view.top = top.clamp(0.0, self.lowest());
        if let Some(flight) = &mut self.flight {
            flight.to.top = self.view.top;
            flight.from.top = self.view.top;
        }
    }

    /// Starts a flight to an interval at time `now`; moves at once if `now` is `None`.
    pub fn fly(&mut self, start: i64, end: i64, top: f64, now: Option<f64>) {
        let to = self.framed(start, end, top.clamp(0.0, self.lowest()));
        match now {
            Some(began) => self.flight = Some(Flight { from: self.view, to, began }),
            None => (self.view, self.flight) = (to, None),
        }
    }

    /// Advances the flight to time `now`; returns `false` if there is no flight.
    pub fn step(&mut self, now: f64) -> bool {
        let Some(flight) = &self.flight else { return false };
        let share = ((now - flight.began) / FLIGHT_MS).clamp(0.0, 1.0);
        if share >= 1.0 {
            self.view = Viewport { width: self.view.width, height: self.view.height, ..flight.to };
            self.flight = None;
            return true;
        }
        let eased = 1.0 - (1.0 - share).powi(3);
        let between = |from: i64, to: i64| {
            let far = i128::from(to) - i128::from(from);
            from.saturating_add((far as f64 * eased) as i64)
        };
        self.view.start = between(flight.from.start, flight.to.start);
        self.view.end = between(flight.from.end, flight.to.end).max(self.view.start.saturating_add(1));
        self.view.top = flight.from.top + (flight.to.top - flight.from.top) * eased;
        true
    }

    /// The viewport at the end of the flight, or the current viewport.
    pub fn target(&self) -> Viewport {
        self.flight.as_ref().map_or(self.view, |flight| flight.to)
    }

    /// Whether the whole interval is shown.
    pub fn is_whole(&self) -> bool {
        (self.target().start, self.target().end) == self.bounds
    }

    /// The directions in which the camera can move.
    pub fn room(&self) -> Room {
        let view = &self.view;
        Room {
            // Less than half a pixel is invisible.
            up: view.top > 0.5,
            down: view.top + 0.5 < self.lowest(),
            closer: view.end.saturating_sub(view.start) > MIN_SPAN,
            farther: !self.is_whole(),
        }
    }

    /// Returns `start..end` with some space at both ends.
    pub fn around(&self, start: i64, end: i64) -> (i64, i64) {
        let room = ((end.saturating_sub(start)) as f64 * 0.08) as i64;
        let room = room.max(MIN_SPAN / 2);
        (start.saturating_sub(room), end.saturating_add(room))
    }

    /// Makes room for a row that no scene has had yet. Rows may follow it: the next scene says where the content ends.
    pub fn make_room_for(&mut self, top: f64, height: f64) {
        if self.content < top + height {
            self.content = top + height + f64::from(self.view.height);
        }
    }

    /// Returns the `top` that makes a row visible, unchanged if it is already visible.
    pub fn top_for(&self, top: f64, height: f64) -> f64 {
        let (view, tall) = (self.target().top, f64::from(self.view.height));
        if top < view || top + height > view + tall { top - tall / 3.0 } else { view }
    }

    fn framed(&self, start: i64, end: i64, top: f64) -> Viewport {
        let whole = self.bounds.1.saturating_sub(self.bounds.0);
        if end.saturating_sub(start) >= whole {
            return Viewport { start: self.bounds.0, end: self.bounds.1, top, ..self.view };
        }
        Viewport { start, end, top, ..self.view }.clamped(self.bounds)
    }

    /// Keeps the rows and the flight's target inside the content; unlike scrolling, it does not end the flight.
    fn stay_inside(&mut self) {
        let lowest = self.lowest();
        self.view.top = self.view.top.clamp(0.0, lowest);
        if let Some(flight) = &mut self.flight {
            flight.to.top = flight.to.top.clamp(0.0, lowest);
        }
    }

    fn lowest(&self) -> f64 {
        (self.content - f64::from(self.view.height)).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn a_panel_beside_it_moves_nothing_and_leaves_the_whole_behind() {
        let mut camera = camera();
        let whole = camera.view;
        camera.resize_beside(640.0, 400.0);
        let per_pixel = |view: &Viewport| (view.end - view.start) as f64 / f64::from(view.width);
        assert_eq!(camera.view.start, whole.start);
        assert!((per_pixel(&camera.view) / per_pixel(&whole) - 1.0).abs() < 1e-3);
        camera.resize_beside(1000.0, 400.0);
        assert_eq!((camera.view.start, camera.view.end), (whole.start, whole.end));
    }

    fn camera() -> Camera {
        let mut camera = Camera::new(bounds_of(1_000_000));
        camera.content = 5_000.0;
        camera.resize(1000.0, 400.0);
        camera
    }

    #[wasm_bindgen_test]
    fn a_flight_ends_exactly_where_it_was_meant_to() {
        let mut camera = camera();
        camera.fly(1_234, 5_678, 300.0, Some(0.0));
        assert!(camera.step(75.0));
        assert!(camera.view.start > camera.bounds.0 && camera.view.start < 1_234);
        assert!(camera.step(150.0));
        assert_eq!((camera.view.start, camera.view.end, camera.view.top), (1_234, 5_678, 300.0));
        assert!(!camera.step(200.0));
    }

    #[wasm_bindgen_test]
    fn a_row_of_a_scene_to_come_is_not_at_the_edge() {
        let mut camera = camera();
        camera.set_content(0.0);
        camera.make_room_for(3_000.0, 24.0);
        let top = camera.top_for(3_000.0, 24.0);
        camera.fly(0, 1_000, top, None);
        assert!((3_000.0 - camera.view.top - 400.0 / 3.0).abs() < 1e-6);
        // It is the last row.
        camera.set_content(3_024.0);
        assert_eq!(camera.view.top, 2_624.0);
        camera.make_room_for(1_000.0, 24.0);
        assert_eq!(camera.content, 3_024.0);
    }

    #[wasm_bindgen_test]
    fn a_scene_that_arrives_does_not_end_a_flight() {
        let mut camera = camera();
        camera.fly(1_234, 5_678, 3_000.0, Some(0.0));
        camera.step(20.0);
        camera.set_content(5_000.0);
        camera.step(150.0);
        assert_eq!(camera.view.top, 3_000.0);
        camera.fly(1_234, 5_678, 4_600.0, Some(0.0));
        camera.set_content(1_000.0);
        camera.step(150.0);
        assert_eq!(camera.view.top, 600.0);
    }

    #[wasm_bindgen_test]
    fn nothing_leads_out_of_bounds() {
        let mut camera = camera();
        camera.pan(-1e12);
        assert_eq!(camera.view.start, camera.bounds.0);
        camera.zoom(10.0, 1e12);
        assert!(camera.is_whole());
        camera.scroll_by(1e12);
        assert_eq!(camera.view.top, 4_600.0);
        camera.look_at(i64::MIN, i64::MAX);
        assert!(camera.is_whole());
    }

    #[wasm_bindgen_test]
    fn there_is_room_until_a_bound_is_reached() {
        let mut camera = camera();
        assert_eq!(camera.room(), Room { up: false, down: true, closer: true, farther: false });
        camera.scroll_by(1e12);
        camera.zoom(500.0, 1e-12);
        assert_eq!(camera.room(), Room { up: true, down: false, closer: false, farther: true });
        camera.set_content(400.0);
        camera.zoom(500.0, 1e12);
        assert_eq!(camera.room(), Room { up: false, down: false, closer: true, farther: false });
    }

    #[wasm_bindgen_test]
    fn who_sees_the_whole_sees_it_grow() {
        let mut camera = camera();
        camera.rebound(bounds_of(2_000_000));
        assert!(camera.is_whole());
        camera.look_at(10, 1_000);
        camera.rebound(bounds_of(3_000_000));
        assert_eq!((camera.view.start, camera.view.end), (10, 1_000));
    }
}
