//! [`SchedulerAddress`]: where the scheduler of a cluster listens.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use datafusion::error::{DataFusionError, Result as PlanResult};
use tokio::net::TcpStream;
use url::Url;

/// Port of a scheduler unless its address has another one.
const PORT: u16 = 50050;
/// Time after which a machine that does not answer is given up.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where the scheduler of a cluster listens, such as `df://host:50050`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SchedulerAddress {
    host: String,
    port: u16,
}

impl FromStr for SchedulerAddress {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let url = Url::parse(text).ok().filter(|url| url.scheme() == "df");
        let found = url.and_then(|url| {
            let host = url.host_str().filter(|host| !host.is_empty())?.to_owned();
            Some(Self { host, port: url.port().unwrap_or(PORT) })
        });
        found.ok_or_else(|| format!("expected an address such as df://localhost:{PORT}"))
    }
}

impl fmt::Display for SchedulerAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "df://{}:{}", self.host, self.port)
    }
}

impl SchedulerAddress {
    /// The address as gRPC takes it.
    pub(crate) fn url(&self) -> String {
        format!("http://{}:{}", self.host, self.port)
    }

    /// Tries to connect.
    ///
    /// # Errors
    /// A sentence if nothing listens there.
    pub(crate) async fn reach(&self) -> PlanResult<()> {
        let connecting = TcpStream::connect(format!("{}:{}", self.host, self.port));
        let reason = match tokio::time::timeout(PATIENCE, connecting).await {
            Ok(Ok(_)) => return Ok(()),
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("no answer in {} s", PATIENCE.as_secs()),
        };
        Err(DataFusionError::Execution(format!(
            "no scheduler answers at {self}: {reason}. Start ballista-scheduler there, or correct the address (--scheduler)"
        )))
    }

    /// A sentence about a statement that the cluster did not answer.
    pub(crate) fn error(&self, error: &DataFusionError) -> DataFusionError {
        let text = error.strip_backtrace();
        let text = text.strip_prefix("Execution error: ").unwrap_or(&text);
        // The object store's words for a file that is not there.
        let to_do = match text.contains("Object at location") {
            true => {
                ". Executors read the files of a data set where this program finds them, or where --files says"
            }
            false => "",
        };
        self.no_answer(&format!("{}{to_do}", text.trim_end().trim_end_matches('.')))
    }

    /// A sentence about a statement that has no answer for a reason.
    pub(crate) fn no_answer(&self, reason: &str) -> DataFusionError {
        DataFusionError::Execution(format!("the cluster at {self} has no answer: {reason}"))
    }
}
