//! A viewer in a page: mounted, and destroyed again.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Node, ShadowRoot};
use yew::AppHandle;
use yew::prelude::*;

use crate::app::App;
use crate::client::Client;
use crate::host::{Host, Mount, page, style};
use crate::state::Theme;
use crate::url::Address;
use crate::words;

/// The class of a viewer's root element.
const CLASS: &str = "queryscope";

/// What a viewer begins with.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Options {
    /// Which traces it opens, and what it looks at.
    pub address: Address,
    /// Light or dark; `None`: as the user chose the last time, else as the system.
    pub theme: Option<Theme>,
}

/// A viewer that is mounted. Dropping the handle leaves it where it is.
pub struct Handle {
    mount: Mount,
    client: Client,
    tree: Tree,
}

/// Mounts a viewer inside `parent`: an element of a document that is the viewer's own, or a shadow root, where nothing
/// of its style reaches out and none of the page's reaches in.
///
/// # Errors
/// Where `parent` takes no elements, or holds a viewer already: ids are unique in a document or a shadow root.
pub fn mount(parent: &Node, options: Options, host: Rc<dyn Host>) -> Result<Handle, JsValue> {
    if holds_viewer(parent) {
        return Err(words::engine::SECOND_VIEWER.into());
    }
    let mut tree = Tree::take().ok_or(words::engine::NO_DOCUMENT)?;
    let root = tree.root.clone();
    if !host.takes_page_input() {
        // A click anywhere inside gives it the focus, and so the keys.
        root.set_attribute("tabindex", "-1")?;
    }
    parent.append_child(&root)?;
    style::adopt(&root);
    let mount = Mount::new(root, options, host);
    let client = Client::new(mount.host().assets().engine.clone());
    client.limit(mount.options().address.memory);
    tree.show(Some((mount.clone(), client.clone())));
    Ok(Handle { mount, client, tree })
}

fn holds_viewer(parent: &Node) -> bool {
    let selector = format!(".{CLASS}");
    let found = match parent.dyn_ref::<ShadowRoot>() {
        Some(shadow) => shadow.query_selector(&selector),
        None => parent.dyn_ref::<Element>().map_or(Ok(None), |parent| parent.query_selector(&selector)),
    };
    found.is_ok_and(|found| found.is_some())
}

impl Handle {
    /// Takes the viewer out of the page: its engine ends, its listeners and timers too, and its memory is free.
    pub fn destroy(self) {
        let Self { mount, client, tree } = self;
        client.end();
        let root = mount.root();
        style::release(root);
        root.remove();
        // None of them is missed where it is not set.
        let _ = root.remove_attribute("tabindex").and_then(|()| root.remove_attribute("data-theme"));
        tree.give_back();
    }
}

thread_local! {
    /// Those that show nothing now. Yew never gives back the listeners at the root of a tree: it is used again, so that
    /// a page that mounts and destroys viewers for hours holds no more of them than it ever had at once.
    static IDLE: RefCell<Vec<Tree>> = const { RefCell::new(Vec::new()) };
}

/// A tree of components, and the element at its root.
struct Tree {
    root: Element,
    app: AppHandle<Root>,
}

impl Tree {
    /// One that shows nothing.
    fn take() -> Option<Self> {
        if let Some(idle) = IDLE.with_borrow_mut(Vec::pop) {
            return Some(idle);
        }
        let root = page::element("div")?;
        root.set_class_name(CLASS);
        let app = yew::Renderer::<Root>::with_root(root.clone()).render();
        Some(Self { root, app })
    }

    fn show(&mut self, viewer: Option<(Mount, Client)>) {
        self.app.update(RootProps { viewer });
    }

    fn give_back(mut self) {
        self.show(None);
        IDLE.with_borrow_mut(|idle| idle.push(self));
    }
}

#[derive(Properties, PartialEq, Default)]
struct RootProps {
    viewer: Option<(Mount, Client)>,
}

#[component]
fn Root(props: &RootProps) -> Html {
    match &props.viewer {
        // Another viewer begins anew, also where the one before had this place.
        Some((mount, client)) => {
            html! { <App key={mount.number()} mount={mount.clone()} client={client.clone()} /> }
        }
        None => Html::default(),
    }
}
