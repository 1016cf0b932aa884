//! [`SqlShapes`]: shapes of the statements of a trace, each computed once.

use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::sql;
use crate::trace::Trace;

/// Distinct shapes of statements. Shapes that differ only in upper and lower case are one, as in filters; its text is the first of
/// them.
#[derive(Default)]
pub struct SqlShapes {
    of_statement: FxHashMap<StrId, u32>,
    texts: Vec<String>,
    /// By text in lower case: the shape.
    of_lower_case: FxHashMap<String, u32>,
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
        let Self { of_statement, texts, of_lower_case, buffer } = self;
        *of_statement.entry(statement).or_insert_with(|| {
            sql::write_shape(trace.str(statement), buffer);
            let next = texts.len() as u32;
            let shape = *of_lower_case.entry(buffer.to_lowercase()).or_insert(next);
            if shape == next {
                texts.push(buffer.clone());
            }
            shape
        })
    }
}
