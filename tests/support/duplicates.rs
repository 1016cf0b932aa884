//! Pairs of JSON objects that look alike: the same members in the same order, with other values. Readers that learn how
//! objects look must read the second as they would have read it alone.

use proptest::prelude::*;

/// A member: its key, and the value that it has in either object.
pub type Member = (&'static str, [String; 2]);

/// A value that a member usually has, now and then any other.
pub fn usual(values: &'static [&'static str], other: BoxedStrategy<String>) -> BoxedStrategy<String> {
    prop_oneof![9 => prop::sample::select(values).prop_map(str::to_owned), 1 => other].boxed()
}

/// A member with two values of one sort.
pub fn twice(key: &'static str, value: BoxedStrategy<String>) -> impl Strategy<Value = Member> {
    (value.clone(), value).prop_map(move |(one, other)| (key, [one, other]))
}

/// One of two objects, with this text between its members.
pub fn object(members: &[Member], which: usize, between: &str) -> String {
    let members: Vec<_> =
        members.iter().map(|(key, values)| format!("\"{key}\":{}", values[which])).collect();
    format!("{{{}}}", members.join(between))
}

/// Both objects; which of the members comes first is up to chance.
pub fn objects(mut members: Vec<Member>, turn: prop::sample::Index, between: &str) -> [String; 2] {
    let turn = turn.index(members.len());
    members.rotate_left(turn);
    [0, 1].map(|which| object(&members, which, between))
}

/// What a trace holds, in whatever order.
pub fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines
}
