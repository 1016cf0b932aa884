//! Extracts the anchors and references of an HTML page, for the check of links.
//!
//! The pages are written by mdBook, so they are well formed: text and code contain no bare `<`.

/// A reference of a page to another page or file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reference {
    /// Address as it is written, with character references decoded.
    pub address: String,
    /// Whether a browser requests it without a click of the reader.
    pub is_loaded: bool,
}

/// Anchors and references of a page.
#[derive(Default, Debug)]
pub struct Page {
    /// Values of all `id` and `name` attributes.
    pub anchors: Vec<String>,
    pub references: Vec<Reference>,
}

/// Elements whose content is not HTML.
const RAW_TEXT: &[&str] = &["script", "style"];

impl Page {
    /// Reads the elements of a page.
    pub fn read(html: &str) -> Self {
        let mut page = Page::default();
        let mut rest = html;
        while let Some(at) = rest.find('<') {
            rest = &rest[at + 1..];
            if let Some(comment) = rest.strip_prefix("!--") {
                rest = comment.split_once("-->").map_or("", |(_, after)| after);
                continue;
            }
            let Some((tag, after)) = tag(rest) else { continue };
            rest = after;
            page.add(&tag);
            if RAW_TEXT.contains(&tag.name.as_str()) {
                let end = format!("</{}", tag.name);
                rest = rest.find(&end).map_or("", |at| &rest[at..]);
            }
        }
        page
    }

    fn add(&mut self, tag: &Tag) {
        for (name, value) in &tag.attributes {
            match name.as_str() {
                "id" | "name" => self.anchors.push(value.clone()),
                "href" | "src" | "poster" | "data" | "srcset" => {
                    // A link leads to another page when the reader clicks it; everything else is loaded with the page.
                    let is_loaded = !matches!(tag.name.as_str(), "a" | "area") && !is_hint(tag);
                    self.references.push(Reference { address: value.clone(), is_loaded });
                }
                _ => {}
            }
        }
    }
}

/// Whether an element only names an address, as `<link rel="canonical">` does.
fn is_hint(tag: &Tag) -> bool {
    tag.name == "link" && tag.attributes.iter().any(|(name, value)| name == "rel" && value == "canonical")
}

#[derive(Debug)]
struct Tag {
    name: String,
    attributes: Vec<(String, String)>,
}

/// Reads the start tag after `<`; `None` for end tags, declarations and text. Also returns the text after the tag.
fn tag(text: &str) -> Option<(Tag, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-')?;
    let name = text[..end].to_ascii_lowercase();
    if !name.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let mut rest = text[end..].trim_start();
    let mut attributes = Vec::new();
    while !rest.starts_with('>') {
        if let Some(after) = rest.strip_prefix('/') {
            rest = after.trim_start();
            continue;
        }
        let end = rest.find(|c: char| c.is_whitespace() || "=>/".contains(c))?;
        let name = rest[..end].to_ascii_lowercase();
        rest = rest[end..].trim_start();
        let mut value = String::new();
        if let Some(after) = rest.strip_prefix('=') {
            let (written, after) = value_of(after.trim_start())?;
            value = decoded(written);
            rest = after.trim_start();
        } else if end == 0 {
            return None;
        }
        attributes.push((name, value));
    }
    Some((Tag { name, attributes }, &rest[1..]))
}

/// The value of an attribute, quoted or not, and the text after it.
fn value_of(text: &str) -> Option<(&str, &str)> {
    for quote in ['"', '\''] {
        if let Some(inner) = text.strip_prefix(quote) {
            return inner.split_once(quote);
        }
    }
    let end = text.find(|c: char| c.is_whitespace() || c == '>')?;
    Some((&text[..end], &text[end..]))
}

fn decoded(value: &str) -> String {
    let named =
        [("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")];
    named.iter().fold(value.trim().to_owned(), |text, (name, c)| text.replace(name, c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_read() {
        let page = Page::read(
            "<!doctype html><!-- <a href=\"no\"> --><h2 id=\"a\">1 &lt; 2</h2><a href='b.html?x=1&amp;y=2#c' name=d>x</a>\
             <script src=\"e.js\">if (a < b) { \"<a href='f'>\" }</script><img alt src=g /><link rel=canonical href=h>\
             <queryscope-viewer\n  src=\"i\" poster=\"j\"></queryscope-viewer>",
        );
        assert_eq!(page.anchors, ["a", "d"]);
        let found: Vec<_> = page.references.iter().map(|r| (r.address.as_str(), r.is_loaded)).collect();
        let expected = [
            ("b.html?x=1&y=2#c", false),
            ("e.js", true),
            ("g", true),
            ("h", false),
            ("i", true),
            ("j", true),
        ];
        assert_eq!(found, expected);
    }
}
