//! Filter of the aggregated points: words and conditions on attributes, all of which must match, and a time range.
//!
//! ```text
//! commit "flush log"                    words: in the name or in a text of the point
//! name:mutex  kind = query  thread != main  name[/2] = wait/io    `:` or `~` is "contains", `=` is "is"
//! sql !~ orders                        `!~` is "does not contain"
//! duration > 5ms  rows_read >= 1000     numbers, in their unit
//! start = 2s..5s                       numbers from the first bound on, below the second; != all others
//! failed   status = failed              outcome
//! ratio > 3   sources = 2               fields of queries, as in the query list
//! span_id = 3,7,9-12                    spans by the ids of SQL's tables; event_id: events
//! ```
//! Underscores stand for blanks in names. A point without a value matches only `!=` and `!~` conditions. The number of a
//! query is that of the query list, which may be a sum over the query's parts.

use std::ops::Range;
use std::rc::Rc;

use super::amounts::Amounts;
use super::attribute::Attribute;
use super::column::PointColumn;
use super::item_ids::{ItemIds, is_id};
use super::parse::{self, PivotError};
use super::projection::Dimension;
use crate::analysis::filter::foreign_syntax::refuse_foreign_syntax;
use crate::analysis::filter::parse::{
    Token, known_outcome, matching, number_test, number_text, opposite, refuse_open_quote, tokens,
};
use crate::analysis::filter::{NumberTest, TextMatch};
use crate::analysis::search::Needle;
use crate::analysis::{
    Bits, FilterError, Hits, PointRows, Queries, QueryFilter, outcome, spans_around, summed_column,
};
use crate::protocol::FilterCondition;
use crate::trace::attribute_names::same;
use crate::trace::{Flags, Kind, SpanId, Trace, Unit, overlaps};

/// A parsed filter.
pub(super) struct PointFilter {
    pub terms: Vec<Term>,
    /// By term: the same condition for the query list, which tests the values in the columns of the list; `None` if the
    /// list has no such field.
    listed: Vec<Option<QueryFilter>>,
    /// By term: its place in the text and the condition with the opposite operator.
    pub conditions: Vec<FilterCondition>,
}

/// A condition that a point must match.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Term {
    /// Every event, and every span that is not a segment of another span.
    Points,
    /// Items that overlap a half-open time range, in nanoseconds.
    Overlaps(i64, i64),
    Word(String),
    /// Queries that pass a filter of the query list.
    Query(QueryFilter),
    Text(Dimension, TextMatch, Needle),
    Number(Attribute, NumberTest),
    Ids(ItemIds),
}

impl PointFilter {
    /// Parses a filter.
    pub fn parse(trace: &Trace, text: &str) -> Result<Self, PivotError> {
        Self::parse_at(trace, text).map_err(|(error, _)| error)
    }

    /// Parses a filter. An error comes with the place of its condition, in bytes.
    pub fn parse_at(trace: &Trace, text: &str) -> Result<Self, (PivotError, Range<usize>)> {
        let is_field = |name: &str| is_field(trace, name);
        let tokens = tokens(text, &is_field);
        refuse_open_quote(text, &tokens)
            .map_err(|(error, token)| (PivotError(error.to_string()), place(text, token, token)))?;
        let mut rest = tokens.as_slice();
        let (mut terms, mut listed) = (Vec::new(), Vec::new());
        let mut conditions = Vec::new();
        while let Some((&first, others)) = rest.split_first() {
            let (term, used) = match (first, others) {
                (Token::Operator(sign), _) => {
                    let error =
                        PivotError(format!("“{sign}” needs an attribute before it: duration {sign} …"));
                    return Err((error, place(text, first, first)));
                }
                (name, [Token::Operator(sign), value @ ..]) => {
                    let last = others[others.len().min(2) - 1];
                    condition(trace, &name.value(), sign, value)
                        .map_err(|error| (error, place(text, first, last)))?
                }
                (word, _) => {
                    refuse_foreign_syntax(rest, !terms.is_empty(), &is_field).map_err(
                        |(error, n_tokens)| {
                            (PivotError(error.to_string()), place(text, first, rest[n_tokens - 1]))
                        },
                    )?;
                    (Term::Word(word.value().into_owned()), 0)
                }
            };
            let last = used.checked_sub(1).and_then(|last| others.get(last)).unwrap_or(&first);
            let at = place(text, first, *last);
            let written = text.get(at.clone()).unwrap_or_default();
            listed.push(QueryFilter::parse(trace, written).ok());
            let operator = others.first().filter(|_| used > 0).map(|&sign| {
                // At numbers, a colon is “is”.
                let is_equal = !matches!(term, Term::Text(..)) && sign.text() == ":";
                (sign, opposite(if is_equal { "=" } else { sign.text() }))
            });
            conditions.push(filter_condition(text, at, operator));
            terms.push(term);
            rest = others.get(used..).unwrap_or(&[]);
        }
        Ok(Self { terms, listed, conditions })
    }

    /// The spans and events that match the filter and overlap the range. Round trips of a request are left out: they are
    /// parts of the request.
    pub fn chosen(&self, trace: &Trace, range: Option<(i64, i64)>, source: &mut dyn TermSource) -> Rc<Bits> {
        let ranges = range.map(|(from, to)| Term::Overlaps(from, to));
        let terms = [Term::Points].into_iter().chain(ranges).chain(self.terms.iter().cloned());
        let mut sets = terms.map(|term| source.set(trace, &term));
        let Some(first) = sets.next() else { return Rc::default() };
        sets.fold(first, |mut all, next| {
            Rc::make_mut(&mut all).keep(&next);
            all
        })
    }

    /// The spans and events that match the filter, including round trips, as rows.
    pub fn points(&self, trace: &Trace, source: &mut dyn TermSource) -> Bits {
        let mut all = Bits::all(PointRows::of(trace).len());
        self.terms.iter().for_each(|term| all.keep(&source.set(trace, term)));
        all
    }

    /// The spans that lists of executions show. For each condition, the span or something inside it must meet it; for a
    /// negated condition, neither the span nor anything inside it may have the value. Conditions on numbers and on the status
    /// test queries with the values of the query list, and slices with their own.
    #[inline(never)]
    pub fn executions(&self, trace: &Trace, queries: &Queries, source: &mut dyn TermSource) -> Bits {
        let mut all = Bits::all(trace.spans.len());
        for (term, listed) in self.terms.iter().zip(&self.listed) {
            let (sought, is_negated) = term.denied();
            let around = spans_around(trace, &source.set(trace, &sought));
            let mut met = Bits::of(trace.spans.len(), |id| around.contains(id) != is_negated);
            if term.is_of_columns() {
                met = of_listed_queries(trace, &source.set(trace, term), trace.spans.len(), &met);
            }
            if let Some(filter) = listed.as_ref().filter(|_| !term.is_of_parts()) {
                met = of_listed_queries(trace, &met, trace.spans.len(), &passing(trace, queries, filter));
            }
            all.keep(&met);
        }
        all
    }

    /// The rows whose call stack matches. For each condition, the row itself or a span around it must meet it; for a
    /// negated condition, neither may have the value.
    #[inline(never)]
    pub fn stacks(&self, trace: &Trace, source: &mut dyn TermSource) -> Bits {
        let rows = PointRows::of(trace);
        let mut all = Bits::all(rows.len());
        for term in &self.terms {
            let (sought, is_negated) = term.denied();
            let own = source.set(trace, &sought);
            let mut inside = Bits::below(rows.len());
            for row in 0..rows.len() as u32 {
                let above = rows.above(trace, row as usize, rows.item(row));
                if own.contains(row) || above.is_some_and(|above| inside.contains(above as u32)) {
                    inside.insert(row);
                }
            }
            all.keep(&Bits::of(rows.len(), |row| inside.contains(row) != is_negated));
        }
        all
    }
}

/// The spans of the queries that pass a filter of the query list.
fn passing(trace: &Trace, queries: &Queries, filter: &QueryFilter) -> Bits {
    let mut passing = Bits::below(trace.spans.len());
    filter.rows(trace, queries).iter().for_each(|&row| passing.insert(queries.span(row).0));
    passing
}

/// Returns `set` with its queries replaced by the queries in `passing`.
fn of_listed_queries(trace: &Trace, set: &Bits, limit: usize, passing: &Bits) -> Bits {
    let spans = trace.spans.len() as u32;
    let is_query = |row: u32| row < spans && trace.spans.kind(SpanId(row)) == Kind::Query;
    Bits::of(limit, |row| if is_query(row) { passing.contains(row) } else { set.contains(row) })
}

/// The condition at a place of the text, with the opposite of its operator.
fn filter_condition(
    text: &str,
    at: Range<usize>,
    operator: Option<(Token, &'static str)>,
) -> FilterCondition {
    let opposite = operator.and_then(|(operator, opposite)| {
        let sign = place(text, operator, operator);
        let (name, value) = (text.get(at.start..sign.start)?, text.get(sign.end..at.end)?);
        // Without a blank, `name~x` would be one word if it were written with another operator.
        let blank = if name.ends_with(char::is_whitespace) { "" } else { " " };
        Some(format!("{name}{blank}{opposite}{value}"))
    });
    FilterCondition { from: at.start as u32, until: at.end as u32, opposite }
}

/// Place in `text` from the start of one of its tokens to the end of another, including quotes.
fn place(text: &str, first: Token, last: Token) -> Range<usize> {
    let at = |token: Token| token.text().as_ptr().addr().saturating_sub(text.as_ptr().addr());
    let quote = |token| usize::from(matches!(token, Token::Quoted(_)));
    let end = at(last) + last.text().len() + quote(last);
    at(first).saturating_sub(quote(first))..end.min(text.len())
}

/// Source of the columns that terms compare, with cached results of terms.
pub(super) trait TermSource {
    /// The column of a dimension, for all rows.
    fn column(&mut self, trace: &Trace, dimension: &Dimension) -> Rc<PointColumn>;
    /// The numbers of an attribute, for all rows.
    fn amounts(&mut self, trace: &Trace, attribute: Attribute) -> Rc<Amounts>;
    /// The queries, which conditions on their columns compare.
    fn queries(&mut self, trace: &Trace) -> Rc<Queries>;
    /// The rows that match a term.
    fn set(&mut self, trace: &Trace, term: &Term) -> Rc<Bits>;
}

impl Term {
    /// Whether a query passes the condition if anything inside it does; otherwise the query list decides, if it has the
    /// field.
    fn is_of_parts(&self) -> bool {
        match self {
            Term::Text(dimension, ..) => dimension.attribute != Attribute::Status,
            Term::Ids(_) => true,
            _ => false,
        }
    }

    /// Whether the condition tests a column of lists of executions: a number, or the status.
    fn is_of_columns(&self) -> bool {
        match self {
            Term::Text(dimension, ..) => dimension.attribute == Attribute::Status,
            Term::Number(..) => true,
            _ => false,
        }
    }

    /// The condition without its negation, and whether it was negated.
    fn denied(&self) -> (Self, bool) {
        match self {
            Term::Text(dimension, how, needle) => {
                (Term::Text(dimension.clone(), how.denied(), needle.clone()), how.is_negated())
            }
            Term::Ids(ids) => (Term::Ids(ids.listed()), ids.is_negated),
            other => (other.clone(), false),
        }
    }

    /// The rows that match the term.
    #[inline(never)]
    pub fn rows(&self, trace: &Trace, source: &mut dyn TermSource) -> Bits {
        let rows = PointRows::of(trace);
        match self {
            Term::Points => {
                if !trace.spans.has_marked(Flags::SEGMENT) {
                    return Bits::all(rows.len());
                }
                let spans = trace.spans.len() as u32;
                let is_part = |row: u32| trace.spans.flags(SpanId(row)).has(Flags::SEGMENT);
                Bits::of(rows.len(), |row| row >= spans || !is_part(row))
            }
            Term::Overlaps(from, to) => Bits::of(rows.len(), |row| {
                let (start, end) = trace.interval(rows.item(row));
                overlaps(start, end, (*from, *to))
            }),
            Term::Word(word) => with_word(trace, word),
            Term::Ids(ids) => ids.rows(trace),
            Term::Query(filter) => {
                let queries = source.queries(trace);
                let mut found = Bits::below(rows.len());
                let passing = filter.rows(trace, &queries).into_iter();
                passing.for_each(|row| found.insert(queries.span(row).0));
                found
            }
            Term::Number(attribute, test) => {
                let amounts = source.amounts(trace, *attribute);
                let holds = |number: Option<i64>| number.is_some_and(|number| test.holds(number));
                let own = Bits::of(rows.len(), |row| holds(amounts.get(row as usize)));
                match *attribute {
                    Attribute::Number(key)
                        if summed_column(key).is_some() && trace.spans.has(Kind::Query) =>
                    {
                        let queries = source.queries(trace);
                        let mut passing = Bits::below(trace.spans.len());
                        let found =
                            (0..queries.len()).filter(|&row| holds(queries.compared_number(trace, row, key)));
                        found.for_each(|row| passing.insert(queries.span(row).0));
                        of_listed_queries(trace, &own, rows.len(), &passing)
                    }
                    _ => own,
                }
            }
            Term::Text(dimension, how, needle) => {
                let column = source.column(trace, dimension);
                let (images, values) = column.images(trace, dimension);
                let passes: Vec<bool> = values.iter().map(|value| value.meets(trace, *how, needle)).collect();
                let passes: Vec<bool> = images.iter().map(|&image| passes[image as usize]).collect();
                Bits::of(rows.len(), |row| passes[column.codes[row as usize] as usize])
            }
        }
    }
}

/// Whether a name may precede an operator.
pub(super) fn is_field(trace: &Trace, name: &str) -> bool {
    of_queries(name) || is_id(name) || parse::dimension(trace, name).is_ok()
}

/// Fields of the query list that are not attributes of spans and events.
pub(super) const OF_QUERIES: [&str; 2] = ["ratio", "sources"];

/// Whether the name is one of [`OF_QUERIES`].
pub(super) fn of_queries(name: &str) -> bool {
    OF_QUERIES.into_iter().any(|known| same(known, name))
}

/// The points with a word in their name, in a text or in the name of their outcome.
fn with_word(trace: &Trace, word: &str) -> Bits {
    let mut found = Hits::of(trace, word).rows(trace);
    let needle = Needle::new(word);
    let ended = |flags| needle.is_outcome(outcome(flags));
    let spans = trace.spans.map_kind_and_flags(|_, flags| ended(flags)).into_iter();
    let all = spans.chain(trace.events.map_kind_and_flags(|_, flags| ended(flags)));
    (0..).zip(all).filter(|(_, ended)| *ended).for_each(|(row, _)| found.insert(row));
    found
}

impl super::AttributeValue {
    fn meets(&self, trace: &Trace, how: TextMatch, needle: &Needle) -> bool {
        let found = self.text(trace);
        found.map_or(how.is_negated(), |text| how.holds(needle, text))
    }
}

/// The condition `name sign value`, and the number of its tokens after the name.
fn condition(trace: &Trace, name: &str, sign: &str, value: &[Token]) -> Result<(Term, usize), PivotError> {
    if of_queries(name) && parse::dimension(trace, name).is_err() {
        let wrong = |error: FilterError| PivotError(error.to_string());
        let text = value.first().map_or("", |token| token.text());
        let filter = QueryFilter::parse(trace, &format!("{name} {sign} {text}")).map_err(wrong)?;
        return Ok((Term::Query(filter), 2));
    }
    if is_id(name) {
        let Some(Token::Word(ids) | Token::Quoted(ids)) = value.first() else {
            return Err(PivotError(format!("“{name} {sign}” needs a value")));
        };
        return Ok((Term::Ids(ItemIds::parse(name, sign, ids)?), 2));
    }
    let dimension = parse::dimension(trace, name)?;
    let Some(&first @ (Token::Word(_) | Token::Quoted(_))) = value.first() else {
        return Err(PivotError(format!("“{name} {sign}” needs a value")));
    };
    let unit = dimension.attribute.unit(trace);
    if unit == Unit::Text {
        let first = &*first.value();
        let wrong = |error: FilterError| PivotError(error.to_string());
        let how = matching(name, sign).map_err(wrong)?;
        if dimension.attribute == Attribute::Status && dimension.chain.is_empty() {
            known_outcome(how, name, first).map_err(wrong)?;
        }
        return Ok((Term::Text(dimension, how, Needle::new(first)), 2));
    }
    if !dimension.chain.is_empty() {
        return Err(PivotError(format!("“{name}”: numbers are compared as they are, without a projection")));
    }
    let (text, used) = number_text(first, value.get(1), unit);
    let test = number_test(name, sign, &text, unit).map_err(|error| PivotError(error.to_string()))?;
    Ok((Term::Number(dimension.attribute, test), used + 1))
}
