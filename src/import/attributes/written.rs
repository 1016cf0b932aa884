//! Arguments as written in the file, for programs that export them again; recorded while an event is read, if needed.

use super::args::{ArgType, Args, MAX_LEVEL};
use super::tables::shown_name;
use crate::base::interner::{Interner, StrId};
use crate::import::json::Value;
use crate::trace::{RecordId, RecordTable};

/// Keys and texts of the current event's arguments; `None` if they are not needed.
#[derive(Default)]
pub struct WrittenArguments(Option<Vec<(StrId, String)>>);

impl WrittenArguments {
    /// Begins the next event; `wanted` is whether the texts of its arguments are recorded.
    pub fn begin(&mut self, wanted: bool) {
        self.0 = wanted.then(Vec::new);
    }

    /// Records the text of an argument.
    pub fn note(&mut self, key: StrId, value: Value) {
        if let Some(noted) = &mut self.0 {
            let json = match value {
                Value::Text(text) => format!("\"{}\"", text.raw()),
                Value::Word(text) | Value::Nested(text) => text.to_owned(),
            };
            noted.push((key, json));
        }
    }

    /// Records the text of an argument that is nested `level` objects deep. An object whose members become separate
    /// arguments is not recorded.
    #[inline]
    pub fn note_value(&mut self, key: StrId, value: Value, level: u8) {
        if self.0.is_none() {
            return;
        }
        let has_members = |text: &str| {
            let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
            inner.is_some_and(|inner| !inner.trim_ascii().is_empty())
        };
        match value {
            Value::Nested(text) if level < MAX_LEVEL && has_members(text) => {}
            _ => self.note(key, value),
        }
    }
}

/// Stores the recorded texts for a record, under the names that its arguments have in the trace.
pub fn keep(args: &mut Args, record: RecordId, reported: &mut RecordTable, strings: &mut Interner) {
    let (Some(written), Some(noted)) = (reported.written_mut(), args.written.0.take()) else { return };
    for (key, json) in noted {
        let is_number = args.sort_of(key).is_some_and(|sort| sort != ArgType::Text);
        let name = shown_name(strings.get(key), is_number).into_owned();
        written.add(record, strings.intern(&name), &json, true);
    }
}
