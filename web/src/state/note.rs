//! Notes of the user: short texts on an item, a time range, or the whole trace.

use queryscope::internal::text;

use crate::words;

/// Maximum length of a note in characters.
pub const NOTE_CHARACTERS: usize = 500;
/// Maximum number of notes on a trace.
pub const MOST_NOTES: usize = 100;

/// A note of the user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct UserNote {
    /// Target of the note.
    pub target: NoteTarget,
    /// Text of the note, at most [`NOTE_CHARACTERS`] characters.
    pub text: String,
}

/// Target of a note. Times are nanoseconds since each run's first event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NoteTarget {
    /// The whole trace.
    Trace,
    /// A time range.
    Range {
        /// Start of the range.
        start: i64,
        /// End of the range.
        end: i64,
    },
    /// An item. Codes change with every build, so start and duration show whether the code still means this item.
    Item {
        /// Code of the item when the note was written.
        item: u32,
        /// Start of the item.
        start: i64,
        /// Duration of the item; 0 for an event.
        duration: i64,
    },
}

impl NoteTarget {
    /// Start and end of the range or item, in nanoseconds of the trace's time axis; equal for an event. `None` for a note on
    /// the whole trace.
    pub fn interval(self) -> Option<(i64, i64)> {
        match self {
            Self::Trace => None,
            Self::Range { start, end } => Some((start, end)),
            Self::Item { start, duration, .. } => Some((start, start.saturating_add(duration.max(0)))),
        }
    }

    /// Short description, such as `range 1.2 ms … 3 ms`.
    pub fn description(self) -> String {
        match self {
            Self::Trace => words::notes::TRACE.to_owned(),
            Self::Range { start, end } => words::notes::range(&text::time(start), &text::time(end)),
            Self::Item { start, .. } => words::notes::item(&text::time(start)),
        }
    }
}

impl UserNote {
    /// Creates a note; `None` if the text is empty. A longer text than [`NOTE_CHARACTERS`] is cut.
    pub fn new(target: NoteTarget, text: &str) -> Option<Self> {
        let text: String = text.trim().chars().take(NOTE_CHARACTERS).collect();
        (!text.is_empty()).then_some(Self { target, text })
    }
}

/// All notes as plain text, one line each: the target of the note, a colon and the text, with spaces in place of line
/// breaks.
pub fn notes_as_text(notes: &[UserNote]) -> String {
    let line = |note: &UserNote| {
        let words: Vec<&str> = note.text.split_whitespace().collect();
        format!("{}: {}\n", note.target.description(), words.join(" "))
    };
    notes.iter().map(line).collect()
}

/// Adds the notes that are not among `notes` yet, up to [`MOST_NOTES`].
pub(super) fn add_notes(notes: &mut Vec<UserNote>, more: Vec<UserNote>) {
    for note in more {
        if !notes.contains(&note) && notes.len() < MOST_NOTES {
            notes.push(note);
        }
    }
}
