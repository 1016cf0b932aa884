//! [`Cells`]: the values of one column, and the array that is made of them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use datafusion::arrow::array::{
    ArrayRef, BooleanArray, DictionaryArray, Int32Array, Int64Array, StringArray, StringDictionaryBuilder,
};
use datafusion::arrow::datatypes::Int32Type;
use queryscope::internal::sql::shape;
use queryscope::trace::{Item, SpanId, StrId, Trace, key};

use super::lists::AttributeRow;

/// The rows of a batch: items of the trace, or rows that were listed.
pub enum Rows {
    Range(Range<usize>),
    Attributes(Vec<AttributeRow>),
}

impl Rows {
    /// The numbers by which [`Cells`] are asked.
    pub fn indices(&self) -> Range<usize> {
        match self {
            Self::Range(range) => range.clone(),
            Self::Attributes(rows) => 0..rows.len(),
        }
    }
}

type Ask<'a, T> = Box<dyn Fn(usize) -> Option<T> + 'a>;

/// The values of a column, by row.
pub enum Cells<'a> {
    Number(Ask<'a, i64>),
    Flag(Ask<'a, bool>),
    /// Texts of the trace's table of texts.
    Id(Ask<'a, StrId>),
    Text(Ask<'a, Cow<'a, str>>),
}

impl<'a> Cells<'a> {
    pub fn number(ask: impl Fn(usize) -> Option<i64> + 'a) -> Self {
        Self::Number(Box::new(ask))
    }

    pub fn flag(ask: impl Fn(usize) -> Option<bool> + 'a) -> Self {
        Self::Flag(Box::new(ask))
    }

    pub fn id(ask: impl Fn(usize) -> Option<StrId> + 'a) -> Self {
        Self::Id(Box::new(ask))
    }

    pub fn text(ask: impl Fn(usize) -> Option<Cow<'a, str>> + 'a) -> Self {
        Self::Text(Box::new(ask))
    }

    /// The values of these rows.
    pub fn array(&self, trace: &Trace, rows: Range<usize>) -> ArrayRef {
        match self {
            Self::Number(ask) => Arc::new(rows.map(ask).collect::<Int64Array>()),
            Self::Flag(ask) => Arc::new(rows.map(ask).collect::<BooleanArray>()),
            Self::Id(ask) => ids(trace, rows.map(|row| ask(row).and_then(StrId::some))),
            Self::Text(ask) => {
                let mut texts = StringDictionaryBuilder::<Int32Type>::new();
                rows.for_each(|row| texts.append_option(ask(row)));
                Arc::new(texts.finish())
            }
        }
    }
}

/// A dictionary array: each text is looked up by its id, and copied once.
fn ids(trace: &Trace, ids: impl Iterator<Item = Option<StrId>>) -> ArrayRef {
    let mut known: HashMap<StrId, i32> = HashMap::new();
    let mut texts: Vec<&str> = Vec::new();
    let mut last: Option<(StrId, i32)> = None;
    let keys: Int32Array = ids
        .map(|id| {
            let id = id?;
            if let Some((_, number)) = last.filter(|(known, _)| *known == id) {
                return Some(number);
            }
            let number = *known.entry(id).or_insert_with(|| {
                texts.push(trace.str(id));
                texts.len() as i32 - 1
            });
            last = Some((id, number));
            Some(number)
        })
        .collect();
    let values: ArrayRef = Arc::new(StringArray::from(texts));
    match DictionaryArray::<Int32Type>::try_new(keys.clone(), values) {
        Ok(array) => Arc::new(array),
        // Every key is the position of a text, so this is not reached.
        Err(_) => Arc::new(DictionaryArray::<Int32Type>::from_iter(vec![None::<&str>; keys.len()])),
    }
}

/// Shapes of the statements of a trace.
pub struct Shapes(HashMap<StrId, String>);

impl Shapes {
    pub fn of(trace: &Trace) -> Self {
        let mut shapes = HashMap::new();
        for span in (0..trace.spans.len() as u32).map(|id| Item::Span(SpanId(id))) {
            if let Some(sql) = trace.text(span, key::SQL) {
                shapes.entry(sql).or_insert_with(|| shape(trace.str(sql)));
            }
        }
        Self(shapes)
    }

    pub fn get(&self, statement: StrId) -> Option<&str> {
        self.0.get(&statement).map(String::as_str)
    }
}
