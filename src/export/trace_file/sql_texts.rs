//! [`SqlReader`]: splits a statement into literals, identifiers, comments and everything else, without parsing it.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, Whitespace};

use super::identifiers::RoleEvidence;
use super::roles::IdentifierRole;
use super::vocabulary;
use crate::sql;

/// A part of a statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SqlPart<'a> {
    /// Words of SQL, signs and blanks.
    Plain(&'a str),
    /// A comment or hint, or a part of one.
    Comment(&'a str),
    /// A string, number or other constant, as written.
    Literal(&'a str),
    /// A text in double quotes: a string in MySQL and MAL, an identifier in standard SQL. As written, and without its quotes.
    Quoted(&'a str, &'a str),
    /// An identifier without its quotes, and what it probably names.
    Identifier(&'a str, IdentifierRole, RoleEvidence),
}

/// A statement in tokens.
pub struct SqlReader<'a> {
    tokens: Vec<(Token, &'a str)>,
}

impl<'a> SqlReader<'a> {
    /// Splits a statement; `None` if it cannot be read, or can be read in two ways.
    pub fn new(text: &'a str) -> Option<Self> {
        let tokens = sql::unambiguous_tokens(text)?;
        // Oracle's q'[…]' may hold quotes, which end a string everywhere else.
        let is_quote_operator = |pair: &[(Token, &str)]| {
            matches!(&pair[0].0, Token::Word(word) if word.value.to_lowercase().ends_with('q'))
                && sql::is_literal(&pair[1].0)
        };
        (!tokens.windows(2).any(is_quote_operator)).then_some(Self { tokens })
    }

    /// The parts of the statement, in order.
    pub fn parts(&self) -> Vec<SqlPart<'a>> {
        let mut parts = Vec::with_capacity(self.tokens.len());
        let mut clause = Clause::default();
        let mut is_comment = false;
        for (at, (token, text)) in self.tokens.iter().enumerate() {
            if is_comment {
                // A comment that begins with # ends with its line.
                is_comment = !text.contains('\n');
                parts.push(SqlPart::Comment(text));
                if !is_comment {
                    parts.push(SqlPart::Plain("\n"));
                }
                continue;
            }
            match token {
                Token::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)) => {
                    parts.push(SqlPart::Comment(text))
                }
                Token::Whitespace(_) => parts.push(SqlPart::Plain(text)),
                Token::Sharp => {
                    is_comment = true;
                    parts.push(SqlPart::Comment(text));
                }
                token if sql::is_literal(token) || is_other_literal(token) => {
                    parts.push(SqlPart::Literal(text));
                    clause.pass(token);
                }
                Token::Word(word) => parts.push(self.word(at, word, text, &mut clause)),
                token if is_sign(token, text) => {
                    parts.push(SqlPart::Plain(text));
                    clause.pass(token);
                }
                // Anything else may hold words, so it is not kept.
                _ => parts.push(SqlPart::Literal(text)),
            }
        }
        parts
    }

    fn word(
        &self,
        at: usize,
        word: &sqlparser::tokenizer::Word,
        text: &'a str,
        clause: &mut Clause,
    ) -> SqlPart<'a> {
        let after = self.next(at);
        let is_call = matches!(after, Some(Token::LParen));
        let is_qualifier = matches!(after, Some(Token::Period));
        let (is_member, is_table) = (clause.after_dot, clause.expects_table);
        if word.quote_style.is_none() && !is_member && !is_qualifier {
            let is_kept = vocabulary::is_sql_word(&word.value)
                || is_call && !is_table && word.keyword != Keyword::NoKeyword;
            if is_kept {
                clause.keyword(word.keyword, &word.value);
                return SqlPart::Plain(text);
            }
        }
        clause.pass(&Token::Word(word.clone()));
        let content = content(text, word.quote_style);
        if word.quote_style == Some('"') && !is_member && !is_qualifier && !is_table && !clause.after_as {
            clause.after_as = false;
            return SqlPart::Quoted(text, content);
        }
        clause.after_as = false;
        let (role, evidence) = match (is_table, is_member, is_qualifier) {
            (true, _, true) => (IdentifierRole::Schema, RoleEvidence::Clause),
            (true, ..) => (IdentifierRole::Table, RoleEvidence::Clause),
            (_, _, true) => (IdentifierRole::Table, RoleEvidence::Qualified),
            (_, true, _) if is_call => (IdentifierRole::Function, RoleEvidence::Qualified),
            (_, true, _) => (IdentifierRole::Column, RoleEvidence::Qualified),
            _ if is_call => (IdentifierRole::Function, RoleEvidence::Guess),
            _ => (IdentifierRole::Column, RoleEvidence::Guess),
        };
        clause.expects_table = is_table && is_qualifier;
        SqlPart::Identifier(content, role, evidence)
    }

    /// The next token after the token `at` that is neither blank nor comment; `None` at the end.
    fn next(&self, at: usize) -> Option<&Token> {
        self.tokens[at + 1..]
            .iter()
            .map(|(token, _)| token)
            .find(|token| !matches!(token, Token::Whitespace(_)))
    }
}

/// Syntactic context of the next word of a statement.
#[derive(Default)]
struct Clause {
    expects_table: bool,
    /// Whether the statement is in a list of tables, so that a comma is followed by another table.
    lists_tables: bool,
    after_dot: bool,
    after_as: bool,
}

impl Clause {
    fn keyword(&mut self, keyword: Keyword, word: &str) {
        let begins = matches!(
            keyword,
            Keyword::FROM | Keyword::JOIN | Keyword::INTO | Keyword::UPDATE | Keyword::TABLE | Keyword::VIEW
        );
        let stays = matches!(
            keyword,
            Keyword::IF | Keyword::NOT | Keyword::EXISTS | Keyword::ONLY | Keyword::LATERAL
        ) && self.expects_table;
        self.after_as = word.eq_ignore_ascii_case("as");
        self.after_dot = false;
        self.expects_table = begins || stays;
        self.lists_tables = if self.after_as { self.lists_tables } else { self.expects_table };
    }

    fn pass(&mut self, token: &Token) {
        self.after_dot = *token == Token::Period;
        match token {
            Token::Comma => self.expects_table = self.lists_tables,
            Token::LParen | Token::RParen | Token::SemiColon => {
                (self.expects_table, self.lists_tables) = (false, false);
            }
            _ => {}
        }
    }
}

/// The content of an identifier without its quotes.
fn content(text: &str, quote: Option<char>) -> &str {
    match quote {
        None => text.trim(),
        Some(_) => {
            let text = text.trim();
            let inner = text.get(1..text.len().saturating_sub(1));
            inner.unwrap_or(text)
        }
    }
}

/// Whether a token is a string in double quotes, in any of the forms that dialects have.
fn is_other_literal(token: &Token) -> bool {
    matches!(
        token,
        Token::DoubleQuotedString(_)
            | Token::TripleDoubleQuotedString(_)
            | Token::DoubleQuotedByteStringLiteral(_)
            | Token::TripleDoubleQuotedByteStringLiteral(_)
            | Token::DoubleQuotedRawStringLiteral(_)
            | Token::TripleDoubleQuotedRawStringLiteral(_)
    )
}

/// Whether a token consists of signs only. Named parameters and everything unknown do not.
fn is_sign(token: &Token, text: &str) -> bool {
    *token == Token::EOF
        || text.chars().all(|c| !c.is_alphanumeric() && !matches!(c, '\'' | '"' | '`'))
        || matches!(token, Token::Placeholder(name) if name[1..].chars().all(|c| c.is_ascii_digit()))
}
