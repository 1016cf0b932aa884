//! [`Redactor`]: removes literals, identifiers or whole texts, each by its role, and counts what it removed.
//!
//! Identifiers and literals are collected from all texts first ([`Redactor::learn`]), so that a word which is a table in one text is
//! replaced in every other text as well, by the same name.

use std::borrow::Cow;

use super::identifiers::{Identifiers, RoleEvidence, is_identifier_char};
use super::roles::{IdentifierRole, TextRole, is_known_key};
use super::sql_texts::{SqlPart, SqlReader};
use super::vocabulary;
use crate::base::FxHashSet;
use crate::base::text::counted;
use crate::protocol::{IdentifierCount, Redaction};
use crate::trace::StrId;

/// Text that replaces a comment.
const COMMENT: &str = "/* … */";
/// Number of identifiers that are given as examples.
const EXAMPLES: usize = 5;
/// Minimum length of a literal that is searched for in other texts; shorter literals would match everywhere.
const MIN_LITERAL: usize = 3;

/// Removes the data that must not be saved from texts.
pub struct Redactor {
    redaction: Redaction,
    is_surveying: bool,
    identifiers: Identifiers,
    /// Words of the literals in SQL, in lower case: other texts may quote them.
    literals: FxHashSet<String>,
    /// Words of comments, and of statements that cannot be read, in lower case: messages may quote them.
    comments: FxHashSet<String>,
    learned: FxHashSet<(StrId, TextRole)>,
    statements: u64,
    messages: u64,
    removed: RemovedCounts,
}

/// Number of removed literals, identifiers, … in distinct texts.
#[derive(Default)]
struct RemovedCounts {
    literals: u64,
    comments: u64,
    numbers: u64,
    dropped_sql: u64,
    dropped_messages: u64,
    dropped_notes: u64,
    unreadable_sql: u64,
}

impl Redactor {
    /// A redactor that has learned nothing.
    pub fn new(redaction: Redaction) -> Self {
        Self {
            redaction,
            is_surveying: false,
            identifiers: Identifiers::default(),
            literals: FxHashSet::default(),
            comments: FxHashSet::default(),
            learned: FxHashSet::default(),
            statements: 0,
            messages: 0,
            removed: RemovedCounts::default(),
        }
    }

    /// Collects identifiers even if nothing is removed, for a preview.
    pub fn survey(&mut self) {
        self.is_surveying = true;
    }

    /// Whether anything is removed.
    pub fn is_active(&self) -> bool {
        self.redaction.is_any()
    }

    /// Kinds of removed data, as the first line of the file names them.
    pub fn kinds(&self) -> impl Iterator<Item = &'static str> {
        let Redaction { literals, identifiers, texts } = self.redaction;
        let kinds = [(literals, "literals"), (identifiers, "identifiers"), (texts, "texts")];
        kinds.into_iter().filter(|(is_removed, _)| *is_removed).map(|(_, kind)| kind)
    }

    /// Collects the identifiers and literals of a text of the trace.
    pub fn learn(&mut self, role: TextRole, id: StrId, text: &str) {
        if !(self.is_active() || self.is_surveying) || !self.learned.insert((id, role)) {
            return;
        }
        match role {
            TextRole::Sql => {
                self.statements += 1;
                self.learn_sql(text);
            }
            TextRole::SqlName if !vocabulary::is_instrument(text) => self.learn_sql(text),
            TextRole::Message => self.messages += 1,
            TextRole::Identifier(role) => self.identifiers.learn_value(role, text),
            TextRole::Account => self.identifiers.learn_account(text),
            TextRole::Object => self.identifiers.learn_object(text),
            TextRole::Literal => self.learn_literal(text),
            _ => {}
        }
    }

    fn learn_sql(&mut self, text: &str) {
        let Some(reader) = SqlReader::new(text) else { return self.learn_comment(text) };
        for part in reader.parts() {
            match part {
                SqlPart::Identifier(word, role, evidence) => self.learn_identifier(role, evidence, word),
                SqlPart::Literal(text) => self.learn_literal(text),
                SqlPart::Comment(text) => self.learn_comment(text),
                SqlPart::Quoted(text, content) => {
                    self.learn_literal(text);
                    self.learn_identifier(IdentifierRole::Column, RoleEvidence::Guess, content);
                }
                SqlPart::Plain(_) => {}
            }
        }
    }

    /// Collects an identifier. For an identifier with quotes, also collects its words, because messages may contain
    /// some of them.
    fn learn_identifier(&mut self, role: IdentifierRole, evidence: RoleEvidence, text: &str) {
        self.identifiers.learn(role, evidence, text);
        if !text.chars().all(is_identifier_char) {
            for word in words_to_look_for(text) {
                self.identifiers.learn(role, RoleEvidence::Guess, word);
            }
        }
    }

    fn learn_comment(&mut self, text: &str) {
        self.comments.extend(words_to_look_for(text).map(str::to_lowercase));
    }

    fn learn_literal(&mut self, text: &str) {
        for word in
            text.split(|c: char| !is_identifier_char(c)).filter(|word| word.chars().count() >= MIN_LITERAL)
        {
            self.literals.insert(word.to_lowercase());
        }
    }

    /// Numbers the identifiers by role. Nothing is learned after that.
    pub fn finish_learning(&mut self) {
        self.identifiers.number();
        self.learned = FxHashSet::default();
    }

    /// Redacts the name of an attribute: kept unless it contains a path, an account or an address, because views find
    /// attributes by name.
    pub fn key_name(&mut self, name: &str) -> String {
        let is_odd = |chunk: &str| {
            vocabulary::is_path(chunk) || vocabulary::is_account(chunk) || vocabulary::is_address(chunk)
        };
        if self.redaction.identifiers && !is_known_key(name) && vocabulary::chunks(name).any(is_odd) {
            return self.identifiers.name(IdentifierRole::Name, name);
        }
        name.to_owned()
    }

    /// Redacts a text; `None` if nothing of the text may be kept.
    pub fn redacted<'t>(&mut self, role: TextRole, text: &'t str) -> Option<Cow<'t, str>> {
        let Redaction { literals, identifiers, texts } = self.redaction;
        if !self.is_active() || text.is_empty() {
            return Some(Cow::Borrowed(text));
        }
        match role {
            TextRole::Sql if texts => {
                self.removed.dropped_sql += 1;
                None
            }
            TextRole::Message if texts => {
                self.removed.dropped_messages += 1;
                None
            }
            TextRole::SqlName if vocabulary::is_instrument(text) => Some(Cow::Borrowed(text)),
            TextRole::SqlName if texts => Some(self.stable(IdentifierRole::Statement, text)),
            TextRole::Sql | TextRole::SqlName => Some(Cow::Owned(self.sql(text))),
            TextRole::Instruction | TextRole::Message => Some(Cow::Owned(self.message(text))),
            TextRole::Fixed => Some(Cow::Borrowed(text)),
            TextRole::Literal if literals || identifiers || texts => {
                self.removed.literals += 1;
                Some(Cow::Borrowed("?"))
            }
            TextRole::Digest if identifiers || texts => Some(self.stable(IdentifierRole::Digest, text)),
            TextRole::Identifier(role) if identifiers => Some(self.identifier(role, text)),
            TextRole::Account if identifiers => Some(Cow::Owned(self.identifiers.account(text))),
            TextRole::Value if identifiers && !vocabulary::is_plain_value(text) => {
                Some(self.stable(IdentifierRole::Value, text))
            }
            TextRole::Object => Some(Cow::Owned(self.object(text))),
            _ => Some(self.free_text(text)),
        }
    }

    /// Redacts a note of a run. Notes that quote the file are dropped; all others were generated by the importer.
    pub fn note(&mut self, name: &str, text: &str) -> Option<String> {
        if self.is_active() && !vocabulary::is_own_note(name) {
            self.removed.dropped_notes += 1;
            return None;
        }
        Some(self.free_text(text).into_owned())
    }

    fn stable<'t>(&mut self, role: IdentifierRole, text: &str) -> Cow<'t, str> {
        Cow::Owned(self.identifiers.name(role, text))
    }

    fn identifier<'t>(&mut self, role: IdentifierRole, text: &'t str) -> Cow<'t, str> {
        if vocabulary::is_placeholder(text) {
            return Cow::Borrowed(text);
        }
        Cow::Owned(self.identifiers.name(role, text))
    }

    fn sql(&mut self, text: &str) -> String {
        let Some(reader) = SqlReader::new(text) else {
            self.removed.unreadable_sql += 1;
            return self.identifiers.name(IdentifierRole::Statement, text);
        };
        let mut written = String::with_capacity(text.len());
        for part in reader.parts() {
            match part {
                SqlPart::Comment(_) => {
                    if !written.ends_with(COMMENT) {
                        self.removed.comments += 1;
                        written.push_str(COMMENT);
                    }
                }
                SqlPart::Quoted(_, content) if self.redaction.identifiers && !self.redaction.literals => {
                    written.push_str(&self.identifiers.name(IdentifierRole::Column, content));
                }
                SqlPart::Literal(_) | SqlPart::Quoted(..) if self.redaction.literals => {
                    self.removed.literals += 1;
                    written.push('?');
                }
                SqlPart::Literal(text) | SqlPart::Quoted(text, _) => written.push_str(&self.free_text(text)),
                SqlPart::Identifier(word, role, _) if self.redaction.identifiers => {
                    written.push_str(&self.identifiers.name(role, word));
                }
                SqlPart::Identifier(word, ..) => written.push_str(word),
                SqlPart::Plain(text) => written.push_str(text),
            }
        }
        written
    }

    /// Redacts a message: quoted pieces and numbers in it are literals; words that look like names are identifiers.
    fn message(&mut self, text: &str) -> String {
        self.by_pieces(text, Self::plain_message)
    }

    /// Redacts a text with quoted literals or identifiers; `plain` redacts the pieces between them.
    fn by_pieces(&mut self, text: &str, plain: impl Fn(&mut Self, &str) -> String) -> String {
        let mut written = String::with_capacity(text.len());
        for (piece, is_quoted) in vocabulary::quoted_pieces(text) {
            if is_quoted {
                let quote = piece.chars().next().unwrap_or('\'');
                let inner = piece.trim_matches(['\'', '"', '`', '“', '”']);
                written.push(quote);
                written.push_str(&self.quoted(inner));
                written.push(if quote == '“' { '”' } else { quote });
            } else {
                written.push_str(&plain(self, piece));
            }
        }
        written
    }

    /// Whether literals are removed outside SQL.
    fn removes_literals(&self) -> bool {
        self.redaction.literals || self.redaction.texts
    }

    /// Redacts the content of a quoted piece: known identifiers get their stable names; anything else is a literal.
    fn quoted(&mut self, inner: &str) -> String {
        let is_named = self.identifiers.knows_all(inner);
        match (is_named, self.redaction.identifiers, self.removes_literals()) {
            (true, true, _) => self.identifiers.replaced(inner).into_owned(),
            (true, false, _) if !self.is_literal(inner) => inner.to_owned(),
            (_, false, false) => inner.to_owned(),
            _ => {
                self.removed.literals += 1;
                "?".to_owned()
            }
        }
    }

    fn is_literal(&self, text: &str) -> bool {
        let mut words = text.split(|c: char| !is_identifier_char(c));
        words.any(|word| self.literals.contains(&word.to_lowercase()))
    }

    fn plain_message(&mut self, text: &str) -> String {
        let mut written = String::with_capacity(text.len());
        for word in vocabulary::words(text) {
            let is_number = word.starts_with(|c: char| c.is_ascii_digit());
            if is_number && self.removes_literals() {
                self.removed.numbers += 1;
                written.push('?');
            } else if self.comments.contains(&word.to_lowercase()) {
                self.removed.literals += 1;
                written.push('?');
            } else if self.redaction.identifiers && vocabulary::looks_like_a_name(word) {
                written.push_str(&self.identifiers.name(IdentifierRole::Name, word));
            } else {
                written.push_str(&self.plain_word(word));
            }
        }
        written
    }

    /// Redacts a word of a message, or the characters between two words.
    fn plain_word(&mut self, word: &str) -> String {
        let word =
            if self.redaction.identifiers { self.identifiers.replaced(word) } else { Cow::Borrowed(word) };
        if self.removes_literals() { self.without_literals(&word) } else { word.into_owned() }
    }

    /// Redacts the description of a locked object: its names, and the values of a locked record at its end.
    fn object(&mut self, text: &str) -> String {
        let (names, record) = match text.split_once(", record") {
            Some((names, record)) => (names, Some(record)),
            None => (text, None),
        };
        let mut written = self.free_text(names).into_owned();
        if let Some(record) = record {
            written.push_str(", record");
            if self.redaction.literals || self.redaction.identifiers {
                self.removed.literals += 1;
                written.push_str(" ?");
            } else {
                written.push_str(record);
            }
        }
        written
    }

    /// Redacts a text of unknown content: paths, hosts and accounts, known identifiers and known literals in it are
    /// replaced.
    fn free_text<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        if vocabulary::is_instrument(text) || vocabulary::is_structural(text) {
            return Cow::Borrowed(text);
        }
        let mut text = Cow::Borrowed(text);
        if self.redaction.identifiers {
            text = Cow::Owned(self.identifiers.replaced(&text).into_owned());
        }
        if self.removes_literals() {
            text = Cow::Owned(self.by_pieces(&text, Self::without_literals));
        }
        text
    }

    fn without_literals(&mut self, text: &str) -> String {
        let mut written = String::with_capacity(text.len());
        for word in vocabulary::words(text) {
            if self.literals.contains(&word.to_lowercase()) && !self.identifiers.is_own_name(word) {
                self.removed.literals += 1;
                written.push('?');
            } else {
                written.push_str(word);
            }
        }
        written
    }

    /// Number of distinct SQL texts.
    pub fn n_statements(&self) -> u64 {
        self.statements
    }

    /// Number of distinct error messages.
    pub fn n_messages(&self) -> u64 {
        self.messages
    }

    /// The identifiers that were learned, by role.
    pub fn identifiers(&self) -> Vec<IdentifierCount> {
        self.identifiers.by_role(EXAMPLES)
    }

    /// Data removed, one phrase per kind.
    pub fn removed(&self) -> Vec<String> {
        let RemovedCounts { literals, comments, numbers, .. } = self.removed;
        let RemovedCounts { dropped_sql, dropped_messages, dropped_notes, unreadable_sql, .. } = self.removed;
        let counts = [
            (literals, "literal", "literals"),
            (numbers, "number in messages", "numbers in messages"),
            (comments, "SQL comment", "SQL comments"),
            (unreadable_sql, "unreadable SQL text", "unreadable SQL texts"),
            (dropped_sql, "SQL text", "SQL texts"),
            (dropped_messages, "error message", "error messages"),
            (dropped_notes, "note that quotes the file", "notes that quote the file"),
        ];
        let counts = counts.into_iter().filter(|(count, ..)| *count > 0);
        let counts = counts.map(|(count, one, many)| counted(count, one, many));
        counts.chain(self.identifiers.replaced_by_role()).collect()
    }
}

/// Words of a text that are searched for in other texts: long words that are not SQL keywords.
fn words_to_look_for(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_identifier_char(c))
        .filter(|word| word.chars().count() >= MIN_LITERAL && !vocabulary::is_sql_word(word))
}
