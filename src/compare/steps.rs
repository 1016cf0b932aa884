//! Divides the work of an execution into steps.

use crate::analysis::{SqlShapes, self_times};
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::trace::{Item, Key, Kind, Span, SpanId, Trace, attribute_names, key};

/// Identity of a step among the steps of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum StepLabel {
    /// Time of the statement that is in none of its steps.
    Whole,
    /// Name that the format reports for the step, or the name of the span.
    Name(StrId),
    /// Shape of a command.
    Shape(u32),
}

/// Kind and label of a step, with its place in the plan, if it has one.
pub type StepKey = (Kind, StepLabel, Option<i64>);

/// Totals of all runs of a step.
#[derive(Clone, Copy, Debug)]
pub struct StepRuns {
    /// Span of the longest run.
    pub longest: SpanId,
    /// Duration of the longest run, in nanoseconds.
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

/// Side number of spans that belong to neither side. Side 1 is the first, side 2 the second.
const NO_SIDE: u8 = 0;

impl Sides {
    /// Collects the steps of the executions with these root spans, with inclusive time or with self time.
    pub fn of(trace: &Trace, shapes: &mut SqlShapes, roots: [&[SpanId]; 2], inclusive: bool) -> Self {
        let (first, sides) = sides(trace, roots);
        let last = sides.iter().rposition(|&side| side != NO_SIDE).map_or(0, |at| at as u32 + 1);
        let own = if inclusive { Vec::new() } else { self_times(trace, first..first + last) };
        let mut reader = SpanReader::new(trace, shapes);
        let mut known: [FxHashMap<StepKey, usize>; 2] = Default::default();
        let mut found = Self { steps: Default::default(), has_places: false };
        for (at, id) in (first..first + last).map(SpanId).enumerate() {
            let Some(side) = usize::from(sides[at]).checked_sub(1) else { continue };
            let span = trace.spans.get(id);
            let key = reader.key(id, &span);
            // An instruction that waits for other instructions does no work.
            if span.kind == Kind::Wait && reader.is_instruction(id) {
                continue;
            }
            let steps = &mut found.steps[side];
            let place = *known[side].entry(key).or_insert_with(|| {
                steps.push((key, StepRuns::none(id, key.2)));
                steps.len() - 1
            });
            let time = own.get(at).copied().unwrap_or(trace.duration(id));
            reader.add(&mut steps[place].1, id, time);
            found.has_places |= key.2.is_some();
        }
        found
    }
}

/// Side of each span, starting at the first root. Spans have the side of their parent, except statements inside statements.
fn sides(trace: &Trace, roots: [&[SpanId]; 2]) -> (u32, Vec<u8>) {
    let first = roots.iter().flat_map(|roots| roots.iter()).map(|root| root.0).min().unwrap_or(0);
    let mut sides = vec![NO_SIDE; trace.spans.len().saturating_sub(first as usize)];
    // Spans on both sides count for the first side: no execution is compared with itself.
    for (side, roots) in [(2, roots[1]), (1, roots[0])] {
        roots.iter().for_each(|root| sides[(root.0 - first) as usize] = side);
    }
    for at in 0..sides.len() {
        let span = trace.spans.get(SpanId(first + at as u32));
        // Parents come before their children.
        let above = span.parent.and_then(|parent| sides.get(parent.0.checked_sub(first)? as usize));
        if let Some(&side) = above.filter(|_| sides[at] == NO_SIDE && is_step(span.kind)) {
            sides[at] = side;
        }
    }
    (first, sides)
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

    /// Returns the identity of the step that a span is a run of.
    pub fn key(&mut self, id: SpanId, span: &Span) -> StepKey {
        let item = Item::Span(id);
        let place = self.place.and_then(|key| self.trace.num(item, key));
        let step = self.step.and_then(|key| self.trace.text(item, key));
        let label = match (step, span.kind) {
            (_, Kind::Query) => StepLabel::Whole,
            (Some(step), _) => StepLabel::Name(step),
            (None, Kind::Statement | Kind::Execution) => {
                StepLabel::Shape(self.shapes.of(self.trace, span.name))
            }
            (None, _) => StepLabel::Name(span.name),
        };
        (span.kind, label, place)
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
            rows: num(self.rows),
            bytes: num(Some(key::BYTES)),
        });
    }
}

impl StepRuns {
    fn none(longest: SpanId, place: Option<i64>) -> Self {
        Self { longest, most: i64::MIN, place, runs: 0, time: 0, rows: None, bytes: None }
    }

    /// Adds other runs of the same step.
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
