//! A view as an image, for pages and documents that cannot run the viewer.

use serde::{Deserialize, Serialize};

use super::{ViewSpec, Viewport};

/// Requests an image of a view as SVG: headings, time axis, rows and legend, with texts as text.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct PictureRequest {
    /// View to draw.
    pub view: ViewSpec,
    /// Visible part of the view. The image ends with the last fully visible row.
    pub viewport: Viewport,
    /// Width of the headings to the left of the viewport, in CSS pixels.
    pub headings: f32,
    /// Name of the trace.
    pub title: String,
    /// Whether the colours are those of the dark theme.
    pub dark: bool,
    /// Colour slots whose bars are highlighted while all other bars are pale; empty for no highlight.
    pub only: Vec<u16>,
    /// Code of the selected item, whose bar has an outline.
    pub selection: Option<u32>,
    /// Highlighted time range, in nanoseconds.
    pub range: Option<(i64, i64)>,
    /// Arrows of the selection: `None` for no arrows, `Some(true)` for the direct ones only, `Some(false)` for all.
    pub arrows: Option<bool>,
}

/// An image of a view.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Picture {
    /// The image as an SVG document.
    pub svg: String,
    /// Width, in CSS pixels.
    pub width: f32,
    /// Height, in CSS pixels.
    pub height: f32,
    /// Height of the rows below the end of the image, in CSS pixels.
    pub hidden: f64,
}
