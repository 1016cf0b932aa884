//! The statements that come with the program: files in `sql/statements/`.

/// A statement that can be run by its name.
#[derive(Clone, Copy, Debug)]
pub struct ReadyStatement {
    pub name: &'static str,
    /// Id of the format whose traces the statement is for; empty for all formats.
    pub engine: &'static str,
    /// Content of the file: comments on what the statement answers, and the statement.
    pub sql: &'static str,
}

macro_rules! statements {
    ($($name:literal for $engine:literal),+ $(,)?) => {
        /// All statements, in the order of the handbook.
        pub const STATEMENTS: &[ReadyStatement] =
            &[$(ReadyStatement { name: $name, engine: $engine, sql: include_str!(concat!("../statements/", $name, ".sql")) }),+];
    };
}

statements!(
    "run_summary" for "kubling",
    "query_profile" for "kubling",
    "query_outliers" for "kubling",
    "filtering" for "kubling",
    "buffers" for "kubling",
    "score" for "kubling",
    "statement_digests" for "mysql",
    "waits_by_object" for "mysql",
    "mal_modules" for "monetdb",
    "spans_by_name" for "",
);

/// The statement with this name.
pub fn named(name: &str) -> Option<&'static ReadyStatement> {
    STATEMENTS.iter().find(|statement| statement.name == name)
}

impl ReadyStatement {
    /// What the statement answers: the comment in the first line of its file.
    pub fn about(&self) -> &'static str {
        self.sql.lines().next().unwrap_or_default().trim_start_matches("--").trim()
    }
}
