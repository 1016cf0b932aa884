//! Checks the engine's texts: no string of `src` that users may read contains a word that has a plainer alternative.

use crate::engine_without_tests;
use crate::plain_words::{banned_in, literals};

/// Returns the help texts of the command line, which are its doc comments.
fn help(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.trim_start().strip_prefix("///")).map(str::to_owned).collect()
}

#[test]
fn texts_use_plain_words() {
    let mut wrong = Vec::new();
    for (file, text) in engine_without_tests() {
        let found = literals(&text).into_iter();
        let mut texts: Vec<String> = found.map(|literal| literal.text).collect();
        if file.starts_with("src/bin/") {
            texts.extend(help(&text));
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
    assert_eq!(help("    /// Told.\n// no\n"), [" Told."]);
}
