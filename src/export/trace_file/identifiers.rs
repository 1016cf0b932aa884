//! [`Identifiers`]: the names of schemas, tables, columns, users, hosts, paths, …, and the stable names that replace them.

use std::borrow::Cow;

use super::roles::IdentifierRole;
use super::vocabulary;
use crate::base::FxHashMap;
use crate::base::text::counted;
use crate::protocol::IdentifierCount;

/// Evidence for the role of a word, strongest first. The strongest evidence counts, because a word may have several
/// roles, such as the alias of a table in one statement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum RoleEvidence {
    /// The attribute or column that holds the word has this role.
    Attribute,
    /// The word follows FROM, JOIN, INTO, … in a statement.
    Clause,
    /// The word is next to a dot.
    Qualified,
    /// Nothing else is known about the word.
    Guess,
}

/// An identifier.
struct KnownIdentifier {
    /// The word as it was first seen.
    word: String,
    role: IdentifierRole,
    evidence: RoleEvidence,
    /// Number in the stable name; 0 until it is assigned.
    number: u32,
    is_used: bool,
}

/// Identifiers of a trace, without regard to case.
#[derive(Default)]
pub struct Identifiers {
    list: Vec<KnownIdentifier>,
    by_word: FxHashMap<String, usize>,
    counts: [u32; IdentifierRole::COUNT],
}

/// Whether a character is part of an identifier that is not quoted.
pub fn is_identifier_char(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}

impl Identifiers {
    /// Adds an identifier.
    pub fn learn(&mut self, role: IdentifierRole, evidence: RoleEvidence, word: &str) {
        let word = word.trim();
        if word.is_empty() || vocabulary::is_placeholder(word) || vocabulary::is_number(word) {
            return;
        }
        let known = self.entry(role, evidence, word);
        if evidence < known.evidence {
            (known.role, known.evidence) = (role, evidence);
        }
    }

    fn entry(&mut self, role: IdentifierRole, evidence: RoleEvidence, word: &str) -> &mut KnownIdentifier {
        let Self { list, by_word, .. } = self;
        let at = *by_word.entry(word.to_lowercase()).or_insert_with(|| {
            list.push(KnownIdentifier { word: word.to_owned(), role, evidence, number: 0, is_used: false });
            list.len() - 1
        });
        &mut list[at]
    }

    /// Adds the value of an attribute: as a whole, and its words if it has several.
    pub fn learn_value(&mut self, role: IdentifierRole, text: &str) {
        self.learn(role, RoleEvidence::Attribute, text);
        if matches!(role, IdentifierRole::Path | IdentifierRole::Run | IdentifierRole::Host) {
            return;
        }
        let words: Vec<&str> = text.split(|c: char| !is_identifier_char(c)).collect();
        for word in words.iter().filter(|word| words.len() > 1 && word.chars().count() > 1) {
            self.learn(role, RoleEvidence::Qualified, word);
        }
    }

    /// Adds the user and the host of an account.
    pub fn learn_account(&mut self, text: &str) {
        if let Some((user, host)) = text.rsplit_once('@') {
            self.learn(IdentifierRole::User, RoleEvidence::Attribute, user);
            self.learn(IdentifierRole::Host, RoleEvidence::Attribute, host);
        }
    }

    /// Adds the names in the description of a locked object.
    pub fn learn_object(&mut self, text: &str) {
        let names = text.split(", record").next().unwrap_or_default();
        for word in names.split(|c: char| !is_identifier_char(c)) {
            if !vocabulary::is_word_of_locks(word) {
                self.learn(IdentifierRole::Object, RoleEvidence::Guess, word);
            }
        }
    }

    /// Numbers all identifiers, in the order in which they were first seen.
    pub fn number(&mut self) {
        let Self { list, counts, .. } = self;
        for known in list.iter_mut().filter(|known| known.number == 0) {
            counts[known.role as usize] += 1;
            known.number = counts[known.role as usize];
        }
    }

    /// Returns the stable name of a word, and assigns one if the word has none.
    pub fn name(&mut self, role: IdentifierRole, word: &str) -> String {
        let known = self.entry(role, RoleEvidence::Guess, word.trim());
        known.is_used = true;
        let (role, number) = (known.role, known.number);
        if number > 0 {
            return format!("{}_{number}", role.word());
        }
        self.counts[role as usize] += 1;
        let number = self.counts[role as usize];
        self.entry(role, RoleEvidence::Guess, word.trim()).number = number;
        format!("{}_{number}", role.word())
    }

    /// The stable names of a user and a host.
    pub fn account(&mut self, text: &str) -> String {
        match text.rsplit_once('@') {
            _ if vocabulary::is_placeholder(text) => text.to_owned(),
            Some((user, host)) => {
                let user = self.name(IdentifierRole::User, user);
                format!("{user}@{}", self.name(IdentifierRole::Host, host))
            }
            None => self.name(IdentifierRole::User, text),
        }
    }

    fn known(&self, word: &str) -> Option<IdentifierRole> {
        self.by_word.get(&word.to_lowercase()).map(|&at| self.list[at].role)
    }

    /// Whether a text has words, and all of them are identifiers.
    pub fn knows_all(&self, text: &str) -> bool {
        let mut words =
            text.split(|c: char| !is_identifier_char(c)).filter(|word| !word.is_empty()).peekable();
        self.known(text).is_some() || words.peek().is_some() && words.all(|word| self.known(word).is_some())
    }

    /// Whether a word is a stable name that was assigned to an identifier.
    pub fn is_own_name(&self, word: &str) -> bool {
        let Some((role, number)) = word.rsplit_once('_') else { return false };
        number.parse::<u32>().is_ok() && IdentifierRole::ALL.iter().any(|(_, known, _)| *known == role)
    }

    /// A text in which paths, hosts, accounts and known identifiers are replaced.
    pub fn replaced<'t>(&mut self, text: &'t str) -> Cow<'t, str> {
        if let Some(role) = self.known(text) {
            return Cow::Owned(self.name(role, text));
        }
        let mut written = String::with_capacity(text.len());
        for chunk in vocabulary::chunks(text) {
            written.push_str(&self.replaced_chunk(chunk));
        }
        if written == text { Cow::Borrowed(text) } else { Cow::Owned(written) }
    }

    fn replaced_chunk(&mut self, chunk: &str) -> String {
        if let Some(role) = self.known(chunk).filter(|_| chunk.chars().count() > 1) {
            return self.name(role, chunk);
        }
        if vocabulary::is_account(chunk) {
            return self.account(chunk);
        }
        if vocabulary::is_path(chunk) {
            return self.name(IdentifierRole::Path, chunk);
        }
        if vocabulary::is_address(chunk) {
            return self.name(IdentifierRole::Host, chunk);
        }
        let mut written = String::with_capacity(chunk.len());
        for word in vocabulary::words(chunk) {
            let known = self.known(word).filter(|_| word.chars().count() > 1 && !self.is_own_name(word));
            match known {
                Some(role) => written.push_str(&self.name(role, word)),
                None => written.push_str(word),
            }
        }
        written
    }

    /// All identifiers by role, with examples.
    pub fn by_role(&self, examples: usize) -> Vec<IdentifierCount> {
        let count = |&(role, word, _): &(IdentifierRole, &str, &str)| {
            let of_role = || self.list.iter().filter(move |known| known.role == role);
            let examples = of_role().take(examples).map(|known| known.word.clone()).collect();
            IdentifierCount { role: word.to_owned(), count: of_role().count() as u64, examples }
        };
        IdentifierRole::ALL.iter().map(count).filter(|count| count.count > 0).collect()
    }

    /// Number of identifiers that were replaced, by role: "12 tables".
    pub fn replaced_by_role(&self) -> Vec<String> {
        let used = |role| self.list.iter().filter(|known| known.role == role && known.is_used).count() as u64;
        let roles = IdentifierRole::ALL.iter().map(|&(role, one, many)| (used(role), one, many));
        roles.filter(|(count, ..)| *count > 0).map(|(count, one, many)| counted(count, one, many)).collect()
    }
}
