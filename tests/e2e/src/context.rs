//! Browser contexts of Chromium: pages that share only the browser process, as if each had its own browser.
//!
//! The driver connects only to pages, and pages may not create contexts (`Target.createBrowserContext`: "Not allowed").
//! So this module connects to the browser's own socket, at the driver's `debuggerAddress`.

use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::webdriver::Session;

/// Maximum time for the browser to answer before it counts as hung.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// A DevTools connection to a browser that creates contexts. The contexts end with the connection.
pub(crate) struct Contexts {
    socket: WebSocket<TcpStream>,
    sent: u64,
    /// Id of the browser's initial window, which no test uses.
    home: Value,
}

/// Id of a browser context with one window.
pub(crate) struct BrowserContext(String);

impl Contexts {
    /// Connects to the browser of a session.
    pub(crate) fn connect(session: &Session) -> Result<Self> {
        let address = session.capabilities["goog:chromeOptions"]["debuggerAddress"].as_str();
        let address = address.context("the driver does not say where its browser listens")?;
        let version = session.fetch(&format!("http://{address}/json/version"))?;
        let url = version["webSocketDebuggerUrl"].as_str().context("the browser has no socket")?;
        let stream = TcpStream::connect(address).context("the browser does not listen")?;
        stream.set_read_timeout(Some(ANSWER_TIMEOUT))?;
        let (socket, _response) = tungstenite::client(url, stream).context("no connection to the browser")?;
        Ok(Contexts { socket, sent: 0, home: session.get("/window")? })
    }

    /// Creates a context with a window of this size, and switches the session to the window.
    pub(crate) fn enter(&mut self, session: &Session, width: u32, height: u32) -> Result<BrowserContext> {
        let made = self.command("Target.createBrowserContext", json!({ "disposeOnDetach": true }))?;
        let context = made["browserContextId"].as_str().context("no context")?.to_owned();
        let wanted =
            json!({ "url": "about:blank", "browserContextId": context, "width": width, "height": height });
        let window = self.command("Target.createTarget", wanted)?;
        session.post("/window", &json!({ "handle": window["targetId"] }))?;
        Ok(BrowserContext(context))
    }

    /// Ends a context with its windows, workers and storage, and discards its remaining log entries.
    pub(crate) fn leave(&mut self, session: &Session, context: &BrowserContext) -> Result<()> {
        self.command("Target.disposeBrowserContext", json!({ "browserContextId": context.0 }))?;
        session.post("/window", &json!({ "handle": self.home }))?;
        session.post("/se/log", &json!({ "type": "browser" }))?;
        Ok(())
    }

    fn command(&mut self, method: &str, parameters: Value) -> Result<Value> {
        self.sent += 1;
        let message = json!({ "id": self.sent, "method": method, "params": parameters });
        self.socket.send(Message::text(message.to_string())).context("the browser is gone")?;
        loop {
            let message = self.socket.read().with_context(|| format!("no answer to {method}"))?;
            let Message::Text(text) = message else { continue };
            let mut answer: Value = serde_json::from_str(&text)?;
            // Events arrive between answers and are skipped.
            if answer["id"] == self.sent {
                match answer.get("error") {
                    Some(error) => bail!("{method}: {error}"),
                    None => return Ok(answer["result"].take()),
                }
            }
        }
    }
}
