//! [`DatasetWriter`]: the tables of traces as Parquet files, in row groups of bounded size.
//!
//! Only the manifest says what a data set has. A file has its own content in its name, so that no file that the manifest names is ever
//! written to. A writer that ends at any moment leaves a data set as it was, or as it should be, and files that nothing names;
//! the next writer removes those.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use datafusion::arrow::datatypes::SchemaRef;
use parquet::file::metadata::KeyValue;
use queryscope::internal::rows::{KnownTable, TableRef};

use super::manifest::{Manifest, StoredTrace, lock};
use super::new_file::{NewFile, files_of_index, files_of_tables};
use super::{DatasetError, MANIFEST, attributes, encoding, stored_rows};
use crate::rows::TraceRows;
use crate::schema;
use crate::trend::{group_tables, write_index};

/// Day of a trace whose day is not known.
const UNKNOWN_DAY: &str = "unknown";

/// Adds traces to a data set. No other program writes to it until this is dropped.
pub struct DatasetWriter {
    folder: PathBuf,
    manifest: Manifest,
    _lock: File,
}

impl DatasetWriter {
    /// Opens a data set, which is made if it is not there, and removes the files that a writer left that did not end. Waits while another
    /// program writes.
    ///
    /// # Errors
    /// A sentence if the folder cannot be written to, its manifest is damaged, or files of a data set have no manifest.
    pub fn open(folder: &Path) -> Result<Self, DatasetError> {
        if folder.is_file() {
            let about = "this is a file. Name a folder for the data set";
            return Err(DatasetError::at_path(folder, about));
        }
        fs::create_dir_all(folder).map_err(|error| DatasetError::at_path(folder, error))?;
        let lock = lock(folder)?;
        let manifest = Manifest::read(folder)?;
        let writer = Self { folder: folder.to_owned(), manifest, _lock: lock };
        match folder.join(MANIFEST).exists() {
            true => writer.remove_unnamed()?,
            false if files_of_tables(folder).is_empty() => writer.manifest.write(folder)?,
            false => {
                let about = "the folder has files of a data set, but no manifest. Put the manifest back, or choose an empty folder";
                return Err(DatasetError::at_path(&folder.join(MANIFEST), about));
            }
        }
        Ok(writer)
    }

    /// Writes the files of a trace, which replaces one of the same name. Nothing changes for readers before [`Self::commit`].
    ///
    /// # Errors
    /// A sentence if the folder cannot be written to.
    pub fn add(&mut self, trace: &TraceRows) -> Result<StoredTrace, DatasetError> {
        let stored = self.write(trace, None)?;
        self.replace(&trace.identity.name, vec![stored.clone()]);
        Ok(stored)
    }

    /// Lists a trace in the manifest, or the parts of a trace, in place of an earlier one of the same name and its parts. Their files were
    /// written by [`Self::write`].
    pub fn replace(&mut self, name: &str, stored: Vec<StoredTrace>) {
        let is_replaced = |known: &StoredTrace| {
            known.whole_trace_name() == name || stored.iter().any(|new| new.trace_id == known.trace_id)
        };
        self.manifest.traces.retain(|known| !is_replaced(known));
        self.manifest.traces.extend(stored);
    }

    /// Writes the files of a trace, or of a part of the trace with the name `part_of`. The manifest does not list them yet.
    ///
    /// # Errors
    /// A sentence if the folder cannot be written to.
    pub fn write(&self, trace: &TraceRows, part_of: Option<&str>) -> Result<StoredTrace, DatasetError> {
        let day = trace.identity.day.as_deref().unwrap_or(UNKNOWN_DAY);
        let mut files = Vec::new();
        for (name, table) in trace.table_names() {
            let schema = schema::settled(&trace.schema(table));
            let batches = trace.parts(table).into_iter().map(|part| trace.batch(table, part, &schema));
            let about = match table {
                TableRef::Side(at) => {
                    let parts = stored_rows::side_table_parts(trace, &trace.tables.side_tables[at]);
                    Some(KeyValue::new(stored_rows::SIDE_TABLES.to_owned(), parts))
                }
                TableRef::Known(KnownTable::Attributes) => {
                    let orders = attributes::attribute_orders(trace);
                    Some(KeyValue::new(attributes::ATTRIBUTE_ORDERS.to_owned(), orders))
                }
                TableRef::Known(_) => None,
            };
            files.extend(self.new_file(&name, day, trace, &schema).write(&schema, batches, about)?);
        }
        for table in group_tables(trace).map_err(|error| DatasetError::at_path(&self.folder, error))? {
            let schema = table.schema;
            let new = self.new_file(table.name, day, trace, &schema);
            files.extend(new.write(&schema, table.batches.into_iter().map(Ok), None)?);
        }
        let trace_id = trace.identity.id.to_string();
        let (engine, name) = (trace.identity.engine.clone(), trace.identity.name.clone());
        let part_of = part_of.map(str::to_owned);
        Ok(StoredTrace { trace_id, name, part_of, engine, day: day.to_owned(), files })
    }

    fn new_file<'n>(
        &'n self,
        table: &'n str,
        day: &str,
        trace: &TraceRows,
        schema: &SchemaRef,
    ) -> NewFile<'n> {
        NewFile {
            root: &self.folder,
            table,
            place: format!("{table}/day={day}/engine={}", trace.identity.engine),
            name: format!("{:016x}", trace.identity.id),
            properties: encoding::properties(table, schema),
        }
    }

    /// Adds the rows of all traces to the index of trends, and publishes them as [`Self::publish`] does.
    ///
    /// # Errors
    /// A sentence if the folder cannot be written to.
    pub fn commit(&mut self) -> Result<(), DatasetError> {
        self.sort();
        self.manifest.trend_index = Some(write_index(&self.folder, &self.manifest)?);
        self.publish()
    }

    /// Writes the manifest, by which readers see all added traces at once, and removes the files of the traces that were replaced.
    /// The index of trends stays as it is, which takes no time however many traces there are; readers know which traces are not in it.
    ///
    /// # Errors
    /// A sentence if the folder cannot be written to.
    pub fn publish(&mut self) -> Result<(), DatasetError> {
        self.sort();
        self.manifest.write(&self.folder)?;
        self.remove_unnamed()
    }

    fn sort(&mut self) {
        self.manifest.traces.sort_by(|left, right| (&left.day, &left.name).cmp(&(&right.day, &right.name)));
    }

    /// Removes the files of tables and of the index that the manifest does not name. Other files are not touched.
    fn remove_unnamed(&self) -> Result<(), DatasetError> {
        let named: BTreeSet<PathBuf> =
            self.manifest.files().map(|file| self.folder.join(&file.path)).collect();
        let made = files_of_tables(&self.folder).into_iter().chain(files_of_index(&self.folder));
        for path in made.filter(|path| !named.contains(path)) {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(DatasetError::at_path(&path, error));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// Adds one trace to a data set, which is made if it is not there. Files of an earlier trace of the same name are replaced.
///
/// # Errors
/// A sentence if the folder cannot be written to. Files of other traces are as they were.
pub fn add_trace(folder: &Path, trace: &TraceRows) -> Result<StoredTrace, DatasetError> {
    let mut writer = DatasetWriter::open(folder)?;
    let stored = writer.add(trace)?;
    writer.commit()?;
    Ok(stored)
}
