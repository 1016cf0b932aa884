//! Shared by `queryscope-sql` and `queryscope-sql-cluster`: command-line options of a statement, reading its text, and
//! printing its result.

use std::fmt::Display;
use std::io::{self, BufWriter, Read, Write};
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
