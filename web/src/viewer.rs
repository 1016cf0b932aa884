//! Mounts and destroys viewers.

use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, Node, ShadowRoot};
use yew::AppHandle;
use yew::prelude::*;

use crate::app::App;
use crate::client::Client;
use crate::host::{Host, Mount, page, style};
use crate::remote::Remote;
use crate::state::{Controls, Theme};
use crate::url::Address;
use crate::words;

/// CSS class of a viewer's root element.
const CLASS: &str = "queryscope";

/// Initial settings of a viewer.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Options {
    /// The traces to open and the state of the views.
    pub address: Address,
    /// Light or dark; `None` for the user's last choice, or the system's theme if there is none.
    pub theme: Option<Theme>,
    /// Which controls are shown around the views; `None` for the controls in the address.
    pub controls: Option<Controls>,
    /// Number of bytes, over all files as stored, after which reading stops; `None` for no limit.
    pub max_bytes: Option<u64>,
    /// Format id of all files; `None` to detect it.
    pub format: Option<String>,
}

/// A mounted viewer. Dropping the handle does not remove the viewer.
pub struct Handle {
    mount: Mount,
    client: Client,
    remote: Remote,
    tree: Tree,
}

/// Mounts a viewer inside `parent`: an element of a document that belongs to the viewer, or a shadow root, which isolates
/// the styles of the viewer and of the page from each other.
///
/// # Errors
/// If `parent` cannot have child elements, or already contains a viewer: ids must be unique in a document or a shadow
/// root.
pub fn mount(parent: &Node, options: Options, host: Rc<dyn Host>) -> Result<Handle, JsValue> {
    if holds_viewer(parent) {
        return Err(words::engine::SECOND_VIEWER.into());
    }
    let mut tree = Tree::take().ok_or(words::engine::NO_DOCUMENT)?;
    let root = tree.root.clone();
    if !host.takes_page_input() {
        // A click anywhere inside the viewer focuses it, so that it receives keys.
        root.set_attribute("tabindex", "-1")?;
    }
    parent.append_child(&root)?;
    style::adopt(&root);
    let mount = Mount::new(root, options, host);
    let assets = mount.host().assets();
    let client = Client::new(assets.engine.clone(), assets.sql.clone());
    let Options { address, max_bytes, format, .. } = mount.options();
    client.limit(address.memory, *max_bytes, format.clone());
    let remote = Remote::default();
    tree.show(Some((mount.clone(), client.clone(), remote.clone())));
    Ok(Handle { mount, client, remote, tree })
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
    /// Commands that the embedding page can send to the viewer.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// The state of the views as the fragment of a link; a change appears in it within a third of a second.
    pub fn fragment(&self) -> String {
        self.mount.host().fragment()
    }

    /// Removes the viewer from the page: ends its engine, listeners and timers, and frees its memory.
    pub fn destroy(self) {
        let Self { mount, client, remote, tree } = self;
        client.end();
        let root = mount.root();
        style::release(root);
        root.remove();
        // Removing an attribute that is not set is harmless.
        let _ = root.remove_attribute("tabindex").and_then(|()| root.remove_attribute("data-theme"));
        tree.give_back();
        remote.forget();
    }
}

thread_local! {
    /// Unused trees. Yew never removes the listeners at the root of a tree, so trees are reused: a page that mounts and
    /// destroys viewers for hours holds only as many trees as it ever had viewers at the same time.
    static IDLE: RefCell<Vec<Tree>> = const { RefCell::new(Vec::new()) };
}

/// A component tree and its root element.
struct Tree {
    root: Element,
    app: AppHandle<Root>,
}

impl Tree {
    /// Returns an unused tree, or creates one.
    fn take() -> Option<Self> {
        if let Some(idle) = IDLE.with_borrow_mut(Vec::pop) {
            return Some(idle);
        }
        let root = page::element("div")?;
        root.set_class_name(CLASS);
        let app = yew::Renderer::<Root>::with_root(root.clone()).render();
        Some(Self { root, app })
    }

    fn show(&mut self, viewer: Option<(Mount, Client, Remote)>) {
        self.app.update(RootProps { viewer });
    }

    fn give_back(mut self) {
        self.show(None);
        IDLE.with_borrow_mut(|idle| idle.push(self));
    }
}

#[derive(Properties, PartialEq, Default)]
struct RootProps {
    viewer: Option<(Mount, Client, Remote)>,
}

#[component]
fn Root(props: &RootProps) -> Html {
    match &props.viewer {
        // Each viewer has its own key, so it starts with a new state even in a reused tree.
        Some((mount, client, remote)) => {
            html! { <App key={mount.number()} mount={mount.clone()} client={client.clone()} remote={remote.clone()} /> }
        }
        None => Html::default(),
    }
}
