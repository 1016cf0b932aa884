//! Folded stacks: what lines become.

mod support;

use queryscope::internal::testing::dump;

/// Opens a file of these lines, and compares the spans, the problems and the lines without a stack.
fn check(text: &str, expected: &[&str]) {
    let session = support::open([("a.folded", text.as_bytes())]);
    let mut found = dump(session.trace());
    for file in session.report() {
        found.extend(file.problems.iter().map(|problem| format!("{} x {}", problem.count, problem.name)));
    }
    assert_eq!(found, expected, "{text}");
}

#[test]
fn lines_become_spans() {
    let nested = [
        "Thread stacks",
        "- a 0..3000000",
        "-- b 0..3000000, samples=1",
        "--- c 1000000..3000000, samples=2",
        "- d 3000000..4000000",
        "-- b 3000000..4000000, samples=1",
    ];
    check("a;b 1\na;b;c 2\nd;b 1\n", &nested);
    check("# comment\r\n\r\n a; b 1\r\na;b;c 2\r\nd;b 1", &nested);
    // The same stack again is the same span; after another one it is a new one.
    let again =
        ["Thread stacks", "- a 0..5000000", "-- b 0..3000000, samples=3", "-- c 3000000..5000000, samples=2"];
    check("a;b 1\na;b 2\na;c 2", &again);
}

#[test]
fn what_is_no_stack_is_a_problem() {
    let one = ["Thread stacks", "- a 0..2000000", "-- b 0..2000000, samples=2"];
    for line in ["a;b", "a;b 0", "a;b -1", "a;;b 1", "a;b 1.5", "3"] {
        check(&format!("{line}\na;b 2\n"), &[&one[..], &["1 x not a folded stack"]].concat());
    }
    let large = format!("a;b 2\na;c {}\n{}x 1\n", i64::MAX, "x;".repeat(65_536));
    check(&large, &[&one[..], &["2 x stack too large"]].concat());
}

#[test]
fn other_texts_are_not_taken_for_stacks() {
    for text in
        ["", "1\n2\n", "name 1\nname 2\n", "a;b 1 2\na;c 1 2\n", "a;b;c\n1;2;3\n", "prose\nprose\na;b 1"]
    {
        let session = support::open([("a.folded", text.as_bytes())]);
        assert!(session.report().iter().all(|file| !file.recognised), "{text}");
    }
}
