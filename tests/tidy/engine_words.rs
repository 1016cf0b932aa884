//! Checks the engine's texts: no string of `src` that users may read contains a word that has a plainer alternative.

use crate::plain_words::{banned_in, literals, without_tests};
use crate::sources;

/// Returns the possible paths of the test modules that a file declares.
pub(crate) fn test_modules(file: &str, text: &str) -> Vec<String> {
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

/// Returns the help texts of the command line, which are its doc comments.
fn help(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.trim_start().strip_prefix("///")).map(str::to_owned).collect()
}

#[test]
fn texts_use_plain_words() {
    let files = sources("src");
    let tests: Vec<String> = files.iter().flat_map(|(file, text)| test_modules(file, text)).collect();
    let mut wrong = Vec::new();
    for (file, text) in &files {
        if tests.iter().any(|test| file.starts_with(test.as_str())) {
            continue;
        }
        let found = literals(&without_tests(text)).into_iter();
        let mut texts: Vec<String> = found.map(|literal| literal.text).collect();
        if file.starts_with("src/bin/") {
            texts.extend(help(text));
        }
        for text in texts {
            for (word, instead) in banned_in(&text) {
                wrong.push(format!("{file}: “{word}” ({instead}) in: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn these_checks_can_fail() {
    let text = "a\n#[cfg(test)]\nmod laws;\nb\n#[cfg(test)]\nmod tests {\n    c\n}\nd";
    assert_eq!(test_modules("src/pivot/mod.rs", text), ["src/pivot/laws.rs", "src/pivot/laws/"]);
    assert_eq!(
        test_modules("src/csv.rs", "#[cfg(test)]\nmod tests;"),
        ["src/csv/tests.rs", "src/csv/tests/"]
    );
    assert_eq!(help("    /// Told.\n// no\n"), [" Told."]);
}
