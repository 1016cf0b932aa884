//! Losses that a server reports: counters of dropped objects and events, and full histories. Each is reported with the
//! variable that raises the limit (manual, "Performance Schema Status Variables" and "… System Variables").

use super::export::{MySqlExport, SideTable};
use super::problems::{LOST, LOST_EVENTS};
use crate::base::FxHashMap;
use crate::base::interner::Interner;
use crate::base::text;
use crate::import::contract::BuildReport;
use crate::trace::RecordId;

/// A counter `Performance_schema_…_lost` that is above 0.
struct LossCounter {
    /// Kind of the lost objects, as in the counter's name, for example "digest".
    what: String,
    count: u64,
    record: RecordId,
}

/// Losses of events and objects that a server reports.
#[derive(Default)]
pub struct ServerLosses {
    lost: Vec<LossCounter>,
    /// Number of loss counters in the export.
    counters: usize,
    /// Event classes whose history is full, each with the history's size in rows.
    full: Vec<(&'static str, u64)>,
}

/// Values by the names of their variables, with their records.
type ServerVariables = FxHashMap<String, (u64, RecordId)>;

const START: &str = "performance_schema_";
const END: &str = "_lost";

/// Counters and the variables that raise their limits, where the variable is not named after the counter.
const VARIABLES: [(&str, &str); 13] = [
    ("accounts", "performance_schema_accounts_size"),
    ("digest", "performance_schema_digests_size"),
    ("hosts", "performance_schema_hosts_size"),
    ("index_stat", "performance_schema_max_index_stat"),
    ("metadata_lock", "performance_schema_max_metadata_locks"),
    ("nested_statement", "performance_schema_max_statement_stack"),
    ("prepared_statements", "performance_schema_max_prepared_statements_instances"),
    ("program", "performance_schema_max_program_instances"),
    ("session_connect_attrs", "performance_schema_session_connect_attrs_size"),
    ("setup_actors", "performance_schema_setup_actors_size"),
    ("setup_objects", "performance_schema_setup_objects_size"),
    ("table_lock_stat", "performance_schema_max_table_lock_stat"),
    ("users", "performance_schema_users_size"),
];

/// Whether a counter above 0 means that events are missing: objects or classes of them that could not be instrumented record no
/// events, and a nested event that found no room is not recorded. The other counters are about summaries and settings.
fn loses_events(what: &str) -> bool {
    let is_of_objects = ["_instances", "_classes", "_handles"].iter().any(|end| what.ends_with(end));
    let is_of_events = is_of_objects || ["locker", "nested_statement"].contains(&what);
    is_of_events && !["memory_classes", "prepared_statements_instances", "program_instances"].contains(&what)
}

/// Variable that raises the limit of a counter; `None` if there is no such variable.
fn variable(what: &str) -> Option<String> {
    let known = VARIABLES.iter().find(|(name, _)| *name == what).map(|(_, variable)| (*variable).to_owned());
    let is_regular = ["_instances", "_classes", "_handles"].iter().any(|end| what.ends_with(end));
    known.or_else(|| is_regular.then(|| format!("{START}max_{what}")))
}

impl ServerLosses {
    /// Returns the losses that an export reports, minus the losses that earlier exports, made before its events,
    /// already reported.
    #[inline(never)]
    pub fn of(export: &MySqlExport, before: &[&MySqlExport], strings: &Interner) -> Self {
        let (mut values, mut earlier) = (ServerVariables::default(), ServerVariables::default());
        export.sides.iter().for_each(|side| read(side, strings, &mut values));
        before.iter().flat_map(|export| &export.sides).for_each(|side| read(side, strings, &mut earlier));
        let mut found = Self::default();
        for (name, &(value, record)) in &values {
            let Some(what) = name.strip_prefix(START).and_then(|name| name.strip_suffix(END)) else {
                continue;
            };
            found.counters += 1;
            let count = value.saturating_sub(earlier.get(name).map_or(0, |&(value, _)| value));
            if count > 0 {
                found.lost.push(LossCounter { what: what.to_owned(), count, record });
            }
        }
        found.lost.sort_by(|a, b| (b.count, &a.what).cmp(&(a.count, &b.what)));
        for class in ["waits", "stages", "statements", "transactions"] {
            let size = [
                format!("{START}events_{class}_history_long_size"),
                format!("events_{class}_history_long.count"),
            ];
            let size = size.iter().find_map(|name| values.get(name)).map_or(0, |&(size, _)| size);
            let tables = export.histories.iter().filter(|(of, _)| *of == class);
            // The same history may have been exported in several formats.
            let rows = tables.map(|(_, table)| export.store.events_of(*table)).max().unwrap_or(0);
            if size > 0 && rows as u64 >= size {
                found.full.push((class, size));
            }
        }
        found
    }

    /// Describes the losses for the report; `None` if the export has no loss counters or full histories.
    pub fn sentence(&self) -> Option<String> {
        let count = |n: u64| text::count(i64::try_from(n).unwrap_or(i64::MAX));
        let mut said = Vec::new();
        for (class, size) in &self.full {
            said.push(format!(
                "The history of {class} is full ({} rows): older rows were overwritten. Increase \
                 {START}events_{class}_history_long_size.",
                count(*size)
            ));
        }
        let lost = self.lost.iter().map(|LossCounter { what, count: n, .. }| {
            let variable = variable(what).map_or(String::new(), |variable| format!(" (increase {variable})"));
            format!("{} of {what}{variable}", count(*n))
        });
        let lost: Vec<String> = lost.collect();
        match lost.as_slice() {
            [] if self.counters > 0 => {
                said.push(format!("Nothing was lost: {} loss counters are 0.", self.counters));
            }
            [] => {}
            lost => said.push(format!("Lost for lack of room on the server: {}.", lost.join(", "))),
        }
        (!said.is_empty()).then(|| said.join(" "))
    }

    /// Reports every counter that is above 0.
    pub fn note(&self, outcome: &mut BuildReport) {
        for LossCounter { what, count, record } in &self.lost {
            let kind = if loses_events(what) { LOST_EVENTS } else { LOST };
            outcome.note(*record, kind, || format!("{START}{what}{END} = {count}"));
        }
    }
}

/// Reads the whole numbers in a table of names and values: variables, counters, SHOW ENGINE PERFORMANCE_SCHEMA STATUS.
fn read(side: &SideTable, strings: &Interner, values: &mut ServerVariables) {
    let column = |name: &str| {
        let name = strings.find(name)?;
        side.columns.iter().position(|&column| column == name)
    };
    let name = column("VARIABLE_NAME").zip(column("VARIABLE_VALUE").or(column("VALUE")));
    let Some((name, value)) = name.or(column("NAME").zip(column("STATUS"))) else { return };
    for (row, &record) in side.cells.chunks(side.columns.len().max(1)).zip(&side.records) {
        let text = |at: usize| row.get(at).and_then(|cell| cell.some()).map_or("", |cell| strings.get(cell));
        if let Ok(number) = text(value).parse() {
            values.entry(text(name).to_ascii_lowercase()).or_insert((number, record));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_objects_and_nested_events_mean_lost_events() {
        for (what, expected) in [
            ("thread_instances", true),
            ("mutex_classes", true),
            ("file_handles", true),
            ("nested_statement", true),
            ("locker", true),
            ("memory_classes", false),
            ("digest", false),
            ("users", false),
            ("session_connect_attrs", false),
        ] {
            assert_eq!(loses_events(what), expected, "{what}");
        }
    }

    #[test]
    fn every_counter_has_its_variable() {
        for (what, expected) in [
            ("digest", Some("performance_schema_digests_size")),
            ("thread_instances", Some("performance_schema_max_thread_instances")),
            ("file_handles", Some("performance_schema_max_file_handles")),
            ("locker", None),
        ] {
            assert_eq!(variable(what).as_deref(), expected, "{what}");
        }
    }
}
