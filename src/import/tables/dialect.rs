//! How delimited text is written: what separates values, what quotes and escapes them, what stands for NULL.

/// A way of writing delimited text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Dialect {
    /// Separates values: a tab, a comma or a semicolon.
    pub delimiter: u8,
    /// Whether values may stand in double quotes.
    pub quotes: bool,
    /// Whether a backslash escapes what follows it.
    pub escapes: bool,
    /// Whether `"N` is NULL: `ESCAPED BY '"'`.
    pub quote_null: bool,
}

/// Lines of a head that are looked at.
const LINES: usize = 50;

impl Dialect {
    /// The dialect of a file that begins so.
    pub fn of(head: &str) -> Self {
        // The header or the first row; a prelude stands in comments.
        let line = head
            .lines()
            .find(|line| !line.starts_with('#') && line.len() > 1 && !line.starts_with("mysql: ["));
        let has = |delimiter: &u8| line.unwrap_or("").as_bytes().contains(delimiter);
        let delimiter = [b'\t', b';', b','].into_iter().find(has).unwrap_or(b'\t');
        let tabs = delimiter == b'\t';
        let lines = || head.lines().take(LINES);
        // A query's text in the prelude says that nothing is escaped.
        let bare = head.starts_with("# Query:");
        let escapes = !bare && (tabs || lines().any(|line| line.contains("\\N") || line.contains("\\\"")));
        let quote_null = !tabs && head.matches(",\"N,").count() + head.matches(";\"N;").count() >= 2;
        Self { delimiter, quotes: !tabs, escapes, quote_null }
    }

    /// As people read it.
    pub fn name(self) -> &'static str {
        match self.delimiter {
            b'\t' => "tab-separated values",
            b';' => "semicolon-separated values",
            _ => "comma-separated values",
        }
    }
}
