//! Converts values without names to JSON: records with a phase, and the words of instructions.

use super::line::PlainLineRecord;
use super::python;

const BARRIERS: [&str; 7] = ["barrier", "redo", "leave", "exit", "return", "catch", "raise"];
const OPERATORS: [&str; 4] = [":=", "function", "end", "raise"];

/// Converts a record with a phase to JSON; `at` is the position of the phase.
pub fn phase(values: &[&str], at: usize) -> String {
    let mut members = JsonObjectWriter(String::from("{"));
    whole(values, at, &mut members);
    members.0 + "}"
}

/// Tag of a record with a phase.
pub fn tag_of_phase(values: &[&str], at: usize) -> Option<i64> {
    let numbers: Vec<i64> = values[at + 1..].iter().map_while(|value| value.parse().ok()).collect();
    match values[at] {
        "mal_engine" | "text_to_sql" => numbers.get(1).copied(),
        _ if matches!(numbers.len(), 2 | 4) => numbers.get(numbers.len() - 2).copied(),
        _ => None,
    }
}

pub struct JsonObjectWriter(pub String);

impl JsonObjectWriter {
    pub fn number(&mut self, name: &str, value: &str) {
        let value = if value.parse::<i64>().is_ok() { value } else { "null" };
        self.raw(name, value);
    }

    pub fn text(&mut self, name: &str, value: &str) {
        let quoted =
            value.replace('\\', "\\\\").replace('\'', "\\'").replace('\n', "\\n").replace('\t', "\\t");
        self.raw(name, &python::to_json(&format!("'{quoted}'")));
    }

    pub fn raw(&mut self, name: &str, value: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0 += &format!("\"{name}\":{value}");
    }
}

/// Writes the members of a record with a phase: `session, clk, thread, phase, …`.
fn whole(values: &[&str], phase: usize, members: &mut JsonObjectWriter) {
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
            // Transactions have two times before the tag, sessions have no further numbers.
            let numbers: Vec<&str> =
                rest.iter().copied().filter(|value| value.parse::<i64>().is_ok()).collect();
            members.number("usec", numbers.last().unwrap_or(&""));
            if matches!(numbers.len(), 2 | 4) {
                members.number("tag", numbers[numbers.len() - 2]);
            }
        }
    }
}

/// Writes an instruction: `pc, tag, [barrier], [operator | module, function], usec, [algorithm], [args], [statement]`.
fn instruction(values: &[&str], members: &mut JsonObjectWriter) {
    let numbers = ["pc", "tag"].into_iter().zip(values);
    numbers.for_each(|(name, value)| members.number(name, value));
    let rest = values.get(2..).unwrap_or_default();
    let usec = rest.iter().position(|value| value.parse::<i64>().is_ok()).unwrap_or(rest.len());
    named(&rest[..usec], members);
    members.number("usec", rest.get(usec).unwrap_or(&""));
    let rest = rest.get(usec + 1..).unwrap_or_default().to_vec();
    PlainLineRecord::of_rest(rest).add_rest(members);
}

/// Writes the words of an instruction: module and function, barrier and operator, in the order of any release.
pub fn named(words: &[&str], members: &mut JsonObjectWriter) {
    let mut words = words.to_vec();
    // Barrier and operator are separate from module and function; a function may have the same name as a barrier or operator.
    let is_named = |words: &[&str]| words.len() >= 2 && !BARRIERS.contains(&words[0]);
    let names: Vec<&str> = if is_named(&words) { words.drain(..2).collect() } else { Vec::new() };
    for word in &words {
        if BARRIERS.contains(word) && *word != "raise" {
            members.text("barrier", word);
        } else if OPERATORS.contains(word) {
            members.text("operator", word);
        }
    }
    if let [module, function] = names[..] {
        members.text("module", module);
        members.text("function", function);
    }
}
