//! Session files and single HTML files: what the command line writes is opened again, by the engine and by other programs.

use crate::support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use queryscope::export::SessionFile;
use queryscope::import::SavedSession;
use queryscope::internal::testing::{dump, dump_rest};
use queryscope::session::Session;

/// A folder of its own for the files of a test, which is emptied first.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_queryscope")).args(arguments).output().expect("cargo built the binary")
}

/// Runs a command that must succeed, and returns what it says on standard error.
fn succeed(arguments: &[&str]) -> String {
    let output = run(arguments);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {said}");
    said
}

fn trace(name: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces").join(name).to_string_lossy().into_owned()
}

fn opened(name: &str, bytes: &[u8]) -> Session {
    support::open([(name, bytes)])
}

fn lines(session: &Session) -> Vec<String> {
    let mut lines = dump(session.trace());
    lines.extend(dump_rest(session.trace()));
    lines
}

const STATE: &str = "tab=flame&t0=5&notes=\u{e4}%20\"b\"";

#[test]
fn a_session_holds_the_original_files_and_the_state() {
    let folder = folder("session");
    let out = folder.join("run.queryscope").to_string_lossy().into_owned();
    let files = [trace("folded/stacks.folded"), trace("queryscope/written-by-hand.ndjson")];
    let files: Vec<&str> = files.iter().map(String::as_str).collect();
    let arguments = [&["session"], &files[..], &["-o", &out, "--state", STATE, "--notes", "look"]].concat();
    assert_eq!(succeed(&arguments), "");
    let bytes = fs::read(&out).expect("a session file");
    let session = opened("run.queryscope", &bytes);
    let saved = SavedSession { state: STATE.to_owned(), notes: "look".to_owned(), removed: Vec::new() };
    assert_eq!(session.saved(), &saved);
    let report = session.report();
    assert_eq!(report[1].name, "run.queryscope/session.json");
    assert_eq!(report.len(), files.len() + 2);
    for (file, path) in report[2..].iter().zip(&files) {
        assert!(path.ends_with(&file.name), "{} is {path}", file.name);
    }
    assert!(report.iter().all(|file| file.problems.is_empty() && file.missing.is_none()), "{report:?}");
    check_with_others(&out, files.len() + 1);
}

/// Other programs unpack the archive, where they are installed.
fn check_with_others(path: &str, entries: usize) {
    let script = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; print(len(z.namelist()), z.namelist()[0])";
    for command in [&["python3", "-c", script, path][..], &["unzip", "-tq", path]] {
        match Command::new(command[0]).args(&command[1..]).output() {
            Err(_) => eprintln!("skipped: {} is not installed", command[0]),
            Ok(output) => {
                let said = String::from_utf8_lossy(&output.stdout).into_owned();
                assert!(
                    output.status.success(),
                    "{command:?}: {said}{}",
                    String::from_utf8_lossy(&output.stderr)
                );
                if command[0] == "python3" {
                    assert_eq!(said.trim(), format!("{entries} session.json"));
                }
            }
        }
    }
}

#[test]
fn a_part_is_saved_in_the_own_format_and_says_what_is_missing() {
    let folder = folder("part");
    let out = folder.join("part.queryscope").to_string_lossy().into_owned();
    let file = trace("queryscope/written-by-hand.ndjson");
    let state = "trace=a.json&view=flame&find=secret&pivot.path=secret";
    let cut = ["--strip-literals", "--from", "0ns", "--to", "100ns", "--state", state];
    let said = succeed(&[&["session", &file, "-o", &out][..], &cut].concat());
    assert!(said.contains("removed: "), "{said}");
    let session = opened("part.queryscope", &fs::read(&out).expect("a session file"));
    let report = session.report();
    assert_eq!(report[2].name, "written-by-hand.queryscope.ndjson");
    assert!(report[2].problems.iter().any(|problem| problem.name == "removed before saving"), "{report:?}");
    assert!(!session.saved().removed.is_empty());
    // A search may hold what was removed from the trace.
    assert_eq!(session.saved().state, "view=flame");
    // The same as a cut of the opened trace.
    let mut cut = opened("written-by-hand.ndjson", &fs::read(&file).expect("a trace"));
    cut.cut_to((0, 100));
    assert_eq!(dump(session.trace()), dump(cut.trace()));
}

#[test]
fn exports_of_a_run_or_a_query_hold_nothing_else() {
    let text = "{\"queryscope\":\"trace\",\"version\":1}\n{\"run\":\"a\\u001b\"}\n{\"track\":\"t\"}\n{\"span\":\"q one\",\"kind\":\"query\",\"start\":0,\"duration\":9,\
                \"texts\":{\"SQL\":\"select one\",\"query id\":\"q1\"}}\n{\"span\":\"inner\",\"start\":1,\"duration\":2,\"parent\":0}\n\
                {\"span\":\"q two\",\"kind\":\"query\",\"start\":20,\"duration\":9,\"texts\":{\"SQL\":\"select two\",\"query id\":\"q2\"}}\n\
                {\"run\":\"b\"}\n{\"track\":\"u\"}\n{\"span\":\"other\",\"start\":0,\"duration\":3}\n";
    let path = folder("parts").join("two.ndjson");
    fs::write(&path, text).expect("a file");
    let path = path.to_string_lossy().into_owned();
    let names = |arguments: &[&str]| -> Vec<String> {
        let output = run(&[&["export", &path], arguments].concat());
        assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
        let session = opened("part.ndjson", &output.stdout);
        let trace = session.trace();
        queryscope::internal::testing::items(trace)
            .map(|item| trace.str(trace.name(item)).to_owned())
            .collect()
    };
    assert_eq!(names(&[]), ["q one", "inner", "q two", "other"]);
    assert_eq!(names(&["--run", "b"]), ["other"]);
    assert_eq!(names(&["--query", "q1"]), ["q one", "inner"]);
    assert_eq!(names(&["--query", "select two"]), ["q two"]);
    for (arguments, reason) in [
        (["--run", "c"], "no run “c” (runs: a␛, b)"),
        (["--query", "three"], "no query “three”"),
        (["--query", "select"], "2 queries contain “select”; give the ID of one"),
    ] {
        let output = run(&[&["export", &path], &arguments[..]].concat());
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && said.contains(reason), "{said}");
    }
}

#[test]
fn one_html_file_holds_viewer_and_session() {
    let folder = folder("html");
    let [viewer, out] =
        ["viewer.html", "report.html"].map(|name| folder.join(name).to_string_lossy().into_owned());
    let element = "<script id=\"queryscope-session\" type=\"application/octet-stream\">";
    fs::write(&viewer, format!("<title>x</title>{element}</script><p>")).expect("a file");
    let file = trace("queryscope/written-by-hand.ndjson");
    succeed(&["html", &file, "-o", &out, "--viewer", &viewer, "--state", STATE]);
    let page = fs::read_to_string(&out).expect("a page");
    assert!(page.starts_with("<title>written-by-hand.ndjson – queryscope</title>"), "{}", &page[..99]);
    let inside =
        page.split(element).nth(1).and_then(|rest| rest.strip_suffix("</script><p>")).expect("the element");
    let script = "import sys, base64; sys.stdout.buffer.write(base64.b64decode(open(sys.argv[1]).read(), validate=True))";
    fs::write(folder.join("inside"), inside).expect("a file");
    if let Ok(decoded) = Command::new("python3").args(["-c", script]).arg(folder.join("inside")).output() {
        let session = opened("inside.queryscope", &decoded.stdout);
        assert_eq!(session.saved().state, STATE);
        assert_eq!(lines(&session), lines(&opened("x", &fs::read(&file).expect("a trace"))));
    }
    let failed = run(&["html", &file, "-o", &out, "--viewer", &file]);
    let said = String::from_utf8_lossy(&failed.stderr).into_owned();
    assert!(failed.status.code() == Some(1) && said.contains("it has no element for a session"), "{said}");
}

/// A session file of these entries, written as it should be or not.
fn session_file(state: &[u8], traces: &[(&str, &[u8])]) -> Session {
    let mut files = vec![("session.json", state)];
    files.extend(traces);
    opened("lies.queryscope", &support::archives::zip(&files, true))
}

#[test]
fn files_that_lie_are_problems() {
    let good = br#"{"queryscope":"session","version":1,"state":"tab=flame"}"#;
    let trace: &[u8] = b"a;b 1\na;c 2\n";
    let found = |session: &Session| -> Vec<String> {
        session.report().into_iter().flat_map(|file| file.problems).map(|problem| problem.name).collect()
    };
    let whole = session_file(good, &[("traces/a.folded", trace)]);
    assert_eq!((whole.saved().state.as_str(), found(&whole)), ("tab=flame", Vec::new()));
    for (state, problem) in [
        (&br#"{"queryscope":"session","version":1,"state":7}"#[..], "unreadable session"),
        (br#"{"queryscope":"session","version":"x"}"#, "unreadable session"),
        (br#"{"queryscope":"session","version":1,"state":"#, "unreadable session"),
        (br#"{"queryscope":"session","version":9,"state":"tab=x"}"#, "newer version"),
    ] {
        let session = session_file(state, &[("traces/a.folded", trace)]);
        assert_eq!(found(&session), [problem], "{}", String::from_utf8_lossy(state));
        assert_eq!(session.trace().spans.len(), 3, "the traces are shown");
    }
    let empty = session_file(good, &[]);
    assert_eq!(empty.report()[0].missing.as_deref(), Some("The session file holds no trace."));
    let path =
        session_file(good, &[("traces/../../etc/passwd", trace), ("other/b.folded", b"a;d 1\na;e 1\n")]);
    let names: Vec<String> = path.report().into_iter().map(|file| file.name).collect();
    assert_eq!(
        names,
        [
            "lies.queryscope",
            "lies.queryscope/session.json",
            "../../etc/passwd",
            "lies.queryscope/other/b.folded"
        ]
    );
    // Something else with this name is not a state.
    let other = session_file(b"{\"a\":1}", &[("traces/a.folded", trace)]);
    assert_eq!((other.saved(), other.trace().spans.len()), (&SavedSession::default(), 3));
}

#[test]
fn names_in_a_session_are_free_and_inside() {
    let mut file = SessionFile::new(Vec::new(), &SavedSession::default()).expect("memory");
    for name in ["/a.folded", "a.folded", "../a.folded"] {
        file.trace(name, b"", |out| out.write_all(b"a;b 1\na;c 1\n")).expect("memory");
    }
    let bytes = file.finish().expect("memory");
    let names: Vec<String> =
        opened("s.queryscope", &bytes).report().into_iter().map(|file| file.name).skip(2).collect();
    assert_eq!(names, ["a.folded", "2/a.folded", "3/a.folded"]);
}
