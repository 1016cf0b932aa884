//! One viewer's place in a page.

use std::cell::Cell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Document, Element, Event, EventTarget, HtmlElement, Node, ShadowRoot};

use super::{Host, page};
use crate::events::Listener;
use crate::input::WheelMode;
use crate::viewer::Options;

/// Under which the wheel's mode is remembered.
const WHEEL_KEY: &str = "-wheel";

thread_local! {
    /// How many viewers there were on this page.
    static MOUNTS: Cell<u32> = const { Cell::new(0) };
}

/// A viewer's host, its root element, and look-ups inside of it; cheap to clone. Two are equal if they are the same.
#[derive(Clone)]
pub struct Mount(Rc<MountPlace>);

struct MountPlace {
    host: Rc<dyn Host>,
    root: Element,
    options: Options,
    number: u32,
    wheel: Cell<WheelMode>,
}

impl PartialEq for Mount {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Mount {
    /// The place of a viewer that is drawn inside `root`.
    pub fn new(root: Element, options: Options, host: Rc<dyn Host>) -> Self {
        let number = MOUNTS.replace(MOUNTS.get().wrapping_add(1));
        let mount = Self(Rc::new(MountPlace { host, root, options, number, wheel: Cell::default() }));
        let remembered = mount.stored(WHEEL_KEY).and_then(|name| WheelMode::named(&name));
        mount.0.wheel.set(remembered.unwrap_or_default());
        mount
    }

    /// The shell's decisions.
    pub fn host(&self) -> &dyn Host {
        &*self.0.host
    }

    /// What the viewer begins with.
    pub fn options(&self) -> &Options {
        &self.0.options
    }

    /// The element that holds all of the viewer. Theme and tokens are its own.
    pub fn root(&self) -> &Element {
        &self.0.root
    }

    /// A number that no other viewer of this page has.
    pub fn number(&self) -> u32 {
        self.0.number
    }

    /// What the wheel does without a modifier key, as the user chose.
    pub fn wheel_mode(&self) -> WheelMode {
        self.0.wheel.get()
    }

    /// Changes that, and remembers it for the next time.
    pub fn set_wheel_mode(&self, mode: WheelMode) {
        self.0.wheel.set(mode);
        self.store(WHEEL_KEY, mode.name());
    }

    /// Width and height of the viewer, in CSS pixels; those of a usual window while it is not shown.
    pub fn size(&self) -> (f64, f64) {
        match (self.root().client_width(), self.root().client_height()) {
            (0, _) | (_, 0) => (1_280.0, 800.0),
            (width, height) => (f64::from(width), f64::from(height)),
        }
    }

    /// The first element inside the viewer that a selector finds.
    pub fn find(&self, selector: &str) -> Option<Element> {
        self.root().query_selector(selector).ok()?
    }

    /// Whether an element is part of the viewer.
    pub fn holds(&self, element: &EventTarget) -> bool {
        self.root().contains(element.dyn_ref::<Node>())
    }

    /// The element that has the focus, as the document or the shadow root sees it in which the viewer is.
    pub fn focused(&self) -> Option<HtmlElement> {
        let tree = self.root().get_root_node();
        let active = match tree.dyn_ref::<ShadowRoot>() {
            Some(shadow) => shadow.active_element(),
            None => tree.dyn_ref::<Document>()?.active_element(),
        };
        active?.dyn_into().ok()
    }

    /// Listens where keys and pasted text are heard that are meant for this viewer.
    pub fn hear(&self, name: &'static str, call: impl FnMut(Event) + 'static) -> Option<Listener> {
        let whole = self.host().takes_page_input().then(page::events).flatten();
        Listener::new(whole.unwrap_or_else(|| self.root().clone().into()), name, call)
    }

    /// What was remembered under a name; `None` where nothing was, or may be.
    pub fn stored(&self, name: &str) -> Option<String> {
        page::storage()?.get_item(&self.storage_key(name)?).ok()?
    }

    /// Remembers a text. Where nothing may be stored, it is forgotten with the viewer.
    pub fn store(&self, name: &str, text: &str) {
        if let (Some(storage), Some(key)) = (page::storage(), self.storage_key(name)) {
            // A full storage remembers what it did before.
            let _ = storage.set_item(&key, text);
        }
    }

    fn storage_key(&self, name: &str) -> Option<String> {
        self.host().storage_prefix().map(|prefix| format!("{prefix}{name}"))
    }
}
