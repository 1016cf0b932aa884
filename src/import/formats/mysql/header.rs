//! Repairs headers with damaged names, and recognises remains of headers that were cut, by the order of the columns.

use super::layout::LAYOUTS;
use crate::import::tables::TableRow;

/// Columns that every table of events has. THREAD_ID is not listed, because rows without a thread are counted
/// individually.
const NEEDED: [&str; 3] = ["EVENT_ID", "EVENT_NAME", "TIMER_WAIT"];
/// Columns whose combination only tables of events have.
const TYPICAL: [&str; 7] =
    ["THREAD_ID", "EVENT_ID", "END_EVENT_ID", "EVENT_NAME", "TIMER_START", "TIMER_END", "TIMER_WAIT"];
/// Maximum number of damaged names in a header that the other names can restore.
const DAMAGED: usize = 2;

/// Whether a cell can be the name of a column.
pub fn is_name(cell: &str) -> bool {
    cell.starts_with(|c: char| c.is_ascii_alphabetic())
        && cell.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b' ')
}

/// Whether a cell can be a damaged column name: it would be a name but for at most two invalid characters.
pub fn was_name(cell: &str) -> bool {
    let wrong = |c: &char| !(c.is_ascii_alphanumeric() || *c == '_' || *c == ' ');
    let wrong = cell.chars().filter(wrong).count();
    wrong <= 2 && cell.chars().count() > 2 * wrong && cell.bytes().filter(u8::is_ascii_alphabetic).count() > 1
}

/// Returns the first `width` columns of each table of events, and of the table of threads, in the server's order.
fn ordered(width: usize) -> impl Iterator<Item = Vec<&'static str>> {
    let of_server = LAYOUTS.iter().filter(|(table, _)| table.ends_with('_') || *table == "threads");
    let words = of_server.map(|(_, words)| words.split(' ').collect::<Vec<_>>());
    words.filter(move |words| words.len() >= width).map(move |words| words[..width].to_vec())
}

/// Whether a row is the remains of a header for rows with `width` values: the names are in the server's order, but there
/// are too many or too few of them.
pub fn is_torn(row: &TableRow, width: usize) -> bool {
    let names: Vec<String> = row.iter().map(|cell| cell.unwrap_or("").trim().to_ascii_uppercase()).collect();
    let is_whole = ordered(names.len()).any(|words| words == names);
    let fits = |words: &[&str]| {
        let before = words.iter().zip(&names).take_while(|(word, name)| word == name).count();
        let behind =
            words.iter().rev().zip(names.iter().rev()).take_while(|(word, name)| word == name).count();
        before + behind + DAMAGED.min(names.len() - 1) >= names.len()
    };
    names.len() > 1 && !is_whole && ordered(width).any(|words| fits(&words))
}

/// Restores damaged column names if all other names are in the server's order. Returns the damaged names, whether they
/// were restored or not.
pub fn mend(columns: &mut [String]) -> Vec<String> {
    let wrong = |words: &[&str]| words.iter().zip(&*columns).filter(|(word, name)| word != name).count();
    let layout = ordered(columns.len()).find(|words| wrong(words) <= DAMAGED && words.len() > 2 * DAMAGED);
    let known = |name: &str| layout.as_ref().is_some_and(|words| words.contains(&name));
    let here: Vec<String> = columns.iter().filter(|name| known(name)).cloned().collect();
    // A name with other characters is damaged if some of the others are names: a client's own sentence is a single column.
    let names = columns.iter().filter(|name| is_name(name)).count();
    let mut damaged = Vec::new();
    for (at, name) in columns.iter_mut().enumerate().filter(|(_, name)| !known(name)) {
        let word = layout.as_ref().map(|words| words[at]).filter(|word| here.iter().all(|name| name != word));
        if let Some(word) = word.filter(|word| TYPICAL.contains(word) || !is_name(name)) {
            damaged.push(std::mem::replace(name, word.to_owned()));
        } else if names > 0 && !is_name(name) && was_name(name) {
            damaged.push(name.clone());
        }
    }
    damaged
}

/// Returns the columns that are missing in a table which can only be a table of events.
pub fn missing(columns: &[String]) -> Vec<&'static str> {
    let has = |name: &&str| columns.iter().any(|column| column == name);
    if TYPICAL.iter().filter(|name| has(name)).count() < 3 {
        return Vec::new();
    }
    NEEDED.into_iter().filter(|name| !has(name)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::tables::Scratch;

    const STAGES: &str = "THREAD_ID EVENT_ID END_EVENT_ID EVENT_NAME SOURCE TIMER_START TIMER_END TIMER_WAIT WORK_COMPLETED \
                          WORK_ESTIMATED NESTING_EVENT_ID NESTING_EVENT_TYPE";

    #[test]
    fn names_are_known_by_their_places() {
        for (word, damage, becomes, told) in [
            ("", "", "", 0),
            (" EVENT_ID", " EVQNT_ID", " EVENT_ID", 1),
            ("SOURCE", "SOU\u{7}CE", "SOURCE", 1),
            // A different, undamaged name.
            ("SOURCE", "PLACE", "PLACE", 0),
        ] {
            let mut columns: Vec<String> =
                STAGES.replacen(word, damage, 1).split(' ').map(str::to_owned).collect();
            let damaged = mend(&mut columns);
            assert_eq!(
                (columns.join(" "), damaged.len()),
                (STAGES.replacen(word, becomes, 1), told),
                "{damage}"
            );
        }
        // A client's sentence, as `sys.diagnostics` writes above its tables.
        assert!(mend(&mut ["THE FOLLOWING OUTPUT IS:".to_owned()]).is_empty());
        // Columns in another order.
        let mut columns = ["EVQNT_ID", "THREAD_ID", "TIMER_WAIT", "EVENT_NAME"].map(str::to_owned);
        assert!(mend(&mut columns).is_empty());
        assert_eq!(missing(&columns), ["EVENT_ID"]);
        assert!(missing(&["THREAD_ID", "EVENT_NAME", "COUNT_STAR"].map(str::to_owned)).is_empty());
    }

    #[test]
    fn what_is_left_of_a_header_is_known() {
        let check = |names: &str, width: usize, expected: bool| {
            let mut scratch = Scratch::default();
            names.split(' ').for_each(|name| scratch.push(Some(name)));
            assert_eq!(is_torn(&scratch.row(), width), expected, "{names}");
        };
        check(&STAGES[60..], 12, true);
        check(&STAGES.replace("TIMER_WAIT", "TIMER WAIT"), 12, true);
        // A text with an unescaped tab, and another table.
        check(STAGES, 13, false);
        check("NAME ENABLED TIMED", 12, false);
        // Only some of the columns.
        check("THREAD_ID EVENT_ID EVENT_NAME TIMER_WAIT SOURCE", 6, false);
    }
}
