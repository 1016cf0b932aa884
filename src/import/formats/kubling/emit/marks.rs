//! Writes instants: the requests of a query after its first, events of unknown types, and buffer events.

use super::{KublingQueryContext, KublingWriter};
use crate::base::sort;
use crate::import::formats::kubling::query::QueryCourse;
use crate::import::formats::kubling::schema::{KublingEventType, KublingTextField};
use crate::trace::{Event, Flags, Kind, TrackKind};

impl KublingWriter<'_, '_> {
    /// Writes later requests and events of unknown types as instants on the query's own track.
    #[inline(never)]
    pub(super) fn marks(&mut self, course: &QueryCourse, frame: &KublingQueryContext) {
        if course.requests.len() < 2 && course.others.is_empty() {
            return;
        }
        let rounds = course.requests.iter().skip(1);
        let mut marks: Vec<usize> = rounds.chain(&course.others).copied().collect();
        sort::by_key(&mut marks, |&at| (at as i64, 0));
        for at in marks {
            let row = self.rows[at];
            let other = row.kind == KublingEventType::Other;
            let event = Event {
                time: row.time,
                parent: if other { frame.parent_at(row.time) } else { frame.request },
                name: row.text(KublingTextField::Type).unwrap_or(self.words.round),
                kind: if other { Kind::Other } else { Kind::Request },
                flags: if other { Flags::UNKNOWN } else { Flags::default() },
                record: row.record,
            };
            self.out.outcome.used(row.record);
            self.out.event(event, self.shapes.bare, &[], &[]);
        }
    }

    /// Writes the buffer events of a query on a track of their own.
    #[inline(never)]
    pub(super) fn buffers(&mut self, course: &QueryCourse, frame: &KublingQueryContext) {
        if course.buffers.is_empty() {
            return;
        }
        self.out.track(frame.track, self.words.buffer, TrackKind::Buffer);
        for &(at, execution) in &course.buffers {
            let row = self.rows[at];
            let name = row.text(KublingTextField::BufferType).unwrap_or(self.words.buffer);
            let inside = execution.map(|n| self.handles.executions[n as usize]);
            let mut flags = if inside.is_some() { Flags::INFERRED } else { Flags::default() };
            if self.words.storage.contains(&name) {
                flags = flags.with(Flags::STORAGE);
            }
            let event = Event {
                time: row.time,
                parent: inside.or_else(|| frame.parent_at(row.time)),
                name,
                kind: Kind::Buffer,
                flags,
                record: row.record,
            };
            self.out.outcome.used(row.record);
            self.out.event(event, self.shapes.bare, &[], &[]);
        }
    }
}
