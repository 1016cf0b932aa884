//! Spans and events to frames.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{Dimension, Frame, Label, Merged, SqlShapes, Weight};
use crate::sort;
use crate::stats::{outcome, overlaps, self_times};
use crate::trace::{
    Event, EventId, Flags, Item, Key, Kind, Run, Span, SpanId, Trace, TrackId, TrackKind, Unit, key,
};

/// Dimensions that a path can have: each once, and some arguments.
const MAX_PATH: usize = 13 + MAX_ARGUMENTS;
/// Arguments that frames are grouped by, at most.
const MAX_ARGUMENTS: usize = 4;

/// The labels of a path, from the outermost; `None` for a dimension that is not known.
type Labels = [Option<Label>; MAX_PATH];

impl Merged {
    /// The frames of what starts in `range`, grouped along `path`: a dimension that comes again is left out, and so are
    /// arguments behind the fourth. `names` is what arguments point at.
    pub fn of(
        trace: &Trace,
        (path, weight): (&[Dimension], Weight),
        names: &[String],
        range: Option<(i64, i64)>,
        shapes: &mut SqlShapes,
    ) -> Merged {
        let key = |at: u8| trace.key(names.get(usize::from(at))?);
        let (path, arguments) = distinct(path, key);
        let measured = if let Weight::Argument(at) = weight { key(at) } else { None };
        let (frames, frame_of) = (Frames::default(), vec![0; trace.spans.len()]);
        let mut building =
            Building { trace, path, arguments, measured, weight, range, shapes, frames, frame_of };
        for run in &trace.runs {
            building.run(run);
        }
        let unit = measured.map_or(Unit::Count, |key| trace.keys.get(key).unit);
        Merged { unit, arguments: names.to_vec(), ..building.frames.finish(weight) }
    }
}

/// A path without what comes again, and the arguments in it that the trace knows.
fn distinct(
    wanted: &[Dimension],
    key: impl Fn(u8) -> Option<Key>,
) -> (Vec<Dimension>, Vec<(Dimension, Key)>) {
    let (mut path, mut arguments) = (Vec::new(), Vec::new());
    let mut n_arguments = 0;
    for &dimension in wanted {
        let argument = if let Dimension::Argument(at) = dimension { Some(key(at)) } else { None };
        if path.contains(&dimension) || argument.is_some() && n_arguments == MAX_ARGUMENTS {
            continue;
        }
        n_arguments += usize::from(argument.is_some());
        path.push(dimension);
        arguments.extend(argument.flatten().map(|key| (dimension, key)));
    }
    (path, arguments)
}

/// A merged flame graph in the making.
struct Building<'a> {
    trace: &'a Trace,
    path: Vec<Dimension>,
    /// The arguments among them.
    arguments: Vec<(Dimension, Key)>,
    /// The argument that is the weight.
    measured: Option<Key>,
    weight: Weight,
    range: Option<(i64, i64)>,
    shapes: &'a mut SqlShapes,
    frames: Frames,
    /// The frame of every span so far: parents come before their children.
    frame_of: Vec<u32>,
}

impl Building<'_> {
    fn run(&mut self, run: &Run) {
        let mut labels = Labels::default();
        self.set(&mut labels, Dimension::Run, Some(Label::Text(run.name)));
        let base = self.frames.at(&self.path, &labels);
        let tracks = &self.trace.tracks;
        let own = tracks.spans(run.track);
        let units = tracks.children(run.track).map(|unit| tracks.subtree_spans(unit));
        let units: Vec<Range<u32>> = std::iter::once(own).chain(units).collect();
        for unit in units {
            self.spans(unit, base);
        }
        for id in tracks.subtree_events(run.track).map(EventId) {
            self.event(id, base);
        }
    }

    /// The spans of a query, or of any other part of a run.
    fn spans(&mut self, unit: Range<u32>, base: u32) {
        let uncovered = match self.weight {
            Weight::SelfTime => self_times(self.trace, unit.clone()),
            _ => Vec::new(),
        };
        for (at, id) in unit.map(SpanId).enumerate() {
            let span = self.trace.spans.get(id);
            let frame = self.frame_of_span(id, &span, base);
            self.frame_of[id.0 as usize] = frame;
            if !self.counts(&span) {
                continue;
            }
            let rows =
                |key| if span.kind == Kind::Execution { self.trace.num(Item::Span(id), key) } else { None };
            let value = match self.weight {
                Weight::Time => (!self.is_inside(&span, frame)).then_some(span.duration),
                Weight::SelfTime => uncovered.get(at).copied(),
                Weight::RowsRead => rows(key::ROWS_READ),
                Weight::RowsReturned => rows(key::ROWS_RETURNED),
                Weight::Bytes => None,
                Weight::Count => Some(1),
                Weight::Argument(_) => self.measure(Item::Span(id)),
            };
            self.frames.add(frame, value);
        }
    }

    fn measure(&self, item: Item) -> Option<i64> {
        self.trace.num(item, self.measured?)
    }

    /// The arguments of an item by which frames are grouped.
    fn arguments(&self, item: Item, labels: &mut Labels) {
        for &(dimension, key) in &self.arguments {
            let unit = self.trace.keys.get(key).unit;
            let label = match unit {
                Unit::Text => self.trace.text(item, key).map(Label::Text),
                unit => self.trace.num(item, key).map(|number| Label::Number(number, unit)),
            };
            self.set(labels, dimension, label);
        }
    }

    fn event(&mut self, id: EventId, base: u32) {
        let event = self.trace.events.get(id);
        if !self.is_in_range(event.time) {
            return;
        }
        let frame = self.frame_of_event(id, &event, base);
        let value = match self.weight {
            Weight::Bytes => self.trace.num(Item::Event(id), key::BYTES),
            Weight::Count => Some(1),
            Weight::Argument(_) => self.measure(Item::Event(id)),
            _ => None,
        };
        self.frames.add(frame, value);
    }

    fn is_in_range(&self, start: i64) -> bool {
        self.range.is_none_or(|range| overlaps(start, start, range))
    }

    /// Whether a span counts anywhere. The rounds of a request are not time of its query, and neither is the request.
    fn counts(&self, span: &Span) -> bool {
        span.kind != Kind::Request && !span.flags.has(Flags::SEGMENT) && self.is_in_range(span.start)
    }

    /// Whether a span lies in another one that counts at the same frame.
    fn is_inside(&self, span: &Span, frame: u32) -> bool {
        span.parent.is_some_and(|parent| {
            self.frame_of.get(parent.0 as usize) == Some(&frame) && self.counts(&self.trace.spans.get(parent))
        })
    }

    fn frame_of_span(&mut self, id: SpanId, span: &Span, base: u32) -> u32 {
        let above = span.parent.and_then(|parent| self.frame_of.get(parent.0 as usize));
        let above = above.copied().filter(|_| span.parent < Some(id)).unwrap_or(base);
        let mut labels = self.frames.labels(&self.path, above);
        let before = labels;
        for key in [key::DATABASE, key::CONNECTOR, key::DATASOURCE, key::COMMAND_TYPE] {
            let text = self.trace.text(Item::Span(id), key).map(Label::Text);
            self.set(&mut labels, dimension(key), text);
        }
        if span.kind == Kind::Query {
            self.query(id, span, &mut labels);
        }
        if matches!(span.kind, Kind::Slice | Kind::State) {
            self.slice(id, span, &mut labels);
        }
        self.arguments(Item::Span(id), &mut labels);
        if labels == before { above } else { self.frames.at(&self.path, &labels) }
    }

    fn query(&mut self, id: SpanId, span: &Span, labels: &mut Labels) {
        let item = Item::Span(id);
        let name = self.trace.text(item, key::QUERY_ID).unwrap_or(span.name);
        self.set(labels, Dimension::Query, Some(Label::Text(name)));
        self.set(labels, Dimension::Outcome, Some(Label::Outcome(outcome(span.flags))));
        if let (true, Some(sql)) = (self.has(Dimension::SqlShape), self.trace.text(item, key::SQL)) {
            let shape = self.shapes.of(self.trace, sql);
            self.set(labels, Dimension::SqlShape, Some(Label::Shape(shape)));
        }
    }

    fn slice(&self, id: SpanId, span: &Span, labels: &mut Labels) {
        self.set(labels, Dimension::Name, Some(Label::Text(span.name)));
        let category = self.trace.text(Item::Span(id), key::CATEGORY);
        self.set(labels, Dimension::Category, category.map(Label::Text));
        if self.has(Dimension::Process) || self.has(Dimension::Thread) {
            let tracks = &self.trace.tracks;
            let own = tracks.of_span(id);
            for (kind, dimension) in
                [(TrackKind::Process, Dimension::Process), (TrackKind::Thread, Dimension::Thread)]
            {
                let name = tracks.ancestor(own, kind).map(|track| Label::Text(tracks.get(track).name));
                self.set(labels, dimension, name);
            }
        }
    }

    fn frame_of_event(&mut self, id: EventId, event: &Event, base: u32) -> u32 {
        let above =
            event.parent.map_or_else(|| self.frame_of_track(id, base), |parent| self.frame_or(parent, base));
        let is_buffer = event.kind == Kind::Buffer && self.has(Dimension::BufferType);
        if !is_buffer && self.arguments.is_empty() {
            return above;
        }
        let mut labels = self.frames.labels(&self.path, above);
        if is_buffer {
            self.set(&mut labels, Dimension::BufferType, Some(Label::Text(event.name)));
        }
        self.arguments(Item::Event(id), &mut labels);
        self.frames.at(&self.path, &labels)
    }

    /// The frame of the query in whose tracks an event without a parent is.
    fn frame_of_track(&self, id: EventId, base: u32) -> u32 {
        let tracks = &self.trace.tracks;
        let track: Option<TrackId> = tracks.ancestor(tracks.of_event(id), TrackKind::Query);
        let query = track.and_then(|track| {
            tracks.spans(track).map(SpanId).find(|&id| self.trace.spans.kind(id) == Kind::Query)
        });
        query.map_or(base, |query| self.frame_or(query, base))
    }

    fn frame_or(&self, span: SpanId, base: u32) -> u32 {
        self.frame_of.get(span.0 as usize).copied().unwrap_or(base)
    }

    fn has(&self, dimension: Dimension) -> bool {
        self.path.contains(&dimension)
    }

    fn set(&self, labels: &mut Labels, dimension: Dimension, label: Option<Label>) {
        let at = self.path.iter().position(|&known| known == dimension);
        if let (Some(at), Some(label)) = (at, label) {
            labels[at] = Some(label);
        }
    }
}

fn dimension(key: crate::trace::Key) -> Dimension {
    match key {
        key::DATABASE => Dimension::Database,
        key::CONNECTOR => Dimension::Connector,
        key::DATASOURCE => Dimension::Datasource,
        _ => Dimension::CommandType,
    }
}

/// Frames in the making.
struct Frames {
    frames: Vec<Frame>,
    ids: FxHashMap<(u32, u8, Label), u32>,
}

impl Default for Frames {
    fn default() -> Self {
        Self { frames: vec![Frame::new(0, None, Label::All)], ids: FxHashMap::default() }
    }
}

impl Frames {
    /// The frame with these labels, made if it is new.
    fn at(&mut self, path: &[Dimension], labels: &Labels) -> u32 {
        let known = path.iter().zip(labels).enumerate();
        known.filter_map(|(at, (&dimension, label))| Some((at as u8, dimension, (*label)?))).fold(
            0,
            |parent, (at, dimension, label)| {
                let next = self.frames.len() as u32;
                let id = *self.ids.entry((parent, at, label)).or_insert(next);
                if id == next {
                    self.frames.push(Frame::new(parent, Some(dimension), label));
                }
                id
            },
        )
    }

    /// The labels of a frame.
    fn labels(&self, path: &[Dimension], mut id: u32) -> Labels {
        let mut labels = Labels::default();
        while id != 0 {
            let frame = &self.frames[id as usize];
            if let Some(at) = path.iter().position(|&dimension| Some(dimension) == frame.dimension) {
                labels[at] = Some(frame.label);
            }
            id = frame.parent;
        }
        labels
    }

    /// Counts something at a frame. What is less than nothing has no width.
    fn add(&mut self, id: u32, value: Option<i64>) {
        let frame = &mut self.frames[id as usize];
        if let Some(value) = value {
            frame.own += i128::from(value.max(0));
            frame.own_count += 1;
        }
    }

    fn finish(mut self, weight: Weight) -> Merged {
        self.add_up(weight);
        let order = self.sort();
        self.place(&order);
        Merged { weight, unit: Unit::Count, arguments: Vec::new(), frames: self.frames, order }
    }

    /// Children come behind their parents: one pass from the end carries everything upwards.
    fn add_up(&mut self, weight: Weight) {
        for at in (0..self.frames.len()).rev() {
            // `value` has the sum of the children's widths so far.
            let frame = &mut self.frames[at];
            let below = frame.value;
            frame.count += frame.own_count;
            frame.value = match weight {
                Weight::Time if frame.own_count > 0 => frame.own,
                Weight::Time => below,
                _ => frame.own + below,
            };
            frame.width = frame.value.max(below);
            let Frame { parent, width, count, levels, .. } = *frame;
            if at > 0 {
                let parent = &mut self.frames[parent as usize];
                parent.value += width;
                parent.count += count;
                parent.levels = parent.levels.max(levels + 1);
            }
        }
    }

    /// All frames by parent, the widest first. Equally wide ones stay in the order in which they were met.
    fn sort(&mut self) -> Vec<u32> {
        let mut order: Vec<u32> = (1..self.frames.len() as u32).collect();
        let frame = |id: u32| &self.frames[id as usize];
        sort::by(&mut order, |&a, &b| {
            frame(a).parent.cmp(&frame(b).parent).then(frame(b).width.cmp(&frame(a).width))
        });
        let parents: Vec<u32> = order.iter().map(|&id| self.frames[id as usize].parent).collect();
        let mut at = 0;
        for siblings in parents.chunk_by(|a, b| a == b) {
            let end = at + siblings.len() as u32;
            self.frames[siblings[0] as usize].children = at..end;
            at = end;
        }
        order
    }

    fn place(&mut self, order: &[u32]) {
        for parent in 0..self.frames.len() {
            let Range { start, end } = self.frames[parent].children;
            let mut left = self.frames[parent].start;
            for &child in &order[start as usize..end as usize] {
                self.frames[child as usize].start = left;
                left += self.frames[child as usize].width;
            }
        }
    }
}

impl Frame {
    fn new(parent: u32, dimension: Option<Dimension>, label: Label) -> Self {
        let (value, own, width, start) = (0, 0, 0, 0);
        let (count, own_count, levels, children) = (0, 0, 0, 0..0);
        Self { parent, dimension, label, value, own, count, own_count, width, levels, start, children }
    }
}
