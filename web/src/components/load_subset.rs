//! The dialog for loading a subset of the files: a time range or some of the runs. Useful for traces that do not fit into
//! memory.

use std::collections::BTreeSet;

use queryscope::internal::text;
use queryscope::protocol::{
    FileReport, ImportReportRequest, NOT_TO_END, Subset, SubsetChoices, SubsetChoicesRequest, SubsetRun,
};
use web_sys::HtmlInputElement;
use yew::prelude::*;

use super::PanelProps;
use super::show_more::use_show_more;
use super::unrecognized_files::names;
use super::use_query::{Answer, use_query};
use crate::state::Action;
use crate::ui::Dialog;
use crate::words;

/// The dialog that loads a subset of the open files.
#[component]
pub fn PartDialog(props: &PanelProps) -> Html {
    let answer = use_query(&props.client, Some(SubsetChoicesRequest), props.state.load.info.build);
    let parts = answer.as_ref().and_then(Answer::reply).cloned();
    let report = use_query(&props.client, Some(ImportReportRequest), props.state.load.info.build);
    let unread = report.as_ref().and_then(Answer::reply).and_then(|files| unread(files));
    let dispatch = props.dispatch.clone();
    let onclose = Callback::from(move |()| dispatch.dispatch(Action::Dialog(None)));
    html! {
        <Dialog mount={props.mount.clone()} id="part" title={words::subset::TITLE} {onclose}>
            { match parts {
                None => html! { <p>{ words::common::LOADING }</p> },
                Some(parts) => html! { <Form panel={props.clone()} {parts} {unread} /> },
            } }
        </Dialog>
    }
}

#[derive(Properties, PartialEq)]
struct FormProps {
    panel: PanelProps,
    parts: SubsetChoices,
    /// Message about files that were not read to their end, if there are any.
    unread: Option<String>,
}

/// Values of the form's fields.
#[derive(Clone, PartialEq)]
struct Wanted {
    from: String,
    to: String,
    /// Names of the runs that are excluded.
    without: BTreeSet<String>,
}

#[component]
fn Form(props: &FormProps) -> Html {
    let FormProps { panel, parts, unread } = props;
    let wanted = use_state(|| Wanted::first(panel, parts));
    let (shown, more) = use_show_more(parts.runs.len(), words::common::RUN, words::common::RUNS);
    let part = wanted.part(parts);
    let everything = (parts.chosen != Subset::default()).then(Subset::default);
    let load = |part: Subset| {
        let panel = panel.clone();
        Callback::from(move |_: ()| {
            panel.dispatch.dispatch(Action::Opening(true, panel.state.load.addresses.clone()));
            panel.client.read_part(part.clone());
        })
    };
    let ready = part.clone().ok().filter(|part| *part != Subset::default()).map(&load);
    let onsubmit = {
        let ready = ready.clone();
        move |event: SubmitEvent| {
            event.prevent_default();
            if let Some(load) = &ready {
                load.emit(());
            }
        }
    };
    html! {
        <form class="part" {onsubmit}>
            <p>{ extent(panel, parts) }</p>
            if let Some(unread) = unread { <p class="foreign" dir="auto">{ unread }</p> }
            <fieldset>
                <legend>{ words::subset::TIME }</legend>
                { time("part-from", words::subset::FROM, words::subset::BEGINNING, &wanted, |wanted| &mut wanted.from) }
                { time("part-to", words::subset::TO, words::subset::END, &wanted, |wanted| &mut wanted.to) }
            </fieldset>
            if parts.runs.len() > 1 {
                <fieldset class="part-runs">
                    <legend>{ words::subset::RUNS }</legend>
                    { for parts.runs.iter().take(shown).map(|one| run(one, &wanted)) }
                    { more }
                </fieldset>
            }
            if let Err(error) = &part { <p class="bad" role="alert">{ error }</p> }
            <p class="hint">{ words::subset::HINT }</p>
            <div class="buttons">
                <button type="submit" class="btn primary" disabled={ready.is_none()}>{ words::subset::LOAD }</button>
                if let Some(all) = everything.map(load) {
                    <button type="button" class="btn" onclick={all.reform(|_: MouseEvent| ())}>{ words::subset::LOAD_ALL }</button>
                }
            </div>
        </form>
    }
}

impl Wanted {
    /// Returns the initial field values: the loaded subset, or else the time range of the views.
    fn first(panel: &PanelProps, parts: &SubsetChoices) -> Self {
        let chosen = &parts.chosen;
        let is_bound = |time: &i64| *time != i64::MIN && *time != i64::MAX;
        let range = chosen.range.or(panel.state.nav.range.filter(|_| chosen.range.is_none()));
        let written = |time: Option<i64>| time.filter(is_bound).map_or(String::new(), exact);
        let is_out = |run: &&SubsetRun| chosen.runs.as_ref().is_some_and(|runs| !runs.contains(&run.name));
        let without = parts.runs.iter().filter(is_out).map(|run| run.name.clone()).collect();
        Self { from: written(range.map(|r| r.0)), to: written(range.map(|r| r.1)), without }
    }

    /// Returns the subset that the fields describe, or an error message for invalid input.
    fn part(&self, parts: &SubsetChoices) -> Result<Subset, String> {
        let time = |text: &str, without: i64| match text.trim() {
            "" => Ok(without),
            // A number without a unit would mean nanoseconds, which hardly anyone intends in this form.
            text if text::parse_decimal(text).is_some_and(|number| number != 0.0) => {
                Err(words::subset::needs_unit(text))
            }
            text => text::parse_duration(text).ok_or_else(|| words::subset::no_time(text)),
        };
        let range = (time(&self.from, i64::MIN)?, time(&self.to, i64::MAX)?);
        if range.0 > range.1 {
            return Err(words::subset::ENDS_BEFORE_START.to_owned());
        }
        let names = || parts.runs.iter().map(|run| run.name.clone());
        let runs: Vec<String> = names().filter(|name| !self.without.contains(name)).collect();
        if runs.is_empty() && !parts.runs.is_empty() {
            return Err(words::subset::NO_RUN.to_owned());
        }
        let range = (range != (i64::MIN, i64::MAX)).then_some(range);
        let runs = (!self.without.is_empty()).then_some(runs);
        // Only a time range depends on the origin of each run's clock.
        let zeros = parts.runs.iter().map(|run| (run.name.clone(), run.zero));
        let zeros = if range.is_some() { zeros.collect() } else { Vec::new() };
        Ok(Subset { range, runs, zeros })
    }
}

/// Formats a time exactly, in the largest unit that needs at most three decimals.
fn exact(ns: i64) -> String {
    let units = [(1_000_000_000, "s"), (1_000_000, "ms"), (1_000, "µs")];
    let unit = units.into_iter().find(|(size, _)| ns % (size / 1_000) == 0);
    unit.map_or(format!("{ns} ns"), |(size, name)| {
        let thousandths = ns / (size / 1_000);
        let digits = format!("{}.{:03}", thousandths / 1_000, (thousandths % 1_000).abs());
        format!("{} {name}", digits.trim_end_matches('0').trim_end_matches('.'))
    })
}

fn time(
    id: &'static str,
    label: &'static str,
    placeholder: &'static str,
    wanted: &UseStateHandle<Wanted>,
    field: fn(&mut Wanted) -> &mut String,
) -> Html {
    let mut now = (**wanted).clone();
    let value = field(&mut now).clone();
    let wanted = wanted.clone();
    let oninput = move |event: InputEvent| {
        let mut next = (*wanted).clone();
        *field(&mut next) = event.target_unchecked_into::<HtmlInputElement>().value();
        wanted.set(next);
    };
    html! {
        <label>{ label }{ " " }<input {id} type="text" {placeholder} autocomplete="off" spellcheck="false" {value} {oninput} /></label>
    }
}

fn run(run: &SubsetRun, wanted: &UseStateHandle<Wanted>) -> Html {
    let checked = !wanted.without.contains(&run.name);
    let (name, wanted) = (run.name.clone(), wanted.clone());
    let onchange = move |_: Event| {
        let mut next = (*wanted).clone();
        if !next.without.remove(&name) {
            next.without.insert(name.clone());
        }
        wanted.set(next);
    };
    let facts = words::subset::run(run.records, run.length);
    html! {
        <label><input type="checkbox" {checked} {onchange} /><span class="foreign clip" dir="auto">{ &run.name }</span><span class="facts">{ facts }</span></label>
    }
}

/// Describes how much of the files was read, and the estimated total duration.
fn extent(panel: &PanelProps, parts: &SubsetChoices) -> String {
    let longest = parts.runs.iter().map(|run| run.length).max().unwrap_or(0);
    let all = parts.runs.iter().map(|run| run.records).fold(0, u64::saturating_add);
    let (given, bytes) = (panel.client.given(), panel.state.load.info.bytes);
    // Small differences mean nothing: the end of a compressed file is often not read.
    if bytes == 0 || given <= bytes + bytes / 50 {
        return words::subset::extent(all, longest);
    }
    let share = i128::from(bytes) * 100 / i128::from(given);
    let files = panel
        .state
        .load
        .info
        .files
        .max(panel.state.load.progress.as_ref().map_or(0, |progress| progress.files));
    // Files and runs overlap in time, so the total duration cannot be extrapolated from the share of bytes.
    if files > 1 || parts.runs.len() > 1 {
        return words::subset::extent_of_files(all, longest, share);
    }
    let whole = i128::from(longest) * i128::from(given) / i128::from(bytes);
    words::subset::extent_of_file(all, longest, share, i64::try_from(whole).unwrap_or(i64::MAX))
}

/// Lists the files that were not read to their end. `None` for a single file.
fn unread(files: &[FileReport]) -> Option<String> {
    let given = || files.iter().filter(|file| file.opened.is_some());
    let is_unread = |file: &&FileReport| file.problems.iter().any(|problem| problem.name == NOT_TO_END);
    let unread: Vec<&FileReport> = given().filter(is_unread).collect();
    if unread.is_empty() || given().count() < 2 {
        return None;
    }
    Some(words::subset::unread(&names(&unread)))
}

#[cfg(test)]
mod tests {
    use queryscope::session::Session;

    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    fn parts(names: &str) -> SubsetChoices {
        let run =
            |name: char| SubsetRun { name: name.into(), zero: 100, length: 50, records: 3, kept_from: None };
        SubsetChoices { chosen: Subset::default(), runs: names.chars().map(run).collect() }
    }

    /// Time range and concatenated run names that the fields describe.
    type Asked<'a> = (Option<(i64, i64)>, Option<&'a str>);

    fn check(from: &str, to: &str, without: &str, expected: Result<Asked, &str>) {
        let without = without.chars().map(String::from).collect();
        let wanted = Wanted { from: from.to_owned(), to: to.to_owned(), without };
        let found = wanted.part(&parts("abc")).map(|part| (part.range, part.runs.map(|runs| runs.concat())));
        match (found, expected) {
            (Err(error), Err(word)) => assert!(error.contains(word), "{error}"),
            (found, expected) => {
                let expected = expected.map(|(range, runs)| (range, runs.map(str::to_owned)));
                assert_eq!(found, expected.map_err(str::to_owned), "{from} {to}");
            }
        }
    }

    #[wasm_bindgen_test]
    fn fields_become_a_part() {
        check("", "", "", Ok((None, None)));
        check("1 ms", "", "", Ok((Some((1_000_000, i64::MAX)), None)));
        check("", "1.5 s", "b", Ok((Some((i64::MIN, 1_500_000_000)), Some("ac"))));
        check("2s", "1s", "", Err("ends before"));
        check("x", "", "", Err("not a time"));
        check("50", "", "", Err("“50” needs a unit: ns, µs, ms, s or min"));
        check("", "1.5", "", Err("needs a unit"));
        check("0", "72 ns", "", Ok((Some((0, 72)), None)));
        check("", "", "abc", Err("at least one run"));
    }

    #[wasm_bindgen_test]
    fn of_several_files_those_are_named_that_were_not_read() {
        let check = |reasons: &[Option<&str>], expected: Option<&str>| {
            let mut session = Session::default();
            for (name, reason) in ["a", "b", "c", "d", "e"].iter().zip(reasons) {
                session.open(name);
                session.close(*reason);
            }
            let found = unread(&session.report());
            assert_eq!(found.as_deref().and_then(|words| words.split('.').next()), expected, "{reasons:?}");
        };
        check(&[Some("full")], None);
        check(&[None, None], None);
        check(&[None, Some("full"), Some("full")], Some("Not read to the end: b, c"));
        check(&[Some("full"); 5], Some("Not read to the end: a, b, c and 2 more"));
    }

    #[wasm_bindgen_test]
    fn times_are_written_with_every_digit() {
        for (ns, text) in [
            (0, "0 s"),
            (1_500_000_000, "1.5 s"),
            (1_000_001, "1000.001 µs"),
            (20_000_000, "0.02 s"),
            (123_456_789, "123456.789 µs"),
            (7, "0.007 µs"),
        ] {
            assert_eq!((exact(ns).as_str(), text::parse_duration(&exact(ns))), (text, Some(ns)));
        }
    }
}
