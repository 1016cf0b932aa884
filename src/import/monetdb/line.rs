//! Values of an event without their names, as `stethoscope -F line` prints them, with the names given back.
//!
//! The order is that of the keys in the record, whatever was asked for; which keys there are depends on the phase and on
//! `-i` and `-e`. Numbers are told apart by their size and place, words by what they are.

use super::columns::is_state;
use super::python;

/// Whether a line begins a record.
pub fn begins(line: &str) -> bool {
    let inner = line.strip_prefix('[').unwrap_or("");
    inner.starts_with(|c: char| c.is_ascii_digit()) && inner.contains(",\t")
}

const BARRIERS: [&str; 7] = ["barrier", "redo", "leave", "exit", "return", "catch", "raise"];
const OPERATORS: [&str; 4] = [":=", "function", "end", "raise"];
const PHASES: [&str; 11] = [
    "session_start",
    "session_end",
    "text_to_sql",
    "sql_to_rel",
    "rel_opt",
    "rel_to_mal",
    "mal_opt",
    "mal_engine",
    "trans_commit",
    "trans_rollback",
    "trans_conflict",
];

/// The record as JSON; `None` if it is not whole.
pub fn to_json(text: &str) -> Option<String> {
    let inner = text.trim_end().strip_prefix('[')?.strip_suffix(']')?;
    let values: Vec<&str> = inner.split(",\t").collect();
    let phase = values.iter().position(|value| PHASES.contains(value));
    let mut members = Members(String::from("{"));
    match phase {
        Some(at) => whole(&values, at, &mut members),
        None => chosen(&values, &mut members),
    }
    Some(members.0 + "}")
}

struct Members(String);

impl Members {
    fn number(&mut self, name: &str, value: &str) {
        let value = if value.parse::<i64>().is_ok() { value } else { "null" };
        self.raw(name, value);
    }

    fn text(&mut self, name: &str, value: &str) {
        let quoted =
            value.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n").replace('\t', "\\t");
        self.raw(name, &python::to_json(&format!("'{quoted}'")));
    }

    fn raw(&mut self, name: &str, value: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0 += &format!("\"{name}\":{value}");
    }
}

/// A record with its phase: `session, clk, thread, phase, …`.
fn whole(values: &[&str], phase: usize, members: &mut Members) {
    for (name, value) in ["thread", "clk", "sessionid"].into_iter().zip(values[..phase].iter().rev()) {
        match name {
            "sessionid" => members.text(name, value),
            _ => members.number(name, value),
        }
    }
    members.text("phase", values[phase]);
    let rest = &values[phase + 1..];
    match values[phase] {
        "mal_engine" => instruction(rest, members),
        "text_to_sql" => {
            let query = rest.iter().skip(2).take(rest.len().saturating_sub(3)).copied().collect::<Vec<_>>();
            let names = ["tstart", "tag"].into_iter().zip(rest);
            names.for_each(|(name, value)| members.number(name, value));
            members.text("query", &query.join(",\t"));
            members.number("usec", rest.last().unwrap_or(&""));
        }
        _ => {
            // Of transactions there are two times before the tag, of sessions nothing.
            let numbers: Vec<&str> =
                rest.iter().copied().filter(|value| value.parse::<i64>().is_ok()).collect();
            members.number("usec", numbers.last().unwrap_or(&""));
            if matches!(numbers.len(), 2 | 4) {
                members.number("tag", numbers[numbers.len() - 2]);
            }
        }
    }
}

/// `pc, tag, [barrier], [operator | module, function], usec, [algorithm], [args], [statement]`.
fn instruction(values: &[&str], members: &mut Members) {
    let numbers = ["pc", "tag"].into_iter().zip(values);
    numbers.for_each(|(name, value)| members.number(name, value));
    let rest = values.get(2..).unwrap_or_default();
    let usec = rest.iter().position(|value| value.parse::<i64>().is_ok()).unwrap_or(rest.len());
    let mut words = rest[..usec].to_vec();
    if words.first().is_some_and(|word| BARRIERS.contains(word)) {
        members.text("barrier", words.remove(0));
    }
    if words.last().is_some_and(|word| OPERATORS.contains(word)) {
        members.text("operator", words.pop().unwrap_or(""));
    }
    if let [module, function, ..] = words[..] {
        members.text("module", module);
        members.text("function", function);
    }
    members.number("usec", rest.get(usec).unwrap_or(&""));
    behind(rest.get(usec + 1..).unwrap_or_default(), members);
}

/// What stands behind the numbers: an algorithm, arguments, the text of the instruction.
fn behind(values: &[&str], members: &mut Members) {
    for value in values {
        if value.starts_with("[{") {
            members.raw("args", &python::to_json(value));
        } else if value.ends_with(';') {
            members.text("stmt", value);
        } else {
            members.text("algorithm", value);
        }
    }
}

/// A record of chosen keys: a clock, perhaps a state, a thread, a pc with its tag and a duration, and the text.
fn chosen(values: &[&str], members: &mut Members) {
    let text = values.iter().position(|value| value.parse::<i64>().is_err() && !is_state(value));
    let (numbers, texts) = values.split_at(text.unwrap_or(values.len()));
    let (states, numbers): (Vec<&str>, Vec<&str>) =
        numbers.iter().copied().partition(|value| is_state(value));
    if let Some(state) = states.first() {
        members.text("state", state);
    }
    let names: &[&str] = match numbers.len() {
        0..=2 => &["clk", "usec"],
        3 => &["clk", "thread", "usec"],
        4 => &["clk", "thread", "pc", "usec"],
        _ => &["clk", "thread", "pc", "tag", "usec"],
    };
    names.iter().zip(&numbers).for_each(|(name, value)| members.number(name, value));
    if numbers.len() < 4 {
        members.raw("pc", "null");
    }
    behind(texts, members);
}
