//! Rows as CSV, quoted as RFC 4180 has it, a line feed after each.

use std::io::{self, Write};

use csv_core::{WriteResult, Writer};

/// Writes rows of fields.
pub(super) struct Csv<W> {
    out: W,
    core: Writer,
    row: Vec<u8>,
    is_first: bool,
}

impl<W: Write> Csv<W> {
    pub(super) fn new(out: W) -> Self {
        Self { out, core: Writer::new(), row: Vec::new(), is_first: true }
    }

    /// The next field of the row.
    pub(super) fn field(&mut self, text: &str) {
        if !std::mem::take(&mut self.is_first) {
            self.write(|core, out| core.delimiter(out));
        }
        let mut rest = text.as_bytes();
        loop {
            let start = self.row.len();
            self.row.resize(start + 2 * rest.len() + 16, 0);
            let (result, n_read, n_written) = self.core.field(rest, &mut self.row[start..]);
            self.row.truncate(start + n_written);
            rest = &rest[n_read..];
            if result == WriteResult::InputEmpty {
                return;
            }
        }
    }

    /// The row ends.
    pub(super) fn end(&mut self) -> io::Result<()> {
        self.write(|core, out| core.terminator(out));
        self.is_first = true;
        self.out.write_all(&self.row)?;
        self.row.clear();
        Ok(())
    }

    fn write(&mut self, write: impl Fn(&mut Writer, &mut [u8]) -> (WriteResult, usize)) {
        let start = self.row.len();
        self.row.resize(start + 16, 0);
        let (_, n_written) = write(&mut self.core, &mut self.row[start..]);
        self.row.truncate(start + n_written);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rows: &[&[&str]], expected: &str) {
        let mut out = Vec::new();
        let mut csv = Csv::new(&mut out);
        for row in rows {
            row.iter().for_each(|field| csv.field(field));
            csv.end().expect("a vector takes everything");
        }
        assert_eq!(String::from_utf8(out).as_deref(), Ok(expected));
    }

    #[test]
    fn what_would_be_misread_is_quoted() {
        check(&[&["a", "b"], &["c", ""]], "a,b\nc,\n");
        check(
            &[&["a,b", "say \"ä\"", "two\nlines", "cr\r"]],
            "\"a,b\",\"say \"\"ä\"\"\",\"two\nlines\",\"cr\r\"\n",
        );
        check(&[&[""]], "\"\"\n");
        check(&[&[&"\"".repeat(10)]], &format!("\"{}\"\n", "\"".repeat(20)));
    }
}
