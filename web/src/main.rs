//! The functions of the page's program that JavaScript can call.

use std::rc::Rc;

use js_sys::{Array, Promise};
use queryscope::import::ABOUT;
use queryscope_web::host::Assets;
use queryscope_web::js_values::{text, value};
use queryscope_web::messages::Source;
use queryscope_web::navigation;
use queryscope_web::shells::{EmbeddedHost, Reporter, SiteHost};
use queryscope_web::spawn_engine::EngineProgram;
use queryscope_web::state::{Controls, Theme};
use queryscope_web::url::{Address, place};
use queryscope_web::viewer::{Handle, Options, mount};
use queryscope_web::words;
use wasm_bindgen::prelude::*;
use web_sys::{Blob, Element, File, ShadowRootInit, ShadowRootMode};

fn main() {
    queryscope_web::report_panics();
}

/// A mounted viewer. It exists until it is destroyed, even if this handle is dropped.
#[wasm_bindgen]
pub struct Viewer(Option<Handle>);

#[wasm_bindgen]
impl Viewer {
    /// Removes the viewer from the page and ends everything that it started. A second call does nothing.
    pub fn destroy(&mut self) {
        if let Some(handle) = self.0.take() {
            handle.destroy();
        }
    }

    /// Opens traces: files, or objects `{ url, name? }` or `{ blob, name }`. `fresh` closes the open trace first; otherwise
    /// they are added to it.
    ///
    /// # Errors
    /// If a source is none of these, or its URL is not one that can be fetched.
    pub fn open(&self, sources: &Array, fresh: bool) -> Result<(), JsValue> {
        let sources = sources.iter().map(|source| source_of(&source)).collect::<Result<_, _>>()?;
        if let Some(handle) = &self.0 {
            handle.remote().open(sources, fresh);
        }
        Ok(())
    }

    /// The state of the views as the fragment of a link, without `#`; a change appears in it within a third of a second.
    pub fn state(&self) -> String {
        self.0.as_ref().map(Handle::fragment).unwrap_or_default()
    }

    /// Goes to the state in a fragment that [`Viewer::state`] returned, or in the fragment of a link. If it names no trace, the open trace stays.
    #[wasm_bindgen(js_name = setState)]
    pub fn set_state(&self, fragment: &str) {
        let address = Address::parse("", fragment.trim_start_matches('#'));
        self.0.iter().for_each(|handle| handle.remote().visit(address.clone()));
    }

    /// Moves the timeline to a time range in nanoseconds since the beginning of the trace.
    #[wasm_bindgen(js_name = zoomTo)]
    pub fn zoom_to(&self, start: i64, end: i64) {
        self.0.iter().for_each(|handle| handle.remote().zoom_to(start, end));
    }

    /// Selects an item, given as `code,start,duration` with times in nanoseconds; empty clears the selection. Returns a promise of
    /// whether the trace holds the item.
    pub fn select(&self, item: &str) -> Promise {
        let place = place(item);
        promised(|then| match &self.0 {
            Some(handle) if item.is_empty() || place.is_some() => {
                handle.remote().select(place, |is_found| then(is_found.into()));
            }
            _ => then(false.into()),
        })
    }

    /// Selects the first query that a filter of the query list finds. Returns a promise of whether there is one.
    #[wasm_bindgen(js_name = selectQuery)]
    pub fn select_query(&self, filter: String) -> Promise {
        promised(|then| match &self.0 {
            Some(handle) => handle.remote().select_query(filter, |is_found| then(is_found.into())),
            None => then(false.into()),
        })
    }

    /// Highlights a text in all views; an empty text removes the highlighting.
    pub fn search(&self, text: &str) {
        self.0.iter().for_each(|handle| handle.remote().search(text.to_owned()));
    }

    /// Sets the theme: `light`, `dark`, or the system's.
    #[wasm_bindgen(js_name = setTheme)]
    pub fn set_theme(&self, theme: &str) {
        let theme = Theme::named(theme).unwrap_or_default();
        self.0.iter().for_each(|handle| handle.remote().set_theme(theme));
    }

    /// Sets how much is shown around the views: `full`, `minimal` or `none`.
    #[wasm_bindgen(js_name = setControls)]
    pub fn set_controls(&self, controls: &str) {
        let controls = Controls::named(controls).unwrap_or_default();
        self.0.iter().for_each(|handle| handle.remote().set_controls(controls));
    }

    /// Returns a promise of a file as a `Blob`, or of a text that says why there is none. Formats: `report` and `report-json`, the
    /// import report; `svg` and `png`, an image of the view in the theme `light` or `dark`, otherwise in the current one.
    #[wasm_bindgen(js_name = exportAs)]
    pub fn export_as(&self, format: String, theme: &str) -> Promise {
        let dark =
            Theme::named(theme).filter(|theme| *theme != Theme::default()).map(|theme| theme == Theme::Dark);
        promised(|then| match &self.0 {
            Some(handle) => handle
                .remote()
                .export(format, dark, |file| then(file.map_or_else(JsValue::from, JsValue::from))),
            None => then(words::exports::NO_TRACE.into()),
        })
    }

    /// Closes the trace.
    pub fn close(&self) {
        self.0.iter().for_each(|handle| handle.remote().close());
    }
}

/// Promise that resolves to the value that `command` passes to its callback.
fn promised(command: impl FnOnce(Box<dyn FnOnce(JsValue)>)) -> Promise {
    let mut command = Some(command);
    Promise::new(&mut |resolve, _| {
        if let Some(command) = command.take() {
            // A promise's function does not fail.
            command(Box::new(move |value| drop(resolve.call1(&JsValue::NULL, &value))));
        }
    })
}

fn source_of(source: &JsValue) -> Result<Source, JsValue> {
    let name = text(source, "name");
    if let Some(file) = source.dyn_ref::<File>() {
        return Ok(Source::File { name: file.name(), file: file.clone() });
    }
    if let Some(url) = text(source, "url") {
        let Source::Url { url, .. } =
            navigation::absolute(&url, words::link::Linked::Trace).map_err(|notice| notice.text)?
        else {
            return Err(words::engine::NOT_A_SOURCE.into());
        };
        return Ok(Source::Url { url, name });
    }
    let blob = Some(value(source, "blob")).filter(JsCast::has_type::<Blob>);
    match (blob, name) {
        (Some(blob), Some(name)) => {
            let file = File::new_with_blob_sequence(&Array::of1(&blob), &name)?;
            Ok(Source::File { name, file })
        }
        _ => Err(words::engine::NOT_A_SOURCE.into()),
    }
}

/// Mounts a viewer that owns the whole document. Options: `engine`, `sample`, `template` and `listener`, as for
/// [`mount_viewer`], the settings of the site's `config.json`, and:
///
/// - `isSingleFile`: whether the document is a single HTML file: then nothing is stored, and no link is offered
/// - `trustedOrigins`: array of origins whose traces are opened from a link without asking
/// - `open`: array with the addresses of the traces to open if the page's address names none
/// - `traces`: array of traces to list on the landing page, each with `url`, `name` and `description`
/// - `recents`: object with the functions of `recents.js`; without it, no recent traces are offered
#[wasm_bindgen]
pub fn mount_site(root: &Element, options: &JsValue) -> Result<Viewer, JsValue> {
    let host = SiteHost::new(assets(options)?, options);
    let options = Options { address: host.first_address(), ..Options::default() };
    mount(root, options, Rc::new(host)).map(|handle| Viewer(Some(handle)))
}

/// Mounts a viewer in the shadow root of an element, which determines its size. Options, strings unless their line says otherwise:
///
/// - `engine`: the engine's program, which all viewers of the page share: an object with the addresses of its `script` and its
///   `module`, or their common part without `.js` and `_bg.wasm`; or the program itself, an object with `script`, the text of
///   a classic script for a worker, and `module`, the compiled `WebAssembly.Module` that this script expects as its first
///   message
/// - `template`: the viewer as a single HTML file, its address or a `Blob`; without it, no HTML file can be saved
/// - `sample`: address of the folder with the sample run; without it, no sample is offered
/// - `state`: the traces to open and the state of the views, as in the fragment of a link
/// - `theme`: `light` or `dark`; without it, the system's theme
/// - `controls`: `full`, `minimal` or `none`: how much is shown around the views
/// - `format`: id of the format of all files (see [`formats`]); without it, each file's format is detected
/// - `maxBytes`: number of bytes, over all files as stored, after which reading stops; without it, there is no limit
/// - `storage`: prefix of the keys in local storage; without it, nothing is stored
/// - `listener`: function that is called with the name of each event and its details. Times are decimal strings, in nanoseconds
///   since the beginning of the trace.
///
///   | event | details |
///   |---|---|
///   | `ready` | the viewer is rendered |
///   | `opening` | `byUser`: whether the user opens a trace, or an address names it, rather than [`Viewer::open`] |
///   | `progress` | `name` of the file, `loaded` and `total` bytes (or null), `events` read, `phase`: `read` or `draw` |
///   | `loaded` | the trace is complete: `name`, `files`, `bytes`, `runs`, `queries`, `events`, `items`, `problems`, `end` |
///   | `closed` | no trace is open any more |
///   | `selection` | `item` (its code), `start`, `duration`, `name`; null if nothing is selected |
///   | `view` | the views changed and rest: `state`, as of [`Viewer::state`] |
///   | `error`, `warning` | `code` (`read`, `memory`, `engine`), `title`, `text` |
#[wasm_bindgen]
pub fn mount_viewer(root: &Element, options: &JsValue) -> Result<Viewer, JsValue> {
    let host = EmbeddedHost {
        assets: assets(options)?,
        storage: text(options, "storage"),
        reporter: Reporter::of(options),
    };
    let theme = text(options, "theme").and_then(|name| Theme::named(&name));
    let state = text(options, "state").unwrap_or_default();
    let options = Options {
        address: Address::parse("", state.trim_start_matches('#')),
        theme,
        controls: text(options, "controls").and_then(|name| Controls::named(&name)),
        max_bytes: number(options, "maxBytes"),
        format: known_format(options)?,
    };
    let shadow = match root.shadow_root() {
        Some(shadow) => shadow,
        None => root.attach_shadow(&ShadowRootInit::new(ShadowRootMode::Open))?,
    };
    mount(&shadow, options, Rc::new(host)).map(|handle| Viewer(Some(handle)))
}

/// Ids of the formats that the viewer reads, separated by spaces.
#[wasm_bindgen]
pub fn formats() -> String {
    let ids: Vec<&str> = ABOUT.iter().map(|format| format.id).collect();
    ids.join(" ")
}

/// Version of the viewer.
#[wasm_bindgen]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}

fn assets(options: &JsValue) -> Result<Assets, JsValue> {
    let engine = value(options, "engine");
    let at = |address: &str| EngineProgram::Addresses(format!("{address}.js"), format!("{address}_bg.wasm"));
    let engine = match engine.as_string() {
        Some(address) => at(&address),
        None if !engine.is_object() => return Err(words::engine::NO_ENGINE_OPTION.into()),
        None => match (text(&engine, "script"), text(&engine, "module")) {
            (Some(script), Some(module)) => EngineProgram::Addresses(script, module),
            _ => EngineProgram::Loaded(engine),
        },
    };
    let sql = text(options, "sql").filter(|address| !address.is_empty()).map(|address| at(&address));
    Ok(Assets { engine, sql, sample: text(options, "sample"), template: value(options, "template") })
}

/// The option `format`, the id of the format of all files; `None` if it is missing. Fails for an unknown id.
fn known_format(options: &JsValue) -> Result<Option<String>, JsValue> {
    let format = text(options, "format");
    match &format {
        Some(id) if ABOUT.iter().all(|about| about.id != id) => {
            Err(words::engine::unknown_format(id, &formats()).into())
        }
        _ => Ok(format),
    }
}

/// A number of bytes; `None` if it is missing or not a positive number.
fn number(options: &JsValue, name: &str) -> Option<u64> {
    let value = value(options, name).as_f64()?;
    (value > 0.0).then_some(value as u64)
}
