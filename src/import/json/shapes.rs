//! Learned shapes: a program writes its records in the same few shapes, so the text between two values is learned once
//! and afterwards only compared. Words (the type of an event, the name of a database) have few distinct values, too:
//! they are learned as part of the text around them, and are neither read nor looked up again.
//!
//! ```text
//! {"type":"END","queryId":" … ","timestamp": … }      literals, which include the word END, and the values between them
//! ```
//! The learned literals form a tree: the literal before a value, its value, the literals that may follow. A record that
//! leaves the tree is read by the full parser and, if valid, learned. Every record that this reader accepts, the full
//! parser accepts with the same values, which `tests/laws.rs` verifies.

use std::borrow::Cow;

use super::outline::{LiteralPart, Outline, OutlineStep};
use super::prefix_trie::PrefixTrie;
use super::scalar::scalar;
use super::scanner::{self, Scanner};
use super::{Text, find, string_value};
use crate::base::bytes_eq;
use crate::base::interner::{Interner, StrId};
use crate::import::scalars::values::{Cell, CellType, Class, Plain, SLOTS, Slot, Values};

/// Maximum number of nodes. Shapes are few: more nodes mean that keys or words carry data, and learning would only cost memory.
const MAX_NODES: usize = 4096;
/// Maximum number of literals that are learned for one position.
const MAX_SIBLINGS: usize = 512;
/// Maximum number of distinct words of a field; the values of a field with more words are treated as texts.
const MAX_WORDS: usize = 32;

/// A text between two values that records are compared with, and the words that are part of it.
struct Literal {
    bytes: Box<[u8]>,
    words: Box<[(Slot, StrId)]>,
    line_ends: u64,
}

impl Literal {
    #[inline]
    fn begins(&self, bytes: &[u8]) -> bool {
        bytes_eq::starts_with(bytes, &self.bytes)
    }

    #[inline]
    fn set_words(&self, values: &mut Values) {
        self.words.iter().for_each(|&(slot, word)| values.set(slot, Cell::Word(word)));
    }
}

struct SchemaNode {
    /// Text from the end of the previous value to the start of this value, including the opening quote of a string.
    before: Literal,
    /// Slot and class of the value; `None` for a key that the format does not know.
    known: Known,
    text: bool,
    next: Siblings,
    /// Texts that may follow the value at the end of a record, such as `}` or `\n}`, each with the number of the
    /// resulting shape.
    ends: Vec<(Literal, u32)>,
}

/// The nodes that may follow at one position, in the order in which they were learned.
#[derive(Default)]
struct Siblings {
    list: Vec<u32>,
    trie: PrefixTrie,
}

/// Slot and class of a key; `None` for a key that the format does not know.
pub type Known = Option<(Slot, Class)>;

/// The fields of a format's records.
pub trait Schema {
    /// Called before the outline of each record.
    fn begin(&mut self) {}
    /// Whether to enter the object at `path`: the keys of the enclosing objects, followed by its own key.
    fn enter(&mut self, _path: &[&str]) -> bool {
        false
    }
    /// Returns slot and class of a member of the record itself, by its key.
    fn field(&self, key: &str) -> Known;
    /// Returns slot and class of the member at `path`, which is not an object; `None` to leave such records to the full parser.
    fn member(&mut self, path: &[&str]) -> Option<Known> {
        path.last().map(|key| self.field(key))
    }
    /// Returns the content of a string of a parsed record.
    fn content<'t>(&self, text: Text<'t>) -> Cow<'t, str> {
        text.content()
    }
    /// Returns the end of the array that begins at `at` of a record's text and is the value of `slot`; `None` to leave
    /// the record to the full parser. A format that needs the items reads them in this call.
    #[inline]
    fn array(&mut self, _slot: Slot, text: &str, at: usize, scanner: &mut Scanner) -> Option<usize> {
        array_end(text, at, scanner)
    }
    /// Called when the shape of the most recently outlined record is new; returns the number to identify the shape.
    fn learned(&mut self, _strings: &mut Interner) -> u32 {
        0
    }
}

/// Schema of flat records with known keys.
impl Schema for fn(&str) -> Known {
    fn field(&self, key: &str) -> Known {
        self(key)
    }
}

/// A record that was read: its length and shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Match {
    /// Length of the record, in bytes.
    pub length: usize,
    /// Number of line ends in the record.
    pub line_ends: u64,
    /// The number that [`Schema::learned`] returned for the shape; 0 for a record that was parsed.
    pub shape: u32,
}

/// The shapes learned so far.
pub struct LearnedShapes<S = fn(&str) -> Known> {
    /// The schema of the records.
    pub schema: S,
    pub(super) scanner: Scanner,
    nodes: Vec<SchemaNode>,
    roots: Siblings,
    /// Words that were found so far, by field (slot).
    words: [Vec<StrId>; SLOTS],
    /// Bit set of the fields that were found to have too many words.
    many: u64,
}

impl<S: Schema> LearnedShapes<S> {
    /// Creates the list of shapes, which is empty until records are learned.
    pub fn new(schema: S) -> Self {
        let (words, scanner) = (std::array::from_fn(|_| Vec::new()), Scanner::default());
        Self { schema, scanner, nodes: Vec::new(), roots: Siblings::default(), words, many: 0 }
    }

    /// Reads the record at the start of `text`; `None` if its shape is unknown or it is incomplete.
    #[inline]
    pub fn read(&mut self, text: &str, values: &mut Values) -> Option<Match> {
        let text = text.get(..text.len().min(u32::MAX as usize))?;
        values.clear();
        let Self { schema, scanner, nodes, roots, .. } = self;
        // Strings have no line ends, and the line ends of arrays are counted with the literal that follows.
        let mut at = 0;
        let mut line_ends = 0;
        let mut trie = &roots.trie;
        loop {
            let rest = &text.as_bytes()[at..];
            let (node, end) = trie.find(rest, |number| {
                let node = &nodes[number as usize];
                let start = at + node.before.bytes.len();
                node.before
                    .begins(rest)
                    .then(|| value(text, start, node, schema, scanner, values))
                    .flatten()
                    .map(|end| (node, end))
            })?;
            node.before.set_words(values);
            line_ends += node.before.line_ends;
            let value = &rest[node.before.bytes.len()..end - at];
            if !node.text && value.first() == Some(&b'[') {
                line_ends += super::line_ends(value);
            }
            at = end;
            // Any value at the very end of the text may continue after it, so the record is incomplete.
            let rest = text.as_bytes().get(at..).filter(|rest| !rest.is_empty())?;
            if let Some((end, shape)) = node.ends.iter().find(|(end, _)| end.begins(rest)) {
                end.set_words(values);
                let (length, line_ends) = (at + end.bytes.len(), line_ends + end.line_ends);
                return Some(Match { length, line_ends, shape: *shape });
            }
            trie = &node.next.trie;
        }
    }

    /// Learns the shape of a record that the full parser found valid. Shapes that only the full parser can judge
    /// (escapes in keys, repeated keys, nested values, fractions) are not learned.
    pub fn learn(&mut self, record: &str, strings: &mut Interner) {
        let record = record.trim_end();
        let Some(mut outline) = self.outline(record, strings) else { return };
        while let Some(crowded) = self.crowded(&outline) {
            self.forget(crowded);
            let Some(again) = self.outline(record, strings) else { return };
            outline = again;
        }
        if self.nodes.len() + outline.steps.len() <= MAX_NODES {
            self.add(outline, strings);
        }
    }

    fn outline<'a>(&mut self, record: &'a str, strings: &mut Interner) -> Option<Outline<'a>> {
        Outline::of(record, self.many, &mut self.schema, &mut self.scanner, strings)
    }

    /// Returns the field that must be treated as text so that this record can be learned, if one has too many words.
    fn crowded(&self, outline: &Outline) -> Option<Slot> {
        let parts = outline.steps.iter().map(|step| &step.before).chain([&outline.end]);
        let is_full = |&(slot, word): &(Slot, StrId)| {
            let words = &self.words[usize::from(slot)];
            words.len() >= MAX_WORDS && !words.contains(&word)
        };
        if let Some(&(slot, _)) = parts.flat_map(|part| &part.words).find(|word| is_full(word)) {
            return Some(slot);
        }
        let fits = self.nodes.len() + outline.steps.len() <= MAX_NODES;
        let slot = (0..SLOTS).max_by_key(|&slot| self.words[slot].len()).filter(|_| !fits)?;
        (self.words[slot].len() > 1).then_some(slot as Slot)
    }

    /// Forgets all shapes, and treats this field of words as text from now on.
    fn forget(&mut self, slot: Slot) {
        self.many |= 1 << slot;
        self.nodes.clear();
        self.roots = Siblings::default();
        self.words.iter_mut().for_each(Vec::clear);
    }

    fn add(&mut self, outline: Outline, strings: &mut Interner) {
        let mut at: Option<u32> = None;
        for step in outline.steps {
            self.remember(&step.before);
            let Some(child) = self.child(at, step) else { return };
            at = Some(child);
        }
        self.remember(&outline.end);
        if let Some(last) = at.map(|at| &mut self.nodes[at as usize])
            && !last.ends.iter().any(|(known, _)| *known.bytes == *outline.end.bytes)
        {
            last.ends.push((outline.end.literal(), self.schema.learned(strings)));
        }
    }

    fn remember(&mut self, part: &LiteralPart) {
        for &(slot, word) in &part.words {
            let words = &mut self.words[usize::from(slot)];
            if !words.contains(&word) {
                words.push(word);
            }
        }
    }

    fn siblings(&mut self, parent: Option<u32>) -> &mut Siblings {
        match parent {
            Some(parent) => &mut self.nodes[parent as usize].next,
            None => &mut self.roots,
        }
    }

    /// Returns the node of a step below `parent`, adding it if necessary; `None` if `parent` has too many children.
    fn child(&mut self, parent: Option<u32>, step: OutlineStep) -> Option<u32> {
        let siblings = parent.map_or(&self.roots, |p| &self.nodes[p as usize].next);
        let is_same = |of: &&u32| *self.nodes[**of as usize].before.bytes == *step.before.bytes;
        if let Some(&sibling) = siblings.list.iter().find(is_same) {
            return Some(sibling);
        }
        if siblings.list.len() >= MAX_SIBLINGS {
            return None;
        }
        let id = self.nodes.len() as u32;
        let OutlineStep { before, known, text } = step;
        self.nodes.push(SchemaNode {
            before: before.literal(),
            known,
            text,
            next: Siblings::default(),
            ends: Vec::new(),
        });
        let mut list = std::mem::take(&mut self.siblings(parent).list);
        list.push(id);
        let literal = |&node: &u32| (node, &*self.nodes[node as usize].before.bytes);
        let trie = PrefixTrie::new(&list.iter().map(literal).collect::<Vec<_>>());
        *self.siblings(parent) = Siblings { list, trie };
        Some(id)
    }
}

impl LiteralPart<'_> {
    fn literal(self) -> Literal {
        let line_ends = self.bytes.iter().filter(|&&byte| byte == b'\n').count() as u64;
        Literal { bytes: self.bytes.into(), words: self.words.into(), line_ends }
    }
}

/// Reads the value of `node` at `at` into its slot, and returns the end of the value. A value that is not of the
/// node's class is left to the full parser, which reports it.
#[inline]
fn value(
    text: &str,
    at: usize,
    node: &SchemaNode,
    schema: &mut impl Schema,
    scanner: &mut Scanner,
    values: &mut Values,
) -> Option<usize> {
    let bytes = text.as_bytes();
    if !node.text {
        let found = match (scalar(bytes, at), node.known) {
            (None, Some((slot, Class::Any))) if bytes.get(at) == Some(&b'[') => {
                Plain::raw(at as u32, schema.array(slot, text, at, scanner)? as u32)
            }
            (found, _) => found?,
        };
        match (node.known, found.sort) {
            (None, _) => values.unknown = true,
            (Some((slot, Class::Any)), _)
            | (Some((slot, Class::Decimal)), CellType::Int | CellType::Decimal)
            | (Some((slot, Class::Number | Class::Text | Class::Word | Class::Truth)), CellType::Null)
            | (Some((slot, Class::Number | Class::Text | Class::Word)), CellType::Int)
            | (Some((slot, Class::Truth)), CellType::Bool) => values.put(slot, found),
            _ => return None,
        }
        return Some(found.to as usize);
    }
    let (end, escaped) = find::string_end(bytes, at)?;
    match node.known {
        Some((slot, Class::Text | Class::Word | Class::Any)) if !escaped => {
            values.set(slot, Cell::Text(at as u32, end as u32));
        }
        Some((slot, Class::Text | Class::Word | Class::Any)) => {
            let cell = values.decode(&string_value(text.get(at - 1..=end)?)?);
            values.set(slot, cell);
        }
        // A string with escapes is left to the full parser, since its escapes would not be checked.
        None if !escaped => values.unknown = true,
        _ => return None,
    }
    Some(end + 1)
}

/// Returns the end of the array that begins at `at` of a text; `None` if it is not an array, or incomplete.
pub fn array_end(text: &str, at: usize, scanner: &mut Scanner) -> Option<usize> {
    array(text.as_bytes(), at, scanner)
}

/// Returns the end of an array.
#[inline(never)]
fn array(bytes: &[u8], start: usize, scanner: &mut Scanner) -> Option<usize> {
    scanner.reset_for_value();
    match scanner.feed(bytes.get(start..).filter(|rest| rest.first() == Some(&b'['))?) {
        scanner::Step::End(length) => Some(start + length),
        scanner::Step::More | scanner::Step::Error(_) => None,
    }
}

/// Returns the end of a value; `None` if it is not a value of its class.
pub(super) fn value_end(
    bytes: &[u8],
    at: usize,
    text: bool,
    known: Known,
    scanner: &mut Scanner,
) -> Option<usize> {
    if text {
        return find::string_end(bytes, at).map(|found| found.0 + 1);
    }
    let array = || array(bytes, at, scanner).filter(|_| matches!(known, Some((_, Class::Any))));
    scalar(bytes, at).map(|found| found.to as usize).or_else(array)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot_of(key: &str) -> Known {
        let classes = [("a", Class::Text), ("b", Class::Number), ("c", Class::Truth), ("w", Class::Word)];
        let at = classes.iter().position(|(k, _)| *k == key)?;
        Some((at as Slot, classes[at].1))
    }

    /// Reads `text` with the shape of `learned`; returns the length, and the values by slot.
    fn read(learned: &str, text: &str) -> Option<(usize, Vec<(Slot, Cell)>)> {
        let mut shapes = LearnedShapes::new(slot_of as fn(&str) -> Known);
        shapes.learn(learned, &mut Interner::default());
        let mut values = Values::default();
        let Match { length, line_ends, .. } = shapes.read(text, &mut values)?;
        assert_eq!(line_ends as usize, text[..length].matches('\n').count());
        let known = (0..SLOTS as Slot).filter(|&slot| values.has(slot));
        Some((length, known.map(|slot| (slot, values.get(slot))).collect()))
    }

    #[test]
    fn a_learned_shape_reads_other_values() {
        let values = vec![(0, Cell::Text(6, 9)), (1, Cell::Int(-12, 15, 18))];
        assert_eq!(read(r#"{"a":"","b":1}"#, r#"{"a":"xyz","b":-12}, {"#), Some((19, values)));
        let values = vec![(0, Cell::Null), (2, Cell::Bool(true))];
        assert_eq!(read(r#"{"a":0,"x":2,"c":false}"#, r#"{"a":null,"x":3,"c":true}"#), Some((25, values)));
        let values = vec![(0, Cell::Int(7, 5, 6))];
        assert_eq!(read(r#"{"a":0}"#, r#"{"a":7}"#), Some((7, values)), "a number as text");
        let values = vec![(1, Cell::Int(i64::MAX, 5, 24))];
        assert_eq!(read(r#"{"b":0}"#, r#"{"b":9223372036854775807}"#), Some((25, values)));
        let values = vec![(0, Cell::Decoded(0, 3))];
        assert_eq!(read("{\n  \"a\": \"\"\n}", "{\n  \"a\": \"x\\\"y\"\n}"), Some((17, values)));
    }

    #[test]
    fn words_are_known_by_their_literals() {
        let (mut strings, mut values) = (Interner::default(), Values::default());
        let mut shapes = LearnedShapes::new(slot_of as fn(&str) -> Known);
        let record = |word: &str| format!(r#"{{"w":"{word}","a":"x","b":1}}"#);
        let mut words = Vec::new();
        for number in 0..3 * MAX_WORDS {
            let text = record(&number.to_string());
            let known = shapes.read(&text, &mut values).is_some();
            let is_text = matches!(values.get(3), Cell::Text(..));
            assert_eq!((known, known), (number > MAX_WORDS, is_text), "word {number}");
            shapes.learn(&text, &mut strings);
            if number < MAX_WORDS {
                shapes.read(&text, &mut values);
                words.push(values.get(3));
                assert_eq!(words[number], Cell::Word(strings.intern(&number.to_string())));
            }
        }
        assert_eq!(shapes.nodes.len(), 3, "a field of many words is one of texts");
    }

    #[test]
    fn what_the_full_parser_must_judge_is_left_to_it() {
        let shape = r#"{"a":"","b":1}"#;
        for text in [
            r#"{"a":"x","b":01}"#,
            r#"{"a":"x","b":1.5}"#,
            r#"{"a":"x","b":1e3}"#,
            r#"{"a":"x","b":9223372036854775808}"#,
            r#"{"a":"x","b":19999999999999999999}"#,
            r#"{"a":"x","b":{}}"#,
            r#"{"a":"x","b":-}"#,
            r#"{"a":"x","b":true}"#,
            r#"{"a":"x\q","b":1}"#,
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
