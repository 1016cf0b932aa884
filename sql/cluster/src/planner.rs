//! [`ClusterPlanner`]: plans statements as on one machine, and lets a cluster run the plans.

use std::sync::Arc;

use async_trait::async_trait;
use ballista_core::execution_plans::execute_physical_plan;
use ballista_core::extension::SessionConfigExt;
use ballista_core::planner::scans_only_information_schema;
use datafusion::arrow::datatypes::SchemaRef;
use datafusion::catalog::Session;
use datafusion::common::JoinType;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::error::{DataFusionError, Result as PlanResult};
use datafusion::execution::context::{QueryPlanner, TaskContext};
use datafusion::logical_expr::LogicalPlan;
use datafusion::physical_plan::coalesce_partitions::CoalescePartitionsExec;
use datafusion::physical_plan::empty::EmptyExec;
use datafusion::physical_plan::joins::NestedLoopJoinExec;
use datafusion::physical_plan::limit::GlobalLimitExec;
use datafusion::physical_plan::placeholder_row::PlaceholderRowExec;
use datafusion::physical_plan::stream::RecordBatchStreamAdapter;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use datafusion::physical_plan::union::UnionExec;
use datafusion::physical_plan::{ExecutionPlan, SendableRecordBatchStream, replace_children_if_necessary};
use datafusion::physical_planner::{DefaultPhysicalPlanner, PhysicalPlanner};
use datafusion_proto::protobuf::PhysicalPlanNode;
use futures::TryStreamExt;

use crate::tables::{PlacedDataset, placed};
use crate::{SchedulerAddress, retries};

/// Plans statements for a cluster. What reads no data set, such as `EXPLAIN` and `SHOW TABLES`, runs on this machine.
#[derive(Debug)]
pub struct ClusterPlanner {
    scheduler: SchedulerAddress,
    sets: Vec<PlacedDataset>,
}

impl ClusterPlanner {
    pub fn new(scheduler: SchedulerAddress, sets: Vec<PlacedDataset>) -> Self {
        Self { scheduler, sets }
    }
}

#[async_trait]
impl QueryPlanner for ClusterPlanner {
    async fn create_physical_plan(
        &self,
        statement: &LogicalPlan,
        session: &dyn Session,
    ) -> PlanResult<Arc<dyn ExecutionPlan>> {
        if let Some(reason) = refusal(statement)? {
            return Err(DataFusionError::Plan(reason.to_owned()));
        }
        let is_local =
            matches!(statement, LogicalPlan::Explain(_)) || scans_only_information_schema(statement)?;
        let plan = DefaultPhysicalPlanner::default().create_physical_plan(statement, session).await?;
        if is_local {
            return Ok(plan);
        }
        let plan = with_whole_parts(placed(plan, &self.sets)?)?;
        let schema = plan.schema();
        let job = ClusterJob { scheduler: self.scheduler.clone(), plan, schema: schema.clone() };
        Ok(Arc::new(StreamingTableExec::try_new(schema, vec![Arc::new(job)], None, [], false, None)?))
    }
}

/// Why a cluster cannot run a statement.
fn refusal(statement: &LogicalPlan) -> PlanResult<Option<&'static str>> {
    if let LogicalPlan::Analyze(_) = statement {
        return Ok(Some(
            "EXPLAIN ANALYZE is not possible on a cluster. Use EXPLAIN, or run the statement on one machine",
        ));
    }
    let is_recursive = statement.exists(|node| Ok(matches!(node, LogicalPlan::RecursiveQuery(_))))?;
    Ok(is_recursive
        .then_some("recursive queries are not possible on a cluster. Run the statement on one machine"))
}

/// Gives parts of a plan to one task each where Ballista would divide them wrongly.
fn with_whole_parts(plan: Arc<dyn ExecutionPlan>) -> PlanResult<Arc<dyn ExecutionPlan>> {
    use JoinType::{Full, Left, LeftAnti, LeftMark, LeftSemi};
    let plan = plan.transform_up(|node| {
        let mut children: Vec<_> = node.children().into_iter().cloned().collect();
        if let Some(join) = node.downcast_ref::<NestedLoopJoinExec>()
            && matches!(join.join_type(), Left | Full | LeftSemi | LeftAnti | LeftMark)
        {
            // Rows of the left side without a match are known only after the last row of the right side, and tasks do not know of each other.
            children[1] = whole(children[1].clone());
        } else if node.is::<UnionExec>() {
            // Tasks count what reads no file wrongly, and then lose rows or wait forever.
            for child in &mut children {
                if child.exists(|part| Ok(part.is::<PlaceholderRowExec>() || part.is::<EmptyExec>()))? {
                    *child = whole(child.clone());
                }
            }
        } else {
            return Ok(Transformed::no(node));
        }
        Ok(Transformed::yes(replace_children_if_necessary(node, children)?))
    })?;
    Ok(plan.data)
}

/// A part in one partition. The scheduler removes what merges partitions unless the operator above needs a single one, as a limit does, even one
/// without a number of rows.
fn whole(part: Arc<dyn ExecutionPlan>) -> Arc<dyn ExecutionPlan> {
    Arc::new(GlobalLimitExec::new(Arc::new(CoalescePartitionsExec::new(part)), 0, None))
}

/// A plan that a cluster runs.
#[derive(Debug)]
struct ClusterJob {
    scheduler: SchedulerAddress,
    plan: Arc<dyn ExecutionPlan>,
    schema: SchemaRef,
}

impl PartitionStream for ClusterJob {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, context: Arc<TaskContext>) -> SendableRecordBatchStream {
        let (scheduler, plan) = (self.scheduler.clone(), self.plan.clone());
        let rows = async move {
            scheduler.reach().await?;
            let job_name = retries::job_name();
            let config = context.session_config().clone().with_ballista_job_name(&job_name);
            let (settings, codec) = (config.ballista_config(), config.ballista_physical_extension_codec());
            let (url, session) = (scheduler.url(), context.session_id());
            let codec = codec.as_ref();
            let rows =
                execute_physical_plan::<PhysicalPlanNode>(url, &settings, plan, codec, session, config).await;
            let rows = rows.map_err(|error| scheduler.error(&error))?;
            // The job has ended; its rows are fetched from here on.
            retries::refuse(&scheduler, &job_name).await?;
            Ok::<_, DataFusionError>(rows.map_err(move |error| scheduler.error(&error)))
        };
        let rows = futures::stream::once(rows).try_flatten();
        Box::pin(RecordBatchStreamAdapter::new(self.schema.clone(), rows))
    }
}
