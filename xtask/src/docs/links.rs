//! Checks every reference of the built handbook: files and anchors exist, and nothing is loaded from another server.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use super::html::{Page, Reference};
use crate::site::below;

/// Beginnings of addresses that lead to other servers or programs.
const ELSEWHERE: &[&str] = &["http://", "https://", "//", "mailto:"];

/// Returns one sentence for each reference of the book in `book` that leads nowhere, or that a browser would load from
/// another server. The folder around the book is the site: references to it are checked if the site was built.
pub fn problems(book: &Path) -> Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    let mut wrong = Vec::new();
    for file in below(book)? {
        let ending = file.extension().and_then(|e| e.to_str()).unwrap_or_default();
        if ending == "css" {
            wrong.extend(style_problems(book, &file)?);
        } else if ending == "html" {
            let text =
                fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
            pages.insert(file, Page::read(&text));
        }
    }
    let book = Book { root: book, pages };
    for (file, page) in &book.pages {
        let name = file.strip_prefix(book.root).unwrap_or(file).display();
        let found = page.references.iter().filter_map(|r| book.problem(file, r));
        wrong.extend(found.map(|problem| format!("{name}: {problem}")));
    }
    wrong.sort();
    wrong.dedup();
    Ok(wrong)
}

/// Returns one sentence for each kind of address through which a style sheet loads something from another server.
fn style_problems(book: &Path, file: &Path) -> Result<Vec<String>> {
    let text = fs::read_to_string(file)?.replace(['"', '\'', ' '], "");
    let name = file.strip_prefix(book).unwrap_or(file).display();
    let is_foreign =
        |start: &str| text.contains(&format!("url({start}")) || text.contains(&format!("@import{start}"));
    let found = ELSEWHERE.iter().filter(|start| is_foreign(start));
    Ok(found.map(|start| format!("{name}: loads {start}… from another server")).collect())
}

struct Book<'a> {
    root: &'a Path,
    pages: BTreeMap<PathBuf, Page>,
}

impl Book<'_> {
    fn problem(&self, from: &Path, reference: &Reference) -> Option<String> {
        let address = reference.address.as_str();
        if address.starts_with("data:") {
            return None;
        }
        if ELSEWHERE.iter().any(|start| address.starts_with(start)) {
            return reference.is_loaded.then(|| format!("{address} would be loaded from another server"));
        }
        if address.starts_with('/') || address.split(['/', '#', '?']).next().is_some_and(|s| s.contains(':'))
        {
            return Some(format!("{address} does not work under another path"));
        }
        let (path, fragment) = address.split_once('#').unwrap_or((address, ""));
        let path = path.split('?').next().unwrap_or_default();
        if path.is_empty() {
            return (!self.has_anchor(from, fragment))
                .then(|| format!("#{fragment} is no anchor of the page"));
        }
        let target = flat(&from.parent()?.join(path))?;
        if !target.starts_with(self.root) {
            return self.problem_outside(&target, fragment);
        }
        if !target.is_file() {
            return Some(format!("{path} does not exist"));
        }
        (!self.has_anchor(&target, fragment)).then(|| format!("{path} has no anchor #{fragment}"))
    }

    /// Whether a file has an anchor. Files that are not pages of the book are not checked: the result is `true`.
    fn has_anchor(&self, file: &Path, anchor: &str) -> bool {
        let Some(page) = self.pages.get(file) else { return true };
        let anchor = percent_decoded(anchor);
        anchor.is_empty() || anchor == "top" || page.anchors.contains(&anchor)
    }

    /// Checks a reference to the site around the book, and the traces that it opens there. `None` if it has no problem.
    fn problem_outside(&self, target: &Path, fragment: &str) -> Option<String> {
        let site = self.root.parent()?;
        let Ok(name) = target.strip_prefix(site) else {
            return Some(format!("{} is outside of the site", target.display()));
        };
        let is_built = site.join("index.html").is_file();
        if is_built && !target.exists() {
            return Some(format!("{} is not in the site", name.display()));
        }
        let traces = fragment.split('&').filter_map(|part| part.strip_prefix("trace="));
        let folder = self.root.file_name()?;
        let missing = traces.map(percent_decoded).find(|trace| {
            let inside = Path::new(trace).strip_prefix(folder);
            inside.is_ok_and(|path| !self.root.join(path).is_file())
        });
        missing.map(|trace| format!("there is no trace {trace}"))
    }
}

/// Resolves `.` and `..` without looking at the disk; `None` if the path leaves its root.
fn flat(path: &Path) -> Option<PathBuf> {
    let mut flat = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => {
                if !flat.pop() {
                    return None;
                }
            }
            part => flat.push(part),
        }
    }
    Some(flat)
}

fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        let code = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match code.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(links: &str, expected: &[&str]) -> Result<()> {
        let site =
            std::env::temp_dir().join(format!("queryscope-book-{}-{}", std::process::id(), links.len()));
        let book = site.join("handbook");
        fs::create_dir_all(book.join("traces"))?;
        fs::write(site.join("index.html"), "")?;
        fs::write(site.join("queryscope.js"), "")?;
        fs::write(book.join("traces/a.json.gz"), "")?;
        fs::write(book.join("b.html"), "<h1 id=\"b%\">B</h1>")?;
        fs::write(book.join("a.html"), format!("<h1 id=\"a\">A</h1>{links}"))?;
        let found = problems(&book);
        fs::remove_dir_all(&site)?;
        assert_eq!(found?, expected, "{links}");
        Ok(())
    }

    #[test]
    fn sound_links_pass() -> Result<()> {
        check(
            "<a href=\"#a\">1</a><a href=\"b.html\">2</a><a href=\"./b.html#b%25\">3</a><a href=\"https://x.y/\">4</a>",
            &[],
        )?;
        check(
            "<script src=\"../queryscope.js\"></script><a href=\"../#trace=handbook/traces/a.json.gz&view=flame\">1</a>",
            &[],
        )?;
        check(
            "<queryscope-viewer src=\"traces/a.json.gz\"></queryscope-viewer><img src=\"data:image/png;base64,AA\">",
            &[],
        )
    }

    #[test]
    fn each_kind_of_broken_link_is_found() -> Result<()> {
        check("<a href=\"#c\">1</a>", &["a.html: #c is no anchor of the page"])?;
        check("<a href=\"c.html\">1</a> ", &["a.html: c.html does not exist"])?;
        check("<a href=\"b.html#c\">1</a>", &["a.html: b.html has no anchor #c"])?;
        check("<a href=\"/b.html\">1</a>  ", &["a.html: /b.html does not work under another path"])?;
        check("<a href=\"../no.js\">1</a>   ", &["a.html: no.js is not in the site"])?;
        check(
            "<a href=\"../#trace=handbook/traces/no.json\">1</a>",
            &["a.html: there is no trace handbook/traces/no.json"],
        )?;
        check("<img src=\"https://x.y/z\">", &["a.html: https://x.y/z would be loaded from another server"])?;
        check("<queryscope-viewer src=\"traces/no\">", &["a.html: traces/no does not exist"])
    }

    #[test]
    fn style_sheets_load_nothing_from_other_servers() -> Result<()> {
        let folder = std::env::temp_dir().join(format!("queryscope-styles-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        fs::write(
            folder.join("a.css"),
            "@import \"https://x.y/z.css\"; p { background: url('data:image/png;base64,AA') }",
        )?;
        let found = problems(&folder);
        fs::remove_dir_all(&folder)?;
        assert_eq!(found?, ["a.css: loads https://… from another server"]);
        Ok(())
    }
}
