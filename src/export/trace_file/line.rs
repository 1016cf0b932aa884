//! [`JsonLine`]: writes one JSON object in a line.

use std::io::Write;

/// A JSON object that is being written into a line.
pub struct JsonLine<'a> {
    out: &'a mut Vec<u8>,
    is_first: bool,
}

impl<'a> JsonLine<'a> {
    /// Begins an object.
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        out.push(b'{');
        Self { out, is_first: true }
    }

    fn key(&mut self, key: &str) {
        if !std::mem::take(&mut self.is_first) {
            self.out.push(b',');
        }
        write_string(self.out, key);
        self.out.push(b':');
    }

    /// Writes a member with a whole number.
    pub fn num(&mut self, key: &str, number: impl Into<i128>) {
        self.key(key);
        write_num(self.out, number.into());
    }

    /// Writes a member with a whole number, unless it is `usual`.
    pub fn num_unless(&mut self, key: &str, number: i64, usual: i64) {
        if number != usual {
            self.num(key, number);
        }
    }

    /// Writes a member with a number, if there is one.
    pub fn some_num(&mut self, key: &str, number: Option<u32>) {
        if let Some(number) = number {
            self.num(key, number);
        }
    }

    /// Writes a name by the number of its text; null if it was removed.
    pub fn named(&mut self, key: &str, name: Option<u32>) {
        match name {
            Some(name) => self.num(key, name),
            None => self.json(key, "null"),
        }
    }

    /// Writes a member with a string.
    pub fn string(&mut self, key: &str, text: &str) {
        self.key(key);
        write_string(self.out, text);
    }

    /// Writes a member with a value that is JSON already.
    pub fn json(&mut self, key: &str, json: &str) {
        self.key(key);
        self.out.extend_from_slice(json.as_bytes());
    }

    /// Writes a member with an array of strings.
    pub fn strings<'t>(&mut self, key: &str, texts: impl IntoIterator<Item = &'t str>) {
        self.key(key);
        for (at, text) in texts.into_iter().enumerate() {
            self.out.push(if at == 0 { b'[' } else { b',' });
            write_string(self.out, text);
        }
        self.close_array();
    }

    /// Writes a member with an array of numbers; `None` becomes null.
    pub fn nums(&mut self, key: &str, numbers: impl IntoIterator<Item = Option<u32>>) {
        self.key(key);
        for (at, number) in numbers.into_iter().enumerate() {
            self.out.push(if at == 0 { b'[' } else { b',' });
            match number {
                Some(number) => write_num(self.out, number.into()),
                None => self.out.extend_from_slice(b"null"),
            }
        }
        self.close_array();
    }

    /// Writes a member with an object, unless it has no members.
    pub fn object(&mut self, key: &str, members: &[(&str, String)]) {
        if members.is_empty() {
            return;
        }
        self.key(key);
        let mut inner = JsonLine::new(self.out);
        members.iter().for_each(|(key, json)| inner.json(key, json));
        inner.out.push(b'}');
    }

    /// Ends the object and the line.
    pub fn end(self) {
        self.out.extend_from_slice(b"}\n");
    }

    fn close_array(&mut self) {
        if matches!(self.out.last(), Some(b':')) {
            self.out.push(b'[');
        }
        self.out.push(b']');
    }
}

fn write_num(out: &mut Vec<u8>, number: i128) {
    // A vector takes everything.
    let _ = write!(out, "{number}");
}

/// Returns a text as a JSON string.
pub fn json_string(text: &str) -> String {
    let mut out = Vec::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    String::from_utf8(out).unwrap_or_default()
}

/// Appends a JSON string.
pub fn write_string(out: &mut Vec<u8>, text: &str) {
    out.push(b'"');
    for &byte in text.as_bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\t' => out.extend_from_slice(b"\\t"),
            b'\r' => out.extend_from_slice(b"\\r"),
            0..0x20 => {
                const HEX: &[u8; 16] = b"0123456789abcdef";
                let digits = [HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]];
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&digits);
            }
            _ => out.push(byte),
        }
    }
    out.push(b'"');
}
