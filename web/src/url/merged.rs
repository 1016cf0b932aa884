//! The merged flame graph in an address: grouping, weight, focus and shown part, and the form of its call stacks.

use queryscope::protocol::{FrameDimension, FrameWeight, MERGED_WIDTH, MergedSpec, StackForm};

use super::{PATH_SIGN, concealed, interval, name, named, set};
use crate::state::Nav;

pub(super) const WEIGHTS: [(FrameWeight, &str); 6] = [
    (FrameWeight::Time, "time"),
    (FrameWeight::SelfTime, "self-time"),
    (FrameWeight::RowsRead, "rows-read"),
    (FrameWeight::RowsReturned, "rows-returned"),
    (FrameWeight::Bytes, "bytes"),
    (FrameWeight::Count, "count"),
];
pub(super) const PATH: [(FrameDimension, &str); 14] = [
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

/// Prefixes of the forms of stacks that begin with one name, by whether the stacks are inverted; the hash of the name
/// follows.
const ROOTED: [(bool, &str); 2] = [(false, "callees:"), (true, "callers:")];
const INVERTED: &str = "inverted";
const COLLAPSED: &str = "collapsed";

/// Applies one name-value pair of the address; returns whether it is about the merged flame graph.
pub(super) fn take(nav: &mut Nav, key: &str, value: &str) -> bool {
    let texts = || value.split(PATH_SIGN).map(str::to_owned).collect();
    match key {
        "focus" => nav.merged.focus = texts(),
        "path" => {
            let path = value.split(',').map(|name| step(nav, name)).collect();
            set(&mut nav.merged.path, path);
        }
        "width" => {
            let weight = named(&WEIGHTS, value).or_else(|| argument(nav, value).map(FrameWeight::Argument));
            set(&mut nav.merged.weight, weight);
        }
        "merged" => nav.merged_part = interval(value).filter(is_merged_part),
        "stacks" => set(&mut nav.merged.stacks, stacks(value)),
        "hide" => nav.merged.hidden = texts(),
        "recursion" => nav.merged.collapse_recursion = value == COLLAPSED,
        _ => return false,
    }
    true
}

/// Adds what differs from the initial graph `begin`.
pub(super) fn add(nav: &Nav, begin: &MergedSpec, add: &mut dyn FnMut(&str, &str)) {
    let merged = &nav.merged;
    if let Some((start, end)) = nav.merged_part {
        add("merged", &format!("{start},{end}"));
    }
    if !merged.focus.is_empty() {
        add("focus", &concealed::path(&merged.focus).join(PATH_SIGN));
    }
    if merged.path != begin.path {
        let step = |dimension: &FrameDimension| match *dimension {
            FrameDimension::Argument(at) => argument_name(nav, at),
            dimension => name(&PATH, dimension).to_owned(),
        };
        let names: Vec<_> = merged.path.iter().map(step).collect();
        add("path", &names.join(","));
    }
    if merged.weight != begin.weight {
        match merged.weight {
            FrameWeight::Argument(at) => add("width", &argument_name(nav, at)),
            weight => add("width", name(&WEIGHTS, weight)),
        }
    }
    match merged.stacks.root() {
        Some(root) => {
            let root = concealed::path(&[root.to_owned()]).concat();
            add("stacks", &format!("{}{root}", name(&ROOTED, merged.stacks.is_inverted())));
        }
        None if merged.stacks == StackForm::Inverted => add("stacks", INVERTED),
        None => {}
    }
    if !merged.hidden.is_empty() {
        add("hide", &concealed::path(&merged.hidden).join(PATH_SIGN));
    }
    if merged.collapse_recursion {
        add("recursion", COLLAPSED);
    }
}

fn stacks(value: &str) -> Option<StackForm> {
    if value == INVERTED {
        return Some(StackForm::Inverted);
    }
    let rooted = |&(is_inverted, prefix): &(bool, &str)| {
        Some(StackForm::new(is_inverted, Some(value.strip_prefix(prefix)?.to_owned())))
    };
    ROOTED.iter().find_map(rooted)
}

fn is_merged_part(part: &(i64, i64)) -> bool {
    part.0 >= 0 && part.1 <= MERGED_WIDTH
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
