//! The calls that a sampling profiler saw, as a track below the thread that it looked at.

use super::ChromeWriter;
use crate::base::interner::StrId;
use crate::import::formats::chrome::samples::{SampledCall, SampledCalls};
use crate::trace::attribute_names::SAMPLES;
use crate::trace::{Flags, Kind, RecordId, Span, SpanId, TrackId, TrackKind, Unit};

impl ChromeWriter<'_, '_> {
    /// What a profile saw of a thread. Time in which nothing was running is no work.
    #[inline(never)]
    pub(super) fn calls(&mut self, profile: usize, thread: TrackId) {
        let SampledCalls { title, ref mut list, .. } = self.profiles[profile];
        let calls = std::mem::take(list);
        if calls.is_empty() {
            return;
        }
        let strings = self.builder.strings();
        let title = strings.get(title);
        let title = if title.is_empty() { SAMPLES.to_owned() } else { format!("{SAMPLES} · {title}") };
        let name = strings.intern(&title);
        self.builder.track(thread, name, TrackKind::Thread);
        let first = self.builder.next_span().0;
        let place = self.builder.key("source", Unit::Text);
        let shapes = [self.builder.shape(&[], &[]), self.builder.shape(&[], &[place])];
        for SampledCall { start, end, name, place, parent, depth, record, idle } in calls {
            let (start, duration) = (start - self.origin, end - start);
            let parent = parent.map(|at| SpanId(first + at));
            let name = self.named(name.some().unwrap_or(StrId::EMPTY));
            let kind = if idle { Kind::Idle } else { Kind::Slice };
            let (flags, begin, end) = (Flags::default(), record, RecordId::NONE);
            let span = Span { start, duration, parent, name, kind, flags, depth, begin, end };
            let texts: &[StrId] = if place == StrId::NONE { &[] } else { &[place] };
            self.builder.span(span, shapes[texts.len()], &[], texts);
        }
    }
}
