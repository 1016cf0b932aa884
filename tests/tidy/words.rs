//! Checks the page's texts: all texts for users are in `web/src/words`, and neither texts nor documents contain banned
//! words.

use std::fs;

use super::plain_words::{Literal, banned_in, literals, without_tests};
use super::{files, root, sources};

/// Attributes whose text users see or hear.
const SPOKEN: &[&str] = &["aria-label=", "placeholder=", "title=", "label="];

/// Macros whose literals are messages for developers.
const FOR_DEVELOPERS: &[&str] =
    &["expect(", "panic!(", "unreachable!(", "assert!(", "expect(clippy", "reason =", "console::error_2(&"];

/// Literals outside of `web/src/words` that may contain text for users, each with a reason.
const ALLOWED: &[(&str, &str)] = &[];

/// Removes the format placeholders from a text.
fn without_places(text: &str) -> String {
    let parts = text.split('{').map(|part| part.split_once('}').map_or(part, |(_, rest)| rest));
    parts.collect()
}

/// Whether a literal is the content of an element or of a displayed attribute.
fn is_in_markup(literal: &Literal) -> bool {
    let formatted = literal.before.strip_suffix("format!(");
    let before = formatted.unwrap_or(&literal.before).trim_end();
    let Some(outside) = before.strip_suffix('{').map(str::trim_end) else {
        return SPOKEN.iter().any(|name| is_attribute(before, name));
    };
    if SPOKEN.iter().any(|name| is_attribute(outside, name)) {
        return true;
    }
    let is_node = outside.ends_with(['>', '{', '}']) && !outside.ends_with("=>") && !outside.ends_with("->");
    is_node && (formatted.is_some() || literal.next == Some('}'))
}

/// Whether code ends with this attribute: `label=`, but not `data-label=`.
fn is_attribute(code: &str, name: &str) -> bool {
    code.strip_suffix(name).is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '-'))
}

/// Whether a text looks like a sentence: a capital first letter and a second word.
fn is_sentence(text: &str) -> bool {
    let mut words = text.split(' ');
    let first = words.next().unwrap_or_default();
    let is_word = |word: &str| word.chars().any(char::is_alphabetic);
    let is_capitalised = first.starts_with(|c: char| c.is_ascii_uppercase())
        && first.len() > 1
        && first.chars().skip(1).all(|c| c.is_lowercase() || c == ':');
    is_capitalised && words.next().is_some_and(is_word)
}

/// Returns the texts for users in a source file of the page.
fn words_in(program: &str) -> Vec<String> {
    let is_allowed = |text: &str| ALLOWED.iter().any(|(allowed, _)| *allowed == text);
    let is_for_developers = |before: &str| FOR_DEVELOPERS.iter().any(|call| before.ends_with(call));
    let speaks = |literal: &Literal| {
        let has_letters = without_places(&literal.text).chars().any(char::is_alphabetic);
        let is_spoken = is_in_markup(literal) || is_sentence(&literal.text);
        has_letters && is_spoken && !is_for_developers(&literal.before) && !is_allowed(&literal.text)
    };
    let found = literals(&without_tests(program)).into_iter().filter(speaks);
    found.map(|literal| format!("{}: {:?}", literal.line, literal.text)).collect()
}

/// Whether a source file of the page must not contain texts: every file except `web/src/words` and test files.
fn is_of_components(file: &str) -> bool {
    !file.starts_with("web/src/words/") && file != "web/src/words.rs" && !file.ends_with("/tests.rs")
}

#[test]
fn components_hold_no_words() {
    let components = sources("web/src").into_iter().filter(|(file, _)| is_of_components(file));
    let found = components.flat_map(|(file, text)| {
        words_in(&text).into_iter().map(move |word| format!("{file}:{word} belongs into web/src/words"))
    });
    let found: Vec<String> = found.collect();
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_page_uses_no_banned_words() {
    let mut wrong = Vec::new();
    for (file, text) in sources("web/src/words") {
        for literal in literals(&without_tests(&text)) {
            let found = banned_in(&literal.text);
            wrong.extend(found.into_iter().map(|(word, _)| format!("{file}:{}: {word}", literal.line)));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn documents_use_no_banned_words() {
    let mut documents = files(&root().join("docs"));
    documents.retain(|path| path.extension().is_some_and(|ending| ending == "md"));
    documents.extend(["README.md", "CHANGELOG.md"].map(|name| root().join(name)));
    let mut wrong = Vec::new();
    for path in documents {
        let text = fs::read_to_string(&path).unwrap_or_default();
        wrong.extend(banned_in(&text).into_iter().map(|(word, _)| format!("{}: {word}", path.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_checks_of_words_can_fail() {
    for (program, expected) in [
        (r#"html! { <b>{ "Close" }</b> }"#, &["Close"][..]),
        (r#"html! { <b>{ words::common::CLOSE }</b> }"#, &[]),
        (r#"html! { <b>{ name }{ " and more" }</b> }"#, &[" and more"]),
        (r#"html! { <b>{ "‹ · 1" }</b> }"#, &[]),
        (r#"html! { <b>{ format!("{n} rows") }</b> }"#, &["{n} rows"]),
        (r#"html! { <b>{ format!("{n} · {m}") }</b> }"#, &[]),
        (r#"html! { if x > 0 { { "none" } } }"#, &["none"]),
        (r#"html! { <b class="link" title="Close" data-label="a" /> }"#, &["Close"]),
        (r#"html! { <b aria-label={"close"} title={format!("close {n}")} /> }"#, &["close", "close {n}"]),
        (r#"let class = if x { "wide" } else { "narrow" }; match y { A => { "b" } }"#, &[]),
        (
            r#"let text = "No run is chosen."; let id = "No-run"; x.expect("It is there")"#,
            &["No run is chosen."],
        ),
        ("// \"No run\"\nlet quote = '\"'; f::<'a>(\"no\\\"run\", r#\"No run\"#)", &["No run"]),
        ("fn f() {}\n#[cfg(test)]\nmod tests {\n    \"No run\"\n}", &[]),
    ] {
        let found = words_in(program);
        let found: Vec<&str> = found.iter().filter_map(|f| f.split_once(": ")).map(|f| f.1).collect();
        let expected: Vec<String> = expected.iter().map(|text| format!("{text:?}")).collect();
        assert_eq!(found, expected, "{program}");
    }
}
