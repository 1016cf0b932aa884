//! Data sets: opened from an address or from files, and their traces, which the SQL program reads for the engine.

use js_sys::Array;
use queryscope::internal::rows::MANIFEST;
use queryscope::protocol::{DatasetAnswer, DatasetOrder, DatasetQuestion};
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::components::PanelProps;
use crate::item_links::linked;
use crate::messages::Source;
use crate::sql_client::DatasetSource;
use crate::state::{Action, Dispatch, Notice, OpenDataset, Phase, Tab, WantedTrace};
use crate::url::Place;
use crate::words;

/// Maximum number of bytes that are fetched without asking the user.
pub const MOST_UNASKED: u64 = 64 << 20;

/// Name of the data set at an address: the name of its folder.
pub fn dataset_name(address: &str) -> String {
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let folder = path.strip_suffix(MANIFEST).unwrap_or(path);
    folder.rsplit('/').find(|part| !part.is_empty()).unwrap_or(address).to_owned()
}

/// Name and files of the data set among opened files; `None` if none of them is a manifest. The files have paths relative to the manifest.
pub fn dataset_of(sources: &[Source]) -> Option<(String, DatasetSource)> {
    let is_manifest = |name: &str| name.rsplit('/').next() == Some(MANIFEST);
    let manifest = sources.iter().map(Source::name).find(|name| is_manifest(name))?;
    let folder = manifest.strip_suffix(MANIFEST)?.to_owned();
    let files = Array::new();
    for source in sources {
        if let (Source::File { file, .. }, name) = (source, source.name())
            && let Some(path) = name.strip_prefix(&folder)
        {
            files.push(&path.into());
            files.push(file);
        }
    }
    Some((dataset_name(&folder), DatasetSource { address: String::new(), files: Some(files) }))
}

/// Shows a trace of the data set, which is opened first if it is not the open trace. `item` is selected in it.
pub fn show_trace(dispatch: &Dispatch, dataset: &OpenDataset, name: &str, item: Option<Place>) {
    let dataset = if dataset.trace.as_deref() == Some(name) {
        dispatch.dispatch(Action::Show(Tab::Gantt));
        OpenDataset { item, ..dataset.clone() }
    } else {
        let wanted =
            WantedTrace { name: name.to_owned(), item, limit: MOST_UNASKED, ..WantedTrace::default() };
        OpenDataset { wanted: Some(wanted), ..dataset.clone() }
    };
    dispatch.dispatch(Action::StoredTrace(dataset));
}

/// Opens the wanted trace of the data set, and shows the wanted item once the trace is complete.
#[hook]
pub fn use_stored_trace(panel: &PanelProps) {
    let load = &panel.state.load;
    let is_shown = load.phase != Phase::Landing;
    let wanted = load.dataset.as_ref().filter(|_| is_shown).and_then(|dataset| dataset.wanted.clone());
    {
        let panel = panel.clone();
        use_effect_with(wanted, move |wanted| {
            if let Some(wanted) = wanted.clone().filter(|wanted| wanted.bytes.is_none()) {
                spawn_local(async move { open_wanted(&panel, wanted).await });
            }
        });
    }
    let is_complete = load.phase == Phase::Ready && load.progress.is_none();
    let item = load.dataset.as_ref().filter(|_| is_complete).and_then(|dataset| dataset.item);
    let panel = panel.clone();
    use_effect_with((item, load.info.build), move |(item, _)| {
        let (Some(item), Some(dataset)) = (*item, panel.state.load.dataset.clone()) else { return };
        spawn_local(async move {
            if let Some(item) = linked(&panel, Some(item)).await {
                panel.dispatch.dispatch(Action::ZoomTo(item));
            }
            panel.dispatch.dispatch(Action::StoredTrace(OpenDataset { item: None, ..dataset }));
        });
    });
}

async fn open_wanted(panel: &PanelProps, wanted: WantedTrace) {
    let Some(dataset) = panel.state.load.dataset.clone() else { return };
    let order = DatasetOrder { question: DatasetQuestion::Trace(wanted.name.clone()), limit: wanted.limit };
    let update = |dataset| panel.dispatch.dispatch(Action::StoredTrace(dataset));
    let failed = |text: String| {
        let title = words::trends::NOT_OPENED.to_owned();
        panel.dispatch.dispatch(Action::Notice(Some(Notice { title, text, recovery: None })));
        update(OpenDataset { wanted: None, ..dataset.clone() });
    };
    let (reply, file) = match panel.client.sql().ask(order).await {
        Ok(answer) => answer,
        Err(text) => return failed(text.to_owned()),
    };
    match reply.answer {
        DatasetAnswer::Trace(name) => {
            let Ok(file) = file.dyn_into() else { return failed(words::trends::STOPPED.to_owned()) };
            panel.dispatch.dispatch(Action::Opening(true, None));
            let (item, trace) = (wanted.item, Some(name.clone()));
            update(OpenDataset { wanted: None, trace, item, ..dataset.clone() });
            panel.dispatch.dispatch(Action::Show(wanted.tab));
            panel.client.open_stored(Source::File { name, file });
        }
        DatasetAnswer::TooLarge(bytes) => {
            let wanted = Some(WantedTrace { bytes: Some(bytes), ..wanted });
            update(OpenDataset { wanted, ..dataset.clone() });
        }
        DatasetAnswer::Failed(text) => failed(text),
        DatasetAnswer::Trend(_) => {}
    }
}
