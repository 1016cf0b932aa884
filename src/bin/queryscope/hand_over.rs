//! Commands that `queryscope-sql` runs. It is a separate program because it is many times as large. As git and cargo do
//! with their subcommands, this program starts it from its own folder or from the path.

use std::ffi::OsString;
use std::io;
use std::process::{Command, ExitCode};

use clap::Args;
use queryscope::internal::command_line::sql_program;

/// Arguments that another program reads.
#[derive(Args)]
pub struct HandedOver {
    /// Arguments of queryscope-sql.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    _arguments: Vec<OsString>,
}

/// Runs `queryscope-sql` with all arguments of this program.
pub fn run() -> ExitCode {
    match Command::new(sql_program()).args(std::env::args_os().skip(1)).status() {
        Ok(status) => {
            status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            eprintln!(
                "queryscope: SQL is a program of its own, queryscope-sql, which is neither in the folder of this one nor in the path.\n\
                 Build it in the repository with \"cargo install --profile native --path sql\"."
            );
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("queryscope: cannot run queryscope-sql: {error}");
            ExitCode::FAILURE
        }
    }
}
