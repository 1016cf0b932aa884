//! Parser of the filter text: words, quoted words, and `field operator value`.

use std::borrow::Cow;

use super::foreign_syntax::refuse_foreign_syntax;
use super::{
    FilterError, Number, NumberComparison, NumberTest, QueryFilter, QueryTerm, TextField, TextMatch,
};
use crate::analysis::outcome_name;
use crate::analysis::outcomes::OUTCOMES;
use crate::analysis::search::Needle;
use crate::base::text;
use crate::protocol::QueryColumn;
use crate::trace::attribute_names::{self, same};
use crate::trace::{Key, Trace, TrackKind, Unit, key};

#[derive(Clone, Copy)]
enum FilterField {
    Number(Number, Unit),
    Ratio,
    Outcome,
    Text(TextField),
}

/// Fields that every trace has: attributes and columns of the list.
const FIELDS: [(&str, FilterField); 20] = [
    ("duration", FilterField::Number(Number::Column(QueryColumn::Duration), Unit::Nanos)),
    ("start", FilterField::Number(Number::Column(QueryColumn::Start), Unit::Nanos)),
    ("self time", FilterField::Number(Number::SelfTime, Unit::Nanos)),
    ("ratio", FilterField::Ratio),
    ("sources", FilterField::Number(Number::Column(QueryColumn::Sources), Unit::Count)),
    ("rows_read", FilterField::Number(Number::Attribute(key::ROWS_READ), Unit::Rows)),
    ("rows_returned", FilterField::Number(Number::Attribute(key::ROWS_RETURNED), Unit::Rows)),
    ("bytes", FilterField::Number(Number::Attribute(key::BYTES), Unit::Bytes)),
    ("status", FilterField::Outcome),
    ("connector", FilterField::Text(TextField::Key(key::CONNECTOR))),
    ("datasource", FilterField::Text(TextField::Key(key::DATASOURCE))),
    ("run", FilterField::Text(TextField::Run)),
    ("query id", FilterField::Text(TextField::Key(key::QUERY_ID))),
    ("sql", FilterField::Text(TextField::Key(key::SQL))),
    ("name", FilterField::Text(TextField::Name)),
    ("kind", FilterField::Text(TextField::Kind)),
    ("parent", FilterField::Text(TextField::Parent)),
    ("process", FilterField::Text(TextField::Track(Some(TrackKind::Process)))),
    ("thread", FilterField::Text(TextField::Track(Some(TrackKind::Thread)))),
    ("track", FilterField::Text(TextField::Track(None))),
];

/// Finds a field by name, ignoring case: a field that every trace has, or an attribute of this trace. `None` if there
/// is no such field.
fn field(trace: &Trace, name: &str) -> Option<FilterField> {
    let name = attribute_names::canonical(name);
    let known = FIELDS.iter().find(|(known, _)| same(known, name)).map(|(_, field)| *field);
    known.or_else(|| carried(trace, name)).or_else(|| {
        let (start, rest) = name.trim().split_at_checked(3)?;
        let is_in = start.ends_with([' ', '_']) && start[..2].eq_ignore_ascii_case("in");
        carried(trace, rest).filter(|field| is_in && matches!(field, FilterField::Text(_)))
    })
}

/// Finds the attribute of spans or tracks with this name; `None` if there is none. Texts take precedence over numbers
/// of the same name.
fn carried(trace: &Trace, name: &str) -> Option<FilterField> {
    let is_called = |key: Key| same(trace.str(trace.keys.get(key).name), name);
    let keys = || trace.keys.iter().filter(|(key, _)| is_called(*key));
    let text = || keys().find(|(_, info)| info.unit == Unit::Text);
    let of_track = trace.track_texts.keys().into_iter().find(|&key| is_called(key));
    of_track
        .map(|key| FilterField::Text(TextField::OfTrack(key)))
        .or_else(|| text().map(|(key, _)| FilterField::Text(TextField::Key(key))))
        .or_else(|| keys().next().map(|(key, info)| FilterField::Number(Number::Attribute(key), info.unit)))
}

/// All operators. Longer operators come first, so that `>=` is not read as `>`.
const OPERATORS: [&str; 9] = ["<=", ">=", "!=", "!~", "<", ">", "=", ":", "~"];

/// Token of a filter text.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Token<'a> {
    Word(&'a str),
    Quoted(&'a str),
    Operator(&'a str),
}

impl<'a> Token<'a> {
    /// Value of the token: without the quotes around it, and with one quote in place of each doubled quote.
    pub(crate) fn value(self) -> Cow<'a, str> {
        match self {
            Token::Quoted(text) if text.contains('"') => text.replace("\"\"", "\"").into(),
            other => other.text().into(),
        }
    }

    /// Text of the token as it is written, without the quotes around it.
    pub(crate) fn text(self) -> &'a str {
        match self {
            Token::Word(text) | Token::Quoted(text) | Token::Operator(text) => text,
        }
    }
}

impl QueryFilter {
    /// Parses the filter `text`.
    pub fn parse(trace: &Trace, text: &str) -> Result<QueryFilter, FilterError> {
        let is_field = |name: &str| field(trace, name).is_some();
        let tokens = tokens(text, &is_field);
        refuse_open_quote(text, &tokens).map_err(|(error, _)| error)?;
        let mut rest = tokens.as_slice();
        let mut terms = Vec::new();
        while let Some((&first, others)) = rest.split_first() {
            let (term, used) = match (first, others) {
                (Token::Operator(operator), _) => return Err(FilterError::no_field(operator)),
                (name, [Token::Operator(operator), value @ ..]) => {
                    condition(trace, &name.value(), operator, value)?
                }
                (word, _) => {
                    refuse_foreign_syntax(rest, !terms.is_empty(), &is_field).map_err(|(error, _)| error)?;
                    (QueryTerm::Word(Needle::new(&word.value())), 0)
                }
            };
            terms.push(term);
            rest = others.get(used..).unwrap_or(&[]);
        }
        Ok(QueryFilter { terms })
    }
}

/// Returns an error with the quoted text if the last token of the filter `text` has no closing quotation mark.
pub(crate) fn refuse_open_quote<'a>(
    text: &str,
    tokens: &[Token<'a>],
) -> Result<(), (FilterError, Token<'a>)> {
    let Some(&last @ Token::Quoted(inside)) = tokens.last() else { return Ok(()) };
    if inside.as_bytes().as_ptr_range().end != text.as_bytes().as_ptr_range().end {
        return Ok(());
    }
    Err((FilterError(format!("no closing quotation mark after “{inside}”")), last))
}

/// Parses the condition `name operator value`. Returns it with the number of tokens after the name.
fn condition(
    trace: &Trace,
    name: &str,
    operator: &str,
    value: &[Token],
) -> Result<(QueryTerm, usize), FilterError> {
    let Some(field) = field(trace, name) else {
        return Err(FilterError::no_such_field(trace, name, operator));
    };
    let (Some(&first @ (Token::Word(_) | Token::Quoted(_))), next) = (value.first(), value.get(1)) else {
        return Err(FilterError(format!("“{name} {operator}” needs a value")));
    };
    let value = &*first.value();
    let term = match field {
        FilterField::Number(number, unit) => {
            let (text, used) = number_text(first, next, unit);
            let test = number_test(name, operator, &text, unit)?;
            return Ok((QueryTerm::Number(number, test), used + 1));
        }
        FilterField::Ratio => {
            let needs = || FilterError(format!("“{name}” needs a number such as 3.5, not “{value}”"));
            let value = text::parse_decimal(value).ok_or_else(needs)?;
            QueryTerm::Ratio(compare(name, operator)?, value)
        }
        FilterField::Outcome => {
            let how = matching(name, operator)?;
            known_outcome(how, name, value)?;
            QueryTerm::Outcome(how, Needle::new(value))
        }
        FilterField::Text(field) => QueryTerm::Text(field, matching(name, operator)?, Needle::new(value)),
    };
    Ok((term, 2))
}

/// The text of a number of a condition, and its number of tokens: `5 ms` is one number of two tokens.
pub(crate) fn number_text<'a>(first: Token<'a>, next: Option<&Token>, unit: Unit) -> (Cow<'a, str>, usize) {
    let first = first.value();
    let has_unit = matches!(unit, Unit::Nanos | Unit::Picos | Unit::Bytes);
    if let Some(Token::Word(next)) = next
        && has_unit
        && is_number(&first)
    {
        let joined = format!("{first}{next}");
        if parse_in(&joined, unit).is_some() {
            return (joined.into(), 2);
        }
    }
    (first, 1)
}

/// Parses the operator and the value of a condition on a number: one number, or a range such as `5ms..8ms`.
pub(crate) fn number_test(
    name: &str,
    operator: &str,
    value: &str,
    unit: Unit,
) -> Result<NumberTest, FilterError> {
    let number = |text: &str| {
        let needs = || FilterError(format!("“{name}” needs {}, not “{value}”", needed(text, unit)));
        bound(text, unit).ok_or_else(needs)
    };
    let compare = compare(name, operator)?;
    let Some((from, until)) = value.split_once("..") else {
        return Ok(NumberTest::Compared(compare, number(value)?));
    };
    let (from, until) = (number(from)?, number(until)?);
    if from > until {
        return Err(FilterError(format!("“{name}” needs the smaller bound first, not “{value}”")));
    }
    match compare {
        NumberComparison::Equal => Ok(NumberTest::In(from, until)),
        NumberComparison::NotEqual => Ok(NumberTest::NotIn(from, until)),
        _ => Err(FilterError(format!("“{name}”: use = or != with a range, not {operator}"))),
    }
}

/// Names of the ids of spans and events. They take precedence over attributes with the same names.
pub(crate) const ID_NAMES: [&str; 2] = ["span id", "event id"];

/// Whether the name is one of [`ID_NAMES`].
pub(crate) fn is_id(name: &str) -> bool {
    ID_NAMES.into_iter().any(|known| same(known, name))
}

pub(crate) fn is_number(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit() || b == b'.' || b == b',')
}

/// Parses the number of a condition; `None` if the text is not a number in this unit. A time other than 0 needs a unit,
/// because a bare 5 is hardly ever meant as nanoseconds.
pub(crate) fn bound(text: &str, unit: Unit) -> Option<i64> {
    let is_time = matches!(unit, Unit::Nanos | Unit::Picos);
    let is_bare = is_number(text.trim_start_matches('-'));
    parse_in(text, unit).filter(|&number| number == 0 || !is_time || !is_bare)
}

/// Parses a text as a number of a unit, such as `5ms` or `1MB`; `None` if it is not one.
pub(crate) fn parse_in(text: &str, unit: Unit) -> Option<i64> {
    match unit {
        Unit::Nanos => text::parse_duration(text),
        Unit::Picos => match text.strip_suffix("ps") {
            Some(ps) => ps.trim().replace(',', "").parse().ok(),
            None => text::parse_duration(text)?.checked_mul(1_000),
        },
        Unit::Bytes => text::parse_bytes(text),
        Unit::Millionths => text::parse_decimal(text).map(|decimal| (decimal * 1e6).round() as i64),
        _ => text.replace(',', "").parse().ok(),
    }
}

/// Returns an error if `value` is not the name of an outcome, because an unknown name is probably mistyped. The
/// comparison "contains" (`how`) allows any text.
pub(crate) fn known_outcome(how: TextMatch, name: &str, value: &str) -> Result<(), FilterError> {
    let is_known = OUTCOMES.into_iter().any(|known| outcome_name(known).eq_ignore_ascii_case(value));
    if how == TextMatch::Contains || is_known {
        return Ok(());
    }
    Err(FilterError(format!("“{name}” needs ok, failed, unfinished or no-start, not “{value}”")))
}

/// Describes the value that a condition needs instead of `text`, for error messages.
pub(crate) fn needed(text: &str, unit: Unit) -> String {
    match unit {
        Unit::Nanos | Unit::Picos if parse_in(text, unit).is_some() => {
            format!("a time with a unit, such as {text}ms or {text}ns")
        }
        Unit::Nanos | Unit::Picos => "a time such as 5ms".to_owned(),
        Unit::Bytes => "a size such as 1MB".to_owned(),
        Unit::Millionths => "a number such as 3.5".to_owned(),
        _ => "a whole number".to_owned(),
    }
}

/// Returns the negated operator: a reported value meets either the condition with `operator` or the condition with the
/// negated operator, never both.
pub(crate) fn opposite(operator: &str) -> &'static str {
    match operator {
        "=" => "!=",
        "!=" => "=",
        "!~" => "~",
        "<" => ">=",
        "<=" => ">",
        ">" => "<=",
        ">=" => "<",
        _ => "!~",
    }
}

pub(crate) fn compare(name: &str, operator: &str) -> Result<NumberComparison, FilterError> {
    Ok(match operator {
        "<" => NumberComparison::Less,
        "<=" => NumberComparison::LessOrEqual,
        "=" | ":" => NumberComparison::Equal,
        "!=" => NumberComparison::NotEqual,
        ">=" => NumberComparison::GreaterOrEqual,
        ">" => NumberComparison::Greater,
        _ => return Err(FilterError(format!("“{name}” cannot be compared by {operator}"))),
    })
}

pub(crate) fn matching(name: &str, operator: &str) -> Result<TextMatch, FilterError> {
    match operator {
        ":" | "~" => Ok(TextMatch::Contains),
        "!~" => Ok(TextMatch::ContainsNot),
        "=" => Ok(TextMatch::Is),
        "!=" => Ok(TextMatch::IsNot),
        _ => Err(FilterError(format!("“{name}” has no order: use “=”, “!=”, “~” or “!~”, not “{operator}”"))),
    }
}

impl FilterError {
    fn no_field(operator: &str) -> Self {
        FilterError(format!("“{operator}” needs a field before it, such as duration {operator} …"))
    }

    fn no_such_field(trace: &Trace, name: &str, operator: &str) -> Self {
        let known = FIELDS.iter().map(|(name, _)| name.replace(' ', "_"));
        let in_use = trace.keys_in_use().into_iter().map(|key| trace.str(trace.keys.get(key).name));
        let carried = in_use.filter(|name| !FIELDS.iter().any(|(known, _)| same(known, name)));
        let carried = carried.map(|name| name.replace(' ', "_"));
        let known: Vec<String> = known.chain(carried.take(40)).collect();
        FilterError(format!(
            "unknown field “{name}” (known fields: {}); to search for the text, quote it: \"{name} {operator} …\"",
            known.join(", ")
        ))
    }
}

/// Splits a filter text into tokens. `is_field` returns whether a name is a field, which may precede an operator.
pub(crate) fn tokens<'a>(text: &'a str, is_field: &dyn Fn(&str) -> bool) -> Vec<Token<'a>> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let follows_field = tokens.last().is_some_and(|name: &Token| is_field(&name.value()));
        let (token, after) = next_token(rest, is_field, follows_field);
        tokens.push(token);
        rest = after.trim_start();
    }
    tokens
}

/// Splits the first token off `text`; returns it and the text after it. With `follows_field`, a field was the previous
/// token: only then is a tilde an operator, so that `~/data` is a word.
fn next_token<'a>(
    text: &'a str,
    is_field: &dyn Fn(&str) -> bool,
    follows_field: bool,
) -> (Token<'a>, &'a str) {
    if let Some(quoted) = text.strip_prefix('"') {
        // Completions need the value of a quote that is still being typed; the parsers refuse it.
        let (inside, after) = quoted.split_at(quote_end(quoted));
        return (Token::Quoted(inside), after.get(1..).unwrap_or_default());
    }
    let is_next =
        |operator: &&&str| text.starts_with(**operator) && (follows_field || !operator.ends_with('~'));
    if let Some(operator) = OPERATORS.iter().find(is_next) {
        let (operator, after) = text.split_at(operator.len());
        return (Token::Operator(operator), after);
    }
    let (word, after) = text.split_at(word_end(text, is_field));
    (Token::Word(word), after)
}

/// End of the quoted text at the start of `text`: the first quote that is not doubled.
fn quote_end(text: &str) -> usize {
    let mut from = 0;
    while let Some(at) = text[from..].find('"').map(|at| from + at) {
        if !text[at + 1..].starts_with('"') {
            return at;
        }
        from = at + 2;
    }
    text.len()
}

/// End of the word at the start of `text`: a space, a quote or an operator. A colon or a tilde ends the word only after the name
/// of a field, so that `host:5432` is one word.
fn word_end(text: &str, is_field: &dyn Fn(&str) -> bool) -> usize {
    let ends = |(at, c): (usize, char)| match c {
        '"' | '<' | '>' | '=' => true,
        '!' => text[at..].starts_with("!=") || text[at..].starts_with("!~") && is_field(&text[..at]),
        ':' | '~' => is_field(&text[..at]),
        _ => c.is_whitespace(),
    };
    text.char_indices().find(|&place| ends(place)).map_or(text.len(), |(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    fn check(filter: &str, error: &str) {
        let found = QueryFilter::parse(&sample::trace(), filter).map_err(|error| error.to_string());
        assert!(found.as_ref().is_err_and(|found| found.contains(error)), "{filter:?}: {found:?}");
    }

    #[test]
    fn errors_say_what_is_wrong() {
        check("duration > 5 parsecs", "“duration” needs a time with a unit, such as 5ms or 5ns, not “5”");
        check("duration > 5", "“duration” needs a time with a unit, such as 5ms or 5ns, not “5”");
        check("duration > soon", "“duration” needs a time such as 5ms, not “soon”");
        check("duration >", "“duration >” needs a value");
        check("> 5", "needs a field before it");
        check("length > 5", "unknown field “length”");
        check("length > 5", "duration, start, self_time");
        check("rows_read > many", "needs a whole number");
        check("ratio = inf", "needs a number such as 3.5");
        check("kind = query and duration > 5ms", "“and” is not needed: every condition must be met");
        check("failed OR sql ~ orders", "“OR” is not possible");
        for text in ["and", "sql ~ a and", "\"and\"", "failed \"or\" sql ~ orders"] {
            assert!(QueryFilter::parse(&sample::trace(), text).is_ok(), "{text}");
        }
        check("outcome = great", "ok, failed, unfinished or no-start");
        check("connector > js", "has no order");
        check("bytes > much", "needs a size such as 1MB");
        check("start = 5ms..soon", "“start” needs a time such as 5ms, not “5ms..soon”");
        check("start = 5..8ms", "a time with a unit, such as 5ms or 5ns, not “5..8ms”");
        check("start = 8ms..5ms", "needs the smaller bound first");
        check("start > 5ms..8ms", "use = or != with a range, not >");
        check("sql ~ \"abc", "no closing quotation mark after “abc”");
        check("\"duration > 5", "no closing quotation mark after “duration > 5”");
        check("sql ~ \"a\"\"", "no closing quotation mark after “a\"\"”");
        check("failed \"", "no closing quotation mark after “”");
    }

    #[test]
    fn colons_are_text_where_they_are_no_condition() {
        for text in ["host:5432", "\"duration > 5\"", "a:b:c", "http://x"] {
            let filter = QueryFilter::parse(&sample::trace(), text).expect("these are words");
            assert!(matches!(filter.terms.as_slice(), [QueryTerm::Word(_)]), "{text:?}: {filter:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "[a-z:<>=!\" 0-9ä.]{0,40}|(duration|rows_read|bytes|outcome|sql)[ <>=:!]{0,3}.{0,10}") {
            let _ = QueryFilter::parse(&Trace::default(), &text);
        }
    }
}
