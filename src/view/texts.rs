//! Texts in the rows of a scene, other than labels and headings of items.

use crate::base::text;

/// Note of a bar that failed.
pub const FAILED: &str = "✕ failed";
/// Note of a bar whose end is not in the trace.
pub const NO_END: &str = "no end in trace";
/// Note of a bar whose end may have been left out with the records after the loaded range.
pub const ENDS_LATER: &str = "ends after the loaded range";

/// Hint at the left edge of a row that the last item ended `time` nanoseconds earlier, in a long and a short form.
pub fn ended_earlier(time: i64) -> [String; 2] {
    let time = text::duration(time);
    [format!("‹ ended {time} earlier"), format!("‹ {time}")]
}

/// Hint at the right edge of a row that the next item starts `time` nanoseconds later, in a long and a short form.
pub fn starts_later(time: i64) -> [String; 2] {
    let time = text::duration(time);
    [format!("starts {time} later ›"), format!("{time} ›")]
}
