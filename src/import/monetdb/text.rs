//! Files of lines: bracket tuples, what `mclient` prints of a table, what `stethoscope` prints of an event.

use std::borrow::Cow;

use super::columns::{self, Cells, Column, Layout};
use super::grid::Grid;
use super::object::Objects;
use super::problems::{BROKEN, CLOCKLESS, CUT_OFF, GLUED};
use super::reader::Reader;
use super::rows::Rows;
use super::sniff::Shape;
use super::store::Store;
use super::words::unescaped;
use super::{line, python};
use crate::import::csv;
use crate::import::lines::{Lines, Place};
use crate::import::{Field, Input};
use crate::trace::RecordId;

/// The state between two texts of one file.
pub struct Text {
    shape: Shape,
    lines: Lines,
    cells: Option<csv::Rows>,
    grid: Grid,
    layout: Option<Layout>,
    rows: Rows,
    /// A record whose lines are still coming.
    pending: Option<(Place, String)>,
    is_told: bool,
}

/// What a line may add to.
struct Context<'a, 'b> {
    store: &'a mut Store,
    objects: &'a mut Objects,
    input: &'a mut Input<'b>,
}

impl Text {
    /// For a file of this shape.
    pub fn new(shape: Shape) -> Self {
        let cells = if let Shape::Delimited(by) = shape { Some(csv::Rows::new(by)) } else { None };
        Self {
            shape,
            lines: Lines::default(),
            cells,
            grid: Grid::default(),
            layout: None,
            rows: Rows::default(),
            pending: None,
            is_told: false,
        }
    }

    /// The next text of the file.
    pub fn push(&mut self, text: &str, store: &mut Store, objects: &mut Objects, input: &mut Input) {
        let mut context = Context { store, objects, input };
        if let Some(mut cells) = self.cells.take() {
            cells.push(text, |row| self.delimited(&row, &mut context));
            self.cells = Some(cells);
        } else {
            let mut lines = std::mem::take(&mut self.lines);
            lines.push(text, |line, place| self.line(line, place, &mut context));
            self.lines = lines;
        }
    }

    /// The file ends.
    pub fn finish(&mut self, store: &mut Store, objects: &mut Objects, input: &mut Input) {
        let mut context = Context { store, objects, input };
        if let Some(mut cells) = self.cells.take() {
            cells.finish(|row| self.delimited(&row, &mut context));
        }
        let mut lines = std::mem::take(&mut self.lines);
        lines.finish(|line, place| self.line(line, place, &mut context));
        match self.shape {
            Shape::Grid | Shape::Expanded | Shape::Xml => self.row_of_grid(&mut context),
            _ => {
                if let Some((place, text)) = self.pending.take() {
                    context.input.lose(CUT_OFF, place, &text);
                }
            }
        }
    }

    fn line(&mut self, line: &str, place: Place, context: &mut Context) {
        match self.shape {
            Shape::Tuples => self.tuple(line, place, context),
            Shape::Python => self.printed(line, place, context),
            Shape::Line => self.listed(line, place, context),
            Shape::Grid if self.grid.ruled(line, place) => self.row_of_grid(context),
            Shape::Expanded if self.grid.expanded(line, place) => self.row_of_grid(context),
            Shape::Grid | Shape::Expanded => {}
            Shape::Xml => {
                for part in line.split_inclusive("</row>") {
                    if self.grid.xml(part, place) {
                        self.row_of_grid(context);
                    }
                }
            }
            Shape::Objects | Shape::Delimited(_) => {}
        }
    }

    /// `[ 1,\t"05:54:46.698431",\t"user.s0_2[0]69",\t… ]`, with headers that begin with `#` or `%`.
    fn tuple(&mut self, line: &str, place: Place, context: &mut Context) {
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
        let Some(mut inner) = trimmed.strip_prefix('[') else { return self.other(line, context) };
        loop {
            let end = next_record(inner);
            // The line has a bracket before each of its records.
            let behind = line.len() as u64 - inner.len() as u64 - (line.len() - line.trim_end().len()) as u64;
            let place = Place { offset: place.offset + behind.saturating_sub(1), ..place };
            self.one_tuple(&inner[..end.unwrap_or(inner.len())], place, context);
            let Some(end) = end else { return };
            context.input.note(GLUED, place, line);
            inner = &inner[end + 1..];
        }
    }

    fn one_tuple(&mut self, text: &str, place: Place, context: &mut Context) {
        let fields: Vec<&str> = text.splitn(6, ",\t").collect();
        let layout = self.layout.clone().or_else(|| columns::of_tuple(&fields));
        let Some(layout) = layout else { return self.other(text, context) };
        let fields: Vec<&str> = text.splitn(layout.len(), ",\t").collect();
        let last = fields.len() - 1;
        let cell = |(at, field): (usize, &&'_ str)| {
            if at == last { unescaped(content(field)).into_owned() } else { field.trim().to_owned() }
        };
        let cells: Vec<String> = fields.iter().enumerate().map(cell).collect();
        let cells = Cells::new(&layout, cells.iter().map(|cell| Cow::Borrowed(cell.as_str())));
        self.add(&cells, text, place, context);
    }

    fn delimited(&mut self, row: &csv::Row, context: &mut Context) {
        let cells: Vec<&str> = row.cells().collect();
        if let Some(layout) = columns::of_header(cells.iter().copied()) {
            self.layout = Some(layout);
            return;
        }
        let known = self.layout.clone().filter(|layout| layout.len() == cells.len());
        let layout = known.or_else(|| columns::of_width(cells.len())).filter(|layout| is_row(layout, &cells));
        let Some(layout) = layout else { return *context.input.other_lines += 1 };
        // `mclient` doubles backslashes besides quotes, those of an event as JSON as well.
        let plain = cells.iter().zip(&layout).map(|(cell, column)| match column {
            Column::Statement | Column::Event => unescaped(cell),
            _ => Cow::Borrowed(*cell),
        });
        let plain: Vec<Cow<str>> = plain.collect();
        let record = context.input.records.add(context.input.file, row.place, row.length);
        let text = cells.join(",");
        self.keep(&Cells::new(&layout, plain.into_iter()), record, &text, row.place, context);
    }

    /// A dictionary as Python prints it.
    fn printed(&mut self, line: &str, place: Place, context: &mut Context) {
        if !line.trim_start().starts_with('{') {
            return self.other(line, context);
        }
        self.object(&python::to_json(line.trim()), line, place, context);
    }

    /// Values without names.
    fn listed(&mut self, line: &str, place: Place, context: &mut Context) {
        let (place, text) = match self.pending.take() {
            Some((place, text)) if !line::begins(line) => (place, text + "\n" + line),
            Some((before, text)) => {
                context.input.lose(BROKEN, before, &text);
                (place, line.to_owned())
            }
            None if line::begins(line) => (place, line.to_owned()),
            None => return self.other(line, context),
        };
        match line::to_json(&text) {
            Some(json) => self.object(&json, &text, place, context),
            None => self.pending = Some((place, text)),
        }
    }

    fn object(&mut self, json: &str, text: &str, place: Place, context: &mut Context) {
        let Context { store, objects, input } = context;
        if objects.read(json, input.strings).is_none() {
            return input.lose(BROKEN, place, text);
        }
        let record = input.records.add(input.file, place, text.len() as u64);
        let mut reader = Reader::new(store, input);
        if let Err(kind) = reader.add(&objects.object(json), record) {
            input.note(kind, place, text);
        }
    }

    fn row_of_grid(&mut self, context: &mut Context) {
        let Some(row) = self.grid.take() else { return };
        self.grid.go_on();
        let layout = columns::of_header(row.names.iter().map(String::as_str));
        let Some(layout) = layout else { return *context.input.other_lines += 1 };
        let cells: Vec<Cow<str>> = row.cells.iter().map(|cell| Cow::Borrowed(cell.as_str())).collect();
        let record = context.input.records.add(context.input.file, row.place, row.length);
        let text = row.cells.join(" | ");
        self.keep(&Cells::new(&layout, cells.into_iter()), record, &text, row.place, context);
    }

    fn add(&mut self, cells: &Cells, text: &str, place: Place, context: &mut Context) {
        let record = context.input.records.add(context.input.file, place, text.len() as u64);
        self.keep(cells, record, text, place, context);
    }

    fn keep(&mut self, cells: &Cells, record: RecordId, text: &str, place: Place, context: &mut Context) {
        let Context { store, objects, input } = context;
        let mut reader = Reader::new(store, input);
        if let Err(kind) = self.rows.add(cells, record, objects, &mut reader) {
            input.note(kind, place, text);
        }
        if self.rows.clockless && !std::mem::replace(&mut self.is_told, true) {
            input.note(CLOCKLESS, place, text);
        }
    }

    fn other(&self, line: &str, context: &mut Context) {
        if !line.trim().is_empty() {
            *context.input.other_lines += 1;
        }
    }
}

/// The text of the last field of a tuple, without its quotes and the bracket behind it.
fn content(field: &str) -> &str {
    let field = field.trim_end_matches([']', '\t', ' ', ',']).trim_start();
    field.strip_prefix('"').map_or(field, |field| field.strip_suffix('"').unwrap_or(field))
}

/// Where another record begins inside of a tuple, which is cut after 8 KiB: `[ 38,\t"`.
fn next_record(text: &str) -> Option<usize> {
    let starts = text.match_indices("[ ").map(|(at, _)| at);
    let begins = |at: &usize| {
        let rest = &text[at + 2..];
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        digits > 0 && rest[digits..].starts_with(",\t")
    };
    starts.filter(|at| *at > 0).find(begins)
}

/// Whether cells without a header are what the columns say.
fn is_row(layout: &Layout, cells: &[&str]) -> bool {
    layout.iter().zip(cells).all(|(column, cell)| match column {
        Column::Usec | Column::Thread => cell.trim().parse::<i64>().is_ok(),
        Column::Statement => looks_like_mal(cell),
        _ => true,
    })
}

/// Whether a text may be an instruction: a call of a function of a module, something assigned to a variable (`X_1`), or
/// one of the words that begin or end a block.
pub fn looks_like_mal(text: &str) -> bool {
    let text = text.trim_start();
    let is_word = |word: &str| {
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    let is_call = |name: &str| {
        let parts = name.split_once('.');
        parts.is_some_and(|(module, name)| is_word(module) && !name.contains([' ', ';', ',', '"', '\t', '/']))
    };
    let is_variable = |left: &str| {
        let name = left.trim_start_matches('(').split([' ', '=', ':', ',', ';', ')']).next().unwrap_or("");
        is_word(name) && name.contains('_') && !name.starts_with(|c: char| c.is_ascii_digit())
    };
    let keyword = ["barrier ", "exit ", "redo ", "leave ", "return ", "end ", "function "];
    let begins = text.split_once('(').is_some_and(|(name, _)| is_call(name))
        || text.split_once(" := ").is_some_and(|(left, _)| is_variable(left))
        || keyword.iter().any(|word| {
            text.strip_prefix(word)
                .is_some_and(|rest| is_variable(rest) || is_call(rest.trim_end_matches(';')))
        });
    text.contains(';') && begins
}

/// The values of a tuple, by what they are.
pub fn fields(text: &str) -> Vec<Field> {
    let inner = text.trim_start().trim_start_matches('[');
    let first: Vec<&str> = inner.splitn(6, ",\t").collect();
    let Some(layout) = columns::of_tuple(&first) else {
        return vec![Field { name: "text".to_owned(), value: text.to_owned() }];
    };
    let fields = inner.splitn(layout.len(), ",\t").zip(&layout);
    let field = |(value, column): (&str, &Column)| {
        let value = unescaped(content(value)).into_owned();
        Field { name: format!("{column:?}").to_lowercase(), value }
    };
    fields.map(field).collect()
}

#[cfg(test)]
mod tests {
    use super::looks_like_mal;

    #[test]
    fn instructions_are_told_from_other_texts() {
        for text in [
            "    X_1=0@0:void := querylog.define(\"a\":str);",
            "(X_1=[2]:bat[:oid], C_2) := algebra.join(X_3);",
            "sql.exportOperation();",
            "calc.==(X_1, 2);",
            "barrier X_5=false:bit := language.dataflow();",
            "exit X_5;",
            "end user.main;",
        ] {
            assert!(looks_like_mal(text), "{text}");
        }
        for text in [
            "44;47;stage/sql/starting;init_net_server_extension.cc:111;(1)",
            "SELECT @a := 5;",
            "select count(*) from t.u;",
            "end of line;",
            "",
        ] {
            assert!(!looks_like_mal(text), "{text}");
        }
    }
}
