//! [`SqlShapes`]: shapes of the statements of a trace, each computed once.

use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::sql;
use crate::trace::Trace;

/// Distinct shapes of statements.
#[derive(Default)]
pub struct SqlShapes {
    of_statement: FxHashMap<StrId, u32>,
    ids: FxHashMap<String, u32>,
    texts: Vec<String>,
}

impl SqlShapes {
    /// Text of a shape.
    pub fn get(&self, shape: u32) -> &str {
        self.texts.get(shape as usize).map_or("", String::as_str)
    }

    /// Returns the index of a statement's shape.
    pub fn of(&mut self, trace: &Trace, statement: StrId) -> u32 {
        if let Some(&shape) = self.of_statement.get(&statement) {
            return shape;
        }
        let text = sql::shape(trace.str(statement));
        let next = self.texts.len() as u32;
        let texts = &mut self.texts;
        let shape = *self.ids.entry(text).or_insert_with_key(|text| {
            texts.push(text.clone());
            next
        });
        self.of_statement.insert(statement, shape);
        shape
    }
}
