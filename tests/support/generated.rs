//! Generated parts of documents.

use std::fs;
use std::path::Path;

/// Compares a generated text with the one between two marks of a page of the handbook, or replaces it if `BLESS` is set. `command`
/// writes it.
pub fn check(page: &Path, command: &str, mark: &str, text: &str) {
    let old = fs::read_to_string(page).expect("the page exists").replace("\r\n", "\n");
    let (begin, end) = (format!("<!-- {mark}: written by `{command}` -->\n"), format!("<!-- /{mark} -->"));
    let (before, rest) = old.split_once(&begin).expect("the page has a place for the text");
    let (_, after) = rest.split_once(&end).expect("the place has an end");
    let new = format!("{before}{begin}{text}{end}{after}");
    if std::env::var_os("BLESS").is_some() {
        fs::write(page, new).expect("the page can be written");
    } else {
        assert_eq!(old, new, "{} is out of date: run `{command}`", page.display());
    }
}
