//! An area of the timeline: a time range of several tracks, or single spans and events.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::TrackKey;

/// A track of an area.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct AreaTrack {
    /// Key of the track.
    pub key: TrackKey,
    /// Whether only the track's own spans and events count, because the tracks below it have rows of their own.
    pub is_own_row: bool,
}

impl fmt::Display for AreaTrack {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        write!(out, "{}{}", if self.is_own_row { "-" } else { "" }, self.key)
    }
}

impl FromStr for AreaTrack {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let key = text.strip_prefix('-').unwrap_or(text);
        Ok(Self { key: key.parse()?, is_own_row: key.len() != text.len() })
    }
}

/// Tracks, time range and filter of an area.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AreaSpec {
    /// Tracks; those that the trace does not have are left out.
    pub tracks: Vec<AreaTrack>,
    /// Half-open time range, in nanoseconds. Spans are clipped to it.
    pub range: (i64, i64),
    /// Item codes of single spans and events. If there are any, the area consists of these whole items, and `tracks` is
    /// ignored.
    pub items: Vec<u32>,
    /// Filter of the spans and events: see [`super::FilterRequest`]. Empty for none; one that is not valid has no effect. Counters are
    /// not filtered.
    pub filter: String,
}

/// Requests the keys of the tracks of timeline rows, from which an area is made.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AreaTracksRequest {
    /// Track id of each row, and whether the tracks below it have rows of their own.
    pub rows: Vec<(u32, bool)>,
}

/// Requests the sums of an area.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AreaRequest {
    /// Tracks and time range.
    pub area: AreaSpec,
}

/// Sums of an area.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AreaSummary {
    /// Half-open ranges of track ids that the area contains, in ascending order.
    pub tracks: Vec<(u32, u32)>,
    /// Names of the tracks in the order of [`AreaSpec::tracks`]; `None` for those that the trace does not have.
    pub names: Vec<Option<String>>,
    /// Whether a filter limits the spans and events: false without a filter, and for one that is not valid.
    pub is_filtered: bool,
    /// Number of spans that overlap the range.
    pub spans: u64,
    /// Number of events in the range, samples of counters excluded.
    pub events: u64,
    /// Time during which at least one span was running, in nanoseconds; idle spans do not count.
    pub wall: i64,
    /// Total duration, in nanoseconds. Nested spans count in addition to their parents.
    pub total: i64,
    /// Total self time, in nanoseconds.
    pub self_time: i64,
    /// Shortest, median and longest duration of the spans, in nanoseconds; `None` without spans,
    /// and for an area of tracks.
    pub durations: Option<[i64; 3]>,
    /// Number of rows that the spans and events report, counted once where nested spans both report it; `None` if none reports one.
    pub rows: Option<i64>,
    /// Number of bytes that the spans and events report, counted once where nested spans both report it; `None` if none reports one.
    pub bytes: Option<i64>,
    /// Counters with a value in the range, at most [`Self::MAX_COUNTERS`].
    pub counters: Vec<AreaCounter>,
    /// Number of counters with a value in the range that are not in `counters`, because a reply lists at most [`Self::MAX_COUNTERS`].
    pub more_counters: u32,
}

impl AreaSummary {
    /// Maximum number of counters in a reply.
    pub const MAX_COUNTERS: usize = 200;
}

/// Values of a counter in an area. A value lasts until the next sample.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct AreaCounter {
    /// Name of the counter's track.
    pub name: String,
    /// Unit of all numbers without one, as a symbol: `B`, `ns`; empty if the values are counts or have no unit.
    pub unit: String,
    /// Item code of the sample whose value the counter has at the start of the range, or of the first sample after it.
    pub item: u32,
    /// Number of samples in the range.
    pub samples: u64,
    /// Smallest value.
    pub minimum: CounterValue,
    /// Largest value.
    pub maximum: CounterValue,
    /// Average, weighted by time.
    pub average: CounterValue,
    /// Value at the start of the range.
    pub first: CounterValue,
    /// Value at the end of the range.
    pub last: CounterValue,
}

/// A value of a counter.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct CounterValue {
    /// Value in millionths of the counter's unit, by which values are ordered; at most `i64::MAX`.
    pub millionths: i64,
    /// Value in the counter's unit, without digit grouping, for other programs: `1234.5`. Averages are rounded to six decimals.
    pub decimal: String,
    /// Value with its unit, for people.
    pub text: String,
}

/// A column of the table of names of an area.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum AreaNameColumn {
    Name,
    Count,
    #[default]
    Total,
    SelfTime,
    Wall,
    Mean,
    Max,
    Rows,
    Bytes,
}

/// Order of the table of names of an area.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AreaNameList {
    /// Tracks and time range.
    pub area: AreaSpec,
    /// Column that orders the table, largest value first (text: from A to Z).
    pub sort: AreaNameColumn,
    /// Whether the order is reversed.
    pub reversed: bool,
}

/// Requests a page of the table of names of an area.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AreaNameListRequest {
    /// Area and order.
    pub list: AreaNameList,
    /// Index of the page's first row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
}

/// A page of the table of names of an area.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AreaNamePage {
    /// Number of names.
    pub total: u32,
    /// Total duration of the spans of all names, in nanoseconds.
    pub time: i64,
    /// Sentences about the levels at which rows and bytes are counted, if nested spans both report them.
    pub notes: Vec<String>,
    /// Index of the page's first row.
    pub first: u32,
    /// Rows of the page.
    pub rows: Vec<AreaNameRow>,
}

/// Spans, or events, of one kind and name in an area, or queries whose statements have one shape.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AreaNameRow {
    /// Number by which [`AreaSpanList::group`] names the row.
    pub group: u32,
    /// Name, or the shape of the statements of queries; shortened.
    pub name: String,
    /// Name of the kind.
    pub kind: String,
    /// Number of spans or events.
    pub count: u64,
    /// Sums of durations in nanoseconds; `None` for events.
    pub times: Option<AreaTimes>,
    /// Number of rows that count at these spans or events in [`AreaSummary::rows`]; `None` if there are none.
    pub rows: Option<i64>,
    /// Number of bytes that count at these spans or events in [`AreaSummary::bytes`]; `None` if there are none.
    pub bytes: Option<i64>,
}

/// Durations of the spans of a name, clipped to the range, in nanoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AreaTimes {
    /// Total duration.
    pub total: i64,
    /// Total self time.
    pub self_time: i64,
    /// Time during which at least one of the spans was running.
    pub wall: i64,
    /// Average duration.
    pub mean: i64,
    /// Longest duration.
    pub max: i64,
}

/// Selection and order of the table of spans of an area.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AreaSpanList {
    /// Tracks and time range.
    pub area: AreaSpec,
    /// If set, only spans or events of this [group](AreaNameRow::group); otherwise all spans.
    pub group: Option<u32>,
    /// Column that orders the table, largest value first (starts: earliest first).
    pub sort: AreaSpanColumn,
    /// Whether the order is reversed.
    pub reversed: bool,
}

/// A column that orders the table of spans of an area.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum AreaSpanColumn {
    Start,
    #[default]
    Duration,
    SelfTime,
}

/// Requests a page of the table of spans of an area.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AreaSpanListRequest {
    /// Area, selection and order.
    pub list: AreaSpanList,
    /// Index of the page's first row.
    pub first: u32,
    /// Number of rows.
    pub count: u32,
}

/// A page of the table of spans of an area.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AreaSpanPage {
    /// Number of spans or events.
    pub total: u32,
    /// Name of the selected group; `None` for all spans, and if the area has no such group.
    pub name: Option<String>,
    /// Index of the page's first row.
    pub first: u32,
    /// Rows of the page.
    pub rows: Vec<AreaSpanRow>,
}

/// A span or event of an area.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct AreaSpanRow {
    /// Item code.
    pub item: u32,
    /// Name, shortened.
    pub name: String,
    /// Name of the track.
    pub track: String,
    /// Start of the whole span, in nanoseconds.
    pub start: i64,
    /// Duration inside the range, in nanoseconds; `None` for an event.
    pub duration: Option<i64>,
    /// Self time inside the range, in nanoseconds; `None` for an event.
    pub self_time: Option<i64>,
    /// Whether the span failed.
    pub failed: bool,
    /// Number of rows; `None` if not reported.
    pub rows: Option<i64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tracks_of_an_area_are_read_as_written() {
        for (text, read) in [
            ("00000000ff", true),
            ("-00000000ff.2", true),
            ("-00000000ff.0.7", true),
            ("", false),
            ("-", false),
            ("--00000000ff", false),
        ] {
            let track: Result<AreaTrack, ()> = text.parse();
            assert_eq!(track.ok().map(|track| track.to_string()).as_deref(), read.then_some(text), "{text}");
        }
    }
}
