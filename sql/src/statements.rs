//! The statements that come with the program: files in `sql/statements/`.

/// A statement that can be run by its name.
#[derive(Clone, Copy, Debug)]
pub struct ReadyStatement {
    pub name: &'static str,
    /// The file: comments that say what it answers, and the statement.
    pub sql: &'static str,
}

macro_rules! statements {
    ($($name:literal),+ $(,)?) => {
        /// All statements, in the order of the handbook.
        pub const STATEMENTS: &[ReadyStatement] =
            &[$(ReadyStatement { name: $name, sql: include_str!(concat!("../statements/", $name, ".sql")) }),+];
    };
}

statements!(
    "run_summary",
    "query_profile",
    "query_outliers",
    "filtering",
    "buffers",
    "score",
    "statement_digests",
    "waits_by_object",
    "mal_modules",
    "slices_by_name",
);

/// The statement with this name.
pub fn named(name: &str) -> Option<&'static ReadyStatement> {
    STATEMENTS.iter().find(|statement| statement.name == name)
}

impl ReadyStatement {
    /// What it answers: the first line of its file.
    pub fn about(&self) -> &'static str {
        self.sql.lines().next().unwrap_or_default().trim_start_matches("--").trim()
    }
}
