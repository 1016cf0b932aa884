//! Limits the length of a link: notes that do not fit are left out, and their number is added.

use super::notes::NOTE;

/// Maximum length of a copied link's fragment in bytes: chats, mails and trackers cut or break longer addresses.
pub const LINK_BYTES: usize = 8_000;
/// Maximum length of the fragment in the address bar, in bytes; below the maximum that a viewer parses.
pub const ADDRESS_BYTES: usize = 60_000;

/// Leaves out the last notes of a fragment until it has at most `most` bytes, or no note. Returns the number of notes that
/// were left out; the fragment contains this number, too.
pub fn fitted(fragment: &str, most: usize) -> (String, u32) {
    let is_note_part = |part: &str| part.split('=').next() == Some(NOTE);
    let mut parts: Vec<&str> = fragment.split('&').collect();
    let mut length = fragment.len();
    let mut left_out = 0;
    // The number of notes left out needs some bytes itself.
    while length > most.saturating_sub("&notes-left-out=100".len() * usize::from(left_out > 0)) {
        let Some(last) = parts.iter().rposition(|part| is_note_part(part)) else { break };
        length -= parts.remove(last).len() + 1;
        left_out += 1;
    }
    let mut text = parts.join("&");
    if left_out > 0 {
        text += &format!("&notes-left-out={left_out}");
    }
    (text, left_out)
}
