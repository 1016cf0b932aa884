//! [`PointColumn`]: one attribute of all points, with each distinct value stored once.

use std::rc::Rc;

use super::amounts::Amounts;
use super::attribute::Attribute;
use super::projection::{AttributeValue, Dimension, Projection, project};
use crate::analysis::{PointRows, StatementTexts, outcome, outcome_name};
use crate::base::FxHashMap;
use crate::base::chunked;
use crate::base::interner::StrId;
use crate::trace::{AttributeColumn, Flags, Item, Key, Kind, SpanId, Trace, TrackId, attribute_names};

/// The code of [`AttributeValue::None`].
pub(super) const NONE: u32 = 0;

/// An attribute of every row, as the codes of its values.
pub(super) struct PointColumn {
    pub codes: Vec<u32>,
    /// By code: the value. The first is [`AttributeValue::None`].
    values: Rc<[AttributeValue]>,
    /// Number of projections of the dimension that are already applied to the values.
    projected: usize,
}

impl PointColumn {
    /// Column of an attribute that is not a number.
    #[inline(never)]
    pub fn of(trace: &Trace, attribute: Attribute) -> Self {
        let mut coder = Coder::new(trace);
        let codes = match attribute.by_track(trace, trace.tracks.len()) {
            Some(names) => by_track(trace, &names, &mut coder),
            None => by_item(trace, attribute, &mut coder),
        };
        Self { codes, values: coder.values.into(), projected: 0 }
    }

    /// Column of a numeric attribute, seen through a projection. A trace may have as many distinct numbers as points, but
    /// projections of them have few distinct values.
    #[inline(never)]
    pub fn of_numbers(trace: &Trace, amounts: &Amounts, projection: Option<Projection>) -> Self {
        let mut values = vec![AttributeValue::None];
        let mut known: FxHashMap<i64, u32> = FxHashMap::default();
        let mut code = |number: i64| {
            let number = projection.map_or(number, |projection| projection.of_number(number));
            let next = values.len() as u32;
            let code = *known.entry(number).or_insert(next);
            if code == next {
                values.push(AttributeValue::Number(number));
            }
            code
        };
        let rows = 0..PointRows::of(trace).len() as u32;
        let codes = chunked::map(rows, |row| amounts.get(row as usize).map_or(NONE, &mut code));
        Self { codes, values: values.into(), projected: usize::from(projection.is_some()) }
    }

    /// The value of one row after the dimension's projections.
    pub fn value(&self, trace: &Trace, dimension: &Dimension, row: u32) -> AttributeValue {
        let value = self.values[self.codes[row as usize] as usize].clone();
        let (_, images) = self.seen_through(trace, dimension, &Rc::from([value]));
        images.first().cloned().unwrap_or(AttributeValue::None)
    }

    /// Applies the dimension's projections: the new code of each old code, and the values by new code.
    pub fn images(&self, trace: &Trace, dimension: &Dimension) -> (Vec<u32>, Rc<[AttributeValue]>) {
        self.seen_through(trace, dimension, &self.values)
    }

    fn seen_through(
        &self,
        trace: &Trace,
        dimension: &Dimension,
        values: &Rc<[AttributeValue]>,
    ) -> (Vec<u32>, Rc<[AttributeValue]>) {
        project(trace, values, dimension.chain.get(self.projected..).unwrap_or_default())
    }
}

/// Codes of an attribute of tracks: each track is a range of rows with the same value.
fn by_track(trace: &Trace, names: &[StrId], coder: &mut Coder) -> Vec<u32> {
    let tracks = || (0..trace.tracks.len() as u32).map(TrackId);
    let coded: Vec<u32> = names.iter().map(|&name| coder.text(name)).collect();
    let mut codes = Vec::with_capacity(PointRows::of(trace).len());
    for (id, &code) in tracks().zip(&coded) {
        codes.resize(codes.len() + trace.tracks.spans(id).len(), code);
    }
    codes.resize(trace.spans.len(), NONE);
    for (id, &code) in tracks().zip(&coded) {
        codes.resize(codes.len() + trace.tracks.events(id).len(), code);
    }
    codes.resize(PointRows::of(trace).len(), NONE);
    codes
}

fn by_item(trace: &Trace, attribute: Attribute, coder: &mut Coder) -> Vec<u32> {
    let rows = PointRows::of(trace);
    // The event name is stored only where it differs from the item's name.
    let event_name = trace.key(attribute_names::EVENT_NAME).map(Attribute::Text);
    match attribute {
        Attribute::Name => rows.all(|item| coder.text(trace.name(item))),
        Attribute::Kind => by_look(trace, |kind, _| coder.word(kind.name())),
        Attribute::Status => by_look(trace, |_, flags| coder.word(outcome_name(outcome(flags)))),
        Attribute::Statement => {
            let texts = StatementTexts::new(trace);
            rows.all(|item| match item {
                Item::Span(id) if trace.spans.kind(id) == Kind::Query => coder.text(texts.of(item)),
                _ => NONE,
            })
        }
        Attribute::Parent => rows.all(|item| parent_name(trace, item).map_or(NONE, |name| coder.text(name))),
        Attribute::Text(key) => {
            let texts = AttributeColumn::<StrId>::new(trace, key);
            let or_name = event_name == Some(attribute);
            rows.all(|item| match texts.of(item).some() {
                Some(text) => coder.text(text),
                None if or_name => coder.text(trace.name(item)),
                None => NONE,
            })
        }
        Attribute::Inside(key) => inside(trace, key, coder),
        // Attributes of tracks and numeric attributes are computed elsewhere.
        _ => vec![NONE; rows.len()],
    }
}

/// Codes of a text of every item, inherited from the nearest ancestor that has the text.
fn inside(trace: &Trace, key: Key, coder: &mut Coder) -> Vec<u32> {
    let rows = PointRows::of(trace);
    let texts = AttributeColumn::<StrId>::new(trace, key);
    let mut codes: Vec<u32> = Vec::with_capacity(rows.len());
    chunked::for_each(0..rows.len() as u32, |row| {
        let item = rows.item(row);
        codes.push(match texts.of(item).some() {
            Some(text) => coder.text(text),
            None => rows.above(trace, row as usize, item).map_or(NONE, |above| codes[above]),
        });
    });
    codes
}

/// Codes of an attribute that is determined by the kind and flags of each item.
fn by_look(trace: &Trace, mut code: impl FnMut(Kind, Flags) -> u32) -> Vec<u32> {
    let mut codes = trace.spans.map_kind_and_flags(&mut code);
    codes.extend(trace.events.map_kind_and_flags(&mut code));
    codes
}

pub(super) fn parent_name(trace: &Trace, item: Item) -> Option<StrId> {
    let parent: SpanId = trace.parent(item)?;
    trace.contains(Item::Span(parent)).then(|| trace.spans.name(parent))
}

/// Assigns codes to values.
struct Coder {
    values: Vec<AttributeValue>,
    /// By interned text: its code, or [`NONE`] if the text has no code yet.
    texts: Vec<u32>,
}

impl Coder {
    fn new(trace: &Trace) -> Self {
        Self { values: vec![AttributeValue::None], texts: vec![NONE; trace.strings.len()] }
    }

    #[inline]
    fn text(&mut self, text: StrId) -> u32 {
        let Some(code) = self.texts.get_mut(text.0 as usize) else { return NONE };
        if *code == NONE {
            *code = self.values.len() as u32;
            self.values.push(AttributeValue::Text(text));
        }
        *code
    }

    fn word(&mut self, word: &'static str) -> u32 {
        let found = self
            .values
            .iter()
            .position(|value| matches!(value, AttributeValue::Word(known) if *known == word));
        found.unwrap_or_else(|| {
            self.values.push(AttributeValue::Word(word));
            self.values.len() - 1
        }) as u32
    }
}
