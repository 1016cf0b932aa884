//! Learned shapes: a program writes its records with the same few shapes over and over, so the text between two
//! values is learned once and then only compared.
//!
//! The learned texts are a tree: the literal before a value, its value, the literals that may follow. A record that
//! leaves the tree is read by the full parser and, if that finds it sound, learned. Whatever this reader accepts
//! the full parser accepts with the same values: `tests/laws.rs` holds the two together.

use super::find;
use crate::import::short;

/// The place of a value in [`Values`], below [`SLOTS`].
pub type Slot = u8;

const SLOTS: usize = 32;
/// Stands for a key that the format does not know.
const UNKNOWN: Slot = u8::MAX;
/// Shapes are few; more nodes than these mean that keys carry data, and learning would only cost memory.
const MAX_NODES: usize = 4096;

/// A value, as offsets into the record's text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cell {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number of at most 18 digits, and where it stands.
    Int(i64, u32, u32),
    /// The content of a string without escapes.
    Text(u32, u32),
    /// The content of a string with escapes.
    Escaped(u32, u32),
}

/// The values of one record.
pub struct Values {
    cells: [Cell; SLOTS],
    seen: u32,
    /// Whether there was a key that the format does not know.
    pub unknown: bool,
}

impl Default for Values {
    fn default() -> Self {
        Self { cells: [Cell::Null; SLOTS], seen: 0, unknown: false }
    }
}

impl Values {
    /// The slots that the record has, with their values.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (Slot, Cell)> + '_ {
        let mut left = self.seen;
        std::iter::from_fn(move || {
            let slot = left.checked_ilog2()?;
            left &= !(1 << slot);
            Some((slot as Slot, self.cells[slot as usize]))
        })
    }
}

struct Node {
    /// From the end of the value before to the start of this one, the quote of a string included.
    literal: Box<[u8]>,
    slot: Slot,
    text: bool,
    next: Vec<u32>,
    /// What may follow the value at the end of the record: `}`, `\n}`.
    ends: Vec<Box<[u8]>>,
}

/// The shapes learned so far. `slot_of` names a format's keys.
pub struct Shapes {
    slot_of: fn(&str) -> Option<Slot>,
    nodes: Vec<Node>,
    roots: Vec<u32>,
}

impl Shapes {
    /// No shapes yet.
    pub fn new(slot_of: fn(&str) -> Option<Slot>) -> Self {
        Self { slot_of, nodes: Vec::new(), roots: Vec::new() }
    }

    /// Reads the record at the start of `text`, and returns its length; `None` if its shape is not known or it is
    /// not whole.
    #[inline]
    pub fn read(&self, text: &str, values: &mut Values) -> Option<usize> {
        let bytes = &text.as_bytes()[..text.len().min(u32::MAX as usize)];
        values.seen = 0;
        values.unknown = false;
        let (mut at, mut list) = (0, &self.roots);
        loop {
            let node = self.follow(bytes, at, list)?;
            at = value(bytes, at + node.literal.len(), node, values)?;
            // A number at the very end may go on; so may everything else: the record is not whole.
            bytes.get(at)?;
            if let Some(end) = node.ends.iter().find(|end| short::starts_with(&bytes[at..], end)) {
                return Some(at + end.len());
            }
            list = &node.next;
        }
    }

    #[inline]
    fn follow(&self, bytes: &[u8], at: usize, list: &[u32]) -> Option<&Node> {
        let rest = &bytes[at..];
        list.iter().map(|&n| &self.nodes[n as usize]).find(|node| short::starts_with(rest, &node.literal))
    }

    /// Learns the shape of a record that the full parser found sound. Shapes that only the full parser can judge
    /// (escapes in keys, a key twice, nested values, fractions) are left to it.
    pub fn learn(&mut self, record: &str) {
        let Some((fields, end)) = self.outline(record.trim_end()) else { return };
        if self.nodes.len() + fields.len() > MAX_NODES {
            return;
        }
        let mut at: Option<u32> = None;
        for (literal, slot, text) in fields {
            at = Some(self.child(at, literal, slot, text));
        }
        if let Some(last) = at.map(|at| &mut self.nodes[at as usize])
            && !last.ends.iter().any(|known| **known == *end)
        {
            last.ends.push(end.into());
        }
    }

    fn child(&mut self, parent: Option<u32>, literal: &[u8], slot: Slot, text: bool) -> u32 {
        let siblings = parent.map_or(&self.roots, |p| &self.nodes[p as usize].next);
        if let Some(&known) = siblings.iter().find(|&&n| *self.nodes[n as usize].literal == *literal) {
            return known;
        }
        let id = self.nodes.len() as u32;
        self.nodes.push(Node { literal: literal.into(), slot, text, next: Vec::new(), ends: Vec::new() });
        match parent {
            Some(parent) => self.nodes[parent as usize].next.push(id),
            None => self.roots.push(id),
        }
        id
    }

    /// The literals of a record, and what follows its last value.
    fn outline<'a>(&self, record: &'a str) -> Option<(Vec<Field<'a>>, &'a [u8])> {
        let bytes = record.as_bytes();
        let (mut fields, mut keys) = (Vec::<Field>::new(), Vec::new());
        let mut literal_start = 0;
        let mut at = skip_space(bytes, 1);
        while bytes.get(at) == Some(&b'"') {
            let key_end = find::special(bytes, at + 1);
            let key = record.get(at + 1..key_end)?;
            at = skip_space(bytes, key_end + 1);
            if bytes.get(key_end) != Some(&b'"') || bytes.get(at) != Some(&b':') || keys.contains(&key) {
                return None;
            }
            keys.push(key);
            at = skip_space(bytes, at + 1);
            let text = bytes.get(at) == Some(&b'"');
            at += usize::from(text);
            let slot = (self.slot_of)(key).unwrap_or(UNKNOWN);
            // Two spellings of one field in one record are for the full parser, which knows which one counts.
            if slot != UNKNOWN && fields.iter().any(|field| field.1 == slot) {
                return None;
            }
            fields.push((&bytes[literal_start..at], slot, text));
            at = value_end(bytes, at, text)?;
            literal_start = at;
            at = skip_space(bytes, at);
            if bytes.get(at) == Some(&b',') {
                at = skip_space(bytes, at + 1);
            }
        }
        Some((fields, &bytes[literal_start..]))
    }
}

type Field<'a> = (&'a [u8], Slot, bool);

/// Reads the value of `node` at `at` into its slot, and returns where it ends.
#[inline]
fn value(bytes: &[u8], at: usize, node: &Node, values: &mut Values) -> Option<usize> {
    let (cell, end) = if node.text { string(bytes, at)? } else { scalar(bytes, at)? };
    if node.slot == UNKNOWN {
        // A string whose escapes nobody decodes would not be checked.
        if matches!(cell, Cell::Escaped(..)) {
            return None;
        }
        values.unknown = true;
    } else {
        values.cells[usize::from(node.slot)] = cell;
        values.seen |= 1 << node.slot;
    }
    Some(end)
}

#[inline]
fn string(bytes: &[u8], start: usize) -> Option<(Cell, usize)> {
    let (mut at, mut escaped) = (start, false);
    loop {
        at = find::special(bytes, at);
        match bytes.get(at)? {
            b'"' => break,
            b'\\' => {
                escaped = true;
                at += 2;
            }
            _ => return None,
        }
    }
    let (from, to) = (start as u32, at as u32);
    Some((if escaped { Cell::Escaped(from, to) } else { Cell::Text(from, to) }, at + 1))
}

/// A whole number of at most 18 digits, `null`, `true` or `false`; anything else is for the full parser.
#[inline]
fn scalar(bytes: &[u8], start: usize) -> Option<(Cell, usize)> {
    let negative = bytes.get(start) == Some(&b'-');
    let first = start + usize::from(negative);
    let (mut at, mut number) = (first, 0_i64);
    // Timestamps are long: eight digits at a time while there are as many.
    while let Some(eight) = bytes.get(at..).and_then(|rest| rest.first_chunk()).and_then(eight_digits)
        && at < first + 16
    {
        number = number * 100_000_000 + eight;
        at += 8;
    }
    while let Some(digit) = bytes.get(at).map(|b| b.wrapping_sub(b'0')).filter(|d| *d < 10) {
        number = number.wrapping_mul(10).wrapping_add(i64::from(digit));
        at += 1;
    }
    let digits = at - first;
    if digits == 0 {
        return word(bytes, start);
    }
    let leading_zero = digits > 1 && bytes[first] == b'0';
    let goes_on = bytes.get(at).is_some_and(|b| matches!(b, b'.' | b'e' | b'E'));
    if digits > 18 || leading_zero || goes_on {
        return None;
    }
    Some((Cell::Int(if negative { -number } else { number }, start as u32, at as u32), at))
}

/// The number that eight digits are: neighbours are joined to pairs, pairs to fours, fours to the whole.
#[inline]
fn eight_digits(bytes: &[u8; 8]) -> Option<i64> {
    let digits = u64::from_le_bytes(*bytes) ^ 0x3030_3030_3030_3030;
    // A byte above 9 has a bit of its upper half set, here or once 6 is added.
    if (digits | digits.wrapping_add(0x0606_0606_0606_0606)) & 0xF0F0_F0F0_F0F0_F0F0 != 0 {
        return None;
    }
    let pairs = (digits * 10 + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    Some(((fours * 10_000 + (fours >> 32)) & 0xFFFF_FFFF) as i64)
}

fn word(bytes: &[u8], at: usize) -> Option<(Cell, usize)> {
    const WORDS: [(&[u8], Cell); 3] =
        [(b"null", Cell::Null), (b"true", Cell::Bool(true)), (b"false", Cell::Bool(false))];
    let rest = bytes.get(at..)?;
    let (text, cell) = WORDS.into_iter().find(|(text, _)| rest.starts_with(text))?;
    Some((cell, at + text.len()))
}

fn value_end(bytes: &[u8], at: usize, text: bool) -> Option<usize> {
    if text { string(bytes, at).map(|found| found.1) } else { scalar(bytes, at).map(|found| found.1) }
}

fn skip_space(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(|b| matches!(b, b' ' | b'\t' | b'\r' | b'\n')) {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot_of(key: &str) -> Option<Slot> {
        ["a", "b", "c"].iter().position(|k| *k == key).map(|at| at as Slot)
    }

    /// What a reader that learned `learned` makes of `text`: the length, and the values by slot.
    fn read(learned: &str, text: &str) -> Option<(usize, Vec<(Slot, Cell)>)> {
        let mut shapes = Shapes::new(slot_of);
        shapes.learn(learned);
        let mut values = Values::default();
        let length = shapes.read(text, &mut values)?;
        let mut cells: Vec<_> = values.iter().collect();
        cells.reverse();
        Some((length, cells))
    }

    #[test]
    fn a_learned_shape_reads_other_values() {
        let values = vec![(0, Cell::Text(6, 9)), (1, Cell::Int(-12, 15, 18))];
        assert_eq!(read(r#"{"a":"","b":1}"#, r#"{"a":"xyz","b":-12}, {"#), Some((19, values)));
        let values = vec![(0, Cell::Null), (1, Cell::Bool(true))];
        assert_eq!(read(r#"{"a":0,"x":2,"b":1}"#, r#"{"a":null,"x":3,"b":true}"#), Some((25, values)));
        let values = vec![(0, Cell::Escaped(10, 14))];
        assert_eq!(read("{\n  \"a\": \"\"\n}", "{\n  \"a\": \"x\\\"y\"\n}"), Some((17, values)));
    }

    #[test]
    fn eight_digits_are_what_the_library_reads() {
        for text in ["00000000", "12345678", "99999999", "90000001"] {
            let bytes = text.as_bytes().try_into().expect("eight bytes");
            assert_eq!(eight_digits(bytes), text.parse().ok());
            for (at, byte) in (0..8).flat_map(|at| (0..=255_u8).map(move |byte| (at, byte))) {
                let mut other = *bytes;
                other[at] = byte;
                assert_eq!(eight_digits(&other).is_some(), byte.is_ascii_digit(), "{byte} at {at}");
            }
        }
    }

    #[test]
    fn what_the_full_parser_must_judge_is_left_to_it() {
        let shape = r#"{"a":"","b":1}"#;
        for text in [
            r#"{"a":"x","b":01}"#,
            r#"{"a":"x","b":1.5}"#,
            r#"{"a":"x","b":1e3}"#,
            r#"{"a":"x","b":1234567890123456789}"#,
            r#"{"a":"x","b":{}}"#,
            r#"{"a":"x","b":-}"#,
            "{\"a\":\"x\ny\",\"b\":1}",
            r#"{"a":"x","b":1"#,
            r#"{"a":"x","b":1"c":2}"#,
            r#"{"b":1,"a":"x"}"#,
            "",
        ] {
            assert_eq!(read(shape, text), None, "{text}");
        }
        assert_eq!(read(r#"{"a":1,"a":2}"#, r#"{"a":1,"a":2}"#), None, "a key twice");
        assert_eq!(read(r#"{"\u0061":1}"#, r#"{"\u0061":1}"#), None, "an escape in a key");
        assert_eq!(read("{}", "{}"), None, "nothing to learn");
    }
}
