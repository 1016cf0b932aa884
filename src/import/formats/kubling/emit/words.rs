//! Shapes of spans and events, and names that are not in the records: the same in every trace.

use crate::base::interner::StrId;
use crate::import::formats::kubling::schema::KublingEventType;
use crate::trace::{ShapeId, TraceBuilder, key};

/// Shapes of the attributes that spans have in addition to their records' values, by kind of span.
pub struct KublingShapes {
    pub query: ShapeId,
    pub source: ShapeId,
    pub bare: ShapeId,
}

impl KublingShapes {
    pub fn new(builder: &mut TraceBuilder) -> Self {
        use key::*;
        Self {
            query: builder.shape(&[], &[QUERY_ID, DATABASE]),
            source: builder.shape(&[], &[DATASOURCE]),
            bare: builder.shape(&[], &[]),
        }
    }
}

/// Names of spans, tracks and values that are the same in every trace.
pub struct KublingNames {
    pub request: StrId,
    pub round: StrId,
    pub execution: StrId,
    pub buffer: StrId,
    pub source: StrId,
    pub no_query: StrId,
    /// Types of buffer events that reach secondary storage.
    pub storage: [StrId; 2],
}

impl KublingNames {
    pub fn new(builder: &mut TraceBuilder) -> Self {
        let mut word = |text| builder.strings().intern(text);
        Self {
            request: word("request"),
            round: word(KublingEventType::RequestStart.name()),
            execution: word("execution"),
            buffer: word("buffer"),
            source: word("source"),
            no_query: word("(no queryId)"),
            storage: ["SPILL", "PHYSICAL_WRITE"].map(&mut word),
        }
    }
}
