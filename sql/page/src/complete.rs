//! What may be written at a place in a statement: names of tables, columns and functions.

use queryscope::protocol::{FilterCompletion, FilterCompletions};

/// Words after which a table stands.
const BEFORE_TABLES: [&str; 2] = ["from", "join"];
/// Words that may follow a table without being its alias.
const AFTER_TABLES: [&str; 14] = [
    "on", "where", "group", "order", "limit", "join", "left", "right", "inner", "full", "cross", "union",
    "having", "using",
];

/// Names that a statement may use.
#[derive(Debug, Default)]
pub struct KnownNames {
    /// Tables with their columns.
    pub tables: Vec<(String, Vec<String>)>,
    pub functions: Vec<String>,
}

impl KnownNames {
    /// The names that may replace the word at `at`, a position in bytes: columns of the table or alias before a point; tables
    /// after `FROM` and `JOIN`; else columns of the statement's tables, then tables, then functions.
    pub fn completions(&self, sql: &str, at: u32) -> FilterCompletions {
        let until = (0..=sql.len().min(at as usize)).rev().find(|&at| sql.is_char_boundary(at)).unwrap_or(0);
        let before = &sql[..until];
        let from = before
            .rfind(|c| !is_name(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let (word, earlier) = (before[from..].to_lowercase(), &before[..from]);
        let last = words(earlier).last().map(|word| word.to_lowercase());
        let names: Vec<&str> = if let Some(owner) = earlier.strip_suffix('.') {
            let owner = words(owner).last().unwrap_or_default().to_lowercase();
            self.columns_of(sql, &owner)
        } else if last.is_some_and(|last| BEFORE_TABLES.contains(&last.as_str())) {
            self.tables.iter().map(|(name, _)| name.as_str()).collect()
        } else if word.is_empty() {
            Vec::new()
        } else {
            let used = self.used(sql);
            let columns = used.iter().flat_map(|(_, columns)| columns.iter().map(String::as_str));
            let tables = self.tables.iter().map(|(name, _)| name.as_str());
            columns.chain(tables).chain(self.functions.iter().map(String::as_str)).collect()
        };
        let mut list: Vec<FilterCompletion> = Vec::new();
        for name in names {
            let is_new = list.iter().all(|known| known.text != name);
            if name.starts_with(&word) && name != word && is_new && list.len() < FilterCompletions::MOST {
                list.push(FilterCompletion { text: name.to_owned(), count: None });
            }
        }
        FilterCompletions { from: from as u32, until: until as u32, list }
    }

    /// The tables that the statement names, with their columns; all tables if it names none.
    fn used(&self, sql: &str) -> Vec<&(String, Vec<String>)> {
        let named: Vec<String> = tables_of(sql).into_iter().map(|(table, _)| table).collect();
        let used: Vec<_> = self.tables.iter().filter(|(name, _)| named.contains(name)).collect();
        if used.is_empty() { self.tables.iter().collect() } else { used }
    }

    fn columns_of(&self, sql: &str, owner: &str) -> Vec<&str> {
        let aliases = tables_of(sql);
        let table = aliases.iter().find(|(_, alias)| alias == owner).map_or(owner, |(table, _)| table);
        let found = self.tables.iter().find(|(name, _)| name == table);
        found.map_or_else(Vec::new, |(_, columns)| columns.iter().map(String::as_str).collect())
    }
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c| !is_name(c)).filter(|word| !word.is_empty())
}

/// The tables after `FROM` and `JOIN`, and after the commas that follow, with their aliases, in lower case.
fn tables_of(sql: &str) -> Vec<(String, String)> {
    let spaced = sql.to_lowercase().replace(',', " , ");
    let words: Vec<&str> =
        spaced.split(|c: char| !is_name(c) && c != ',').filter(|word| !word.is_empty()).collect();
    let (mut found, mut in_list) = (Vec::new(), false);
    for (at, word) in words.iter().enumerate() {
        if AFTER_TABLES.contains(word) && !BEFORE_TABLES.contains(word) {
            in_list = false;
        }
        if !(BEFORE_TABLES.contains(word) || in_list && *word == ",") {
            continue;
        }
        in_list = true;
        let Some(table) = words.get(at + 1) else { break };
        let skipped = usize::from(words.get(at + 2) == Some(&"as"));
        let alias = words.get(at + 2 + skipped).filter(|word| **word != "," && !AFTER_TABLES.contains(word));
        found.push(((*table).to_owned(), alias.unwrap_or(table).to_string()));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_completed() {
        let table = |name: &str, columns: &[&str]| {
            (name.to_owned(), columns.iter().map(|column| (*column).to_owned()).collect::<Vec<_>>())
        };
        let names = KnownNames {
            tables: vec![
                table("spans", &["span_id", "name", "start_ns"]),
                table("tracks", &["track_id", "name"]),
                table("events", &["event_id", "name"]),
            ],
            functions: vec!["sum".to_owned(), "stddev".to_owned()],
        };
        for (sql, expected) in [
            ("SELECT s| FROM spans", "7..8 span_id start_ns spans sum stddev"),
            ("SELECT st| FROM spans", "7..9 start_ns stddev"),
            ("SELECT * FROM |", "14..14 spans tracks events"),
            ("SELECT * FROM tr|acks", "14..16 tracks"),
            ("select t.| from spans s join tracks t on 1=1", "9..9 track_id name"),
            ("select s.s| from spans AS s, tracks t", "9..10 span_id start_ns"),
            ("select t.na| from spans s, tracks t where 1=1", "9..11 name"),
            ("SELECT events.e|", "14..15 event_id"),
            ("SELECT x.y|", "9..10"),
            ("SELECT |", "7..7"),
            ("SELECT 'é' || na| FROM tracks", "15..17 name"),
            ("SELECT name| FROM tracks", "7..11"),
            ("|", "0..0"),
        ] {
            let at = sql.rfind('|').expect("a caret");
            let text = format!("{}{}", &sql[..at], &sql[at + 1..]);
            let found = names.completions(&text, at as u32);
            let list: String = found.list.iter().map(|one| format!(" {}", one.text)).collect();
            assert_eq!(format!("{}..{}{list}", found.from, found.until), expected, "{sql}");
        }
        // A place inside a character, or after the end, is moved back.
        assert_eq!(names.completions("é", 1).until, 0);
        assert_eq!(names.completions("e", 9).until, 1);
    }
}
