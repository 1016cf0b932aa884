//! Export of a reconciliation: one line per summary table, then the reasons why cells differ.

use std::io::{self, Write};

use super::table::{Align, TextTable, plain};
use crate::base::text;
use crate::protocol::Reconciled;
use crate::reconcile::reconcile;
use crate::trace::Trace;

/// Writes each summary table compared with the events, as text or as a JSON array of objects.
pub fn write_reconciled(trace: &Trace, json: bool, out: &mut impl Write) -> io::Result<()> {
    let tables = reconcile(trace);
    if json {
        serde_json::to_writer_pretty(&mut *out, &tables)?;
        return writeln!(out);
    }
    if tables.is_empty() {
        return writeln!(
            out,
            "Nothing to reconcile: the files have no summary tables of a server, or no events."
        );
    }
    overview(&tables, out)?;
    // Runs may have different timers.
    let mut averages: Vec<&str> = tables.iter().map(|table| table.averages.as_str()).collect();
    averages.sort_unstable();
    averages.dedup();
    for sentence in averages.into_iter().filter(|sentence| !sentence.is_empty()) {
        writeln!(out, "{sentence}")?;
    }
    for table in &tables {
        reasons(table, out)?;
    }
    Ok(())
}

fn overview(tables: &[Reconciled], out: &mut impl Write) -> io::Result<()> {
    let columns = [
        ("table", Align::Left),
        ("rows", Align::Right),
        ("equal cells", Align::Right),
        ("derived", Align::Right),
        ("different", Align::Right),
        ("only events", Align::Right),
    ];
    let mut written = TextTable::new(&columns);
    for table in tables {
        let counts = [table.rows, table.equal, table.derived, table.different, table.only_events];
        let counts = counts.map(|n| text::count(i64::try_from(n).unwrap_or(i64::MAX)));
        written.row(std::iter::once(table.table.clone()).chain(counts).collect());
    }
    written.write("Server sums compared with the events", out)
}

fn reasons(table: &Reconciled, out: &mut impl Write) -> io::Result<()> {
    let derived = table.derivations.iter().map(|how| (how, " derived"));
    for (reason, how) in derived.chain(table.reasons.iter().map(|reason| (reason, ""))) {
        let what = text::counted(reason.cells, "cell or row", "cells or rows");
        writeln!(out, "{}: {what}{how}: {}", plain(&table.table), reason.reason)?;
        for cell in &reason.examples {
            match cell.column.as_str() {
                "" => writeln!(out, "    {}: no row", plain(&cell.row))?,
                column => writeln!(
                    out,
                    "    {} {column}: server {}, events {}",
                    plain(&cell.row),
                    cell.server,
                    cell.events
                )?,
            }
        }
    }
    Ok(())
}
