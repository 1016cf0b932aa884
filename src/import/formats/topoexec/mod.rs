//! Traces of TopoExec, a runtime for graphs of components (github.com/sean2077/topoexec).
//!
//! ```text
//! input ─ event ─→ reader ─→ store ──→ fold    joins the begin, whole and end events of an interval
//! an object, lines,  meaning of          tree    nesting: iteration ▸ loop ▸ batch ▸ execution
//! a Chrome export    each member         places  tracks: lanes with their workers, loops, channels, health, …
//!                                        flows   arrows from a publication to the execution that it caused
//! ```
//! The only specification is the runtime's source (`src/runtime_runner.cpp`, `tools/topoexec/main.cpp`). What is read:
//!
//! - **`graph trace|run|metrics --format json`** and `trace.final.json` of `observe --record`, in all versions seen: ids in
//!   the event or only in its attributes, events sorted by `start_offset_ns` or in recording order, errors as objects
//!   (`runtime_errors`) or as sentences (`errors`). Every attribute is a string, even a number.
//! - **`--format chrome`**: every event is an X event, even one without a duration, and threads are numbers. The tracks
//!   are rebuilt from the arguments. The timeline is the same as from the JSON, except for errors, which the export omits.
//! - **`observe --format ndjson`**: fewer kinds of events, without causes. `component_end` is written twice: for the
//!   execution and for its end. `run_started` and errors have timestamps of a different clock.
//!
//! What is inferred: the three events of an interval become one span; a beginning without an end was aborted by an error,
//! and its span extends to the last event. A fixed-rate tick is nested in its iteration by rule, since their times are
//! equal. The n-th commit of a channel is the message `channel#n` that `causation_id` names. An error has no time: it is
//! shown at the end of the last execution of its component.
//!
//! What cannot be known: which of two workers published a message when both ran the same component for the same cause.
//! Totals of a run have no time: they are shown with the run; metrics are a side table. A recorded folder has both in separate
//! files (`metrics.final.json`, `manifest.json`), and repeats the health events, which become a table if no trace has them.

mod copies;
mod emit;
mod event;
mod flows;
mod fold;
mod names;
mod places;
mod problems;
mod reader;
mod sidecar;
mod sniff;
mod store;
mod tree;

use crate::import::attributes::args::Args;
use crate::import::contract::{About, BuildReport, Field, FileId, Format, Head, Importer, Input};
use crate::import::json::{EnvelopeReader, Scanner, fields, string_value};
use crate::import::text::lines::Place;
use crate::trace::TraceBuilder;
use reader::{RecordListKind, TopoExecReader};
use sniff::TopoExecShape;
use store::TopoExecFile;

/// Id, name and recording instructions of the format.
pub const ABOUT: About = About {
    id: "topoexec",
    name: "TopoExec",
    how_to_record: "`topoexec graph trace --format json GRAPH.yaml`. Also `graph run` and `graph metrics` as \
         JSON, `--format chrome`, and the output and recordings of `observe`.",
};

/// The TopoExec trace format.
pub struct TopoExec;

impl Format for TopoExec {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head) -> Option<&'static str> {
        sniff::shape(head).map(TopoExecShape::name)
    }

    fn inside(&self, head: &Head) -> Option<&'static str> {
        sniff::is_inside(head).then(|| TopoExecShape::Inside.name())
    }

    fn sidecar(&self, head: &Head) -> Option<&'static str> {
        sniff::without_events(head)
    }

    fn importer(&self) -> Box<dyn Importer> {
        Box::<TopoExecImporter>::default()
    }
}

/// Importer that reads each file into its own [`TopoExecFile`].
#[derive(Default)]
struct TopoExecImporter {
    files: Vec<TopoExecFile>,
    args: Args,
    scanner: Scanner,
    reading: Option<(EnvelopeReader, TopoExecShape)>,
    /// Kind of the records in the array that is being read.
    list: RecordListKind,
}

impl TopoExecImporter {
    /// Calls `work` with the envelope reader and the event reader of the open file.
    fn with(&mut self, input: &mut Input, work: impl FnOnce(&mut EnvelopeReader, &mut TopoExecReader)) {
        let (Some((envelope, shape)), Some(file)) = (&mut self.reading, self.files.last_mut()) else {
            return;
        };
        let Self { args, scanner, list, .. } = self;
        work(
            envelope,
            &mut TopoExecReader { file, args, scanner, input, shape: *shape, list, remarks: Vec::new() },
        );
    }
}

impl Importer for TopoExecImporter {
    fn open(&mut self, head: &Head, input: &mut Input) {
        // If the user chose this format, the text may not look like TopoExec's.
        let begins = |text: &str| (text.starts_with('{'), text.contains("\"traceEvents\""));
        let shape = sniff::shape(head).unwrap_or_else(|| match begins(head.text.trim_start()) {
            _ if sniff::is_inside(head) => TopoExecShape::Inside,
            (false, _) => TopoExecShape::Bare,
            (true, true) => TopoExecShape::Chrome,
            (true, false) => TopoExecShape::Object,
        });
        if shape == TopoExecShape::Inside {
            input.note_beginning(problems::INSIDE, head);
        }
        let bare = sniff::is_bare(shape, head);
        self.files.push(TopoExecFile::new(input.file, input.name, shape, bare));
        let envelope = match shape {
            TopoExecShape::Inside => EnvelopeReader::searching(),
            _ if bare => EnvelopeReader::bare(),
            _ => EnvelopeReader::object(),
        };
        self.reading = Some((envelope, shape));
        self.list = RecordListKind::Events;
    }

    fn push(&mut self, text: &str, input: &mut Input) {
        self.with(input, |envelope, reader| envelope.push(text, reader));
    }

    fn close(&mut self, input: &mut Input) {
        self.with(input, |envelope, reader| {
            let end = envelope.finish(reader);
            reader.finish(end);
        });
        self.reading = None;
    }

    fn leave_out(&mut self, file: FileId, like: FileId) -> bool {
        let at = |id: FileId| self.files.iter().position(|file| file.file == id);
        at(file).zip(at(like)).is_some_and(|(file, like)| copies::is_copy_of(&self.files, file, like))
    }

    fn build(&mut self, outcome: &mut BuildReport, builder: &mut TraceBuilder) {
        let files = &self.files;
        let copies = copies::copies(files);
        let shown_with = sidecar::shown_with(files, &copies);
        for (at, file) in files.iter().enumerate() {
            if copies[at] {
                emit::copy(file, outcome, builder.strings());
            } else if shown_with[at] == at {
                let others = (0..files.len()).filter(|&of| of != at && shown_with[of] == at);
                let others: Vec<&TopoExecFile> = others.map(|of| &files[of]).collect();
                emit::emit(file, &others, &self.args, outcome, builder);
            }
        }
    }

    fn fields(&self, _: FileId, text: &str) -> Vec<Field> {
        match string_value(text) {
            Some(message) => vec![Field { name: "error".to_owned(), value: message.into_owned() }],
            None => {
                let inner = if text.contains("\"args\"") { "args" } else { "attributes" };
                fields(inner, text)
            }
        }
    }
}

impl TopoExecReader<'_, '_> {
    /// Reports problems at the end of the file. `end` is the place of the end if the outermost object was not closed.
    fn finish(&mut self, end: Option<Place>) {
        let start = Place { offset: 0, line: 1 };
        if let Some(place) = end {
            self.input.note(problems::NOT_CLOSED, place, "");
        } else if !self.file.has_events && self.shape != TopoExecShape::Sidecar {
            self.input.note(problems::NO_TRACE, start, "");
        }
        let (said, found) = (self.file.count, self.file.rows.len() as u64 + self.file.left_out);
        if let Some(said) = said.filter(|said| *said != found) {
            let kind = if found < said { problems::COUNT } else { problems::MORE };
            self.input.note(kind, start, &format!("{said} expected, {found} found"));
        }
    }
}
