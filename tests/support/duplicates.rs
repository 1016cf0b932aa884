//! Pairs of JSON objects with the same keys in the same order and other values. A reader that has learned the first
//! object's layout must read the second object as if it were the only one.

use proptest::prelude::*;

/// Key of a member, and its values in the first and second object.
pub type Member = (&'static str, [String; 2]);

/// Generates a value that is usually one of `values`, and in 10 % of cases another.
pub fn usual(values: &'static [&'static str], other: BoxedStrategy<String>) -> BoxedStrategy<String> {
    prop_oneof![9 => prop::sample::select(values).prop_map(str::to_owned), 1 => other].boxed()
}

/// Generates a member with two values from the same strategy.
pub fn twice(key: &'static str, value: BoxedStrategy<String>) -> impl Strategy<Value = Member> {
    (value.clone(), value).prop_map(move |(one, other)| (key, [one, other]))
}

/// Formats object 0 or 1 of a pair, with `between` as the separator of its members.
pub fn object(members: &[Member], which: usize, between: &str) -> String {
    let members: Vec<_> =
        members.iter().map(|(key, values)| format!("\"{key}\":{}", values[which])).collect();
    format!("{{{}}}", members.join(between))
}

/// Formats both objects of a pair, with their members rotated by a random number.
pub fn objects(mut members: Vec<Member>, turn: prop::sample::Index, between: &str) -> [String; 2] {
    let turn = turn.index(members.len());
    members.rotate_left(turn);
    [0, 1].map(|which| object(&members, which, between))
}

/// Returns the lines of a trace in sorted order, for comparisons that ignore the order.
pub fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}
