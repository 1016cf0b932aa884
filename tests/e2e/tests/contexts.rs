//! Tests that share a browser share nothing else, and no process outlives the test command.

use std::env;
use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use queryscope_e2e::{Browser, Mount, Options, Server, root};
use serde_json::{Value, json};

/// Says which of its ends the test [`ends_as_it_is_told`] comes to.
const END: &str = "QUERYSCOPE_E2E_END";

fn served(test: &str) -> Result<Server> {
    let folder = root().join("target/e2e").join(test);
    fs::create_dir_all(&folder)?;
    fs::write(folder.join("index.html"), "<!DOCTYPE html><title>t</title><p>A page.")?;
    fs::write(
        folder.join("worker.js"),
        "onconnect = event => event.ports[0].postMessage(self.seen = (self.seen ?? 0) + 1)",
    )?;
    Ok(Server::start(vec![Mount::new("/", folder)])?)
}

/// What a page can find of an earlier one: storage, cookies, databases, caches, preferences, size, windows, and how many pages
/// its shared worker has met.
const TRACES: &str = "
    const port = new SharedWorker('worker.js').port;
    const met = new Promise(r => { port.onmessage = event => r(event.data) });
    return [localStorage.length, sessionStorage.length, document.cookie, (await indexedDB.databases()).length,
        (await caches.keys()).length, matchMedia('(prefers-color-scheme: dark)').matches,
        matchMedia('print').matches, innerWidth, innerHeight, devicePixelRatio, await met]";

/// Leaves all of that behind. A window that stays open keeps the shared worker running while its page is loaded again.
const LEAVE: &str = "
    const other = window.open('about:blank');
    new other.SharedWorker(new URL('worker.js', location)).port.start();
    localStorage.a = sessionStorage.a = 'x'; document.cookie = 'a=b; max-age=1000';
    await new Promise(r => { indexedDB.open('a').onsuccess = r });
    await caches.open('a'); console.error('left behind');";

/// Whether everything that a page can find of an earlier one is another, but for the ratio of pixels, which no test changes.
fn differs_throughout(used: &Value, new: &Value) -> bool {
    let pairs = used.as_array().into_iter().flatten().zip(new.as_array().into_iter().flatten());
    pairs.enumerate().filter(|(_, (used, new))| used == new).map(|(at, _)| at).eq([9])
}

#[test]
fn a_context_is_as_new_as_a_browser() -> Result<()> {
    let server = served("contexts")?;
    let seen = |browser: &Browser| -> Result<Value> {
        browser.open(server.url())?;
        browser.run_async(TRACES, json!([]))
    };
    let own = Browser::start(Options::default())?;
    let new = seen(&own)?;
    let first = Browser::fresh()?;
    let before = seen(&first)?;
    ensure!(before == new, "in a new browser {new}, in a first context {before}");
    let process = first.process();
    first.run_async(LEAVE, json!([]))?;
    let features = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
    first.devtools("Emulation.setEmulatedMedia", json!({ "media": "print", "features": features }))?;
    first.resize(380, 760)?;
    let used = seen(&first)?;
    ensure!(differs_throughout(&used, &new), "something was not left: {used} and {new}");
    drop(first);
    let second = Browser::fresh()?;
    ensure!(second.process() == process, "the browser was not used again");
    let again = seen(&second)?;
    ensure!(again == new, "in a new browser {new}, in a new context {again}");
    let console = second.console()?;
    ensure!(!console.iter().any(|line| line.contains("left behind")), "{console:?}");
    let windows = second.windows()?;
    ensure!(windows == 2, "{windows} windows, but the test's own and the browser's first");
    the_next_test_gets_a_browser_that_answers(&server, second)
}

/// Not a test of its own: another one could take the browser that died.
fn the_next_test_gets_a_browser_that_answers(server: &Server, browser: Browser) -> Result<()> {
    // A page that crashed is a context that ends as any other.
    browser.devtools("Page.crash", json!({})).err().context("the page did not crash")?;
    drop(browser);
    let browser = Browser::fresh()?;
    browser.open(server.url())?;
    let process = browser.process();
    ensure!(Command::new("kill").args(["-9", &process.to_string()]).status()?.success());
    browser.open(server.url()).err().context("the driver still answers")?;
    drop(browser);
    let browser = Browser::fresh()?;
    ensure!(browser.process() != process, "a driver that was killed is used");
    browser.open(server.url())?;
    ensure!(browser.run("return document.title", json!([]))? == json!("t"));
    Ok(())
}

/// Starts browsers and comes to an end: run by the next test, in a process of its own.
#[test]
#[ignore = "run by the test after it"]
fn ends_as_it_is_told() -> Result<()> {
    let Ok(end) = env::var(END) else { return Ok(()) };
    // One that stays idle, one in use by a test, one of a test alone.
    let idle = Browser::fresh()?;
    let _shared = Browser::fresh()?;
    drop(idle);
    let _own = Browser::start(Options::default())?;
    println!("\nstarted");
    match end.as_str() {
        "returns" => Ok(()),
        "panics" => panic!("as it was told"),
        "exits" => std::process::exit(3),
        _ => loop {
            sleep(Duration::from_secs(1));
        },
    }
}

/// Processes whose temporary folder is one of that process.
fn descendants(process: u32) -> Result<Vec<String>> {
    let mark = format!("TMPDIR={}", env::temp_dir().join(format!("queryscope-e2e-{process}-")).display());
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        // A process may end while it is looked at.
        let environment = fs::read(entry.path().join("environ")).unwrap_or_default();
        if environment.split(|byte| *byte == 0).any(|one| one.starts_with(mark.as_bytes())) {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&line).replace('\0', " "));
        }
    }
    Ok(found)
}

fn folders(process: u32) -> Result<usize> {
    let prefix = format!("queryscope-e2e-{process}-");
    let names = fs::read_dir(env::temp_dir())?.flatten();
    Ok(names.filter(|entry| entry.file_name().to_string_lossy().starts_with(&prefix)).count())
}

#[test]
fn no_process_outlives_the_tests() -> Result<()> {
    if !Path::new("/proc/self/environ").exists() {
        eprintln!("skipped: no /proc to look for processes in");
        return Ok(());
    }
    for end in ["returns", "panics", "exits", "is killed"] {
        let mut tests = Command::new(env::current_exe()?)
            .args(["--exact", "ends_as_it_is_told", "--ignored", "--nocapture"])
            .env(END, end)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let output = BufReader::new(tests.stdout.take().context("a pipe")?);
        let mut lines = output.lines();
        ensure!(lines.any(|line| line.is_ok_and(|line| line == "started")), "{end}: nothing was started");
        let process = tests.id();
        if end == "is killed" {
            ensure!(
                descendants(process)?.len() > 6 && folders(process)? == 3,
                "what is looked for is not found"
            );
            tests.kill()?;
        }
        tests.wait()?;
        let begun = Instant::now();
        loop {
            let left = descendants(process)?;
            if left.is_empty() && folders(process)? == 0 {
                break;
            }
            if begun.elapsed() > Duration::from_secs(20) {
                bail!("{end}: {} folders are left, and {left:#?}", folders(process)?);
            }
            sleep(Duration::from_millis(100));
        }
    }
    Ok(())
}
