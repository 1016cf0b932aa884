//! Texts of the tabs and the buttons next to them.

pub const VIEWS: &str = "Views";
pub const QUERY_LIST: &str = "Query list";
pub const DETAILS: &str = "Details of the selection";

pub const TRENDS: &str = "Trends";
pub const OVERVIEW: &str = "Overview";
pub const GANTT: &str = "Gantt";
pub const FLAME: &str = "Flame";
pub const PIVOT: &str = "Pivot";
pub const PARALLEL: &str = "Parallel";
pub const COMPARE: &str = "Compare";
pub const TRANSACTIONS: &str = "Transactions";
pub const STATEMENTS: &str = "Statements";
pub const SOURCES: &str = "Sources";
pub const SLICES: &str = "Slices";
pub const TABLES: &str = "Tables";
pub const SQL: &str = "SQL";

pub const TRENDS_MEANING: &str = "Trends over the runs of a data set";
pub const OVERVIEW_MEANING: &str = "Overview";
pub const GANTT_MEANING: &str = "Gantt chart";
pub const FLAME_MEANING: &str = "Flame graph";
pub const PIVOT_MEANING: &str = "Pivot table";
pub const PARALLEL_MEANING: &str = "Parallelism";
pub const COMPARE_MEANING: &str = "Compare runs, time ranges or two executions";
pub const TRANSACTIONS_MEANING: &str = "Transactions and lock waits";
pub const STATEMENTS_MEANING: &str = "Statements by shape, or slices by name";
pub const SOURCES_MEANING: &str = "Sources and buffers";
pub const SQL_MEANING: &str = "SQL over this trace";
pub const TABLES_MEANING: &str = "Tables without events, such as server summaries";
