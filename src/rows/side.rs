//! [`SqlSideTable`]: side tables (tables in the files that are not events) with the same name in all runs of a trace,
//! as one table.

use super::reader::ColumnReader;
use super::schema;
use crate::protocol::SideColumnType;
use crate::trace::{StrId, Table, Trace};

/// All side tables of a trace that have the same name, as one table for SQL.
pub struct SqlSideTable {
    /// Name in SQL.
    pub name: String,
    /// The columns from the files.
    pub columns: Vec<SideColumn>,
    parts: Vec<SideTablePart>,
}

/// A column of a side table that is from the files.
pub struct SideColumn {
    /// Name in SQL.
    pub name: String,
    /// Original name.
    pub source: StrId,
    /// Type of its values in all runs.
    pub kind: SideColumnType,
}

/// The side table of one run.
struct SideTablePart {
    /// Position among all side tables of the trace.
    at: usize,
    /// Number of rows in the parts before this part.
    first: usize,
}

impl SideTablePart {
    fn table<'t>(&self, trace: &'t Trace) -> Option<&'t Table> {
        trace.tables.iter().nth(self.at)
    }
}

/// The side tables of a trace for SQL, one for each name.
pub fn side_tables(trace: &Trace) -> Vec<SqlSideTable> {
    let mut named: Vec<(String, Vec<usize>)> = Vec::new();
    for (at, table) in trace.tables.iter().enumerate() {
        let name = schema::side_table_name(trace.str(table.name));
        match named.iter_mut().find(|(known, _)| *known == name) {
            Some((_, list)) => list.push(at),
            None => named.push((name, vec![at])),
        }
    }
    let merged = |(name, list): (String, Vec<usize>)| {
        let mut sources: Vec<StrId> = Vec::new();
        let (mut parts, mut first) = (Vec::new(), 0);
        for at in list {
            let Some(table) = trace.tables.iter().nth(at) else { continue };
            for &column in table.columns() {
                if !sources.contains(&column) {
                    sources.push(column);
                }
            }
            parts.push(SideTablePart { at, first });
            first += table.len();
        }
        let names = schema::side_column_names(sources.iter().map(|&source| trace.str(source)));
        let column = |(name, source)| SideColumn { name, source, kind: kind_of(trace, &parts, source) };
        SqlSideTable { name, columns: names.into_iter().zip(sources).map(column).collect(), parts }
    };
    named.into_iter().map(merged).collect()
}

/// Type of the values of a column in all parts of a table.
fn kind_of(trace: &Trace, parts: &[SideTablePart], source: StrId) -> SideColumnType {
    let mut kind = SideColumnType::Empty;
    for table in parts.iter().filter_map(|part| part.table(trace)) {
        let Some(at) = table.columns().iter().position(|&known| known == source) else { continue };
        for value in (0..table.len()).filter_map(|row| table.cell(row, at)) {
            match integer(trace.str(value)) {
                Some(_) => kind = SideColumnType::Integer,
                None => return SideColumnType::Text,
            }
        }
    }
    kind
}

/// The integer of a text; `None` unless it is one of 64 bits without `+`, leading zeros or `-0`.
fn integer(text: &str) -> Option<i64> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_canonical = match digits.as_bytes() {
        [b'0'] => digits.len() == text.len(),
        [first, ..] => (b'1'..=b'9').contains(first),
        [] => false,
    };
    is_canonical.then(|| text.parse().ok()).flatten()
}

impl SqlSideTable {
    /// Number of rows.
    pub fn n_rows(&self, trace: &Trace) -> usize {
        self.tables(trace).map(|(_, table)| table.len()).sum()
    }

    /// The tables in the trace, one for each run, with their positions among all side tables.
    pub fn tables<'t>(&'t self, trace: &'t Trace) -> impl Iterator<Item = (usize, &'t Table)> {
        self.parts.iter().filter_map(|part| Some((part.at, part.table(trace)?)))
    }

    /// The values of a column, by its name in SQL. A column that is not known has no values.
    pub fn column<'a>(&'a self, trace: &'a Trace, column: &str) -> ColumnReader<'a> {
        let known = self.columns.iter().find(|known| known.name == column);
        let source = known.map(|known| known.source);
        // By part: the table, and the position of the column in it.
        let parts: Vec<(usize, &Table, Option<usize>)> = self
            .parts
            .iter()
            .filter_map(|part| {
                let table = part.table(trace)?;
                let at = source.and_then(|source| table.columns().iter().position(|&known| known == source));
                Some((part.first, table, at))
            })
            .collect();
        let part_of = move |row: usize| {
            let after = parts.partition_point(|(first, ..)| *first <= row);
            parts[..after].last().copied()
        };
        match (column, known) {
            ("run_id", None) => ColumnReader::number(move |row| Some(i64::from(part_of(row)?.1.run.0))),
            ("row_id", None) => ColumnReader::number(move |row| Some((row - part_of(row)?.0) as i64)),
            _ => {
                let cell = move |row: usize| {
                    let (first, table, at) = part_of(row)?;
                    table.cell(row - first, at?)
                };
                match known.map(|known| known.kind) {
                    Some(SideColumnType::Integer) => {
                        ColumnReader::number(move |row| integer(trace.str(cell(row)?)))
                    }
                    _ => ColumnReader::id(cell),
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::integer;

    #[test]
    fn integers_are_the_same_text_again() {
        for (text, expected) in [
            ("0", Some(0)),
            ("7", Some(7)),
            ("-7", Some(-7)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("", None),
            ("-", None),
            ("-0", None),
            ("+7", None),
            ("007", None),
            ("7.0", None),
            ("7 ", None),
            ("--7", None),
            ("7e3", None),
            ("٧", None),
        ] {
            assert_eq!(integer(text), expected, "{text:?}");
            assert!(expected.is_none_or(|number| number.to_string() == text));
        }
    }
}
