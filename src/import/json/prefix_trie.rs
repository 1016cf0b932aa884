//! [`PrefixTrie`]: determines which of several literals the next bytes begin with.
//!
//! Literals of siblings often share a prefix (`,"type":"`), so each branch is identified by a mark, the eight bytes
//! after the common prefix. Literals with equal marks share a branch, with a trie of their own below it.
//!
//! ```text
//! ,"type":" ─┬─ QUERY_ST ── ART","sql":"
//!            ├─ SOURCE_S ── TART","connectorName":" ─┬─ pg-conn","tupleSourceId":"
//!            │                                       └─ rest-conn","tupleSourceId":"
//!            └─ SOURCE_E ─┬─ ND","connectorName":" ── …
//! ```

/// Maximum depth of the trie; literals with equal marks on all levels are tried one by one.
const LEVELS: usize = 8;
/// Above this number, literals are tried one by one: keys that carry data are numerous, and each new one changes the trie.
const MANY: usize = 64;

/// Index over the nodes that may follow at one position of a record, by the text with which they begin.
#[derive(Default)]
pub struct PrefixTrie {
    /// Length of the common prefix of all literals.
    common: usize,
    /// Branches whose literals end within the mark are first: at most one of the remaining branches matches the next bytes.
    branches: Vec<PrefixBranch>,
}

struct PrefixBranch {
    /// The first eight bytes after the common prefix, as a number.
    mark: u64,
    /// Bits of `mark` that are compared: a literal may be shorter than eight bytes.
    mask: u64,
    target: PrefixTarget,
}

enum PrefixTarget {
    Node(u32),
    Subtrie(Box<PrefixTrie>),
}

impl PrefixTrie {
    /// Creates a trie of nodes with these literals, which must be distinct.
    pub fn new(nodes: &[(u32, &[u8])]) -> Self {
        Self::in_levels(nodes, LEVELS)
    }

    fn in_levels(nodes: &[(u32, &[u8])], levels: usize) -> Self {
        let first = nodes.first().map_or(&[][..], |(_, first)| first);
        let shared = |other: &[u8]| first.iter().zip(other).take_while(|(a, b)| a == b).count();
        let common = nodes.iter().map(|(_, literal)| shared(literal)).min().unwrap_or(0);
        let is_flat = levels == 1 || nodes.len() > MANY;
        let mut branches = Vec::new();
        let mut by_mark: Vec<(u64, Vec<_>)> = Vec::new();
        for &(node, literal) in nodes {
            let (mark, mask) = mark_of(&literal[common..]);
            if is_flat || mask != !0 {
                branches.push(PrefixBranch { mark, mask, target: PrefixTarget::Node(node) });
                continue;
            }
            match by_mark.iter_mut().find(|(of, _)| *of == mark) {
                Some((_, literals)) => literals.push((node, literal)),
                None => by_mark.push((mark, vec![(node, literal)])),
            }
        }
        branches.extend(by_mark.into_iter().map(|(mark, literals)| {
            let target = match literals[..] {
                [(node, _)] => PrefixTarget::Node(node),
                _ => PrefixTarget::Subtrie(Box::new(Self::in_levels(&literals, levels - 1))),
            };
            PrefixBranch { mark, mask: !0, target }
        }));
        Self { common, branches }
    }

    /// Returns the nodes and subtries whose mark matches the next bytes. The caller must compare the whole literal.
    #[inline]
    fn candidates(&self, rest: &[u8]) -> impl Iterator<Item = &PrefixTarget> {
        let mark =
            rest.get(self.common..).and_then(|rest| rest.first_chunk::<8>()).map(|b| u64::from_le_bytes(*b));
        let fits = move |branch: &&PrefixBranch| mark.is_none_or(|mark| mark & branch.mask == branch.mark);
        self.branches.iter().filter(fits).map(|branch| &branch.target)
    }

    /// Returns the first result of `read` for a node whose mark matches the next bytes.
    #[inline]
    pub fn find<T>(&self, rest: &[u8], mut read: impl FnMut(u32) -> Option<T>) -> Option<T> {
        let mut trie = self;
        'down: loop {
            for target in trie.candidates(rest) {
                match target {
                    PrefixTarget::Node(node) => {
                        if let Some(found) = read(*node) {
                            return Some(found);
                        }
                    }
                    PrefixTarget::Subtrie(subtrie) => {
                        trie = subtrie;
                        continue 'down;
                    }
                }
            }
            return None;
        }
    }
}

/// Returns the mark of the rest of a literal, and its mask.
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
        let trie = PrefixTrie::new(&nodes);
        let begins = |text: &str, node: u32| text.starts_with(literals[node as usize]).then_some(node);
        for (node, literal) in (0..).zip(literals) {
            // If one literal is a prefix of another, either may be found first, so each is searched on its own.
            let text = format!("{literal}12345678");
            let found =
                trie.find(text.as_bytes(), |found| begins(&text, found).filter(|found| *found == node));
            assert_eq!(found, Some(node), "{literal}");
            let other = format!("-{literal}12345678");
            assert_eq!(
                trie.find(other.as_bytes(), |found| begins(&other, found)
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
        // Each literal is a prefix of all longer ones, and there are more of them than levels.
        let chain: Vec<String> = (0..40).map(|number| "k".repeat(9 * (number * 7 % 40))).collect();
        check(&chain.iter().map(String::as_str).collect::<Vec<_>>());
    }
}
