//! The WebDriver protocol between a test and a driver: one HTTP request per command.

use std::time::Duration;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::driver::Driver;

/// Maximum time for a browser to end before it is killed.
const END_TIMEOUT: Duration = Duration::from_secs(10);

/// A WebDriver session, which controls one browser.
pub(crate) struct Session {
    driver: Driver,
    http: ureq::Agent,
    id: String,
    /// Capabilities that the driver reports for its browser.
    pub(crate) capabilities: Value,
}

impl Session {
    /// Starts a session, for which the driver starts its browser.
    pub(crate) fn start(driver: Driver, capabilities: &Value) -> Result<Self> {
        let config = ureq::Agent::config_builder().http_status_as_error(false).proxy(None).build();
        let mut session =
            Session { driver, http: config.into(), id: String::new(), capabilities: Value::Null };
        let mut wanted = json!({ "timeouts": { "script": 600_000, "pageLoad": 60_000 } });
        if let (Some(wanted), Some(own)) = (wanted.as_object_mut(), capabilities.as_object()) {
            wanted.extend(own.clone());
        }
        let wanted = json!({ "capabilities": { "alwaysMatch": wanted } });
        // On a busy machine, starting a browser may exceed the driver's timeout. The second attempt is faster, with the
        // files cached.
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

    /// Id of the driver's process.
    pub(crate) fn process(&self) -> u32 {
        self.driver.process()
    }

    /// Sends a `POST` command with parameters, and returns its result.
    pub(crate) fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let reply = self.http.post(self.url(path)).content_type("application/json").send(body.to_string());
        value(path, reply)
    }

    /// Sends a `GET` command, and returns its result.
    pub(crate) fn get(&self, path: &str) -> Result<Value> {
        value(path, self.http.get(self.url(path)).call())
    }

    /// Fetches JSON from another server on this machine.
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
        // A driver that has ended or hangs cannot end its browser.
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
