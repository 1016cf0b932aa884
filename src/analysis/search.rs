//! Search: finds spans and events by their name or texts, and tracks by their name.
//!
//! A trace has far fewer distinct strings than items. So each distinct string is compared once, and items are tested by
//! their string ids.

use std::cell::OnceCell;
use std::ops::Range;

use super::bits::Bits;
use super::{NO_QUERY, Queries, outcome_name};
use crate::base::interner::{Interner, StrId};
use crate::base::sort;
use crate::protocol::{Outcome, SearchResult};
use crate::trace::{EventId, Item, SpanId, TextPredicate, Trace, TrackId};

/// Result of a search: a set of items. The search ignores case.
#[derive(Default)]
pub struct Hits {
    needle: Needle,
    text: String,
    spans: Bits,
    events: Bits,
    /// First item in each track whose name contains the text.
    tracks: Vec<Item>,
    /// Hits by run, then by time. Computed at the first call of [`Hits::step`].
    order: OnceCell<Vec<HitPlace>>,
}

/// Position of a hit in the order of hits: run, time, item code.
type HitPlace = (u32, i64, u32);

impl Hits {
    /// Finds all items in `trace` that have `text` in their name or texts.
    pub fn of(trace: &Trace, text: &str) -> Self {
        let needle = Needle::new(text);
        let strings = needle.matching(&trace.strings);
        let mut hits = Self { needle, text: text.to_owned(), ..Self::default() };
        if strings.len() == 0 {
            hits.spans = Bits::below(trace.spans.len());
            hits.events = Bits::below(trace.events.len());
            return hits;
        }
        let texts = TextPredicate::new(trace, |text: StrId| strings.contains(text.0));
        let is_hit = |item: Item| strings.contains(trace.name(item).0) || texts.of(item);
        hits.spans = Bits::of(trace.spans.len(), |id| is_hit(Item::Span(SpanId(id))));
        hits.events = Bits::of(trace.events.len(), |id| is_hit(Item::Event(EventId(id))));
        hits.tracks = tracks(trace, &strings);
        hits
    }

    /// The spans and events in `rows` (spans by their ids, followed by events); with a search, only its hits among
    /// them. A search that found only tracks is ignored. `text` becomes the [text](Self::text) of the result.
    #[inline(never)]
    pub fn among(trace: &Trace, rows: &Bits, search: Option<&Self>, text: String) -> Self {
        let spans = trace.spans.len();
        let search = search.filter(|search| !search.is_of_places());
        let is_hit = |item: Item| search.is_none_or(|search| search.contains(item));
        Self {
            spans: Bits::of(spans, |id| rows.contains(id) && is_hit(Item::Span(SpanId(id)))),
            events: Bits::of(trace.events.len(), |id| {
                rows.contains(spans as u32 + id) && is_hit(Item::Event(EventId(id)))
            }),
            text,
            ..Self::default()
        }
    }

    /// Whether the search found `item`.
    #[inline]
    pub fn contains(&self, item: Item) -> bool {
        match item {
            Item::Span(id) => self.spans.contains(id.0),
            Item::Event(id) => self.events.contains(id.0),
        }
    }

    /// Whether only tracks match. Then no item is highlighted.
    pub fn is_of_places(&self) -> bool {
        !self.tracks.is_empty() && self.spans.len() + self.events.len() == 0
    }

    /// Row numbers of the found items: spans by their ids, followed by events.
    pub fn rows(&self, trace: &Trace) -> Bits {
        self.spans.followed_by(trace.spans.len(), &self.events)
    }

    /// Whether any found item is in a track or its descendants.
    pub fn any_below(&self, trace: &Trace, track: TrackId) -> bool {
        self.spans.has_any(trace.tracks.subtree_spans(track))
            || self.events.has_any(trace.tracks.subtree_events(track))
    }

    /// Whether `label` contains the search text: for views whose bars are not items.
    pub fn matches(&self, label: &str) -> bool {
        self.needle.is_in(label)
    }

    /// Search text as it was entered.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Number of found items, tracks and queries.
    pub fn found(&self, trace: &Trace, queries: &Queries) -> SearchResult {
        let mut rows = Bits::below(queries.len() as usize);
        let items = self.spans.iter().map(|id| Item::Span(SpanId(id)));
        for item in items.chain(self.events.iter().map(|id| Item::Event(EventId(id)))) {
            rows.insert(queries.row_of(trace, item).unwrap_or(NO_QUERY));
        }
        let items = self.spans.len() + self.events.len();
        SearchResult { text: self.text.clone(), items, queries: rows.len(), tracks: self.tracks.len() as u32 }
    }

    /// Next hit after `from` (previous hit if `backwards`), by run and time; `None` if there are no hits. Wraps around
    /// at the end. Without `from`, returns the first hit (last hit if `backwards`). The first item of each track whose
    /// name matches is a hit, too.
    pub fn step(&self, trace: &Trace, from: Option<Item>, backwards: bool) -> Option<Item> {
        let order = self.order.get_or_init(|| self.places(trace));
        let last = order.len().checked_sub(1)?;
        let at = from.map(|item| place(trace, item));
        let next = match (at, backwards) {
            (None, false) => 0,
            (None, true) => last,
            (Some(at), false) => order.partition_point(|place| *place <= at) % order.len(),
            (Some(at), true) => order.partition_point(|place| *place < at).checked_sub(1).unwrap_or(last),
        };
        order.get(next).map(|place| Item::from_code(place.2))
    }

    fn places(&self, trace: &Trace) -> Vec<HitPlace> {
        let mut places: Vec<HitPlace> = Vec::new();
        for (run, SearchedRun { spans, events }) in (0..).zip(runs(trace)) {
            let first = places.len();
            let spans = spans.filter(|&id| self.spans.contains(id));
            places.extend(spans.map(|id| (run, trace.spans.start(SpanId(id)), id)));
            let events = events.filter(|&id| self.events.contains(id)).map(EventId);
            places.extend(events.map(|id| (run, trace.events.time(id), Item::Event(id).code())));
            let tracks = self.tracks.iter().filter(|item| !self.contains(**item));
            places.extend(tracks.map(|&item| place(trace, item)).filter(|place| place.0 == run));
            sort::by_key(&mut places[first..], |place| (place.1, u64::from(place.2)));
        }
        // A process and its thread may have the same first item.
        places.dedup();
        places
    }
}

/// Returns the first item in or below each track that is a place (a process, a thread, …), not an item, and whose name
/// is one of `names`.
fn tracks(trace: &Trace, names: &Bits) -> Vec<Item> {
    let all = (0..trace.tracks.len() as u32).map(TrackId);
    let found = all.filter(|&id| {
        let track = trace.tracks.get(id);
        names.contains(track.name.0) && track.kind.is_place()
    });
    found.filter_map(|id| first_in(trace, id)).collect()
}

fn first_in(trace: &Trace, track: TrackId) -> Option<Item> {
    let span = trace.tracks.subtree_spans(track).next().map(|id| Item::Span(SpanId(id)));
    span.or_else(|| trace.tracks.subtree_events(track).next().map(|id| Item::Event(EventId(id))))
}

struct SearchedRun {
    spans: Range<u32>,
    events: Range<u32>,
}

fn runs(trace: &Trace) -> impl Iterator<Item = SearchedRun> + '_ {
    trace.runs.iter().map(|run| SearchedRun {
        spans: trace.tracks.subtree_spans(run.track),
        events: trace.tracks.subtree_events(run.track),
    })
}

fn place(trace: &Trace, item: Item) -> HitPlace {
    let time = match item {
        Item::Span(id) => trace.spans.start(id),
        Item::Event(id) => trace.events.time(id),
    };
    (trace.run_of(trace.track_of(item)).0, time, item.code())
}

/// Search text, compared without regard to case.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(crate) struct Needle {
    lower: String,
}

impl Needle {
    pub(crate) fn new(text: &str) -> Self {
        Self { lower: text.to_lowercase() }
    }

    /// Whether `text` contains the needle. Every text contains an empty needle.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        let Some(&first) = self.lower.as_bytes().first() else { return true };
        if !self.lower.is_ascii() || !text.is_ascii() {
            return text.to_lowercase().contains(&self.lower);
        }
        let (needle, text) = (self.lower.as_bytes(), text.as_bytes());
        let Some(last) = text.len().checked_sub(needle.len()) else { return false };
        memchr::memchr2_iter(first, first.to_ascii_uppercase(), &text[..=last])
            .any(|at| text[at..at + needle.len()].eq_ignore_ascii_case(needle))
    }

    /// Whether `text` equals the needle.
    pub(crate) fn is(&self, text: &str) -> bool {
        text.to_lowercase() == self.lower
    }

    /// Whether the needle is the name of an outcome, or a part of such a name with at least four letters.
    pub(crate) fn is_outcome(&self, outcome: Outcome) -> bool {
        let name = outcome_name(outcome);
        self.is(name) || self.lower.len() >= 4 && self.is_in(name)
    }

    /// Set of the strings that contain the needle.
    pub(crate) fn matching(&self, strings: &Interner) -> Bits {
        let mut found = Bits::below(strings.len());
        for id in (0..strings.len() as u32).filter(|&id| self.is_in(strings.get(StrId(id)))) {
            found.insert(id);
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;

    fn check(text: &str, items: u32, queries: u32) {
        let trace = sample::trace();
        let found = Hits::of(&trace, text).found(&trace, &Queries::of(&trace));
        assert_eq!((found.items, found.queries), (items, queries), "{text:?}");
    }

    #[test]
    fn names_and_texts_are_searched_whatever_their_case() {
        check("ordersapi", 2, 2);
        check("DELETE", 1, 1);
        check("spill", 1, 1);
        check("read", 2, 1);
        check("timeout", 1, 1);
        check("q0", 1, 1);
        check("nowhere", 0, 0);
    }

    #[test]
    fn tracks_are_found_by_name() {
        let trace = sample::nested(2);
        for (text, items, tracks, step) in
            [("hread", 0, 1, Some(0)), ("level 1", 1, 0, Some(1)), ("nowhere", 0, 0, None)]
        {
            let hits = Hits::of(&trace, text);
            let found = hits.found(&trace, &Queries::of(&trace));
            assert_eq!((found.items, found.tracks), (items, tracks), "{text}");
            assert_eq!(hits.is_of_places(), items < tracks, "{text}");
            assert_eq!(hits.step(&trace, None, false), step.map(|id| Item::Span(SpanId(id))), "{text}");
        }
        // Tracks of queries are not searched: they have the names of their spans.
        let (trace, text) = (sample::trace(), "js-conn");
        assert_eq!(Hits::of(&trace, text).found(&trace, &Queries::of(&trace)).tracks, 0);
    }

    #[test]
    fn steps_go_by_time_and_around() {
        let trace = sample::trace();
        let hits = Hits::of(&trace, "t");
        let mut at = None;
        let mut starts = Vec::new();
        loop {
            at = hits.step(&trace, at, false);
            let place = place(&trace, at.expect("there are hits"));
            if starts.first() == Some(&place) {
                break;
            }
            starts.push(place);
        }
        assert!(starts.is_sorted());
        assert_eq!(starts.len() as u32, hits.found(&trace, &Queries::default()).items);
        assert_eq!(hits.step(&trace, None, true).map(|item| place(&trace, item)), starts.last().copied());
        assert_eq!(Hits::of(&trace, "nowhere").step(&trace, None, true), None);
    }

    #[test]
    fn needles_are_found_in_any_script() {
        for (needle, text, found) in [
            ("", "", true),
            ("ab", "xAB", true),
            ("ab", "a", false),
            ("ab", "aab", true),
            ("ä", "SÄGE", true),
            ("straße", "STRASSE straße", true),
            ("a", "日本a", true),
        ] {
            assert_eq!(Needle::new(needle).is_in(text), found, "{needle:?} in {text:?}");
        }
    }
}
