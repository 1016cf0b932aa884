//! Exact decimal numbers from text: nanoseconds from microseconds, and millionths.

/// A decimal number: `mantissa` × 10^-`scale`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decimal {
    /// All digits, with the sign.
    pub mantissa: i64,
    /// Number of digits after the decimal point, at most 36.
    pub scale: u8,
}

/// A point in time or a duration with a resolution of 10^-18 ns. Values beyond the range of 64-bit nanoseconds are
/// clamped to it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Time {
    ns: i64,
    /// Fraction of a nanosecond: at least 0 and below `PARTS`.
    rest: i64,
}

/// Number of parts into which a nanosecond (or another unit) is divided: 10^18.
const PARTS: i64 = POWERS[18];

/// The powers of ten that fit into 64 bits.
const POWERS: [i64; 19] = {
    let mut powers = [1; 19];
    let mut at = 1;
    while at < powers.len() {
        powers[at] = powers[at - 1] * 10;
        at += 1;
    }
    powers
};

/// A number as written: `-1.50`, `.5`, `2.`, `+1e3`.
struct WrittenNumber<'a> {
    negative: bool,
    whole: &'a [u8],
    fraction: &'a [u8],
    exponent: i32,
}

impl<'a> WrittenNumber<'a> {
    /// Returns the parts of a number; `None` if the text is not a number.
    #[inline]
    fn of(text: &'a str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (negative, bytes) = match bytes.first()? {
            b'-' => (true, &bytes[1..]),
            b'+' => (false, &bytes[1..]),
            _ => (false, bytes),
        };
        let (whole, rest) = digits(bytes);
        let (fraction, rest) = rest.strip_prefix(b".").map_or((&rest[..0], rest), digits);
        let exponent = match rest {
            [] => 0,
            [b'e' | b'E', exponent @ ..] => {
                let exponent: i64 = std::str::from_utf8(exponent).ok()?.parse().ok()?;
                exponent.clamp(i32::MIN.into(), i32::MAX.into()) as i32
            }
            _ => return None,
        };
        let is_number = !whole.is_empty() || !fraction.is_empty();
        is_number.then_some(Self { negative, whole, fraction, exponent })
    }
}

/// Splits a text after its leading digits.
#[inline]
fn digits(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len()))
}

impl Decimal {
    /// Parses a number such as `-1.50`, `.5`, `2.` or `+1e3`. Digits after the point that do not fit into 64 bits are
    /// cut off; the last kept digit is then made odd, so that a later rounding is correct. `None` for any other text,
    /// and if no digit after the point fits.
    pub fn parse(text: &str) -> Option<Self> {
        let WrittenNumber { negative, whole, fraction, exponent } = WrittenNumber::of(text)?;
        let (mantissa, scale) = if whole.len() + fraction.len() <= 18 {
            let and = |mantissa: i64, digit: &u8| mantissa * 10 + i64::from(digit - b'0');
            (fraction.iter().fold(whole.iter().fold(0, and), and), fraction.len() as i32)
        } else {
            Self::many(whole, fraction)?
        };
        let mantissa = if negative { -mantissa } else { mantissa };
        Self { mantissa, scale: 0 }.shifted(exponent.checked_sub(scale)?)
    }

    /// Returns mantissa and scale of a number whose digits may exceed 64 bits.
    #[cold]
    fn many(whole: &[u8], fraction: &[u8]) -> Option<(i64, i32)> {
        let and = |mantissa: i64, digit: &u8| mantissa.checked_mul(10)?.checked_add(i64::from(digit - b'0'));
        let mut mantissa = whole.iter().try_fold(0, and)?;
        let mut scale = 0;
        for (at, digit) in fraction.iter().enumerate() {
            let Some(next) = and(mantissa, digit) else {
                let more = fraction[at..].iter().any(|digit| *digit != b'0');
                return (!more || scale > 0).then_some((mantissa | i64::from(more), scale));
            };
            (mantissa, scale) = (next, scale + 1);
        }
        Some((mantissa, scale))
    }

    /// Returns the number × 10^`shift`.
    fn shifted(self, shift: i32) -> Option<Self> {
        if self.mantissa == 0 {
            return Some(self);
        }
        match u32::try_from(shift) {
            Ok(up) => {
                let mantissa = self.mantissa.checked_mul(10_i64.checked_pow(up)?)?;
                Some(Self { mantissa, scale: 0 })
            }
            // Smaller than any fraction that can be represented.
            Err(_) if shift < -36 => Some(Self { mantissa: self.mantissa.signum(), scale: 36 }),
            Err(_) => Some(Self { scale: shift.unsigned_abs() as u8, ..self }),
        }
    }

    /// Returns the number × 10^`places`, rounded down, and the remainder as a multiple of 1/`PARTS`.
    #[inline]
    fn scaled(self, places: u8) -> Option<(i64, i64)> {
        let Self { mantissa, scale } = self;
        if scale <= places {
            let power = POWERS.get(usize::from(places - scale))?;
            return Some((mantissa.checked_mul(*power)?, 0));
        }
        let down = usize::from(scale - places);
        if let Some(divisor) = POWERS.get(down) {
            let rest = mantissa.rem_euclid(*divisor) * POWERS[18 - down];
            return Some((mantissa.div_euclid(*divisor), rest));
        }
        // Less than one; a nonzero number must not become zero.
        let rest = POWERS.get(down - 18).map_or(0, |divisor| mantissa.saturating_abs() / divisor).max(1);
        Some(match mantissa.signum() {
            0 => (0, 0),
            1 => (0, rest),
            _ => (-1, PARTS - rest),
        })
    }

    /// Rounds to a multiple of 10^-`places`; returns the count and whether it is exact. `None` if it exceeds 64 bits.
    #[inline]
    fn rounded(self, places: u8) -> Option<(i64, bool)> {
        let (whole, rest) = self.scaled(places)?;
        Some((whole.checked_add(i64::from(rest >= PARTS / 2))?, rest == 0))
    }

    /// Returns the number in millionths, rounded; `None` if it exceeds 64 bits.
    pub fn millionths(self) -> Option<i64> {
        Some(self.to_millionths()?.0)
    }

    /// Returns the number in millionths, rounded, and whether that is exact; `None` if it exceeds 64 bits.
    #[inline]
    pub fn to_millionths(self) -> Option<(i64, bool)> {
        self.rounded(6)
    }

    /// Returns the nearest whole number, and whether it is exact; `None` if it exceeds 64 bits.
    pub fn to_whole(self) -> Option<(i64, bool)> {
        self.rounded(0)
    }

    /// Returns the number if it was written without decimals.
    pub fn whole(self) -> Option<i64> {
        (self.scale == 0).then_some(self.mantissa)
    }

    /// Interprets the number as microseconds.
    #[inline]
    pub fn micros(self) -> Time {
        let far = || Time::far(self.mantissa < 0);
        self.scaled(3).map_or_else(far, |(ns, rest)| Time { ns, rest })
    }
}

impl Time {
    /// Parses microseconds with any number of digits; `None` if the text is not a number.
    pub fn parse(text: &str) -> Option<Self> {
        // Nearly all times have few enough digits for 64 bits.
        if text.len() <= 19
            && let Some(decimal) = Decimal::parse(text)
        {
            return Some(decimal.micros());
        }
        let written = WrittenNumber::of(text)?;
        Some(Self::wide(&written).unwrap_or_else(|| Self::far(written.negative)))
    }

    /// Converts a number of up to 38 digits; `None` if it exceeds 64-bit nanoseconds.
    fn wide(written: &WrittenNumber) -> Option<Self> {
        let WrittenNumber { negative, whole, fraction, exponent } = *written;
        let and =
            |mantissa: i128, digit: &u8| mantissa.checked_mul(10)?.checked_add(i128::from(digit - b'0'));
        let mut mantissa = whole.iter().try_fold(0, and)?;
        let mut shift = exponent.saturating_add(3);
        for digit in fraction {
            let Some(next) = and(mantissa, digit) else { break };
            (mantissa, shift) = (next, shift.saturating_sub(1));
        }
        if mantissa == 0 {
            return Some(Time { ns: 0, rest: 0 });
        }
        let mantissa = if negative { -mantissa } else { mantissa };
        if let Ok(up) = u32::try_from(shift) {
            let ns = mantissa.checked_mul(10_i128.checked_pow(up)?)?;
            return Some(Time { ns: i64::try_from(ns).ok()?, rest: 0 });
        }
        let down = shift.unsigned_abs();
        let Some(divisor) = 10_i128.checked_pow(down) else {
            // Less than a nanosecond.
            return Some(if negative { Time { ns: -1, rest: PARTS - 1 } } else { Time { ns: 0, rest: 1 } });
        };
        let rest = mantissa.rem_euclid(divisor);
        let rest = match down {
            0..=18 => rest * 10_i128.pow(18 - down),
            _ => rest / 10_i128.pow(down - 18),
        };
        let ns = i64::try_from(mantissa.div_euclid(divisor)).ok()?;
        Some(Time { ns, rest: i64::try_from(rest).ok()? })
    }

    /// Returns the time to which times beyond the 64-bit range are clamped: the earliest if `negative`, else the
    /// latest.
    fn far(negative: bool) -> Self {
        Time { ns: if negative { -i64::MAX } else { i64::MAX }, rest: 0 }
    }

    /// Rounds to the nearest nanosecond. The order of two times is preserved, so that nested intervals stay nested.
    #[inline]
    pub fn round(self) -> i64 {
        self.ns.saturating_add(i64::from(self.rest >= PARTS / 2))
    }

    /// Returns the time `length` later.
    #[inline]
    pub fn after(self, length: Time) -> Time {
        let rest = self.rest + length.rest;
        let (more, rest) = if rest < PARTS { (0, rest) } else { (1, rest - PARTS) };
        Time { ns: self.ns.saturating_add(length.ns).saturating_add(more), rest }
    }

    /// Whether the time has digits below the nanosecond.
    #[inline]
    pub fn is_finer(self) -> bool {
        self.rest != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact() {
        let cases = [
            ("12", Some((12, 0))),
            ("-1.50", Some((-150, 2))),
            (".75", Some((75, 2))),
            ("246.", Some((246, 0))),
            ("01.23", Some((123, 2))),
            ("+10.5", Some((105, 1))),
            ("1.5e3", Some((15_000, 1))),
            ("1.5e-3", Some((15, 4))),
            ("1.8502444615638450e15", Some((18_502_444_615_638_450, 1))),
            ("9223372036854775808", None),
            ("1.5e", None),
            ("2e+", None),
            (".", None),
            ("+", None),
            ("-", None),
            ("", None),
            ("100a", None),
            ("NaN", None),
            ("0e999999999999", Some((0, 0))),
            ("1e999999999999", None),
            ("1e99", None),
        ];
        for (text, expected) in cases {
            let found = Decimal::parse(text).map(Decimal::micros);
            let wanted = expected.map(|(mantissa, scale)| Decimal { mantissa, scale }.micros());
            assert_eq!(found, wanted, "{text}");
        }
    }

    #[test]
    fn microseconds_become_nanoseconds() {
        let round = |text: &str| Time::parse(text).map(Time::round);
        for (text, expected) in [
            ("1795239900879399.2", Some(1_795_239_900_879_399_200)),
            ("1700000000000000.1234", Some(1_700_000_000_000_000_123)),
            ("1700000000000000.1235", Some(1_700_000_000_000_000_124)),
            ("1700000000000000.12349999999999999999999999", Some(1_700_000_000_000_000_123)),
            ("-1700000000000000.1236", Some(-1_700_000_000_000_000_124)),
            ("1.7000000000000001234e15", Some(1_700_000_000_000_000_123)),
            ("0.0000000000000000000000000000000000081e36", Some(8_100)),
            ("0.0815", Some(82)),
            ("-0.0816", Some(-82)),
            ("-0.00001", Some(0)),
            ("4619295550.000", Some(4_619_295_550_000)),
            ("9300000000000000", Some(i64::MAX)),
            ("-1e99", Some(-i64::MAX)),
            ("0e99", Some(0)),
            ("1e-99", Some(0)),
            ("99999999999999999999999999999999999999999", Some(i64::MAX)),
            ("1700000000000000.1234x", None),
            ("", None),
        ] {
            assert_eq!(round(text), expected, "{text}");
        }
    }

    /// Fractions of a nanosecond are kept when times are added: the sum is rounded once.
    #[test]
    fn ends_are_rounded_once() {
        let time = |text: &str| Time::parse(text).expect("a time");
        for (start, length, end, finer) in [
            ("0.0006", "0.0006", 1, true),
            ("0.0002505", "0.0002495", 1, true),
            ("1700000000000000.1234", "0.0001", 1_700_000_000_000_000_124, true),
            ("1700000000000000.1234", "0.0006", 1_700_000_000_000_000_124, false),
            ("-1e99", "-1e99", i64::MIN, false),
        ] {
            let found = time(start).after(time(length));
            assert_eq!((found.round(), found.is_finer()), (end, finer), "{start} + {length}");
        }
    }

    #[test]
    fn millionths_are_rounded() {
        let millionths = |text: &str| Decimal::parse(text).and_then(Decimal::millionths);
        assert_eq!(millionths("45.67"), Some(45_670_000));
        assert_eq!(millionths("0.30000000000000004"), Some(300_000));
        assert_eq!(millionths("-0.0000006"), Some(-1));
        assert_eq!(millionths("9223372036854"), Some(9_223_372_036_854_000_000));
        assert_eq!(millionths("9223372036855"), None);
        let millionths = |text: &str| Decimal::parse(text).and_then(Decimal::to_millionths);
        for (text, expected) in [
            ("0.5", (500_000, true)),
            ("1.50000000", (1_500_000, true)),
            ("1.5e-9", (0, false)),
            ("-1.5e-9", (0, false)),
            ("1e-30", (0, false)),
            ("1e-400", (0, false)),
            ("0e-400", (0, true)),
            ("0.30000000000000004", (300_000, false)),
            ("1.0000000000000000000001", (1_000_000, false)),
        ] {
            assert_eq!(millionths(text), Some(expected), "{text}");
        }
        let whole = |text: &str| Decimal::parse(text).and_then(Decimal::to_whole);
        assert_eq!(whole("9300000000000.5"), Some((9_300_000_000_001, false)));
        assert_eq!(whole("9300000000000.0"), Some((9_300_000_000_000, true)));
        assert_eq!(Decimal::parse("12e1").and_then(Decimal::whole), Some(120));
        assert_eq!(Decimal::parse("12.0").and_then(Decimal::whole), None);
    }
}
