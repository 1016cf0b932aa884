//! Text of filters: conditions written so that the parser reads the same attribute and value, and edits of a filter.

/// Conditions that queries without a start or an end do not meet, except failed queries.
pub const COMPLETE: &str = "status != unfinished status != no-start";

/// Conditions that only the queries meet that do not meet [`COMPLETE`].
pub const INCOMPLETE: &str = "status != ok status != failed";

/// Whether the filter parser reads a text as one word: it has only letters, digits, underscores and the characters in
/// `more`.
fn is_plain(text: &str, more: &[char]) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || c == '_' || more.contains(&c))
}

/// A value as it is written in a filter: in quotes unless it is a plain word. Quotes inside are doubled.
pub fn value(text: &str) -> String {
    if is_plain(text, &['-', '.', '/']) { text.to_owned() } else { quoted(text) }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// The name of an attribute, which may include projections, as it is written before an operator.
pub fn attribute(name: &str) -> String {
    let joined = name.replace(' ', "_");
    let is_plain = is_plain(&joined, &['-', '.', '/', '[', ']', '#']);
    if is_plain && !(name.contains('[') && name.contains(' ')) { joined } else { quoted(name) }
}

/// Returns the condition that the attribute `name` has the value `is` (`None`: has no value), or the opposite
/// condition if `is_excluded`.
pub fn condition(name: &str, is: Option<&str>, is_excluded: bool) -> String {
    let (operator, is) = match (is, is_excluded) {
        (Some(is), false) => ("=", value(is)),
        (Some(is), true) => ("!=", value(is)),
        // Every value contains the empty text.
        (None, false) => ("!~", quoted("")),
        (None, true) => ("~", quoted("")),
    };
    format!("{} {operator} {is}", attribute(name))
}

/// A filter with one more condition, unless the filter has it already.
pub fn with(filter: &str, condition: &str) -> String {
    let is_own = |(at, _): (usize, &str)| {
        let before = &filter[..at];
        let after = &filter[at + condition.len()..];
        let is_quoted = before.matches('"').count() % 2 == 1;
        let neighbors = [before.as_bytes().last(), after.as_bytes().first()];
        !is_quoted && neighbors.into_iter().flatten().all(u8::is_ascii_whitespace)
    };
    if filter.match_indices(condition).any(is_own) {
        return filter.to_owned();
    }
    // A quote without an end would swallow what follows.
    let end = if filter.matches('"').count() % 2 == 1 { "\"" } else { "" };
    format!("{}{end} {condition}", filter.trim_end()).trim_start().to_owned()
}

/// A filter with `new` in place of the part from byte `from` to byte `until`.
pub fn replaced(filter: &str, (from, until): (usize, usize), new: &str) -> String {
    let part = |part: Option<&str>| part.unwrap_or_default().trim().to_owned();
    let parts = [part(filter.get(..from)), new.to_owned(), part(filter.get(until..))];
    parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_condition_is_added_once() {
        for (filter, condition, expected) in [
            ("", "run = a", "run = a"),
            ("run = a", "run = a", "run = a"),
            ("failed run = a orders", "run = a", "failed run = a orders"),
            ("run = ab", "run = a", "run = ab run = a"),
            ("of-run = a", "run = a", "of-run = a run = a"),
            ("sql ~ \"x run = a y\"", "run = a", "sql ~ \"x run = a y\" run = a"),
            ("\"run = a", "run = a", "\"run = a\" run = a"),
            ("sql = \"a \"\"b\"", "sql = \"a \"\"b\"", "sql = \"a \"\"b\""),
            (COMPLETE, COMPLETE, COMPLETE),
        ] {
            assert_eq!(with(filter, condition), expected);
        }
    }
}
