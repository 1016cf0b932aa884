//! [`Union`]: time that intervals cover together.

/// Time covered by at least one of several intervals, which are added in the order of their starts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Union {
    until: i64,
    length: i64,
}

impl Default for Union {
    fn default() -> Self {
        Self { until: i64::MIN, length: 0 }
    }
}

impl Union {
    /// Adds an interval that does not start before the previous one.
    #[inline]
    pub fn add(&mut self, (start, end): (i64, i64)) {
        let start = start.max(self.until);
        if end > start {
            self.length = self.length.saturating_add(end.saturating_sub(start));
            self.until = end;
        }
    }

    /// Covered time, in nanoseconds.
    pub fn length(self) -> i64 {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(intervals: &[(i64, i64)], length: i64) {
        let mut union = Union::default();
        intervals.iter().for_each(|&interval| union.add(interval));
        assert_eq!(union.length(), length, "{intervals:?}");
    }

    #[test]
    fn what_several_cover_counts_once() {
        check(&[], 0);
        check(&[(3, 3)], 0);
        check(&[(0, 10), (2, 5), (5, 12), (20, 21)], 13);
        check(&[(i64::MIN, i64::MAX), (0, 5)], i64::MAX);
    }
}
