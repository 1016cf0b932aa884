//! The executions of compared statements in the query list: as many as the comparison counts.

use super::*;
use crate::testing;

const TRACE: &str = "
    run alpha 400
    query q1 0..10 : SELECT a FROM t WHERE x = 1
    query q2 20..31 : SELECT a FROM t WHERE x = 2
    query q3 40..52 : SELECT a FROM t WHERE x = 'it\"s'
    query q4 60..73 failed : SELECT a FROM t WHERE x = 4
    query q5 80..90 : DELETE FROM \"u v\"
    run beta 300
    query q6 0..100 : SELECT a FROM t WHERE x = 1
    query q7 110..211 : SELECT a FROM t WHERE x = 2
    query q8 220..321 : DELETE FROM \"u v\"
";

/// Number of executions that the query list shows with a filter.
fn listed(session: &mut Session, filter: &str) -> u64 {
    let list = QueryList { filter: filter.to_owned(), ..QueryList::default() };
    let page = session.answer(&QueryListRequest { list, first: 0, count: 0 });
    assert_eq!(page.filter_error, None, "{filter}");
    u64::from(page.matched)
}

#[test]
fn conditions_of_statements_show_the_counted_executions() {
    let mut session = Session { trace: testing::trace(TRACE), ..Session::default() };
    let table = session.answer(&RunTableRequest { count: 100, ..RunTableRequest::default() });
    assert_eq!(table.rows.len(), 2);
    for row in &table.rows {
        let condition = row.base_condition.as_deref().unwrap_or_default();
        for (cell, run) in row.cells.iter().zip(["alpha", "beta"]) {
            let measures = cell.measures.unwrap_or_default();
            let of_run = format!("run = {run} {condition}");
            assert_eq!(listed(&mut session, &of_run), measures.count, "{of_run}");
            let failed = format!("{of_run} status = failed");
            assert_eq!(listed(&mut session, &failed), measures.failed, "{failed}");
            let longest = format!("{of_run} duration >= {}ns", measures.max.unwrap_or_default());
            assert!(listed(&mut session, &longest) > 0, "{longest}");
        }
    }
}

/// With a filter, the conditions of a statement and of its run show the counted executions when they are added to the filter.
#[test]
fn conditions_added_to_the_filter_show_the_counted_executions() {
    let mut session = Session { trace: testing::trace(TRACE), ..Session::default() };
    let runs = [0, 1].map(|run| RunSelection { runs: vec![run], ..RunSelection::default() });
    for (filter, expected) in [
        ("", [5, 3]),
        ("failed", [1, 0]),
        ("duration > 11ns", [2, 3]),
        ("sql ~ delete", [1, 1]),
        ("sql !~ delete", [4, 2]),
        ("run = alpha", [5, 0]),
        ("kind = query duration < 101ns", [5, 1]),
    ] {
        let [base, new] = runs.clone();
        let spec = RunComparisonSpec { base, new, filter: filter.to_owned(), ..RunComparisonSpec::default() };
        let list = ComparedRunList { spec: spec.clone(), ..ComparedRunList::default() };
        let page = session.answer(&CompareRunsRequest { list, first: 0, count: 100 });
        assert_eq!([page.base.all.count, page.new.all.count], expected, "{filter}");
        let table_request =
            RunTableRequest { filter: filter.to_owned(), count: 100, ..RunTableRequest::default() };
        let table = session.answer(&table_request);
        let of_table: Vec<u64> = table.runs.iter().map(|run| run.totals.all.count).collect();
        assert_eq!(of_table, expected, "{filter}");
        for (run, totals) in ["alpha", "beta"].into_iter().zip([&page.base, &page.new]) {
            assert_eq!(listed(&mut session, &format!("{filter} run = {run}")), totals.all.count, "{filter}");
        }
        for row in &page.rows {
            let request = CompareRunsGroupRequest { spec: spec.clone(), group: row.group };
            assert_eq!(session.answer(&request).map(|group| group.row), Some(row.clone()), "{filter}");
            let conditions = &row.conditions;
            let sides = [("alpha", &row.base, conditions.of_base()), ("beta", &row.new, conditions.of_new())];
            for (run, side, condition) in sides {
                let Some((side, condition)) = side.as_ref().zip(condition) else { continue };
                let of_side = format!("{filter} run = {run} {condition}");
                assert_eq!(listed(&mut session, &of_side), side.count, "{of_side}");
            }
        }
    }
}

#[test]
fn only_statements_have_conditions() {
    let mut session = Session { trace: testing::trace(TRACE), ..Session::default() };
    for (by, has_condition) in [(GroupBy::Shape, true), (GroupBy::Name, false), (GroupBy::Kind, false)] {
        let spec = RunComparisonSpec { by, ..RunComparisonSpec::default() };
        let group = session.answer(&CompareRunsGroupRequest { spec, group: 0 });
        let conditions = group.map(|group| group.row.conditions).unwrap_or_default();
        assert_eq!(conditions.of_base().is_some(), has_condition, "{by:?}");
    }
}

/// No filter leaves out executions that failed without an end: the list shows them in addition to those that are counted.
#[test]
fn incomplete_failures_are_counted_apart() {
    let trace = testing::trace(
        "run alpha 100
        query q1 0..10 : SELECT 1
        query q2 20..30 failed : SELECT 2
        query q3 40..100 open-end failed : SELECT 3
        query q4 50..100 open-end : SELECT 4",
    );
    let mut session = Session { trace, ..Session::default() };
    let spec = RunComparisonSpec::default();
    let group = session.answer(&CompareRunsGroupRequest { spec, group: 0 }).expect("a group");
    let side = group.row.base.unwrap_or_default();
    assert_eq!((side.count, side.incomplete, side.failed, side.failed_incomplete), (2, 2, 2, 1));
    let complete = format!(
        "status != unfinished status != no-start {}",
        group.row.conditions.of_base().unwrap_or_default()
    );
    assert_eq!(listed(&mut session, &complete), side.count + side.failed_incomplete);
    assert_eq!(listed(&mut session, &format!("{complete} status = failed")), side.failed);
}
