//! Texts of the panel of the selected area of the timeline.

use queryscope::internal::text;
use queryscope::protocol::{AreaNameColumn, AreaSummary};

use crate::state::Notice;
use crate::url::MOST_LINKED;

pub const REGION: &str = "Selected area";
pub const TABLES: &str = "Tables of the selected area";
pub const TITLE: &str = "Area";
pub const SPLITTER: &str = "Height of the area panel";
pub const CLEAR: &str = "Clear area";
pub const CLEAR_TITLE: &str = "Keep the time range, and show the query list again";
pub const GATHERED: &str = "Gathered spans";
pub const CLEAR_GATHERED: &str = "Clear";
pub const CLEAR_GATHERED_TITLE: &str = "Clear the gathered spans, and show the query list again (Esc)";
pub const NAMES: &str = "Names";
pub const SPANS: &str = "Spans";
pub const ALL_SPANS: &str = "All spans";
pub const BACK_TO_NAMES: &str = "All names";
pub const SHOW_SPANS: &str = "List the spans of this name";
pub const COUNTERS: &str = "Counters";
pub const COUNTERS_MEANING: &str = "A value lasts until the next sample. Averages are weighted by time.";
pub const NO_SUCH_NAME: &str = "The name in the link does not occur in this area.";
pub const TRACKS: &str = "Tracks of the area";
pub const UNKNOWN_TRACK: &str = "Track that this trace does not have";
pub const NO_ROW: &str = "No further track in view.";
pub const NAME: &str = "Name";
pub const TRACK: &str = "Track";
pub const START: &str = "Start";
pub const DURATION: &str = "Duration";
pub const DURATION_INSIDE: &str = "Duration in area";
pub const SELF_TIME: &str = "Self time";
pub const SELF_TIME_INSIDE: &str = "Self time in area";
pub const NOT_COUNTED: &str = "Not reported, or counted at other spans: see the note above the table";
pub const ROWS: &str = "Rows";
pub const OUTCOME: &str = "Outcome";
pub const FAILED: &str = "failed";
pub const SAMPLES: &str = "Samples";
pub const MINIMUM: &str = "Min";
pub const MAXIMUM: &str = "Max";
pub const AVERAGE: &str = "Average";
pub const FIRST: &str = "At start";
pub const LAST: &str = "At end";
pub const EVENT: &str = "An event has no duration";

/// Name and meaning of a column of the table of names.
pub fn column(column: AreaNameColumn) -> (&'static str, &'static str) {
    match column {
        AreaNameColumn::Name => (NAME, "Name of the spans or events; shape of the statements of queries"),
        AreaNameColumn::Count => ("Count", "Number of these spans or events"),
        AreaNameColumn::Total => ("Total", "Total duration, clipped to the area, nested spans included"),
        AreaNameColumn::SelfTime => (SELF_TIME, "Time that is not covered by nested spans"),
        AreaNameColumn::Wall => ("Wall time", "Time during which at least one of the spans was running"),
        AreaNameColumn::Mean => ("Mean", "Mean duration, clipped to the area"),
        AreaNameColumn::Max => ("Max", "Longest duration, clipped to the area"),
        AreaNameColumn::Rows => {
            (ROWS, "Number of rows returned or passed on; counted once where nested spans both report them")
        }
        AreaNameColumn::Bytes => {
            ("Bytes", "Number of bytes moved; counted once where nested spans both report them")
        }
    }
}

/// Why a table is empty.
pub fn nothing(filter: &str) -> &'static str {
    match filter {
        "" => "No span or event overlaps this area.",
        _ => "No span or event in this area matches the filter.",
    }
}

/// Sums of an area.
pub fn sums(area: &AreaSummary) -> String {
    let mut parts = vec![text::counted(area.spans, "span", "spans")];
    if area.events > 0 {
        parts.push(text::counted(area.events, "event", "events"));
    }
    if area.spans > 0 {
        parts.push(format!("wall time {}", text::duration(area.wall)));
        parts.push(format!("total {}", text::duration(area.total)));
        parts.push(format!("self time {}", text::duration(area.self_time)));
        if let Some(durations) = area.durations {
            let [min, median, max] = durations.map(text::duration);
            parts.push(format!("min {min}, median {median}, max {max}"));
        }
    }
    parts.extend(area.rows.map(|rows| format!("{} rows", text::count(rows))));
    parts.extend(area.bytes.map(text::bytes));
    parts.join(" · ")
}

/// Number of gathered items.
pub fn gathered(count: usize) -> String {
    let n = text::counted(count as u64, "gathered", "gathered");
    let limit = if count > MOST_LINKED {
        format!("; a link contains only the first {MOST_LINKED}")
    } else {
        String::new()
    };
    format!("{n}{limit}")
}

pub fn full(most: usize) -> String {
    format!("At most {most} spans can be gathered.")
}

/// Length of the time range and number of tracks.
pub fn extent((start, end): (i64, i64), tracks: usize) -> String {
    let tracks = text::counted(tracks as u64, "track", "tracks");
    format!(
        "{} on {tracks}, from {} to {}",
        text::duration(end.saturating_sub(start)),
        text::time(start),
        text::time(end)
    )
}

pub fn spans_of(name: &str) -> String {
    format!("Spans named “{name}”")
}

pub fn remove_track(name: &str) -> String {
    format!("Remove {name} from the area")
}

pub fn more_counters(more: u32) -> String {
    format!("{} more counters in this area.", text::count(more.into()))
}

/// The message after a drag that touched no track.
pub fn no_track() -> Notice {
    Notice {
        title: "No track selected.".to_owned(),
        text: "Drag across the rows of tracks. Packed lanes belong to no track.".to_owned(),
        recovery: None,
    }
}

/// Announcement of the selected area.
pub fn announced(range: (i64, i64), tracks: usize) -> String {
    format!("Area: {}", extent(range, tracks))
}
