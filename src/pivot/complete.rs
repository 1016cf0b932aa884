//! Completions of a filter: names of attributes, operators, and the values of an attribute, the most frequent first.

use super::attribute::Attribute;
use super::choices::is_useful;
use super::filter::{OF_QUERIES, Term, TermSource, is_field};
use super::item_ids::{ID_NAMES, is_id};
use super::parse;
use super::projection::{AttributeValue, Dimension};
use crate::analysis::PointRows;
use crate::analysis::filter::parse::{Token, is_number, tokens};
use crate::base::{filter_text, sort};
use crate::protocol::{FilterCompletion, FilterCompletions};
use crate::trace::{Trace, Unit};

/// Maximum length of a value that is offered, in bytes.
const MAX_OFFERED_VALUE_BYTES: usize = 200;

/// What may be written at the caret, according to the text before it.
enum Expected {
    Name,
    Operator(Unit),
    /// `=` or `!=`, after the name of an id: ids are not compared by size.
    Sameness,
    Value(Option<Dimension>),
}

/// The completions at `caret`, a byte offset in `text`.
pub(super) fn completions(
    trace: &Trace,
    text: &str,
    caret: usize,
    source: &mut dyn TermSource,
) -> FilterCompletions {
    let Some((before, after)) = text.split_at_checked(caret) else { return FilterCompletions::default() };
    let is_known = |name: &str| is_field(trace, name);
    let mut known = tokens(before, &is_known);
    let (from, until) = part(before, after, known.last().copied());
    let typed = if from < caret { known.pop() } else { None };
    let typed = typed.map(Token::value).unwrap_or_default();
    let list = match expected(trace, &known) {
        Expected::Name => names(trace, &typed),
        Expected::Operator(unit) => operators(unit).iter().map(|&text| named(text.to_owned())).collect(),
        Expected::Sameness => ["=", "!="].map(|sign| named(sign.to_owned())).to_vec(),
        Expected::Value(None) => Vec::new(),
        Expected::Value(Some(dimension)) => values(trace, &dimension, &typed, source),
    };
    FilterCompletions { from: from as u32, until: until as u32, list }
}

/// The part of the text that a completion replaces: the word or quoted text around the caret.
fn part(before: &str, after: &str, last: Option<Token>) -> (usize, usize) {
    let caret = before.len();
    let is_open = before.matches('"').count() % 2 == 1;
    match last {
        Some(Token::Quoted(inside)) if is_open => {
            let end = after.find('"').map_or(after.len(), |at| at + 1);
            (caret - inside.len() - 1, caret + end)
        }
        Some(Token::Word(word)) if before.ends_with(word) => {
            let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '<' | '>' | '=' | '!' | '~' | ':');
            (caret - word.len(), caret + after.find(ends).unwrap_or(after.len()))
        }
        _ => (caret, caret),
    }
}

fn expected(trace: &Trace, known: &[Token]) -> Expected {
    let mut rest = known;
    loop {
        rest = match rest {
            [] => return Expected::Name,
            [name, Token::Operator(_)] if is_id(&name.value()) => return Expected::Value(None),
            [name, Token::Operator(_)] => {
                return Expected::Value(parse::dimension(trace, &name.value()).ok());
            }
            [_, Token::Operator(_), _, rest @ ..] => rest,
            [Token::Word(word)] if is_id(word) => return Expected::Sameness,
            [name @ Token::Word(word)] if is_field(trace, word) => {
                let dimension = parse::dimension(trace, &name.value());
                return Expected::Operator(
                    dimension.map_or(Unit::Count, |dimension| dimension.attribute.unit(trace)),
                );
            }
            [_, rest @ ..] => rest,
        }
    }
}

fn named(text: String) -> FilterCompletion {
    FilterCompletion { text, count: None }
}

fn operators(unit: Unit) -> &'static [&'static str] {
    if unit == Unit::Text { &["=", "!=", "~", "!~"] } else { &[">", ">=", "<", "<=", "=", "!="] }
}

/// Names of attributes that contain the typed text; names that begin with it come first.
fn names(trace: &Trace, typed: &str) -> Vec<FilterCompletion> {
    let keys = trace.keys_in_use();
    let is_text = |key| trace.keys.get(key).unit == Unit::Text;
    let own = keys.iter().map(|&key| match is_text(key) {
        true => Attribute::Text(key),
        false => Attribute::Number(key),
    });
    let inside = keys.iter().filter(|key| is_text(**key)).map(|&key| Attribute::Inside(key));
    let of_tracks = trace.track_texts.keys().into_iter().map(Attribute::OfTrack);
    let known = Attribute::KNOWN.into_iter().filter(|&known| is_useful(trace, known));
    let all = known.chain(of_tracks).chain(own).chain(inside).filter_map(|attribute| {
        let name = attribute.name(trace);
        let found = parse::dimension(trace, &name).ok()?;
        (found.chain.is_empty() && found.attribute == attribute).then_some(name)
    });
    let of_list = OF_QUERIES.into_iter().chain(ID_NAMES).map(str::to_owned);
    let plain = |text: &str| text.replace('_', " ").to_lowercase();
    let typed = plain(typed);
    let all = all.chain(of_list).filter(|name| plain(name).contains(&typed));
    let (first, second): (Vec<_>, Vec<_>) = all.partition(|name| plain(name).starts_with(&typed));
    let all = first.into_iter().chain(second).take(FilterCompletions::MOST);
    all.map(|name| named(filter_text::attribute(&name))).collect()
}

/// The values of an attribute that contain the typed text, the most frequent first.
pub(super) fn values(
    trace: &Trace,
    dimension: &Dimension,
    typed: &str,
    source: &mut dyn TermSource,
) -> Vec<FilterCompletion> {
    let unit = dimension.attribute.unit(trace);
    if unit != Unit::Text {
        let units: &[&str] = match unit {
            Unit::Nanos | Unit::Picos => &["ms", "s", "us", "ns"],
            Unit::Bytes => &["kB", "MB", "GB"],
            _ => &[],
        };
        let is_typed = !typed.is_empty() && is_number(typed);
        return units.iter().filter(|_| is_typed).map(|unit| named(format!("{typed}{unit}"))).collect();
    }
    let points = source.set(trace, &Term::Points);
    let column = source.column(trace, dimension);
    let (images, values) = column.images(trace, dimension);
    let mut counts = vec![0_u32; values.len()];
    for row in (0..PointRows::of(trace).len() as u32).filter(|&row| points.contains(row)) {
        counts[images[column.codes[row as usize] as usize] as usize] += 1;
    }
    let lower = typed.to_lowercase();
    let mut found: Vec<(u8, u32, &str)> = Vec::new();
    for (value, count) in values.iter().zip(counts).filter(|(_, count)| *count > 0) {
        let text = AttributeValue::text(value, trace).filter(|text| text.len() <= MAX_OFFERED_VALUE_BYTES);
        let Some(text) = text else { continue };
        let whole = text.to_lowercase();
        // The value as it is written comes first, so that it is in the list of those that begin with it.
        let rank =
            if whole == lower { Some(0) } else { whole.find(&lower).map(|at| if at > 0 { 2 } else { 1 }) };
        found.extend(rank.map(|rank| (rank, count, text)));
    }
    sort::by(&mut found, |a, b| (a.0, !a.1, a.2).cmp(&(b.0, !b.1, b.2)));
    let best = found.into_iter().take(FilterCompletions::MOST);
    best.map(|(_, count, text)| FilterCompletion { text: filter_text::value(text), count: Some(count) })
        .collect()
}
