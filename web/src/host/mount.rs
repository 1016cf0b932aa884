//! The place of one viewer in a page.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use queryscope::protocol::Picture;
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, Event, EventTarget, HtmlElement, Node, ShadowRoot};
use yew::Callback;

use super::{Host, Visit, page};
use crate::events::Listener;
use crate::input::WheelMode;
use crate::viewer::Options;

/// Storage key of the wheel's mode, without prefix.
const WHEEL_KEY: &str = "-wheel";

/// Callback that restores the state of an address.
pub type Visits = Rc<dyn Fn(Visit)>;

/// An order for an image of the timeline.
pub struct PictureOrder {
    /// Whether the image has the colours of the dark theme; `None` for the current theme.
    pub dark: Option<bool>,
    /// Receives the image; `None` if there is no timeline, or no engine.
    pub then: Box<dyn FnOnce(Option<Picture>)>,
}

thread_local! {
    /// Number of viewers that were mounted on this page.
    static MOUNTS: Cell<u32> = const { Cell::new(0) };
}

/// A viewer's host, root element, and look-ups inside the root element; cheap to clone. Clones are equal.
#[derive(Clone)]
pub struct Mount(Rc<MountPlace>);

struct MountPlace {
    host: Rc<dyn Host>,
    root: Element,
    options: Options,
    number: u32,
    wheel: Cell<WheelMode>,
    visits: RefCell<Option<Visits>>,
    pictures: RefCell<Option<Callback<PictureOrder>>>,
}

impl PartialEq for Mount {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.0, &other.0)
    }
}

impl Mount {
    /// The place of a viewer that is rendered inside `root`.
    pub fn new(root: Element, options: Options, host: Rc<dyn Host>) -> Self {
        let number = MOUNTS.replace(MOUNTS.get().wrapping_add(1));
        let mount = Self(Rc::new(MountPlace {
            host,
            root,
            options,
            number,
            wheel: Cell::default(),
            visits: RefCell::default(),
            pictures: RefCell::default(),
        }));
        let remembered = mount.stored(WHEEL_KEY).and_then(|name| WheelMode::named(&name));
        mount.0.wheel.set(remembered.unwrap_or_default());
        mount
    }

    /// The viewer's host.
    pub fn host(&self) -> &dyn Host {
        &*self.0.host
    }

    /// The viewer's initial settings.
    pub fn options(&self) -> &Options {
        &self.0.options
    }

    /// Sets the callback that restores the state of an address; `None` once the viewer is removed.
    pub fn take_visits(&self, visits: Option<Visits>) {
        self.0.visits.replace(visits);
    }

    /// Restores the state of an address, as Back and Forward do.
    pub fn visit(&self, visit: Visit) {
        let visits = self.0.visits.borrow().clone();
        if let Some(visits) = visits {
            visits(visit);
        }
    }

    /// Sets the callback that draws images of the timeline; `None` once the timeline is removed.
    pub fn take_pictures(&self, pictures: Option<Callback<PictureOrder>>) {
        self.0.pictures.replace(pictures);
    }

    /// Orders an image of the timeline.
    pub fn draw(&self, order: PictureOrder) {
        let pictures = self.0.pictures.borrow().clone();
        match pictures {
            Some(pictures) => pictures.emit(order),
            None => (order.then)(None),
        }
    }

    /// The root element of the viewer, which carries its theme and its CSS variables.
    pub fn root(&self) -> &Element {
        &self.0.root
    }

    /// Number of the viewer, unique on this page.
    pub fn number(&self) -> u32 {
        self.0.number
    }

    /// Action of the wheel without a modifier key, as the user chose.
    pub fn wheel_mode(&self) -> WheelMode {
        self.0.wheel.get()
    }

    /// Sets and stores the wheel's mode.
    pub fn set_wheel_mode(&self, mode: WheelMode) {
        self.0.wheel.set(mode);
        self.store(WHEEL_KEY, mode.name());
    }

    /// Width and height of the viewer in CSS pixels; 1,280 × 800 while it is not shown.
    pub fn size(&self) -> (f64, f64) {
        match (self.root().client_width(), self.root().client_height()) {
            (0, _) | (_, 0) => (1_280.0, 800.0),
            (width, height) => (f64::from(width), f64::from(height)),
        }
    }

    /// The first element inside the viewer that matches a selector.
    pub fn find(&self, selector: &str) -> Option<Element> {
        self.root().query_selector(selector).ok()?
    }

    /// Whether an element is inside the viewer.
    pub fn holds(&self, element: &EventTarget) -> bool {
        self.root().contains(element.dyn_ref::<Node>())
    }

    /// The focused element of the document or shadow root that contains the viewer.
    pub fn focused(&self) -> Option<HtmlElement> {
        let tree = self.root().get_root_node();
        let active = match tree.dyn_ref::<ShadowRoot>() {
            Some(shadow) => shadow.active_element(),
            None => tree.dyn_ref::<Document>()?.active_element(),
        };
        active?.dyn_into().ok()
    }

    /// Listens for keys or pasted text: in the whole page if [`Host::takes_page_input`], otherwise inside the viewer.
    pub fn hear(&self, name: &'static str, call: impl FnMut(Event) + 'static) -> Option<Listener> {
        let whole = self.host().takes_page_input().then(page::events).flatten();
        Listener::new(whole.unwrap_or_else(|| self.root().clone().into()), name, call)
    }

    /// The text stored under a key; `None` if there is none or storage is not allowed.
    pub fn stored(&self, name: &str) -> Option<String> {
        page::storage()?.get_item(&self.storage_key(name)?).ok()?
    }

    /// Stores a text under a key. If storage is not allowed, nothing happens.
    pub fn store(&self, name: &str, text: &str) {
        if let (Some(storage), Some(key)) = (page::storage(), self.storage_key(name)) {
            // A full storage keeps its previous content.
            let _ = storage.set_item(&key, text);
        }
    }

    fn storage_key(&self, name: &str) -> Option<String> {
        self.host().storage_prefix().map(|prefix| format!("{prefix}{name}"))
    }
}
