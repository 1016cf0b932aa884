//! A canvas with its size, pixel density and pixel buffer.

use wasm_bindgen::{Clamped, JsCast};
use web_sys::{CanvasRenderingContext2d, HtmlCanvasElement, ImageData};

use super::pixels::{Area, Pixels};
use crate::host::page;

/// A canvas to paint on, measured in CSS pixels.
pub struct Surface {
    canvas: HtmlCanvasElement,
    /// Context for texts, in CSS pixels.
    pub context: CanvasRenderingContext2d,
    /// Buffer for everything but texts, in device pixels.
    pub pixels: Pixels,
    /// Device pixels per CSS pixel.
    pub density: f64,
    /// Width in CSS pixels.
    pub width: f64,
    /// Height in CSS pixels.
    pub height: f64,
}

impl Surface {
    /// Creates the surface of a canvas. It has no size before [`fit`](Self::fit) or [`resize`](Self::resize).
    pub fn new(canvas: HtmlCanvasElement) -> Option<Self> {
        let context: CanvasRenderingContext2d = canvas.get_context("2d").ok()??.dyn_into().ok()?;
        let (pixels, density) = (Pixels::default(), 1.0);
        Some(Self { canvas, context, pixels, density, width: 0.0, height: 0.0 })
    }

    /// Adopts the size of the canvas on the page; returns `true` if the size changed.
    pub fn fit(&mut self) -> bool {
        let density = page::pixel_ratio();
        let (width, height) = (f64::from(self.canvas.client_width()), f64::from(self.canvas.client_height()));
        if (self.width, self.height, self.density) == (width, height, density) {
            return false;
        }
        self.density = density;
        self.resize(width, height);
        true
    }

    /// Sets the size of the canvas, in CSS pixels.
    pub fn resize(&mut self, width: f64, height: f64) {
        (self.width, self.height) = (width, height);
        let density = self.density;
        let (columns, rows) = ((width * density).round().max(1.0), (height * density).round().max(1.0));
        self.canvas.set_width(columns as u32);
        self.canvas.set_height(rows as u32);
        self.pixels.resize(columns as usize, rows as usize);
    }

    /// Converts a rectangle from CSS pixels to device pixels.
    pub fn area(&self, left: f64, top: f64, width: f64, height: f64) -> Area {
        let row = |y: f64| (y * self.density).round() as i64;
        let (left, right) = (left * self.density, (left + width) * self.density);
        Area { left, right, top: row(top), bottom: row(top + height) }
    }

    /// Copies the pixel buffer to the canvas; texts that are written afterwards appear on top.
    pub fn show(&self) {
        let bytes = self.pixels.bytes();
        let width = self.pixels.width();
        let height = self.pixels.height();
        // A view without layout has no pixels, and an empty image is not allowed.
        if width == 0 || height == 0 {
            return;
        }
        let image = ImageData::new_with_u8_clamped_array_and_sh(Clamped(bytes), width as u32, height as u32);
        let put = image.and_then(|image| self.context.put_image_data(&image, 0.0, 0.0));
        let scaled =
            put.and_then(|()| self.context.set_transform(self.density, 0.0, 0.0, self.density, 0.0, 0.0));
        if let Err(error) = scaled {
            // The canvas is larger than the browser allows: nothing is painted, but the page continues to work.
            web_sys::console::error_1(&error);
        }
    }
}
