//! What is told of a load, in words and numbers.

use std::collections::BTreeSet;

use queryscope::import::ABOUT;
use queryscope::protocol::FileReport;
use queryscope::text;

/// Files that a message names.
const NAMED: usize = 3;

/// Kinds of problems, over all files. Files that are no trace are one of them, however many there are.
pub fn kinds(report: &[FileReport]) -> u32 {
    let problems = report.iter().flat_map(|file| &file.problems);
    let names: BTreeSet<&str> = problems.map(|problem| problem.name.as_str()).collect();
    names.len() as u32 + u32::from(report.iter().any(FileReport::is_no_trace))
}

/// What to tell beside a trace of the files that were given since the one with the number `first`: that some are no trace, or
/// are not all there. `None` where all is well. A headline and a text.
pub fn beside(report: &[FileReport], first: u32) -> Option<(String, String)> {
    match (no_traces(report, first), incomplete(report, first)) {
        (Some((title, names)), Some((other, text))) => Some((title, format!("{names}. {other} {text}"))),
        (strange, incomplete) => strange.or(incomplete),
    }
}

/// What to tell of the files of which something is certainly missing; those in an archive count with it.
fn incomplete(report: &[FileReport], first: u32) -> Option<(String, String)> {
    let is_new = |file: &FileReport| file.opened.is_none_or(|number| number >= first);
    let from = report.iter().position(|file| file.opened.is_some_and(|number| number >= first))?;
    let lack = |file: &FileReport| file.missing.clone().filter(|_| is_new(file));
    let mut missing = report[from..].iter().filter_map(|file| Some((file, lack(file)?)));
    let (file, text) = missing.next()?;
    let more = missing.filter(|(file, _)| file.opened.is_some()).count() as u64;
    let more = match more {
        0 => String::new(),
        n => format!(
            " The same is so of {}: see the import report.",
            text::counted(n, "more file", "more files")
        ),
    };
    Some((format!("{} is not complete.", file.name), text + &more))
}

/// What to tell of the files that are no trace, among those that were given since the one with the number `first`; `None`
/// where all are. A headline, and their names.
pub fn no_traces(report: &[FileReport], first: u32) -> Option<(String, String)> {
    let is_new = |file: &&FileReport| file.opened.is_some_and(|number| number >= first);
    let given: Vec<&FileReport> = report.iter().filter(is_new).collect();
    let strange: Vec<&str> =
        given.iter().filter(|file| file.is_no_trace()).map(|file| file.name.as_str()).collect();
    let all = text::counted(given.len() as u64, "file", "files");
    let title = match strange.len() as u64 {
        0 => return None,
        n if n == given.len() as u64 => format!("No trace was in {all}."),
        1 => format!("1 of {all} is no trace."),
        n => format!("{} of {all} are no trace.", text::count(i64::try_from(n).unwrap_or(i64::MAX))),
    };
    Some((title, text::listed(&strange, NAMED)))
}

/// What a trace is called: several files after the folder that holds them all, else after the first that is a trace.
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
        (_, "") => format!("{first} + {}", text::count(i64::from(files) - 1)),
        _ => format!("{folder} ({})", text::counted(files.into(), "file", "files")),
    }
}

/// `340 MB of 3.2 GB`. What a server compresses is longer than it says: then of how much is not known.
pub fn share(bytes: u64, all: Option<u64>) -> String {
    let size = |bytes: u64| text::bytes(i64::try_from(bytes).unwrap_or(i64::MAX));
    let all = all.filter(|&all| all >= bytes);
    all.map_or_else(|| size(bytes), |all| format!("{} of {}", size(bytes), size(all)))
}

/// A reason as a sentence.
pub fn sentence(text: &str) -> String {
    let end = if text.ends_with(['.', '!', '?']) { "" } else { "." };
    capitalised(text) + end
}

/// With a capital at its beginning.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    let first: String = letters.next().map(|c| c.to_ascii_uppercase().into()).unwrap_or_default();
    first + letters.as_str()
}

/// What to tell of files in which there is nothing to look at.
pub fn nothing_shown(report: &[FileReport]) -> (String, String) {
    let known = report.iter().max_by_key(|file| (file.recognised, file.records));
    let Some(file) = known else {
        return ("Nothing was read".to_owned(), "There was no file in what was given.".to_owned());
    };
    let (one, all) = match file.recognised {
        true => ("holds nothing that could be shown", "holds anything that could be shown"),
        false => ("is not a trace that queryscope knows", "is a trace that queryscope knows"),
    };
    let title = match report.len() {
        1 => format!("{} {one}", file.name),
        many => format!("None of these {many} files {all}"),
    };
    if let Some(missing) = &file.missing {
        return (title, missing.clone());
    }
    if !file.recognised {
        let formats: Vec<&str> = ABOUT.iter().map(|format| format.name).collect();
        let expected = format!("queryscope reads traces of {}, packed or not.", formats.join(", "));
        return (title, format!("{} {expected}", sentence(&file.format)));
    }
    let why = match file.records {
        0 => "but not one record is in it.".to_owned(),
        n => {
            let records = text::counted(n, "record", "records");
            format!("and nothing of its {records} could be used. The import report tells why.")
        }
    };
    (title, format!("{} was recognised ({}), {why}", file.name, file.format))
}

#[cfg(test)]
mod tests {
    use queryscope::session::Session;
    use wasm_bindgen_test::wasm_bindgen_test;

    use super::*;

    #[wasm_bindgen_test]
    fn kinds_of_problems_are_counted_once() {
        let check = |files: &[(&str, Option<&str>)], expected: u32| {
            let mut session = Session::default();
            for (text, broken) in files {
                session.open("file");
                session.push(text.as_bytes());
                session.close(*broken);
            }
            assert_eq!(kinds(&session.report()), expected, "{files:?}");
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
            let mut session = Session::default();
            for (at, text) in files.iter().enumerate() {
                session.open(&at.to_string());
                session.push(text.as_bytes());
                session.close(None);
            }
            let found = no_traces(&session.report(), first).map(|(title, text)| format!("{title} {text}"));
            assert_eq!(found.as_deref(), expected, "{files:?}");
        };
        check(&[event, ""], 0, None);
        check(&[event, "Dear"], 0, Some("1 of 2 files is no trace. 1"));
        check(&["Dear", event], 1, None);
        check(&[event, "Dear"], 1, Some("No trace was in 1 file. 1"));
        let letters = ["Dear", "Dear", "Dear", event, "Dear", "Dear"];
        check(&letters, 0, Some("5 of 6 files are no trace. 0, 1, 2 and 2 more"));
    }

    #[wasm_bindgen_test]
    fn what_is_missing_is_told() {
        let event = r#"{"runId":"r","queryId":"q","type":"QUERY_START","timestamp":1}"#;
        let check = |files: &[&str], first, expected: Option<&str>| {
            let mut session = Session::default();
            for (at, text) in files.iter().enumerate() {
                session.open(&at.to_string());
                session.push(text.as_bytes());
                session.close(None);
            }
            let found = beside(&session.report(), first).map(|(title, text)| format!("{title} {text}"));
            assert_eq!(found.as_deref(), expected, "{files:?}");
        };
        let cut = &event[..40];
        let two = format!("{event}\n{cut}");
        let read = two.len();
        let text =
            format!("The file ends in the middle of a record: everything after byte {read} is missing.");
        check(&[event], 0, None);
        check(&[event, &two], 0, Some(&format!("1 is not complete. {text}")));
        check(&[&two, event], 1, None);
        let both = format!("0 is not complete. {text} The same is so of 1 more file: see the import report.");
        check(&[&two, &two], 0, Some(&both));
        let strange = format!("1 of 2 files is no trace. 1. 0 is not complete. {text}");
        check(&[&two, "Dear"], 0, Some(&strange));
    }

    #[wasm_bindgen_test]
    fn several_files_are_called_after_their_folder() {
        let check = |names: &[&str], expected: &str| {
            let mut session = Session::default();
            for name in names {
                session.open(name);
                session.close(None);
            }
            assert_eq!(title(&session.report(), names.len() as u32), expected, "{names:?}");
        };
        check(&[], "");
        check(&["run/a.json"], "run/a.json");
        check(&["a.json", "b.json", "c.json"], "a.json + 2");
        check(&["run/a.json", "run/b.json"], "run (2 files)");
        check(&["run/x/a.json", "run/y/b.json", "run/c.json"], "run (3 files)");
        check(&["runs/2/a.json", "runs/2/b.json"], "runs/2 (2 files)");
        check(&["run/a.json", "running/b.json"], "run/a.json + 1");
    }

    #[wasm_bindgen_test]
    fn shares_and_sentences() {
        assert_eq!(share(15_000_000, Some(229_000_000)), "15 MB of 229 MB");
        assert_eq!(share(15_000_000, None), "15 MB");
        assert_eq!(share(15_000_000, Some(3_000_000)), "15 MB");
        assert_eq!(sentence("it is gone"), "It is gone.");
        assert_eq!(capitalised("reading was cancelled"), "Reading was cancelled");
    }
}
