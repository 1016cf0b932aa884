//! The handbook's table of questions, carried out: each is answered in at most three clicks.

use std::fs;

use anyhow::{Context, Result, bail, ensure};
use queryscope_e2e::{Mount, Named, button, disclosure, root, site, tab};

use crate::page::Page;

/// A row of the table: question, trace, clicks and what is then visible.
struct Question {
    text: String,
    traces: Vec<String>,
    clicks: Vec<Named>,
    shown: Vec<String>,
}

/// Most clicks that an answer may take.
const MOST_CLICKS: usize = 3;

impl Question {
    /// Reads `| question | traces | tab **A** → button **B** | “words”, “words” |`.
    fn of(line: &str) -> Result<Self> {
        let cells: Vec<&str> = line.trim().trim_matches('|').split(" | ").map(str::trim).collect();
        let [text, traces, clicks, shown] = cells[..] else { bail!("not four cells: {line}") };
        let quoted = shown.split('“').skip(1);
        Ok(Self {
            text: text.to_owned(),
            traces: traces.split('`').skip(1).step_by(2).map(str::to_owned).collect(),
            clicks: clicks.split(" → ").map(click).collect::<Result<_>>()?,
            shown: quoted.filter_map(|words| Some(words.split_once('”')?.0.to_owned())).collect(),
        })
    }

    /// Opens the traces, clicks, and looks.
    fn ask(&self) -> Result<()> {
        ensure!(self.clicks.len() <= MOST_CLICKS, "{} clicks", self.clicks.len());
        ensure!(!self.shown.is_empty() && !self.traces.is_empty(), "nothing to see or to open");
        let mounts = vec![Mount::new("/", site()?), Mount::new("/docs-traces/", root().join("docs/traces"))];
        let traces: Vec<String> = self.traces.iter().map(|trace| format!("trace={trace}")).collect();
        let page = Page::at(mounts, &format!("#{}", traces.join("&")))?;
        page.phase("ready")?;
        for click in &self.clicks {
            page.browser.click_on(click).with_context(|| click.to_string())?;
        }
        for words in &self.shown {
            // Some headings are shown in capitals.
            let words = words.to_lowercase();
            let test = format!("document.querySelector('#app').innerText.toLowerCase().includes({words:?})");
            page.browser.wait(&format!("“{words}”"), &test)?;
        }
        page.is_quiet()
    }
}

/// Reads `tab **A**`: what is clicked, and its name. In the table `…` stands for the rest of a name.
fn click(text: &str) -> Result<Named> {
    let (kind, name) = text.split_once(" **").with_context(|| format!("no name: {text}"))?;
    let name = name.trim_end_matches("**");
    let (name, is_part) = name.strip_suffix('…').map_or((name, false), |name| (name.trim_end(), true));
    let named = |role: &'static str| if is_part { Named::with(role, name) } else { Named::new(role, name) };
    Ok(match kind {
        "tab" if !is_part => tab(name),
        "group" => disclosure(name),
        "column" => named("button").within(Named::new("columnheader", name)),
        "choice" => named("checkbox"),
        "button" if !is_part => button(name),
        "button" | "statement" | "execution" | "slice" | "source" | "thread" => named("button"),
        _ => bail!("what is a {kind}?"),
    })
}

/// Rows of the tables in docs/questions.md.
fn questions() -> Result<Vec<Question>> {
    let text = fs::read_to_string(root().join("docs/questions.md"))?;
    let rows = text.lines().filter(|line| line.starts_with("| ") && line.contains('“'));
    rows.map(Question::of).collect()
}

#[test]
fn every_question_of_the_handbook_is_answered_in_three_clicks() -> Result<()> {
    let questions = questions()?;
    let mut failed = Vec::new();
    for question in &questions {
        if let Err(error) = question.ask() {
            failed.push(format!("{}: {:.300}", question.text, format!("{error:#}")));
        }
    }
    ensure!(failed.is_empty(), "{}", failed.join("\n"));
    ensure!(questions.len() >= 25, "only {} questions", questions.len());
    Ok(())
}
