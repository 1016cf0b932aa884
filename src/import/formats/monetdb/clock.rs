//! Readings of MonetDB's clocks. A record may carry two: microseconds since the server's start, and since 1970. The keys of
//! the two changed with the releases (Nov2019 swapped `clk` and `ctime`), so that the size of the number decides which clock
//! it is.

/// Value of a clock that was not reported.
pub const NONE: i64 = i64::MIN;

/// Minimum number that counts as microseconds since 1970 (a moment in 1973); a server does not run for three years.
const EPOCH: i64 = 100_000_000_000_000;
/// Minimum number that is not a time: `ctime` of heartbeats is twice the time since 1970 (3.6e15) since Jun2020.
const DOUBLED: i64 = 2_500_000_000_000_000;

/// Time of a record, in microseconds by up to two clocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockReading {
    /// Microseconds since the server's start, or [`NONE`].
    pub uptime: i64,
    /// Microseconds since 1970, or [`NONE`].
    pub epoch: i64,
    /// Start of the server in microseconds since 1970, from a doubled reading, or [`NONE`].
    pub started: i64,
}

impl ClockReading {
    /// Combines numbers of a record, the most trustworthy first. `None` if none of the numbers is a time.
    pub fn of(readings: impl Iterator<Item = i64>) -> Option<Self> {
        let mut clock = Self { uptime: NONE, epoch: NONE, started: NONE };
        for reading in readings.filter(|reading| *reading >= 0) {
            let place = match reading {
                ..EPOCH => &mut clock.uptime,
                EPOCH..DOUBLED => &mut clock.epoch,
                _ => {
                    let started = reading.saturating_sub(clock.epoch);
                    clock.started = if (EPOCH..DOUBLED).contains(&started) { started } else { NONE };
                    continue;
                }
            };
            if *place == NONE {
                *place = reading;
            }
        }
        (clock.uptime != NONE || clock.epoch != NONE).then_some(clock)
    }

    /// Difference between the clocks since 1970 and since the server's start, if both were read.
    pub fn ahead(self) -> Option<i64> {
        (self.uptime != NONE && self.epoch != NONE).then(|| self.epoch - self.uptime)
    }

    /// Difference between `epoch` and the clock that Sep2022 and later write. That clock subtracts the fraction of the second
    /// in which the server started instead of adding it.
    pub fn ahead_of_stream(self) -> Option<i64> {
        let started = Some(self.started).filter(|started| *started != NONE)?;
        Some(started / 1_000_000 * 1_000_000 - started % 1_000_000)
    }

    /// The reading in nanoseconds: since the server started if that was read or follows from `ahead`, otherwise since 1970.
    pub fn nanos(self, ahead: Option<i64>) -> i64 {
        let micros = match (self.uptime, ahead) {
            (NONE, Some(ahead)) => self.epoch.saturating_sub(ahead),
            (NONE, None) => self.epoch,
            (uptime, _) => uptime,
        };
        micros.saturating_mul(1000)
    }
}

/// Days since 1970 of a year, a month (1 to 12) and a day in the proleptic Gregorian calendar. The year may be far outside
/// the range of usual calendars.
pub fn civil_days([year, month, day]: [i64; 3]) -> Option<i64> {
    // Years begin in March, so that the leap day is the last.
    let shifted = if month <= 2 { year.checked_sub(1)? } else { year };
    let (era, of_era) = (shifted.div_euclid(400), shifted.rem_euclid(400));
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let days = era.checked_mul(146_097)?.checked_add(of_era * 365 + of_era / 4 - of_era / 100 + of_year)?;
    Some(days - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_a_number_tells_its_clock() {
        let cases = [
            // Apr2019; Nov2019, swapped; Jun2020; Sep2022.
            (vec![38_791_827, 1_795_240_486_710_115], (38_791_827, 1_795_240_486_710_115, NONE)),
            (vec![1_795_240_486_710_115, 38_791_827], (38_791_827, 1_795_240_486_710_115, NONE)),
            (vec![1_795_239_511_026_765, 20_708_807], (20_708_807, 1_795_239_511_026_765, NONE)),
            (vec![70_964_758], (70_964_758, NONE, NONE)),
            // A heartbeat whose ctime is doubled.
            (
                vec![1_795_239_511_104_467, 3_590_479_002_786_509],
                (NONE, 1_795_239_511_104_467, 1_795_239_491_682_042),
            ),
        ];
        for (readings, (uptime, epoch, started)) in cases {
            assert_eq!(ClockReading::of(readings.into_iter()), Some(ClockReading { uptime, epoch, started }));
        }
        assert_eq!(ClockReading::of([-5, i64::MAX].into_iter()), None);
    }
}
