//! Formatting and parsing of numbers. All calculations use integers, so that no digit is affected by rounding of floats.

/// Text for a number that was not reported (never 0).
pub const NOT_REPORTED: &str = "–";
/// U+2009, the thin space between groups of three digits after the decimal point.
const THIN: char = '\u{2009}';
/// U+2212, the minus sign that is as wide as a plus.
const MINUS: char = '−';

/// Time units below a minute: size in nanoseconds, maximum number of decimals in the exact form, and name.
const TIME_UNITS: [(u64, usize, &str); 4] =
    [(1, 0, "ns"), (1_000, 3, "µs"), (1_000_000, 6, "ms"), (1_000_000_000, 9, "s")];
const MINUTE: u64 = 60_000_000_000;

/// The longest prefix of a text that has at most this number of bytes.
pub fn beginning(text: &str, bytes: usize) -> &str {
    let end = (0..=bytes.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0);
    &text[..end]
}

/// Formats a duration with four digits: `950 ns`, `27.42 ms`, `1.204 s`; from one minute on as `2 min 03 s`. The
/// largest number, at which sums are capped, is shown as a lower bound: `≥ 106751 d 23 h`.
pub fn duration(ns: i64) -> String {
    let size = ns.unsigned_abs();
    let text = TIME_UNITS.iter().find_map(|&(unit, _, name)| four_digits(size, unit, name));
    at_least(ns == i64::MAX, sign(ns < 0, &text.unwrap_or_else(|| minutes(size))))
}

/// Formats `size` in `unit`; `None` if that needs four digits before the decimal point (for seconds: 60 or more).
fn four_digits(size: u64, unit: u64, name: &str) -> Option<String> {
    if unit == 1 {
        return (size < 1000).then(|| format!("{size} ns"));
    }
    let limit = if name == "s" { 60 } else { 1000 };
    (1..=3).rev().find_map(|decimals| {
        let scale = 10_u64.pow(decimals);
        let scaled = rounded(size, unit, scale);
        let fits = scaled < limit * u128::from(scale) && scaled < 10_000;
        let (whole, rest) = (scaled / u128::from(scale), scaled % u128::from(scale));
        fits.then(|| format!("{whole}.{rest:0width$} {name}", width = decimals as usize))
    })
}

fn rounded(size: u64, unit: u64, scale: u64) -> u128 {
    (u128::from(size) * u128::from(scale) + u128::from(unit) / 2) / u128::from(unit)
}

fn minutes(size: u64) -> String {
    let seconds = rounded(size, 1_000_000_000, 1);
    let (days, hours) = (seconds / 86_400, seconds / 3600 % 24);
    let (minutes, seconds) = (seconds / 60 % 60, seconds % 60);
    match (days, hours) {
        (0, 0) => format!("{minutes} min {seconds:02} s"),
        (0, _) => format!("{hours} h {minutes:02} min"),
        _ => format!("{days} d {hours:02} h"),
    }
}

/// Formats a duration exactly to the nanosecond: `27.418 902 ms`, `2 min 03.000 000 001 s` (thin spaces between decimals).
pub fn duration_exact(ns: i64) -> String {
    let size = ns.unsigned_abs();
    let minutes = size / MINUTE;
    let below = if minutes == 0 { size } else { size % MINUTE };
    let fits = |unit: &&(u64, usize, &str)| unit.0 <= below.max(1);
    let &(unit, decimals, name) = if minutes > 0 {
        &TIME_UNITS[3]
    } else {
        TIME_UNITS.iter().rev().find(fits).unwrap_or(&TIME_UNITS[0])
    };
    let (whole, decimals) = (below / unit, grouped(below % unit, decimals));
    let text = match minutes {
        0 => format!("{whole}{decimals} {name}"),
        _ => format!("{} min {whole:02}{decimals} {name}", count(minutes as i64)),
    };
    sign(ns < 0, &text)
}

/// Formats decimals with their point and without trailing zeros, such as `.418 902`; empty for 0.
fn grouped(fraction: u64, decimals: usize) -> String {
    if fraction == 0 {
        return String::new();
    }
    let digits = format!("{fraction:0decimals$}");
    format!(".{}", in_threes(digits.trim_end_matches('0')))
}

/// Groups the digits after a decimal point in threes with thin spaces: `418 902`.
pub fn in_threes(digits: &str) -> String {
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && at % 3 == 0 {
            text.push(THIN);
        }
        text.push(digit);
    }
    text
}

/// Formats a point in time exactly to the nanosecond, with its sign: `+18.204 311 ms`.
pub fn time(ns: i64) -> String {
    if ns > 0 { format!("+{}", duration_exact(ns)) } else { duration_exact(ns) }
}

/// Formats a number of bytes in decimal units with two or three digits: `950 B`, `3.1 GB`, `212 MB`. The largest
/// number, at which sums are capped, is shown as a lower bound: `≥ 9.2 EB`.
pub fn bytes(n: i64) -> String {
    const UNITS: [&str; 6] = ["kB", "MB", "GB", "TB", "PB", "EB"];
    let size = n.unsigned_abs();
    if size < 1000 {
        return sign(n < 0, &format!("{size} B"));
    }
    let mut unit = 1;
    for name in UNITS {
        unit *= 1000;
        let (tenths, whole) = (rounded(size, unit, 10), rounded(size, unit, 1));
        if tenths < 100 {
            let text = sign(n < 0, &format!("{}.{} {name}", tenths / 10, tenths % 10));
            return at_least(n == i64::MAX, text);
        }
        if whole < 1000 {
            return sign(n < 0, &format!("{whole} {name}"));
        }
    }
    sign(n < 0, &format!("{} B", count(n)))
}

/// Formats an integer with its digits in groups of three: `102,944`. The largest number, at which sums are capped, is
/// shown as a lower bound with `≥`.
pub fn count(n: i64) -> String {
    let digits = n.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    at_least(n == i64::MAX, sign(n < 0, &text))
}

/// Formats a number of millionths without digit grouping, for other programs: `0.25`, `1234.5`.
pub fn decimal(millionths: impl Into<i128>) -> String {
    let millionths = millionths.into();
    let (size, million) = (millionths.unsigned_abs(), 1_000_000);
    let text = format!("{}.{:06}", size / million, size % million);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if millionths < 0 { format!("-{text}") } else { text.to_owned() }
}

/// Formats a number of millionths with digit grouping, for people: `0.25`, `1,234.5`.
pub fn millionths(n: i64) -> String {
    let (size, millionth) = (n.unsigned_abs(), 1_000_000);
    let whole = count((size / millionth) as i64);
    let decimals = format!("{whole}.{:06}", size % millionth);
    sign(n < 0, decimals.trim_end_matches('0').trim_end_matches('.'))
}

/// Formats a count with its noun in singular or plural: `1 query`, `2 queries`.
pub fn counted(n: u64, one: &str, many: &str) -> String {
    let noun = if n == 1 { one } else { many };
    format!("{} {noun}", count(i64::try_from(n).unwrap_or(i64::MAX)))
}

/// Lists at most `most` names, and the number of further names: `a, b, c and 4 more`.
pub fn listed(names: &[&str], most: usize) -> String {
    let (first, more) = names.split_at(most.min(names.len()));
    match more.len() {
        0 => first.join(", "),
        n => format!("{} and {} more", first.join(", "), count(i64::try_from(n).unwrap_or(i64::MAX))),
    }
}

/// Formats a ratio with two or three digits: `0.05`, `9.9`, `412`.
pub fn ratio(value: f64) -> String {
    match value.abs() {
        size if !size.is_finite() => NOT_REPORTED.to_owned(),
        0.0 => "0".to_owned(),
        size if size < 0.095 => format!("{value:.2}"),
        size if size < 99.95 => format!("{value:.1}"),
        _ => count(value.round() as i64),
    }
}

/// Highest percentage that is written out.
const HIGHEST_PERCENT: f64 = 1e9;

/// Formats a share between 0 and 1 as a percentage: `77 %`, `0.4 %`. Only exactly 0 and 1 become `0 %` and `100 %`.
/// Larger ratios are formatted, too; above `HIGHEST_PERCENT`, which only contradictory values reach, the text is
/// `>1,000,000,000 %`.
pub fn percent(share: f64) -> String {
    let hundredths = share * 100.0;
    match hundredths {
        x if !x.is_finite() => NOT_REPORTED.to_owned(),
        x if x > 0.0 && x < 0.05 => "<0.1 %".to_owned(),
        x if x > 99.5 && x < 100.0 => ">99 %".to_owned(),
        x if x > HIGHEST_PERCENT => format!(">{} %", count(HIGHEST_PERCENT as i64)),
        x if x.abs() >= 999.5 => format!("{} %", count(x.round() as i64)),
        x if x == 0.0 || x.abs() >= 9.95 => format!("{x:.0} %"),
        x => format!("{x:.1} %"),
    }
}

/// Formats a change as a percentage with its sign: `+25 %`, `−0.4 %`. A bound stands before the sign: `<−99 %`.
pub fn signed_percent(change: f64) -> String {
    let size = percent(change.abs());
    let number = size.trim_start_matches(['<', '>']);
    let sign = match change {
        x if x == 0.0 || !x.is_finite() => return size,
        x if x < 0.0 => "−",
        _ => "+",
    };
    let bound = match (size.starts_with('>'), change < 0.0) {
        _ if number == size => "",
        (true, false) | (false, true) => ">",
        _ => "<",
    };
    format!("{bound}{sign}{number}")
}

/// Formats a value with `write`; a dash if it was not reported.
pub fn or_dash<T>(value: Option<T>, write: impl FnOnce(T) -> String) -> String {
    value.map_or_else(|| NOT_REPORTED.to_owned(), write)
}

/// Prefixes `text` with `≥` if `open`, because it is a lower bound: `≥ 21.80 ms`. The largest number
/// has that sign already.
pub fn at_least(open: bool, text: String) -> String {
    if open && !text.starts_with('≥') { format!("≥ {text}") } else { text }
}

/// Shortens `text` to `limit` characters, ending in an ellipsis if it was longer, and makes every character [`visible`].
pub fn shortened(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        None => text.chars().map(visible).collect(),
        Some(_) => {
            let head: String = text.chars().take(limit.saturating_sub(1)).map(visible).collect();
            head + "…"
        }
    }
}

/// Returns the character to display for `c`: a replacement character if `c` only changes the direction of the text around it.
///
/// [Unicode Standard Annex 9](https://www.unicode.org/reports/tr9/#Directional_Formatting_Characters): embeddings, overrides,
/// isolates and marks. Letters of scripts that are written from right to left need none of them.
pub fn visible(c: char) -> char {
    match c {
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200e}' | '\u{200f}' | '\u{61c}' => {
            char::REPLACEMENT_CHARACTER
        }
        _ => c,
    }
}

/// Returns the name with every character made [`visible`].
pub fn visible_name(name: &str) -> String {
    name.chars().map(visible).collect()
}

/// Returns the character to display in a single line: tabs and line breaks become spaces, other control characters their
/// symbols (U+2400 to U+2421), and all characters are made [`visible`].
pub fn in_line(c: char) -> char {
    match c {
        '\t' | '\n' | '\r' => ' ',
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(' '),
        '\x7f' => '\u{2421}',
        _ if c.is_control() => char::REPLACEMENT_CHARACTER,
        _ => visible(c),
    }
}

/// Parses a duration into nanoseconds: `5ms`, `1.5 s`, `250us`, `2min`, `950` (nanoseconds); `None` for other texts.
pub fn parse_duration(text: &str) -> Option<i64> {
    const UNITS: [(&str, i64); 8] = [
        ("", 1),
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000), // U+00B5, as typed on keyboards
        ("μs", 1_000), // U+03BC
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("min", MINUTE as i64),
    ];
    parse_scaled(text, &UNITS)
}

/// Parses a number of bytes: `1MB`, `100M`, `2.5 kB`, `4KiB`, `950`, ignoring case; `None` for other texts.
pub fn parse_bytes(text: &str) -> Option<i64> {
    const UNITS: [(&str, i64); 13] = [
        ("", 1),
        ("b", 1),
        ("k", 1_000),
        ("kb", 1_000),
        ("m", 1_000_000),
        ("mb", 1_000_000),
        ("g", 1_000_000_000),
        ("gb", 1_000_000_000),
        ("t", 1_000_000_000_000),
        ("tb", 1_000_000_000_000),
        ("kib", 1 << 10),
        ("mib", 1 << 20),
        ("gib", 1 << 30),
    ];
    parse_scaled(&text.to_ascii_lowercase(), &UNITS)
}

/// Parses a decimal number with up to six decimals: `3.5`, `0.25`, `1,000`; `None` for other texts.
pub fn parse_decimal(text: &str) -> Option<f64> {
    // Does not use the parser for floats, whose tables would add 10 kB to the page's download.
    parse_number(text, 1_000_000).map(|millionths| millionths as f64 / 1e6)
}

/// Parses a decimal number without a unit, in parts of `1 / scale`; digits below are truncated. `None` for other texts, and for
/// numbers that are too large.
pub fn parse_number(text: &str, scale: i64) -> Option<i64> {
    parse_scaled(text, &[("", scale)])
}

/// Parses a decimal number followed by one of `units`, and truncates digits below the smallest unit. `None` for other texts.
fn parse_scaled(text: &str, units: &[(&str, i64)]) -> Option<i64> {
    let text = text.trim();
    let behind = text.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ',').unwrap_or(text.len());
    let (number, unit) = text.split_at(behind);
    let scale = units.iter().find(|(name, _)| *name == unit.trim_start())?.1;
    let number = number.replace(',', "");
    let (whole, decimals) = number.split_once('.').unwrap_or((&number, ""));
    if whole.is_empty() && decimals.is_empty() || decimals.len() > 18 {
        return None;
    }
    let whole = if whole.is_empty() { 0 } else { whole.parse::<i128>().ok()? };
    let fraction = if decimals.is_empty() { 0 } else { decimals.parse::<i128>().ok()? };
    let scale = i128::from(scale);
    let below = fraction * scale / 10_i128.pow(decimals.len() as u32);
    i64::try_from(whole.checked_mul(scale)?.checked_add(below)?).ok()
}

fn sign(negative: bool, text: &str) -> String {
    if negative { format!("{MINUS}{text}") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<T: Copy>(write: impl Fn(T) -> String, cases: &[(T, &str)]) {
        for &(value, expected) in cases {
            assert_eq!(write(value).replace(THIN, " "), expected);
        }
    }

    #[test]
    fn durations_have_four_digits() {
        check(
            duration,
            &[
                (0, "0 ns"),
                (950, "950 ns"),
                (999, "999 ns"),
                (1_000, "1.000 µs"),
                (12_345, "12.35 µs"),
                (999_949, "999.9 µs"),
                (999_950, "1.000 ms"),
                (27_418_902, "27.42 ms"),
                (345_980_000, "346.0 ms"),
                (1_204_000_000, "1.204 s"),
                (59_994_000_000, "59.99 s"),
                (59_996_000_000, "1 min 00 s"),
                (123_000_000_000, "2 min 03 s"),
                (3_723_000_000_000, "1 h 02 min"),
                (100_800_000_000_000, "1 d 04 h"),
                (-27_418_902, "−27.42 ms"),
                (i64::MAX, "≥ 106751 d 23 h"),
                (i64::MIN, "−106751 d 23 h"),
            ],
        );
    }

    #[test]
    fn exact_durations_lose_nothing() {
        check(
            duration_exact,
            &[
                (0, "0 ns"),
                (950, "950 ns"),
                (1_000, "1 µs"),
                (1_001, "1.001 µs"),
                (27_418_902, "27.418 902 ms"),
                (27_400_000, "27.4 ms"),
                (1_204_318_902, "1.204 318 902 s"),
                (123_000_000_001, "2 min 03.000 000 001 s"),
                (120_000_000_000, "2 min 00 s"),
                (-1_001, "−1.001 µs"),
                (i64::MIN, "−153,722,867 min 16.854 775 808 s"),
            ],
        );
        check(time, &[(18_204_311, "+18.204 311 ms"), (0, "0 ns"), (-5, "−5 ns")]);
    }

    #[test]
    fn bytes_have_decimal_units() {
        check(
            bytes,
            &[
                (0, "0 B"),
                (999, "999 B"),
                (1_000, "1.0 kB"),
                (9_949, "9.9 kB"),
                (9_950, "10 kB"),
                (999_499, "999 kB"),
                (999_500, "1.0 MB"),
                (212_400_000, "212 MB"),
                (3_100_000_000, "3.1 GB"),
                (-3_100_000_000, "−3.1 GB"),
                (i64::MAX, "≥ 9.2 EB"),
                (i64::MIN, "−9.2 EB"),
            ],
        );
    }

    #[test]
    fn counts_ratios_and_shares() {
        check(
            count,
            &[
                (0, "0"),
                (999, "999"),
                (1_000, "1,000"),
                (102_944, "102,944"),
                (-1_234_567, "−1,234,567"),
                (i64::MIN, "−9,223,372,036,854,775,808"),
            ],
        );
        check(
            ratio,
            &[
                (0.0, "0"),
                (0.05, "0.05"),
                (1.0, "1.0"),
                (9.94, "9.9"),
                (45.6, "45.6"),
                (411.776, "412"),
                (1e6, "1,000,000"),
                (f64::NAN, "–"),
                (f64::INFINITY, "–"),
            ],
        );
        check(
            percent,
            &[
                (0.0, "0 %"),
                (0.0001, "<0.1 %"),
                (0.004, "0.4 %"),
                (0.77, "77 %"),
                (0.9999, ">99 %"),
                (1.0, "100 %"),
                (134.88, "13,488 %"),
                (1e300, ">1,000,000,000 %"),
                (f64::INFINITY, "–"),
            ],
        );
        check(
            signed_percent,
            &[
                (0.0, "0 %"),
                (0.25, "+25 %"),
                (-0.004, "−0.4 %"),
                (0.0001, "<+0.1 %"),
                (-0.0001, ">−0.1 %"),
                (0.9999, ">+99 %"),
                (-0.9999, "<−99 %"),
                (-1.0, "−100 %"),
                (f64::NAN, "–"),
            ],
        );
        assert_eq!(counted(1, "query", "queries"), "1 query");
        assert_eq!(counted(2_000, "query", "queries"), "2,000 queries");
        assert_eq!(or_dash(None, count), "–");
        assert_eq!(or_dash(Some(5), count), "5");
        assert_eq!(at_least(true, duration(21_800_000)), "≥ 21.80 ms");
        assert_eq!(at_least(true, duration(i64::MAX)), duration(i64::MAX));
    }

    #[test]
    fn texts_are_cut_between_characters() {
        for (text, limit, expected) in [
            ("äöü", 3, "äöü"),
            ("äöüß", 3, "äö…"),
            ("", 0, ""),
            ("ab", 0, "…"),
            ("ab", 1, "…"),
            ("a\u{202e}b\u{2069}", 4, "a\u{fffd}b\u{fffd}"),
            ("\u{5d0}\u{200f}\u{200e}\u{61c}", 4, "\u{5d0}\u{fffd}\u{fffd}\u{fffd}"),
        ] {
            assert_eq!(shortened(text, limit), expected);
        }
    }

    #[test]
    fn control_characters_can_be_seen_in_a_line() {
        let line: String = "a\tb\nc\u{1b}\u{7f}\u{85}\u{202e}ä".chars().map(in_line).collect();
        assert_eq!(line, "a b c\u{241b}\u{2421}\u{fffd}\u{fffd}ä");
    }

    #[test]
    fn durations_and_bytes_are_read_exactly() {
        for (text, expected) in [
            ("5ms", Some(5_000_000)),
            ("1.5 s", Some(1_500_000_000)),
            (" 250us ", Some(250_000)),
            ("250µs", Some(250_000)),
            ("2min", Some(120_000_000_000)),
            ("1,000", Some(1_000)),
            (".5ms", Some(500_000)),
            ("0.1s", Some(100_000_000)),
            ("", None),
            (".", None),
            ("ms", None),
            ("5 parsecs", None),
            ("1.2.3ms", None),
            ("-5ms", None),
            ("99999999999999999999s", None),
        ] {
            assert_eq!(parse_duration(text), expected, "{text:?}");
        }
        for (text, expected) in [
            ("1MB", Some(1_000_000)),
            ("2.5 kB", Some(2_500)),
            ("4KiB", Some(4_096)),
            ("100M", Some(100_000_000)),
            ("950", Some(950)),
            ("x", None),
        ] {
            assert_eq!(parse_bytes(text), expected, "{text:?}");
        }
        for (text, expected) in [
            ("3.5", Some(3.5)),
            (".1", Some(0.1)),
            ("1,000", Some(1000.0)),
            ("0", Some(0.0)),
            ("inf", None),
            ("1e3", None),
            ("", None),
        ] {
            assert_eq!(parse_decimal(text), expected, "{text:?}");
        }
    }
}
