//! Rows in markup: `mysql --xml`, `mysqldump --xml`, and HTML tables (`mysql -H`).

use super::row::Scratch;
use super::{CUT_OFF, RowSink, WRONG_LENGTH, are_some, is_any_twice};
use crate::import::text::lines::Place;

/// Assembles rows from tags and the text between them.
#[derive(Default)]
pub struct Markup {
    /// Text from the last `<` on, which may be the start of an incomplete tag.
    carry: String,
    /// Position of `carry` in the file.
    at: Place,
    /// Start of the row that is being read; `None` between rows.
    row: Option<Place>,
    names: Vec<String>,
    /// Values of the row; `None` for NULL.
    values: Vec<Option<String>>,
    is_in_value: bool,
    is_header: bool,
    table: Option<String>,
    columns: Vec<String>,
    /// Whether the table has had a row.
    has_rows: bool,
}

impl Markup {
    /// Reads the next part of the text.
    pub fn push(&mut self, text: &str, sink: &mut dyn RowSink) {
        if self.at.line == 0 {
            self.at.line = 1;
        }
        let mut rest = text;
        while let Some(next) = memchr::memchr(b'<', rest.as_bytes()) {
            self.carry.push_str(&rest[..next]);
            let piece = std::mem::take(&mut self.carry);
            self.piece(&piece, sink);
            self.at.offset += piece.len() as u64;
            self.at.line += memchr::memchr_iter(b'\n', piece.as_bytes()).count() as u64;
            self.carry.push('<');
            rest = &rest[next + 1..];
        }
        self.carry.push_str(rest);
    }

    /// Finishes reading at the end of the text.
    pub fn finish(&mut self, sink: &mut dyn RowSink) {
        let piece = std::mem::take(&mut self.carry);
        self.piece(&piece, sink);
        self.break_off(sink);
    }

    fn break_off(&mut self, sink: &mut dyn RowSink) {
        if let Some(place) = self.row.take() {
            let text: Vec<&str> = self.values.iter().flatten().map(String::as_str).collect();
            sink.broken(CUT_OFF, place, &text.join(" "));
        }
    }

    /// Processes a tag and the text after it.
    fn piece(&mut self, piece: &str, sink: &mut dyn RowSink) {
        let Some((tag, text)) = piece.strip_prefix('<').and_then(|piece| piece.split_once('>')) else {
            return;
        };
        let (name, attributes) = tag.split_once([' ', '\n', '\t']).unwrap_or((tag, ""));
        match name.to_ascii_lowercase().as_str() {
            "resultset" => self.begin_table(attribute(attributes, "statement").as_deref().and_then(table_of)),
            "table_data" => self.begin_table(attribute(attributes, "name")),
            "table" => {
                self.columns.clear();
                self.has_rows = false;
            }
            "row" | "tr" => self.begin(sink),
            "/row" | "/tr" => self.end((tag.len() + 2) as u64, sink),
            "field" if self.row.is_some() => {
                let is_null = attribute(attributes, "xsi:nil").is_some();
                self.names.push(attribute(attributes, "name").unwrap_or_default());
                self.values.push((!is_null).then(|| decoded(text)));
                self.is_in_value = !is_null && !tag.ends_with('/');
            }
            "td" | "th" if self.row.is_some() => {
                self.is_header |= name.eq_ignore_ascii_case("th");
                self.values.push(Some(decoded(text)));
                self.is_in_value = true;
            }
            "/field" | "/td" | "/th" => self.is_in_value = false,
            // A tag inside a value is part of the value: not every client escapes it.
            _ if self.is_in_value => {
                if let Some(Some(value)) = self.values.last_mut() {
                    value.push_str(&decoded(piece));
                }
            }
            _ => {}
        }
    }

    fn begin_table(&mut self, name: Option<String>) {
        self.table = name;
        self.has_rows = false;
    }

    fn begin(&mut self, sink: &mut dyn RowSink) {
        self.break_off(sink);
        self.row = Some(self.at);
        self.names.clear();
        self.values.clear();
        (self.is_in_value, self.is_header) = (false, false);
    }

    /// Whether values of the row are missing or repeated, so that a part of the file was lost: clients write every
    /// field of every row, including NULL fields.
    fn is_torn(&self) -> bool {
        if self.names.is_empty() {
            return !self.columns.is_empty() && self.values.len() != self.columns.len();
        }
        let is_other = self.names != self.columns;
        is_other && (self.has_rows && are_some(&self.names, &self.columns) || is_any_twice(&self.names))
    }

    fn end(&mut self, tag: u64, sink: &mut dyn RowSink) {
        let Some(place) = self.row.take() else { return };
        let length = self.at.offset + tag - place.offset;
        let mut scratch = Scratch::default();
        if self.is_header {
            self.columns = self.values.drain(..).flatten().collect();
            self.columns.iter().for_each(|name| scratch.push(Some(name)));
            return sink.table(None, &scratch.row());
        }
        if self.is_torn() {
            let text: Vec<&str> = self.values.iter().flatten().map(String::as_str).collect();
            return sink.broken(WRONG_LENGTH, place, &text.join(" "));
        }
        let is_html = self.names.is_empty();
        if !self.names.is_empty() && self.names != self.columns {
            self.names.iter().for_each(|name| scratch.push(Some(name)));
            sink.table(self.table.as_deref(), &scratch.row());
            scratch.clear();
            self.columns = std::mem::take(&mut self.names);
        }
        self.has_rows = true;
        for value in &self.values {
            let value = value.as_deref();
            // In HTML, the word NULL is the only notation for NULL; XML has its own.
            scratch.push(value.filter(|&value| !is_html || value != "NULL"));
        }
        sink.row(&scratch.row(), place, length);
    }
}

/// Returns the decoded value of an attribute.
fn attribute(attributes: &str, name: &str) -> Option<String> {
    let start = attributes.find(&format!("{name}=\""))? + name.len() + 2;
    let value = attributes.get(start..)?;
    Some(decoded(value.split('"').next()?))
}

/// Returns the table that a query reads.
fn table_of(query: &str) -> Option<String> {
    let lower = query.to_ascii_lowercase();
    let start = lower.find(" from ")? + 6;
    let table = query.get(start..)?.split_whitespace().next()?;
    let table =
        table.rsplit('.').next()?.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    (!table.is_empty()).then(|| table.to_owned())
}

/// Maximum length of an entity's name with its `;`, such as `nbsp;` or `#x10FFFF;`, in bytes.
const LONGEST_ENTITY: usize = 16;

/// Replaces the entities of a text by their characters.
pub fn decoded(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        decoded.push_str(before);
        // Limits the search, so that a text of many `&` is not searched to its end for each one.
        let end = behind.bytes().take(LONGEST_ENTITY).position(|byte| byte == b';');
        let named = end.and_then(|end| Some((entity(&behind[..end])?, &behind[end + 1..])));
        match named {
            Some((c, after)) => {
                decoded.push(c);
                rest = after;
            }
            None => {
                decoded.push('&');
                rest = behind;
            }
        }
    }
    decoded + rest
}

fn entity(name: &str) -> Option<char> {
    match name {
        "lt" => Some('<'),
        "gt" => Some('>'),
        "amp" => Some('&'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        "nbsp" => Some(' '),
        _ => {
            let digits = name.strip_prefix('#')?;
            let code = match digits.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}
