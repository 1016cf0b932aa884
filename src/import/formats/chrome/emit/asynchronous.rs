//! Writes asynchronous slices and instants as tracks of their process.

use super::ChromeWriter;
use crate::base::FxHashMap;
use crate::base::interner::StrId;
use crate::import::formats::chrome::asyncs::{AsyncInstant, AsyncSlice, AsyncTrack};
use crate::import::formats::chrome::store::BindingEvent;
use crate::trace::{SpanId, TrackId, TrackKind};

impl ChromeWriter<'_, '_> {
    #[inline(never)]
    pub(super) fn asynchronous(&mut self, at: usize, process: TrackId) {
        let AsyncTrack { category, name, parts, points, .. } = &mut self.asyncs[at];
        let (category, name) = (*category, *name);
        let (parts, points) = (std::mem::take(parts), std::mem::take(points));
        let title = self.async_title(category, name);
        self.out.track(process, title, TrackKind::Async);
        let first = self.out.span_at(0).0;
        let event = |at: Option<u32>| at.map(|at| self.file.asyncs.get(at as usize).of.side());
        let events: Vec<_> = parts.iter().map(|part| (event(part.begin), event(part.end))).collect();
        for (AsyncSlice { placed, name, .. }, (begin, end)) in parts.iter().zip(events) {
            self.slice(placed, begin, end, *name);
        }
        let has_flows = !self.file.flows.is_empty();
        let has_arrows = has_flows || !self.bearers.is_empty();
        if points.is_empty() && !has_arrows {
            return;
        }
        let numbers = (first..).zip(&parts).filter_map(|(at, part)| Some((part.number()?, SpanId(at))));
        let spans: FxHashMap<u32, SpanId> = numbers.collect();
        let mut own: Vec<(u32, SpanId)> = Vec::new();
        for &AsyncInstant { event, inside } in &points {
            let span = inside.and_then(|number| spans.get(&number).copied());
            self.point(&self.file.asyncs.get(event as usize).of, span);
            own.extend(span.map(|span| (event, span)));
        }
        if has_arrows {
            let ends = |part: &AsyncSlice| [part.begin, part.end].into_iter().flatten();
            own.extend((first..).zip(&parts).flat_map(|(at, part)| ends(part).map(move |n| (n, SpanId(at)))));
            for (event, span) in own {
                let of = self.file.asyncs.get(event as usize).of;
                if has_flows {
                    self.async_spans.entry((of.thread, of.time, of.category)).or_insert(span);
                }
                if let Some(bearer) = self.bearers.get_mut(&BindingEvent::Async(event)) {
                    let end = parts[(span.0 - first) as usize].placed.end;
                    *bearer = (span, if of.phase == b'b' { end } else { of.time });
                }
            }
        }
    }

    fn async_title(&mut self, category: StrId, name: StrId) -> StrId {
        let name = self.named(name);
        let strings = self.out.strings();
        let (category, title) = (strings.get(category), strings.get(name));
        if category.is_empty() || category == title {
            return name;
        }
        let title = format!("{title} · {category}");
        strings.intern(&title)
    }
}
