//! Roles of the columns of event tables, by column name.

/// Role of a column in a table of events.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MySqlColumnRole {
    Thread,
    Id,
    End,
    Name,
    Start,
    Stop,
    Wait,
    Nesting,
    Amount,
    Number,
    Text,
    Ignored,
}

impl MySqlColumnRole {
    /// Role of the column with this name, in upper case.
    pub fn of(column: &str) -> Self {
        let fixed = FIXED_ROLES.iter().find(|(name, _)| *name == column).map(|(_, role)| *role);
        fixed.unwrap_or(match column {
            "" => MySqlColumnRole::Ignored,
            number if NUMBERS.contains(&number) => MySqlColumnRole::Number,
            _ => MySqlColumnRole::Text,
        })
    }
}

const FIXED_ROLES: [(&str, MySqlColumnRole); 12] = [
    ("THREAD_ID", MySqlColumnRole::Thread),
    ("EVENT_ID", MySqlColumnRole::Id),
    ("END_EVENT_ID", MySqlColumnRole::End),
    ("EVENT_NAME", MySqlColumnRole::Name),
    ("TIMER_START", MySqlColumnRole::Start),
    ("TIMER_END", MySqlColumnRole::Stop),
    ("TIMER_WAIT", MySqlColumnRole::Wait),
    ("NESTING_EVENT_ID", MySqlColumnRole::Nesting),
    ("NUMBER_OF_BYTES", MySqlColumnRole::Amount),
    // SPINS and FLAGS are always NULL, and the nesting type follows from the tree.
    ("SPINS", MySqlColumnRole::Ignored),
    ("FLAGS", MySqlColumnRole::Ignored),
    ("NESTING_EVENT_TYPE", MySqlColumnRole::Ignored),
];

/// Columns with counts or measurements.
const NUMBERS: [&str; 32] = [
    "WORK_COMPLETED",
    "WORK_ESTIMATED",
    "LOCK_TIME",
    "MYSQL_ERRNO",
    "ERRORS",
    "WARNINGS",
    "ROWS_AFFECTED",
    "ROWS_SENT",
    "ROWS_EXAMINED",
    "CREATED_TMP_DISK_TABLES",
    "CREATED_TMP_TABLES",
    "SELECT_FULL_JOIN",
    "SELECT_FULL_RANGE_JOIN",
    "SELECT_RANGE",
    "SELECT_RANGE_CHECK",
    "SELECT_SCAN",
    "SORT_MERGE_PASSES",
    "SORT_RANGE",
    "SORT_ROWS",
    "SORT_SCAN",
    "NO_INDEX_USED",
    "NO_GOOD_INDEX_USED",
    "NESTING_EVENT_LEVEL",
    "STATEMENT_ID",
    "CPU_TIME",
    "MAX_CONTROLLED_MEMORY",
    "MAX_TOTAL_MEMORY",
    "NUMBER_OF_SAVEPOINTS",
    "NUMBER_OF_ROLLBACK_TO_SAVEPOINT",
    "NUMBER_OF_RELEASE_SAVEPOINT",
    "ROWS_FETCHED",
    "SUM_IO_WAIT_TIME",
];
