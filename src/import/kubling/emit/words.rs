//! What is the same in every trace: the shapes of spans and events, and the names that no record gives.

use crate::import::kubling::schema::Type;
use crate::strings::StrId;
use crate::trace::{ShapeId, TraceBuilder, key};

/// What a span or event is made of, by kind.
pub struct Shapes {
    pub request: ShapeId,
    pub query: ShapeId,
    pub source: ShapeId,
    pub execution: ShapeId,
    pub buffer: ShapeId,
    pub bare: ShapeId,
}

impl Shapes {
    pub fn new(builder: &mut TraceBuilder) -> Self {
        use key::*;
        Self {
            request: builder.shape(&[], &[QUERY_ID, DATABASE]),
            query: builder.shape(&[], &[SQL, QUERY_ID, DATABASE, ERROR]),
            source: builder.shape(
                &[ROWS_READ, ROWS_RETURNED, REPORTED_DURATION],
                &[CONNECTOR, DATASOURCE, TUPLE_SOURCE],
            ),
            execution: builder.shape(
                &[ROWS_READ, ROWS_RETURNED, READ_TIME],
                &[CONNECTOR, DATASOURCE, COMMAND_TYPE, COMMAND, TUPLE_SOURCE],
            ),
            buffer: builder.shape(&[BYTES, ELEMENTS], &[]),
            bare: builder.shape(&[], &[]),
        }
    }
}

/// Names that are the same in every trace.
pub struct Words {
    pub request: StrId,
    pub round: StrId,
    pub execution: StrId,
    pub buffer: StrId,
    pub source: StrId,
    pub no_query: StrId,
    /// The buffer events that reach secondary storage.
    pub storage: [StrId; 2],
}

impl Words {
    pub fn new(builder: &mut TraceBuilder) -> Self {
        let mut word = |text| builder.strings().intern(text);
        Self {
            request: word("request"),
            round: word(Type::RequestStart.name()),
            execution: word("execution"),
            buffer: word("buffer"),
            source: word("source"),
            no_query: word("(no queryId)"),
            storage: ["SPILL", "PHYSICAL_WRITE"].map(&mut word),
        }
    }
}
