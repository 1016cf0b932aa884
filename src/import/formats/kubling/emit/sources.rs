//! Writes the sources of a query and the executions in them.

use super::problems::{EXECUTION, SOURCE};
use super::{KublingQueryContext, KublingWriter};
use crate::base::interner::StrId;
use crate::base::lane_allocator::LaneAllocator;
use crate::base::sort;
use crate::import::formats::kubling::fifo::SmallMap;
use crate::import::formats::kubling::query::{KublingInterval, QueryCourse, SourceKey};
use crate::import::formats::kubling::schema::{KublingNumberField, KublingTextField};
use crate::import::grouped_indices::GroupedIndices;
use crate::import::interval_nesting::Placed;
use crate::trace::{Flags, Kind, SpanId, TrackId, TrackKind};

/// Ratio of rows read to rows returned from which a source counts as over-fetching.
const OVER_FETCH_RATIO: i64 = 10;
/// Minimum number of rows read for over-fetching: below it, a filter that is not pushed down costs nothing that
/// matters.
const OVER_FETCH_ROWS: i64 = 100;
/// Maximum difference, in nanoseconds, between a reported duration and the difference of the two timestamps that is
/// not flagged: the server reads the clock separately for each of them.
const CLOCK_READINGS: u64 = 1_000;

/// A track below a query.
#[derive(Clone, Copy)]
pub enum QuerySubtrack {
    Sources(u32),
    Executions,
}

/// Sources of a query that share a track (same id and connector), and the executions inside them. It is reused for all
/// queries.
#[derive(Default)]
pub struct SourceGroups {
    numbers: SmallMap<SourceKey, u32>,
    group_of: Vec<u32>,
    sources: GroupedIndices,
    executions: GroupedIndices,
    /// Indices of executions that belong to no source.
    alone: Vec<u32>,
}

impl SourceGroups {
    fn fill(&mut self, course: &QueryCourse) {
        self.numbers.clear();
        self.group_of.clear();
        let mut count = 0;
        for (_, name) in &course.sources {
            let group = self.numbers.get_or(*name, count);
            count += u32::from(group == count);
            self.group_of.push(group);
        }
        let count = count as usize;
        self.sources.fill(count, self.group_of.iter().copied().zip(0..));
        let inside =
            |&(execution, source): &(u32, Option<u32>)| Some((self.group_of[source? as usize], execution));
        let executions = || (0..).zip(course.executions.iter().map(|(execution, _)| execution.source));
        self.executions.fill(count, executions().filter_map(|of| inside(&of)));
        self.alone.clear();
        self.alone.extend(executions().filter(|(_, source)| source.is_none()).map(|(number, _)| number));
    }
}

/// Intervals of a track sorted by start, each with its row; reused for all tracks.
#[derive(Default)]
pub struct LaneAssignment {
    places: Vec<Placed>,
    lanes: LaneAllocator,
}

/// Span ids of the sources and executions written for a query, by index.
#[derive(Default)]
pub struct QuerySpanIds {
    sources: Vec<SpanId>,
    pub executions: Vec<SpanId>,
}

impl KublingWriter<'_, '_> {
    /// Writes the sources of a query and the executions in them.
    #[inline(never)]
    pub(super) fn sources(&mut self, course: &QueryCourse, frame: &KublingQueryContext) {
        let mut groups = std::mem::take(&mut self.groups);
        groups.fill(course);
        self.handles.sources.clear();
        self.handles.sources.resize(course.sources.len(), SpanId(0));
        self.handles.executions.clear();
        self.handles.executions.resize(course.executions.len(), SpanId(0));
        let mut tracks = std::mem::take(&mut self.tracks);
        self.order(&groups, course, frame, &mut tracks);
        for (_, below) in tracks.drain(..) {
            match below {
                QuerySubtrack::Sources(at) => {
                    self.source(course, frame, groups.sources.of(at), groups.executions.of(at));
                }
                QuerySubtrack::Executions => self.executions(course, frame, frame.track, &groups.alone),
            }
        }
        (self.tracks, self.groups) = (tracks, groups);
    }

    /// Adds the tracks of a query to `tracks`, each with its start, and sorts them by start.
    #[inline(never)]
    fn order(
        &self,
        groups: &SourceGroups,
        course: &QueryCourse,
        frame: &KublingQueryContext,
        tracks: &mut Vec<(i64, QuerySubtrack)>,
    ) {
        let start = |interval| self.bounds(interval, frame).0;
        for at in 0..groups.sources.len() as u32 {
            let first = groups.sources.of(at).iter().map(|&n| start(course.sources[n as usize].0)).min();
            tracks.push((first.unwrap_or(frame.first), QuerySubtrack::Sources(at)));
        }
        let alone = groups.alone.iter().map(|&n| start(course.executions[n as usize].0.interval));
        tracks.extend(alone.min().map(|first| (first, QuerySubtrack::Executions)));
        sort::by_key(tracks, |&(start, _)| (start, 0));
    }

    /// Writes the track of a source and, below it, its executions.
    #[inline(never)]
    fn source(&mut self, course: &QueryCourse, frame: &KublingQueryContext, members: &[u32], inside: &[u32]) {
        let name = course.sources[members[0] as usize].1;
        let datasource = self.common_datasource(course, inside);
        let label = match (name.connector.some(), datasource.some()) {
            (Some(connector), Some(datasource)) => self.joined(connector, datasource, " · "),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => self.words.source,
        };
        let track = self.out.track(frame.track, label, TrackKind::Source);
        let arranged = self.arrange(members, frame, |n| course.sources[n as usize].0);
        for placed in &arranged.places {
            let interval = course.sources[placed.what as usize].0;
            self.account(interval, &SOURCE);
            let mut span = self.out.placed_span(placed, (label, Kind::Source), self.records(interval));
            span.parent = frame.parent_at(placed.start);
            let nums = self.nums(
                interval,
                [
                    KublingNumberField::RowsRead,
                    KublingNumberField::RowsReturned,
                    KublingNumberField::Duration,
                ],
            );
            span.flags = span.flags.with(over_fetch(nums)).with(differs(interval, nums[2], span.duration));
            let id = self.out.builder.span(span, self.shapes.source, &[], &[datasource]);
            self.handles.sources[placed.what as usize] = id;
        }
        self.arranged = arranged;
        if !inside.is_empty() {
            self.executions(course, frame, track, inside);
        }
    }

    /// Writes a track of executions below `track`.
    #[inline(never)]
    fn executions(
        &mut self,
        course: &QueryCourse,
        frame: &KublingQueryContext,
        track: TrackId,
        members: &[u32],
    ) {
        self.out.track(track, self.words.execution, TrackKind::Execution);
        let arranged = self.arrange(members, frame, |n| course.executions[n as usize].0.interval);
        for placed in &arranged.places {
            let (execution, name) = course.executions[placed.what as usize];
            let interval = execution.interval;
            self.account(interval, &EXECUTION);
            let nums = self.nums(
                interval,
                [
                    KublingNumberField::RowsRead,
                    KublingNumberField::RowsReturned,
                    KublingNumberField::ReadTime,
                ],
            );
            let datasource =
                name.datasource.some().or_else(|| self.either(interval, KublingTextField::Datasource));
            let command_type = self.either(interval, KublingTextField::CommandType);
            let title = match (datasource, command_type) {
                (Some(datasource), Some(kind)) => self.joined(datasource, kind, " · "),
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => self.words.execution,
            };
            let mut span = self.out.placed_span(placed, (title, Kind::Execution), self.records(interval));
            let source = execution.source.map(|n| self.handles.sources[n as usize]);
            span.parent = source.or_else(|| frame.parent_at(placed.start));
            span.flags = span.flags.with(over_fetch(nums));
            let id = self.out.builder.span(span, self.shapes.bare, &[], &[]);
            self.handles.executions[placed.what as usize] = id;
        }
        self.arranged = arranged;
    }

    /// Returns `members` sorted by start, each with its row. The caller must put the list back into `self.arranged`,
    /// from which it was taken for reuse.
    #[inline(never)]
    fn arrange(
        &mut self,
        members: &[u32],
        frame: &KublingQueryContext,
        of: impl Fn(u32) -> KublingInterval,
    ) -> LaneAssignment {
        let mut arranged = std::mem::take(&mut self.arranged);
        let LaneAssignment { places, lanes } = &mut arranged;
        places.clear();
        places.extend(members.iter().map(|&number| self.placed(of(number), number, 0, frame)));
        sort::by_key(places, |placed| (placed.start, 0));
        lanes.clear();
        places.iter_mut().for_each(|placed| placed.depth = lanes.row(placed.start, placed.end));
        arranged
    }

    /// Datasource of the executions inside a source; [`StrId::NONE`] if they have several or none.
    fn common_datasource(&self, course: &QueryCourse, inside: &[u32]) -> StrId {
        let mut names = inside.iter().filter_map(|&n| {
            let (execution, name) = course.executions[n as usize];
            name.datasource.some().or_else(|| self.either(execution.interval, KublingTextField::Datasource))
        });
        let first = names.next().unwrap_or(StrId::NONE);
        if names.all(|name| name == first) { first } else { StrId::NONE }
    }
}

fn over_fetch([read, returned, _]: [Option<i64>; 3]) -> Flags {
    match (read, returned) {
        (Some(read), Some(returned))
            if read >= OVER_FETCH_ROWS && read / OVER_FETCH_RATIO >= returned.max(0) =>
        {
            Flags::OVER_FETCH
        }
        _ => Flags::default(),
    }
}

fn differs(interval: KublingInterval, reported: Option<i64>, measured: i64) -> Flags {
    let whole = interval.begin.is_some() && interval.end.is_some();
    match reported {
        Some(reported) if whole && reported.abs_diff(measured) > CLOCK_READINGS => Flags::DURATION_DIFFERS,
        _ => Flags::default(),
    }
}
