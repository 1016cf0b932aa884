//! Unrecognised files in the import report, in groups: thousands of identical cards would hide the other files.

use std::collections::BTreeMap;

use queryscope::internal::text;
use queryscope::protocol::FileReport;
use yew::prelude::*;

use super::PanelProps;
use super::report::{file, signed};
use crate::words;

/// Number of file names in the title of a group's card.
const NAMED: usize = 3;
/// Maximum number of files that are listed in a group's card.
const SHOWN: usize = 20;

/// Groups the unrecognised files that have the same description and problems, in the order of opening.
pub fn groups(files: &[FileReport]) -> Vec<Vec<&FileReport>> {
    let (mut groups, mut places) = (Vec::<Vec<_>>::new(), BTreeMap::new());
    for file in files.iter().filter(|file| !file.recognised) {
        let problems: Vec<&str> = file.problems.iter().map(|problem| problem.name.as_str()).collect();
        let place = *places.entry((general(&file.format), problems)).or_insert(groups.len());
        match groups.get_mut(place) {
            Some(group) => group.push(file),
            None => groups.push(vec![file]),
        }
    }
    groups
}

/// Returns the description of a file's format without the part that quotes the file.
fn general(format: &str) -> &str {
    let ends = ["; it begins “", ": its keys are "].iter().filter_map(|quote| format.find(quote));
    ends.min().map_or(format, |end| &format[..end])
}

/// Renders one card for a group of files.
pub fn group(panel: &PanelProps, files: &[&FileReport]) -> Html {
    let first = match files {
        [] => return Html::default(),
        [one] => return file(panel, one),
        [first, ..] => first,
    };
    let fact = |text: String| html! { <span>{ text }</span> };
    let bytes = files.iter().map(|file| file.bytes).fold(0, u64::saturating_add);
    html! {
        <section class="report-file many">
            <header>
                <h3 class="foreign" dir="auto">{ names(files) }</h3>
                <div class="facts">
                    <span class="bad">{ description(files) }</span>
                    { fact(words::common::files(files.len() as u64)) }
                    if !first.is_unread() { { fact(text::bytes(signed(bytes))) } }
                    { for first.problems.iter().map(|problem| fact(problem.name.clone())) }
                </div>
            </header>
            <details class="problem">
                <summary class="title">{ words::import_report::EACH_FILE }</summary>
                { for files.iter().take(SHOWN).map(|one| file(panel, one)) }
                if files.len() > SHOWN { <p>{ words::import_report::more_files((files.len() - SHOWN) as u64) }</p> }
            </details>
        </section>
    }
}

/// Returns the first file names and the number of further files.
pub fn names(files: &[&FileReport]) -> String {
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    text::listed(&names, NAMED)
}

/// Returns the description that all files of a group share.
fn description(files: &[&FileReport]) -> String {
    let first = files.first().map_or("", |file| file.format.as_str());
    match files.iter().all(|file| file.format == first) {
        true => first.to_owned(),
        false => format!("{}.", general(first)),
    }
}

#[cfg(test)]
mod tests {
    use queryscope::session::Session;
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    fn files_of_which_the_same_is_said_are_one_group() {
        let mut session = Session::default();
        let trace = r#"{"runId":"r","queryId":"q","type":"QUERY_START","timestamp":1}"#;
        let contents = ["one", r#"{"a":1}"#, trace, "two", "", r#"{"b":1}"#, "three", "four", "one"];
        for (at, content) in contents.iter().enumerate() {
            session.open(&at.to_string());
            session.push(content.as_bytes());
            session.close(None);
        }
        let report = session.report();
        let found: Vec<_> = groups(&report).iter().map(|files| (names(files), description(files))).collect();
        let expected = [
            ("0, 3, 6 and 2 more", "Text without a record of a known format."),
            ("1, 5", "JSON, but of no known format."),
            ("4", "Empty."),
        ];
        assert_eq!(found, expected.map(|(names, what)| (names.to_owned(), what.to_owned())));
        assert_eq!(
            description(&groups(&report)[0][..1]),
            "Text without a record of a known format; it begins “one”."
        );
    }
}
