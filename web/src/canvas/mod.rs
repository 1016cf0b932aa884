//! Painting. Rectangles are painted to a pixel buffer, which is copied to the canvas at once; texts are written on top.
//! (Measured: 3.2 ms for 20,000 rectangles and 500 labels, against 15 ms with one call per rectangle.)
//!
//! This module makes no decisions: a scene defines positions, a theme defines colours and fonts.

pub mod color;
pub mod pixels;
mod scene;
pub mod shapes;
pub mod surface;
pub mod text;
pub mod theme;
mod warm_up;

pub use scene::{Highlights, Layer, paint_labels, paint_scene};
pub use surface::Surface;
pub use theme::CanvasTheme;
pub use warm_up::warm_up;
