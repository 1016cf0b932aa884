//! Sizes: that of an element, and that of a panel which the user chose.

use wasm_bindgen::prelude::*;
use web_sys::{Element, ResizeObserver};
use yew::prelude::*;

use crate::host::Mount;

/// Width and height of the inside of an element, in whole CSS pixels; zero before it is there.
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
        // A browser without an observer shows the size of the first moment.
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

/// The size of a panel, as the user left it the last time, and what changes it.
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

/// The size of a panel, as the user left it the last time.
pub fn stored(mount: &Mount, name: &str) -> Option<f64> {
    mount.stored(&key(name))?.parse::<i32>().ok().map(f64::from)
}

fn key(name: &str) -> String {
    format!(".size.{name}")
}
