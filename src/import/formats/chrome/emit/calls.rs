//! Writes the calls of a sampling profiler as a track below the sampled thread.

use super::ChromeWriter;
use crate::base::interner::StrId;
use crate::import::formats::chrome::samples::{SampledCall, SampledCalls};
use crate::import::interval_nesting::Placed;
use crate::trace::attribute_names::SAMPLES;
use crate::trace::{Flags, Kind, RecordId, TrackId, TrackKind, Unit};

impl ChromeWriter<'_, '_> {
    /// Writes the calls of a profile. Calls of `(idle)` are idle time.
    #[inline(never)]
    pub(super) fn calls(&mut self, profile: usize, thread: TrackId) {
        let SampledCalls { title, ref mut list, .. } = self.profiles[profile];
        let calls = std::mem::take(list);
        if calls.is_empty() {
            return;
        }
        let strings = self.out.strings();
        let title = strings.get(title);
        let title = if title.is_empty() { SAMPLES.to_owned() } else { format!("{SAMPLES} · {title}") };
        self.out.titled_track(thread, &title, TrackKind::Thread);
        let place = self.out.builder.key("source", Unit::Text);
        let shapes = [&[][..], &[place]].map(|texts| self.out.builder.shape(&[], texts));
        for SampledCall { start, end, name, place, parent, depth, record, idle } in calls {
            let name = self.named(name.some().unwrap_or(StrId::EMPTY));
            let kind = if idle { Kind::Idle } else { Kind::Slice };
            let placed = Placed { start, end, what: 0, flags: Flags::default(), parent, depth };
            let span = self.out.placed_span(&placed, (name, kind), [record, RecordId::NONE]);
            let texts: &[StrId] = if place == StrId::NONE { &[] } else { &[place] };
            self.out.builder.span(span, shapes[texts.len()], &[], texts);
        }
    }
}
