//! MonetDB's profiler: events of every instruction that a server runs, in all formats since 2013.
//!
//! ```text
//! file ─ sniff ─┬ stream (JSON) ─────────── object ─ reader ─┐
//!               └ text ─ grid, lists, python, columns ─ rows ┴→ store: events, variables, samples
//!
//! store ─ plans ─ order ─ calls ─ strands ─ threads ─ executions ─ statements ─┬→ emit
//!         times   events  starts  shared    rows of   execution    sessions,   │
//!         for     by      and     threads   threads   and          phases      │
//!         TRACE   server, ends                        statement    counters ───┘
//!                 time
//! ```
//! There is no specification. The rules come from the source of the servers and of the tools (stethoscope, tomograph,
//! Marvin), and from files that real servers wrote. Where they disagree:
//!
//! - **Time.** Durations, `clk`, `mclk` and `ctime` are microseconds (the documentation of `mclk` says nanoseconds). The
//!   clocks that count from 1970 and from the start of the server changed; the size of the number decides.
//! - **Intervals.** Up to Jan2022 an instruction has a `start` and a `done`; from Sep2022 on one record when it ends, whose
//!   `clk` is the end. `usec` of a start is a guess and is not used.
//! - **Durations.** `usec` of an end is measured by the server, and is the span's duration. The clock readings place the span.
//!   Up to Nov2019 they are taken when the record is written, so that the two may differ (see `shapes::measured`).
//! - **Nesting.** A thread nests its work: a function (pc 0) contains its instructions, a call contains the called
//!   function. `language.dataflow` is not work: its thread waits while the workers run a block.
//! - **Counters** (blocks, faults, switches) are of the whole process since the last event of any thread, never of the
//!   instruction that carries them.
//! - **Threads** of an embedded server's application have one number: statements overlap on it (see `strands`).
//! - **Executions** are distinguished by client and tag. From Sep2022 on calls have tag 0 and belong to their enclosing call.
//! - **Loops** run the same instruction again; servers up to Jan2022 stop reporting the repetitions after some rounds, so
//!   counts are lower bounds. An omitted end is placed where the thread continued, and is flagged.
//!
//! What cannot be known: dependencies of instructions with side effects, and the instructions of a plan that never ran.

mod arguments;
mod calls;
mod clock;
mod columns;
mod counters;
mod emit;
mod executions;
mod flows;
mod grid;
mod joins;
mod keys;
mod line;
mod line_json;
mod line_roles;
mod lists;
mod mal;
mod object;
mod order;
mod plans;
mod problems;
mod programs;
mod python;
mod reader;
mod repeats;
mod rounds;
mod rows;
mod server;
mod shapes;
mod sniff;
mod stacks;
mod statement;
mod statements;
mod steps;
mod store;
mod strands;
mod stream;
mod text;
mod threads;
mod torn;
mod words;

use crate::base::FxHashMap;
use crate::import::contract::{
    About, BuildReport, Field, FileId, Format, Head, Importer, Input, WarmUpScript,
};
use crate::import::json::{Cursor, Scanner, Value};
use crate::trace::TraceBuilder;
use lists::LineRows;
use object::MonetDbObjectReader;
use sniff::MonetDbShape;
use store::MonetDbStore;
use stream::JsonFileState;
use text::TextFileState;

/// Id, name and recording instructions of the format.
pub const ABOUT: About = About {
    id: "monetdb",
    name: "MonetDB profiler",
    how_to_record: "`stethoscope -d DATABASE -o FILE` while the statements run (Jun2016 to Mar2025; use the \
         tool of the server's release).",
};

/// The format of MonetDB's profiler.
pub struct MonetDb;

impl Format for MonetDb {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head) -> Option<&'static str> {
        sniff::shape(head).map(MonetDbShape::name)
    }

    fn importer(&self) -> Box<dyn Importer> {
        Box::<MonetDbImporter>::default()
    }

    fn warm_up_script(&self) -> WarmUpScript {
        WarmUpScript { opening: "", records: include_str!("warm_up.ndjson") }
    }
}

/// Reads all files into one set of tables: a server may have written several files.
#[derive(Default)]
struct MonetDbImporter {
    store: MonetDbStore,
    objects: MonetDbObjectReader,
    reading: Option<MonetDbFileReader>,
    /// Rows of the files whose values have no names; all rows of a file together determine the names.
    lists: FxHashMap<FileId, LineRows>,
}

/// State of the file that is being read.
enum MonetDbFileReader {
    Stream(JsonFileState),
    Text(Box<TextFileState>),
}

impl Importer for MonetDbImporter {
    fn open(&mut self, head: &Head, input: &mut Input) {
        let name = input.name.rsplit(['/', '\\']).next().unwrap_or(input.name);
        self.store.files.push((input.file, name.to_owned()));
        self.store.begin(input.file);
        // If the user chose this format, the text may not look like MonetDB's.
        self.reading = Some(match sniff::shape(head) {
            None | Some(MonetDbShape::Objects) => MonetDbFileReader::Stream(JsonFileState::default()),
            Some(shape) => MonetDbFileReader::Text(Box::new(TextFileState::new(shape))),
        });
    }

    fn push(&mut self, text: &str, input: &mut Input) {
        let Self { store, objects, reading, .. } = self;
        match reading {
            Some(MonetDbFileReader::Stream(stream)) => stream.push(text, store, objects, input),
            Some(MonetDbFileReader::Text(lines)) => lines.push(text, store, objects, input),
            None => {}
        }
    }

    fn close(&mut self, input: &mut Input) {
        let Self { store, objects, reading, lists } = self;
        match reading.take() {
            Some(MonetDbFileReader::Stream(mut stream)) => stream.finish(store, objects, input),
            Some(MonetDbFileReader::Text(mut lines)) => {
                lines.finish(store, objects, input);
                lists.extend(lines.into_lists().map(|of_file| (input.file, of_file)));
            }
            None => {}
        }
    }

    fn leave_out(&mut self, file: FileId, like: FileId) -> bool {
        self.store.leave_out(file, like)
    }

    fn build(&mut self, outcome: &mut BuildReport, builder: &mut TraceBuilder) {
        plans::schedule(&mut self.store);
        emit::emit(&self.store, outcome, builder);
    }

    fn fields(&self, file: FileId, text: &str) -> Vec<Field> {
        let text = words::cleaned(text);
        match text.as_bytes() {
            [b'{', b'\'', ..] => members(&python::to_json(&text)),
            [b'{', ..] => members(&text),
            [b'[', ..] if line::begins(&text) => {
                let alone = LineRows::default();
                let json = self.lists.get(&file).unwrap_or(&alone).to_json(&text);
                json.map_or_else(Vec::new, |json| members(&json))
            }
            _ => text::fields(&text),
        }
    }
}

/// Returns the members of an object as fields.
fn members(text: &str) -> Vec<Field> {
    let mut cursor = Cursor::new(text);
    let mut scanner = Scanner::default();
    let mut fields = Vec::new();
    while let Ok((key, value)) = cursor.next(&mut scanner) {
        let value = match value {
            Value::Text(text) => words::content(text).into_owned(),
            Value::Word(text) | Value::Nested(text) => text.to_owned(),
        };
        fields.push(Field { name: words::content(key).into_owned(), value });
    }
    fields
}
