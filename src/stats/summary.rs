//! Summary of each run: the numbers of Kubling's RUN_SUMMARY view.
//!
//! Durations are taken over queries with both a QUERY_START and a QUERY_END. Source calls are SOURCE_EXECUTION_END
//! records, and rows are summed over these records.

use super::{BufferSum, buffers};
use crate::analysis::{Sum, is_source_call, is_whole};
use crate::base::text;
use crate::protocol::RunSummary;
use crate::trace::{
    AttributeReader, Flags, Item, Kind, Run, RunId, RunNote, SpanId, Trace, TrackId, TrackKind,
    attribute_names, key,
};

/// Summaries of all runs, in the order in which the runs were opened.
#[inline(never)]
pub fn summaries(trace: &Trace) -> Vec<RunSummary> {
    let buffers = buffers(trace);
    let reader = AttributeReader::new(trace, [key::ROWS_READ, key::ROWS_RETURNED]);
    let summaries = (0..).map(RunId).zip(&trace.runs).map(|(id, run)| {
        let of_run = buffers.iter().filter(move |sum| sum.run == id);
        summary(trace, &reader, run, of_run)
    });
    (0..)
        .map(RunId)
        .zip(summaries)
        .map(|(id, summary)| RunSummary { notes: notes(trace, id), ..summary })
        .collect()
}

/// Warning that explains how times were reconstructed for runs whose times were not measured. Empty if all times were
/// measured.
pub fn reconstructed(trace: &Trace) -> String {
    let notes = trace.notes.iter().filter(|note| note.name == attribute_names::RECONSTRUCTED);
    let sentence = |note: &RunNote| match trace.runs.get(note.run.0 as usize).filter(|_| trace.runs.len() > 1)
    {
        Some(run) => format!("{}: {}", trace.str(run.name), note.text),
        None => note.text.clone(),
    };
    let mut sentences: Vec<String> = notes.map(sentence).collect();
    sentences.dedup();
    sentences.join(" ")
}

fn notes(trace: &Trace, run: RunId) -> Vec<(String, String)> {
    let own = trace.notes.iter().filter(|note| note.run == run);
    own.map(|note| (note.name.to_string(), text::visible_name(&note.text))).collect()
}

fn summary<'a>(
    trace: &Trace,
    reader: &AttributeReader<2>,
    run: &Run,
    buffers: impl Iterator<Item = &'a BufferSum<'a>>,
) -> RunSummary {
    let mut tally = SummaryTally::default();
    for id in trace.tracks.subtree_spans(run.track).map(SpanId) {
        tally.span(trace, reader, id);
    }
    for sum in buffers {
        tally.buffer_events += sum.events;
        tally.bytes.join(sum.bytes);
        tally.elements.join(sum.elements);
    }
    tally.finish(trace, run)
}

#[derive(Default)]
struct SummaryTally {
    durations: Sum,
    shortest: Option<(i64, SpanId)>,
    longest: Option<(i64, SpanId)>,
    unfinished: u64,
    failed: u64,
    source_calls: u64,
    rows_read: Sum,
    rows_returned: Sum,
    buffer_events: u64,
    bytes: Sum,
    elements: Sum,
}

impl SummaryTally {
    fn span(&mut self, trace: &Trace, reader: &AttributeReader<2>, id: SpanId) {
        let look = trace.spans.kind_and_flags(id);
        if look.0 == Kind::Query {
            self.query(id, trace.spans.flags(id), trace.duration(id));
        } else if is_source_call(look) {
            self.source_calls += 1;
            let [read, returned] = reader.of(Item::Span(id));
            self.rows_read.add(read);
            self.rows_returned.add(returned);
        }
    }

    fn query(&mut self, id: SpanId, flags: Flags, duration: i64) {
        self.unfinished += u64::from(flags.has(Flags::OPEN_END));
        self.failed += u64::from(flags.has(Flags::FAILED));
        if is_whole(flags) {
            self.durations.add(Some(duration));
            if self.shortest.is_none_or(|(least, _)| duration < least) {
                self.shortest = Some((duration, id));
            }
            if self.longest.is_none_or(|(most, _)| duration > most) {
                self.longest = Some((duration, id));
            }
        }
    }

    fn finish(self, trace: &Trace, run: &Run) -> RunSummary {
        // What none of several reported is not 0.
        let sum = |of: Sum, n: u64| of.total().or((n == 0).then_some(0));
        RunSummary {
            run: trace.str(run.name).to_owned(),
            events: run.records,
            queries: self.durations.reported(),
            unfinished: self.unfinished,
            failed: self.failed,
            total_duration_ns: self.durations.or_zero(),
            avg_duration_ns: self.durations.average(),
            min_duration_ns: self.shortest.map(|(duration, _)| duration),
            max_duration_ns: self.longest.map(|(duration, _)| duration),
            extremes: self.shortest.zip(self.longest).map(|(short, long)| (code(short.1), code(long.1))),
            source_calls: self.source_calls,
            rows_read: sum(self.rows_read, self.source_calls),
            rows_returned: sum(self.rows_returned, self.source_calls),
            buffer_events: self.buffer_events,
            buffer_bytes: sum(self.bytes, self.buffer_events),
            buffer_elements: sum(self.elements, self.buffer_events),
            wall_ns: run.duration,
            notes: Vec::new(),
        }
    }
}

fn code(span: SpanId) -> u32 {
    Item::Span(span).code()
}

/// Number of queries that have a track of their own. If queries are shown on thread tracks instead: 0 if there is no
/// query, 1 for a single query, 2 for more.
pub fn n_queries(trace: &Trace) -> u32 {
    let tracks = (0..trace.tracks.len() as u32).map(|id| trace.tracks.kind(TrackId(id)));
    let own = tracks.filter(|&kind| kind == TrackKind::Query).count() as u32;
    if own > 0 || !trace.spans.has(Kind::Query) {
        return own;
    }
    let is_query = |id: &u32| trace.spans.get(SpanId(*id)).kind == Kind::Query;
    (0..trace.spans.len() as u32).filter(is_query).take(2).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    #[test]
    fn only_whole_queries_and_reported_rows_count() {
        let [summary] =
            <[RunSummary; 1]>::try_from(summaries(&sample::trace())).expect("the sample has one run");
        assert_eq!((summary.queries, summary.unfinished, summary.failed), (2, 1, 1));
        assert_eq!((summary.total_duration_ns, summary.avg_duration_ns), (18_000_000, Some(9_000_000.0)));
        assert_eq!((summary.min_duration_ns, summary.max_duration_ns), (Some(8_000_000), Some(10_000_000)));
        assert_eq!(
            (summary.source_calls, summary.rows_read, summary.rows_returned),
            (2, Some(1_000), Some(30))
        );
        assert_eq!(
            (summary.buffer_events, summary.buffer_bytes, summary.buffer_elements),
            (3, Some(5_500), Some(7))
        );
    }

    #[test]
    fn a_trace_without_runs_has_no_summary() {
        assert!(summaries(&Trace::default()).is_empty());
    }
}
