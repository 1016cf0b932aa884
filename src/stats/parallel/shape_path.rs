//! The steps on the critical paths of many executions, grouped by kind and name.

use super::busy::Activity;
use super::critical::{dependencies_inside, is_stated, parts};
use super::nesting::{NestedPaths, NestingGraph};
use super::walk::PathSpan;
use crate::analysis::{ChildSpans, Queries, SqlShapes, StepLabel};
use crate::base::{FxHashMap, sort, text};
use crate::protocol::{PathRule, ShapePath, ShapePathStep};
use crate::trace::{Item, Kind, SpanId, Trace, clipped};

/// Maximum number of listed steps.
const STEPS: usize = 500;
/// Maximum length of the name of a step, in characters.
const NAME: usize = 400;
/// Number of executions up to which a step has a filter that shows them.
const SHOWN: usize = 100;
/// Number of moments in the graphs of the examined executions from which on no more executions are examined.
const EXAMINED: usize = 12_000_000;

/// Kind and label of a step.
type PathStepKey = (Kind, StepLabel);

/// Time of a step on the paths of the executions.
#[derive(Clone)]
struct StepOnPath {
    executions: u32,
    /// The first of the executions, one more than can be shown.
    spans: Vec<SpanId>,
    time: i64,
    most: i64,
    longest: SpanId,
    /// Number of the execution to which `here` refers.
    execution: u32,
    /// Time of the step on the path of this execution, and the longest part.
    here: (i64, PathSpan),
}

/// Collects the critical paths of executions.
pub struct ShapePaths<'a> {
    trace: &'a Trace,
    children: &'a ChildSpans,
    nesting: NestedPaths<'a>,
    found: NestingGraph,
    /// Whether the trace has arrows that state dependencies inside statements.
    has_arrows: bool,
    activity: Activity<'a>,
    range: Option<(i64, i64)>,
    reply: ShapePath,
    n_moments: usize,
    /// Number of executions by the rule of their path.
    rules: Vec<(PathRule, u32)>,
    steps: FxHashMap<PathStepKey, StepOnPath>,
}

impl<'a> ShapePaths<'a> {
    pub fn new(
        trace: &'a Trace,
        queries: &Queries,
        children: &'a ChildSpans,
        range: Option<(i64, i64)>,
    ) -> Self {
        Self {
            trace,
            children,
            nesting: NestedPaths::new(trace, children),
            found: NestingGraph::default(),
            has_arrows: !trace.flows.is_empty() && is_stated(trace, queries),
            activity: Activity::new(trace),
            range,
            reply: ShapePath::default(),
            n_moments: 0,
            rules: Vec::new(),
            steps: FxHashMap::default(),
        }
    }

    /// Adds the path of one execution.
    pub fn add(&mut self, execution: SpanId, shapes: &mut SqlShapes) {
        if self.n_moments > EXAMINED {
            self.reply.left_out += 1;
            return;
        }
        self.reply.executions += 1;
        let step = StepLabel::key(self.trace);
        let bounds = self.trace.spans.bounds(execution);
        let (start, end) = self.range.map_or(bounds, |range| clipped(bounds, range));
        let (rule, path) = self.path(execution, (start, end));
        match self.rules.iter_mut().find(|of| of.0 == rule) {
            Some((_, executions)) => *executions += 1,
            None => self.rules.push((rule, 1)),
        }
        let mut left = end.saturating_sub(start);
        for part in path {
            left = left.saturating_sub(part.time());
            let kind = self.trace.spans.kind(part.span);
            let label = StepLabel::of(self.trace, shapes, step, part.span, kind);
            self.count(execution, (kind, label), part);
        }
        // A path by dependencies does not fill its execution.
        if left > 0 {
            let waiting = PathSpan { span: execution, start, end: start.saturating_add(left), via: None };
            self.count(execution, (self.trace.spans.kind(execution), StepLabel::Whole), waiting);
        }
    }

    fn path(&mut self, execution: SpanId, range: (i64, i64)) -> (PathRule, Vec<PathSpan>) {
        if self.has_arrows {
            let path = self.along_dependencies(execution, range);
            if !path.is_empty() {
                return (PathRule::Dependencies, path);
            }
        }
        self.nesting.of_span(execution, self.range, &mut self.found);
        self.n_moments += self.found.graph.len();
        let rule = if self.found.has_locks { PathRule::NestingAndLocks } else { PathRule::Nesting };
        (rule, parts(&self.found.graph, self.found.last))
    }

    fn along_dependencies(&mut self, execution: SpanId, range: (i64, i64)) -> Vec<PathSpan> {
        let (dependencies, n_inside) =
            dependencies_inside(self.trace, self.children, &self.activity, execution, range);
        self.n_moments += n_inside;
        let mut path = dependencies.critical_path();
        path.retain(|part| self.range.is_none() || part.time() > 0);
        path
    }

    fn count(&mut self, span: SpanId, step: PathStepKey, part: PathSpan) {
        let execution = self.reply.executions;
        self.reply.time = self.reply.time.saturating_add(part.time());
        let of = self.steps.entry(step).or_insert_with(|| StepOnPath {
            executions: 0,
            spans: Vec::new(),
            time: 0,
            most: i64::MIN,
            longest: part.span,
            execution: 0,
            here: (0, part),
        });
        if of.execution != execution {
            (of.execution, of.executions, of.here) = (execution, of.executions + 1, (0, part));
            if of.spans.len() <= SHOWN {
                of.spans.push(span);
            }
        }
        of.time = of.time.saturating_add(part.time());
        of.here.0 = of.here.0.saturating_add(part.time());
        if part.time() > of.here.1.time() {
            of.here.1 = part;
        }
        if of.here.0 > of.most {
            (of.most, of.longest) = (of.here.0, of.here.1.span);
        }
    }

    /// The sums of all executions that were added.
    pub fn finish(self, shapes: &SqlShapes) -> ShapePath {
        let Self { trace, mut reply, rules, steps, .. } = self;
        // Of equally many, the first.
        if let Some(&(rule, executions)) = rules.iter().rev().max_by_key(|of| of.1) {
            (reply.rule, reply.other_rules) = (rule, reply.executions - executions);
        }
        let mut steps: Vec<(PathStepKey, StepOnPath)> = steps.into_iter().collect();
        sort::by_key(&mut steps, |(_, of)| (of.time.saturating_neg(), u64::from(of.longest.0)));
        let row = |((kind, label), of): (PathStepKey, StepOnPath)| ShapePathStep {
            kind: kind.name().to_owned(),
            name: text::shortened(label.text(trace, shapes), NAME),
            executions: of.executions,
            condition: condition(&of.spans),
            time: of.time,
            most: of.most,
            longest: Item::Span(of.longest).code(),
        };
        reply.n_steps = steps.len() as u32;
        reply.steps = steps.into_iter().take(STEPS).map(row).collect();
        reply
    }
}

/// Filter that shows these executions; `None` for too many.
fn condition(executions: &[SpanId]) -> Option<String> {
    let ids: Vec<String> = executions.iter().map(|span| span.0.to_string()).collect();
    (ids.len() <= SHOWN).then(|| format!("span_id = {}", ids.join(",")))
}
