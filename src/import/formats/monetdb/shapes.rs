//! Argument shapes of spans, and their measured durations.

use super::store::NONE;
use crate::trace::{Flags, ShapeId, Span, TraceBuilder, Unit, attribute_names, key};

/// Argument shapes of spans, by kind. Each has two variants: without and with a reported duration, which a span has if
/// it differs from its end minus its start.
pub struct MonetDbShapes {
    pub plain: [ShapeId; 2],
    pub query: [ShapeId; 2],
    instruction: [ShapeId; 2],
    /// Shapes of an instruction that works on one part of a table (mitosis).
    of_part: [ShapeId; 2],
}

impl MonetDbShapes {
    pub fn new(builder: &mut TraceBuilder) -> Self {
        let [pc, rows, round, part] = [
            (attribute_names::PLAN_PLACE, Unit::Count),
            (attribute_names::ROWS_OUT, Unit::Rows),
            ("iteration", Unit::Count),
            (attribute_names::PART, Unit::Count),
        ]
        .map(|(name, unit)| builder.key(name, unit));
        let [statement, step, algorithm, program] =
            [attribute_names::PLAN_TEXT, attribute_names::STEP, "algorithm", attribute_names::PROGRAM]
                .map(|name| builder.key(name, Unit::Text));
        let texts = [key::CATEGORY, statement, step, algorithm, program];
        let nums = [pc, rows, key::BYTES, round, part];
        let took = key::REPORTED_DURATION;
        Self {
            plain: [builder.shape(&[], &[]), builder.shape(&[took], &[])],
            query: [&[][..], &[took]].map(|nums| builder.shape(nums, &[key::SQL, key::QUERY_ID])),
            instruction: [&nums[..4], &[pc, rows, key::BYTES, round, took]]
                .map(|nums| builder.shape(nums, &texts)),
            of_part: [&nums[..], &[pc, rows, key::BYTES, round, part, took]]
                .map(|nums| builder.shape(nums, &texts)),
        }
    }

    /// Returns the argument shape of an instruction, and its numbers for that shape. `nums` are pc, rows, bytes,
    /// iteration, part of a table, and reported duration.
    pub fn instruction(&self, nums: [Option<i64>; 6]) -> (ShapeId, Vec<Option<i64>>) {
        let [pc, rows, bytes, round, part, took] = nums;
        let shapes = if part.is_some() { self.of_part } else { self.instruction };
        let more = [part, took].into_iter().filter(Option::is_some);
        (shapes[usize::from(took.is_some())], [pc, rows, bytes, round].into_iter().chain(more).collect())
    }
}

/// Flags the span if the duration that the server measured, `took`, differs from the span's end minus its start, and
/// returns the measured duration, which is then shown and summed. `None` if the two are equal or `took` is [`NONE`].
pub fn measured(span: &mut Span, took: i64) -> Option<i64> {
    let took = Some(took).filter(|took| *took != NONE && *took != span.duration)?;
    span.flags = span.flags.with(Flags::SERVER_TIMED).with(Flags::DURATION_DIFFERS);
    Some(took)
}
