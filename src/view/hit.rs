//! Finds the items at a point of a scene. The scene may be older than the viewport on screen: a [`Transform`] maps one
//! to the other, and the point is looked up at its position in the scene.

use super::scene::{BarStyle, Scene};
use crate::protocol::Viewport;

/// Distance from a mark's centre at which the mark is still hit, in pixels.
const MARK_REACH: f64 = 4.0;
/// Distance from a thin bar at which the bar is still hit, in pixels; bars narrower than twice this are thin.
const THIN_REACH: f64 = 3.0;

/// Maps a scene's pixels to those of the viewport on screen: `x * scale + dx`, `y + dy`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Transform {
    /// Scale factor of the time axis.
    pub scale: f64,
    /// Shift to the right, applied after scaling.
    pub dx: f64,
    /// Shift downwards.
    pub dy: f64,
}

impl Transform {
    /// Returns the transform of a scene made for `from` and shown in `to`.
    pub fn between(from: &Viewport, to: &Viewport) -> Transform {
        let scale = from.nanos_per_pixel() / to.nanos_per_pixel();
        Transform { scale, dx: to.x_from_time(from.start), dy: from.top - to.top }
    }

    /// Returns the position on screen of the scene's `x`.
    pub fn x(&self, x: f32) -> f64 {
        f64::from(x) * self.scale + self.dx
    }

    /// Returns the position on screen of the scene's `y`.
    pub fn y(&self, y: f32) -> f64 {
        f64::from(y) + self.dy
    }
}

/// Result of a hit test at a point of a scene; indices refer to the scene's lists.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Hit {
    /// The topmost bar or mark; `None` if there is none.
    pub what: Option<HitTarget>,
    /// The `id` of the bar or mark, which a click at the point selects; `None` if a click selects nothing.
    pub id: Option<u32>,
    /// Index of the row under the point, even where the row is empty; `None` outside of all rows.
    pub row: Option<usize>,
}

/// A bar or mark that was hit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HitTarget {
    /// An index into [`Scene::rects`].
    Rect(usize),
    /// An index into [`Scene::marks`].
    Mark(usize),
}

impl Scene {
    /// Returns the topmost item at (`x`, `y`) on screen, with the scene shown under `transform`.
    pub fn hit(&self, x: f64, y: f64, transform: &Transform) -> Hit {
        let what = self.mark_at(x, y, transform).or_else(|| self.rect_at(x, y, transform));
        let id = what.map(|what| match what {
            HitTarget::Rect(at) => self.rects[at].id,
            HitTarget::Mark(at) => self.marks[at].id,
        });
        let id = id.filter(|id| *id != Scene::NO_ITEM);
        Hit { what, id, row: self.row_at(y, transform) }
    }

    /// Returns the IDs of all items at a point on screen, topmost first, through which repeated clicks cycle.
    pub fn stacked_items(&self, x: f64, y: f64, transform: &Transform) -> Vec<u32> {
        let mut stacked_items: Vec<u32> = self.hit(x, y, transform).id.into_iter().collect();
        let marks =
            (0..self.marks.len()).rev().filter(|at| self.mark_distance(*at, x, y, transform).is_some());
        let rects = (0..self.rects.len()).rev();
        let rects = rects.filter(|at| self.rect_distance(*at, x, y, transform).is_some_and(|far| far <= 0.0));
        for id in marks.map(|at| self.marks[at].id).chain(rects.map(|at| self.rects[at].id)) {
            if id != Scene::NO_ITEM && !stacked_items.contains(&id) {
                stacked_items.push(id);
            }
        }
        stacked_items
    }

    /// Returns the index of the row at `y` on screen; `None` outside of all rows.
    pub fn row_at(&self, y: f64, transform: &Transform) -> Option<usize> {
        let y = y - transform.dy;
        self.rows.iter().position(|row| f64::from(row.y) <= y && y < f64::from(row.y) + f64::from(row.height))
    }

    /// Returns the nearest mark within reach; of several at the same distance, the topmost.
    fn mark_at(&self, x: f64, y: f64, transform: &Transform) -> Option<HitTarget> {
        let marks = (0..self.marks.len()).rev();
        let near = marks.filter_map(|at| self.mark_distance(at, x, y, transform).map(|far| (at, far)));
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| HitTarget::Mark(at))
    }

    /// Returns the distance of a mark from a point, if the point is within its reach.
    fn mark_distance(&self, at: usize, x: f64, y: f64, transform: &Transform) -> Option<f64> {
        let mark = &self.marks[at];
        let (dx, dy) = ((transform.x(mark.x) - x).abs(), (transform.y(mark.y) - y).abs());
        let reach = f64::from(mark.radius).max(MARK_REACH);
        (dx <= reach && dy <= reach).then_some(dx.max(dy))
    }

    /// Returns the topmost bar under the point, or else the nearest thin bar within reach.
    fn rect_at(&self, x: f64, y: f64, transform: &Transform) -> Option<HitTarget> {
        let rects = (0..self.rects.len()).rev();
        let near = rects.filter_map(|at| self.rect_distance(at, x, y, transform).map(|far| (at, far)));
        near.min_by(|a, b| a.1.total_cmp(&b.1)).map(|(at, _)| HitTarget::Rect(at))
    }

    /// Returns the horizontal distance of a point from a bar, if the point is within its reach.
    fn rect_distance(&self, at: usize, x: f64, y: f64, transform: &Transform) -> Option<f64> {
        let rect = &self.rects[at];
        let top = transform.y(rect.y);
        if y < top || y >= top + f64::from(rect.height) {
            return None;
        }
        let left = transform.x(rect.x);
        let right = left + f64::from(rect.width) * transform.scale;
        let distance = (left - x).max(x - right).max(0.0);
        // A request is as thin as its query, and must not prevent hits on items drawn over it.
        let thin = right - left < 2.0 * THIN_REACH && !rect.style.has(BarStyle::BACKDROP);
        (distance <= if thin { THIN_REACH } else { 0.0 }).then_some(distance)
    }
}
