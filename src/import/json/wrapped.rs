//! Records in an array inside an object, as exported by database clients: `{"select * from x":[{…},{…}]}`,
//! `{"count":2,"rows":[{…},{…}]}`.

use super::members;
use super::object::string_end;

/// Returns the positions of objects that are first in an array: in `{"rows":[{"a":1},{"a":2}]}`, the object with `"a":1`.
pub fn first_elements(text: &str) -> impl Iterator<Item = usize> {
    let (mut at, mut before) = (0, 0);
    std::iter::from_fn(move || {
        loop {
            let (here, byte) = (at, *text.as_bytes().get(at)?);
            at += 1;
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => continue,
                b'"' => at = string_end(text.as_bytes(), at)? + 1,
                _ => {}
            }
            if std::mem::replace(&mut before, byte) == b'[' && byte == b'{' {
                return Some(here);
            }
        }
    })
}

/// Returns the text around the records replaced by white space of equal length and line count, with its last array left open.
pub fn blank(wrapper: &str) -> String {
    let array = wrapper.rfind('[');
    let blank = |(at, byte)| match byte {
        b'\n' => '\n',
        _ if Some(at) == array => '[',
        _ => ' ',
    };
    wrapper.bytes().enumerate().map(blank).collect()
}

/// Whether a text between or after records is part of the object around them: it closes the object, or names its next
/// member.
pub fn belongs(text: &str) -> bool {
    let rest = text.trim_start_matches(['}', ']', ',', ' ', '\t', '\r', '\n']);
    let rest = rest.trim_end().trim_end_matches(',');
    let whole = |end: &str| members(&format!("{{{rest}{end}")).is_ok();
    ["}", "", "]}", "null}"].into_iter().any(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_of_objects_are_found() {
        let cases: [(&str, &[usize]); 5] = [
            (r#"{"rows":[{"a":1},{"a":2}]}"#, &[9]),
            ("{\"[{\": 1, \"x\": [ \n {\"a\":[{", &[19, 25]),
            (r#"[{"a":1}]"#, &[1]),
            (r#"{"a":{"b":[1,{"c":2}]}}"#, &[]),
            (r#"{"cut"#, &[]),
        ];
        for (text, expected) in cases {
            assert_eq!(first_elements(text).collect::<Vec<_>>(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_around_records_is_blank() {
        assert_eq!(blank("{\"a[\":1,\n\"\u{DF}\": [ "), "        \n      [ ");
    }

    #[test]
    fn the_wrapper_is_told_from_noise() {
        for (text, expected) in [
            ("}", true),
            ("]}\n", true),
            (r#""count": 5}"#, true),
            (r#"}, "more": [1, 2]}"#, true),
            (r#""QUERY_START":["#, true),
            (r#""meta":"#, true),
            ("noise", false),
            (r#""a" "b"}"#, false),
        ] {
            assert_eq!(belongs(text), expected, "{text}");
        }
    }
}
