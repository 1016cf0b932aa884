//! [`SinglePage`]: one HTML file of the viewer and a session file.

use std::io::{self, Write};

use base64::engine::general_purpose::STANDARD;
use base64::write::EncoderWriter;

/// The element of the viewer that holds the session file, in base64.
const OPENING: &str = r#"<script id="queryscope-session" type="application/octet-stream">"#;
const CLOSING: &str = "</script>";

/// The viewer as one HTML file, in the pieces between which title and session stand.
pub struct SinglePage<'a> {
    before_title: &'a str,
    after_title: &'a str,
    after_session: &'a str,
}

impl<'a> SinglePage<'a> {
    /// Splits the viewer's text.
    ///
    /// # Errors
    /// What the text lacks.
    pub fn new(text: &'a str) -> Result<Self, &'static str> {
        const NO_ELEMENT: &str = "it has no empty element for a session";
        let start = text.find(OPENING).ok_or(NO_ELEMENT)? + OPENING.len();
        let (before, rest) = text.split_at(start);
        let end = rest.find(CLOSING).ok_or(NO_ELEMENT)?;
        if !rest[..end].trim().is_empty() {
            return Err("it holds a session already");
        }
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

    /// Writes the page with a title and the bytes of a session file.
    ///
    /// # Errors
    /// If `out` cannot be written.
    pub fn write(&self, title: &str, session: &[u8], out: &mut impl Write) -> io::Result<()> {
        out.write_all(self.before_title.as_bytes())?;
        if !self.before_title.is_empty() {
            out.write_all(escaped(title).as_bytes())?;
        }
        out.write_all(self.after_title.as_bytes())?;
        let mut encoder = EncoderWriter::new(&mut *out, &STANDARD);
        encoder.write_all(session)?;
        encoder.finish()?;
        drop(encoder);
        out.write_all(self.after_session.as_bytes())
    }
}

/// A text as HTML, in which nothing is markup.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn check(viewer: &str, expected: Result<&str, &str>) {
        let mut out = Vec::new();
        let written = SinglePage::new(viewer).map(|page| page.write("</title><b>", b"hello", &mut out));
        let found = written.map(|_| String::from_utf8(out).expect("text"));
        assert_eq!(found.as_deref().map_err(|error| *error), expected);
    }

    #[test]
    fn title_and_session_are_put_in() {
        let with =
            |title: &str, session: &str| format!("<title>{title}</title>{OPENING}{session}{CLOSING}<p>");
        check(&with("queryscope", "\n"), Ok(&with("&lt;/title&gt;&lt;b&gt;", "aGVsbG8=")));
        check("<p>", Err("it has no empty element for a session"));
        check(&with("", "aGVsbG8="), Err("it holds a session already"));
        check(&(with("", "") + OPENING), Err("it has two elements for a session"));
    }
}
