//! Executed plan of a statement: its instructions in plan order, and the intermediate results that they pass to each
//! other.

use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::base::sort;
use crate::trace::{Item, Key, Kind, SpanId, Trace, attribute_names, key};

/// Identity of an instruction in a plan.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Instruction {
    /// The MAL function that holds the instruction; `None` if it is not reported. Every function of a plan numbers its
    /// instructions from the start.
    pub program: Option<StrId>,
    /// Number of the instruction within its function; `None` if it is not reported, as by `TRACE`.
    pub place: Option<i64>,
    /// Text of the instruction.
    pub text: StrId,
}

/// Instruction of a plan, with the totals of its runs.
#[derive(Clone, Copy, Debug)]
pub struct InstructionRuns {
    /// Instruction that was run.
    pub instruction: Instruction,
    /// Start of the first run, in nanoseconds.
    pub start: i64,
    /// Span of the longest run.
    pub longest: SpanId,
    pub runs: u32,
    pub time: i64,
    pub rows: Option<i64>,
    pub bytes: Option<i64>,
}

/// Whether the trace has instructions of plans, at least one of which is work. A recording may have whole functions only.
pub fn has_plans(trace: &Trace) -> bool {
    let has_values = |name| trace.key(name).is_some_and(|key| trace.keys_in_use().contains(&key));
    trace.spans.has(Kind::Slice)
        && [attribute_names::PLAN_TEXT, attribute_names::STEP].into_iter().all(has_values)
}

/// Returns the instruction that an item is a run of; `None` if it is none.
pub fn instruction(trace: &Trace, item: Item) -> Option<Instruction> {
    let place = trace.key(attribute_names::PLAN_PLACE).and_then(|key| trace.num(item, key));
    let text = trace.text(item, trace.key(attribute_names::PLAN_TEXT)?)?;
    let program = trace.key(attribute_names::PROGRAM).and_then(|key| trace.text(item, key));
    Some(Instruction { program, place, text })
}

/// Returns the instructions of a plan with their runs: functions in the order in which they first started, instructions in
/// the order of the plan, or by their start where their number is not reported.
pub fn steps(trace: &Trace, counts: impl Fn(SpanId) -> bool) -> Vec<InstructionRuns> {
    let Some(text) = trace.key(attribute_names::PLAN_TEXT) else { return Vec::new() };
    let place = trace.key(attribute_names::PLAN_PLACE);
    let (rows, program) = (trace.key(attribute_names::ROWS_OUT), trace.key(attribute_names::PROGRAM));
    let mut known: FxHashMap<Instruction, InstructionRuns> = FxHashMap::default();
    for id in (0..trace.spans.len() as u32).map(SpanId).filter(|id| counts(*id)) {
        let item = Item::Span(id);
        let num = |key: Option<Key>| key.and_then(|key| trace.num(item, key));
        let Some(text) = trace.text(item, text) else { continue };
        let place = num(place);
        let program = program.and_then(|key| trace.text(item, key));
        let (duration, start) = (trace.duration(id), trace.spans.start(id));
        let instruction = Instruction { program, place, text };
        let new =
            InstructionRuns { instruction, start, longest: id, runs: 0, time: 0, rows: None, bytes: None };
        let step = known.entry(instruction).or_insert(new);
        step.start = step.start.min(start);
        if duration > trace.duration(step.longest) {
            step.longest = id;
        }
        step.runs += 1;
        step.time = step.time.saturating_add(duration);
        step.rows = num(rows).max(step.rows);
        step.bytes = num(Some(key::BYTES)).max(step.bytes);
    }
    in_order(known.into_values().collect())
}

/// Sorts the steps by function, then by their order in the plan.
fn in_order(mut steps: Vec<InstructionRuns>) -> Vec<InstructionRuns> {
    sort::by_key(&mut steps, |step| {
        (step.instruction.place.unwrap_or(step.start), u64::from(step.longest.0))
    });
    let mut begins: FxHashMap<Option<StrId>, i64> = FxHashMap::default();
    for step in &steps {
        let begin = begins.entry(step.instruction.program).or_insert(step.start);
        *begin = (*begin).min(step.start);
    }
    sort::by_key(&mut steps, |step| {
        let program = step.instruction.program;
        (begins[&program], program.map_or(0, |program| u64::from(program.0) + 1))
    });
    steps
}

/// Intermediate result, from its creation until its last use.
#[derive(Clone, Copy, Debug)]
pub struct Intermediate {
    /// Name of the variable.
    pub name: StrId,
    /// Span of the instruction that made the result.
    pub maker: SpanId,
    /// Times of creation and of the last use, in nanoseconds.
    pub life: (i64, i64),
    /// Number of instructions that used the result.
    pub readers: u32,
    /// Bytes of all results of `maker`; `None` if they were not reported.
    pub bytes: Option<i64>,
}

/// Returns all intermediate results of spans for which `counts` is true, the largest first, and the time and size of
/// the peak of bytes held.
pub fn values(trace: &Trace, counts: impl Fn(SpanId) -> bool) -> (Vec<Intermediate>, Option<(i64, i64)>) {
    let mut known: FxHashMap<(SpanId, StrId), Intermediate> = FxHashMap::default();
    for flow in trace.flows.iter().filter(|flow| counts(flow.from)) {
        let made = trace.spans.get(flow.from).end_time();
        let bytes = || trace.num(Item::Span(flow.from), key::BYTES);
        let value = known.entry((flow.from, flow.name)).or_insert_with(|| Intermediate {
            name: flow.name,
            maker: flow.from,
            life: (made, made),
            readers: 0,
            bytes: bytes(),
        });
        value.life.1 = value.life.1.max(trace.spans.get(flow.to).end_time());
        value.readers += 1;
    }
    let mut all: Vec<Intermediate> = known.into_values().collect();
    sort::by_key(&mut all, |value| {
        (value.bytes.unwrap_or(-1).saturating_neg(), u64::from(value.maker.0) << 32 | u64::from(value.name.0))
    });
    let most = most(&all);
    (all, most)
}

/// Time and size of the peak of bytes held; `None` if no bytes are reported. The bytes of one maker count once.
fn most(values: &[Intermediate]) -> Option<(i64, i64)> {
    let mut lives: FxHashMap<SpanId, (i64, i64, i64)> = FxHashMap::default();
    for value in values {
        let Some(bytes) = value.bytes.filter(|bytes| *bytes > 0) else { continue };
        let life = lives.entry(value.maker).or_insert((value.life.0, value.life.1, bytes));
        life.1 = life.1.max(value.life.1);
    }
    let turns =
        lives.into_values().flat_map(|(from, to, bytes)| [(from, bytes), (to, bytes.saturating_neg())]);
    let mut turns: Vec<(i64, i64)> = turns.collect();
    // At the same time, results that end come before results that are created.
    sort::by_key(&mut turns, |turn| (turn.0, sort::ordered(turn.1)));
    let (mut now, mut most) = (0_i64, None);
    for (time, change) in turns {
        now = now.saturating_add(change);
        if most.is_none_or(|(_, known)| now > known) {
            most = Some((time, now));
        }
    }
    most
}
