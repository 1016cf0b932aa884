//! SQL text for display: laid out, split into tokens, and reduced to its shape. Statements are not parsed, and every
//! input is kept whole.

use std::any::TypeId;

use sqlparser::dialect::{Dialect, GenericDialect};
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Token, Tokenizer, Whitespace};

use crate::protocol::TokenKind;

mod plain_shape;

/// Maximum bytes of a statement that is laid out; longer statements, which could take seconds, are shown unchanged.
const MAX_LAYOUT: usize = 20_000;
/// Maximum bytes of a statement that is tokenized; a longer statement is its own shape and is not highlighted.
const MAX_TOKENS: usize = 256 * 1024;

/// Lays out `sql` over several lines. Text that is not a statement (a pushed command can be any text) is unchanged.
pub fn layout(sql: &str) -> String {
    if sql.len() > MAX_LAYOUT || !is_statement(sql) {
        return sql.to_owned();
    }
    let Some(pieces) = pieces(sql) else { return sql.to_owned() };
    let mut page = Page::default();
    for (token, text) in pieces {
        page.add(&token, text);
    }
    // The layout may change only white space.
    let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
    if letters(&page.text) == letters(sql) { page.text } else { sql.to_owned() }
}

/// A statement that is being laid out: every clause begins a line; conditions and the contents of subqueries are
/// indented.
#[derive(Default)]
struct Page {
    text: String,
    /// Whether white space precedes the next token.
    gap: bool,
    /// By open parenthesis: whether it holds a subquery.
    open: Vec<bool>,
    /// The previous keyword. It decides whether the next keyword begins a clause: JOIN does, except after LEFT.
    before: Option<Keyword>,
}

impl Page {
    fn add(&mut self, token: &Token, text: &str) {
        match token {
            Token::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)) => {
                self.write(text);
            }
            Token::Whitespace(_) => self.gap = true,
            _ => self.write_token(token, text),
        }
    }

    fn write_token(&mut self, token: &Token, text: &str) {
        let keyword = match token {
            Token::Word(word) if word.quote_style.is_none() => Some(word.keyword),
            _ => None,
        };
        // Parentheses without a subquery stay on one line.
        let inline = self.open.last().is_some_and(|subquery| !subquery) && keyword != Some(Keyword::SELECT);
        match keyword {
            Some(Keyword::SELECT) if !self.open.is_empty() && self.text.ends_with('(') => {
                if let Some(last) = self.open.last_mut() {
                    *last = true;
                }
                self.line(0);
            }
            Some(keyword) if !inline && self.begins_clause(keyword) => self.line(0),
            Some(Keyword::AND | Keyword::OR | Keyword::ON)
                if !inline && self.before != Some(Keyword::BETWEEN) =>
            {
                self.line(1);
            }
            _ => {}
        }
        self.close(token);
        self.write(text);
        if *token == Token::LParen {
            self.open.push(false);
        }
        self.before = keyword.filter(|&k| k != Keyword::NoKeyword).or(self.before);
    }

    fn begins_clause(&self, keyword: Keyword) -> bool {
        match keyword {
            Keyword::JOIN | Keyword::OUTER => !matches!(
                self.before,
                Some(
                    Keyword::LEFT
                        | Keyword::RIGHT
                        | Keyword::FULL
                        | Keyword::INNER
                        | Keyword::CROSS
                        | Keyword::OUTER
                )
            ),
            Keyword::FROM => self.before != Some(Keyword::DELETE),
            _ => CLAUSES.contains(&keyword),
        }
    }

    /// Puts the closing parenthesis of a subquery on a new line.
    fn close(&mut self, token: &Token) {
        if *token == Token::RParen && self.open.pop() == Some(true) {
            self.line(0);
        }
    }

    fn line(&mut self, deeper: usize) {
        if !self.text.is_empty() {
            let depth = self.open.iter().filter(|subquery| **subquery).count() + deeper;
            self.text.truncate(self.text.trim_end_matches(' ').len());
            self.text.push('\n');
            self.text.push_str(&"  ".repeat(depth.min(MAX_DEPTH)));
        }
        self.gap = false;
    }

    fn write(&mut self, text: &str) {
        if std::mem::take(&mut self.gap) && !self.text.is_empty() {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }
}

/// Maximum indentation, in levels of subqueries.
const MAX_DEPTH: usize = 12;

/// The keywords that begin a clause, in addition to JOIN, OUTER and FROM, which depend on the previous keyword.
const CLAUSES: [Keyword; 19] = [
    Keyword::SELECT,
    Keyword::WHERE,
    Keyword::GROUP,
    Keyword::HAVING,
    Keyword::ORDER,
    Keyword::LIMIT,
    Keyword::OFFSET,
    Keyword::FETCH,
    Keyword::UNION,
    Keyword::EXCEPT,
    Keyword::INTERSECT,
    Keyword::VALUES,
    Keyword::SET,
    Keyword::LEFT,
    Keyword::RIGHT,
    Keyword::FULL,
    Keyword::INNER,
    Keyword::CROSS,
    Keyword::RETURNING,
];

/// Splits `sql` into consecutive pieces by kind, without loss. Text that cannot be tokenized is one plain piece.
pub fn tokens(sql: &str) -> Vec<(TokenKind, String)> {
    let Some(pieces) = pieces(sql) else { return vec![(TokenKind::Plain, sql.to_owned())] };
    let mut joined: Vec<(TokenKind, String)> = Vec::new();
    for (token, text) in pieces {
        let kind = kind(&token);
        match joined.last_mut() {
            Some(last) if last.0 == kind => last.1.push_str(text),
            _ => joined.push((kind, text.to_owned())),
        }
    }
    joined
}

/// Replaces every literal of `sql` by `?`, and whitespace and comments by one space, so that statements that differ only in
/// their literals become identical. Text that is not SQL is returned as it is.
pub fn shape(sql: &str) -> String {
    let mut shape = String::with_capacity(sql.len());
    write_shape(sql, &mut shape);
    shape
}

/// Replaces the content of `shape` by the [`shape`] of `sql`.
pub fn write_shape(sql: &str, shape: &mut String) {
    shape.clear();
    if sql.len() > MAX_TOKENS || !plain_shape::append(sql, shape) {
        shape.clear();
        if !append_tokens(sql, shape) {
            return shape.push_str(sql);
        }
    }
    shape.truncate(shape.trim_end_matches([' ', ';']).len());
}

/// Appends the tokens of `sql` with its literals replaced; `false` if `sql` cannot be tokenized.
fn append_tokens(sql: &str, shape: &mut String) -> bool {
    let Some(pieces) = pieces(sql) else { return false };
    for (token, text) in pieces {
        match token {
            Token::Whitespace(_) if shape.is_empty() || shape.ends_with(' ') => {}
            Token::Whitespace(_) => shape.push(' '),
            token if is_literal(&token) => shape.push('?'),
            _ => shape.push_str(text),
        }
    }
    true
}

fn is_statement(sql: &str) -> bool {
    const STARTS: [&str; 14] = [
        "select", "with", "insert", "update", "delete", "merge", "create", "alter", "drop", "call", "exec",
        "explain", "values", "upsert",
    ];
    let start = sql.trim_start_matches(|c: char| c.is_whitespace() || c == '(');
    let end = start.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(start.len());
    STARTS.iter().any(|word| word.eq_ignore_ascii_case(&start[..end]))
}

/// The tokens of `sql`, each with its text up to the next token; `None` if `sql` cannot be tokenized.
fn pieces(sql: &str) -> Option<Vec<(Token, &str)>> {
    if sql.len() > MAX_TOKENS {
        return None;
    }
    let read = |dialect: &dyn Dialect| Tokenizer::new(dialect, sql).tokenize_with_location().ok();
    // MonetDB and MySQL write `'it\'s'`, standard SQL `'C:\'`. Read with the wrong rule, a string remains unclosed.
    let escaped = if sql.contains("\\'") { read(&Escaping) } else { None };
    let tokens = escaped.or_else(|| read(&GenericDialect {}))?;
    let mut places = LineOffsets { sql, at: 0, here: Location::new(1, 1) };
    let starts: Option<Vec<usize>> = tokens.iter().map(|token| places.offset(token.span.start)).collect();
    let starts = starts?;
    let ends = starts.iter().skip(1).copied().chain([sql.len()]);
    let texts = starts.iter().zip(ends).map(|(&start, end)| sql.get(start..end));
    tokens.into_iter().zip(texts).map(|(token, text)| Some((token.token, text?))).collect()
}

/// Generic SQL in which a backslash escapes a quote.
#[derive(Debug)]
struct Escaping;

impl Dialect for Escaping {
    fn dialect(&self) -> TypeId {
        GenericDialect {}.dialect()
    }

    fn is_identifier_start(&self, c: char) -> bool {
        GenericDialect {}.is_identifier_start(c)
    }

    fn is_identifier_part(&self, c: char) -> bool {
        GenericDialect {}.is_identifier_part(c)
    }

    fn supports_string_literal_backslash_escape(&self) -> bool {
        true
    }
}

/// Converts lines and columns (in characters, from 1) into byte offsets, in one pass over a text.
struct LineOffsets<'a> {
    sql: &'a str,
    at: usize,
    here: Location,
}

impl LineOffsets<'_> {
    /// The byte offset of a location, which must not precede the previous location.
    fn offset(&mut self, place: Location) -> Option<usize> {
        let mut chars = self.sql[self.at..].chars();
        while self.here < place {
            let c = chars.next()?;
            self.at += c.len_utf8();
            self.here = match c {
                '\n' => Location::new(self.here.line + 1, 1),
                _ => Location::new(self.here.line, self.here.column + 1),
            };
        }
        Some(self.at)
    }
}

fn kind(token: &Token) -> TokenKind {
    match token {
        Token::Word(word) if word.quote_style.is_none() && KEYWORDS.contains(&word.keyword) => {
            TokenKind::Keyword
        }
        Token::Number(..) => TokenKind::Number,
        Token::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)) => {
            TokenKind::Comment
        }
        token if is_literal(token) => TokenKind::Text,
        _ => TokenKind::Plain,
    }
}

/// The tokens of `sql`, each with its text; `None` if `sql` cannot be tokenized, or if it depends on the dialect where its strings end.
pub fn unambiguous_tokens(sql: &str) -> Option<Vec<(Token, &str)>> {
    if !sql.contains("\\'") {
        return pieces(sql).filter(|_| !sql.contains("\\\""));
    }
    let read = |dialect: &dyn Dialect| Tokenizer::new(dialect, sql).tokenize().ok();
    let is_sure = read(&Escaping).is_none() || read(&GenericDialect {}).is_none();
    pieces(sql).filter(|_| is_sure && !sql.contains("\\\""))
}

/// Whether a token is a constant.
pub fn is_literal(token: &Token) -> bool {
    matches!(
        token,
        Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::TripleSingleQuotedString(_)
            | Token::DollarQuotedString(_)
            | Token::SingleQuotedByteStringLiteral(_)
            | Token::TripleSingleQuotedByteStringLiteral(_)
            | Token::SingleQuotedRawStringLiteral(_)
            | Token::TripleSingleQuotedRawStringLiteral(_)
            | Token::NationalStringLiteral(_)
            | Token::QuoteDelimitedStringLiteral(_)
            | Token::NationalQuoteDelimitedStringLiteral(_)
            | Token::EscapedStringLiteral(_)
            | Token::UnicodeStringLiteral(_)
            | Token::HexStringLiteral(_)
    )
}

/// The keywords that are highlighted. The tokenizer's own list has every word that is special in some dialect, such as
/// NAME, DATE or REGION, which are nearly always columns.
#[rustfmt::skip]
const KEYWORDS: [Keyword; 64] = [
    Keyword::ALL, Keyword::ALTER, Keyword::AND, Keyword::AS, Keyword::ASC, Keyword::BETWEEN, Keyword::BY,
    Keyword::CALL, Keyword::CASE, Keyword::CAST, Keyword::CREATE, Keyword::CROSS, Keyword::DELETE, Keyword::DESC,
    Keyword::DISTINCT, Keyword::DROP, Keyword::ELSE, Keyword::END, Keyword::EXCEPT, Keyword::EXEC, Keyword::EXISTS,
    Keyword::EXPLAIN, Keyword::FALSE, Keyword::FETCH, Keyword::FROM, Keyword::FULL, Keyword::GROUP, Keyword::HAVING,
    Keyword::IN, Keyword::INNER, Keyword::INSERT, Keyword::INTERSECT, Keyword::INTO, Keyword::IS, Keyword::JOIN,
    Keyword::LATERAL, Keyword::LEFT, Keyword::LIKE, Keyword::LIMIT, Keyword::MERGE, Keyword::NOT, Keyword::NULL,
    Keyword::OFFSET, Keyword::ON, Keyword::OR, Keyword::ORDER, Keyword::OUTER, Keyword::OVER, Keyword::PARTITION,
    Keyword::RETURNING, Keyword::RIGHT, Keyword::SELECT, Keyword::SET, Keyword::TABLE, Keyword::THEN, Keyword::TRUE,
    Keyword::UNION, Keyword::UPDATE, Keyword::USING, Keyword::VALUES, Keyword::VIEW, Keyword::WHEN, Keyword::WHERE,
    Keyword::WITH,
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn shapes_forget_values_and_white_space() {
        for (sql, expected) in [
            ("SELECT a FROM t WHERE x = 1", "SELECT a FROM t WHERE x = ?"),
            ("SELECT a\n  FROM t\tWHERE x = 'O''Brien' -- why", "SELECT a FROM t WHERE x = ?"),
            (
                "  select \"A b\" from t /* c */ where y in (1, 2.5e3) ;",
                "select \"A b\" from t where y in (?, ?)",
            ),
            ("INSERT INTO u(id, name) VALUES (594, N'x')", "INSERT INTO u(id, name) VALUES (?, ?)"),
            ("select 'it\\'s' as a, 'b' from t", "select ? as a, ? from t"),
            ("select 'a\\'b\\'c'", "select ?"),
            ("select 'C:\\' as a, 'b' from t", "select ? as a, ? from t"),
            ("select 'never closed", "select 'never closed"),
            ("ſ日本 'ä' 1", "ſ日本 ? ?"),
            ("", ""),
        ] {
            assert_eq!(shape(sql), expected);
        }
    }

    #[test]
    fn tokens_have_their_kinds() {
        let kinds: Vec<_> = tokens("SELECT name FROM t WHERE x = 'ä' AND y > 1.5 -- c");
        let found: Vec<_> = kinds
            .iter()
            .map(|(kind, text)| (*kind, text.trim()))
            .filter(|(_, text)| !text.is_empty())
            .collect();
        assert_eq!(
            found,
            [
                (TokenKind::Keyword, "SELECT"),
                (TokenKind::Plain, "name"),
                (TokenKind::Keyword, "FROM"),
                (TokenKind::Plain, "t"),
                (TokenKind::Keyword, "WHERE"),
                (TokenKind::Plain, "x ="),
                (TokenKind::Text, "'ä'"),
                (TokenKind::Keyword, "AND"),
                (TokenKind::Plain, "y >"),
                (TokenKind::Number, "1.5"),
                (TokenKind::Comment, "-- c"),
            ]
        );
    }

    #[test]
    fn only_statements_are_laid_out() {
        for (sql, expected) in [
            ("SELECT a, b FROM t WHERE x = 1", "SELECT a, b\nFROM t\nWHERE x = 1"),
            (
                "select a from t left  join u on t.i=u.i where x between 1 and 2 and y in (1, 2)\n order by a",
                "select a\nfrom t\nleft join u\n  on t.i=u.i\nwhere x between 1 and 2\n  and y in (1, 2)\norder by a",
            ),
            (
                "SELECT * FROM (SELECT a FROM t WHERE extract(day FROM d) = 1) AS x",
                "SELECT *\nFROM (\n  SELECT a\n  FROM t\n  WHERE extract(day FROM d) = 1\n) AS x",
            ),
            ("DELETE FROM t WHERE a = 1", "DELETE FROM t\nWHERE a = 1"),
            ("UPDATE t SET a = 'x -- y' -- why", "UPDATE t\nSET a = 'x -- y' -- why"),
            ("{\"find\": \"t\",  \"x\": 1}", "{\"find\": \"t\",  \"x\": 1}"),
            ("get  /api/orders", "get  /api/orders"),
            ("", ""),
        ] {
            assert_eq!(layout(sql), expected);
        }
        let long = format!("SELECT {}", "a, ".repeat(MAX_LAYOUT));
        assert_eq!(layout(&long), long);
    }

    #[test]
    fn depth_is_no_danger() {
        for text in ["(", "SELECT (", "/*", "CASE WHEN ", "SELECT * FROM ("] {
            let sql = format!("SELECT {}", text.repeat(MAX_LAYOUT / text.len() - 10));
            check_whole(&sql);
        }
    }

    /// The shape of plain SQL must be what the tokenizer's is.
    fn check_plain(sql: &str) {
        let (mut plain, mut tokenized) = (String::new(), String::new());
        if plain_shape::append(sql, &mut plain) {
            assert!(append_tokens(sql, &mut tokenized), "{sql:?}");
            assert_eq!(plain, tokenized, "{sql:?}");
        }
    }

    #[test]
    fn plain_statements_need_no_tokenizer() {
        for (sql, plain) in [
            ("SELECT a.b, \"c d\" FROM `t` WHERE x = 'it''s' AND y<=1.50 OR z IN (1, 2)||3;", true),
            ("select 1 -- why", false),
            ("select 1 /* why */", false),
            ("select N'x'", false),
            ("select 'a\\'b'", false),
            ("select 0x1f", false),
            ("select 1e5", false),
            ("select 'never closed", false),
            ("select $1, :a, @b, ?", false),
            ("ſelect 1", false),
        ] {
            assert_eq!(plain_shape::append(sql, &mut String::new()), plain, "{sql}");
            check_plain(sql);
        }
    }

    fn check_whole(sql: &str) {
        check_plain(sql);
        let joined: String = tokens(sql).into_iter().map(|(_, text)| text).collect();
        assert_eq!(joined, sql);
        let letters = |text: &str| text.chars().filter(|c| !c.is_whitespace()).collect::<String>();
        assert_eq!(letters(&layout(sql)), letters(sql));
        shape(sql);
    }

    proptest! {
        #[test]
        fn nothing_is_lost_of_any_text(sql in ".{0,80}") {
            check_whole(&sql);
        }

        #[test]
        fn plain_shapes_are_those_of_the_tokenizer(sql in "[ -~\n\r\t]{0,40}", plain in "[A-Za-z0-9_ .,()=<>*+/;'\"`|-]{0,40}") {
            check_plain(&sql);
            check_plain(&plain);
        }

        #[test]
        fn plain_shapes_of_near_statements_are_those_of_the_tokenizer(sql in "([a-cNnExXbBrRqQuU]{0,2}['\"`.&;-]{0,3}[0-9]{0,2}[ .|/*<>=-]{0,2}){0,8}") {
            check_plain(&sql);
        }

        #[test]
        fn nothing_is_lost_of_odd_statements(
            words in proptest::collection::vec(
                proptest::sample::select(vec![
                    "SELECT", "FROM", "(", ")", ")))", "'", "\"", "`", "[", "]", "--", "/*", "*/", "\n", "\r\n", "$$", "$a$",
                    "ä", "\u{2028}", "E'\\", "N'x'", "q'{x}'", "1e", "0x", "?", ":a", "@b", "$1", ";", "CASE", "END", "BETWEEN",
                    "AND", "0.", ".5", "\\", "{", "}", "#", "LIMIT", ",", "::", "U&'\\", "\u{0}", "JOIN", "ON", "INSERT INTO",
                ]),
                0..30,
            ),
            gap in "[ \t\n]{0,1}",
        ) {
            check_whole(&format!("SELECT{gap}{}", words.join(&gap)));
        }
    }
}
