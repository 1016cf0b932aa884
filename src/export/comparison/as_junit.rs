//! A comparison of runs as a JUnit report: a test case for each group, which fails if it meets a condition.
//!
//! There is no specification; the elements and attributes are those that Jenkins, GitLab and GitHub actions read
//! (<https://github.com/testmoapp/junitxml>).

use std::io::{self, Write};

use super::super::picture::escaped;
use super::{ComparisonOutput, as_text, cells};
use crate::compare::RunMeasure;

pub(super) fn write(output: &ComparisonOutput, out: &mut impl Write) -> io::Result<()> {
    let groups = &output.comparison.groups;
    let listed = output.limit.unwrap_or(groups.len()).min(groups.len());
    // A group that meets a condition is always listed.
    let is_listed = |at: usize| at < listed || output.met_by(at).next().is_some();
    let cases: Vec<usize> = (0..groups.len()).filter(|&at| is_listed(at)).collect();
    let failures = cases.iter().filter(|&&at| output.met_by(at).next().is_some()).count();
    let unchecked: Vec<&str> =
        output.checks.iter().filter(|check| check.checked == 0).map(|check| check.text.as_str()).collect();
    let counts = format!(
        r#"tests="{}" failures="{failures}" errors="{}""#,
        cases.len() + unchecked.len(),
        unchecked.len()
    );
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<testsuites name="queryscope compare" {counts}>"#)?;
    let sides = [&output.comparison.base, &output.comparison.new].map(as_text::side);
    let name = escaped(&format!("{} compared with {}", sides[1], sides[0]));
    writeln!(out, r#"  <testsuite name="{name}" {counts}>"#)?;
    for at in cases {
        let group = &groups[at];
        let summary = escaped(&cells::summary(group, &RunMeasure::ALL));
        writeln!(out, r#"    <testcase classname="queryscope.compare" name="{}">"#, escaped(&group.text))?;
        for check in output.met_by(at) {
            let condition = escaped(&check.text);
            let reason = escaped(&cells::summary(group, &[check.measure]));
            writeln!(out, r#"      <failure type="condition" message="{condition}">{reason}</failure>"#)?;
        }
        writeln!(out, "      <system-out>{summary}</system-out>")?;
        writeln!(out, "    </testcase>")?;
    }
    for condition in unchecked {
        let (name, message) = (escaped(condition), escaped(&as_text::unchecked(condition)));
        writeln!(out, r#"    <testcase classname="queryscope.condition" name="{name}">"#)?;
        writeln!(out, r#"      <error type="not checked" message="{message}"/>"#)?;
        writeln!(out, "    </testcase>")?;
    }
    writeln!(out, "  </testsuite>\n</testsuites>")
}
