//! Texts of saving a view as an image.

pub const SAVE_AS: &str = "save as";
pub const SAVE: &str = "Save image";
pub const SVG: &str = "SVG";
pub const PNG: &str = "PNG";
pub const SVG_TITLE: &str = "Save this view as an SVG image, in which text stays text";
pub const PNG_TITLE: &str = "Save this view as a PNG image";
pub const SAVED: &str = "Image saved";
pub const REFUSED: &str = "The browser cannot draw this image as PNG. Save it as SVG.";
