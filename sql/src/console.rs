//! Shared by `queryscope-sql` and `queryscope-sql-cluster`: command-line options of a statement, reading its text, and
//! printing its result.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fmt::Display;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Args, ValueEnum};
use queryscope::internal::command_line::{size, time};

use crate::output::{self, OutputForm};
use crate::query::{Limits, ResultRows};
use crate::statements;

/// Options of a statement.
#[derive(Args)]
pub struct StatementOptions {
    /// Output format.
    #[arg(long, value_enum, default_value_t = Form::Table)]
    format: Form,
    /// Maximum number of rows to print; 0 for all.
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    rows: usize,
    /// Time after which a statement is stopped.
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = time)]
    timeout: i64,
    /// Memory that a statement may use, such as 1GB.
    #[arg(long, value_name = "SIZE", default_value = "1GB", value_parser = size)]
    query_memory: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Form {
    Table,
    Csv,
    Json,
    Markdown,
}

impl StatementOptions {
    /// Limits of the statement: memory, time, and rows of the result.
    pub fn limits(&self) -> Limits {
        Limits {
            memory: usize::try_from(self.query_memory).unwrap_or(usize::MAX),
            time: Duration::from_nanos(self.timeout.max(0) as u64),
            rows: if self.rows == 0 { usize::MAX } else { self.rows },
        }
    }

    /// Prints a result to standard output. If it was cut at the limit of rows, a message on standard error says so.
    pub fn print(&self, result: &ResultRows) -> ExitCode {
        let form = match self.format {
            Form::Table => OutputForm::Table,
            Form::Csv => OutputForm::Csv,
            Form::Json => OutputForm::Json,
            Form::Markdown => OutputForm::Markdown,
        };
        let printed = print(|mut out| output::write(result, form, &mut out));
        if result.is_cut {
            eprintln!("queryscope: only the first {} rows are printed (--rows)", self.rows);
        }
        printed
    }
}

/// The arguments of the program. A statement that begins with a comment gets a space before it, because the parser of options would refuse it.
pub fn arguments() -> Vec<OsString> {
    // After this argument, none is an option.
    let mut is_before = true;
    let mut spaced = |argument: OsString| {
        is_before &= argument != "--";
        match argument.to_str().filter(|text| is_before && begins_with_comment(text)) {
            Some(text) => OsString::from(format!(" {text}")),
            None => argument,
        }
    };
    std::env::args_os().map(&mut spaced).collect()
}

/// Whether an argument is a statement that begins with a comment: after `--`, there is no name of an option, or the next line begins before
/// a value of the option could.
fn begins_with_comment(argument: &str) -> bool {
    let Some(comment) = argument.strip_prefix("--") else { return false };
    let name = comment.split('=').next().unwrap_or_default();
    !comment.is_empty()
        && (!comment.starts_with(|c: char| c.is_ascii_alphabetic()) || name.contains(char::is_whitespace))
}

/// Paths without those that name the same data set as an earlier one, with a message on standard error about each.
pub fn each_once(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut known = HashSet::new();
    let mut is_new = |path: &Path| {
        let is_new = known.insert(std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()));
        if !is_new {
            eprintln!(
                "queryscope: note: the data set {} is named more than once, and is read once",
                path.display()
            );
        }
        is_new
    };
    paths.into_iter().filter(|path| is_new(path)).collect()
}

/// Returns the SQL of an argument: the ready-made statement with this name, standard input for `-`, otherwise the argument itself.
///
/// # Errors
/// If standard input cannot be read.
pub fn statement_text(argument: &str) -> io::Result<String> {
    match argument {
        "-" => {
            let mut text = String::new();
            io::stdin().read_to_string(&mut text)?;
            Ok(text)
        }
        text => Ok(statements::named(text).map_or_else(|| text.to_owned(), |ready| ready.sql.to_owned())),
    }
}

/// Prints to standard output. If the reader closes the pipe early, this is no error.
pub fn print(write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> ExitCode {
    let mut out = BufWriter::new(io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => fail(format!("cannot write: {error}")),
        _ => ExitCode::SUCCESS,
    }
}

/// Prints an error message to standard error and returns the exit code of a failure.
pub fn fail(message: impl Display) -> ExitCode {
    eprintln!("queryscope: {message}");
    ExitCode::FAILURE
}

#[cfg(test)]
mod tests {
    use super::begins_with_comment;

    #[test]
    fn statements_may_begin_with_comments() {
        for (argument, expected) in [
            ("-- Slow queries.\nSELECT 1", true),
            ("--Slow queries.\nSELECT 1", true),
            ("--slow\nSELECT a = 1", true),
            ("---\nSELECT 1", true),
            ("--\nSELECT 1", true),
            ("--rows=5", false),
            ("--run=a\nb", false),
            ("--run=a b", false),
            ("--format", false),
            ("--", false),
            ("-", false),
            ("-h", false),
            ("SELECT 1 -- one", false),
        ] {
            assert_eq!(begins_with_comment(argument), expected, "{argument:?}");
        }
    }
}
