//! The protocol between a test and a driver: one HTTP request for each command.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::driver::Driver;

/// How long a browser may take to end before it is killed.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// A session of a driver, which is one browser.
pub(crate) struct Session {
    driver: Driver,
    http: ureq::Agent,
    id: String,
    /// What the driver says of its browser.
    pub(crate) capabilities: Value,
}

impl Session {
    /// Has a driver start its browser.
    pub(crate) fn start(driver: Driver, capabilities: &Value) -> Result<Self> {
        let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None).build();
        let mut session =
            Session { driver, http: config.into(), id: String::new(), capabilities: Value::Null };
        let mut wanted = json!({ "timeouts": { "script": 600_000, "pageLoad": 60_000 } });
        if let (Some(wanted), Some(own)) = (wanted.as_object_mut(), capabilities.as_object()) {
            wanted.extend(own.clone());
        }
        let wanted = json!({ "capabilities": { "alwaysMatch": wanted } });
        // Drivers give a browser a time to start that a busy machine may exceed: the second start finds it in memory.
        let mut reply = session.post("", &wanted).or_else(|_| session.post("", &wanted))?;
        let id = reply["sessionId"].as_str().context("the driver gave no session")?;
        session.id = format!("/{id}");
        session.capabilities = reply["capabilities"].take();
        let process = ["goog:processID", "moz:processID"].map(|name| session.capabilities[name].as_u64());
        if let Some(process) = process.into_iter().flatten().next() {
            session.driver.guard_browser(u32::try_from(process)?)?;
        }
        Ok(session)
    }

    /// The driver's process.
    pub(crate) fn process(&self) -> u32 {
        self.driver.process()
    }

    /// Sends a command with parameters.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let reply = self.http.post(self.url(path)).content_type("application/json").send(body.to_string());
        value(path, reply)
    }

    /// Asks for something.
    pub(crate) fn get(&self, path: &str) -> Result<Value> {
        value(path, self.http.get(self.url(path)).call())
    }

    /// The answer of another server on this machine, in JSON.
    pub(crate) fn fetch(&self, url: &str) -> Result<Value> {
        let mut reply = self.http.get(url).call()?;
        Ok(serde_json::from_str(&reply.body_mut().read_to_string()?)?)
    }

    fn url(&self, path: &str) -> String {
        format!("{}{}{path}", self.driver.url, self.id)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if self.id.is_empty() {
            return;
        }
        // A driver that is gone or hangs cannot end its browser.
        let goodbye = self.http.delete(self.url("")).config().timeout_global(Some(END_TIMEOUT)).build();
        if value("", goodbye.call()).is_ok() {
            self.driver.browser_has_ended();
        }
    }
}

fn value(path: &str, reply: Result<ureq::http::Response<ureq::Body>, ureq::Error>) -> Result<Value> {
    let mut reply = reply.with_context(|| format!("the driver does not answer {path}"))?;
    let text = reply.body_mut().with_config().limit(256 << 20).read_to_string()?;
    let mut message: Value = serde_json::from_str(&text).context("the driver did not answer in JSON")?;
    let value = message["value"].take();
    if let Some(error) = value.get("error").and_then(Value::as_str)
        && value.get("stacktrace").is_some()
    {
        bail!("{path}: {error}: {}", value["message"].as_str().unwrap_or_default());
    }
    Ok(value)
}
