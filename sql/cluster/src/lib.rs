//! SQL over data sets on a cluster of [Apache DataFusion Ballista](https://datafusion.apache.org/ballista/).
//!
//! A statement is planned here as on one machine: the manifests say which files are read. The scheduler gets the plan; its executors read
//! the files and compute. Both are Ballista's own programs: there is no function and no operator of ours in a plan.

mod address;
mod planner;
mod retries;
mod tables;

use ballista_core::extension::{SessionConfigExt, SessionStateExt};
use datafusion::execution::SessionStateBuilder;
use datafusion::execution::context::SessionContext;
use queryscope_sql::query::{Engine, Limits, QueryError};
use queryscope_sql::statement;

pub use address::SchedulerAddress;
use planner::ClusterPlanner;
pub use tables::{FileLocation, PlacedDataset};

/// Parts that each stage of a plan has unless one says otherwise, as in Ballista.
pub const PARTITIONS: usize = 16;

/// Data sets, ready for statements that a cluster runs in `partitions` parts. Nothing is connected before the first statement. The limits
/// on memory and rows are those of the result; what executors may take is set where they are started.
///
/// # Errors
/// If a table cannot be registered or the machine gives no threads.
pub fn engine(
    scheduler: &SchedulerAddress,
    sets: Vec<PlacedDataset>,
    partitions: usize,
    limits: Limits,
) -> Result<Engine, QueryError> {
    let stored = sets.iter().map(PlacedDataset::tables).collect();
    let planner = ClusterPlanner::new(scheduler.clone(), sets);
    let config = statement::config(partitions).with_ballista_query_planner(std::sync::Arc::new(planner));
    let state = SessionStateBuilder::new()
        .with_default_features()
        .with_config(config)
        .with_runtime_env(statement::environment(limits.memory)?)
        .with_analyzer_rule(statement::checked_integers())
        .build()
        .upgrade_for_ballista(scheduler.url())?;
    Engine::on(SessionContext::new_with_state(state), &[], stored, limits)
}
