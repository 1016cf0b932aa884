//! Traces of other sites: the user is asked before they are requested, and told why they cannot be read.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use anyhow::{Result, ensure};
use queryscope_e2e::{Mount, Server, button, encode, site};
use serde_json::json;

use crate::fixtures::{self, QUERIES, file};
use crate::page::Page;

/// A server that gives every request the same reply, byte by byte as it stands here; then it keeps the connection open if
/// `stays`.
fn server(reply: String, stays: bool) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}/run.json", listener.local_addr()?);
    let answer = move |mut stream: TcpStream| -> std::io::Result<()> {
        // The request itself does not matter.
        let _ = stream.read(&mut [0; 4096])?;
        stream.write_all(reply.as_bytes())?;
        stream.flush()?;
        if stays {
            std::thread::sleep(Duration::from_secs(120));
        }
        Ok(())
    };
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answer = answer.clone();
            std::thread::spawn(move || answer(stream).ok());
        }
    });
    Ok(url)
}

fn reply(status: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n{body}")
}

/// Opens a link to `url`, agrees, and expects these words.
fn explains(url: &str, words: &[&str]) -> Result<()> {
    let page = Page::at(vec![Mount::new("/", site()?)], &format!("#trace={}", encode(url)))?;
    page.agree()?;
    page.phase("error")?;
    words.iter().try_for_each(|word| page.says(word))
}

const SHARED: &str = "Access-Control-Allow-Origin: *\r\n";

#[test]
fn a_server_that_does_not_share() -> Result<()> {
    explains(&server(reply("200 OK", "", "[]"), false)?, &["Access-Control-Allow-Origin: *"])
}

#[test]
fn a_server_that_is_not_there() -> Result<()> {
    let free = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    explains(&format!("http://{free}/run.json"), &["run.json could not be read", "cannot be reached"])
}

#[test]
fn a_web_page_instead_of_a_trace() -> Result<()> {
    let headers = format!("{SHARED}Content-Type: text/html\r\n");
    let page = "\n <!doctype html><title>Sign in</title>";
    explains(&server(reply("200 OK", &headers, page), false)?, &["a web page instead of a trace", "login"])
}

#[test]
fn a_redirect_to_a_site_that_the_link_does_not_name() -> Result<()> {
    let elsewhere = server(reply("200 OK", SHARED, "[]"), false)?;
    let headers = format!("{SHARED}Location: {elsewhere}\r\n");
    explains(&server(reply("302 Found", &headers, ""), false)?, &["redirects to another site"])
}

#[test]
fn a_status_that_is_an_error() -> Result<()> {
    explains(&server(reply("403 Forbidden", SHARED, ""), false)?, &["the server does not allow it", "403"])
}

#[test]
fn a_server_that_falls_silent() -> Result<()> {
    let headers = format!("HTTP/1.1 200 OK\r\n{SHARED}\r\n");
    let page = Page::at(
        vec![Mount::new("/", site()?)],
        &format!("#trace={}", encode(&server(format!("{headers}["), true)?)),
    )?;
    page.agree()?;
    std::thread::sleep(Duration::from_secs(20));
    page.says("nothing for 30 seconds")
}

/// Makes the engine believe that the page was loaded by https:, where no request to another site succeeds.
const SECURE: &str = "
    const before = `
        Object.defineProperty(self, 'origin', { value: 'https://viewer.example' });
        self.fetch = () => Promise.reject(new TypeError('refused'));`;
    const Original = Blob;
    window.Blob = function (parts, options) {
        return new Original(options?.type === 'text/javascript' ? [before, ...parts] : parts, options);
    };
    window.Blob.prototype = Original.prototype;";

#[test]
fn mixed_content_is_explained() -> Result<()> {
    for (url, words) in [
        ("http://traces.example/run.json", "A page that was loaded over https: cannot read http: URLs"),
        ("https://traces.example/run.json", "the server cannot be reached"),
        // Browsers allow the own machine.
        ("http://localhost:9/run.json", "the server cannot be reached"),
        ("http://127.0.0.1:9/run.json", "the server cannot be reached"),
        ("http://[::1]:9/run.json", "the server cannot be reached"),
    ] {
        let page = Page::at(vec![Mount::new("/", site()?)], "")?;
        page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": SECURE }))?;
        page.browser.open(&format!("{}#trace={}", page.server.url(), encode(url)))?;
        page.agree()?;
        page.phase("error")?;
        page.says(words)?;
    }
    Ok(())
}

#[test]
fn nothing_is_requested_from_another_site_if_the_user_does_not_agree() -> Result<()> {
    let folder = fixtures::folder("remote-refused")?;
    let foreign =
        Server::shared(vec![Mount::new("/run.json", file(&folder, "run.json", fixtures::array("a"))?)])?;
    let link = format!("#trace={}&view=flame", encode(&format!("{}run.json", foreign.url())));
    let page = Page::at(vec![Mount::new("/", site()?)], &link)?;
    page.says("your own machine or network")?;
    page.says(&format!("{}run.json", foreign.url()))?;
    page.browser.click_on(&button("Do not open"))?;
    page.says("See where your database spends its time")?;
    ensure!(foreign.visits().is_empty(), "asked for {:?}", foreign.visits());
    page.browser.open("about:blank")?;
    page.browser.open(&format!("{}{link}", page.server.url()))?;
    page.agree()?;
    page.ready(QUERIES)?;
    ensure!(page.eval("document.querySelector('#app').dataset.view")? == "flame", "the link's view is lost");
    page.is_quiet()
}

/// The site with these settings.
fn configured(test: &str, config: &str) -> Result<Vec<Mount>> {
    let folder = fixtures::folder(test)?;
    file(&folder, "a.json", fixtures::array("a"))?;
    file(&folder, "b.json", fixtures::array("b"))?;
    let config = file(&folder, "config.json", config)?;
    Ok(vec![Mount::new("/", site()?), Mount::new("/traces/", folder), Mount::new("/config.json", config)])
}

#[test]
fn a_trusted_site_is_not_asked_about() -> Result<()> {
    let folder = fixtures::folder("remote-trusted")?;
    let foreign =
        Server::shared(vec![Mount::new("/run.json", file(&folder, "run.json", fixtures::array("a"))?)])?;
    let origin = foreign.url().trim_end_matches('/');
    let mounts = configured("remote-trusted-site", &format!("{{\"trustedOrigins\": [\"{origin}\"]}}"))?;
    let page = Page::at(mounts, &format!("#trace={}", encode(&format!("{}run.json", foreign.url()))))?;
    page.ready(QUERIES)?;
    page.is_quiet()
}

#[test]
fn the_host_lists_its_traces_and_opens_one() -> Result<()> {
    let traces = "\"traces\": [{\"url\": \"traces/b.json\", \"name\": \"Nightly <b>run</b>\", \"description\": \"Two runs\"}, 7, {}]";
    let page = Page::at(configured("remote-list", &format!("{{{traces}}}"))?, "")?;
    page.says("Traces on this site")?;
    page.says("Nightly <b>run</b>")?;
    page.browser.click(".hosted a")?;
    page.ready(QUERIES)?;
    page.is_quiet()?;
    let open = format!("{{\"open\": [\"traces/a.json\", \"traces/b.json\"], {traces}}}");
    let page = Page::at(configured("remote-open", &open)?, "")?;
    page.ready(2 * QUERIES)?;
    page.is_quiet()
}

#[test]
fn settings_that_are_no_settings_are_ignored() -> Result<()> {
    for (number, config) in
        ["", "[]", "7", "{\"open\": 7, \"traces\": {\"url\": 1}, \"trustedOrigins\": null}"]
            .into_iter()
            .enumerate()
    {
        let page = Page::at(configured(&format!("remote-odd-{number}"), config)?, "")?;
        page.phase("landing")?;
    }
    Ok(())
}
