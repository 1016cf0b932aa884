//! Texts of the Gantt and flame views: toolbar, canvases, notes and labels in the canvas.

use queryscope::internal::text;
use queryscope::protocol::{AlignedStep, SideBySideSummary};

use crate::state::Nav;

use super::common::count;

pub const TOOLBAR: &str = "View";
pub const ARRANGEMENT: &str = "Arrangement";
pub const BY_QUERY: &str = "By query";
pub const BY_THREAD: &str = "By thread";
pub const BY_TRACK: &str = "By track";
pub const PACKED: &str = "Packed";
pub const FLAME_GRAPH: &str = "Flame graph";
pub const TIME_ORDER: &str = "Time order";
pub const SELECTED_QUERY: &str = "Selected query";
pub const MERGED: &str = "Merged";
pub const SIDE_BY_SIDE: &str = "Side by side";
pub const TABLE_OF_STEPS: &str = "Table of steps";
pub const TABLE_OF_STEPS_MEANING: &str = "Compare the same executions in a table";
pub const NO_EXECUTIONS: &str = "No two executions to show. Choose base and new in Compare > Executions.";

/// Why the timeline has no rows; `None` if no track is filtered out or hidden.
pub fn no_tracks(nav: &Nav) -> Option<&'static str> {
    match (nav.tracks.name.trim().is_empty(), nav.tracks.hidden.is_empty()) {
        (false, _) => Some("No tracks: no name or statement contains the text above. Choose Show all."),
        (true, false) => Some("No tracks: all of them are hidden. Choose Show all."),
        (true, true) => None,
    }
}

/// Why a merged flame graph has no frames.
pub fn no_frames(nav: &Nav) -> &'static str {
    match (nav.filter.is_empty(), nav.merged.difference.is_some()) {
        _ if !nav.merged.focus.is_empty() => {
            "No frames: the focused frame has no value here. Choose a frame above it to leave it."
        }
        (false, _) => "No frames: nothing that matches the filter has a value above 0.",
        (true, true) => "No frames: the two sides have nothing with a value above 0.",
        (true, false) => {
            "No frames: nothing here has a value above 0. Choose another width, such as the count."
        }
    }
}

/// Why a difference flame graph has only its outermost frame.
pub fn only_root(width_by_base: bool) -> &'static str {
    if width_by_base {
        "Base has no frames in this grouping. Group by other dimensions, or choose New as the width."
    } else {
        "New has no frames in this grouping. Group by other dimensions, or choose Base as the width."
    }
}

/// The executions in timelines: durations, and how many spans they have in common.
pub fn side_by_side(found: &SideBySideSummary) -> String {
    if found.is_same {
        return super::compare::SAME_EXECUTION.to_owned();
    }
    let [new, base] = found.durations;
    let only = |[new, base]: [u32; 2]| format!("{base} only in base, {new} only in new");
    let spans = match (found.common, found.only) {
        (0 | 1, [0, 0]) => "neither execution has spans inside it".to_owned(),
        (0 | 1, each) => format!("no span in common; {}", only(each)),
        (common, each) => {
            format!("{} in both; {}", text::counted((common - 1).into(), "span", "spans"), only(each))
        }
    };
    format!("{} · {spans}", base_to_new(base, new, "Base"))
}

fn base_to_new(base: i64, new: i64, name: &str) -> String {
    format!(
        "{name} {}, new {}: {}, {} ×",
        text::duration(base),
        text::duration(new),
        super::compare::signed(new.saturating_sub(base)),
        super::compare::ratio(new, base)
    )
}

/// A step and its partner in the other execution.
pub fn aligned_step(step: &AlignedStep) -> String {
    let AlignedStep { name, durations, .. } = step;
    let name = text::shortened(name, 60);
    match durations {
        [Some(new), Some(base)] => format!("{name}: {}", base_to_new(*base, *new, "base")),
        [Some(new), None] => format!("{name}: only in new, {}", text::duration(*new)),
        [None, Some(base)] => format!("{name}: only in base, {}", text::duration(*base)),
        [None, None] => name,
    }
}
pub const COLOUR_BY: &str = "colour by";
pub const KIND: &str = "kind";
pub const CONNECTOR: &str = "connector";
pub const DATASOURCE: &str = "datasource";
pub const OUTCOME: &str = "outcome";
pub const QUERY: &str = "query";
pub const WIDTH: &str = "width";
pub const CALLS: &str = "calls";
pub const DIMENSIONS: &str = "Dimensions";
pub const ADD_DIMENSION: &str = "Add dimension";
pub const ARGUMENTS: &str = "arguments";
pub const FOCUS: &str = "Focus";
pub const ALL: &str = "All";
pub const OF_ALL_SPANS: &str = "All spans, also outside statements";
pub const END_DIFFERENCE: &str = "End difference";
pub const LESS_IN_NEW: &str = "less in new";
pub const VANISHED_HIDDEN: &str = "Frames only in base: choose width of Base";
pub const MORE_IN_NEW: &str = "more in new";
pub const WIDTH_OF: &str = "width of";

pub const STACKS: &str = "Call stacks";
pub const CALLEES: &str = "Callees";
pub const CALLERS: &str = "Callers";
pub const INVERTED: &str = "Callers (inverted)";
pub const ALL_CALLEES_TITLE: &str = "Callees are below their callers.";
pub const INVERTED_TITLE: &str =
    "Callers are below their callees: the first level is the self time of every name.";
pub const CALLEES_OF_NAME_TITLE: &str = "Callees of all calls of this name, from any caller.";
pub const CALLERS_OF_NAME_TITLE: &str = "Callers of all calls of this name.";
pub const COLLAPSE_RECURSION: &str = "Collapse recursion";
pub const COLLAPSE_RECURSION_TITLE: &str = "Merges a call into its caller if both have the same name.";
pub const CALL_FILTERS: &str = "Shown and hidden calls";
pub const SHOW_ALL: &str = "Show all again";
pub const SHOW_ALL_CALLS: &str = "Show all calls";
pub const UNKNOWN_CALL: &str = "name not in this trace";
pub const FOCUSED_CALL: &str = "Focused call";
pub const CALLERS_TITLE: &str = "Shows the callers of all calls of this name (K).";
pub const CALLEES_TITLE: &str = "Shows the callees of all calls of this name (J).";
pub const HIDE: &str = "Hide";
pub const HIDE_TITLE: &str = "Hides calls of this name; their values go to their callers (H).";

pub fn only(name: &str) -> String {
    format!("only {name}")
}

pub fn hidden(name: &str) -> String {
    format!("without {name}")
}

pub fn show_again(name: &str) -> String {
    format!("Show {name} again")
}

/// Announces the focused frame to screen readers.
pub fn focused(name: Option<&String>, value: &str) -> String {
    format!("{}, {value}", name.map_or(ALL, String::as_str))
}

pub fn remove(dimension: &str) -> String {
    format!("Remove {dimension}")
}

pub fn move_earlier(dimension: &str) -> String {
    format!("Move {dimension} earlier")
}

pub const FLAME_LABEL: &str =
    "Flame graph. Arrow keys move between spans; queries, if any, are listed in a table below.";
pub const GANTT_LABEL: &str =
    "Timeline. Arrow keys move between spans; queries, if any, are listed in a table below.";
pub const MINIMAP: &str = "Minimap of the whole trace: drag to set the visible time";
pub const RULER: &str = "Time axis: drag to select a time range";
pub const HEADINGS: &str = "Track headings";
pub const HEADINGS_LABEL: &str = "Track headings: click to expand or collapse";
pub const TOTAL: &str = "Total ";
pub const SHOWING_ALL: &str = "showing all";

pub fn showing(length: i64) -> String {
    format!("showing {}", text::duration(length))
}

pub fn showing_percent(percent: f64) -> String {
    format!("showing {percent:.3} %")
}

pub const ZOOM_TO_RANGE: &str = "Zoom in";
pub const CLEAR_RANGE: &str = "Clear";
pub const CLEAR_RANGE_TITLE: &str = "Clear the time range (Esc)";
pub const WHAT_OF_RANGE: &str = "spans or events";

pub fn rows(n: i64) -> String {
    format!("{} rows", text::count(n))
}

/// The frames that match a search. `width` has their width and its share.
pub fn matched(frames: u32, width: &str) -> String {
    let whose = if frames == 1 { "Its" } else { "Their" };
    let frames = text::counted(frames.into(), "frame matches", "frames match");
    format!("{frames}. {whose} width: {width}")
}

pub const ARROWS: &str = "Arrows";
pub const ARROWS_KEY: &str = "C";
pub const DIRECT: &str = "Direct";
pub const WHOLE_CHAIN: &str = "Whole chain";

pub fn arrows(name: &str, n: u64) -> String {
    format!("{name} · {}", count(n))
}

pub fn nearest_arrows(n: u64) -> String {
    format!("Nearest {} shown", count(n))
}

/// Content of a hover card as one sentence, for screen readers.
pub fn announcement(kind: &str, title: &str, marks: &[String], lines: &[(String, String)]) -> String {
    let mut parts = vec![format!("{kind}: {title}")];
    parts.extend(marks.iter().cloned());
    parts.extend(lines.iter().map(|(name, value)| format!("{name} {value}")));
    parts.join(", ")
}
