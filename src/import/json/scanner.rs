//! Finds the end of a JSON object, or the position where it becomes invalid, in text that arrives in slices.
//!
//! It checks the grammar except the spelling of numbers and literals, so that an error is found at its position and not
//! only at the end of the file. Depth costs one bit per level, not a stack frame.

use super::find;

/// Result of scanning a slice of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The object continues after the slice.
    More,
    /// The object ends before this position.
    End(usize),
    /// The byte at this position is invalid.
    Error(usize),
}

#[derive(Clone, Copy, PartialEq, Eq, Default)]
enum Expect {
    /// The object's opening `{`.
    #[default]
    Open,
    /// After `{`, or after a comma in an object: a key or `}`. A trailing comma is not valid JSON, but common.
    Key,
    Colon,
    Value,
    /// After `[`, or after a comma in an array: a value or `]`.
    Item,
    /// After a value: a comma or the end of the array or object.
    Next,
    /// Inside a string, a key or a value.
    Text {
        key: bool,
    },
    /// After a backslash.
    Escape {
        key: bool,
    },
    /// Inside a number or literal.
    Word,
}

/// Scanner state between two slices.
#[derive(Default)]
pub struct Scanner {
    expect: Expect,
    /// One bit per open bracket: 1 for an object, 0 for an array.
    levels: Vec<u64>,
    depth: usize,
    after_newline: bool,
}

impl Scanner {
    /// Prepares for the next object.
    pub fn reset(&mut self) {
        self.levels.clear();
        *self = Self { levels: std::mem::take(&mut self.levels), ..Self::default() };
    }

    /// Prepares for an object or array that is not a record.
    pub fn reset_for_value(&mut self) {
        self.reset();
        self.expect = Expect::Value;
    }

    /// Scans the next bytes; after a [`reset`](Self::reset), the first byte must be the object's `{`.
    pub fn feed(&mut self, bytes: &[u8]) -> Step {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match self.expect {
                Expect::Text { key } => match self.text(bytes, at, key) {
                    Ok(next) => at = next,
                    Err(at) => return Step::Error(at),
                },
                Expect::Escape { key } => {
                    self.expect = Expect::Text { key };
                    at += 1;
                }
                Expect::Word if is_word(byte) => at += 1,
                Expect::Word => self.expect = Expect::Next,
                _ if matches!(byte, b' ' | b'\t' | b'\r' | b'\n') => {
                    self.after_newline = byte == b'\n';
                    at += 1;
                }
                _ => {
                    if self.token(byte).is_none() {
                        return Step::Error(at);
                    }
                    at += 1;
                    if self.depth == 0 {
                        return Step::End(at);
                    }
                }
            }
        }
        Step::More
    }

    /// Scans a string up to its quote, a backslash or the end of the slice. A raw control character is an error: a
    /// string without closing quote is detected at the end of its line.
    fn text(&mut self, bytes: &[u8], at: usize, key: bool) -> Result<usize, usize> {
        let at = find::special(bytes, at);
        match bytes.get(at) {
            None => Ok(at),
            Some(b'"') => {
                self.expect = if key { Expect::Colon } else { Expect::Next };
                Ok(at + 1)
            }
            Some(b'\\') => {
                self.expect = Expect::Escape { key };
                Ok(at + 1)
            }
            Some(_) => Err(at),
        }
    }

    /// Processes a byte that is neither white space nor inside a string or word.
    fn token(&mut self, byte: u8) -> Option<()> {
        let new_line = std::mem::take(&mut self.after_newline);
        self.expect = match (self.expect, byte) {
            // A brace in the first column begins a record, never a nested object, so the previous record was cut off.
            (Expect::Value | Expect::Item, b'{') if new_line => return None,
            (Expect::Open | Expect::Value | Expect::Item, b'{') => self.enter(true),
            (Expect::Value | Expect::Item, b'[') => self.enter(false),
            (Expect::Key, b'"') => Expect::Text { key: true },
            (Expect::Colon, b':') => Expect::Value,
            (Expect::Value | Expect::Item, b'"') => Expect::Text { key: false },
            (Expect::Next, b',') => {
                if self.in_object() {
                    Expect::Key
                } else {
                    Expect::Item
                }
            }
            (Expect::Key, b'}') => self.leave(),
            (Expect::Item, b']') => self.leave(),
            (Expect::Next, b'}') if self.in_object() => self.leave(),
            (Expect::Next, b']') if !self.in_object() => self.leave(),
            (Expect::Value | Expect::Item, byte) if is_word(byte) => Expect::Word,
            _ => return None,
        };
        Some(())
    }

    fn enter(&mut self, object: bool) -> Expect {
        let (word, bit) = (self.depth / 64, self.depth % 64);
        if self.levels.len() <= word {
            self.levels.push(0);
        }
        self.levels[word] = self.levels[word] & !(1 << bit) | u64::from(object) << bit;
        self.depth += 1;
        if object { Expect::Key } else { Expect::Item }
    }

    fn leave(&mut self) -> Expect {
        self.depth -= 1;
        Expect::Next
    }

    fn in_object(&self) -> bool {
        let at = self.depth - 1;
        self.levels[at / 64] >> (at % 64) & 1 == 1
    }
}

/// Whether a byte can be part of a number or literal.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Step) {
        for size in 1..=text.len() {
            let (mut scanner, mut done) = (Scanner::default(), 0);
            let mut found = Step::More;
            for slice in text.as_bytes().chunks(size) {
                found = match scanner.feed(slice) {
                    Step::More => Step::More,
                    Step::End(at) => Step::End(done + at),
                    Step::Error(at) => Step::Error(done + at),
                };
                if found != Step::More {
                    break;
                }
                done += slice.len();
            }
            assert_eq!(found, expected, "{text} in slices of {size}");
        }
    }

    #[test]
    fn ends_and_errors_are_where_they_stand() {
        check("{}", Step::End(2));
        check("{} {}", Step::End(2));
        check(r#"{"a":"}\"{","b":[1,{"c":[]}],"d":null}x"#, Step::End(38));
        check("{\n \"a\": -1.5e+3\n}", Step::End(17));
        check(r#"{"a":[[{"b":"#, Step::More);
        check("{\"a\":\"x\n", Step::Error(7));
        check("{\"a\":1,\n{\"b\"", Step::Error(8));
        check("{\"a\":\n{\"b\"", Step::Error(6));
        check("{\"a\":[1,\n{\"b\"", Step::Error(9));
        check(r#"{"a" 1}"#, Step::Error(5));
        check(r#"{"a":1]"#, Step::Error(6));
        check(r#"{"a":1,}"#, Step::End(8));
        check(r#"{"a":[1,],}"#, Step::End(11));
        check(r#"{"a":1,,}"#, Step::Error(7));
        check(r#"{,"a":1}"#, Step::Error(1));
    }

    #[test]
    fn depth_is_no_recursion() {
        let deep = "[".repeat(1_000_000);
        let mut scanner = Scanner::default();
        assert_eq!(scanner.feed(br#"{"a":"#), Step::More);
        assert_eq!(scanner.feed(deep.as_bytes()), Step::More);
        assert_eq!(scanner.feed("]".repeat(1_000_000).as_bytes()), Step::More);
        assert_eq!(scanner.feed(b"}"), Step::End(1));
    }
}
