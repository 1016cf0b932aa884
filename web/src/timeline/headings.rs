//! The draggable line to the right of the headings, which changes their width.

use yew::prelude::*;

use super::{Axis, Msg, Timeline};
use crate::components::{Splitter, stored_size, use_panel_size};
use crate::host::Mount;
use crate::words;

const NAME: &str = "headings";
const USUAL: f64 = 242.0;
const BOUNDS: (f64, f64) = (80.0, 560.0);

/// The stored width of the headings, or the default width, in CSS pixels.
pub fn usual(mount: &Mount) -> f64 {
    stored_size(mount, NAME).unwrap_or(USUAL).clamp(BOUNDS.0, BOUNDS.1)
}

#[derive(Properties, PartialEq)]
struct EdgeProps {
    mount: Mount,
    onresize: Callback<f64>,
}

#[component]
fn Edge(props: &EdgeProps) -> Html {
    let (size, change) = use_panel_size(&props.mount, NAME, USUAL);
    let size = size.clamp(BOUNDS.0, BOUNDS.1);
    let (onresize, resize) = (props.onresize.clone(), change);
    use_effect_with(size, move |size| onresize.emit(*size));
    html! { <Splitter label={words::timeline::HEADINGS} controls="headings" upright=true leading=true {size} bounds={BOUNDS} onresize={resize} /> }
}

impl Timeline {
    /// Style of the grid with the headings' width and the pinned rows' height; `None` for a merged flame graph, which has
    /// neither.
    pub(super) fn grid_style(&self, ctx: &Context<Self>) -> Option<String> {
        let pins = self.pins_style(ctx);
        (self.axis(ctx) != Axis::Merged).then(|| format!("--headings:min({}px, 45%);{pins}", self.headings))
    }

    pub(super) fn headings_edge(&self, ctx: &Context<Self>) -> Html {
        if self.axis(ctx) == Axis::Merged {
            return Html::default();
        }
        let mount = ctx.props().mount.clone();
        html! { <div class="headings-edge"><Edge {mount} onresize={ctx.link().callback(Msg::Headings)} /></div> }
    }
}
