//! The selected area of the timeline, and what its panel shows.

use queryscope::protocol::{AreaNameColumn, AreaSpanColumn, AreaSpec, AreaTrack};

/// Maximum number of tracks of an area, in the state and in a link.
pub const MOST_AREA_TRACKS: usize = 200;

/// The tracks of the selected area, whose time range is [`Nav::range`](super::Nav::range), and what its panel shows.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct AreaView {
    /// Tracks in the order of their selection; empty if no area is selected.
    pub tracks: Vec<AreaTrack>,
    /// Order of the table of names, and whether it is reversed.
    pub names: (AreaNameColumn, bool),
    /// Which table is shown: `None` for the table of names, `Some(None)` for the table of all spans, `Some(Some(group))` for the table of the
    /// spans of a [group](queryscope::protocol::AreaNameRow::group).
    pub spans: Option<Option<u32>>,
    /// Order of the table of spans, and whether it is reversed.
    pub span_order: (AreaSpanColumn, bool),
}

impl AreaView {
    /// The area in a time range; `None` if no area is selected.
    pub fn spec(&self, range: Option<(i64, i64)>) -> Option<AreaSpec> {
        let range = range.filter(|_| !self.tracks.is_empty())?;
        Some(AreaSpec { tracks: self.tracks.clone(), range, ..AreaSpec::default() })
    }

    /// Returns an area of other tracks whose tables have the same orders.
    #[must_use]
    pub fn of(&self, tracks: Vec<AreaTrack>) -> Self {
        let mut view = Self { tracks: Vec::new(), spans: None, ..self.clone() };
        tracks.into_iter().for_each(|track| view.add(track));
        view
    }

    /// Adds a track to the area, unless the area has it or is full.
    pub fn add(&mut self, track: AreaTrack) {
        if self.tracks.len() < MOST_AREA_TRACKS && !self.tracks.contains(&track) {
            self.tracks.push(track);
        }
    }
}
