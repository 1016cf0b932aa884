//! The import report: how many records of each file are shown, dropped or left out, and why.

use queryscope::import::ABOUT;
use queryscope::internal::text;
use queryscope::protocol::{
    FileReport, ImportReportRequest, LEFT_OUT_MEANS, RunSummariesRequest, RunSummary,
};
use serde::Serialize;
use wasm_bindgen::JsValue;
use yew::prelude::*;

use web_sys::HtmlSelectElement;

use super::PanelProps;
use super::icon::{Icon, icon};
use super::overview::{n_noted, notes};
use super::problem::Problem;
use super::reconciliation::Reconciliation;
use super::show_more::{use_show_more, use_show_more_from};
use super::unrecognized_files::{group, groups};
use super::use_query::{Answer, use_query};
use crate::host::page::download;
use crate::state::{Action, Dialog as Which, Phase};
use crate::ui::Dialog;
use crate::words;
use crate::words::import_report::Totals;

/// Number of file cards that are shown initially, since each card can list many problems.
const FILES: usize = 25;

/// The dialog with the import report.
#[component]
pub fn Report(props: &PanelProps) -> Html {
    let answer = use_query(&props.client, Some(ImportReportRequest), props.state.load.scene_version);
    let files = answer.as_ref().and_then(Answer::reply).map(Vec::as_slice);
    let runs = use_query(&props.client, Some(RunSummariesRequest), props.state.load.scene_version);
    let runs: &[RunSummary] = runs.as_ref().and_then(Answer::reply).map_or(&[], Vec::as_slice);
    let (shown_runs, more_runs) = use_show_more(
        n_noted(runs),
        words::import_report::RUN_WITH_NOTES,
        words::import_report::RUNS_WITH_NOTES,
    );
    let groups = groups(files.unwrap_or_default());
    let known = files.map_or(0, |files| files.iter().filter(|file| file.recognised).count());
    let (shown, more) = use_show_more_from(FILES, known, words::common::FILE, words::common::FILES);
    let (shown_groups, more_groups) =
        use_show_more_from(FILES, groups.len(), words::import_report::GROUP, words::import_report::GROUPS);
    let dispatch = props.dispatch.clone();
    let onclose = Callback::from(move |()| dispatch.dispatch(Action::Dialog(None)));
    html! {
        <Dialog mount={props.mount.clone()} id="report" title={words::common::IMPORT_REPORT} {onclose} footer={files.map_or_else(Html::default, |files| footer(props, files))}>
            { match files {
                None => html! { <p class="report-sum">{ words::common::LOADING }</p> },
                Some([]) => html! { <p class="report-sum">{ words::import_report::NO_FILE }</p> },
                Some(files) => html! {
                    <>
                        { sum(files) }
                        { notes(runs, shown_runs) }
                        { more_runs }
                        <Reconciliation client={props.client.clone()} build={props.state.load.info.build} />
                        { for groups.iter().take(shown_groups).map(|files| group(props, files)) }
                        { more_groups }
                        { for worst_first(files).take(shown).map(|report| file(props, report)) }
                        { more }
                    </>
                },
            } }
        </Dialog>
    }
}

/// Returns the recognised files, those with problems first.
fn worst_first(files: &[FileReport]) -> impl Iterator<Item = &FileReport> {
    let known = || files.iter().filter(|file| file.recognised);
    known().filter(|file| !file.problems.is_empty()).chain(known().filter(|file| file.problems.is_empty()))
}

fn sum(files: &[FileReport]) -> Html {
    let total = |of: fn(&FileReport) -> u64| files.iter().map(of).fold(0, u64::saturating_add);
    let those = |is: fn(&FileReport) -> bool| files.iter().filter(|file| is(file)).count() as u64;
    let left_out = total(|file| file.left_out);
    let totals = Totals {
        files: files.len() as u64,
        records: total(|file| file.records),
        shown: total(|file| file.used),
        dropped: total(|file| file.reported),
        left_out,
        warnings: total(warnings),
        not_traces: those(FileReport::is_no_trace),
        unread: those(FileReport::is_unread),
    };
    html! {
        <>
            <p class="report-sum">{ words::import_report::summary(&totals) }</p>
            if left_out > 0 { <p class="report-sum">{ LEFT_OUT_MEANS }</p> }
        </>
    }
}

/// Number of warnings: occurrences of problems that drop no record.
fn warnings(file: &FileReport) -> u64 {
    let kept = file.problems.iter().filter(|problem| !problem.lost);
    kept.map(|problem| problem.count).fold(0, u64::saturating_add)
}

/// Renders the import result of a file as a card.
pub fn file(panel: &PanelProps, file: &FileReport) -> Html {
    let fact = |text: String| html! { <span>{ text }</span> };
    html! {
        <section class="report-file">
            <header>
                <h3 class="foreign" dir="auto">{ &file.name }</h3>
                <div class="facts">
                    <span class={classes!((!file.recognised).then_some("bad"))}>{ &file.format }</span>
                    if !file.is_unread() {
                        { fact(text::bytes(signed(file.bytes))) }
                        { fact(words::import_report::read(file.records)) }
                        { fact(words::import_report::shown(file.used)) }
                        { fact(words::import_report::dropped(file.reported)) }
                    }
                    if file.left_out > 0 { { fact(words::import_report::left_out(file.left_out)) } }
                    if file.other_lines > 0 { { fact(words::import_report::other_lines(file.other_lines)) } }
                    { file.opened.map_or_else(Html::default, |number| format(panel, file, number)) }
                </div>
            </header>
            { for file.problems.iter().map(|problem| html! {
                <Problem key={format!("{} {}", file.number, problem.name)} client={panel.client.clone()}
                    dispatch={panel.dispatch.clone()} file={file.number} problem={problem.clone()} />
            }) }
        </section>
    }
}

/// Renders the choice of a file's format. Changing the format reads all files again.
fn format(panel: &PanelProps, file: &FileReport, number: u32) -> Html {
    let (client, dispatch, addresses) =
        (panel.client.clone(), panel.dispatch.clone(), panel.state.load.addresses.clone());
    let onchange = move |event: Event| {
        let select: HtmlSelectElement = event.target_unchecked_into();
        let chosen = usize::try_from(select.selected_index() - 1).ok().and_then(|at| ABOUT.get(at));
        dispatch.dispatch(Action::Opening(true, addresses.clone()));
        client.read_as(number, chosen.map(|about| about.id.to_owned()));
    };
    let name = words::import_report::format_of(&file.name);
    let is_chosen = |id: &str| file.read_as.as_deref() == Some(id);
    html! {
        <label class="choice">{ words::import_report::FORMAT }
            <select aria-label={name} {onchange}>
                <option selected={file.read_as.is_none()}>{ words::import_report::DETECT_FORMAT }</option>
                { for ABOUT.iter().map(|about| html! { <option selected={is_chosen(about.id)}>{ about.name }</option> }) }
            </select>
        </label>
    }
}

fn footer(panel: &PanelProps, files: &[FileReport]) -> Html {
    let dispatch = panel.dispatch.clone();
    let shows = |which: Which| {
        let dispatch = dispatch.clone();
        move |_: MouseEvent| dispatch.dispatch(Action::Dialog(Some(which)))
    };
    let save =
        |label: &'static str, name: &'static str, kind: &'static str, text: fn(&[FileReport]) -> String| {
            let files = files.to_vec();
            let onclick = move |_: MouseEvent| download(name, kind, &text(&files));
            html! { <button type="button" class="btn" {onclick}>{ icon(Icon::Download) }{ label }</button> }
        };
    html! {
        <footer>
            <button type="button" id="part-button" class="btn" onclick={shows(Which::Part)}>{ words::common::LOAD_SUBSET }</button>
            if panel.state.load.phase == Phase::Ready {
                <button type="button" class="btn" onclick={shows(Which::Save)}>{ words::save::SAVE_TRACE }</button>
            }
            <span class="space" />
            { save(words::import_report::SAVE_TEXT, "import-report.txt", "text/plain", words::import_report::as_text) }
            { save(words::import_report::SAVE_JSON, "import-report.json", "application/json", as_json) }
        </footer>
    }
}

/// The import report as JSON. Numbers are JSON numbers: counts and sizes are far below 2^53, and the serialiser rejects larger values.
pub fn as_json(files: &[FileReport]) -> String {
    let json = serde_wasm_bindgen::Serializer::json_compatible();
    let report = std::collections::BTreeMap::from([("files", files)]);
    let value = report.serialize(&json).unwrap_or(JsValue::NULL);
    let text = js_sys::JSON::stringify_with_replacer_and_space(&value, &JsValue::NULL, &2.into());
    text.map(String::from).unwrap_or_default()
}

/// Converts a size to the signed integers of the text functions, with saturation.
pub fn signed(n: u64) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}
