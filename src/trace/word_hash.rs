//! Hashes of words from a trace. Addresses and links refer to groups and attributes by hash, so that they do not reveal
//! names from the trace.

use super::attribute_names::{self, same};
use super::keys;

/// Prefix of a hash.
pub const SIGN: char = '~';
/// Number of hexadecimal digits of a hash. The chance of a collision among ten thousand words is 1 in 20,000.
const DIGITS: usize = 10;

/// Further names that are part of the grammar of measures.
const OF_MEASURES: [&str; 2] = ["self", "server time"];

/// Returns the hash of a text: FNV-1a, folded to 40 bits.
#[must_use]
pub fn hash(text: &str) -> String {
    format!("{SIGN}{:0DIGITS$x}", hash_of_bytes(text.bytes()))
}

/// Returns the hash of bytes as a 40-bit number.
pub(crate) fn hash_of_bytes(bytes: impl Iterator<Item = u8>) -> u64 {
    let hash = fnv_1a(bytes);
    (hash ^ hash >> 40) & 0xff_ffff_ffff
}

/// Returns the hash of bytes by FNV-1a, as a 64-bit number that is the same in every version.
pub fn fnv_1a(bytes: impl Iterator<Item = u8>) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    bytes.fold(0xcbf2_9ce4_8422_2325, step)
}

/// Returns the hash of an attribute's name, ignoring case and treating underscores as blanks.
#[must_use]
pub fn hash_of_name(name: &str) -> String {
    let plain = |c: char| if c == '_' { ' ' } else { c.to_ascii_lowercase() };
    hash(&name.trim().chars().map(plain).collect::<String>())
}

/// Whether a text has the form of a hash.
#[must_use]
pub fn is_hash(text: &str) -> bool {
    text.strip_prefix(SIGN)
        .is_some_and(|digits| digits.len() == DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether `asked` equals this text or its hash.
#[must_use]
pub fn is_text(asked: &str, text: &str) -> bool {
    asked == text || is_hash(asked) && hash(text) == asked
}

/// Whether `asked` equals this attribute name or its hash.
#[must_use]
pub fn is_name(asked: &str, name: &str) -> bool {
    same(name, asked) || is_hash(asked.trim()) && hash_of_name(name) == asked.trim()
}

/// Whether an attribute name occurs in traces of many kinds, and therefore reveals nothing about a trace.
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

    /// Checks against the published FNV-1a hashes of the empty text and of "a", folded to 40 bits.
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
