//! `convert`: adds traces to a data set. A trace that does not fit in memory is read several times and stored in parts.

use std::collections::VecDeque;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Args;
use queryscope::internal::command_line::{FileFeeder, Load};
use queryscope::internal::text::bytes;
use queryscope_sql::console::fail;
use queryscope_sql::dataset::{self, DatasetError, DatasetWriter, StoredFile, StoredTrace};
use queryscope_sql::rows::TraceRows;

use super::{name_of, rows};

/// Minimum time between two updates of the data set's manifest: an interruption loses only the traces added since the latest one. Traces are
/// added to the index of trends at the end.
const COMMIT: Duration = Duration::from_secs(2);

#[derive(Args)]
pub struct ConvertArguments {
    /// Traces: files, or folders whose files are one trace.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Folder of the data set; created if it does not exist.
    #[arg(short, long, value_name = "FOLDER")]
    output: PathBuf,
    /// Name of the trace, if there is one FILE. [default: FILE]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// Day on which the traces were recorded, such as 2026-03-31. [default: when each file was last written, in UTC]
    #[arg(long, value_name = "DAY", value_parser = day)]
    day: Option<String>,
}

fn day(text: &str) -> Result<String, String> {
    // `parse` also accepts days without leading zeros, which would give a folder with a different name.
    let date: Option<chrono::NaiveDate> = text.parse().ok();
    date.map(|date| date.to_string())
        .filter(|written| written == text)
        .ok_or_else(|| "expected a day of the calendar such as 2026-03-31".to_owned())
}

impl ConvertArguments {
    pub fn run(&self, read_as: Option<&str>, memory: Option<u64>) -> ExitCode {
        if self.name.is_some() && self.files.len() > 1 {
            eprintln!("queryscope: --name needs exactly one FILE");
            return ExitCode::from(2);
        }
        if let Some(set) = self.files.iter().find(|file| dataset::is_dataset(file)) {
            eprintln!(
                "queryscope: {} is a data set, not a trace: name the files that its traces were made of, or copy the folder",
                set.display()
            );
            return ExitCode::from(2);
        }
        let mut conversion = Conversion { arguments: self, read_as, memory, writer: None, all_read: true };
        match self.files.iter().try_for_each(|file| conversion.add(file)).and_then(|()| conversion.finish()) {
            Ok(()) if conversion.all_read => ExitCode::SUCCESS,
            Ok(()) => ExitCode::FAILURE,
            Err(error) => {
                // The traces that were added before this one stay in the data set.
                let _ = conversion.finish();
                fail(error)
            }
        }
    }
}

/// The data set that is written, and what could be read so far.
struct Conversion<'a> {
    arguments: &'a ConvertArguments,
    read_as: Option<&'a str>,
    memory: Option<u64>,
    /// The data set, and when its manifest was last written. It is made with its first trace, so that there is none where nothing
    /// can be read.
    writer: Option<(DatasetWriter, Instant)>,
    all_read: bool,
}

impl Conversion<'_> {
    /// Adds a trace, in parts if it does not fit into memory.
    fn add(&mut self, file: &Path) -> Result<(), DatasetError> {
        let name = self.arguments.name.clone().unwrap_or_else(|| name_of(file));
        let reading = self.read(file, &Load::default());
        let shares = reading.shares();
        let stored = if shares.is_empty() {
            if reading.is_full {
                reading.offer_part(false);
            }
            self.write(reading, &name, None)?
        } else {
            drop(reading);
            // What was converted before is listed before hours may pass.
            self.publish_after(Duration::ZERO)?;
            eprintln!(
                "queryscope: {name} does not fit in memory. It is read {} times or more, and stored as “{}”, “{}” and so on; \
                 no query is divided. To store one trace, raise the limit (--memory).",
                shares.len(),
                part_name(&name, 1),
                part_name(&name, 2)
            );
            self.convert_in_parts(file, &name, shares)?
        };
        let (false, Some((writer, _))) = (stored.is_empty(), &mut self.writer) else {
            eprintln!("queryscope: {name} is not added: nothing could be read of it");
            return Ok(());
        };
        writer.replace(&name, stored);
        self.publish_after(COMMIT)
    }

    /// Writes the manifest, if this time has passed since it was last written.
    fn publish_after(&mut self, time: Duration) -> Result<(), DatasetError> {
        if let Some((writer, committed)) = &mut self.writer
            && committed.elapsed() >= time
        {
            writer.publish()?;
            *committed = Instant::now();
        }
        Ok(())
    }

    fn read(&self, file: &Path, load: &Load) -> FileFeeder {
        FileFeeder::of(&[file.to_owned()], self.read_as, load, self.memory, false)
    }

    /// Writes each share of a trace as a part of it. A share that does not fit into memory is halved.
    fn convert_in_parts(
        &mut self,
        file: &Path,
        name: &str,
        shares: Vec<Load>,
    ) -> Result<Vec<StoredTrace>, DatasetError> {
        let (mut shares, mut parts) = (VecDeque::from(shares), Vec::new());
        while let Some(load) = shares.pop_front() {
            let part = part_name(name, parts.len() + 1);
            let reading = self.read(file, &load);
            if reading.is_full {
                let halves = load.halves();
                if !halves.is_empty() {
                    halves.into_iter().rev().for_each(|half| shares.push_front(half));
                    continue;
                }
                eprintln!("queryscope: {part} is incomplete:");
                reading.offer_part(false);
            }
            parts.extend(self.write(reading, &part, Some(name))?);
        }
        Ok(parts)
    }

    /// Writes the files of what was read. Empty if no format recognised the input, or if a part has no records.
    fn write(
        &mut self,
        reading: FileFeeder,
        name: &str,
        part_of: Option<&str>,
    ) -> Result<Vec<StoredTrace>, DatasetError> {
        let (mut trace, is_read) = rows(reading, name);
        self.all_read &= is_read;
        if !is_recognised(&trace) || part_of.is_some() && !has_records(&trace) {
            return Ok(Vec::new());
        }
        if let Some(day) = &self.arguments.day {
            trace.identity.day = Some(day.clone());
        }
        let (writer, _) = match &mut self.writer {
            Some(opened) => opened,
            none => none.insert((DatasetWriter::open(&self.arguments.output)?, Instant::now())),
        };
        let stored = writer.write(&trace, part_of)?;
        if io::stderr().is_terminal() {
            let sum = StoredFile::sum_bytes(&stored.files);
            eprintln!("queryscope: {name}: {}", bytes(i64::try_from(sum).unwrap_or(i64::MAX)));
        }
        Ok(vec![stored])
    }

    fn finish(&mut self) -> Result<(), DatasetError> {
        self.writer.as_mut().map_or(Ok(()), |(writer, _)| writer.commit())
    }
}

fn is_recognised(trace: &TraceRows) -> bool {
    trace.tables.files.iter().any(|file| file.recognised)
}

/// Whether a record was read that is not left out.
fn has_records(trace: &TraceRows) -> bool {
    trace.tables.files.iter().any(|file| file.used > 0 || file.reported > 0)
}

/// Name of a part of a trace, counted from 1.
fn part_name(name: &str, number: usize) -> String {
    format!("{name}, part {number}")
}
