//! The part of an address that stores the user's notes: one parameter `note` per note, with its target and its text.

use super::{interval, place, placed};
use crate::state::{MOST_NOTES, Nav, NoteTarget, UserNote};

/// Name of the parameter that holds a note.
pub(super) const NOTE: &str = "note";

/// Applies one name-value pair of an address; returns `false` if the pair is not a note.
pub(super) fn take(nav: &mut Nav, name: &str, value: &str) -> bool {
    if name == NOTE && nav.notes.len() < MOST_NOTES {
        nav.notes.extend(note(value));
    }
    name == NOTE
}

/// Adds the notes: `trace,text`, `range,start,end,text` or `item,code,start,duration,text`.
pub(super) fn add(notes: &[UserNote], add: &mut dyn FnMut(&str, &str)) {
    for UserNote { target, text } in notes {
        let target = match *target {
            NoteTarget::Trace => "trace".to_owned(),
            NoteTarget::Range { start, end } => format!("range,{start},{end}"),
            NoteTarget::Item { item, start, duration } => format!("item,{}", placed((item, start, duration))),
        };
        add(NOTE, &format!("{target},{text}"));
    }
}

fn note(value: &str) -> Option<UserNote> {
    let (kind, rest) = value.split_once(',')?;
    let (target, text) = match kind {
        "trace" => (NoteTarget::Trace, rest),
        "range" => {
            let (times, text) = cut(rest, 2)?;
            let (start, end) = interval(times)?;
            (NoteTarget::Range { start, end }, text)
        }
        "item" => {
            let (parts, text) = cut(rest, 3)?;
            let (item, start, duration) = place(parts)?;
            (NoteTarget::Item { item, start, duration }, text)
        }
        _ => return None,
    };
    UserNote::new(target, text)
}

/// Cuts a text after its `n`th field; fields end with a comma, which is left out.
fn cut(text: &str, n: usize) -> Option<(&str, &str)> {
    let (at, _) = text.match_indices(',').nth(n - 1)?;
    Some((&text[..at], &text[at + 1..]))
}
