//! Whole numbers from decimal text, exactly: no detour through floating point.

/// The value of a decimal number's text (`-12`, `1.5e3`), or `None` if that is no whole number of 64 bits.
pub fn exact_i64(text: &str) -> Option<i64> {
    if let Ok(number) = text.parse::<i64>() {
        return Some(number);
    }
    let (mantissa, exponent) = match text.find(['e', 'E']) {
        Some(at) => (&text[..at], text[at + 1..].parse::<i64>().ok()?),
        None => (text, 0),
    };
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let all_digits = |s: &str| s.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !all_digits(whole) || !all_digits(fraction) {
        return None;
    }
    let fraction = fraction.trim_end_matches('0');
    scaled(sign, whole, fraction, exponent)
}

/// `sign whole fraction × 10^exponent`, where `fraction` has no zeros at its end.
fn scaled(sign: &str, whole: &str, fraction: &str, exponent: i64) -> Option<i64> {
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    if significant.is_empty() {
        return Some(0);
    }
    let shift = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
    let kept = significant.trim_end_matches('0');
    let zeros = shift.checked_add(i64::try_from(significant.len() - kept.len()).ok()?)?;
    // 19 digits are the most that fit: this also bounds what is allocated for "1e999999999".
    let zeros = usize::try_from(zeros).ok().filter(|&z| z <= 19)?;
    format!("{sign}{kept}{}", "0".repeat(zeros)).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::exact_i64;

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
