//! The visible part of a view: a time interval, a vertical offset, and a size.

use serde::{Deserialize, Serialize};

/// A visible time interval and range of rows. Times are in nanoseconds since the first event of each run.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Viewport {
    /// Time at the left edge, in nanoseconds.
    pub start: i64,
    /// Time at the right edge, in nanoseconds; greater than `start`.
    pub end: i64,
    /// Width, in CSS pixels.
    pub width: f32,
    /// Vertical scroll offset of the rows, in CSS pixels.
    pub top: f64,
    /// Height of the visible rows, in CSS pixels.
    pub height: f32,
}

/// Length of the shortest interval that can be shown, in nanoseconds.
pub const MIN_SPAN: i64 = 100;

/// Maximum width or height of a viewport, in CSS pixels; larger than any screen.
pub const MAX_PIXELS: f32 = 32_768.0;
/// Maximum scroll offset, 2⁵³: up to here, an `f64` represents every pixel exactly.
const MAX_TOP: f64 = 9_007_199_254_740_992.0;

impl Viewport {
    /// Position of `time`, in pixels from the left edge.
    pub fn x_from_time(&self, time: i64) -> f64 {
        // The difference of any two times fits into an i128. Positions far outside the viewport may be inexact.
        let from_start = (i128::from(time) - i128::from(self.start)) as f64;
        from_start * f64::from(self.width) / self.span()
    }

    /// Time at `x` pixels from the left edge, in nanoseconds.
    pub fn time_from_x(&self, x: f64) -> i64 {
        let from_start = x * self.span() / f64::from(self.width.max(1.0));
        self.start.saturating_add(from_start as i64)
    }

    /// Number of nanoseconds per pixel.
    pub fn nanos_per_pixel(&self) -> f64 {
        self.span() / f64::from(self.width.max(1.0))
    }

    /// Returns the viewport zoomed by `factor` (more than 1 zooms out); the time at `x` keeps its position.
    /// `bounds` is the interval to which the viewport is limited.
    #[must_use]
    pub fn zoomed_at(&self, x: f64, factor: f64, bounds: (i64, i64)) -> Viewport {
        let longest = (i128::from(bounds.1) - i128::from(bounds.0)).max(i128::from(MIN_SPAN)) as f64;
        let span = (self.span() * factor).clamp(MIN_SPAN as f64, longest);
        let share = (x / f64::from(self.width.max(1.0))).clamp(0.0, 1.0);
        let fixed = self.time_from_x(x);
        let start = fixed.saturating_sub((span * share) as i64);
        Viewport { start, end: start.saturating_add(span as i64), ..*self }.clamped(bounds)
    }

    /// Returns the viewport moved by `pixels` to the right, within `bounds`.
    #[must_use]
    pub fn panned(&self, pixels: f64, bounds: (i64, i64)) -> Viewport {
        let by = (pixels * self.nanos_per_pixel()) as i64;
        let (start, end) = (self.start.saturating_add(by), self.end.saturating_add(by));
        Viewport { start, end, ..*self }.clamped(bounds)
    }

    /// Returns the viewport moved into `bounds` with its length unchanged.
    #[must_use]
    pub fn clamped(&self, bounds: (i64, i64)) -> Viewport {
        let length = self.end.saturating_sub(self.start).max(MIN_SPAN);
        let last = bounds.1.saturating_sub(length).max(bounds.0);
        let start = self.start.clamp(bounds.0, last);
        Viewport { start, end: start.saturating_add(length), ..*self }
    }

    /// Returns the nearest valid viewport: `end` is greater than `start`, and lengths are finite and at most [`MAX_PIXELS`].
    #[must_use]
    pub fn sane(&self) -> Viewport {
        let pixels = |length: f32| if length.is_finite() { length.clamp(0.0, MAX_PIXELS) } else { 0.0 };
        let start = self.start.min(i64::MAX - MIN_SPAN);
        Viewport {
            start,
            end: self.end.max(start + 1),
            width: pixels(self.width).max(1.0),
            top: if self.top.is_finite() { self.top.clamp(0.0, MAX_TOP) } else { 0.0 },
            height: pixels(self.height),
        }
    }

    fn span(&self) -> f64 {
        (i128::from(self.end) - i128::from(self.start)).max(1) as f64
    }
}
