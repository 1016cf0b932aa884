//! Sections of the object format other than events: stack samples, and texts of other tools.
//!
//! `samples` state which of the `stackFrames` was seen in a thread (`tid`) at a time; each frame names its caller. They
//! become a profile of the thread with that `tid`, drawn like the profiles of V8. The texts (of ftrace, of Android) are
//! kept as instants at the start of the trace, which show them.

use std::rc::Rc;

use super::names::{PidOrTid, ProcessRegistry, ThreadId};
use super::problems::{NO_FRAME, NO_TIME, SECTION, SECTION_START};
use super::profile::{ProfileChunk, ProfileNode, ProfileTree, SampledProfile};
use super::reader::within_reach;
use crate::base::FxHashMap;
use crate::base::interner::{Interner, StrId};
use crate::base::sort;
use crate::import::contract::{Input, ProblemKind};
use crate::import::json::{Cursor, MAX_TEXT, Scanner, Value};
use crate::import::text::lines::Place;
use crate::trace::RecordId;

/// Sections that hold measurements as text in other formats.
pub const TEXTS: [&str; 5] =
    ["systemTraceEvents", "powerTraceAsString", "androidProcessDump", "cgroupDump", "traceAnnotations"];

/// Stack samples, stack frames and texts that were read from the sections of a file.
#[derive(Default)]
pub struct TraceSections {
    /// Whether the array that is being read contains stack samples (`samples`) instead of events.
    pub sampling: bool,
    frames: Rc<ProfileTree>,
    samples: Vec<StackSample>,
    lanes: Vec<SampleLane>,
    lane_numbers: FxHashMap<SampleLane, u32>,
    /// Name and record of each text section.
    pub texts: Vec<(StrId, RecordId)>,
}

/// A sampled stack.
#[derive(Clone, Copy)]
struct StackSample {
    /// Index of the [`SampleLane`] to which the sample belongs.
    lane: u32,
    time: i64,
    frame: i64,
    record: RecordId,
    place: Place,
}

/// A thread and a sampler whose samples form one profile: the thread's `tid`, and the sampler's name.
type SampleLane = (PidOrTid, StrId);

/// Returns the number that identifies a frame in a profile, for the frame's id, which is a text.
fn frame_id(id: StrId) -> i64 {
    i64::from(id.0)
}

impl TraceSections {
    /// Reads the section `stackFrames`, to whose frames stack samples refer.
    pub fn frames(&mut self, object: &str, scanner: &mut Scanner, strings: &mut Interner) {
        let (frames, mut cursor) = (Rc::make_mut(&mut self.frames), Cursor::new(object));
        while let Ok((id, value)) = cursor.next(scanner) {
            let (Value::Nested(frame), id) = (value, strings.intern(&id.content())) else { continue };
            let mut node = ProfileNode { parent: None, name: StrId::EMPTY, place: StrId::NONE };
            Cursor::new(frame).each(scanner, |key, value| match key.raw() {
                "name" => node.name = strings.intern(&value.content()),
                "category" => node.place = strings.intern(&value.content()),
                "parent" => node.parent = Some(frame_id(strings.intern(&value.content()))),
                _ => {}
            });
            frames.insert(frame_id(id), node);
        }
    }

    /// Adds one element of `samples`; an error if it cannot be shown.
    pub fn sample(
        &mut self,
        text: &str,
        (record, place): (RecordId, Place),
        scanner: &mut Scanner,
        strings: &mut Interner,
    ) -> Result<(), ProblemKind> {
        let mut tid = None;
        let mut time = None;
        let mut frame = None;
        let mut name = StrId::EMPTY;
        Cursor::new(text).each(scanner, |key, value| match key.raw() {
            "tid" => tid = Some(value),
            "ts" => time = Some(value),
            "sf" => frame = Some(strings.intern(&value.content())),
            "name" => name = strings.intern(&value.content()),
            _ => {}
        });
        let time = within_reach(time.and_then(Value::time).ok_or(NO_TIME)?)?;
        let frame = frame_id(frame.ok_or(NO_FRAME)?);
        let lane = (PidOrTid::new(tid, strings), name);
        let lanes = &mut self.lanes;
        let lane = *self.lane_numbers.entry(lane).or_insert_with(|| {
            lanes.push(lane);
            lanes.len() as u32 - 1
        });
        self.samples.push(StackSample { lane, time, frame, record, place });
        Ok(())
    }

    /// Adds a text section unless it is empty.
    pub fn text(&mut self, key: &str, value: &str, place: Place, input: &mut Input) {
        if matches!(value, "\"\"" | "[]" | "{}") {
            return;
        }
        let record = input.records.add(input.file, place, value.len() as u64);
        self.texts.push((input.strings.intern(key), record));
        input.note(
            if value.len() < MAX_TEXT { SECTION } else { SECTION_START },
            place,
            &format!("\"{key}\""),
        );
    }

    /// Converts the samples to profiles at the end of the file: one profile per lane (a thread and a sampler), in the
    /// order in which lanes first occur. Reports samples of frames that are not in the file.
    pub fn profiles(&mut self, names: &mut ProcessRegistry, input: &mut Input) -> Vec<SampledProfile> {
        let (mut samples, frames) = (std::mem::take(&mut self.samples), std::mem::take(&mut self.frames));
        samples.retain(|sample| {
            let known = frames.contains_key(&sample.frame);
            if !known {
                input.note(NO_FRAME, sample.place, "");
            }
            known
        });
        sort::by_key(&mut samples, |sample| (i64::from(sample.lane), sort::ordered(sample.time)));
        let lanes = std::mem::take(&mut self.lanes);
        self.lane_numbers.clear();
        let known = names.threads_by_id();
        let of_lane = |samples: &[StackSample]| {
            let (tid, title) = lanes[samples[0].lane as usize];
            let start = samples[0].time;
            let mut before = start;
            let chunk = |&StackSample { time, frame, record, .. }: &StackSample| {
                let delta = time - std::mem::replace(&mut before, time);
                ProfileChunk { time, record, samples: vec![(frame, delta)] }
            };
            let (start, chunks) = (Some(start), samples.iter().map(chunk).collect());
            SampledProfile {
                thread: thread(tid, &known, names, input.strings),
                title,
                start,
                end: None,
                nodes: Rc::clone(&frames),
                chunks,
            }
        };
        samples.chunk_by(|a, b| a.lane == b.lane).map(of_lane).collect()
    }
}

/// The thread with this `tid` if exactly one has it; else a thread of a separate process for samples.
fn thread(
    tid: PidOrTid,
    known: &FxHashMap<PidOrTid, Option<ThreadId>>,
    names: &mut ProcessRegistry,
    strings: &mut Interner,
) -> ThreadId {
    match known.get(&tid) {
        Some(Some(thread)) => *thread,
        _ => names.thread(PidOrTid::Text(strings.intern("samples")), tid),
    }
}
