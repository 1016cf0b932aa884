//! Errors of DataFusion and its parser in the terms of SQL: what is wrong, and what to do.

/// What DataFusion puts before its messages, and the parser before some of its own.
const PREFIXES: [&str; 13] = [
    "Error during planning: ",
    "Schema error: ",
    "Execution error: ",
    "SQL error: ",
    "Arrow error: ",
    "Cast error: ",
    "Parser error: ",
    "Compute error: ",
    "Internal error: ",
    "Optimizer error: ",
    "Resources exhausted: ",
    "This feature is not implemented: ",
    "ParserError: ",
];
/// Starts of a sentence about DataFusion's developers.
const BUG_REPORT: &str = "This issue was likely caused by a bug in DataFusion";
/// Longest value in a message, in characters.
const LONGEST_VALUE: usize = 40;
/// Error for statements that write, define or set something.
pub const ONLY_READS: &str = "statements can only read: use SELECT, SHOW, DESCRIBE or EXPLAIN";
/// Functions that only the command line has, except those for arrays, by their names.
const OTHERS_ON_COMMAND_LINE: [&str; 11] = [
    "blake2b", "blake2s", "blake3", "decode", "digest", "encode", "md5", "sha224", "sha256", "sha384",
    "sha512",
];
/// Number of functions of the same name that a message lists.
const FUNCTIONS: usize = 4;

/// The sentence for an error message. The place that the parser appends is removed: it is shown on its own.
pub fn sentence(text: &str) -> String {
    let text = without_wrappers(text);
    let rewritten = refusal(&text)
        .or_else(|| unknown_name(&text))
        .or_else(|| unknown_function(&text))
        .or_else(|| wrong_arguments(&text))
        .or_else(|| wrong_types(&text))
        .or_else(|| wrong_value(&text))
        .or_else(|| not_grouped(&text))
        .or_else(|| parser_message(&text));
    rewritten.unwrap_or_else(|| text.into_owned())
}

/// Which step of a statement needs more memory than its limit.
pub fn memory_reason(text: &str) -> String {
    // A list of all consumers may come first; the last sentence names the one that failed.
    let failed = text.rsplit_once("Error: ").map_or(text, |(_, failed)| failed);
    let steps = [
        ("Join", "joining"),
        ("Group", "grouping"),
        ("Aggregate", "grouping"),
        ("Window", "computing window functions"),
        ("TopK", "sorting"),
        ("Sort", "sorting"),
    ];
    let step = steps.into_iter().find(|(name, _)| failed.contains(name));
    let step = step.map_or("computing the result", |(_, step)| step);
    format!("{step} needs more memory than the limit")
}

/// The message of the innermost error.
fn without_wrappers(text: &str) -> std::borrow::Cow<'_, str> {
    let mut text = text.rsplit_once("\ncaused by\n").map_or(text, |(_, inner)| inner);
    while let Some(inner) = PREFIXES.iter().find_map(|prefix| text.strip_prefix(prefix)) {
        text = inner;
    }
    match text.split_once(BUG_REPORT) {
        None => text.into(),
        Some((before, after)) => {
            // The sentence ends after an address.
            let rest = after.split_once("/issues").map_or("", |(_, rest)| rest.trim_start_matches('.'));
            format!("{}{}", before.trim_end(), rest).into()
        }
    }
}

fn refusal(text: &str) -> Option<String> {
    let refused = [
        "DDL not supported",
        "DML not supported",
        "Statement not supported",
        "Unsupported SQL statement",
        "Query INSERT ",
    ];
    let sentence = if refused.iter().any(|start| text.starts_with(start)) {
        ONLY_READS
    } else if text.contains("only supports a single SQL statement") {
        "run one statement at a time"
    } else if text.contains("RecursionLimitExceeded") || text.contains("recursion limit exceeded") {
        "parentheses, subqueries or operators are nested more than 50 levels deep. Use fewer levels"
    } else if text.contains("nested_expressions") {
        return Some(on_command_line("arrays"));
    } else if text == "Divide by zero error" {
        "division by zero. NULLIF(divisor, 0) gives NULL instead"
    } else if text.starts_with("Arithmetic overflow") || text.contains("Array overflow on abs(") {
        "the result does not fit in its type. CAST(x AS DOUBLE) computes approximately"
    } else if text.starts_with("No SQL statements were provided") {
        "the statement is empty"
    } else {
        return None;
    };
    Some(sentence.to_owned())
}

/// Error for functions and arrays that only the command line has.
fn on_command_line(what: &str) -> String {
    format!("{what} can only be used on the command line: queryscope sql FILE STATEMENT")
}

/// The part of a text after its beginning `before`, up to the first `after`; `None` if the text lacks either.
fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    text.strip_prefix(before)?.split_once(after).map(|(name, _)| name)
}

/// A table or column that is not there, or is in several tables.
fn unknown_name(text: &str) -> Option<String> {
    if let Some(name) =
        between(text, "Projections require unique expression names but the expression \"", "\"")
    {
        return Some(format!("two columns have the name “{name}”. Rename one of them with AS"));
    }
    if let Some(name) = between(text, "Table function '", "'") {
        return Some(format!("there is no table function “{name}”. SHOW TABLES lists all tables"));
    }
    if let Some(name) = text.strip_prefix("Invalid qualifier ") {
        return Some(format!("there is no table “{}” in FROM", name.trim_end_matches('.')));
    }
    if let Some(table) = between(text, "table 'datafusion.public.", "'") {
        return Some(format!("there is no table “{table}”. SHOW TABLES lists all"));
    }
    if let Some(table) = between(text, "table 'datafusion.", "'")
        && let Some((schema, table)) = table.split_once('.')
    {
        return Some(format!("there is no schema “{schema}”. Write {table}; SHOW TABLES lists all tables"));
    }
    if let Some(name) = text.strip_prefix("Ambiguous reference to unqualified field ") {
        return Some(format!(
            "“{name}” is ambiguous. Write its table or alias before it, such as spans.{name}"
        ));
    }
    let (name, rest) = match text.strip_prefix("No field named ")?.split_once('\n') {
        Some((name, rest)) => (name, rest),
        None => (text.strip_prefix("No field named ")?, ""),
    };
    if let Some((name, suggestion)) = name.split_once(". Did you mean '") {
        let suggestion = suggestion.trim_end_matches(['.', '?', '\'']);
        return Some(format!("there is no column “{name}”. Did you mean “{suggestion}”?"));
    }
    let columns = rest.split_once("Valid fields are ").map(|(_, columns)| columns.trim_end_matches('.'));
    let columns = columns.map(|columns| format!(" The columns are {columns}")).unwrap_or_default();
    Some(format!("there is no column “{}”.{columns}", name.trim_end_matches('.')))
}

fn unknown_function(text: &str) -> Option<String> {
    let (name, rest) = text.strip_prefix("Invalid function '")?.split_once('\'')?;
    if ["array_", "list_"].iter().any(|start| name.starts_with(start))
        || OTHERS_ON_COMMAND_LINE.contains(&name)
    {
        return Some(on_command_line(&format!("the function “{name}”")));
    }
    let suggestion = rest.split_once("Did you mean '").and_then(|(_, rest)| rest.split_once('\''));
    let suggestion = suggestion.map(|(name, _)| format!(". Did you mean “{name}”?")).unwrap_or_default();
    Some(format!("there is no function “{name}”{suggestion}"))
}

/// Why samples are refused: DataFusion would read all rows.
pub const NO_SAMPLES: &str =
    "TABLESAMPLE is not possible. Choose rows by a condition, such as span_id % 100 = 0";
/// Hint for columns of texts that contain numbers.
const CAST: &str = ". For numbers in a column of texts, write CAST(column AS BIGINT)";

/// A function that is not there for these arguments.
fn wrong_arguments(text: &str) -> Option<String> {
    let (_, rest) = text.rsplit_once("No function matches the given name and argument types '")?;
    let (call, rest) = rest.split_once("'. You might")?;
    let (_, candidates) = rest.split_once("Candidate functions:").unwrap_or_default();
    let mut known: Vec<String> = Vec::new();
    for candidate in candidates.lines().map(str::trim).filter(|line| !line.is_empty()).filter_map(with_words)
    {
        if !known.contains(&candidate) {
            known.push(candidate);
        }
    }
    known.truncate(FUNCTIONS);
    let known = if known.is_empty() { String::new() } else { format!(". There is {}", known.join(", ")) };
    let call = with_words(call)?;
    // Columns of exports are texts, even if all their values are numbers.
    let numbers = if call.ends_with("(text)") && known.contains("(integer)") { CAST } else { "" };
    Some(format!("there is no function {call}{known}{numbers}"))
}

/// A call such as `sum(Int64)` with words for its types.
fn with_words(call: &str) -> Option<String> {
    let (name, arguments) = call.split_once('(')?;
    let arguments = parts(arguments.strip_suffix(')')?, ',');
    let kinds =
        arguments.into_iter().map(|argument| argument.rsplit_once(": ").map_or(argument, |(_, kind)| kind));
    let words: Vec<&str> = kinds.map(str::trim).filter(|kind| !kind.is_empty()).map(type_word).collect();
    Some(format!("{name}({})", words.join(", ")))
}

/// An operator that is not there for these types.
fn wrong_types(text: &str) -> Option<String> {
    if let Some((_, rest)) = text.split_once(" common type to coerce ") {
        let (left, rest) = rest.split_once(" and ")?;
        let (right, operator) = rest.strip_suffix(" expression")?.split_once(" in ")?;
        return Some(not_between(left, operator, right));
    }
    let starts = ["Cannot infer common ", "Cannot coerce arithmetic expression "];
    let start = starts.into_iter().find(|start| text.starts_with(start))?;
    let rest = &text[start.len()..];
    let operation = rest.split_once(" operation ").map_or(rest, |(_, operation)| operation);
    let operation = operation.trim_end_matches(" to valid types");
    let words = parts(operation, ' ');
    let (left, operator, right) = (words.first()?, words.get(1..words.len().checked_sub(1)?)?, words.last()?);
    Some(not_between(left, &operator.join(" "), right))
}

fn not_between(left: &str, operator: &str, right: &str) -> String {
    let of_texts = ["LIKE", "||", "~"].iter().any(|part| operator.contains(part));
    let kind = if of_texts { "VARCHAR" } else { "BIGINT" };
    let left = type_word(left);
    let right = type_word(right);
    format!(
        "{operator} is not possible between {left} and {right}. Convert one side, such as CAST(x AS {kind})"
    )
}

/// A value that cannot be converted.
fn wrong_value(text: &str) -> Option<String> {
    if let Some((value, kind)) =
        text.strip_prefix("Can't cast value ").and_then(|rest| rest.split_once(" to type "))
    {
        let kind = sql_type(kind.trim_end_matches('.'));
        return Some(format!(
            "{value} does not fit in the type {kind}. TRY_CAST gives NULL instead of an error"
        ));
    }
    if let Some((value, kind)) =
        text.strip_prefix("value of ").and_then(|rest| rest.split_once(" is out of range "))
    {
        return Some(format!(
            "{value} does not fit in the type {}. CAST(x AS DECIMAL(38, 0)) computes with 38 digits, CAST(x AS DOUBLE) approximately",
            sql_type(kind)
        ));
    }
    let (value, kind) = text.strip_prefix("Cannot cast string '")?.rsplit_once("' to value of ")?;
    let kind = type_word(kind.trim_end_matches(" type"));
    let article = if kind.starts_with('i') { "an" } else { "a" };
    let value: String = match value.char_indices().nth(LONGEST_VALUE) {
        Some((end, _)) => format!("{}…", &value[..end]),
        None => value.to_owned(),
    };
    Some(format!(
        "the text “{value}” cannot be converted to {article} {kind}. To compare as texts, write CAST(x AS VARCHAR) = '…'. TRY_CAST gives NULL instead of an error"
    ))
}

fn not_grouped(text: &str) -> Option<String> {
    let (_, rest) = text.strip_prefix("Column in ")?.split_once(", column \"").or_else(|| {
        // Some messages have no comma.
        text.split_once(" column \"")
    })?;
    let (column, _) = rest.split_once('"')?;
    Some(format!(
        "the column “{column}” is neither in GROUP BY nor in an aggregate function, such as max({column})"
    ))
}

/// A message of the parser, without its place.
fn parser_message(text: &str) -> Option<String> {
    let quoted =
        ["ParserError(\"", "TokenizerError(\""].into_iter().find_map(|start| text.strip_prefix(start));
    let text = quoted.and_then(|text| text.strip_suffix("\")")).unwrap_or(text).replace("\\\"", "\"");
    let message = text.rsplit_once(" at Line: ").map_or(text.as_str(), |(message, _)| message);
    match message.strip_prefix("Expected: ").and_then(|rest| rest.rsplit_once(", found: ")) {
        Some((expected, found)) => {
            let found = if found == "EOF" { "the end of the statement" } else { found };
            Some(format!("expected {expected}, but found {found}"))
        }
        None if quoted.is_some() => Some(message.replacen("Unterminated", "unterminated", 1)),
        None => None,
    }
}

/// The parts of a text between separators that are not in parentheses.
fn parts(text: &str, separator: char) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0_usize, 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            c if c == separator && depth == 0 => {
                found.push(&text[start..at]);
                start = at + c.len_utf8();
            }
            _ => {}
        }
    }
    found.push(&text[start..]);
    found
}

/// The name in SQL of one of Arrow's types of integers; the [word](type_word) for other types.
fn sql_type(name: &str) -> &str {
    match name {
        "Int8" => "TINYINT",
        "Int16" => "SMALLINT",
        "Int32" => "INT",
        "Int64" => "BIGINT",
        "UInt8" => "TINYINT UNSIGNED",
        "UInt16" => "SMALLINT UNSIGNED",
        "UInt32" => "INT UNSIGNED",
        "UInt64" => "BIGINT UNSIGNED",
        name => type_word(name),
    }
}

/// The word for one of Arrow's types; the type itself if there is none.
fn type_word(name: &str) -> &str {
    let words = [
        ("Dictionary", "text"),
        ("Utf8", "text"),
        ("LargeUtf8", "text"),
        ("String", "text"),
        ("Int", "integer"),
        ("UInt", "integer"),
        ("Float", "number"),
        ("Numeric", "number"),
        ("Decimal", "decimal"),
        ("Boolean", "boolean"),
        ("Date", "date"),
        ("Timestamp", "timestamp"),
        ("Duration", "duration"),
        ("Interval", "interval"),
        ("Null", "NULL"),
    ];
    // `Interval` before `Int`.
    let known = words.into_iter().filter(|(start, _)| name.starts_with(start));
    known.max_by_key(|(start, _)| start.len()).map_or(name, |(_, word)| word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_rewritten() {
        for (text, expected) in [
            (
                "SQL error: RecursionLimitExceeded (current limit: 50)",
                "parentheses, subqueries or operators are nested more than 50 levels deep. Use fewer levels",
            ),
            (
                "Optimizer rule 'simplify_expressions' failed\ncaused by\nArrow error: Cast error: Cannot cast string 'abc' to value of Int32 type",
                "the text “abc” cannot be converted to an integer. To compare as texts, write CAST(x AS VARCHAR) = '…'. TRY_CAST gives NULL instead of an error",
            ),
            (
                "Error during planning: Invalid function 'sqr'.\nDid you mean 'sqrt'?",
                "there is no function “sqr”. Did you mean “sqrt”?",
            ),
            (
                "Error during planning: Internal error: Function 'sum' failed.\nThis issue was likely caused by a bug in DataFusion's code. Please help us to resolve this by filing a bug report in our issue tracker: https://example.org/issues. No function matches the given name and argument types 'sum(Dictionary(Int32, Utf8))'. You might need to add explicit type casts.\n\tCandidate functions:\n\tsum(Decimal)\n\tsum(UInt64)\n\tsum(Int64)\n\tsum(Float64)",
                "there is no function sum(text). There is sum(decimal), sum(integer), sum(number). For numbers in a column of texts, write CAST(column AS BIGINT)",
            ),
            (
                "'lower' does not support zero arguments. No function matches the given name and argument types 'lower()'. You might need to add explicit type casts.\n\tCandidate functions:\n\tlower(String)",
                "there is no function lower(). There is lower(text)",
            ),
            (
                "type_coercion\ncaused by\nError during planning: There isn't a common type to coerce Dictionary(Int32, Utf8) and Int64 in LIKE expression",
                "LIKE is not possible between text and integer. Convert one side, such as CAST(x AS VARCHAR)",
            ),
            (
                "Error during planning: Cannot infer common argument type for comparison operation Int64 IS DISTINCT FROM Dictionary(Int32, Utf8)",
                "IS DISTINCT FROM is not possible between integer and text. Convert one side, such as CAST(x AS BIGINT)",
            ),
            (
                "Error during planning: Cannot coerce arithmetic expression Interval(MonthDayNano) + Utf8 to valid types",
                "+ is not possible between interval and text. Convert one side, such as CAST(x AS BIGINT)",
            ),
            (
                "Schema error: No field named s.nme. Did you mean 's.name'?\nValid fields are s.a, s.name.",
                "there is no column “s.nme”. Did you mean “s.name”?",
            ),
            (
                "Schema error: No field named x.\nValid fields are s.a, s.name.",
                "there is no column “x”. The columns are s.a, s.name",
            ),
            (
                "Error during planning: Projections require unique expression names but the expression \"spans.span_id\" at position 0 and \"spans.span_id\" at position 1 have the same name. Consider aliasing (\"AS\") one of them.",
                "two columns have the name “spans.span_id”. Rename one of them with AS",
            ),
            (
                "Error during planning: Table function 'read_parquet' not found",
                "there is no table function “read_parquet”. SHOW TABLES lists all tables",
            ),
            ("Error during planning: Invalid qualifier spans", "there is no table “spans” in FROM"),
            (
                "Arrow error: Cast error: Can't cast value 1e30 to type Int64",
                "1e30 does not fit in the type BIGINT. TRY_CAST gives NULL instead of an error",
            ),
            (
                "Arrow error: Cast error: value of 9223372036854775808 is out of range Int64",
                "9223372036854775808 does not fit in the type BIGINT. CAST(x AS DECIMAL(38, 0)) computes with 38 digits, CAST(x AS DOUBLE) approximately",
            ),
            (
                "Execution error: Int64Array overflow on abs(-9223372036854775808)",
                "the result does not fit in its type. CAST(x AS DOUBLE) computes approximately",
            ),
            ("Error during planning: Unsupported SQL statement: VACUUM", ONLY_READS),
            (
                "Error during planning: table 'datafusion.performance_schema.threads' not found",
                "there is no schema “performance_schema”. Write threads; SHOW TABLES lists all tables",
            ),
            (
                "Error during planning: Invalid function 'md5'.\nDid you mean 'mod'?",
                "the function “md5” can only be used on the command line: queryscope sql FILE STATEMENT",
            ),
            ("Error during planning: Invalid function 'shape'.", "there is no function “shape”"),
            ("Schema error: No field named x.", "there is no column “x”."),
            (
                "Schema error: Ambiguous reference to unqualified field span_id",
                "“span_id” is ambiguous. Write its table or alias before it, such as spans.span_id",
            ),
            (
                "Error during planning: Column in SELECT must be in GROUP BY or an aggregate function: While expanding wildcard, column \"spans.name\" must appear in the GROUP BY clause",
                "the column “spans.name” is neither in GROUP BY nor in an aggregate function, such as max(spans.name)",
            ),
            (
                "SQL error: ParserError(\"Expected: ), found: FROM at Line: 1, Column: 19\")",
                "expected ), but found FROM",
            ),
            (
                "SQL error: ParserError(\"Expected: an expression, found: EOF\")",
                "expected an expression, but found the end of the statement",
            ),
            (
                "SQL error: TokenizerError(\"Unterminated string literal at Line: 1, Column: 8\")",
                "unterminated string literal",
            ),
            ("Execution error: anything else", "anything else"),
        ] {
            assert_eq!(sentence(text), expected);
        }
    }

    #[test]
    fn memory_is_taken_by_a_step() {
        for (text, expected) in [
            (
                "Resources exhausted: Memory Exhausted while Sorting (DiskManager is disabled)",
                "sorting needs more memory than the limit",
            ),
            (
                "Resources exhausted: Additional allocation failed for HashJoinInput[1] with top memory consumers as:\n  AggregateStream[0]#3(can spill: false) consumed 0.0 B.\nError: Failed to allocate additional 1.0 B for HashJoinInput[1] with 2.0 B already allocated",
                "joining needs more memory than the limit",
            ),
            (
                "Failed to allocate additional 8.0 MB for SingleHashAggregateStream[0] with 0.0 B already allocated",
                "grouping needs more memory than the limit",
            ),
            (
                "Memory Exhausted while SpillPool (DiskManager is disabled)",
                "computing the result needs more memory than the limit",
            ),
        ] {
            assert_eq!(memory_reason(text), expected);
        }
    }
}
