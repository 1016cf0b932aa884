//! `session.json` of a session file: the state of the viewer, and notes.

use super::problems::{NEWER, NOT_A_SESSION, REMOVED, VERSION};
use crate::import::contract::{Input, SavedSession};
use crate::import::json;
use crate::import::text::lines::Place;

/// Maximum length of the text, in bytes. A state is a few hundred bytes long.
const MAX_TEXT: usize = 4 << 20;

/// The text of `session.json`, as far as it was read.
#[derive(Default)]
pub struct SessionText {
    text: String,
    is_too_long: bool,
}

impl SessionText {
    /// Adds a part of the text.
    pub fn push(&mut self, text: &str) {
        self.is_too_long |= self.text.len() + text.len() > MAX_TEXT;
        if !self.is_too_long {
            self.text.push_str(text);
        }
    }

    /// Parses the collected text and adds the state and notes to `input`; notes a problem if the text is no session.
    pub fn finish(&mut self, input: &mut Input) {
        let text = std::mem::take(&mut self.text);
        let place = Place { offset: 0, line: 1 };
        let members = if self.is_too_long { None } else { json::members(&text).ok() };
        let Some(members) = members else { return input.note(NOT_A_SESSION, place, &text) };
        let value =
            |name: &str| members.iter().rev().find(|member| member.key == name).map(|member| member.value);
        let string = |name: &str| value(name).and_then(json::string_value).map(|text| text.into_owned());
        match value("version").and_then(|version| version.parse::<i64>().ok()) {
            Some(1..=VERSION) => {}
            Some(newer) if newer > VERSION => input.note(NEWER, place, &format!("version {newer}")),
            _ => return input.note(NOT_A_SESSION, place, &text),
        }
        let removed = value("removed").and_then(|list| json::items(list).ok()).unwrap_or_default();
        let removed: Vec<String> =
            removed.into_iter().filter_map(|item| Some(json::string_value(item)?.into_owned())).collect();
        if !removed.is_empty() {
            input.note(REMOVED, place, &removed.join(", "));
        }
        let is_readable =
            ["state", "notes"].iter().all(|name| value(name).is_none() || string(name).is_some());
        if !is_readable {
            input.note(NOT_A_SESSION, place, &text);
        }
        let (state, notes) = (string("state").unwrap_or_default(), string("notes").unwrap_or_default());
        *input.saved = SavedSession { state, notes, removed };
    }
}
