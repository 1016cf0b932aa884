//! Parser and formatter of dimensions and measures, as in command-line arguments and in the address of the page.
//!
//! ```text
//! name   in_digest   rows read          attributes; an underscore equals a blank
//! name[/2]   file[/-1][.1]              first two parts between slashes; last part, then the text before its first dot
//! component                             component of event names, such as `innodb`; same as `event name[component]`
//! thread[#]   SQL[shape]                with `#` for digits; the shape of a statement
//! start[10ms]   bytes[1kB]   bytes[log] steps; classes of 1, 2, 5, 10, 20, 50, …
//! count   sum   p95(self time)   max(rows read)
//! count(rows)                           sum of the reported numbers; a point that reports none counts as 1
//! server count   server avg             by the definitions of the database server's summary tables
//! ```

use std::fmt;

use super::attribute::{Attribute, Quantity, TOTAL_TIME};
use super::cell::{Function, Measure};
use super::choices::has_event_names;
use super::projection::{Dimension, Projection};
use super::server::Server;
use crate::analysis::filter::parse::parse_in;
use crate::analysis::key_name;
use crate::base::text;
use crate::trace::attribute_names::{self, same};
use crate::trace::word_hash::is_name;
use crate::trace::{Key, KeyInfo, Trace, Unit};

/// Error message for a dimension, measure or filter that is not valid.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PivotError(pub(super) String);

impl fmt::Display for PivotError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for PivotError {}

/// Maximum number of dimensions of an aggregate.
const MAX_DIMENSIONS: usize = 8;
/// Maximum number of measures of an aggregate.
const MAX_MEASURES: usize = 32;

/// The non-empty items of a comma-separated list. Commas in brackets do not separate.
pub(super) fn items(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = text.split(|c: char| {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    });
    parts.map(str::trim).filter(|part| !part.is_empty()).collect()
}

/// Parses a list of dimensions.
pub(super) fn dimensions(trace: &Trace, text: &str) -> Result<Vec<Dimension>, PivotError> {
    let mut found: Vec<Dimension> = Vec::new();
    for part in items(text) {
        let next = dimension(trace, part)?;
        if !found.contains(&next) {
            found.push(next);
        }
    }
    if found.len() > MAX_DIMENSIONS {
        return Err(PivotError(format!("at most {MAX_DIMENSIONS} dimensions, not {}", found.len())));
    }
    Ok(found)
}

/// Parses the dimension across, if the text is not empty.
pub(super) fn across(trace: &Trace, text: &str) -> Result<Option<Dimension>, PivotError> {
    let mut found = dimensions(trace, text)?;
    match found.len() {
        0 | 1 => Ok(found.pop()),
        several => Err(PivotError(format!("columns by at most one dimension, not {several}"))),
    }
}

/// Parses a list of measures.
pub(super) fn measures(trace: &Trace, text: &str) -> Result<Vec<Measure>, PivotError> {
    let found: Vec<Measure> =
        items(text).into_iter().map(|part| measure(trace, part)).collect::<Result<_, _>>()?;
    if found.len() > MAX_MEASURES {
        return Err(PivotError(format!("at most {MAX_MEASURES} measures, not {}", found.len())));
    }
    Ok(found)
}

/// Parses a dimension: the name of an attribute, and projections in brackets.
pub(super) fn dimension(trace: &Trace, text: &str) -> Result<Dimension, PivotError> {
    let (name, mut rest) = text.split_at(text.find('[').unwrap_or(text.len()));
    let alias = || same(name, COMPONENT).then(|| component(trace));
    let known = attribute(trace, name).map(|attribute| Dimension { attribute, chain: Vec::new() });
    let Dimension { attribute, mut chain } = known.or_else(alias).ok_or_else(|| unknown(trace, name))?;
    while let Some(inside) = rest.strip_prefix('[') {
        let wrong = || {
            PivotError(format!(
                "unknown projection “{rest}”; known projections: [/2], [.-1], [#], [shape], \
                 [10ms], [log]"
            ))
        };
        let (inside, after) = inside.split_once(']').ok_or_else(wrong)?;
        chain.push(projection(inside, attribute.unit(trace)).ok_or_else(wrong)?);
        rest = after;
    }
    if !rest.is_empty() {
        return Err(PivotError(format!("unexpected “{rest}” after a projection")));
    }
    Ok(Dimension { attribute, chain })
}

/// Name of the dimension [`component`], unless the trace has an attribute with this name.
const COMPONENT: &str = "component";

/// The component of event names: a projection of the event name, so that it rolls up from groups by event name.
pub(super) fn component(trace: &Trace) -> Dimension {
    let attribute = trace.key(attribute_names::EVENT_NAME).map_or(Attribute::Name, Attribute::Text);
    Dimension { attribute, chain: vec![Projection::Component] }
}

fn projection(text: &str, unit: Unit) -> Option<Projection> {
    match text {
        "#" => return Some(Projection::Digits),
        "shape" => return Some(Projection::Shape),
        "log" => return Some(Projection::Classes),
        COMPONENT => return Some(Projection::Component),
        _ => {}
    }
    let separator = text.chars().next()?;
    if !separator.is_ascii_digit() {
        let count: i8 = text[separator.len_utf8()..].parse().ok()?;
        return (count != 0 && count != i8::MIN).then_some(Projection::Parts(separator, count));
    }
    let width = parse_in(text, unit)?;
    (width > 0).then_some(Projection::Step(width))
}

/// The attribute with this name, ignoring case; `None` if there is none. A text attribute takes precedence over a
/// number with the same name.
pub(super) fn attribute(trace: &Trace, name: &str) -> Option<Attribute> {
    let known =
        attribute_names::OF_ALL.iter().position(|known| same(known, name)).map(|at| Attribute::KNOWN[at]);
    let is_called = |key: Key| is_called(trace, trace.keys.get(key), name);
    let inside = || {
        let (start, rest) = name.trim().split_at_checked(3)?;
        let is_in = start.ends_with([' ', '_']) && start[..2].eq_ignore_ascii_case("in");
        is_in.then(|| texts(trace, rest).map(Attribute::Inside)).flatten()
    };
    let statement = same(name, attribute_names::STATEMENT_TEXT).then_some(Attribute::Statement);
    known
        .or(statement)
        .or_else(|| trace.track_texts.keys().into_iter().find(|&key| is_called(key)).map(Attribute::OfTrack))
        .or_else(|| texts(trace, name).map(Attribute::Text))
        .or_else(|| numbers(trace, name).map(Attribute::Number))
        .or_else(inside)
        // Aliases come after the names that the trace itself uses. If all items are named by their event name, no attribute
        // holds it separately.
        .or_else(|| {
            Some(attribute_names::canonical(name))
                .filter(|&is| is != name)
                .and_then(|is| attribute(trace, is))
        })
        .or_else(|| {
            (same(name, attribute_names::EVENT_NAME) && has_event_names(trace)).then_some(Attribute::Name)
        })
}

/// Whether a key has this name, as in the file or as it is shown.
fn is_called(trace: &Trace, key: KeyInfo, name: &str) -> bool {
    let own = trace.str(key.name);
    is_name(name, own) || name.contains(char::REPLACEMENT_CHARACTER) && same(&text::visible_name(own), name)
}

fn texts(trace: &Trace, name: &str) -> Option<Key> {
    trace
        .keys
        .iter()
        .find(|(_, info)| info.unit == Unit::Text && is_called(trace, *info, name))
        .map(|(key, _)| key)
}

fn numbers(trace: &Trace, name: &str) -> Option<Key> {
    trace
        .keys
        .iter()
        .find(|(_, info)| info.unit != Unit::Text && is_called(trace, *info, name))
        .map(|(key, _)| key)
}

fn unknown(trace: &Trace, name: &str) -> PivotError {
    let known = attribute_names::OF_ALL.into_iter().map(str::to_owned);
    let keys = trace.keys.iter().map(|(key, _)| key_name(trace, key));
    let known: Vec<String> = known.chain(keys.take(40)).collect();
    PivotError(format!("unknown field “{}” (known fields: {}, …)", name.trim(), known.join(", ")))
}

const FUNCTIONS: [(Function, &str); 6] = [
    (Function::Count, "count"),
    (Function::Sum, "sum"),
    (Function::Min, "min"),
    (Function::Average, "avg"),
    (Function::Max, "max"),
    (Function::Percentile(50), "median"),
];

/// Parses a measure: a function and, in brackets, its quantity (by default the duration).
pub(super) fn measure(trace: &Trace, text: &str) -> Result<Measure, PivotError> {
    if let Some(measure) = server_measure(text) {
        return Ok(measure);
    }
    let (name, of) = text.split_once('(').unwrap_or((text, "duration)"));
    let of = of.strip_suffix(')').ok_or_else(|| PivotError(format!("“{text}” has no closing bracket")))?;
    let function = function(name).ok_or_else(|| {
        PivotError(format!(
            "unknown measure “{name}” (known measures: count, sum, min, avg, max, p50, p95, …)"
        ))
    })?;
    Ok(Measure { function, quantity: quantity(trace, of)? })
}

/// Parses `server count`, `server sum`, …; `None` for any other text.
fn server_measure(text: &str) -> Option<Measure> {
    let (server, name) = text.trim().split_once([' ', '_'])?;
    let function = function(name).filter(|_| same(server, "server"))?;
    Some(match function {
        Function::Count => SERVER_COUNT,
        function => Measure { function, quantity: Quantity::Server(Server::Time) },
    })
}

/// The COUNT of a server's summary tables.
const SERVER_COUNT: Measure = Measure { function: Function::Sum, quantity: Quantity::Server(Server::Count) };

fn function(name: &str) -> Option<Function> {
    let known = FUNCTIONS.iter().find(|(_, known)| same(known, name)).map(|(function, _)| *function);
    let percent =
        || name.trim().strip_prefix(['p', 'P'])?.parse().ok().filter(|percent| (1..=99).contains(percent));
    known.or_else(|| percent().map(Function::Percentile))
}

fn quantity(trace: &Trace, name: &str) -> Result<Quantity, PivotError> {
    match name {
        _ if same(name, "duration") => Ok(Quantity::Duration),
        _ if same(name, "self") || same(name, "self time") => Ok(Quantity::SelfTime),
        _ if same(name, TOTAL_TIME) => Ok(Quantity::TotalTime),
        _ if same(name, "server time") => Ok(Quantity::Server(Server::Time)),
        _ => numbers(trace, name).map(Quantity::Number).ok_or_else(|| {
            PivotError(format!(
                "unknown number “{name}” (known numbers: duration, self time, total time{})",
                {
                    let numbers = trace.keys.iter().filter(|(_, info)| info.unit != Unit::Text);
                    numbers.map(|(key, _)| format!(", {}", key_name(trace, key))).take(40).collect::<String>()
                }
            ))
        }),
    }
}

/// Formats a dimension so that [`dimension`] can parse it.
pub(super) fn written(trace: &Trace, dimension: &Dimension) -> String {
    let unit = dimension.attribute.unit(trace);
    let is_alias =
        dimension.projections_after(&component(trace)).is_some() && attribute(trace, COMPONENT).is_none();
    let mut text = if is_alias { COMPONENT.to_owned() } else { dimension.attribute.name(trace) };
    for projection in dimension.chain.iter().skip(usize::from(is_alias)) {
        text += &match *projection {
            Projection::Parts(separator, count) => format!("[{separator}{count}]"),
            Projection::Digits => "[#]".to_owned(),
            Projection::Shape => "[shape]".to_owned(),
            Projection::Classes => "[log]".to_owned(),
            Projection::Component => format!("[{COMPONENT}]"),
            Projection::Step(width) if unit == Unit::Millionths => {
                format!("[{}]", text::millionths(width).replace(',', ""))
            }
            Projection::Step(width) => format!("[{width}{}]", suffix(unit)),
        };
    }
    text
}

fn suffix(unit: Unit) -> &'static str {
    match unit {
        Unit::Nanos => "ns",
        Unit::Picos => "ps",
        _ => "",
    }
}

/// Title of a measure for a column header: its quantity, then its function.
pub(super) fn title(trace: &Trace, measure: Measure) -> String {
    let function = function_written(measure.function);
    match measure.quantity {
        _ if measure.counts_points() || measure == SERVER_COUNT => measure_written(trace, measure),
        Quantity::Server(Server::Time) => format!("server time, {function}"),
        quantity => format!("{}, {function}", quantity.name(trace)),
    }
}

fn function_written(function: Function) -> String {
    match function {
        Function::Percentile(percent) => format!("p{percent}"),
        function => {
            FUNCTIONS.iter().find(|(known, _)| *known == function).map_or("", |(_, name)| name).to_owned()
        }
    }
}

/// Formats a measure so that [`measure`] can parse it.
pub(super) fn measure_written(trace: &Trace, measure: Measure) -> String {
    let name = function_written(measure.function);
    match (measure.function, measure.quantity) {
        (_, Quantity::Duration) => name,
        _ if measure == SERVER_COUNT => "server count".to_owned(),
        (_, Quantity::Server(Server::Time)) => format!("server {name}"),
        (_, quantity) => format!("{name}({})", quantity.name(trace)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::sample;
    use crate::trace::word_hash::hash_of_name;

    fn check(text: &str, expected: Result<&str, &str>) {
        let trace = sample::trace();
        let found =
            dimension(&trace, text).map(|found| written(&trace, &found)).map_err(|error| error.to_string());
        match expected {
            Ok(expected) => assert_eq!(found.as_deref(), Ok(expected), "{text}"),
            Err(part) => {
                assert!(found.as_ref().is_err_and(|error| error.contains(part)), "{text}: {found:?}")
            }
        }
    }

    #[test]
    fn dimensions_are_read_and_written() {
        check("name", Ok("name"));
        check(" Rows_Read ", Ok("rows read"));
        check("in connector", Ok("in connector"));
        check("in_connector[/2][.-1]", Ok("in connector[/2][.-1]"));
        check("thread[#]", Ok("thread[#]"));
        check("sql[shape]", Ok("SQL[shape]"));
        check("start[10ms]", Ok("start[10000000ns]"));
        check("bytes[1kB][log]", Ok("bytes[1000][log]"));
        check("Statement_text[shape]", Ok("statement text[shape]"));
        check("Component", Ok("component"));
        check("name[component]", Ok("component"));
        check("component[#]", Ok("component[#]"));
        check(&hash_of_name("connector"), Ok("connector"));
        check(&format!("in {}[/2]", hash_of_name("Connector")), Ok("in connector[/2]"));
        check(&hash_of_name("nothing"), Err("unknown field"));
        check("track[component]", Ok("track[component]"));
        check("nothing", Err("unknown field “nothing”"));
        check("in nothing", Err("unknown field"));
        check("name[/0]", Err("unknown projection"));
        check("name[/-128]", Err("unknown projection"));
        check("name[0]", Err("unknown projection"));
        check("name[", Err("unknown projection"));
        check("name[]", Err("unknown projection"));
        check("name[/1]x", Err("after a projection"));
        check("", Err("unknown field"));
    }

    #[test]
    fn measures_are_read_and_written() {
        let trace = sample::trace();
        for (text, expected) in [
            ("count", Ok("count")),
            ("Sum", Ok("sum")),
            ("p95(self)", Ok("p95(self time)")),
            ("median", Ok("p50")),
            ("p50", Ok("p50")),
            ("max(rows_read)", Ok("max(rows read)")),
            ("count(bytes)", Ok("count(bytes)")),
            ("server_count", Ok("server count")),
            ("Server AVG", Ok("server avg")),
            ("p95(server time)", Ok("server p95")),
            ("server", Err("unknown measure “server”")),
            ("server x", Err("unknown measure “server x”")),
            ("p0", Err("unknown measure")),
            ("p100", Err("unknown measure")),
            ("sum(", Err("closing")),
            ("sum(connector)", Err("unknown number “connector”")),
        ] {
            let found = measure(&trace, text).map(|found| measure_written(&trace, found));
            let found = found.map_err(|error| error.to_string());
            match expected {
                Ok(expected) => assert_eq!(found.as_deref(), Ok(expected), "{text}"),
                Err(part) => {
                    assert!(found.as_ref().is_err_and(|error| error.contains(part)), "{text}: {found:?}")
                }
            }
        }
    }

    #[test]
    fn heads_of_columns_name_the_quantity_first() {
        let trace = sample::trace();
        for (text, expected) in [
            ("count", "count"),
            ("sum", "duration, sum"),
            ("p95(self)", "self time, p95"),
            ("max(rows_read)", "rows read, max"),
            ("count(bytes)", "bytes, count"),
            ("server count", "server count"),
            ("server avg", "server time, avg"),
        ] {
            assert_eq!(
                measure(&trace, text).map(|found| title(&trace, found)).as_deref(),
                Ok(expected),
                "{text}"
            );
        }
    }

    #[test]
    fn lists_are_split_at_commas_outside_of_brackets() {
        assert_eq!(items("a, b[,1],sum(x,y) ,,"), ["a", "b[,1]", "sum(x,y)"]);
        let trace = sample::trace();
        assert_eq!(dimensions(&trace, "name,kind,name").map(|d| d.len()), Ok(2));
        assert!(dimensions(&trace, "name,kind,run,track,thread,process,status,start,parent").is_err());
    }
}
