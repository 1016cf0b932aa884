//! Determines the roles of the numbers in lines of values without names.
//!
//! The order of the keys is known, the selection of keys is not: the second value of `[clk, 7, …]` may be a thread or a pc. A
//! number has a role only if no row of the file allows another: a clock since the start runs parallel to the clock since
//! 1970, only whole functions have pc 0, threads are few, each start of a function has its own tag, and from Sep2022 on the
//! lines of phases, which no filter omits, show the clock and the tags. Without phase lines, a row without state may be a
//! start or an end. A row with several possible assignments is reported and not shown.

use std::collections::{BTreeSet, HashSet};

/// Meaning of a number in a row of values without names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LineNumberRole {
    /// Id of the session.
    Session,
    /// Number of the user.
    User,
    Clk,
    /// Time since the server's start.
    Mclk,
    /// In heartbeats: twice the time since 1970.
    Ctime,
    Rss,
    Thread,
    Pc,
    Tag,
    Usec,
    /// The role is not known.
    Unknown,
}

impl LineNumberRole {
    /// Key of the record that holds the number.
    pub fn name(self) -> &'static str {
        match self {
            LineNumberRole::Session => "sessionid",
            LineNumberRole::User => "user",
            LineNumberRole::Clk => "clk",
            LineNumberRole::Mclk => "mclk",
            LineNumberRole::Ctime => "ctime",
            LineNumberRole::Rss => "rss",
            LineNumberRole::Thread => "thread",
            LineNumberRole::Pc => "pc",
            LineNumberRole::Tag => "tag",
            LineNumberRole::Usec => "usec",
            LineNumberRole::Unknown => "value",
        }
    }
}

/// Numbers of a row, with the values around them that determine the roles.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LineNumbers {
    /// Numbers before the program, followed by the numbers after it.
    pub numbers: Vec<i64>,
    pub n_before: usize,
    pub is_beat: bool,
    pub has_state: bool,
    pub has_program: bool,
    /// Whether a number follows the words or the state: the duration.
    pub has_usec: bool,
    /// Whether the row has the text of the instruction.
    pub has_text: bool,
    /// Whether the row has words: module and function, or a keyword.
    pub has_words: bool,
    pub is_start: bool,
    /// Whether the record is of a whole function; `None` if that is not known.
    pub is_function: Option<bool>,
}

/// Layout of a row: all rows of a file with the same layout have the same roles.
pub type LineLayoutKey = (usize, usize, [bool; 4]);

impl LineNumbers {
    pub fn key(&self) -> LineLayoutKey {
        let marks = [self.is_beat, self.has_state, self.has_program, self.has_usec];
        // Heartbeats have different counters.
        let counts = if self.is_beat { (0, 0) } else { (self.numbers.len(), self.n_before) };
        (counts.0, counts.1, marks)
    }

    /// Roles that the numbers may have, in the order of the keys: before the program, and after it.
    fn candidates(&self) -> (Vec<LineNumberRole>, Vec<LineNumberRole>) {
        use LineNumberRole::{Clk, Mclk, Pc, Session, Tag, Thread, Usec, User};
        match (self.has_state, self.has_program) {
            (true, true) => (vec![User, Clk, Mclk, Thread], vec![Pc, Tag]),
            (true, false) => (vec![User, Clk, Mclk, Thread, Pc, Tag], Vec::new()),
            (false, false) if self.has_usec => (vec![Session, Clk, Thread, Pc, Tag], Vec::new()),
            (false, false) => (vec![Session, Clk, Thread, Pc, Tag, Usec], Vec::new()),
            // Up to Jan2022 a record without state may be a start or an end.
            (false, true) => (Vec::new(), Vec::new()),
        }
    }
}

/// Minimum number that is a time since 1970, in microseconds.
const EPOCH: i64 = 100_000_000_000_000;
/// Minimum number that is twice a time since 1970, in microseconds, as the `ctime` of heartbeats is.
const DOUBLED: i64 = 2_500_000_000_000_000;
/// Maximum number of threads of a server.
const MOST_THREADS: i64 = 1024;
/// Maximum value of a user number.
const MOST_USERS: i64 = 1_000_000;
/// Minimum number of rows in a column before it is rejected as tags because most of its numbers are not tags of phases.
const MANY_ROWS: usize = 8;

/// Facts about the file that help to assign roles.
#[derive(Default)]
pub struct LineFileContext {
    /// Clock of the first phase record in the file; `None` until there is one.
    pub clock: Option<i64>,
    /// Tags of the phase records.
    pub tags: BTreeSet<i64>,
}

/// Returns the roles of the numbers of a row, inferred from `all` rows of the file.
pub fn of(sample: &LineNumbers, all: &[LineNumbers], context: &LineFileContext) -> Vec<LineNumberRole> {
    if sample.is_beat {
        return beat(sample, all);
    }
    // Up to Jan2022 an instruction has two records, which differ only by state.
    if !sample.has_state && context.clock.is_none() {
        return vec![LineNumberRole::Unknown; sample.numbers.len()];
    }
    let key = sample.key();
    let mut same_key: Vec<&LineNumbers> = all.iter().filter(|other| other.key() == key).collect();
    if same_key.is_empty() {
        same_key.push(sample);
    }
    let (before, behind) = sample.candidates();
    let mut found: Option<Vec<LineNumberRole>> = None;
    for first in choices(&before, sample.n_before) {
        for second in choices(&behind, sample.numbers.len() - sample.n_before) {
            let roles: Vec<LineNumberRole> = first.iter().chain(&second).copied().collect();
            if !fits(&roles, &same_key, context) {
                continue;
            }
            found = Some(match found {
                None => roles,
                Some(known) => {
                    let both = known.into_iter().zip(roles);
                    both.map(|(a, b)| if a == b { a } else { LineNumberRole::Unknown }).collect()
                }
            });
        }
    }
    found.unwrap_or_else(|| vec![LineNumberRole::Unknown; sample.numbers.len()])
}

/// Whether the known roles are sufficient to show a row: time and instruction are known, and no role is unknown except
/// in a heartbeat.
pub fn is_enough(sample: &LineNumbers, roles: &[LineNumberRole]) -> bool {
    let is_timed =
        roles.contains(&LineNumberRole::Clk) || roles.contains(&LineNumberRole::Mclk) && !sample.is_beat;
    let is_long = sample.has_state || sample.has_usec || roles.contains(&LineNumberRole::Usec);
    is_timed
        && (sample.is_beat || is_long && is_named(sample, roles) && !roles.contains(&LineNumberRole::Unknown))
}

/// Whether an end can be matched to its start if they are separate records: by the text, by the position in the plan of one
/// execution or thread, or by the words of a thread. Several records of one position or name may be open elsewhere.
fn is_named(sample: &LineNumbers, roles: &[LineNumberRole]) -> bool {
    let has = |role: LineNumberRole| roles.contains(&role);
    let is_placed = has(LineNumberRole::Pc) && (has(LineNumberRole::Tag) || has(LineNumberRole::Thread));
    !sample.has_state || sample.has_text || is_placed || sample.has_words && has(LineNumberRole::Thread)
}

/// Returns all selections of `count` candidates, in their order.
fn choices(candidates: &[LineNumberRole], count: usize) -> Vec<Vec<LineNumberRole>> {
    if count == 0 {
        return vec![Vec::new()];
    }
    let mut all = Vec::new();
    for at in 0..candidates.len() {
        for rest in choices(&candidates[at + 1..], count - 1) {
            all.push([&candidates[at..=at], &rest[..]].concat());
        }
    }
    all
}

/// Whether no row contradicts these roles of the numbers.
fn fits(roles: &[LineNumberRole], rows: &[&LineNumbers], context: &LineFileContext) -> bool {
    let column = |role: LineNumberRole| {
        let at = roles.iter().position(|of| *of == role)?;
        Some(rows.iter().map(move |row| (row.numbers[at], *row)).collect::<Vec<_>>())
    };
    let all = |role: LineNumberRole, is: &dyn Fn(i64, &LineNumbers) -> bool| {
        column(role).is_none_or(|column| column.iter().all(|(number, row)| is(*number, row)))
    };
    let has_state = rows.first().is_some_and(|row| row.has_state);
    let is_small = |number: i64| (0..EPOCH).contains(&number);
    let far = context.clock.map_or(EPOCH, |clock| clock / 2);
    let is_clock = |number: i64| match has_state {
        true => (EPOCH..DOUBLED).contains(&number),
        false => is_small(number) && number >= far,
    };
    all(LineNumberRole::Session, &|number, _| (0..far.max(1)).contains(&number))
        && all(LineNumberRole::User, &|number, _| (0..MOST_USERS).contains(&number))
        && all(LineNumberRole::Clk, &|number, _| is_clock(number))
        && column(LineNumberRole::Mclk)
            .is_none_or(|mclk| is_beside(&mclk, column(LineNumberRole::Clk).as_deref()))
        && all(LineNumberRole::Thread, &|number, _| (1..=MOST_THREADS).contains(&number))
        && all(LineNumberRole::Pc, &|number, row| match row.is_function {
            Some(is_function) => (number == 0) == is_function && is_small(number),
            None => is_small(number),
        })
        && column(LineNumberRole::Tag).is_none_or(|tags| are_tags(&tags, context))
        && all(LineNumberRole::Usec, &|number, _| is_small(number))
}

/// Whether most numbers grow from row to row.
fn runs(column: &[(i64, &LineNumbers)]) -> bool {
    let grown = column.windows(2).filter(|pair| pair[1].0 >= pair[0].0).count();
    let ends = column.first().zip(column.last());
    ends.is_some_and(|(first, last)| last.0 > first.0) && grown * 4 >= (column.len() - 1) * 3
}

/// Whether numbers can be a clock since the start: they differ from the clock since 1970 by a constant or, if there is
/// no such clock, mostly grow from row to row.
fn is_beside(mclk: &[(i64, &LineNumbers)], clk: Option<&[(i64, &LineNumbers)]>) -> bool {
    if mclk.iter().any(|(number, _)| !(0..EPOCH).contains(number)) {
        return false;
    }
    let Some(clk) = clk else { return mclk.len() < 2 || runs(mclk) };
    let mut ahead = clk.iter().zip(mclk).map(|(clk, mclk)| clk.0 - mclk.0);
    let first = ahead.next();
    ahead.all(|ahead| Some(ahead) == first)
}

/// Whether numbers can be tags: each function that starts has its own tag, and phases have the tags of statements.
fn are_tags(column: &[(i64, &LineNumbers)], context: &LineFileContext) -> bool {
    let mut met = HashSet::new();
    // Calls inside a function have tag 0.
    let known =
        column.iter().filter(|of| of.1.has_state || of.0 == 0 || context.tags.contains(&of.0)).count();
    let are_known = context.tags.is_empty() || column.len() < MANY_ROWS || known * 2 >= column.len();
    are_known
        && column.iter().all(|(number, row)| {
            let is_new = !(row.is_start && row.is_function == Some(true)) || met.insert(*number);
            (0..EPOCH).contains(number) && is_new
        })
}

/// Roles of the numbers of a heartbeat, in their order: up to two clocks (server ticks, time of day), memory if all heartbeats
/// report it, and counters with unknown names.
fn beat(sample: &LineNumbers, all: &[LineNumbers]) -> Vec<LineNumberRole> {
    let n_clocks = |row: &LineNumbers| row.numbers.iter().take_while(|number| **number >= EPOCH).count();
    let has_memory = all.iter().filter(|row| row.is_beat).all(|row| row.numbers.len() > n_clocks(row));
    let clocks = n_clocks(sample);
    let role = |(at, number): (usize, &i64)| match number {
        EPOCH..DOUBLED if at == 0 => LineNumberRole::Clk,
        DOUBLED.. if at < clocks => LineNumberRole::Ctime,
        _ if at == clocks && clocks > 0 && has_memory && all.len() > 1 => LineNumberRole::Rss,
        _ => LineNumberRole::Unknown,
    };
    sample.numbers.iter().enumerate().map(role).collect()
}
