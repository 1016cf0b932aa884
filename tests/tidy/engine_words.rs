//! The words of the engine's texts: no string of `src` that a user may read uses a word that has a plainer one.

use crate::sources;

/// Words and phrases that no text uses, in lower case, each with what to write instead.
const BANNED: &[(&str, &str)] = &[
    ("whoever", "the person or program that is meant"),
    ("whatever", "the noun that is meant"),
    ("alike", "duplicate, identical"),
    ("told", "reported, shown"),
    ("nobody", "no thread, no user, no record"),
    ("somebody", "a thread, a user"),
    ("of which", "whose"),
    ("there after", "after, later"),
    ("picture", "chart, view, timeline, image"),
    ("behind", "after"),
    ("beside", "next to, compared with"),
];

/// The modules of tests that a file declares, as the paths at which their files may be.
pub(crate) fn test_modules(file: &str, text: &str) -> Vec<String> {
    let folder = match file.rsplit_once('/') {
        Some((folder, "mod.rs" | "lib.rs")) => folder,
        _ => file.trim_end_matches(".rs"),
    };
    let declared = text.split("#[cfg(test)]\n").skip(1).filter_map(|rest| {
        let line = rest.lines().next()?.trim();
        let name = line.rsplit_once("mod ")?.1.strip_suffix(';')?;
        Some([format!("{folder}/{name}.rs"), format!("{folder}/{name}/")])
    });
    declared.flatten().collect()
}

/// The text without the modules of tests in it.
pub(crate) fn without_tests(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\n#[cfg(test)]\nmod ") {
        let (before, module) = rest.split_at(at);
        let is_inline = module.lines().nth(2).is_some_and(|line| line.ends_with('{'));
        // A formatted module ends at the first brace that begins a line.
        let end = if is_inline { module.find("\n}").map(|end| end + "\n}".len()) } else { None };
        kept += before;
        let skipped = end.unwrap_or("\n#[cfg(test)]\n".len());
        rest = &module[skipped..];
    }
    kept + rest
}

/// The string literals of a Rust file, without quotes, each line that goes on joined to the next.
fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut last = ' ';
    while let Some(c) = rest.chars().next() {
        let is_word = last.is_alphanumeric() || last == '_';
        let hashes = rest.strip_prefix('r').map(|raw| raw.len() - raw.trim_start_matches('#').len());
        let quote = hashes.filter(|hashes| !is_word && rest[1 + hashes..].starts_with('"'));
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if let Some(hashes) = quote {
            let (start, close) = (hashes + 2, format!("\"{}", "#".repeat(hashes)));
            let end = rest[start..].find(&close).map_or(rest.len(), |end| start + end);
            found.push(rest[start..end].to_owned());
            (end + close.len()).min(rest.len())
        } else if c == '"' {
            let end = end_of_quoted(rest);
            found.push(joined(&rest[1..end]));
            (end + 1).min(rest.len())
        } else if c == '\'' {
            character(rest)
        } else {
            c.len_utf8()
        };
        // What ends a literal is no letter: the next one may follow.
        last = if length == c.len_utf8() { c } else { ' ' };
        rest = &rest[length..];
    }
    found
}

/// Where the quote is that ends the string that a text begins with.
fn end_of_quoted(text: &str) -> usize {
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|&(_, c)| {
        let ends = c == '"' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |(at, _)| at)
}

/// A string without the breaks of lines that a backslash takes away, and with blanks for those that are in it.
fn joined(literal: &str) -> String {
    let mut lines = literal.split("\\\n");
    let first = lines.next().unwrap_or_default().to_owned();
    lines.fold(first, |text, line| text + line.trim_start()).replace("\\n", " ")
}

/// The length of the character literal, or of the mark of a lifetime, that a text begins with.
fn character(text: &str) -> usize {
    let inside = &text[1..];
    let length = match inside.strip_prefix('\\') {
        Some(escaped) => escaped.char_indices().skip(1).find(|(_, c)| *c == '\'').map(|(at, _)| at + 1),
        None => inside.chars().next().map(char::len_utf8),
    };
    length.filter(|&length| inside[length..].starts_with('\'')).map_or(1, |length| length + 2)
}

/// The banned words that a text uses as whole words.
fn banned_in(text: &str) -> Vec<&'static str> {
    let text = text.to_lowercase();
    let is_letter = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let uses = |word: &str| {
        text.match_indices(word).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + word.len()..]);
            !is_letter(before.chars().next_back()) && !is_letter(after.chars().next())
        })
    };
    BANNED.iter().map(|(word, _)| *word).filter(|word| uses(word)).collect()
}

/// The help of the command line: its comments for documentation.
fn help(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.trim_start().strip_prefix("///")).map(str::to_owned).collect()
}

#[test]
fn texts_use_plain_words() {
    let files = sources("src");
    let tests: Vec<String> = files.iter().flat_map(|(file, text)| test_modules(file, text)).collect();
    let mut wrong = Vec::new();
    for (file, text) in &files {
        if tests.iter().any(|test| file.starts_with(test.as_str())) {
            continue;
        }
        let mut texts = literals(&without_tests(text));
        if file.starts_with("src/bin/") {
            texts.extend(help(text));
        }
        for text in texts {
            for word in banned_in(&text) {
                let instead =
                    BANNED.iter().find(|(banned, _)| *banned == word).map_or("", |(_, instead)| instead);
                wrong.push(format!("{file}: “{word}” ({instead}) in: {text}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn these_checks_can_fail() {
    assert_eq!(banned_in("Nobody waits; a PNG picture, of\u{20}which"), ["nobody", "of which", "picture"]);
    assert!(banned_in("pictures, besides, behind_all, retold, the one of whichever kind").is_empty());
    let text = "let a = \"one \\\n    two\"; // \"no\"\nlet b = ('\"', 'x', '\\'', '\\u{e4}'); let c: &'a str = r#\"th\"ree\"#;\nb\"\\\"four\\\\\"";
    assert_eq!(literals(text), ["one two", "th\"ree", "\\\"four\\\\"]);
    let text = "a\n#[cfg(test)]\nmod laws;\nb\n#[cfg(test)]\nmod tests {\n    c\n}\nd";
    assert_eq!(without_tests(text), "a\nmod laws;\nb\nd".replace("a\n", "a"));
    assert_eq!(test_modules("src/pivot/mod.rs", text), ["src/pivot/laws.rs", "src/pivot/laws/"]);
    assert_eq!(
        test_modules("src/csv.rs", "#[cfg(test)]\nmod tests;"),
        ["src/csv/tests.rs", "src/csv/tests/"]
    );
    assert_eq!(help("    /// Told.\n// no\n"), [" Told."]);
}
