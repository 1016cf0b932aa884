//! Filter of the query list: words and conditions, all of which must hold.
//!
//! ```text
//! orders "select *"                    words: in the SQL, an id, a connector, … of the query or of its parts
//! failed                               how the query ended: ok, failed, unfinished, no-start
//! start = 2s..5s                       numbers from the first bound on, below the second; != all others
//! duration > 5ms   rows_read >= 1000   ratio > 3   sources = 2   bytes > 1MB   start < 2s
//! status = failed                      the same as a condition
//! connector:js   datasource != Users   run   query_id   sql   name   kind   thread   …
//! ```
//! Field names are the attribute names of the pivot table; `:` and `~` are "contains", `=` is "is",
//! `!~` and `!=` are their negations. A text condition tests the
//! query and its parts. A number is the value in the column of the list with this name (which may be a sum over the
//! query's parts), or else the query's own attribute. A value that was not reported matches no condition. Durations are
//! those of whole queries, even if the list shows only a time range.

pub(crate) mod foreign_syntax;
pub(crate) mod parse;

use std::fmt;

use super::bits::Bits;
use super::search::Needle;
use super::{NO_QUERY, Queries, outcome_name, self_times};
use crate::base::interner::StrId;
use crate::protocol::QueryColumn;
use crate::trace::{EventId, Item, Key, SpanId, Trace, TrackKind};

/// Parsed filter.
#[derive(Clone, Default, PartialEq, Debug)]
pub struct QueryFilter {
    terms: Vec<QueryTerm>,
}

/// Error message for a filter that cannot be parsed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FilterError(String);

impl fmt::Display for FilterError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for FilterError {}

#[derive(Clone, PartialEq, Debug)]
enum QueryTerm {
    Word(Needle),
    Number(Number, NumberTest),
    Ratio(NumberComparison, f64),
    Outcome(TextMatch, Needle),
    Text(TextField, TextMatch, Needle),
}

/// Comparison operator for numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberComparison {
    Less,
    LessOrEqual,
    Equal,
    NotEqual,
    GreaterOrEqual,
    Greater,
}

impl NumberComparison {
    pub(crate) fn holds<T: PartialOrd>(self, left: T, right: T) -> bool {
        match self {
            NumberComparison::Less => left < right,
            NumberComparison::LessOrEqual => left <= right,
            NumberComparison::Equal => left == right,
            NumberComparison::NotEqual => left != right,
            NumberComparison::GreaterOrEqual => left >= right,
            NumberComparison::Greater => left > right,
        }
    }
}

/// What the number of a condition must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberTest {
    Compared(NumberComparison, i64),
    /// At least the first bound and below the second.
    In(i64, i64),
    /// Below the first bound, or at least the second.
    NotIn(i64, i64),
}

impl NumberTest {
    pub(crate) fn holds(self, number: i64) -> bool {
        match self {
            NumberTest::Compared(compare, bound) => compare.holds(number, bound),
            NumberTest::In(from, until) => (from..until).contains(&number),
            NumberTest::NotIn(from, until) => !(from..until).contains(&number),
        }
    }
}

/// Numeric value of a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Number {
    /// Column of the list.
    Column(QueryColumn),
    /// Time that no nested span covers.
    SelfTime,
    /// Attribute of the query: see [`Queries::compared_number`].
    Attribute(Key),
}

/// Text of a query or of its parts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TextField {
    Run,
    Name,
    Kind,
    Parent,
    /// Name of the nearest track of a kind; of the item's own track for `None`.
    Track(Option<TrackKind>),
    /// Attribute of spans.
    Key(Key),
    /// Attribute of tracks.
    OfTrack(Key),
}

/// Comparison operator for texts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TextMatch {
    Contains,
    Is,
    IsNot,
    ContainsNot,
}

impl TextMatch {
    /// The comparison without its negation: `Is` for `IsNot`, `Contains` for `ContainsNot`; other comparisons are
    /// returned unchanged.
    pub(crate) fn denied(self) -> Self {
        match self {
            TextMatch::IsNot => TextMatch::Is,
            TextMatch::ContainsNot => TextMatch::Contains,
            other => other,
        }
    }

    /// Whether the comparison is negated.
    pub(crate) fn is_negated(self) -> bool {
        self.denied() != self
    }

    /// Whether a text matches `needle`.
    pub(crate) fn holds(self, needle: &Needle, text: &str) -> bool {
        match self {
            TextMatch::Contains => needle.is_in(text),
            TextMatch::Is => needle.is(text),
            TextMatch::IsNot => !needle.is(text),
            TextMatch::ContainsNot => !needle.is_in(text),
        }
    }
}

impl QueryFilter {
    /// Rows of `queries` that pass the filter, in ascending order.
    pub fn rows(&self, trace: &Trace, queries: &Queries) -> Vec<u32> {
        let mut rows: Vec<u32> = (0..queries.len()).collect();
        for term in &self.terms {
            match term {
                QueryTerm::Number(number, test) => {
                    let number = number_of(trace, queries, *number);
                    rows.retain(|&row| number(row).is_some_and(|number| test.holds(number)));
                }
                QueryTerm::Ratio(compare, value) => {
                    rows.retain(|&row| queries.ratio(row).is_some_and(|ratio| compare.holds(ratio, *value)));
                }
                QueryTerm::Outcome(how, needle) => {
                    rows.retain(|&row| how.holds(needle, outcome_name(queries.outcome(row))));
                }
                QueryTerm::Word(needle) => keep(&mut rows, &with_word(trace, queries, needle)),
                QueryTerm::Text(field, how, needle) => {
                    text_term(trace, queries, &mut rows, *field, *how, needle)
                }
            }
        }
        rows
    }
}

/// Returns a function that returns the numeric value of the query in a row; `None` if it was not reported.
fn number_of<'a>(
    trace: &'a Trace,
    queries: &'a Queries,
    number: Number,
) -> Box<dyn Fn(u32) -> Option<i64> + 'a> {
    match number {
        Number::Column(column) => Box::new(move |row| queries.number(row, column)),
        Number::Attribute(key) => Box::new(move |row| queries.compared_number(trace, row, key)),
        Number::SelfTime => {
            let times = self_times(trace, 0..trace.spans.len() as u32);
            Box::new(move |row| times.get(queries.span(row).0 as usize).copied())
        }
    }
}

fn keep(rows: &mut Vec<u32>, kept: &Bits) {
    rows.retain(|&row| kept.contains(row));
}

/// Queries that contain the needle in a name or text of their own or of their parts, in the name of their run, or in
/// the name of their outcome.
fn with_word(trace: &Trace, queries: &Queries, needle: &Needle) -> Bits {
    let strings = needle.matching(&trace.strings);
    let mut rows = rows_with(trace, queries, |id| {
        strings.contains(trace.spans.name(id).0)
            || trace.texts(Item::Span(id)).any(|(_, text)| strings.contains(text.0))
    });
    for id in (0..trace.events.len() as u32).map(EventId) {
        if strings.contains(trace.events.name(id).0) {
            rows.insert(queries.row_of(trace, Item::Event(id)).unwrap_or(NO_QUERY));
        }
    }
    for row in 0..queries.len() {
        if needle.is_outcome(queries.outcome(row)) || strings.contains(run_name(trace, queries, row).0) {
            rows.insert(row);
        }
    }
    rows
}

/// Queries that have at least one span for which `test` is true.
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
    how: TextMatch,
    needle: &Needle,
) {
    // For a negated match, the queries with a match are found first and then removed.
    let sought = how.denied();
    let test = |text: StrId| sought.holds(needle, trace.str(text));
    let is = |text: Option<StrId>| text.is_some_and(test);
    let spans = |test: &dyn Fn(SpanId) -> bool| rows_with(trace, queries, test);
    let matched = match field {
        TextField::Run => {
            let mut found = Bits::below(queries.len() as usize);
            (0..queries.len())
                .filter(|&row| test(run_name(trace, queries, row)))
                .for_each(|row| found.insert(row));
            found
        }
        TextField::Name => spans(&|id| test(trace.spans.name(id))),
        TextField::Kind => spans(&|id| sought.holds(needle, trace.spans.kind(id).name())),
        TextField::Parent => spans(&|id| is(trace.spans.parent(id).map(|parent| trace.spans.name(parent)))),
        TextField::Track(kind) => spans(&|id| {
            let own = trace.tracks.of_span(id);
            let track = kind.map_or(Some(own), |kind| trace.tracks.ancestor(own, kind));
            is(track.map(|track| trace.tracks.get(track).name))
        }),
        TextField::Key(key) => spans(&|id| is(trace.text(Item::Span(id), key))),
        TextField::OfTrack(key) => spans(&|id| is(trace.track_text(trace.tracks.of_span(id), key))),
    };
    rows.retain(|&row| matched.contains(row) != how.is_negated());
}

fn run_name(trace: &Trace, queries: &Queries, row: u32) -> StrId {
    trace.runs.get(queries.run(row).0 as usize).map_or(StrId::EMPTY, |run| run.name)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    fn check(filter: &str, rows: &[u32]) {
        let trace = sample::trace();
        let found = QueryFilter::parse(&trace, filter).map(|f| f.rows(&trace, &Queries::of(&trace)));
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
        check("failed", &[1]);
        check("UNFINISHED", &[2]);
        check("fail", &[1]);
        check("timeout", &[1]);
        check("no-start", &[]);
        check("ok", &[0]);
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
        check("start = 0ms..12ms", &[0]);
        check("start != 0ms..12ms", &[1, 2]);
        check("rows_returned = 0..15", &[1]);
        check("rows_read > 3 5", &[]);
    }

    #[test]
    fn outcomes_and_names_are_compared_whatever_their_case() {
        check("outcome = Failed", &[1]);
        check("status = failed", &[1]);
        check("Status != failed", &[0, 2]);
        check("outcome != failed", &[0, 2]);
        check("outcome:unfinished", &[2]);
        check("status:fail", &[1]);
        check("connector:JS", &[0, 1]);
        check("connector = js", &[]);
        check("datasource = ordersapi duration < 10ms", &[1]);
        check("datasource != OrdersAPI", &[2]);
        check("query = q2", &[2]);
        check("query_id = q2", &[2]);
        check("in_datasource = ordersapi", &[0, 1]);
        check("kind = \"source execution\" duration < 10ms", &[1, 2]);
        check("name = ordersapi", &[0, 1]);
        check("pushed_command:select", &[0, 1]);
        check("self_time > 5ms", &[]);
        check("sql:delete", &[2]);
    }
}
