//! A picture as a buffer of device pixels, filled row by row.

use super::color::{Color, blend};

/// An opaque picture.
#[derive(Default)]
pub struct Pixels {
    width: usize,
    height: usize,
    data: Vec<u32>,
}

impl Pixels {
    /// Device pixels from left to right.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Device pixels from top to bottom.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Another size; the content is undefined until [`clear`](Self::clear).
    pub fn resize(&mut self, width: usize, height: usize) {
        (self.width, self.height) = (width, height);
        self.data.resize(width * height, 0);
    }

    /// All of one colour.
    pub fn clear(&mut self, color: Color) {
        self.data.fill(color.pixel());
    }

    /// Four bytes per pixel: red, green, blue, opacity.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.data)
    }

    /// The pixel at a place, if it is inside.
    pub fn get(&self, x: usize, y: usize) -> Option<Color> {
        let pixel = (x < self.width).then(|| self.data.get(y * self.width + x))??.to_le_bytes();
        Some(Color::new(pixel[0], pixel[1], pixel[2]))
    }

    /// Lays `share` (0–255) of a colour on one pixel; nothing outside the picture.
    #[inline]
    pub fn dot(&mut self, x: i64, y: i64, color: Color, share: u8) {
        if x >= 0 && y >= 0 && (x as usize) < self.width && (y as usize) < self.height {
            let at = y as usize * self.width + x as usize;
            self.data[at] = blend(self.data[at], color, u32::from(share));
        }
    }

    /// Lays `share` (0–255) of a colour on row `y` from `left` to `right`. Ends inside a pixel cover a part of it, so
    /// that bars move smoothly by less than a pixel.
    pub fn span(&mut self, y: i64, left: f64, right: f64, color: Color, share: u8) {
        let (left, right) = (left.max(0.0), right.min(self.width as f64));
        if y < 0 || y as usize >= self.height || right <= left {
            return;
        }
        let row = y as usize * self.width;
        let (first, last) = (left as usize, right as usize);
        let part = |cover: f64| (cover * f64::from(share)) as u32;
        if first == last {
            self.data[row + first] = blend(self.data[row + first], color, part(right - left));
            return;
        }
        self.data[row + first] = blend(self.data[row + first], color, part((first + 1) as f64 - left));
        let inner = &mut self.data[row + first + 1..row + last];
        if share == 255 {
            inner.fill(color.pixel());
        } else {
            inner.iter_mut().for_each(|pixel| *pixel = blend(*pixel, color, u32::from(share)));
        }
        if last < self.width {
            self.data[row + last] = blend(self.data[row + last], color, part(right - last as f64));
        }
    }

    /// Lays `share` (0–255) of a colour on whole rows from `top` to `bottom`.
    pub fn fill(&mut self, area: Area, color: Color, share: u8) {
        for y in area.rows(self.height) {
            self.span(y, area.left, area.right, color, share);
        }
    }
}

/// A rectangle in device pixels. Its rows are whole: bars are sharp above and below.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Area {
    pub left: f64,
    pub right: f64,
    pub top: i64,
    pub bottom: i64,
}

impl Area {
    /// The rows that are inside a picture of this height.
    pub fn rows(&self, height: usize) -> std::ops::Range<i64> {
        self.top.max(0)..self.bottom.min(height as i64)
    }

    /// The area, larger by `by` at all four sides.
    #[must_use]
    pub fn grown(&self, by: i64) -> Area {
        let far = by as f64;
        Area { left: self.left - far, right: self.right + far, top: self.top - by, bottom: self.bottom + by }
    }

    /// The same from pixel to pixel, at least one: what touched still does.
    #[must_use]
    pub fn whole(&self) -> Area {
        let left = self.left.round();
        Area { left, right: self.right.round().max(left + 1.0), ..*self }
    }

    /// Its width.
    pub fn width(&self) -> f64 {
        self.right - self.left
    }
}
