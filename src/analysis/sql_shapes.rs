//! [`SqlShapes`]: shapes of the statements of a trace, each computed once.

use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::sql;
use crate::trace::Trace;

/// Distinct shapes of statements.
#[derive(Default)]
pub struct SqlShapes {
    of_statement: FxHashMap<StrId, u32>,
    texts: Interner,
    /// Shape that is being written, kept for its capacity.
    buffer: String,
}

impl SqlShapes {
    /// Text of a shape.
    pub fn get(&self, shape: u32) -> &str {
        if (shape as usize) < self.texts.len() { self.texts.get(StrId(shape)) } else { "" }
    }

    /// Returns the index of a statement's shape.
    pub fn of(&mut self, trace: &Trace, statement: StrId) -> u32 {
        let Self { of_statement, texts, buffer } = self;
        *of_statement.entry(statement).or_insert_with(|| {
            sql::write_shape(trace.str(statement), buffer);
            texts.intern(buffer).0
        })
    }
}
