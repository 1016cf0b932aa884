//! Kubling's Performance Tracer: its JSON files in any framing, its events in application logs, and the tables of its
//! database collector.
//!
//! ```text
//! events.rs (JSON) ─┐
//! log.rs (YAML) ────┼─ record ─→ store ─→ order ─→ query ─→ emit ─→ TraceBuilder
//! tables.rs (CSV) ──┘            columns  by query,  spans of one query
//!                                         by time
//! ```
//! The event schema follows Kubling's documentation, "Performance Tracer Event Schema" (v26.2, a preview: types and
//! fields that it does not list will be added, and are kept).

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

use crate::base::interner::{Interner, StrId};
use crate::import::contract::{
    About, BuildReport, Field, FileId, Format, Head, Importer, Input, RunKey, WarmUpScript,
};
use crate::import::text::lines::Place;
use crate::trace::TraceBuilder;
use record::{KublingRecord, RecordRemarks};
use schema::{KublingEventType, KublingNumberField, KublingTextField};
use store::KublingStore;

/// Id, name and recording instructions of the format.
pub const ABOUT: About = About {
    id: "kubling",
    name: "Kubling",
    how_to_record: "Start Kubling with its Performance Tracer enabled and a jsonFile collector, run the \
         workload, then open the files that it wrote.",
};

/// The Kubling format.
pub struct Kubling;

impl Format for Kubling {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head) -> Option<&'static str> {
        sniff::shape(head).map(sniff::KublingShape::name)
    }

    fn importer(&self) -> Box<dyn Importer> {
        Box::<KublingImporter>::default()
    }

    fn warm_up_script(&self) -> WarmUpScript {
        WarmUpScript { opening: "", records: include_str!("warm_up.ndjson") }
    }
}

/// Reads files of any shape into one store.
#[derive(Default)]
struct KublingImporter {
    events: KublingEventSink,
    json: events::KublingJsonParser,
    reader: Option<KublingFileReader>,
    /// Columns of each table, to name the cells of a row when its record is shown.
    columns: Vec<(FileId, tables::KublingTableColumns)>,
}

/// Reader of the current file.
enum KublingFileReader {
    Json(Box<events::KublingJsonFile>),
    Log(log::KublingLogFile),
    Table(Box<tables::KublingTableFile>),
}

impl Importer for KublingImporter {
    fn open(&mut self, head: &Head, input: &mut Input) {
        self.reader = Some(match sniff::shape(head) {
            Some(sniff::KublingShape::Log) => KublingFileReader::Log(log::KublingLogFile::default()),
            Some(sniff::KublingShape::Table(delimiter)) => {
                let table = tables::KublingTableFile::new(delimiter);
                if let Some(columns) = table.columns_in(head.text) {
                    self.columns.push((input.file, columns));
                }
                KublingFileReader::Table(Box::new(table))
            }
            Some(sniff::KublingShape::Wrapped(before)) => {
                KublingFileReader::Json(Box::new(events::KublingJsonFile::wrapped(before)))
            }
            _ => KublingFileReader::Json(Box::default()),
        });
    }

    fn push(&mut self, text: &str, input: &mut Input) {
        match &mut self.reader {
            Some(KublingFileReader::Json(file)) => file.push(text, &mut self.json, &mut self.events, input),
            Some(KublingFileReader::Log(file)) => file.push(text, &mut self.events, input),
            Some(KublingFileReader::Table(file)) => file.push(text, &mut self.events, input),
            None => {}
        }
    }

    fn close(&mut self, input: &mut Input) {
        match self.reader.take() {
            Some(KublingFileReader::Json(mut file)) => file.finish(&mut self.json, &mut self.events, input),
            Some(KublingFileReader::Log(mut file)) => file.finish(&mut self.events, input),
            Some(KublingFileReader::Table(mut file)) => file.finish(&mut self.events, input),
            None => {}
        }
    }

    fn build(&mut self, outcome: &mut BuildReport, builder: &mut TraceBuilder) {
        emit::emit(&self.events.store, outcome, builder);
    }

    fn fields(&self, file: FileId, text: &str) -> Vec<Field> {
        if let Some((_, columns)) = self.columns.iter().find(|(of, _)| *of == file) {
            return columns.fields(text);
        }
        if text.trim_start().starts_with('{') { events::fields(text) } else { log::fields(text) }
    }
}

/// Display name of a run.
fn run_name(strings: &Interner, run: StrId) -> &str {
    run.some().map_or("(no runId)", |run| strings.get(run))
}

/// Receives the records of all files: events go to the store, other records to the report.
#[derive(Default)]
struct KublingEventSink {
    store: KublingStore,
}

impl KublingEventSink {
    fn add(&mut self, record: &KublingRecord, text: &str, place: Place, input: &mut Input) {
        let note = |input: &mut Input, kind| input.note(kind, place, text);
        self.add_with(record, text.len() as u64, place, input, note);
    }

    /// Adds a record of `length` bytes; `note` counts a problem and quotes the record.
    fn add_with(
        &mut self,
        record: &KublingRecord,
        length: u64,
        place: Place,
        input: &mut Input,
        note: impl Fn(&mut Input, crate::import::contract::ProblemKind),
    ) {
        let id = input.records.add(input.file, place, length);
        let Some(kind) = self.kind_of(record, input.strings) else {
            let envelope = record.has(KublingTextField::Run) || record.has(KublingTextField::Query);
            return note(input, if envelope { record::NO_TYPE } else { record::NO_EVENT });
        };
        let Some(time) = record.num(KublingNumberField::Timestamp) else {
            return note(input, record::NO_TIMESTAMP);
        };
        let run = record.text(KublingTextField::Run, input.strings);
        let strings = &*input.strings;
        let name = || run_name(strings, run).to_owned();
        let query = || record.query_hash();
        let taken = input.choice.take_of_query(RunKey::Named(run), (time, time), query, name);
        if let Err(left_out) = taken {
            return note(input, left_out);
        }
        let RecordRemarks { unknown, twice, unreadable } = record.notes;
        let (no_run, no_query) = (!record.has(KublingTextField::Run), !record.has(KublingTextField::Query));
        let is_other = kind == KublingEventType::Other;
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

    fn kind_of(&mut self, record: &KublingRecord, strings: &mut Interner) -> Option<KublingEventType> {
        if record.kind.is_some() {
            return record.kind;
        }
        let name = record.text(KublingTextField::Type, strings).some()?;
        Some(self.store.type_named(name, strings))
    }
}
