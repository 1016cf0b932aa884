//! The outline of a record: its values and the text between them. Only for a record that the full parser found valid.

use super::shapes::{Known, Schema, value_end};
use super::{Scanner, find};
use crate::base::interner::{Interner, StrId};
use crate::import::scalars::values::{Class, SLOTS, Slot};

/// The values of a record and the texts between them, from which the record's shape is learned.
pub struct Outline<'a> {
    pub steps: Vec<OutlineStep<'a>>,
    /// Text after the last value.
    pub end: LiteralPart<'a>,
}

/// One value of a record, with the text between the previous value and this value.
pub struct OutlineStep<'a> {
    pub before: LiteralPart<'a>,
    pub known: Known,
    pub text: bool,
}

/// Text of a record that is to be learned as a `Literal`, and the words in it.
#[derive(Default)]
pub struct LiteralPart<'a> {
    pub bytes: &'a [u8],
    pub words: Vec<(Slot, StrId)>,
}

impl<'a> Outline<'a> {
    /// Returns the outline of a record; `None` if only the full parser can judge similar records (escapes in keys, repeated
    /// keys, values that the schema does not enter). `many` has a bit for each field whose words are treated as texts.
    pub fn of(
        record: &'a str,
        many: u64,
        schema: &mut dyn Schema,
        scanner: &mut Scanner,
        strings: &mut Interner,
    ) -> Option<Self> {
        schema.begin();
        let mut drawing = Drawing { record, at: 0, drawn: 0, many, words: Vec::new(), steps: Vec::new() };
        drawing.object(schema, scanner, strings)?;
        let end = LiteralPart { bytes: &record.as_bytes()[drawing.drawn..], words: drawing.words };
        Some(Self { steps: drawing.steps, end })
    }
}

struct Drawing<'a> {
    record: &'a str,
    at: usize,
    /// Position of the end of the last value, in the record.
    drawn: usize,
    many: u64,
    /// Words (values that are learned as part of the text) since the end of the last value.
    words: Vec<(Slot, StrId)>,
    steps: Vec<OutlineStep<'a>>,
}

impl<'a> Drawing<'a> {
    /// Reads the record, including the nested objects that the schema enters.
    fn object(
        &mut self,
        schema: &mut dyn Schema,
        scanner: &mut Scanner,
        strings: &mut Interner,
    ) -> Option<()> {
        // `path`: keys of the open objects. `keys`: keys of all members, with the number of their object.
        let mut path = Vec::new();
        let mut open = vec![0];
        let mut keys = Vec::new();
        let mut slots = 0_u64;
        self.at = 1;
        loop {
            match self.peek()? {
                b',' => self.at += 1,
                b'}' => {
                    self.at += 1;
                    open.pop();
                    if path.pop().is_none() {
                        return Some(());
                    }
                }
                _ => {
                    let key = self.key()?;
                    let member = (*open.last()?, key);
                    if keys.contains(&member) {
                        return None;
                    }
                    keys.push(member);
                    path.push(key);
                    if self.peek()? == b'{' {
                        schema.enter(&path).then(|| open.push(keys.len()))?;
                        self.at += 1;
                        continue;
                    }
                    let known = schema.member(&path)?;
                    path.pop();
                    if let Some((slot, _)) = known {
                        // If a record spells one field in two ways, only the full parser knows which value counts.
                        if usize::from(slot) >= SLOTS || slots >> slot & 1 == 1 {
                            return None;
                        }
                        slots |= 1 << slot;
                    }
                    self.value(known, scanner, strings)?;
                }
            }
        }
    }

    fn key(&mut self) -> Option<&'a str> {
        let (bytes, start) = (self.record.as_bytes(), self.at + 1);
        let end = find::special(bytes, start);
        let is_plain = bytes.get(self.at) == Some(&b'"') && bytes.get(end) == Some(&b'"');
        self.at = end + 1;
        let colon = self.peek() == Some(b':');
        self.at += 1;
        self.record.get(start..end).filter(|_| is_plain && colon)
    }

    fn value(&mut self, known: Known, scanner: &mut Scanner, strings: &mut Interner) -> Option<()> {
        let bytes = self.record.as_bytes();
        let text = self.peek()? == b'"';
        let start = self.at + usize::from(text);
        if let Some((slot, word, end)) = self.word(start, known).filter(|_| text) {
            self.words.push((slot, strings.intern(word)));
            self.at = end;
            return Some(());
        }
        let before = LiteralPart { bytes: &bytes[self.drawn..start], words: std::mem::take(&mut self.words) };
        self.steps.push(OutlineStep { before, known, text });
        self.at = value_end(bytes, start, text, known, scanner)?;
        self.drawn = self.at;
        Some(())
    }

    /// Returns slot and content of the word whose quote is at `start`, and the end of its string; `None` if the
    /// field's values are not words.
    fn word(&self, start: usize, known: Known) -> Option<(Slot, &'a str, usize)> {
        let (slot, _) = known.filter(|&(slot, class)| class == Class::Word && self.many >> slot & 1 == 0)?;
        let (end, escaped) = find::string_end(self.record.as_bytes(), start)?;
        Some((slot, self.record.get(start..end)?, end + 1)).filter(|_| !escaped)
    }

    /// Returns the next byte that is not white space.
    fn peek(&mut self) -> Option<u8> {
        let bytes = self.record.as_bytes();
        while bytes.get(self.at).is_some_and(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        bytes.get(self.at).copied()
    }
}
