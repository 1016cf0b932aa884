//! Reads a JSON object member by member in one pass, for records whose keys carry data, so that there is no shape to
//! learn.
//!
//! A cursor accepts the same objects as [`Scanner`] and finds the same end. So the result of reading a record does not
//! depend on whether the record was split into slices.

use std::borrow::Cow;

use super::find;
use super::object::string_value;
use super::scanner::{Scanner, Step, is_word};
use crate::import::scalars::decimal::{Decimal, Time};

/// A JSON string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Text<'a> {
    /// The string with its quotes, as written.
    literal: &'a str,
    escaped: bool,
}

impl<'a> Text<'a> {
    /// Returns the text between the quotes, with escapes.
    pub fn raw(self) -> &'a str {
        &self.literal[1..self.literal.len() - 1]
    }

    /// Returns the text with its escapes decoded; `None` if an escape is invalid.
    pub fn decoded(self) -> Option<Cow<'a, str>> {
        if self.escaped { string_value(self.literal) } else { Some(Cow::Borrowed(self.raw())) }
    }

    /// Returns the text with its escapes decoded, or as written if an escape is invalid.
    pub fn content(self) -> Cow<'a, str> {
        self.decoded().unwrap_or(Cow::Borrowed(self.raw()))
    }
}

/// A JSON value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Value<'a> {
    /// A string.
    Text(Text<'a>),
    /// A number, `true`, `false`, `null`, or a word that is not JSON (`NaN`).
    Word(&'a str),
    /// An object or array, as written.
    Nested(&'a str),
}

impl<'a> Value<'a> {
    /// Returns the content of a string, or any other value as written.
    pub fn content(self) -> Cow<'a, str> {
        match self {
            Value::Text(text) => text.content(),
            Value::Word(text) | Value::Nested(text) => Cow::Borrowed(text),
        }
    }

    /// Parses a number, which may be in quotes.
    pub fn decimal(self) -> Option<Decimal> {
        match self {
            Value::Word(text) => Decimal::parse(text),
            Value::Text(text) => Decimal::parse(text.raw()),
            Value::Nested(_) => None,
        }
    }

    /// Parses microseconds with any number of digits, which may be in quotes.
    pub fn time(self) -> Option<Time> {
        match self {
            Value::Word(text) => Time::parse(text),
            Value::Text(text) => Time::parse(text.raw()),
            Value::Nested(_) => None,
        }
    }
}

/// Iterates over the members of the object at the start of a text.
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
    first: bool,
}

/// Reason why there are no more members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The object ends this number of bytes after its start.
    End(usize),
    /// The object is incomplete or violates the grammar.
    Broken,
}

impl<'a> Cursor<'a> {
    /// Creates a cursor before the first member of the object at the start of `text`.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 1, first: true }
    }

    /// Passes the remaining members to `take`, and returns the length of the object; `None` if it is invalid or incomplete.
    #[inline]
    pub fn each(mut self, scanner: &mut Scanner, mut take: impl FnMut(Text<'a>, Value<'a>)) -> Option<usize> {
        loop {
            match self.next(scanner) {
                Ok((key, value)) => take(key, value),
                Err(Stop::End(length)) => return Some(length),
                Err(Stop::Broken) => return None,
            }
        }
    }

    /// Returns the next member. `scanner` is used for nested values.
    // Called from many places, and too long to inline.
    #[inline(never)]
    pub fn next(&mut self, scanner: &mut Scanner) -> Result<(Text<'a>, Value<'a>), Stop> {
        let mut byte = self.token()?;
        if !self.first && byte != b'}' {
            if byte != b',' {
                return Err(Stop::Broken);
            }
            byte = self.token()?;
        }
        self.first = false;
        // Like the scanner, this allows a comma after the last member.
        if byte == b'}' {
            return Err(Stop::End(self.at));
        }
        if byte != b'"' {
            return Err(Stop::Broken);
        }
        let key = self.string()?;
        if self.token()? != b':' {
            return Err(Stop::Broken);
        }
        Ok((key, self.value(scanner)?))
    }

    /// Returns the next byte that is not white space, and moves past it.
    #[inline]
    fn token(&mut self) -> Result<u8, Stop> {
        loop {
            let byte = *self.text.as_bytes().get(self.at).ok_or(Stop::Broken)?;
            self.at += 1;
            if !matches!(byte, b' ' | b'\t' | b'\r' | b'\n') {
                return Ok(byte);
            }
        }
    }

    /// Returns the string whose opening quote was just passed.
    #[inline]
    fn string(&mut self) -> Result<Text<'a>, Stop> {
        let start = self.at - 1;
        let (end, escaped) = find::string_end(self.text.as_bytes(), self.at).ok_or(Stop::Broken)?;
        self.at = end + 1;
        let literal = self.text.get(start..self.at).ok_or(Stop::Broken)?;
        Ok(Text { literal, escaped })
    }

    #[inline]
    fn value(&mut self, scanner: &mut Scanner) -> Result<Value<'a>, Stop> {
        let byte = self.token()?;
        match byte {
            b'"' => self.string().map(Value::Text),
            b'{' | b'[' => self.nested(byte, scanner).map(Value::Nested),
            byte if is_word(byte) => {
                let rest = &self.text.as_bytes()[self.at..];
                // A word at the end of the text may continue after it.
                let length = rest.iter().position(|&b| !is_word(b)).ok_or(Stop::Broken)?;
                let start = self.at - 1;
                self.at += length;
                self.text.get(start..self.at).map(Value::Word).ok_or(Stop::Broken)
            }
            _ => Err(Stop::Broken),
        }
    }

    fn nested(&mut self, byte: u8, scanner: &mut Scanner) -> Result<&'a str, Stop> {
        let start = self.at - 1;
        // Like the scanner, this takes a brace in the first column for the start of a record.
        if byte == b'{' && start > 0 && self.text.as_bytes()[start - 1] == b'\n' {
            return Err(Stop::Broken);
        }
        scanner.reset_for_value();
        match scanner.feed(&self.text.as_bytes()[start..]) {
            Step::End(length) => {
                self.at = start + length;
                self.text.get(start..self.at).ok_or(Stop::Broken)
            }
            Step::More | Step::Error(_) => Err(Stop::Broken),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn walk(text: &str) -> (Vec<(String, String)>, Stop) {
        let mut cursor = Cursor::new(text);
        let mut scanner = Scanner::default();
        let mut seen = Vec::new();
        loop {
            match cursor.next(&mut scanner) {
                Ok((key, value)) => seen.push((key.raw().to_owned(), format!("{value:?}"))),
                Err(stop) => return (seen, stop),
            }
        }
    }

    #[test]
    fn members_come_in_order_with_their_own_text() {
        let (seen, stop) = walk("{\"a\" :-1.5e3, \"b\":{\"c\":[\"}\"]},\n\"d\":NaN} rest");
        let words =
            [("a", "Word(\"-1.5e3\")"), ("b", "Nested(\"{\\\"c\\\":[\\\"}\\\"]}\")"), ("d", "Word(\"NaN\")")];
        assert_eq!(seen, words.map(|(key, value)| (key.to_owned(), value.to_owned())));
        assert_eq!(stop, Stop::End(39));
        for broken in ["{", "{\"a\"", "{\"a\":1", "{\"a\":1,,}", "{,}", "{\"a\":\n{}}", "{\"a\":\"\n\"}"] {
            assert_eq!(walk(broken).1, Stop::Broken, "{broken}");
        }
    }

    proptest! {
        #[test]
        fn ends_where_the_scanner_ends(text in "\\{([{}\\[\\]\",:\\\\ \n]|\"a\":|[0-9]|null){0,40}") {
            let mut scanner = Scanner::default();
            let expected = match scanner.feed(text.as_bytes()) {
                Step::End(length) => Stop::End(length),
                Step::More | Step::Error(_) => Stop::Broken,
            };
            prop_assert_eq!(walk(&text).1, expected);
        }
    }
}
