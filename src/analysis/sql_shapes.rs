//! [`SqlShapes`]: shapes of the statements of a trace, each computed once.

use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::sql;
use crate::trace::Trace;

/// Distinct shapes of statements. Shapes that differ only in upper and lower case are one, as in filters; its text is the first of
/// them.
#[derive(Default)]
pub struct SqlShapes {
    of_statement: FxHashMap<StrId, u32>,
    texts: Vec<String>,
    /// The texts in lower case.
    keys: Interner,
    /// Shape that is being written, kept for its capacity.
    buffer: String,
}

impl SqlShapes {
    /// Text of a shape.
    pub fn get(&self, shape: u32) -> &str {
        self.texts.get(shape as usize).map_or("", String::as_str)
    }

    /// Returns the index of a statement's shape.
    pub fn of(&mut self, trace: &Trace, statement: StrId) -> u32 {
        let Self { of_statement, texts, keys, buffer } = self;
        *of_statement.entry(statement).or_insert_with(|| {
            sql::write_shape(trace.str(statement), buffer);
            let shape = keys.intern(&buffer.to_lowercase()).0;
            // The interner begins with the empty text.
            if texts.len() < keys.len() {
                texts.resize(keys.len(), String::new());
                texts[shape as usize].clone_from(buffer);
            }
            shape
        })
    }
}
