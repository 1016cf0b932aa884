//! The address: which traces to open, and what to look at. A link to a hosted trace opens where it was copied.
//!
//! Times are decimal nanoseconds. What cannot be understood is left out, so that one bad part never spoils the rest.
//!
//! Words of the trace stay out of it: groups and attributes stand there as hashes (see [`concealed`]). Addresses that hold
//! the words themselves are understood, too.

mod compare;
mod concealed;

use queryscope::protocol::{PivotSpec, PivotView};
use queryscope::view::{Arrangement, ColorBy, Dimension, Viewport, Weight};
use web_sys::UrlSearchParams;

use crate::state::{ArrowsShown, Flame, State, Tab, default_pivot};
pub use compare::Compared;

/// An item, with its start and duration to know it by.
pub type Place = (u32, i64, i64);

/// What an address asks for.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Address {
    /// Addresses of traces, as given.
    pub traces: Vec<String>,
    /// Only the views, for a frame in another page.
    pub embedded: bool,
    /// The selected item.
    pub selection: Option<Place>,
    /// Executions beside each other.
    pub compared: Compared,
    /// What is looked at.
    pub look: Look,
    /// Bytes of memory with which reading is to end.
    pub memory: Option<u64>,
}

/// What is looked at.
#[derive(Clone, PartialEq, Debug, Default)]
#[allow(missing_docs)]
pub struct Look {
    pub tab: Option<Tab>,
    pub arrangement: Option<Arrangement>,
    pub color: Option<ColorBy>,
    pub direct: bool,
    pub merged: bool,
    pub path: Option<Vec<Dimension>>,
    pub weight: Option<Weight>,
    pub arguments: Vec<String>,
    pub interval: Option<(i64, i64)>,
    pub range: Option<(i64, i64)>,
    pub by: Option<String>,
    pub measures: Option<String>,
    pub filter: Option<String>,
    pub sort: Option<(Option<u32>, bool)>,
    pub open: Vec<Vec<String>>,
    pub table: Option<u32>,
}

const TABS: [(Tab, &str); 8] = [
    (Tab::Overview, "overview"),
    (Tab::Gantt, "gantt"),
    (Tab::Flame, "flame"),
    (Tab::Pivot, "pivot"),
    (Tab::Parallel, "parallel"),
    (Tab::Compare, "compare"),
    (Tab::Transactions, "transactions"),
    (Tab::Tables, "tables"),
];
const ROWS: [(Arrangement, &str); 2] = [(Arrangement::ByQuery, "by-query"), (Arrangement::Packed, "packed")];
const COLORS: [(ColorBy, &str); 5] = [
    (ColorBy::Kind, "kind"),
    (ColorBy::Connector, "connector"),
    (ColorBy::Datasource, "datasource"),
    (ColorBy::Outcome, "outcome"),
    (ColorBy::Query, "query"),
];
const WEIGHTS: [(Weight, &str); 6] = [
    (Weight::Time, "time"),
    (Weight::SelfTime, "self-time"),
    (Weight::RowsRead, "rows-read"),
    (Weight::RowsReturned, "rows-returned"),
    (Weight::Bytes, "bytes"),
    (Weight::Count, "count"),
];
const PATH: [(Dimension, &str); 14] = [
    (Dimension::Run, "run"),
    (Dimension::SqlShape, "sql"),
    (Dimension::Query, "query"),
    (Dimension::Database, "database"),
    (Dimension::Connector, "connector"),
    (Dimension::Datasource, "datasource"),
    (Dimension::CommandType, "command"),
    (Dimension::BufferType, "buffer"),
    (Dimension::Outcome, "outcome"),
    (Dimension::Process, "process"),
    (Dimension::Thread, "thread"),
    (Dimension::Category, "category"),
    (Dimension::Name, "name"),
    (Dimension::Stack, "calls"),
];

/// Between the labels that lead to an open group of the pivot table: no label has it.
const PATH_SIGN: &str = "\u{1f}";

impl Address {
    /// From what stands after `?` and after `#`, each without that sign.
    pub fn parse(search: &str, fragment: &str) -> Self {
        let mut address = Address::default();
        for part in [search, fragment] {
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

    fn take(&mut self, name: &str, value: &str) {
        let look = &mut self.look;
        match name {
            "trace" => self.traces.push(value.to_owned()),
            "memory" => self.memory = value.parse().ok().map(|mib: u64| mib.saturating_mul(1 << 20)),
            "embed" => self.embedded = !matches!(value, "0" | "false"),
            "view" => look.tab = named(&TABS, value),
            "rows" => look.arrangement = named(&ROWS, value),
            "color" => look.color = named(&COLORS, value),
            "arrows" => look.direct = value == "direct",
            "flame" => look.merged = value == "merged",
            "path" => look.path = value.split(',').map(|name| look.step(name)).collect(),
            "width" => look.weight = look.width(value),
            "t" => look.interval = interval(value),
            "range" => look.range = interval(value),
            "by" => look.by = Some(value.to_owned()),
            "measure" => look.measures = Some(value.to_owned()),
            "where" => look.filter = Some(value.to_owned()),
            "sort" => look.sort = sort(value),
            "table" => look.table = value.parse().ok(),
            "open" => look.open.push(value.split(PATH_SIGN).map(str::to_owned).collect()),
            "item" => self.selection = place(value),
            _ => self.compared.take(name, value),
        }
    }

    /// The state that the page begins with.
    pub fn state(&self) -> State {
        let mut state = State { embedded: self.embedded, ..State::default() };
        let look = self.look.clone();
        state.tab = look.tab.unwrap_or(state.tab);
        state.arrangement = look.arrangement.unwrap_or(state.arrangement);
        state.arranged = look.arrangement.is_some();
        state.color = look.color.unwrap_or(state.color);
        state.merged.path = look.path.unwrap_or(state.merged.path);
        state.merged.weight = look.weight.unwrap_or(state.merged.weight);
        state.merged.arguments = look.arguments;
        if look.direct {
            state.arrows = ArrowsShown::Direct;
        }
        if look.merged {
            state.flame = Flame::Merged;
        }
        state.pivot = pivot(&self.look);
        state.table.table = self.look.table.unwrap_or(0);
        state.compare = self.compared.view.clone();
        state.range = look.range;
        state.viewport =
            look.interval.map(|(start, end)| Viewport { start, end, width: 1.0, top: 0.0, height: 1.0 });
        if self.embedded {
            (state.details, state.list, state.list_chosen) = (false, false, true);
        }
        state
    }
}

/// Before the name of an argument; a comma in it stands as what no name has.
const ARGUMENT: &str = "arg:";
const COMMA: &str = "\u{1e}";

impl Look {
    /// A step of the path: a dimension, or an argument by its name.
    fn step(&mut self, value: &str) -> Option<Dimension> {
        named(&PATH, value).or_else(|| self.argument(value).map(Dimension::Argument))
    }

    fn width(&mut self, value: &str) -> Option<Weight> {
        named(&WEIGHTS, value).or_else(|| self.argument(value).map(Weight::Argument))
    }

    fn argument(&mut self, value: &str) -> Option<u8> {
        let name = value.strip_prefix(ARGUMENT)?.replace(COMMA, ",");
        let at = self.arguments.iter().position(|known| *known == name).unwrap_or_else(|| {
            self.arguments.push(name);
            self.arguments.len() - 1
        });
        u8::try_from(at).ok()
    }
}

fn argument(state: &State, at: u8) -> String {
    let name = state.merged.arguments.get(usize::from(at)).map_or("", String::as_str);
    format!("{ARGUMENT}{}", concealed::name(name).replace(',', COMMA))
}

/// What stands after `#` for a state, of which items are where `selection` and `compared` say: only what differs from the
/// beginning.
pub fn fragment(
    state: &State,
    traces: &[String],
    selection: Option<Place>,
    compared: [Option<Place>; 2],
) -> String {
    let begin = State::default();
    let mut parts: Vec<String> = Vec::new();
    let mut add =
        |name: &str, value: &str| parts.push(format!("{name}={}", js_sys::encode_uri_component(value)));
    traces.iter().for_each(|trace| add("trace", trace));
    if state.embedded {
        add("embed", "1");
    }
    if state.tab != begin.tab {
        add("view", state.tab.id());
    }
    if state.arranged || state.arrangement != begin.arrangement {
        add("rows", name(&ROWS, state.arrangement));
    }
    if state.color != begin.color {
        add("color", name(&COLORS, state.color));
    }
    if state.arrows == ArrowsShown::Direct {
        add("arrows", "direct");
    }
    if state.flame == Flame::Merged {
        add("flame", "merged");
    }
    if state.merged.path != begin.merged.path {
        let step = |dimension: &Dimension| match *dimension {
            Dimension::Argument(at) => argument(state, at),
            dimension => name(&PATH, dimension).to_owned(),
        };
        let names: Vec<_> = state.merged.path.iter().map(step).collect();
        add("path", &names.join(","));
    }
    if state.merged.weight != begin.merged.weight {
        match state.merged.weight {
            Weight::Argument(at) => add("width", &argument(state, at)),
            weight => add("width", name(&WEIGHTS, weight)),
        }
    }
    add_pivot(state, &begin, &mut add);
    if state.table.table != begin.table.table {
        add("table", &state.table.table.to_string());
    }
    Compared { items: compared, view: state.compare.clone() }.add(&mut add);
    if let Some(view) = state.viewport {
        add("t", &format!("{},{}", view.start, view.end));
    }
    if let Some((start, end)) = state.range {
        add("range", &format!("{start},{end}"));
    }
    if let Some(selection) = selection {
        add("item", &placed(selection));
    }
    parts.join("&").replace("%2C", ",").replace("%2F", "/").replace("%3A", ":")
}

/// The pivot table that an address asks for.
fn pivot(look: &Look) -> PivotView {
    let begin = default_pivot();
    let (by, measures) = (look.by.clone(), look.measures.clone());
    let spec = PivotSpec {
        by: by.unwrap_or(begin.spec.by),
        measures: measures.unwrap_or(begin.spec.measures),
        filter: look.filter.clone().unwrap_or_default(),
        range: None,
    };
    let (sort, descending) = look.sort.unwrap_or((begin.sort, begin.descending));
    PivotView { spec, sort, descending, open: look.open.clone() }
}

fn add_pivot(state: &State, begin: &State, add: &mut dyn FnMut(&str, &str)) {
    let (now, then) = (&state.pivot, &begin.pivot);
    if now.spec.by != then.spec.by {
        add("by", &concealed::dimensions(&now.spec.by));
    }
    if now.spec.measures != then.spec.measures {
        add("measure", &concealed::measures(&now.spec.measures));
    }
    if now.spec.filter != then.spec.filter {
        add("where", &now.spec.filter);
    }
    if (now.sort, now.descending) != (then.sort, then.descending) {
        let column = now.sort.map_or("value".to_owned(), |column| column.to_string());
        add("sort", &format!("{}{column}", if now.descending { "-" } else { "" }));
    }
    now.open.iter().for_each(|path| add("open", &concealed::path(path).join(PATH_SIGN)));
}

/// `2`, `-2` (the largest first), `value`.
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

/// What [`place`] reads.
fn placed((item, start, duration): Place) -> String {
    format!("{item},{start},{duration}")
}

fn place(text: &str) -> Option<Place> {
    let mut parts = text.split(',');
    let place = (parts.next()?.parse().ok()?, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
    parts.next().is_none().then_some(place)
}
