//! [`AttributeSets`]: the combinations of attributes that occur in lines; each combination becomes a record type.

use crate::base::interner::StrId;
use crate::base::{FxHashMap, FxHashSet};
use crate::trace::{Key, NumKey, RecordTable, RecordTypeId, TraceBuilder, Unit};

/// Maximum number of combinations.
const MAX_SETS: usize = 4_096;

/// An attribute of a line: its name, and how it is written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AttributeName {
    /// Name of an attribute that is written as a whole number.
    Whole(StrId),
    /// Name of an attribute that is written as a number with a decimal point.
    Decimal(StrId),
    /// Name of an attribute that is written as a text.
    Text(StrId),
}

/// Combinations of attributes, and the units of attributes.
#[derive(Default)]
pub struct AttributeSets {
    by_names: FxHashMap<Vec<AttributeName>, RecordTypeId>,
    list: Vec<(RecordTypeId, Vec<AttributeName>)>,
    /// Units that the files declare for attributes, by attribute name, in the order of the file.
    declared: Vec<(StrId, Unit)>,
    known: FxHashSet<(StrId, Unit)>,
    decimals: FxHashSet<StrId>,
}

impl AttributeSets {
    /// Records the unit of an attribute.
    pub fn declare(&mut self, name: StrId, unit: Unit) {
        if self.known.insert((name, unit)) {
            self.declared.push((name, unit));
        }
    }

    /// Returns the record type with these attributes, numbers first; `None` if there are too many record types.
    pub fn of(&mut self, names: &[AttributeName], records: &mut RecordTable) -> Option<RecordTypeId> {
        if let Some(&known) = self.by_names.get(names) {
            return Some(known);
        }
        if self.list.len() >= MAX_SETS {
            return None;
        }
        let texts = names.iter().filter(|name| matches!(name, AttributeName::Text(_))).count();
        let record_type = records.add_type(vec![None; names.len() - texts], vec![None; texts]);
        self.decimals.extend(names.iter().filter_map(|name| match name {
            AttributeName::Decimal(name) => Some(*name),
            _ => None,
        }));
        self.by_names.insert(names.to_vec(), record_type);
        self.list.push((record_type, names.to_vec()));
        Some(record_type)
    }

    /// Sets the keys of all record types.
    pub fn name(&self, builder: &mut TraceBuilder) {
        for &(name, unit) in &self.declared {
            key(builder, name, unit);
        }
        for (record_type, names) in &self.list {
            let (mut nums, mut texts) = (Vec::new(), Vec::new());
            for name in names {
                match name {
                    AttributeName::Whole(name) => nums.push(Some(self.whole(builder, *name))),
                    AttributeName::Decimal(name) => {
                        nums.push(Some(NumKey { key: key(builder, *name, Unit::Millionths), factor: 1 }));
                    }
                    AttributeName::Text(name) => texts.push(Some(key(builder, *name, Unit::Text))),
                }
            }
            builder.name_reported(*record_type, nums, texts);
        }
    }

    /// Key of a text attribute of tracks.
    pub fn text_key(&self, builder: &mut TraceBuilder, name: StrId) -> Key {
        key(builder, name, Unit::Text)
    }

    /// Key of an attribute written as a whole number: a decimal key if other lines write it with a decimal point.
    fn whole(&self, builder: &mut TraceBuilder, name: StrId) -> NumKey {
        let declared = self.declared.iter().find(|(known, unit)| *known == name && *unit != Unit::Millionths);
        match declared {
            Some((_, unit)) => NumKey { key: key(builder, name, *unit), factor: 1 },
            None if self.decimals.contains(&name) || self.known.contains(&(name, Unit::Millionths)) => {
                NumKey { key: key(builder, name, Unit::Millionths), factor: 1_000_000 }
            }
            None => NumKey { key: key(builder, name, Unit::Count), factor: 1 },
        }
    }
}

fn key(builder: &mut TraceBuilder, name: StrId, unit: Unit) -> Key {
    let name = builder.strings().get(name).to_owned();
    builder.key(&name, unit)
}
