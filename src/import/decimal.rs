//! Decimal numbers from text, exactly: whole nanoseconds from microseconds, millionths from anything.

/// A decimal number: `mantissa` × 10^-`scale`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Decimal {
    /// All digits, with the sign.
    pub mantissa: i64,
    /// How many of them stand behind the point: at most 36.
    pub scale: u8,
}

/// A moment or a length of time, to the picosecond.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Time {
    ns: i64,
    /// 0 to 999.
    ps: i64,
}

impl Decimal {
    /// The number that a text is: `-1.50`, `.5`, `2.`, `+1e3`. Digits behind the eighteenth are cut off where they
    /// stand behind the point. `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        let (negative, mut at) = match bytes.first()? {
            b'-' => (true, 1),
            b'+' => (false, 1),
            _ => (false, 0),
        };
        let (mut mantissa, mut scale, mut point, mut digits) = (0_i64, 0_i32, false, 0);
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'0'..=b'9' => {
                    digits += 1;
                    match mantissa.checked_mul(10).and_then(|m| m.checked_add(i64::from(byte - b'0'))) {
                        Some(next) => (mantissa, scale) = (next, scale + i32::from(point)),
                        None if point => {}
                        None => return None,
                    }
                }
                b'.' if !point => point = true,
                _ => break,
            }
            at += 1;
        }
        let exponent = match bytes.get(at) {
            None => 0,
            Some(b'e' | b'E') => text.get(at + 1..)?.parse::<i32>().ok()?,
            Some(_) => return None,
        };
        if digits == 0 {
            return None;
        }
        let mantissa = if negative { -mantissa } else { mantissa };
        Self { mantissa, scale: 0 }.shifted(exponent.checked_sub(scale)?)
    }

    /// × 10^`shift`.
    fn shifted(self, shift: i32) -> Option<Self> {
        if self.mantissa == 0 {
            return Some(self);
        }
        match u32::try_from(shift) {
            Ok(up) => {
                let mantissa = self.mantissa.checked_mul(10_i64.checked_pow(up)?)?;
                Some(Self { mantissa, scale: 0 })
            }
            // Smaller than anything that is told apart.
            Err(_) if shift < -36 => Some(Self { mantissa: 0, scale: 0 }),
            Err(_) => Some(Self { scale: shift.unsigned_abs() as u8, ..self }),
        }
    }

    /// The number × 10^`places`, rounded down; and what is left, in thousandths of that.
    fn scaled(self, places: u8) -> Option<(i64, i64)> {
        let Self { mantissa, scale } = self;
        if scale <= places {
            return Some((mantissa.checked_mul(power(places - scale)?)?, 0));
        }
        let Some(divisor) = power(scale - places) else {
            return Some(if mantissa < 0 { (-1, 999) } else { (0, 0) });
        };
        let rest = mantissa.rem_euclid(divisor);
        Some((mantissa.div_euclid(divisor), (i128::from(rest) * 1000 / i128::from(divisor)) as i64))
    }

    /// In millionths, rounded; `None` where 64 bits are too few.
    pub fn millionths(self) -> Option<i64> {
        let (whole, rest) = self.scaled(6)?;
        whole.checked_add(i64::from(rest >= 500))
    }

    /// The whole number that it is.
    pub fn whole(self) -> Option<i64> {
        self.scaled(0).filter(|(_, rest)| *rest == 0 && self.scale == 0).map(|(whole, _)| whole)
    }

    /// As microseconds; `None` where 64 bits of nanoseconds are too few.
    pub fn micros(self) -> Option<Time> {
        let (ns, ps) = self.scaled(3)?;
        Some(Time { ns, ps })
    }
}

/// A power of ten; `None` where 64 bits are too few.
#[inline]
fn power(of: u8) -> Option<i64> {
    const FIRST: [i64; 7] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000];
    FIRST.get(usize::from(of)).copied().or_else(|| 10_i64.checked_pow(u32::from(of)))
}

impl Time {
    /// The nearest nanosecond. The order of two moments never changes by it, so that what lay inside still does.
    pub fn round(self) -> Option<i64> {
        self.ns.checked_add(i64::from(self.ps >= 500))
    }

    /// This moment, `length` later.
    pub fn after(self, length: Time) -> Option<Time> {
        let ps = self.ps + length.ps;
        Some(Time { ns: self.ns.checked_add(length.ns)?.checked_add(ps / 1000)?, ps: ps % 1000 })
    }

    /// Whether it has digits below the nanosecond.
    pub fn is_finer(self) -> bool {
        self.ps != 0
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
            ("0e999999999999", None),
            ("1e99", None),
        ];
        for (text, expected) in cases {
            let found = Decimal::parse(text).and_then(Decimal::micros);
            let wanted = expected.map(|(mantissa, scale)| Decimal { mantissa, scale }.micros());
            assert_eq!(found, wanted.flatten(), "{text}");
        }
        assert_eq!(Decimal::parse("1e-400").and_then(Decimal::millionths), Some(0));
    }

    #[test]
    fn microseconds_become_nanoseconds() {
        let round = |text: &str| Decimal::parse(text).and_then(Decimal::micros).and_then(Time::round);
        assert_eq!(round("1795239900879399.2"), Some(1_795_239_900_879_399_200));
        assert_eq!(round("0.0815"), Some(82));
        assert_eq!(round("-0.0816"), Some(-82));
        assert_eq!(round("-0.00001"), Some(0));
        assert_eq!(round("4619295550.000"), Some(4_619_295_550_000));
        assert_eq!(round("9300000000000000"), None);
        let time = |text: &str| Decimal::parse(text).and_then(Decimal::micros).expect("a time");
        let end = time("0.0006").after(time("0.0006")).expect("in range");
        assert_eq!((end.round(), end.is_finer()), (Some(1), true));
    }

    #[test]
    fn millionths_are_rounded() {
        let millionths = |text: &str| Decimal::parse(text).and_then(Decimal::millionths);
        assert_eq!(millionths("45.67"), Some(45_670_000));
        assert_eq!(millionths("0.30000000000000004"), Some(300_000));
        assert_eq!(millionths("-0.0000006"), Some(-1));
        assert_eq!(millionths("9223372036854"), Some(9_223_372_036_854_000_000));
        assert_eq!(millionths("9223372036855"), None);
        assert_eq!(Decimal::parse("12e1").and_then(Decimal::whole), Some(120));
        assert_eq!(Decimal::parse("12.0").and_then(Decimal::whole), None);
    }
}
