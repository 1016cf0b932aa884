//! [`PlacedDataset`]: a data set whose files executors read, and the plans that name them.

use std::path::Path;
use std::sync::Arc;

use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::datasource::listing::ListingTableUrl;
use datafusion::datasource::object_store::ObjectStoreUrl;
use datafusion::datasource::physical_plan::{FileGroup, FileScanConfig};
use datafusion::datasource::source::DataSourceExec;
use datafusion::error::{DataFusionError, Result as PlanResult};
use datafusion::object_store::path::Path as StorePath;
use datafusion::physical_plan::ExecutionPlan;
use queryscope_sql::dataset::{
    Dataset, DatasetError, DatasetScan, FileParts, StoredTables, block_on, is_dataset,
};

/// Where executors read the files of a data set.
#[derive(Clone, Debug)]
pub struct FileLocation {
    store: ObjectStoreUrl,
    folder: StorePath,
}

impl FileLocation {
    /// A folder or an address such as `s3://bucket/runs`.
    ///
    /// # Errors
    /// A sentence if the text is neither.
    pub fn parse(text: &str) -> Result<Self, DatasetError> {
        let wrong = |reason: &str| {
            let to_do = "Expected a folder, or an address such as s3://bucket/runs";
            DatasetError::of(format!("{text}: {reason}. {to_do}"))
        };
        let url = ListingTableUrl::parse(text).map_err(|error| wrong(&error.strip_backtrace()))?;
        if !url.as_str().contains("://") {
            return Err(wrong("not an address of files"));
        }
        Ok(Self { store: url.object_store(), folder: url.prefix().clone() })
    }

    fn of_folder(folder: &Path) -> Result<Self, DatasetError> {
        let wrong = |error: String| DatasetError::of(format!("{}: {error}", folder.display()));
        let folder = folder.canonicalize().map_err(|error| wrong(error.to_string()))?;
        let folder = StorePath::from_absolute_path(folder).map_err(|error| wrong(error.to_string()))?;
        Ok(Self { store: ObjectStoreUrl::local_filesystem(), folder })
    }

    /// Place of a file of the data set.
    fn file(&self, path: &str) -> PlanResult<StorePath> {
        let path = format!("{}/{path}", self.folder);
        StorePath::parse(&path).map_err(|error| DataFusionError::Plan(format!("{path}: {error}")))
    }
}

/// A data set, and where executors read its files.
#[derive(Clone, Debug)]
pub struct PlacedDataset {
    dataset: Arc<Dataset>,
    location: FileLocation,
    tables: StoredTables,
}

impl PlacedDataset {
    /// A data set whose files executors read where this program does.
    ///
    /// # Errors
    /// A sentence if the manifest or a file of a side table is missing or damaged. Other files are looked at by the statements that read them.
    pub fn here(folder: &Path) -> Result<Self, DatasetError> {
        let dataset = Arc::new(opened(folder)?);
        let tables = block_on(dataset.tables())?;
        Ok(Self { tables, location: FileLocation::of_folder(folder)?, dataset })
    }

    /// A data set whose manifest is in `folder`, and whose files are elsewhere and are not looked at. Only those side tables are known
    /// whose files are in `folder`, too, because only the files know their columns.
    ///
    /// # Errors
    /// A sentence if the manifest or a file of a side table is damaged.
    pub fn elsewhere(folder: &Path, location: FileLocation) -> Result<Self, DatasetError> {
        let dataset = Arc::new(opened(folder)?.unchecked());
        let files = || dataset.manifest().traces.iter().flat_map(|trace| &trace.files);
        let is_here = |table: &str| {
            files().filter(|file| file.table == table).all(|file| folder.join(&file.path).is_file())
        };
        let tables = block_on(dataset.tables_with(is_here))?;
        Ok(Self { tables, location, dataset })
    }

    pub(crate) fn tables(&self) -> StoredTables {
        self.tables.clone()
    }
}

fn opened(folder: &Path) -> Result<Dataset, DatasetError> {
    if !is_dataset(folder) {
        let reason = "there is no manifest, so this is not a data set";
        return Err(DatasetError::of(format!("{}: {reason}", folder.display())));
    }
    Dataset::of_folder(folder)
}

/// A plan whose scans name files where executors read them, by DataFusion's own readers: those of this program cannot be sent.
pub fn placed(plan: Arc<dyn ExecutionPlan>, sets: &[PlacedDataset]) -> PlanResult<Arc<dyn ExecutionPlan>> {
    let plan = plan.transform_up(|node| {
        let scan = node.downcast_ref::<DataSourceExec>();
        let scan = scan.and_then(|scan| scan.data_source().downcast_ref::<FileScanConfig>());
        match scan {
            Some(scan) => Ok(Transformed::yes(DataSourceExec::from_data_source(placed_scan(scan, sets)?))),
            None => Ok(Transformed::no(node)),
        }
    })?;
    Ok(plan.data)
}

fn placed_scan(scan: &FileScanConfig, sets: &[PlacedDataset]) -> PlanResult<FileScanConfig> {
    let mut scan = scan.clone();
    scan.file_source = DatasetScan::plain(&scan.file_source);
    for group in &mut scan.file_groups {
        let mut files = group.files().to_vec();
        for file in &mut files {
            let parts = file.extension::<Arc<FileParts>>();
            let set =
                parts.and_then(|parts| sets.iter().find(|set| Arc::ptr_eq(&set.dataset, parts.dataset())));
            // All files of a scan are of one data set.
            let Some((parts, set)) = parts.zip(set) else {
                return Err(DataFusionError::Internal("a file of no data set".to_owned()));
            };
            scan.object_store_url = set.location.store.clone();
            file.object_meta.location = set.location.file(&parts.file().path)?;
        }
        *group = FileGroup::new(files);
    }
    Ok(scan)
}
