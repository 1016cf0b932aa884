//! Reads files of lines: bracket tuples, tables from `mclient`, events from `stethoscope`.

use std::borrow::Cow;

use super::columns::{self, MonetDbCells, MonetDbColumn, MonetDbColumnLayout};
use super::grid::GridParser;
use super::lists::{LineRowResult, LineRows};
use super::mal::{begins_like_mal, is_ended, looks_like_mal};
use super::object::MonetDbObjectReader;
use super::problems::{BROKEN, CLOCKLESS, CUT_OFF, GLUED, TORN, UNCLEAR, UNNAMED};
use super::reader::MonetDbReader;
use super::rows::TextRowState;
use super::sniff::MonetDbShape;
use super::store::MonetDbStore;
use super::words::unescaped;
use super::{line, python};
use crate::base::interner::StrId;
use crate::import::contract::{Field, Input};
use crate::import::tables::{CsvRow, CsvRows};
use crate::import::text::lines::{Lines, Place};
use crate::trace::RecordId;

/// Minimum size in bytes of a record without an end that counts as truncated by the server: MonetDB up to 2015 cuts at 8 KiB.
const CUT_BY_SERVER: usize = 8_000;

/// Parser state between two chunks of a file.
pub struct TextFileState {
    shape: MonetDbShape,
    lines: Lines,
    cells: Option<CsvRows>,
    grid: GridParser,
    layout: Option<MonetDbColumnLayout>,
    rows: TextRowState,
    /// A record of several lines that is not complete yet.
    pending: Option<(Place, String)>,
    /// Reader for rows of values without names.
    lists: LineRows,
    is_told: bool,
    /// Whether the line that is being read is the last line of the file, complete or not.
    is_ending: bool,
}

/// Tables that the lines of a file are added to.
struct TextFileTarget<'a, 'b> {
    store: &'a mut MonetDbStore,
    objects: &'a mut MonetDbObjectReader,
    input: &'a mut Input<'b>,
}

impl TextFileState {
    /// Creates the state for a file of this format variant.
    pub fn new(shape: MonetDbShape) -> Self {
        let cells = if let MonetDbShape::Delimited(by) = shape { Some(CsvRows::new(by)) } else { None };
        Self {
            shape,
            lines: Lines::default(),
            cells,
            grid: GridParser::default(),
            layout: None,
            rows: TextRowState::default(),
            pending: None,
            lists: LineRows::default(),
            is_told: false,
            is_ending: false,
        }
    }

    /// Reads the next chunk of the file.
    pub fn push(
        &mut self,
        text: &str,
        store: &mut MonetDbStore,
        objects: &mut MonetDbObjectReader,
        input: &mut Input,
    ) {
        let mut context = TextFileTarget { store, objects, input };
        if let Some(mut cells) = self.cells.take() {
            cells.push(text, |row| self.delimited(&row, &mut context));
            self.cells = Some(cells);
        } else {
            let mut lines = std::mem::take(&mut self.lines);
            lines.push(text, |line, place| self.line(line, place, &mut context));
            self.lines = lines;
        }
    }

    /// Returns the rows of values without names, after all rows were read.
    pub fn into_lists(self) -> Option<LineRows> {
        (self.shape == MonetDbShape::Line).then_some(self.lists)
    }

    /// Reads the incomplete rest of the text at the end of the file.
    pub fn finish(&mut self, store: &mut MonetDbStore, objects: &mut MonetDbObjectReader, input: &mut Input) {
        let mut context = TextFileTarget { store, objects, input };
        self.is_ending = true;
        if let Some(mut cells) = self.cells.take() {
            cells.finish(|row| self.delimited(&row, &mut context));
        }
        let mut lines = std::mem::take(&mut self.lines);
        lines.finish(|line, place| self.line(line, place, &mut context));
        let mut lists = std::mem::take(&mut self.lists);
        lists.finish(|row, text, place| self.of_list(row, text, place, &mut context));
        self.lists = lists;
        match self.shape {
            MonetDbShape::Grid | MonetDbShape::Expanded | MonetDbShape::Xml => self.row_of_grid(&mut context),
            _ => {
                if let Some((place, text)) = self.pending.take() {
                    context.input.lose(CUT_OFF, place, &text);
                }
            }
        }
    }

    fn line(&mut self, line: &str, place: Place, context: &mut TextFileTarget) {
        match self.shape {
            MonetDbShape::Tuples => self.tuple(line, place, context),
            MonetDbShape::Python => self.printed(line, place, context),
            MonetDbShape::Line => self.listed(line, place, context),
            MonetDbShape::Grid if self.grid.is_rest(line) => context.input.lose(BROKEN, place, line),
            MonetDbShape::Grid if self.grid.ruled(line, place) => self.row_of_grid(context),
            MonetDbShape::Expanded if self.grid.expanded(line, place) => self.row_of_grid(context),
            MonetDbShape::Grid | MonetDbShape::Expanded => {}
            MonetDbShape::Xml => self.elements(line, place, context),
            MonetDbShape::Objects | MonetDbShape::Delimited(_) => {}
        }
    }

    /// Reads a tuple `[ 1,\t"05:54:46.698431",\t"user.s0_2[0]69",\t… ]`, or a header that begins with `#` or `%`.
    fn tuple(&mut self, line: &str, place: Place, context: &mut TextFileTarget) {
        let trimmed = line.trim();
        if let Some(header) = trimmed.strip_prefix(['#', '%']) {
            let names =
                header.rsplit_once('#').filter(|(_, what)| what.trim() == "name").map(|(names, _)| names);
            if let Some(names) = names {
                self.layout = columns::of_header(names.split(','));
            } else if trimmed.ends_with("# table_name") {
                self.layout = None;
            }
        }
        let Some(mut inner) = trimmed.strip_prefix('[') else { return self.other(line, place, context) };
        loop {
            let end = next_record(inner);
            // Each record in the line begins with a bracket.
            let behind = line.len() as u64 - inner.len() as u64 - (line.len() - line.trim_end().len()) as u64;
            let place = Place { offset: place.offset + behind.saturating_sub(1), ..place };
            self.one_tuple(&inner[..end.unwrap_or(inner.len())], end.is_some(), place, context);
            let Some(end) = end else { return };
            context.input.note(GLUED, place, line);
            inner = &inner[end + 1..];
        }
    }

    fn one_tuple(&mut self, text: &str, is_glued: bool, place: Place, context: &mut TextFileTarget) {
        let layout = self.layout.clone().or_else(|| columns::of_tuple(text));
        let Some(layout) = layout else { return self.other(text, place, context) };
        let fields: Vec<&str> = text.splitn(layout.len(), ",\t").collect();
        let is_torn = !is_glued && !is_closed(text, &layout);
        if is_torn || fields.len() < layout.len() && !text.trim_end().ends_with(']') {
            let is_whole_but_text = fields.len() == layout.len() && text.len() >= CUT_BY_SERVER;
            if self.is_ending || !is_whole_but_text {
                return context.input.lose(if self.is_ending { CUT_OFF } else { BROKEN }, place, text);
            }
            context.input.note(TORN, place, text);
        }
        let last = fields.len() - 1;
        let cell = |(at, field): (usize, &&'_ str)| {
            if at == last { unescaped(content(field)).into_owned() } else { field.trim().to_owned() }
        };
        let cells: Vec<String> = fields.iter().enumerate().map(cell).collect();
        let cells = MonetDbCells::new(&layout, cells.iter().map(|cell| Cow::Borrowed(cell.as_str())));
        self.add(&cells, text, place, context);
    }

    fn delimited(&mut self, row: &CsvRow, context: &mut TextFileTarget) {
        let cells: Vec<&str> = row.cells.iter().flatten().collect();
        if let Some(layout) = columns::of_header(cells.iter().copied()) {
            self.layout = Some(layout);
            return;
        }
        let known = self.layout.clone().filter(|layout| layout.len() == cells.len());
        let layout = known.or_else(|| columns::of_width(cells.len())).filter(|layout| is_row(layout, &cells));
        let Some(layout) = layout else {
            let is_rest = cells.iter().any(|cell| begins_like_mal(cell));
            return self.lose_or_pass(is_rest, &cells.join(","), row.place, context);
        };
        // `mclient` doubles backslashes in addition to quotes, also in an event as JSON.
        let plain = cells.iter().zip(&layout).map(|(cell, column)| match column {
            MonetDbColumn::Statement | MonetDbColumn::Event => unescaped(cell),
            _ => Cow::Borrowed(*cell),
        });
        let plain: Vec<Cow<str>> = plain.collect();
        let record = context.input.records.add(context.input.file, row.place, row.length);
        let text = cells.join(",");
        self.keep(&MonetDbCells::new(&layout, plain.into_iter()), record, &text, row.place, context);
    }

    /// Reads a dictionary in Python's notation.
    fn printed(&mut self, line: &str, place: Place, context: &mut TextFileTarget) {
        if !line.trim_start().starts_with('{') {
            return self.other(line, place, context);
        }
        self.object(&python::to_json(line.trim()), line, place, context);
    }

    /// Reads a row of values without names.
    fn listed(&mut self, line: &str, place: Place, context: &mut TextFileTarget) {
        let (place, text) = match self.pending.take() {
            Some((place, text)) if !line::begins(line) => (place, text + "\n" + line),
            Some((before, text)) => {
                context.input.lose(BROKEN, before, &text);
                (place, line.to_owned())
            }
            None if line::begins(line) => (place, line.to_owned()),
            None => return self.other(line, place, context),
        };
        if self.is_ending && line::is_cut(&text) {
            return context.input.lose(CUT_OFF, place, &text);
        }
        if line::listed(&text).is_none() {
            self.pending = Some((place, text));
            return;
        }
        let mut lists = std::mem::take(&mut self.lists);
        lists.push(text, place, |row, text, place| self.of_list(row, text, place, context));
        self.lists = lists;
    }

    fn of_list(&mut self, row: LineRowResult, text: &str, place: Place, context: &mut TextFileTarget) {
        match row {
            LineRowResult::Event { json, has_unknown } => {
                if has_unknown {
                    context.input.note(UNNAMED, place, text);
                }
                self.object(&json, text, place, context);
            }
            LineRowResult::Unclear => context.input.lose(UNCLEAR, place, text),
        }
    }

    fn object(&mut self, json: &str, text: &str, place: Place, context: &mut TextFileTarget) {
        let TextFileTarget { store, objects, input } = context;
        if objects.read(json, input.strings).is_none() {
            return input.lose(BROKEN, place, text);
        }
        let record = input.records.add(input.file, place, text.len() as u64);
        let mut reader = MonetDbReader::new(store, input);
        if let Err(kind) = reader.add(&objects.object(json), record) {
            input.note(kind, place, text);
        }
    }

    fn row_of_grid(&mut self, context: &mut TextFileTarget) {
        let Some(row) = self.grid.take() else { return };
        self.grid.go_on();
        let layout = columns::of_header(row.names.iter().map(String::as_str));
        let Some(layout) = layout else {
            let names_some = row.names.iter().any(|name| matches!(&**name, "usec" | "statement"));
            let is_rest =
                row.cells.is_empty() || names_some || row.cells.iter().any(|cell| begins_like_mal(cell));
            return self.lose_or_pass(is_rest, &row.cells.join(" | "), row.place, context);
        };
        let cells: Vec<Cow<str>> = row.cells.iter().map(|cell| Cow::Borrowed(cell.as_str())).collect();
        let record = context.input.records.add(context.input.file, row.place, row.length);
        let text = row.cells.join(" | ");
        self.keep(&MonetDbCells::new(&layout, cells.into_iter()), record, &text, row.place, context);
    }

    fn add(&mut self, cells: &MonetDbCells, text: &str, place: Place, context: &mut TextFileTarget) {
        let record = context.input.records.add(context.input.file, place, text.len() as u64);
        self.keep(cells, record, text, place, context);
    }

    fn keep(
        &mut self,
        cells: &MonetDbCells,
        record: RecordId,
        text: &str,
        place: Place,
        context: &mut TextFileTarget,
    ) {
        let TextFileTarget { store, objects, input } = context;
        let statement = cells.text(MonetDbColumn::Statement);
        if self.is_ending
            && cells.has(MonetDbColumn::Statement)
            && !cells.has(MonetDbColumn::State)
            && !is_ended(statement)
        {
            return input.note(CUT_OFF, place, text);
        }
        let mut reader = MonetDbReader::new(store, input);
        if let Err(kind) = self.rows.add(cells, record, objects, &mut reader) {
            input.note(kind, place, text);
        }
        if self.rows.clockless && !std::mem::replace(&mut self.is_told, true) {
            input.note(CLOCKLESS, place, text);
            let server = store.server(input.file, StrId::NONE);
            store.servers[server as usize].is_clockless = true;
        }
    }

    /// Handles a line that does not begin a record: other output, or the rest of a record whose beginning is missing.
    fn other(&self, line: &str, place: Place, context: &mut TextFileTarget) {
        let line = line.trim();
        let is_ended = line.ends_with([']', '}']);
        let is_rest = match self.shape {
            MonetDbShape::Tuples => {
                let marks = [";\"", "\"done", "\"start", "\"ping", "\"wait", "\"system"];
                (is_ended && marks.iter().any(|mark| line.contains(mark))) || begins_tuple(line)
            }
            MonetDbShape::Line => is_ended && line.contains(",\t"),
            MonetDbShape::Python => is_ended && line.contains("': "),
            _ => false,
        };
        self.lose_or_pass(is_rest, line, place, context);
    }

    /// Reports the text as lost if it may be part of a record (`is_part`). Otherwise the text is only counted.
    fn lose_or_pass(&self, is_part: bool, text: &str, place: Place, context: &mut TextFileTarget) {
        if is_part {
            context.input.lose(BROKEN, place, text);
        } else if !text.trim().is_empty() {
            *context.input.other_lines += 1;
        }
    }

    /// Reads a line of XML, which may contain many rows.
    fn elements(&mut self, line: &str, place: Place, context: &mut TextFileTarget) {
        let mut at = 0;
        for part in
            line.split_inclusive('>').collect::<Vec<_>>().chunk_by(|_, next| next.contains("</column>"))
        {
            let length = part.iter().map(|part| part.len()).sum::<usize>();
            let place = Place { offset: place.offset + at as u64, ..place };
            if self.grid.xml(&line[at..at + length], place) {
                self.row_of_grid(context);
            }
            at += length;
        }
    }
}

/// Text of the last field of a tuple, without its quotes and the bracket after it.
fn content(field: &str) -> &str {
    let field = field.trim_end_matches([']', '\t', ' ', ',']).trim_start();
    field.strip_prefix('"').map_or(field, |field| field.strip_suffix('"').unwrap_or(field))
}

/// Whether a tuple is complete: the text of the instruction has its closing quote, and a bracket follows.
fn is_closed(text: &str, layout: &[MonetDbColumn]) -> bool {
    let inner = text.trim_end().strip_suffix(']').map(|inner| inner.trim_end_matches(['\t', ' ', ',']));
    inner.is_some_and(|inner| inner.ends_with('"') || layout.last() != Some(&MonetDbColumn::Statement))
}

/// Whether a text is the beginning of a truncated tuple.
fn begins_tuple(text: &str) -> bool {
    let inner = text.strip_prefix("[ ").unwrap_or(text);
    let digits = inner.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && inner[digits..].starts_with(",\t") && !text.ends_with(']')
}

/// Position of another record inside a tuple that was cut after 8 KiB: `[ 38,\t"`.
fn next_record(text: &str) -> Option<usize> {
    let starts = text.match_indices("[ ").map(|(at, _)| at);
    let begins = |at: &usize| {
        let rest = &text[at + 2..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest[digits..].starts_with(",\t")
    };
    starts.filter(|at| *at > 0).find(begins)
}

/// Whether cells without a header match the columns of the layout.
fn is_row(layout: &MonetDbColumnLayout, cells: &[&str]) -> bool {
    layout.iter().zip(cells).all(|(column, cell)| match column {
        MonetDbColumn::Usec | MonetDbColumn::Thread => cell.trim().parse::<i64>().is_ok(),
        MonetDbColumn::Statement => looks_like_mal(cell),
        _ => true,
    })
}

/// Returns the values of a tuple as named fields.
pub fn fields(text: &str) -> Vec<Field> {
    let inner = text.trim_start().trim_start_matches('[');
    let Some(layout) = columns::of_tuple(inner) else {
        return vec![Field { name: "text".to_owned(), value: text.to_owned() }];
    };
    let fields = inner.splitn(layout.len(), ",\t").zip(&layout);
    let field = |(value, column): (&str, &MonetDbColumn)| {
        let value = unescaped(content(value)).into_owned();
        Field { name: format!("{column:?}").to_lowercase(), value }
    };
    fields.map(field).collect()
}
