//! [`read_trace`]: a trace of a data set as lines of the format `queryscope`, which the engine opens again.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::File;
use std::path::Path;

use datafusion::arrow::array::{Array, AsArray, BooleanArray, Int64Array, RecordBatch, StringArray};
use datafusion::arrow::compute::{cast, concat_batches};
use datafusion::arrow::datatypes::{DataType, Int64Type, Schema, SchemaRef};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use queryscope::internal::text::decimal;
use queryscope::protocol::{FileReport, ProblemPlace, ProblemReport};
use serde::{Deserialize, Serialize};

use super::DatasetError;
use super::manifest::{Manifest, StoredTrace};
use crate::rows::{SideTable, TraceRows};
use crate::schema::{self, SOURCE_NAME};

/// Key of a Parquet file's metadata that holds the side tables in it, as JSON.
pub const SIDE_TABLES: &str = "queryscope.side_tables";

/// A side table of one run in a Parquet file.
#[derive(Serialize, Deserialize)]
struct StoredPart {
    /// Position among all side tables of the trace.
    at: usize,
    run: u32,
    name: String,
    columns: Vec<String>,
    rows: usize,
}

/// The side tables of all runs that are stored in one file.
pub fn side_table_parts(trace: &TraceRows, table: &SideTable) -> String {
    let text = |id| trace.trace.str(id).to_owned();
    let parts = table.parts.iter().filter_map(|part| {
        let table = part.table(&trace.trace)?;
        let columns = table.columns().iter().map(|&column| text(column)).collect();
        let (run, name, rows) = (table.run.0, text(table.name), table.len());
        Some(StoredPart { at: part.at, run, name, columns, rows })
    });
    serde_json::to_string(&parts.collect::<Vec<_>>()).unwrap_or_default()
}

/// A trace as it was stored.
pub struct StoredContent {
    /// Lines of the format `queryscope`.
    pub lines: String,
    /// The import report of the files from which the trace was made.
    pub files: Vec<FileReport>,
}

/// Reads a trace of a data set. This takes as much memory as all of its rows.
///
/// # Errors
/// A sentence if there is no such trace, or a file is missing or damaged.
pub fn read_trace(folder: &Path, name: &str) -> Result<StoredContent, DatasetError> {
    let manifest = Manifest::read(folder)?;
    let stored = manifest.traces.iter().find(|trace| trace.name == name);
    let stored = stored.ok_or_else(|| DatasetError::at(folder, format!("there is no trace “{name}”")))?;
    let mut lines = Lines::default();
    let runs = Rows::read(folder, stored, "runs")?;
    lines.header(&runs);
    let attributes = Rows::read(folder, stored, "attributes")?;
    lines.keys(&attributes);
    lines.items(folder, stored, &runs, &attributes)?;
    lines.flows(&Rows::read(folder, stored, "flows")?);
    lines.locks(&Rows::read(folder, stored, "lock_waits")?);
    lines.side_tables(folder, stored)?;
    lines.notes(&Rows::read(folder, stored, "notes")?);
    let files = files(&Rows::read(folder, stored, "files")?, &Rows::read(folder, stored, "problems")?);
    Ok(StoredContent { lines: lines.0, files })
}

/// All rows of a table.
struct Rows {
    batch: RecordBatch,
    parts: Vec<StoredPart>,
}

impl Rows {
    fn read(folder: &Path, trace: &StoredTrace, table: &str) -> Result<Self, DatasetError> {
        let Some(file) = trace.files.iter().find(|file| file.table == table) else {
            let schema = schema::table(table)
                .map_or_else(|| SchemaRef::new(Schema::empty()), |table| table.stored_schema());
            return Ok(Self { batch: RecordBatch::new_empty(schema), parts: Vec::new() });
        };
        let path = folder.join(&file.path);
        Self::read_file(&path).map_err(|error| DatasetError::at(&path, error))
    }

    fn read_file(path: &Path) -> Result<Self, Box<dyn std::error::Error>> {
        let reader = ParquetRecordBatchReaderBuilder::try_new(File::open(path)?)?;
        let metadata = reader.metadata().file_metadata().key_value_metadata();
        let parts = metadata.and_then(|all| all.iter().find(|entry| entry.key == SIDE_TABLES));
        let parts = parts.and_then(|entry| entry.value.as_deref());
        let parts = parts.map_or_else(|| Ok(Vec::new()), serde_json::from_str)?;
        let schema = reader.schema().clone();
        let batches = reader.build()?.collect::<Result<Vec<_>, _>>()?;
        Ok(Self { batch: concat_batches(&schema, &batches)?, parts })
    }

    fn len(&self) -> usize {
        self.batch.num_rows()
    }

    fn nums(&self, name: &str) -> Nums {
        let column =
            self.batch.column_by_name(name).and_then(|column| column.as_primitive_opt::<Int64Type>());
        Nums(column.cloned().unwrap_or_else(|| Int64Array::new_null(self.len())))
    }

    fn texts(&self, name: &str) -> Texts {
        self.texts_at(self.batch.schema_ref().index_of(name).ok())
    }

    fn texts_at(&self, at: Option<usize>) -> Texts {
        let column = at.and_then(|at| cast(self.batch.column(at), &DataType::Utf8).ok());
        let column = column.and_then(|column| column.as_string_opt::<i32>().cloned());
        Texts(column.unwrap_or_else(|| StringArray::new_null(self.len())))
    }

    fn flags(&self, name: &str) -> Flags {
        let column = self.batch.column_by_name(name).and_then(|column| column.as_boolean_opt());
        Flags(column.cloned().unwrap_or_else(|| BooleanArray::new_null(self.len())))
    }
}

struct Nums(Int64Array);

impl Nums {
    fn get(&self, row: usize) -> Option<i64> {
        (row < self.0.len() && self.0.is_valid(row)).then(|| self.0.value(row))
    }

    fn count(&self, row: usize) -> u64 {
        self.get(row).and_then(|count| u64::try_from(count).ok()).unwrap_or(0)
    }
}

struct Texts(StringArray);

impl Texts {
    fn get(&self, row: usize) -> Option<&str> {
        (row < self.0.len() && self.0.is_valid(row)).then(|| self.0.value(row))
    }

    fn owned(&self, row: usize) -> String {
        self.get(row).unwrap_or_default().to_owned()
    }
}

struct Flags(BooleanArray);

impl Flags {
    fn get(&self, row: usize) -> bool {
        row < self.0.len() && self.0.is_valid(row) && self.0.value(row)
    }
}

/// A text as JSON; null if there is none.
fn json(text: Option<&str>) -> String {
    text.map_or_else(|| "null".to_owned(), |text| serde_json::Value::from(text).to_string())
}

/// The text of a row as JSON, if there is one.
fn json_of(texts: &Texts, row: usize) -> Option<String> {
    texts.get(row).map(|text| json(Some(text)))
}

/// The number of a row as JSON, if there is one.
fn number_of(nums: &Nums, row: usize) -> Option<String> {
    nums.get(row).map(|num| num.to_string())
}

/// Lines of the format `queryscope`.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, members: &[(&str, Option<String>)]) {
        self.0.push('{');
        let mut comma = "";
        for (key, value) in members {
            if let Some(value) = value {
                // Writing to a string cannot fail.
                let _ = write!(self.0, "{comma}\"{key}\":{value}");
                comma = ",";
            }
        }
        self.0.push_str("}\n");
    }

    fn header(&mut self, runs: &Rows) {
        let sides = [("cut_before", "before"), ("cut_after", "after")];
        let cut: Vec<String> = sides
            .into_iter()
            .filter(|(column, _)| runs.flags(column).get(0))
            .map(|(_, side)| json(Some(side)))
            .collect();
        let cut = (!cut.is_empty()).then(|| format!("[{}]", cut.join(",")));
        let version = Some("1".to_owned());
        self.line(&[("queryscope", Some(json(Some("trace")))), ("version", version), ("cut", cut)]);
    }

    fn keys(&mut self, attributes: &Rows) {
        let (keys, units) = (attributes.texts("key"), attributes.texts("unit"));
        for row in 0..attributes.len() {
            self.line(&[("key", Some(json(keys.get(row)))), ("unit", Some(json(units.get(row))))]);
        }
    }

    fn items(
        &mut self,
        folder: &Path,
        stored: &StoredTrace,
        runs: &Rows,
        attributes: &Rows,
    ) -> Result<(), DatasetError> {
        let tracks = Rows::read(folder, stored, "tracks")?;
        let args = Arguments::new(&Rows::read(folder, stored, "args")?, attributes);
        let spans = Rows::read(folder, stored, "spans")?;
        let events = Rows::read(folder, stored, "events")?;
        let (parents, names, kinds) = (tracks.nums("parent_id"), tracks.texts("name"), tracks.texts("kind"));
        let runs_of = runs.nums("track_id");
        let (origins, durations) = (runs.nums("origin_ns"), runs.nums("duration_ns"));
        let records = runs.nums("records");
        let (mut span, mut event) = (ItemRows::new(&spans, "span_id"), ItemRows::new(&events, "event_id"));
        for track in 0..tracks.len() {
            let name = json(names.get(track));
            let texts = args.texts("track_id", track as i64);
            let run = (0..runs.len()).find(|&run| runs_of.get(run) == Some(track as i64));
            match run {
                Some(run) => self.line(&[
                    ("run", Some(name)),
                    ("origin", number_of(&origins, run)),
                    ("duration", number_of(&durations, run)),
                    ("records", number_of(&records, run)),
                    ("texts", texts),
                ]),
                None => self.line(&[
                    ("track", Some(name)),
                    ("kind", Some(json(kinds.get(track)))),
                    ("parent", number_of(&parents, track)),
                    ("texts", texts),
                ]),
            }
            span.write(track as i64, self, &args);
            event.write(track as i64, self, &args);
        }
        Ok(())
    }

    fn flows(&mut self, flows: &Rows) {
        let names = flows.texts("name");
        let columns =
            ["from_span_id", "from_event_id", "to_span_id", "to_event_id", "leaves_ns", "arrives_ns"];
        let members = ["from", "from_event", "to", "to_event", "leaves", "arrives"];
        let nums = columns.map(|column| flows.nums(column));
        for row in 0..flows.len() {
            let numbers = members.into_iter().zip(&nums);
            let numbers = numbers.map(|(name, nums)| (name, number_of(nums, row)));
            let name = ("flow", Some(json(names.get(row))));
            self.line(&std::iter::once(name).chain(numbers).collect::<Vec<_>>());
        }
    }

    fn locks(&mut self, locks: &Rows) {
        let texts = ["object", "wanted", "held", "since"].map(|column| locks.texts(column));
        let nums = ["run_id", "more"].map(|column| locks.nums(column));
        let parties = ["waiter", "holder"].map(|side| LockParties::new(locks, side));
        for row in 0..locks.len() {
            let text = |at: usize| json_of(&texts[at], row);
            let num = |at: usize| number_of(&nums[at], row);
            self.line(&[
                ("lock", Some(text(0).unwrap_or_else(|| "null".to_owned()))),
                ("run", num(0)),
                ("wanted", text(1)),
                ("held", text(2)),
                ("since", text(3)),
                ("waiter", Some(parties[0].object(row))),
                ("holder", Some(parties[1].object(row))),
                ("more", num(1)),
            ]);
        }
    }

    fn side_tables(&mut self, folder: &Path, stored: &StoredTrace) -> Result<(), DatasetError> {
        let mut parts: Vec<(usize, String)> = Vec::new();
        for file in stored.files.iter().filter(|file| schema::table(&file.table).is_none()) {
            let rows = Rows::read(folder, stored, &file.table)?;
            let mut first = 0;
            for part in &rows.parts {
                let mut lines = Self::default();
                lines.side_table(&rows, part, first);
                first += part.rows;
                parts.push((part.at, lines.0));
            }
        }
        parts.sort_by_key(|(at, _)| *at);
        parts.iter().for_each(|(_, lines)| self.0.push_str(lines));
        Ok(())
    }

    fn side_table(&mut self, rows: &Rows, part: &StoredPart, first: usize) {
        let list = |cells: Vec<String>| Some(format!("[{}]", cells.join(",")));
        let columns = part.columns.iter().map(|column| json(Some(column))).collect();
        let name = Some(json(Some(&part.name)));
        self.line(&[("table", name), ("run", Some(part.run.to_string())), ("columns", list(columns))]);
        let schema = rows.batch.schema_ref();
        let position = |source: &String| {
            schema.fields().iter().position(|field| field.metadata().get(SOURCE_NAME) == Some(source))
        };
        let texts: Vec<Texts> = part.columns.iter().map(|source| rows.texts_at(position(source))).collect();
        for row in first..(first + part.rows).min(rows.len()) {
            let cells = texts.iter().map(|texts| json(texts.get(row))).collect();
            self.line(&[("row", list(cells))]);
        }
    }

    fn notes(&mut self, notes: &Rows) {
        let (topics, texts, runs) = (notes.texts("topic"), notes.texts("text"), notes.nums("run_id"));
        for row in 0..notes.len() {
            self.line(&[
                ("note", Some(json(topics.get(row)))),
                ("run", number_of(&runs, row)),
                ("text", Some(json(texts.get(row)))),
            ]);
        }
    }
}

/// The waiters, or the holders, of lock waits.
struct LockParties {
    threads: Texts,
    spans: Nums,
    statements: Nums,
    running: Texts,
}

impl LockParties {
    fn new(locks: &Rows, side: &str) -> Self {
        Self {
            threads: locks.texts(side),
            spans: locks.nums(&format!("{side}_span_id")),
            statements: locks.nums(&format!("{side}_statement_id")),
            running: locks.texts(&format!("{side}_running")),
        }
    }

    fn object(&self, row: usize) -> String {
        let mut line = Lines::default();
        line.line(&[
            ("thread", json_of(&self.threads, row)),
            ("span", number_of(&self.spans, row)),
            ("statement", number_of(&self.statements, row)),
            ("running", json_of(&self.running, row)),
        ]);
        line.0.trim_end().to_owned()
    }
}

/// Attributes, in the order of their owners.
struct Arguments {
    owners: [(&'static str, Nums); 3],
    keys: Texts,
    nums: Nums,
    texts: Texts,
    /// Names of the attributes in millionths.
    decimals: Vec<String>,
    /// First row of each kind of owner.
    starts: [usize; 4],
}

impl Arguments {
    fn new(args: &Rows, attributes: &Rows) -> Self {
        let owners = ["span_id", "event_id", "track_id"].map(|name| (name, args.nums(name)));
        let counts = [0, 1].map(|at: usize| owners[at].1.0.len() - owners[at].1.0.null_count());
        let (keys, units) = (attributes.texts("key"), attributes.texts("unit"));
        let is_decimal = |&row: &usize| units.get(row) == Some("decimal");
        let decimals = (0..attributes.len()).filter(is_decimal).map(|row| keys.owned(row)).collect();
        let starts = [0, counts[0], counts[0] + counts[1], args.len()];
        let (keys, nums, texts) = (args.texts("key"), args.nums("num"), args.texts("text"));
        Self { owners, keys, nums, texts, decimals, starts }
    }

    fn rows(&self, owner: &str, id: i64) -> std::ops::Range<usize> {
        let Some(at) = self.owners.iter().position(|(name, _)| *name == owner) else { return 0..0 };
        let (start, end) = (self.starts[at], self.starts[at + 1]);
        let ids = &self.owners[at].1.0.values()[start..end];
        let (first, after) =
            (ids.partition_point(|&known| known < id), ids.partition_point(|&known| known <= id));
        start + first..start + after
    }

    fn object(
        &self,
        rows: std::ops::Range<usize>,
        value: impl Fn(usize) -> Option<String>,
    ) -> Option<String> {
        let member = |row: usize| Some(format!("{}:{}", json(self.keys.get(row)), value(row)?));
        let members: Vec<String> = rows.filter_map(member).collect();
        (!members.is_empty()).then(|| format!("{{{}}}", members.join(",")))
    }

    fn texts(&self, owner: &str, id: i64) -> Option<String> {
        self.object(self.rows(owner, id), |row| Some(json(Some(self.texts.get(row)?))))
    }

    fn nums(&self, owner: &str, id: i64) -> Option<String> {
        self.object(self.rows(owner, id), |row| {
            let num = self.nums.get(row)?;
            let is_decimal =
                self.keys.get(row).is_some_and(|key| self.decimals.iter().any(|known| known == key));
            let text = if is_decimal { decimal(num) } else { num.to_string() };
            Some(if is_decimal && !text.contains('.') { format!("{text}.0") } else { text })
        })
    }
}

/// Spans or events, in the order of tracks.
struct ItemRows {
    id_column: &'static str,
    ids: Nums,
    tracks: Nums,
    parents: Nums,
    starts: Nums,
    ends: Nums,
    lanes: Nums,
    names: Texts,
    groups: Texts,
    kinds: Texts,
    flags: Texts,
    next: usize,
}

impl ItemRows {
    fn new(rows: &Rows, id_column: &'static str) -> Self {
        let is_span = id_column == "span_id";
        Self {
            id_column,
            ids: rows.nums(id_column),
            tracks: rows.nums("track_id"),
            parents: rows.nums("parent_id"),
            starts: rows.nums(if is_span { "start_ns" } else { "time_ns" }),
            ends: rows.nums("end_ns"),
            lanes: rows.nums("lane"),
            names: rows.texts("name"),
            groups: rows.texts("name_group"),
            kinds: rows.texts("kind"),
            flags: rows.texts("flags"),
            next: 0,
        }
    }

    /// Writes the items of a track.
    fn write(&mut self, track: i64, lines: &mut Lines, args: &Arguments) {
        let is_span = self.id_column == "span_id";
        while self.tracks.get(self.next) == Some(track) {
            let row = self.next;
            self.next += 1;
            let id = self.ids.get(row).unwrap_or_default();
            let start = self.starts.get(row).unwrap_or_default();
            let duration = self.ends.get(row).map(|end| end.saturating_sub(start).to_string());
            let flags = self.flags.get(row).map(|flags| {
                let names: Vec<String> = flags.split(',').map(|name| json(Some(name))).collect();
                format!("[{}]", names.join(","))
            });
            let name = json(self.names.get(row));
            if let Some(group) = self.groups.get(row) {
                lines.line(&[("group", Some(json(Some(group)))), ("name", Some(name.clone()))]);
            }
            lines.line(&[
                (if is_span { "span" } else { "event" }, Some(name)),
                ("kind", Some(json(self.kinds.get(row)))),
                (if is_span { "start" } else { "time" }, Some(start.to_string())),
                ("duration", duration.filter(|_| is_span)),
                ("row", self.lanes.get(row).filter(|&lane| lane != 0).map(|lane| lane.to_string())),
                ("parent", number_of(&self.parents, row)),
                ("flags", flags),
                ("nums", args.nums(self.id_column, id)),
                ("texts", args.texts(self.id_column, id)),
            ]);
        }
    }
}

fn files(files: &Rows, problems: &Rows) -> Vec<FileReport> {
    let (numbers, names, formats) = (files.nums("file_id"), files.texts("name"), files.texts("format"));
    let (bytes, records, used) = (files.nums("bytes"), files.nums("records"), files.nums("used"));
    let (reported, left_out) = (files.nums("reported"), files.nums("left_out"));
    let (other_lines, opened) = (files.nums("other_lines"), files.nums("opened"));
    let (missing, read_as) = (files.texts("missing"), files.texts("read_as"));
    let recognised = files.flags("recognised");
    let mut problems = problems_by_file(problems);
    let report = |row: usize| FileReport {
        number: numbers.count(row) as u32,
        name: names.owned(row),
        format: formats.owned(row),
        recognised: recognised.get(row),
        bytes: bytes.count(row),
        records: records.count(row),
        used: used.count(row),
        reported: reported.count(row),
        left_out: left_out.count(row),
        other_lines: other_lines.count(row),
        problems: problems.remove(&numbers.count(row)).unwrap_or_default(),
        missing: missing.get(row).map(str::to_owned),
        opened: opened.get(row).and_then(|opened| u32::try_from(opened).ok()),
        read_as: read_as.get(row).map(str::to_owned),
    };
    (0..files.len()).map(report).collect()
}

/// The problems of each file, by its number.
fn problems_by_file(rows: &Rows) -> BTreeMap<u64, Vec<ProblemReport>> {
    let (files, numbers, counts) = (rows.nums("file_id"), rows.nums("problem_id"), rows.nums("count"));
    let (names, meanings, texts) = (rows.texts("name"), rows.texts("meaning"), rows.texts("text"));
    let (lines, offsets, lost) = (rows.nums("line"), rows.nums("offset"), rows.flags("lost"));
    let mut found: BTreeMap<u64, Vec<ProblemReport>> = BTreeMap::new();
    for row in 0..rows.len() {
        let problems = found.entry(files.count(row)).or_default();
        if numbers.count(row) as usize >= problems.len() {
            let (name, meaning) = (names.owned(row), meanings.owned(row));
            let (count, lost) = (counts.count(row), lost.get(row));
            problems.push(ProblemReport { name, meaning, count, lost, places: Vec::new() });
        }
        let line = lines.get(row).and_then(|line| u64::try_from(line).ok());
        let place = offsets.get(row).map(|_| ProblemPlace {
            line,
            offset: offsets.count(row),
            text: texts.owned(row),
        });
        if let (Some(problem), Some(place)) = (problems.last_mut(), place) {
            problem.places.push(place);
        }
    }
    found
}
