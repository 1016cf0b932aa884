//! Columns of the text formats: bracket tuples, `TRACE` and `sys.tracelog()`, with their names in all releases.

use std::borrow::Cow;

use super::mal::looks_like_mal;

/// What a column contains, independent of its name in a release.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MonetDbColumn {
    Time,
    /// pc of an instruction, or `user.s5_1[14]12` with its function and tag.
    Pc,
    Function,
    Thread,
    State,
    Usec,
    Rss,
    Tmpspace,
    Inblock,
    Oublock,
    Majflt,
    Nswap,
    Nvcsw,
    Statement,
    /// An event as JSON, or its number.
    Event,
    Other,
}

const N_COLUMNS: usize = MonetDbColumn::Other as usize;

impl MonetDbColumn {
    fn called(name: &str) -> Self {
        match name.trim().to_ascii_lowercase().as_str() {
            "time" | "clk" => MonetDbColumn::Time,
            "pc" => MonetDbColumn::Pc,
            "function" => MonetDbColumn::Function,
            "thread" => MonetDbColumn::Thread,
            "state" | "status" => MonetDbColumn::State,
            "usec" | "ticks" => MonetDbColumn::Usec,
            "rss" | "rssmb" | "rrsmb" => MonetDbColumn::Rss,
            "tmpspace" | "vmmb" | "footprint" => MonetDbColumn::Tmpspace,
            "inblock" | "rdblk" | "reads" | "blk reads" => MonetDbColumn::Inblock,
            "oublock" | "wrblk" | "writes" | "blk writes" => MonetDbColumn::Oublock,
            "majflt" | "fault" | "pg faults" => MonetDbColumn::Majflt,
            "nswap" | "swaps" => MonetDbColumn::Nswap,
            "nvcsw" | "switch" | "ctxt switch" => MonetDbColumn::Nvcsw,
            "stmt" | "statement" => MonetDbColumn::Statement,
            "event" => MonetDbColumn::Event,
            _ => MonetDbColumn::Other,
        }
    }
}

/// The columns of a table, in order.
pub type MonetDbColumnLayout = Vec<MonetDbColumn>;

use MonetDbColumn::{
    Event, Inblock, Majflt, Nswap, Nvcsw, Other, Oublock, Pc, Rss, State, Statement, Thread, Time, Tmpspace,
    Usec,
};

/// Columns of `sys.tracelog()` of Jul2015 to Apr2019, whose `minflt` holds major faults and whose `majflt` holds swaps.
const TRACELOG: [MonetDbColumn; 13] =
    [Event, Time, Pc, Thread, Usec, Rss, Tmpspace, Inblock, Oublock, Majflt, Nswap, Nvcsw, Statement];

/// Names that the server gives to the columns of `sys.tracelog()`.
pub const TRACELOG_NAMES: [&str; 13] = [
    "event", "clk", "pc", "thread", "ticks", "rrsmb", "vmmb", "reads", "writes", "minflt", "majflt", "nvcsw",
    "stmt",
];

/// Returns the columns that a header names; `None` if it is not a header of MonetDB's profiler.
pub fn of_header<'a>(names: impl Iterator<Item = &'a str>) -> Option<MonetDbColumnLayout> {
    let names: Vec<&str> = names.map(str::trim).filter(|name| !name.is_empty()).collect();
    let layout: MonetDbColumnLayout = names.iter().map(|name| MonetDbColumn::called(name)).collect();
    let has = |column| layout.contains(&column);
    if !has(Statement) || !has(Usec) && !has(Time) {
        return None;
    }
    if names.iter().any(|name| name.eq_ignore_ascii_case("minflt")) && names.len() == TRACELOG.len() {
        return Some(TRACELOG.to_vec());
    }
    Some(layout)
}

/// Returns the columns of a table without a header, by its number of columns.
pub fn of_width(cells: usize) -> Option<MonetDbColumnLayout> {
    Some(match cells {
        2 => vec![Usec, Statement],
        3 => vec![Usec, Statement, Event],
        11 => vec![Event, Time, Pc, Thread, Other, Usec, Rss, Tmpspace, Inblock, Oublock, Statement],
        12 => vec![Event, Time, Pc, Thread, Other, Usec, Inblock, Oublock, Other, Other, Other, Statement],
        13 => TRACELOG.to_vec(),
        _ => return None,
    })
}

/// Returns the columns of a bracket tuple, by its first fields; `text` begins after the bracket.
pub fn of_tuple(text: &str) -> Option<MonetDbColumnLayout> {
    let fields: Vec<&str> = text.splitn(6, ",\t").collect();
    let plain = |at: usize| fields.get(at).map_or("", |field| field.trim());
    let is_pc =
        |field: &str| field == "\"\"" || field.ends_with('"') && field.contains('[') && field.contains(']');
    let is_state = |field: &str| is_state(field.trim_matches(['"', ' ']));
    let (from_pc, from_state) = (
        [Pc, Thread, State, Usec, Rss, Tmpspace, Inblock, Oublock, Majflt, Nswap, Nvcsw, Statement],
        [Event, State, Time, Thread, Usec, Statement],
    );
    if is_state(plain(1)) {
        return Some(from_state.to_vec());
    }
    // With the option -o, the time is written elsewhere.
    if is_pc(plain(1)) && is_state(plain(3)) {
        return Some([Event].into_iter().chain(from_pc).collect());
    }
    if is_pc(plain(2)) && is_state(plain(4)) {
        return Some([Event, Time].into_iter().chain(from_pc).collect());
    }
    // Rows of `sys.tracelog()` and of `TRACE` without their header.
    let is_number = |at: usize| !plain(at).is_empty() && plain(at).bytes().all(|byte| byte.is_ascii_digit());
    if is_pc(plain(2)) && is_number(3) && is_number(4) {
        return Some(TRACELOG.to_vec());
    }
    if is_number(0) && looks_like_mal(plain(1).trim_start_matches('"')) {
        return Some(vec![Usec, Statement]);
    }
    if is_state(plain(3)) {
        let rest = [Pc, Usec, Rss, Tmpspace, Inblock, Oublock, Other, Majflt, Nswap, Other, Statement];
        return Some([Event, Time, Thread, State].into_iter().chain(rest).collect());
    }
    None
}

/// Whether a word is the state of an event.
pub fn is_state(word: &str) -> bool {
    matches!(word, "start" | "done" | "ping" | "wait" | "system")
}

/// Cells of one row, indexed by column.
#[derive(Default)]
pub struct MonetDbCells<'a> {
    cells: [Option<Cow<'a, str>>; N_COLUMNS],
}

impl<'a> MonetDbCells<'a> {
    /// Assigns the cells of a row to columns. In a row that is too short, the last cell belongs to the last column.
    pub fn new(layout: &[MonetDbColumn], cells: impl ExactSizeIterator<Item = Cow<'a, str>>) -> Self {
        let (mut found, width) = (Self::default(), cells.len());
        for (at, cell) in cells.enumerate() {
            let column = match layout.get(at) {
                _ if at + 1 == width && width < layout.len() => layout.last(),
                column => column,
            };
            found.set(column.copied().unwrap_or(Other), cell);
        }
        found
    }

    pub fn set(&mut self, column: MonetDbColumn, cell: Cow<'a, str>) {
        if let Some(place) = self.cells.get_mut(column as usize) {
            *place = Some(cell);
        }
    }

    /// Text of a cell without surrounding blanks and quotes.
    pub fn word(&self, column: MonetDbColumn) -> &str {
        self.cells[column as usize].as_deref().unwrap_or("").trim().trim_matches('"').trim()
    }

    /// Unchanged text of a cell; empty if the row has no such cell.
    pub fn text(&self, column: MonetDbColumn) -> &str {
        self.cells[column as usize].as_deref().unwrap_or("")
    }

    pub fn has(&self, column: MonetDbColumn) -> bool {
        self.cells[column as usize].is_some()
    }

    pub fn number(&self, column: MonetDbColumn) -> Option<i64> {
        self.word(column).parse().ok()
    }
}
