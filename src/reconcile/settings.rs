//! Settings and counters of a server, as far as the export contains them.

use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::trace::attribute_names::BEFORE;
use crate::trace::{RunId, Table, Trace};

/// Settings of a server, and its counters of lost events and objects.
#[derive(Default)]
pub struct Settings {
    /// Variables and status counters whose names begin with `performance_schema`, in lower case.
    values: FxHashMap<String, i128>,
    /// Sizes of buffers, from SHOW ENGINE PERFORMANCE_SCHEMA STATUS.
    buffers: FxHashMap<String, i128>,
    consumers: FxHashMap<String, bool>,
    /// Ids of threads that are not instrumented, or whose events the server does not keep in its histories.
    pub silent: Vec<StrId>,
}

impl Settings {
    /// Reads the settings of a run.
    pub fn of(trace: &Trace, run: RunId) -> Self {
        let mut found = Self::default();
        let is_own = |table: &&Table| table.run == run && !trace.str(table.name).starts_with(BEFORE);
        for table in trace.tables.iter().filter(is_own) {
            let column = |name| table.column(&trace.strings, name);
            let value = column("VARIABLE_VALUE").or(column("VALUE"));
            if let Some(columns) = column("VARIABLE_NAME").zip(value) {
                found.values.extend(numbers(trace, table, columns, "performance_schema"));
            }
            if let Some(columns) = column("NAME").zip(column("STATUS")) {
                found.buffers.extend(numbers(trace, table, columns, "events_"));
            }
            match trace.str(table.name) {
                "setup_consumers" => found.consumers(trace, table),
                "threads" => found.threads(trace, table),
                _ => {}
            }
        }
        found
    }

    fn consumers(&mut self, trace: &Trace, table: &Table) {
        let column = |name| table.column(&trace.strings, name);
        let Some((name, enabled)) = column("NAME").zip(column("ENABLED")) else { return };
        let cell = |row, column| table.cell(row, column).map_or("", |text| trace.str(text));
        let rows = (0..table.len()).map(|row| (cell(row, name).to_owned(), cell(row, enabled) == "YES"));
        self.consumers.extend(rows);
    }

    fn threads(&mut self, trace: &Trace, table: &Table) {
        let column = |name| table.column(&trace.strings, name);
        let Some(thread) = column("THREAD_ID") else { return };
        let off = [column("INSTRUMENTED"), column("HISTORY")];
        let is_no = |row: usize, column: Option<usize>| {
            column.and_then(|at| table.cell(row, at)).is_some_and(|text| trace.str(text) == "NO")
        };
        let silent = (0..table.len()).filter(|&row| off.iter().any(|&column| is_no(row, column)));
        self.silent.extend(silent.filter_map(|row| table.cell(row, thread)));
    }

    /// Capacity of `events_{class}_history_long`, in events (`class`: "waits", "stages", …); `None` if the export does
    /// not report it.
    pub fn ring(&self, class: &str) -> Option<i128> {
        let variable = self.values.get(&format!("performance_schema_events_{class}_history_long_size"));
        variable.or_else(|| self.buffers.get(&format!("events_{class}_history_long.count"))).copied()
    }

    /// Whether a consumer (a destination of events, listed in `setup_consumers`) is enabled; `None` if the export does
    /// not list it.
    pub fn consumer(&self, name: &str) -> Option<bool> {
        self.consumers.get(name).copied()
    }

    /// Number of objects of a type ("digest", "thread_instances", …) that the server could not record because a buffer
    /// was full; 0 if the export does not report it.
    pub fn lost(&self, what: &str) -> i128 {
        self.values.get(&format!("performance_schema_{what}_lost")).copied().unwrap_or(0)
    }
}

/// Names and whole numbers of the rows whose names start with a prefix.
fn numbers<'a>(
    trace: &'a Trace,
    table: &'a Table,
    (name, value): (usize, usize),
    start: &'a str,
) -> impl Iterator<Item = (String, i128)> + 'a {
    let row = move |row| {
        let name = trace.str(table.cell(row, name)?).to_ascii_lowercase();
        let value = trace.str(table.cell(row, value)?).parse().ok()?;
        name.starts_with(start).then_some((name, value))
    };
    (0..table.len()).filter_map(row)
}
