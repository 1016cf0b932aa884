//! Rows between tags: `mysql --xml`, `mysqldump --xml`, and the tables of HTML (`mysql -H`).

use super::row::Scratch;
use super::{CUT_OFF, RowSink, WRONG_LENGTH, are_some, is_any_twice};
use crate::import::text::lines::Place;

/// Puts rows together out of tags and what stands between them.
#[derive(Default)]
pub struct Markup {
    /// From the last `<` on.
    carry: String,
    /// Where `carry` stands.
    at: Place,
    /// The row that is open: where it begins.
    row: Option<Place>,
    names: Vec<String>,
    /// Values; `None` for NULL.
    values: Vec<Option<String>>,
    is_in_value: bool,
    is_header: bool,
    table: Option<String>,
    columns: Vec<String>,
    /// Whether a row of the table was read.
    has_rows: bool,
}

impl Markup {
    /// The next text.
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

    /// The text ends.
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

    /// A tag and the text after it.
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
            // A tag inside a value belongs to it: not every client writes it as text.
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

    /// Whether values of the row are missing, or stand in it twice: clients write every field of every row of a table, also
    /// those that are NULL, so that a part of the file was lost there.
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
            // HTML has no other NULL; the values of XML are what they are.
            scratch.push(value.filter(|&value| !is_html || value != "NULL"));
        }
        sink.row(&scratch.row(), place, length);
    }
}

/// The value of an attribute, decoded.
fn attribute(attributes: &str, name: &str) -> Option<String> {
    let start = attributes.find(&format!("{name}=\""))? + name.len() + 2;
    let value = attributes.get(start..)?;
    Some(decoded(value.split('"').next()?))
}

/// The table that a query reads.
fn table_of(query: &str) -> Option<String> {
    let lower = query.to_ascii_lowercase();
    let start = lower.find(" from ")? + 6;
    let table = query.get(start..)?.split_whitespace().next()?;
    let table =
        table.rsplit('.').next()?.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    (!table.is_empty()).then(|| table.to_owned())
}

/// Bytes of an entity's name, such as `nbsp` or `#x10FFFF`, with its `;`.
const LONGEST_ENTITY: usize = 16;

/// A text without its entities.
pub fn decoded(text: &str) -> String {
    if !text.contains('&') {
        return text.to_owned();
    }
    let mut decoded = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('&') {
        decoded.push_str(before);
        // No name is longer: a text of nothing but `&` is not searched again for each of them.
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
