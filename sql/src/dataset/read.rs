//! [`Dataset::read_trace`]: a trace of a data set as lines of the format `queryscope`, which the engine opens again.

use std::collections::BTreeMap;
use std::fmt::Write;

use futures::{StreamExt, TryFutureExt, TryStreamExt, stream};
use queryscope::internal::rows::{EVENT_COLUMNS, SPAN_COLUMNS};
use queryscope::protocol::{FileReport, ProblemPlace, ProblemReport};

use super::DatasetError;
use super::attributes::{Arguments, AttributeColumn, json, json_of, number_of};
use super::files::Dataset;
use super::manifest::{StoredFile, StoredTrace};
use super::stored_rows::{Nums, StoredPart, StoredRows, Texts};
use crate::schema::{self, SOURCE_NAME};
use crate::trend;

/// A trace as it was stored.
pub struct StoredContent {
    /// Lines of the format `queryscope`.
    pub lines: String,
    /// The import report of the files from which the trace was made.
    pub files: Vec<FileReport>,
}

impl Dataset {
    /// Bytes of the files that [`Self::read_trace`] reads.
    pub fn trace_bytes(&self, trace: &StoredTrace) -> u64 {
        StoredFile::sum_bytes(trace.files.iter().filter(|file| trend::table(&file.table).is_none()))
    }

    /// Reads a trace. This takes as much memory as all of its rows.
    ///
    /// # Errors
    /// A sentence if there is no such trace, or a file is missing or damaged.
    pub async fn read_trace(&self, name: &str) -> Result<StoredContent, DatasetError> {
        let stored = self.trace(name)?;
        let is_side = |table: &&str| schema::table(table).is_none() && trend::table(table).is_none();
        let side_tables = stored.files.iter().map(|file| file.table.as_str()).filter(is_side);
        let tables = TABLES.into_iter().chain(side_tables);
        let reading =
            tables.map(|table| StoredRows::read(self, stored, table).map_ok(move |rows| (table, rows)));
        let rows: TraceTables = stream::iter(reading).buffered(self.reads_at_once()).try_collect().await?;
        let mut lines = Lines::default();
        lines.header(&rows["runs"]);
        lines.keys(&rows["attributes"]);
        lines.items(&rows);
        lines.flows(&rows["flows"]);
        lines.locks(&rows["lock_waits"]);
        lines.side_tables(rows.iter().filter(|(table, _)| is_side(table)).map(|(_, rows)| rows));
        lines.notes(&rows["notes"]);
        let files = files(&rows["files"], &rows["problems"]);
        lines.problems(&files);
        Ok(StoredContent { lines: lines.0, files })
    }
}

/// The tables of which lines are made, besides the side tables.
const TABLES: [&str; 11] = [
    "runs",
    "attributes",
    "tracks",
    "args",
    "spans",
    "events",
    "flows",
    "lock_waits",
    "notes",
    "files",
    "problems",
];

/// The rows of [`TABLES`] and of the side tables.
type TraceTables<'t> = BTreeMap<&'t str, StoredRows>;

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

    fn header(&mut self, runs: &StoredRows) {
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

    /// What the import report of the original files said of them.
    fn problems(&mut self, files: &[FileReport]) {
        for file in files {
            for problem in &file.problems {
                self.problem(file, &problem.name, &problem.meaning, problem.count, problem.lost);
            }
            if let Some(missing) = &file.missing {
                self.problem(file, "missing data", missing, 1, true);
            }
        }
    }

    fn problem(&mut self, file: &FileReport, name: &str, meaning: &str, count: u64, is_lost: bool) {
        self.line(&[
            ("problem", Some(json(Some(name)))),
            ("file", Some(json(Some(&file.name)))),
            ("meaning", Some(json(Some(meaning)))),
            ("count", Some(count.to_string())),
            ("lost", is_lost.then(|| "true".to_owned())),
        ]);
    }

    fn keys(&mut self, attributes: &StoredRows) {
        let (keys, units) = (attributes.texts("key"), attributes.texts("unit"));
        for row in 0..attributes.len() {
            self.line(&[("key", Some(json(keys.get(row)))), ("unit", Some(json(units.get(row))))]);
        }
    }

    fn items(&mut self, rows: &TraceTables) {
        let (runs, tracks, attributes) = (&rows["runs"], &rows["tracks"], &rows["attributes"]);
        let args = Arguments::new(&rows["args"], attributes);
        let (parents, names, kinds) = (tracks.nums("parent_id"), tracks.texts("name"), tracks.texts("kind"));
        let runs_of = runs.nums("track_id");
        let (origins, durations) = (runs.nums("origin_ns"), runs.nums("duration_ns"));
        let records = runs.nums("records");
        let (mut span, mut event) = (
            ItemRows::new(&rows["spans"], "span_id", attributes),
            ItemRows::new(&rows["events"], "event_id", attributes),
        );
        for track in 0..tracks.len() {
            let name = json(names.get(track));
            let texts = args.texts("track_id", track as i64, std::iter::empty());
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
    }

    fn flows(&mut self, flows: &StoredRows) {
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

    fn locks(&mut self, locks: &StoredRows) {
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

    fn side_tables<'r>(&mut self, tables: impl Iterator<Item = &'r StoredRows>) {
        let mut parts: Vec<(usize, String)> = Vec::new();
        for rows in tables {
            let mut first = 0;
            for part in &rows.parts {
                let mut lines = Self::default();
                lines.side_table(rows, part, first);
                first += part.rows;
                parts.push((part.at, lines.0));
            }
        }
        parts.sort_by_key(|(at, _)| *at);
        parts.iter().for_each(|(_, lines)| self.0.push_str(lines));
    }

    fn side_table(&mut self, rows: &StoredRows, part: &StoredPart, first: usize) {
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

    fn notes(&mut self, notes: &StoredRows) {
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
    fn new(locks: &StoredRows, side: &str) -> Self {
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
    attributes: Vec<AttributeColumn>,
    next: usize,
}

impl ItemRows {
    fn new(rows: &StoredRows, id_column: &'static str, attributes: &StoredRows) -> Self {
        let is_span = id_column == "span_id";
        let columns = if is_span { SPAN_COLUMNS } else { EVENT_COLUMNS };
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
            attributes: AttributeColumn::all(rows, attributes, columns),
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
                ("nums", args.nums(self.id_column, id, self.attributes.iter().filter_map(|of| of.num(row)))),
                (
                    "texts",
                    args.texts(self.id_column, id, self.attributes.iter().filter_map(|of| of.text(row))),
                ),
            ]);
        }
    }
}

fn files(files: &StoredRows, problems: &StoredRows) -> Vec<FileReport> {
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
fn problems_by_file(rows: &StoredRows) -> BTreeMap<u64, Vec<ProblemReport>> {
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
