//! Arguments as the trace keeps them: numbers and texts by shape.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::args::{Arg, Args, ArgsId};
use crate::strings::StrId;
use crate::trace::{ShapeId, TraceBuilder, Unit};

/// Turns the arguments of one event, or of a B with those of its E, into what the builder takes.
pub struct Values<'a> {
    args: &'a Args,
    shapes: HashMap<(Option<u16>, Option<u16>), ShapeId, FxBuildHasher>,
    merged: Vec<(StrId, Arg)>,
    pub nums: Vec<Option<i64>>,
    pub texts: Vec<StrId>,
}

impl<'a> Values<'a> {
    pub fn new(args: &'a Args) -> Self {
        let (shapes, merged) = (HashMap::default(), Vec::new());
        Self { args, shapes, merged, nums: Vec::new(), texts: Vec::new() }
    }

    /// Fills `nums` and `texts`. What both events say counts as the end says it.
    pub fn take(&mut self, of: [Option<ArgsId>; 2], builder: &mut TraceBuilder) -> ShapeId {
        let [begin, end] = of;
        // The two events of one record are one.
        let end = end.filter(|end| begin.is_none_or(|begin| !begin.is(*end)));
        self.merged.clear();
        self.merged.extend(begin.into_iter().flat_map(|id| self.args.of(id)));
        for (key, arg) in end.into_iter().flat_map(|id| self.args.of(id)) {
            match self.merged.iter_mut().find(|(known, _)| *known == key) {
                Some((_, value)) => *value = arg,
                None => self.merged.push((key, arg)),
            }
        }
        self.nums.clear();
        self.texts.clear();
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

    fn shape(&self, builder: &mut TraceBuilder) -> ShapeId {
        let (mut num_keys, mut text_keys) = (Vec::new(), Vec::new());
        for &(key, arg) in &self.merged {
            let name = builder.strings().get(key).to_owned();
            match arg {
                Arg::Text(_) => text_keys.push(builder.key(&name, Unit::Text)),
                _ if self.args.has_decimals(key) => num_keys.push(builder.key(&name, Unit::Millionths)),
                _ => num_keys.push(builder.key(&name, Unit::Count)),
            }
        }
        builder.shape(&num_keys, &text_keys)
    }
}
