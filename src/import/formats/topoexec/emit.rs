//! Writes the events of a file as a run.

use super::event::TopoExecRole;
use super::flows::arrows;
use super::fold::{FoldedEvents, FoldedSpan, fold};
use super::names::{EXECUTE, INTERVALS};
use super::places::{TopoExecTrack, TopoExecTrackKind, places};
use super::problems::*;
use super::sidecar::UntimedRecords;
use super::store::{RunBoundary, TopoExecError, TopoExecFile, TopoExecMetric, TopoExecRow};
use super::tree::{EnclosingSpans, tree};
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::base::sort;
use crate::base::text::decimal;
use crate::import::attributes::args::{Arg, Args, ArgsId};
use crate::import::attributes::values::ArgumentWriter;
use crate::import::contract::{BuildReport, ProblemKind, SNIPPET};
use crate::import::interval_nesting::Placed;
use crate::import::track_writer::TrackWriter;
use crate::trace::{
    Event, Flags, Flow, Item, Kind, RecordId, RunId, Span, SpanId, Table, TraceBuilder, TrackId, TrackKind,
    Unit,
};

/// Writes everything that was read from a file and from its sidecars.
pub fn emit(
    file: &TopoExecFile,
    others: &[&TopoExecFile],
    args: &Args,
    outcome: &mut BuildReport,
    builder: &mut TraceBuilder,
) {
    file.described.iter().for_each(|&record| outcome.used(record));
    let rows = rows_in_time(file);
    let title = builder.strings().intern(&file.name);
    let untimed = UntimedRecords::of(file, others);
    if rows.is_empty() && file.faults.is_empty() && untimed.is_empty() {
        return;
    }
    let folded = fold(&rows, builder.strings());
    let tree = tree(&folded, &rows);
    let origin = rows.first().map_or(0, |row| row.time);
    let end = rows.iter().map(|row| row.time + row.length).max().unwrap_or(0);
    let mut out = TrackWriter::new(outcome, builder);
    let (run, root) = out.run(file.graph.unwrap_or(title), (origin, end), 0);
    let mut writer = TopoExecWriter {
        rows,
        folded,
        tree,
        args,
        out,
        values: ArgumentWriter::new(args, None, None),
        ids: Vec::new(),
        failures: FxHashMap::default(),
        end,
        root,
    };
    writer.write(&file.faults);
    // Rows of side tables are not events: they are counted in the report of the file.
    let used = outcome.used.get(file.file.0 as usize).copied().unwrap_or(0);
    builder.set_records(run, used);
    untimed.again.iter().for_each(|again| note_copy(again.record, again.name, outcome, builder.strings()));
    for (name, list) in [("health_events", &untimed.health), ("metrics", &untimed.metrics)] {
        list.iter().for_each(|metric| outcome.used(metric.record));
        side_table(run, name, list, args, builder);
    }
    if let Some(totals) = totals(&untimed.totals) {
        builder.note(run, "totals", totals);
    }
}

/// Writes records without times as rows of a table, with columns for the name, the value, and each other key in order of
/// first appearance.
fn side_table(run: RunId, name: &str, list: &[&TopoExecMetric], args: &Args, builder: &mut TraceBuilder) {
    let strings = builder.strings();
    let mut keys: Vec<StrId> = strings.find("value").into_iter().collect();
    // An empty list is shown as an empty cell.
    let nothing = strings.find("[]").map(Arg::Text);
    let said = |metric: &TopoExecMetric| args.of(metric.args).filter(|(_, arg)| Some(*arg) != nothing);
    for (key, _) in list.iter().flat_map(|metric| said(metric)) {
        if !keys.contains(&key) {
            keys.push(key);
        }
    }
    let mut columns = vec![strings.intern("NAME")];
    for &key in &keys {
        let column = strings.get(key).trim_start_matches('\0').to_uppercase();
        columns.push(strings.intern(&column));
    }
    let mut table = Table::new(run, strings.intern(name), columns);
    for metric in list {
        let mut row = vec![StrId::NONE; keys.len()];
        for (key, arg) in said(metric) {
            let value = match arg {
                Arg::Text(text) => text,
                Arg::Whole(number) => strings.intern(&number.to_string()),
                Arg::Millionths(number) => strings.intern(&decimal(number)),
            };
            keys.iter().position(|known| *known == key).into_iter().for_each(|at| row[at] = value);
        }
        table.push(metric.record, std::iter::once(metric.name).chain(row));
    }
    builder.table(table);
}

/// Reports the records of a file that repeats a run of another file.
pub fn copy(file: &TopoExecFile, outcome: &mut BuildReport, strings: &Interner) {
    file.described.iter().for_each(|&record| outcome.used(record));
    let rows = file.rows.iter().map(|row| (row.record, row.label));
    let faults = file.faults.iter().map(|fault| (fault.record, fault.message));
    let metrics = file.metrics.iter().chain(&file.health).map(|metric| (metric.record, metric.name));
    for (record, name) in rows.chain(faults).chain(metrics) {
        note_copy(record, name, outcome, strings);
    }
}

fn note_copy(record: RecordId, name: StrId, outcome: &mut BuildReport, strings: &Interner) {
    outcome.note(record, COPY, || strings.get(name).chars().take(SNIPPET).collect());
}

/// Totals of the whole run as a sentence, without totals that are 0 or empty; `None` if all are.
fn totals(totals: &[&(String, String)]) -> Option<String> {
    let said = totals.iter().filter(|(_, value)| !matches!(&**value, "0" | "" | "{}" | "null"));
    // The key of a total of a loop ends with the name of the loop, which stays unchanged.
    let name = |key: &str| {
        let (what, of) = key.split_at(key.find(' ').unwrap_or(key.len()));
        what.strip_suffix("_count").unwrap_or(what).replace('_', " ") + of
    };
    let parts: Vec<String> = said.map(|(key, value)| format!("{}: {value}", name(key))).collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

/// Returns the events sorted by time, then by recording order. An event whose time is of a different clock is placed
/// at the start or end of the run.
fn rows_in_time(file: &TopoExecFile) -> Vec<TopoExecRow> {
    let mut rows: Vec<TopoExecRow> = file.rows.iter().collect();
    let times = || rows.iter().filter(|row| row.apart.is_none());
    let first = times().map(|row| row.time).min().unwrap_or(0);
    let last = times().map(|row| row.time + row.length).max().unwrap_or(0);
    for row in &mut rows {
        row.time = row.apart.map_or(row.time, |edge| if edge == RunBoundary::Start { first } else { last });
    }
    sort::by_key(&mut rows, |row| (row.time, row.order));
    rows
}

struct TopoExecWriter<'a, 'b> {
    rows: Vec<TopoExecRow>,
    folded: FoldedEvents,
    tree: EnclosingSpans,
    args: &'a Args,
    out: TrackWriter<'a, 'b>,
    values: ArgumentWriter<'a>,
    /// Id of each span in the trace.
    ids: Vec<SpanId>,
    /// Arguments of the error of each failed execution, by span index.
    failures: FxHashMap<u32, ArgsId>,
    end: i64,
    root: TrackId,
}

impl TopoExecWriter<'_, '_> {
    fn write(&mut self, faults: &[TopoExecError]) {
        let places = places(&self.folded, &self.tree, &self.rows, self.out.strings());
        self.ids = vec![SpanId(0); self.folded.spans.len()];
        let order = places.iter().flat_map(|place| &place.spans);
        for (id, &(number, _)) in (self.out.builder.next_span().0..).zip(order) {
            self.ids[number as usize] = SpanId(id);
        }
        self.faults(faults);
        let mut above = self.root;
        for place in &places {
            let track = self.track(place, if place.worker.is_some() { above } else { self.root });
            above = if place.worker.is_some() { above } else { track };
            self.place(place);
            self.residuals(place, track);
        }
        self.flows();
    }

    /// Writes errors on a separate track, at the end of the last execution of their component.
    fn faults(&mut self, faults: &[TopoExecError]) {
        faults.iter().for_each(|fault| self.out.outcome.used(fault.record));
        let in_words = faults.iter().all(|fault| fault.again);
        let last_of = self.last_executions();
        let mut shown: Vec<(i64, Option<u32>, TopoExecError)> = Vec::new();
        for fault in faults.iter().filter(|fault| in_words || !fault.again) {
            let failed = fault.component.some().and_then(|component| last_of.get(&component).copied());
            shown.push((failed.map_or(self.end, |at| self.folded.spans[at as usize].end), failed, *fault));
        }
        if shown.is_empty() {
            return;
        }
        sort::by_key(&mut shown, |(time, ..)| (*time, 0));
        self.out.titled_track(self.root, "Errors", TrackKind::Thread);
        for (time, failed, fault) in shown {
            failed.map(|at| self.failures.insert(at, fault.args));
            let parent = failed.map(|at| self.ids[at as usize]);
            let TopoExecError { message: name, record, args, .. } = fault;
            self.event(Event { time, parent, name, kind: Kind::Instant, flags: Flags::FAILED, record }, args);
        }
    }

    /// Index of the last execution of each component.
    fn last_executions(&self) -> FxHashMap<StrId, u32> {
        let executions = (0..).zip(&self.folded.spans).filter(|(_, span)| span.rank == EXECUTE);
        let component = |span: &FoldedSpan| self.rows[span.row as usize].role(TopoExecRole::Component);
        executions.filter_map(|(at, span)| Some((component(span)?, at))).collect()
    }

    fn track(&mut self, place: &TopoExecTrack, parent: TrackId) -> TrackId {
        let strings = self.out.strings();
        let of = |id: Option<StrId>| id.map(|id| strings.get(id)).filter(|name| !name.is_empty());
        let named = |what: &str| of(place.name).map_or(what.to_owned(), |name| format!("{what} {name}"));
        let title = match (place.of, of(place.worker)) {
            (_, Some(worker)) => format!("Worker {worker}"),
            (TopoExecTrackKind::Loop, _) => named("Loop"),
            (TopoExecTrackKind::Lane, _) => named("Lane"),
            (TopoExecTrackKind::Channel, _) => named("Channel"),
            (of, _) => format!("{of:?}"),
        };
        self.out.titled_track(parent, &title, TrackKind::Thread)
    }

    fn place(&mut self, place: &TopoExecTrack) {
        for &(number, row) in &place.spans {
            self.span(number, row, place.overlapping.binary_search(&number).is_ok());
        }
        for &at in &place.points {
            self.point(at);
        }
    }

    fn span(&mut self, number: u32, depth: u16, overlaps: bool) {
        let FoldedSpan { start, end, row, begin, last, aborted, rank } = self.folded.spans[number as usize];
        let of = self.rows[row as usize];
        let failure = self.failures.get(&number).copied();
        let mut flags = Flags::default();
        for (flag, is) in [
            (Flags::OPEN_END, aborted),
            (Flags::OVERLAPS, overlaps),
            (Flags::FAILED, of.failed || failure.is_some()),
        ] {
            flags = if is { flags.with(flag) } else { flags };
        }
        for (kind, is) in [(ABORTED, aborted), (OVERLAP, overlaps)] {
            if is {
                self.note(row, kind);
            }
        }
        let others = [begin, last].map(|row| row.map(|row| self.rows[row as usize].record));
        std::iter::once(Some(of.record))
            .chain(others)
            .flatten()
            .for_each(|record| self.out.outcome.used(record));
        // An execution is named after its component, because that is what a reader looks for in a lane.
        let component = of.role(TopoExecRole::Component).filter(|_| rank == EXECUTE);
        let whole = INTERVALS.get(usize::from(rank)).map(|name| self.out.strings().intern(name));
        let name = component.or(whole).unwrap_or(of.name);
        let parent = self.tree.of_spans[number as usize].map(|at| self.ids[at as usize]);
        let shape = self.values.take([Some(of.args), failure], self.out.builder);
        // The beginning and the end repeat the attributes, except for those that are unique to each record.
        self.out.builder.written_in(Item::Span(self.out.builder.next_span()), [Some(of.record), None]);
        let placed = Placed { start, end, what: number, flags, parent: None, depth };
        let records = [of.record, others[1].unwrap_or(RecordId::NONE)];
        let span = Span { parent, ..self.out.placed_span(&placed, (name, Kind::Slice), records) };
        self.out.builder.span(span, shape, &self.values.nums, &self.values.texts);
    }

    fn point(&mut self, at: u32) {
        let row = self.folded.points[at as usize];
        let of = self.rows[row as usize];
        for (kind, is) in [
            (END_ALONE, self.folded.lone_ends.binary_search(&row).is_ok()),
            (OTHER_CLOCK, of.apart.is_some()),
        ] {
            if is {
                self.note(row, kind);
            }
        }
        self.out.outcome.used(of.record);
        let parent = self.tree.of_points[at as usize].map(|at| self.ids[at as usize]);
        let mut flags = if of.failed { Flags::FAILED } else { Flags::default() };
        flags = if of.apart.is_some() { flags.with(Flags::INFERRED) } else { flags };
        let TopoExecRow { time, label: name, record, args, .. } = of;
        self.event(Event { time, parent, name, kind: Kind::Instant, flags, record }, args);
    }

    /// Writes an event whose time is a clock reading.
    fn event(&mut self, event: Event, args: ArgsId) {
        let shape = self.values.take([Some(args), None], self.out.builder);
        self.out.event(event, shape, &self.values.nums, &self.values.texts);
    }

    /// Writes a counter of the residual of a loop after each iteration.
    fn residuals(&mut self, place: &TopoExecTrack, track: TrackId) {
        let Some(key) = self.out.strings().find("residual").filter(|_| place.of == TopoExecTrackKind::Loop)
        else {
            return;
        };
        let of = |number: u32| -> Option<(i64, Option<i64>, RecordId)> {
            let span = &self.folded.spans[number as usize];
            let row = &self.rows[span.row as usize];
            let value = self.args.of(row.args).find(|(known, _)| *known == key)?.1;
            let value = match value {
                Arg::Whole(whole) => whole.checked_mul(1_000_000)?,
                Arg::Millionths(value) => value,
                Arg::Text(_) => return None,
            };
            Some((span.end, Some(value), row.record))
        };
        let mut samples: Vec<_> = place.spans.iter().filter_map(|&(number, _)| of(number)).collect();
        if samples.is_empty() {
            return;
        }
        sort::by_key(&mut samples, |(time, ..)| (*time, 0));
        let unit = self.out.builder.key("residual", Unit::Millionths);
        self.out.counter(track, key, unit, samples.into_iter());
    }

    fn flows(&mut self) {
        let (arrows, alone) = arrows(&self.folded, &self.tree, &self.rows, self.out.strings());
        for arrow in arrows {
            let (to, publish) = (self.folded.spans[arrow.to as usize], self.rows[arrow.publish as usize]);
            self.out.builder.flow(Flow {
                name: publish.role(TopoExecRole::Channel).unwrap_or(StrId::EMPTY),
                from: self.ids[arrow.from as usize],
                to: self.ids[arrow.to as usize],
                leaves: publish.time - self.out.origin,
                arrives: to.start - self.out.origin,
                records: (publish.record, self.rows[to.row as usize].record),
            });
        }
        for span in alone {
            self.note(self.folded.spans[span as usize].row, NO_CAUSE);
        }
    }

    fn note(&mut self, row: u32, kind: ProblemKind) {
        let TopoExecRow { record, name, .. } = self.rows[row as usize];
        self.out.note(record, kind, |strings| strings.get(name).to_owned());
    }
}
