//! Browser contexts of Chromium: pages that share nothing but the process, as if each were in a browser of its own.
//!
//! A driver speaks with pages only, and a page may not make contexts (`Target.createBrowserContext`: "Not allowed"). The
//! browser itself listens on a socket of its own, at the address that the driver gives as `debuggerAddress`.

use std::net::TcpStream;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

use crate::webdriver::Session;

/// How long the browser may take to answer before it counts as hung.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

/// The connection to a browser by which contexts are made. Its contexts end with it.
pub(crate) struct Contexts {
    socket: WebSocket<TcpStream>,
    sent: u64,
    /// The window that the browser began with, which no test uses.
    home: Value,
}

/// A context with one window in it.
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

    /// Makes a context with a window of this size, and has the session speak with that window.
    pub(crate) fn enter(&mut self, session: &Session, width: u32, height: u32) -> Result<BrowserContext> {
        let made = self.command("Target.createBrowserContext", json!({ "disposeOnDetach": true }))?;
        let context = made["browserContextId"].as_str().context("no context")?.to_owned();
        let wanted =
            json!({ "url": "about:blank", "browserContextId": context, "width": width, "height": height });
        let window = self.command("Target.createTarget", wanted)?;
        session.post("/window", &json!({ "handle": window["targetId"] }))?;
        Ok(BrowserContext(context))
    }

    /// Ends a context: its windows, workers, storage, and what the session still has to tell of it.
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
            // Between answers there are events.
            if answer["id"] == self.sent {
                match answer.get("error") {
                    Some(error) => bail!("{method}: {error}"),
                    None => return Ok(answer["result"].take()),
                }
            }
        }
    }
}
