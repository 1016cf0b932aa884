//! Syntax of other filters, which this one would read as words to search for: conjunctions, negations, parentheses and
//! lists of values.

use super::FilterError;
use super::parse::{Token, is_id, opposite};
use crate::analysis::outcome_name;
use crate::analysis::outcomes::OUTCOMES;
use crate::base::filter_text;

/// Returns an error, with its number of tokens, if the tokens begin with syntax of other filters. `follows` is whether
/// a condition precedes them.
pub(crate) fn refuse_foreign_syntax(
    tokens: &[Token],
    follows: bool,
    is_field: &dyn Fn(&str) -> bool,
) -> Result<(), (FilterError, usize)> {
    let Some((&Token::Word(word), rest)) = tokens.split_first() else { return Ok(()) };
    let refused = |what: &str| {
        let text = format!("“{word}” is not {what}. To search for the word, put it in quotes");
        Err((FilterError(text), 1))
    };
    let is = |name: &str| word.eq_ignore_ascii_case(name);
    if is("and") && follows && !rest.is_empty() {
        return refused("needed: every condition must be met");
    }
    if is("or") && follows && !rest.is_empty() {
        return refused("possible: every condition must be met");
    }
    if is("not")
        && let Some(instead) = negated(rest)
    {
        return refused(&format!("possible: write {instead}"));
    }
    if let Some((name, is_negated)) = decorated_outcome(word) {
        let instead = if is_negated { format!("status != {name}") } else { name.to_owned() };
        return refused(&format!("possible: write {instead}"));
    }
    match list(word, rest).filter(|_| is_field(word)) {
        Some((error, n_tokens)) => Err((error, 1 + n_tokens)),
        None => Ok(()),
    }
}

/// The opposite of an outcome or condition; `None` if the tokens begin with neither.
fn negated(tokens: &[Token]) -> Option<String> {
    match tokens {
        [Token::Word(name), Token::Operator(operator), value, ..] => {
            let value = value.value();
            let is_number = value.starts_with(|first: char| first.is_ascii_digit());
            // At numbers, a colon is “is”.
            let operator = if is_number && *operator == ":" { "=" } else { operator };
            Some(format!("{name} {} {}", opposite(operator), filter_text::value(&value)))
        }
        [Token::Word(word), ..] => {
            let (name, _) = decorated_outcome(word).or_else(|| Some((outcome(word)?, false)))?;
            Some(format!("status != {name}"))
        }
        _ => None,
    }
}

fn outcome(text: &str) -> Option<&'static str> {
    OUTCOMES.into_iter().map(outcome_name).find(|name| name.eq_ignore_ascii_case(text))
}

/// The outcome in a word such as `!failed`, `-failed` or `(failed`, and whether it is negated.
fn decorated_outcome(word: &str) -> Option<(&'static str, bool)> {
    let inside = word.trim_start_matches(['!', '-', '(']);
    let signs = &word[..word.len() - inside.len()];
    let name = outcome(inside.trim_end_matches(')'))?;
    (name.len() < word.len()).then_some((name, signs.contains(['!', '-'])))
}

/// The error of a list of values, such as `in (a, b)`, after the name of a field, with its number of tokens. `None` if
/// the tokens do not begin with a list.
fn list(name: &str, tokens: &[Token]) -> Option<(FilterError, usize)> {
    let is_negated = matches!(tokens.first()?, Token::Word(word) if word.eq_ignore_ascii_case("not"));
    let (Token::Word(first), rest) = tokens[usize::from(is_negated)..].split_first()? else { return None };
    let (word, joined) = first.split_at_checked(2)?;
    let is_opened = match rest.first() {
        _ if !joined.is_empty() => joined.starts_with('('),
        Some(Token::Word(opening)) => opening.starts_with('('),
        _ => false,
    };
    if !word.eq_ignore_ascii_case("in") || !is_opened {
        return None;
    }
    let inside = || std::iter::once(joined).chain(rest.iter().map(|token| token.text()));
    let n_values = inside().position(|text| text.ends_with(')')).unwrap_or(rest.len());
    let mut parts = inside().flat_map(|text| text.split(['(', ',', ')', '\'']));
    let value = parts.find(|part| !part.is_empty()).map_or_else(|| "…".to_owned(), filter_text::value);
    let instead = match is_negated {
        _ if is_id(name) => format!("write {name} = {value},…, without parentheses"),
        false => format!("write {name} = {value}, for one value"),
        true => format!("write {name} != {value} for each value"),
    };
    let text =
        format!("lists of values are not possible: {instead}. To search for the words, put them in quotes");
    let error = FilterError(text);
    Some((error, usize::from(is_negated) + 1 + n_values))
}

#[cfg(test)]
mod tests {
    use super::super::parse::tokens;
    use super::list;
    use crate::analysis::QueryFilter;
    use crate::analysis::sample;

    #[test]
    fn only_ids_of_spans_and_events_can_be_listed() {
        let tokens = tokens("in (1, 2)", &|_| false);
        for (name, instead) in [
            ("span_id", "write span_id = 1,…, without parentheses"),
            ("query_id", "write query_id = 1, for one value"),
        ] {
            let found = list(name, &tokens).map(|(error, _)| error.to_string());
            assert!(found.as_ref().is_some_and(|found| found.contains(instead)), "{found:?}");
        }
    }

    #[test]
    fn other_filters_are_refused_with_the_condition_to_write_instead() {
        for (text, instead) in [
            ("not failed", "“not” is not possible: write status != failed. To search for the word"),
            ("sql ~ a NOT Failed", "write status != failed"),
            ("not (failed)", "write status != failed"),
            ("not kind = query", "write kind != query"),
            ("not sql ~ \"a b\"", "write sql !~ \"a b\""),
            ("!failed", "“!failed” is not possible: write status != failed"),
            ("-no-start sql ~ a", "write status != no-start"),
            ("!(failed)", "write status != failed"),
            ("(failed", "“(failed” is not possible: write failed."),
            ("sql ~ a Ok)", "write ok."),
            ("connector in (a, b)", "write connector = a, for one value"),
            ("connector IN(a,b)", "write connector = a, for one value"),
            ("connector in ( 'a' )", "write connector = a, for one value"),
            ("connector in (\"a\", \"b\")", "write connector = a, for one value"),
            ("connector not in (a, b)", "write connector != a for each value"),
            (
                "connector in (",
                "write connector = …, for one value. To search for the words, put them in quotes",
            ),
            ("not sources:5", "write sources != 5"),
        ] {
            let found = QueryFilter::parse(&sample::trace(), text).map_err(|error| error.to_string());
            assert!(found.as_ref().is_err_and(|found| found.contains(instead)), "{text:?}: {found:?}");
        }
    }

    #[test]
    fn these_characters_are_searched_for_in_other_words() {
        for text in [
            "not",
            "is not null",
            "\"not\" failed",
            "\"!failed\"",
            "failed not",
            "-1",
            "(a",
            "count(*)",
            "!x",
            "a in (b)",
            "connector in b",
            "kind",
            "ok",
            "no-start",
            "connector in",
        ] {
            assert!(QueryFilter::parse(&sample::trace(), text).is_ok(), "{text}");
        }
    }
}
