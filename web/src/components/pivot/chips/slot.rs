//! The drop position of a dragged chip.

use web_sys::Element;

/// Left, right and bottom edge of a chip, in CSS pixels.
type Box = (f64, f64, f64);

/// Returns the index of the element in `list` before which a drop at the point inserts, or the number of elements for the end.
pub fn slot(list: &Element, x: f64, y: f64) -> usize {
    let chips = list.children();
    let boxes = (0..chips.length()).filter_map(|at| chips.item(at)).map(|chip| {
        let place = chip.get_bounding_client_rect();
        (place.left(), place.right(), place.bottom())
    });
    slot_among(boxes, x, y)
}

/// Returns the index of the first box whose centre is right of the point, or that is on a later line than the point.
fn slot_among(boxes: impl Iterator<Item = Box>, x: f64, y: f64) -> usize {
    let (mut chips, mut line) = (0, None);
    for (at, (left, right, bottom)) in boxes.enumerate() {
        let is_later = line.is_some_and(|line| bottom > line);
        if is_later || (y <= bottom && x < (left + right) / 2.0) {
            return at;
        }
        line = line.or((y <= bottom).then_some(bottom));
        chips = at + 1;
    }
    chips
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn a_chip_goes_before_the_next_middle() {
        let line = [(0.0, 10.0, 10.0), (20.0, 40.0, 10.0), (0.0, 30.0, 30.0)];
        for (x, y, expected) in [
            (-5.0, 5.0, 0),
            (4.0, 5.0, 0),
            (6.0, 5.0, 1),
            (29.0, 5.0, 1),
            (35.0, 5.0, 2),
            (99.0, 5.0, 2),
            (10.0, 25.0, 2),
            (20.0, 25.0, 3),
            (10.0, 99.0, 3),
        ] {
            assert_eq!(slot_among(line.into_iter(), x, y), expected, "{x} {y}");
        }
        assert_eq!(slot_among([].into_iter(), 0.0, 0.0), 0);
    }
}
