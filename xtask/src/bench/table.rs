//! The measurements as stored in `docs/bench.json`, and the documents that are generated from them.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use queryscope_e2e::root;
use serde::{Deserialize, Serialize};

/// First line of the README's section with measurements; [`END`] is the last line.
const BEGIN: &str = "<!-- bench: written by `cargo xtask bench` -->";
const END: &str = "<!-- /bench -->";

/// The rows that the README quotes, by ID, each with its meaning for a user.
const QUOTED: &[(&str, &str)] = &[
    ("load", "How long you wait for a large trace: it is read, correlated and drawn."),
    ("tenfold", "The same for a trace of ten times as many events, and how the time grows with the size."),
    (
        "memory",
        "Peak memory of the browser tab, which includes the browser's own code, compared with the file.",
    ),
    ("frame-tenfold", "How smoothly a view moves. One frame of a 60 Hz display takes 16.7 ms."),
    ("pivot-0", "How long you wait for an aggregate over all events."),
    ("first-load", "What a visitor downloads before the page can be used."),
    (
        "perfetto",
        "The same Chrome trace in Perfetto UI, in the same browser on the same machine, without a GPU.",
    ),
    ("firefox", "What the importer of Firefox Profiler takes for it, before anything is drawn."),
];

/// A row of each section that only `--only sql` measures.
const ALONE: [&str; 2] = ["sql-first", "convert"];

/// All measurements of one machine and browser.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Table {
    pub machine: String,
    pub browser: String,
    /// CPU time that other guests of a virtual machine's host took, in percent; `None` if the system does not report it.
    pub steal: Option<f64>,
    pub sections: Vec<Section>,
}

/// Measurements of one trace or one part of the page.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Section {
    pub title: String,
    pub rows: Vec<Row>,
}

/// One measurement with its bounds.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// Identifier, unique in the table.
    pub id: String,
    pub what: String,
    /// The values with their units, as in the documents.
    pub measured: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub bounds: Vec<Bound>,
}

/// A value, rounded as displayed, and its limit.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Bound {
    /// Name of the limited value, if the row has several values.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub of: String,
    pub value: f64,
    pub relation: Relation,
    pub limit: f64,
    pub unit: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Relation {
    #[serde(rename = "<")]
    Below,
    #[serde(rename = "≤")]
    AtMost,
    #[serde(rename = "≥")]
    AtLeast,
}

impl Bound {
    /// A bound on `value`, which the document shows with this number of decimals.
    pub fn new((value, decimals): (f64, i32), relation: Relation, limit: f64, unit: &str) -> Self {
        let scale = 10_f64.powi(decimals);
        Bound {
            of: String::new(),
            value: (value * scale).round() / scale,
            relation,
            limit,
            unit: unit.to_owned(),
        }
    }

    /// Adds the name of the value that is limited.
    pub fn of(self, of: &str) -> Self {
        Bound { of: of.to_owned(), ..self }
    }

    pub fn is_met(&self) -> bool {
        match self.relation {
            Relation::Below => self.value < self.limit,
            Relation::AtMost => self.value <= self.limit,
            Relation::AtLeast => self.value >= self.limit,
        }
    }

    /// Text of the bound and whether it is met, such as `median ≤ 16.7 ms: met`.
    fn text(&self) -> String {
        let relation = match self.relation {
            Relation::Below => "<",
            Relation::AtMost => "≤",
            Relation::AtLeast => "≥",
        };
        let of = if self.of.is_empty() { String::new() } else { format!("{} ", self.of) };
        let outcome = if self.is_met() { "met" } else { "**missed**" };
        format!("{of}{relation} {} {}: {outcome}", self.limit, self.unit).replace(" :", ":")
    }
}

impl Table {
    /// Reads docs/bench.json.
    pub fn stored() -> Result<Self> {
        let text = fs::read_to_string(stored()).context("no docs/bench.json: run `cargo xtask bench`")?;
        serde_json::from_str(&text).context("docs/bench.json")
    }

    /// Writes docs/bench.json.
    pub fn store(&self) -> Result<()> {
        fs::create_dir_all(root().join("docs"))?;
        Ok(fs::write(stored(), serde_json::to_string_pretty(self)? + "\n")?)
    }

    /// Writes docs/bench.md and the measurements in the README.
    pub fn publish(&self) -> Result<()> {
        fs::write(root().join("docs/bench.md"), self.page())?;
        let readme = root().join("README.md");
        let text = fs::read_to_string(&readme).context("no README.md")?;
        let quoted = quote(&text, &self.summary()).context("README.md has no place for the measurements")?;
        Ok(fs::write(readme, quoted)?)
    }

    /// Adds those sections of an earlier table that are only measured alone, if both are of one machine and browser.
    pub fn keep(&mut self, earlier: &Table) {
        if (&self.machine, &self.browser) == (&earlier.machine, &earlier.browser) {
            let is_alone = |section: &&Section| section.rows.iter().any(|row| ALONE.contains(&&*row.id));
            self.sections.extend(earlier.sections.iter().filter(is_alone).cloned());
        }
    }

    /// Replaces the sections that have a row with the ID of a new row, and adds the others.
    pub fn replace(&mut self, sections: Vec<Section>) {
        for section in sections {
            let is_same =
                |own: &Section| own.rows.iter().any(|row| section.rows.iter().any(|new| new.id == row.id));
            let place = self.sections.iter().position(is_same).unwrap_or(self.sections.len());
            self.sections.retain(|own| !is_same(own));
            self.sections.insert(place.min(self.sections.len()), section);
        }
    }

    fn rows(&self) -> impl Iterator<Item = (&Section, &Row)> {
        self.sections.iter().flat_map(|section| section.rows.iter().map(move |row| (section, row)))
    }

    /// Markdown of the rows that the README quotes, and the number of missed bounds.
    fn summary(&self) -> String {
        let mut text = String::from("| what | measured | what it means |\n|---|---|---|\n");
        for (id, meaning) in QUOTED {
            if let Some((section, row)) = self.rows().find(|(_, row)| row.id == *id) {
                text += &format!("| {}: {} | {} | {meaning} |\n", section.title, row.what, row.measured);
            }
        }
        let missed = self.rows().flat_map(|(_, row)| &row.bounds).filter(|bound| !bound.is_met()).count();
        let all = self.rows().map(|(_, row)| row.bounds.len()).sum::<usize>();
        text + &format!(
            "\nMeasured on {} in headless {} without a GPU. The benchmark sets {all} bounds; {missed} of them are missed \
             and marked so in [docs/bench.md](docs/bench.md), where all measurements and their methods are.\n",
            self.machine, self.browser
        )
    }

    fn page(&self) -> String {
        let steal = self.steal.map_or(String::new(), |percent| {
            format!(" Other guests of the host took {percent:.0} % of the CPU time that this needed.")
        });
        format!(
            "# Benchmarks\n\n<!-- written by `cargo xtask bench` from docs/bench.json -->\n\nMeasured on {} in headless {} \
             without a GPU.{steal} {METHOD}\n\n{}## Definitions\n\n{DEFINITIONS}",
            self.machine,
            self.browser,
            markdown(&self.sections)
        )
    }
}

/// Markdown of sections with all their rows.
pub fn markdown(sections: &[Section]) -> String {
    let mut text = String::new();
    for section in sections {
        text += &format!("## {}\n\n| what | measured | bound |\n|---|---|---|\n", section.title);
        for row in &section.rows {
            let bounds: Vec<String> = row.bounds.iter().map(Bound::text).collect();
            text += &format!("| {} | {} | {} |\n", row.what, row.measured, bounds.join("; "));
        }
        text.push('\n');
    }
    text
}

const METHOD: &str = "Times are medians of several loads, except those of the largest trace and of speedscope, which are loaded once. The \
     page is the release build, served from the same machine; the files are in the \
     system's cache. `cargo xtask generate` writes the traces. A bound is a goal that the project has set itself: each \
     is marked as met or as **missed**, by the numbers as they stand here. Measure your own machine with `cargo xtask \
     bench`.";

const DEFINITIONS: &str = "\
- **Drop**: the moment when the files are dropped. Before it the page has been open for two seconds, in which the engine \
is downloaded and warmed up, and the files have been dragged over it for 300 ms.
- **Complete timeline**: all events are read and correlated, and the canvas no longer changes.
- **Frame time**: the time from one animation frame to the next, over 270 frames with one wheel event each. The display \
runs at 60 Hz.
- **CPU time per frame**: of the page's main thread, and of all threads of its process.
- **Peak memory**: the largest resident set of the page's renderer process, which includes the browser's own code.
- **Pivot table**: the time from a change until the table shows its answer. The trace has been open for 1.5 s before the \
first table. A roll-up is answered from the numbers of a finer table that is there already.
- A load during which other guests of the host took more than 5 % of the CPU time is repeated up to twice.
";

fn stored() -> PathBuf {
    root().join("docs/bench.json")
}

/// Replaces the README's section of measurements by `summary`; `None` if the README has no such section.
fn quote(text: &str, summary: &str) -> Option<String> {
    let (before, rest) = text.split_once(BEGIN)?;
    let (_old, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{summary}{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_met_by_the_number_that_is_shown() {
        for (value, decimals, relation, limit, met) in [
            (0.774, 2, Relation::AtMost, 0.5, false),
            (16.74, 1, Relation::AtMost, 16.7, true),
            (16.76, 1, Relation::AtMost, 16.7, false),
            (399.6, 0, Relation::Below, 400.0, false),
            (399.4, 0, Relation::Below, 400.0, true),
            (8.96, 1, Relation::AtLeast, 9.0, true),
            (8.94, 1, Relation::AtLeast, 9.0, false),
        ] {
            assert_eq!(Bound::new((value, decimals), relation, limit, "").is_met(), met, "{value}");
        }
        let bound = Bound::new((16.74, 1), Relation::AtMost, 16.7, "ms").of("median");
        assert_eq!(bound.text(), "median ≤ 16.7 ms: met");
        assert_eq!(Bound::new((0.77, 2), Relation::AtMost, 0.5, "").text(), "≤ 0.5: **missed**");
    }

    #[test]
    fn the_summary_goes_to_its_place() {
        let text = format!("a\n{BEGIN}\nold\n{END}\nb\n");
        assert_eq!(quote(&text, "new\n"), Some(format!("a\n{BEGIN}\nnew\n{END}\nb\n")));
        assert_eq!(quote("no place", "new"), None);
    }

    #[test]
    fn the_documents_show_the_stored_numbers() -> Result<()> {
        let table = Table::stored()?;
        let again = "run `cargo xtask bench --render`";
        assert!(fs::read_to_string(root().join("docs/bench.md"))? == table.page(), "{again}");
        let readme = fs::read_to_string(root().join("README.md"))?;
        assert!(quote(&readme, &table.summary()).as_ref() == Some(&readme), "{again}");
        Ok(())
    }

    #[test]
    fn parts_replace_their_rows_and_stay() {
        let section = |title: &str, id: &str| {
            let row = Row { id: id.into(), what: String::new(), measured: String::new(), bounds: Vec::new() };
            Section { title: title.to_owned(), rows: vec![row] }
        };
        let table = |sections| Table { machine: "m".into(), browser: "b".into(), steal: None, sections };
        let titles = |table: &Table| {
            table.sections.iter().map(|section| section.title.clone()).collect::<Vec<_>>().join(", ")
        };
        let mut stored =
            table(vec![section("load", "load"), section("SQL", "sql-first"), section("end", "end")]);
        stored.replace(vec![section("SQL again", "sql-first"), section("sets", "convert")]);
        assert_eq!(titles(&stored), "load, SQL again, end, sets");
        let mut new = table(vec![section("new load", "load")]);
        new.keep(&stored);
        assert_eq!(titles(&new), "new load, SQL again, sets");
        let mut other = Table { machine: "another".into(), ..table(Vec::new()) };
        other.keep(&stored);
        assert_eq!(titles(&other), "");
    }

    #[test]
    fn the_quoted_rows_are_there_once() -> Result<()> {
        let table = Table::stored()?;
        for (id, _) in QUOTED {
            assert_eq!(table.rows().filter(|(_, row)| row.id == *id).count(), 1, "{id}");
        }
        let mut ids: Vec<&str> = table.rows().map(|(_, row)| row.id.as_str()).collect();
        ids.sort_unstable();
        assert!(ids.windows(2).all(|pair| pair[0] != pair[1]), "{ids:?}");
        Ok(())
    }
}
