//! Functions that make texts of a given length: a length beyond all memory is refused before anything is computed.

use datafusion::common::tree_node::{TreeNode, TreeNodeRecursion};
use datafusion::common::{Result as PlanResult, ScalarValue};
use datafusion::error::DataFusionError;
use datafusion::logical_expr::{Expr, LogicalPlan};

/// Functions whose second argument is a number of characters or repetitions.
const FUNCTIONS: [&str; 3] = ["repeat", "lpad", "rpad"];
/// Longest text that they may make, in bytes.
const LONGEST_TEXT: u64 = 256 << 20;

/// Checks the lengths of the texts that a plan makes, as far as the statement has them as numbers.
///
/// # Errors
/// A sentence if a text would be longer than [`LONGEST_TEXT`].
pub fn check(plan: &LogicalPlan) -> PlanResult<()> {
    plan.apply_with_subqueries(|node| node.apply_expressions(|whole| whole.apply(check_expression)))?;
    Ok(())
}

fn check_expression(expression: &Expr) -> PlanResult<TreeNodeRecursion> {
    if let Expr::ScalarFunction(call) = expression
        && FUNCTIONS.contains(&call.name())
        && let [text, Expr::Literal(ScalarValue::Int64(Some(count)), _), ..] = &call.args[..]
    {
        let unit = match text {
            Expr::Literal(value, _) if call.name() == "repeat" => {
                value.try_as_str().flatten().map_or(1, str::len)
            }
            _ => 1,
        };
        let length = u64::try_from(*count).unwrap_or(0).saturating_mul(unit as u64);
        if length > LONGEST_TEXT {
            let most = LONGEST_TEXT >> 20;
            let about = format!(
                "a text of {}() would be longer than {most} MB. Use a smaller second argument",
                call.name()
            );
            return Err(DataFusionError::Plan(about));
        }
    }
    Ok(TreeNodeRecursion::Continue)
}
