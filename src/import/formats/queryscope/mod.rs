//! queryscope's own format: a trace as lines of JSON, as `TraceExport` writes it. `docs/trace-format.md` describes
//! it for those who write it themselves.
//!
//! ```text
//! {"queryscope":"trace","version":1,"spans":2}
//! {"text":"main"}
//! {"run":"server 1","origin":0,"duration":500}
//! {"track":"worker","kind":"thread"}
//! {"span":0,"start":10,"duration":400,"nums":{"rows":12}}
//! {"span":"parse","start":20,"duration":50,"parent":0,"row":1,"texts":{"file":"a.c"}}
//! ```
//! What is read: every line that is an object of a known kind; its first member is its kind. Runs, tracks, texts, spans and events are
//! numbered in the order of the file, by kind, and referred to by number. Unknown members are ignored; unknown
//! lines are counted.
//!
//! What is inferred: the rows of spans, if they are missing or if spans overlap in them; the run of a file that begins
//! without one.
//!
//! What cannot be known: the source records of the trace, except their number per run.
//!
//! A session file (`NAME.queryscope`, a zip) begins with `session.json`, whose state and notes are read here as well.

mod attribute_sets;
mod emit;
mod file;
mod line;
mod line_reading;
mod problems;
mod rows;
mod saved_session;

use attribute_sets::AttributeSets;
use file::TraceFile;
use saved_session::SessionText;

use crate::import::contract::{About, BuildReport, Field, FileId, Format, Head, Importer, Input};
use crate::import::json;
use crate::import::text::lines::Lines;
use crate::trace::TraceBuilder;

/// Id and name of the format, and how to record it.
pub const ABOUT: About = About {
    id: "queryscope",
    name: "queryscope",
    how_to_record: "“Save” in the page, or `queryscope export`; session files are written by “Save” and `queryscope session`. Any \
         program can write the format.",
};

/// queryscope's own format.
pub struct QueryScope;

impl Format for QueryScope {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head) -> Option<&'static str> {
        match mark(head.text)? {
            "\"trace\"" => Some("trace"),
            "\"session\"" => Some("session"),
            _ => None,
        }
    }

    fn importer(&self) -> Box<dyn Importer> {
        Box::<QueryScopeImporter>::default()
    }
}

/// The value of the member `queryscope`, with which a file of this format begins.
fn mark(text: &str) -> Option<&str> {
    let rest = text.trim_start().strip_prefix('{')?.trim_start().strip_prefix("\"queryscope\"")?;
    let rest = rest.trim_start().strip_prefix(':')?.trim_start();
    let end = rest.strip_prefix('"')?.find('"')?;
    rest.get(..end + 2)
}

/// The file that is being read.
#[derive(Default)]
enum OpenFile {
    #[default]
    Trace,
    Session(SessionText),
}

#[derive(Default)]
struct QueryScopeImporter {
    files: Vec<TraceFile>,
    sets: AttributeSets,
    open: OpenFile,
    lines: Lines,
}

impl Importer for QueryScopeImporter {
    fn open(&mut self, head: &Head, input: &mut Input) {
        self.lines = Lines::default();
        if mark(head.text) == Some("\"session\"") {
            self.open = OpenFile::Session(SessionText::default());
        } else {
            self.open = OpenFile::Trace;
            self.files.push(TraceFile::new(input.name));
        }
    }

    fn push(&mut self, text: &str, input: &mut Input) {
        let Self { files, sets, open, lines } = self;
        match (open, files.last_mut()) {
            (OpenFile::Session(session), _) => session.push(text),
            (OpenFile::Trace, Some(file)) => {
                lines.push(text, |line, place| file.line(line, place, sets, input))
            }
            (OpenFile::Trace, None) => {}
        }
    }

    fn close(&mut self, input: &mut Input) {
        let Self { files, sets, open, lines } = self;
        match (open, files.last_mut()) {
            (OpenFile::Session(session), _) => session.finish(input),
            (OpenFile::Trace, Some(file)) => {
                lines.finish(|line, place| file.line(line, place, sets, input));
                file.finish(input);
            }
            (OpenFile::Trace, None) => {}
        }
    }

    fn build(&mut self, outcome: &mut BuildReport, builder: &mut TraceBuilder) {
        self.sets.name(builder);
        self.files.iter().for_each(|file| emit::emit(file, &self.sets, outcome, builder));
    }

    fn fields(&self, _: FileId, text: &str) -> Vec<Field> {
        let members = json::members(text).unwrap_or_default();
        let value = |value: &str| {
            json::string_value(value).map_or_else(|| value.to_owned(), |text| text.into_owned())
        };
        members
            .iter()
            .map(|member| Field { name: member.key.to_string(), value: value(member.value) })
            .collect()
    }
}
