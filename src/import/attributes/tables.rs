//! Arguments of events that consist of one record: they are stored once, as attributes of the record, from which the
//! trace reads them. Arguments of events that combine two records are stored in [`Args`] until the trace is built.

use std::borrow::Cow;

use super::args::{ArgSlot, ArgType, Args};
use crate::trace::{Key, NumKey, RecordId, RecordTable, RecordTypeId, TraceBuilder, Unit, attribute_names};

/// Record types of events that are stored as one record, one record type per shape of their arguments.
#[derive(Default)]
pub struct ArgumentTables {
    sorts: Vec<Option<RecordTypeId>>,
}

impl ArgumentTables {
    /// Stores the arguments added to `args` as attributes of `record`.
    #[inline]
    pub fn add(&mut self, args: &mut Args, shape: u16, record: RecordId, reported: &mut RecordTable) {
        let sort = match self.sorts.get(usize::from(shape)) {
            Some(Some(sort)) => *sort,
            _ => self.begin(args, shape, reported),
        };
        args.report(|nums, texts| reported.add(record, sort, nums, texts));
    }

    #[cold]
    fn begin(&mut self, args: &Args, shape: u16, reported: &mut RecordTable) -> RecordTypeId {
        let texts = args.slots(shape).iter().filter(|(_, sort)| *sort == ArgType::Text).count();
        // The names are known only after everything is read: see `name`.
        let sort = reported.add_type(vec![None; args.slots(shape).len() - texts], vec![None; texts]);
        let at = usize::from(shape);
        if self.sorts.len() <= at {
            self.sorts.resize(at + 1, None);
        }
        self.sorts[at] = Some(sort);
        sort
    }

    /// Names the attributes of records, for a trace under construction.
    pub fn name(&self, args: &Args, builder: &mut TraceBuilder) {
        for (shape, sort) in (0..).zip(&self.sorts) {
            let Some(sort) = *sort else { continue };
            let (mut nums, mut texts) = (Vec::new(), Vec::new());
            for &slot in args.slots(shape) {
                let key = key(slot, args, builder);
                // If some numbers of a key have decimals, all of its numbers are stored as millionths.
                let factor =
                    if slot.1 == ArgType::Whole && args.has_decimals(slot.0) { 1_000_000 } else { 1 };
                match slot.1 {
                    ArgType::Text => texts.push(Some(key)),
                    ArgType::Whole | ArgType::Millionths => nums.push(Some(NumKey { key, factor })),
                }
            }
            builder.name_reported(sort, nums, texts);
        }
    }
}

/// Returns the trace's key for an argument.
pub fn key((name, sort): ArgSlot, args: &Args, builder: &mut TraceBuilder) -> Key {
    let unit = match sort {
        ArgType::Text => Unit::Text,
        _ if args.has_decimals(name) => Unit::Millionths,
        _ => Unit::Count,
    };
    let name = shown_name(builder.strings().get(name), unit != Unit::Text).into_owned();
    builder.key(&name, unit)
}

/// Returns the name of an argument in the trace.
pub fn shown_name(name: &str, is_number: bool) -> Cow<'_, str> {
    let is_taken =
        || TAKEN.iter().chain(&attribute_names::OF_ALL).any(|taken| attribute_names::same(taken, name));
    match name.strip_prefix('\0') {
        Some(own) => own.into(),
        None if is_number && name == ERROR || is_taken() => ["args.", name].concat().into(),
        None => name.into(),
    }
}

/// Names of attributes that an event has in addition to its arguments and to the attributes of all traces. An argument
/// with such a name gets the prefix `args.`.
const TAKEN: [&str; 3] = ["category", "thread time", "self"];
/// Name of the error attribute of all traces. A text argument keeps this name; a number gets the prefix `args.`.
const ERROR: &str = "error";
