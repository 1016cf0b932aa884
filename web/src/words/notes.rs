//! Texts of the user's notes, and of pinned tracks.

use queryscope::internal::text;

pub const NOTES: &str = "Notes";
pub const NONE: &str = "No notes yet. Notes are part of the link and of saved files.";
pub const TEXT: &str = "Text of the note";
pub const ON: &str = "on ";
pub const ADD: &str = "Add note";
pub const ADD_TITLE: &str = "Notes: add, edit, jump (M)";
pub const JUMP: &str = "Show in the timeline";
pub const EDIT: &str = "Edit";
pub const DELETE: &str = "Delete";
pub const SAVE: &str = "Save";
pub const PINNED_ROWS: &str = "Pinned tracks";
pub const PINNED_HEADINGS: &str = "Headings of the pinned tracks: click the pin to unpin";
pub const UNPIN_ALL: &str = "Unpin all";

pub fn pinned(count: usize) -> String {
    format!("{count} pinned")
}

pub const TRACE: &str = "whole trace";
pub const LEFT_OUT: &str = "Notes left out";

pub fn range(start: &str, end: &str) -> String {
    format!("range {start} … {end}")
}

pub fn item(start: &str) -> String {
    format!("item at {start}")
}

/// Label of the choice that attaches a new note to the selected item.
pub fn on_item(title: &str) -> String {
    format!("selection: {}", text::shortened(title, 40))
}

pub fn edit(note: &str) -> String {
    format!("Edit: {}", text::shortened(note, 40))
}

pub fn delete(note: &str) -> String {
    format!("Delete: {}", text::shortened(note, 40))
}

/// Label of the button that opens the notes.
pub fn button(count: usize) -> String {
    match count {
        0 => NOTES.to_owned(),
        n => text::counted(n as u64, "note", "notes"),
    }
}

pub fn full(most: usize) -> String {
    format!("A trace has at most {most} notes. Delete one to add another.")
}

/// Message when a link is opened that omits some notes because it would have been too long.
pub fn left_out(count: u32) -> String {
    format!("The link was too long for {}. Ask its author for a saved file.", notes(count))
}

/// Message when a copied link omits notes because it would be too long.
pub fn not_in_link(count: u32) -> String {
    format!("The link is too long for {}. Save a file to share all notes.", notes(count))
}

/// Message when the address bar omits notes because the address would be too long.
pub fn not_in_address(count: u32) -> String {
    format!(
        "The address is too long for {}: reloading the page would lose them. Save a file to keep all notes.",
        notes(count)
    )
}

fn notes(count: u32) -> String {
    text::counted(count.into(), "note", "notes")
}
