//! Checks type names: each is defined once per crate, so that a name identifies a type.

use std::collections::BTreeMap;

use crate::{code, sources};

/// Keywords that begin the definition of a type.
const KEYWORDS: [&str; 5] = ["struct ", "enum ", "trait ", "union ", "type "];

/// Returns the types that a file defines, except types in tests. Associated types belong to their trait and are excluded.
fn types(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in code(text).lines() {
        let is_inner = line.starts_with(' ');
        let head = line.trim_start();
        let head = ["pub(crate) ", "pub(super) ", "pub "]
            .iter()
            .fold(head, |head, word| head.strip_prefix(word).unwrap_or(head));
        let keyword =
            KEYWORDS.iter().find(|word| head.starts_with(**word) && !(is_inner && **word == "type "));
        let Some(rest) = keyword.and_then(|word| head.strip_prefix(*word)) else { continue };
        found.push(
            rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default().to_owned(),
        );
    }
    found
}

#[test]
fn every_type_has_a_name_of_its_own() {
    for (crate_sources, at_least) in [("src", 500), ("web/src", 150)] {
        let mut files: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (file, text) in
            sources(crate_sources).into_iter().filter(|(file, _)| !file.ends_with("/tests.rs"))
        {
            for name in types(&text) {
                files.entry(name).or_default().push(file.clone());
            }
        }
        assert!(files.len() > at_least, "only {} types were found in {crate_sources}", files.len());
        files.retain(|_, files| files.len() > 1);
        assert!(files.is_empty(), "{files:#?}");
    }
}

#[test]
fn these_checks_can_fail() {
    let text = "pub struct A<T>(T);\nenum B {\n    C,\n}\nimpl D for A {\n    type E = u8;\n    pub(super) struct F;\n}\n\n\
        #[cfg(test)]\nmod tests {\n    struct G;\n}";
    assert_eq!(types(text), ["A", "B", "F"]);
}
