//! Integers that do not wrap around: their arithmetic is computed in decimal numbers of 38 digits, and a result that does not fit in the
//! type of the integers is an error. DataFusion itself has no setting for this.

use std::sync::Arc;

use datafusion::arrow::datatypes::DataType;
use datafusion::common::config::ConfigOptions;
use datafusion::common::tree_node::{Transformed, TreeNode};
use datafusion::common::{Column, DFSchema, Result as PlanResult};
use datafusion::logical_expr::expr_rewriter::NamePreserver;
use datafusion::logical_expr::utils::merge_schema;
use datafusion::logical_expr::{
    Aggregate, BinaryExpr, Cast, Expr, ExprSchemable, LogicalPlan, Operator, Projection, Window,
    WindowFunctionDefinition, lit,
};
use datafusion::optimizer::AnalyzerRule;

/// The type of an operand: all integers of 64 bits fit, signed or not.
const OPERAND: DataType = DataType::Decimal128(20, 0);

/// Replaces `+`, `-`, `*` and `sum` of integers by those of decimal numbers, whose results are converted to the type of the integers. Names
/// and types of columns stay the same.
#[derive(Debug)]
pub struct CheckedIntegers;

impl AnalyzerRule for CheckedIntegers {
    fn name(&self) -> &str {
        "checked_integers"
    }

    fn analyze(&self, plan: LogicalPlan, _: &ConfigOptions) -> PlanResult<LogicalPlan> {
        plan.transform_up_with_subqueries(checked_plan).map(|plan| plan.data)
    }
}

fn checked_plan(plan: LogicalPlan) -> PlanResult<Transformed<LogicalPlan>> {
    let mut schema = merge_schema(&plan.inputs());
    if let LogicalPlan::TableScan(scan) = &plan {
        schema.merge(&DFSchema::try_from_qualified_schema(scan.table_name.clone(), &scan.source.schema())?);
    }
    let names = NamePreserver::new(&plan);
    let plan = plan.map_expressions(|whole| {
        let name = names.save(&whole);
        let checked = whole.transform_up(|part| Ok(checked_arithmetic(part, &schema)))?;
        Ok(checked.update_data(|whole| name.restore(whole)))
    })?;
    plan.transform_data(|plan| checked_sums(plan, &schema))
}

/// The type of an expression, if it is one of integers.
fn integer(expression: &Expr, schema: &DFSchema) -> Option<DataType> {
    expression.get_type(schema).ok().filter(DataType::is_integer)
}

fn cast(expression: Expr, to: DataType) -> Expr {
    Expr::Cast(Cast::new(Box::new(expression), to))
}

/// `+`, `-`, `*` and the sign of integers, of decimal numbers instead.
fn checked_arithmetic(expression: Expr, schema: &DFSchema) -> Transformed<Expr> {
    let is_integer = |part: &Expr| integer(part, schema).is_some();
    let result = integer(&expression, schema);
    let (left, op, right, result) = match (expression, result) {
        (Expr::BinaryExpr(BinaryExpr { left, op, right }), Some(result))
            if matches!(op, Operator::Plus | Operator::Minus | Operator::Multiply)
                && is_integer(&left)
                && is_integer(&right) =>
        {
            (*left, op, *right, result)
        }
        (Expr::Negative(of), Some(result)) => (lit(0_i64), Operator::Minus, *of, result),
        (other, _) => return Transformed::no(other),
    };
    let (left, right) = (Box::new(operand(left, schema)), Box::new(operand(right, schema)));
    Transformed::yes(cast(Expr::BinaryExpr(BinaryExpr { left, op, right }), result))
}

/// An integer as a decimal number. What was computed in decimal numbers is not converted back and forth: a statement may have hundreds of
/// operators in a row.
fn operand(integer: Expr, schema: &DFSchema) -> Expr {
    match integer {
        Expr::Cast(Cast { expr, .. })
            if matches!(*expr, Expr::BinaryExpr(_))
                && matches!(expr.get_type(schema), Ok(DataType::Decimal128(_, 0))) =>
        {
            *expr
        }
        other => cast(other, OPERAND),
    }
}

/// Sums of integers among aggregates and window functions, of decimal numbers instead. A projection above them converts the results.
fn checked_sums(plan: LogicalPlan, input: &DFSchema) -> PlanResult<Transformed<LogicalPlan>> {
    let mut sums = Vec::new();
    let mut checked = |expressions: &[Expr]| -> Vec<Expr> {
        expressions.iter().map(|whole| checked_sum(whole, input, &mut sums)).collect()
    };
    let computed = match &plan {
        LogicalPlan::Aggregate(Aggregate { input, group_expr, aggr_expr, .. }) => LogicalPlan::Aggregate(
            Aggregate::try_new(Arc::clone(input), group_expr.clone(), checked(aggr_expr))?,
        ),
        LogicalPlan::Window(Window { input, window_expr, .. }) => {
            LogicalPlan::Window(Window::try_new(checked(window_expr), Arc::clone(input))?)
        }
        _ => return Ok(Transformed::no(plan)),
    };
    if sums.is_empty() {
        return Ok(Transformed::no(plan));
    }
    let converted = computed.schema().columns().into_iter().map(|column| {
        let sum = sums.iter().find(|(name, _)| column.relation.is_none() && *name == column.name);
        match sum {
            Some((name, result)) => cast(Expr::Column(Column::from_name(name)), result.clone()).alias(name),
            None => Expr::Column(column),
        }
    });
    let converted = converted.collect();
    Ok(Transformed::yes(LogicalPlan::Projection(Projection::try_new(converted, Arc::new(computed))?)))
}

/// A sum of integers, of decimal numbers instead; `sums` receives its name and type. Other expressions stay as they are.
fn checked_sum(whole: &Expr, input: &DFSchema, sums: &mut Vec<(String, DataType)>) -> Expr {
    let mut function = whole.clone().unalias();
    let (name, arguments) = match &mut function {
        Expr::AggregateFunction(function) => (function.func.name(), &mut function.params.args),
        Expr::WindowFunction(function) => match &function.fun {
            WindowFunctionDefinition::AggregateUDF(of) => (of.name(), &mut function.params.args),
            WindowFunctionDefinition::WindowUDF(_) => return whole.clone(),
        },
        _ => return whole.clone(),
    };
    let result = integer(whole, input).filter(|_| name == "sum");
    match (result, &mut arguments[..]) {
        (Some(result), [argument]) if integer(argument, input).is_some() => {
            let name = whole.schema_name().to_string();
            *argument = operand(argument.clone(), input);
            sums.push((name.clone(), result));
            function.alias(name)
        }
        _ => whole.clone(),
    }
}
