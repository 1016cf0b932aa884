//! Statements of the report: the statements with the most total time, and the sum of the rest.

use serde::Serialize;

use crate::analysis::Queries;
use crate::stats::{StatementTime, statement_times};
use crate::trace::Trace;

/// Maximum number of statements that are listed.
const SHOWN: usize = 20;

/// Statements, ranked by the total time of their executions.
#[derive(Serialize)]
pub struct StatementsJson {
    pub top: Vec<StatementJson>,
    pub rest: OtherStatementsJson,
}

/// Executions of one statement that have both their start and their end in the trace.
#[derive(Serialize)]
pub struct StatementJson {
    pub statement: String,
    pub count: u64,
    pub total_ns: i64,
    pub p50_ns: i64,
    pub p95_ns: i64,
}

/// Executions of all statements that are not listed.
#[derive(Serialize)]
pub struct OtherStatementsJson {
    /// Number of statements.
    pub statements: u64,
    pub count: u64,
    pub total_ns: i64,
}

/// The statements of a trace; `None` if no execution has both its start and its end in the trace.
pub fn statements(trace: &Trace, queries: &Queries) -> Option<StatementsJson> {
    let found = statement_times(trace, queries, SHOWN);
    let statement = |StatementTime { statement, count, total, p50, p95 }| StatementJson {
        statement,
        count,
        total_ns: total,
        p50_ns: p50,
        p95_ns: p95,
    };
    let rest = OtherStatementsJson {
        statements: found.others,
        count: found.others_count,
        total_ns: found.others_total,
    };
    let top: Vec<StatementJson> = found.top.into_iter().map(statement).collect();
    (!top.is_empty()).then_some(StatementsJson { top, rest })
}
