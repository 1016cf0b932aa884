//! Filters of statements: the query list shows the executions that the list of statements and comparisons of runs count, for every
//! format.

use queryscope::internal::filter_text;
use queryscope::protocol::{
    CompareRunsGroupRequest, CompareRunsRequest, ComparedRunList, ExecutionList, ExecutionListRequest,
    QueryList, QueryListRequest, RunComparisonSpec, RunSelection, RunSummariesRequest, RunTableRequest,
    ShapeList, ShapeListRequest, SideMeasures,
};
use queryscope::session::Session;

use crate::support;

/// Number of executions that the query list shows with a filter.
fn listed(session: &mut Session, filter: String) -> u32 {
    let list = QueryList { filter, ..QueryList::default() };
    let page = session.answer(&QueryListRequest { list, first: 0, count: 0 });
    assert_eq!(page.filter_error, None);
    page.matched
}

/// Compares the executions and failures of every statement with the list that its filter shows. Returns the dimensions of the
/// filters.
fn check(name: &str, session: &mut Session) -> Vec<String> {
    let request = ShapeListRequest { list: ShapeList::default(), first: 0, count: 1000 };
    let rows = session.answer(&request).rows;
    let mut dimensions = Vec::new();
    // A shortened statement is not the value, and the executions of nested statements are listed at both.
    for row in rows.iter().filter(|row| !row.title.ends_with('…') && !row.dimension.is_empty()) {
        let condition = filter_text::condition(&row.dimension, Some(&row.title), false);
        assert_eq!(listed(session, condition.clone()), row.count, "{name}: {condition}");
        let failed = listed(session, format!("{condition} status = failed"));
        assert_eq!(failed, row.failed, "{name}: {condition}");
        dimensions.push(row.dimension.clone());
    }
    dimensions.sort();
    dimensions.dedup();
    dimensions
}

#[test]
fn a_statement_leads_to_its_executions() {
    let mysql = check("mysql", &mut support::open_path("tests/traces/mysql/thread"));
    assert_eq!(mysql, ["digest text[shape]"]);
    for file in ["tests/traces/kubling/rounds.ndjson", "tests/traces/kubling/values.ndjson"] {
        assert_eq!(check(file, &mut support::open_path(file)), ["SQL[shape]"], "{file}");
    }
}

/// A statement with a digest in some of its executions, in upper and lower case, is one row, which leads to all its executions.
#[test]
fn executions_with_and_without_a_digest_are_one_statement() {
    let trace = r#"{"queryscope":"trace","version":1}
{"run":"r","duration":900}
{"track":"thread 1","kind":"thread"}
{"span":"statement","kind":"query","start":0,"duration":10,"texts":{"digest text":"SELECT ?","SQL":"SELECT 1"}}
{"span":"statement","kind":"query","start":20,"duration":10,"texts":{"SQL":"select 2"}}
{"span":"Select 3","kind":"query","start":40,"duration":10}
{"span":"statement","kind":"query","start":60,"duration":10,"texts":{"SQL":"DELETE FROM t"}}
{"span":"statement","kind":"query","start":80,"duration":10,"texts":{"SQL":"delete from T"}}"#;
    let mut session = support::open([("trace.ndjson", trace)]);
    assert_eq!(check("digests", &mut session), ["SQL[shape]", "statement text[shape]"]);
    let page = session.answer(&CompareRunsRequest { list: ComparedRunList::default(), first: 0, count: 9 });
    assert_eq!(
        page.rows.iter().map(|row| row.title.as_str()).collect::<Vec<_>>(),
        ["DELETE FROM t", "SELECT ?"]
    );
    for row in page.rows {
        let spec = RunComparisonSpec::default();
        let group = session.answer(&CompareRunsGroupRequest { spec, group: row.group });
        let conditions = group.map(|group| group.row.conditions).unwrap_or_default();
        let condition = conditions.of_base().expect("a statement").to_owned();
        assert_eq!(Some(u64::from(listed(&mut session, condition))), row.base.map(|side| side.count));
    }
}

/// Two runs of statements whose text is in different attributes, and one of slices; one slice has the name of the statement.
fn runs_of_different_engines() -> Session {
    let kubling = support::root().join("tests/traces/kubling/rounds.ndjson");
    let kubling = std::fs::read(kubling).expect("a trace of the repository");
    let chrome = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":5,"name":"SELECT ?"},
        {"ph":"X","pid":1,"tid":1,"ts":6,"dur":2,"name":"parse","cat":"c"}]"#;
    let digests = r#"{"queryscope":"trace","version":1}
{"run":"digests","duration":900}
{"track":"thread 1","kind":"thread"}
{"span":"statement","kind":"query","start":0,"duration":10,"texts":{"digest text":"SELECT ?"}}
{"span":"statement","kind":"query","start":20,"duration":10,"texts":{"digest text":"SELECT ?"}}
{"span":"statement","kind":"query","start":40,"duration":10,"texts":{"SQL":"DELETE FROM t"}}"#;
    support::open([
        ("rounds.ndjson", kubling),
        ("slices.json", chrome.as_bytes().to_vec()),
        ("digests.ndjson", digests.as_bytes().to_vec()),
    ])
}

/// Asserts that a condition shows the executions that a side counts; that there is one exactly if the side has executions that are
/// statements.
fn check_side(
    session: &mut Session,
    run: &(String, bool),
    condition: Option<&str>,
    side: Option<SideMeasures>,
) -> u64 {
    let (name, has_statements) = run;
    assert_eq!(condition.is_some(), side.is_some() && *has_statements, "{name}: {side:?}");
    let Some(condition) = condition else { return 0 };
    let filter = filter_text::with(&filter_text::condition("run", Some(name), false), condition);
    let count = side.map_or(0, |side| side.count);
    assert_eq!(u64::from(listed(session, filter.clone())), count, "{filter}");
    count
}

#[test]
fn conditions_of_compared_statements_are_those_of_the_engine_of_their_side() {
    let mut session = runs_of_different_engines();
    let names = session.answer(&RunSummariesRequest).into_iter().map(|run| run.run);
    let runs: Vec<(String, bool)> = names.zip([true, false, true]).collect();
    assert_eq!(runs.len(), 3, "{runs:?}");
    let mut found = 0;
    for (base, new) in [(0, 1), (1, 0), (0, 2), (2, 0), (1, 2), (2, 1)] {
        let [base_side, new_side] =
            [base, new].map(|run| RunSelection { runs: vec![run], ..RunSelection::default() });
        let spec = RunComparisonSpec { base: base_side, new: new_side, ..RunComparisonSpec::default() };
        let list = ComparedRunList { spec: spec.clone(), ..ComparedRunList::default() };
        let page = session.answer(&CompareRunsRequest { list, first: 0, count: 100 });
        let [of_base, of_new] = [base, new].map(|run| &runs[run as usize]);
        assert_eq!([page.base.has_statements, page.new.has_statements], [of_base.1, of_new.1]);
        let has_both = |title: &str| {
            page.rows.iter().any(|row| row.title == title && row.base.is_some() && row.new.is_some())
        };
        assert!(has_both("SELECT ?"), "{base} {new}");
        for row in &page.rows {
            let request = CompareRunsGroupRequest { spec: spec.clone(), group: row.group };
            let group = session.answer(&request).expect("a group of the list");
            found += check_side(&mut session, of_base, group.row.conditions.of_base(), row.base);
            found += check_side(&mut session, of_new, group.row.conditions.of_new(), row.new);
        }
    }
    // One statement of Kubling and three with digests, in four comparisons each.
    assert_eq!(found, 4 * (1 + 3));
    for (base, run) in (0..).zip(&runs) {
        let table = session.answer(&RunTableRequest { base, count: 100, ..RunTableRequest::default() });
        for row in &table.rows {
            check_side(&mut session, run, row.base_condition.as_deref(), row.cells[0].measures);
        }
    }
}

/// Executions of all runs are shown by one condition, also if engines have the statement in different attributes.
#[test]
fn a_condition_shows_all_executions_of_a_side() {
    let mut session = runs_of_different_engines();
    let page = session.answer(&CompareRunsRequest { list: ComparedRunList::default(), first: 0, count: 100 });
    for row in &page.rows {
        let spec = RunComparisonSpec::default();
        let group = session.answer(&CompareRunsGroupRequest { spec, group: row.group });
        let conditions = group.map(|group| group.row.conditions).unwrap_or_default();
        let condition = conditions.of_base().expect("a statement").to_owned();
        assert_eq!(Some(u64::from(listed(&mut session, condition))), row.base.map(|side| side.count));
    }
    assert_eq!(page.rows.len(), 2);
}

/// The numbers of slices with a known start and end, of one side and of each of its groups, are those of the lists that the filter of
/// the comparison shows; that a slice contains one that does not end, or that began later, makes no difference.
#[test]
fn slices_that_do_not_end_are_neither_counted_nor_listed() {
    let slices = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":50,"name":"a"},
        {"ph":"B","pid":1,"tid":1,"ts":10,"name":"b"},
        {"ph":"X","pid":1,"tid":2,"ts":0,"dur":50,"name":"b"},
        {"ph":"X","pid":1,"tid":2,"ts":20,"dur":9,"name":"b"},
        {"ph":"B","pid":1,"tid":3,"ts":2,"name":"a"},
        {"ph":"X","pid":1,"tid":3,"ts":4,"dur":9,"name":"c"}]"#;
    let mut session = support::open([("one.json", slices)]);
    let within = Some((1_000, 21_000));
    for (base, start) in [
        (RunSelection::default(), ""),
        (RunSelection { within, ..RunSelection::default() }, " start = 1000ns..21000ns"),
        (RunSelection { within, outside: true, ..RunSelection::default() }, " start != 1000ns..21000ns"),
    ] {
        let filter = format!("status != unfinished status != no-start{start}");
        let spec = RunComparisonSpec { base: base.clone(), new: base, ..RunComparisonSpec::default() };
        let list = ComparedRunList { spec: spec.clone(), ..ComparedRunList::default() };
        let page = session.answer(&CompareRunsRequest { list, first: 0, count: 100 });
        let list = ShapeList { filter: filter.clone(), ..ShapeList::default() };
        let listed = session.answer(&ShapeListRequest { list, first: 0, count: 100 });
        assert_eq!(
            (listed.executions, Some(listed.time)),
            (page.base.all.count, page.base.all.total),
            "{filter}"
        );
        assert!(page.base.all.count > 0 && (page.base.all.incomplete > 0) != start.contains('!'), "{filter}");
        for row in page.rows {
            let group = session.answer(&CompareRunsGroupRequest { spec: spec.clone(), group: row.group });
            let shape = group.and_then(|group| group.row.slices).expect("a number in the list of slices");
            let list = ExecutionList { shape, filter: filter.clone(), ..ExecutionList::default() };
            let found = session.answer(&ExecutionListRequest { list, first: 0, count: 0 }).total;
            assert_eq!(Some(u64::from(found)), row.base.map(|side| side.count), "{filter}: {}", row.title);
        }
    }
}

/// In traces without statements, the list of slices shows with the same filter what a comparison counts.
#[test]
fn filtered_slices_are_in_the_list_of_slices() {
    let slices = r#"[{"ph":"X","pid":1,"tid":1,"ts":0,"dur":50,"name":"a","cat":"c"},
        {"ph":"X","pid":1,"tid":1,"ts":1,"dur":20,"name":"b"},
        {"ph":"X","pid":1,"tid":1,"ts":2,"dur":5,"name":"d"},
        {"ph":"X","pid":1,"tid":1,"ts":90,"dur":3,"name":"b"},
        {"ph":"X","pid":1,"tid":2,"ts":9,"dur":60,"name":"a"}]"#;
    let mut session = support::open([("one.json", slices)]);
    for (filter, expected) in
        [("", 5), ("name = b", 3), ("name != b", 2), ("category = c", 1), ("duration < 21us", 3), ("none", 0)]
    {
        let spec = RunComparisonSpec { filter: filter.to_owned(), ..RunComparisonSpec::default() };
        let list = ComparedRunList { spec, ..ComparedRunList::default() };
        let page = session.answer(&CompareRunsRequest { list, first: 0, count: 100 });
        assert_eq!(page.base.all.count, expected, "{filter}");
        let list = ShapeList { filter: filter.to_owned(), ..ShapeList::default() };
        let listed = session.answer(&ShapeListRequest { list, first: 0, count: 100 });
        assert_eq!(listed.executions, expected, "{filter}");
        for row in page.rows {
            let shape = row.slices.expect("a number in the list of slices");
            let list = ExecutionList { shape, filter: filter.to_owned(), ..ExecutionList::default() };
            let found = session.answer(&ExecutionListRequest { list, first: 0, count: 0 }).total;
            assert_eq!(Some(u64::from(found)), row.base.map(|side| side.count), "{filter}: {}", row.title);
        }
    }
}

/// In traces without statements, the list of slices shows as many executions of a group in a run as a comparison counts.
#[test]
fn compared_slices_are_in_the_list_of_slices() {
    let slices = |dur: u32| {
        format!(
            r#"[{{"ph":"X","pid":1,"tid":1,"ts":0,"dur":{dur},"name":"a","cat":"c"}},
            {{"ph":"X","pid":1,"tid":1,"ts":1,"dur":2,"name":"b"}},
            {{"ph":"X","pid":1,"tid":1,"ts":4,"dur":1,"name":"a"}},
            {{"ph":"X","pid":1,"tid":1,"ts":90,"dur":3,"name":"b"}}]"#
        )
        .into_bytes()
    };
    let mut session = support::open([("one.json", slices(50)), ("two.json", slices(60))]);
    let names: Vec<String> = session.answer(&RunSummariesRequest).into_iter().map(|run| run.run).collect();
    let [base, new] = [0, 1].map(|run| RunSelection { runs: vec![run], ..RunSelection::default() });
    let spec = RunComparisonSpec { base, new, ..RunComparisonSpec::default() };
    let list = ComparedRunList { spec: spec.clone(), ..ComparedRunList::default() };
    let page = session.answer(&CompareRunsRequest { list, first: 0, count: 100 });
    assert_eq!(page.rows.len(), 3);
    for row in page.rows {
        let group = session.answer(&CompareRunsGroupRequest { spec: spec.clone(), group: row.group });
        let shape = group.and_then(|group| group.row.slices).expect("a number in the list of slices");
        for (run, side) in names.iter().zip([row.base, row.new]) {
            let filter = filter_text::condition("run", Some(run), false);
            let list = ExecutionList { shape, filter, ..ExecutionList::default() };
            let found = session.answer(&ExecutionListRequest { list, first: 0, count: 0 }).total;
            assert_eq!(Some(u64::from(found)), side.map(|side| side.count), "{}", row.title);
        }
    }
    let table = session.answer(&RunTableRequest { count: 100, ..RunTableRequest::default() });
    assert!(table.rows.iter().all(|row| row.slices.is_some()));
}
