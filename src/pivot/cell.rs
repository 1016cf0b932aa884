//! [`MeasureCell`]: the summary of a quantity in one group; [`Measure`]: a function of a quantity, such as its sum.

use super::attribute::Quantity;
use super::projection::written;
use super::server::Server;
use crate::trace::Unit;

/// Summary of a quantity over the points of a group that report it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct MeasureCell {
    pub count: u64,
    pub sum: i128,
    pub min: i64,
    pub max: i64,
}

impl Default for MeasureCell {
    fn default() -> Self {
        Self { count: 0, sum: 0, min: i64::MAX, max: i64::MIN }
    }
}

impl MeasureCell {
    #[inline]
    pub fn add(&mut self, value: i64) {
        self.count += 1;
        self.sum += i128::from(value);
        self.min = self.min.min(value);
        self.max = self.max.max(value);
    }
}

/// An aggregate function over the points of a group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Function {
    /// Number of spans and events. Over a numeric attribute: the sum of its values, where an item without a value counts as 1,
    /// because servers write the number of rows of a batch only if it is more than one.
    Count,
    /// Sum of the reported values.
    Sum,
    /// Minimum of the reported values.
    Min,
    /// Sum divided by the number of points that report a value; times are rounded down.
    Average,
    /// Maximum of the reported values.
    Max,
    /// Smallest value that is at or above this percentage of the values.
    Percentile(u8),
}

/// A function of a quantity, such as the sum of durations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Measure {
    /// The aggregate function.
    pub function: Function,
    /// The measured quantity. With [`Function::Count`], a time stands for the number of points.
    pub quantity: Quantity,
}

impl Measure {
    /// Whether the measure is the number of points, including those that report nothing.
    pub(super) fn counts_points(self) -> bool {
        self.function == Function::Count && self.quantity.is_span_time()
    }

    /// Whether the measure is an average that is computed as a database server does it.
    pub(super) fn is_server_average(self) -> bool {
        self.function == Function::Average && self.quantity == Quantity::Server(Server::Time)
    }
}

/// The result of a measure for one group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Amount {
    /// The number; `None` (never 0) if no point reports a value.
    pub number: Option<i128>,
    /// Unit of the number.
    pub unit: Unit,
}

impl Amount {
    /// Text of the amount, as it is shown.
    pub fn written(self) -> String {
        crate::base::text::or_dash(self.number, |number| written(number, self.unit))
    }

    /// Text of the amount for other programs: a whole number (of nanoseconds, bytes, …), or decimals if the unit has them;
    /// empty if no value was reported.
    pub fn plain(self) -> String {
        match (self.number, self.unit) {
            (None, _) => String::new(),
            (Some(number), Unit::Millionths) => crate::base::text::decimal(number),
            (Some(number), _) => number.to_string(),
        }
    }

    /// Sort key of the amount; missing values sort below all numbers.
    pub fn order(self) -> i128 {
        self.number.unwrap_or(i128::MIN)
    }
}

impl MeasureCell {
    /// The result of any function but percentiles and counts, which need more data. `unit` is the quantity's unit.
    pub fn amount(&self, function: Function, unit: Unit) -> Amount {
        let reported = |number: i128| (self.count > 0).then_some(number);
        let number = match function {
            Function::Sum => reported(self.sum),
            Function::Min => reported(i128::from(self.min)),
            Function::Max => reported(i128::from(self.max)),
            Function::Average => return self.average(unit),
            Function::Count | Function::Percentile(_) => None,
        };
        Amount { number, unit }
    }

    /// The average: whole units for times and bytes, as in the servers' own averages; millionths for counts.
    fn average(&self, unit: Unit) -> Amount {
        let (scale, shown) = match unit {
            Unit::Rows | Unit::Count | Unit::Text => (1_000_000, Unit::Millionths),
            same => (1, same),
        };
        let number = (self.count > 0).then(|| {
            let count = i128::from(self.count);
            // The remainder is scaled separately, so that a sum of 2^64 values times a million still fits.
            let (whole, rest) = (self.sum.div_euclid(count), self.sum.rem_euclid(count));
            whole.saturating_mul(scale) + rest * scale / count
        });
        Amount { number, unit: shown }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[i64], function: Function, unit: Unit, plain: &str, written: &str) {
        let mut cell = MeasureCell::default();
        values.iter().for_each(|&value| cell.add(value));
        let amount = cell.amount(function, unit);
        let found = (amount.plain(), amount.written());
        assert_eq!((found.0.as_str(), found.1.as_str()), (plain, written), "{function:?}");
    }

    #[test]
    fn what_was_not_reported_is_no_zero() {
        for function in [Function::Sum, Function::Min, Function::Average, Function::Max] {
            check(&[], function, Unit::Nanos, "", "–");
            check(&[0], function, Unit::Nanos, "0", "0 ns");
        }
    }

    #[test]
    fn averages_are_whole_times_and_exact_counts() {
        check(&[1, 2], Function::Average, Unit::Nanos, "1", "1 ns");
        check(&[-1, -2], Function::Average, Unit::Nanos, "-2", "−2 ns");
        check(&[1, 2], Function::Average, Unit::Rows, "1.5", "1.5");
        check(&[1, 1, 2], Function::Average, Unit::Count, "1.333333", "1.333333");
        check(&[3, 4], Function::Average, Unit::Bytes, "3", "3 B");
        check(&[1_500_000, 500_000], Function::Average, Unit::Millionths, "1", "1");
    }

    #[test]
    fn sums_go_beyond_64_bits() {
        check(
            &[i64::MAX, 1],
            Function::Sum,
            Unit::Count,
            "9223372036854775808",
            "≥ 9,223,372,036,854,775,807",
        );
        check(
            &[i64::MIN, i64::MIN],
            Function::Average,
            Unit::Count,
            "-9223372036854775808",
            "−9,223,372,036,854,775,808",
        );
        check(
            &[i64::MIN, i64::MAX],
            Function::Min,
            Unit::Count,
            "-9223372036854775808",
            "−9,223,372,036,854,775,808",
        );
    }
}
