//! MonetDB's profiler: what its servers have reported of every instruction that they run, in all the ways since 2013.
//!
//! ```text
//! file ─ sniff ─┬ stream (JSON) ─────────── object ─ reader ─┐
//!               └ text ─ grid, lists, python, columns ─ rows ┴→ store: events, variables, samples
//!
//! store ─ plans ─ order ─ calls ─ strands ─ threads ─ executions ─ statements ─┬→ emit
//!         times   by      starts  shared    rows of   which        sessions,   │
//!         where   server  and     threads   threads   statement    phases      │
//!         none    and     ends                                     counters ───┘
//!                 time
//! ```
//! There is no specification; what is read here comes from the source of the servers and of the tools (stethoscope,
//! tomograph, Marvin), and from files that real servers wrote. Where they disagree:
//!
//! - **Time.** Durations, `clk`, `mclk` and `ctime` are microseconds (the documentation of `mclk` says nanoseconds). Which of
//!   them counts from 1970 and which from the start of the server changed; the size of the number tells.
//! - **Intervals.** Up to Jan2022 an instruction has a `start` and a `done`; from Sep2022 on one record when it ends, whose
//!   `clk` is the end. `usec` of a start is a guess and is not used.
//! - **Durations.** `usec` of an end is what the server measured, and the duration of the span. The clock readings place it;
//!   up to Nov2019 they are taken when the record is written, so that both may differ (see `shapes::measured`).
//! - **Nesting.** A thread runs one thing inside another: a function (pc 0) its instructions, a call the function that it
//!   calls. `language.dataflow` is not work: its thread waits while the workers run a block.
//! - **Counters** (blocks, faults, switches) are of the whole process since the last event of any thread, never of the
//!   instruction that carries them.
//! - **Threads** of an embedded server's application have one number: statements overlap on it (see `strands`).
//! - **Executions** are told apart by client and tag. From Sep2022 on calls have tag 0 and belong to what they lie in.
//! - **Loops** run the same instruction again; servers up to Jan2022 stop telling of that after some rounds, so that
//!   counts are lower bounds. An end that was left out is put where the thread went on, and is marked.
//!
//! What cannot be known: what an instruction with side effects waited for, and which rows of a plan were never run.

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

/// What it is called, and how it is made.
pub const ABOUT: About = About {
    id: "monetdb",
    name: "MonetDB profiler",
    how_to_record: "`stethoscope -d DATABASE -o FILE` while the statements run (Jun2016 to Mar2025; use the \
         tool of the server's release).",
};

/// The format.
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

/// Reads all files into one set of tables: a server may have written several.
#[derive(Default)]
struct MonetDbImporter {
    store: MonetDbStore,
    objects: MonetDbObjectReader,
    reading: Option<MonetDbFileReader>,
    /// What tells in a file of values without names which is which.
    lists: FxHashMap<FileId, LineRows>,
}

/// The file that is being read.
enum MonetDbFileReader {
    Stream(JsonFileState),
    Text(Box<TextFileState>),
}

impl Importer for MonetDbImporter {
    fn open(&mut self, head: &Head, input: &mut Input) {
        let name = input.name.rsplit(['/', '\\']).next().unwrap_or(input.name);
        self.store.files.push((input.file, name.to_owned()));
        self.store.begin(input.file);
        // Where somebody chose this format, the text may not look like it.
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

/// The members of an object.
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
