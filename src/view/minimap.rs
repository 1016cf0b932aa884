//! Activity of the whole trace per pixel.

use super::content::top_spans;
use crate::protocol::{MAX_PIXELS, Viewport};
use crate::trace::{Flags, Trace};

/// Activity and failures per pixel, for one width.
pub(super) struct Minimap {
    /// Number of concurrent queries per pixel, scaled so that 255 is the maximum; never 0 while a query runs.
    pub busy: Vec<u8>,
    /// 1 for each pixel in which a query failed, otherwise 0.
    pub failed: Vec<u8>,
}

/// Limits the width to at least one pixel and at most [`MAX_PIXELS`].
pub(super) fn sane_width(width: u32) -> usize {
    width.clamp(1, MAX_PIXELS as u32) as usize
}

impl Minimap {
    pub fn new(trace: &Trace, width: usize) -> Self {
        let viewport =
            Viewport { start: 0, end: trace.end().max(1), width: width as f32, top: 0.0, height: 0.0 };
        let pixel = |x: f64| (x.max(0.0) as usize).min(width - 1);
        let mut profile = LoadProfile { change: vec![0.0; width + 1], partial: vec![0.0; width] };
        let mut failed = vec![0; width];
        for span in trace.runs.iter().flat_map(|run| top_spans(trace, run.track)) {
            let left = viewport.x_from_time(span.start);
            let right = viewport.x_from_time(span.start.saturating_add(span.weight));
            profile.add(left.clamp(0.0, width as f64), right.clamp(0.0, width as f64));
            if span.flags.has(Flags::FAILED) {
                failed[pixel(right)] = 1;
            }
        }
        Self { busy: profile.finish(), failed }
    }
}

/// Counts how many intervals cover each pixel, in O(1) per interval. The shares of an interval's first and last pixel
/// are added to `partial`; the pixels between them are stored as differences in `change`.
struct LoadProfile {
    change: Vec<f64>,
    partial: Vec<f64>,
}

/// Length assumed for an interval without duration, in pixels.
const INSTANT: f64 = 0.001;

impl LoadProfile {
    fn add(&mut self, left: f64, right: f64) {
        let last = self.partial.len() - 1;
        let (first, end) = ((left as usize).min(last), (right as usize).min(last));
        if first == end {
            self.partial[first] += (right - left).max(INSTANT);
            return;
        }
        self.partial[first] += (first + 1) as f64 - left;
        self.partial[end] += right - end as f64;
        self.change[first + 1] += 1.0;
        self.change[end] -= 1.0;
    }

    fn finish(self) -> Vec<u8> {
        let mut whole = 0.0;
        let add = |(change, partial): (&f64, &f64)| {
            whole += change;
            whole + partial
        };
        let busy: Vec<f64> = self.change.iter().zip(&self.partial).map(add).collect();
        let most = busy.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let level =
            |&busy: &f64| if busy <= 0.0 { 0 } else { (busy / most * 255.0).ceil().clamp(1.0, 255.0) as u8 };
        busy.iter().map(level).collect()
    }
}
