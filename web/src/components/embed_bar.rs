//! The bar of an embedded viewer, above the views: the name of the trace, the legend, and a link to the full viewer.

use web_sys::HtmlAnchorElement;
use yew::prelude::*;

use super::PanelProps;
use super::icon::{Icon, icon};
use super::legend::Legend;
use crate::host::Mount;
use crate::words;

/// One line that replaces the top bar and the tabs.
#[component]
pub fn EmbedBar(props: &PanelProps) -> Html {
    // Local files have no address.
    let has_address = props.state.load.addresses.is_some();
    let link = whole_link(&props.mount).filter(|_| has_address);
    let (mount, anchor) = (props.mount.clone(), use_node_ref());
    let followed = anchor.clone();
    // The link must lead to the current view, which changes without a render. So its address is set right before the link
    // is followed, with any button, or copied.
    let refresh = move || {
        if let (Some(anchor), Some(link)) = (followed.cast::<HtmlAnchorElement>(), whole_link(&mount)) {
            anchor.set_href(&link);
        }
    };
    let (onclick, onpointerdown) = (refresh.clone(), refresh);
    let (onclick, onpointerdown) = (move |_: MouseEvent| onclick(), move |_: PointerEvent| onpointerdown());
    html! {
        <header class="embed-bar">
            <h1 class="clip foreign" dir="auto" title={props.state.load.info.name.clone()}>{ &props.state.load.info.name }</h1>
            <Legend ..props.clone() />
            if let Some(link) = link {
                <a ref={anchor} class="btn quiet small" href={link} target="_blank" rel="noopener" title={words::link::OPEN_FULL_VIEWER_TITLE} {onclick} {onpointerdown}>
                    { icon(Icon::Link) }<span class="label">{ words::link::OPEN_FULL_VIEWER }</span>
                </a>
            }
        </header>
    }
}

fn whole_link(mount: &Mount) -> Option<String> {
    mount.host().link().map(|link| whole(&link))
}

/// Returns the address of the full viewer with the same view: the link without its parameters `embed` and `controls`.
fn whole(link: &str) -> String {
    let is_other = |part: &&str| !matches!(part.split('=').next(), Some("embed" | "controls"));
    let without = |part: &str| part.split('&').filter(is_other).collect::<Vec<_>>().join("&");
    let (address, fragment) = link.split_once('#').unwrap_or((link, ""));
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    let mut whole = path.to_owned();
    for (sign, part) in [('?', without(query)), ('#', without(fragment))] {
        if !part.is_empty() {
            whole.push(sign);
            whole += &part;
        }
    }
    whole
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn the_whole_viewer_has_the_same_address_without_embed() {
        for (link, expected) in [
            ("https://a.b/c/?embed#trace=d.json&view=flame", "https://a.b/c/#trace=d.json&view=flame"),
            ("https://a.b/#trace=d.json&embed=1&t=1,2", "https://a.b/#trace=d.json&t=1,2"),
            ("https://a.b/?embed&controls=none#view=flame&controls=full", "https://a.b/#view=flame"),
            ("https://a.b/?x=1&embed=1&y", "https://a.b/?x=1&y"),
            ("https://a.b/#trace=embed", "https://a.b/#trace=embed"),
            ("https://a.b/", "https://a.b/"),
        ] {
            assert_eq!(whole(link), expected);
        }
    }
}
