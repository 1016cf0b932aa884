//! [`SqlSideTable`]: side tables (tables in the files that are not events) with the same name in all runs of a trace,
//! as one table.

use super::reader::ColumnReader;
use super::schema;
use crate::trace::{StrId, Table, Trace};

/// All side tables of a trace that have the same name, as one table for SQL.
pub struct SqlSideTable {
    /// Name in SQL.
    pub name: String,
    /// Names in SQL of the columns from the files, with their original names.
    pub columns: Vec<(String, StrId)>,
    parts: Vec<SideTablePart>,
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
        SqlSideTable { name, columns: names.into_iter().zip(sources).collect(), parts }
    };
    named.into_iter().map(merged).collect()
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

    /// The values of a column, by its name in SQL.
    pub fn column<'a>(&'a self, trace: &'a Trace, column: &str) -> ColumnReader<'a> {
        let source = self.columns.iter().find(|(name, _)| name == column).map(|(_, source)| *source);
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
        match (column, source) {
            ("run_id", None) => ColumnReader::number(move |row| Some(i64::from(part_of(row)?.1.run.0))),
            (_, None) => ColumnReader::number(move |row| Some((row - part_of(row)?.0) as i64)),
            (_, Some(_)) => ColumnReader::id(move |row| {
                let (first, table, at) = part_of(row)?;
                table.cell(row - first, at?)
            }),
        }
    }
}
