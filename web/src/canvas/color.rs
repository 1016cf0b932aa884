//! Colours as stored in a pixel buffer: red, green, blue and opacity, one byte each.

pub use queryscope::internal::view::Color;

/// Returns a pixel mixed with `share` (0–255) of `over`.
#[inline]
pub fn blend(under: u32, over: Color, share: u32) -> u32 {
    let keep = 255 - share;
    // Two channels at a time; each sum stays below 2¹⁶.
    let red_blue = (under & 0x00ff_00ff) * keep + (u32::from(over.red) | u32::from(over.blue) << 16) * share;
    let green = (under >> 8 & 0xff) * keep + u32::from(over.green) * share;
    let shifted = |sum: u32| (sum + 0x0080_0080 + (sum >> 8 & 0x00ff_00ff)) >> 8 & 0x00ff_00ff;
    shifted(red_blue) | (shifted(green) & 0xff) << 8 | 0xff00_0000
}
