//! The sources of a query, and what was executed in them.

use hashbrown::HashMap;
use rustc_hash::FxBuildHasher;

use super::problems::{EXECUTION, SOURCE};
use super::{Frame, Writer};
use crate::import::kubling::lanes::Lanes;
use crate::import::kubling::query::{Interval, Name, Query};
use crate::import::kubling::schema::{Num, Text};
use crate::strings::StrId;
use crate::trace::{Flags, Kind, SpanId, TrackId, TrackKind};

/// Rows read per row returned from which a source counts as over-fetching, and the rows below which it never does:
/// a filter that is not pushed down is of no interest where it costs nothing.
const OVER_FETCH_RATIO: i64 = 10;
const OVER_FETCH_ROWS: i64 = 100;
/// Nanoseconds by which a reported duration may differ from the two timestamps: they are other readings of the clock.
const CLOCK_READINGS: u64 = 1_000;

/// A track below a query.
#[derive(Clone, Copy)]
enum Below {
    Sources(usize),
    Executions,
}

/// The sources of a query that share a track (one id, one connector), and the executions inside them.
#[derive(Default)]
struct Groups {
    sources: Vec<Vec<u32>>,
    executions: Vec<Vec<u32>>,
    /// Executions without a source.
    alone: Vec<u32>,
}

impl Groups {
    fn new(course: &Query) -> Self {
        let mut groups = Self::default();
        let mut numbers: HashMap<Name, usize, FxBuildHasher> = HashMap::default();
        let mut group_of = Vec::with_capacity(course.sources.len());
        for (source, (_, name)) in course.sources.iter().enumerate() {
            let group = *numbers.entry(*name).or_insert(groups.sources.len());
            if group == groups.sources.len() {
                groups.sources.push(Vec::new());
                groups.executions.push(Vec::new());
            }
            groups.sources[group].push(source as u32);
            group_of.push(group);
        }
        for (number, (execution, _)) in course.executions.iter().enumerate() {
            match execution.source {
                Some(source) => groups.executions[group_of[source as usize]].push(number as u32),
                None => groups.alone.push(number as u32),
            }
        }
        groups
    }
}

impl Writer<'_, '_> {
    /// The sources and what was executed in them. Returns the handles of the executions.
    pub(super) fn sources(&mut self, course: &Query, frame: &Frame) -> Vec<SpanId> {
        let mut executions = vec![SpanId(0); course.executions.len()];
        let groups = Groups::new(course);
        let start = |interval| self.bounds(interval, frame).0;
        let mut tracks: Vec<(i64, Below)> = groups
            .sources
            .iter()
            .enumerate()
            .map(|(at, members)| {
                let first = members.iter().map(|&n| start(course.sources[n as usize].0)).min();
                (first.unwrap_or(frame.first), Below::Sources(at))
            })
            .collect();
        if let Some(first) =
            groups.alone.iter().map(|&n| start(course.executions[n as usize].0.interval)).min()
        {
            tracks.push((first, Below::Executions));
        }
        tracks.sort_by_key(|(start, _)| *start);
        for (_, below) in tracks {
            match below {
                Below::Sources(at) => {
                    self.source(course, frame, &groups.sources[at], &groups.executions[at], &mut executions);
                }
                Below::Executions => {
                    self.executions(course, frame, frame.track, &groups.alone, &[], &mut executions)
                }
            }
        }
        executions
    }

    /// One use of a source: its track, and below it what was executed.
    fn source(
        &mut self,
        course: &Query,
        frame: &Frame,
        members: &[u32],
        inside: &[u32],
        executions: &mut [SpanId],
    ) {
        let name = course.sources[members[0] as usize].1;
        let datasource = self.common_datasource(course, inside);
        let label = match (name.connector.some(), datasource.some()) {
            (Some(connector), Some(datasource)) => self.joined(connector, datasource, " · "),
            (Some(only), None) | (None, Some(only)) => only,
            (None, None) => self.words.source,
        };
        let track = self.builder.track(frame.track, label, TrackKind::Source);
        let mut spans = vec![(0, SpanId(0)); members.len()];
        for (at, place) in self.by_start(members, frame, |n| course.sources[n as usize].0) {
            let interval = course.sources[members[at] as usize].0;
            self.account(interval, &SOURCE);
            let mut span = self.span(interval, frame);
            (span.depth, span.kind, span.name) = (place, Kind::Source, label);
            span.parent = frame.parent_at(span.start + frame.origin);
            let nums = self.nums(interval, [Num::RowsRead, Num::RowsReturned, Num::Duration]);
            span.flags = span.flags.with(over_fetch(nums)).with(differs(interval, nums[2], span.duration));
            let texts = [name.connector, datasource, name.tuple];
            spans[at] = (members[at], self.builder.span(span, self.shapes.source, &nums, &texts));
        }
        if !inside.is_empty() {
            self.executions(course, frame, track, inside, &spans, executions);
        }
    }

    /// A track of executions below `track`; `parents` are the sources' handles by number, in rising order.
    fn executions(
        &mut self,
        course: &Query,
        frame: &Frame,
        track: TrackId,
        members: &[u32],
        parents: &[(u32, SpanId)],
        handles: &mut [SpanId],
    ) {
        self.builder.track(track, self.words.execution, TrackKind::Execution);
        let interval = |n: u32| course.executions[n as usize].0.interval;
        for (at, place) in self.by_start(members, frame, interval) {
            let (execution, name) = course.executions[members[at] as usize];
            let interval = execution.interval;
            self.account(interval, &EXECUTION);
            let mut span = self.span(interval, frame);
            (span.depth, span.kind) = (place, Kind::Execution);
            let parent = execution.source.and_then(|n| parents.binary_search_by_key(&n, |p| p.0).ok());
            span.parent =
                parent.map(|at| parents[at].1).or_else(|| frame.parent_at(span.start + frame.origin));
            let nums = self.nums(interval, [Num::RowsRead, Num::RowsReturned, Num::ReadTime]);
            span.flags = span.flags.with(over_fetch(nums));
            let datasource = name.datasource.some().or_else(|| self.either(interval, Text::Datasource));
            let connector = name.connector.some().or_else(|| self.either(interval, Text::Connector));
            let command_type = self.either(interval, Text::CommandType);
            let command = self.either(interval, Text::Command);
            span.name = match (datasource, command_type) {
                (Some(datasource), Some(kind)) => self.joined(datasource, kind, " · "),
                (Some(only), None) | (None, Some(only)) => only,
                (None, None) => self.words.execution,
            };
            let texts = [connector, datasource, command_type, command, name.tuple.some()];
            let texts = texts.map(|text| text.unwrap_or(StrId::NONE));
            handles[members[at] as usize] = self.builder.span(span, self.shapes.execution, &nums, &texts);
        }
    }

    /// Positions in `members` by start, each with the row that it takes.
    fn by_start(&self, members: &[u32], frame: &Frame, of: impl Fn(u32) -> Interval) -> Vec<(usize, u16)> {
        let bounds = |at: usize| self.bounds(of(members[at]), frame);
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by_key(|&at| bounds(at).0);
        let mut lanes = Lanes::default();
        order.into_iter().map(|at| (at, lanes.place(bounds(at).0, bounds(at).1))).collect()
    }

    /// The datasource of the executions inside a source, if it is the same for all.
    fn common_datasource(&self, course: &Query, inside: &[u32]) -> StrId {
        let mut names = inside.iter().filter_map(|&n| {
            let (execution, name) = course.executions[n as usize];
            name.datasource.some().or_else(|| self.either(execution.interval, Text::Datasource))
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

fn differs(interval: Interval, reported: Option<i64>, measured: i64) -> Flags {
    let whole = interval.begin.is_some() && interval.end.is_some();
    match reported {
        Some(reported) if whole && reported.abs_diff(measured) > CLOCK_READINGS => Flags::DURATION_DIFFERS,
        _ => Flags::default(),
    }
}
