//! [`Dimension`]: an attribute with [`Projection`]s, functions that are applied to its values.

use std::borrow::Cow;
use std::rc::Rc;

use super::attribute::Attribute;
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::text;
use crate::protocol::PlainField;
use crate::sql;
use crate::trace::{Trace, Unit};

/// A coordinate of a point, after projection.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum AttributeValue {
    /// The point has no value. Points without a value form a group.
    None,
    /// An interned name or text of the trace.
    Text(StrId),
    /// A constant of this program: a kind or an outcome.
    Word(&'static str),
    /// A text that a projection computed.
    Made(Box<str>),
    /// A number, in the unit of its attribute.
    Number(i64),
}

impl AttributeValue {
    /// The text of the value; `None` for numbers and missing values.
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

    /// The value for other programs: numbers without a unit.
    pub fn plain(&self, trace: &Trace) -> PlainField {
        match (self, self.text(trace)) {
            (_, Some(text)) => PlainField::Text(text.to_owned()),
            (AttributeValue::Number(number), _) => PlainField::Number(number.to_string()),
            _ => PlainField::None,
        }
    }
}

/// A number for people, with its unit.
pub(super) fn written(number: i128, unit: Unit) -> String {
    if unit == Unit::Millionths && i64::try_from(number).is_err() {
        // Beyond 64 bits, the decimals of a number do not matter.
        return written(number / 1_000_000, Unit::Count);
    }
    let n = i64::try_from(number).unwrap_or(if number < 0 { i64::MIN } else { i64::MAX });
    let text = match unit {
        Unit::Nanos => text::duration(n),
        Unit::Picos if n.unsigned_abs() < 1_000 => format!("{} ps", text::count(n)),
        Unit::Picos => text::duration(n / 1_000),
        Unit::Bytes => text::bytes(n),
        Unit::Millionths => text::millionths(n),
        _ => text::count(n),
    };
    // A number that does not fit in 64 bits is shown as a bound.
    match i128::from(n) == number {
        true => text,
        false if number < 0 => format!("≤ {text}"),
        false => text::at_least(true, text),
    }
}

/// A function of values. A projection that does not apply to a value leaves it unchanged.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Projection {
    /// The first parts of a text between separators; if the count is negative, the last part or parts.
    Parts(char, i8),
    /// Every run of digits becomes `#`: `worker-17` and `worker-4` are equal.
    Digits,
    /// The shape of a statement: its literals become `?`.
    Shape,
    /// The component in the name of an instrument of the Performance Schema: `innodb` of
    /// `wait/synch/mutex/innodb/trx_mutex`. Other texts have none.
    Component,
    /// Rounds a number down to a multiple of this width.
    Step(i64),
    /// Rounds a number towards 0, to a number of the series …, 1, 2, 5, 10, 20, 50, ….
    Classes,
}

/// Result of a projection.
enum Image<'a> {
    Same,
    Text(Cow<'a, str>),
    Number(i64),
    None,
}

impl Projection {
    /// Applies the projection to a number; a projection of texts leaves it unchanged.
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
    // A path begins with its separator, so that the empty text before it is not a part.
    let skipped = usize::from(text.starts_with(separator));
    let cut = text.match_indices(separator).nth(nth + skipped);
    cut.map_or(text, |(at, _)| &text[..at])
}

/// The component in an instrument name of MySQL: the fourth part for waits, the second part otherwise. The last part is
/// the event's own name, which may contain slashes. `None` if the name has no component.
fn component(instrument: &str) -> Option<&str> {
    let mut parts = instrument.split('/');
    let at = match parts.next()? {
        "wait" => 2,
        "stage" | "statement" | "memory" | "thread" => 0,
        _ => return None,
    };
    let part = parts.nth(at)?;
    // The text after the component is the event's own name.
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

/// An attribute, and the projections that are applied to it in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Dimension {
    /// The attribute that is projected.
    pub attribute: Attribute,
    /// Projections; each applies to the result of the previous projection.
    pub chain: Vec<Projection>,
}

impl Dimension {
    /// The projections that derive this dimension from `finer`; `None` if it cannot be derived from `finer`.
    pub fn projections_after(&self, finer: &Dimension) -> Option<&[Projection]> {
        self.chain.strip_prefix(finer.chain.as_slice()).filter(|_| self.attribute == finer.attribute)
    }
}

/// Applies projections to values: the new code of each value, and the new values by code.
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
