//! Restores the names of event values that `stethoscope -F line` prints without names.
//!
//! Values are in the order of the record's keys; the keys depend on the release, the type of event, `-t`, `-i` and `-e`.
//! Words, lists and texts are recognised by their form, numbers by the values between them: the roles of adjacent numbers
//! follow from all rows of a file together (see `line_roles`).
//!
//! ```text
//! Jun2020–Jan2022   version, user, clk, mclk, thread, program, pc, tag, module, function, barrier, operator, session, state, usec, …
//! its heartbeats    session, clk, ctime, rss, counters that are not 0, state, cpuload
//! from Sep2022 on   sessionid, clk, thread, phase, pc, tag, module, function, barrier, operator, usec, …
//! end of each row   algorithm, args, stmt, prereq
//! ```

use super::columns::is_state;
use super::line_json::{JsonObjectWriter, named};
use super::line_roles::{LineNumberRole, LineNumbers};
use super::mal::{begins_like_mal, is_ended};
use super::python;

/// Whether a line begins a record.
pub fn begins(line: &str) -> bool {
    let inner = line.strip_prefix('[').unwrap_or("");
    let first = inner.split(",\t").next().unwrap_or("");
    (inner.starts_with(|c: char| c.is_ascii_digit()) || is_uuid(first)) && inner.contains(",\t")
}

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

/// A record whose values were split into groups by their form.
pub enum LineRecord<'a> {
    /// A record from Sep2022 on, with the position of its phase.
    Phase(Vec<&'a str>, usize),
    /// A record without a phase.
    Plain(PlainLineRecord<'a>),
}

/// Values of a record without a phase.
#[derive(Default)]
pub struct PlainLineRecord<'a> {
    version: &'a str,
    program: &'a str,
    session: &'a str,
    state: &'a str,
    /// Words of the instruction: module, function, barrier, operator.
    words: Vec<&'a str>,
    /// Numbers before the program, or before the first word if there is no program.
    before: Vec<&'a str>,
    /// Numbers after the program (pc, tag).
    place: Vec<&'a str>,
    /// Number after the words or the state (duration).
    usec: Option<&'a str>,
    cpuload: &'a str,
    /// The remaining values: algorithm, arguments and text of the instruction.
    rest: Vec<&'a str>,
}

/// Parses a record; `None` if it is incomplete.
pub fn listed(text: &str) -> Option<LineRecord<'_>> {
    let inner = text.trim_end().strip_prefix('[')?.strip_suffix(']')?;
    let values: Vec<&str> = inner.split(",\t").collect();
    Some(match values.iter().position(|value| PHASES.contains(value)) {
        Some(at) => LineRecord::Phase(values, at),
        None => LineRecord::Plain(PlainLineRecord::new(&values)),
    })
}

/// Whether a line is certainly a record of `stethoscope`, because no other program writes such lines.
pub fn is_ours(line: &str) -> bool {
    match listed(line) {
        Some(LineRecord::Phase(..)) => true,
        Some(LineRecord::Plain(plain)) => {
            let is_epoch = |value: &&str| value.len() == 16;
            let is_event = plain.is_beat() || !plain.state.is_empty();
            let has_place = !plain.program.is_empty() || plain.before.iter().any(is_epoch);
            line.ends_with(";]") || is_event && has_place
        }
        None => false,
    }
}

impl<'a> PlainLineRecord<'a> {
    fn new(values: &[&'a str]) -> Self {
        let mut found = Self::default();
        let mut rest = values;
        if let [first, more @ ..] = rest
            && is_version(first)
        {
            (found.version, rest) = (first, more);
        }
        if let [first, more @ ..] = rest
            && is_uuid(first)
        {
            (found.session, rest) = (first, more);
        }
        found.before = taken(&mut rest, is_number);
        if let [first, more @ ..] = rest
            && is_program(first)
        {
            (found.program, rest) = (first, more);
            found.place = taken(&mut rest, is_number);
        }
        found.words = taken(&mut rest, is_word);
        if let [first, more @ ..] = rest
            && is_uuid(first)
        {
            (found.session, rest) = (first, more);
        }
        if let [first, more @ ..] = rest
            && (is_state(first) || *first == "error")
        {
            (found.state, rest) = (first, more);
        }
        let is_behind_words = !found.words.is_empty() || !found.state.is_empty() || !found.program.is_empty();
        if let [first, more @ ..] = rest
            && is_behind_words
            && is_number(first)
        {
            (found.usec, rest) = (Some(*first), more);
        }
        if let [first, more @ ..] = rest
            && is_load(first)
        {
            (found.cpuload, rest) = (first, more);
        }
        // A single word after all numbers is not a module, but the algorithm.
        if found.words.len() == 1 && found.state.is_empty() && found.usec.is_none() {
            found.rest.append(&mut found.words);
        }
        found.rest.extend_from_slice(rest);
        found
    }

    /// Creates a record that has only the values after all numbers.
    pub fn of_rest(rest: Vec<&'a str>) -> Self {
        Self { rest, ..Self::default() }
    }

    /// Whether the record is a heartbeat.
    pub fn is_beat(&self) -> bool {
        !self.cpuload.is_empty() || matches!(self.state, "ping" | "wait")
    }

    /// Returns the numbers of the record, with the properties that determine their roles.
    pub fn sample(&self) -> LineNumbers {
        let numbers = self.before.iter().chain(&self.place);
        let text = self.text();
        LineNumbers {
            numbers: numbers.map(|value| value.parse().unwrap_or(-1)).collect(),
            n_before: self.before.len(),
            is_beat: self.is_beat(),
            has_state: !self.state.is_empty(),
            has_program: !self.program.is_empty(),
            has_usec: self.usec.is_some(),
            has_text: text.is_some(),
            has_words: !self.words.is_empty(),
            is_start: self.state == "start",
            is_function: text.map(|text| text.starts_with("function ")).or_else(|| {
                let operator = self.words.last().filter(|_| !self.words.is_empty());
                operator.map(|operator| *operator == "function")
            }),
        }
    }

    /// Text of the instruction; `None.None();` of a heartbeat does not count as text.
    fn text(&self) -> Option<String> {
        let text: Vec<&str> =
            self.rest[self.text_at()..].iter().take_while(|value| !is_list(value)).copied().collect();
        Some(text.join(",\t")).filter(|text| !text.is_empty() && text != "None.None();")
    }

    /// Position of the text in `rest`: after the arguments, which follow the algorithm; without arguments, the first value that
    /// looks like an instruction.
    fn text_at(&self) -> usize {
        let args = self.rest.iter().rposition(|value| value.starts_with("[{")).map(|at| at + 1);
        let begins = |value: &&str| {
            begins_like_mal(value) || ["end ", "function "].iter().any(|word| value.starts_with(word))
        };
        let first = || self.rest.iter().position(begins);
        args.or_else(first).unwrap_or(self.rest.len())
    }

    /// Writes the algorithm and the arguments.
    pub fn add_rest(&self, members: &mut JsonObjectWriter) {
        let before = &self.rest[..self.text_at()];
        let lists = before.iter().position(|value| is_list(value)).unwrap_or(before.len());
        if lists > 0 {
            members.text("algorithm", &before[..lists].join(",\t"));
        }
        // A dictionary in Python's notation may contain the separator of values.
        let args = before[lists..].join(",\t");
        if args.starts_with("[{") {
            members.raw("args", &python::to_json(&args));
        }
        if let Some(text) = self.text() {
            members.text("stmt", &text);
        }
    }

    /// Converts the record to JSON, given the roles of its numbers.
    pub fn to_json(&self, roles: &[LineNumberRole]) -> String {
        let mut members = JsonObjectWriter(String::from("{"));
        for (name, value) in [("version", self.version), ("session", self.session), ("state", self.state)] {
            if !value.is_empty() {
                members.text(name, value);
            }
        }
        for (role, value) in roles.iter().zip(self.before.iter().chain(&self.place)) {
            members.number(role.name(), value);
        }
        if self.is_beat() {
            if !self.cpuload.is_empty() {
                members.raw("cpuload", self.cpuload);
            }
            return members.0 + "}";
        }
        if !roles.contains(&LineNumberRole::Pc) {
            members.raw("pc", "null");
        }
        if !self.program.is_empty() {
            members.text("program", self.program);
        }
        named(&self.words, &mut members);
        if let Some(usec) = self.usec {
            members.number("usec", usec);
        }
        self.add_rest(&mut members);
        members.0 + "}"
    }
}

/// Removes the values at the front for which `is` holds, and returns them.
fn taken<'a>(rest: &mut &[&'a str], is: impl Fn(&str) -> bool) -> Vec<&'a str> {
    let count = rest.iter().take_while(|value| is(value)).count();
    let (front, behind) = rest.split_at(count);
    *rest = behind;
    front.to_vec()
}

fn is_number(value: &str) -> bool {
    value.parse::<i64>().is_ok()
}

/// Whether a value is a version: `11.41.14 (hg id: 6b29387f74c9)`.
fn is_version(value: &str) -> bool {
    let number = value.split(' ').next().unwrap_or("");
    let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    number.split('.').count() >= 3 && number.split('.').all(is_digits)
}

fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Whether a value is a function with its module: `user.main`.
fn is_program(value: &str) -> bool {
    let name = |part: &str| !part.is_empty() && !part.contains([' ', '(', ';', '[', ',', '"']);
    value.starts_with(|c: char| c.is_ascii_alphabetic())
        && value.split_once('.').is_some_and(|(module, function)| name(module) && name(function))
}

/// Whether a value is a module, a function (`calc`, `<=`), or a keyword.
fn is_word(value: &str) -> bool {
    !value.is_empty()
        && !is_number(value)
        && !is_state(value)
        && value != "error"
        && !is_uuid(value)
        && !value.contains([' ', '(', ')', ';', '[', ']', '{', '\'', '"', '\t', '\n'])
}

/// Whether a value is the load of each core: `[0.75, 0.81]`.
fn is_load(value: &str) -> bool {
    let inner = value.strip_prefix('[').and_then(|value| value.strip_suffix(']'));
    inner.is_some_and(|inner| {
        inner.contains('.')
            && inner
                .split(',')
                .all(|part| part.trim().bytes().all(|byte| byte.is_ascii_digit() || byte == b'.'))
    })
}

/// Whether a value is a list in Python's notation: `[]`, `[3, 4]`, `[{'ret': 0, …}]`.
fn is_list(value: &str) -> bool {
    value.starts_with("[{")
        || value
            .strip_prefix('[')
            .and_then(|value| value.strip_suffix(']'))
            .is_some_and(|inner| inner.is_empty() || inner.split(',').all(|part| is_number(part.trim())))
}

/// Whether the last text of a file breaks off inside the text of an instruction, after one of its brackets.
pub fn is_cut(text: &str) -> bool {
    let Some(LineRecord::Plain(plain)) = listed(text) else { return false };
    let is_block = |text: &str| text.starts_with("end ") && !text.contains([';', '(']);
    plain.text().is_some_and(|text| !is_ended(&text) && !is_block(&text))
}
