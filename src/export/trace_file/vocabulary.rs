//! Words that are no secrets: of SQL, of engines, of this program; and the parts of texts of unknown content.

use std::sync::LazyLock;

use super::identifiers::is_identifier_char;
use crate::base::FxHashSet;
use crate::trace::attribute_names as names;

/// Words of SQL that stay: reserved words, types and functions that standard SQL and the supported engines define. A word that is not
/// in this list is taken for an identifier.
#[rustfmt::skip]
const SQL_WORDS: &str = " abs add after all alter analyze and any array as asc ascending avg begin between bigint binary bit blob bool \
boolean both by call cascade case cast char character check clob close coalesce collate column commit concat concat_ws constraint \
convert copy count create cross cube current current_date current_time current_timestamp current_user cursor database date date_add \
date_format date_sub datediff datetime day dec decimal declare default delete delimiter desc describe descending distinct do double drop \
duplicate duration_between each else elseif end engine escape except exec execute exists explain extract false fetch first float floor \
following for foreign format from full function generated global grant greatest group group_concat grouping having hour if ifnull \
ignore ilike in index inner insert instr int integer intersect interval into is isnull join json key last lateral leading least left \
length level like limit load local locate lock log longtext lower ltrim match materialized max mediumtext merge min minute mod month \
natural next no not now null nullif nulls numeric nvl of offset on only open or order outer over overlaps partition percent \
power preceding precision prepare primary procedure range rank read real recursive references regexp rename repeat repeatable replace \
restrict return returning revoke right rollback rollup round row row_number rows rtrim savepoint schema second select \
separator serializable session set share show signed similar smallint some sqrt start stddev straight_join str_to_date substr substring \
sum table temporary text then time timestamp timestampdiff tinyint to top trailing transaction trigger trim true truncate unbounded \
uncommitted committed isolation union unique unknown unlock unsigned update upper upsert use using value values varbinary varchar variance \
varying view wait when where data infile outfile dumpfile fields terminated enclosed escaped starting ending lines while window with within without work write xor year zone sys_guid uuid rand random deallocate ";

/// Names that views look for, and names that importers give: see the formats.
#[rustfmt::skip]
const STRUCTURAL: [&str; 32] = [
    names::STATES, names::SAMPLES, names::LOCK, "request", "REQUEST_START", "execution", "buffer", "source", "stacks", "idle",
    "transaction", "statement", "stage", "wait", "query", "(no queryId)", "traced thread", "instants", "counters", "flows", "global",
    "events", "run", "READ", "SPILL", "LOGICAL_READ", "LOGICAL_WRITE", "PHYSICAL_READ", "PHYSICAL_WRITE", "CREATE", "EVICT", "RELEASE",
];

/// First parts of the names of MySQL's instruments.
const INSTRUMENTS: [&str; 10] = [
    "wait/",
    "stage/",
    "statement/",
    "thread/",
    "memory/",
    "error/",
    "transaction/",
    "idle/",
    "logger/",
    "socket/",
];

/// Notes whose sentences the readers make, of numbers.
const OWN_NOTES: [&str; 7] = [
    "completeness",
    "losses",
    "wait clock",
    "time axis",
    names::MISSING,
    names::LOCK_TABLES,
    names::RECONSTRUCTED,
];

/// Whether a word that is not quoted is a word of SQL.
pub fn is_sql_word(word: &str) -> bool {
    static KNOWN: LazyLock<FxHashSet<&str>> = LazyLock::new(|| SQL_WORDS.split_whitespace().collect());
    KNOWN.contains(word.to_ascii_lowercase().as_str())
}

/// Whether a text is the name of one of MySQL's instruments, followed by at most one more word.
pub fn is_instrument(text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '.' | ':');
    let mut words = text.split(' ');
    let is_name =
        |word: &str| INSTRUMENTS.iter().any(|first| word.starts_with(first)) && word.chars().all(is_plain);
    words.next().is_some_and(is_name) && words.count() <= 1
}

/// Whether a text is a name that this program gives.
pub fn is_structural(text: &str) -> bool {
    let numbered = text.strip_prefix(names::CORE).or_else(|| text.strip_prefix("thread "));
    STRUCTURAL.contains(&text) || numbered.is_some_and(is_number)
}

/// Whether a note with this name is a sentence of the reader, without words of the file.
pub fn is_own_note(name: &str) -> bool {
    OWN_NOTES.contains(&name)
}

/// Whether a text stands for a name that is not there: `(background)`.
pub fn is_placeholder(text: &str) -> bool {
    text == names::BACKGROUND || text == "%" || text == "NULL" || text == "-" || text == "localhost"
}

/// Whether a text consists of digits and the signs of numbers.
pub fn is_number(text: &str) -> bool {
    !text.is_empty()
        && text.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '+' | ',' | ':' | '%'))
}

/// Whether a value says nothing but a number, a truth value or words of SQL.
pub fn is_plain_value(text: &str) -> bool {
    const WORDS: [&str; 12] = [
        "yes",
        "no",
        "on",
        "off",
        "ok",
        "none",
        "auto",
        "exclusive",
        "shared",
        "granted",
        "pending",
        "waiting",
    ];
    let is_plain = |word: &str| {
        is_number(word) || is_sql_word(word) || WORDS.contains(&word.to_ascii_lowercase().as_str())
    };
    text.split([' ', '_', ',']).filter(|word| !word.is_empty()).all(is_plain)
}

/// Words of the descriptions of locked objects.
pub fn is_word_of_locks(word: &str) -> bool {
    [
        "index",
        "table",
        "record",
        "partition",
        "PRIMARY",
        "metadata",
        "of",
        "global",
        "schema",
        "object",
        "user",
        "level",
        "lock",
    ]
    .contains(&word)
}

/// Whether a word of a message looks like a name rather than like a word of a language.
pub fn looks_like_a_name(word: &str) -> bool {
    let mut chars = word.chars();
    let starts_small = chars.next().is_some_and(char::is_lowercase);
    let has_large = chars.clone().any(char::is_uppercase);
    let is_mixed = has_large && word.chars().any(char::is_lowercase);
    let has_digit = word.chars().any(|c| c.is_ascii_digit()) && word.chars().any(char::is_alphabetic);
    word.contains(['_', '$']) || has_digit || is_mixed && (starts_small || chars.any(char::is_uppercase))
}

/// Whether a chunk of text is a path or an address of the web.
pub fn is_path(chunk: &str) -> bool {
    if is_instrument(chunk) {
        return false;
    }
    let separators = chunk.matches(['/', '\\']).count();
    let has_letter = chunk.chars().any(char::is_alphabetic);
    has_letter
        && (chunk.contains("://")
            || separators >= 2
            || separators == 1 && (chunk.contains('.') || chunk.starts_with(['/', '\\', '~']))
            || chunk.contains(":\\"))
}

/// Whether a chunk of text is `user@host`.
pub fn is_account(chunk: &str) -> bool {
    let is_plain = |c: char| is_identifier_char(c) || matches!(c, '.' | '-' | '%' | '+' | ':');
    chunk.split_once('@').is_some_and(|(user, host)| {
        !user.is_empty()
            && !host.is_empty()
            && [user, host].into_iter().all(|part| part.chars().all(is_plain))
    })
}

/// Whether a chunk of text is the address of a host: of four numbers, or of three or more names.
pub fn is_address(chunk: &str) -> bool {
    let host = chunk.split(':').next().unwrap_or_default();
    let is_ip = host.split('.').count() == 4 && host.split('.').all(|part| part.parse::<u8>().is_ok());
    let is_v6 = chunk.matches(':').count() >= 2
        && chunk.chars().all(|c| c.is_ascii_hexdigit() || c == ':' || c == '.')
        && chunk.contains("::");
    is_ip || is_v6
}

/// The pieces of a text, in order: blanks, quotes and brackets each on their own, and what stands between them.
pub fn chunks(text: &str) -> impl Iterator<Item = &str> {
    pieces(text, |c| {
        !c.is_whitespace()
            && !matches!(
                c,
                '\'' | '"'
                    | '`'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | '<'
                    | '>'
                    | ','
                    | ';'
                    | '='
                    | '“'
                    | '”'
                    | '|'
            )
    })
}

/// The words of a text and what stands between them, in order.
pub fn words(text: &str) -> impl Iterator<Item = &str> {
    pieces(text, is_identifier_char)
}

fn pieces(text: &str, is_inside: impl Fn(char) -> bool) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let first = is_inside(rest.chars().next()?);
        let end = rest.find(|c| is_inside(c) != first).unwrap_or(rest.len());
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}

/// The quoted pieces of a message, with their quotes, and what stands between them. A quote that is never closed quotes everything after
/// it; the apostrophe of an English word quotes nothing.
pub fn quoted_pieces(text: &str) -> Vec<(&str, bool)> {
    let mut pieces = Vec::new();
    let mut from = 0;
    let mut at = 0;
    while let Some(found) = text[at..].find(['\'', '"', '`', '“']) {
        let start = at + found;
        let quote = text[start..].chars().next().unwrap_or('\'');
        let inner = start + quote.len_utf8();
        if quote == '\'' && is_apostrophe(&text[..start], &text[inner..]) {
            at = inner;
            continue;
        }
        let close = if quote == '“' { '”' } else { quote };
        let end = text[inner..].find(close).map_or(text.len(), |end| inner + end + close.len_utf8());
        pieces.push((&text[from..start], false));
        pieces.push((&text[start..end], true));
        (from, at) = (end, end);
    }
    pieces.push((&text[from..], false));
    pieces.retain(|(piece, _)| !piece.is_empty());
    pieces
}

/// Whether the text before and after a quote makes it the apostrophe of `can't` or `it's`.
fn is_apostrophe(before: &str, after: &str) -> bool {
    const ENDINGS: [&str; 6] = ["t", "s", "re", "ve", "ll", "d"];
    let end = after.find(|c: char| !c.is_alphanumeric()).unwrap_or(after.len());
    before.ends_with(|c: char| c.is_ascii_lowercase())
        && ENDINGS.contains(&&after[..end])
        && after[end..].starts_with([' ', ',', '.'])
}
