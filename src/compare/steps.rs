//! Divides the work of an execution into steps.

use std::cell::OnceCell;

use crate::analysis::{ChildSpans, SqlShapes, StepLabel, self_times};
use crate::base::FxHashMap;
use crate::base::sort;
use crate::trace::{Item, Key, Kind, SpanId, Trace, attribute_names, key};

/// Kind and label of a step, with its place in the plan, if it has one.
pub type StepKey = (Kind, StepLabel, Option<i64>);

/// Totals over all executions of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepRuns {
    /// Span of the longest execution.
    pub longest: SpanId,
    /// Duration of the longest execution, in nanoseconds.
    pub most: i64,
    pub place: Option<i64>,
    pub runs: u32,
    pub time: i64,
    pub rows: Option<i64>,
    pub bytes: Option<i64>,
}

/// Steps of both sides of a comparison.
pub struct Sides {
    /// Steps of each side, in the order of their first spans.
    pub steps: [Vec<(StepKey, StepRuns)>; 2],
    /// Whether the steps have places in a plan.
    pub has_places: bool,
}

/// Self times of all spans: those that the trace keeps, else computed when they are needed first.
#[derive(Default)]
pub struct SpanSelfTimes(OnceCell<Vec<i64>>);

impl SpanSelfTimes {
    fn of(&self, trace: &Trace, id: SpanId) -> i64 {
        let at = id.0 as usize;
        match trace.self_times() {
            Some(known) if at < known.len() => known.get(at),
            _ => {
                let all = self.0.get_or_init(|| self_times(trace, 0..trace.spans.len() as u32));
                all.get(at).copied().unwrap_or_default()
            }
        }
    }
}

impl Sides {
    /// Collects the steps of the executions with these root spans, with self time, or with inclusive time if `own` is
    /// `None`. Reads the spans inside the executions only.
    pub fn of(
        trace: &Trace,
        shapes: &mut SqlShapes,
        children: &ChildSpans,
        roots: [&[SpanId]; 2],
        own: Option<&SpanSelfTimes>,
    ) -> Self {
        let mut reader = SpanReader::new(trace, shapes);
        let mut known: [FxHashMap<StepKey, usize>; 2] = Default::default();
        let mut found = Self { steps: Default::default(), has_places: false };
        for (id, side) in sides(trace, children, roots) {
            let kind = trace.spans.kind(id);
            let key = reader.key(id, kind);
            // An instruction that waits for other instructions does no work.
            if kind == Kind::Wait && reader.is_instruction(id) {
                continue;
            }
            let steps = &mut found.steps[side];
            let place = *known[side].entry(key).or_insert_with(|| {
                steps.push((key, StepRuns::none(id, key.2)));
                steps.len() - 1
            });
            let time = own.map_or_else(|| trace.duration(id), |own| own.of(trace, id));
            reader.add(&mut steps[place].1, id, time);
            found.has_places |= key.2.is_some();
        }
        found
    }
}

/// Spans of both sides with the index of their side, in the order of the spans. Spans have the side of their parent,
/// except statements inside statements. Spans on both sides count for the first side: no execution is compared with
/// itself.
fn sides(trace: &Trace, children: &ChildSpans, roots: [&[SpanId]; 2]) -> Vec<(SpanId, usize)> {
    let mut all: Vec<(SpanId, usize)> = Vec::new();
    let mut inside: Vec<SpanId> = Vec::new();
    for (side, roots) in roots.into_iter().enumerate() {
        inside.clear();
        for &root in roots {
            children.inside(root, |id| is_step(trace.spans.kind(id)), &mut inside);
        }
        all.extend(inside.iter().map(|&id| (id, side)));
    }
    sort::by_key(&mut all, |&(id, side)| (i64::from(id.0), side as u64));
    all.dedup_by_key(|(id, _)| *id);
    all
}

/// Whether spans of this kind are steps of the execution that contains them. Nested statements and transactions are
/// not.
fn is_step(kind: Kind) -> bool {
    !matches!(kind, Kind::Query | Kind::Transaction)
}

/// Reads the step properties of spans.
pub struct SpanReader<'a> {
    trace: &'a Trace,
    shapes: &'a mut SqlShapes,
    step: Option<Key>,
    place: Option<Key>,
    rows: Option<Key>,
}

impl<'a> SpanReader<'a> {
    /// Reads spans of `trace`, whose statements have the shapes in `shapes`.
    pub fn new(trace: &'a Trace, shapes: &'a mut SqlShapes) -> Self {
        let [step, place, rows] =
            [attribute_names::STEP, attribute_names::PLAN_PLACE, attribute_names::ROWS_OUT]
                .map(|name| trace.key(name));
        Self { trace, shapes, step, place, rows }
    }

    /// Returns the identity of the step that a span is an execution of.
    pub fn key(&mut self, id: SpanId, kind: Kind) -> StepKey {
        let place = self.place.and_then(|key| self.trace.num(Item::Span(id), key));
        (kind, StepLabel::of(self.trace, self.shapes, self.step, id, kind), place)
    }

    fn is_instruction(&self, id: SpanId) -> bool {
        self.step.and_then(|key| self.trace.text(Item::Span(id), key)).is_some()
    }

    fn add(&self, sum: &mut StepRuns, id: SpanId, time: i64) {
        let num = |key: Option<Key>| key.and_then(|key| self.trace.num(Item::Span(id), key));
        sum.add(&StepRuns {
            longest: id,
            most: time,
            place: sum.place,
            runs: 1,
            time,
            rows: num(self.rows)
                .or_else(|| num(Some(key::ROWS_RETURNED)))
                .or_else(|| num(Some(key::ROWS_READ))),
            bytes: num(Some(key::BYTES)),
        });
    }
}

impl StepRuns {
    fn none(longest: SpanId, place: Option<i64>) -> Self {
        Self { longest, most: i64::MIN, place, runs: 0, time: 0, rows: None, bytes: None }
    }

    /// Adds further executions of the step.
    pub fn add(&mut self, other: &Self) {
        if other.most > self.most {
            (self.longest, self.most) = (other.longest, other.most);
        }
        self.runs += other.runs;
        self.time = self.time.saturating_add(other.time);
        self.rows = self.rows.max(other.rows);
        self.bytes = self.bytes.max(other.bytes);
    }
}
