//! Saved traces in the viewers that they are saved for: the numbers that speedscope and Perfetto UI compute are those of the trace.
//!
//! `cargo xtask test` fetches the viewers where it can; a viewer that is missing is reported as skipped.

use std::env;
use std::path::PathBuf;

use anyhow::{Result, ensure};
use queryscope_e2e::{Browser, Mount, Options, Server};
use serde_json::json;

use crate::fixtures::{self, file};
use crate::page::Page;
use crate::save::{Choice, save};

/// Two threads: `outer` takes 10 ms, of which two calls of `inner` take 5 ms; an arrow leads from the first of them to `waiting`.
const TRACE: [&str; 10] = [
    r#"{"queryscope":"trace","version":1}"#,
    r#"{"run":"r"}"#,
    r#"{"track":"worker","kind":"thread"}"#,
    r#"{"span":"outer","start":0,"duration":10000000,"nums":{"rows":42}}"#,
    r#"{"span":"inner","start":2000000,"duration":3000000,"row":1,"parent":0}"#,
    r#"{"span":"inner","start":6000000,"duration":2000000,"row":1,"parent":0}"#,
    r#"{"event":"spill","time":7000000}"#,
    r#"{"track":"other","kind":"thread"}"#,
    r#"{"span":"waiting","start":5000000,"duration":4000000}"#,
    r#"{"flow":"data","from":1,"to":3,"leaves":5000000,"arrives":5000000}"#,
];

/// Folder of a viewer from the environment; `None`, and a line that says so, where there is none.
fn viewer(variable: &str, name: &str) -> Option<PathBuf> {
    let folder = env::var_os(variable).map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: no {name} ({variable} names its folder; `cargo xtask test` fetches it)");
    }
    folder
}

/// Saves [`TRACE`] in a format, by the page's dialog.
fn saved(test: &str, format: &'static str) -> Result<PathBuf> {
    let folder = fixtures::folder(test)?;
    let page = Page::open()?;
    page.browser.pick("#file-input", &[&file(&folder, "run.ndjson", TRACE.join("\n"))?])?;
    page.browser.wait("the trace", "document.querySelector('#app')?.dataset.phase === 'ready'")?;
    save(&page, &folder, &Choice { options: &[("radio", format)], notes: "" })
}

/// A page of a viewer, and its server.
fn opened(folder: PathBuf, path: &str) -> Result<(Browser, Server)> {
    let server = Server::start(vec![Mount::new("/", folder)])?;
    let browser = Browser::start(Options { webgl: true, ..Options::default() })?;
    browser.open(&format!("{}{path}", server.url()))?;
    Ok((browser, server))
}

#[test]
fn speedscope_sums_up_the_calls_of_a_saved_trace() -> Result<()> {
    let Some(folder) = viewer("SPEEDSCOPE", "speedscope") else { return Ok(()) };
    let saved = saved("viewers-speedscope", "speedscope JSON")?;
    let (browser, _server) = opened(folder, "")?;
    browser.wait("speedscope", "document.querySelector('input[type=file]')")?;
    browser.pick("input[type=file]", &[&saved])?;
    browser
        .wait("the profile", "document.title.endsWith('- speedscope') && document.querySelector('canvas')")?;
    // Its table of functions with total time, self time and name, then that of the next profile.
    let text = r"document.body.innerText.replace(/\s+/g, ' ').replace(/[^ ]*Export.* Name /, '').trim()";
    for (key, functions) in [
        ("3", "(1/2) 5.00ms (50%) 5.00ms (50%) inner 10.00ms (100%) 5.00ms (50%) outer"),
        ("n", "(2/2) 4.00ms (100%) 4.00ms (100%) waiting"),
    ] {
        browser.keys(key)?;
        browser.wait(functions, &format!("{text}.endsWith({functions:?})"))?;
    }
    Ok(())
}

/// A statement for Perfetto's trace processor, and the rows that it gives, as JSON.
const STATEMENTS: [(&str, &str); 5] = [
    (
        "select name, count(*) as n, sum(dur) as dur from slice where dur > 0 group by name order by name",
        r#"[["inner",2,5000000],["outer",1,10000000],["waiting",1,4000000]]"#,
    ),
    (
        "select child.name as name, child.depth as n, parent.dur as dur from slice child join slice parent on parent.id = child.parent_id
         where child.dur > 0 and parent.dur > 0 order by child.ts",
        r#"[["inner",1,10000000],["inner",1,10000000]]"#,
    ),
    (
        "select thread.name as name, count(*) as n, max(dur) as dur from slice join thread_track on slice.track_id = thread_track.id
         join thread using (utid) where dur > 0 group by 1 order by 1",
        r#"[["other",1,4000000],["worker",3,10000000]]"#,
    ),
    (
        "select a.name || ' to ' || b.name as name, count(*) as n, b.ts - a.ts as dur from flow
         join slice a on a.id = slice_out join slice b on b.id = slice_in group by 1",
        r#"[["inner to waiting",1,3000000]]"#,
    ),
    (
        "select slice.name as name, int_value as n, (select count(*) from slice where name = 'spill' and dur = 0) as dur
         from slice join args using (arg_set_id) where args.key = 'args.rows'",
        r#"[["outer",42,1]]"#,
    ),
];

const QUERY: &str = "const rows = []; \
    const result = await app.trace.engine.query(arguments[0]); \
    for (const it = result.iter({ name: 'str', n: 0, dur: 0 }); it.valid(); it.next()) rows.push([it.name, Number(it.n), Number(it.dur)]); \
    return JSON.stringify(rows)";

#[test]
fn perfetto_finds_the_slices_of_a_saved_trace() -> Result<()> {
    let Some(folder) = viewer("PERFETTO", "Perfetto UI") else { return Ok(()) };
    let saved = saved("viewers-perfetto", "Chrome JSON")?;
    let (browser, _server) = opened(folder, "?testing=1")?;
    browser.wait("Perfetto UI", "window.app && document.querySelector('input.trace_file')")?;
    browser.drop(&[&saved])?;
    browser.wait("the trace", "window.app.trace && !window.app.isLoadingTrace")?;
    for (statement, expected) in STATEMENTS {
        let rows = browser.run_async(QUERY, json!([statement]))?;
        ensure!(rows == expected, "{statement}: {rows}");
    }
    Ok(())
}
