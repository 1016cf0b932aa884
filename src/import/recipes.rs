//! Ready-made scripts that record traces or export them.

/// A script.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Recipe {
    /// Short and stable: what `queryscope recipe` takes.
    pub id: &'static str,
    /// The format that it is for: its id.
    pub format: &'static str,
    /// What the file is called.
    pub file: &'static str,
    /// What it does, in a sentence.
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
