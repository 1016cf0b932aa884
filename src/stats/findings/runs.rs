//! Rules about whole files and runs: what is missing, and which clocks were corrected.

use super::RuleHit;
use super::context::FindingContext;
use crate::base::text;
use crate::protocol::{LOST_IN_ORIGINAL, MISSING_EVENTS, ProblemReport, SHOWN_ONCE};
use crate::trace::{Item, RunNote, attribute_names};

/// Value in place of the file's index in [`RuleHit::detail`], for findings about a run.
const OF_RUN: i64 = -1;

/// Finds the problems for which `wanted` returns true, in all files.
fn problems(context: &FindingContext, wanted: impl Fn(&ProblemReport) -> bool) -> Vec<RuleHit> {
    let mut hits = Vec::new();
    for (at, file) in (0..).zip(context.files) {
        for (of, problem) in (0..).zip(&file.problems).filter(|(_, problem)| wanted(problem)) {
            let count = i64::try_from(problem.count).unwrap_or(i64::MAX);
            hits.push(RuleHit { measure: count, amount: count, detail: [at, of], ..RuleHit::default() });
        }
    }
    hits
}

/// Records of a file that are missing from the timeline, and events that are missing from the file or, by the gaps in their
/// ids, from a run.
pub fn lost(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    let is_lost = |problem: &ProblemReport| {
        problem.lost && !SHOWN_ONCE.contains(&problem.name.as_str())
            || problem.name == LOST_IN_ORIGINAL
            || means_missing_events(&problem.name)
    };
    let mut hits = problems(context, |problem| is_lost(problem) && problem.count > 0);
    for hit in &mut hits {
        // Missing events are not among the records of the file.
        if problem_of(context, hit).is_some_and(|problem| means_missing_events(&problem.name)) {
            hit.amount = 0;
        }
    }
    hits.extend(dropped(context));
    hits.extend(notes(context, |note| note.name == attribute_names::MISSING_EVENTS));
    hits
}

/// Finds the notes of runs for which `wanted` returns true.
fn notes(context: &FindingContext, wanted: impl Fn(&RunNote) -> bool) -> Vec<RuleHit> {
    let notes = (0..).zip(&context.trace.notes).filter(|(_, note)| wanted(note));
    let hit = |(at, _)| RuleHit { measure: i64::MAX, detail: [OF_RUN, at], ..RuleHit::default() };
    notes.map(hit).collect()
}

fn means_missing_events(name: &str) -> bool {
    MISSING_EVENTS.contains(&name)
}

/// Events by which TopoExec reports how many events its observer dropped since the previous one.
fn dropped(context: &FindingContext) -> Vec<RuleHit> {
    let trace = context.trace;
    let Some(name) = trace.strings.find("observer_drop_summary") else { return Vec::new() };
    let count = trace.key("value0");
    let events = context.events().filter(|id| trace.events.name(*id) == name);
    let hit = |id| {
        let item = Item::Event(id);
        let measure = count.and_then(|key| trace.num(item, key)).unwrap_or_default();
        RuleHit { item: Some(item), measure, ..RuleHit::default() }
    };
    events.map(hit).collect()
}

fn problem_of<'a>(context: &FindingContext<'a>, hit: &RuleHit) -> Option<&'a ProblemReport> {
    let [file, at] = hit.detail;
    context.files.get(file as usize)?.problems.get(at as usize)
}

/// Runs whose clocks were corrected or reconstructed, and files with times of several clocks.
pub fn clocks(context: &FindingContext, _: &[i64]) -> Vec<RuleHit> {
    let mut hits = problems(context, |problem| problem.name.contains("clock"));
    hits.extend(notes(context, is_about_clock));
    hits
}

fn is_about_clock(note: &RunNote) -> bool {
    // A correction of nothing concerns nobody.
    let is_nothing = note.text.contains("corrected by 0 ppm (");
    (note.name == attribute_names::RECONSTRUCTED || note.name.ends_with("clock")) && !is_nothing
}

/// Name of the file or run of a finding.
pub fn title(context: &FindingContext, hit: &RuleHit) -> String {
    let [file, at] = hit.detail;
    if file != OF_RUN {
        return context.files.get(file as usize).map_or_else(String::new, |file| file.name.clone());
    }
    let run =
        context.trace.notes.get(at as usize).and_then(|note| context.trace.runs.get(note.run.0 as usize));
    run.map_or_else(String::new, |run| context.trace.str(run.name).to_owned())
}

/// Text of a finding: the problem of its file, the note of its run, or the number of events that were dropped.
pub fn text_of(context: &FindingContext, hit: &RuleHit) -> String {
    if hit.item.is_some() {
        let count = u64::try_from(hit.measure).unwrap_or_default();
        return format!(
            "{} not recorded: the buffer of the observer was full",
            text::counted(count, "event", "events")
        );
    }
    let [file, at] = hit.detail;
    if file == OF_RUN {
        return context.trace.notes.get(at as usize).map_or_else(String::new, |note| note.text.clone());
    }
    problem_of(context, hit).map_or_else(String::new, |problem| {
        if means_missing_events(&problem.name) {
            let places: Vec<&str> = problem.places.iter().map(|place| place.text.as_str()).collect();
            return format!("{} ({}): {}", problem.name, places.join(", "), problem.meaning);
        }
        format!(
            "{} ({}): {}",
            text::counted(problem.count, "record", "records"),
            problem.name,
            problem.meaning
        )
    })
}

/// Whether anything was read from files.
pub fn has_files(context: &FindingContext) -> bool {
    !context.files.is_empty()
}
