//! Checks that each doc comment can be understood without its neighbours.

use crate::sources;

/// Beginnings of comments that refer to another comment.
const POINTING: [&str; 5] = ["likewise", "the same.", "the same,", "both of them", "so is "];

/// Returns the doc comments of a text, each with the number of its first line.
fn doc_comments(text: &str) -> Vec<(usize, String)> {
    let mut found: Vec<(usize, String)> = Vec::new();
    let mut is_open = false;
    for (at, line) in text.lines().enumerate() {
        let comment = line.trim_start().strip_prefix("///").map(str::trim);
        match comment {
            Some(more) if is_open => {
                if let Some((_, comment)) = found.last_mut() {
                    comment.push(' ');
                    comment.push_str(more);
                }
            }
            Some(first) => found.push((at + 1, first.to_owned())),
            None => {}
        }
        is_open = comment.is_some();
    }
    found
}

/// Describes how a doc comment depends on another comment. `None` if it stands alone.
fn leans_on_another(comment: &str) -> Option<&'static str> {
    let is_word = |word: &str| word.chars().all(|c| c.is_ascii_lowercase());
    let first = comment.split_whitespace().next().unwrap_or_default();
    let lower = comment.to_lowercase();
    if ["and", "where", "of", "so", "nor", "but", "which", "with"].contains(&first) && is_word(first) {
        return Some("begins in the middle of a sentence");
    }
    if comment.ends_with(',') {
        return Some("ends in the middle of a sentence");
    }
    let points = POINTING.iter().any(|word| lower.starts_with(word)) || lower.ends_with("likewise.");
    points.then_some("points at another comment")
}

#[test]
fn doc_comments_stand_alone() {
    let mut wrong = Vec::new();
    for (file, text) in ["src", "web/src"].iter().flat_map(|folder| sources(folder)) {
        for (line, comment) in doc_comments(&text) {
            let found = leans_on_another(&comment);
            wrong.extend(found.map(|what| format!("{file}:{line} {what}: {comment}")));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn these_checks_can_fail() {
    let text = "/// The begin,\nfn a() {}\n/// and the end\n/// of it.\nfn b() {}\n/// Likewise.\nfn c() {}\n/// A length.\nfn d() {}";
    let found: Vec<_> =
        doc_comments(text).iter().map(|(at, comment)| (*at, leans_on_another(comment).is_some())).collect();
    assert_eq!(found, [(1, true), (3, true), (6, true), (8, false)]);
}
