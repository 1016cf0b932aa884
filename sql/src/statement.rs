//! One statement within limits: what is refused, how errors read and where they point, and how rows are cut.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use datafusion::arrow::array::RecordBatch;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::common::Diagnostic;
use datafusion::dataframe::DataFrame;
use datafusion::error::DataFusionError;
use datafusion::execution::context::{SQLOptions, SessionConfig, SessionContext};
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};
use datafusion::logical_expr::LogicalPlan;
use datafusion::optimizer::AnalyzerRule;
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::execute_stream;
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Location, Token, TokenWithSpan, Tokenizer, Word};
use futures::StreamExt;

#[cfg(feature = "dataset")]
use crate::dataset::{NO_STORE, part};
use crate::overflow::CheckedIntegers;
use crate::{error_text, text_length};
#[cfg(feature = "dataset")]
use datafusion::datasource::object_store::ObjectStoreUrl;
#[cfg(feature = "dataset")]
use datafusion::object_store::memory::InMemory;

/// First words of statements that are refused.
const WRITING: [&str; 20] = [
    "ALTER", "ATTACH", "BEGIN", "CALL", "COMMIT", "COPY", "CREATE", "DELETE", "DROP", "GRANT", "INSERT",
    "MERGE", "REPLACE", "REVOKE", "ROLLBACK", "SET", "START", "TRUNCATE", "UPDATE", "VACUUM",
];
/// Longest statement, in bytes. A longer one could exhaust the stack.
pub const LONGEST: usize = 32 << 10;

/// Limits of a statement.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of memory for sorting, grouping and joining, and for the result.
    pub memory: usize,
    pub time: Duration,
    /// Maximum number of rows of the result; further rows are not computed.
    pub rows: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { memory: 1 << 30, time: Duration::from_secs(60), rows: 10_000 }
    }
}

/// The error of a statement that has no result.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct QueryError {
    /// The reason, as a sentence.
    pub text: String,
    /// Line and column of the error in the statement, both from 1; `None` if unknown.
    pub place: Option<(u64, u64)>,
    /// Whether the statement needs more memory than its limit.
    pub is_memory: bool,
}

impl QueryError {
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), place: None, is_memory: false }
    }
}

impl fmt::Display for QueryError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((line, column)) = self.place {
            write!(out, "line {line}, column {column}: ")?;
        }
        out.write_str(&self.text)?;
        if self.is_memory {
            out.write_str(". Read fewer rows or columns, or raise --query-memory")?;
        }
        Ok(())
    }
}

impl std::error::Error for QueryError {}

impl From<DataFusionError> for QueryError {
    fn from(error: DataFusionError) -> Self {
        #[cfg(feature = "dataset")]
        if let Some(cause) = part::cause(&error) {
            return Self::new(cause.to_string());
        }
        let text = error.strip_backtrace();
        if text.contains("Resources exhausted") {
            return Self { is_memory: true, ..Self::new(error_text::memory_reason(&text)) };
        }
        let place = error.diagnostic().and_then(place_of).or_else(|| place_in(&text));
        Self { place, ..Self::new(error_text::sentence(&text)) }
    }
}

fn place_of(diagnostic: &Diagnostic) -> Option<(u64, u64)> {
    diagnostic.span.map(|span| (span.start.line, span.start.column))
}

/// Line and column that the parser appends to its message; `None` if there are none.
fn place_in(text: &str) -> Option<(u64, u64)> {
    let (_, place) = text.rsplit_once("Line: ")?;
    let (line, column) = place.split_once(", Column: ")?;
    let column = column.split(|c: char| !c.is_ascii_digit()).next()?;
    Some((line.parse().ok()?, column.parse().ok()?))
}

/// The result of a statement.
#[derive(Debug)]
pub struct ResultRows {
    pub schema: SchemaRef,
    pub batches: Vec<RecordBatch>,
    /// Whether there were more rows than the limit.
    pub is_cut: bool,
}

/// Rows that an operator handles at a time. Joins and groups of spans, whose tables are in memory, are faster with more rows than
/// DataFusion's 8,192; with still more, they no longer fit in the processor's caches.
const BATCH: usize = 32_768;

/// Configuration of a context that runs statements in this number of threads.
pub fn config(threads: usize) -> SessionConfig {
    let mut config = SessionConfig::new()
        .with_information_schema(true)
        .with_target_partitions(threads)
        .with_batch_size(BATCH);
    config.options_mut().sql_parser.collect_spans = true;
    config
}

/// Runtime environment of a context that uses at most `memory` bytes and writes nothing to a disk.
///
/// # Errors
/// Only if DataFusion cannot create the environment.
pub fn environment(memory: usize) -> Result<Arc<RuntimeEnv>, QueryError> {
    let disk = DiskManagerBuilder::default().with_mode(DiskManagerMode::Disabled);
    let builder = RuntimeEnvBuilder::new().with_memory_limit(memory, 1.0).with_disk_manager_builder(disk);
    let environment = builder.build_arc()?;
    #[cfg(feature = "dataset")]
    environment.register_object_store(ObjectStoreUrl::parse(NO_STORE)?.as_ref(), Arc::new(InMemory::new()));
    Ok(environment)
}

/// The rule that makes an overflow of integers an error, for contexts that are not made by [`context`].
pub fn checked_integers() -> Arc<dyn AnalyzerRule + Send + Sync> {
    Arc::new(CheckedIntegers)
}

/// A context that runs statements in this number of threads with at most `memory` bytes.
///
/// # Errors
/// Only if DataFusion cannot create its environment.
pub fn context(threads: usize, memory: usize) -> Result<SessionContext, QueryError> {
    let context = SessionContext::new_with_config_rt(config(threads), environment(memory)?);
    context.add_analyzer_rule(checked_integers());
    Ok(context)
}

/// Most rows of a result that are computed as if the statement ended with a LIMIT. Sorting all rows takes less time than keeping a larger
/// number of first ones.
const FEW: usize = 16_384;

/// Plans a statement that reads, of whose result [`run`] keeps this number of rows. Statements that write, define or set something are refused.
///
/// # Errors
/// A sentence if the statement is wrong or refused.
pub async fn plan(
    context: &SessionContext,
    sql: &str,
    rows: usize,
) -> Result<Arc<dyn ExecutionPlan>, QueryError> {
    if sql.trim().is_empty() {
        return Err(QueryError::new("the statement is empty"));
    }
    if sql.len() > LONGEST {
        return Err(QueryError::new(format!("the statement is longer than {LONGEST} bytes")));
    }
    if let Some((_, place)) = words(sql).into_iter().find(|(word, _)| is_keyword(word, "TABLESAMPLE")) {
        let place = Some((place.line, place.column));
        return Err(QueryError { place, ..QueryError::new(error_text::NO_SAMPLES) });
    }
    let options = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
    let planned = async {
        let frame = context.sql_with_options(sql, options).await?;
        text_length::check(frame.logical_plan())?;
        Ok::<_, QueryError>(limited(frame, rows)?.create_physical_plan().await?)
    };
    let error = match planned.await {
        Ok(plan) => return Ok(plan),
        // What else is wrong with a statement that is refused does not matter.
        Err(_) if writes(sql) => return Err(QueryError::new(error_text::ONLY_READS)),
        Err(error) => error,
    };
    let place = error.place.or_else(|| place_of_text(sql, &error.text));
    Err(QueryError { place, ..error })
}

/// A statement that computes one row more than `rows`, which tells whether there are more: reading stops early, and sorting keeps only these
/// rows in memory. Plans that describe another one cannot be part of a plan and stay as they are.
fn limited(frame: DataFrame, rows: usize) -> Result<DataFrame, DataFusionError> {
    use LogicalPlan::{Analyze, DescribeTable, Explain};
    if rows > FEW || matches!(frame.logical_plan(), Explain(_) | Analyze(_) | DescribeTable(_)) {
        return Ok(frame);
    }
    frame.limit(0, Some(rows + 1))
}

/// The words of a statement with their places: neither comments nor strings.
fn words(sql: &str) -> Vec<(Word, Location)> {
    let tokens = Tokenizer::new(&GenericDialect {}, sql).tokenize_with_location().unwrap_or_default();
    let word = |token: TokenWithSpan| match token.token {
        Token::Word(word) => Some((word, token.span.start)),
        _ => None,
    };
    tokens.into_iter().filter_map(word).collect()
}

/// Whether a word is this keyword, not a quoted name.
fn is_keyword(word: &Word, keyword: &str) -> bool {
    word.quote_style.is_none() && word.value.eq_ignore_ascii_case(keyword)
}

/// Whether a statement begins like one that writes, defines or sets something.
fn writes(sql: &str) -> bool {
    let is_one_of = |word: &Word, of: &[&str]| of.iter().any(|known| known.eq_ignore_ascii_case(&word.value));
    let words = words(sql);
    let mut words = words.iter().map(|(word, _)| word);
    let first = words.find(|word| !is_one_of(word, &["EXPLAIN", "ANALYZE", "VERBOSE"]));
    first.is_some_and(|word| is_one_of(word, &WRITING))
}

/// Line and column of an error whose message has none: of the only mention of an unknown column, or the end of the statement.
fn place_of_text(sql: &str, error: &str) -> Option<(u64, u64)> {
    if error.ends_with("found the end of the statement") {
        let before = sql.trim_end();
        let line = before.rsplit('\n').next().unwrap_or(before);
        return Some((before.matches('\n').count() as u64 + 1, line.chars().count() as u64 + 1));
    }
    let (name, _) = error.strip_prefix("there is no column “")?.split_once('”')?;
    let name = name.rsplit('.').next().unwrap_or(name);
    let words = words(sql);
    let mut found = words.iter().filter(|(word, _)| match word.quote_style {
        None => word.value.eq_ignore_ascii_case(name),
        Some(_) => word.value == name,
    });
    let (_, place) = found.next().filter(|_| found.next().is_none())?;
    Some((place.line, place.column))
}

/// Runs a plan and collects the rows of its result, up to the limit of rows.
///
/// # Errors
/// A sentence if it takes more than its limits, or a value cannot be computed.
pub async fn run(
    context: &SessionContext,
    plan: Arc<dyn ExecutionPlan>,
    limits: Limits,
) -> Result<ResultRows, QueryError> {
    let mut stream = execute_stream(plan, context.task_ctx())?;
    let schema = stream.schema();
    let (mut batches, mut rows, mut bytes, mut is_cut) = (Vec::new(), 0, 0, false);
    let most = limits.rows;
    while let Some(batch) = stream.next().await {
        let batch = batch?;
        is_cut = rows + batch.num_rows() > most;
        let batch = if is_cut { batch.slice(0, most - rows) } else { batch };
        rows += batch.num_rows();
        bytes += batch.get_array_memory_size();
        if bytes > limits.memory {
            let text = format!("the first {rows} rows of the result need more memory than the limit");
            return Err(QueryError { is_memory: true, ..QueryError::new(text) });
        }
        batches.push(batch);
        if is_cut {
            break;
        }
    }
    Ok(ResultRows { schema, batches, is_cut })
}
