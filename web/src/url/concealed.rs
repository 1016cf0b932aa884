//! Hashes that replace the texts of a trace in an address; the engine finds the texts again when the trace is open.
//!
//! Names that occur in traces of many kinds (`name`, `rows read`) reveal nothing about a trace and stay readable.

use queryscope::internal::word_hash::{hash, hash_of_name, is_common, is_hash};

use crate::components::parts;

/// Conceals the labels that lead to a group.
pub fn path(labels: &[String]) -> Vec<String> {
    let label = |label: &String| if is_hash(label) { label.clone() } else { hash(label) };
    labels.iter().map(label).collect()
}

/// Conceals the name of an attribute.
pub fn name(name: &str) -> String {
    if is_hash(name.trim()) || is_common(name) { name.to_owned() } else { hash_of_name(name) }
}

/// Conceals a list of dimensions: attribute names, each with projections in brackets.
pub fn dimensions(list: &str) -> String {
    let dimension = |part: String| {
        let (attribute, projections) = part.split_at(part.find('[').unwrap_or(part.len()));
        let inside = attribute.strip_prefix("in ").or_else(|| attribute.strip_prefix("in_"));
        match inside {
            Some(around) => format!("in {}{projections}", name(around)),
            None if attribute == "component" => part,
            None => format!("{}{projections}", name(attribute)),
        }
    };
    parts(list).into_iter().map(dimension).collect::<Vec<_>>().join(", ")
}

/// Conceals a list of measures: functions, with an attribute name in parentheses unless they measure durations.
pub fn measures(list: &str) -> String {
    let measure = |part: String| match part.split_once('(') {
        Some((function, of)) => format!("{function}({})", name(of.strip_suffix(')').unwrap_or(of))),
        None => part,
    };
    parts(list).into_iter().map(measure).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use wasm_bindgen_test::wasm_bindgen_test;

    #[wasm_bindgen_test]
    fn names_of_one_trace_are_hashes_and_common_ones_are_not() {
        let secret = hash_of_name("secret");
        for (list, expected) in [
            ("kind, rows_read[log], component[#]", "kind, rows_read[log], component[#]".to_owned()),
            ("Secret[/1][#], name", format!("{secret}[/1][#], name")),
            ("in secret", format!("in {secret}")),
            (secret.as_str(), secret.clone()),
        ] {
            assert_eq!(dimensions(list), expected, "{list}");
        }
        for (list, expected) in [
            (
                "count, p95, sum(self time), max(rows read)",
                "count, p95, sum(self time), max(rows read)".to_owned(),
            ),
            ("sum(secret), server count", format!("sum({secret}), server count")),
        ] {
            assert_eq!(measures(list), expected, "{list}");
        }
        assert_eq!(path(&[hash("a"), "b".to_owned()]), [hash("a"), hash("b")]);
    }
}
