//! Converts Python's notation of an event (`stethoscope -F raw`) to JSON.

/// Converts Python's notation of dictionaries, lists, texts and numbers to JSON. Never fails; the result for other text may
/// not be valid JSON.
pub fn to_json(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 16);
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\'' | '"' => string(c, &mut chars, &mut json),
            'T' | 'F' | 'N' => {
                let rest: String = chars.by_ref_while(|c| c.is_ascii_alphabetic());
                json.push_str(match (c, rest.as_str()) {
                    ('T', "rue") => "true",
                    ('F', "alse") => "false",
                    _ => "null",
                });
            }
            c => json.push(c),
        }
    }
    json
}

trait TakeWhileExt {
    fn by_ref_while(&mut self, is: impl Fn(char) -> bool) -> String;
}

impl<I: Iterator<Item = char>> TakeWhileExt for std::iter::Peekable<I> {
    fn by_ref_while(&mut self, is: impl Fn(char) -> bool) -> String {
        std::iter::from_fn(|| self.next_if(|c| is(*c))).collect()
    }
}

fn string(quote: char, chars: &mut impl Iterator<Item = char>, json: &mut String) {
    json.push('"');
    while let Some(c) = chars.next() {
        match c {
            c if c == quote => break,
            '"' => json.push_str("\\\""),
            '\\' => match chars.next() {
                Some('\'') => json.push('\''),
                Some('x') => {
                    let digits: String = chars.by_ref().take(2).collect();
                    json.push_str(&format!("\\u00{digits:0>2}"));
                }
                Some(c @ ('n' | 't' | 'r' | '\\' | '"' | 'u')) => json.extend(['\\', c]),
                Some(c) => json.push(c),
                None => break,
            },
            c if c < ' ' => json.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => json.push(c),
        }
    }
    json.push('"');
}

#[cfg(test)]
mod tests {
    use super::to_json;

    #[test]
    fn what_python_prints_is_json() {
        let cases = [
            (
                r#"{'a': 'x"y', "b": "it's", 'c': [True, None, False, -1.5]}"#,
                r#"{"a": "x\"y", "b": "it's", "c": [true, null, false, -1.5]}"#,
            ),
            (r"{'a': 'it\'s\n\x01\\'}", "{\"a\": \"it's\\n\\u0001\\\\\"}"),
            ("'", "\"\""),
        ];
        for (text, expected) in cases {
            assert_eq!(to_json(text), expected, "{text}");
        }
    }
}
