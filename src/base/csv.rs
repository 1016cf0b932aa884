//! CSV output, quoted according to RFC 4180, with a line feed after each row; used by the page and the command line.
//!
//! Spreadsheets interpret cells that begin with certain characters as formulas. A name in a trace could thus execute a formula
//! on the computer of a person who opens the file. Such texts are prefixed with an apostrophe, as OWASP recommends ("CSV
//! Injection", <https://owasp.org/www-community/attacks/CSV_Injection>). Numbers, including negative ones, are unchanged.

use std::borrow::Cow;
use std::io::{self, Write};

/// Writes CSV rows field by field.
pub(crate) struct Csv<W> {
    out: W,
    row: String,
    n_fields: usize,
}

impl<W: Write> Csv<W> {
    pub(crate) fn new(out: W) -> Self {
        Self { out, row: String::new(), n_fields: 0 }
    }

    /// Returns the underlying writer.
    pub(crate) fn into_inner(self) -> W {
        self.out
    }

    /// Writes a text as the next field of the row. An empty text is quoted to distinguish it from a missing value.
    pub(crate) fn text(&mut self, text: &str) {
        self.separate();
        self.row.push_str(&field(text));
    }

    /// Writes a number as the next field of the row: digits, optionally with a sign, a point and an exponent.
    pub(crate) fn number(&mut self, digits: &str) {
        self.separate();
        self.row.push_str(digits);
    }

    /// Writes a missing value as the next field of the row.
    pub(crate) fn none(&mut self) {
        self.separate();
    }

    /// Ends the row. A row with a single missing value is quoted, because an empty line is not a row.
    pub(crate) fn end(&mut self) -> io::Result<()> {
        if self.n_fields == 1 && self.row.is_empty() {
            self.row.push_str("\"\"");
        }
        self.row.push('\n');
        self.n_fields = 0;
        self.out.write_all(self.row.as_bytes())?;
        self.row.clear();
        Ok(())
    }

    fn separate(&mut self) {
        if self.n_fields > 0 {
            self.row.push(',');
        }
        self.n_fields += 1;
    }
}

/// Returns a text as a field of CSV, [`defused`] and quoted if necessary. An empty text is quoted.
pub fn field(text: &str) -> Cow<'_, str> {
    let text = defused(text);
    match text.is_empty() || text.contains([',', '"', '\n', '\r']) {
        true => Cow::Owned(format!("\"{}\"", text.replace('"', "\"\""))),
        false => text,
    }
}

/// Returns a text as a field of tab-separated text, [`defused`], with spaces in place of control characters. A text
/// that begins with a quotation mark is quoted: programs that paste such fields would take the mark as the start of a
/// quoted field.
pub fn tab_field(text: &str) -> String {
    let line: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    match line.starts_with('"') {
        true => format!("\"{}\"", line.replace('"', "\"\"")),
        false => defused(&line).into_owned(),
    }
}

/// Characters that begin a formula, including their full-width forms, and whitespace that a spreadsheet may skip before one.
const FORMULA: [char; 11] = ['=', '+', '-', '@', '\t', '\r', '\n', '＝', '＋', '－', '＠'];

/// Returns the text with an apostrophe before it if a spreadsheet could interpret it as a formula. Numbers are unchanged.
pub fn defused(text: &str) -> Cow<'_, str> {
    match text.starts_with(FORMULA) && !is_number(text) {
        true => Cow::Owned(format!("'{text}")),
        false => Cow::Borrowed(text),
    }
}

/// Whether the whole text is a number such as -5, +5 or -1.5e3.
pub fn is_number(text: &str) -> bool {
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
    let (whole, decimals) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    digits(whole) && digits(decimals) && digits(exponent)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A reader of tab-separated values gives back every text, but for control characters, with an apostrophe before formulas.
    #[test]
    fn fields_between_tabs_are_read_back() {
        for (text, expected) in [
            ("a", "a"),
            ("\"users\"", "\"users\""),
            ("\"a\" = \"b\"", "\"a\" = \"b\""),
            ("\"", "\""),
            ("a \"b\"", "a \"b\""),
            ("\"a\tb\n", "\"a b "),
            ("=1+\"a\"", "'=1+\"a\""),
            ("-5", "-5"),
            ("", ""),
        ] {
            let line = format!("{}\t{}\n", tab_field(text), tab_field("next"));
            let mut reader = csv_core::ReaderBuilder::new().delimiter(b'\t').build();
            let (mut output, mut ends) = ([0; 100], [0; 4]);
            let (_, _, _, n) = reader.read_record(line.as_bytes(), &mut output, &mut ends);
            assert_eq!(n, 2, "{text}");
            assert_eq!(std::str::from_utf8(&output[..ends[0]]), Ok(expected), "{text}");
        }
    }

    fn written(rows: &[&[&str]]) -> String {
        let mut out = Vec::new();
        let mut csv = Csv::new(&mut out);
        for row in rows {
            row.iter().for_each(|field| csv.text(field));
            csv.end().expect("a vector takes everything");
        }
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn what_would_be_misread_is_quoted() {
        assert_eq!(written(&[&["a", "b"], &["c", ""]]), "a,b\nc,\"\"\n");
        assert_eq!(
            written(&[&["a,b", "say \"ä\"", "two\nlines", "cr\r"]]),
            "\"a,b\",\"say \"\"ä\"\"\",\"two\nlines\",\"cr\r\"\n"
        );
        let mut out = Vec::new();
        let mut csv = Csv::new(&mut out);
        for write in [Csv::none, |csv: &mut Csv<_>| csv.number("-5")] {
            write(&mut csv);
            csv.end().expect("a vector takes everything");
        }
        assert_eq!(out, b"\"\"\n-5\n");
    }

    #[test]
    fn texts_are_no_formulas_and_numbers_are_numbers() {
        for (text, expected) in [
            ("=1+1", "'=1+1"),
            ("=HYPERLINK(\"http://x\")", "\"'=HYPERLINK(\"\"http://x\"\")\""),
            ("+cmd", "'+cmd"),
            ("-cmd|' /C calc'!A0", "'-cmd|' /C calc'!A0"),
            ("-2+3+cmd", "'-2+3+cmd"),
            ("-- a comment", "'-- a comment"),
            ("-", "'-"),
            ("@SUM(1)", "'@SUM(1)"),
            ("\t=1", "'\t=1"),
            ("\r=1", "\"'\r=1\""),
            ("\n=1", "\"'\n=1\""),
            ("＝1", "'＝1"),
            ("-5", "-5"),
            ("+5", "+5"),
            ("-1.5e3", "-1.5e3"),
            ("-1.5E+3", "-1.5E+3"),
            ("-.5", "'-.5"),
            ("-1e", "'-1e"),
            ("a=1", "a=1"),
            ("'=1", "'=1"),
        ] {
            assert_eq!(written(&[&[text]]), format!("{expected}\n"), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_parser_reads_what_was_written(rows in prop::collection::vec(prop::collection::vec("[-+=@,\"'\t\r\n 0-9aä.e]{0,6}", 3), 1..5)) {
            let text = written(&rows.iter().map(|row| row.iter().map(String::as_str).collect::<Vec<_>>()).collect::<Vec<_>>().iter().map(Vec::as_slice).collect::<Vec<_>>());
            let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
            let read: Vec<Vec<String>> = reader
                .records()
                .map(|record| record.expect("it is CSV").iter().map(str::to_owned).collect())
                .collect();
            prop_assert_eq!(read.len(), rows.len());
            for (read, given) in read.iter().flatten().zip(rows.iter().flatten()) {
                let is_formula = read.starts_with(FORMULA) && read.parse::<f64>().is_err();
                prop_assert!(!is_formula, "{:?}", read);
                prop_assert_eq!(read.strip_prefix('\'').filter(|_| read != given).unwrap_or(read), given);
            }
        }
    }
}
