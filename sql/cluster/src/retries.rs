//! Answers of jobs whose tasks ran more than once are refused.
//!
//! A scheduler lets other executors run the tasks of an executor that is lost. When one was lost in the middle of a join, Ballista 55
//! counted too many rows in 15 of 85 runs, with and without its adaptive planner, as if the rows of both runs of a task were read.

use std::fmt::Display;
use std::time::{SystemTime, UNIX_EPOCH};

use ballista_api_types::dto::{JobResponse, QueryStagesResponse, TaskStatus};
use datafusion::error::Result as PlanResult;
use http_body_util::{BodyExt, Empty};
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde::de::DeserializeOwned;

use crate::SchedulerAddress;

/// A name that no other job of a scheduler has, by which its REST API finds the job.
pub fn job_name() -> String {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    format!("queryscope {} {}", std::process::id(), time.as_nanos())
}

/// Asks the scheduler whether each task of a finished job ran once.
///
/// # Errors
/// A sentence if a task ran again, or if the scheduler does not say.
pub async fn refuse(scheduler: &SchedulerAddress, job_name: &str) -> PlanResult<()> {
    let unknown = |reason: String| {
        scheduler.no_answer(&format!(
            "{reason}, so it is unknown whether rows were counted twice. Use a scheduler with the feature rest-api, which it has by default"
        ))
    };
    let jobs: Vec<JobResponse> = get(scheduler, "/api/jobs").await.map_err(unknown)?;
    let job = jobs.iter().find(|job| job.job_name == job_name);
    let job = job.ok_or_else(|| unknown("the scheduler does not know the job".to_owned()))?;
    let stages: QueryStagesResponse =
        get(scheduler, &format!("/api/job/{}/stages", job.job_id)).await.map_err(unknown)?;
    let mut tasks = stages.stages.iter().flat_map(|stage| stage.tasks.iter().flatten());
    let failed = tasks.find_map(|task| match &task.status {
        TaskStatus::Failed { error, .. } => Some(error),
        TaskStatus::Running | TaskStatus::Successful => None,
    });
    match failed {
        None => Ok(()),
        Some(error) => Err(scheduler.no_answer(&format!(
            "a part of the statement ran twice ({error}), and rows may have been counted twice. Run the statement again"
        ))),
    }
}

async fn get<T: DeserializeOwned>(scheduler: &SchedulerAddress, path: &str) -> Result<T, String> {
    let wrong = |reason: &dyn Display| format!("{path} of the scheduler cannot be read ({reason})");
    let url =
        format!("{}{path}", scheduler.url()).parse().map_err(|error: http::uri::InvalidUri| wrong(&error))?;
    let client = Client::builder(TokioExecutor::new()).build_http::<Empty<&[u8]>>();
    let reply = client.get(url).await.map_err(|error| wrong(&error))?;
    if !reply.status().is_success() {
        return Err(wrong(&reply.status()));
    }
    let body = reply.into_body().collect().await.map_err(|error| wrong(&error))?;
    serde_json::from_slice(&body.to_bytes()).map_err(|error| wrong(&error))
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    /// What is said of the job "job" if a scheduler answers requests with these replies, one after the other.
    fn check(replies: &'static [(&str, &str)], expected: &[&str]) {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let scheduler: SchedulerAddress = format!("df://127.0.0.1:{port}").parse().expect("an address");
        thread::spawn(move || {
            for ((status, body), stream) in replies.iter().zip(listener.incoming()) {
                let mut stream = stream.expect("a connection");
                let _ = stream.read(&mut [0; 4096]);
                let length = body.len();
                let reply = format!(
                    "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}"
                );
                stream.write_all(reply.as_bytes()).expect("the client listens");
            }
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let said = runtime.block_on(refuse(&scheduler, "job")).err().map(|error| error.to_string());
        let said = said.unwrap_or_default();
        assert!(expected.iter().all(|part| said.contains(part)), "{said}");
        assert_eq!(said.is_empty(), expected.is_empty(), "{said}");
    }

    const JOBS: &str = r#"[{"job_id":"a1","job_name":"job","job_status":"","status":"Completed","num_stages":1,"completed_stages":1,
        "percent_complete":100,"start_time":0,"end_time":1}]"#;

    #[test]
    fn a_job_is_refused_unless_each_task_ran_once() {
        check(&[("404 Not Found", "")], &["404 Not Found", "unknown whether", "rest-api"]);
        check(&[("200 OK", "<html>")], &["/api/jobs of the scheduler cannot be read", "unknown whether"]);
        check(&[("200 OK", "[]")], &["does not know the job", "unknown whether"]);
        check(&[("200 OK", JOBS), ("500 Error", "")], &["/api/job/a1/stages", "unknown whether"]);
        check(&[("200 OK", JOBS), ("200 OK", r#"{"stages":[]}"#)], &[]);
    }
}
