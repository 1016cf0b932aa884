//! Local files in links: known again by name, size and content.

use wasm_bindgen_test::wasm_bindgen_test;

use super::*;

#[wasm_bindgen_test]
fn files_are_known_by_their_content() {
    let file = |text: &str| LocalFile::parse(text).expect("a file");
    let all = |texts: &str| texts.split(' ').filter(|text| !text.is_empty()).map(file).collect::<Vec<_>>();
    let (a, b) = ("a.json,5,0123456789abcdef", "b.json,6,123456789abcdef0");
    for (wanted, n, opened, expected) in [
        (a, 0, a, FileMatch::Same),
        (&format!("{a} {b}")[..], 0, &format!("{b} {a}")[..], FileMatch::Same),
        // Another name, the same content.
        (a, 0, "copy.json,5,0123456789abcdef", FileMatch::Same),
        (a, 0, "a.json,5,fedcba9876543210", FileMatch::Different),
        (a, 0, "a.json,6,0123456789abcdef", FileMatch::Different),
        (a, 0, "a.json,5,", FileMatch::Unchecked),
        ("a.json,5,", 0, a, FileMatch::Unchecked),
        (a, 0, "b.json,5,", FileMatch::Different),
        (a, 0, &format!("{a} {b}")[..], FileMatch::Different),
        (&format!("{a} {b}")[..], 0, a, FileMatch::Missing),
        (a, 2, &format!("{a} {b}")[..], FileMatch::Unchecked),
        (a, 0, "", FileMatch::Missing),
        (a, 2, a, FileMatch::Missing),
    ] {
        assert_eq!(file_match(&all(wanted), n, &all(opened)), expected, "{wanted} | {opened}");
    }
    for (text, expected) in [
        ("../../etc/passwd,1,", Some("passwd")),
        ("C:\\temp\\x,y.json,1,", Some("x,y.json")),
        (",1,", None),
        ("a.json", None),
        ("<script>,x,y", Some("<script>")),
    ] {
        assert_eq!(LocalFile::parse(text).map(|file| file.name).as_deref(), expected, "{text}");
    }
    assert_eq!(file("a.json,x,y"), LocalFile { name: "a.json".to_owned(), size: None, hash: None });
    let many: Vec<_> =
        (0..40).map(|at| LocalFile::new(&format!("folder/{at}.json"), Some(1), None)).collect();
    let back = Address::parse("", &with_files("view=pivot&v=3", &many));
    assert_eq!((back.files.len(), back.n_files, back.nav.tab), (16, 40, Tab::Pivot));
}
