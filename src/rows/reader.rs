//! [`ColumnReader`]: reads the values of one column by row, and copies them into plain data.

use std::borrow::Cow;
use std::ops::Range;

use crate::base::FxHashMap;
use crate::protocol::ColumnValues;
use crate::trace::{StrId, Trace};

use super::lists::AttributeRow;

/// The rows of a part of a table: a range of items of the trace, or a list of attributes.
pub enum RowSource {
    Range(Range<usize>),
    Attributes(Vec<AttributeRow>),
}

impl RowSource {
    /// The indices by which a [`ColumnReader`] reads these rows.
    pub fn indices(&self) -> Range<usize> {
        match self {
            Self::Range(range) => range.clone(),
            Self::Attributes(rows) => 0..rows.len(),
        }
    }
}

type ReadValue<'a, T> = Box<dyn Fn(usize) -> Option<T> + 'a>;

/// Reads the values of a column by row; a missing value is `None`.
pub enum ColumnReader<'a> {
    Number(ReadValue<'a, i64>),
    Flag(ReadValue<'a, bool>),
    /// Texts, as ids of interned strings of the trace.
    Id(ReadValue<'a, StrId>),
    Text(ReadValue<'a, Cow<'a, str>>),
}

impl<'a> ColumnReader<'a> {
    pub fn number(read: impl Fn(usize) -> Option<i64> + 'a) -> Self {
        Self::Number(Box::new(read))
    }

    pub fn flag(read: impl Fn(usize) -> Option<bool> + 'a) -> Self {
        Self::Flag(Box::new(read))
    }

    pub fn id(read: impl Fn(usize) -> Option<StrId> + 'a) -> Self {
        Self::Id(Box::new(read))
    }

    pub fn text(read: impl Fn(usize) -> Option<Cow<'a, str>> + 'a) -> Self {
        Self::Text(Box::new(read))
    }

    /// The values of these rows.
    pub fn values(&self, trace: &Trace, rows: Range<usize>) -> ColumnValues {
        match self {
            Self::Number(read) => numbers(rows, read),
            Self::Flag(read) => ColumnValues::Flags(rows.map(|row| read(row).map_or(2, u8::from)).collect()),
            Self::Id(read) => ids(trace, rows, read),
            Self::Text(read) => texts(rows, read),
        }
    }
}

fn numbers(rows: Range<usize>, read: &dyn Fn(usize) -> Option<i64>) -> ColumnValues {
    let mut values = Vec::with_capacity(rows.len());
    let mut present = Vec::new();
    for (at, row) in rows.enumerate() {
        let value = read(row);
        if value.is_none() && present.is_empty() {
            present.resize(at, 1);
        }
        if value.is_none() || !present.is_empty() {
            present.push(u8::from(value.is_some()));
        }
        values.push(value.unwrap_or(0));
    }
    ColumnValues::Numbers { values, present }
}

/// Copies texts that are given by their ids. Each distinct text is copied once.
fn ids(trace: &Trace, rows: Range<usize>, read: &dyn Fn(usize) -> Option<StrId>) -> ColumnValues {
    let mut known: FxHashMap<StrId, i32> = FxHashMap::default();
    let mut texts = Vec::new();
    let mut last = (StrId::NONE, -1);
    let mut index_of = |id: StrId| {
        if last.0 != id {
            let next = texts.len() as i32;
            let index = *known.entry(id).or_insert(next);
            if index == next {
                texts.push(trace.str(id).to_owned());
            }
            last = (id, index);
        }
        last.1
    };
    let indices = rows.map(|row| read(row).and_then(StrId::some).map_or(-1, &mut index_of)).collect();
    ColumnValues::Texts { indices, texts }
}

fn texts<'a>(rows: Range<usize>, read: &dyn Fn(usize) -> Option<Cow<'a, str>>) -> ColumnValues {
    let mut known: FxHashMap<Cow<'a, str>, i32> = FxHashMap::default();
    let mut texts = Vec::new();
    let mut index_of = |text: Cow<'a, str>| {
        let next = texts.len() as i32;
        *known.entry(text).or_insert_with_key(|text| {
            texts.push(text.as_ref().to_owned());
            next
        })
    };
    let indices = rows.map(|row| read(row).map_or(-1, &mut index_of)).collect();
    ColumnValues::Texts { indices, texts }
}
