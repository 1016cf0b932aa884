//! Scrolling the selected element into view without moving the focus.

use web_sys::Element;
use yew::prelude::*;

/// Distance from the frame's top or left edge, in CSS pixels, below which an element counts as hidden by a table head.
const EDGE: f64 = 36.0;

/// When `of` changes, scrolls the match of `selected` inside `node` into view, in the nearest ancestor that matches `frame`.
#[hook]
pub fn use_scroll_into_view<T: PartialEq + 'static>(
    node: &NodeRef,
    frame: &'static str,
    selected: &'static str,
    of: T,
) {
    let node = node.clone();
    use_effect_with(of, move |_| {
        let element = node.cast::<Element>().and_then(|node| node.query_selector(selected).ok().flatten());
        let frame = element.as_ref().and_then(|element| element.closest(frame).ok().flatten());
        if let Some((frame, element)) = frame.zip(element) {
            scroll_into_view(&frame, &element);
        }
    });
}

/// Scrolls `frame` so that `element` is in its middle, unless the element is in view or longer than the frame.
pub fn scroll_into_view(frame: &Element, element: &Element) {
    let (outer, inner) = (frame.get_bounding_client_rect(), element.get_bounding_client_rect());
    let down = step((outer.top(), outer.height()), (inner.top(), inner.height()));
    frame.set_scroll_top(frame.scroll_top() + down);
    let right = step((outer.left(), outer.width()), (inner.left(), inner.width()));
    frame.set_scroll_left(frame.scroll_left() + right);
}

/// Returns the scroll distance that centres an element, given start and length of the frame and of the element. Returns 0
/// if the element is in view or longer than the frame.
fn step((outer, room): (f64, f64), (inner, length): (f64, f64)) -> i32 {
    let is_in_view = inner >= outer + EDGE && inner + length <= outer + room;
    if is_in_view || length >= room { 0 } else { (inner - outer - (room - length) / 2.0) as i32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn what_is_out_of_view_comes_to_the_middle() {
        for (inner, expected) in [
            ((140.0, 20.0), 0),
            ((380.0, 20.0), 0),
            ((381.0, 20.0), 141),
            ((110.0, 20.0), -130),
            ((900.0, 300.0), 0),
        ] {
            assert_eq!(step((100.0, 300.0), inner), expected, "{inner:?}");
        }
    }
}
