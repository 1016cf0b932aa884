//! Converts arguments to the attributes of a trace: numbers and texts by shape.

use super::args::{Arg, ArgType, Args, ArgsId};
use super::tables;
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::trace::{ShapeId, TraceBuilder};

/// Converts the arguments of one event, or of a begin event and its end event, to values for the trace builder.
pub struct ArgumentWriter<'a> {
    args: &'a Args,
    shapes: FxHashMap<(Option<u16>, Option<u16>), ShapeId>,
    /// By shape: conversion of the arguments of an event that is not combined with another event.
    alone: Vec<Option<Alone>>,
    merged: Vec<(StrId, Arg)>,
    /// Key whose value is taken from the first of two events, not from the last.
    of_begin: Option<StrId>,
    /// Key whose values are summed over both events, and dropped if only one event has it.
    of_both: Option<StrId>,
    pub nums: Vec<Option<i64>>,
    pub texts: Vec<StrId>,
    /// Whether arguments were dropped because there are too many combinations of keys.
    pub too_many: bool,
}

/// Conversion of the arguments of an event that is not combined with another event.
struct Alone {
    shape: ShapeId,
    /// How each argument is converted, in the order of the arguments.
    steps: Vec<ValueStep>,
}

#[derive(Clone, Copy)]
enum ValueStep {
    Text,
    Number,
    /// A whole number that is converted to millionths.
    Scaled,
    /// A number that is dropped, because it has a meaning only together with the number of a second event.
    Half,
}

impl<'a> ArgumentWriter<'a> {
    /// Creates a writer for `args`. If an item has a begin event and an end event, its value of `of_begin` is taken
    /// from the begin event, and its value of `of_both` is the sum of both events.
    pub fn new(args: &'a Args, of_begin: Option<StrId>, of_both: Option<StrId>) -> Self {
        let shapes = FxHashMap::default();
        let alone = Vec::new();
        let merged = Vec::new();
        let (nums, texts) = (Vec::new(), Vec::new());
        Self { args, shapes, alone, merged, of_begin, of_both, nums, texts, too_many: false }
    }

    /// Fills `nums` and `texts` with the arguments of one event, or of a begin and an end event, and returns their
    /// shape. If both events have a key, the end event's value counts.
    pub fn take(&mut self, of: [Option<ArgsId>; 2], builder: &mut TraceBuilder) -> ShapeId {
        let shape = self.taken(of, builder);
        self.too_many = shape == ShapeId::BARE && !(self.nums.is_empty() && self.texts.is_empty());
        shape
    }

    fn taken(&mut self, of: [Option<ArgsId>; 2], builder: &mut TraceBuilder) -> ShapeId {
        // The trace reads attributes of records from the record itself.
        let [begin, end] = of.map(|id| id.filter(|id| id.shape() != ArgsId::REPORTED.shape()));
        // Two handles of the same record are one event.
        let end = end.filter(|end| begin.is_none_or(|begin| !begin.is(*end)));
        self.nums.clear();
        self.texts.clear();
        match (begin, end) {
            (None, None) => return ShapeId::BARE,
            (Some(one), None) | (None, Some(one)) => return self.take_one(one, builder),
            (Some(_), Some(_)) => {}
        }
        self.merged.clear();
        self.merged.extend(begin.into_iter().flat_map(|id| self.args.of(id)));
        let mut half = self.of_both.filter(|key| self.merged.iter().any(|(known, _)| known == key));
        for (key, arg) in end.into_iter().flat_map(|id| self.args.of(id)) {
            match self.merged.iter_mut().find(|(known, _)| *known == key) {
                Some((_, value)) if Some(key) == self.of_both => {
                    half = None;
                    *value = sum(*value, arg);
                }
                Some((_, value)) if Some(key) != self.of_begin => *value = arg,
                Some(_) => {}
                None if Some(key) == self.of_both => {}
                None => self.merged.push((key, arg)),
            }
        }
        if half.is_some() {
            self.merged.retain(|(key, _)| Some(*key) != half);
        }
        for &(key, arg) in &self.merged {
            match arg {
                Arg::Text(text) => self.texts.push(text),
                Arg::Whole(n) if self.args.has_decimals(key) => self.nums.push(n.checked_mul(1_000_000)),
                Arg::Whole(n) | Arg::Millionths(n) => self.nums.push(Some(n)),
            }
        }
        let sorts = (begin.map(ArgsId::shape), end.map(ArgsId::shape));
        if let Some(shape) = self.shapes.get(&sorts) {
            return *shape;
        }
        let shape = self.shape(builder);
        self.shapes.insert(sorts, shape);
        shape
    }

    fn take_one(&mut self, one: ArgsId, builder: &mut TraceBuilder) -> ShapeId {
        let at = usize::from(one.shape());
        if self.alone.len() <= at {
            self.alone.resize_with(at + 1, || None);
        }
        if self.alone[at].is_none() {
            self.merged.clear();
            self.merged.extend(self.args.of(one));
            let step = |&(key, arg): &(StrId, Arg)| match arg {
                Arg::Whole(_) if Some(key) == self.of_both => ValueStep::Half,
                Arg::Text(_) => ValueStep::Text,
                Arg::Whole(_) if self.args.has_decimals(key) => ValueStep::Scaled,
                Arg::Whole(_) | Arg::Millionths(_) => ValueStep::Number,
            };
            let steps = self.merged.iter().map(step).collect();
            self.merged.retain(|(key, _)| Some(*key) != self.of_both);
            self.alone[at] = Some(Alone { shape: self.shape(builder), steps });
        }
        let Some(Alone { shape, steps }) = &self.alone[at] else { return ShapeId::BARE };
        let (mut num, mut text) = one.row();
        for step in steps {
            if let ValueStep::Text = step {
                self.texts.push(self.args.text_at(text));
                text += 1;
                continue;
            }
            let number = self.args.num_at(num);
            num += 1;
            if let ValueStep::Half = step {
                continue;
            }
            self.nums.push(if let ValueStep::Scaled = step {
                number.checked_mul(1_000_000)
            } else {
                Some(number)
            });
        }
        *shape
    }

    fn shape(&self, builder: &mut TraceBuilder) -> ShapeId {
        let (mut num_keys, mut text_keys) = (Vec::new(), Vec::new());
        for &(key, arg) in &self.merged {
            let sort = arg.sort();
            let keys = if sort == ArgType::Text { &mut text_keys } else { &mut num_keys };
            keys.push(tables::key((key, sort), self.args, builder));
        }
        builder.shape(&num_keys, &text_keys)
    }
}

/// Returns the sum of two whole numbers. If one of the values is not a whole number, returns `second`.
fn sum(first: Arg, second: Arg) -> Arg {
    match (first, second) {
        (Arg::Whole(first), Arg::Whole(second)) => Arg::Whole(first.saturating_add(second)),
        _ => second,
    }
}
