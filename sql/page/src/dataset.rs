//! [`DatasetProgram`]: the data set that is open in the page: its trends, its traces, and its tables for statements.

use std::sync::Arc;

use datafusion::catalog::TableProvider;
use datafusion::datasource::empty::EmptyTable;
use queryscope::export::{GroupBy, RunMeasure, Trend, TrendOutput};
use queryscope::internal::text;
use queryscope::protocol::{
    DatasetAnswer, DatasetOrder, DatasetQuestion, DatasetReply, TrendCell, TrendCellContent, TrendChoice,
    TrendColumn, TrendColumnKind, TrendPage, TrendTable,
};
use queryscope_sql::dataset::{
    Dataset, DatasetError, DatasetFiles, StoredFile, StoredTables, StoredTrace, Traffic,
};
use queryscope_sql::schema::{self, PARTITIONS, TABLES};
use queryscope_sql::trend::{self, GROUPINGS, RunOrder, TREND_TABLES, TrendInputs};

/// Names of groups by what executions are grouped by: of one, and of many.
const TITLES: [(GroupBy, &str, &str); 5] = [
    (GroupBy::Shape, "Statement", "Statements"),
    (GroupBy::Name, "Name", "Names"),
    (GroupBy::Kind, "Kind", "Kinds"),
    (GroupBy::Datasource, "Datasource", "Datasources"),
    (GroupBy::Connector, "Connector", "Connectors"),
];

/// The open data set.
#[derive(Default)]
pub struct DatasetProgram {
    files: Option<Arc<dyn DatasetFiles>>,
    opened: Option<Arc<Dataset>>,
    /// The last trend, with its choice without a group.
    trend: Option<(TrendChoice, Trend)>,
}

impl DatasetProgram {
    /// Forgets the data set, and takes the files of another one, or of none.
    pub fn set(&mut self, files: Option<Arc<dyn DatasetFiles>>) {
        *self = Self { files, ..Self::default() };
    }

    /// Whether a data set is open, or can be opened.
    pub fn is_set(&self) -> bool {
        self.files.is_some()
    }

    /// The data set, whose manifest is read the first time.
    ///
    /// # Errors
    /// A sentence if it cannot be opened.
    pub async fn opened(&mut self) -> Result<Arc<Dataset>, DatasetError> {
        if let Some(opened) = &self.opened {
            return Ok(opened.clone());
        }
        let files = self.files.clone().ok_or_else(|| DatasetError::of("No data set is open."))?;
        let opened = Arc::new(Dataset::open(files).await?);
        self.opened = Some(opened.clone());
        Ok(opened)
    }

    /// Answers a question; with the content of the file if the answer is a trace.
    pub async fn answer(&mut self, order: &DatasetOrder) -> (DatasetReply, Option<String>) {
        let failed = |error: DatasetError| DatasetAnswer::Failed(error.to_string());
        let was_open = self.opened.is_some();
        let dataset = match self.opened().await {
            Ok(dataset) => dataset,
            Err(error) => return (reply(failed(error), Traffic::default()), None),
        };
        // The manifest, if it was read just now, is of this step.
        let manifest = if was_open { Traffic::default() } else { dataset.traffic() };
        dataset.begin_step(order.limit);
        let (answer, content) = match &order.question {
            DatasetQuestion::Trend(choice) => (self.trend(&dataset, choice, order.limit).await, None),
            DatasetQuestion::Trace(name) => match trace(&dataset, name, order.limit).await {
                Ok(Ok(lines)) => (Ok(DatasetAnswer::Trace(name.clone())), Some(lines)),
                Ok(Err(bytes)) => (Ok(DatasetAnswer::TooLarge(bytes)), None),
                Err(error) => (Err(error), None),
            },
        };
        let traffic = dataset.traffic();
        let traffic =
            Traffic { requests: traffic.requests + manifest.requests, bytes: traffic.bytes + manifest.bytes };
        (reply(answer.unwrap_or_else(failed), traffic), content)
    }

    async fn trend(
        &mut self,
        dataset: &Arc<Dataset>,
        choice: &TrendChoice,
        limit: u64,
    ) -> Result<DatasetAnswer, DatasetError> {
        let engines = engines(dataset);
        let largest = engines.first().map(|(engine, _)| engine.clone()).unwrap_or_default();
        let engine = if choice.engine.is_empty() { largest } else { choice.engine.clone() };
        let by = GROUPINGS.iter().find(|(name, _)| *name == choice.by).map_or(GroupBy::Shape, |(_, by)| *by);
        let measure = RunMeasure::ALL.into_iter().find(|measure| measure.name() == choice.measure);
        let wanted = TrendChoice { group: None, engine: engine.clone(), ..choice.clone() };
        if self.trend.as_ref().is_none_or(|(known, _)| *known != wanted) {
            let is_wanted = |trace: &StoredTrace| trace.engine == engine;
            let bytes = trend::planned_bytes(dataset, trend::grouping_name(by), is_wanted);
            if bytes > limit {
                return Ok(DatasetAnswer::TooLarge(bytes));
            }
            match read_trend(dataset, by, &engine, measure.unwrap_or(RunMeasure::P50)).await {
                Ok(trend) => self.trend = Some((wanted, trend)),
                // Instead of a damaged index, the files of all traces were to be read.
                Err(_) if dataset.is_over_limit() => {
                    return Ok(DatasetAnswer::TooLarge(bytes.saturating_add(own_bytes(dataset, &engine))));
                }
                Err(error) => return Err(error),
            }
        }
        let Some((_, trend)) = &self.trend else { return Err(DatasetError::of("There is no trend.")) };
        let (_, one, many) = TITLES.into_iter().find(|title| title.0 == by).unwrap_or(TITLES[0]);
        let mut page = TrendOutput { trend, group_title: one, limit: None }.page(choice.group);
        if page.group.is_empty() {
            page.tables.iter_mut().for_each(|table| table.title = many.to_owned());
            page.tables.push(traces(dataset));
        }
        page.summary.extend(of_other_engines(&engines, &engine));
        Ok(DatasetAnswer::Trend(Box::new(TrendPage { engines, engine, ..page })))
    }

    /// The tables for statements: those that every data set has, and these side tables.
    ///
    /// # Errors
    /// A sentence if the data set cannot be opened, or a file of a side table is damaged.
    pub async fn tables(&mut self, side: &[String]) -> Result<StoredTables, DatasetError> {
        let mut tables =
            self.opened().await?.tables_with(|name| side.iter().any(|wanted| wanted == name)).await?;
        for known in TABLES.iter().chain(TREND_TABLES) {
            if !tables.iter().any(|(name, _)| name == known.name) {
                let schema = schema::with_partitions(&schema::stored_schema(known));
                let empty = Arc::new(EmptyTable::new(schema)) as Arc<dyn TableProvider>;
                tables.push((known.name.to_owned(), empty));
            }
        }
        Ok(tables)
    }
}

fn reply(answer: DatasetAnswer, traffic: Traffic) -> DatasetReply {
    DatasetReply { answer, requests: traffic.requests, bytes: traffic.bytes }
}

/// Engines of the traces with their number of traces, most first.
fn engines(dataset: &Dataset) -> Vec<(String, u32)> {
    let mut engines: Vec<(String, u32)> = Vec::new();
    for trace in &dataset.manifest().traces {
        match engines.iter_mut().find(|(engine, _)| *engine == trace.engine) {
            Some((_, traces)) => *traces += 1,
            None => engines.push((trace.engine.clone(), 1)),
        }
    }
    engines.sort_by_key(|(_, traces)| std::cmp::Reverse(*traces));
    engines
}

/// A sentence about the traces that a trend of one engine leaves out; `None` if all are of this engine.
fn of_other_engines(engines: &[(String, u32)], engine: &str) -> Option<String> {
    let other: Vec<_> = engines.iter().filter(|(name, _)| name != engine).collect();
    let count: u64 = other.iter().map(|(_, traces)| u64::from(*traces)).sum();
    let list: Vec<String> = other.iter().map(|(name, traces)| format!("{name}: {traces}")).collect();
    let traces = text::counted(count, "trace is", "traces are");
    (count > 0).then(|| format!("{traces} of other engines ({}) and not included.", list.join(", ")))
}

async fn read_trend(
    dataset: &Arc<Dataset>,
    by: GroupBy,
    engine: &str,
    measure: RunMeasure,
) -> Result<Trend, DatasetError> {
    let mut inputs = TrendInputs::new(by);
    inputs.add_dataset(dataset, Some(engine)).await?;
    inputs.trend(measure, RunOrder::Time).await
}

/// Bytes of the traces' own files of groups and samples.
fn own_bytes(dataset: &Dataset, engine: &str) -> u64 {
    let traces = dataset.manifest().traces.iter().filter(|trace| trace.engine == engine);
    let files = traces.flat_map(|trace| &trace.files);
    let is_read = |table: &str| TREND_TABLES.iter().any(|known| known.name == table);
    StoredFile::sum_bytes(files.filter(|file| is_read(&file.table)))
}

/// A trace as lines of the format `queryscope`; the number of its bytes if that is more than the limit.
async fn trace(dataset: &Dataset, name: &str, limit: u64) -> Result<Result<String, u64>, DatasetError> {
    let bytes = dataset.trace_bytes(dataset.trace(name)?);
    if bytes > limit {
        return Ok(Err(bytes));
    }
    Ok(Ok(dataset.read_trace(name).await?.lines))
}

/// Meaning of a partition column without the handbook's Markdown; empty if no column has this name.
fn partition_meaning(name: &str) -> String {
    let column = PARTITIONS.iter().find(|column| column.name == name);
    column.map_or_else(String::new, |column| column.about.replace('`', ""))
}

/// The traces of the data set.
fn traces(dataset: &Dataset) -> TrendTable {
    let cell = |text: &str| TrendCell { text: text.to_owned(), ..TrendCell::default() };
    let cells = dataset.manifest().traces.iter().flat_map(|trace| {
        let bytes = i64::try_from(dataset.trace_bytes(trace)).unwrap_or(i64::MAX);
        let name = TrendCellContent::Trace(trace.name.clone(), None);
        let size = TrendCell { number: Some(bytes), ..cell(&text::bytes(bytes)) };
        [TrendCell { content: name, ..cell(&trace.name) }, cell(&trace.engine), cell(&trace.day), size]
    });
    use TrendColumnKind::{Bytes, Text};
    let columns = [
        ("Trace", Text, "Name of the trace; a click opens it.".to_owned()),
        ("Engine", Text, partition_meaning("engine")),
        ("Day", Text, partition_meaning("day")),
        ("Size", Bytes, "Size of the trace's files in the data set.".to_owned()),
    ];
    let columns = columns.map(|(name, kind, meaning)| TrendColumn {
        name: name.to_owned(),
        meaning,
        group: String::new(),
        kind,
    });
    let columns = columns.to_vec();
    TrendTable { title: "Traces".to_owned(), columns, cells: cells.collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_of_other_engines_are_counted() {
        let engines = [("mysql", 7), ("chrome", 2), ("monetdb", 1)].map(|(name, n)| (name.to_owned(), n));
        for (engines, expected) in [
            (&engines[..1], None),
            (&engines[..], Some("3 traces are of other engines (chrome: 2, monetdb: 1) and not included.")),
            (&engines[..2], Some("2 traces are of other engines (chrome: 2) and not included.")),
        ] {
            assert_eq!(of_other_engines(engines, "mysql").as_deref(), expected);
        }
    }

    #[test]
    fn meanings_of_columns_are_plain_text() {
        for name in ["engine", "day"] {
            let meaning = partition_meaning(name);
            assert!(!meaning.is_empty(), "{name}");
        }
    }
}
