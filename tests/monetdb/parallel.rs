//! What the view of threads, plans and parts says of small files.

use queryscope::protocol::{Parallel, ParallelRequest};
use queryscope::trace::{Item, Kind, SpanId};

use super::open;

/// The view of the first span whose name begins so.
fn view(text: &str, name: &str) -> Parallel {
    let mut session = open("trace", text.as_bytes());
    let trace = session.trace();
    let mut spans = (0..trace.spans.len() as u32).map(SpanId);
    let span = spans.find(|id| trace.str(trace.spans.get(*id).name).starts_with(name));
    let item = span.map(|span| Item::Span(span).code());
    let Some(view) = session.answer(&ParallelRequest { range: None, item }) else {
        panic!("no view of {text}")
    };
    *view
}

/// Each function of the plan with the places of its instructions.
fn functions(view: &Parallel) -> Vec<(&str, Vec<i64>)> {
    let parts = view.plan.chunk_by(|a, b| a.program == b.program);
    parts.map(|part| (&*part[0].program, part.iter().map(|step| step.place).collect())).collect()
}

#[test]
fn one_thread_is_enough_for_a_plan() {
    for text in [
        include_str!("../traces/monetdb/trace-expanded.txt"),
        include_str!("../traces/monetdb/nov2019.ndjson"),
        include_str!("../traces/monetdb/lines.txt"),
    ] {
        let view = view(text, "");
        assert_eq!((view.workers.len(), view.plan.is_empty()), (1, false), "{text}");
    }
}

#[test]
fn a_plan_stands_function_by_function() {
    let sessions = view(include_str!("../traces/monetdb/sessions.ndjson"), "select f(1)");
    assert_eq!(functions(&sessions), [("user.main", vec![0, 1, 2]), ("sql.f", vec![0, 1])]);
    let nov2019 = view(include_str!("../traces/monetdb/nov2019.ndjson"), "user.main");
    assert_eq!(functions(&nov2019), [("user.main", vec![0, 1]), ("user.f", vec![0, 1])]);
}

#[test]
fn parts_of_a_step_are_those_of_a_table() {
    let mitosis = view(include_str!("../traces/monetdb/mitosis.ndjson"), "");
    let parts: Vec<(&str, u32)> = mitosis.equal.iter().map(|of| (of.name.as_str(), of.places)).collect();
    let bind = |column: &str| format!("sql.bind(_, \"sys\", \"lineitem\", \"{column}\", 0, part, of)");
    let (tax, qty) = (bind("l_tax"), bind("l_qty"));
    assert_eq!(parts, [("aggr.sum(l_tax)", 2), ("aggr.sum(l_qty)", 2), (&tax, 2), (&qty, 2)]);
    // What a function does twice is no part of anything.
    let sessions = view(include_str!("../traces/monetdb/sessions.ndjson"), "select f(1)");
    assert_eq!(sessions.n_equal, 0);
}

/// The call is no instruction, and what lies in it is.
#[test]
fn a_call_of_a_function_is_no_instruction() {
    let session = open("trace", include_bytes!("../traces/monetdb/sessions.ndjson"));
    let trace = session.trace();
    let spans = (0..trace.spans.len() as u32).map(|id| trace.spans.get(SpanId(id)));
    let calls = spans.filter(|span| trace.str(span.name) == "sql.f").map(|span| span.kind);
    assert_eq!(calls.collect::<Vec<_>>(), [Kind::Statement]);
}

/// Statements of clients at the same time stand beside each other, and their phases below their own.
#[test]
fn no_statement_is_a_part_of_another_clients() {
    for text in [
        include_str!("../traces/monetdb/sessions.ndjson"),
        include_str!("../traces/monetdb/apr2019-pause.ndjson"),
    ] {
        let session = open("trace", text.as_bytes());
        let trace = session.trace();
        let spans = (0..trace.spans.len() as u32).map(|id| trace.spans.get(SpanId(id)));
        let parents: Vec<_> = spans.filter(|span| span.kind == Kind::Query).map(|span| span.parent).collect();
        assert!(parents.len() >= 2 && parents.iter().all(Option::is_none), "{parents:?}");
    }
}
