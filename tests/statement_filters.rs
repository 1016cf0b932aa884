//! Filters of statements: the query list shows the executions that the list of statements counts, for every format.

use queryscope::internal::filter_text;
use queryscope::protocol::{QueryList, QueryListRequest, ShapeList, ShapeListRequest};
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
