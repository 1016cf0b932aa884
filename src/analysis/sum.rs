//! [`Sum`]: sum of reported values.

/// Sum and number of reported values.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Sum {
    total: i128,
    reported: u64,
}

impl Sum {
    /// Adds a value; `None` if it was not reported.
    pub fn add(&mut self, value: Option<i64>) {
        if let Some(value) = value {
            self.total += i128::from(value);
            self.reported += 1;
        }
    }

    /// Adds another sum.
    pub fn join(&mut self, other: Self) {
        self.total += other.total;
        self.reported += other.reported;
    }

    /// Number of reported values.
    pub fn reported(self) -> u64 {
        self.reported
    }

    /// Sum, or `None` if no value was reported. Clamped to the range of `i64`.
    pub fn total(self) -> Option<i64> {
        (self.reported > 0).then(|| self.or_zero())
    }

    /// Exact sum, or `None` if no value was reported.
    pub fn exact(self) -> Option<i128> {
        (self.reported > 0).then_some(self.total)
    }

    /// Sum, or 0 if no value was reported, as in the totals of the tracer's own analysis.
    pub fn or_zero(self) -> i64 {
        self.total.clamp(i128::from(i64::MIN), i128::from(i64::MAX)) as i64
    }

    /// Average of the reported values, or `None` if no value was reported.
    pub fn average(self) -> Option<f64> {
        (self.reported > 0).then(|| self.total as f64 / self.reported as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[Option<i64>], total: Option<i64>, average: Option<f64>) {
        let mut sum = Sum::default();
        values.iter().for_each(|&value| sum.add(value));
        assert_eq!((sum.total(), sum.average()), (total, average), "{values:?}");
    }

    #[test]
    fn what_was_not_reported_is_no_zero() {
        check(&[], None, None);
        check(&[None, None], None, None);
        check(&[Some(3), None, Some(0)], Some(3), Some(1.5));
        check(&[Some(i64::MAX), Some(i64::MAX)], Some(i64::MAX), Some(i64::MAX as f64));
        check(&[Some(i64::MIN), Some(-1)], Some(i64::MIN), Some((i128::from(i64::MIN) - 1) as f64 / 2.0));
    }
}
