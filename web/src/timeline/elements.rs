//! HTML elements of the timeline: canvases, the scroll bar, and listeners for events that Yew does not deliver.

use wasm_bindgen::prelude::*;
use web_sys::{Element, HtmlCanvasElement, HtmlElement, KeyboardEvent};
use yew::html::Scope;
use yew::prelude::*;

use super::pointer::Zone;
use super::{Msg, Timeline, wheel};
use crate::canvas::Surface;
use crate::events::Listener;
use crate::host::{Mount, page};
use crate::input;

/// The elements of the timeline and the surfaces of its canvases.
#[derive(Default)]
pub struct TimelineElements {
    pub root: NodeRef,
    pub picture: NodeRef,
    pub headings: NodeRef,
    pub ruler: NodeRef,
    pub minimap: NodeRef,
    pub pins: NodeRef,
    pub pin_headings: NodeRef,
    pub thumb: NodeRef,
    pub scrollbar: NodeRef,
    pub spoken: NodeRef,
    pub hovered: NodeRef,
    pub whole: NodeRef,
    pub in_view: NodeRef,
    pub surfaces: Option<Surfaces>,
    /// The directions in which the wheel can move the timeline, for the wheel listener.
    pub reach: wheel::SharedReach,
}

/// The surfaces of the canvases.
pub struct Surfaces {
    pub picture: Surface,
    pub headings: Surface,
    pub ruler: Surface,
    pub minimap: Surface,
    pub pins: Surface,
    pub pin_headings: Surface,
}

impl TimelineElements {
    /// Finds the canvases once they are on the page.
    pub fn attach(&mut self) {
        self.surfaces = self.find_surfaces();
    }

    fn find_surfaces(&self) -> Option<Surfaces> {
        let surface = |node: &NodeRef| Surface::new(node.cast::<HtmlCanvasElement>()?);
        Some(Surfaces {
            picture: surface(&self.picture)?,
            headings: surface(&self.headings)?,
            ruler: surface(&self.ruler)?,
            minimap: surface(&self.minimap)?,
            pins: surface(&self.pins)?,
            pin_headings: surface(&self.pin_headings)?,
        })
    }

    /// The element of a zone. (Yew listens at the root, so an event's own target does not identify the zone.)
    pub fn element(&self, zone: Zone) -> Option<Element> {
        let node = match zone {
            Zone::Picture => &self.picture,
            Zone::Headings => &self.headings,
            Zone::Ruler => &self.ruler,
            Zone::Minimap => &self.minimap,
            Zone::Pins => &self.pins,
            Zone::PinHeadings => &self.pin_headings,
            Zone::ScrollBar => &self.scrollbar,
        };
        node.cast()
    }

    /// Adopts the canvases' sizes on the page; returns the size of the rows' canvas if any canvas changed.
    pub fn fit(&mut self) -> Option<(f64, f64)> {
        let Surfaces { picture, headings, ruler, minimap, pins, pin_headings } = self.surfaces.as_mut()?;
        let all = [&mut *picture, headings, ruler, minimap, pins, pin_headings];
        let changed = all.map(Surface::fit).contains(&true);
        (changed && picture.width > 0.0).then_some((picture.width, picture.height))
    }

    /// Sets the cursor over the rows: a hand if a click leads somewhere, otherwise the default.
    pub fn point(&self, leads: bool) {
        if let Some(picture) = self.picture.cast::<HtmlElement>() {
            set_style(&picture, "cursor", if leads { "pointer" } else { "" });
        }
    }

    /// Sets the text of an element unless it already has this text.
    pub fn write(node: &NodeRef, text: &str) {
        if let Some(element) =
            node.cast::<Element>().filter(|element| element.text_content().as_deref() != Some(text))
        {
            element.set_text_content(Some(text));
        }
    }

    /// Moves the scroll bar's thumb to match the scroll position.
    pub fn scrollbar(&self, top: f64, height: f64, content: f64) {
        let (Some(bar), Some(thumb)) =
            (self.scrollbar.cast::<HtmlElement>(), self.thumb.cast::<HtmlElement>())
        else {
            return;
        };
        let (length, start) = thumb_of(top, height, content);
        set_style(&bar, "visibility", if content > height { "visible" } else { "hidden" });
        set_style(&thumb, "height", &format!("{length}px"));
        set_style(&thumb, "transform", &format!("translateY({start}px)"));
    }
}

/// Sets a property of an element's inline style.
pub fn set_style(element: &HtmlElement, name: &str, value: &str) {
    // The browser refuses only values that are not valid CSS.
    let _ = element.style().set_property(name, value);
}

/// Length and position of the scroll bar's thumb, which is never too short to be grabbed.
pub fn thumb_of(top: f64, height: f64, content: f64) -> (f64, f64) {
    let length = (height * height / content.max(1.0)).clamp(28.0_f64.min(height), height);
    let share = top / (content - height).max(1.0);
    (length, (height - length) * share.clamp(0.0, 1.0))
}

/// Start time of a flight; `None` if the user prefers reduced motion.
pub fn flight_time() -> Option<f64> {
    let is_still = page::media("(prefers-reduced-motion: reduce)").is_some_and(|media| media.matches());
    (!is_still).then(page::now)
}

/// Listeners that are removed with the component.
pub struct Listeners {
    _all: Vec<Listener>,
    _resize: Option<Resize>,
}

struct Resize {
    observer: web_sys::ResizeObserver,
    _call: Closure<dyn FnMut()>,
}

impl Drop for Resize {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

impl Listeners {
    pub fn new(link: &Scope<Timeline>, mount: &Mount, elements: &TimelineElements) -> Self {
        let mut all = Vec::new();
        all.extend(wheel::listen(link, mount, elements));
        all.extend(keys(link, mount));
        let restyled = link.callback(|()| Msg::Restyled);
        for query in ["(prefers-color-scheme: dark)", "(forced-colors: active)"] {
            let restyled = restyled.clone();
            all.extend(
                page::media(query)
                    .and_then(|media| Listener::new(media.into(), "change", move |_| restyled.emit(()))),
            );
        }
        Self { _all: all, _resize: observe_size(link, elements) }
    }
}

fn keys(link: &Scope<Timeline>, mount: &Mount) -> Vec<Listener> {
    let (down, up) = (link.callback(Msg::KeyDown), link.callback(Msg::KeyUp));
    let mut all = Vec::new();
    all.extend(mount.hear("keydown", move |event| {
        if let Some(command) = input::command(event.unchecked_ref()) {
            // The timeline uses the key, so the page must not scroll as well. Other keys are not prevented, because the viewer
            // ignores prevented keys.
            let target = input::origin(&event).filter(|_| command.scrolls_a_page());
            if target.is_some_and(|element| element.closest(".timeline").is_ok_and(|found| found.is_some())) {
                event.prevent_default();
            }
            down.emit(command);
        }
    }));
    let released = up.clone();
    // Listens on the whole page, because a key may be released after the focus moved elsewhere.
    let whole = |name, call: Box<dyn Fn(web_sys::Event)>| Listener::new(page::events()?, name, call);
    all.extend(whole(
        "keyup",
        Box::new(move |event| {
            let event: KeyboardEvent = event.unchecked_into();
            if let Some(command) = input::command_of(&event.key(), false) {
                released.emit(command);
            }
        }),
    ));
    // A key that is released in another window is never reported, so all keys end when the window loses the focus.
    all.extend(whole(
        "blur",
        Box::new(move |_| {
            input::KEYS.iter().for_each(|key| up.emit(key.command));
        }),
    ));
    all
}

fn observe_size(link: &Scope<Timeline>, elements: &TimelineElements) -> Option<Resize> {
    let resized = link.callback(|()| Msg::Resized);
    let call = Closure::<dyn FnMut()>::new(move || resized.emit(()));
    let observer = web_sys::ResizeObserver::new(call.as_ref().unchecked_ref()).ok()?;
    observer.observe(&elements.picture.cast::<Element>()?);
    Some(Resize { observer, _call: call })
}
