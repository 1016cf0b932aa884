//! Whole numbers from decimal text, exactly, without floating point.

use super::decimal::Decimal;

const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Parses up to nineteen digits without a sign; `None` for anything else. Eight digits at a time, as in Johnny Lee's
/// *Fast numeric string to int*.
#[inline]
pub fn digits(text: &[u8]) -> Option<u64> {
    // The largest number of nineteen digits is below 2^64.
    if text.is_empty() || text.len() > 19 {
        return None;
    }
    let (words, rest) = text.as_chunks::<8>();
    let mut number = 0;
    for word in words {
        number = number * 100_000_000 + eight(u64::from_le_bytes(*word))?;
    }
    for byte in rest {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        number = number * 10 + u64::from(digit);
    }
    Some(number)
}

/// Parses eight digits, the first of them in the lowest byte; `None` if a byte is not a digit.
#[inline]
fn eight(word: u64) -> Option<u64> {
    let digits = word ^ ZEROS;
    // A byte from 0 to 9 stays below 16 when 6 is added; any other byte is 10 or more, and does not.
    let high = 0xF0F0_F0F0_F0F0_F0F0;
    if (digits | ((digits & !high) + 0x0606_0606_0606_0606)) & high != 0 {
        return None;
    }
    Some(joined(digits))
}

/// Returns the number with these eight digits, each a byte from 0 to 9, the first in the lowest byte: neighbours are
/// combined into pairs, pairs into fours, fours into the whole.
#[inline]
pub fn joined(digits: u64) -> u64 {
    let pairs = (digits * 10 + (digits >> 8)) & 0x00FF_00FF_00FF_00FF;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_FFFF_0000_FFFF;
    (fours * 10_000 + (fours >> 32)) & 0xFFFF_FFFF
}

/// Parses a decimal number (`-12`, `1.5e3`); `None` if it is not a whole number of 64 bits.
pub fn exact_i64(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(number);
    }
    // `Decimal` also accepts a leading point or plus sign, which is rejected here.
    let begins = text.strip_prefix('-').unwrap_or(text).starts_with(|c: char| c.is_ascii_digit());
    let (number, is_exact) = Decimal::parse(text).filter(|_| begins)?.to_whole()?;
    is_exact.then_some(number)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{digits, exact_i64};

    proptest! {
        #[test]
        fn digits_are_what_the_library_says(text in "[0-9]{0,21}|[0-9]{0,9}[ -~][0-9]{0,9}|.{0,9}|[0-9]{7}.") {
            let plain = text.len() <= 19 && text.bytes().all(|b| b.is_ascii_digit());
            let expected = text.parse::<u64>().ok().filter(|_| plain);
            prop_assert_eq!(digits(text.as_bytes()), expected);
        }
    }

    #[test]
    fn only_whole_numbers_of_64_bits_are_numbers() {
        let cases = [
            ("0", Some(0)),
            ("-12", Some(-12)),
            ("1.0", Some(1)),
            ("1.5e3", Some(1500)),
            ("1500e-2", Some(15)),
            ("1E+2", Some(100)),
            ("-0.0", Some(0)),
            ("0e999999999999", Some(0)),
            ("9223372036854775807", Some(i64::MAX)),
            ("-9223372036854775808", Some(i64::MIN)),
            ("9223372036854775808", None),
            ("1.5", None),
            ("1e-1", None),
            ("1e999999999", None),
            ("", None),
            (".", None),
            ("1e", None),
            ("0x10", None),
            ("9007199254740993.0", Some(9_007_199_254_740_993)),
        ];
        for (text, expected) in cases {
            assert_eq!(exact_i64(text), expected, "{text}");
        }
    }
}
