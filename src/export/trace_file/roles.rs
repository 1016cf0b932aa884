//! [`TextRole`]: the role of each text of a trace, by which redaction treats it.
//!
//! A role follows from the place of a text: the name of its attribute (which all formats share, see
//! [`attribute_names`](crate::trace::attribute_names)), the column of a side table, the kind of a span or track. A text whose place
//! says nothing has the role [`TextRole::Value`] and is treated as if it might be anything.

use crate::trace::{Item, Key, Kind, Trace, TrackKind, attribute_names as names};

/// Role of a text of the trace.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum TextRole {
    /// A statement or command.
    Sql,
    /// The name of a span that is a statement: its text, or the name of its kind.
    SqlName,
    /// An instruction of a plan, with quoted arguments.
    Instruction,
    /// A message about a failure, or a note.
    Message,
    /// A name of the traced program: of a function, a thread, a counter.
    Name,
    /// A locked object: names, followed by the position or the values of a record.
    Object,
    /// A value of a database, such as the key of a locked record.
    Literal,
    /// Words of the engine that no user chose: operations, kinds, instruments. Redacted like free text, because other
    /// programs may store names of their users in the same attributes.
    Vocabulary,
    /// A name that the server gives, such as the name of one of its own tables: never changed.
    Fixed,
    /// A hash of a statement's text.
    Digest,
    /// A user and a host, `user@host`.
    Account,
    /// The name of an object of the database or its environment.
    Identifier(IdentifierRole),
    /// Anything else, such as an argument whose meaning only the traced program knows.
    Value,
}

/// Type of object that an identifier names.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[repr(u8)]
pub enum IdentifierRole {
    Schema,
    Table,
    Column,
    Index,
    User,
    Host,
    Path,
    Program,
    Function,
    Source,
    Run,
    Object,
    Name,
    Value,
    Digest,
    Statement,
}

impl IdentifierRole {
    /// Number of roles.
    pub const COUNT: usize = 16;
    /// All roles, in the order of their codes, with the words of their stable names and their plurals.
    pub const ALL: [(Self, &str, &str); Self::COUNT] = [
        (Self::Schema, "schema", "schemas"),
        (Self::Table, "table", "tables"),
        (Self::Column, "column", "columns"),
        (Self::Index, "index", "indexes"),
        (Self::User, "user", "users"),
        (Self::Host, "host", "hosts"),
        (Self::Path, "path", "paths"),
        (Self::Program, "program", "programs"),
        (Self::Function, "function", "functions"),
        (Self::Source, "source", "data sources"),
        (Self::Run, "run", "run names"),
        (Self::Object, "object", "objects"),
        (Self::Name, "name", "other names"),
        (Self::Value, "value", "other values"),
        (Self::Digest, "digest", "digests"),
        (Self::Statement, "statement", "statements"),
    ];

    /// The word of the stable names: `table`.
    pub fn word(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

use IdentifierRole as Id;

/// Roles of attributes, by the names of the attributes. All other attributes have the role [`TextRole::Value`].
const OF_ATTRIBUTES: [(&str, TextRole); 40] = [
    ("SQL", TextRole::Sql),
    ("pushed command", TextRole::Sql),
    (names::DIGEST_TEXT, TextRole::Sql),
    (names::PLAN_TEXT, TextRole::Instruction),
    (names::STEP, TextRole::Instruction),
    ("error", TextRole::Message),
    ("message text", TextRole::Message),
    ("connector", TextRole::Identifier(Id::Source)),
    ("datasource", TextRole::Identifier(Id::Source)),
    ("database", TextRole::Identifier(Id::Schema)),
    (names::SCHEMA, TextRole::Identifier(Id::Schema)),
    ("current schema", TextRole::Identifier(Id::Schema)),
    (names::TABLE, TextRole::Identifier(Id::Table)),
    (names::INDEX, TextRole::Identifier(Id::Index)),
    (names::FILE, TextRole::Identifier(Id::Path)),
    (names::SOCKET, TextRole::Identifier(Id::Host)),
    (names::PROGRAM, TextRole::Identifier(Id::Program)),
    (names::OBJECT, TextRole::Identifier(Id::Object)),
    (names::USER, TextRole::Identifier(Id::User)),
    (names::HOST, TextRole::Identifier(Id::Host)),
    (names::ACCOUNT, TextRole::Account),
    (names::DIGEST, TextRole::Digest),
    (names::SOURCE, TextRole::Name),
    ("query id", TextRole::Name),
    ("tuple source", TextRole::Name),
    ("category", TextRole::Name),
    (names::THREAD_NAME, TextRole::Vocabulary),
    (names::THREAD_ID, TextRole::Vocabulary),
    (names::EVENT_NAME, TextRole::Vocabulary),
    (names::OPERATION, TextRole::Vocabulary),
    (names::OBJECT_TYPE, TextRole::Vocabulary),
    (names::INSTANCE, TextRole::Vocabulary),
    ("command type", TextRole::Vocabulary),
    ("nesting event type", TextRole::Vocabulary),
    ("access mode", TextRole::Vocabulary),
    ("isolation level", TextRole::Vocabulary),
    ("autocommit", TextRole::Vocabulary),
    ("xa state", TextRole::Vocabulary),
    ("returned sqlstate", TextRole::Vocabulary),
    ("execution engine", TextRole::Vocabulary),
];

/// Roles of the columns of side tables, by the end of the column's name in upper case.
const OF_COLUMNS: [(&str, TextRole); 35] = [
    ("DIGEST_TEXT", TextRole::Sql),
    ("SQL_TEXT", TextRole::Sql),
    ("SAMPLE_TEXT", TextRole::Sql),
    ("PROCESSLIST_INFO", TextRole::Sql),
    ("STATEMENT", TextRole::Sql),
    ("QUERY", TextRole::Sql),
    ("INFO", TextRole::Sql),
    ("MESSAGE_TEXT", TextRole::Message),
    ("SCHEMA_NAME", TextRole::Identifier(Id::Schema)),
    ("SCHEMA", TextRole::Identifier(Id::Schema)),
    ("PROCESSLIST_DB", TextRole::Identifier(Id::Schema)),
    ("DB", TextRole::Identifier(Id::Schema)),
    ("TABLE_NAME", TextRole::Identifier(Id::Table)),
    ("LOCKED_TABLE", TextRole::Identifier(Id::Table)),
    ("LOCK_TABLE", TextRole::Identifier(Id::Table)),
    ("OBJECT_NAME", TextRole::Identifier(Id::Table)),
    ("INDEX_NAME", TextRole::Identifier(Id::Index)),
    ("LOCK_INDEX", TextRole::Identifier(Id::Index)),
    ("COLUMN_NAME", TextRole::Identifier(Id::Column)),
    ("FILE_NAME", TextRole::Identifier(Id::Path)),
    ("USER", TextRole::Identifier(Id::User)),
    ("HOST", TextRole::Identifier(Id::Host)),
    ("IP", TextRole::Identifier(Id::Host)),
    ("LOCK_DATA", TextRole::Literal),
    ("DIGEST", TextRole::Digest),
    ("EVENT_NAME", TextRole::Vocabulary),
    ("VARIABLE_NAME", TextRole::Vocabulary),
    ("TIMER_NAME", TextRole::Vocabulary),
    ("ERROR_NAME", TextRole::Vocabulary),
    ("OBJECT_TYPE", TextRole::Vocabulary),
    ("LOCK_MODE", TextRole::Vocabulary),
    ("LOCK_TYPE", TextRole::Vocabulary),
    ("LOCK_STATUS", TextRole::Vocabulary),
    ("LOCK_DURATION", TextRole::Vocabulary),
    ("NAME", TextRole::Name),
];

/// Roles of the texts of a trace.
pub struct Roles {
    /// By key: the role of its texts.
    of_keys: Vec<TextRole>,
}

impl Roles {
    /// Finds the roles of all attributes of a trace.
    pub fn new(trace: &Trace) -> Self {
        let role = |name: &str| {
            let found = OF_ATTRIBUTES.iter().find(|(known, _)| names::same(known, name));
            found.map_or(TextRole::Value, |(_, role)| *role)
        };
        Self { of_keys: trace.keys.iter().map(|(_, info)| role(trace.str(info.name))).collect() }
    }

    /// Role of the texts under a key.
    pub fn of_key(&self, key: Key) -> TextRole {
        self.of_keys.get(usize::from(key.0)).copied().unwrap_or(TextRole::Value)
    }

    /// Role of the name of an item.
    pub fn of_name(&self, trace: &Trace, item: Item) -> TextRole {
        match trace.kind(item) {
            Kind::Query | Kind::Statement => TextRole::SqlName,
            _ => TextRole::Name,
        }
    }

    /// Role of the names of tracks of a kind.
    pub fn of_track(&self, kind: TrackKind) -> TextRole {
        match kind {
            TrackKind::Run => TextRole::Identifier(Id::Run),
            _ => TextRole::Name,
        }
    }

    /// Role of the values in a column of a side table.
    pub fn of_column(&self, name: &str) -> TextRole {
        let found = OF_COLUMNS.iter().find(|(known, _)| {
            let rest = name.strip_suffix(known);
            rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('_'))
        });
        found.map_or(TextRole::Value, |(_, role)| *role)
    }
}

/// Whether the name of an attribute is a word of the engine, which reveals nothing about the database.
pub fn is_known_key(name: &str) -> bool {
    OF_ATTRIBUTES.iter().any(|(known, _)| names::same(known, name))
}
