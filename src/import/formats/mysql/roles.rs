//! What the columns of events are, by their names.

/// What a column of an event is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
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

impl Role {
    /// Of the column with this name, in upper case.
    pub fn of(column: &str) -> Self {
        let fixed = FIXED_ROLES.iter().find(|(name, _)| *name == column).map(|(_, role)| *role);
        fixed.unwrap_or(match column {
            "" => Role::Ignored,
            number if NUMBERS.contains(&number) => Role::Number,
            _ => Role::Text,
        })
    }
}

const FIXED_ROLES: [(&str, Role); 12] = [
    ("THREAD_ID", Role::Thread),
    ("EVENT_ID", Role::Id),
    ("END_EVENT_ID", Role::End),
    ("EVENT_NAME", Role::Name),
    ("TIMER_START", Role::Start),
    ("TIMER_END", Role::Stop),
    ("TIMER_WAIT", Role::Wait),
    ("NESTING_EVENT_ID", Role::Nesting),
    ("NUMBER_OF_BYTES", Role::Amount),
    // Always NULL, and what can be told from the tree.
    ("SPINS", Role::Ignored),
    ("FLAGS", Role::Ignored),
    ("NESTING_EVENT_TYPE", Role::Ignored),
];

/// Columns that count or measure.
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
