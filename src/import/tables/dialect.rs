//! Dialects of delimited text: the delimiter, quoting, escaping, and the notation of NULL.

/// A dialect of delimited text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dialect {
    /// Separator of values: tab, comma, semicolon, bar, colon or caret.
    pub delimiter: u8,
    /// Whether values may be in double quotes.
    pub quotes: bool,
    /// Whether a backslash escapes the next character.
    pub escapes: bool,
    /// Whether `"N` is NULL, as with `ESCAPED BY '"'`.
    pub quote_null: bool,
}

/// Number of lines at the start of a file that are examined.
const LINES: usize = 50;

/// Less usual delimiters that `FIELDS TERMINATED BY` may set. They also occur in ordinary texts, so one is accepted only if it
/// separates the column names of a header line.
const RARE: [u8; 3] = [b'|', b':', b'^'];

/// Whether a line consists only of column names separated by `delimiter`.
fn separates_names(line: &str, delimiter: u8) -> bool {
    let is_name = |cell: &str| {
        let cell = cell.trim_matches('"');
        cell.starts_with(|c: char| c.is_ascii_alphabetic())
            && cell.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
    };
    let cells = || line.split(char::from(delimiter));
    cells().count() > 2 && cells().all(is_name)
}

impl Dialect {
    /// Detects the dialect of a file with this head.
    pub fn of(head: &str) -> Self {
        // Use the header or the first row; comments may precede it.
        let line = head
            .lines()
            .find(|line| !line.starts_with('#') && line.len() > 1 && !line.starts_with("mysql: ["));
        let line = line.unwrap_or("");
        let has = |delimiter: &u8| line.as_bytes().contains(delimiter);
        let delimiter = [b'\t', b';', b','].into_iter().find(has);
        let delimiter = delimiter.or_else(|| RARE.into_iter().find(|&rare| separates_names(line, rare)));
        let delimiter = delimiter.unwrap_or(b'\t');
        let tabs = delimiter == b'\t';
        let lines = || head.lines().take(LINES);
        // If comments contain the text of a query, nothing is escaped.
        let bare = head.starts_with("# Query:");
        let escapes = !bare && (tabs || lines().any(|line| line.contains("\\N") || line.contains("\\\"")));
        let null = format!("{0}\"N{0}", char::from(delimiter));
        let quote_null = !tabs && head.matches(&null).count() >= 2;
        Self { delimiter, quotes: !tabs, escapes, quote_null }
    }

    /// Display name of the dialect.
    pub fn name(self) -> &'static str {
        match self.delimiter {
            b'\t' => "tab-separated values",
            b';' => "semicolon-separated values",
            b'|' => "bar-separated values",
            b':' => "colon-separated values",
            b'^' => "caret-separated values",
            _ => "comma-separated values",
        }
    }
}
