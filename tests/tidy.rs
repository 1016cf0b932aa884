//! The house rules that a program can check. Each failure names the file and the rule.

#[path = "tidy/comments.rs"]
mod comments;
#[path = "tidy/documents.rs"]
mod documents;
#[path = "tidy/engine_words.rs"]
mod engine_words;
#[path = "tidy/names.rs"]
mod names;
#[path = "tidy/plain_words.rs"]
mod plain_words;
#[path = "tidy/rooms.rs"]
mod rooms;
#[path = "tidy/words.rs"]
mod words;

use std::fs;
use std::path::{Path, PathBuf};

use queryscope::import::ABOUT;

/// Lines of code that a file may have, and lines that a function may have. Most are far below.
const MAX_FILE: usize = 420;
const MAX_FUNCTION: usize = 80;

/// What the page may use of the engine, outside its worker.
const PAGE: &[&str] = &[
    "internal::chart",
    "internal::csv",
    "internal::filter_text",
    "internal::markdown",
    "internal::text",
    "internal::view",
    "internal::word_hash",
    "protocol",
];

/// What the page may also name: the formats and scripts that the landing page lists, the kinds that colours tell apart,
/// and the file by which a data set is recognised.
const VOCABULARY: &[&str] = &[
    "queryscope::import::ABOUT",
    "queryscope::import::About",
    "queryscope::import::recipes",
    "queryscope::import::{ABOUT, About}",
    "queryscope::internal::rows::MANIFEST",
    "queryscope::trace::Kind",
];

/// What only `web/src/host` may use: names of `web_sys`, and calls that lead to the page around a viewer.
const PAGE_AROUND: &[&str] =
    &["window", "Window", "Document", "Location", "History", "Storage", "CssStyleSheet", "MediaQueryList"];
const WAYS_TO_IT: &[&str] =
    &[".document()", ".owner_document()", ".default_view()", "gloo", "js_sys::global"];

/// What a viewer's style sheet does not hold: rules for the page around it, and places and sizes of the window.
const OF_THE_WINDOW: &[&str] =
    &["position: fixed", "@media (max-", "@media (min-", ":root", "\nhtml", "\nbody"];

/// What no text in the repository holds: marks of unfinished work, paths of one machine.
const FORBIDDEN: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("/wo", "rk/"),
    concat!("/tm", "p/"),
    concat!("/ro", "ot/"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Every file of the repository below a folder, but for what is built or fetched.
fn files(folder: &Path) -> Vec<PathBuf> {
    let built = ["target", "dist", ".git", "node_modules", "corpus", "artifacts", "coverage"];
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        if built.iter().any(|b| name == *b) {
            continue;
        }
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

/// Rust files below a folder, with the path from the root and the text.
fn sources(folder: &str) -> Vec<(String, String)> {
    let below = |path: &PathBuf| path.strip_prefix(root()).is_ok_and(|p| p.starts_with(folder));
    let rust = files(root()).into_iter().filter(|p| below(p) && p.extension().is_some_and(|e| e == "rs"));
    rust.map(|path| {
        let name = path.strip_prefix(root()).unwrap_or(&path).to_string_lossy().replace('\\', "/");
        let text = fs::read_to_string(&path).unwrap_or_default();
        (name, text)
    })
    .collect()
}

/// Returns the possible paths of the test modules that a file declares.
fn test_modules(file: &str, text: &str) -> Vec<String> {
    let folder = match file.rsplit_once('/') {
        Some((folder, "mod.rs" | "lib.rs")) => folder,
        _ => file.trim_end_matches(".rs"),
    };
    let declared = text.split("#[cfg(test)]\n").skip(1).filter_map(|rest| {
        let line = rest.lines().next()?.trim();
        let name = line.rsplit_once("mod ")?.1.strip_suffix(';')?;
        Some([format!("{folder}/{name}.rs"), format!("{folder}/{name}/")])
    });
    declared.flatten().collect()
}

/// Files of the engine with their texts, without files and modules of tests.
fn engine_without_tests() -> Vec<(String, String)> {
    let mut files = sources("src");
    let tests: Vec<String> = files.iter().flat_map(|(file, text)| test_modules(file, text)).collect();
    files.retain(|(file, _)| !tests.iter().any(|test| file.starts_with(test.as_str())));
    files.iter_mut().for_each(|(_, text)| *text = plain_words::without_tests(text));
    files
}

/// The text without comments and without modules of tests.
fn code(text: &str) -> String {
    let text = plain_words::without_tests(text);
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// The names that follow `prefix` in a text: of `prefix::{a::B, c}` both `a` and `c`.
fn names_after(text: &str, prefix: &str) -> Vec<String> {
    let word =
        |s: &str| s.trim_start().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let starts = text
        .match_indices(prefix)
        .filter(|(at, _)| !text[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_'));
    let mut names = Vec::new();
    for (at, _) in starts {
        let rest = &text[at + prefix.len()..];
        match rest.strip_prefix('{') {
            None => names.push(word(rest)),
            Some(group) => names.extend(top_level(group).map(word)),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// The items of a brace group that begins here, split at the commas of its own level.
fn top_level(group: &str) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    let mut end = group.len();
    let mut cuts = vec![0];
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                end = at;
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => cuts.push(at + 1),
            _ => {}
        }
    }
    cuts.push(end + 1);
    let pairs: Vec<&str> = cuts.windows(2).map(|w| &group[w[0]..(w[1] - 1).max(w[0])]).collect();
    pairs.into_iter()
}

/// Statements that put three or more values into as many names by a tuple: a line each reads better.
fn packed_statements(text: &str) -> Vec<&str> {
    let is_packed = |line: &&str| {
        let Some((names, values)) =
            line.trim().strip_prefix("let (").and_then(|rest| rest.split_once(") = ("))
        else {
            return false;
        };
        let is_name =
            |name: &str| name.trim_start_matches("mut ").chars().all(|c| c.is_alphanumeric() || c == '_');
        values.ends_with(");") && names.split(", ").count() > 2 && names.split(", ").all(is_name)
    };
    text.lines().filter(is_packed).collect()
}

#[test]
fn statements_are_not_packed() {
    let mut wrong = Vec::new();
    for folder in ["src", "web/src", "xtask/src", "tests"] {
        for (file, text) in sources(folder) {
            wrong.extend(packed_statements(&text).into_iter().map(|line| format!("{file}: {}", line.trim())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    let text = "let (a, b) = (1, 2);\n    let (a, mut b, c) = (1, 2, 3);\nlet (a, b, c) = f();";
    assert_eq!(packed_statements(text), ["    let (a, mut b, c) = (1, 2, 3);"]);
}

#[test]
fn the_page_opens_no_trace() {
    let mut wrong = Vec::new();
    for (file, text) in sources("web/src") {
        if file.starts_with("web/src/worker") {
            continue;
        }
        let text = VOCABULARY.iter().fold(code(&text), |text, name| text.replace(name, ""));
        let mut names = names_after(&text, "queryscope::");
        names.retain(|name| name != "internal");
        let internal = names_after(&text, "queryscope::internal::");
        names.extend(internal.iter().map(|name| format!("internal::{name}")));
        names.retain(|name| !PAGE.contains(&name.as_str()));
        wrong.extend(names.iter().map(|name| format!("{file} uses {name}")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What of the page around a viewer a text uses.
fn reaches_out(text: &str) -> Vec<String> {
    let text = code(text);
    let mut found = names_after(&text, "web_sys::");
    found.retain(|name| PAGE_AROUND.contains(&name.as_str()));
    found.extend(WAYS_TO_IT.iter().filter(|way| text.contains(**way)).map(|way| (*way).to_owned()));
    found
}

#[test]
fn only_the_host_knows_the_page_around_a_viewer() {
    let mut wrong = Vec::new();
    for (file, text) in sources("web/src") {
        // A worker has a scope of its own, and no page.
        let is_engine = file.starts_with("web/src/worker/") || file == "web/src/lib.rs";
        if !is_engine && !file.starts_with("web/src/host/") {
            wrong.extend(reaches_out(&text).into_iter().map(|name| format!("{file} uses {name}")));
        }
        // A viewer that takes the whole document over could be no part of another page.
        let is_shell = file.starts_with("web/src/shells/") || file.starts_with("web/src/host/");
        let names = names_after(&code(&text), "host::");
        if !is_shell && names.iter().any(|name| name == "document") {
            wrong.push(format!("{file} uses host::document, which is for shells"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_engine_knows_no_browser() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest is there");
    let dependencies =
        manifest.split("[dependencies]").nth(1).and_then(|t| t.split("\n[").next()).expect("dependencies");
    for browser in ["yew", "web-sys", "js-sys", "wasm-bindgen", "gloo"] {
        assert!(!dependencies.lines().any(|l| l.starts_with(browser)), "the engine depends on {browser}");
    }
}

#[test]
fn dependencies_have_reasons() {
    for manifest in ["Cargo.toml", "xtask/Cargo.toml", "tests/e2e/Cargo.toml"] {
        let text = fs::read_to_string(root().join(manifest)).expect("the manifest is there");
        let mut in_dependencies = false;
        for line in text.lines() {
            if line.starts_with('[') {
                in_dependencies = line.ends_with("dependencies]");
            } else if in_dependencies && line.contains('=') {
                assert!(line.contains(" # "), "{manifest}: no reason for {line}");
            }
        }
    }
}

#[test]
fn files_are_short_and_say_what_they_are() {
    let mut wrong = Vec::new();
    for (file, text) in ["src", "web/src", "xtask/src", "tests"].iter().flat_map(|folder| sources(folder)) {
        let lines = code(&text).lines().filter(|line| !line.trim().is_empty()).count();
        if lines > MAX_FILE {
            wrong.push(format!("{file} has {lines} lines of code"));
        }
        // A file of tests belongs to the file that names it.
        if !file.ends_with("/tests.rs") && !text.starts_with("//!") && !text.starts_with("#![") {
            wrong.push(format!("{file} does not begin with what it is"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Functions of a formatted file, with their lengths: a function ends at the first brace as deep as its head.
fn functions(text: &str) -> Vec<(String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let head = line.trim_start();
        let bare = ["pub ", "pub(crate) ", "pub(super) ", "const ", "async ", "unsafe "];
        let word = bare.iter().fold(head, |head, word| head.strip_prefix(word).unwrap_or(head));
        let Some(name) = word.strip_prefix("fn ") else { continue };
        let close = format!("{}}}", &line[..line.len() - head.len()]);
        let length =
            if line.ends_with(['}', ';']) { Some(0) } else { lines[at..].iter().position(|l| *l == close) };
        let name = name.split(['(', '<']).next().unwrap_or_default();
        found.push((name.to_owned(), length.map_or(1, |n| n + 1)));
    }
    found
}

#[test]
fn functions_are_short() {
    let mut wrong = Vec::new();
    for (file, text) in ["src", "web/src", "xtask/src", "tests"].iter().flat_map(|folder| sources(folder)) {
        let long = functions(&text).into_iter().filter(|(_, lines)| *lines > MAX_FUNCTION);
        wrong.extend(long.map(|(name, lines)| format!("{file}: {name} has {lines} lines")));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// A file of tests that `main.rs` does not name would never run.
#[test]
fn every_file_of_tests_is_a_module() {
    for folder in ["tests", "sql/tests", "sql/page/tests"] {
        let main = fs::read_to_string(root().join(folder).join("main.rs")).expect("the file is committed");
        let found = sources(folder).into_iter().filter_map(|(name, _)| {
            let module = name.strip_prefix(folder)?.strip_prefix('/')?.strip_suffix(".rs")?;
            let module = module.strip_suffix("/mod").unwrap_or(module);
            (!module.contains('/') && !["main", "tidy"].contains(&module)).then(|| format!("mod {module};"))
        });
        let missing: Vec<String> = found.filter(|module| !main.contains(module.as_str())).collect();
        assert_eq!(missing, Vec::<String>::new(), "in {folder}/main.rs");
    }
}

#[test]
fn nothing_unfinished_and_nothing_of_one_machine() {
    let mut wrong = Vec::new();
    for path in files(root()) {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let found = FORBIDDEN.iter().filter(|word| text.contains(**word));
        wrong.extend(found.map(|word| format!("{} holds {word}", path.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_readme_lists_the_formats() {
    let rows = ABOUT.iter().map(|f| format!("| {} | {} |\n", f.name, f.how_to_record));
    let table = format!("| format | how to record one |\n|---|---|\n{}", rows.collect::<String>());
    let path = root().join("README.md");
    let readme = fs::read_to_string(&path).expect("the README is there");
    let (begin, end) =
        ("<!-- formats: written by `BLESS=1 cargo test --test tidy` -->\n", "<!-- /formats -->");
    let (before, rest) = readme.split_once(begin).expect("the README has a place for the formats");
    let (old, after) = rest.split_once(end).expect("and an end of it");
    if std::env::var_os("BLESS").is_some() {
        fs::write(&path, format!("{before}{begin}{table}{end}{after}")).expect("the README can be written");
    } else {
        assert_eq!(old, table, "run `BLESS=1 cargo test --test tidy`");
    }
}

#[test]
fn the_checks_can_fail() {
    assert_eq!(
        names_after("use crate::{a::B, c::{d, e}, f}; crate::g::h()", "crate::"),
        ["a", "c", "f", "g"]
    );
    assert_eq!(names_after("use queryscope::x; my_queryscope::y", "queryscope::"), ["x"]);
    assert_eq!(
        reaches_out("use web_sys::{Element, Window}; fn f() { web_sys::window() }"),
        ["Window", "window"]
    );
    assert!(reaches_out("use web_sys::Element; let window = row.window(); // web_sys::window").is_empty());
    assert_eq!(reaches_out("element.owner_document()"), [".owner_document()"]);
    let text = "a\n#[cfg(test)]\nmod laws;\nb\n#[cfg(test)]\nmod tests {\n    c\n}\nd";
    assert_eq!(test_modules("src/pivot/mod.rs", text), ["src/pivot/laws.rs", "src/pivot/laws/"]);
    assert_eq!(
        test_modules("src/csv.rs", "#[cfg(test)]\nmod tests;"),
        ["src/csv/tests.rs", "src/csv/tests/"]
    );
    assert_eq!(code("a // b\nc\n#[cfg(test)]\nmod tests { d }"), "a \nc");
    let text =
        "pub fn a() -> u8 {\n    1\n}\n    fn b() {\n        if x {\n        }\n    }\nfn c() {}\nfn d();\n";
    let lengths: Vec<(String, usize)> = functions(text);
    assert_eq!(lengths, [("a".into(), 3), ("b".into(), 4), ("c".into(), 1), ("d".into(), 1)]);
}

#[test]
fn a_viewer_is_measured_by_its_element() {
    let mut wrong = Vec::new();
    let sheets = files(&root().join("web/assets"));
    let sheets = sheets.iter().filter(|path| path.extension().is_some_and(|ending| ending == "css"));
    for path in sheets.filter(|path| !path.ends_with("site.css")) {
        let text = fs::read_to_string(path).unwrap_or_default();
        let found = OF_THE_WINDOW.iter().filter(|rule| text.contains(**rule));
        wrong.extend(found.map(|rule| format!("{}: {rule}", path.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// What only the first style sheet may say in numbers: sizes of type, weights, radii, layers and spaces.
const ON_A_SCALE: [&str; 7] =
    ["font-size", "font-weight", "border-radius", "z-index", "padding", "margin", "gap"];

/// The declarations of a style sheet that name a step of a scale in numbers of their own. Hairlines (1px) and nothing (0) are
/// on no scale; 400 is the usual weight; a half is a circle.
fn off_the_scale(sheet: &str) -> Vec<String> {
    let declarations = sheet.split(['{', '}', ';']).filter_map(|part| part.split_once(':'));
    let is_on_scale = |name: &str| {
        let name = name.trim();
        ON_A_SCALE
            .iter()
            .any(|known| name == *known || name.starts_with(&format!("{known}-")) || name == "row-gap")
    };
    let own_number = |name: &str, value: &str| {
        let numbers = value.split(|c: char| !(c.is_alphanumeric() || ".-%".contains(c)));
        let mut numbers = numbers.filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
        numbers.any(|number| match number.strip_suffix("px") {
            Some(pixels) => !["0", "1", "1.5"].contains(&pixels),
            None if name == "z-index" => true,
            None => number.len() > 1 && !number.contains(|c: char| "%ecr.".contains(c)) && number != "400",
        })
    };
    declarations
        .filter(|(name, value)| is_on_scale(name) && own_number(name.trim(), value))
        .map(|(name, value)| format!("{}:{value}", name.trim()))
        .collect()
}

#[test]
fn sizes_and_spaces_are_on_a_scale() {
    assert_eq!(
        off_the_scale(
            "a { padding: 0 7px; margin: 1px -1px; font-weight: 600; gap: var(--s2); border-radius: 50% }"
        ),
        ["padding: 0 7px", "font-weight: 600"]
    );
    let mut wrong = Vec::new();
    for path in files(&root().join("web/assets")) {
        if path.extension().is_some_and(|ending| ending == "css") && !path.ends_with("site.css") {
            let found = off_the_scale(&fs::read_to_string(&path).unwrap_or_default());
            wrong.extend(found.into_iter().map(|rule| format!("{}: {rule}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
