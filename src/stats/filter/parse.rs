//! The filter's text: words, quoted words, and `field operator value`.

use super::{Compare, Filter, FilterError, Match, Term, TextField};
use crate::protocol::QueryColumn;
use crate::stats::search::Needle;
use crate::stats::{OUTCOMES, outcome_name};
use crate::text;

#[derive(Clone, Copy)]
enum Field {
    Time(QueryColumn),
    Bytes(QueryColumn),
    Count(QueryColumn),
    Ratio,
    Outcome,
    Text(TextField),
}

const FIELDS: [(&str, Field); 13] = [
    ("duration", Field::Time(QueryColumn::Duration)),
    ("start", Field::Time(QueryColumn::Start)),
    ("ratio", Field::Ratio),
    ("sources", Field::Count(QueryColumn::Sources)),
    ("rows_read", Field::Count(QueryColumn::RowsRead)),
    ("rows_returned", Field::Count(QueryColumn::RowsReturned)),
    ("bytes", Field::Bytes(QueryColumn::BufferBytes)),
    ("outcome", Field::Outcome),
    ("connector", Field::Text(TextField::Connector)),
    ("datasource", Field::Text(TextField::Datasource)),
    ("run", Field::Text(TextField::Run)),
    ("query", Field::Text(TextField::Query)),
    ("sql", Field::Text(TextField::Sql)),
];

/// Longer operators first: `>=` must not be read as `>`.
const OPERATORS: [&str; 7] = ["<=", ">=", "!=", "<", ">", "=", ":"];

/// A piece of a filter's text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Token<'a> {
    Word(&'a str),
    Quoted(&'a str),
    Operator(&'a str),
}

impl Filter {
    /// The filter that `text` describes.
    pub fn parse(text: &str) -> Result<Filter, FilterError> {
        let tokens = tokens(text, &is_field);
        let mut rest = tokens.as_slice();
        let mut terms = Vec::new();
        while let Some((&first, behind)) = rest.split_first() {
            let (term, used) = match (first, behind) {
                (Token::Operator(operator), _) => return Err(FilterError::no_field(operator)),
                (Token::Word(name), [Token::Operator(operator), value @ ..]) => {
                    condition(name, operator, value)?
                }
                (Token::Word(word) | Token::Quoted(word), _) => (Term::Word(Needle::new(word)), 0),
            };
            terms.push(term);
            rest = behind.get(used..).unwrap_or(&[]);
        }
        Ok(Filter { terms })
    }
}

/// The condition `name operator value`, and how many tokens stand behind its name.
fn condition(name: &str, operator: &str, value: &[Token]) -> Result<(Term, usize), FilterError> {
    let field = FIELDS.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, field)| *field);
    let Some(field) = field else { return Err(FilterError::no_such_field(name, operator)) };
    let Some(&(Token::Word(first) | Token::Quoted(first))) = value.first() else {
        return Err(FilterError(format!("“{name} {operator}” has no value behind it")));
    };
    // `5 ms` is one value of two words.
    let unit = match (field, value.get(1)) {
        (Field::Time(_) | Field::Bytes(_), Some(&Token::Word(unit))) if is_number(first) => Some(unit),
        _ => None,
    };
    let joined = unit.map(|unit| format!("{first}{unit}"));
    if let Some(term) = joined.and_then(|value| term(field, name, operator, &value).ok()) {
        return Ok((term, 3));
    }
    Ok((term(field, name, operator, first)?, 2))
}

pub(crate) fn is_number(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',')
}

fn term(field: Field, name: &str, operator: &str, value: &str) -> Result<Term, FilterError> {
    let needs = |what: &str| FilterError(format!("“{name}” needs {what}, not “{value}”"));
    Ok(match field {
        Field::Time(column) => {
            // Nobody means nanoseconds by a bare 5.
            let known = text::parse_duration(value).filter(|&ns| ns == 0 || !is_number(value));
            let value = known.ok_or_else(|| needs("a time such as 5ms"))?;
            Term::Number(column, compare(name, operator)?, value)
        }
        Field::Bytes(column) => {
            let value = text::parse_bytes(value).ok_or_else(|| needs("a size such as 1MB"))?;
            Term::Number(column, compare(name, operator)?, value)
        }
        Field::Count(column) => {
            let value = value.replace(',', "").parse().map_err(|_| needs("a whole number"))?;
            Term::Number(column, compare(name, operator)?, value)
        }
        Field::Ratio => {
            let value = text::parse_decimal(value).ok_or_else(|| needs("a number such as 3.5"))?;
            Term::Ratio(compare(name, operator)?, value)
        }
        Field::Outcome => {
            let found = OUTCOMES.into_iter().find(|&known| outcome_name(known).eq_ignore_ascii_case(value));
            let outcome = found.ok_or_else(|| needs("ok, failed, unfinished or no-start"))?;
            Term::Outcome(matching(name, operator)? != Match::IsNot, outcome)
        }
        Field::Text(field) => Term::Text(field, matching(name, operator)?, Needle::new(value)),
    })
}

pub(crate) fn compare(name: &str, operator: &str) -> Result<Compare, FilterError> {
    Ok(match operator {
        "<" => Compare::Less,
        "<=" => Compare::LessOrEqual,
        "=" | ":" => Compare::Equal,
        "!=" => Compare::NotEqual,
        ">=" => Compare::GreaterOrEqual,
        ">" => Compare::Greater,
        _ => return Err(FilterError(format!("“{name}” cannot be compared by {operator}"))),
    })
}

pub(crate) fn matching(name: &str, operator: &str) -> Result<Match, FilterError> {
    match operator {
        ":" => Ok(Match::Contains),
        "=" => Ok(Match::Is),
        "!=" => Ok(Match::IsNot),
        _ => Err(FilterError(format!("“{name}” has no order: use “=”, “!=” or “:”, not “{operator}”"))),
    }
}

impl FilterError {
    fn no_field(operator: &str) -> Self {
        FilterError(format!("“{operator}” needs a field before it, such as duration {operator} …"))
    }

    fn no_such_field(name: &str, operator: &str) -> Self {
        let known: Vec<&str> = FIELDS.iter().map(|(name, _)| *name).collect();
        let known = known.join(", ");
        FilterError(format!(
            "no field is called “{name}” (there are {known}); to find the text, quote it: \"{name} {operator} …\""
        ))
    }
}

fn is_field(name: &str) -> bool {
    FIELDS.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
}

/// The pieces of a filter's text, where `is_field` knows the names that can stand before an operator.
pub(crate) fn tokens<'a>(text: &'a str, is_field: &dyn Fn(&str) -> bool) -> Vec<Token<'a>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let (token, behind) = next_token(rest, is_field);
        tokens.push(token);
        rest = behind.trim_start();
    }
    tokens
}

fn next_token<'a>(text: &'a str, is_field: &dyn Fn(&str) -> bool) -> (Token<'a>, &'a str) {
    if let Some(quoted) = text.strip_prefix('"') {
        // A quote that is not closed yet is still being typed.
        let (inside, behind) = quoted.split_once('"').unwrap_or((quoted, ""));
        return (Token::Quoted(inside), behind);
    }
    if let Some(operator) = OPERATORS.iter().find(|operator| text.starts_with(**operator)) {
        return (Token::Operator(operator), &text[operator.len()..]);
    }
    let (word, behind) = text.split_at(word_end(text, is_field));
    (Token::Word(word), behind)
}

/// A word ends at a space, a quote or an operator; a colon ends it only behind the name of a field, so that
/// `host:5432` can be looked for.
fn word_end(text: &str, is_field: &dyn Fn(&str) -> bool) -> usize {
    let ends = |(at, c): (usize, char)| match c {
        '"' | '<' | '>' | '=' => true,
        '!' => text[at..].starts_with("!="),
        ':' => is_field(&text[..at]),
        _ => c.is_whitespace(),
    };
    text.char_indices().find(|&place| ends(place)).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(filter: &str, error: &str) {
        let found = Filter::parse(filter).map_err(|error| error.to_string());
        assert!(found.as_ref().is_err_and(|found| found.contains(error)), "{filter:?}: {found:?}");
    }

    #[test]
    fn errors_say_what_is_wrong() {
        check("duration > 5 parsecs", "“duration” needs a time such as 5ms, not “5”");
        check("duration >", "“duration >” has no value");
        check("> 5", "needs a field before it");
        check("length > 5", "no field is called “length”");
        check("rows_read > many", "needs a whole number");
        check("ratio = inf", "needs a number such as 3.5");
        check("outcome = great", "ok, failed, unfinished or no-start");
        check("connector > js", "has no order");
        check("bytes > much", "needs a size such as 1MB");
    }

    #[test]
    fn colons_and_open_quotes_are_text_where_they_are_no_condition() {
        for text in ["host:5432", "\"duration > 5", "a:b:c", "http://x"] {
            let filter = Filter::parse(text).expect("these are words");
            assert!(matches!(filter.terms.as_slice(), [Term::Word(_)]), "{text:?}: {filter:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[a-z:<>=!\" 0-9ä.]{0,40}|(duration|rows_read|bytes|outcome|sql)[ <>=:!]{0,3}.{0,10}") {
            let _ = Filter::parse(&text);
        }
    }
}
