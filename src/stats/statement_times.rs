//! Execution times per statement. Statements that differ only in their values are grouped together.

use crate::analysis::percentile::percentile_of_sorted;
use crate::analysis::{Queries, SqlShapes, Statement, Statements, Sum};
use crate::base::{sort, text};
use crate::trace::Trace;

/// Maximum length of a statement, in characters.
const TITLE: usize = 300;

/// Executions of one statement that have both their start and their end in the trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StatementTime {
    /// Shortened text of the statement: the digest text if the server reports one, otherwise the text with every
    /// literal replaced by `?`.
    pub statement: String,
    /// Number of executions.
    pub count: u64,
    /// Total duration of all executions, in nanoseconds.
    pub total: i64,
    /// Median duration, in nanoseconds.
    pub p50: i64,
    /// 95th percentile of the durations, in nanoseconds.
    pub p95: i64,
}

/// Statements ranked by the total time of their executions.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct StatementTimes {
    /// Statements with the most total time, in descending order.
    pub top: Vec<StatementTime>,
    /// Number of statements that are not in `top`.
    pub others: u64,
    /// Number of executions of the statements that are not in `top`.
    pub others_count: u64,
    /// Total duration of the statements that are not in `top`, in nanoseconds.
    pub others_total: i64,
}

/// Returns the `most` statements with the longest total execution time.
#[inline(never)]
pub fn statement_times(trace: &Trace, queries: &Queries, most: usize) -> StatementTimes {
    let mut shapes = SqlShapes::default();
    let statements = Statements::of(trace, queries, &mut shapes);
    let mut sums: Vec<(&Statement, Sum)> = statements.largest().map(|of| (of, sum(queries, of))).collect();
    sums.retain(|(_, sum)| sum.reported() > 0);
    sort::by_key(&mut sums, |(_, sum)| (sum.or_zero().saturating_neg(), 0));
    let others = sums.split_off(most.min(sums.len()));
    let mut of_others = Sum::default();
    others.iter().for_each(|(_, sum)| of_others.join(*sum));
    StatementTimes {
        top: sums.iter().filter_map(|(of, sum)| statement_time(queries, &shapes, of, *sum)).collect(),
        others: others.len() as u64,
        others_count: of_others.reported(),
        others_total: of_others.or_zero(),
    }
}

/// Durations of the executions that have both their start and their end in the trace.
fn durations(queries: &Queries, statement: &Statement) -> impl Iterator<Item = i64> {
    let whole = statement.rows.iter().filter(|&&row| queries.is_whole(row));
    whole.map(|&row| queries.duration(row))
}

fn sum(queries: &Queries, statement: &Statement) -> Sum {
    let mut sum = Sum::default();
    durations(queries, statement).for_each(|duration| sum.add(Some(duration)));
    sum
}

fn statement_time(
    queries: &Queries,
    shapes: &SqlShapes,
    statement: &Statement,
    sum: Sum,
) -> Option<StatementTime> {
    let mut sorted: Vec<i64> = durations(queries, statement).collect();
    sort::by_key(&mut sorted, |&duration| (duration, 0));
    Some(StatementTime {
        statement: text::shortened(shapes.get(statement.shape), TITLE),
        count: sum.reported(),
        total: sum.or_zero(),
        p50: percentile_of_sorted(&sorted, 50)?,
        p95: percentile_of_sorted(&sorted, 95)?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;
    use crate::stats::summaries;
    use crate::testing;

    /// Statement, count, total, p50 and p95.
    type TimeRow<'a> = (&'a str, u64, i64, i64, i64);

    fn row(of: &StatementTime) -> TimeRow<'_> {
        (&of.statement, of.count, of.total, of.p50, of.p95)
    }

    fn check(trace: &Trace, most: usize, expected: &[TimeRow], others: (u64, u64, i64)) {
        let found = statement_times(trace, &Queries::of(trace), most);
        assert_eq!(found.top.iter().map(row).collect::<Vec<_>>(), expected);
        assert_eq!((found.others, found.others_count, found.others_total), others);
    }

    #[test]
    fn executions_without_an_end_do_not_count() {
        let ms = 1_000_000;
        let expected = ("SELECT a FROM t WHERE x = ?", 2, 18 * ms, 8 * ms, 10 * ms);
        check(&sample::trace(), 10, &[expected], (0, 0, 0));
        check(&Trace::default(), 10, &[], (0, 0, 0));
    }

    #[test]
    fn statements_that_are_not_listed_are_summed() {
        let trace = testing::trace(
            "run r 400\nquery q1 0..10 : SELECT 1\nquery q2 10..40 : DELETE FROM t WHERE a = 5\n\
             query q3 50..70 : SELECT 2\nquery q4 80..85 : UPDATE t SET a = 'x'\nquery q5 90..91 : UPDATE t SET a = ''\n\
             query q6 100..105 : COMMIT",
        );
        let top = [("SELECT ?", 2, 30, 10, 20), ("DELETE FROM t WHERE a = ?", 1, 30, 30, 30)];
        check(&trace, 2, &top, (2, 3, 11));
        check(&trace, 0, &[], (4, 6, 71));
    }

    #[test]
    fn listed_and_other_statements_add_up_to_the_runs() {
        for trace in [sample::trace(), testing::queries(500)] {
            let runs = summaries(&trace);
            let count: u64 = runs.iter().map(|run| run.queries).sum();
            let total: i64 = runs.iter().map(|run| run.total_duration_ns).sum();
            for most in [0, 1, 20, 1_000] {
                let found = statement_times(&trace, &Queries::of(&trace), most);
                let listed = found.top.iter().map(|of| of.count).sum::<u64>();
                assert_eq!(listed + found.others_count, count, "{most}");
                let listed = found.top.iter().map(|of| of.total).sum::<i64>();
                assert_eq!(listed + found.others_total, total, "{most}");
            }
        }
    }
}
