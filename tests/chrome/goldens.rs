//! One small file for each rule, beside what is shown of it. `QUERYSCOPE_BLESS=1` writes that anew: look at the difference.

use std::fs;
use std::path::{Path, PathBuf};

use super::{dump, open};

#[test]
fn every_rule_has_its_picture() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces/chrome");
    let entries = fs::read_dir(&folder).expect("the fixtures").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> =
        entries.filter(|path| path.extension().is_some_and(|e| e == "json")).collect();
    files.sort();
    assert!(files.len() >= 21, "{files:?}");
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let found = dump(&open(&name, &fs::read(&path).expect("a fixture"))).join("\n") + "\n";
        let golden = path.with_extension("txt");
        if std::env::var_os("QUERYSCOPE_BLESS").is_some() {
            fs::write(&golden, &found).expect("a golden can be written");
        }
        let expected = fs::read_to_string(&golden).unwrap_or_default();
        assert_eq!(found, expected, "{name} differs: look, then QUERYSCOPE_BLESS=1");
    }
}
