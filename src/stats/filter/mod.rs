//! The query list's filter: words and conditions, all of which must hold.
//!
//! ```text
//! orders "select *"                    words: in the SQL, an id, a connector, … of the query or of what is in it
//! duration > 5ms   rows_read >= 1000   ratio > 3   sources = 2   bytes > 1MB   start < 2s
//! outcome = failed                     ok, failed, unfinished, no-start
//! connector:js   datasource != Users   run   query   sql      `:` is "contains", `=` is "is"
//! ```
//! What was not reported meets no condition.

pub(crate) mod parse;

use std::fmt;

use super::bits::Bits;
use super::search::Needle;
use super::{NO_QUERY, Queries};
use crate::protocol::{Outcome, QueryColumn};
use crate::strings::StrId;
use crate::trace::{EventId, Item, Key, SpanId, Trace, key};

/// A filter that was understood.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct Filter {
    terms: Vec<Term>,
}

/// Why a filter was not understood, for its user.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilterError(String);

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FilterError {}

#[derive(Clone, PartialEq, Debug)]
enum Term {
    Word(Needle),
    Number(QueryColumn, Compare, i64),
    Ratio(Compare, f64),
    Outcome(bool, Outcome),
    Text(TextField, Match, Needle),
}

/// How a number is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Compare {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
}

impl Compare {
    pub(crate) fn holds<T: PartialOrd>(self, left: T, right: T) -> bool {
        match self {
            Compare::Less => left < right,
            Compare::LessOrEqual => left <= right,
            Compare::Equal => left == right,
            Compare::NotEqual => left != right,
            Compare::GreaterOrEqual => left >= right,
            Compare::Greater => left > right,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TextField {
    Run,
    Query,
    Sql,
    Connector,
    Datasource,
}

/// How a text is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Match {
    Contains,
    Is,
    IsNot,
}

impl Filter {
    /// Whether every query passes.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// The rows of `queries` that pass, in order.
    pub fn rows(&self, trace: &Trace, queries: &Queries) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..queries.len()).collect();
        for term in &self.terms {
            match term {
                Term::Number(column, compare, value) => rows.retain(|&row| {
                    queries.number(row, *column).is_some_and(|number| compare.holds(number, *value))
                }),
                Term::Ratio(compare, value) => {
                    rows.retain(|&row| queries.ratio(row).is_some_and(|ratio| compare.holds(ratio, *value)));
                }
                Term::Outcome(wanted, outcome) => {
                    rows.retain(|&row| (queries.outcome(row) == *outcome) == *wanted);
                }
                Term::Word(needle) => keep(&mut rows, &with_word(trace, queries, needle)),
                Term::Text(field, how, needle) => text_term(trace, queries, &mut rows, *field, *how, needle),
            }
        }
        rows
    }
}

fn keep(rows: &mut Vec<u32>, kept: &Bits) {
    rows.retain(|&row| kept.contains(row));
}

/// The queries that hold a word themselves or in something that belongs to them.
fn with_word(trace: &Trace, queries: &Queries, needle: &Needle) -> Bits {
    let strings = needle.matching(&trace.strings);
    let mut rows = rows_with(trace, queries, |id| {
        strings.contains(trace.spans.name(id).0) || trace.texts(id).any(|(_, text)| strings.contains(text.0))
    });
    for id in (0..trace.events.len() as u32).map(EventId) {
        if strings.contains(trace.events.name(id).0) {
            rows.insert(queries.row_of(trace, Item::Event(id)).unwrap_or(NO_QUERY));
        }
    }
    for row in 0..queries.len() {
        if strings.contains(run_name(trace, queries, row).0) {
            rows.insert(row);
        }
    }
    rows
}

/// The queries to which a span belongs for which `test` holds.
fn rows_with(trace: &Trace, queries: &Queries, test: impl Fn(SpanId) -> bool) -> Bits {
    let mut rows = Bits::below(queries.len() as usize);
    let found = (0..trace.spans.len() as u32).map(SpanId).filter(|&id| test(id));
    found.filter_map(|id| queries.owner(trace, id)).for_each(|row| rows.insert(row));
    rows
}

fn text_term(
    trace: &Trace,
    queries: &Queries,
    rows: &mut Vec<u32>,
    field: TextField,
    how: Match,
    needle: &Needle,
) {
    let test = |text: StrId| match how {
        Match::Contains => needle.is_in(trace.str(text)),
        Match::Is | Match::IsNot => needle.is(trace.str(text)),
    };
    let has = |key: Key| rows_with(trace, queries, |id| trace.text(Item::Span(id), key).is_some_and(test));
    let matched = match field {
        TextField::Run => {
            let mut found = Bits::below(queries.len() as usize);
            (0..queries.len())
                .filter(|&row| test(run_name(trace, queries, row)))
                .for_each(|row| found.insert(row));
            found
        }
        TextField::Query => has(key::QUERY_ID),
        TextField::Sql => has(key::SQL),
        TextField::Connector => has(key::CONNECTOR),
        TextField::Datasource => has(key::DATASOURCE),
    };
    rows.retain(|&row| matched.contains(row) == (how != Match::IsNot));
}

fn run_name(trace: &Trace, queries: &Queries, row: u32) -> StrId {
    trace.runs.get(queries.run(row).0 as usize).map_or(StrId::EMPTY, |run| run.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::sample;

    fn check(filter: &str, rows: &[u32]) {
        let trace = sample::trace();
        let found = Filter::parse(filter).map(|f| f.rows(&trace, &Queries::of(&trace)));
        assert_eq!(found, Ok(rows.to_vec()), "{filter:?}");
    }

    #[test]
    fn words_are_looked_for_in_all_that_belongs_to_a_query() {
        check("", &[0, 1, 2]);
        check("select", &[0, 1]);
        check("select two", &[1]);
        check("\"x = 1\"", &[0]);
        check("SPILL", &[2]);
        check("ordersapi", &[0, 1]);
        check("run", &[0, 1, 2]);
        check("nowhere", &[]);
    }

    #[test]
    fn conditions_compare_what_was_reported() {
        check("duration > 5ms", &[0, 1]);
        check("duration>5 ms select", &[0, 1]);
        check("duration <= 8,000 us", &[1, 2]);
        check("rows_read >= 1000", &[0]);
        check("rows_read != 5", &[0]);
        check("rows_returned < 15", &[1]);
        check("ratio > 1", &[0]);
        check("sources = 1", &[0, 1, 2]);
        check("bytes > 1.5kB", &[2]);
        check("start >= 12ms", &[1, 2]);
    }

    #[test]
    fn outcomes_and_names_are_compared_whatever_their_case() {
        check("outcome = Failed", &[1]);
        check("outcome != failed", &[0, 2]);
        check("outcome:unfinished", &[2]);
        check("connector:JS", &[0, 1]);
        check("connector = js", &[]);
        check("datasource = ordersapi duration < 10ms", &[1]);
        check("datasource != OrdersAPI", &[2]);
        check("query = q2", &[2]);
        check("sql:delete", &[2]);
    }
}
