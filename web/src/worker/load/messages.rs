//! Messages about the files of a load.

use std::collections::BTreeSet;

use queryscope::import::ABOUT;
use queryscope::internal::text;
use queryscope::protocol::FileReport;

use crate::words::reading;

/// Maximum number of files that a message names.
const NAMED: usize = 3;

/// Number of problem kinds over all files. Files that are not traces count as one kind together.
pub fn kinds(report: &[FileReport]) -> u32 {
    let problems = report.iter().flat_map(|file| &file.problems);
    let names: BTreeSet<&str> = problems.map(|problem| problem.name.as_str()).collect();
    names.len() as u32 + u32::from(report.iter().any(FileReport::is_no_trace))
}

/// Headline and text about files opened since number `first` that are not traces or are incomplete; `None` if all are
/// complete traces.
pub fn warnings(report: &[FileReport], first: u32) -> Option<(String, String)> {
    match (no_traces(report, first), incomplete(report, first)) {
        (Some((title, names)), Some((other, text))) => {
            Some((title, reading::not_traces_and_incomplete(&names, &other, &text)))
        }
        (strange, incomplete) => strange.or(incomplete),
    }
}

/// Headline and text about files that are certainly incomplete; files in an archive count as part of the archive.
fn incomplete(report: &[FileReport], first: u32) -> Option<(String, String)> {
    let is_new = |file: &FileReport| file.opened.is_none_or(|number| number >= first);
    let from = report.iter().position(|file| file.opened.is_some_and(|number| number >= first))?;
    let lack = |file: &FileReport| file.missing.clone().filter(|_| is_new(file));
    let mut missing = report[from..].iter().filter_map(|file| Some((file, lack(file)?)));
    let (file, text) = missing.next()?;
    let more = missing.filter(|(file, _)| file.opened.is_some()).count() as u64;
    let more = match more {
        0 => String::new(),
        n => reading::more_incomplete(n),
    };
    Some((reading::incomplete(&file.name), text + &more))
}

/// Headline and names of the files that are not traces, among the files opened since number `first`; `None` if all are
/// traces.
pub fn no_traces(report: &[FileReport], first: u32) -> Option<(String, String)> {
    let is_new = |file: &&FileReport| file.opened.is_some_and(|number| number >= first);
    let given: Vec<&FileReport> = report.iter().filter(is_new).collect();
    let strange: Vec<&str> =
        given.iter().filter(|file| file.is_no_trace()).map(|file| file.name.as_str()).collect();
    if strange.is_empty() {
        return None;
    }
    let title = reading::not_traces(strange.len() as u64, given.len() as u64);
    Some((title, text::listed(&strange, NAMED)))
}

/// Title of a trace: its file, the folder that holds all files, or the first file and the number of further files.
pub fn title(report: &[FileReport], files: u32) -> String {
    let first = report.iter().find(|file| file.recognised).or(report.first());
    let first = first.map_or("", |file| file.name.as_str());
    let folder_of = |name: &str| name.rfind('/').map_or(0, |end| end);
    let mut folder = &first[..folder_of(first)];
    let holds =
        |folder: &str, name: &str| name.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    while !folder.is_empty() && !report.iter().all(|file| holds(folder, &file.name)) {
        folder = &folder[..folder_of(folder)];
    }
    match (files, folder) {
        (0 | 1, _) => first.to_owned(),
        (_, "") => reading::first_and_more(first, files - 1),
        _ => reading::folder(folder, files),
    }
}

/// Headline and text about files without records that can be shown.
pub fn nothing_shown(report: &[FileReport]) -> (String, String) {
    let known = report.iter().max_by_key(|file| (file.recognised, file.records));
    let Some(file) = known else {
        return (reading::NOTHING_READ.to_owned(), reading::NO_FILES.to_owned());
    };
    let title = match (file.recognised, report.len()) {
        (true, 1) => reading::nothing_to_show(&file.name),
        (true, n) => reading::none_to_show(n),
        (false, 1) => reading::unsupported(&file.name),
        (false, n) => reading::none_supported(n),
    };
    if let Some(missing) = &file.missing {
        return (title, missing.clone());
    }
    if !file.recognised {
        let formats: Vec<&str> = ABOUT.iter().map(|format| format.name).collect();
        let supported = reading::supported_formats(&formats.join(", "));
        return (title, reading::two_sentences(&reading::sentence(&file.format), &supported));
    }
    (title, reading::recognised(&file.name, &file.format, file.records))
}

#[cfg(test)]
mod tests {
    use queryscope::session::Session;
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    /// The import report of files, given by name, text, and the reason if they could not be read to their end.
    fn report(files: &[(&str, &str, Option<&str>)]) -> Vec<FileReport> {
        let mut session = Session::default();
        for (name, text, broken) in files {
            session.open(name);
            session.push(text.as_bytes());
            session.close(*broken);
        }
        session.report()
    }

    /// The import report of texts in files that are named by their index.
    fn report_of_texts(texts: &[&str]) -> Vec<FileReport> {
        const NUMBERS: [&str; 6] = ["0", "1", "2", "3", "4", "5"];
        let files: Vec<_> = NUMBERS.into_iter().zip(texts).map(|(name, text)| (name, *text, None)).collect();
        report(&files)
    }

    #[wasm_bindgen_test]
    fn kinds_of_problems_are_counted_once() {
        let check = |files: &[(&str, Option<&str>)], expected: u32| {
            let files: Vec<_> = files.iter().map(|(text, broken)| ("file", *text, *broken)).collect();
            assert_eq!(kinds(&report(&files)), expected, "{files:?}");
        };
        let cut = r#" {"runId":"r","queryId":"q","type":"QUERY_START","timestamp":1} {"runId":"s"#;
        check(&[("", None)], 0);
        check(&[("garbage", None), ("other garbage", None)], 1);
        check(&[("", Some("gone")), ("", Some("gone"))], 1);
        check(&[(cut, Some("cancelled")), ("", Some("cancelled")), (&cut[1..], None)], 2);
        check(&[(cut, None), ("garbage", None)], 2);
    }

    #[wasm_bindgen_test]
    fn files_that_are_no_trace_are_named() {
        let event = r#"{"runId":"r","queryId":"q","type":"QUERY_START","timestamp":1}"#;
        let check = |files: &[&str], first, expected: Option<&str>| {
            let found =
                no_traces(&report_of_texts(files), first).map(|(title, text)| format!("{title} {text}"));
            assert_eq!(found.as_deref(), expected, "{files:?}");
        };
        check(&[event, ""], 0, None);
        check(&[event, "Dear"], 0, Some("1 of 2 files is not a trace. 1"));
        check(&["Dear", event], 1, None);
        check(&[event, "Dear"], 1, Some("No trace in 1 file. 1"));
        let letters = ["Dear", "Dear", "Dear", event, "Dear", "Dear"];
        check(&letters, 0, Some("5 of 6 files are not traces. 0, 1, 2 and 2 more"));
    }

    #[wasm_bindgen_test]
    fn what_is_missing_is_reported() {
        let event = r#"{"runId":"r","queryId":"q","type":"QUERY_START","timestamp":1}"#;
        let check = |files: &[&str], first, expected: Option<&str>| {
            let found =
                warnings(&report_of_texts(files), first).map(|(title, text)| format!("{title} {text}"));
            assert_eq!(found.as_deref(), expected, "{files:?}");
        };
        let cut = &event[..40];
        let two = format!("{event}\n{cut}");
        let read = two.len();
        let text =
            format!("The file ends in the middle of a record: everything after byte {read} is missing.");
        check(&[event], 0, None);
        check(&[event, &two], 0, Some(&format!("1 is incomplete. {text}")));
        check(&[&two, event], 1, None);
        let both = format!("0 is incomplete. {text} 1 more file is incomplete: see the import report.");
        check(&[&two, &two], 0, Some(&both));
        let strange = format!("1 of 2 files is not a trace. 1. 0 is incomplete. {text}");
        check(&[&two, "Dear"], 0, Some(&strange));
    }

    #[wasm_bindgen_test]
    fn several_files_are_called_after_their_folder() {
        let check = |names: &[&str], expected: &str| {
            let files: Vec<_> = names.iter().map(|name| (*name, "", None)).collect();
            assert_eq!(title(&report(&files), names.len() as u32), expected, "{names:?}");
        };
        check(&[], "");
        check(&["run/a.json"], "run/a.json");
        check(&["a.json", "b.json", "c.json"], "a.json + 2");
        check(&["run/a.json", "run/b.json"], "run (2 files)");
        check(&["run/x/a.json", "run/y/b.json", "run/c.json"], "run (3 files)");
        check(&["runs/2/a.json", "runs/2/b.json"], "runs/2 (2 files)");
        check(&["run/a.json", "running/b.json"], "run/a.json + 1");
    }
}
