//! Words of a trace as hashes: an address or a link names groups and attributes by them, and says nothing of what they
//! are called.

use super::attribute_names::{self, same};
use super::keys;

/// Before the digits of a hash.
pub const SIGN: char = '~';
/// Hexadecimal digits of a hash: among ten thousand words, two share one in one case of twenty thousand.
const DIGITS: usize = 10;

/// What measures are of besides: parts of their grammar.
const OF_MEASURES: [&str; 2] = ["self", "server time"];

/// The hash of a text: FNV-1a, folded to 40 bits.
#[must_use]
pub fn hash(text: &str) -> String {
    format!("{SIGN}{:0DIGITS$x}", hash_of_bytes(text.bytes()))
}

/// The hash of bytes as a number of 40 bits.
pub(crate) fn hash_of_bytes(bytes: impl Iterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325, step);
    (hash ^ hash >> 40) & 0xff_ffff_ffff
}

/// The hash of an attribute's name, whose case, blanks and underscores do not matter.
#[must_use]
pub fn hash_of_name(name: &str) -> String {
    let plain = |c: char| if c == '_' { ' ' } else { c.to_ascii_lowercase() };
    hash(&name.trim().chars().map(plain).collect::<String>())
}

/// Whether a text looks like a hash.
#[must_use]
pub fn is_hash(text: &str) -> bool {
    text.strip_prefix(SIGN)
        .is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether `asked` is this text, or its hash.
#[must_use]
pub fn is_text(asked: &str, text: &str) -> bool {
    asked == text || is_hash(asked) && hash(text) == asked
}

/// Whether `asked` is this name of an attribute, or its hash.
#[must_use]
pub fn is_name(asked: &str, name: &str) -> bool {
    same(name, asked) || is_hash(asked.trim()) && hash_of_name(name) == asked.trim()
}

/// Whether an attribute is called so in traces of many kinds: its name says nothing of one trace.
#[must_use]
pub fn is_common(name: &str) -> bool {
    let known = keys::KNOWN.iter().map(|(known, _)| *known);
    let common = attribute_names::OF_ALL
        .into_iter()
        .chain(attribute_names::OF_FORMATS)
        .chain(OF_MEASURES)
        .chain(known);
    common.into_iter().any(|known| same(known, name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_stands_for_its_word_alone() {
        for (asked, text, expected) in [
            ("a", "a", true),
            ("a", "b", false),
            (hash("SELECT 1").as_str(), "SELECT 1", true),
            (hash("SELECT 1").as_str(), "select 1", false),
            (hash("").as_str(), "", true),
            ("~", "~", true),
            ("~0123456789", "~0123456789", true),
        ] {
            assert_eq!(is_text(asked, text), expected, "{asked} {text}");
        }
        assert!(is_name(&hash_of_name("Tenant_Name"), "tenant name"));
        assert!(is_name(" tenant_name", "Tenant Name"));
        assert!(!is_name(&hash_of_name("tenant"), "tenant name"));
    }

    /// FNV-1a of the empty text and of "a", as published, folded.
    #[test]
    fn hashes_stay_the_same_from_version_to_version() {
        assert_eq!(hash(""), format!("~{:010x}", (0xcbf2_9ce4_8422_2325_u64 ^ 0xcb_f29c) & 0xff_ffff_ffff));
        assert_eq!(hash("a"), format!("~{:010x}", (0xaf63_dc4c_8601_ec8c_u64 ^ 0xaf_63dc) & 0xff_ffff_ffff));
        assert!(is_hash(&hash("a")) && !is_hash("~12345") && !is_hash("12345678901"));
    }

    #[test]
    fn common_names_are_those_of_the_formats() {
        for (name, expected) in [("name", true), ("rows_read", true), ("Event Name", true), ("tenant", false)]
        {
            assert_eq!(is_common(name), expected, "{name}");
        }
    }
}
