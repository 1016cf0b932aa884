//! The address of the page: traces to open and state of the views. A link to a hosted trace restores both.
//!
//! Times are decimal nanoseconds. A part that is not understood is skipped, so that it does not spoil the other parts.
//!
//! Texts of the trace are not written to an address: groups and attributes appear as hashes (see [`concealed`]). Addresses
//! that contain the texts themselves are understood, too.

mod area;
mod compare;
mod concealed;
#[cfg(test)]
mod file_tests;
mod files;
mod limit;
mod merged;
mod notes;
mod overview;
mod pivot;
mod queries;
mod runs;
mod sources;
mod statements;
mod tables;
#[cfg(test)]
mod tests;
mod track_layout;
mod trends;
mod versions;

use queryscope::protocol::{Arrangement, ColorBy, TrackExpansion, TrackKey, Viewport};

use web_sys::UrlSearchParams;

use crate::state::{ArrowsShown, Controls, Flame, Nav, Tab, Theme};
pub use compare::chosen;
pub use files::{FileMatch, LocalFile, MOST_FILES, file_match, with_files};
pub use limit::{ADDRESS_BYTES, LINK_BYTES, fitted};
pub use runs::{selection as run_selection, written as run_selection_text};
pub use trends::with_dataset;

/// Item code, start and duration of an item, to check that the code still means the same item.
pub type Place = (u32, i64, i64);

/// Version of the link format that this viewer writes. Links of newer versions may contain parts that this viewer cannot read.
pub const VERSION: u32 = 3;

/// Maximum length of an address in bytes; addresses that a viewer writes are far shorter.
const LONGEST: usize = 1 << 16;

/// A parsed address.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Address {
    /// Addresses of the traces to open, as written.
    pub traces: Vec<String>,
    /// Address of the data set to open, as written.
    pub dataset: Option<String>,
    /// Name of the trace of the data set to open.
    pub stored: Option<String>,
    /// Whether the page is in a frame of another page.
    pub embedded: bool,
    /// Which controls are shown around the views; `None` if the address does not specify it.
    pub controls: Option<Controls>,
    /// Memory in bytes at which reading ends; `None` for the default.
    pub memory: Option<u64>,
    /// Version of the link format; 0 if the address has none.
    pub version: u32,
    /// Whether the address was too long to be parsed.
    pub is_too_long: bool,
    /// The local files of the link; empty for a link to hosted traces, and for a link that names no file.
    pub files: Vec<LocalFile>,
    /// Number of local files if `files` does not list all of them; otherwise 0.
    pub n_files: u32,
    /// Number of notes that the link leaves out because it would be too long.
    pub left_out: u32,
    /// State of the views, except for items.
    pub nav: Nav,
    /// Items of the address, which are located once the trace is open.
    pub items: Items,
    /// Gathered items, at most [`MOST_LINKED`].
    pub picked: Vec<Place>,
}

/// Items that an address refers to.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Items {
    /// The selected item.
    pub selection: Option<Place>,
    /// The item whose query the flame graph shows.
    pub flame: Option<Place>,
    /// The compared executions A and B.
    pub compared: [Option<Place>; 2],
}

const THEMES: [(Theme, &str); 3] =
    [(Theme::System, "system"), (Theme::Light, "light"), (Theme::Dark, "dark")];
const ROWS: [(Arrangement, &str); 2] = [(Arrangement::ByQuery, "by-query"), (Arrangement::Packed, "packed")];
const COLORS: [(ColorBy, &str); 5] = [
    (ColorBy::Kind, "kind"),
    (ColorBy::Connector, "connector"),
    (ColorBy::Datasource, "datasource"),
    (ColorBy::Outcome, "outcome"),
    (ColorBy::Query, "query"),
];

/// Separator of the labels that lead to a pivot group or to the focused frame; no label contains it.
const PATH_SIGN: &str = "\u{1f}";

impl Address {
    /// Parses the texts after `?` and after `#`, both without that sign.
    pub fn parse(search: &str, fragment: &str) -> Self {
        let mut address = Address::default();
        let mut pairs: Vec<(String, String)> = Vec::new();
        for part in [search, fragment] {
            if part.len() > LONGEST {
                address.is_too_long = true;
                continue;
            }
            let Ok(found) = UrlSearchParams::new_with_str(part) else { continue };
            for pair in found.entries().into_iter().flatten() {
                let pair: js_sys::Array = pair.into();
                pairs.extend(pair.get(0).as_string().zip(pair.get(1).as_string()));
            }
        }
        address.version = versions::of(&pairs);
        versions::upgrade(&mut pairs, address.version);
        pairs.iter().for_each(|(name, value)| address.take(name, value));
        address
    }

    /// Whether a newer viewer wrote the address; its unknown parts are skipped.
    pub fn is_newer(&self) -> bool {
        self.version > VERSION
    }

    /// Applies one name-value pair; a pair that is not understood changes nothing.
    fn take(&mut self, name: &str, value: &str) {
        let nav = &mut self.nav;
        match name {
            "trace" => self.traces.push(value.to_owned()),
            "dataset" => self.dataset = Some(value.to_owned()),
            "stored" => self.stored = Some(value.to_owned()),
            "memory" => self.memory = value.parse().ok().map(|mib: u64| mib.saturating_mul(1 << 20)),
            "embed" => self.embedded = !matches!(value, "0" | "false"),
            "controls" => self.controls = Controls::named(value),
            "view" => set(&mut nav.tab, Tab::of_id(value)),
            "rows" => {
                let arrangement = named(&ROWS, value);
                nav.arrangement_chosen |= arrangement.is_some();
                set(&mut nav.arrangement, arrangement);
            }
            "tracks" => nav.expansion = expansion(value),
            "color" => set(&mut nav.color, named(&COLORS, value)),
            "only" => nav.only = value.split(',').filter_map(|slot| slot.parse().ok()).collect(),
            "arrows" if value == "direct" => nav.arrows = ArrowsShown::Direct,
            "critical" => nav.marks_path = value == "marked",
            "flame" if value == "merged" => nav.flame = Flame::Merged,
            "flame" if value == "side-by-side" => nav.flame = Flame::SideBySide,
            "side-by-side" => nav.side_part = interval(value),
            "flame" => self.items.flame = place(value),
            "t" => nav.viewport = interval(value).map(viewport).or(nav.viewport),
            "top" => {
                let top = value.parse().ok().filter(|top: &u32| *top <= HIGHEST_TOP);
                if let (Some(viewport), Some(top)) = (&mut nav.viewport, top) {
                    viewport.top = f64::from(top);
                }
            }
            "theme" => nav.theme = named(&THEMES, value).or(nav.theme),
            "pins" => value.split(',').filter_map(|key| key.parse().ok()).for_each(|key| nav.pin(key, true)),
            "range" => nav.range = interval(value).or(nav.range),
            "find" => nav.search = value.to_owned(),
            "item" => self.items.selection = place(value),
            "gathered" => self.picked = value.split('_').filter_map(place).take(MOST_LINKED).collect(),
            "file" => self.files.extend(LocalFile::parse(value)),
            "files" => self.n_files = value.parse().unwrap_or(0),
            "notes-left-out" => self.left_out = value.parse().unwrap_or(0),
            _ if queries::take(nav, name, value)
                || merged::take(nav, name, value)
                || pivot::take(nav, name, value)
                || tables::take(nav, name, value)
                || sources::take(nav, name, value)
                || statements::take(nav, name, value)
                || overview::take(nav, name, value)
                || runs::take(nav, name, value)
                || area::take(nav, name, value)
                || track_layout::take(nav, name, value)
                || trends::take(nav, name, value)
                || notes::take(nav, name, value) => {}
            _ => compare::take(&mut nav.compare, &mut self.items.compared, name, value),
        }
    }
}

/// Sets `place` to `value`; for `None`, leaves it unchanged.
fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

/// Maximum scroll position in a link, in CSS pixels: more than ten million rows.
const HIGHEST_TOP: u32 = 1 << 30;

fn viewport((start, end): (i64, i64)) -> Viewport {
    Viewport { start, end, width: 1.0, top: 0.0, height: 1.0 }
}

/// Maximum number of tracks in a link; the tracks that were expanded or collapsed last are kept.
const MOST_TRACKS: usize = 200;
/// Choices that apply to all tracks.
const ALL: [(bool, &str); 2] = [(true, "expanded"), (false, "collapsed")];

/// Parses expanded tracks, such as `collapsed,0123456789,-abcdef0123.1`: first the choice for all tracks, then single
/// tracks, with a minus sign if collapsed.
fn expansion(text: &str) -> TrackExpansion {
    let mut expansion = TrackExpansion::default();
    for part in text.split(',') {
        let name = part.strip_prefix('-').unwrap_or(part);
        match (named(&ALL, part), name.parse()) {
            (Some(all), _) => expansion.all = Some(all),
            (None, Ok(track)) => expansion.set(track, name.len() == part.len()),
            (None, Err(())) => {}
        }
    }
    expansion
}

fn expansion_text(expansion: &TrackExpansion) -> String {
    let all = expansion.all.map(|all| name(&ALL, all).to_owned());
    let left_out = expansion.tracks.len().saturating_sub(MOST_TRACKS);
    let track = |(key, expanded): &(TrackKey, bool)| format!("{}{key}", if *expanded { "" } else { "-" });
    all.into_iter().chain(expansion.tracks[left_out..].iter().map(track)).collect::<Vec<_>>().join(",")
}

/// Maximum number of gathered items in a link.
pub const MOST_LINKED: usize = 40;

/// Adds the gathered items to a fragment.
pub fn with_picked(fragment: &str, picked: &[Place]) -> String {
    let places: Vec<String> = picked.iter().take(MOST_LINKED).map(|place| placed(*place)).collect();
    match (fragment, &places[..]) {
        (_, []) => fragment.to_owned(),
        ("", _) => format!("gathered={}&v={VERSION}", places.join("_")),
        _ => format!("{fragment}&gathered={}", places.join("_")),
    }
}

/// Returns the text after `#` for a state of the views, with only the settings that differ from their default.
pub fn fragment(nav: &Nav, items: &Items, traces: &[String], embedded: bool) -> String {
    let begin = Nav::default();
    let mut parts: Vec<String> = Vec::new();
    let mut add =
        |name: &str, value: &str| parts.push(format!("{name}={}", js_sys::encode_uri_component(value)));
    traces.iter().for_each(|trace| add("trace", trace));
    if embedded {
        add("embed", "1");
    }
    add_picture(nav, &begin, &mut add);
    if let (Flame::Time(_), Some(place)) = (nav.flame, items.flame) {
        add("flame", &placed(place));
    }
    merged::add(nav, &begin.merged, &mut add);
    pivot::add(nav, &begin, &mut add);
    tables::add(nav, &mut add);
    statements::add(nav, &mut add);
    overview::add(nav, &mut add);
    sources::add(nav, &mut add);
    trends::add(nav, &mut add);
    runs::add(nav, &mut add);
    compare::add(&nav.compare, items.compared, &mut add);
    queries::add(nav, &mut add);
    if let Some(view) = nav.viewport {
        add("t", &format!("{},{}", view.start, view.end));
        if view.top >= 1.0 {
            add("top", &format!("{:.0}", view.top));
        }
    }
    if let Some((start, end)) = nav.range {
        add("range", &format!("{start},{end}"));
    }
    area::add(nav, &mut add);
    if !nav.search.is_empty() {
        add("find", &nav.search);
    }
    if let Some(selection) = items.selection {
        add("item", &placed(selection));
    }
    if let Some(theme) = nav.theme {
        add("theme", name(&THEMES, theme));
    }
    notes::add(&nav.notes, &mut add);
    if parts.len() > traces.len() {
        parts.push(format!("v={VERSION}"));
    }
    parts.join("&").replace("%2C", ",").replace("%2F", "/").replace("%3A", ":")
}

fn add_picture(nav: &Nav, begin: &Nav, add: &mut dyn FnMut(&str, &str)) {
    if nav.tab != begin.tab {
        add("view", nav.tab.id());
    }
    if nav.arrangement_chosen || nav.arrangement != begin.arrangement {
        add("rows", name(&ROWS, nav.arrangement));
    }
    if nav.expansion != begin.expansion {
        add("tracks", &expansion_text(&nav.expansion));
    }
    if !nav.pins.is_empty() {
        add("pins", &nav.pins.iter().map(TrackKey::to_string).collect::<Vec<_>>().join(","));
    }
    track_layout::add(nav, add);
    if nav.color != begin.color {
        add("color", name(&COLORS, nav.color));
    }
    if !nav.only.is_empty() {
        let slots: Vec<_> = nav.only.iter().map(u16::to_string).collect();
        add("only", &slots.join(","));
    }
    if nav.arrows == ArrowsShown::Direct {
        add("arrows", "direct");
    }
    if nav.marks_path {
        add("critical", "marked");
    }
    if nav.flame == Flame::Merged {
        add("flame", "merged");
    } else if nav.flame == Flame::SideBySide {
        add("flame", "side-by-side");
    }
    if let Some((start, end)) = nav.side_part {
        add("side-by-side", &format!("{start},{end}"));
    }
}

fn named<T: Copy>(names: &[(T, &str)], text: &str) -> Option<T> {
    names.iter().find(|(_, name)| *name == text).map(|(value, _)| *value)
}

/// Splits the name of a column from the minus before it, which reverses the order.
fn reversible(text: &str) -> (&str, bool) {
    text.strip_prefix('-').map_or((text, false), |column| (column, true))
}

fn name<T: PartialEq>(names: &[(T, &'static str)], value: T) -> &'static str {
    names.iter().find(|(named, _)| *named == value).map_or("", |(_, name)| name)
}

fn interval(text: &str) -> Option<(i64, i64)> {
    let (start, end) = text.split_once(',')?;
    let interval = (start.parse().ok()?, end.parse().ok()?);
    (interval.0 < interval.1).then_some(interval)
}

/// Formats an item as [`place`] parses it.
fn placed((item, start, duration): Place) -> String {
    format!("{item},{start},{duration}")
}

/// Parses an item as a link names it: code, start and duration in nanoseconds, separated by commas.
pub fn place(text: &str) -> Option<Place> {
    let mut parts = text.split(',');
    let place = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next().is_none().then_some(place)
}
