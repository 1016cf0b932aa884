//! Addresses, Back and Forward: opens the traces of an address, restores the state of the views, and keeps the host's
//! address up to date.
//!
//! Each step of the history has a number, under which this page remembers the exact state of the views. A step of an
//! earlier page, or an address that the user typed, is restored from the address alone.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::time::Duration;

use queryscope::internal::text;
use queryscope::internal::word_hash::is_hash;
use queryscope::protocol::{CompareWith, MergedFrameRequest, MergedSpec};

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use crate::components::PanelProps;
use crate::host::{Step, Visit, page};
use crate::item_links::{linked, place_of};
use crate::messages::Source;
use crate::sql_client::DatasetSource;
use crate::state::{
    Action, Controls, Flame, Load, Nav, Notice, OpenDataset, Phase, State, Tab, WantedFiles, WantedTrace,
};
use crate::stored_trace::{MOST_UNASKED, dataset_name};
use crate::url::{
    ADDRESS_BYTES, Address, FileMatch, Items, MOST_LINKED, chosen, file_match, fitted, fragment,
    with_dataset, with_files, with_picked,
};
use crate::words;
use crate::words::link::Linked;

/// Time without a change of the state after which the address is updated.
const REST: Duration = Duration::from_millis(300);
/// Number of characters of an invalid address that an error message shows.
const SHOWN: usize = 200;
/// Number of history steps that are remembered; browsers keep 50.
const REMEMBERED: usize = 200;

/// The state of the views in one build of the trace: item codes differ between builds.
#[derive(Clone, PartialEq, Debug)]
struct Stop {
    build: u32,
    traces: Option<Vec<String>>,
    /// Name of the open trace of the data set.
    stored: Option<String>,
    nav: Nav,
}

impl Stop {
    fn new(load: &Load, nav: Nav) -> Self {
        let stored = load.dataset.as_ref().and_then(|dataset| dataset.trace.clone());
        Self { build: load.info.build, traces: load.addresses.clone(), stored, nav }
    }

    /// Whether both are about the same build of the same traces.
    fn is_of_same_trace(&self, other: &Self) -> bool {
        (self.build, &self.traces, &self.stored) == (other.build, &other.traces, &other.stored)
    }

    /// Whether Back leads from `self` to `other`: another place in the trace, or another trace of the data set.
    fn is_step_from(&self, other: &Self) -> bool {
        let is_place = self.is_of_same_trace(other) && self.nav.is_step_from(&other.nav);
        is_place || self.stored != other.stored
    }
}

/// The history steps that this page made.
#[derive(Default)]
struct Steps {
    /// Number of the current step.
    at: u32,
    known: HashMap<u32, Stop>,
    /// State that was last written to the address; `None` before the first.
    written: Option<Stop>,
    /// Address whose items are to be restored when the trace is complete.
    asked: Option<Address>,
    /// State of the session file that was applied last, because adding other files to its trace must not apply it again.
    session: String,
    /// Number of the latest change: only the last change of a series is written.
    latest: u32,
}

impl Steps {
    /// Forgets the history steps of the previous trace, because items of the next trace may have the same codes.
    /// Returns the number of a new step if the address contains the previous trace.
    fn forget(&mut self) -> Option<u32> {
        self.known.clear();
        self.session.clear();
        self.written.take()?;
        self.at = self.at.wrapping_add(1);
        Some(self.at)
    }

    /// Goes to the view that was saved in a session file; returns its address, whose items are to be restored. `None` if the
    /// trace has no saved view, or the requested address has a view of its own.
    fn session_address(&mut self, panel: &PanelProps, asked: Option<&Address>) -> Option<Address> {
        let state = &panel.state.load.info.session_state;
        let has_view = asked.is_some_and(|asked| asked.nav != Nav::default());
        if state.is_empty() || *state == self.session {
            return None;
        }
        self.session.clone_from(state);
        let address = Some(Address::parse("", state)).filter(|_| !has_view)?;
        if let Some(notice) = doubt(&address) {
            panel.dispatch.dispatch(Action::Notice(Some(notice)));
        }
        panel.dispatch.dispatch(Action::Go(Box::new(address.nav.clone())));
        Some(address)
    }

    /// Records the current state and returns its step: a new step, or the current step with changes.
    fn step_to(&mut self, stop: Stop) -> (u32, Step) {
        let is_new = self.written.as_ref().is_some_and(|written| stop.is_step_from(written));
        if is_new {
            self.at = self.at.wrapping_add(1);
        }
        if self.known.len() >= REMEMBERED {
            let at = self.at;
            self.known.retain(|step, _| at.wrapping_sub(*step) < REMEMBERED as u32 / 2);
        }
        self.known.insert(self.at, stop.clone());
        self.written = Some(stop);
        (self.at, if is_new { Step::New } else { Step::Same })
    }
}

/// Opens the traces of the address, restores its items, keeps it up to date, and handles Back and Forward.
#[hook]
pub fn use_navigation(panel: &PanelProps) {
    let steps = use_memo((), |()| {
        let asked = Some(panel.mount.options().address.clone());
        Rc::new(RefCell::new(Steps { at: page::any_number(), asked, ..Steps::default() }))
    });
    let steps = Rc::clone(&steps);
    {
        let panel = panel.clone();
        use_effect_with((), move |()| open_address(&panel, &panel.mount.options().address));
    }
    let is_wanted = panel.state.load.dataset.as_ref().is_some_and(|dataset| dataset.wanted.is_some());
    let complete =
        panel.state.load.phase == Phase::Ready && panel.state.load.progress.is_none() && !is_wanted;
    {
        let (panel, steps) = (panel.clone(), steps.clone());
        use_effect_with(complete, move |complete| {
            if !complete {
                return;
            }
            let asked = steps.borrow_mut().asked.take();
            let address = steps.borrow_mut().session_address(&panel, asked.as_ref()).or(asked);
            // Without an open trace, there are no items.
            if let Some(address) = address.filter(|_| !panel.state.load.has_dataset_alone()) {
                spawn_local(async move { look_again(&panel, &address).await });
            }
        });
    }
    {
        let steps = steps.clone();
        use_effect_with(panel.clone(), move |panel| {
            let mount = panel.mount.clone();
            let panel = panel.clone();
            let visit: Rc<dyn Fn(Visit)> = Rc::new(move |visit| visited(&panel, &steps, visit));
            mount.take_visits(Some(visit.clone()));
            let listener = mount.host().hear_visits(Box::new(move |step| visit(step)));
            move || {
                mount.take_visits(None);
                drop(listener);
            }
        });
    }
    {
        let host = panel.mount.clone();
        let steps = steps.clone();
        let load = &panel.state.load;
        let (phase, is_stored) = (load.phase.clone(), load.dataset.is_some());
        use_effect_with(phase, move |phase| {
            // Steps of a data set know their traces.
            let stays = is_stored || *phase == Phase::Ready;
            let left = if stays { None } else { steps.borrow_mut().forget() };
            // A closed trace does not return with a reload, only with Back.
            if let (Phase::Landing, Some(number)) = (phase, left) {
                host.host().set_fragment("", number, Step::New);
            }
        });
    }
    let panel = panel.clone();
    let load = &panel.state.load;
    let dataset = load.dataset.as_ref().map(|dataset| dataset.trace.clone());
    let seen = (panel.state.nav.clone(), load.addresses.clone(), load.files.clone(), complete, dataset);
    use_effect_with(seen, move |_| {
        let number = steps.borrow().latest.wrapping_add(1);
        steps.borrow_mut().latest = number;
        spawn_local(async move {
            yew::platform::time::sleep(REST).await;
            if steps.borrow().latest == number && complete {
                write_address(&panel, &steps, number).await;
            }
        });
    });
}

/// Opens the traces of an address and reports errors in the address.
fn open_address(panel: &PanelProps, address: &Address) {
    if let Some(dataset) = &address.dataset {
        return open_dataset_address(panel, dataset, address);
    }
    let found = address.traces.iter().map(|trace| absolute(trace, Linked::Trace));
    let (sources, wrong): (Vec<_>, Vec<_>) = found.partition(Result::is_ok);
    let sources: Vec<_> = sources.into_iter().flatten().collect();
    let urls: Vec<_> = sources.iter().filter_map(Source::url).map(str::to_owned).collect();
    if urls.iter().any(|url| panel.mount.host().asks_before(url)) {
        panel.dispatch.dispatch(Action::Confirm(urls));
    } else if !sources.is_empty() {
        panel.open.emit((sources, true));
    }
    if let Some(notice) = wrong.into_iter().find_map(Result::err) {
        panel.dispatch.dispatch(Action::Failed(notice));
    } else if let Some(notice) = doubt(address) {
        panel.dispatch.dispatch(Action::Notice(Some(notice)));
    }
}

/// Opens the data set of an address, and the trace of it that the address names; asks before, if it is at another host than the page.
fn open_dataset_address(panel: &PanelProps, dataset: &str, address: &Address) {
    let url = match absolute(dataset, Linked::Dataset) {
        Ok(source) => source.url().unwrap_or_default().to_owned(),
        Err(notice) => return panel.dispatch.dispatch(Action::Failed(notice)),
    };
    let limit = MOST_UNASKED;
    let wanted = address.stored.clone().map(|name| WantedTrace {
        name,
        tab: address.nav.tab,
        limit,
        ..WantedTrace::default()
    });
    let name = dataset_name(&url);
    let dataset = OpenDataset { address: Some(url.clone()), name, wanted, ..OpenDataset::default() };
    if panel.mount.host().asks_before(&url) {
        panel.dispatch.dispatch(Action::StoredTrace(dataset));
        panel.dispatch.dispatch(Action::Confirm(vec![url]));
    } else {
        open_dataset(panel, dataset);
    }
}

/// Opens a data set at an address.
pub fn open_dataset(panel: &PanelProps, dataset: OpenDataset) {
    let address = dataset.address.clone().unwrap_or_default();
    panel.client.open_dataset(DatasetSource { address, files: None });
    panel.dispatch.dispatch(Action::Dataset(dataset));
}

/// The warning for an address that is too long, from a newer viewer or without all notes; `None` if it is fine.
fn doubt(address: &Address) -> Option<Notice> {
    let (title, text) = if address.is_too_long {
        (words::link::NOT_UNDERSTOOD, words::link::TOO_LONG.to_owned())
    } else if address.is_newer() {
        (words::link::NEWER, words::link::NEWER_TEXT.to_owned())
    } else if address.left_out > 0 {
        (words::notes::LEFT_OUT, words::notes::left_out(address.left_out))
    } else {
        return None;
    };
    Some(Notice { title: title.to_owned(), text, recovery: None })
}

/// Makes the address of a trace, or of a data set, absolute.
///
/// # Errors
/// If it is not a valid URL, or not one that can be fetched.
pub fn absolute(written: &str, linked: Linked) -> Result<Source, Notice> {
    let title = words::link::invalid_title(linked);
    let wrong = |text: String| Notice { title: title.to_owned(), text, recovery: None };
    let shown = text::shortened(written, SHOWN);
    let url = page::absolute(written).ok_or_else(|| wrong(words::link::invalid_url(linked, &shown)))?;
    match url.split_inclusive(':').next().unwrap_or_default() {
        "http:" | "https:" => Ok(Source::of_url(url)),
        other => Err(wrong(words::link::unsupported_scheme(linked, &shown, other))),
    }
}

/// Shortens an address for a link: an address inside the page's folder becomes relative to it.
fn relative(url: &str) -> String {
    let base = page::base_address().unwrap_or_default();
    let page = base.split(['?', '#']).next().unwrap_or_default();
    let folder = &page[..page.rfind('/').map_or(0, |slash| slash + 1)];
    url.strip_prefix(folder).filter(|rest| !folder.is_empty() && is_plain(rest)).unwrap_or(url).to_owned()
}

/// Whether a relative path is unambiguous, so that it leads from the page's folder to the same address.
fn is_plain(path: &str) -> bool {
    path.split_once(':').is_none() && !path.starts_with(['/', '?', '#']) && !path.is_empty()
}

/// Restores the compared items, the item of the flame graph and the selected item of an address, if they still exist
/// unchanged.
async fn look_again(panel: &PanelProps, address: &Address) {
    let Items { selection, flame, compared: [a, b] } = address.items;
    let mut view = address.nav.compare.clone();
    (view.a, view.b) = (linked(panel, a).await, linked(panel, b).await.map_or(view.b, CompareWith::Item));
    if view != address.nav.compare {
        // New sides reset the compared executions, and these do not hide the runs that the link shows.
        let runs = Action::CompareRuns(address.nav.runs.clone());
        panel.dispatch.dispatch(runs.clone());
        panel.dispatch.dispatch(Action::Compare(view));
        panel.dispatch.dispatch(runs);
    }
    let mut picked = Vec::new();
    for place in &address.picked {
        picked.extend(linked(panel, Some(*place)).await);
    }
    if !picked.is_empty() {
        panel.dispatch.dispatch(Action::Picked(picked));
    }
    name_focus(panel, address).await;
    if let Some(item) = linked(panel, flame).await {
        panel.dispatch.dispatch(Action::Flame(Flame::Time(Some(item))));
    }
    if let Some(item) = linked(panel, selection).await {
        // A jump to a hidden track would show it again.
        let is_hidden = address.nav.hides_items();
        panel.dispatch.dispatch(if is_hidden { Action::Select(Some(item)) } else { Action::Reveal(item) });
    }
}

/// Replaces the hashes of the focused frame in a link by the frame's labels.
async fn name_focus(panel: &PanelProps, address: &Address) {
    let spec = State { nav: address.nav.clone(), ..(*panel.state).clone() }.grouping();
    if spec.focus.iter().any(|label| is_hash(label))
        && let Some(Some(found)) =
            panel.client.ask(MergedFrameRequest { spec, frame: None, step: None }).await
    {
        let merged = MergedSpec { focus: found.path, ..address.nav.merged.clone() };
        panel.dispatch.dispatch(Action::Merge(merged));
        // The same frame has the focus, so its shown part stays.
        panel.dispatch.dispatch(Action::MergedSettled(address.nav.merged_part));
    }
}

async fn write_address(panel: &PanelProps, steps: &RefCell<Steps>, number: u32) {
    let PanelProps { client, state, mount, .. } = panel;
    let flame = match state.nav.flame {
        Flame::Time(query) => query,
        Flame::Merged | Flame::SideBySide => None,
    };
    let [a, b] = chosen(&state.nav.compare);
    let mut places = [None; 4];
    for (place, item) in places.iter_mut().zip([state.nav.selection, flame, a, b]) {
        if let Some(item) = item {
            *place = place_of(client, item).await.map(|(start, duration)| (item, start, duration));
        }
    }
    let mut picked = Vec::new();
    for &item in state.nav.picked.iter().take(MOST_LINKED) {
        picked.extend(place_of(client, item).await.map(|(start, duration)| (item, start, duration)));
    }
    // The state has changed since, and the newer state will be written.
    if steps.borrow().latest != number {
        return;
    }
    let [selection, flame, a, b] = places;
    let open = state.load.addresses.clone();
    // Local files have no address for the link.
    let traces: Vec<String> = open.iter().flatten().map(|url| relative(url)).collect();
    let items = Items { selection, flame, compared: [a, b] };
    let text = fragment(&state.nav, &items, &traces, state.ui.embedded);
    let mut text = with_picked(&text, &picked);
    if state.ui.embedded && state.ui.controls != Controls::Minimal {
        text = format!("{text}&controls={}", state.ui.controls.name());
    }
    match &state.load.dataset {
        Some(dataset) => {
            if let Some(address) = &dataset.address {
                text = with_dataset(&text, dataset, &relative(address));
            }
        }
        None if open.is_none() => text = with_files(&text, &state.load.files),
        None => {}
    }
    let (text, left_out) = fitted(&text, ADDRESS_BYTES);
    let stop = Stop::new(&state.load, state.nav.clone());
    let has_more = steps.borrow().written.as_ref().is_none_or(|written| written.nav.notes != state.nav.notes);
    let (at, step) = steps.borrow_mut().step_to(stop);
    if left_out > 0 && has_more {
        let (title, text) = (words::notes::LEFT_OUT.to_owned(), words::notes::not_in_address(left_out));
        panel.dispatch.dispatch(Action::Notice(Some(Notice { title, text, recovery: None })));
    }
    mount.host().set_fragment(&text, at, step);
}

impl PanelProps {
    /// Whether the open files may be those that an address names; also if it names none.
    fn holds(&self, address: &Address) -> bool {
        let opened = &self.state.load.files;
        address.files.is_empty()
            || file_match(&address.files, address.n_files, opened) != FileMatch::Different
    }
}

/// Goes to the target of Back, Forward, or an address that the user typed.
fn visited(panel: &PanelProps, steps: &Rc<RefCell<Steps>>, visit: Visit) {
    let Visit { step, address } = visit;
    if address.is_too_long {
        // A too long address is not parsed, so the open trace stays.
        return panel.dispatch.dispatch(Action::Notice(doubt(&address)));
    }
    let open = &panel.state.load.addresses;
    let now = Stop::new(&panel.state.load, Nav::default());
    let target = step.and_then(|step| steps.borrow().known.get(&step).cloned());
    let known = target.clone().filter(|stop| stop.is_of_same_trace(&now));
    {
        let mut steps = steps.borrow_mut();
        steps.at = step.unwrap_or_else(|| steps.at.wrapping_add(1));
        // A pending write of the address belongs to the step that was left.
        steps.latest = steps.latest.wrapping_add(1);
        steps.written = known.clone();
    }
    let go = |nav: &Nav| panel.dispatch.dispatch(Action::Go(Box::new(nav.clone())));
    if let Some(stop) = known {
        // Notes are no places: going back neither adds nor removes them.
        return go(&Nav { notes: panel.state.nav.notes.clone(), ..stop.nav });
    }
    let wanted: Vec<String> = address.traces.iter().filter_map(|trace| page::absolute(trace)).collect();
    let dataset = address.dataset.as_deref().and_then(page::absolute);
    let stored = target.map_or_else(|| address.stored.clone(), |stop| stop.stored);
    let same_set = panel.state.load.dataset.as_ref().filter(|of| of.address == dataset && wanted.is_empty());
    if let Some(of) = same_set.filter(|of| of.trace != stored) {
        return visit_dataset(panel, steps, of, stored, address);
    }
    let is_stored = |of: &OpenDataset| of.address == dataset && of.trace == stored;
    let is_open = match open {
        _ if dataset.is_some() || panel.state.load.dataset.is_some() => {
            panel.state.load.dataset.as_ref().is_some_and(is_stored)
        }
        Some(open) => *open == wanted,
        // Local files have no address: an address without a trace or file belongs to them.
        None => wanted.is_empty() && panel.holds(&address),
    };
    let files = WantedFiles { files: address.files.clone(), n: address.n_files };
    let want = || panel.dispatch.dispatch(Action::Wanted(files));
    if is_open {
        if panel.state.load.files.is_empty() {
            want();
        }
        go(&address.nav);
        if panel.state.load.progress.is_some() || panel.state.load.phase != Phase::Ready {
            // Item codes change while reading: restore the items when it is complete.
            steps.borrow_mut().asked = Some(*address);
            return;
        }
        let panel = panel.clone();
        spawn_local(async move { look_again(&panel, &address).await });
    } else {
        panel.client.close();
        panel.dispatch.dispatch(Action::Close);
        want();
        go(&address.nav);
        open_address(panel, &address);
        steps.borrow_mut().asked = Some(*address);
    }
}

/// Goes to another trace of the open data set. In the tabs about the whole data set, the open trace stays.
fn visit_dataset(
    panel: &PanelProps,
    steps: &RefCell<Steps>,
    dataset: &OpenDataset,
    stored: Option<String>,
    address: Box<Address>,
) {
    panel.dispatch.dispatch(Action::Go(Box::new(address.nav.clone())));
    let tab = address.nav.tab;
    if let Some(name) = stored.filter(|_| !matches!(tab, Tab::Trends | Tab::Sql)) {
        let limit = MOST_UNASKED;
        let wanted = Some(WantedTrace { name, tab, limit, ..WantedTrace::default() });
        // Without an open trace, the view of the address is kept.
        panel.dispatch.dispatch(Action::Dataset(OpenDataset { trace: None, wanted, ..dataset.clone() }));
        steps.borrow_mut().asked = Some(*address);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::{SourcesView, StatementsView};
    use queryscope::protocol::{ExecutionList, SourceExecutionList};
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn places_are_steps_and_typing_and_sorting_are_none() {
        let nav = Nav::default;
        let selection = Some(3);
        let tab = Tab::Pivot;
        let range = Some((1, 2));
        let shape = |by_start| StatementsView {
            executions: Some(ExecutionList { by_start, ..ExecutionList::default() }),
            ..StatementsView::default()
        };
        let source = |reversed| SourcesView {
            executions: Some(SourceExecutionList { reversed, ..SourceExecutionList::default() }),
            ..SourcesView::default()
        };
        let mut steps = Steps::default();
        for (build, nav, expected) in [
            (1, nav(), (0, Step::Same)),
            (1, Nav { search: "a".to_owned(), ..nav() }, (0, Step::Same)),
            (1, Nav { selection, ..nav() }, (1, Step::New)),
            (1, Nav { selection, tab, ..nav() }, (2, Step::New)),
            (1, Nav { selection, tab, range, ..nav() }, (3, Step::New)),
            (1, Nav { selection, tab, range, statements: shape(false), ..nav() }, (4, Step::New)),
            (1, Nav { selection, tab, range, statements: shape(true), ..nav() }, (4, Step::Same)),
            (1, Nav { selection, tab, range, sources: source(false), ..nav() }, (5, Step::New)),
            (1, Nav { selection, tab, range, sources: source(true), ..nav() }, (5, Step::Same)),
            // Another build has other codes for the same items.
            (2, Nav { selection: Some(4), tab, range, ..nav() }, (5, Step::Same)),
        ] {
            assert_eq!(steps.step_to(Stop { build, traces: None, stored: None, nav }), expected);
        }
        // Another trace of the data set, and the list of its traces.
        for (stored, expected) in [("a", (6, Step::New)), ("b", (7, Step::New)), ("b", (7, Step::Same))] {
            let stored = Some(stored.to_owned());
            assert_eq!(steps.step_to(Stop { build: 1, traces: None, stored, nav: nav() }), expected);
        }
    }

    #[wasm_bindgen_test]
    fn what_is_remembered_has_a_bound() {
        let mut steps = Steps::default();
        for selection in 0..3 * REMEMBERED as u32 {
            let nav = Nav { selection: Some(selection), ..Nav::default() };
            steps.step_to(Stop { build: 1, traces: None, stored: None, nav });
        }
        assert!(steps.known.len() <= REMEMBERED && steps.known.contains_key(&steps.at));
    }
}
