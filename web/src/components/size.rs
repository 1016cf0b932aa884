//! The measured size of an element, and the stored size of a resizable panel.

use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

use crate::host::Mount;

/// Returns the inner width and height of an element, in whole CSS pixels; 0 before the element is in the document.
#[hook]
pub fn use_inner_size(node: &NodeRef) -> (i32, i32) {
    let size = use_state_eq(|| (0, 0));
    let setter = size.setter();
    use_effect_with(node.clone(), move |node| {
        let element = node.cast::<Element>();
        let watched = element.clone();
        let on_resize = Closure::<dyn FnMut()>::new(move || {
            if let Some(element) = &watched {
                setter.set((element.client_width(), element.client_height()));
            }
        });
        // Without `ResizeObserver`, the initial size is kept.
        let observer = ResizeObserver::new(on_resize.as_ref().unchecked_ref()).ok();
        if let (Some(observer), Some(element)) = (&observer, &element) {
            observer.observe(element);
        }
        move || {
            observer.iter().for_each(ResizeObserver::disconnect);
            drop(on_resize);
        }
    });
    *size
}

/// Returns the stored size of a panel, or `usual` for a panel that was never resized, and a callback that changes the size.
#[hook]
pub fn use_panel_size(mount: &Mount, name: &'static str, usual: f64) -> (f64, Callback<f64>) {
    let size = use_state_eq(|| stored(mount, name).unwrap_or(usual));
    let setter = size.setter();
    let change = use_callback(mount.clone(), move |size: f64, mount| {
        mount.store(&key(name), &(size.round() as i32).to_string());
        setter.set(size);
    });
    (*size, change)
}

/// Returns the size of a panel that the user chose last, in CSS pixels.
pub fn stored(mount: &Mount, name: &str) -> Option<f64> {
    mount.stored(&key(name))?.parse::<i32>().ok().map(f64::from)
}

fn key(name: &str) -> String {
    format!(".size.{name}")
}
