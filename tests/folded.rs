//! Folded stacks: what lines become.

use crate::support;

use queryscope::internal::testing::dump;
use queryscope::internal::word_hash::hash;
use queryscope::protocol::{FrameDimension, FrameWeight, MergedFrameRequest, MergedSpec, StackForm};

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

/// Frames of the merged flame graph below the root, by path: the value and, for the first one, the name of the weight.
fn check_frames(spec: MergedSpec, expected: &[&str]) {
    let spec = MergedSpec { path: vec![FrameDimension::Stack], ..spec };
    let mut session = support::open([("a.folded", b"a;b;c 1\na;b;b 2\na;c;b 4".as_slice())]);
    let mut frame = |frame| {
        let found =
            session.answer(&MergedFrameRequest { spec: spec.clone(), frame: Some(frame), step: None })?;
        Some(format!("{} {}", found.path.join("/"), found.value))
    };
    let mut found: Vec<String> = (0..).map_while(&mut frame).collect();
    found[1..].sort();
    // Frames without a width are not drawn.
    let shown = found.iter().enumerate().filter(|(at, frame)| *at == 0 || !frame.ends_with(" 0 ns"));
    let found: Vec<&str> = shown.map(|(_, frame)| frame.as_str()).collect();
    assert_eq!(found, expected, "{spec:?}");
}

#[test]
fn stacks_are_shown_from_both_ends() {
    let of = |stacks| MergedSpec { stacks, ..MergedSpec::default() };
    let whole = [
        " 7.000 ms",
        "a 7.000 ms",
        "a/b 3.000 ms",
        "a/b/b 2.000 ms",
        "a/b/c 1.000 ms",
        "a/c 4.000 ms",
        "a/c/b 4.000 ms",
    ];
    check_frames(of(StackForm::Callees), &whole);
    let inverted = [
        " 7.000 ms",
        "b 6.000 ms",
        "b/b 2.000 ms",
        "b/b/a 2.000 ms",
        "b/c 4.000 ms",
        "b/c/a 4.000 ms",
        "c 1.000 ms",
        "c/b 1.000 ms",
        "c/b/a 1.000 ms",
    ];
    check_frames(of(StackForm::Inverted), &inverted);
    check_frames(MergedSpec { weight: FrameWeight::SelfTime, ..of(StackForm::Inverted) }, &inverted);
    for name in ["b".to_owned(), hash("b")] {
        let callees = [" 7.000 ms", "b 7.000 ms", "b/b 2.000 ms", "b/c 1.000 ms"];
        check_frames(of(StackForm::CalleesOf(name.clone())), &callees);
        let callers = [" 7.000 ms", "b 7.000 ms", "b/a 3.000 ms", "b/c 4.000 ms", "b/c/a 4.000 ms"];
        check_frames(of(StackForm::CallersOf(name.clone())), &callers);
        let hidden = MergedSpec { hidden: vec![name], ..MergedSpec::default() };
        check_frames(hidden, &[" 7.000 ms", "a 7.000 ms", "a/c 5.000 ms"]);
    }
    let collapsed = MergedSpec { collapse_recursion: true, ..MergedSpec::default() };
    let expected = [&whole[..3], &whole[4..]].concat();
    check_frames(collapsed, &expected);
    check_frames(of(StackForm::CalleesOf("no such name".to_owned())), &[" 0 ns"]);
}

#[test]
fn the_focus_moves_to_the_next_frame() {
    use queryscope::protocol::FocusMove::{Child, Next, Parent, Previous};
    let mut session = support::open([("a.folded", b"a;b;c 1\na;b;b 2\na;c;b 4".as_slice())]);
    for (focus, step, expected) in [
        ("", Child, "a"),
        ("a", Child, "a/c"),
        ("a/c", Next, "a/b"),
        ("a/b", Next, "a/b"),
        ("a/b", Previous, "a/c"),
        ("a/b/c", Parent, "a/b"),
        ("a", Parent, ""),
        ("", Parent, ""),
        ("", Next, ""),
        ("a/c/b", Child, "a/c/b"),
    ] {
        let labels = focus.split('/').filter(|label| !label.is_empty()).map(hash).collect();
        let spec = MergedSpec { path: vec![FrameDimension::Stack], focus: labels, ..MergedSpec::default() };
        let found = session.answer(&MergedFrameRequest { spec, frame: None, step: Some(step) });
        let found = found.map(|found| (found.path.join("/"), found.call.unwrap_or_default()));
        let call = expected.rsplit('/').next().unwrap_or_default();
        assert_eq!(found, Some((expected.to_owned(), call.to_owned())), "{focus} {step:?}");
    }
}
