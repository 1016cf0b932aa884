//! Traces and links with little, nothing or too much in them: every tab says something, and no number is broken.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use queryscope_e2e::{Mount, root, site};

use crate::fixtures::{self, file, folder};
use crate::page::Page;

/// Opens each tab, and returns what is wrong there: a panel without text and picture, a broken number, an answer that does not come.
const VISIT: &str = r"
    const wrong = [];
    const stage = () => document.querySelector('main.stage');
    const pause = time => new Promise(done => setTimeout(done, time));
    for (const name of [...document.querySelectorAll('[role=tab]')].map(tab => tab.innerText.trim())) {
        [...document.querySelectorAll('[role=tab]')].find(tab => tab.innerText.trim() === name).click();
        let left = 100;
        do await pause(60); while (/Loading…/.test(stage().innerText) && left-- > 0);
        const text = stage().innerText;
        const broken = text.match(/.{0,40}(\bNaN\b|Infinity|\bundefined\b|\[object |\bnull\b|\binf\b).{0,20}/);
        if (broken) wrong.push(`${name}: ${broken[0]}`);
        if (left <= 0) wrong.push(`${name}: still loading`);
        if (text.trim().length < 20 && !stage().querySelector('canvas')) wrong.push(`${name}: blank`);
    }
    return wrong;
";

/// A trace, by the path of its file below the folder of the mounts, and further parameters of the link.
type Case = (&'static str, &'static str);

const FIXTURES: &[Case] = &[
    ("fixtures/kubling/cut-off.json", ""),
    ("fixtures/kubling/end-before-start.ndjson", ""),
    ("fixtures/kubling/far.ndjson", ""),
    ("fixtures/kubling/no-query-events.ndjson", ""),
    ("fixtures/kubling/values.ndjson", ""),
    ("fixtures/chrome/counters.json", ""),
    ("fixtures/chrome/instants.json", ""),
    ("fixtures/chrome/open-at-end.json", ""),
    ("fixtures/chrome/times.json", ""),
    ("fixtures/chrome/whole-profile.json", ""),
    ("fixtures/folded/stacks.folded", ""),
    ("fixtures/monetdb/no-times.txt", ""),
    ("fixtures/monetdb/mitosis.ndjson", ""),
    ("fixtures/mysql/events_statements_history_long.txt", ""),
    ("fixtures/mysql/batch.tsv", ""),
];

/// Traces that [`traces`] writes, each with the parameters of a link.
const WRITTEN: &[Case] = &[
    ("one.json", ""),
    ("one.json", "&range=5,5"),
    ("one.json", "&range=900,-900"),
    ("one.json", "&range=9223372036854775806,9223372036854775807"),
    ("one.json", "&t=-9223372036854775808,9223372036854775807"),
    ("many.json", "&filter=duration%20%3E%20100h"),
    ("many.json", "&filter=(((%20and"),
    ("many.json", "&threshold=outliers.ratio:none&threshold=outliers.ratio:-1&threshold=nothing:1"),
    ("many.json", "&weights=0,0,0"),
    ("started.json", ""),
    ("no-length.json", ""),
    ("failed.json", ""),
    ("largest.json", ""),
    ("no-values.json", ""),
    ("no-length-slice.json", ""),
    ("one-event.json", ""),
    ("one-counter.json", ""),
    ("one.json", "&trace=t/one-counter.json"),
    ("one.json", "&trace=t/failed.json&trace=t/one-event.json"),
];

/// Writes the traces of [`WRITTEN`].
fn traces(folder: &Path) -> Result<()> {
    let array = |events: &[String]| format!("[{}]", events.join(","));
    let one = fixtures::query_events("a", 0);
    file(folder, "one.json", array(&one))?;
    file(folder, "many.json", fixtures::array("a"))?;
    file(folder, "started.json", array(&one[..2]))?;
    file(folder, "failed.json", array(&fixtures::query_events("a", 2)))?;
    // All events at one instant.
    let instant = one.iter().map(|event| {
        let (before, rest) = event.split_once("\"timestamp\":").context("a time")?;
        let (_, after) = rest.split_once(',').context("a field after it")?;
        Ok(format!("{before}\"timestamp\":5,{after}"))
    });
    file(folder, "no-length.json", array(&instant.collect::<Result<Vec<_>>>()?))?;
    let most = |event: &String| {
        let event = event.replace("\"rowsRead\":1000", "\"rowsRead\":9223372036854775807");
        let event = event.replace("\"rowsReturned\":10", "\"rowsReturned\":9223372036854775807");
        event.replace("Nanos\":60000", "Nanos\":9223372036854775807")
    };
    file(folder, "largest.json", array(&fixtures::events("a").iter().map(most).collect::<Vec<_>>()))?;
    let none = |event: &String| {
        let event = event.replace("\"rowsRead\":1000", "\"rowsRead\":null");
        event
            .replace("\"rowsReturned\":10", "\"rowsReturned\":null")
            .replace("\"success\":true", "\"success\":null")
    };
    file(folder, "no-values.json", array(&fixtures::events("a").iter().map(none).collect::<Vec<_>>()))?;
    let chrome = |rest: &str| format!(r#"[{{"name":"a","pid":1,"tid":1,"ts":7,{rest}}}]"#);
    file(folder, "no-length-slice.json", chrome(r#""ph":"X","dur":0"#))?;
    file(folder, "one-event.json", chrome(r#""ph":"i""#))?;
    file(folder, "one-counter.json", chrome(r#""ph":"C","args":{"value":0}"#))?;
    Ok(())
}

fn check(test: &str, cases: &[Case]) -> Result<()> {
    let folder = folder(test)?;
    traces(&folder)?;
    let mounts = vec![
        Mount::new("/", site()?),
        Mount::new("/t/", folder),
        Mount::new("/fixtures/", root().join("tests/traces")),
    ];
    let page = Page::at(mounts, "")?;
    page.phase("landing")?;
    let mut wrong = String::new();
    for (at, (trace, parameters)) in cases.iter().enumerate() {
        let place = if trace.starts_with("fixtures/") { (*trace).to_owned() } else { format!("t/{trace}") };
        page.browser.open(&format!("{}?{at}#trace={place}{parameters}", page.server.url()))?;
        page.phase("ready").with_context(|| format!("{trace}{parameters}"))?;
        let found = page.browser.run_async(VISIT, serde_json::json!([]))?;
        for of in found.as_array().into_iter().flatten() {
            writeln!(wrong, "{trace}{parameters}: {of}")?;
        }
        page.is_quiet().with_context(|| format!("{trace}{parameters}"))?;
    }
    ensure!(wrong.is_empty(), "\n{wrong}");
    Ok(())
}

#[test]
fn every_tab_says_something_about_little_data() -> Result<()> {
    check("degenerate", WRITTEN)
}

#[test]
fn every_tab_says_something_about_damaged_data() -> Result<()> {
    check("degenerate-fixtures", FIXTURES)
}
