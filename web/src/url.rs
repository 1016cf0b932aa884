//! The address of the page: traces to open and state of the views. A link to a hosted trace restores both.
//!
//! Times are decimal nanoseconds. A part that is not understood is skipped, so that it does not spoil the other parts.
//!
//! Texts of the trace are not written to an address: groups and attributes appear as hashes (see [`concealed`]). Addresses
//! that contain the texts themselves are understood, too.

mod compare;
mod concealed;

use queryscope::protocol::{
    Arrangement, ColorBy, FrameDimension, FrameWeight, PivotColumn, QueryColumn, TrackExpansion, TrackKey,
    Viewport,
};

use web_sys::UrlSearchParams;

use crate::state::{ArrowsShown, Controls, Flame, Nav, Tab};
pub use compare::chosen;

/// Item code, start and duration of an item, to check that the code still means the same item.
pub type Place = (u32, i64, i64);

/// Version of the link format that this viewer writes. A newer version may contain parts that it does not know.
pub const VERSION: u32 = 2;

/// Maximum length of an address in bytes; addresses that a viewer writes are far shorter.
const LONGEST: usize = 1 << 16;

/// A parsed address.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Address {
    /// Addresses of the traces to open, as written.
    pub traces: Vec<String>,
    /// Whether the page is in a frame of another page.
    pub embedded: bool,
    /// How much is shown around the views; `None` if the address does not say.
    pub controls: Option<Controls>,
    /// Memory in bytes at which reading ends; `None` for the default.
    pub memory: Option<u64>,
    /// Version of the link format; 0 if the address has none.
    pub version: u32,
    /// Whether the address was too long to be parsed.
    pub is_too_long: bool,
    /// State of the views, except for items.
    pub nav: Nav,
    /// The items, which are found again once the trace is open.
    pub items: Items,
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

const ROWS: [(Arrangement, &str); 2] = [(Arrangement::ByQuery, "by-query"), (Arrangement::Packed, "packed")];
const COLORS: [(ColorBy, &str); 5] = [
    (ColorBy::Kind, "kind"),
    (ColorBy::Connector, "connector"),
    (ColorBy::Datasource, "datasource"),
    (ColorBy::Outcome, "outcome"),
    (ColorBy::Query, "query"),
];
const WEIGHTS: [(FrameWeight, &str); 6] = [
    (FrameWeight::Time, "time"),
    (FrameWeight::SelfTime, "self-time"),
    (FrameWeight::RowsRead, "rows-read"),
    (FrameWeight::RowsReturned, "rows-returned"),
    (FrameWeight::Bytes, "bytes"),
    (FrameWeight::Count, "count"),
];
const PATH: [(FrameDimension, &str); 14] = [
    (FrameDimension::Run, "run"),
    (FrameDimension::SqlShape, "sql"),
    (FrameDimension::Query, "query"),
    (FrameDimension::Database, "database"),
    (FrameDimension::Connector, "connector"),
    (FrameDimension::Datasource, "datasource"),
    (FrameDimension::CommandType, "command"),
    (FrameDimension::BufferType, "buffer"),
    (FrameDimension::Outcome, "outcome"),
    (FrameDimension::Process, "process"),
    (FrameDimension::Thread, "thread"),
    (FrameDimension::Category, "category"),
    (FrameDimension::Name, "name"),
    (FrameDimension::Stack, "calls"),
];

const QUERY_COLUMNS: [(QueryColumn, &str); 9] = [
    (QueryColumn::Sql, "sql"),
    (QueryColumn::Start, "start"),
    (QueryColumn::Duration, "duration"),
    (QueryColumn::Ratio, "ratio"),
    (QueryColumn::Sources, "sources"),
    (QueryColumn::RowsRead, "rows-read"),
    (QueryColumn::RowsReturned, "rows-returned"),
    (QueryColumn::BufferBytes, "buffer"),
    (QueryColumn::Outcome, "outcome"),
];

/// Separator of the labels that lead to a pivot group or to the focused frame; no label contains it.
const PATH_SIGN: &str = "\u{1f}";

impl Address {
    /// Parses the texts after `?` and after `#`, both without that sign.
    pub fn parse(search: &str, fragment: &str) -> Self {
        let mut address = Address::default();
        for part in [search, fragment] {
            if part.len() > LONGEST {
                address.is_too_long = true;
                continue;
            }
            let Ok(pairs) = UrlSearchParams::new_with_str(part) else { continue };
            for pair in pairs.entries().into_iter().flatten() {
                let pair: js_sys::Array = pair.into();
                if let (Some(name), Some(value)) = (pair.get(0).as_string(), pair.get(1).as_string()) {
                    address.take(&name, &value);
                }
            }
        }
        address
    }

    /// Whether a newer viewer wrote the address, whose unknown parts are skipped.
    pub fn is_newer(&self) -> bool {
        self.version > VERSION
    }

    /// Applies one name-value pair; a pair that is not understood changes nothing.
    fn take(&mut self, name: &str, value: &str) {
        let nav = &mut self.nav;
        match name {
            "v" => self.version = value.parse().unwrap_or(0),
            "trace" => self.traces.push(value.to_owned()),
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
            "flame" if value == "merged" => nav.flame = Flame::Merged,
            "flame" => self.items.flame = place(value),
            "focus" => nav.merged.focus = value.split(PATH_SIGN).map(str::to_owned).collect(),
            "path" => {
                let path = value.split(',').map(|name| step(nav, name)).collect();
                set(&mut nav.merged.path, path);
            }
            "width" => {
                let weight =
                    named(&WEIGHTS, value).or_else(|| argument(nav, value).map(FrameWeight::Argument));
                set(&mut nav.merged.weight, weight);
            }
            "t" => nav.viewport = interval(value).map(viewport).or(nav.viewport),
            "range" => nav.range = interval(value).or(nav.range),
            "by" => nav.pivot.spec.by = value.to_owned(),
            "across" => nav.pivot.spec.across = value.to_owned(),
            "measure" => nav.pivot.spec.measures = value.to_owned(),
            "where" => nav.pivot.spec.filter = value.to_owned(),
            "sort" => {
                let (measure, column) = value.split_once(',').unwrap_or((value, ""));
                if let Some((measure, descending)) = sort(measure) {
                    (nav.pivot.sort, nav.pivot.descending) = (measure, descending);
                    nav.pivot.column = pivot_column(column);
                }
            }
            "open" => nav.pivot.open.push(value.split(PATH_SIGN).map(str::to_owned).collect()),
            "table" => set(&mut nav.table.table, value.parse().ok()),
            "find" => nav.search = value.to_owned(),
            "list" => {
                if let Some(sort) = named(&QUERY_COLUMNS, value.trim_start_matches('-')) {
                    let list = nav.queries.get_or_insert_default();
                    (list.sort, list.descending) = (sort, value.starts_with('-'));
                }
            }
            "filter" => nav.queries.get_or_insert_default().filter = value.to_owned(),
            "item" => self.items.selection = place(value),
            _ => compare::take(&mut nav.compare, &mut self.items.compared, name, value),
        }
    }
}

/// Sets `place` if there is a value.
fn set<T>(place: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *place = value;
    }
}

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

/// Prefix of an argument name, in which [`COMMA`] replaces each comma.
const ARGUMENT: &str = "arg:";
const COMMA: &str = "\u{1e}";

/// Parses a step of the path: a dimension, or an argument by its name.
fn step(nav: &mut Nav, value: &str) -> Option<FrameDimension> {
    named(&PATH, value).or_else(|| argument(nav, value).map(FrameDimension::Argument))
}

fn argument(nav: &mut Nav, value: &str) -> Option<u8> {
    let arguments = &mut nav.merged.arguments;
    let name = value.strip_prefix(ARGUMENT)?.replace(COMMA, ",");
    let at = arguments.iter().position(|known| *known == name).unwrap_or_else(|| {
        arguments.push(name);
        arguments.len() - 1
    });
    u8::try_from(at).ok()
}

fn argument_name(nav: &Nav, at: u8) -> String {
    let name = nav.merged.arguments.get(usize::from(at)).map_or("", String::as_str);
    format!("{ARGUMENT}{}", concealed::name(name).replace(',', COMMA))
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
    add_pivot(nav, &begin, &mut add);
    if nav.table.table != begin.table.table {
        add("table", &nav.table.table.to_string());
    }
    compare::add(&nav.compare, items.compared, &mut add);
    add_queries(nav, &mut add);
    if let Some(view) = nav.viewport {
        add("t", &format!("{},{}", view.start, view.end));
    }
    if let Some((start, end)) = nav.range {
        add("range", &format!("{start},{end}"));
    }
    if !nav.search.is_empty() {
        add("find", &nav.search);
    }
    if let Some(selection) = items.selection {
        add("item", &placed(selection));
    }
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
    if nav.flame == Flame::Merged {
        add("flame", "merged");
    }
    if !nav.merged.focus.is_empty() {
        add("focus", &concealed::path(&nav.merged.focus).join(PATH_SIGN));
    }
    if nav.merged.path != begin.merged.path {
        let step = |dimension: &FrameDimension| match *dimension {
            FrameDimension::Argument(at) => argument_name(nav, at),
            dimension => name(&PATH, dimension).to_owned(),
        };
        let names: Vec<_> = nav.merged.path.iter().map(step).collect();
        add("path", &names.join(","));
    }
    if nav.merged.weight != begin.merged.weight {
        match nav.merged.weight {
            FrameWeight::Argument(at) => add("width", &argument_name(nav, at)),
            weight => add("width", name(&WEIGHTS, weight)),
        }
    }
}

fn add_queries(nav: &Nav, add: &mut dyn FnMut(&str, &str)) {
    let Some(list) = &nav.queries else { return };
    let sign = if list.descending { "-" } else { "" };
    add("list", &format!("{sign}{}", name(&QUERY_COLUMNS, list.sort)));
    if !list.filter.is_empty() {
        add("filter", &list.filter);
    }
}

fn add_pivot(nav: &Nav, begin: &Nav, add: &mut dyn FnMut(&str, &str)) {
    let (now, then) = (&nav.pivot, &begin.pivot);
    if now.spec.by != then.spec.by {
        add("by", &concealed::dimensions(&now.spec.by));
    }
    if now.spec.across != then.spec.across {
        add("across", &concealed::dimensions(&now.spec.across));
    }
    if now.spec.measures != then.spec.measures {
        add("measure", &concealed::measures(&now.spec.measures));
    }
    if now.spec.filter != then.spec.filter {
        add("where", &now.spec.filter);
    }
    if (now.sort, now.descending, &now.column) != (then.sort, then.descending, &then.column) {
        let measure = now.sort.map_or("value".to_owned(), |measure| measure.to_string());
        let column = match &now.column {
            PivotColumn::All => String::new(),
            PivotColumn::Others => ",others".to_owned(),
            PivotColumn::Value(label) => {
                format!(",{}", concealed::path(std::slice::from_ref(label)).concat())
            }
        };
        add("sort", &format!("{}{measure}{column}", if now.descending { "-" } else { "" }));
    }
    now.open.iter().for_each(|path| add("open", &concealed::path(path).join(PATH_SIGN)));
}

/// Parses the column of a pivot measure: empty for all, `others`, or the hash of a value.
fn pivot_column(text: &str) -> PivotColumn {
    match text {
        "" => PivotColumn::All,
        "others" => PivotColumn::Others,
        label => PivotColumn::Value(label.to_owned()),
    }
}

/// Parses a sort order: `2` by column 2, `-2` descending, `value` by value.
fn sort(text: &str) -> Option<(Option<u32>, bool)> {
    let column = text.strip_prefix('-').unwrap_or(text);
    let descending = column.len() < text.len();
    match column {
        "value" => Some((None, descending)),
        _ => Some((Some(column.parse().ok()?), descending)),
    }
}

fn named<T: Copy>(names: &[(T, &str)], text: &str) -> Option<T> {
    names.iter().find(|(_, name)| *name == text).map(|(value, _)| *value)
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
