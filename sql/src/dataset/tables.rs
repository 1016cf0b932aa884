//! [`stored_tables`]: the tables of a data set for statements.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use datafusion::arrow::datatypes::{Field, Schema, SchemaRef};
use datafusion::datasource::file_format::parquet::ParquetFormat;
use datafusion::datasource::listing::{ListingOptions, ListingTable, ListingTableConfig, ListingTableUrl};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::manifest::Manifest;
use super::{DatasetError, is_dataset};
use crate::query::StoredTables;
use crate::schema;

/// The tables of a data set, with the columns that name its folders.
///
/// # Errors
/// A sentence if the manifest or a file that it names is missing or damaged.
pub fn stored_tables(folder: &Path) -> Result<StoredTables, DatasetError> {
    if !is_dataset(folder) {
        return Err(DatasetError::at(folder, "there is no manifest, so this is not a data set"));
    }
    let manifest = Manifest::read(folder)?;
    let mut schemas: BTreeMap<&str, SchemaRef> = BTreeMap::new();
    for file in manifest.traces.iter().flat_map(|trace| &trace.files) {
        let path = folder.join(&file.path);
        let about = std::fs::metadata(&path).map_err(|error| DatasetError::at(&path, error))?;
        if about.len() != file.bytes {
            let (found, expected) = (about.len(), file.bytes);
            return Err(DatasetError::at(
                &path,
                format!(
                    "the file has {found} bytes, and the manifest says {expected}: it is damaged or was replaced"
                ),
            ));
        }
        let known = schemas.get(file.table.as_str());
        if let Some(table) = schema::table(&file.table) {
            schemas.insert(&file.table, table.stored_schema());
            continue;
        }
        let own = side_schema(&path)?;
        let merged = known.map_or_else(|| own.clone(), |known| schema::merged(known, &own));
        schemas.insert(&file.table, merged);
    }
    let table = |(name, stored): (&str, SchemaRef)| {
        let path = folder.join(name);
        let path = path.canonicalize().map_err(|error| DatasetError::at(&path, error))?;
        let url = url::Url::from_directory_path(&path)
            .map_err(|()| DatasetError::at(&path, "the path has no address"))
            .and_then(|url| {
                ListingTableUrl::try_new(url, None).map_err(|error| DatasetError::at(&path, error))
            })?;
        let partitions =
            schema::PARTITIONS.iter().map(|column| (column.name.to_owned(), schema::text_type()));
        let options = ListingOptions::new(Arc::new(ParquetFormat::default()))
            .with_file_extension(".parquet")
            .with_table_partition_cols(partitions.collect());
        let config = ListingTableConfig::new(url).with_listing_options(options).with_schema(stored);
        let table = ListingTable::try_new(config).map_err(|error| DatasetError::at(&path, error))?;
        Ok((name.to_owned(), Arc::new(table) as Arc<dyn datafusion::catalog::TableProvider>))
    };
    schemas.into_iter().map(table).collect()
}

/// Columns of a side table in a file, without metadata, which may differ between files.
fn side_schema(path: &Path) -> Result<SchemaRef, DatasetError> {
    let file = File::open(path).map_err(|error| DatasetError::at(path, error))?;
    let reader =
        ParquetRecordBatchReaderBuilder::try_new(file).map_err(|error| DatasetError::at(path, error))?;
    let plain = |field: &Arc<Field>| Field::new(field.name(), field.data_type().clone(), true);
    Ok(Arc::new(Schema::new(reader.schema().fields().iter().map(plain).collect::<Vec<_>>())))
}
