//! What the user looks at: an interval of time, a part of the rows, a size.

use serde::{Deserialize, Serialize};

/// An interval (nanoseconds since the runs' own first events) on a width, and a stretch of rows.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Viewport {
    /// Time at the left edge.
    pub start: i64,
    /// Time at the right edge; after `start`.
    pub end: i64,
    /// CSS pixels between them.
    pub width: f32,
    /// How far the rows are scrolled, in CSS pixels.
    pub top: f64,
    /// Height of the visible rows, in CSS pixels.
    pub height: f32,
}

/// The shortest interval that can be looked at.
pub const MIN_SPAN: i64 = 100;

/// Larger than any screen, in CSS pixels.
pub const MAX_PIXELS: f32 = 32_768.0;
/// Up to here an f64 holds every pixel.
const MAX_TOP: f64 = 9_007_199_254_740_992.0;

impl Viewport {
    /// Where `time` is, in pixels from the left edge.
    pub fn x_from_time(&self, time: i64) -> f64 {
        // Differences fit an i128 whatever the times are; as pixels they may be far outside, never wrong inside.
        let from_start = (i128::from(time) - i128::from(self.start)) as f64;
        from_start * f64::from(self.width) / self.span()
    }

    /// The time at `x` pixels from the left edge.
    pub fn time_from_x(&self, x: f64) -> i64 {
        let from_start = x * self.span() / f64::from(self.width.max(1.0));
        self.start.saturating_add(from_start as i64)
    }

    /// Nanoseconds that a pixel stands for.
    pub fn nanos_per_pixel(&self) -> f64 {
        self.span() / f64::from(self.width.max(1.0))
    }

    /// Zooms by `factor` (more than 1 zooms out); the time at `x` stays where it is.
    /// `bounds` is the interval that may be looked at.
    #[must_use]
    pub fn zoomed_at(&self, x: f64, factor: f64, bounds: (i64, i64)) -> Viewport {
        let longest = (i128::from(bounds.1) - i128::from(bounds.0)).max(i128::from(MIN_SPAN)) as f64;
        let span = (self.span() * factor).clamp(MIN_SPAN as f64, longest);
        let share = (x / f64::from(self.width.max(1.0))).clamp(0.0, 1.0);
        let fixed = self.time_from_x(x);
        let start = fixed.saturating_sub((span * share) as i64);
        Viewport { start, end: start.saturating_add(span as i64), ..*self }.clamped(bounds)
    }

    /// Moves the interval by `pixels` to the right.
    #[must_use]
    pub fn panned(&self, pixels: f64, bounds: (i64, i64)) -> Viewport {
        let by = (pixels * self.nanos_per_pixel()) as i64;
        let (start, end) = (self.start.saturating_add(by), self.end.saturating_add(by));
        Viewport { start, end, ..*self }.clamped(bounds)
    }

    /// Moves the interval inside `bounds`; its length stays.
    #[must_use]
    pub fn clamped(&self, bounds: (i64, i64)) -> Viewport {
        let length = self.end.saturating_sub(self.start).max(MIN_SPAN);
        let last = bounds.1.saturating_sub(length).max(bounds.0);
        let start = self.start.clamp(bounds.0, last);
        Viewport { start, end: start.saturating_add(length), ..*self }
    }

    /// The nearest viewport that a picture can be made of, whatever the numbers are: after `start` comes `end`, lengths
    /// are finite and no larger than [`MAX_PIXELS`].
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
