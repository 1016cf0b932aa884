//! Builds the frames of a merged flame graph from spans and events.

use super::dimensions::is_named;
use super::frames::KeptFrames;
use super::stacks::{NameSet, reshaped};
use super::{FrameDimension, FrameLabel, FrameWeight, Merged};
use crate::analysis::{
    Bits, FilteredItems, Levels, PointRows, SqlShapes, key_called, outcome, self_times, self_times_in,
};
use crate::protocol::{MergedDifference, MergedSpec, RunSelection, StackForm};
use crate::trace::{
    Event, EventId, Flags, Item, Key, Kind, Run, Span, SpanId, Trace, TrackId, TrackKind, Unit, clipped, key,
    overlaps, word_hash,
};

/// Maximum number of dimensions in a path: every fixed dimension once, and some arguments.
pub(super) const MAX_PATH: usize = 13 + MAX_ARGUMENTS;
/// Maximum number of arguments in a path.
const MAX_ARGUMENTS: usize = 4;

/// Dimensions that are attributes of spans, with their keys.
const ATTRIBUTES: [(FrameDimension, Key); 4] = [
    (FrameDimension::Database, key::DATABASE),
    (FrameDimension::Connector, key::CONNECTOR),
    (FrameDimension::Datasource, key::DATASOURCE),
    (FrameDimension::CommandType, key::COMMAND_TYPE),
];

/// Labels of a span or event along the grouping path, outermost first; `None` for a dimension without a value.
pub(super) type Labels = [Option<FrameLabel>; MAX_PATH];

impl Merged {
    /// Builds the frames of all spans and events: see [`filtered`](Self::filtered).
    #[cfg(test)]
    pub fn of(trace: &Trace, spec: &MergedSpec, shapes: &mut SqlShapes) -> Merged {
        Self::filtered(trace, spec, shapes, None, &mut None)
    }

    /// Builds the frames of the spans and events that overlap the spec's range, with times clipped to it, grouped along its
    /// path. Repeated dimensions and all arguments after the fourth are ignored, and stacks always come last. The focus is
    /// ignored.
    ///
    /// The frames of a difference are those of both sides, as wide as their values on one side, without runs, and with callees
    /// below their callers. With `filter`, only what has a match in its call stack counts.
    ///
    /// `kept` has the frames of the previous graph of the trace, which are used again if both graphs group the spans alike. Those of
    /// this graph take their place, unless it is a difference.
    pub fn filtered(
        trace: &Trace,
        spec: &MergedSpec,
        shapes: &mut SqlShapes,
        filter: Option<&FilteredItems>,
        kept: &mut Option<KeptFrames>,
    ) -> Merged {
        let Some(difference) = &spec.difference else {
            return Self::of_sides(trace, spec, (shapes, filter), &[&RunSelection::default()], kept);
        };
        let mut grouping = MergedSpec { range: None, stacks: StackForm::Callees, ..spec.clone() };
        grouping.path.retain(|dimension| *dimension != FrameDimension::Run);
        let MergedDifference { base, new, width_by_base } = &**difference;
        let sides = if *width_by_base { [new, base] } else { [base, new] };
        let mut merged = Self::of_sides(trace, &grouping, (shapes, filter), &sides, &mut None);
        if let Some((is_base, _)) = &mut merged.others {
            *is_base = *width_by_base;
        }
        merged
    }

    /// Builds the frames with the values of the last side; the values of the side before it become [`Merged::sides`].
    fn of_sides(
        trace: &Trace,
        spec: &MergedSpec,
        (shapes, filter): (&mut SqlShapes, Option<&FilteredItems>),
        sides: &[&RunSelection],
        kept: &mut Option<KeptFrames>,
    ) -> Merged {
        let names: Vec<String> = spec.arguments.iter().map(|name| named(trace, name)).collect();
        let key = |at: u8| key_called(trace, names.get(usize::from(at))?);
        let (mut path, arguments) = distinct(&spec.path, key);
        let with_stacks = spec.has_stacks();
        path.retain(|dimension| *dimension != FrameDimension::Stack);
        let stacks = if with_stacks { spec.stacks.clone() } else { StackForm::Callees };
        let weight = spec.shown_weight();
        let measured = match weight {
            FrameWeight::RowsRead => Some(key::ROWS_READ),
            FrameWeight::RowsReturned => Some(key::ROWS_RETURNED),
            FrameWeight::Bytes => Some(key::BYTES),
            FrameWeight::Argument(at) => key(at),
            FrameWeight::Time | FrameWeight::SelfTime | FrameWeight::Count => None,
        };
        let own_times = match (weight, spec.range) {
            (FrameWeight::SelfTime, Some(range)) => self_times_in(trace, 0..trace.spans.len() as u32, range),
            (FrameWeight::SelfTime, None) => self_times(trace, 0..trace.spans.len() as u32),
            _ => Vec::new(),
        };
        let known = kept.take().filter(|known| known.is_for(spec));
        let is_grouped = known.is_some();
        let grouped = known.unwrap_or_else(|| KeptFrames::new(trace, spec));
        let hidden = NameSet::new(trace, grouped.hidden.clone());
        let mut building = Building {
            trace,
            path,
            with_stacks,
            arguments,
            measured,
            weight,
            levels: None,
            range: spec.range,
            shapes,
            own_times,
            is_grouped,
            grouped,
            hidden,
            collapse_recursion: spec.collapse_recursion,
            side: sides.first().copied(),
            filter,
        };
        let mut others = None;
        for (at, side) in sides.iter().enumerate() {
            if at > 0 {
                others = Some((false, building.grouped.frames.take_values(weight)));
            }
            building.side = Some(*side);
            let is_chosen = |run: &u32| side.runs.is_empty() || side.runs.contains(run);
            let runs = (0..).zip(&trace.runs).filter(|(at, _)| is_chosen(at));
            let runs: Vec<&Run> = runs.map(|(_, run)| run).collect();
            building.levels = building.levels(&runs);
            runs.into_iter().for_each(|run| building.run(run));
        }
        let unit = measured.map_or(Unit::Count, |key| trace.keys.get(key).unit);
        let Building { mut grouped, path, hidden: NameSet { names: hidden, .. }, .. } = building;
        let mut root = NameSet::new(trace, stacks.root().map(str::to_owned).into_iter().collect());
        let merged = match reshaped(&grouped.frames, &path, (&stacks, weight), &mut root) {
            Some(mut frames) => frames.finish(weight),
            None => grouped.frames.finish(weight),
        };
        let stacks = stacks.rooted(root.names.pop());
        grouped.frames.clear();
        grouped.hidden.clone_from(&hidden);
        *kept = Some(grouped);
        Merged { unit, arguments: names, stacks, hidden, others, ..merged }
    }
}

/// Name of an argument that is requested by its name or by the hash of its name.
fn named(trace: &Trace, asked: &str) -> String {
    let mut known = trace.keys.iter().map(|(_, info)| trace.str(info.name));
    let found = known.find(|name| word_hash::is_hash(asked) && word_hash::is_name(asked, name));
    found.unwrap_or(asked).to_owned()
}

/// Path without repeated dimensions and unknown arguments, and the keys of its arguments.
fn distinct(
    wanted: &[FrameDimension],
    key: impl Fn(u8) -> Option<Key>,
) -> (Vec<FrameDimension>, Vec<(FrameDimension, Key)>) {
    let (mut path, mut arguments) = (Vec::new(), Vec::new());
    let mut n_arguments = 0;
    for &dimension in wanted {
        let argument = if let FrameDimension::Argument(at) = dimension { Some(key(at)) } else { None };
        if path.contains(&dimension) || argument.is_some() && n_arguments == MAX_ARGUMENTS {
            continue;
        }
        n_arguments += usize::from(argument.is_some());
        path.push(dimension);
        arguments.extend(argument.flatten().map(|key| (dimension, key)));
    }
    (path, arguments)
}

/// State while the frames of a merged flame graph are built.
struct Building<'a> {
    trace: &'a Trace,
    /// Grouping path without [`FrameDimension::Stack`].
    path: Vec<FrameDimension>,
    with_stacks: bool,
    /// Argument dimensions in `path`, with their keys.
    arguments: Vec<(FrameDimension, Key)>,
    /// Key of the number that is the weight: rows, bytes or an argument; `None` for any other weight.
    measured: Option<Key>,
    weight: FrameWeight,
    /// Levels at which the rows or bytes that are the weight count; `None` if all count, and for any other weight.
    levels: Option<Levels>,
    range: Option<(i64, i64)>,
    shapes: &'a mut SqlShapes,
    /// Self time of each span in the range, in nanoseconds; empty for any other weight.
    own_times: Vec<i64>,
    grouped: KeptFrames,
    /// Whether all spans have their frames in `grouped`.
    is_grouped: bool,
    /// Names of calls without frames.
    hidden: NameSet<'a>,
    collapse_recursion: bool,
    /// Side of a difference whose items are being added; `None` without a difference.
    side: Option<&'a RunSelection>,
    /// The items that count; `None` if all count.
    filter: Option<&'a FilteredItems>,
}

impl Building<'_> {
    fn run(&mut self, run: &Run) {
        let mut labels = Labels::default();
        self.set(&mut labels, FrameDimension::Run, Some(FrameLabel::Text(run.name)));
        let base = self.grouped.frames.at(&self.path, &labels);
        for id in self.trace.tracks.subtree_spans(run.track).map(SpanId) {
            self.span(id, base);
        }
        if self.weight == FrameWeight::Count || self.measured.is_some() {
            for id in self.trace.tracks.subtree_events(run.track).map(EventId) {
                self.event(id, base);
            }
        }
    }

    /// Adds a span after its parent. `base` is the frame of the run.
    fn span(&mut self, id: SpanId, base: u32) {
        let span = self.trace.spans.get(id);
        let at = id.0 as usize;
        if !self.is_grouped {
            let frame = self.frame_of_span(id, &span, base);
            self.grouped.of_span[at] = frame;
            self.grouped.frames.frames[frame as usize].kind.get_or_insert(span.kind);
        }
        if !self.counts(id, &span) {
            return;
        }
        let frame = self.grouped.of_span[at];
        let value = match self.weight {
            FrameWeight::Time => self.outermost(&span, frame),
            FrameWeight::SelfTime => self.own_times.get(at).copied(),
            FrameWeight::Count => Some(1),
            _ => self.measure(Item::Span(id)),
        };
        self.grouped.frames.add(frame, value);
    }

    /// The number that is the weight; `None` if the item does not report it, or if it counts at another level.
    fn measure(&self, item: Item) -> Option<i64> {
        let row = PointRows::of(self.trace).row(item);
        let is_counted = self.levels.as_ref().is_none_or(|levels| !levels.leaves_out(row));
        self.trace.num(item, self.measured?).filter(|_| is_counted)
    }

    /// Levels at which the rows or bytes of some runs count, so that those of nested statements, and of a source and its executions,
    /// count once.
    #[inline(never)]
    fn levels(&self, runs: &[&Run]) -> Option<Levels> {
        let key = self.measured.filter(|_| !matches!(self.weight, FrameWeight::Argument(_)))?;
        let (trace, points) = (self.trace, PointRows::of(self.trace));
        let mut chosen = Bits::below(points.len());
        for track in runs.iter().map(|run| run.track) {
            let spans = trace.tracks.subtree_spans(track).map(SpanId);
            let spans = spans.filter(|&id| self.counts(id, &trace.spans.get(id))).map(Item::Span);
            let events = trace.tracks.subtree_events(track).map(EventId);
            let events = events.filter(|&id| self.counts_event(id, &trace.events.get(id))).map(Item::Event);
            spans.chain(events).for_each(|item| chosen.insert(points.row(item)));
        }
        Levels::of(trace, &chosen, &|row| trace.num(points.item(row), key))
    }

    /// Sets the labels of an item for the arguments in the path.
    fn arguments(&self, item: Item, labels: &mut Labels) {
        for &(dimension, key) in &self.arguments {
            let unit = self.trace.keys.get(key).unit;
            let label = match unit {
                Unit::Text => self.trace.text(item, key).map(FrameLabel::Text),
                unit => self.trace.num(item, key).map(|number| FrameLabel::Number(number, unit)),
            };
            self.set(labels, dimension, label);
        }
    }

    fn event(&mut self, id: EventId, base: u32) {
        let event = self.trace.events.get(id);
        if !self.counts_event(id, &event) {
            return;
        }
        let frame = self.frame_of_event(id, &event, base);
        let value = match self.weight {
            FrameWeight::Count => Some(1),
            _ => self.measure(Item::Event(id)),
        };
        self.grouped.frames.add(frame, value);
    }

    /// Whether an event counts at a frame.
    fn counts_event(&self, id: EventId, event: &Event) -> bool {
        let is_of_side =
            event.parent.map_or_else(|| self.has_start(event.time), |parent| self.is_of_side(parent));
        is_of_side && self.is_in_range(event.time, event.time) && self.passes(Item::Event(id))
    }

    fn is_in_range(&self, start: i64, end: i64) -> bool {
        self.range.is_none_or(|range| overlaps(start, end, range))
    }

    /// Whether a span counts at a frame. Requests, transactions, idle times and segments of requests do not count.
    fn counts(&self, id: SpanId, span: &Span) -> bool {
        let is_work = !matches!(span.kind, Kind::Request | Kind::Transaction | Kind::Idle);
        is_work
            && !span.flags.has(Flags::SEGMENT)
            && self.is_in_range(span.start, span.end_time())
            && self.is_of_side(id)
            && self.passes(Item::Span(id))
    }

    fn passes(&self, item: Item) -> bool {
        self.filter.is_none_or(|filter| filter.has_stack(item))
    }

    /// Whether a span belongs to the side: its query (without a query, the span itself) starts in the time range.
    fn is_of_side(&self, id: SpanId) -> bool {
        if self.side.is_none_or(|side| side.within.is_none()) {
            return true;
        }
        let spans = &self.trace.spans;
        let mut at = Some(id);
        while let Some(id) = at {
            if spans.kind(id) == Kind::Query {
                return self.has_start(spans.start(id));
            }
            at = spans.parent(id).filter(|&parent| parent < id);
        }
        self.has_start(spans.start(id))
    }

    fn has_start(&self, start: i64) -> bool {
        self.side.is_none_or(|side| side.has_start(start))
    }

    /// Adds a span's time to `frame` and its ancestors, except to frames that also contain the span's parent: there,
    /// the parent's time counts. Returns the time if it was added to `frame` itself.
    fn outermost(&mut self, span: &Span, frame: u32) -> Option<i64> {
        let mut around = span.parent;
        while let Some(id) = around {
            let above = self.trace.spans.get(id);
            if self.counts(id, &above) {
                break;
            }
            around = above.parent.filter(|&parent| parent < id);
        }
        let around = around.and_then(|id| self.grouped.of_span.get(id.0 as usize).copied());
        let time = match self.range {
            Some(range) => {
                let (from, until) = clipped((span.start, span.end_time()), range);
                until.saturating_sub(from)
            }
            None => span.duration.max(0),
        };
        (self.grouped.frames.add_time(frame, around, time.into()) > 0).then_some(time)
    }

    fn frame_of_span(&mut self, id: SpanId, span: &Span, base: u32) -> u32 {
        let above = span.parent.and_then(|parent| self.grouped.of_span.get(parent.0 as usize));
        let above = above.copied().filter(|_| span.parent < Some(id)).unwrap_or(base);
        let before = self.grouped.frames.labels(&self.path, above);
        let labels = self.labels_of_span(id, span, before);
        let frame = if labels == before { above } else { self.grouped.frames.at(&self.path, &labels) };
        match self.stacked(span, &labels) && !self.hidden.has(span.name) {
            true => self.grouped.frames.call(frame, span, self.collapse_recursion),
            false => frame,
        }
    }

    /// Whether a span gets a stack frame below the path. A query does not if the path has a frame for its statement.
    fn stacked(&self, span: &Span, labels: &Labels) -> bool {
        let statement = [FrameDimension::SqlShape, FrameDimension::Query];
        let mut steps = self.path.iter().zip(labels);
        let is_query = span.kind == Kind::Query
            && !steps.any(|(step, label)| statement.contains(step) && label.is_some());
        let is_source = matches!(span.kind, Kind::Source | Kind::Execution);
        self.with_stacks && (is_named(span.kind) || is_source || is_query)
    }

    fn labels_of_span(&mut self, id: SpanId, span: &Span, mut labels: Labels) -> Labels {
        for (dimension, key) in ATTRIBUTES.into_iter().filter(|(dimension, _)| self.has(*dimension)) {
            let text = self.trace.text(Item::Span(id), key).map(FrameLabel::Text);
            self.set(&mut labels, dimension, text);
        }
        if span.kind == Kind::Query {
            self.query(id, span, &mut labels);
        }
        if is_named(span.kind) {
            self.set(&mut labels, FrameDimension::Name, Some(FrameLabel::Text(span.name)));
            let category = self.trace.text(Item::Span(id), key::CATEGORY);
            self.set(&mut labels, FrameDimension::Category, category.map(FrameLabel::Text));
        }
        self.tracks(id, &mut labels);
        self.arguments(Item::Span(id), &mut labels);
        labels
    }

    fn query(&mut self, id: SpanId, span: &Span, labels: &mut Labels) {
        let item = Item::Span(id);
        let name = self.trace.text(item, key::QUERY_ID).unwrap_or(span.name);
        self.set(labels, FrameDimension::Query, Some(FrameLabel::Text(name)));
        self.set(labels, FrameDimension::Outcome, Some(FrameLabel::Outcome(outcome(span.flags))));
        if let (true, Some(sql)) = (self.has(FrameDimension::SqlShape), self.trace.text(item, key::SQL)) {
            let shape = self.shapes.of(self.trace, sql);
            self.set(labels, FrameDimension::SqlShape, Some(FrameLabel::Shape(shape)));
        }
    }

    fn tracks(&self, id: SpanId, labels: &mut Labels) {
        for (kind, dimension) in
            [(TrackKind::Process, FrameDimension::Process), (TrackKind::Thread, FrameDimension::Thread)]
        {
            if self.has(dimension) {
                let tracks = &self.trace.tracks;
                let track = tracks.ancestor(tracks.of_span(id), kind);
                self.set(labels, dimension, track.map(|track| FrameLabel::Text(tracks.get(track).name)));
            }
        }
    }

    fn frame_of_event(&mut self, id: EventId, event: &Event, base: u32) -> u32 {
        let above =
            event.parent.map_or_else(|| self.frame_of_track(id, base), |parent| self.frame_or(parent, base));
        let is_buffer = event.kind == Kind::Buffer && self.has(FrameDimension::BufferType);
        if !is_buffer && self.arguments.is_empty() {
            return above;
        }
        let mut labels = self.grouped.frames.labels(&self.path, above);
        if is_buffer {
            self.set(&mut labels, FrameDimension::BufferType, Some(FrameLabel::Text(event.name)));
        }
        self.arguments(Item::Event(id), &mut labels);
        self.grouped.frames.at(&self.path, &labels)
    }

    /// Frame of the query whose track contains an event without a parent span; `base`, the frame of the run, without a
    /// query.
    fn frame_of_track(&self, id: EventId, base: u32) -> u32 {
        let tracks = &self.trace.tracks;
        let track: Option<TrackId> = tracks.ancestor(tracks.of_event(id), TrackKind::Query);
        let query = track.and_then(|track| {
            tracks.spans(track).map(SpanId).find(|&id| self.trace.spans.kind(id) == Kind::Query)
        });
        query.map_or(base, |query| self.frame_or(query, base))
    }

    fn frame_or(&self, span: SpanId, base: u32) -> u32 {
        self.grouped.of_span.get(span.0 as usize).copied().unwrap_or(base)
    }

    fn has(&self, dimension: FrameDimension) -> bool {
        self.path.contains(&dimension)
    }

    fn set(&self, labels: &mut Labels, dimension: FrameDimension, label: Option<FrameLabel>) {
        let at = self.path.iter().position(|&known| known == dimension);
        if let (Some(at), Some(label)) = (at, label) {
            labels[at] = Some(label);
        }
    }
}
