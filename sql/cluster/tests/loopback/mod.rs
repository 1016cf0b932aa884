//! A cluster on loopback: a scheduler and executors as Ballista's programs start them, each executor in a process of its own.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;
use std::{env, fs, thread};

use ballista_executor::executor_process::{ExecutorProcessConfig, start_executor_process};
use ballista_scheduler::cluster::BallistaCluster;
use ballista_scheduler::config::SchedulerConfig;
use ballista_scheduler::scheduler_process::start_server;
use queryscope_sql_cluster::SchedulerAddress;
use tokio::runtime::{Builder, Runtime};

const LOOPBACK: &str = "127.0.0.1";
/// The test that is an executor in processes with these variables: the ports of the scheduler and its own two, and its folder.
const EXECUTOR: &str = "executor";
const PORTS: &str = "QUERYSCOPE_EXECUTOR_PORTS";
const WORK: &str = "QUERYSCOPE_EXECUTOR_WORK";

/// A new folder below the temporary one.
pub fn folder(name: &str) -> PathBuf {
    let folder = env::temp_dir().join(format!("queryscope-cluster-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the temporary folder can be written to");
    folder
}

/// A port that is free now.
pub fn free_port() -> u16 {
    TcpListener::bind((LOOPBACK, 0)).and_then(|listener| listener.local_addr()).expect("a port").port()
}

fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(8 << 20)
        .enable_all()
        .build()
        .expect("threads")
}

fn wait_for(port: u16) {
    for _ in 0..600 {
        if std::net::TcpStream::connect((LOOPBACK, port)).is_ok() {
            return;
        }
        thread::sleep(Duration::from_millis(50));
    }
    panic!("nothing listens on port {port}");
}

/// Runs an executor, if this process was started for that.
pub fn run_executor() {
    let (Ok(ports), Ok(work)) = (env::var(PORTS), env::var(WORK)) else { return };
    let ports: Vec<u16> = ports.split(' ').map(|port| port.parse().expect("a port")).collect();
    let config = Arc::new(ExecutorProcessConfig {
        port: ports[1],
        grpc_port: ports[2],
        scheduler_host: LOOPBACK.to_owned(),
        scheduler_port: ports[0],
        external_host: Some(LOOPBACK.to_owned()),
        vcores: 2,
        work_dir: Some(work),
        executor_heartbeat_interval_seconds: 1,
        ..ExecutorProcessConfig::default()
    });
    runtime().block_on(start_executor_process(config)).expect("an executor");
}

pub struct LoopbackCluster {
    port: u16,
    folder: PathBuf,
    scheduler: Option<Runtime>,
    executors: Vec<(PathBuf, Child)>,
    started: usize,
}

impl LoopbackCluster {
    pub fn start(name: &str, executors: usize) -> Self {
        let port = free_port();
        // What does not answer for some seconds is given up, so that tests need not wait for minutes.
        let config = Arc::new(SchedulerConfig {
            bind_port: port,
            executor_timeout_seconds: 4,
            expire_dead_executor_interval_seconds: 1,
            no_executors_grace_period_seconds: 4,
            ..SchedulerConfig::default()
        });
        let scheduler = runtime();
        scheduler.spawn(async move {
            let cluster = BallistaCluster::new_from_config(&config).await.expect("a cluster in memory");
            let address = format!("{LOOPBACK}:{port}").parse().expect("an address");
            start_server(cluster, address, config).await.expect("a scheduler");
        });
        wait_for(port);
        let folder = folder(name);
        let mut cluster =
            Self { port, folder, scheduler: Some(scheduler), executors: Vec::new(), started: 0 };
        (0..executors).for_each(|_| cluster.add_executor());
        cluster
    }

    pub fn address(&self) -> SchedulerAddress {
        format!("df://{LOOPBACK}:{}", self.port).parse().expect("an address")
    }

    pub fn add_executor(&mut self) {
        let work = self.folder.join(format!("executor-{}", self.started));
        fs::create_dir_all(&work).expect("the temporary folder can be written to");
        let (port, grpc_port) = (free_port(), free_port());
        let program = env::current_exe().expect("a test runs");
        let ports = format!("{} {port} {grpc_port}", self.port);
        let executor = Command::new(program)
            .args(["--exact", EXECUTOR])
            .env(PORTS, ports)
            .env(WORK, &work)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("a process");
        wait_for(port);
        wait_for(grpc_port);
        self.started += 1;
        self.executors.push((work, executor));
    }

    /// Ends an executor as if its machine was switched off.
    pub fn lose_executor(&mut self) {
        let (_, mut executor) = self.executors.pop().expect("an executor");
        executor.kill().and_then(|()| executor.wait()).expect("it ends");
    }

    /// Folders in which executors kept rows.
    pub fn folders_with_rows(&self) -> usize {
        let has_rows = |folder: &Path| fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_some());
        self.executors.iter().filter(|(folder, _)| has_rows(folder)).count()
    }
}

impl Drop for LoopbackCluster {
    fn drop(&mut self) {
        while !self.executors.is_empty() {
            self.lose_executor();
        }
        if let Some(scheduler) = self.scheduler.take() {
            scheduler.shutdown_background();
        }
        let _ = fs::remove_dir_all(&self.folder);
    }
}
