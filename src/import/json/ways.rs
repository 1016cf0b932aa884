//! [`Ways`]: which of several texts the next bytes begin with.
//!
//! The literals of siblings often begin alike (`,"type":"`), so each way is known by the bytes behind what all have in
//! common; those of which these bytes are the same go on together.
//!
//! ```text
//! ,"type":" ─┬─ QUERY_ST ── ART","sql":"
//!            ├─ SOURCE_S ── TART","connectorName":" ─┬─ pg-conn","tupleSourceId":"
//!            │                                       └─ rest-conn","tupleSourceId":"
//!            └─ SOURCE_E ─┬─ ND","connectorName":" ── …
//! ```

/// What begins alike is told apart in so many steps; what is alike even then is tried one by one.
const LEVELS: usize = 8;
/// More than these are tried one by one as well: keys that carry data are many, and each new one changes the ways.
const MANY: usize = 64;

/// The ways that lead to the nodes that may stand in one place.
#[derive(Default)]
pub struct Ways {
    /// How many bytes all their literals begin with.
    common: usize,
    /// Those whose literals end within the mark come first: of the others the next bytes can be like one at most.
    list: Vec<Way>,
}

struct Way {
    /// The first eight bytes after the common ones, as a number.
    mark: u64,
    /// Bits of `mark` that are compared: a literal may be shorter than eight bytes.
    mask: u64,
    to: To,
}

enum To {
    Node(u32),
    More(Box<Ways>),
}

impl Ways {
    /// To nodes with these literals, all of which differ.
    pub fn new(nodes: &[(u32, &[u8])]) -> Self {
        Self::in_levels(nodes, LEVELS)
    }

    fn in_levels(nodes: &[(u32, &[u8])], levels: usize) -> Self {
        let first = nodes.first().map_or(&[][..], |(_, first)| first);
        let alike = |other: &[u8]| first.iter().zip(other).take_while(|(a, b)| a == b).count();
        let common = nodes.iter().map(|(_, literal)| alike(literal)).min().unwrap_or(0);
        let is_flat = levels == 1 || nodes.len() > MANY;
        let (mut list, mut alike): (Vec<Way>, Vec<(u64, Vec<_>)>) = Default::default();
        for &(node, literal) in nodes {
            let (mark, mask) = mark_of(&literal[common..]);
            if is_flat || mask != !0 {
                list.push(Way { mark, mask, to: To::Node(node) });
                continue;
            }
            match alike.iter_mut().find(|(of, _)| *of == mark) {
                Some((_, those)) => those.push((node, literal)),
                None => alike.push((mark, vec![(node, literal)])),
            }
        }
        list.extend(alike.into_iter().map(|(mark, those)| {
            let to = match those[..] {
                [(node, _)] => To::Node(node),
                _ => To::More(Box::new(Self::in_levels(&those, levels - 1))),
            };
            Way { mark, mask: !0, to }
        }));
        Self { common, list }
    }

    /// Those that the next bytes may begin with: all whose mark is there. Whether they do is for the caller to see.
    #[inline]
    fn like(&self, rest: &[u8]) -> impl Iterator<Item = &To> {
        let mark =
            rest.get(self.common..).and_then(|rest| rest.first_chunk::<8>()).map(|b| u64::from_le_bytes(*b));
        let is_like = move |way: &&Way| mark.is_none_or(|mark| mark & way.mask == way.mark);
        self.list.iter().filter(is_like).map(|way| &way.to)
    }

    /// The first of these nodes of which `read` makes something.
    #[inline]
    pub fn find<T>(&self, rest: &[u8], mut read: impl FnMut(u32) -> Option<T>) -> Option<T> {
        let mut ways = self;
        'down: loop {
            for to in ways.like(rest) {
                match to {
                    To::Node(node) => {
                        if let Some(found) = read(*node) {
                            return Some(found);
                        }
                    }
                    To::More(more) => {
                        ways = more;
                        continue 'down;
                    }
                }
            }
            return None;
        }
    }
}

/// The mark of what is left of a literal, and its mask.
fn mark_of(literal: &[u8]) -> (u64, u64) {
    let mut bytes = [[0; 8]; 2];
    literal.iter().take(8).enumerate().for_each(|(at, &byte)| (bytes[0][at], bytes[1][at]) = (byte, !0));
    (u64::from_le_bytes(bytes[0]), u64::from_le_bytes(bytes[1]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(literals: &[&str]) {
        let nodes: Vec<(u32, &[u8])> = (0..).zip(literals).map(|(at, text)| (at, text.as_bytes())).collect();
        let ways = Ways::new(&nodes);
        let begins = |text: &str, node: u32| text.starts_with(literals[node as usize]).then_some(node);
        for (node, literal) in (0..).zip(literals) {
            // Of those that begin one another any may come first: here it is asked for each alone.
            let text = format!("{literal}12345678");
            let found =
                ways.find(text.as_bytes(), |found| begins(&text, found).filter(|found| *found == node));
            assert_eq!(found, Some(node), "{literal}");
            let other = format!("-{literal}12345678");
            assert_eq!(
                ways.find(other.as_bytes(), |found| begins(&other, found)
                    .filter(|n| !literals[*n as usize].is_empty())),
                None,
                "{other}"
            );
        }
    }

    #[test]
    fn every_literal_is_found() {
        check(&["a"]);
        check(&["", "a", "ab"]);
        check(&[",\"type\":\"START\",\"x\":", ",\"type\":\"START\",\"y\":", ",\"type\":\"END\"", ",\"t\":"]);
        // Each begins with all before it, and there are more of them than levels.
        let chain: Vec<String> = (0..40).map(|number| "k".repeat(9 * (number * 7 % 40))).collect();
        check(&chain.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
