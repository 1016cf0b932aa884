//! An image as a buffer of device pixels, painted row by row.

use super::color::{Color, blend};

/// An opaque image.
#[derive(Default)]
pub struct Pixels {
    width: usize,
    height: usize,
    data: Vec<u32>,
}

impl Pixels {
    /// Width in device pixels.
    pub fn width(&self) -> usize {
        self.width
    }

    /// Height in device pixels.
    pub fn height(&self) -> usize {
        self.height
    }

    /// Sets the size; the content is undefined until [`clear`](Self::clear).
    pub fn resize(&mut self, width: usize, height: usize) {
        (self.width, self.height) = (width, height);
        self.data.resize(width * height, 0);
    }

    /// Fills the whole image with one colour.
    pub fn clear(&mut self, color: Color) {
        self.data.fill(color.pixel());
    }

    /// The pixels as bytes: red, green, blue, opacity.
    pub fn bytes(&self) -> &[u8] {
        bytemuck::cast_slice(&self.data)
    }

    /// The colour of a pixel; `None` outside of the image.
    pub fn get(&self, x: usize, y: usize) -> Option<Color> {
        let pixel = (x < self.width).then(|| self.data.get(y * self.width + x))??.to_le_bytes();
        Some(Color::new(pixel[0], pixel[1], pixel[2]))
    }

    /// Mixes `share` (0–255) of a colour into one pixel; does nothing outside of the image.
    #[inline]
    pub fn dot(&mut self, x: i64, y: i64, color: Color, share: u8) {
        if x >= 0 && y >= 0 && (x as usize) < self.width && (y as usize) < self.height {
            let at = y as usize * self.width + x as usize;
            self.data[at] = blend(self.data[at], color, u32::from(share));
        }
    }

    /// Mixes `share` (0–255) of a colour into row `y` from `left` to `right`. A pixel at an end is covered in proportion, so
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

    /// Mixes `share` (0–255) of a colour into an area.
    pub fn fill(&mut self, area: Area, color: Color, share: u8) {
        for y in area.rows(self.height) {
            self.span(y, area.left, area.right, color, share);
        }
    }
}

/// A rectangle in device pixels. Top and bottom are whole pixels, so that bars have sharp horizontal edges.
#[derive(Clone, Copy, PartialEq, Debug)]
#[allow(missing_docs)]
pub struct Area {
    pub left: f64,
    pub right: f64,
    pub top: i64,
    pub bottom: i64,
}

impl Area {
    /// The rows of the area that are inside an image of this height.
    pub fn rows(&self, height: usize) -> std::ops::Range<i64> {
        self.top.max(0)..self.bottom.min(height as i64)
    }

    /// The area, enlarged by `by` pixels at each side.
    #[must_use]
    pub fn grown(&self, by: i64) -> Area {
        let far = by as f64;
        Area { left: self.left - far, right: self.right + far, top: self.top - by, bottom: self.bottom + by }
    }

    /// The area with ends rounded to whole pixels, at least one pixel wide; adjacent areas stay adjacent.
    #[must_use]
    pub fn whole(&self) -> Area {
        let left = self.left.round();
        Area { left, right: self.right.round().max(left + 1.0), ..*self }
    }

    /// Width in device pixels.
    pub fn width(&self) -> f64 {
        self.right - self.left
    }
}
