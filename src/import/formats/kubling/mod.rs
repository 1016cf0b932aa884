//! Kubling's Performance Tracer: its JSON files in every framing, its events in an application log, its collector's
//! tables.
//!
//! ```text
//! events.rs (JSON) ─┐
//! log.rs (YAML) ────┼─ record ─→ store ─→ order ─→ query ─→ emit ─→ TraceBuilder
//! tables.rs (CSV) ──┘            columns  by query,  spans of one query
//!                                         by time
//! ```
//! The event schema is the one of Kubling's documentation, "Performance Tracer Event Schema" (v26.2, a preview: types
//! and fields that are not in it will come, and are kept).

mod emit;
mod events;
mod fifo;
mod log;
mod order;
mod query;
mod record;
mod schema;
mod sniff;
mod store;
mod tables;

use crate::import::contract::{About, Field, FileId, Format, Head, Importer, Input, Outcome, RunKey, Script};
use crate::import::text::lines::Place;
use crate::strings::{StrId, Strings};
use crate::trace::TraceBuilder;
use record::{Notes, Record};
use schema::{Num, Text, Type};
use store::Store;

/// What it is called, and how it is made.
pub const ABOUT: About = About {
    id: "kubling",
    name: "Kubling",
    how_to_record: "Start Kubling with its Performance Tracer on and a jsonFile collector, run the workload, and open the files \
         that it wrote.",
};

/// The format.
pub struct Kubling;

impl Format for Kubling {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head) -> Option<&'static str> {
        sniff::shape(head).map(sniff::Shape::name)
    }

    fn importer(&self) -> Box<dyn Importer> {
        Box::<KublingImporter>::default()
    }

    fn rehearsal(&self) -> Script {
        Script { opening: "", records: include_str!("rehearsal.ndjson") }
    }
}

/// Reads the files of any shape into one store.
#[derive(Default)]
struct KublingImporter {
    events: Events,
    json: events::Learned,
    reader: Option<Reader>,
    /// The columns of every table, to name the cells of a row that is shown again.
    columns: Vec<(FileId, tables::Columns)>,
}

/// The file that is being read.
enum Reader {
    Json(Box<events::EventFile>),
    Log(log::LogFile),
    Table(Box<tables::TableFile>),
}

impl Importer for KublingImporter {
    fn open(&mut self, head: &Head, input: &mut Input) {
        self.reader = Some(match sniff::shape(head) {
            Some(sniff::Shape::Log) => Reader::Log(log::LogFile::default()),
            Some(sniff::Shape::Table(delimiter)) => {
                let table = tables::TableFile::new(delimiter);
                if let Some(columns) = table.columns_in(head.text) {
                    self.columns.push((input.file, columns));
                }
                Reader::Table(Box::new(table))
            }
            Some(sniff::Shape::Wrapped(before)) => Reader::Json(Box::new(events::EventFile::wrapped(before))),
            _ => Reader::Json(Box::default()),
        });
    }

    fn push(&mut self, text: &str, input: &mut Input) {
        match &mut self.reader {
            Some(Reader::Json(file)) => file.push(text, &mut self.json, &mut self.events, input),
            Some(Reader::Log(file)) => file.push(text, &mut self.events, input),
            Some(Reader::Table(file)) => file.push(text, &mut self.events, input),
            None => {}
        }
    }

    fn close(&mut self, input: &mut Input) {
        match self.reader.take() {
            Some(Reader::Json(mut file)) => file.finish(&mut self.json, &mut self.events, input),
            Some(Reader::Log(mut file)) => file.finish(&mut self.events, input),
            Some(Reader::Table(mut file)) => file.finish(&mut self.events, input),
            None => {}
        }
    }

    fn build(&mut self, outcome: &mut Outcome, builder: &mut TraceBuilder) {
        emit::emit(&self.events.store, outcome, builder);
    }

    fn fields(&self, file: FileId, text: &str) -> Vec<Field> {
        if let Some((_, columns)) = self.columns.iter().find(|(of, _)| *of == file) {
            return columns.fields(text);
        }
        if text.trim_start().starts_with('{') { events::fields(text) } else { log::fields(text) }
    }
}

/// What a run is called.
fn run_name(strings: &Strings, run: StrId) -> &str {
    run.some().map_or("(no runId)", |run| strings.get(run))
}

/// Takes the records of every shape: those that are events go to the store, the others to the report.
#[derive(Default)]
struct Events {
    store: Store,
}

impl Events {
    fn add(&mut self, record: &Record, text: &str, place: Place, input: &mut Input) {
        let note = |input: &mut Input, kind| input.note(kind, place, text);
        self.add_with(record, text.len() as u64, place, input, note);
    }

    /// `note` is told of what is remarkable; it counts one problem, and quotes the record.
    fn add_with(
        &mut self,
        record: &Record,
        length: u64,
        place: Place,
        input: &mut Input,
        note: impl Fn(&mut Input, crate::import::contract::ProblemKind),
    ) {
        let id = input.records.add(input.file, place, length);
        let Some(kind) = self.kind_of(record, input.strings) else {
            let envelope = record.has(Text::Run) || record.has(Text::Query);
            return note(input, if envelope { record::NO_TYPE } else { record::NO_EVENT });
        };
        let Some(time) = record.num(Num::Timestamp) else { return note(input, record::NO_TIMESTAMP) };
        let run = record.text(Text::Run, input.strings);
        let strings = &*input.strings;
        if let Err(left_out) =
            input.choice.take(RunKey::Named(run), (time, time), || run_name(strings, run).to_owned())
        {
            return note(input, left_out);
        }
        let Notes { unknown, twice, unreadable } = record.notes;
        let (no_run, no_query) = (!record.has(Text::Run), !record.has(Text::Query));
        let is_other = kind == Type::Other;
        if unknown | twice | unreadable | is_other | no_run | no_query {
            let all = [
                (unknown, record::UNKNOWN_FIELD),
                (twice, record::TWICE),
                (unreadable, record::UNREADABLE),
                (is_other, record::UNKNOWN_TYPE),
                (no_run, record::NO_RUN),
                (no_query, record::NO_QUERY),
            ];
            all.into_iter().filter(|(is, _)| *is).for_each(|(_, kind)| note(input, kind));
        }
        self.store.add(record, kind, time, id, input);
    }

    fn kind_of(&mut self, record: &Record, strings: &mut Strings) -> Option<Type> {
        if record.kind.is_some() {
            return record.kind;
        }
        let name = record.text(Text::Type, strings).some()?;
        Some(self.store.type_named(name, strings))
    }
}
