//! Plans of statements that a browser can run, and their failures as the page shows them.

use std::sync::Arc;

use datafusion::execution::context::SessionContext;
use datafusion::physical_plan::ExecutionPlan;
use queryscope::protocol::SqlFailure;
use queryscope_sql::depth::depth;
use queryscope_sql::statement::{self, LONGEST, QueryError};

/// Levels of the deepest statement. The stack of a browser's worker has about 1 MB, which plans of 900 levels exhaust.
const DEEPEST: usize = 500;

/// Plans a statement of whose result this number of rows is shown.
///
/// # Errors
/// A sentence if the statement is wrong, refused, or too deep.
pub async fn planned(
    context: &SessionContext,
    sql: &str,
    rows: usize,
) -> Result<Arc<dyn ExecutionPlan>, QueryError> {
    let levels = if sql.len() <= LONGEST { depth(sql) } else { 0 };
    if levels > DEEPEST {
        return Err(QueryError::new(format!(
            "the statement is {levels} levels deep, and a browser can run {DEEPEST}: each operator in a row is a level, each join two. Use shorter chains of AND, OR or +, use IN instead of OR, or run it on the command line: queryscope sql FILE STATEMENT"
        )));
    }
    statement::plan(context, sql, rows).await
}

/// A failure with its text as a sentence of the page.
pub fn failure(error: QueryError) -> SqlFailure {
    let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
    let place = error.place.map(|(line, column)| (small(line), small(column)));
    SqlFailure { text: sentence(&error), place, is_memory: error.is_memory, too_large: None }
}

/// The text with a capital letter unless it begins with a path, and with a period unless the page adds the memory limit.
fn sentence(error: &QueryError) -> String {
    let text = error.text.as_str();
    let word = text.split_whitespace().next().unwrap_or_default();
    let is_word = word.chars().all(|c| c.is_ascii_alphabetic());
    let is_ended = error.is_memory || text.is_empty() || text.ends_with(['.', '?', '!', '…']);
    let end = if is_ended { "" } else { "." };
    match text.split_at_checked(1).filter(|_| is_word) {
        Some((first, rest)) => format!("{}{rest}{end}", first.to_ascii_uppercase()),
        None => format!("{text}{end}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_sentences() {
        for (text, is_memory, expected) in [
            ("the statement is empty", false, "The statement is empty."),
            ("Did you mean “name”?", false, "Did you mean “name”?"),
            ("spans/a.parquet: its hash is 1", false, "spans/a.parquet: its hash is 1."),
            ("sorting needs more memory than the limit", true, "Sorting needs more memory than the limit"),
            ("+ is not possible", false, "+ is not possible."),
            ("", false, ""),
        ] {
            let error = QueryError { is_memory, ..QueryError::new(text) };
            assert_eq!(failure(error).text, expected);
        }
    }
}
