//! [`SinglePage`]: one HTML file of the viewer and a session file.

#[cfg(feature = "export")]
use std::io::{self, Write};

#[cfg(feature = "export")]
use base64::engine::general_purpose::STANDARD;
#[cfg(feature = "export")]
use base64::write::EncoderWriter;

/// The element of the viewer that holds the session file, in base64.
const OPENING: &str = r#"<script id="queryscope-session" type="application/octet-stream">"#;
const CLOSING: &str = "</script>";

/// The viewer as one HTML file, split where title and session are inserted.
pub struct SinglePage<'a> {
    before_title: &'a str,
    after_title: &'a str,
    after_session: &'a str,
}

impl<'a> SinglePage<'a> {
    /// Splits the viewer's HTML text. A session that is already in the text is removed.
    ///
    /// # Errors
    /// The element that the text lacks.
    pub fn new(text: &'a str) -> Result<Self, &'static str> {
        const NO_ELEMENT: &str = "it has no element for a session";
        let start = text.find(OPENING).ok_or(NO_ELEMENT)? + OPENING.len();
        let (before, rest) = text.split_at(start);
        let end = rest.find(CLOSING).ok_or(NO_ELEMENT)?;
        if rest.contains(OPENING) {
            return Err("it has two elements for a session");
        }
        // Without a title, only the session is put in.
        let title = before.find("<title>").map(|at| at + "<title>".len());
        let title = title.and_then(|at| Some((at, at + before[at..].find("</title>")?)));
        let (before_title, after_title) = match title {
            Some((from, to)) => (&before[..from], &before[to..]),
            None => ("", before),
        };
        Ok(Self { before_title, after_title, after_session: &rest[end..] })
    }

    /// Text of the page before and after the session in base64. The title contains `name`, the name of the trace; if it
    /// is empty, only the name of the product.
    pub fn around(&self, name: &str) -> (String, &'a str) {
        let mut before = self.before_title.to_owned();
        if !before.is_empty() {
            before.push_str(&escaped(name));
            before.push_str(if name.is_empty() { "queryscope" } else { " – queryscope" });
        }
        before.push_str(self.after_title);
        (before, self.after_session)
    }

    /// Writes the page with the name of its trace (see [`Self::around`]) and the bytes of a session file.
    ///
    /// # Errors
    /// If `out` cannot be written.
    #[cfg(feature = "export")]
    pub fn write(&self, name: &str, session: &[u8], out: &mut impl Write) -> io::Result<()> {
        let (before, after) = self.around(name);
        out.write_all(before.as_bytes())?;
        let mut encoder = EncoderWriter::new(&mut *out, &STANDARD);
        encoder.write_all(session)?;
        encoder.finish()?;
        drop(encoder);
        out.write_all(after.as_bytes())
    }
}

/// Escapes a text for HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars().map(crate::base::text::visible) {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(all(test, feature = "export"))]
mod tests {
    use super::*;

    fn check(viewer: &str, name: &str, expected: Result<&str, &str>) {
        let mut out = Vec::new();
        let written = SinglePage::new(viewer).map(|page| page.write(name, b"hello", &mut out));
        let found = written.map(|_| String::from_utf8(out).expect("text"));
        assert_eq!(found.as_deref().map_err(|error| *error), expected);
    }

    #[test]
    fn title_and_session_are_put_in() {
        let with =
            |title: &str, session: &str| format!("<title>{title}</title>{OPENING}{session}{CLOSING}<p>");
        let made = with("&lt;/title&gt;&lt;b&gt; – queryscope", "aGVsbG8=");
        check(&with("queryscope", "\n"), "</title><b>", Ok(&made));
        check(&with("queryscope", ""), "", Ok(&with("queryscope", "aGVsbG8=")));
        // A page that was saved is a viewer, too.
        check(&with("other – queryscope", "b3RoZXI="), "</title><b>", Ok(&made));
        let untitled = format!("{OPENING}aGVsbG8={CLOSING}");
        check(&untitled, "name", Ok(&untitled));
        check("<p>", "", Err("it has no element for a session"));
        check(OPENING, "", Err("it has no element for a session"));
        check(&(with("", "") + OPENING), "", Err("it has two elements for a session"));
    }
}
