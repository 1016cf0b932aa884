//! Which points are aggregated: words and conditions on their attributes, all of which must hold, and a range of time.
//!
//! ```text
//! commit "flush log"                    words: in the name or in a text of the point
//! name:mutex  kind = query  thread != main  name[/2] = wait/io    `:` is "contains", `=` is "is"
//! duration > 5ms  rows_read >= 1000     numbers, in their unit
//! ```
//! A blank in a name is written as an underscore. What has no value meets no condition but `!=`.

use super::attribute::{Attribute, Rows};
use super::group::NOWHERE;
use super::parse::{self, PivotError};
use super::projection::{Dimension, project};
use crate::stats::filter::parse::{Token, compare, is_number, matching, tokens};
use crate::stats::filter::{Compare, Match};
use crate::stats::search::Needle;
use crate::stats::{Hits, overlaps};
use crate::trace::{Flags, Item, Trace, Unit};

/// A filter that was understood.
pub(super) struct Filter {
    terms: Vec<Term>,
}

enum Term {
    Word(String),
    Text(Dimension, Match, Needle),
    Number(Attribute, Compare, i64),
}

impl Filter {
    /// The filter that `text` describes.
    pub fn parse(trace: &Trace, text: &str) -> Result<Self, PivotError> {
        let is_field = |name: &str| parse::dimension(trace, name).is_ok();
        let tokens = tokens(text, &is_field);
        let (mut rest, mut terms) = (tokens.as_slice(), Vec::new());
        while let Some((&first, behind)) = rest.split_first() {
            let (term, used) = match (first, behind) {
                (Token::Operator(sign), _) => {
                    return Err(PivotError(format!(
                        "“{sign}” needs an attribute before it: duration {sign} …"
                    )));
                }
                (Token::Word(name) | Token::Quoted(name), [Token::Operator(sign), value @ ..]) => {
                    condition(trace, name, sign, value)?
                }
                (Token::Word(word) | Token::Quoted(word), _) => (Term::Word(word.to_owned()), 0),
            };
            terms.push(term);
            rest = behind.get(used..).unwrap_or(&[]);
        }
        Ok(Self { terms })
    }

    /// By row: 0 for the points that pass and start in the range, [`NOWHERE`] for all others. The rounds of a request
    /// are parts of it and no points.
    #[inline(never)]
    pub fn chosen(&self, trace: &Trace, range: Option<(i64, i64)>, source: &mut dyn Source) -> Vec<u32> {
        let inside = |item: Item| {
            let (start, is_part) = match item {
                Item::Event(id) => (range.map_or(0, |_| trace.events.get(id).time), false),
                Item::Span(id) => {
                    let span = trace.spans.get(id);
                    (span.start, span.flags.has(Flags::SEGMENT))
                }
            };
            !is_part && range.is_none_or(|range| overlaps(start, start, range))
        };
        let rows = Rows::of(trace);
        let mut chosen: Vec<u32> = rows.items().map(|item| if inside(item) { 0 } else { NOWHERE }).collect();
        for term in &self.terms {
            term.narrow(trace, source, &mut chosen);
        }
        chosen
    }
}

/// Where terms get the attributes from.
pub(super) trait Source {
    /// An attribute of all rows.
    fn column(&mut self, trace: &Trace, attribute: Attribute) -> std::rc::Rc<super::column::Column>;
}

impl Term {
    fn narrow(&self, trace: &Trace, source: &mut dyn Source, chosen: &mut [u32]) {
        match self {
            Term::Word(word) => {
                let hits = Hits::of(trace, word);
                let rows = chosen.iter_mut().zip(Rows::of(trace).items());
                rows.filter(|(_, item)| !hits.contains(*item)).for_each(|(row, _)| *row = NOWHERE);
            }
            Term::Number(attribute, compare, bound) => {
                let column = source.column(trace, *attribute);
                let passes = column.values.iter().map(|value| match value {
                    super::Value::Number(number) => compare.holds(*number, *bound),
                    _ => false,
                });
                keep(chosen, &column.codes, &passes.collect::<Vec<_>>());
            }
            Term::Text(dimension, how, needle) => {
                let column = source.column(trace, dimension.attribute);
                let (images, values) = project(trace, &column.values, &dimension.chain);
                let passes: Vec<bool> = values.iter().map(|value| value.meets(trace, *how, needle)).collect();
                let passes: Vec<bool> = images.iter().map(|&image| passes[image as usize]).collect();
                keep(chosen, &column.codes, &passes);
            }
        }
    }
}

impl super::Value {
    fn meets(&self, trace: &Trace, how: Match, needle: &Needle) -> bool {
        let text = self.text(trace);
        match how {
            Match::Contains => text.is_some_and(|text| needle.is_in(text)),
            Match::Is => text.is_some_and(|text| needle.is(text)),
            Match::IsNot => text.is_none_or(|text| !needle.is(text)),
        }
    }
}

fn keep(chosen: &mut [u32], codes: &[u32], passes: &[bool]) {
    let rows = chosen.iter_mut().zip(codes);
    rows.filter(|(_, code)| !passes[**code as usize]).for_each(|(row, _)| *row = NOWHERE);
}

/// The condition `name sign value`, and how many tokens stand behind its name.
fn condition(trace: &Trace, name: &str, sign: &str, value: &[Token]) -> Result<(Term, usize), PivotError> {
    let dimension = parse::dimension(trace, name)?;
    let Some(&(Token::Word(first) | Token::Quoted(first))) = value.first() else {
        return Err(PivotError(format!("“{name} {sign}” has no value behind it")));
    };
    let unit = dimension.attribute.unit(trace);
    if unit == Unit::Text {
        let how = matching(name, sign).map_err(|error| PivotError(error.to_string()))?;
        return Ok((Term::Text(dimension, how, Needle::new(first)), 2));
    }
    if !dimension.chain.is_empty() {
        return Err(PivotError(format!("“{name}”: numbers are compared as they are, without a projection")));
    }
    let how = compare(name, sign).map_err(|error| PivotError(error.to_string()))?;
    // `5 ms` is one value of two words.
    let joined = match value.get(1) {
        Some(&Token::Word(word)) if is_number(first) => parse::number(&format!("{first}{word}"), unit),
        _ => None,
    };
    let used = if joined.is_some() { 3 } else { 2 };
    let bound = joined.or_else(|| parse::number(first, unit));
    let bound = bound.ok_or_else(|| PivotError(format!("“{name}” needs a number, not “{first}”")))?;
    Ok((Term::Number(dimension.attribute, how, bound), used))
}
