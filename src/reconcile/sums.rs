//! Sums of events, grouped like one of the server's tables, and the comparison with that table.

use super::columns::{Coordinate, PARTS, ServerColumn, columns, coordinate, parts, scope};
use super::derived::{self, BY_ERRNO, BY_TABLE, ONLY_OBJECT, OTHER_OBJECTS, SEVERAL_OBJECTS};
use super::evidence::Evidence;
use super::forgotten;
use super::histogram::HistogramBuckets;
use super::points::{EventClass, RunEvents};
use super::reasons::{Case, coordinate as coordinate_of, reason};
use super::{ReconcileResult, note, number};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::pivot::{MeasureCell, server_average};
use crate::protocol::ReconciledCell;
use crate::trace::{Flags, Item, Table, Trace};

/// Key values of a row, in the order of the table's columns.
type ServerRowKey = Vec<StrId>;

/// Sums of events, grouped like the rows of a table.
pub struct TableSums {
    columns: Vec<Option<ServerColumn>>,
    groups: FxHashMap<ServerRowKey, RowGroup>,
    buckets: HistogramBuckets,
}

/// Sums over the events that belong to one row.
#[derive(Clone)]
pub struct RowGroup {
    parts: [RowPart; PARTS.len()],
    /// By column: sum or maximum of an attribute of the events.
    pub totals: Vec<i128>,
    idle: bool,
    /// Number of failed statements.
    failed: i128,
    /// Durations in nanoseconds; empty if the table has no quantiles.
    pub times: Vec<i64>,
}

/// Sums over the events of one operation in a row.
#[derive(Clone, Copy, Default)]
pub struct RowPart {
    pub count: i128,
    pub time: MeasureCell,
    pub bytes: i128,
}

impl TableSums {
    /// Computes the sums for `table`; `None` if the table does not contain sums of events.
    pub fn of(trace: &Trace, table: &Table, points: &RunEvents) -> Option<Self> {
        let in_scope = scope(trace.str(table.name))?;
        let columns = columns(trace, table);
        let buckets = HistogramBuckets::of(trace, table);
        let mut sums = Self { groups: FxHashMap::default(), columns, buckets };
        let has_quantiles =
            sums.columns.iter().any(|column| matches!(column, Some(ServerColumn::Quantile(_))));
        let by_account = sums.has(Coordinate::User) || sums.has(Coordinate::Host);
        for point in points.list.iter().filter(|point| in_scope(trace, point)) {
            // The account of a thread that had ended is unknown.
            if by_account && !point.thread.known {
                continue;
            }
            let coordinates = sums.columns.iter().filter_map(|column| match column {
                Some(ServerColumn::Key(of)) => Some(coordinate(trace, point, *of)),
                _ => None,
            });
            let key: ServerRowKey = coordinates.collect();
            let group =
                sums.groups.entry(key).or_insert_with(|| RowGroup::new(sums.columns.len(), point.class));
            if let Some(timer) = point.timer.filter(|_| has_quantiles) {
                group.times.push(timer / 1_000);
            }
            group.failed += i128::from(trace.spans.flags(point.span).has(Flags::FAILED));
            for part in parts(trace, point).into_iter().flatten().chain([0]) {
                group.parts[part].add(point.count, point.timer, point.bytes);
            }
            for (total, column) in group.totals.iter_mut().zip(&sums.columns) {
                let item = Item::Span(point.span);
                match column {
                    Some(ServerColumn::Total(key)) => {
                        *total += i128::from(trace.num(item, *key).unwrap_or(0))
                    }
                    Some(ServerColumn::Most(key)) => {
                        *total = (*total).max(trace.num(item, *key).unwrap_or(0).into())
                    }
                    _ => {}
                }
            }
        }
        Some(sums)
    }

    fn has(&self, coordinate: Coordinate) -> bool {
        self.columns.contains(&Some(ServerColumn::Key(coordinate)))
    }

    /// Compares every row of the table with its events.
    pub fn compare(mut self, table: &Table, before: Option<&Table>, evidence: &Evidence) -> ReconcileResult {
        let (trace, mut outcome) = (evidence.trace, ReconcileResult::default());
        let class = class(trace.str(table.name));
        if class == EventClass::Wait
            && self.columns.iter().any(|c| matches!(c, Some(ServerColumn::Average(_))))
        {
            outcome.averages = evidence.points.tick.sentence();
        }
        let earlier = before.map(|table| self.rows(table)).unwrap_or_default();
        let unnamed = self.name_objects(table, before, &earlier, evidence);
        for row in 0..table.len() {
            outcome.rows += 1;
            let key = self.key(table, row);
            let event = coordinate_of(&self.columns, &key, Coordinate::Event);
            let mut own = self.groups.remove(&key);
            own.iter_mut().for_each(|own| self.buckets.quantiles(&self.columns, own));
            let base = earlier.get(&key).and_then(|&row| Some((before?, row)));
            let no_buckets = self.buckets.bounds.is_empty();
            let object = event.and_then(|event| unnamed.get(&event)).copied();
            let columns = &self.columns;
            let row = ServerRow { evidence, table, class, row, base, columns, key: &key, no_buckets, object };
            row.compare(own.as_ref(), &mut outcome);
        }
        let mut left: Vec<&ServerRowKey> = self.groups.keys().collect();
        // By text: ids depend on the order in which texts were read.
        left.sort_by_cached_key(|key| {
            key.iter().map(|id| id.some().map(|id| trace.str(id))).collect::<Vec<_>>()
        });
        for key in left {
            outcome.only_events += 1;
            let event = coordinate_of(&self.columns, key, Coordinate::Event);
            let why = match event.and_then(|event| unnamed.get(&event)) {
                Some(object) => (*object).to_owned(),
                None => forgotten::no_row(evidence, trace.str(table.name), &self.columns, key),
            };
            note(&mut outcome.reasons, &why, || ReconciledCell {
                row: named(trace, key),
                column: String::new(),
                server: String::new(),
                events: String::new(),
            });
        }
        outcome
    }

    /// Assigns events without an object to the only object with their name. Returns the derivation or reason by event name.
    fn name_objects(
        &mut self,
        table: &Table,
        before: Option<&Table>,
        earlier: &FxHashMap<ServerRowKey, usize>,
        evidence: &Evidence,
    ) -> FxHashMap<StrId, &'static str> {
        let trace = evidence.trace;
        let mut said = FxHashMap::default();
        let count = self.columns.iter().position(|column| *column == Some(ServerColumn::Count(0)));
        let base = |row: usize| {
            let row = earlier.get(&self.key(table, row))?;
            Some(number(trace, before?, *row, count?))
        };
        let counted = derived::by_name(trace, table, &self.columns, |row| base(row).unwrap_or(0));
        for (event, rows) in counted {
            let unnamed: ServerRowKey = vec![event, StrId::NONE];
            let Some(own) = self.groups.get(&unnamed).filter(|_| evidence.objects.are_unnamed(event)) else {
                continue;
            };
            let sum: i128 = rows.iter().map(|(_, count)| count).sum();
            let how = match rows.as_slice() {
                [_] if sum == own.parts[0].count => ONLY_OBJECT,
                _ if sum == own.parts[0].count => SEVERAL_OBJECTS,
                _ => OTHER_OBJECTS,
            };
            said.insert(event, how);
            if let (ONLY_OBJECT, [(row, _)]) = (how, rows.as_slice())
                && let Some(own) = self.groups.remove(&unnamed)
            {
                self.groups.insert(self.key(table, *row), own);
            }
        }
        // Names for which the server no longer has an object.
        for key in self.groups.keys().filter(|key| key.get(1) == Some(&StrId::NONE)) {
            let is_by_object = self.has(Coordinate::Instance) && self.has(Coordinate::Event);
            if is_by_object && evidence.objects.are_unnamed(key[0]) {
                said.entry(key[0]).or_insert(OTHER_OBJECTS);
            }
        }
        said
    }

    fn key(&self, table: &Table, row: usize) -> ServerRowKey {
        let keys = self
            .columns
            .iter()
            .enumerate()
            .filter(|(_, column)| matches!(column, Some(ServerColumn::Key(_))));
        keys.map(|(at, _)| table.cell(row, at).unwrap_or(StrId::NONE)).collect()
    }

    fn rows(&self, table: &Table) -> FxHashMap<ServerRowKey, usize> {
        if table.columns().len() != self.columns.len() {
            return FxHashMap::default();
        }
        (0..table.len()).map(|row| (self.key(table, row), row)).collect()
    }
}

impl RowGroup {
    fn new(columns: usize, class: EventClass) -> Self {
        Self {
            parts: [RowPart::default(); PARTS.len()],
            totals: vec![0; columns],
            idle: class == EventClass::Idle,
            failed: 0,
            times: Vec::new(),
        }
    }
}

impl RowPart {
    fn add(&mut self, count: i64, timer: Option<i64>, bytes: i64) {
        self.count += i128::from(count);
        self.bytes += i128::from(bytes);
        if let Some(timer) = timer {
            self.time.add(timer);
        }
    }
}

/// A row of the server's table that is compared with its events.
struct ServerRow<'a> {
    evidence: &'a Evidence<'a>,
    table: &'a Table,
    /// Class of the events that the table sums up.
    class: EventClass,
    columns: &'a [Option<ServerColumn>],
    row: usize,
    /// Table and index of this row in the earlier export.
    base: Option<(&'a Table, usize)>,
    key: &'a [StrId],
    /// Whether the bucket bounds of the server's histograms are unknown.
    no_buckets: bool,
    /// Derivation or reason that applies to the row because its events do not record their object; `None` if they do.
    object: Option<&'static str>,
}

impl ServerRow<'_> {
    /// Compares the server's row with `own`, the sums of its events. The columns of one part (count, sum, minimum, average,
    /// maximum, bytes) are compared as a single cell.
    fn compare(&self, own: Option<&RowGroup>, outcome: &mut ReconcileResult) {
        let columns = self.columns;
        let none = RowGroup::new(columns.len(), self.class);
        let own = own.unwrap_or(&none);
        // By operation: the first column that differs, with both values; `None` if all values are equal so far.
        let mut parts: [Option<Option<(usize, i128, i128)>>; PARTS.len()] = [None; PARTS.len()];
        for (at, column) in columns.iter().enumerate() {
            let Some(column) = column else { continue };
            let part = match *column {
                ServerColumn::Key(_) => continue,
                ServerColumn::Quantile(_) if self.no_buckets => continue,
                ServerColumn::Total(_) | ServerColumn::Most(_) | ServerColumn::Quantile(_) => {
                    let (server, events) = (self.value(at, true), own.totals[at]);
                    self.settle((server != events).then_some((at, server, events)), 0, own, outcome);
                    continue;
                }
                ServerColumn::Count(part) | ServerColumn::Sum(part) | ServerColumn::Min(part) => part,
                ServerColumn::Average(part) | ServerColumn::Max(part) | ServerColumn::Bytes(part) => part,
            };
            let differs = self.differs(at, *column, &own.parts[part], own.idle);
            let known = parts[part].get_or_insert(None);
            *known = known.or(differs.map(|(server, events)| (at, server, events)));
        }
        for (part, settled) in parts.into_iter().enumerate() {
            if let Some(difference) = settled {
                self.settle(difference, part, own, outcome);
            }
        }
    }

    /// Counts the cell of an operation as equal, derived or different.
    fn settle(
        &self,
        difference: Option<(usize, i128, i128)>,
        part: usize,
        own: &RowGroup,
        outcome: &mut ReconcileResult,
    ) {
        let Some((at, server, events)) = difference else {
            match self.object {
                Some(ONLY_OBJECT) if own.parts[0].count > 0 => {
                    outcome.derives(ONLY_OBJECT, || self.equal_example())
                }
                _ => outcome.equal += 1,
            }
            return;
        };
        let Some(column) = self.columns.get(at).copied().flatten() else { return };
        let cell = |events: String| ReconciledCell {
            row: named(self.evidence.trace, self.key),
            column: self.str(self.table.columns()[at]).to_owned(),
            server: server.to_string(),
            events,
        };
        if let Some((how, events)) = self.derivation(at, column, server, events, own) {
            return outcome.derives(how, || cell(events));
        }
        if let Some(object) = self.object.filter(|object| *object != ONLY_OBJECT) {
            return outcome.differs(object, || cell(events.to_string()));
        }
        let counted = self.columns.iter().position(|column| *column == Some(ServerColumn::Count(part)));
        let case = Case {
            table: self.str(self.table.name),
            class: self.class,
            columns: self.columns,
            key: self.key,
            column,
            server,
            excess: counted.map_or(0, |at| self.value(at, true) - own.parts[part].count),
            untimed: own.parts[part].count > own.parts[part].time.count.into(),
            base: self.base.is_some() && self.earlier(0) != 0,
            difference: server - events,
        };
        outcome.differs(&reason(&case, self.evidence), || cell(events.to_string()));
    }

    /// Derivation that explains why a cell differs, with the value that it gives; `None` if no derivation applies.
    fn derivation(
        &self,
        at: usize,
        column: ServerColumn,
        server: i128,
        events: i128,
        own: &RowGroup,
    ) -> Option<(&'static str, String)> {
        if self.str(self.table.columns()[at]) == "SUM_ERRORS" {
            let is_it = self.evidence.objects.lacks_errors && events == 0 && server == own.failed;
            return is_it.then(|| (BY_ERRNO, own.failed.to_string()));
        }
        let is_global = self.columns.iter().flatten().all(|column| {
            !matches!(column, ServerColumn::Key(_)) || *column == ServerColumn::Key(Coordinate::Event)
        });
        let event = self.key.first().copied().filter(|_| is_global && column == ServerColumn::Count(0))?;
        let sum = self.columns.iter().position(|column| *column == Some(ServerColumn::Sum(0)));
        let sum = sum.map(|at| self.value(at, true));
        derived::without_forgotten(self.evidence, event, (server, sum), events).map(|words| (BY_TABLE, words))
    }

    /// Returns the row's count, as an example of a row whose values are equal after a derivation.
    fn equal_example(&self) -> ReconciledCell {
        let at = self.columns.iter().position(|column| *column == Some(ServerColumn::Count(0))).unwrap_or(0);
        let count = self.value(at, true).to_string();
        ReconciledCell {
            row: named(self.evidence.trace, self.key),
            column: self.str(self.table.columns()[at]).to_owned(),
            server: count.clone(),
            events: count,
        }
    }

    fn str(&self, text: StrId) -> &str {
        self.evidence.trace.str(text)
    }

    /// Value of the server (minus the earlier export) and value from the events if they differ.
    fn differs(&self, at: usize, column: ServerColumn, own: &RowPart, idle: bool) -> Option<(i128, i128)> {
        let has_before = self.base.is_some() && self.earlier(at) != 0;
        let server = self.value(
            at,
            matches!(column, ServerColumn::Count(_) | ServerColumn::Sum(_) | ServerColumn::Bytes(_)),
        );
        let bound = |value: i64| if own.time.count == 0 { 0 } else { i128::from(value) };
        let events = match column {
            ServerColumn::Count(_) => own.count,
            ServerColumn::Sum(_) => own.time.sum,
            ServerColumn::Bytes(_) => own.bytes,
            // An earlier export cannot be subtracted from a minimum, average or maximum.
            _ if has_before => return None,
            ServerColumn::Min(_) => bound(own.time.min),
            ServerColumn::Max(_) => bound(own.time.max),
            ServerColumn::Average(_) => {
                let averages = self
                    .units(idle)
                    .map(|unit| server_average(own.time.sum, own.count, Some(unit)).unwrap_or(0));
                if averages.contains(&server) { server } else { averages[0] }
            }
            ServerColumn::Key(_)
            | ServerColumn::Total(_)
            | ServerColumn::Most(_)
            | ServerColumn::Quantile(_) => return None,
        };
        (server != events).then_some((server, events))
    }

    /// Returns the units, in picoseconds, in which the server may have computed the average.
    fn units(&self, idle: bool) -> [i64; 2] {
        match (self.class == EventClass::Wait, idle) {
            (true, false) => [i64::try_from(self.evidence.points.tick.picos).unwrap_or(1); 2],
            (true, true) => [1_000, 1_000_000],
            (false, _) => [1_000; 2],
        }
    }

    fn value(&self, at: usize, subtract: bool) -> i128 {
        let before = if subtract { self.earlier(at) } else { 0 };
        number(self.evidence.trace, self.table, self.row, at) - before
    }

    fn earlier(&self, at: usize) -> i128 {
        let first = |table: &Table| {
            let names = table.columns().iter();
            names.clone().position(|&name| self.str(name).starts_with("COUNT_")).unwrap_or(at)
        };
        let at_of = |table: &Table| if at == 0 { first(table) } else { at };
        self.base.map_or(0, |(table, row)| number(self.evidence.trace, table, row, at_of(table)))
    }
}

/// Class of the events that a table sums up.
fn class(table: &str) -> EventClass {
    const CLASSES: [(&str, EventClass); 3] = [
        ("events_stages_", EventClass::Stage),
        ("events_statements_", EventClass::Statement),
        ("events_transactions_", EventClass::Transaction),
    ];
    CLASSES.iter().find(|(start, _)| table.starts_with(start)).map_or(EventClass::Wait, |(_, class)| *class)
}

fn named(trace: &Trace, key: &[StrId]) -> String {
    let names: Vec<&str> =
        key.iter().map(|&text| text.some().map_or("NULL", |text| trace.str(text))).collect();
    names.join(" · ")
}
