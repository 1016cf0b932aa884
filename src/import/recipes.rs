//! Ready-made scripts that record traces or export them.

/// A script that records or exports a trace.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// Short and stable identifier, as passed to `queryscope recipe`.
    pub id: &'static str,
    /// Identifier of the format that the script produces.
    pub format: &'static str,
    /// Suggested file name of the script.
    pub file: &'static str,
    /// Description in one sentence.
    pub about: &'static str,
    /// The script.
    pub text: &'static str,
}

/// All scripts.
pub const RECIPES: &[Recipe] = &[
    Recipe {
        id: "mysql",
        format: "mysql",
        file: "mysql.sh",
        about: "Stops the instrumentation of a MySQL or MariaDB server's Performance Schema, after recording \
             if asked to, and exports its tables to a folder.",
        text: include_str!("../../recipes/mysql.sh"),
    },
    Recipe {
        id: "mysql-sql",
        format: "mysql",
        file: "mysql.sql",
        about: "Stops the instrumentation of a MySQL or MariaDB server's Performance Schema and exports its \
             tables to one file; SQL for any client.",
        text: include_str!("../../recipes/mysql.sql"),
    },
];
