//! Tables as `mclient` draws them: between rules, as one value per line, as XML.

use crate::import::lines::Place;

/// A row with the names of its columns.
#[derive(Clone, Default, Debug)]
pub struct GridRow {
    pub names: Vec<String>,
    pub cells: Vec<String>,
    pub place: Place,
    /// Bytes from its first to behind its last line.
    pub length: u64,
}

/// Puts the lines of rows together. A method says whether the row so far is whole; then it is taken, and
/// [`go_on`](Self::go_on) begins the next one.
#[derive(Default)]
pub struct Grid {
    names: Vec<String>,
    /// Where the cells of a ruled table begin and end, in characters.
    stops: Vec<usize>,
    row: Option<GridRow>,
    next: Option<GridRow>,
    /// Whether the line before was the rule at the top of a table.
    at_top: bool,
}

impl Grid {
    /// The row that is whole.
    pub fn take(&mut self) -> Option<GridRow> {
        let row = self.row.take()?;
        Some(if row.names.is_empty() { GridRow { names: self.names.clone(), ..row } } else { row })
    }

    /// The line that showed that the row before was whole begins the next one.
    pub fn go_on(&mut self) {
        self.row = self.next.take();
    }

    /// A line between rules of `+---+`. A cell goes on in lines that begin with a colon.
    pub fn ruled(&mut self, line: &str, place: Place) -> bool {
        if let Some(rule) = line.strip_prefix('+') {
            let is_top = self.row.is_none() && rule.contains('-');
            if is_top {
                let stops = line.chars().enumerate().filter(|(_, c)| *c == '+');
                self.stops = stops.map(|(at, _)| at).collect();
            }
            self.at_top = is_top;
            return self.row.is_some();
        }
        if line.starts_with(':') {
            let cells = self.cut(line);
            if let Some(row) = &mut self.row {
                row.cells.iter_mut().zip(&cells).for_each(|(cell, more)| cell.push_str(more));
                row.length = place.offset + line.len() as u64 - row.place.offset;
            }
            return false;
        }
        if !line.starts_with('|') {
            return self.row.is_some();
        }
        let cells = self.cut(line);
        if std::mem::take(&mut self.at_top) {
            self.names = cells.iter().map(|cell| cell.trim().to_owned()).collect();
            return false;
        }
        let row = GridRow { names: Vec::new(), cells, place, length: line.len() as u64 };
        self.put(row)
    }

    fn put(&mut self, row: GridRow) -> bool {
        let is_next = self.row.is_some();
        *if is_next { &mut self.next } else { &mut self.row } = Some(row);
        is_next
    }

    /// The cells of a line, each without the blank before and behind it.
    fn cut(&self, line: &str) -> Vec<String> {
        let chars: Vec<char> = line.chars().collect();
        let cell = |stops: &[usize]| -> String {
            let (from, to) = (stops[0] + 2, stops[1].saturating_sub(1).min(chars.len()));
            chars.get(from..to.max(from)).unwrap_or_default().iter().collect()
        };
        self.stops.windows(2).map(cell).collect()
    }

    /// `-[ RECORD 1 ]---`, then `name | value` for every column.
    pub fn expanded(&mut self, line: &str, place: Place) -> bool {
        if line.starts_with("-[ RECORD ") {
            return self.put(GridRow { place, length: line.len() as u64, ..GridRow::default() });
        }
        let Some(row) = &mut self.row else { return false };
        row.length = place.offset + line.len() as u64 - row.place.offset;
        match line.split_once(" | ") {
            Some((name, value)) if !name.trim().contains(' ') && !name.starts_with(':') => {
                row.names.push(name.trim().to_owned());
                row.cells.push(value.to_owned());
            }
            _ => {
                if let Some(cell) = row.cells.last_mut() {
                    cell.push_str(line.trim_start_matches([':', ' ']));
                }
            }
        }
        false
    }

    /// `<row>`, `<column name="usec">17</column>` for every column, `</row>`, on any number of lines.
    pub fn xml(&mut self, line: &str, place: Place) -> bool {
        if line.contains("<row>") && self.row.is_none() {
            self.row = Some(GridRow { place, ..GridRow::default() });
        }
        let Some(row) = &mut self.row else { return false };
        row.length = place.offset + line.len() as u64 - row.place.offset;
        for column in line.split("<column name=\"").skip(1) {
            let Some((name, rest)) = column.split_once("\">") else { continue };
            row.names.push(name.to_owned());
            row.cells.push(plain(rest.split("</column>").next().unwrap_or("")));
        }
        line.contains("</row>")
    }
}

/// A text of XML without its entities.
fn plain(text: &str) -> String {
    let entities =
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&#39;", "'"), ("&amp;", "&")];
    entities.iter().fold(text.to_owned(), |text, (entity, plain)| text.replace(entity, plain))
}
