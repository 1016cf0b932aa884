//! Commands of `queryscope-sql`, a program of its own, because it is many times as large: as git and cargo do, this program
//! runs it if it stands in the same folder or in the path.

use std::ffi::OsString;
use std::io;
use std::process::{Command, ExitCode};

use clap::Args;

/// The program that runs the commands.
const PROGRAM: &str = "queryscope-sql";

/// Arguments that another program reads.
#[derive(Args)]
pub struct HandedOver {
    /// Arguments of queryscope-sql.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
    _arguments: Vec<OsString>,
}

/// Runs the other program with all arguments of this one.
pub fn run() -> ExitCode {
    let name = format!("{PROGRAM}{}", std::env::consts::EXE_SUFFIX);
    let beside = std::env::current_exe().ok().map(|path| path.with_file_name(&name));
    let program = beside.filter(|path| path.is_file()).map_or_else(|| OsString::from(&name), OsString::from);
    match Command::new(&program).args(std::env::args_os().skip(1)).status() {
        Ok(status) => {
            status.code().and_then(|code| u8::try_from(code).ok()).map_or(ExitCode::FAILURE, ExitCode::from)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            eprintln!(
                "queryscope: SQL is a program of its own, {PROGRAM}, which is neither in the folder of this one nor in the path.\n\
                 Build it in the repository with \"cargo install --path sql\"."
            );
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("queryscope: cannot run {PROGRAM}: {error}");
            ExitCode::FAILURE
        }
    }
}
