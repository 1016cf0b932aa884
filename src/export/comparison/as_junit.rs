//! A comparison of runs as a JUnit report: a test case for each group, which fails if it meets a condition.
//!
//! There is no specification; the elements and attributes are those that Jenkins, GitLab and GitHub actions read
//! (<https://github.com/testmoapp/junitxml>).

use std::io::{self, Write};

use super::super::picture::escaped;
use super::{ComparisonOutput, as_text, cells};
use crate::compare::RunMeasure;

pub(super) fn write(output: &ComparisonOutput, out: &mut impl Write) -> io::Result<()> {
    write_runs(std::slice::from_ref(output), out)
}

/// Writes a test suite for each comparison.
pub(super) fn write_runs(outputs: &[ComparisonOutput], out: &mut impl Write) -> io::Result<()> {
    let suites: Vec<TestSuite> = outputs.iter().map(TestSuite::of).collect();
    let sum = suites.iter().fold([0; 3], |sum, suite| {
        let counts = suite.counts();
        [sum[0] + counts[0], sum[1] + counts[1], sum[2] + counts[2]]
    });
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<testsuites name="queryscope compare" {}>"#, counts_text(sum))?;
    suites.iter().try_for_each(|suite| suite.write(out))?;
    writeln!(out, "</testsuites>")
}

/// Test cases of the comparison of a run with the base.
struct TestSuite<'a> {
    output: &'a ComparisonOutput<'a>,
    /// Indices of the listed groups. A group that meets a condition is always listed.
    cases: Vec<usize>,
    /// Conditions that could not be checked.
    unchecked: Vec<&'a str>,
}

/// Attributes of the numbers of tests, failures and errors.
fn counts_text([tests, failures, errors]: [usize; 3]) -> String {
    format!(r#"tests="{tests}" failures="{failures}" errors="{errors}""#)
}

impl<'a> TestSuite<'a> {
    fn of(output: &'a ComparisonOutput<'a>) -> Self {
        let groups = output.comparison.groups.len();
        let listed = output.limit.unwrap_or(groups).min(groups);
        let is_listed = |at: &usize| *at < listed || output.met_by(*at).next().is_some();
        let unchecked = output.checks.iter().filter(|check| check.checked == 0);
        Self {
            output,
            cases: (0..groups).filter(is_listed).collect(),
            unchecked: unchecked.map(|check| check.text.as_str()).collect(),
        }
    }

    /// Numbers of tests, failures and errors.
    fn counts(&self) -> [usize; 3] {
        let failures = self.cases.iter().filter(|&&at| self.output.met_by(at).next().is_some()).count();
        [self.cases.len() + self.unchecked.len(), failures, self.unchecked.len()]
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let Self { output, cases, unchecked } = self;
        let groups = &output.comparison.groups;
        let sides = [&output.comparison.base, &output.comparison.new].map(as_text::side);
        let name = escaped(&format!("{} compared with {}", sides[1], sides[0]));
        writeln!(out, r#"  <testsuite name="{name}" {}>"#, counts_text(self.counts()))?;
        if let Some(filter) = output.filter {
            let property = format!(r#"<property name="filter" value="{}"/>"#, escaped(filter));
            writeln!(out, "    <properties>{property}</properties>")?;
        }
        for &at in cases {
            let group = &groups[at];
            let summary = escaped(&cells::summary(group, &RunMeasure::ALL));
            writeln!(
                out,
                r#"    <testcase classname="queryscope.compare" name="{}">"#,
                escaped(&group.text)
            )?;
            for check in output.met_by(at) {
                let condition = escaped(&check.text);
                let reason = escaped(&cells::summary(group, &[check.measure]));
                writeln!(out, r#"      <failure type="condition" message="{condition}">{reason}</failure>"#)?;
            }
            writeln!(out, "      <system-out>{summary}</system-out>")?;
            writeln!(out, "    </testcase>")?;
        }
        for &condition in unchecked {
            let (name, message) = (escaped(condition), escaped(&as_text::unchecked(condition)));
            writeln!(out, r#"    <testcase classname="queryscope.condition" name="{name}">"#)?;
            writeln!(out, r#"      <error type="not checked" message="{message}"/>"#)?;
            writeln!(out, "    </testcase>")?;
        }
        writeln!(out, "  </testsuite>")
    }
}
