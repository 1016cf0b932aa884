//! What may be written at a place in a statement: names of tables, columns and functions, and keywords.

use queryscope::protocol::{FilterCompletion, FilterCompletions};

/// Words after which a table stands.
const BEFORE_TABLES: [&str; 2] = ["from", "join"];
/// Words that may follow a table without being its alias.
const AFTER_TABLES: [&str; 14] = [
    "on", "where", "group", "order", "limit", "join", "left", "right", "inner", "full", "cross", "union",
    "having", "using",
];

/// Words that a statement may begin with.
const FIRST_WORDS: [&str; 5] = ["select", "with", "explain", "describe", "show tables"];
/// Keywords inside a statement.
const KEYWORDS: [&str; 47] = [
    "select",
    "distinct",
    "from",
    "join",
    "left join",
    "full join",
    "cross join",
    "on",
    "using",
    "where",
    "and",
    "or",
    "not",
    "in",
    "is null",
    "is not null",
    "between",
    "like",
    "ilike",
    "exists",
    "group by",
    "having",
    "order by",
    "asc",
    "desc",
    "nulls first",
    "nulls last",
    "limit",
    "offset",
    "union all",
    "intersect",
    "except",
    "with",
    "as",
    "case",
    "when",
    "then",
    "else",
    "end",
    "cast",
    "interval",
    "over",
    "partition by",
    "filter",
    "true",
    "false",
    "null",
];

/// A place in a statement.
#[derive(Clone, Copy, Debug, Default)]
pub struct CompletionPlace {
    /// Position in bytes.
    pub caret: u32,
    /// Whether the user asked for the names, so that they are listed even where no letter was typed yet.
    pub is_asked: bool,
}

/// Names that a statement may use.
#[derive(Debug, Default)]
pub struct KnownNames {
    /// Tables with their columns.
    pub tables: Vec<(String, Vec<String>)>,
    pub functions: Vec<String>,
}

impl KnownNames {
    /// What may replace the word at a place: columns of the table or alias before a point; tables after `FROM` and `JOIN`; else
    /// columns of the statement's tables, then tables, keywords and functions. Nothing inside a string or a comment. Where no letter
    /// was typed yet, all names in reply to a question, columns and functions first.
    pub fn completions(&self, sql: &str, place: CompletionPlace) -> FilterCompletions {
        let until =
            (0..=sql.len().min(place.caret as usize)).rev().find(|&at| sql.is_char_boundary(at)).unwrap_or(0);
        let (before, is_inside) = without_literals(&sql[..until]);
        let (sql, _) = without_literals(sql);
        let from = before
            .rfind(|c| !is_name(c))
            .map_or(0, |at| at + before[at..].chars().next().map_or(1, char::len_utf8));
        let (word, earlier) = (before[from..].to_lowercase(), &before[..from]);
        let last = words(earlier).last().unwrap_or_default();
        let is_new = word.is_empty();
        // An empty word continues in the style of the word before.
        let style = if is_new { last } else { &before[from..] };
        let is_upper = style.chars().all(|c| !c.is_lowercase());
        let names: Vec<&str> = if is_inside {
            Vec::new()
        } else if let Some(owner) = earlier.strip_suffix('.') {
            let owner = words(owner).last().unwrap_or_default().to_lowercase();
            self.columns_of(&sql, &owner)
        } else if BEFORE_TABLES.contains(&last.to_lowercase().as_str()) {
            self.tables.iter().map(|(name, _)| name.as_str()).collect()
        } else if is_new && !place.is_asked {
            Vec::new()
        } else if earlier.trim().is_empty() {
            FIRST_WORDS.to_vec()
        } else {
            let used = self.used(&sql);
            let columns = used.iter().flat_map(|(_, columns)| columns.iter().map(String::as_str));
            let tables = self.tables.iter().map(|(name, _)| name.as_str());
            let functions = self.functions.iter().map(String::as_str);
            // A quoted word is a name. A word in capitals is to be a keyword.
            let keywords = KEYWORDS.iter().copied().filter(|_| !earlier.ends_with('"'));
            match is_upper {
                _ if is_new => columns.chain(functions).chain(tables).chain(keywords).collect(),
                true => keywords.chain(columns).chain(tables).chain(functions).collect(),
                false => columns.chain(tables).chain(keywords).chain(functions).collect(),
            }
        };
        let most = if is_new && place.is_asked { usize::MAX } else { FilterCompletions::MOST };
        let mut list: Vec<FilterCompletion> = Vec::new();
        for name in names {
            if !name.starts_with(&word) || name == word || list.len() >= most {
                continue;
            }
            let is_keyword = KEYWORDS.contains(&name) || FIRST_WORDS.contains(&name);
            let text = if is_keyword && is_upper { name.to_uppercase() } else { name.to_owned() };
            if list.iter().all(|known| known.text != text) {
                list.push(FilterCompletion { text, count: None });
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

/// The statement with spaces in place of its strings and comments, byte by byte, and whether it ends inside one. Quoted names stay.
fn without_literals(sql: &str) -> (String, bool) {
    let (mut found, mut rest) = (String::with_capacity(sql.len()), sql);
    while let Some(at) = rest.find(['\'', '"', '-', '/']) {
        found.push_str(&rest[..at]);
        rest = &rest[at..];
        // A doubled quote ends a string and begins the next one.
        let quoted = |sign: char| rest[1..].find(sign).map(|end| end + 2);
        let end = if rest.starts_with("--") {
            rest.find('\n')
        } else if let Some(inner) = rest.strip_prefix("/*") {
            inner.find("*/").map(|end| end + 4)
        } else if rest.starts_with('\'') {
            quoted('\'')
        } else {
            let length = if rest.starts_with('"') { quoted('"').unwrap_or(rest.len()) } else { 1 };
            found.push_str(&rest[..length]);
            rest = &rest[length..];
            continue;
        };
        let length = end.unwrap_or(rest.len());
        found.extend(std::iter::repeat_n(' ', length));
        rest = &rest[length..];
        if end.is_none() {
            return (found, true);
        }
    }
    found.push_str(rest);
    (found, false)
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
            ("SELECT s| FROM spans", "7..8 span_id start_ns spans select sum stddev"),
            ("SELECT st| FROM spans", "7..9 start_ns stddev"),
            ("SELECT * FROM spans W|", "20..21 WHERE WITH WHEN"),
            ("SELECT * FROM spans gr|", "20..22 group by"),
            ("SELECT S| FROM spans", "7..8 SELECT span_id start_ns spans sum stddev"),
            ("SELECT * FROM spans GROUP|", "20..25 GROUP BY"),
            ("S|", "0..1 SELECT SHOW TABLES"),
            ("-- all of it\nsel|", "13..16 select"),
            // Strings and comments name nothing.
            ("SELECT * FROM spans WHERE name = 'na|'", "36..36"),
            ("SELECT * FROM spans WHERE name = 'it''s na|'", "42..42"),
            ("SELECT * FROM spans WHERE name = 'it''s' AND na|", "45..47 name"),
            ("SELECT * FROM spans -- WHERE na|", "31..31"),
            ("SELECT na| -- FROM tracks\nFROM spans", "7..9 name"),
            ("SELECT /* na| */ 1", "12..12"),
            ("SELECT 1 - na|", "11..13 name"),
            ("SELECT \"it's\", na|", "15..17 name"),
            ("SELECT \"na| FROM spans", "8..10 name"),
            ("SELECT \"wh| FROM spans", "8..10"),
            ("SELECT 'FROM tracks', na| FROM spans", "22..24 name"),
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
            let place = CompletionPlace { caret: at as u32, is_asked: false };
            let found = names.completions(&text, place);
            let list: String = found.list.iter().map(|one| format!(" {}", one.text)).collect();
            assert_eq!(format!("{}..{}{list}", found.from, found.until), expected, "{sql}");
        }
        // A place inside a character, or after the end, is moved back.
        for (sql, caret, expected) in [("é", 1, 0), ("e", 9, 1)] {
            assert_eq!(names.completions(sql, CompletionPlace { caret, is_asked: false }).until, expected);
        }
        // All names that fit, in reply to a question.
        for (sql, first, other) in [
            ("SELECT * FROM tracks WHERE ", "track_id name sum stddev spans tracks events SELECT", "AND"),
            ("select * from tracks where ", "track_id name sum stddev spans tracks events select", "and"),
            ("SELECT * FROM tracks t WHERE t.", "track_id name", "name"),
            ("SELECT * FROM ", "spans tracks events", "events"),
            ("", "SELECT WITH EXPLAIN", "SHOW TABLES"),
            ("SELECT 'a ", "", ""),
        ] {
            let place = CompletionPlace { caret: sql.len() as u32, is_asked: true };
            let list: Vec<_> = names.completions(sql, place).list.into_iter().map(|one| one.text).collect();
            assert!(list.join(" ").starts_with(first), "{sql}: {list:?}");
            assert_eq!(list.iter().any(|one| one == other), !other.is_empty(), "{sql}: {list:?}");
        }
    }
}
