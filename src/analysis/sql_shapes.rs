//! [`SqlShapes`]: the shape of every statement of a trace, found once.

use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::sql;
use crate::trace::Trace;

/// Shapes of statements, each once.
#[derive(Default)]
pub struct SqlShapes {
    of_statement: FxHashMap<StrId, u32>,
    ids: FxHashMap<String, u32>,
    texts: Vec<String>,
}

impl SqlShapes {
    /// The text of a shape.
    pub fn get(&self, shape: u32) -> &str {
        self.texts.get(shape as usize).map_or("", String::as_str)
    }

    /// The shape of a statement.
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
