//! A splitter between two panels, moved by mouse or keyboard.

use web_sys::Element;
use yew::prelude::*;

use crate::words;

/// Properties of a [`Splitter`].
#[derive(Properties, PartialEq)]
pub struct SplitterProps {
    /// Name of the resized panel for screen readers, such as "Details".
    pub label: AttrValue,
    /// Id of the resized panel.
    pub controls: AttrValue,
    /// Whether the splitter is vertical, between a left and a right panel.
    pub upright: bool,
    /// Whether the resized panel is left of or above the splitter, instead of right of or below.
    #[prop_or_default]
    pub leading: bool,
    /// Current size of the panel, in CSS pixels.
    pub size: f64,
    /// Minimum and maximum size of the panel, in CSS pixels.
    pub bounds: (f64, f64),
    /// Receives the new size of the panel, in CSS pixels.
    pub onresize: Callback<f64>,
}

/// Distance that one key press moves the splitter, in CSS pixels.
const STEP: f64 = 16.0;

/// A draggable line that resizes a panel.
#[component]
pub fn Splitter(props: &SplitterProps) -> Html {
    let grip = use_state(|| None::<(i32, f64)>);
    let place =
        |event: &PointerEvent, upright: bool| if upright { event.client_x() } else { event.client_y() };
    let SplitterProps { upright, leading, size, bounds, .. } = *props;

    let start = grip.setter();
    let onpointerdown = Callback::from(move |event: PointerEvent| {
        if event.button() == 0 {
            let element: Element = event.target_unchecked_into();
            // Without pointer capture, a fast drag loses the splitter, which does no harm.
            let _ = element.set_pointer_capture(event.pointer_id());
            start.set(Some((place(&event, upright), size)));
            event.prevent_default();
        }
    });
    let (held, resize) = (*grip, props.onresize.clone());
    let onpointermove = Callback::from(move |event: PointerEvent| {
        if let Some((from, size)) = held {
            let moved = f64::from(from - place(&event, upright));
            let moved = if leading { -moved } else { moved };
            resize.emit((size + moved).clamp(bounds.0, bounds.1));
        }
    });
    let end = grip.setter();
    let release = Callback::from(move |_: PointerEvent| end.set(None));
    let resize = props.onresize.clone();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        if let Some(size) = size_after(&event.key(), (upright, leading), size, bounds) {
            event.prevent_default();
            event.stop_propagation();
            resize.emit(size);
        }
    });
    html! {
        <div class={classes!("splitter", grip.is_some().then_some("dragging"))} role="separator" tabindex="0"
            aria-orientation={if upright { "vertical" } else { "horizontal" }} aria-controls={props.controls.clone()}
            aria-label={words::common::resize(&props.label)} aria-valuenow={px(size)} aria-valuemin={px(bounds.0)}
            aria-valuemax={px(bounds.1)} {onpointerdown} {onpointermove} onpointerup={release.clone()}
            onlostpointercapture={release} {onkeydown} />
    }
}

fn px(size: f64) -> String {
    format!("{size:.0}")
}

fn size_after(key: &str, (upright, leading): (bool, bool), size: f64, bounds: (f64, f64)) -> Option<f64> {
    let step = if leading { -STEP } else { STEP };
    let size = match (key, upright) {
        ("ArrowLeft", true) | ("ArrowUp", false) => size + step,
        ("ArrowRight", true) | ("ArrowDown", false) => size - step,
        ("Home", _) => bounds.1,
        ("End", _) => bounds.0,
        _ => return None,
    };
    Some(size.clamp(bounds.0, bounds.1))
}
