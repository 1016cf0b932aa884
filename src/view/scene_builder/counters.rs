//! Strips of counters, each in a row of its own or stacked.

use super::{NO_TEXT, SceneBuilder};
use crate::protocol::slot;
use crate::trace::{Item, Kind};
use crate::view::counter::{CounterSamples, CounterStep};
use crate::view::scene::{BarStyle, Rect};

/// Opacity of the strip of a counter.
const COUNTER: u8 = 170;

/// A part of a stacked counter with constant value: item code of its sample, value, and sum of the counters below it.
type StackedStep = (u32, i64, i64);

impl SceneBuilder<'_> {
    /// Draws a counter in a row that begins at `y`. `scale` has the values at the bottom and the top of the row.
    pub fn counter(&mut self, counter: &CounterSamples, scale: (i64, i64), y: f32, height: f32) {
        let grid = self.grid.clone();
        // Top and height of the area between the maximum and the minimum value.
        let (top, room) = (y + 3.0, height - 4.0);
        counter.steps(&grid, scale, |CounterStep { start, end, code, value, zero }| {
            let (high, low) = (value.max(zero), value.min(zero));
            let color = self.colors.slot(self.trace, Item::from_code(code), Kind::Sample);
            self.strip((start, end), (top + (1.0 - high) * room, (high - low) * room), code, color);
        });
    }

    /// Draws a part of a strip: its times, top and height, item code of its sample, and color.
    fn strip(&mut self, (start, end): (i64, i64), (top, height): (f32, f32), code: u32, color: u16) {
        let (left, right) = (self.x(start).max(self.cut.0), self.x(end).min(self.cut.1));
        self.scene.rects.push(Rect {
            x: left as f32,
            y: top,
            width: (right - left).max(1.0) as f32,
            height: height.max(1.0),
            split: 0.0,
            room: 0.0,
            id: code,
            label: NO_TEXT,
            color,
            style: BarStyle::DENSITY,
            alpha: COUNTER,
        });
    }

    /// Draws counters on top of each other, the first one at the bottom, in a row that begins at `y` and ends at the value
    /// `high`. Each pixel column shows the values at its start.
    pub fn stacked(&mut self, counters: &[&CounterSamples], high: i64, y: f32, height: f32) {
        let (window, column) = (self.grid.window.clone(), self.grid.column.max(1));
        let mut open: Vec<Option<(i64, StackedStep)>> = vec![None; counters.len()];
        let mut time = window.start;
        while time < window.end {
            let mut below = 0_i64;
            for (at, counter) in counters.iter().enumerate() {
                let value = counter.value_at(time).filter(|(_, value)| *value > 0);
                let step = value.map(|(code, value)| (code, value, below));
                below = below.saturating_add(value.map_or(0, |(_, value)| value));
                if open[at].map(|(_, step)| step) != step {
                    self.close_stacked(open[at], time, at, (high, y, height));
                    open[at] = step.map(|step| (time, step));
                }
            }
            time = time.saturating_add(column);
        }
        for (at, step) in open.into_iter().enumerate() {
            self.close_stacked(step, window.end, at, (high, y, height));
        }
    }

    fn close_stacked(
        &mut self,
        step: Option<(i64, StackedStep)>,
        end: i64,
        at: usize,
        (high, y, height): (i64, f32, f32),
    ) {
        let Some((start, (code, value, below))) = step else { return };
        let (bottom, room) = (y + height - 1.0, height - 4.0);
        let place = |value: i64| (value as f64 / (high as f64).max(1.0)) as f32 * room;
        let top = bottom - place(below.saturating_add(value));
        self.strip((start, end), (top, place(value)), code, slot::CATEGORY + at as u16 % slot::CATEGORIES);
    }
}
