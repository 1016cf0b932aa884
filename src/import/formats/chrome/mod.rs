//! Chrome's Trace Event Format: what `chrome://tracing`, Perfetto UI and speedscope open, and dozens of programs write.
//!
//! ```text
//! envelope ─ members ─ event_values ─ event ─→ store ──→ emit ┬ slices, nest   B and E to intervals, intervals to rows of a thread
//! array or   slots of                 one      a table        ├ asyncs         b, e, n and S, T, p, F to units that share rows
//! object     values                   record   per family     ├ counters       samples, a track per series
//!                                              + names        └ flows          arrows between the slices that their ends lie in
//!                                              + args, tables
//! ```
//! If one event becomes one span or point, its arguments are stored as attributes of its record (`tables`), from which
//! the trace reads them. Arguments of samples, and of two events that make one span, are kept in `args` until they are
//! joined.
//!
//! The format has no maintained specification; the document that defines it ("Trace Event Format", Duffy and others) is
//! silent or loose where traces differ most. What is read here, where writers and viewers disagree:
//!
//! - **Containers.** An array of events that need not be closed, or an object with `traceEvents` and other sections in
//!   any order, or one event per line. A file that breaks off is read to its last whole event.
//! - **Time.** `ts` and `dur` are decimal microseconds, as numbers or strings; `displayTimeUnit` changes nothing. They
//!   are read as integers. Start and end are rounded to the nanosecond, each on its own: what nests still nests.
//! - **Identity.** A process is a `pid`, a thread a `pid` and `tid`; numbers and strings are never the same, no number
//!   is too large, and 0 is a valid one. Events without a `tid` are on a thread of their own.
//! - **B and E.** An E ends the innermost open B with its name, or the innermost B of all if the E has no name. Slices
//!   that are nested in that B end with it, even if their own E follows later. An E whose name is not open is reported.
//!   A B without an E extends to the end of the file and contains everything that begins after it.
//! - **Ties.** Of two slices with the same start, the longer one is the parent. Of two identical slices, the parent is
//!   the one that was written first, or last if the program writes slices when they end.
//! - **Overlaps** of up to a microsecond are cut off, because clock readings are rounded. On a thread with finer times,
//!   the limit is a tenth of that, unless the times are so large that a double has no such digits. Slices with a larger
//!   overlap get rows of their own. Nothing is dropped, and no slice is drawn over another.
//! - **Objects** (N, O, D) are drawn as asynchronous slices from creation to deletion, with their snapshots as points.
//!   Memory dumps are points of their process, and clock syncs are points of the whole run.
//! - **Profiles** (P events of V8, and `CpuProfile` events, each of which is a whole profile) are spans on a track
//!   below the thread. A call lasts as long as consecutive samples, ordered by time, contain it. `(idle)` is drawn as
//!   idle time.
//! - **Arrows** (s, t, f) belong to the slice that is open on their thread; if none is, to the instant at exactly their
//!   time.
//! - **Sections** next to the events: `samples` with their `stackFrames` are drawn like profiles; texts of other tools
//!   become points at the start of the trace. The other sections (`metadata`, `otherData`) become notes of the run.
//! - **Phases** that are not drawn (other samples, contexts, linked ids) are counted and reported one by one.
//!
//! What cannot be known: whether equal plain ids of asynchronous events in different processes mean the same (as in
//! Perfetto, they do not, except `id2.global`), and what a program did after the end of a file that breaks off.

mod asyncs;
mod counters;
mod cut_slices;
mod emit;
mod envelope;
mod event;
mod event_values;
mod flows;
mod members;
mod names;
mod open_slices;
mod problems;
mod profile;
mod reader;
mod rows;
mod samples;
mod sections;
mod slices;
mod sniff;
mod store;
mod trace_metadata;

use crate::import::attributes::args::Args;
use crate::import::attributes::tables::ArgumentTables;
use crate::import::contract::{
    About, BuildReport, Field, FileId, Format, Head, Importer, Input, WarmUpScript,
};
use crate::import::json::{EnvelopeReader, Scanner, fields};
use crate::trace::TraceBuilder;
use members::{ChromeMemberSchema, ChromeRecordReader};
use reader::ChromeReader;
use sniff::ChromeShape;
use store::ChromeFile;

/// Id and name of the format, and how to record it.
pub const ABOUT: About = About {
    id: "chrome",
    name: "Chrome Trace Event",
    how_to_record: "Any program that writes JSON for `chrome://tracing` or Perfetto: the performance panel of \
         a browser, `clang -ftime-trace`, `node --trace-events-enabled`, VizTracer, tracing-chrome, cmake, \
         py-spy, Ray, ONNX Runtime.",
};

/// Chrome's Trace Event Format.
pub struct Chrome;

impl Format for Chrome {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head) -> Option<&'static str> {
        sniff::shape(head).map(ChromeShape::name)
    }

    fn inside(&self, head: &Head) -> Option<&'static str> {
        sniff::is_inside(head).then(|| ChromeShape::Inside.name())
    }

    fn importer(&self) -> Box<dyn Importer> {
        Box::<ChromeImporter>::default()
    }

    fn warm_up_script(&self) -> WarmUpScript {
        WarmUpScript { opening: "[\n", records: include_str!("warm_up.json") }
    }
}

/// Reads each file into tables of its own.
struct ChromeImporter {
    files: Vec<ChromeFile>,
    args: Args,
    tables: ArgumentTables,
    scanner: Scanner,
    records: ChromeRecordReader,
    reading: Option<EnvelopeReader>,
}

impl Default for ChromeImporter {
    fn default() -> Self {
        Self {
            files: Vec::new(),
            args: Args::default(),
            tables: ArgumentTables::default(),
            scanner: Scanner::default(),
            records: ChromeRecordReader::new(ChromeMemberSchema::default()),
            reading: None,
        }
    }
}

impl Importer for ChromeImporter {
    fn open(&mut self, head: &Head, input: &mut Input) {
        // Where somebody chose this format, the text may not look like it.
        let shape = sniff::shape(head).unwrap_or_else(|| match head.text.trim_start().as_bytes() {
            _ if sniff::is_inside(head) => ChromeShape::Inside,
            [b'{', ..] => ChromeShape::Object,
            _ => ChromeShape::Array,
        });
        if shape == ChromeShape::Inside {
            input.note_beginning(problems::INSIDE, head);
        }
        self.files.push(ChromeFile::new(input.file, input.name, shape != ChromeShape::Object));
        self.reading = Some(envelope::reader(shape));
    }

    fn push(&mut self, text: &str, input: &mut Input) {
        let (Some(envelope), Some(file)) = (&mut self.reading, self.files.last_mut()) else { return };
        let Self { args, tables, scanner, records, .. } = self;
        envelope.push(text, &mut ChromeReader { file, args, tables, scanner, records, input });
    }

    fn close(&mut self, input: &mut Input) {
        let (Some(envelope), Some(file)) = (&mut self.reading, self.files.last_mut()) else { return };
        let Self { args, tables, scanner, records, .. } = self;
        envelope::finish(envelope, &mut ChromeReader { file, args, tables, scanner, records, input });
        self.reading = None;
    }

    fn build(&mut self, outcome: &mut BuildReport, builder: &mut TraceBuilder) {
        self.tables.name(&self.args, builder);
        self.args.report_overflow(outcome, builder.strings());
        self.files.iter().for_each(|file| emit::emit(file, &self.args, outcome, builder));
    }

    fn fields(&self, _: FileId, text: &str) -> Vec<Field> {
        fields("args", text)
    }
}
