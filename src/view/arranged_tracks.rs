//! Tracks as the user arranged them: without hidden tracks, in a chosen order, or limited to tracks whose heading
//! contains a text.

use super::counter::CounterSamples;
use super::label;
use crate::analysis::search::Needle;
use crate::base::FxHashMap;
use crate::protocol::slot;
use crate::protocol::{
    HiddenTrack, TrackCounts, TrackKey, TrackLayout, TrackMove, TrackMoveRequest, TrackMoved,
};
use crate::trace::{Trace, TrackId, TrackKind, Unit};

/// The tracks of one trace under a layout.
#[derive(Default)]
pub(super) struct ArrangedTracks {
    /// By track: whether the user hid it; empty if none is hidden.
    hidden: Vec<bool>,
    /// Children in their new order, by parent; `None` for the runs.
    moved: FxHashMap<Option<TrackId>, Vec<TrackId>>,
    /// By track: the effect of the filter; empty without a filter.
    filtered: Vec<FilteredTrack>,
    /// Stacked counters, by the first counter of each stack, whose row shows all of them.
    stacks: FxHashMap<TrackId, Vec<TrackId>>,
    /// By stacked counter, except the first of each stack: the first counter of its stack.
    stacked_in: FxHashMap<TrackId, TrackId>,
}

/// Parent and unit of stacked counters.
type StackUnit = (Option<TrackId>, Unit);

/// Maximum number of counters in a stack, as many as there are colours.
const MOST_STACKED: usize = slot::CATEGORIES as usize;

/// Effect of a filter of tracks on a track.
#[derive(Clone, Copy, PartialEq, Eq)]
enum FilteredTrack {
    Removed,
    /// A track above a matching one.
    Above,
    Matching,
    /// A track below a matching one.
    Below,
}

impl ArrangedTracks {
    pub fn new(trace: &Trace, layout: &TrackLayout) -> Self {
        let mut arranged = Self { filtered: filtered(trace, &layout.name), ..Self::default() };
        for track in TrackKey::find(trace, layout.hidden.iter().copied()).into_iter().flatten() {
            arranged.hidden.resize(trace.tracks.len(), false);
            arranged.hidden[track.0 as usize] = true;
        }
        let tracks = TrackKey::find(trace, layout.moves.iter().map(|(key, _)| *key));
        for (track, (_, index)) in tracks.into_iter().zip(&layout.moves) {
            let Some(track) = track else { continue };
            let parent = trace.tracks.get(track).parent;
            let siblings = arranged.moved.entry(parent).or_insert_with(|| natural(trace, parent));
            siblings.retain(|sibling| *sibling != track);
            siblings.insert((*index as usize).min(siblings.len()), track);
        }
        arranged
    }

    /// Stacks shown counters of one parent with the same unit and without negative values; with `is_rate`, without
    /// negative rates.
    pub fn stack(&mut self, trace: &Trace, is_rate: bool) {
        let counters = (0..trace.tracks.len() as u32).map(TrackId);
        let counters = counters.filter(|id| trace.tracks.kind(*id) == TrackKind::Counter);
        let mut stacks: Vec<(StackUnit, Vec<TrackId>)> = Vec::new();
        let mut parents: Vec<Option<TrackId>> = counters.map(|id| trace.tracks.get(id).parent).collect();
        parents.dedup();
        for parent in parents {
            for id in self.children(trace, parent) {
                if trace.tracks.kind(id) != TrackKind::Counter || !self.is_shown(id) {
                    continue;
                }
                let counter = CounterSamples::of(trace, id, is_rate);
                if counter.low < 0 {
                    continue;
                }
                let key = (parent, counter.unit);
                match stacks.iter_mut().rev().find(|(of, ids)| *of == key && ids.len() < MOST_STACKED) {
                    Some((_, ids)) if !ids.contains(&id) => ids.push(id),
                    Some(_) => {}
                    None => stacks.push((key, vec![id])),
                }
            }
        }
        for (_, ids) in stacks.into_iter().filter(|(_, ids)| ids.len() > 1) {
            self.stacked_in.extend(ids[1..].iter().map(|id| (*id, ids[0])));
            self.stacks.insert(ids[0], ids);
        }
    }

    /// The counters that the row of a counter shows; `None` if it shows that counter alone.
    pub fn stacked(&self, track: TrackId) -> Option<&[TrackId]> {
        self.stacks.get(&track).map(Vec::as_slice)
    }

    /// The track whose row shows a track.
    pub fn shown_in(&self, track: TrackId) -> TrackId {
        self.stacked_in.get(&track).copied().unwrap_or(track)
    }

    /// Children of a track, or all runs for `None`, hidden ones included: in the order that the user chose, else in that of the trace.
    pub fn children(&self, trace: &Trace, parent: Option<TrackId>) -> Vec<TrackId> {
        self.moved.get(&parent).cloned().unwrap_or_else(|| natural(trace, parent))
    }

    /// Whether a track has a row: it is not hidden itself, removed by the filter, or stacked in another row. Tracks above it are not considered.
    pub fn is_shown(&self, track: TrackId) -> bool {
        let at = track.0 as usize;
        !self.hidden.get(at).is_some_and(|hidden| *hidden)
            && !self.stacked_in.contains_key(&track)
            && self.filtered.get(at).is_none_or(|of| *of != FilteredTrack::Removed)
    }

    /// Whether the filter removes a track.
    pub fn is_filtered(&self, track: TrackId) -> bool {
        self.filtered.get(track.0 as usize) == Some(&FilteredTrack::Removed)
    }

    /// The tracks above matching ones, which are shown expanded.
    pub fn above_matching(&self) -> impl Iterator<Item = TrackId> + '_ {
        let all = (0..).zip(&self.filtered);
        all.filter(|(_, of)| **of == FilteredTrack::Above).map(|(id, _)| TrackId(id))
    }
}

fn natural(trace: &Trace, parent: Option<TrackId>) -> Vec<TrackId> {
    match parent {
        Some(parent) => trace.tracks.children(parent).collect(),
        None => trace.runs.iter().map(|run| run.track).collect(),
    }
}

/// The tracks whose heading contains a text, and those above and below them; empty without a text.
fn filtered(trace: &Trace, text: &str) -> Vec<FilteredTrack> {
    let text = text.trim();
    if text.is_empty() {
        return Vec::new();
    }
    let needle = Needle::new(text);
    let mut of = vec![FilteredTrack::Removed; trace.tracks.len()];
    let matches = |id: TrackId| {
        needle.is_in(trace.str(trace.tracks.get(id).name))
            || label::statement_of(trace, id).is_some_and(|statement| needle.is_in(&statement))
    };
    for id in (0..trace.tracks.len() as u32).map(TrackId) {
        let above = trace.tracks.get(id).parent;
        let parent = above.map_or(FilteredTrack::Removed, |parent| of[parent.0 as usize]);
        let is_below = matches!(parent, FilteredTrack::Matching | FilteredTrack::Below);
        if trace.tracks.kind(id) != TrackKind::Run && matches(id) {
            of[id.0 as usize] = FilteredTrack::Matching;
            let up = |id: &TrackId| trace.tracks.get(*id).parent;
            for above in std::iter::successors(above, up) {
                match &mut of[above.0 as usize] {
                    kept @ FilteredTrack::Removed => *kept = FilteredTrack::Above,
                    _ => break,
                }
            }
        } else if is_below {
            of[id.0 as usize] = FilteredTrack::Below;
        }
    }
    of
}

/// Heading of a track.
fn heading(trace: &Trace, id: TrackId) -> String {
    let name = || label::one_line(trace.str(trace.tracks.get(id).name));
    label::statement_of(trace, id).unwrap_or_else(name)
}

/// Counts hidden and filtered tracks.
pub fn track_counts(trace: &Trace, layout: &TrackLayout) -> TrackCounts {
    let arranged = ArrangedTracks::new(trace, layout);
    let total = trace.tracks.len().saturating_sub(trace.runs.len()) as u32;
    let matching = arranged.filtered.iter().filter(|of| **of == FilteredTrack::Matching).count() as u32;
    let (mut hidden, mut end) = (0, 0);
    for (id, _) in (0..).zip(&arranged.hidden).filter(|(_, hidden)| **hidden) {
        let below = trace.tracks.subtree(TrackId(id));
        if id >= end {
            end = below.end;
            hidden += below.len() as u32;
        }
    }
    let found = TrackKey::find(trace, layout.hidden.iter().copied());
    let list = layout.hidden.iter().zip(found);
    let list = list.filter_map(|(key, id)| Some(HiddenTrack { key: *key, name: heading(trace, id?) }));
    TrackCounts {
        total,
        matching: if arranged.filtered.is_empty() { total } else { matching },
        hidden,
        list: list.collect(),
    }
}

/// Finds the new place of a track; `None` if the trace does not have it.
pub fn track_move(trace: &Trace, request: &TrackMoveRequest) -> Option<TrackMoved> {
    let TrackMoveRequest { track: key, to, layout } = request;
    let track = (*TrackKey::find(trace, std::iter::once(*key)).first()?)?;
    let parent = trace.tracks.get(track).parent;
    let arranged = ArrangedTracks::new(trace, layout);
    let siblings = arranged.children(trace, parent);
    let at = siblings.iter().position(|sibling| *sibling == track)?;
    let is_shown = |index: &usize| arranged.is_shown(siblings[*index]);
    let index = match to {
        TrackMove::Stay => None,
        TrackMove::Up => (0..at).rev().find(is_shown),
        TrackMove::Down => (at + 1..siblings.len()).find(is_shown),
    };
    let mut order: Vec<TrackId> = siblings;
    if let Some(index) = index {
        order.remove(at);
        order.insert(index, track);
    }
    order.retain(|sibling| *sibling == track || arranged.is_shown(*sibling));
    Some(TrackMoved {
        track: *key,
        name: heading(trace, track),
        index: index.map(|index| index as u32),
        position: order.iter().position(|sibling| *sibling == track).map_or(0, |at| at as u32 + 1),
        siblings: order.len() as u32,
    })
}
