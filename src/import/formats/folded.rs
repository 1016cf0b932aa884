//! Folded stacks: one line for each stack that a sampling profiler saw, as the `stackcollapse-*` scripts write them
//! (<https://github.com/brendangregg/FlameGraph>), inferno, and async-profiler as `collapsed`.
//!
//! ```text
//! mysqld;do_command;dispatch_command;mysql_execute_command 42
//! └─ frames from the outermost call to the innermost ────┘ └─ samples
//! ```
//! What is read: every line of frames and a whole number. Lines that begin with `#` are counted as other lines. A frame that
//! a line shares with the line before it, all callers included, is one span.
//!
//! What is inferred: the time axis. A folded file has no times and no order in time: lines stand one after another in the
//! order of the file, a sample as wide as [`SAMPLE`]. A note of the run states this.
//!
//! What cannot be known: threads (a first frame may be the process), what a sample counts (ticks, bytes, microseconds), and
//! where the two columns of a differential profile (`difffolded.pl`) belong: its files are not recognised.

use crate::import::contract::{
    About, BuildReport, Field, FileId, Format, Head, Importer, Input, ProblemKind,
};
use crate::import::text::lines::{Lines, Place};
use crate::import::track_writer::TrackWriter;
use crate::trace::attribute_names::SAMPLES;
use crate::trace::{Flags, Kind, RecordId, Span, SpanId, TraceBuilder, TrackKind, Unit, attribute_names};

/// Id and name of the format, and how to record it.
pub const ABOUT: About = About {
    id: "folded",
    name: "Folded stacks",
    how_to_record: "The input of flame graphs: what `stackcollapse-perf.pl` or any other `stackcollapse-*` script, \
         `inferno-collapse-*` or `asprof -o collapsed` writes.",
};

/// Nanoseconds that a sample takes on the time axis.
const SAMPLE: i64 = 1_000_000;

const NOT_FOLDED: ProblemKind =
    ProblemKind::lost("not a folded stack", "A line is not a list of frames and a number of samples.");
const TOO_LARGE: ProblemKind = ProblemKind::lost(
    "stack too large",
    "At most 65,535 frames, and 2 trillion samples of a file, can be drawn.",
);

/// Folded stacks.
pub struct Folded;

impl Format for Folded {
    fn about(&self) -> &'static About {
        &ABOUT
    }

    fn sniff(&self, head: &Head) -> Option<&'static str> {
        let whole = if head.complete { head.text } else { head.text.rsplit_once('\n')?.0 };
        let lines = || whole.lines().filter(|line| !is_other(line));
        // One frame and a number could be any list, and two numbers are the columns of a differential profile.
        let is_sure = |line: &&str| {
            let frames = stack_line(line).map_or("", |(frames, _)| frames);
            let last_word = frames.rsplit(' ').next().unwrap_or_default();
            frames.contains(';') && last_word.parse::<u64>().is_err()
        };
        let sure = lines().filter(is_sure).count();
        (sure > 0 && sure * 2 >= lines().count()).then_some("plain text")
    }

    fn importer(&self) -> Box<dyn Importer> {
        Box::<FoldedImporter>::default()
    }
}

/// Whether a line is blank or a comment.
fn is_other(line: &str) -> bool {
    line.trim().is_empty() || line.starts_with('#')
}

/// Splits a line into its frames, outermost first, and its number of samples; `None` if it is not a folded stack.
fn stack_line(line: &str) -> Option<(&str, i64)> {
    let (frames, samples) = line.trim_end().rsplit_once(' ')?;
    let samples = samples.parse().ok().filter(|&samples| samples > 0)?;
    (!frames.split(';').any(|frame| frame.trim().is_empty())).then_some((frames, samples))
}

/// One file: a run of one track.
#[derive(Default)]
struct FoldedFile {
    name: String,
    /// Spans, each with the number of samples whose innermost frame is the span. The parent of a span is an index in
    /// this list.
    spans: Vec<(Span, Option<i64>)>,
    /// Indices of the previous line's spans, outermost first.
    open: Vec<u32>,
    records: Vec<RecordId>,
    /// Start of the next line's spans, in nanoseconds.
    time: i64,
}

#[derive(Default)]
struct FoldedImporter {
    files: Vec<FoldedFile>,
    lines: Lines,
}

impl FoldedFile {
    fn line(&mut self, line: &str, place: Place, input: &mut Input) {
        if is_other(line) {
            *input.other_lines += 1;
            return;
        }
        let Some((frames, samples)) = stack_line(line) else { return input.lose(NOT_FOLDED, place, line) };
        // Times stay below a quarter of the range, so that no sum of two overflows.
        let start = self.time;
        let end = samples.checked_mul(SAMPLE).and_then(|width| start.checked_add(width));
        let Some(end) =
            end.filter(|&end| end < i64::MAX / 4 && frames.split(';').count() <= usize::from(u16::MAX))
        else {
            return input.lose(TOO_LARGE, place, line);
        };
        self.time = end;
        if let Err(left_out) = input.choose(start, end) {
            return input.lose(left_out, place, line);
        }
        let record = input.records.add(input.file, place, line.len() as u64);
        self.records.push(record);
        let mut names = frames.split(';').map(|frame| input.strings.intern(frame.trim())).peekable();
        let mut shared = 0;
        while let Some(open) = self.open.get(shared).map(|&at| &mut self.spans[at as usize].0)
            && open.end_time() == start
            && names.next_if_eq(&open.name).is_some()
        {
            open.duration = end - open.start;
            shared += 1;
        }
        self.open.truncate(shared);
        for name in names {
            let (parent, depth) = (self.open.last().copied().map(SpanId), self.open.len() as u16);
            let span = Span {
                start,
                duration: end - start,
                parent,
                name,
                kind: Kind::Slice,
                flags: Flags::default(),
                depth,
                begin: record,
                end: RecordId::NONE,
            };
            self.open.push(self.spans.len() as u32);
            self.spans.push((span, None));
        }
        if let Some(&leaf) = self.open.last() {
            *self.spans[leaf as usize].1.get_or_insert(0) += samples;
        }
    }

    fn emit(&self, outcome: &mut BuildReport, builder: &mut TraceBuilder) {
        let mut out = TrackWriter::new(outcome, builder);
        let name = out.intern(&self.name);
        let (run, root) = out.run(name, (0, self.time), self.records.len() as u64);
        let scale =
            "Folded stacks have no times: stacks stand in the order of the file, 1 ms for each sample.";
        out.builder.note(run, attribute_names::TIME_AXIS, scale.to_owned());
        let samples = out.builder.key(SAMPLES, Unit::Count);
        let shapes = [&[][..], &[samples]].map(|nums| out.builder.shape(nums, &[]));
        out.titled_track(root, "stacks", TrackKind::Thread);
        for &(span, samples) in &self.spans {
            let parent = span.parent.map(|at| out.span_at(at.0));
            let shape = shapes[usize::from(samples.is_some())];
            out.builder.span(Span { parent, ..span }, shape, samples.map(Some).as_slice(), &[]);
        }
        self.records.iter().for_each(|&record| out.outcome.used(record));
    }
}

impl Importer for FoldedImporter {
    fn open(&mut self, _: &Head, input: &mut Input) {
        self.files.push(FoldedFile { name: input.name.to_owned(), ..FoldedFile::default() });
        self.lines = Lines::default();
    }

    fn push(&mut self, text: &str, input: &mut Input) {
        let Some(file) = self.files.last_mut() else { return };
        self.lines.push(text, |line, place| file.line(line, place, input));
    }

    fn close(&mut self, input: &mut Input) {
        let Some(file) = self.files.last_mut() else { return };
        self.lines.finish(|line, place| file.line(line, place, input));
    }

    fn build(&mut self, outcome: &mut BuildReport, builder: &mut TraceBuilder) {
        self.files.iter().filter(|file| !file.spans.is_empty()).for_each(|file| file.emit(outcome, builder));
    }

    fn fields(&self, _: FileId, text: &str) -> Vec<Field> {
        let Some((frames, samples)) = stack_line(text) else { return Vec::new() };
        [("stack", frames.to_owned()), (SAMPLES, samples.to_string())]
            .map(|(name, value)| Field { name: name.to_owned(), value })
            .into()
    }
}
