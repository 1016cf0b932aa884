//! Writes an export as a run: threads with their transactions, statements, stages and waits, one below the other, and
//! the side tables.
//!
//! ```text
//! thread   transaction   ▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇▇
//!          statement       ▇▇▇▇▇▇▇  idle  ▇▇▇▇▇▇▇
//!          stage           ▇▇▇ ▇▇▇        ▇▇▇ ▇▇▇
//!          wait             ▇   ▇ ▇        ▇▇
//! ```

use super::export::MySqlExport;
use super::locks;
use super::losses::ServerLosses;
use super::prepare::prepare;
use super::problems::TWICE;
use super::threads::MySqlThreads;
use super::writer::MySqlWriter;
use crate::base::FxHashSet;
use crate::base::interner::StrId;
use crate::import::contract::BuildReport;
use crate::import::track_writer::TrackWriter;
use crate::trace::{RunId, Table, TraceBuilder, attribute_names};

/// Text for an export that has no events, only sums and settings.
const NO_EVENTS: &str = "No event tables in the files, or all of them are empty: only the server's own tables \
     are shown. A timeline needs events_statements_history_long, events_stages_…, events_waits_… or \
     events_transactions_…, with their consumers enabled.";

/// Writes an export as a run. `before`: exports of summary tables that were made before the events.
pub fn emit(
    export: &MySqlExport,
    before: &[&MySqlExport],
    outcome: &mut BuildReport,
    builder: &mut TraceBuilder,
) {
    let store = &export.store;
    export.waiting.iter().for_each(|waiting| waiting.lose(outcome));
    if store.is_empty() && export.sides.iter().all(|side| side.records.is_empty()) {
        return;
    }
    let prepared = prepare(store, builder);
    let index = locks::index(export, builder);
    let mut writer = MySqlWriter::new(store, prepared, outcome, builder, index);
    let threads = writer.threads();
    let name = export.name(writer.out.strings());
    let (run, root) = writer.begin(name);
    let labels = MySqlThreads::of(export, writer.out.builder);
    let order = labels.order(store, threads);
    let mut records = 0;
    for (number, events) in order {
        records += writer.thread(root, &labels, number, &events);
    }
    if let Some(text) = writer.coverage.sentence() {
        writer.out.builder.note(run, writer.coverage.name(), text);
    }
    let losses = ServerLosses::of(export, before, writer.out.builder.strings());
    if let Some(text) = losses.sentence() {
        writer.out.builder.note(run, "losses", text);
    }
    losses.note(writer.out.outcome);
    if store.is_empty() {
        writer.out.builder.note(run, attribute_names::MISSING, NO_EVENTS.to_owned());
    } else {
        let text = match store.is_laid_out(0) {
            true => {
                "The files have no start times. Events are drawn one after the other, without the time between them."
                    .to_owned()
            }
            false => writer.clock.sentence(),
        };
        writer.out.builder.note(run, "wait clock", text);
    }
    let MySqlWriter { out, index, .. } = writer;
    let TrackWriter { outcome, builder, .. } = out;
    if let Some(text) = locks::sentence(export, outcome.empty_files, builder.strings()) {
        builder.note(run, attribute_names::LOCK_TABLES, text);
    }
    if let Some(mut index) = index {
        locks::write(&mut index, export, run, &labels, builder);
    }
    side_tables(export, "", run, outcome, builder);
    before.iter().for_each(|export| side_tables(export, attribute_names::BEFORE, run, outcome, builder));
    // Rows of side tables are not events: they are counted in the report of the file.
    builder.set_records(run, records);
}

/// Writes the side tables, with `prefix` before their names.
#[inline(never)]
fn side_tables(
    export: &MySqlExport,
    prefix: &str,
    run: RunId,
    outcome: &mut BuildReport,
    builder: &mut TraceBuilder,
) {
    for side in &export.sides {
        let name = builder.strings().intern(&format!("{prefix}{}", side.name));
        let mut table = Table::new(run, name, side.columns.clone());
        let rows = side.cells.chunks(side.columns.len().max(1));
        // Identical rows of one table in two files are duplicates: all rows of a table of the server are different.
        let mut seen: FxHashSet<&[StrId]> = FxHashSet::default();
        for (row, &record) in rows.zip(&side.records) {
            if seen.insert(row) {
                table.push(record, row.iter().copied());
            } else {
                outcome.note(record, TWICE, || side.name.clone());
            }
            outcome.used(record);
        }
        builder.table(table);
    }
}
