//! [`Dimension`]: an attribute seen through [`Projection`]s, functions of its values.

use std::borrow::Cow;
use std::rc::Rc;

use super::attribute::Attribute;
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::text;
use crate::sql;
use crate::trace::{Trace, Unit};

/// A coordinate of a point, after projection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttributeValue {
    /// The point has no value. Counts as a value: points without one are a group of their own.
    None,
    /// A name or text of the trace.
    Text(StrId),
    /// A word of this program: a kind, an outcome.
    Word(&'static str),
    /// A text that a projection made.
    Made(Box<str>),
    /// A number, in the unit of its attribute.
    Number(i64),
}

impl AttributeValue {
    /// The text of a value that is one.
    pub fn text<'a>(&'a self, trace: &'a Trace) -> Option<&'a str> {
        match self {
            AttributeValue::Text(id) => Some(trace.str(*id)),
            AttributeValue::Word(word) => Some(word),
            AttributeValue::Made(text) => Some(text),
            AttributeValue::None | AttributeValue::Number(_) => None,
        }
    }

    /// Text of the value, as it is shown.
    pub fn written(&self, trace: &Trace, unit: Unit) -> String {
        match (self, self.text(trace)) {
            (_, Some(text)) => text.to_owned(),
            (AttributeValue::Number(number), _) => written(i128::from(*number), unit),
            _ => text::NOT_REPORTED.to_owned(),
        }
    }

    /// As other programs read it: numbers without a unit.
    pub fn plain(&self, trace: &Trace) -> PlainField {
        match (self, self.text(trace)) {
            (_, Some(text)) => PlainField::Text(text.to_owned()),
            (AttributeValue::Number(number), _) => PlainField::Number(number.to_string()),
            _ => PlainField::None,
        }
    }
}

/// A value in a row for other programs.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PlainField {
    /// No value, or nothing was reported.
    None,
    /// A text; it may be empty.
    Text(String),
    /// Digits, perhaps with a sign and a point.
    Number(String),
}

/// A number in its unit, as people read it.
pub(super) fn written(number: i128, unit: Unit) -> String {
    let n = i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX });
    // A number of more than 64 bits is too large for every unit: only a bound is written.
    let bound = match i128::from(n) {
        same if same == number => "",
        _ if number < 0 => "≤ ",
        _ => "≥ ",
    };
    let text = match unit {
        Unit::Nanos => text::duration(n),
        Unit::Picos if n.unsigned_abs() < 1_000 => format!("{} ps", text::count(n)),
        Unit::Picos => text::duration(n / 1_000),
        Unit::Bytes => text::bytes(n),
        Unit::Millionths => text::millionths(n),
        _ => text::count(n),
    };
    format!("{bound}{text}")
}

/// A function of values. One that has nothing to do with a value leaves it as it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Projection {
    /// The first parts of a text between separators; the last ones where the count is negative.
    Parts(char, i8),
    /// Every run of digits becomes `#`: `worker-17` and `worker-4` are one.
    Digits,
    /// The shape of a statement: its literals become `?`.
    Shape,
    /// The component in the name of an instrument of the Performance Schema: `innodb` of
    /// `wait/synch/mutex/innodb/trx_mutex`. Other texts have none.
    Component,
    /// The nearest multiple at or below a number.
    Step(i64),
    /// The nearest of …, 1, 2, 5, 10, 20, 50, … at or below a number (below 0: at or above).
    Classes,
}

/// What a projection makes of a value.
enum Image<'a> {
    Same,
    Text(Cow<'a, str>),
    Number(i64),
    None,
}

impl Projection {
    /// The image of a number.
    pub(super) fn of_number(self, number: i64) -> i64 {
        match self.of(None, Some(number)) {
            Image::Number(image) => image,
            _ => number,
        }
    }

    fn of<'a>(self, text: Option<&'a str>, number: Option<i64>) -> Image<'a> {
        match (self, text, number) {
            (Projection::Parts(separator, count), Some(text), _) => {
                Image::Text(parts(text, separator, count).into())
            }
            (Projection::Digits, Some(text), _) => Image::Text(digits(text).into()),
            (Projection::Component, Some(text), _) => {
                component(text).map_or(Image::None, |part| Image::Text(part.into()))
            }
            (Projection::Shape, Some(text), _) => Image::Text(sql::shape(text).into()),
            (Projection::Step(width), _, Some(number)) => {
                Image::Number(number.saturating_sub(number.rem_euclid(width.max(1))))
            }
            (Projection::Classes, _, Some(number)) => Image::Number(class(number)),
            _ => Image::Same,
        }
    }
}

fn parts(text: &str, separator: char, count: i8) -> &str {
    let nth = usize::from(count.unsigned_abs()).saturating_sub(1);
    if count < 0 {
        let cut = text.rmatch_indices(separator).nth(nth);
        return cut.map_or(text, |(at, separator)| &text[at + separator.len()..]);
    }
    // A path begins with its separator: what stands before that is no part.
    let skipped = usize::from(text.starts_with(separator));
    let cut = text.match_indices(separator).nth(nth + skipped);
    cut.map_or(text, |(at, _)| &text[..at])
}

/// By the naming of MySQL's instruments: the fourth part of a wait's, the second of all others'. The name itself, which comes
/// last, may have slashes.
fn component(instrument: &str) -> Option<&str> {
    let mut parts = instrument.split('/');
    let at = match parts.next()? {
        "wait" => 2,
        "stage" | "statement" | "memory" | "thread" => 0,
        _ => return None,
    };
    let part = parts.nth(at)?;
    // What follows is the name.
    parts.next().map(|_| part)
}

fn digits(text: &str) -> String {
    let mut image = String::with_capacity(text.len());
    for c in text.chars() {
        match c.is_ascii_digit() {
            true if image.ends_with('#') => {}
            true => image.push('#'),
            false => image.push(c),
        }
    }
    image
}

fn class(number: i64) -> i64 {
    let size = number.unsigned_abs();
    let decade = 10_u64.pow(size.checked_ilog10().unwrap_or(0));
    let step = [5, 2, 1].into_iter().find(|step| decade.saturating_mul(*step) <= size).unwrap_or(0);
    let bound = i64::try_from(decade * step).unwrap_or(i64::MAX);
    if number < 0 { -bound } else { bound }
}

/// An attribute, and the projections through which it is seen, from the first to the last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// What is projected.
    pub attribute: Attribute,
    /// Composed: each is a function of what the one before it made.
    pub chain: Vec<Projection>,
}

impl Dimension {
    /// The projections that make this dimension of `finer`; `None` if this dimension cannot be made of it.
    pub fn projections_after(&self, finer: &Dimension) -> Option<&[Projection]> {
        self.chain.strip_prefix(finer.chain.as_slice()).filter(|_| self.attribute == finer.attribute)
    }
}

/// The images of values: the code of each value's image, and the images by code.
pub(super) fn project(
    trace: &Trace,
    values: &Rc<[AttributeValue]>,
    chain: &[Projection],
) -> (Vec<u32>, Rc<[AttributeValue]>) {
    let mut codes: Vec<u32> = (0..values.len() as u32).collect();
    let mut images = values.clone();
    for projection in chain {
        let (next, made) = step(trace, &images, *projection);
        codes.iter_mut().for_each(|code| *code = next[*code as usize]);
        images = made.into();
    }
    (codes, images)
}

fn step(trace: &Trace, values: &[AttributeValue], projection: Projection) -> (Vec<u32>, Vec<AttributeValue>) {
    let mut texts: FxHashMap<Cow<str>, u32> = FxHashMap::default();
    let mut numbers: FxHashMap<i64, u32> = FxHashMap::default();
    let mut made = Vec::new();
    let mut code = |value: &dyn Fn() -> AttributeValue, slot: &mut u32| {
        if *slot == u32::MAX {
            *slot = made.len() as u32;
            made.push(value());
        }
        *slot
    };
    let mut none = u32::MAX;
    let codes = values.iter().map(|value| {
        let (text, number) =
            (value.text(trace), if let AttributeValue::Number(n) = value { Some(*n) } else { None });
        match (projection.of(text, number), text, number) {
            (Image::Text(image), ..) => {
                let slot = texts.entry(image.clone()).or_insert(u32::MAX);
                code(&|| AttributeValue::Made(image.as_ref().into()), slot)
            }
            (Image::Number(image), ..) => {
                code(&|| AttributeValue::Number(image), numbers.entry(image).or_insert(u32::MAX))
            }
            (Image::Same, Some(text), _) => {
                code(&|| value.clone(), texts.entry(text.into()).or_insert(u32::MAX))
            }
            (Image::Same, None, Some(number)) => {
                code(&|| value.clone(), numbers.entry(number).or_insert(u32::MAX))
            }
            (Image::Same, None, None) | (Image::None, ..) => code(&|| AttributeValue::None, &mut none),
        }
    });
    (codes.collect(), made)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(projection: Projection, cases: &[(&str, &str)]) {
        for &(from, to) in cases {
            let image = match projection.of(Some(from), from.parse().ok()) {
                Image::Same => from.to_owned(),
                Image::Text(text) => text.into_owned(),
                Image::Number(number) => number.to_string(),
                Image::None => "none".to_owned(),
            };
            assert_eq!(image, to, "{projection:?} of {from}");
        }
    }

    #[test]
    fn a_text_has_parts() {
        let event = "wait/io/file/sql";
        check(Projection::Parts('/', 1), &[(event, "wait"), ("idle", "idle"), ("", "")]);
        check(Projection::Parts('/', 3), &[(event, "wait/io/file"), ("/srv/data/t.ibd", "/srv/data/t.ibd")]);
        check(Projection::Parts('/', 2), &[("/srv/data/t.ibd", "/srv/data"), ("/", "/")]);
        check(Projection::Parts('.', 1), &[("test.t1", "test"), ("t1", "t1")]);
        check(Projection::Parts('/', -1), &[("/srv/data/t.ibd", "t.ibd"), ("t", "t")]);
        check(Projection::Parts('.', -1), &[("t.ibd", "ibd")]);
        check(Projection::Parts('ü', -1), &[("aübüc", "c")]);
    }

    #[test]
    fn an_instrument_has_a_component() {
        check(
            Projection::Component,
            &[
                ("wait/synch/mutex/innodb/trx_mutex", "innodb"),
                ("wait/io/table/sql/handler", "sql"),
                (
                    "stage/sql/Slave has read all relay log; waiting for the slave I/O thread to update it",
                    "sql",
                ),
                ("statement/com/Query", "com"),
                ("idle", "none"),
                ("transaction", "none"),
                ("wait/io/table", "none"),
                ("stage/sql", "none"),
                ("SELECT 1", "none"),
                ("", "none"),
            ],
        );
    }

    #[test]
    fn what_differs_in_detail_is_one() {
        check(Projection::Digits, &[("worker-17", "worker-#"), ("a1b22", "a#b#"), ("a", "a")]);
        check(Projection::Shape, &[("SELECT 1", "SELECT ?"), ("SELECT 'x'", "SELECT ?")]);
    }

    #[test]
    fn numbers_fall_into_steps_and_classes() {
        check(Projection::Step(10), &[("25", "20"), ("-1", "-10"), ("0", "0"), ("x", "x")]);
        check(Projection::Step(0), &[("25", "25")]);
        check(Projection::Step(7), &[("-9223372036854775808", "-9223372036854775808")]);
        check(
            Projection::Classes,
            &[
                ("0", "0"),
                ("1", "1"),
                ("4", "2"),
                ("99", "50"),
                ("100", "100"),
                ("-7", "-5"),
                ("9223372036854775807", "5000000000000000000"),
                ("-9223372036854775808", "-5000000000000000000"),
            ],
        );
    }
}
