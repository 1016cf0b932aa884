//! What is removed from saved traces: no word of a statement, an identifier or an error is left in any text.

use crate::support;

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use proptest::prelude::*;
use queryscope::protocol::{ExportPreviewRequest, ExportSpec, Redaction};
use queryscope::session::Session;
use serde_json::Value;
use sqlparser::dialect::GenericDialect;
use sqlparser::keywords::ALL_KEYWORDS;
use sqlparser::tokenizer::{Token, Tokenizer};

const ALL: Redaction = Redaction { literals: true, identifiers: true, texts: false };

/// The strings in the lines that a trace is written as, and the whole.
fn written(session: &Session, redaction: Redaction) -> (Vec<String>, String) {
    let mut export = session.export(&ExportSpec { redaction, ..ExportSpec::default() });
    let mut out = Vec::new();
    while export.step(session.trace(), &mut out) {}
    let text = String::from_utf8(out).expect("the format is text");
    let mut strings = Vec::new();
    // Names of attributes stay, since views find attributes by them.
    for line in text.lines().filter(|line| !line.starts_with("{\"key\":")) {
        collect(&serde_json::from_str(line).expect("every line is JSON"), &mut strings);
    }
    (strings, text)
}

/// All strings of a value but the names of members, which have tests of their own.
fn collect(value: &Value, strings: &mut Vec<String>) {
    match value {
        Value::String(text) => strings.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| collect(item, strings)),
        Value::Object(members) => members.values().for_each(|value| collect(value, strings)),
        _ => {}
    }
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase)
}

/// Words that must be gone: those of string literals, and quoted identifiers, of every SQL text of a trace.
fn secrets(session: &Session) -> (BTreeSet<String>, BTreeSet<String>) {
    let (mut literals, mut identifiers) = (BTreeSet::new(), BTreeSet::new());
    let trace = session.trace();
    for item in queryscope::internal::testing::items(trace) {
        for (key, text) in trace.texts(item) {
            let name = trace.str(trace.keys.get(key).name);
            let text = trace.str(text);
            match name {
                "SQL" | "pushed command" | "digest text" => of_sql(text, &mut literals, &mut identifiers),
                "schema" | "table" | "index" | "file" | "user" | "host" | "datasource" | "connector" => {
                    identifiers.extend(words(text).filter(|word| is_secret(word)));
                }
                _ => {}
            }
        }
    }
    (literals, identifiers)
}

fn of_sql(text: &str, literals: &mut BTreeSet<String>, identifiers: &mut BTreeSet<String>) {
    let Ok(tokens) = Tokenizer::new(&GenericDialect {}, text).tokenize() else { return };
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::SingleQuotedString(text) | Token::NationalStringLiteral(text) => {
                literals.extend(words(text).filter(|word| is_secret(word)));
            }
            Token::Number(digits, _) if digits.len() > 4 => {
                literals.insert(digits.clone());
            }
            Token::Word(word) => {
                let is_qualified =
                    tokens.get(at + 1) == Some(&Token::Period) || at > 0 && tokens[at - 1] == Token::Period;
                let is_plain = word.keyword == sqlparser::keywords::Keyword::NoKeyword;
                let is_call = tokens.get(at + 1) == Some(&Token::LParen);
                if (is_qualified || is_plain || word.quote_style.is_some())
                    && !is_call
                    && is_secret(&word.value)
                {
                    identifiers.insert(word.value.to_lowercase());
                }
            }
            _ => {}
        }
    }
}

/// Whether a word is long enough to be looked for, and is not one that engines or SQL use everywhere.
fn is_secret(word: &str) -> bool {
    const COMMON: [&str; 38] = [
        "infile",
        "error",
        "literals",
        "identifiers",
        "query",
        "table",
        "index",
        "primary",
        "events",
        "thread",
        "user",
        "host",
        "sql",
        "name",
        "state",
        "buffer",
        "source",
        "localhost",
        "event",
        "statement",
        "select",
        "insert",
        "update",
        "delete",
        "execution",
        "request",
        "count",
        "rows",
        "time",
        "value",
        "values",
        "status",
        "null",
        "true",
        "false",
        "main",
        "file",
        "lock",
    ];
    let is_of_sql = ALL_KEYWORDS.binary_search(&word.to_uppercase().as_str()).is_ok();
    // Numbers of four digits and the codes of SQLSTATE are found everywhere.
    let is_short_number = word.len() < 6 && word.chars().all(|c| c.is_ascii_digit());
    let is_common = COMMON.contains(&word.to_lowercase().as_str()) || is_of_sql || is_short_number;
    word.chars().count() > 3 && !is_common && !is_stable(word)
}

/// Whether a word is one that the redaction puts in.
fn is_stable(word: &str) -> bool {
    word.rsplit_once('_').is_some_and(|(_, number)| number.parse::<u32>().is_ok())
}

/// Names of MySQL's instruments hold words of the server.
fn is_instrument(text: &str) -> bool {
    ["wait/", "stage/", "statement/", "thread/", "memory/"].iter().any(|first| text.starts_with(first))
}

fn left(strings: &[String], secrets: &BTreeSet<String>) -> Vec<String> {
    let is_left = |text: &&String| !is_instrument(text) && words(text).any(|word| secrets.contains(&word));
    strings.iter().filter(is_left).cloned().collect()
}

/// Shared traces up to a size that a debug build writes in seconds.
fn small_shared() -> Vec<PathBuf> {
    const LARGEST: u64 = 48 << 10;
    let (mut left, mut paths) = (Vec::from_iter(support::shared("own")), Vec::new());
    while let Some(path) = left.pop() {
        if path.is_dir() {
            left.extend(fs::read_dir(&path).expect("a folder").map(|entry| entry.expect("an entry").path()));
        } else if fs::metadata(&path).is_ok_and(|about| about.len() <= LARGEST) {
            paths.push(path);
        }
    }
    // One of many, since files of one kind hold the same words.
    paths.sort();
    paths.into_iter().step_by(11).collect()
}

#[test]
fn no_word_that_was_to_be_removed_is_left() {
    let mut found = Vec::new();
    let mut count = 0;
    for path in support::fixtures().into_iter().chain(small_shared()) {
        let name = path.file_name().expect("a file").to_string_lossy().into_owned();
        let session = support::open([(name.as_str(), fs::read(&path).expect("a file"))]);
        let (literals, identifiers) = secrets(&session);
        count += literals.len() + identifiers.len();
        let only = |literals, identifiers| Redaction { literals, identifiers, texts: false };
        // A word that is both stays, where only one of the two is removed.
        let both: BTreeSet<String> = literals.intersection(&identifiers).cloned().collect();
        let cases = [
            (only(true, false), &literals - &both),
            (only(false, true), &identifiers - &both),
            (ALL, &literals | &identifiers),
        ];
        for (redaction, secrets) in cases {
            let (strings, _) = written(&session, redaction);
            let left = left(&strings, &secrets);
            found.extend(left.iter().take(3).map(|text| format!("{name} {redaction:?}: {text}")));
        }
        let (strings, _) = written(&session, Redaction { texts: true, ..Redaction::default() });
        found.extend(
            left(&strings, &(&literals - &both)).iter().take(3).map(|text| format!("{name} texts: {text}")),
        );
    }
    assert!(count > 50, "{count} words to look for");
    assert!(found.is_empty(), "{}", found.join("\n"));
}

/// A redacted trace is a trace: it is read again without a problem but the remark about what was removed.
#[test]
fn what_is_redacted_is_read_again() {
    for path in support::fixtures() {
        let session = support::open([("trace", fs::read(&path).expect("a file"))]);
        let (_, text) = written(&session, ALL);
        let again = support::open([("saved.ndjson", &text)]);
        let (before, after) = (session.trace(), again.trace());
        assert_eq!(
            (before.spans.len(), before.events.len()),
            (after.spans.len(), after.events.len()),
            "{}",
            path.display()
        );
        let problems = again.report().remove(0).problems;
        assert!(
            problems.iter().all(|problem| problem.name == "removed before saving"),
            "{}: {problems:?}",
            path.display()
        );
    }
}

fn kubling(sql: &str, error: &str) -> Session {
    let event = |time: i64, kind: &str, more: Value| {
        let mut event = serde_json::json!({"runId": "run", "queryId": "q1", "timestamp": time, "type": kind});
        event.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
        event.to_string() + "\n"
    };
    let text = event(1, "QUERY_START", serde_json::json!({"sql": sql}))
        + &event(9, "QUERY_END", serde_json::json!({"success": false, "error": error}));
    support::open([("events.ndjson", text)])
}

fn check(sql: &str, error: &str, redaction: Redaction, expected: &[&str]) {
    let session = kubling(sql, error);
    let (strings, _) = written(&session, redaction);
    for text in expected {
        assert!(strings.iter().any(|string| string == text), "{text} is in {strings:?}");
    }
}

#[test]
fn statements_keep_their_shape() {
    let literals = Redaction { literals: true, ..Redaction::default() };
    let identifiers = Redaction { identifiers: true, ..Redaction::default() };
    let sql = "SELECT o.id, 'bob' FROM shop.orders o WHERE o.name = 'x''y' AND n > 12.5 -- why\n/*+ hint */ LIMIT 10";
    check(
        sql,
        "",
        literals,
        &["SELECT o.id, ? FROM shop.orders o WHERE o.name = ? AND n > ? /* … */\n/* … */ LIMIT ?"],
    );
    check(
        "SELECT o.id FROM shop.orders o JOIN users ON users.id = o.owner",
        "no table 'orders' for bob_17",
        identifiers,
        &[
            "SELECT table_1.column_1 FROM schema_1.table_2 table_1 JOIN table_3 ON table_3.column_1 = table_1.column_2",
            "no table 'table_2' for name_1",
        ],
    );
    check("SELECT 'never closed", "x", literals, &["statement_1"]);
    check("SELECT 1", "Duplicate entry 'bob@x.de' for key 7", literals, &["Duplicate entry '?' for key ?"]);
}

#[test]
fn a_preview_tells_what_is_inside_and_what_would_go() {
    let mut session = kubling("SELECT secret FROM vault WHERE code = 'swordfish'", "no vault");
    let spec = ExportSpec { redaction: ALL, ..ExportSpec::default() };
    let preview = session.answer(&ExportPreviewRequest { spec });
    assert_eq!((preview.runs, preview.statements, preview.errors), (1, 1, 1));
    let tables = preview.identifiers.iter().find(|count| count.role == "table").expect("a table");
    assert_eq!((tables.count, tables.examples.as_slice()), (1, &["vault".to_owned()][..]));
    assert!(preview.removed.iter().any(|phrase| phrase.contains("literal")), "{:?}", preview.removed);
    assert!(preview.bytes > 100);
}

/// Everything that may be written of a statement and of a message that quotes a part of it.
fn check_hidden(sql: &str, error: &str) -> Result<(), String> {
    let session = kubling(sql, error);
    for redaction in [ALL, Redaction { texts: true, ..Redaction::default() }] {
        let (_, text) = written(&session, redaction);
        if text.contains("swordfish") {
            return Err(format!("{sql}\n{redaction:?}\n{text}"));
        }
    }
    Ok(())
}

/// Statements that once gave a word away in the message that quotes it.
#[test]
fn a_message_may_quote_a_part_of_any_text() {
    let cases = [
        // A name of several words.
        ("E'q'` /* swordfish */ `", "failed at /* swordfish */"),
        ("SELECT [the swordfish order] FROM t", "failed at swordfish"),
        // A comment whose last part ends with its line.
        ("# /* /* swordfish */ /**/\n", "failed at /* swordfish */"),
        ("# it's swordfish\n'", "failed at swordfish"),
    ];
    let found = Vec::from_iter(cases.iter().filter_map(|(sql, error)| check_hidden(sql, error).err()));
    assert!(found.is_empty(), "{}", found.join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// A secret inside any kind of quotes, among any signs, is not in what is written.
    #[test]
    fn hostile_statements_give_nothing_away(
        before in "([a-z]{1,6}|['\"`\\\\(),.;#$@-]|/\\*|\\*/|--|\n| |q'|E'|x'|1){0,12}",
        quotes in prop::sample::select(vec![("'", "'"), ("N'", "'"), ("E'", "'"), ("x'", "'"), ("$$", "$$"), ("q'[", "]'"), ("\"", "\""), ("`", "`"), ("/* ", " */"), ("-- ", "\n"), ("# ", "\n")]),
        after in "([a-z]{1,6}|['\"`\\\\(),.;#$@-]|/\\*|\\*/|--|\n| |1){0,12}",
    ) {
        let sql = format!("{before} {}swordfish{} {after}", quotes.0, quotes.1);
        let hidden = check_hidden(&sql, &format!("failed at {}swordfish{}", quotes.0, quotes.1));
        prop_assert_eq!(hidden, Ok(()));
    }
}
